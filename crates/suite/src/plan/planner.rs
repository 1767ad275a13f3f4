//! Multiplies out the axes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bakeoff_protocol::{Axes, DEFAULT_MEDIUM, Durability, Settings, StoreDescription, Structure};
use bakeoff_tape::{Data, Estimate, KeyForm, SizeRange, Workload, estimate, pool_bytes};
use bakeoff_text::format_count;
use bakeoff_tree::TreeValues;

use crate::axes::{self, Conditions};
use crate::error::{Problems, SuiteErrors};
use crate::model::Suite;
use crate::place::Place;
use crate::plan::cells::{Cell, Plan, WorkloadPlan, tapes_bytes};
use crate::plan::compression::compression_settings;
use crate::plan::identity::cell_id;
use crate::plan::memory;
use crate::plan::offered::unfit;
use crate::plan::skip::{Skip, SkipReason};
use crate::plan::stores::{ConfiguredStore, configured_stores};

/// The maximum of cells in a plan.
const CELLS_MAX: usize = 100_000;

/// Disk space for a database, as a multiple of its data: logs, copies on write and old pages take space too.
const DISK_PER_DATA: u64 = 3;

/// The same for its compacted copy: the data once in pages that are not quite full, and what opening it adds.
const DISK_PER_DATA_COPIED: u64 = 2;

/// A file takes whole blocks. Most file systems have blocks of this many bytes.
const FILE_BYTES_MIN: u64 = 4 << 10;

/// A disk to measure on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanMedium {
    /// A directory on it.
    pub directory: PathBuf,
    /// Free space for this user, in bytes. If it could not be read, nothing is skipped for lack of space.
    pub free_bytes: Option<u64>,
    /// Files that can still be created. If the file system does not count files, nothing is skipped for lack of them.
    pub free_files: Option<u64>,
    /// What keeps its files in memory, so that the page cache cannot be dropped. `None` on a disk.
    pub kept_in_memory_by: Option<String>,
}

/// Multiplies out the axes of a suite for the stores that drivers describe. `media` maps each medium to its disk.
///
/// # Errors
/// A store that no driver describes, a setting that its store does not take, a medium without a directory, or too many
/// cells.
pub fn plan(
    suite: &Suite,
    stores: &[StoreDescription],
    media: &BTreeMap<String, PlanMedium>,
) -> Result<Plan, SuiteErrors> {
    let mut whole = Plan::default();
    let mut cells = 0;
    for suite in suite.measured() {
        let mut problems = Problems::default();
        let configured = configured_stores(suite, stores, &mut problems);
        let threads = suite.replayed().map(|tape| tape.lanes).into_iter().chain(suite.threads().iter().copied()).max();
        configured.iter().for_each(|of| memory::check_room(suite, of, threads.unwrap_or(1), &mut problems));
        for (index, medium) in suite.media().iter().enumerate().filter(|(_, medium)| !media.contains_key(*medium)) {
            let message = format!("the medium `{medium}` has no directory");
            let help = format!("give it one with --medium {medium}=DIR");
            problems.add(&suite.file.axis_place("media", index), message, help);
        }
        if let (Some(tape), None) = (suite.tape(), suite.replayed()) {
            let message = format!("the tape {} has not been opened", tape.display());
            problems.add(&Place::File, message, "open it before planning");
        }
        cells = axes::combinations(&suite.axes, &without_axes(suite))
            .saturating_mul(configured.len())
            .saturating_add(cells);
        if cells > CELLS_MAX {
            let message = format!("the axes make {} cells", format_count(cells as u64));
            let help = format!("a plan has at most {}: give the axes fewer values", format_count(CELLS_MAX as u64));
            problems.add(&suite.file.axis_place("stores", usize::MAX), message, help);
        }
        if !problems.is_empty() {
            return Err(suite.file.errors(problems));
        }
        whole = Planner { suite, configured: &configured, media, plan: whole }.plan();
    }
    Ok(whole)
}

