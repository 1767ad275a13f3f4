//! The axes multiplied out: workloads, the cells that share them, and what is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bakeoff_protocol::{Axes, Durability, Profile, Settings, StoreDescription};
use bakeoff_tape::{Data, Estimate, SizeRange, TreeValues, Workload, estimate, pool_bytes};
use bakeoff_text::{format_count, format_size, format_size_range};
use serde::Serialize;
use sha1::{Digest, Sha1};

use crate::axes::Key;
use crate::disturbance::Disturbance;
use crate::error::{Problems, SuiteErrors};
use crate::memory;
use crate::node::Place;
use crate::offered::unfit;
use crate::skip::{Skip, SkipReason};
use crate::stores::{Chosen, choose};
use crate::suite::Suite;

/// The most cells of a plan.
const CELLS_MAX: usize = 100_000;

/// A database is given this many times its data: logs, copies on write, and old pages take room too.
const DISK_PER_DATA: u64 = 3;

/// A compacted copy lies beside it: it has the data once, in pages that are not quite full, and room for what opening it adds.
const DISK_PER_DATA_COPIED: u64 = 2;

/// The medium on which tapes and values lie, and stores too where the suite names no other.
pub const DEFAULT_MEDIUM: &str = "default";

/// Of a tape, with a key of 32 bytes.
const TAPE_BYTES_PER_OPERATION: u64 = 64;

/// A disk to measure on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanMedium {
    /// A directory on it.
    pub directory: PathBuf,
    /// Free space for us, in bytes; nothing is skipped for its sake where it could not be read.
    pub free_bytes: Option<u64>,
}

/// What to measure, multiplied out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Workloads in a fixed order, each with at least one cell.
    pub workloads: Vec<WorkloadPlan>,
    /// What is left out; a reason that holds for many cells stands there once.
    pub skipped: Vec<Skip>,
}

/// Cells that replay the same tapes and are compared with each other.
#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    /// What determines the tapes.
    pub workload: Workload,
    /// The medium's name.
    pub medium: String,
    /// The suite's variant, where it has several.
    pub variant: Option<String>,
    /// What else goes on meanwhile.
    pub disturbance: Disturbance,
    /// The promise that all cells keep, but for those whose store has a class of its own.
    pub durability: Durability,
    /// The most memory that a cell may have, if there is a limit.
    pub memory_limit_bytes: Option<u64>,
    /// One for each store.
    pub cells: Vec<Cell>,
    /// How large it will be, about.
    pub estimate: Estimate,
    /// The most disk that a store of it takes, about, with the compacted copy of it if there is to be one.
    pub disk_bytes: u64,
}

/// One store with one setting of every axis.
#[derive(Clone, Debug)]
pub struct Cell {
    /// 16 hex digits: a hash of everything that defines the cell, the same wherever and however often it is measured.
    pub id: String,
    /// Where it stands on every axis.
    pub axes: Axes,
    /// What the store is opened with besides its defaults: the settings that the suite gives it, and its shares of the memory; sizes
    /// as integers.
    pub settings: Settings,
    /// Those of them that are shares of the memory that the suite gives every store.
    pub memory_settings: Settings,
}

impl Plan {
    /// The same cells, profiled: they say so and have ids of their own, since their figures are no measurement. Left out are those of stores
    /// that `can` says cannot be.
    pub fn profile(&mut self, profile: Profile, can: impl Fn(&str) -> bool) {
        self.leave_out(|axes| !can(&axes.store), &SkipReason::ProfileNotOffered { profile });
        for workload in &mut self.workloads {
            for cell in &mut workload.cells {
                cell.axes.profile = Some(profile);
                cell.id = cell_id(&workload.workload, &cell.axes, &cell.settings, workload.disturbance);
            }
        }
    }

    /// Says of stores that were left out why: their drivers do not answer.
    pub fn skip_lost<'a>(&mut self, lost: impl Iterator<Item = (&'a String, &'a String)>) {
        let skip = |(store, why): (&String, &String)| {
            Skip::of_store(store.clone(), SkipReason::DriverSilent { why: why.clone() })
        };
        self.skipped.extend(lost.map(skip));
    }

    /// Leaves out the cells that are to be killed of those stores that `can` says cannot be.
    pub fn skip_killed(&mut self, can: impl Fn(&str) -> bool) {
        self.leave_out(|axes| axes.killed && !can(&axes.store), &SkipReason::KillNotOffered);
    }

    /// Leaves out cells, and says once for each store why.
    fn leave_out(&mut self, is_unfit: impl Fn(&Axes) -> bool, why: &SkipReason) {
        let mut unfit = BTreeSet::new();
        for workload in &mut self.workloads {
            for cell in workload.cells.extract_if(.., |cell| is_unfit(&cell.axes)) {
                unfit.insert(cell.axes.store);
            }
        }
        self.workloads.retain(|workload| !workload.cells.is_empty());
        self.skipped.extend(unfit.into_iter().map(|store| Skip::of_store(store, why.clone())));
    }

    /// Leaves out whatever needs a limit on memory, which cannot be set for the reason given.
    pub fn skip_limited(&mut self, why: &str) {
        let limits = self.workloads.iter().filter_map(|workload| workload.memory_limit_bytes).collect::<BTreeSet<_>>();
        self.workloads.retain(|workload| workload.memory_limit_bytes.is_none());
        self.skipped.extend(limits.into_iter().map(|bytes| Skip {
            store: None,
            what: format!("memory-limit {}", format_size(bytes)),
            why: SkipReason::MemoryLimitNotPossible { why: why.to_owned() },
        }));
    }
}

