//! Several runs on one page: what tells them apart, and which of them is faster.

use crate::compare::{Change, Comparison, Line};
use crate::format::{ratio, ratio_range};
use crate::page::Labelled;
use crate::page::html::{marks, text};
use crate::run::Run;

/// What may tell runs apart, in words.
const FACTS: [fn(&Run) -> Option<String>; 5] = [
    |run| run.text(&["machine", "cpu_model"]).map(str::to_owned),
    |run| run.text(&["suite", "title"]).map(str::to_owned),
    |run| run.text(&["bakeoff_version"]).map(|version| format!("bakeoff {version}")),
    |run| versions(run),
    |run| run.text(&["started"]).map(|started| started.replace('T', " ").trim_end_matches('Z').to_owned()),
];

/// The stores' versions; only named where runs differ in them.
fn versions(run: &Run) -> Option<String> {
    let words: Vec<String> = run.stores.iter().map(|store| format!("{} {}", store.title, store.version)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Words longer than this are no label.
const LABEL_MAX: usize = 40;

/// Each run's facts in which it differs from another one, and its directory.
fn different(runs: &[Labelled]) -> Vec<Vec<String>> {
    let told: Vec<Vec<Option<String>>> =
        runs.iter().map(|(_, run)| FACTS.iter().map(|fact| fact(run)).collect()).collect();
    let differ: Vec<bool> = (0..FACTS.len()).map(|at| told.iter().any(|facts| facts[at] != told[0][at])).collect();
    let words = |facts: &Vec<Option<String>>| {
        facts.iter().zip(&differ).filter(|(_, differs)| **differs).filter_map(|(fact, _)| fact.clone()).collect()
    };
    told.iter().map(words).collect()
}

/// A label for each run that says in what it differs: its directory, and what is short enough.
pub(crate) fn telling_labels(runs: &[Labelled]) -> Vec<String> {
    let more = |words: &Vec<String>| -> Vec<String> {
        words.iter().filter(|fact| fact.chars().count() <= LABEL_MAX).cloned().collect()
    };
    let label = |((label, _), words): (&Labelled, &Vec<String>)| match more(words).as_slice() {
        [] => label.clone(),
        facts => format!("{label} ({})", facts.join(", ")),
    };
    runs.iter().zip(&different(runs)).map(label).collect()
}

/// A table of the runs: in what each differs, and how much faster or slower each store is in it than in the first one. Nothing for one run.
pub(crate) fn beside(runs: &[Labelled]) -> String {
    let [(first_label, first), others @ ..] = runs else { return String::new() };
    if others.is_empty() {
        return String::new();
    }
    let facts = different(runs);
    let words = |at: usize| text(&facts[at].join(" · "));
    let row = |(at, (label, run)): (usize, &Labelled)| {
        let stores = match Comparison::new(first, run) {
            Ok(comparison) => comparison.stores.iter().map(store_words).collect::<Vec<_>>().join("<br>"),
            Err(_) => "nothing in common with the first".to_owned(),
        };
        format!("<tr><th scope=\"row\">{}</th><td>{}</td><td>{stores}</td></tr>", text(label), words(at + 1))
    };
    let rows: String = others.iter().enumerate().map(row).collect();
    format!(
        "<section class=\"answer\" id=\"beside\"><h2 class=\"headline\">{} runs: the others against {}</h2>\
         <div class=\"scroll\"><table class=\"standings ranks runs\"><thead><tr><th scope=\"col\">run</th><th scope=\"col\">differs in</th>\
         <th scope=\"col\">each store\u{2019}s time, over all that both timed</th></tr></thead><tbody>\
         <tr><th scope=\"row\">{}</th><td>{}</td><td>1×</td></tr>{rows}</tbody></table></div>\
         <p class=\"hint\">Geometric means; in brackets where the true ratio lies. <code>bakeoff compare</code> says more of two runs.</p></section>\n",
        runs.len(),
        text(first_label),
        text(first_label),
        words(0)
    )
}

/// A store in a run against the first one: `LMDB 1.20× slower (1.15–1.26×)`.
fn store_words(line: &Line) -> String {
    let name = format!("<span class=\"store {}\">{}</span>", marks(line.slot), text(&line.store));
    let Some(of) = line.ratio else { return format!("{name} too few rounds to tell") };
    let (times, low, high) = if of.estimate < 1.0 {
        (of.estimate.recip(), of.high.recip(), of.low.recip())
    } else {
        (of.estimate, of.low, of.high)
    };
    let interval = format!("<span class=\"interval\">({})</span>", ratio_range(low, high));
    match line.change {
        Change::Worse => format!("{name} <b class=\"figure bad\">{} slower</b> {interval}", ratio(times)),
        Change::Better => format!("{name} <b class=\"figure good\">{} faster</b> {interval}", ratio(times)),
        Change::CannotTell => {
            format!("{name} cannot be told apart <span class=\"interval\">({})</span>", ratio_range(of.low, of.high))
        }
    }
}
