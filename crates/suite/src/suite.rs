//! A suite: what to measure, checked.

mod assemble;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assemble::{check, check_baseline, read_file};
use bakeoff_protocol::Durability;
use bakeoff_tape::{Data, Import, OpenLoop, PhaseSpec, Shape, SizeRange, Tree, Workload, tree_entries};

use crate::axes::{Axes, Key, Limits};
use crate::disturbance::Disturbance;
use crate::error::{Problems, SuiteErrors};
use crate::node::{Place, SuiteFile, too_long};
use crate::overrides::Overrides;
use crate::variants::{self, Variant};
use crate::warm_up::WarmUpLimit;
use crate::{SUITE_BYTES_MAX, scale, settings};

/// The stores a suite compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreChoice {
    /// Every store that is not there for tests only.
    All,
    /// These.
    Named(Vec<String>),
}

/// What to measure. Made by [`Suite::parse`], so whatever is in one has been checked.
#[derive(Clone, Debug)]
pub struct Suite {
    name: String,
    title: String,
    summary: String,
    analysis: String,
    seed: u64,
    rounds: u32,
    pool_bytes: Option<u64>,
    value_shape: Shape,
    memory_bytes: Option<u64>,
    axes: Axes,
    limits: Limits,
    warm_up: WarmUpLimit,
    killed: bool,
    compacted_copy: bool,
    phases: Vec<PhaseSpec>,
    tree: Option<Tree>,
    tape: Option<PathBuf>,
    /// How much faster than the tape's own times its operations are due; `None` for as soon as the one before has ended.
    speed: Option<f64>,
    /// What is on the tape, once somebody has opened it.
    replayed: Option<Workload>,
    baseline: Vec<String>,
    /// Which variant of a suite this is, where it has several.
    variant: Option<Variant>,
    /// Every variant, with no variants of its own.
    variants: Vec<Suite>,
    unequal: bool,
    scale: Option<f64>,
    numbers_given: Vec<String>,
    /// As typed: where flags are put, and where errors of a plan are shown.
    pub(crate) file: SuiteFile,
}

