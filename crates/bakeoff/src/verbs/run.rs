//! `bakeoff run`: measure, keep, rank.

mod print;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_measure::{Machine, Medium};
use bakeoff_protocol::{PROTOCOL_VERSION, StoreDescription};
use bakeoff_suite::StoreChoice;
use clap::Parser;

use crate::cli::{COLUMNS, Cli, RunArguments, Verb};
use crate::drivers::Driver;
use crate::engine::disturbance;
use crate::engine::find_rate;
use crate::engine::guard::Guard;
use crate::engine::interrupt::Interrupt;
use crate::engine::made_media::MadeMedia;
use crate::engine::names;
use crate::engine::profile::ProfileFacts;
use crate::engine::results::Results;
use crate::engine::run::Run;
use crate::engine::run_file::{DriverFacts, RunFile, SuiteText, VariantText, WhatWhy, now};
use crate::engine::scratch::{Scratch, remove_if_left, remove_left_behind, tell_of_left_stores};
use crate::engine::setup::{Setup, SuiteSource};
use crate::engine::warnings;
use crate::files::{Kind, OwnDirectory, newest_results, remove_unfinished, shown};
use crate::outcome::Outcome;
use crate::recipes::{self, Recipe, tell_left_out};
use crate::tools::Missing;
use crate::verbs::{pick, report};
use crate::version::VERSION;

pub(crate) use print::print_warnings;
use print::{print_plan, print_start, skipped_lines};

/// The part of the usable memory that a driver may take for itself, so that one store's hunger does not bring
/// the machine down.
const MEMORY_PART: (u64, u64) = (9, 10);

/// The shortest time that a run may be given.
const BUDGET_MIN: Duration = Duration::from_secs(1);

/// Runs the verb.
pub(crate) fn main(arguments: RunArguments) -> Result<Outcome> {
    match &arguments.resume {
        None => start(&arguments),
        Some(None) => resume(&newest_results(&arguments.out)?, &arguments),
        Some(Some(run)) => resume(run, &arguments),
    }
}

fn start(arguments: &RunArguments) -> Result<Outcome> {
    let budget = arguments.budget.as_deref().map(parse_budget).transpose()?;
    let source = SuiteSource::of(&arguments.suite)?;
    let _looked_at = arguments.plan.then(|| LookedAt::before(&arguments.out));
    let setup = Setup::new(arguments, &source)?;
    tell_left_out(&setup.drivers)?;
    // A run has them among its warnings.
    let of_suite = if arguments.plan { setup.notes() } else { Vec::new() };
    for reason in of_suite.into_iter().chain(setup.cannot_be_opened()) {
        tell!("note: {}", bakeoff_text::printable(&reason));
    }
    if setup.plan.workloads.is_empty() {
        // Where nothing can be written there is no room either.
        setup.check_tools(Missing::Tell)?;
        bail!("nothing is left to run:{}", skipped_lines(&skipped(&setup)));
    }
    let find_rate = arguments.find_rate.as_deref().map(|bound| find_rate::facts(&setup, bound)).transpose()?;
    if let (Some(facts), Some(budget)) = (&find_rate, budget) {
        find_rate::check_budget(&setup, facts, budget)?;
    }
    if arguments.plan {
        print_plan(&setup, budget, find_rate.is_some())?;
        return Ok(Outcome::Good);
    }
    setup.check_tools(Missing::Install)?;
    let machine = Machine::read();
    let mut file = run_file(&setup, source, machine);
    let directory = make_run_directory(&arguments.out, setup.suite.name())?;
    if find_rate.is_some() {
        // Which cells there will be is found out on the way.
        file.cells.clear();
        file.find_rate = find_rate;
    }
    file.write(directory.path())?;
    print_start(&setup, &file, directory.path(), budget);
    execute(arguments, &setup, &directory, file, budget, |_| true)
}

/// Directories that were made to see what they lie on, and go with this: who only looks changes nothing.
struct LookedAt(Vec<PathBuf>);

