//! From what was typed to a plan: the suite, the drivers, the media, the cells.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_measure::{Machine, Medium};
use bakeoff_protocol::{Profile, StoreDescription};
use bakeoff_suite::{
    Cell, DEFAULT_MEDIUM, Disturbance, Overrides, Plan, PlanMedium, Suite, WorkloadPlan, check_memory, check_stores,
    plan,
};

use crate::cli::{RunArguments, SuiteArguments};
use crate::drivers::{Driver, Drivers};
use crate::engine::cgroup::MemoryGroups;
use crate::engine::disturbance;
use crate::engine::flush::Flushes;
use crate::engine::made_media::{NewFileSystem, check_room, images_bytes};
use crate::engine::profile;
use crate::engine::replayed::Replayed;
use crate::recipes::{drivers_for, lost, store_names};
use crate::tools::Missing;

/// Everything that is known before the first cell runs.
pub(crate) struct Setup {
    pub(crate) suite: Suite,
    pub(crate) drivers: Drivers,
    pub(crate) stores: Vec<StoreDescription>,
    /// Where each medium is.
    pub(crate) directories: BTreeMap<String, PathBuf>,
    pub(crate) media: BTreeMap<String, Medium>,
    /// Media that are made when the run starts, in `base`.
    pub(crate) made: BTreeMap<String, NewFileSystem>,
    /// Where images are made, and tapes of runs without a directory.
    pub(crate) base: PathBuf,
    pub(crate) plan: Plan,
    /// The imported tape that every workload of the plan replays, if the suite has one.
    pub(crate) replayed: Option<Replayed>,
    /// Where cells' memory can be limited, if some cell's is to be.
    pub(crate) groups: Option<MemoryGroups>,
    pub(crate) corpus: Option<PathBuf>,
    /// What is profiled, if something is.
    pub(crate) profile: Option<Profile>,
    flushes: OnceCell<Flushes>,
}

/// A suite's text and the name errors call it by.
#[derive(Clone)]
pub(crate) struct SuiteSource {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl SuiteSource {
    /// The suite that is asked for: one that replays a tape, or one by its name.
    pub(crate) fn of(arguments: &SuiteArguments) -> Result<Self> {
        let Some(tape) = &arguments.tape else { return Self::find(&arguments.suite) };
        let stores = Drivers::discover()?.stores();
        let names: Vec<_> = stores.into_iter().filter(|store| !store.test_only).map(|store| store.name).collect();
        let name = tape.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, text: Replayed::suite(tape, &names)? })
    }

    /// A file if it looks like one, else a suite of bakeoff's own, else a file after all.
    pub(crate) fn find(name: &str) -> Result<Self> {
        let path = Path::new(name);
        let looks_like_a_file = path.extension().is_some_and(|extension| extension == "toml") || name.contains('/');
        let text = match bakeoff_suite::builtin::find(name) {
            Ok(text) => text.to_owned(),
            Err(unknown) if !looks_like_a_file && !path.exists() => return Err(unknown.into()),
            Err(_) => bakeoff_suite::read_text(path)?,
        };
        Ok(Self { name: name.to_owned(), text })
    }
}

/// The drivers there are; a suite's store that none of them has is refused.
fn drivers_knowing(suite: &Suite) -> Result<Drivers> {
    let drivers = Drivers::discover()?;
    let names = store_names(&drivers)?;
    check_stores(suite, &names.known, &names.hidden)?;
    Ok(drivers)
}

impl Setup {
    /// Reads, finds and plans everything that `arguments` ask for.
    pub(crate) fn new(arguments: &RunArguments, source: &SuiteSource) -> Result<Self> {
        let given = given_media(arguments)?;
        let media = Some(given.keys().cloned().collect()).filter(|names: &Vec<_>| !names.is_empty());
        let mut overrides = Overrides { media, ..overrides(&arguments.suite) };
        if arguments.profile.is_some() {
            // Rounds are for intervals, and of a profiled run there are none.
            overrides.rounds.get_or_insert_with(|| "1".to_owned());
        }
        let mut suite = Suite::parse_with(&source.name, &source.text, &overrides)?;
        let replayed = suite.tape().map(Replayed::open).transpose()?;
        if let Some(replayed) = &replayed {
            suite = suite.replaying(&replayed.workload)?;
        }
        let drivers = drivers_knowing(&suite)?;
        let made = made_media(&given)?;
        let directories = media_directories(arguments, given, &made, &suite)?;
        let base = arguments.dir.clone().unwrap_or_else(|| arguments.out.clone());
        if !made.is_empty() {
            std::fs::create_dir_all(&base).with_context(|| format!("cannot make {}", base.display()))?;
        }
        let base = base.canonicalize().unwrap_or(base);
        check_room(&made, &base)?;
        // Nobody should wait for a driver to be built only to hear that a directory is not there.
        let drivers = drivers_for(drivers, suite.stores(), |_| true, !arguments.plan)?;
        let lost = lost(&drivers)?;
        let left_out = suite.leave_out(|store| lost.contains_key(store));
        let stores = drivers.stores();
        let media: BTreeMap<_, _> =
            directories.iter().map(|(name, directory)| (name.clone(), Medium::read(directory))).collect();
        let plan_media = plan_media(&media, &directories, &made, &base);
        let mut plan = plan(&suite, &stores, &plan_media)?;
        plan.skip_lost(left_out.into_iter().filter_map(|store| lost.get_key_value(&store)));
        Machine::read_memory().memory_usable_bytes().map_or(Ok(()), |bytes| check_memory(&suite, &stores, bytes))?;
        plan.skip_killed(|store| drivers.of_store(store).is_some_and(|driver| driver.description.recovers));
        if let Some(profile) = arguments.profile {
            plan.profile(profile, |store| profile == Profile::Cpu || profiles_itself(&drivers, store, profile));
        }
        let groups = memory_groups(&mut plan);
        let corpus = arguments.suite.corpus.as_deref().map(absolute).transpose()?;
        let profile = arguments.profile;
        let flushes = OnceCell::new();
        Ok(Self {
            suite,
            drivers,
            stores,
            directories,
            media,
            made,
            base,
            plan,
            replayed,
            groups,
            corpus,
            profile,
            flushes,
        })
    }