/// Whether a store is measured or skipped at this durability level. Normally these are the suite's levels. A store that
/// offers none of them uses the first of `durability-otherwise` that it offers.
fn takes_part(suite: &Suite, configured: &ConfiguredStore<'_>, class: Durability) -> bool {
    let offers = |class: &Durability| configured.store.durability.contains_key(class);
    let others = || suite.durability_otherwise().iter().copied().find(offers);
    match configured.durability.is_none() && !suite.durability().iter().any(offers) {
        true => others().map_or(suite.durability().contains(&class), |other| other == class),
        false => suite.durability().contains(&class),
    }
}

struct Planner<'a> {
    suite: &'a Suite,
    configured: &'a [ConfiguredStore<'a>],
    media: &'a BTreeMap<String, PlanMedium>,
    plan: Plan,
}

impl Planner<'_> {
    fn plan(mut self) -> Plan {
        let suite = self.suite;
        let workloads = workloads(suite);
        for conditions in axes::conditions(&suite.axes) {
            for workload in &workloads {
                self.workload(workload, &conditions);
            }
        }
        self.plan
    }

    fn workload(&mut self, workload: &Workload, conditions: &Conditions) {
        let estimate = estimate(workload);
        if let Some((what, why)) = self.too_large(workload, &conditions.medium, &estimate) {
            return self.skip(Skip { store: None, what, why });
        }
        if let Some(kept_by) = self.keeps_cache(workload, &conditions.medium) {
            let what = format!("cache = \"cold\" on medium {}", conditions.medium);
            return self.skip(Skip { store: None, what, why: SkipReason::CacheStays { kept_by } });
        }
        let mut cells = Vec::new();
        for configured in self.configured.iter().filter(|of| takes_part(self.suite, of, conditions.durability)) {
            let durability = configured.durability.unwrap_or(conditions.durability);
            if let Some((what, why)) = unfit(configured, workload, durability) {
                self.skip(Skip { store: Some(configured.store.name.clone()), what, why });
                continue;
            }
            if let Some((what, why)) = self.too_many_files(configured.store, workload, &conditions.medium, &estimate) {
                self.skip(Skip { store: Some(configured.store.name.clone()), what, why });
                continue;
            }
            let own = Conditions { durability, ..conditions.clone() };
            match self.cell(configured, workload, &own) {
                Ok(cell) => cells.push(cell),
                Err(why) => self.skip(Skip::of_store(configured.store.name.clone(), why)),
            }
        }
        if !cells.is_empty() {
            self.plan.workloads.push(WorkloadPlan {
                workload: workload.clone(),
                conditions: conditions.clone(),
                variant: self.variant(),
                cells,
                estimate,
                disk_bytes: self.disk_bytes(&estimate),
            });
        }
    }

    /// A store's settings from the memory that the suite gives. Empty if the suite gives none.
    fn memory_settings(&self, configured: &ConfiguredStore<'_>, threads: u32) -> Result<Settings, SkipReason> {
        let divide = |bytes| memory::divide(configured.store, bytes, threads, &configured.settings);
        self.suite.memory_bytes().map_or(Ok(Settings::new()), divide)
    }

    /// Notes a reason once, no matter how many cells it holds for.
    fn skip(&mut self, skip: Skip) {
        if !self.plan.skipped.contains(&skip) {
            self.plan.skipped.push(skip);
        }
    }

    /// Estimated maximum disk space of a store with this data.
    fn disk_bytes(&self, estimate: &Estimate) -> u64 {
        let copied = if self.suite.makes_compacted_copies() { DISK_PER_DATA_COPIED } else { 0 };
        estimate.data_bytes_max.saturating_mul(DISK_PER_DATA + copied)
    }

    fn too_large(&self, workload: &Workload, medium: &str, estimate: &Estimate) -> Option<(String, SkipReason)> {
        let size = size_label(workload);
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

    /// What keeps files in memory, if a phase must drop them from there.
    fn keeps_cache(&self, workload: &Workload, medium: &str) -> Option<String> {
        let kept_by = self.media.get(medium)?.kept_in_memory_by.clone();
        kept_by.filter(|_| workload.phases.iter().any(|phase| phase.cold))
    }

    /// Checks a store that keeps a file for each record: its medium may have too few files, or too little space for
    /// whole blocks.
    fn too_many_files(
        &self,
        store: &StoreDescription,
        workload: &Workload,
        medium: &str,
        estimate: &Estimate,
    ) -> Option<(String, SkipReason)> {
        if store.structure != Structure::Files {
            return None;
        }
        let known = self.media.get(medium)?;
        let entry_bytes = workload.key_bytes_range().min + workload.value_bytes_mean();
        let records = workload.records.max(estimate.data_bytes_max / entry_bytes.max(1));
        // A directory also takes an inode and a block.
        let directories = store.directories_of(records);
        let needed_files = records.saturating_add(directories);
        let needed_bytes = needed_files.saturating_mul(FILE_BYTES_MIN);
        let what = format!("{} on medium {medium}", size_label(workload));
        if let Some(free_files) = known.free_files.filter(|&free| needed_files > free) {
            return Some((what, SkipReason::TooFewFiles { needed_files, directories, free_files }));
        }
        let free_bytes = known.free_bytes.filter(|&free| needed_bytes > free)?;
        Some((what, SkipReason::TooFewBlocks { needed_files, needed_bytes, free_bytes }))
    }

    fn variant(&self) -> Option<String> {
        self.suite.variant().map(|variant| variant.name.clone())
    }

    /// A store's cell of a workload, or why it has none under these conditions.
    fn cell(
        &self,
        configured: &ConfiguredStore<'_>,
        workload: &Workload,
        conditions: &Conditions,
    ) -> Result<Cell, SkipReason> {
        let ConfiguredStore { store, settings, .. } = configured;
        let compression_settings = compression_settings(store, conditions.compression, settings)?;
        let memory_settings = self.memory_settings(configured, workload.lanes)?;
        let value_bytes = workload.value_bytes.range();
        let mut axes = Axes {
            suite: self.suite.name().to_owned(),
            store: store.name.clone(),
            settings: settings.clone(),
            data: workload.data.name().to_owned(),
            key: workload.key_name(),
            value_bytes_min: value_bytes.min,
            value_bytes_max: value_bytes.max,
            value_mixture: workload.value_bytes.is_mixed().then(|| workload.value_bytes.to_string()),
            records: workload.records,
            threads: workload.lanes,
            variant: self.variant(),
            unequal: self.suite.is_unequal(),
            memory_bytes: self.suite.memory_bytes(),
            killed: self.suite.is_killed(),
            cut: self.suite.is_cut(),
            age: workload.age(),
            ..Axes::default()
        };
        conditions.note(&mut axes);
        let mut settings = settings.clone();
        settings.extend(compression_settings);
        settings.extend(memory_settings.clone());
        Ok(Cell { id: cell_id(workload, &axes, &settings), axes, settings, memory_settings })
    }
}

