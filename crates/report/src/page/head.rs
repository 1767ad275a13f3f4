//! The first screen, as plain HTML that needs no script: who is best at what and by how much, under which promise, what was
//! measured where, what spoils the figures.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_stats::{Interval, Place, Ranking, Verdict};
use bakeoff_text::{counted, format_count, listed, ratio, ratio_range};
use serde_json::Value;

use crate::analysis::Ranked;
use crate::circumstances::varying;
use crate::contender::Contenders;
use crate::figures::Measure;
use crate::overall::{Overall, depends, next};
use crate::page::Labelled;
use crate::page::html::{marks, store, stores, text};
use crate::run::Run;
use crate::sections::answer::{Promise, describe_comparisons, describe_depends, promise, workload_label};
use crate::sections::heading::{amounts, answers_checked, few_rounds, is_unfinished};
use crate::sections::notes::all_notes;
use crate::verdict::{Circumstances, Table};

/// Largest ratios that a scale may end at.
const SCALE_ENDS: [f64; 10] = [2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0, 10_000.0, 100_000.0];

/// The answer of one table: a sentence on speed, one on space and memory, and a line for each operation.
pub(crate) fn answer(of_table: Ranked, contenders: &Contenders, id: &str) -> String {
    let (table, tables) = (of_table.table, of_table.tables);
    let lines: Vec<(&Measure, &Overall)> = table
        .measures
        .iter()
        .zip(of_table.measures())
        .filter_map(|(of, overall)| Some((of, overall.as_ref()?)))
        .collect();
    let whole = of_table.whole();
    let (headline, margins) = whole.map_or_else(
        || ("No workload has figures of every store that never failed: see the matrix.".to_owned(), String::new()),
        |whole| headline(table, whole, contenders),
    );
    let others: String = [("Least disk space", &Measure::Space), ("Least memory", &Measure::Memory)]
        .into_iter()
        .filter_map(|(title, measure)| Some(other(title, of(&lines, measure)?, contenders)))
        .collect();
    format!(
        "<section class=\"answer\" id=\"{id}\"><p class=\"promise\">{}</p>\n<h2 class=\"headline\">{headline}</h2>\n\
         <p class=\"others\">{others}{}</p>\n{margins}{}{}</section>\n",
        promise_words(&table.circumstances, tables),
        whole.map_or_else(String::new, |whole| left_out(whole, contenders)),
        workloads(of_table.workloads().iter().map(|(of, overall)| (workload_label(of), overall)).collect(), contenders),
        standings(table, &lines, contenders),
    )
}

fn of<'a>(lines: &[(&Measure, &'a Overall)], measure: &Measure) -> Option<&'a Overall> {
    lines.iter().find(|(each, _)| *each == measure).map(|(_, overall)| *overall)
}

/// What the figures of a table have in common: the promise, and what differs between tables.
fn promise_words(of: &Circumstances, tables: &[Table]) -> String {
    let Promise { class, meaning } = promise(of.durability);
    let varying = text(&varying(of, tables));
    format!("<b>{}</b>{varying}: <span>{}</span>", text(&class), text(meaning))
}

/// What the figures in the answer are.
fn margins(of: &Overall) -> String {
    format!(
        "<p class=\"hint\">Geometric means over {}; in brackets where the true ratio lies, with 95 % confidence.</p>\n",
        describe_comparisons(of)
    )
}

