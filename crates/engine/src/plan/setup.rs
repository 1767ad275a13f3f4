//! From the command line to a plan: the suite, the drivers, the media, the cells.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_files::check_links;
use bakeoff_measure::{Machine, Medium};
use bakeoff_protocol::{Profile, StoreDescription};
use bakeoff_suite::{
    Cell, Disturbance, Plan, RunOptions, StoreChoice, Suite, WorkloadPlan, check_memory, check_stores, plan,
};

use crate::cell::job::CutJob;
use crate::drivers::discovery::{Driver, Drivers};
use crate::drivers::recipes::{drivers_for, lost, store_names};
use crate::explain::explained;
use crate::place::cgroup::MemoryGroups;
use crate::place::made_media::{BYTES_DEFAULT, NewFileSystem, check_room};
use crate::place::own_directory::{make_named, shown};
use crate::place::run_directory::Readers;
use crate::plan::flush::Flushes;
use crate::plan::imported_tape::ImportedTape;
use crate::plan::media::{absolute, check_writable, made_media, media_directories, plan_media};
use crate::plan::source::SuiteSource;
use crate::power_cut::grounds;
use crate::programs::Missing;
use crate::reporter::Reporter;
use crate::surroundings::{disturbance, profile};

/// Everything that is known before the first cell runs.
pub struct Setup {
    /// The options besides the suite.
    pub options: RunOptions,
    pub(crate) reporter: Reporter,
    /// The suite, with what the options change in it.
    pub suite: Suite,
    /// The drivers there are.
    pub drivers: Drivers,
    /// The stores that they offer.
    pub stores: Vec<StoreDescription>,
    /// Where each medium is.
    pub(crate) directories: BTreeMap<String, PathBuf>,
    pub(crate) media: BTreeMap<String, Medium>,
    /// Media that are made when the run starts, in `base`.
    pub(crate) made: BTreeMap<String, NewFileSystem>,
    /// Where images are made, and tapes of runs without a directory.
    pub(crate) base: PathBuf,
    /// The cells to measure, and those left out.
    pub plan: Plan,
    /// The imported tape that every workload of the plan replays, if the suite has one.
    pub(crate) imported: Option<ImportedTape>,
    /// Where cells' memory can be limited, if some cell's is to be.
    pub(crate) groups: Option<MemoryGroups>,
    pub(crate) corpus: Option<PathBuf>,
    flushes: OnceCell<Flushes>,
}

/// Refuses paths that `run.json` cannot keep, before anything is made.
fn check_paths_are_text(options: &RunOptions) -> Result<()> {
    let given = [Some(&options.out), options.dir.as_ref(), options.corpus.as_ref(), options.driver.as_ref()];
    let current = std::env::current_dir().ok();
    match given.into_iter().flatten().chain(&current).find(|path| path.to_str().is_none()) {
        Some(path) => bail!("the path {} is not UTF-8, so run.json cannot keep it: use a UTF-8 path", shown(path)),
        None => Ok(()),
    }
}

/// The drivers that the suite's stores need, `first` before all others; a suite's store that no
/// driver has is refused.
fn drivers_knowing(suite: &Suite, first: Option<&Path>) -> Result<Drivers> {
    let mut drivers = Drivers::beside()?;
    first.map_or(Ok(()), |first| drivers.prefer(first))?;
    for suite in suite.measured() {
        match suite.stores() {
            StoreChoice::All => drivers.ask_path()?,
            StoreChoice::Named(names) => drivers.ask_path_for(names)?,
        }
    }
    let check = |drivers: &Drivers| -> Result<()> {
        let names = store_names(drivers)?;
        Ok(check_stores(suite, &names.known, &names.hidden)?)
    };
    if check(&drivers).is_err() {
        // It may have settings for a store of another driver.
        drivers.ask_path()?;
    }
    drivers.check_any()?;
    check(&drivers)?;
    Ok(drivers)
}

