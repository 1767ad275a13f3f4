//! The runs of a page, each with a label that no other has.

use std::collections::BTreeSet;

use bakeoff_results::run::Run;

use bakeoff_results::analysis::Analysis;

/// A run with its label.
pub(crate) type Labelled<'a> = (&'a str, &'a Run);

/// A run's label and its rankings.
pub(crate) type RankedRun<'a> = (String, &'a Analysis<'a>);

/// Each run with its directory's name, and with a number where another has that already.
pub(crate) fn labelled<'a>(runs: &'a [Analysis<'a>]) -> Vec<RankedRun<'a>> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let label = |of: &'a Analysis<'a>| {
        let directory = of.run.directory.canonicalize().unwrap_or_else(|_| of.run.directory.clone());
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy().into_owned();
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let label = std::iter::once(name.clone()).chain(numbered).find(|label| taken.insert(label.clone()));
        (label.unwrap_or(name), of)
    };
    runs.iter().map(label).collect()
}

/// The end of a title that every run has: ` · label`, or nothing if there is only one run.
pub(crate) fn title_suffix(label: &str, runs: usize) -> String {
    if runs > 1 { format!(" · {label}") } else { String::new() }
}
