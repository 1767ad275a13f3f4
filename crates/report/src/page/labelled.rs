//! The runs of a page, each with a label that no other has.

use std::collections::BTreeSet;

use bakeoff_protocol::title_key;
use bakeoff_results::analysis::Analysis;
use bakeoff_results::citation::directory;
use bakeoff_results::run::Run;

/// A run with its label.
pub(crate) type Labelled<'a> = (&'a str, &'a Run);

/// A run's label and its rankings.
pub(crate) type RankedRun<'a> = (String, &'a Analysis<'a>);

/// Each run with the name that it was given, or else its directory's, and with a number where another has that already.
pub(crate) fn labelled<'a>(runs: &'a [Analysis<'a>]) -> Vec<RankedRun<'a>> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let label = |of: &'a Analysis<'a>| {
        let name = of.run.record.name.clone().unwrap_or_else(|| directory(of.run));
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let label = std::iter::once(name.clone()).chain(numbered).find(|label| taken.insert(label.clone()));
        (label.unwrap_or(name), of)
    };
    runs.iter().map(label).collect()
}

/// What the runs are called: with the names of their suites, where titles of different suites look alike.
pub(crate) fn suite_titles(runs: &[Labelled]) -> Vec<String> {
    let name = |run: &Run| run.record.suite.name.clone();
    let looks_like = |one: &Run, other: &Run| title_key(one.title()) == title_key(other.title());
    let is_shared = |run: &Run| runs.iter().any(|(_, other)| looks_like(run, other) && name(run) != name(other));
    let title = |run: &Run| match is_shared(run) {
        true => format!("{} [{}]", run.title(), name(run)),
        false => run.title().to_owned(),
    };
    runs.iter().map(|(_, run)| title(run)).collect()
}

/// The end of a title that every run has: ` · label`, or nothing if there is only one run.
pub(crate) fn title_suffix(label: &str, runs: usize) -> String {
    if runs > 1 { format!(" · {label}") } else { String::new() }
}