impl LookedAt {
    /// To be called before `path` is made.
    fn before(path: &Path) -> Self {
        let is_missing = |directory: &&Path| !directory.as_os_str().is_empty() && !directory.exists();
        Self(path.ancestors().take_while(is_missing).map(Path::to_owned).collect())
    }
}

impl Drop for LookedAt {
    fn drop(&mut self) {
        // Those alone in which nobody has put anything meanwhile.
        self.0.iter().all(|directory| std::fs::remove_dir(directory).is_ok());
    }
}

/// Goes on with a run that was cut short, exactly as it was begun.
fn resume(path: &Path, given: &RunArguments) -> Result<Outcome> {
    let directory = OwnDirectory::open(path, Kind::Results)?;
    let file = RunFile::read(directory.path())?;
    if file.pick.is_some() {
        bail!("{} is a pick, whose race cannot be taken up again: start another", path.display());
    }
    let mut arguments = arguments_of(&file)?;
    // Results may have been moved: where no directory was given for the stores, they lie beside the results, as before.
    if let Some(out) = directory.path().canonicalize()?.parent() {
        out.clone_into(&mut arguments.out);
    }
    std::env::set_current_dir(&file.working_directory)
        .with_context(|| format!("the run was started in {}", file.working_directory.display()))?;
    let source = SuiteSource { name: file.suite.name.clone(), text: file.suite.text.clone() };
    let setup = Setup::new(&arguments, &source)?;
    check_unchanged(&file, &setup)?;
    check_same_machine(&file, &setup)?;
    setup.check_tools(Missing::Install)?;
    let budget = given.budget.as_deref().or(arguments.budget.as_deref()).map(parse_budget).transpose()?;
    tell!("Going on with {}", shown(directory.path()));
    execute(&RunArguments { full: given.full, ..arguments }, &setup, &directory, file, budget, |_| true)
}

/// What the run was started with, from its recorded command line.
pub(crate) fn arguments_of(file: &RunFile) -> Result<RunArguments> {
    let cli = Cli::try_parse_from(&file.command_line)
        .map_err(|error| anyhow::anyhow!("the run's command line cannot be read: {error}"))?;
    match cli.verb {
        Verb::Run(arguments) => Ok(arguments),
        Verb::Pick(arguments) => Ok(pick::run_arguments(&arguments)),
        _ => bail!("the run's command line is not one of `bakeoff run` or `pick`: {}", file.command_line.join(" ")),
    }
}

/// A run is finished by the same stores and the same cells that began it, or not at all.
fn check_unchanged(file: &RunFile, setup: &Setup) -> Result<()> {
    for before in &file.stores {
        match setup.stores.iter().find(|store| store.name == before.name) {
            Some(store) if store.version == before.version => {}
            Some(store) => bail!(
                "{} was {} when the run began and is {} now: their figures must not be mixed; start a new run",
                before.title,
                before.version,
                store.version
            ),
            None => bail!("the store `{}` took part when the run began and no driver offers it now", before.name),
        }
    }
    let cells = cell_ids(setup);
    if let Some(missing) = file.cells.iter().find(|cell| !cells.contains(cell)) {
        bail!(
            "cell {missing} of the run is not in its plan any more (another version, or less free disk?): start a new run"
        );
    }
    Ok(())
}