/// Who to take, in a sentence, and what its margin means if it has one.
fn headline(table: &Table, of: &Overall, contenders: &Contenders) -> (String, String) {
    let first = stores(&of.ranking.tied, contenders);
    let ahead = ahead(&of.ranking, contenders, " faster than ");
    let margins = if ahead.is_empty() { String::new() } else { margins(of) };
    let name = |key: &str| stores(&[key.to_owned()], contenders);
    if let Some(depends) = depends(table, &of.ranking) {
        return (describe_depends(&depends, name, |measure| text(&measure.label())), String::new());
    }
    let sentence = match of.ranking.verdict {
        Verdict::Winner => format!("{first} is fastest: {ahead}"),
        Verdict::Tie if ahead.is_empty() => format!("{first} cannot be told apart over all operations together"),
        Verdict::Tie => format!("{first} are fastest and cannot be told apart: {ahead}"),
        Verdict::Unproven => {
            return (
                format!("{first} is first by its figures: too few rounds to prove it{}", lead(&of.ranking, contenders)),
                String::new(),
            );
        }
        Verdict::Alone => return (format!("{first} was measured without a competitor"), String::new()),
    };
    (sentence, margins)
}

/// By how much the first one leads though nothing is proven.
fn lead(ranking: &Ranking, contenders: &Contenders) -> String {
    let Some(second) = ranking.order.get(1) else { return String::new() };
    let name = contenders.get(&second.name).map_or_else(|| text(&second.name), store);
    format!(
        " <span class=\"interval\">(as it stands {} faster than {name})</span>",
        ratio(second.mean / ranking.order[0].mean)
    )
}

/// Workloads that stand on the first screen; the others can be unfolded.
const WORKLOADS_SHOWN: usize = 12;

