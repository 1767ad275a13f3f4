//! A suite: what to measure, as plain types.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_protocol::Durability;
use bakeoff_tape::{Data, PhaseSpec, Shape, ValueSizes, Workload};
use bakeoff_tree::Tree;

use crate::axes::{Axes, Key, StoreChoice};
use crate::disturbance::Disturbance;
use crate::node::SuiteFile;

/// The name and meaning of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Unique in the suite. Lower-case letters and digits, with `-` between words.
    pub name: String,
    /// A sentence; may be empty.
    pub summary: String,
}

/// When a warm-up ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUpLimit {
    /// No warm-up.
    None,
    /// After this time, counted from when the first store is open.
    Time(Duration),
    /// After this number of operations.
    Operations(u64),
}

/// How a cell ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The store is closed.
    Closed,
    /// The process is killed, and another one recovers the store.
    Killed,
    /// The power of the disk is cut, many times.
    Cut,
}

/// Limits on the cost of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) db_bytes_max: Option<u64>,
    pub(crate) timeout: Duration,
}

/// What to measure. Only `Suite::parse` makes one, so its contents have been checked.
#[derive(Clone, Debug)]
pub struct Suite {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) summary: String,
    pub(crate) analysis: String,
    pub(crate) seed: u64,
    pub(crate) rounds: u32,
    pub(crate) pool_bytes: Option<u64>,
    pub(crate) value_shape: Shape,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) axes: Axes,
    pub(crate) limits: Limits,
    pub(crate) warm_up: WarmUpLimit,
    pub(crate) ending: Ending,
    pub(crate) cuts: u32,
    pub(crate) compacted_copy: bool,
    pub(crate) phases: Vec<PhaseSpec>,
    pub(crate) tree: Option<Tree>,
    pub(crate) tape: Option<PathBuf>,
    /// The factor by which operations are due earlier than on the tape. `None` starts each operation when the previous
    /// one has ended.
    pub(crate) speed: Option<f64>,
    /// The content of the tape, after it was opened.
    pub(crate) replayed: Option<Workload>,
    pub(crate) baseline: Vec<String>,
    /// The variant that this is, if the suite has several.
    pub(crate) variant: Option<Variant>,
    /// Every variant. Variants have no variants.
    pub(crate) variants: Vec<Suite>,
    pub(crate) unequal: bool,
    pub(crate) scale: Option<f64>,
    pub(crate) numbers_given: Vec<String>,
    /// Variants that a flag left out, each with the flag's name.
    pub(crate) left_out: Vec<(String, &'static str)>,
    /// The suite as typed, for applying flags and for showing errors of a plan.
    pub(crate) file: SuiteFile,
}