/// A run is finished where it began, by the bakeoff that began it: what a figure depends on stands in `run.json` once.
fn check_same_machine(file: &RunFile, setup: &Setup) -> Result<()> {
    let now = Machine::read();
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes.to_string());
    let facts = |machine: &Machine, version: &str| {
        [
            ("bakeoff", Some(version.to_owned())),
            ("the architecture", Some(machine.architecture.clone())),
            ("the processor", machine.cpu_model.clone()),
            ("the number of CPUs", bytes(machine.cpus_usable)),
            ("the memory in bytes", bytes(machine.memory_bytes)),
            ("the limit of memory in bytes", bytes(machine.memory_limit_bytes)),
            ("the kernel", machine.kernel.clone()),
        ]
    };
    let then = facts(&file.machine, &file.bakeoff_version);
    let mut pairs: Vec<_> =
        then.into_iter().zip(facts(&now, VERSION)).map(|(then, (_, now))| (then.0, then.1, now)).collect();
    for (name, medium) in &setup.media {
        let Some(then) = file.media.get(name) else { continue };
        pairs.push(("the file system", then.file_system.clone(), medium.file_system.clone()));
        pairs.push(("the device", then.device_name.clone(), medium.device_name.clone()));
        pairs.push(("the device's model", then.device_model.clone(), medium.device_model.clone()));
        let options = |medium: &Medium| Some(medium.mount_options.join(","));
        pairs.push(("how the file system is mounted", options(then), options(medium)));
    }
    for then in &file.drivers {
        let mut drivers = setup.drivers.drivers.iter();
        let Some(driver) = drivers.find(|now| now.description.driver == then.driver) else { continue };
        let (now, options) = (&driver.description, |of| serde_json::to_string(of).ok());
        pairs.push(("what the environment tells a driver", options(&then.options), options(&driver.options())));
        pairs.push(("a driver", Some(then.version.clone()), Some(now.version.clone())));
        pairs.push(("a driver's build", Some(then.build.clone()), Some(now.build.clone())));
    }
    let Some((what, then, now)) = pairs.into_iter().find(|(_, then, now)| then != now) else { return Ok(()) };
    let shown = |fact: Option<String>| bakeoff_text::printable(fact.as_deref().unwrap_or("unknown"));
    bail!(
        "{what} was {} when the run began and is {} now: their figures must not be mixed; start a new run",
        shown(then),
        shown(now)
    )
}

/// Runs what is planned, or races it if it is a pick, and shows what came of it; `may_join` says of drivers that are not built whether their
/// stores could take part.
pub(crate) fn execute(
    arguments: &RunArguments,
    setup: &Setup,
    directory: &OwnDirectory,
    mut file: RunFile,
    budget: Option<Duration>,
    may_join: impl Fn(&Recipe) -> bool,
) -> Result<Outcome> {
    let begin = Instant::now();
    let interrupt = Interrupt::install()?;
    let name = directory.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    remove_leftovers(setup, &name);
    remove_left_behind(&setup.base);
    tell_of_left_stores(setup.directories.values());
    // Before the media, so that it is dropped after them, and outside their namespace.
    let _guard = (!setup.made.is_empty()).then(|| Guard::start(&setup.base, &name)).transpose()?;
    let made = MadeMedia::create(&setup.made, &setup.base, &name)?;
    let directories = all_directories(setup, &made, &mut file);
    file.write(directory.path())?;
    if let Some(groups) = &setup.groups {
        groups.remove_leftovers();
    }
    let mut scratch = Scratch::create(&directories, &setup.base, &name)?;
    let results = Results::open(directory.path())?;
    let memory_bytes_max = file.machine.memory_usable_bytes().map(|bytes| bytes / MEMORY_PART.1 * MEMORY_PART.0);
    let run = Run {
        setup,
        directory,
        file,
        results,
        scratch: &mut scratch,
        interrupt: &interrupt,
        budget,
        memory_bytes_max,
        begin,
        cut: None,
    };
    let pick = run.file.pick.clone();
    let resumable = pick.is_none();
    let cannot = pick.iter().flat_map(|facts| &facts.excluded).map(|excluded| excluded.store.clone()).collect();
    let ended = match (pick, run.file.find_rate.clone()) {
        (Some(facts), _) => run.race(facts)?,
        (None, Some(facts)) => run.find_rates(facts)?,
        (None, None) => run.run()?,
    };
    if ended.interrupted {
        say_page(report::write_page_beside(directory.path()))?;
        let path = directory.path().display();
        let on = if resumable { format!("; go on with: bakeoff run --resume {path}") } else { String::new() };
        tell!("Stopped. What was measured is kept in {path}{on}");
        scratch.remove()?;
        made.remove()?;
        return Ok(Outcome::Interrupted);
    }
    // A pick says by itself what its budget was too short for.
    if ended.measured == 0 && budget.is_some() && resumable {
        scratch.remove()?;
        made.remove()?;
        bail!(
            "the budget ended before a cell was done: give more time, or ask for less with --stores, --records or \
             --value-size; what is known of the run is kept in {}",
            directory.path().display()
        );
    }
    // Before anything is printed, which ends where nobody reads it.
    let page = report::write_page_beside(directory.path());
    // The answer first: removing many files can take a while.
    report::show(directory.path(), arguments.full)?;
    print_line!("\nResults: {}", shown(directory.path()))?;
    let has_page = say_page(page)?;
    if arguments.suite.stores.is_none() {
        print_further_stores(setup, &cannot, may_join)?;
    }
    scratch.remove()?;
    made.remove()?;
    Ok(if ended.failed > 0 || !has_page { Outcome::SomeFailed } else { Outcome::Good })
}

