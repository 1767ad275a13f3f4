//! A power cut of an earlier run, made again from its recording, and explained.

use std::path::Path;

use anyhow::{Context, Result, bail};
use bakeoff_powercut::{Cut, Policy, Recorded, Recording, extents};
use bakeoff_protocol::CutVerdict;

use crate::cell::by_hand::{find, fresh_directory, job_by_hand, replays, tapes};
use crate::place::made_media::mount_for_ourselves;
use crate::plan::setup::Setup;
use crate::power_cut::bench::Bench;
use crate::power_cut::choice::{Task, choose, seed_of, task_of};
use crate::power_cut::stand::Stand;
use crate::power_cut::{grounds, kept};
use crate::surroundings::interrupt::Interrupt;

/// A cut that was made again.
#[derive(Clone, Debug)]
pub struct CutAgain {
    /// What was found this time.
    pub verdict: CutVerdict,
    /// The same in words.
    pub message: String,
    /// The number of writes and flushes before the cut, and of all.
    pub position: (usize, usize),
    /// What became of what was pending.
    pub policy: &'static str,
    /// What the disk writes as a whole, bytes.
    pub unit_bytes: u64,
    /// Whether the store had been created.
    pub created: bool,
    /// Writes and commits that each lane had acknowledged.
    pub acknowledged: Vec<u64>,
    /// The writes that were pending, in order.
    pub pending: Vec<PendingWrite>,
}

/// A write that the disk had not yet made durable.
#[derive(Clone, Debug)]
pub struct PendingWrite {
    /// Where on the disk it begins, bytes.
    pub offset: u64,
    /// Its length.
    pub bytes: u64,
    /// Files of the store that have blocks there. Empty for the file system's own blocks.
    pub files: Vec<String>,
}

/// Makes a cut of a run again: of a cell and round, the one with this number.
///
/// # Errors
/// There is no such cut, its recording was not kept, or disks cannot be made here.
pub fn cut_again(setup: &Setup, run: &Path, (id, round, index): (&str, u32, u32), parent: &Path) -> Result<CutAgain> {
    grounds::check_here()?;
    mount_for_ourselves();
    let replays = replays(setup, id, None)?;
    let (planned, workload, cell) = find(&replays, id)?;
    let cut_job = setup.cut_job(workload).with_context(|| format!("the cell {} has no power cuts", cell.id))?;
    let recording = kept::find(run, &cell.id, round)?;
    let own = fresh_directory(parent, &cell.id)?;
    let tapes = tapes(setup, planned, &own.path().join("tapes"), false)?.0;
    let job = job_by_hand(setup, workload, cell, &tapes, None, own.path())?;
    let interrupt = Interrupt::default();
    let bench = Bench::new(&job, &cut_job, round, own.path(), &interrupt)?;
    let tasks = choose(&recording, cut_job.cuts, seed_of(cut_job.seed, &cell.id, round));
    let Some((task, number)) = task_of(&tasks, index) else {
        let all: u32 = tasks.iter().map(Task::cuts).sum();
        bail!("round {round} of cell {} has {all} cuts, from 0: there is no cut {index}", cell.id);
    };
    let stand = Stand::make(&own.path().join("stand"))?;
    let outcomes = bench.attempt(&stand, &recording, task)?;
    let outcome =
        outcomes.into_iter().nth(number as usize).context("the first cut of a recovery left nothing to cut")?;
    let first = match task {
        Task::Cut(_, cut) | Task::Recovery(cut, _) => cut,
    };
    let acknowledged = recording.acknowledged(first.position);
    let pending = pending(&recording, first, &stand, cut_job.file_system.name)?;
    drop(stand);
    own.remove()?;
    Ok(CutAgain {
        verdict: outcome.judged.verdict,
        message: outcome.judged.message,
        position: (first.position, recording.len()),
        policy: first.policy.name(),
        unit_bytes: first.unit_bytes,
        created: acknowledged.first().is_some_and(|count| *count > 0),
        acknowledged: acknowledged.into_iter().skip(1).collect(),
        pending,
    })
}

/// What was pending at a cut, with the files that the blocks belong to once everything is there.
fn pending(recording: &Recording, cut: &Cut, stand: &Stand, file_system: &str) -> Result<Vec<PendingWrite>> {
    let image = recording.image(&Cut { policy: Policy::Everything, ..*cut })?;
    let mounted = stand.mount(file_system, &image, false, grounds::options(file_system, false))?;
    let files = match &mounted {
        Ok(_) => stand.files(usize::MAX),
        Err(_) => Vec::new(),
    };
    let blocks: Vec<_> = files
        .into_iter()
        .map(|(name, file)| (name.display().to_string(), extents(&file).unwrap_or_default()))
        .collect();
    drop(mounted);
    let of_write = |at: usize| {
        let (offset, bytes) = match recording.event(at) {
            Recorded::Write { offset, data } => (*offset, data.len() as u64),
            Recorded::Zero { offset, bytes } => (*offset, *bytes),
            Recorded::Flush => return None,
        };
        let is_in = |blocks: &std::ops::Range<u64>| blocks.start < offset + bytes && offset < blocks.end;
        let files = blocks.iter().filter(|(_, blocks)| blocks.iter().any(is_in)).map(|(name, _)| name.clone());
        Some(PendingWrite { offset, bytes, files: files.collect() })
    };
    Ok(recording.undecided(cut).filter_map(of_write).collect())
}