/// Multiplies out the axes of a suite for the stores that drivers describe. `media` says where each medium is.
///
/// # Errors
/// A store that no driver describes, a setting that its store does not take, a medium without a directory, or more cells
/// than a run could ever do.
pub fn plan(
    suite: &Suite,
    stores: &[StoreDescription],
    media: &BTreeMap<String, PlanMedium>,
) -> Result<Plan, SuiteErrors> {
    let mut whole = Plan::default();
    let mut cells = 0;
    for suite in suite.measured() {
        let mut problems = Problems::default();
        let chosen = choose(suite, stores, &mut problems);
        let threads = suite.replayed().map(|tape| tape.lanes).into_iter().chain(suite.threads().iter().copied()).max();
        chosen.iter().for_each(|of| memory::check_room(suite, of, threads.unwrap_or(1), &mut problems));
        for (index, medium) in suite.media().iter().enumerate().filter(|(_, medium)| !media.contains_key(*medium)) {
            let message = format!("nothing says where the medium `{medium}` is");
            let help = format!("give it a directory with --medium {medium}=DIR");
            problems.add(&suite.file.axis_place("media", index), message, help);
        }
        if let (Some(tape), None) = (suite.tape(), suite.replayed()) {
            let message = format!("nobody has opened the tape {}", tape.display());
            problems.add(&Place::File, message, "open it before planning");
        }
        cells = combinations(suite).saturating_mul(chosen.len()).saturating_add(cells);
        if cells > CELLS_MAX {
            let message = format!("the axes make {} cells", format_count(cells as u64));
            let help = format!("a plan has at most {}: give the axes fewer values", format_count(CELLS_MAX as u64));
            problems.add(&suite.file.axis_place("stores", usize::MAX), message, help);
        }
        if !problems.is_empty() {
            return Err(suite.file.errors(problems));
        }
        whole = Planner { suite, chosen: &chosen, media, plan: whole }.plan();
    }
    Ok(whole)
}

fn combinations(suite: &Suite) -> usize {
    let lengths = [
        suite.media().len(),
        classes(suite).len(),
        suite.disturbances().len(),
        suite.keys().len(),
        suite.data().len(),
        // A tape has neither of these two as an axis.
        suite.value_bytes().len().max(1),
        suite.records().len().max(1),
        suite.threads().len(),
        suite.memory_limits().len(),
    ];
    lengths.into_iter().fold(1, usize::saturating_mul)
}

/// Every class that some store is measured in.
fn classes(suite: &Suite) -> Vec<Durability> {
    let mut classes = suite.durability().to_vec();
    let others = suite.durability_otherwise().iter().filter(|class| !suite.durability().contains(class));
    classes.extend(others);
    classes
}

/// Whether a store is measured, or said not to be, in a class: in those that are asked for, or if it offers none of them in the first of the
/// others that it does offer.
fn takes_part(suite: &Suite, chosen: &Chosen<'_>, class: Durability) -> bool {
    let offers = |class: &Durability| chosen.store.durability.contains_key(class);
    let others = || suite.durability_otherwise().iter().copied().find(offers);
    match chosen.durability.is_none() && !suite.durability().iter().any(offers) {
        true => others().map_or(suite.durability().contains(&class), |other| other == class),
        false => suite.durability().contains(&class),
    }
}

/// What cells have in common beside the tapes.
#[derive(Clone, Copy)]
struct Circumstances<'a> {
    medium: &'a str,
    disturbance: Disturbance,
    durability: Durability,
    memory_limit_bytes: Option<u64>,
}

struct Planner<'a> {
    suite: &'a Suite,
    chosen: &'a [Chosen<'a>],
    media: &'a BTreeMap<String, PlanMedium>,
    plan: Plan,
}

