//! A run beside a publication: who won then, who wins now, by how much, and where the winner changed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bakeoff_stats::geometric_mean;
use bakeoff_text::{Side, Text, TextTable, counted, digits, listed, paragraph, printable, ratio};

use crate::contender::Contenders;
use crate::error::ReportError;
use crate::figures::{Measure, of_values_alone};
use crate::matrix::measure_label;
use crate::pairs::{Pair, Sides, lay_out, pairs};
use crate::published::Published;
use crate::results::CellRound;
use crate::run::Run;
use crate::terminal::{TerminalOptions, WIDTH_MIN, circumstances, unfinished};
use crate::verdict::{Table, compare_all};
use crate::{garbage, published_report, sections};

/// The run's figures beside those of a publication, as text that ends with a line break. Fields are matched by measure,
/// phase, value sizes, data and records, and by variant where the publication has some.
///
/// # Errors
/// The two have no field in common, or the run was profiled.
pub fn render_against(run: &Run, published: &Published, options: &TerminalOptions) -> Result<String, ReportError> {
    run.must_be_measured()?;
    let width = options.width.max(WIDTH_MIN);
    let scale = run.info["suite"]["scale"].as_f64();
    let contenders = Contenders::new(&run.cells, &run.stores);
    let their_contenders = published_report::contenders(published);
    let cells: Cow<'_, [CellRound]> = match published.facts.space_of_values {
        true => run.cells.iter().map(of_values_alone).collect(),
        false => Cow::Borrowed(&run.cells),
    };
    let (ours, theirs) =
        (compare_all(&cells, &contenders), published_report::tables(published, |records| scaled(records, scale)));
    let mut out = paragraph(&heading(published), width, "", "  ");
    out.push_str(&unfinished(run).map_or_else(String::new, |words| paragraph(words, width, "", "  ")));
    if let Some(scale) = scale {
        out.push_str(&paragraph(&scaled_down(scale, &run.cells), width, "", "  "));
    }
    let mut matched = 0;
    for table in &ours {
        let named = Named {
            variant: theirs.iter().any(|other| other.circumstances.variant == table.circumstances.variant),
            medium: theirs.iter().any(|other| other.circumstances.medium == table.circumstances.medium),
        };
        for other in theirs.iter().filter(|other| may_be_matched(table, other, &named)) {
            let pairs = pairs(other, table);
            if pairs.is_empty() {
                continue;
            }
            matched += pairs.len();
            let hardware = published.facts.hardware.get(&other.circumstances.medium);
            let then = hardware.map_or(other.circumstances.medium.as_str(), String::as_str);
            out.push_str(&format!("\n{}\n", circumstances(&table.circumstances, &ours, width)));
            out.push_str(&paragraph(&format!("then: {then}"), width, "", "      "));
            let sides = Sides::of((other, &their_contenders), (table, &contenders));
            let laid_out = lay_out(&pairs, &sides, ["best then", "best now", "better"], |gain| gain, options.full);
            out.push_str(&laid_out.render(width, options.color));
            out.push_str(&paragraph(&sides.legend(&pairs).join(" · "), width, "", ""));
            out.push_str(&paragraph(&summary(&pairs), width, "", ""));
            // Of a publication that prints the best alone, a store has figures only where it was the best.
            let stores = (!published.facts.only_best).then(|| each_store(&pairs, &contenders)).flatten();
            if let Some(stores) = stores {
                out.push_str(&format!(
                    "\n{}{}",
                    paragraph(EACH_STORE, width, "", "  "),
                    stores.render(width, options.color)
                ));
            }
        }
    }
    if matched == 0 {
        let why = "they share no phase, value sizes, data and records (run the suite of the same name)";
        return Err(ReportError::NothingInCommon {
            directory: run.directory.clone(),
            name: published.name.clone(),
            why,
        });
    }
    out.push_str(&garbage::render(run, published, width, options.color));
    out.push_str(&sections::section("To be known of their figures", &published_report::notes(published, width)));
    out.push_str(&sections::section("How their stores were set", &published_report::stores(published, width)));
    Ok(out)
}

/// What stands above the table of [`each_store`].
const EACH_STORE: &str = "Each store: how many times better it is now than it was then, below 1 worse (geometric means over the fields in which it \
                          has a figure both times; it may have promised something else then: `How their stores were set`)";