impl Setup {
    /// Reads, finds and plans the requested run. It builds missing drivers, if anything may be built.
    pub fn new(options: &RunOptions, source: &SuiteSource, may_build: bool, reporter: Reporter) -> Result<Self> {
        check_paths_are_text(options)?;
        let mut overrides = options.overrides.clone();
        if !options.media.is_empty() {
            overrides.set("medium", options.media.keys().cloned().collect());
        }
        if options.profile.is_some() && overrides.get("rounds").is_none() {
            // Rounds are for intervals, and of a profiled run there are none.
            overrides.set("rounds", vec!["1".to_owned()]);
        }
        let mut suite = Suite::parse_with(&source.name, &source.text, &overrides)?;
        let imported = suite.tape().map(ImportedTape::open).transpose()?;
        if let Some(imported) = &imported {
            suite = suite.replaying(&imported.workload)?;
        }
        let drivers = drivers_knowing(&suite, options.driver.as_deref())?;
        let is_cut = suite.measured().iter().any(Suite::is_cut);
        let made = made_media(&options.media, if is_cut { grounds::DISK_BYTES } else { BYTES_DEFAULT })?;
        if is_cut {
            if !suite.measured().iter().all(Suite::is_cut) {
                bail!(
                    "some variants end with power cuts and some do not: give every variant ending = \"cut\", or none"
                );
            }
            suite.all_media().into_iter().try_for_each(|medium| grounds::check_medium(medium, made.get(medium)))?;
        }
        let directories = media_directories(options, &made, &suite)?;
        let base = options.dir.clone().unwrap_or_else(|| options.out.clone());
        check_links(&base).with_context(|| format!("cannot use {}", base.display()))?;
        if !made.is_empty() {
            make_named(&base, "--dir")?;
        }
        let base = base.canonicalize().unwrap_or(base);
        if !is_cut {
            check_room(&made, &base)?;
        }
        // Nobody should wait for a driver to be built only to hear that a directory is not there.
        let drivers = drivers_for(drivers, suite.stores(), |_| options.driver.is_none(), may_build, reporter)?;
        let lost = lost(&drivers)?;
        let stores = match options.driver {
            Some(_) => drivers.drivers[0].description.stores.clone(),
            None => drivers.stores(),
        };
        let is_offered = |name: &str| stores.iter().any(|store| store.name == name);
        let is_left_out = |store: &str| lost.contains_key(store) || options.driver.is_some() && !is_offered(store);
        let left_out = suite.leave_out(is_left_out);
        let media: BTreeMap<_, _> =
            directories.iter().map(|(name, directory)| (name.clone(), Medium::read(directory))).collect();
        let plan_media = plan_media(&media, &directories, &made, &base);
        let mut plan = plan(&suite, &stores, &plan_media)?;
        plan.skip_unresponsive(left_out.into_iter().filter_map(|store| lost.get_key_value(&store)));
        Machine::read_memory().memory_usable_bytes().map_or(Ok(()), |bytes| check_memory(&suite, &stores, bytes))?;
        plan.skip_killed(|store| drivers.of_store(store).is_some_and(|driver| driver.description.recovers));
        plan.skip_cut(|store| takes_cuts(&drivers, &stores, store));
        if let Some(profile) = options.profile {
            plan.profile(profile, |store| profile == Profile::Cpu || profiles_itself(&drivers, store, profile));
        }
        let groups = memory_groups(&mut plan);
        let corpus = options.corpus.as_deref().map(absolute).transpose()?;
        Ok(Self {
            options: options.clone(),
            reporter,
            suite,
            drivers,
            stores,
            directories,
            media,
            made,
            base,
            plan,
            imported,
            groups,
            corpus,
            flushes: OnceCell::new(),
        })
    }

    /// Checks that the corpus has text, that directories can be written, media made and
    /// disturbances started here, before anything is.
    pub fn check_tools(&self, missing: Missing) -> Result<()> {
        self.checks(missing).collect()
    }

    /// All that is wanting here of what [`Self::check_tools`] checks.
    pub fn lacks(&self) -> impl Iterator<Item = anyhow::Error> {
        self.checks(Missing::Tell).filter_map(Result::err)
    }

    fn checks(&self, missing: Missing) -> impl Iterator<Item = Result<()>> {
        let corpus = self.corpus.iter().map(|corpus| Ok(bakeoff_tape::check_corpus(corpus)?));
        let directories = self.directories.values().map(|directory| check_writable(directory));
        let made = self.made.values().map(move |file_system| match self.is_cut() {
            true => grounds::check(file_system, missing),
            false => file_system.check(missing),
        });
        let disturbed =
            self.disturbances().into_iter().map(move |disturbance| disturbance::check(disturbance, missing));
        let profiled = std::iter::once_with(move || profile::check(self.is_sampled_from_outside(), missing));
        corpus.chain(directories).chain(made).chain(disturbed).chain(profiled)
    }

    /// Whether some driver of the plan is to be profiled and cannot profile itself.
    pub(crate) fn is_sampled_from_outside(&self) -> bool {
        let Some(profile) = self.options.profile else { return false };
        let mut cells = self.plan.workloads.iter().flat_map(|workload| &workload.cells);
        cells.any(|cell| !profiles_itself(&self.drivers, &cell.axes.store, profile))
    }