fn workloads(suite: &Suite) -> Vec<Workload> {
    if let Some(replayed) = suite.replayed() {
        return vec![replayed.clone()];
    }
    let with_pool = |of: Workload| Workload { pool_bytes: pool(suite, &of), ..of };
    axes::workloads(&suite.axes, without_axes(suite)).into_iter().map(with_pool).collect()
}

/// The suite's workload, with every axis still to be set.
fn without_axes(suite: &Suite) -> Workload {
    Workload {
        seed: suite.seed(),
        key: KeyForm::Sha1,
        key_bytes: None,
        key_bytes_max: None,
        records: 0,
        value_bytes: SizeRange { min: 0, max: 0 }.into(),
        value_shape: suite.value_shape(),
        data: Data::Random,
        pool_bytes: 0,
        lanes: 1,
        tree: suite.tree(),
        phases: suite.phases().to_vec(),
        import: None,
    }
}

fn pool(suite: &Suite, workload: &Workload) -> u64 {
    match suite.tree() {
        // The pool of a tree is the concatenation of its values.
        Some(tree) => TreeValues::new(tree).offset(workload.records),
        None => suite.pool_bytes().unwrap_or_else(|| pool_bytes(&workload.value_bytes)),
    }
}

/// Value size and number of records, for people.
fn size_label(workload: &Workload) -> String {
    format!("{} × {}", workload.value_bytes, format_count(workload.records))
}
