//! What is shown of a run before anything is measured.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engine::{Setup, describe_share, describe_size, expected_rate_times, explained, shown, skipped};
use bakeoff_results::omission::Omission;
use bakeoff_results::record::RunRecord;
use bakeoff_text::{format_duration, printable_lines};

use crate::{output, show};

/// Each omission and its reason, in a line of its own.
fn skipped_lines(skipped: &[Omission]) -> String {
    skipped.iter().map(|skip| format!("\n  {}: {}", skip.what, skip.why)).collect()
}

/// That nothing of a plan can be measured, and why.
pub(crate) fn nothing_left(setup: &Setup) -> anyhow::Error {
    let skipped = skipped_lines(&skipped(setup));
    anyhow!(
        "nothing is left to run:{skipped}\nAsk for something else with --stores, --durability, --records or --dir: `{} stores NAME` \
         shows what a store can do",
        bakeoff_text::program()
    )
}

/// What stores leave of the memory that they are given, in lines.
fn print_memory_left(setup: &Setup, columns: usize, print: impl Fn(&str) -> Result<()>) -> Result<()> {
    for sentence in bakeoff_suite::memory_left(&setup.plan, &setup.stores) {
        print(bakeoff_text::paragraph(&sentence, columns, "memory left: ", "  ").trim_end())?;
    }
    Ok(())
}

/// What is about to be measured, and what could spoil it; `full`: all is reported at the end, and warnings come once.
pub(crate) fn print_start(setup: &Setup, file: &RunRecord, directory: &Path, budget: Option<Duration>, full: bool) {
    let cells: usize = setup.plan.workloads.iter().map(|workload| workload.cells.len()).sum();
    tell!(
        "{}: workloads: {}, cells: {cells}, rounds: {}{} → {}",
        bakeoff_text::printable(setup.suite.title()),
        setup.plan.workloads.len(),
        setup.suite.rounds(),
        budget.map_or_else(String::new, |budget| format!(", within {} s", budget.as_secs())),
        shown(directory)
    );
    match &file.find_rate {
        Some(facts) => {
            let text = format!(
                "Looking for the highest rate with {}, for each cell: at least {}, longer where limits lie far below what stores can do",
                facts.bound,
                bakeoff_text::format_duration(expected_rate_times(setup, facts).1)
            );
            tell!("{}", bakeoff_text::paragraph(&text, output::columns(), "", "  ").trim_end());
        }
        None => {
            tell!("{}", bakeoff_text::paragraph(&describe_size(setup), output::columns(), "Size: ", "  ").trim_end())
        }
    }
    if let Some(facts) = &file.profile {
        tell!("Profiling ({}): no store will be ranked", facts.kind);
    }
    if !file.skipped.is_empty() {
        tell!("Skipped:{}", skipped_lines(&file.skipped));
    }
    let _ = print_memory_left(setup, output::columns(), |line| {
        tell!("{line}");
        Ok(())
    });
    print_warnings(file, full);
}

/// What could spoil the figures, before any is measured; nothing where `full` says that all is reported at the end.
pub(crate) fn print_warnings(file: &RunRecord, full: bool) {
    for warning in file.warnings.iter().filter(|_| !full) {
        let text = bakeoff_text::paragraph(&warning.message, output::columns(), "warning: ", "  ");
        tell!("{}", text.trim_end());
    }
}

/// What would be measured; `searches`: each workload's highest rate is looked for.
pub(crate) fn print_plan(setup: &Setup, budget: Option<Duration>, searches: bool) -> Result<()> {
    for workload in &setup.plan.workloads {
        print_line!("{workload}")?;
        for cell in &workload.cells {
            print_line!("  {}  {}", cell.id, cell.axes.store)?;
        }
    }
    print_text!("{}", bakeoff_text::paragraph(&describe_size(setup), show::columns(), "size: ", "  "))?;
    if let Some(budget) = budget {
        let words = match searches {
            true => format!("{}, divided among the workloads' searches", format_duration(budget)),
            false => describe_share(setup, budget),
        };
        print_text!("{}", bakeoff_text::paragraph(&words, show::columns(), "budget: ", "  "))?;
    }
    // The plan is shown nevertheless: it may be meant for another machine.
    let lacks: BTreeSet<_> = setup.lacks().map(|why| printable_lines(&explained(&why))).collect();
    for why in lacks {
        print_line!("not here: {why}")?;
    }
    let skipped = skipped(setup);
    if !skipped.is_empty() {
        print_line!("skipped:{}", skipped_lines(&skipped))?;
    }
    print_memory_left(setup, show::columns(), |line| print_line!("{line}"))
}
