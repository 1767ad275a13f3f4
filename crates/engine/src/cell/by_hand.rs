//! One cell's request with its tapes on disk, so that a driver can be run by hand.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_protocol::Request;
use bakeoff_results::rate_search::RateFacts;
use bakeoff_suite::{Cell, WorkloadPlan};
use bakeoff_tape::{Progress, Recording};

use crate::cell::job::CellJob;
use crate::cell::warm_up;
use crate::place::own_directory::{Kind, OwnDirectory, make_named};
use crate::plan::setup::Setup;
use crate::plan::step::open_phase;
use crate::state::record;

/// A request that a person gives a driver.
pub struct RequestByHand {
    /// The request.
    pub request: Request,
    /// The driver's executable.
    pub driver: PathBuf,
    /// The directory of the tapes and of the store.
    pub directory: PathBuf,
    /// The limit of memory that the cell has in a run, and not by hand.
    pub memory_limit_bytes: Option<u64>,
}

impl RequestByHand {
    /// Records the tapes of the cell whose id begins with `id` in a fresh directory below `parent`. `rates` are the
    /// searches of the cell's run: cells at the rates that it tried are found too.
    ///
    /// # Errors
    /// No cell, or several, begin so; or the tapes cannot be recorded.
    pub fn prepare(setup: &Setup, id: &str, rates: Option<&RateFacts>, parent: &Path) -> Result<Self> {
        let replays = replays(setup, id, rates)?;
        let (planned, workload, cell) = find(&replays, id)?;
        let own = fresh_directory(parent, &cell.id)?;
        let name = &cell.axes.store;
        let driver = setup.driver(name)?;
        let (recording, warm_up) = tapes(setup, planned, &own.path().join("tapes"), driver.description.warms_up)?;
        let store_directory = own.path().join("store");
        std::fs::create_dir(&store_directory).with_context(|| format!("cannot make {}", store_directory.display()))?;
        let job = job_by_hand(setup, workload, cell, &recording, warm_up.as_ref(), own.path())?;
        let request = job.request(1, store_directory);
        if let Some(around) = request.compacted_copy.as_deref().and_then(Path::parent) {
            std::fs::create_dir(around).with_context(|| format!("cannot make {}", around.display()))?;
        }
        Ok(Self {
            request,
            driver: driver.path.clone(),
            directory: own.path().to_owned(),
            memory_limit_bytes: workload.conditions.memory_limit_bytes,
        })
    }
}

/// A cell with what it needs by hand.
pub(crate) fn job_by_hand<'a>(
    setup: &'a Setup,
    workload: &'a WorkloadPlan,
    cell: &'a Cell,
    recording: &'a Recording,
    warm_up: Option<&'a Recording>,
    directory: &'a Path,
) -> Result<CellJob<'a>> {
    let name = &cell.axes.store;
    Ok(CellJob {
        workload,
        cell,
        store: setup.store(name)?,
        driver: setup.driver(name)?,
        recording,
        warm_up: warm_up.map(|recording| (setup.suite.warm_up(), recording)),
        compacted_copy: setup.suite.makes_compacted_copies(),
        timeout: setup.suite.timeout(),
        timeout_from: "--timeout",
        deadline: None,
        memory_bytes_max: None,
        groups: None,
        cut: None,
        scratch: directory,
        shared: directory,
        again: String::new(),
        seal: None,
    })
}

/// The tapes of a workload and those to warm up with, recorded here unless they were imported.
pub(crate) fn tapes(
    setup: &Setup,
    workload: &WorkloadPlan,
    directory: &Path,
    warms_up: bool,
) -> Result<(Recording, Option<Recording>)> {
    if let Some(imported) = &setup.imported {
        return Ok((imported.recording.clone(), warms_up.then(|| imported.warm_up.clone())));
    }
    let never_stop = &mut |_: Progress<'_>| ControlFlow::Continue(());
    let corpus = setup.corpus.as_deref();
    let recording =
        record(workload, directory, corpus, never_stop)?.context("the recording of the tapes was stopped")?;
    let warm_up = warms_up.then(|| warm_up::record(&workload.workload, &recording, directory, corpus)).transpose()?;
    Ok((recording, warm_up))
}

/// Every workload of the plan, which its tapes are recorded for, with how it is replayed: as
/// planned, in a closed loop, or at a rate that the run tried.
pub(crate) fn replays<'a>(
    setup: &'a Setup,
    id: &str,
    rates: Option<&RateFacts>,
) -> Result<Vec<(&'a WorkloadPlan, WorkloadPlan)>> {
    let planned = setup.plan.workloads.iter();
    let mut replays: Vec<_> = planned.clone().map(|workload| (workload, workload.clone())).collect();
    let Some(facts) = rates else { return Ok(replays) };
    let probes = facts.searches.iter().flat_map(|search| &search.probes);
    let rates: BTreeSet<u64> = probes.filter(|(cell, _)| cell.starts_with(id)).map(|(_, rate)| *rate).collect();
    for workload in planned {
        let phase = open_phase(workload)?;
        if facts.searches.iter().any(|search| search.closed_cell.starts_with(id)) {
            replays.push((workload, workload.closed(&phase)));
        }
        replays.extend(rates.iter().map(|rate| (workload, workload.at_rate(&phase, *rate))));
    }
    Ok(replays)
}

/// The one cell whose id begins with `id`, with its workload as planned and as replayed.
pub(crate) fn find<'a>(
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
            "no cell `{id}` in the plan: `{} run --plan` lists the cells; give the same suite and options, or --run RUN",
            bakeoff_text::program()
        ),
    }
}

/// A bakeoff directory for this cell: made anew each time, since a store must start from nothing.
pub(crate) fn fresh_directory(parent: &Path, cell: &str) -> Result<OwnDirectory> {
    make_named(parent, "--dir")?;
    let path = parent.join(format!("request-{cell}"));
    if path.exists() {
        OwnDirectory::open(&path, Kind::Scratch)?.remove()?;
    }
    OwnDirectory::create(&path, Kind::Scratch)
}
