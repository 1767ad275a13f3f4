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

/// What a variant is called and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Unique in the suite; lower-case letters and digits with `-` between words.
    pub name: String,
    /// A sentence; may be empty.
    pub summary: String,
}

/// When a warm-up ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUpLimit {
    /// There is none.
    None,
    /// After this time, from when the first store is open.
    Time(Duration),
    /// After so many operations.
    Operations(u64),
}

/// What a cell may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) db_bytes_max: Option<u64>,
    pub(crate) timeout: Duration,
}

/// What to measure. Made by `Suite::parse`, so whatever is in one has been checked.
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
    pub(crate) killed: bool,
    pub(crate) compacted_copy: bool,
    pub(crate) phases: Vec<PhaseSpec>,
    pub(crate) tree: Option<Tree>,
    pub(crate) tape: Option<PathBuf>,
    /// How much faster than the tape's own times its operations are due; `None` for as soon as the one before has ended.
    pub(crate) speed: Option<f64>,
    /// What is on the tape, once somebody has opened it.
    pub(crate) replayed: Option<Workload>,
    pub(crate) baseline: Vec<String>,
    /// Which variant of a suite this is, where it has several.
    pub(crate) variant: Option<Variant>,
    /// Every variant, with no variants of its own.
    pub(crate) variants: Vec<Suite>,
    pub(crate) unequal: bool,
    pub(crate) scale: Option<f64>,
    pub(crate) numbers_given: Vec<String>,
    /// Variants that a flag left out, each with the flag's name.
    pub(crate) left_out: Vec<(String, &'static str)>,
    /// As typed: where flags are put, and where errors of a plan are shown.
    pub(crate) file: SuiteFile,
}

impl Suite {
    /// The part of its records that `--scale` left, if it was given.
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }

    /// `--records` and `--value-size` as typed, where they were given: the suite's words may tell of others.
    pub fn numbers_given(&self) -> &[String] {
        &self.numbers_given
    }

    /// What is measured: the variants, or the suite itself where it has none.
    pub fn measured(&self) -> &[Self] {
        if self.variants.is_empty() { std::slice::from_ref(self) } else { &self.variants }
    }

    /// Which variant this is, where the suite has several.
    pub fn variant(&self) -> Option<&Variant> {
        self.variant.as_ref()
    }

    /// Leaves out stores that are named, and says which.
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

    /// Names of the variants that the others are set against; mostly none.
    pub fn baseline(&self) -> &[String] {
        &self.baseline
    }

    /// Whether it gives some stores a durability class of their own, so that cells are compared whatever they promise.
    pub fn is_unequal(&self) -> bool {
        self.unequal
    }

    /// The name: that of the file, without folder and extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title shown to people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it measures, in a sentence; may be empty.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Prose for the report; may be empty.
    pub fn analysis(&self) -> &str {
        &self.analysis
    }

    /// The seed of every random choice.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How often each cell is measured, at least once.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The time that a cell may take in a round, above zero.
    pub fn timeout(&self) -> Duration {
        self.limits.timeout
    }

    /// How far to warm up drivers whose code is compiled while it runs.
    pub fn warm_up(&self) -> WarmUpLimit {
        self.warm_up
    }

    /// Whether the process that has done the phases is killed, and another one recovers what it has left.
    pub fn is_killed(&self) -> bool {
        self.killed
    }

    /// Whether stores that can are to make a compacted copy of themselves at the end, to see how long it is.
    pub fn makes_compacted_copies(&self) -> bool {
        self.compacted_copy
    }

    /// The largest database to make, in bytes, if there is a limit.
    pub fn db_bytes_max(&self) -> Option<u64> {
        self.limits.db_bytes_max
    }

    /// The length of the value pool, in bytes, if the suite says so.
    pub fn pool_bytes(&self) -> Option<u64> {
        self.pool_bytes
    }

    /// How sizes of values lie in their ranges.
    pub fn value_shape(&self) -> Shape {
        self.value_shape
    }

    /// The memory that every store is given, in bytes, if the suite gives some.
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

    /// Numbers of records that are loaded.
    pub fn records(&self) -> &[u64] {
        &self.axes.records
    }

    /// What values are made of.
    pub fn data(&self) -> &[Data] {
        &self.axes.data
    }

    /// Durability levels.
    pub fn durability(&self) -> &[Durability] {
        &self.axes.durability
    }

    /// Levels for stores that offer none of [`Self::durability`], the first one that a store offers; without one they are not measured.
    pub fn durability_otherwise(&self) -> &[Durability] {
        &self.axes.durability_otherwise
    }

    /// Numbers of threads.
    pub fn threads(&self) -> &[u32] {
        &self.axes.threads
    }

    /// Limits on the memory of a cell, in bytes; `None` for no limit.
    pub fn memory_limits(&self) -> &[Option<u64>] {
        &self.axes.memory_limits
    }

    /// Names of media, for this variant; a plan needs a directory for each.
    pub fn media(&self) -> &[String] {
        &self.axes.media
    }

    /// Names of the media of all that is measured, each once.
    pub fn all_media(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.measured().iter().flat_map(Self::media) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// What else goes on while a cell is measured.
    pub fn disturbances(&self) -> &[Disturbance] {
        &self.axes.disturbances
    }

    /// Key forms.
    pub fn keys(&self) -> &[Key] {
        &self.axes.keys
    }

    /// The phases, in order; the first fills the store.
    pub fn phases(&self) -> &[PhaseSpec] {
        &self.phases
    }

    /// The imported tape that is replayed, if it is not to be drawn what is done.
    pub fn tape(&self) -> Option<&Path> {
        self.tape.as_deref()
    }

    /// What is on its tape, if it has one that was opened.
    pub(crate) fn replayed(&self) -> Option<&Workload> {
        self.replayed.as_ref()
    }

    /// The directory tree, where keys are of that form.
    pub fn tree(&self) -> Option<Tree> {
        self.tree
    }
}