/// Where each medium is, the made ones included, which are recorded now that they are there.
fn all_directories(setup: &Setup, made: &MadeMedia, file: &mut RunFile) -> BTreeMap<String, PathBuf> {
    let mut directories = setup.directories.clone();
    for (medium, directory) in made.directories() {
        let facts = Medium::read(&directory);
        // What serves it is what the kernel names; what it is, we know.
        let file_system = setup.made.get(&medium).map(|new| new.name.to_owned()).or(facts.file_system.clone());
        let image_on = (!facts.is_memory()).then(|| Box::new(Medium::read(&setup.base)));
        file.media.insert(medium.clone(), Medium { file_system, image_on, ..facts });
        directories.insert(medium, directory);
    }
    directories
}

/// Which stores could join, and what that costs where they are not built.
fn print_further_stores(setup: &Setup, cannot: &BTreeSet<String>, may_join: impl Fn(&Recipe) -> bool) -> Result<()> {
    let named = setup.suite.stores();
    let is_further = |store: &&StoreDescription| {
        !store.test_only
            && !cannot.contains(&store.name)
            && match named {
                StoreChoice::All => false,
                StoreChoice::Named(names) => !names.contains(&store.name),
            }
    };
    let built: Vec<&str> = setup.stores.iter().filter(is_further).map(|store| store.name.as_str()).collect();
    let built = (!built.is_empty()).then(|| format!("{}, which are built.", built.join(", ")));
    let missing = recipes::not_built(&setup.drivers)?;
    let missing = missing.iter().filter(|recipe| may_join(recipe));
    let missing = missing.map(|recipe| format!("{}, after being built ({}).", recipe.store_list(), recipe.wait));
    for text in missing.chain(built) {
        print_text!("{}", bakeoff_text::paragraph(&text, COLUMNS, "Could join with --stores: ", "  "))?;
    }
    Ok(())
}

/// Where the page beside the results is. False if it could not be written, which takes nothing from the results.
fn say_page(page: Result<PathBuf>) -> Result<bool> {
    match &page {
        Ok(path) => print_line!("Report:  {}", shown(path))?,
        Err(error) => tell!("bakeoff: the results have no report beside them: {error:#}"),
    }
    Ok(page.is_ok())
}

/// A killed run leaves its scratch directories behind; whoever finishes the run removes them.
fn remove_leftovers(setup: &Setup, run: &str) {
    for directory in setup.directories.values().chain([&setup.base]) {
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with(&names::of_any_process(run)) {
                continue;
            }
            if !remove_unfinished(&path) {
                remove_if_left(&path);
            }
        }
    }
}

fn parse_budget(text: &str) -> Result<Duration> {
    let budget = bakeoff_text::parse_duration(text).map_err(|why| anyhow::anyhow!("--budget {text}: {why}"))?;
    if budget < BUDGET_MIN {
        bail!("--budget {text}: too short to measure anything in: give at least 1s, such as 3m");
    }
    Ok(budget)
}

/// A new directory below `out`, named by time and suite, with one for logs in it.
pub(crate) fn make_run_directory(out: &Path, suite: &str) -> Result<OwnDirectory> {
    std::fs::create_dir_all(out).with_context(|| format!("cannot make the directory {}", out.display()))?;
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let names = std::iter::once(format!("{time}-{suite}")).chain((2..100).map(|n| format!("{time}-{suite}-{n}")));
    for path in names.map(|name| out.join(name)) {
        // Tried rather than asked for: another run may begin in the same second.
        let directory = match OwnDirectory::create(&path, Kind::Results) {
            Err(error) if is_there_already(&error) => continue,
            made => made?,
        };
        std::fs::create_dir(directory.path().join("logs")).context("cannot make the directory for logs")?;
        return Ok(directory);
    }
    bail!("cannot find a free name for results in {}", out.display())
}

