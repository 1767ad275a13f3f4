//! `bakeoff compare`: what changed from one run to another.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Readers, shown};
use bakeoff_report::{
    ComparisonReport, render_comparison, render_comparison_answer, render_comparison_notices, write_comparison_html,
    write_comparison_markdown,
};
use bakeoff_results::comparison::Verdict;
use bakeoff_results::run::Run;
use bakeoff_text::shell_command;

mod in_turn;

use crate::cli::CompareArguments;
use crate::export::{check_files, export};
use crate::named::find;
use crate::outcome::Outcome;
use crate::show::{Extent, further, print, terminal};

/// Runs the verb.
pub(crate) fn main(arguments: &CompareArguments) -> Result<Outcome> {
    check_files(arguments.markdown.iter().chain(&arguments.html))?;
    if arguments.run {
        let measured = in_turn::measure(arguments)?;
        let outcome = if measured.interrupted { Ok(Outcome::Interrupted) } else { show(arguments, &measured.runs) };
        measured.remove()?;
        return outcome;
    }
    if arguments.suite.is_given() {
        bail!(
            "a suite and its options are for measuring: add --run to measure A and B, or compare two finished runs without them"
        );
    }
    show(arguments, &[find(&arguments.a, &arguments.out)?, find(&arguments.b, &arguments.out)?])
}

/// Shows what changed from one run to another, and says whether it may.
fn show(arguments: &CompareArguments, runs: &[PathBuf; 2]) -> Result<Outcome> {
    let comparison = ComparisonReport::new(&Run::read(&runs[0])?, &Run::read(&runs[1])?)?;
    // What is written of a trace is its owner's, as the results are.
    runs.iter().for_each(|run| Readers::of(run).hold());
    if let Some(path) = &arguments.markdown {
        export(path, |out| write_comparison_markdown(&comparison, out))?;
    }
    if let Some(path) = &arguments.html {
        export(path, |out| write_comparison_html(&comparison, out))?;
    }
    if arguments.markdown.is_none() && arguments.html.is_none() {
        print(&text(&comparison, arguments, runs)).context("cannot print the comparison")?;
    }
    if let Some(part) = arguments.fail_on {
        tell_reasons(&comparison, part);
    }
    Ok(match comparison.found.verdict(arguments.fail_on) {
        Verdict::SameOrBetter => Outcome::Good,
        Verdict::Worse => Outcome::SomeFailed,
        Verdict::Inconclusive => Outcome::Inconclusive,
    })
}

/// What is printed for a person.
fn text(comparison: &ComparisonReport, arguments: &CompareArguments, runs: &[PathBuf; 2]) -> String {
    let extent = Extent::of(arguments.full, arguments.notes);
    let options = terminal(extent == Extent::Full);
    let [a, b] = if arguments.run { runs.each_ref() } else { [&arguments.a, &arguments.b] };
    let again = format!("{} {}", bakeoff_text::program(), shell_command(&["compare", &shown(a), &shown(b)]));
    match extent {
        Extent::Answer => render_comparison_answer(comparison, arguments.fail_on, &options, &further(&again, None)),
        Extent::Notices => render_comparison_notices(comparison, &options),
        Extent::Full => render_comparison(comparison, &options),
    }
}

/// Says on standard error what is worse than it may be, and what could not be judged: a gate that cannot close must not look shut.
fn tell_reasons(comparison: &ComparisonReport, part: f64) {
    let found = &comparison.found;
    for line in found.worse_by(part) {
        let labels = comparison.labels_of(line);
        tell!("worse: {}, {}, {}", labels.store, labels.measure, labels.workload);
    }
    for failed in &comparison.newly_failed {
        tell!("failed: {failed}");
    }
    if found.missing() > 0 {
        tell!(
            "missing: {} figures of A are not in B; compare runs of the same suite, stores and options",
            found.missing()
        );
    }
    let (open, all) = (found.undecided_by(part).len(), found.lines.len());
    if open > 0 {
        let percent = part * 100.0;
        tell!(
            "cannot tell: {open} of {all} figures may be worse by more than {percent} %; give both sides more --rounds"
        );
    }
    let untold = found.untold();
    if untold > 0 {
        tell!(
            "cannot tell: {untold} of {all} figures have too few rounds in one of the runs; finish it, or give both runs 3 rounds or more"
        );
    }
}