impl Suite {
    /// Reads a suite from TOML. `file_name` is what the file is called in errors, and gives the suite its name.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its line.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, SuiteErrors> {
        let suite = check(read_file(file_name, text)?)?;
        check_baseline(&suite)?;
        Ok(suite)
    }

    /// Reads a suite that is measured with these flags in place of what it says.
    ///
    /// # Errors
    /// As [`Suite::parse`] and [`Suite::with_overrides`].
    pub fn parse_with(file_name: &str, text: &str, overrides: &Overrides) -> Result<Self, SuiteErrors> {
        let mut file = read_file(file_name, text)?;
        // First of all: settings may be those of a store that only the flag names.
        Overrides { stores: overrides.stores.clone(), ..Overrides::default() }.apply(&mut file);
        let suite = check(file)?;
        check_baseline(&suite)?;
        suite.with_overrides(overrides)
    }

    /// Reads a suite from a file.
    ///
    /// # Errors
    /// The file cannot be read, or what [`Suite::parse`] finds.
    pub fn load(path: &Path) -> Result<Self, SuiteErrors> {
        Self::parse(&path.to_string_lossy(), &read_text(path)?)
    }

    /// This suite with flags in place of what it says, checked again.
    ///
    /// # Errors
    /// What is wrong with a flag by itself, or with the suite now that the flag is in it.
    pub fn with_overrides(&self, overrides: &Overrides) -> Result<Self, SuiteErrors> {
        let suite = self.try_overrides(overrides).map_err(|errors| {
            let larger = overrides.scale.as_deref().map(scale::larger_parts).unwrap_or_default();
            let is_enough = |part: &String| {
                self.try_overrides(&Overrides { scale: Some(part.clone()), ..overrides.clone() }).is_ok()
            };
            match larger.into_iter().find(is_enough) {
                Some(part) => errors.with_help_for(scale::FLAG, &format!("give a larger part: {part} is enough")),
                None => errors,
            }
        })?;
        suite.check_durability_flag(overrides)?;
        Ok(suite)
    }

    fn try_overrides(&self, overrides: &Overrides) -> Result<Self, SuiteErrors> {
        let mut file = self.file.clone();
        if let Some(wanted) = &overrides.variants {
            let mut problems = Problems::default();
            variants::choose(&mut file, wanted, &mut problems);
            if !problems.is_empty() {
                return Err(file.errors(problems));
            }
        }
        overrides.apply(&mut file);
        let given = [("--records", &overrides.records), ("--value-size", &overrides.value_size)];
        let given = given.into_iter().filter_map(|(flag, list)| Some(format!("{flag} {}", list.as_ref()?.join(","))));
        let numbers_given = self.numbers_given.iter().cloned().chain(given).collect();
        let Some(text) = &overrides.scale else { return Ok(Self { numbers_given, ..check(file)? }) };
        let mut problems = Problems::default();
        let trees = self.measured_trees(overrides.variants.as_deref());
        let least_levels = trees.iter().map(|tree| tree.levels).min();
        let scale = scale::apply(&mut file, text, least_levels, &mut problems);
        if !problems.is_empty() {
            return Err(file.errors(problems));
        }
        let suite = Self { numbers_given, ..check(file)? };
        let entries = |trees: Vec<Tree>| trees.into_iter().filter_map(tree_entries).sum::<u64>() as f64;
        let scale = scale.unwrap_or_else(|| entries(suite.measured_trees(None)) / entries(trees));
        if scale == 1.0 {
            return Ok(suite);
        }
        let summary = format!("{} Scaled down: --scale {}.", suite.summary, text.trim()).trim_start().to_owned();
        Ok(Self { summary, scale: Some(scale), ..suite })
    }

    /// The trees of all that is measured if variants are those of these names, or all.
    fn measured_trees(&self, variants: Option<&[String]>) -> Vec<Tree> {
        let is_wanted = |suite: &&Self| match (variants, &suite.variant) {
            (Some(wanted), Some(variant)) => variants::is_chosen(wanted, &variant.name),
            _ => true,
        };
        self.measured().iter().filter(is_wanted).filter_map(|suite| suite.tree).collect()
    }

    /// Refuses the flag where every store has a class of its own: nothing would be measured otherwise than without it.
    fn check_durability_flag(&self, overrides: &Overrides) -> Result<(), SuiteErrors> {
        let Some(classes) = &overrides.durability else { return Ok(()) };
        let all_have_their_own = |suite: &Self| match suite.stores() {
            StoreChoice::All => false,
            StoreChoice::Named(names) => names.iter().all(|name| settings::durability(&suite.file, name).is_some()),
        };
        if !self.measured().iter().all(all_have_their_own) {
            return Ok(());
        }
        let mut problems = Problems::default();
        problems.add(
            &Place::Flag { flag: "--durability", value: classes.join(",") },
            "this changes nothing: the suite itself says what each of these stores promises",
            "leave it out, or measure a variant that asks the same of all stores",
        );
        Err(self.file.errors(problems))
    }

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

    /// What is surprising in what a flag makes of the variants, each thing once, after the names of the variants that it is true of. `takes_part` says
    /// whether a variant has cells of a store.
    pub fn notes(&self, takes_part: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let Ok(typed) = read_file(&self.file.name, &self.file.text) else { return Vec::new() };
        let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
        for suite in &self.variants {
            let Some(name) = suite.variant.as_ref().map(|variant| variant.name.as_str()) else { continue };
            let told = variants::settings_of_others(&typed, name, suite.stores(), |store| takes_part(name, store));
            let Some(what) = told else { continue };
            match notes.iter_mut().find(|(known, _)| *known == what) {
                Some((_, names)) => names.push(name),
                None => notes.push((what, vec![name])),
            }
        }
        notes.into_iter().map(|(what, names)| format!("{}: {what}", names.join(", "))).collect()
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
    pub fn value_bytes(&self) -> &[SizeRange] {
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

    /// Durability classes.
    pub fn durability(&self) -> &[Durability] {
        &self.axes.durability
    }

    /// Classes for stores that offer none of [`Self::durability`], the first one that a store offers; without one they are not measured.
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

    /// This suite, knowing what is on its tape.
    ///
    /// # Errors
    /// It asks for the tape's own times, and the tape has none.
    pub fn replaying(mut self, workload: &Workload) -> Result<Self, SuiteErrors> {
        let timed = workload.import.as_ref().is_some_and(Import::is_timed);
        let mut replayed = workload.clone();
        if let (Some(speed), Some(last)) = (self.speed, replayed.phases.last_mut()) {
            last.open_loop = Some(OpenLoop::Recorded { speed });
        }
        if let (Some(node), Some(_), false) = (self.file.root.get("speed"), self.speed, timed) {
            let mut problems = Problems::default();
            let help = "leave `speed` out, or import a trace with a time in every line";
            problems.add(&node.place, "the tape has no times", help);
            return Err(self.file.errors(problems));
        }
        for suite in &mut self.variants {
            suite.replayed = Some(replayed.clone());
        }
        self.replayed = Some(replayed);
        Ok(self)
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

/// Reads the text of a suite file.
///
/// # Errors
/// The file cannot be read, is longer than [`SUITE_BYTES_MAX`], or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, SuiteErrors> {
    let name = path.to_string_lossy();
    if path.metadata().is_ok_and(|facts| !facts.is_file()) {
        let message = "is not a file".to_owned();
        return Err(SuiteErrors::of_file(
            &name,
            message,
            "give a suite file, or the name of one of bakeoff's own suites",
        ));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|file| file.take(SUITE_BYTES_MAX + 1).read_to_end(&mut bytes)).map_err(
        |error| SuiteErrors::of_file(&name, format!("cannot be read: {error}"), "check the path and its permissions"),
    )?;
    if bytes.len() as u64 > SUITE_BYTES_MAX {
        return Err(too_long(&name));
    }
    String::from_utf8(bytes).map_err(|error| {
        let message = format!("is not text: byte {} is not UTF-8", error.utf8_error().valid_up_to());
        SuiteErrors::of_file(&name, message, "check that this is the right file, saved as UTF-8")
    })
}