impl Planner<'_> {
    fn plan(mut self) -> Plan {
        let suite = self.suite;
        let workloads = workloads(suite);
        for medium in suite.media() {
            for &disturbance in suite.disturbances() {
                for durability in classes(suite) {
                    for &memory_limit_bytes in suite.memory_limits() {
                        let of = Circumstances { medium, disturbance, durability, memory_limit_bytes };
                        workloads.iter().for_each(|workload| self.workload(workload, of));
                    }
                }
            }
        }
        self.plan
    }

    fn workload(&mut self, workload: &Workload, of: Circumstances<'_>) {
        let Circumstances { medium, disturbance, durability, memory_limit_bytes } = of;
        let estimate = estimate(workload);
        if let Some((what, why)) = self.too_large(workload, medium, &estimate) {
            return self.skip(Skip { store: None, what, why });
        }
        let mut cells = Vec::new();
        for chosen in self.chosen.iter().filter(|chosen| takes_part(self.suite, chosen, durability)) {
            let own = Circumstances { durability: chosen.durability.unwrap_or(durability), ..of };
            if let Some((what, why)) = unfit(chosen, workload, own.durability) {
                self.skip(Skip { store: Some(chosen.store.name.clone()), what, why });
                continue;
            }
            match self.memory_settings(chosen, workload.lanes) {
                Ok(memory_settings) => cells.push(self.cell(chosen, workload, own, memory_settings)),
                Err(why) => self.skip(Skip::of_store(chosen.store.name.clone(), why)),
            }
        }
        if !cells.is_empty() {
            let (workload, medium) = (workload.clone(), medium.to_owned());
            let variant = self.variant();
            let planned = WorkloadPlan {
                workload,
                medium,
                variant,
                disturbance,
                durability,
                memory_limit_bytes,
                cells,
                estimate,
                disk_bytes: self.disk_bytes(&estimate),
            };
            self.plan.workloads.push(planned);
        }
    }

    /// What the memory that the suite gives becomes for a store; nothing if it gives none.
    fn memory_settings(&self, chosen: &Chosen<'_>, threads: u32) -> Result<Settings, SkipReason> {
        let divide = |bytes| memory::divide(chosen.store, bytes, threads, &chosen.settings);
        self.suite.memory_bytes().map_or(Ok(Settings::new()), divide)
    }

    /// Notes a reason once, however many cells it holds for.
    fn skip(&mut self, skip: Skip) {
        if !self.plan.skipped.contains(&skip) {
            self.plan.skipped.push(skip);
        }
    }

    /// The most disk that a store of so much data takes, about.
    fn disk_bytes(&self, estimate: &Estimate) -> u64 {
        let copied = if self.suite.makes_compacted_copies() { DISK_PER_DATA_COPIED } else { 0 };
        estimate.data_bytes_max.saturating_mul(DISK_PER_DATA + copied)
    }

    fn too_large(&self, workload: &Workload, medium: &str, estimate: &Estimate) -> Option<(String, SkipReason)> {
        let size = size_words(workload);
        let db_bytes = workload.value_bytes_mean().saturating_mul(workload.records);
        if let Some(db_bytes_max) = self.suite.db_bytes_max().filter(|&limit| db_bytes > limit) {
            return Some((size, SkipReason::AboveLimit { db_bytes, db_bytes_max }));
        }
        let tapes_bytes = if medium == DEFAULT_MEDIUM { tapes_bytes(workload, estimate) } else { 0 };
        let needed_bytes = self.disk_bytes(estimate).saturating_add(tapes_bytes);
        let too_little = |medium: &str, needed: u64| self.media.get(medium)?.free_bytes.filter(|&free| needed > free);
        if let Some(free_bytes) = too_little(medium, needed_bytes) {
            let copied = self.suite.makes_compacted_copies();
            let why = SkipReason::DiskTooSmall { needed_bytes, free_bytes, copied };
            return Some((format!("{size} on medium {medium}"), why));
        }
        let tapes_bytes = self::tapes_bytes(workload, estimate);
        let free_bytes = too_little(DEFAULT_MEDIUM, tapes_bytes)?;
        Some((size, SkipReason::NoRoomForTapes { needed_bytes: tapes_bytes, free_bytes }))
    }

    fn variant(&self) -> Option<String> {
        self.suite.variant().map(|variant| variant.name.clone())
    }

    fn cell(&self, chosen: &Chosen<'_>, workload: &Workload, of: Circumstances<'_>, memory_settings: Settings) -> Cell {
        let Circumstances { medium, disturbance, durability, memory_limit_bytes } = of;
        let Chosen { store, settings, .. } = chosen;
        let axes = Axes {
            suite: self.suite.name().to_owned(),
            store: store.name.clone(),
            settings: settings.clone(),
            durability,
            data: workload.data.name().to_owned(),
            key: workload.key_name(),
            value_bytes_min: workload.value_bytes.min,
            value_bytes_max: workload.value_bytes.max,
            records: workload.records,
            threads: workload.lanes,
            medium: medium.to_owned(),
            variant: self.variant(),
            disturbance: (!disturbance.is_none()).then(|| disturbance.name().to_owned()),
            unequal: self.suite.is_unequal(),
            memory_bytes: self.suite.memory_bytes(),
            memory_limit_bytes,
            rate_per_second: None,
            killed: self.suite.is_killed(),
            profile: None,
        };
        let mut settings = settings.clone();
        settings.extend(memory_settings.clone());
        Cell { id: cell_id(workload, &axes, &settings, disturbance), axes, settings, memory_settings }
    }
}

