//! `bakeoff request`: one cell's request, with its tapes on disk, so that a driver can be run by hand.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_suite::{Cell, WorkloadPlan};
use bakeoff_tape::{Progress, Recording};

use crate::cli::{DEFAULT_RESULTS, RequestArguments};
use crate::engine::cell::CellJob;
use crate::engine::run_file::RunFile;
use crate::engine::setup::Setup;
use crate::engine::source::SuiteSource;
use crate::engine::state::record;
use crate::engine::step::open_phase;
use crate::engine::warm_up;
use crate::files::{Kind, OwnDirectory, kind_of};
use crate::options::{plan_options, suite_source};
use crate::outcome::Outcome;
use crate::output::REPORTER;

/// Runs the verb.
pub(crate) fn main(arguments: &RequestArguments) -> Result<Outcome> {
    let setup = setup(arguments)?;
    let replays = replays(&setup, arguments)?;
    let (planned, workload, cell) = find(&replays, &arguments.cell)?;
    let parent = arguments.dir.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_RESULTS));
    let own = fresh_directory(&parent, &cell.id)?;
    let warms_up = setup.driver(&cell.axes.store)?.description.warms_up;
    let (recording, warm_up) = tapes(&setup, planned, &own.path().join("tapes"), warms_up)?;
    let store_directory = own.path().join("store");
    std::fs::create_dir(&store_directory).with_context(|| format!("cannot make {}", store_directory.display()))?;
    let name = &cell.axes.store;
    let job = CellJob {
        workload,
        cell,
        store: setup.store(name)?,
        driver: setup.driver(name)?,
        recording: &recording,
        warm_up: warm_up.as_ref().map(|recording| (setup.suite.warm_up(), recording)),
        compacted_copy: setup.suite.makes_compacted_copies(),
        timeout: setup.suite.timeout(),
        timeout_from: "--timeout",
        deadline: None,
        memory_bytes_max: None,
        groups: None,
        scratch: own.path(),
        shared: own.path(),
        again: String::new(),
    };
    let request = serde_json::to_string_pretty(&job.request(1, store_directory)).context("cannot write the request")?;
    print_line!("{request}")?;
    if let Some(bytes) = workload.conditions.memory_limit_bytes {
        tell!("note: by hand the cell runs without its memory-limit of {}", bakeoff_text::format_size(bytes));
    }
    let driver = job.driver.path.display();
    tell!("tapes and the store's directory are in {}; pipe this into: {driver} run", own.path().display());
    Ok(Outcome::Good)
}

/// The tapes of a workload and those to warm up with, recorded here unless they were imported.
fn tapes(
    setup: &Setup,
    workload: &WorkloadPlan,
    directory: &Path,
    warms_up: bool,
) -> Result<(Recording, Option<Recording>)> {
    if let Some(replayed) = &setup.replayed {
        return Ok((replayed.recording.clone(), warms_up.then(|| replayed.warm_up.clone())));
    }
    let never_stop = &mut |_: Progress<'_>| ControlFlow::Continue(());
    let corpus = setup.corpus.as_deref();
    let recording =
        record(workload, directory, corpus, never_stop)?.context("the recording of the tapes was stopped")?;
    let warm_up = warms_up.then(|| warm_up::record(&workload.workload, &recording, directory, corpus)).transpose()?;
    Ok((recording, warm_up))
}

/// The plan that the cell is in: that of a run, or of a suite.
fn setup(arguments: &RequestArguments) -> Result<Setup> {
    let Some(run) = &arguments.run else {
        let source = suite_source(&arguments.suite)?;
        let options = plan_options(&arguments.suite, std::env::temp_dir());
        return Setup::new(&options, &source, true, REPORTER);
    };
    if kind_of(run) != Some(Kind::Results) {
        bail!("{} is not a run of bakeoff's", run.display());
    }
    let file = RunFile::read(run)?;
    let source = SuiteSource { name: file.suite.name.clone(), text: file.suite.text.clone() };
    Setup::new(file.options()?, &source, true, REPORTER)
}

/// Every workload of the plan, which its tapes are recorded for, with how it is replayed: as planned, in a closed loop, or at a rate that the
/// run tried.
fn replays<'a>(setup: &'a Setup, arguments: &RequestArguments) -> Result<Vec<(&'a WorkloadPlan, WorkloadPlan)>> {
    let planned = setup.plan.workloads.iter();
    let mut replays: Vec<_> = planned.clone().map(|workload| (workload, workload.clone())).collect();
    let Some(run) = &arguments.run else { return Ok(replays) };
    let Some(facts) = RunFile::read(run)?.find_rate else { return Ok(replays) };
    let probes = facts.searches.iter().flat_map(|search| &search.probes);
    let rates: BTreeSet<u64> =
        probes.filter(|(cell, _)| cell.starts_with(&arguments.cell)).map(|(_, rate)| *rate).collect();
    for workload in planned {
        let phase = open_phase(workload)?;
        if facts.searches.iter().any(|search| search.closed_cell.starts_with(&arguments.cell)) {
            replays.push((workload, workload.closed(&phase)));
        }
        replays.extend(rates.iter().map(|rate| (workload, workload.at_rate(&phase, *rate))));
    }
    Ok(replays)
}

/// The one cell whose id begins with `id`, with its workload as planned and as replayed.
fn find<'a>(
    replays: &'a [(&'a WorkloadPlan, WorkloadPlan)],
    id: &str,
) -> Result<(&'a WorkloadPlan, &'a WorkloadPlan, &'a Cell)> {
    let cells = replays
        .iter()
        .flat_map(|(planned, workload)| workload.cells.iter().map(move |cell| (*planned, workload, cell)));
    let mut found = cells.filter(|(_, _, cell)| !id.is_empty() && cell.id.starts_with(id));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => bail!("several cells begin with `{id}`: give more of it"),
        (None, _) => bail!(
            "no cell `{id}` in the plan: `bakeoff run --plan` lists the cells; give the same suite and options, or --run RUN"
        ),
    }
}

/// A directory of ours for this cell: made anew each time, since a store must start from nothing.
fn fresh_directory(parent: &Path, cell: &str) -> Result<OwnDirectory> {
    std::fs::create_dir_all(parent).with_context(|| format!("cannot make the directory {}", parent.display()))?;
    let path = parent.join(format!("request-{cell}"));
    if path.exists() {
        OwnDirectory::open(&path, Kind::Scratch)?.remove()?;
    }
    OwnDirectory::create(&path, Kind::Scratch)
}
