//! The runs of a page, each with a label that no other has.

use bakeoff_results::run::Run;

use crate::analysis::Analysis;

/// A run with its label.
pub(crate) type Labelled<'a> = (String, &'a Run);

/// A run's label and its rankings.
pub(crate) type RankedRun<'a> = (&'a str, Analysis<'a>);

/// Each run with its directory's name; with a number where two have the same.
pub(crate) fn labelled(runs: &[Run]) -> Vec<Labelled<'_>> {
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

/// The end of a title that every run has: ` · label`, or nothing if there is only one run.
pub(crate) fn title_suffix(label: &str, runs: usize) -> String {
    if runs > 1 { format!(" · {label}") } else { String::new() }
}