fn is_there_already(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists)
}

fn cell_ids(setup: &Setup) -> Vec<String> {
    setup.plan.workloads.iter().flat_map(|workload| &workload.cells).map(|cell| cell.id.clone()).collect()
}

/// What is known of a run before it starts.
pub(crate) fn run_file(setup: &Setup, source: SuiteSource, machine: Machine) -> RunFile {
    let suite = &setup.suite;
    let in_plan = |name: &str| {
        setup.plan.workloads.iter().flat_map(|workload| &workload.cells).any(|cell| cell.axes.store == name)
    };
    let drivers = drivers(setup, in_plan);
    let warnings = warnings::before(setup, &machine, &drivers);
    RunFile {
        protocol: PROTOCOL_VERSION,
        bakeoff_version: VERSION.to_owned(),
        command_line: std::env::args().collect(),
        working_directory: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        started: now(),
        finished: None,
        suite: SuiteText {
            name: source.name,
            title: suite.title().to_owned(),
            summary: suite.summary().to_owned(),
            analysis: suite.analysis().to_owned(),
            variants: variants(suite),
            baseline: suite.baseline().to_vec(),
            scale: suite.scale(),
            numbers_given: suite.numbers_given().to_vec(),
            text: source.text,
        },
        seed: suite.seed(),
        rounds: suite.rounds(),
        machine,
        media: setup.media.clone(),
        disturbances: setup.disturbances().into_iter().filter_map(disturbance::facts).collect(),
        drivers,
        stores: setup.stores.iter().filter(|store| in_plan(&store.name)).cloned().collect(),
        cells: cell_ids(setup),
        skipped: skipped(setup),
        given_up: Vec::new(),
        warnings,
        pools: Vec::new(),
        pick: None,
        find_rate: None,
        profile: setup.profile.map(|kind| ProfileFacts::of(kind, setup.is_sampled_from_outside())),
    }
}

/// The drivers that take part, each with its stores.
fn drivers(setup: &Setup, in_plan: impl Fn(&str) -> bool) -> Vec<DriverFacts> {
    let stores = |path: &Path| -> Vec<String> {
        let names = setup.stores.iter().map(|store| &store.name).filter(|name| in_plan(name));
        names.filter(|name| setup.drivers.of_store(name).is_some_and(|of| of.path == path)).cloned().collect()
    };
    let facts = |driver: &Driver| DriverFacts {
        driver: driver.description.driver.clone(),
        version: driver.description.version.clone(),
        build: driver.description.build.clone(),
        path: driver.path.clone(),
        stores: stores(&driver.path),
        options: driver.options(),
    };
    setup.drivers.drivers.iter().map(facts).filter(|driver| !driver.stores.is_empty()).collect()
}

fn variants(suite: &bakeoff_suite::Suite) -> Vec<VariantText> {
    let variants = suite.measured().iter().filter_map(|measured| measured.variant());
    variants.map(|variant| VariantText { name: variant.name.clone(), summary: variant.summary.clone() }).collect()
}

fn skipped(setup: &Setup) -> Vec<WhatWhy> {
    setup.plan.skipped.iter().map(|skip| WhatWhy { what: skip.label(), why: skip.why.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn runs_that_begin_in_the_same_second_have_directories_of_their_own() {
        let place = tempfile::tempdir().expect("a directory");
        let begin = std::sync::Barrier::new(16);
        let make = || {
            begin.wait();
            make_run_directory(place.path(), "quick").expect("a directory for results")
        };
        let made: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let paths: BTreeSet<_> = made.iter().map(|directory| directory.path().to_owned()).collect();
        assert_eq!(paths.len(), 16, "{paths:?}");
        assert!(paths.iter().all(|path| path.join("logs").is_dir()));
    }
}