/// Everything that defines a cell. Changing this changes every cell's id.
#[derive(Serialize)]
struct Identity<'a> {
    workload: &'a Workload,
    durability: Durability,
    store: &'a str,
    settings: &'a Settings,
    medium: &'a str,
    /// Absent where a suite has no variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
    /// Absent where nothing else goes on.
    #[serde(skip_serializing_if = "Disturbance::is_none")]
    disturbance: Disturbance,
    /// Absent where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_limit_bytes: Option<u64>,
    /// Absent where the store is closed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    killed: bool,
    /// Absent where nothing is profiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
}

/// A cell's id: what defines it, hashed.
pub(crate) fn cell_id(workload: &Workload, axes: &Axes, settings: &Settings, disturbance: Disturbance) -> String {
    let identity = Identity {
        workload,
        durability: axes.durability,
        store: &axes.store,
        settings,
        medium: &axes.medium,
        variant: axes.variant.as_deref(),
        disturbance,
        memory_limit_bytes: axes.memory_limit_bytes,
        killed: axes.killed,
        profile: axes.profile,
    };
    // JSON of these types cannot fail: all keys are text, and fields stand in the order of declaration.
    let json = serde_json::to_vec(&identity).unwrap_or_default();
    Sha1::digest(json).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn workloads(suite: &Suite) -> Vec<Workload> {
    if let Some(replayed) = suite.replayed() {
        return vec![replayed.clone()];
    }
    let mut workloads = Vec::new();
    for &key in suite.keys() {
        for &data in suite.data() {
            for &value_bytes in suite.value_bytes() {
                for &records in suite.records() {
                    for &lanes in suite.threads() {
                        workloads.push(workload(suite, (key, data), value_bytes, records, lanes));
                    }
                }
            }
        }
    }
    workloads
}

fn workload(suite: &Suite, (key, data): (Key, Data), value_bytes: SizeRange, records: u64, lanes: u32) -> Workload {
    let pool_bytes = match suite.tree() {
        // The pool of a tree is its values, one after the other.
        Some(tree) => TreeValues::new(tree).offset(records),
        None => suite.pool_bytes().unwrap_or_else(|| pool_bytes(value_bytes)),
    };
    let (seed, tree, phases) = (suite.seed(), suite.tree(), suite.phases().to_vec());
    let (Key { form: key, bytes: key_bytes }, value_shape) = (key, suite.value_shape());
    Workload {
        seed,
        key,
        key_bytes,
        records,
        value_bytes,
        value_shape,
        data,
        pool_bytes,
        lanes,
        tree,
        phases,
        import: None,
    }
}

/// What the video takes that is a disturbance, about.
const VIDEO_BYTES: u64 = 54 << 20;

/// What the tapes of a workload and the values on them take: nothing more if they are there already.
fn tapes_bytes(workload: &Workload, estimate: &Estimate) -> u64 {
    if workload.import.is_some() {
        return 0;
    }
    estimate.operations.saturating_mul(TAPE_BYTES_PER_OPERATION).saturating_add(workload.pool_bytes)
}

impl Plan {
    /// The most disk that a run takes at a time, roughly: the largest store, and all tapes with the values on them, which workloads
    /// with the same values share; and the video.
    pub fn disk_bytes_max(&self) -> u64 {
        let stores = self.workloads.iter().map(|workload| workload.disk_bytes);
        let pools: BTreeMap<_, _> = self
            .workloads
            .iter()
            .map(|plan| &plan.workload)
            .filter(|workload| workload.import.is_none())
            .map(|workload| (workload.pool_name(), workload.pool_bytes))
            .collect();
        let tapes = self
            .workloads
            .iter()
            .map(|plan| tapes_bytes(&plan.workload, &plan.estimate).saturating_sub(plan.workload.pool_bytes));
        let tapes = tapes.chain(pools.into_values()).fold(0, u64::saturating_add);
        let plays = self.workloads.iter().any(|workload| workload.disturbance == Disturbance::Video);
        stores.max().unwrap_or(0).saturating_add(tapes).saturating_add(if plays { VIDEO_BYTES } else { 0 })
    }
}

/// Value size and records, as people say it.
fn size_words(workload: &Workload) -> String {
    format!(
        "{} × {}",
        format_size_range(workload.value_bytes.min, workload.value_bytes.max),
        format_count(workload.records)
    )
}