impl Suite {
    /// The fraction of its records that `--scale` left, if it was given.
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }

    /// `--records` and `--value-size` as typed, if given. The suite's own texts may mention other numbers.
    pub fn numbers_given(&self) -> &[String] {
        &self.numbers_given
    }

    /// What is measured: the variants, or the suite itself if it has none.
    pub fn measured(&self) -> &[Self] {
        if self.variants.is_empty() { std::slice::from_ref(self) } else { &self.variants }
    }

    /// The variant that this is, if the suite has several.
    pub fn variant(&self) -> Option<&Variant> {
        self.variant.as_ref()
    }

    /// Leaves out named stores for which `is_lost` holds, and returns them.
    pub fn leave_out(&mut self, is_lost: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let mut left_out = BTreeSet::new();
        let own = std::iter::once(&mut self.axes).chain(self.variants.iter_mut().map(|suite| &mut suite.axes));
        for axes in own {
            if let StoreChoice::Named(names) = &mut axes.stores {
                left_out.extend(names.extract_if(.., |name| is_lost(name)));
            }
        }
        left_out
    }

    /// Names of the variants that serve as baseline; usually none.
    pub fn baseline(&self) -> &[String] {
        &self.baseline
    }

    /// Whether some stores have their own durability level, so that cells with different levels are compared.
    pub fn is_unequal(&self) -> bool {
        self.unequal
    }

    /// The name: the file's name without folder and extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title shown to people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it measures, in a sentence. May be empty.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Prose for the report. May be empty.
    pub fn analysis(&self) -> &str {
        &self.analysis
    }

    /// The seed of all random choices.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of rounds, at least 1.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The time limit of a cell in one round, above zero.
    pub fn timeout(&self) -> Duration {
        self.limits.timeout
    }

    /// How long drivers with a just-in-time compiler warm up.
    pub fn warm_up(&self) -> WarmUpLimit {
        self.warm_up
    }

    /// Whether the process is killed after the phases, and another process recovers the store.
    pub fn is_killed(&self) -> bool {
        self.ending == Ending::Killed
    }

    /// Whether the power of the disk is cut, many times in a recording of what was written to it.
    pub fn is_cut(&self) -> bool {
        self.ending == Ending::Cut
    }

    /// How often the power is cut in each round.
    pub fn cuts(&self) -> u32 {
        self.cuts
    }

    /// Whether stores make a compacted copy of themselves at the end, if they can, to measure its size.
    pub fn makes_compacted_copies(&self) -> bool {
        self.compacted_copy
    }

    /// The largest database to make, in bytes, if there is a limit.
    pub fn db_bytes_max(&self) -> Option<u64> {
        self.limits.db_bytes_max
    }

    /// The length of the value pool, in bytes, if the suite sets it.
    pub fn pool_bytes(&self) -> Option<u64> {
        self.pool_bytes
    }

    /// The distribution of value sizes within their range.
    pub fn value_shape(&self) -> Shape {
        self.value_shape
    }

    /// The memory that every store gets, in bytes, if the suite sets it.
    pub fn memory_bytes(&self) -> Option<u64> {
        self.memory_bytes
    }

    /// The stores.
    pub fn stores(&self) -> &StoreChoice {
        &self.axes.stores
    }

    /// Sizes of values, in bytes.
    pub fn value_bytes(&self) -> &[ValueSizes] {
        &self.axes.value_bytes
    }

    /// Numbers of records to load.
    pub fn records(&self) -> &[u64] {
        &self.axes.records
    }

    /// What values consist of.
    pub fn data(&self) -> &[Data] {
        &self.axes.data
    }

    /// Durability levels.
    pub fn durability(&self) -> &[Durability] {
        &self.axes.durability
    }

    /// Levels for stores that offer none of [`Self::durability`]. A store gets the first of them that it offers. A
    /// store that offers none is not measured.
    pub fn durability_otherwise(&self) -> &[Durability] {
        &self.axes.durability_otherwise
    }

    /// Numbers of threads.
    pub fn threads(&self) -> &[u32] {
        &self.axes.threads
    }

    /// Memory limits of a cell, in bytes; `None` for no limit.
    pub fn memory_limits(&self) -> &[Option<u64>] {
        &self.axes.memory_limits
    }

    /// Names of this variant's media. A plan needs a directory for each.
    pub fn media(&self) -> &[String] {
        &self.axes.media
    }

    /// Names of the media of all variants, each once.
    pub fn all_media(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.measured().iter().flat_map(Self::media) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Background loads.
    pub fn disturbances(&self) -> &[Disturbance] {
        &self.axes.disturbances
    }

    /// Key forms.
    pub fn keys(&self) -> &[Key] {
        &self.axes.keys
    }

    /// The phases, in order. The first one fills the store.
    pub fn phases(&self) -> &[PhaseSpec] {
        &self.phases
    }

    /// The imported tape to replay, if operations are not random.
    pub fn tape(&self) -> Option<&Path> {
        self.tape.as_deref()
    }

    /// The content of its tape, if that was opened.
    pub(crate) fn replayed(&self) -> Option<&Workload> {
        self.replayed.as_ref()
    }

    /// The directory tree, if keys have that form.
    pub fn tree(&self) -> Option<Tree> {
        self.tree
    }
}