/// Who is fastest in each of these workloads, by how much, with the interval; or who shares the first place.
pub(super) fn workloads(all: Vec<(String, &Overall)>, contenders: &Contenders) -> String {
    if all.is_empty() {
        return String::new();
    }
    let row = |(words, of): &(String, &Overall)| {
        let tied = first_words(of, contenders);
        format!(
            "<tr><th scope=\"row\">{}</th><td>{tied}</td><td>{}</td></tr>",
            text(words),
            ahead(&of.ranking, contenders, " ")
        )
    };
    let table = |rows: &[(String, &Overall)]| {
        let rows: String = rows.iter().map(row).collect();
        format!(
            "<table class=\"standings workloads\"><thead><tr><th scope=\"col\">workload</th><th scope=\"col\">fastest</th>\
             <th scope=\"col\">ahead of the next, 95 % interval</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    };
    let (shown, folded) = all.split_at(all.len().min(WORKLOADS_SHOWN));
    let more = if folded.is_empty() {
        String::new()
    } else {
        let number = counted(folded.len(), "more workload");
        format!("<details class=\"more\"><summary>{number}</summary>{}</details>", table(folded))
    };
    format!(
        "<h3>Fastest in each workload, over all operations</h3>{}{more}<h3>Each operation, over all workloads</h3>",
        table(shown)
    )
}

/// How far those in the first place are ahead of the next one: empty if nobody is behind them, or if it is not proven who is next.
pub(super) fn ahead(ranking: &Ranking, contenders: &Contenders, words: &str) -> String {
    let Some((next, margin)) = next(ranking) else { return String::new() };
    let name = contenders.get(&next.name).map_or_else(|| text(&next.name), store);
    format!("{}{words}{name}", margin_words(margin))
}

fn margin_words(margin: Interval) -> String {
    format!(
        "<b class=\"figure\">{}</b> <span class=\"interval\">({})</span>",
        ratio(margin.estimate),
        ratio_range(margin.low.max(1.0), margin.high)
    )
}

/// Who is best at something else than speed.
fn other(title: &str, of: &Overall, contenders: &Contenders) -> String {
    let next = ahead(&of.ranking, contenders, " ahead of ");
    let next = if next.is_empty() { next } else { format!(", {next}") };
    format!("<span><b>{title}</b> {}{next}</span>", first_words(of, contenders))
}

/// Stores that are not ranked, and why.
fn left_out(of: &Overall, contenders: &Contenders) -> String {
    let whys = [("Failed somewhere, not ranked", &of.left_out), ("No whole round, not ranked", &of.incomplete)];
    let told = whys.iter().filter(|(_, keys)| !keys.is_empty()).map(|(why, keys)| {
        let keys: Vec<String> = keys.iter().cloned().collect();
        format!("<span class=\"failed\"><b>{why}</b> {}</span>", stores(&keys, contenders))
    });
    told.collect()
}

/// Who shares the first place, in few words.
pub(super) fn first_words(of: &Overall, contenders: &Contenders) -> String {
    let Ranking { tied, order, verdict, .. } = &of.ranking;
    match verdict {
        Verdict::Tie if tied.len() > 2 && tied.len() == order.len() => format!("all {} tied", tied.len()),
        Verdict::Tie => {
            let names: Vec<String> = tied.iter().map(|key| stores(std::slice::from_ref(key), contenders)).collect();
            format!("{} <span class=\"word\">tied</span>", names.join(" = "))
        }
        Verdict::Unproven => format!("{} <span class=\"word\">not proven</span>", stores(tied, contenders)),
        Verdict::Winner | Verdict::Alone => stores(tied, contenders),
    }
}

/// A line for each operation: who is best, how far ahead, in how many workloads, and everyone on a scale.
fn standings(table: &Table, lines: &[(&Measure, &Overall)], contenders: &Contenders) -> String {
    let rankings = lines.iter().map(|(_, overall)| &overall.ranking);
    let all = rankings.flat_map(|ranking| ranking.order.iter().map(|place| times(ranking, place)));
    let furthest = all.filter(|times| times.is_finite()).fold(1.0, f64::max);
    let end = SCALE_ENDS.into_iter().find(|end| *end >= furthest).unwrap_or(furthest);
    let rows: String =
        lines.iter().map(|(measure, overall)| standing(table, measure, overall, contenders, end)).collect();
    format!(
        "<div class=\"scroll\"><table class=\"standings ranks\"><thead><tr><th scope=\"col\">operation</th>\
         <th scope=\"col\">best</th><th scope=\"col\">ahead of the next, 95 % interval</th>\
         <th scope=\"col\">workloads</th><th scope=\"col\" class=\"scale\">{}</th></tr></thead>\
         <tbody>{rows}</tbody></table></div>",
        scale(end)
    )
}

fn standing(table: &Table, measure: &Measure, of: &Overall, contenders: &Contenders, end: f64) -> String {
    let ranking = &of.ranking;
    let fields = table.fields_of(measure);
    format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"won\">{}</td>\
         <td class=\"scale\"><div class=\"strip\">{}</div></td></tr>",
        text(&measure.label()),
        first_words(of, contenders),
        ahead(ranking, contenders, " "),
        won(fields.filter_map(|field| field.ranking.as_ref()), &ranking.tied, contenders),
        dots(ranking, contenders, end)
    )
}

/// In how many workloads those in the first place of all win or share the first place.
fn won<'a>(rankings: impl Iterator<Item = &'a Ranking>, first: &[String], contenders: &Contenders) -> String {
    let (mut all, mut ties, mut unproven, mut alone) = (0, 0, 0, 0);
    let mut winners: BTreeMap<&String, usize> = BTreeMap::new();
    for ranking in rankings {
        all += 1;
        let best = ranking.tied.iter().any(|key| first.contains(key));
        if best && ranking.verdict == Verdict::Winner {
            *winners.entry(&ranking.best).or_default() += 1;
        }
        ties += usize::from(best && ranking.verdict == Verdict::Tie);
        alone += usize::from(ranking.verdict == Verdict::Alone);
        unproven += usize::from(best && ranking.verdict == Verdict::Unproven);
    }
    // Stores that are alike over all workloads need not be so in any.
    if winners.len() > 1 {
        let each: Vec<String> =
            winners.iter().map(|(key, wins)| format!("{} wins {wins}", contenders.title(key))).collect();
        let ties = if ties > 0 { format!(", tied in {ties}") } else { String::new() };
        return format!("{}{ties}, of {all}", text(&each.join(", ")));
    }
    match (winners.values().sum::<usize>(), ties) {
        (0, 0) if alone == all => "no competitor".to_owned(),
        (0, 0) if unproven > 0 => format!("first in {unproven} of {all}, not proven"),
        (0, 0) => format!("wins none of {all}"),
        (0, _) => format!("tied in {ties} of {all}"),
        (wins, 0) => format!("wins {wins} of {all}"),
        (wins, _) => format!("wins {wins}, tied in {ties}, of {all}"),
    }
}