/// Each store beside itself, measure by measure; `None` where none took part both times.
fn each_store(pairs: &[Pair<'_>], contenders: &Contenders) -> Option<TextTable> {
    let mut measures: Vec<&Measure> = pairs.iter().map(|pair| &pair.place.0).collect();
    measures.dedup();
    let mut gains: BTreeMap<&str, BTreeMap<&Measure, Vec<f64>>> = BTreeMap::new();
    for pair in pairs {
        for key in pair.right.order.iter().map(|place| place.name.as_str()) {
            if let Some(gain) = pair.gain_of(key) {
                gains.entry(key).or_default().entry(&pair.place.0).or_default().push(gain);
            }
        }
    }
    gains.first_key_value()?;
    let sides = std::iter::once(Side::Left).chain(measures.iter().map(|_| Side::Right));
    let mut table = TextTable::new(sides.collect());
    let headings = measures.iter().map(|measure| Text::plain(measure_label(measure)));
    table.row(std::iter::once(Text::plain("")).chain(headings).collect());
    for (key, of) in &gains {
        let mean = |measure: &&Measure| of.get(measure).and_then(|gains| geometric_mean(gains));
        let cells = measures.iter().map(|measure| Text::plain(mean(measure).map_or_else(String::new, ratio)));
        table.row(std::iter::once(Text::plain(contenders.title(key))).chain(cells).collect());
    }
    Some(table)
}

fn heading(published: &Published) -> String {
    let facts = &published.facts;
    printable(&format!(
        "Then and now: {} ({}) against this run. Other machines, other versions: `better` says how many times better the best of now is \
         than the best of then (below 1 it is worse), whatever the reason. `?` as in the report of a run.",
        facts.title, facts.year
    ))
}

/// What a run that was scaled down stands beside. A walk goes through every level of a tree, of which there are fewer then.
fn scaled_down(scale: f64, cells: &[CellRound]) -> String {
    let mut results = cells.iter().flat_map(|cell| &cell.phases).flat_map(|line| &line.result.operations);
    let walks = match results.any(|of| of.operation == "walk") {
        true => " A walk is of fewer lookups than theirs, so its factors are of different work.",
        false => "",
    };
    format!(
        "This run was scaled down: fields stand beside those of the publication that had {} times its records.{walks}",
        digits(1.0 / scale)
    )
}

/// How many records a run has that was scaled down, as the suite rounds them.
fn scaled(records: u64, scale: Option<f64>) -> u64 {
    scale.map_or(records, |scale| ((records as f64 * scale).round() as u64).max(1))
}

/// What of ours a publication has by its full name.
struct Named {
    variant: bool,
    /// The name of one of its machines, such as `ssd`.
    medium: bool,
}

/// Variants and disturbances must be the same where the publication tells them apart, and media where ours is called as one of its machines.
fn may_be_matched(ours: &Table, theirs: &Table, named: &Named) -> bool {
    let (ours, theirs) = (&ours.circumstances, &theirs.circumstances);
    if named.medium && ours.medium != theirs.medium {
        return false;
    }
    let variant = theirs.variant.as_ref().is_none_or(|variant| {
        // A section of a paper may be two variants of a suite: `baseline` is `baseline-sequential` and `baseline-random`.
        let part = |ours: &String| !named.variant && ours.starts_with(&format!("{variant}-"));
        ours.variant.as_ref().is_some_and(|ours| ours == variant || part(ours))
    });
    variant && ours.disturbance == theirs.disturbance && ours.threads == theirs.threads
}

/// In how many fields the winner changed, and in how many nobody can say.
fn summary(pairs: &[Pair<'_>]) -> String {
    let (contested, alone): (Vec<_>, Vec<_>) = pairs.iter().partition(|pair| pair.is_contested());
    let (answered, open): (Vec<_>, Vec<_>) = contested.into_iter().partition(|pair| pair.is_answered());
    let fields =
        |of: &[&Pair<'_>], words: &str| (!of.is_empty()).then(|| format!("In {} {words}.", counted(of.len(), "field")));
    let sentences = [
        (!answered.is_empty()).then(|| changes(&answered)),
        fields(&open, "the winner of then took no part here, so nothing shows whether it would still win"),
        fields(&alone, "only one store was measured, then or now, and wins nothing"),
    ];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// In how many of these the winner changed, measure by measure.
fn changes(pairs: &[&Pair<'_>]) -> String {
    let changed = pairs.iter().filter(|pair| pair.is_changed()).count();
    let mut by_measure: BTreeMap<&Measure, (usize, usize)> = BTreeMap::new();
    for pair in pairs {
        let entry = by_measure.entry(&pair.place.0).or_default();
        *entry = (entry.0 + usize::from(pair.is_changed()), entry.1 + 1);
    }
    let parts: Vec<String> = by_measure
        .iter()
        .map(|(measure, (changed, all))| format!("{changed} of {all} in {}", measure_label(measure)))
        .collect();
    format!("The winner changed in {changed} of {}: {}.", counted(pairs.len(), "field"), listed(&parts))
}