    /// Stores of the plan that lack a library here: reported before they fail, so that the user can install it.
    pub fn cannot_be_opened(&self) -> BTreeSet<String> {
        let stores = self.plan.workloads.iter().flat_map(|workload| &workload.cells).map(|cell| &cell.axes.store);
        let missing = stores.filter_map(|store| Some((store, self.drivers.missing(store)?)));
        missing.map(|(store, why)| format!("{store} cannot be opened here, so its cells will fail: {why}")).collect()
    }

    /// Whether disks lose their power in this run. Then all of its media are made, and none is mounted before a cell.
    pub(crate) fn is_cut(&self) -> bool {
        self.suite.measured().iter().any(Suite::is_cut)
    }

    /// How the power is cut in the cells of a workload, if it is.
    pub(crate) fn cut_job(&self, workload: &WorkloadPlan) -> Option<CutJob<'_>> {
        let axes = &workload.cells.first()?.axes;
        let file_system = self.made.get(&workload.conditions.medium).filter(|_| axes.cut)?;
        let suite = self
            .suite
            .measured()
            .iter()
            .find(|suite| suite.variant().map(|variant| &variant.name) == workload.variant.as_ref());
        Some(CutJob { file_system, cuts: suite?.cuts(), seed: self.suite.seed() })
    }

    /// What else goes on in some workload of the plan.
    pub(crate) fn disturbances(&self) -> BTreeSet<Disturbance> {
        self.plan.workloads.iter().map(|workload| workload.conditions.disturbance).collect()
    }

    /// What the suite says of variants and the stores that take part in them.
    pub fn notes(&self) -> Vec<String> {
        self.suite.notes(|variant, store| {
            let of_variant = |workload: &&WorkloadPlan| workload.variant.as_deref() == Some(variant);
            let mut cells = self.plan.workloads.iter().filter(of_variant).flat_map(|workload| &workload.cells);
            cells.any(|cell| cell.axes.store == store)
        })
    }

    /// What flushes take, tried when first asked for: not every run is sized.
    pub(crate) fn flushes(&self) -> &Flushes {
        let measure = || {
            let cells = self.plan.workloads.iter().flat_map(|workload| &workload.cells);
            let media = cells.filter(|cell| self.flushes_writes(cell)).map(|cell| &cell.axes.medium);
            Flushes::measure(media, &self.directories, &self.made, &self.base)
        };
        self.flushes.get_or_init(measure)
    }

    /// Whether a cell's store flushes each write before it acknowledges it.
    pub(crate) fn flushes_writes(&self, cell: &Cell) -> bool {
        self.store(&cell.axes.store).is_ok_and(|store| store.flushes_writes(cell.axes.durability, &cell.settings))
    }

    /// Who may read the results: keys and times of an application's trace are its owner's.
    pub fn readers(&self) -> Readers {
        if self.imported.is_some() { Readers::Owner } else { Readers::All }
    }

    /// The driver of a store that is in the plan.
    pub fn driver(&self, name: &str) -> Result<&Driver> {
        self.drivers.of_store(name).with_context(|| not_offered(name))
    }

    /// The description of a store that is in the plan.
    pub fn store(&self, name: &str) -> Result<&StoreDescription> {
        self.stores.iter().find(|store| store.name == name).with_context(|| not_offered(name))
    }
}

/// The error where a store of the plan has no driver any more.
fn not_offered(name: &str) -> String {
    format!("no driver offers the store `{name}`: put its driver back, or leave the store out with --stores")
}

/// Whether a store can be listed after a power cut, and its driver does that.
fn takes_cuts(drivers: &Drivers, stores: &[StoreDescription], store: &str) -> bool {
    let described = stores.iter().find(|described| described.name == store);
    let lists = described.is_some_and(|described| {
        let capabilities = &described.capabilities;
        capabilities.keeps_data && (capabilities.scan_ordered || capabilities.scan_any_order)
    });
    lists && drivers.of_store(store).is_some_and(|driver| driver.description.power_cuts)
}

/// Whether the driver of a store can profile itself.
fn profiles_itself(drivers: &Drivers, store: &str, profile: Profile) -> bool {
    drivers.of_store(store).is_some_and(|driver| driver.description.profiles.contains(&profile))
}

/// Finds out whether memory can be limited, if some workload asks for it; where it cannot, those
/// are left out.
fn memory_groups(plan: &mut Plan) -> Option<MemoryGroups> {
    plan.workloads.iter().find(|workload| workload.conditions.memory_limit_bytes.is_some())?;
    let found = MemoryGroups::find();
    if let Err(why) = &found {
        plan.skip_limited(&explained(why));
    }
    found.ok()
}
