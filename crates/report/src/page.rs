//! The report as one HTML file that needs nothing else: no request leaves it (its Content-Security-Policy says so), it can be
//! sent, kept and printed.
//!
//! ```text
//! Run ─compare_all→ tables ──head──────→ first screen, plain HTML
//!  ├──Contests────→ figures ──JSON, gzip→ what the page's script filters and draws
//!  └──write_csv───→ raw data ─────gzip──→ what can be saved from the page
//! ```
//! Statistics are made here; the script in `web/` only chooses and draws. Invariants: every text from a file goes through
//! [`html::text`] or into compressed JSON, from which the script takes it as text and never as markup; scripts run
//! only if their hash is in the policy.

mod axes;
mod behind;
mod beside;
mod contests;
mod course;
mod figures;
mod flame_graphs;
mod head;
pub(crate) mod html;
mod links;
mod measures;
mod overview;
mod published;
pub(crate) mod style;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use bakeoff_protocol::CellEnd;
use bakeoff_stats::Verdict;
use bakeoff_text::listed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::analysis::{Analysis, Detail};
use crate::contender::Contenders;
use crate::error::ReportError;
use crate::export_csv::write_csv;
use crate::measured::measured;
use crate::page::axes::Axis;
use crate::page::contests::Contests;
use crate::page::figures::{CURVE_SHARES, ContestFigures, figures};
use crate::page::flame_graphs::Graphs;
use crate::page::html::{fill, lines, text};
use crate::page::links::{link, way};
use crate::page::measures::{MEASURES, Measure};
use crate::page::overview::{RunTables, id, overview};
use crate::page::published::PublishedFacts;
use crate::page::style::style_sheet;
use crate::published::Published;
use crate::run::Run;
use crate::sections::disturbance;
use crate::terminal::{TEXT_COLUMNS, render_pick, render_rates, text_of};
use crate::tidy::{Cell, columns};
use bakeoff_results::pick::{PICK_ASKED, is_ahead_by_far, of_variant, pick_is_answered, proven_ranking};
use bakeoff_results::pick_facts::PickFacts;

const TEMPLATE: &str = include_str!("../web/page.html");

/// Libraries, each a script of its own, as their authors publish them.
const LIBRARIES: [&str; 2] = [include_str!("../web/vendor/d3.min.js"), include_str!("../web/vendor/plot.umd.min.js")];

/// The switch between light and dark, which other pages share.
pub(crate) const THEME: &str = include_str!("../web/js/theme.js");

/// The page's own script, in parts that are one module. The theme comes first: it works whatever becomes of the rest.
const SCRIPT: [&str; 9] = [
    THEME,
    include_str!("../web/js/data.js"),
    include_str!("../web/js/format.js"),
    include_str!("../web/js/state.js"),
    include_str!("../web/js/matrix.js"),
    include_str!("../web/js/detail.js"),
    include_str!("../web/js/charts.js"),
    include_str!("../web/js/pictures.js"),
    include_str!("../web/js/main.js"),
];

/// A run and what it is called on the page.
type Labelled<'a> = (String, &'a Run);

/// What the script is given.
#[derive(Serialize)]
struct Payload<'a> {
    /// The version of this layout.
    format: u32,
    measures: &'a [Measure],
    axes: &'a [Axis],
    shares: &'a [f64],
    /// Columns of the raw data that hold texts, some of which look like numbers.
    texts: Vec<&'static str>,
    stores: Vec<StoreFacts<'a>>,
    runs: Vec<RunFacts<'a>>,
    contests: Vec<ContestFigures<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<PublishedFacts<'a>>,
}

#[derive(Serialize)]
struct StoreFacts<'a> {
    name: &'a str,
    title: &'a str,
    /// Its colour and mark.
    slot: usize,
    ranked: bool,
}

#[derive(Serialize)]
struct RunFacts<'a> {
    label: &'a str,
    /// What opened each cell, by its id.
    cells: BTreeMap<&'a str, CellFacts<'a>>,
}

#[derive(Serialize)]
struct CellFacts<'a> {
    version: &'a str,
    settings: &'a bakeoff_protocol::Settings,
    log: &'a str,
    /// The way to it from the page; absent if its name leads out of the run's directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_link: Option<String>,
    /// The command that does it again.
    again: String,
    /// Flame graphs of the same cell, where it was profiled in a run on this page.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    flame_graphs: &'a [(String, String)],
}