/// How many times the best one's cost a store has: by rounds where they can be compared, else by the means.
fn times(ranking: &Ranking, place: &Place) -> f64 {
    place.ratio_to_best.map_or_else(|| place.mean / ranking.order[0].mean, |ratio| ratio.estimate)
}

/// Everyone's dot, at the logarithm of how many times worse than the best it is.
fn dots(ranking: &Ranking, contenders: &Contenders, end: f64) -> String {
    let dot = |place: &Place| {
        let times = times(ranking, place);
        let share = (times.max(1.0).ln() / end.ln()).clamp(0.0, 1.0) * 100.0;
        let title = format!("{} {}", contenders.title(&place.name), ratio(times));
        let marks = marks(contenders.slot(&place.name));
        format!("<i class=\"dot {marks}\" style=\"left:{share:.1}%\" title=\"{}\"></i>", text(&title))
    };
    // The best last, so that it lies on top.
    ranking.order.iter().rev().map(dot).collect()
}

/// The numbers above the dots.
fn scale(end: f64) -> String {
    let ticks = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0, 10_000.0, 100_000.0];
    let shown: Vec<f64> = ticks.into_iter().filter(|tick| *tick <= end).collect();
    // Never more than six, lest they run into each other.
    let step = shown.len().div_ceil(6);
    let tick = |tick: &f64| format!("<span style=\"left:{:.1}%\">{tick}×</span>", tick.ln() / end.ln() * 100.0);
    let ticks: String = shown.iter().step_by(step.max(1)).map(tick).collect();
    format!("<div class=\"ticks\">times the best {ticks}</div>")
}

/// How many answers were checked, on which machine and disk, and how much is to be minded: what a figure is worth at first sight. Of several
/// runs, how many there are.
pub(crate) fn place(runs: &[Labelled], warnings: &str) -> String {
    let checked = format_count(runs.iter().map(|(_, run)| answers_checked(run)).fold(0, u64::saturating_add));
    let mut words = vec![format!("{checked} answers checked and right")];
    match warnings.matches("<li").count() {
        0 => {}
        number => words.push(format!("<a href=\"#mind\">{} to mind</a>", counted(number, "thing"))),
    }
    let [(_, run)] = runs else {
        words.push(format!("{} runs", runs.len()));
        return words.join(" · ");
    };
    words.extend(["cpu_model", "os"].iter().filter_map(|key| run.text(&["machine", key])).map(text));
    let media = run.info.get("media").and_then(|media| media.as_object()).into_iter().flatten();
    let kinds: BTreeSet<String> =
        media.filter_map(|(_, medium)| Some(text(medium.get("file_system")?.as_str()?))).collect();
    words.extend(kinds);
    words.join(" · ")
}

/// Before all answers: that there are too few rounds for one.
pub(crate) fn few(runs: &[Labelled]) -> String {
    let answers =
        runs.iter().filter(|(_, run)| run.pick().is_none() && run.find_rate().is_none() && run.profile().is_none());
    let told = answers.filter_map(|(label, run)| Some((label, few_rounds(run)?)));
    let of = |label: &str| if runs.len() > 1 { format!("<b>{}</b> ", text(label)) } else { String::new() };
    told.map(|(label, words)| format!("<p class=\"few\">{}{}</p>", of(label), text(&words))).collect()
}