    /// Checks that the corpus has text, that directories can be written, media made and disturbances started here, before anything
    /// is.
    pub(crate) fn check_tools(&self, missing: Missing) -> Result<()> {
        self.checks(missing).collect()
    }

    /// All that is wanting here of what [`Self::check_tools`] checks.
    pub(crate) fn lacks(&self) -> impl Iterator<Item = anyhow::Error> {
        self.checks(Missing::Tell).filter_map(Result::err)
    }

    fn checks(&self, missing: Missing) -> impl Iterator<Item = Result<()>> {
        let corpus = self.corpus.iter().map(|corpus| Ok(bakeoff_tape::check_corpus(corpus)?));
        let directories = self.directories.values().map(|directory| check_writable(directory));
        let made = self.made.values().map(move |file_system| file_system.check(missing));
        let disturbed =
            self.disturbances().into_iter().map(move |disturbance| disturbance::check(disturbance, missing));
        let profiled = std::iter::once_with(move || profile::check(self.is_sampled_from_outside(), missing));
        corpus.chain(directories).chain(made).chain(disturbed).chain(profiled)
    }

    /// Whether some driver of the plan is to be profiled and cannot do it by itself.
    pub(crate) fn is_sampled_from_outside(&self) -> bool {
        let Some(profile) = self.profile else { return false };
        let mut cells = self.plan.workloads.iter().flat_map(|workload| &workload.cells);
        cells.any(|cell| !profiles_itself(&self.drivers, &cell.axes.store, profile))
    }

    /// Stores of the plan that lack a library here: said before they fail, so that whoever wants them can get it.
    pub(crate) fn cannot_be_opened(&self) -> BTreeSet<String> {
        let stores = self.plan.workloads.iter().flat_map(|workload| &workload.cells).map(|cell| &cell.axes.store);
        let missing = stores.filter_map(|store| Some((store, self.drivers.missing(store)?)));
        missing.map(|(store, why)| format!("{store} cannot be opened here, so its cells will fail: {why}")).collect()
    }

    /// What else goes on in some workload of the plan.
    pub(crate) fn disturbances(&self) -> BTreeSet<Disturbance> {
        self.plan.workloads.iter().map(|workload| workload.disturbance).collect()
    }