/// Writes the page for these runs, and a publication's figures beside theirs; a run's directory gives it its label. `place` is the
/// directory that the page will be in, from which links to files of the runs lead.
///
/// # Errors
/// `out` takes no more, or a publication is to stand beside a run that was profiled.
pub fn write_page(
    runs: &[Run],
    against: Option<&Published>,
    place: &Path,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    if against.is_some() {
        runs.iter().try_for_each(Run::must_be_measured)?;
    }
    let runs = labelled(runs);
    let of: Vec<_> = runs.iter().map(|(_, run)| (run.cells.as_slice(), run.stores.as_slice())).collect();
    let contenders = Contenders::of_all(&of);
    let script = SCRIPT.concat();
    // Who is best at a rate that some others never had is no answer to what the highest one is; who is best while profiled, to nothing.
    let answered = runs.iter().filter(|(_, run)| run.find_rate().is_none() && run.profile().is_none());
    let tables: Vec<RunTables> =
        answered.map(|(label, run)| (label.as_str(), Analysis::new(run, &contenders))).collect();
    let (overview, answers) = (overview(&tables, &contenders), answers(&tables, &contenders));
    let asked = picks(&runs, &contenders);
    // Many answers in full would push what was measured, and what spoils it, off the first screen. Who is fastest over all phases is no second
    // answer to what a pick asked.
    let (first, more) = if !asked.is_empty() && !answers.is_empty() {
        (String::new(), format!("<h2>All that was measured, loading too</h2>{overview}{answers}"))
    } else if overview.is_empty() {
        (answers, String::new())
    } else {
        (overview, answers)
    };
    let more = more + &side_by_side(&tables, &contenders);
    let warnings = head::warnings(&runs, &contenders);
    let page = fill(
        TEMPLATE,
        &[
            ("policy", &policy(&[&LIBRARIES[..], &[script.as_str()]].concat())),
            ("title", &text(&title(&runs))),
            ("summary", &text(&measured(&runs.iter().map(|(_, run)| *run).collect::<Vec<_>>()))),
            ("place", &head::place(&runs, &warnings)),
            ("style", &style_sheet()),
            ("few", &(head::few(&runs) + &beside::beside(&runs))),
            ("picks", &(profiled(&runs, &contenders, place) + &asked)),
            ("first", &first),
            ("more", &more),
            ("facts", &runs.iter().map(|(label, run)| head::facts(label, run)).collect::<String>()),
            ("warnings", &warnings),
            ("behind", &behind::behind(&runs, &contenders, place)),
            ("data", &packed(&payload(&runs, against, &contenders, place)?)?),
            ("raw", &raw(&runs)?),
            ("libraries", &LIBRARIES.map(|library| format!("<script>{library}</script>\n")).concat()),
            ("script", &script),
        ],
    );
    out.write_all(page.as_bytes())?;
    Ok(())
}

/// Each run with its directory's name; with a number where two have the same.
fn labelled(runs: &[Run]) -> Vec<Labelled<'_>> {
    let mut labelled: Vec<Labelled> = Vec::new();
    for run in runs {
        let directory = run.directory.canonicalize().unwrap_or_else(|_| run.directory.clone());
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
        let same =
            labelled.iter().filter(|(label, _)| *label == name || label.starts_with(&format!("{name} ("))).count();
        labelled.push((if same == 0 { name } else { format!("{name} ({})", same + 1) }, run));
    }
    labelled
}

fn title(runs: &[Labelled]) -> String {
    let mut titles: Vec<String> = runs.iter().map(|(_, run)| run.title().to_owned()).collect();
    titles.dedup();
    if titles.is_empty() { "bakeoff".to_owned() } else { listed(&titles) }
}

/// Only these scripts run, and nothing is ever asked of a network.
pub(crate) fn policy(scripts: &[&str]) -> String {
    let hashes: Vec<String> =
        scripts.iter().map(|script| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)))).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// What to pick, or the highest rates, of runs that were made to say so.
fn picks(runs: &[Labelled], contenders: &Contenders) -> String {
    let pick = |(label, run): &Labelled| {
        let of = if runs.len() > 1 { format!(" · {}", text(label)) } else { String::new() };
        let (title, headline, answer) = match (run.pick(), run.find_rate()) {
            (Some(facts), _) => {
                ("What to pick", headline(run, facts, contenders), render_pick(run, facts, TEXT_COLUMNS, false))
            }
            (None, Some(facts)) => ("The highest rates", String::new(), render_rates(run, facts, TEXT_COLUMNS, false)),
            (None, None) => return None,
        };
        Some(format!("<h2>{title}{of}</h2>{headline}<pre class=\"code whole\" tabindex=\"0\">{}</pre>", lines(&answer)))
    };
    runs.iter().filter_map(pick).collect()
}

/// The answer of a pick in a line.
fn headline(run: &Run, facts: &PickFacts, contenders: &Contenders) -> String {
    let Some(ranking) = proven_ranking(&run.cells, PICK_ASKED, facts) else { return String::new() };
    // As it was for what was asked: with another class it has another name where some promise more than that.
    let name = |store: &String| {
        let mut asked = of_variant(&run.cells, PICK_ASKED).map(|cell| &cell.end.axes);
        let axes = asked.find(|axes| axes.store == *store);
        axes.and_then(|axes| contenders.of(axes)).map_or_else(|| text(store), html::store)
    };
    let tied = listed(&ranking.tied.iter().map(name).collect::<Vec<_>>());
    let is_answered = pick_is_answered(&run.cells, facts);
    let words = match ranking.verdict {
        _ if is_answered && is_ahead_by_far(&ranking, facts) => {
            format!("{} is best by far, though not proven", name(&ranking.best))
        }
        Verdict::Winner | Verdict::Tie if !is_answered => {
            format!("{} leads what was measured: no answer, as is said below", name(&ranking.best))
        }
        Verdict::Winner => format!("{tied} is best"),
        Verdict::Tie => format!("{tied} are best and cannot be told apart"),
        Verdict::Unproven => format!("{} leads: too few rounds to prove it", name(&ranking.best)),
        Verdict::Alone => format!("{} is the only one that was measured to the end", name(&ranking.best)),
    };
    format!("<p class=\"headline\">{words}</p><p class=\"others\">by {}</p>", text(facts.optimize.words()))
}