/// What was measured, where and when.
pub(crate) fn facts(label: &str, run: &Run) -> String {
    let word = |path: &[&str]| run.text(path).map(text).unwrap_or_default();
    let machine = ["cpu_model", "os", "kernel"].map(|key| word(&["machine", key]));
    let machine: Vec<String> = machine.into_iter().filter(|word| !word.is_empty()).collect();
    let media: Vec<String> = run
        .info
        .get("media")
        .and_then(|media| media.as_object())
        .into_iter()
        .flatten()
        .map(|(name, medium)| {
            let fact = |key: &str| medium.get(key).and_then(|value| value.as_str()).unwrap_or_default();
            text(format!("{name}: {} {} {}", fact("file_system"), fact("device_model"), fact("directory")).trim())
        })
        .collect();
    let unfinished = if is_unfinished(run) { " <b class=\"bad\">not finished</b>" } else { "" };
    let rows = [
        ("run", text(label)),
        ("measured", text(&amounts(run))),
        ("machine", machine.join(" · ")),
        ("disk", media.join("; ")),
        ("started", word(&["started"]) + unfinished),
    ];
    let rows: String = rows
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("<dt>{name}</dt><dd>{value}</dd>"))
        .collect();
    format!("<dl class=\"facts\">{rows}</dl>")
}

/// Where the failures of the run with this place are shown.
pub(super) fn failures_id(run: usize) -> String {
    if run == 0 { "failures".to_owned() } else { format!("failures-{run}") }
}

/// How many rounds failed, and whose; nothing if none did.
fn failures(run: &Run, contenders: &Contenders, of: &str, id: &str) -> String {
    let failed: Vec<_> = run.cells.iter().filter(|cell| !cell.is_ok()).collect();
    if failed.is_empty() {
        return String::new();
    }
    let words = counted(failed.len(), "round");
    let who: BTreeSet<String> = failed.iter().filter_map(|cell| contenders.of(&cell.end.axes)).map(store).collect();
    let who = listed(&who.into_iter().collect::<Vec<_>>());
    format!(
        "<li class=\"bad\">{of}{words} of {who} failed: <a href=\"#{id}\">the cells</a> are never ranked and never averaged</li>"
    )
}

/// As many that were not measured are named for each reason: all of them are behind the figures.
const NOT_MEASURED_MAX: usize = 3;

/// What was asked for and not measured, together where the reason is the same.
fn not_measured(run: &Run) -> Vec<String> {
    let word = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in run.list("skipped").iter().chain(run.list("given_up")) {
        by_reason.entry(word(entry, "why")).or_default().push(word(entry, "what"));
    }
    let words = |(why, what): (String, Vec<String>)| match what.split_at_checked(NOT_MEASURED_MAX) {
        Some((first, [_, ..])) => format!("{} and {} more: {why}", first.join("; "), what.len() - NOT_MEASURED_MAX),
        _ => format!("{}: {why}", what.join("; ")),
    };
    by_reason.into_iter().map(|reason| format!("not measured: {}", words(reason))).collect()
}

/// What spoils the figures, what was left out while reading, and how many cells failed.
pub(crate) fn warnings(runs: &[Labelled], contenders: &Contenders) -> String {
    let mut items = String::new();
    for (place, (label, run)) in runs.iter().enumerate() {
        let of = if runs.len() > 1 { format!("<b>{}</b> ", text(label)) } else { String::new() };
        items.push_str(&failures(run, contenders, &of, &failures_id(place)));
        let warnings = run.list("warnings").iter().filter_map(|warning| warning.get("message")?.as_str());
        let notes = [not_measured(run), all_notes(run)].concat();
        for words in warnings.chain(notes.iter().map(String::as_str)) {
            items.push_str(&format!("<li>{of}{}</li>", text(words)));
        }
    }
    if items.is_empty() {
        items
    } else {
        format!("<section class=\"warnings\" id=\"mind\"><h2>Mind</h2><ul>{items}</ul></section>")
    }
}