    /// What the suite says of variants and the stores that take part in them.
    pub(crate) fn notes(&self) -> Vec<String> {
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

    /// The driver of a store that is in the plan.
    pub(crate) fn driver(&self, name: &str) -> Result<&Driver> {
        self.drivers.of_store(name).with_context(|| format!("no driver offers the store `{name}`"))
    }

    /// The description of a store that is in the plan.
    pub(crate) fn store(&self, name: &str) -> Result<&StoreDescription> {
        self.stores
            .iter()
            .find(|store| store.name == name)
            .with_context(|| format!("no driver offers the store `{name}`"))
    }
}

/// Whether the driver of a store can profile itself.
fn profiles_itself(drivers: &Drivers, store: &str, profile: Profile) -> bool {
    drivers.of_store(store).is_some_and(|driver| driver.description.profiles.contains(&profile))
}

/// Finds out whether memory can be limited, if some workload asks for it; where it cannot, those are left out.
fn memory_groups(plan: &mut Plan) -> Option<MemoryGroups> {
    plan.workloads.iter().find(|workload| workload.memory_limit_bytes.is_some())?;
    let found = MemoryGroups::find();
    if let Err(why) = &found {
        plan.skip_limited(&format!("{why:#}"));
    }
    found.ok()
}

fn overrides(arguments: &SuiteArguments) -> Overrides {
    Overrides {
        stores: arguments.stores.clone(),
        variants: arguments.variants.clone(),
        durability: arguments.durability.clone(),
        records: arguments.records.clone(),
        value_size: arguments.value_size.clone(),
        data: arguments.data.clone(),
        threads: arguments.threads.clone(),
        memory_limit: arguments.memory_limit.clone(),
        memory: arguments.memory.clone(),
        speed: arguments.speed.clone(),
        rounds: arguments.rounds.clone(),
        seed: arguments.seed.clone(),
        max_db_size: arguments.max_db_size.clone(),
        timeout: arguments.timeout.clone(),
        scale: arguments.scale.clone(),
        disturbance: arguments.disturbance.clone(),
        media: None,
    }
}

/// What `--medium` says.
fn given_media(arguments: &RunArguments) -> Result<BTreeMap<String, PathBuf>> {
    let mut given = BTreeMap::new();
    for medium in &arguments.medium {
        let Some((name, directory)) =
            medium.split_once('=').filter(|(name, directory)| !name.is_empty() && !directory.is_empty())
        else {
            bail!("--medium {medium}: write NAME=DIR, for example --medium ssd=/mnt/a");
        };
        if given.insert(name.to_owned(), PathBuf::from(directory)).is_some() {
            bail!("--medium {medium}: the medium `{name}` was given before: give each a name of its own");
        }
    }
    Ok(given)
}

/// Where cells and tapes lie, and the room there is for them once everything that is to be made is.
fn plan_media(
    media: &BTreeMap<String, Medium>,
    directories: &BTreeMap<String, PathBuf>,
    made: &BTreeMap<String, NewFileSystem>,
    base: &Path,
) -> BTreeMap<String, PlanMedium> {
    let device = |path: &Path| std::fs::metadata(path).ok().map(|facts| facts.dev());
    let room = |directory: &Path, free_bytes: Option<u64>| {
        let images_bytes = if device(directory) == device(base) { images_bytes(made) } else { 0 };
        let free_bytes = free_bytes.map(|bytes| bytes.saturating_sub(images_bytes));
        PlanMedium { directory: directory.to_owned(), free_bytes }
    };
    let there = media.iter().map(|(name, medium)| (name.clone(), room(&directories[name], medium.free_bytes)));
    let mut media: BTreeMap<_, _> = there.collect();
    // Where the tapes lie.
    media.entry(DEFAULT_MEDIUM.to_owned()).or_insert_with(|| room(base, Medium::read(base).free_bytes));
    for (name, file_system) in made {
        // A tenth is the file system's own.
        let free_bytes = Some(file_system.bytes / 10 * 9);
        media.insert(name.clone(), PlanMedium { directory: base.to_owned(), free_bytes });
    }
    media
}

/// Those of the media given that are to be made.
fn made_media(given: &BTreeMap<String, PathBuf>) -> Result<BTreeMap<String, NewFileSystem>> {
    let mut made = BTreeMap::new();
    for (name, place) in given {
        let new = NewFileSystem::parse(&place.to_string_lossy());
        if let Some(new) = new.with_context(|| format!("--medium {name}={}", place.display()))? {
            made.insert(name.clone(), new);
        }
    }
    Ok(made)
}

/// A directory for each medium of the suite that is not made.
fn media_directories(
    arguments: &RunArguments,
    mut given: BTreeMap<String, PathBuf>,
    made: &BTreeMap<String, NewFileSystem>,
    suite: &Suite,
) -> Result<BTreeMap<String, PathBuf>> {
    if !given.contains_key(DEFAULT_MEDIUM) {
        given.insert(DEFAULT_MEDIUM.to_owned(), arguments.dir.clone().unwrap_or_else(|| arguments.out.clone()));
    }
    if let Some(unused) =
        given.keys().find(|name| *name != DEFAULT_MEDIUM && !suite.all_media().contains(&name.as_str()))
    {
        bail!("--medium {unused}: the suite measures {} and no `{unused}`", suite.all_media().join(", "));
    }
    let mut directories = BTreeMap::new();
    for name in suite.all_media().into_iter().filter(|name| !made.contains_key(*name)) {
        let Some(directory) = given.get(name) else {
            bail!("the suite measures the medium `{name}`: say where it is with --medium {name}=DIR");
        };
        if directory == &arguments.out {
            std::fs::create_dir_all(directory)
                .with_context(|| format!("cannot make the directory {}", directory.display()))?;
        }
        if !directory.is_dir() {
            bail!("{} is not a directory: make it first, or give another", directory.display());
        }
        let directory = absolute(directory)?;
        if let Some((other, _)) = directories.iter().find(|(_, known)| **known == directory) {
            bail!(
                "the media `{other}` and `{name}` are the same directory, {}: their figures would differ by chance alone; give \
                 each one of its own",
                directory.display()
            );
        }
        directories.insert(name.to_owned(), directory);
    }
    Ok(directories)
}

/// Otherwise a run would begin, make its results and only then find that it cannot put a store anywhere. The file has no name, so
/// nothing stays of it whatever happens.
fn check_writable(directory: &Path) -> Result<()> {
    tempfile::tempfile_in(directory).map(drop).with_context(|| {
        format!(
            "cannot write in {}: give a directory that you may write in, with --dir or --medium",
            directory.display()
        )
    })
}

fn absolute(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot find {}", path.display()))
}