/// Undisturbed and disturbed, as on a terminal.
fn side_by_side(runs: &[RunTables], contenders: &Contenders) -> String {
    let of_run = |(label, of_run): &RunTables| {
        let section = disturbance::section(of_run.tables(), contenders, Detail::Usual)?;
        let title = text(&section.title.text()?.to_plain());
        let body = text_of(&section.blocks);
        let of = if runs.len() > 1 { format!(" · {}", text(label)) } else { String::new() };
        Some(behind::folded(
            &format!("{title}{of}"),
            &format!("<pre class=\"code whole\" tabindex=\"0\">{}</pre>", lines(&body)),
        ))
    };
    runs.iter().filter_map(of_run).collect()
}

/// The flame graphs of runs that were profiled.
fn profiled(runs: &[Labelled], contenders: &Contenders, place: &Path) -> String {
    runs.iter().map(|(_, run)| flame_graphs::html(run, contenders, place)).collect()
}

/// The answers of all runs, in full.
fn answers(runs: &[RunTables], contenders: &Contenders) -> String {
    let mut answers = String::new();
    for (place, (label, of_run)) in runs.iter().enumerate() {
        if runs.len() > 1 {
            answers.push_str(&format!("<h2 class=\"run\">{}</h2>", text(label)));
        }
        if of_run.tables().is_empty() {
            answers.push_str("<p class=\"headline\">Nothing was measured.</p>");
        }
        for (index, ranked) in of_run.ranked().enumerate() {
            answers.push_str(&head::answer(ranked, contenders, &id(place, index)));
        }
    }
    answers
}

fn payload_stores(contenders: &Contenders) -> Vec<StoreFacts<'_>> {
    let all = contenders.titles().into_iter();
    all.map(|each| StoreFacts { name: &each.store, title: &each.title, slot: each.slot, ranked: each.ranked }).collect()
}

/// What the script is given, as JSON.
fn payload(
    runs: &[Labelled],
    against: Option<&Published>,
    contenders: &Contenders,
    place: &Path,
) -> Result<Vec<u8>, ReportError> {
    let graphs = flame_graphs::graphs(runs.iter().map(|(_, run)| *run), place);
    let contests = Contests::new(runs, contenders);
    let payload = Payload {
        format: 1,
        measures: &MEASURES,
        axes: &contests.axes,
        shares: &CURVE_SHARES,
        texts: columns().into_iter().filter(|(_, kind)| matches!(kind, Cell::Text(_))).map(|(name, _)| name).collect(),
        stores: payload_stores(contenders),
        runs: runs.iter().map(|(label, run)| run_facts(label, run, &graphs, place)).collect(),
        contests: figures(&contests, contenders),
        published: against.map(published::facts),
    };
    Ok(serde_json::to_vec(&payload)?)
}

fn run_facts<'a>(label: &'a str, run: &'a Run, graphs: &'a BTreeMap<String, Graphs>, place: &Path) -> RunFacts<'a> {
    let mut cells = BTreeMap::new();
    let prefix = way(place, &run.directory);
    let flame_graphs = |end: &CellEnd| -> &[(String, String)] {
        if graphs.is_empty() {
            &[]
        } else {
            graphs.get(&flame_graphs::unprofiled(&end.axes)).map_or(&[], Vec::as_slice)
        }
    };
    for end in run.cells.iter().map(|cell| &cell.end) {
        if let Some(opened) = &end.opened {
            cells.entry(end.cell.as_str()).or_insert_with(|| CellFacts {
                version: &opened.version,
                settings: &opened.settings,
                log: &end.log,
                log_link: link(&prefix, &end.log),
                again: run.command_again(&end.cell, &end.axes.store),
                flame_graphs: flame_graphs(end),
            });
        }
    }
    RunFacts { label, cells }
}

/// Every run's rows as CSV, to be saved from the page.
fn raw(runs: &[Labelled]) -> Result<String, ReportError> {
    let mut blocks = String::new();
    for (label, run) in runs {
        let mut csv = Vec::new();
        write_csv(run, &mut csv)?;
        let label = text(label);
        blocks.push_str(&format!(
            "<script type=\"text/plain\" class=\"raw\" data-run=\"{label}\">{}</script>\n",
            packed(&csv)?
        ));
    }
    Ok(blocks)
}

/// Compressed, in base64, which can stand in a script element whatever it holds.
fn packed(bytes: &[u8]) -> Result<String, ReportError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}
