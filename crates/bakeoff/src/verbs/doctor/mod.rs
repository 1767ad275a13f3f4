//! `bakeoff doctor`: what could spoil a measurement here, and what is missing for which driver.

mod equals;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use bakeoff_engine::{
    Advised, Driver, Drivers, MemoryGroups, Recipe, explained, left_out, not_built, power_cut_possibility,
    profiling_possibility,
};
use bakeoff_measure::{Clock, Machine, Medium, Warning, before_run, nofile_limit};
use bakeoff_protocol::Platform;
use bakeoff_text::approximate_size;

use crate::cli::DoctorArguments;
use crate::outcome::Outcome;
use crate::show::columns;

/// Below this much free disk most suites skip something.
const FREE_BYTES_WANTED: u64 = 4 << 30;

/// Below this many open files some stores cannot work as they are meant to.
const OPEN_FILES_WANTED: u64 = 1024;

/// Runs the verb.
pub(crate) fn main(arguments: &DoctorArguments) -> Result<Outcome> {
    let directory = arguments.dir.canonicalize().with_context(|| {
        let shown = arguments.dir.display();
        Advised(format!("cannot find the directory {shown}: make it first, or give another with --dir"))
    })?;
    let machine = Machine::read();
    let medium = Medium::read(&directory);
    print_machine(&machine)?;
    print_clock()?;
    print_medium(&medium)?;
    let drivers = Drivers::discover();
    let advice = print_drivers(&drivers)?;
    print_advice(&machine, &medium, advice)?;
    if arguments.aa { equals::main(arguments, &drivers?) } else { Ok(Outcome::Good) }
}

/// One fact; what could not be read is said to be unknown.
fn line(name: &str, value: Option<String>) -> Result<()> {
    let value = value.unwrap_or_else(|| "unknown".to_owned());
    let (first, later) = (format!("  {name:<20} "), " ".repeat(23));
    print_text!("{}", bakeoff_text::paragraph(&bakeoff_text::printable(&value), columns(), &first, &later))
}

fn print_machine(machine: &Machine) -> Result<()> {
    print_line!("Machine")?;
    line("system", machine.os.clone())?;
    line("kernel", machine.kernel.clone())?;
    line("processor", machine.cpu_model.clone().map(|model| format!("{model} ({})", machine.architecture)))?;
    line("CPUs usable", machine.cpus_usable.map(|count| count.to_string()))?;
    line("hypervisor", machine.hypervisor.clone().or_else(|| Some("none seen".to_owned())))?;
    line("memory usable", machine.memory_usable_bytes().map(approximate_size))?;
    let limits =
        MemoryGroups::find().map_or_else(|why| format!("not possible: {}", explained(&why)), |_| "possible".to_owned());
    line("memory-limit", Some(limits))?;
    line("profiling", Some(profiling_possibility()))?;
    line("power cuts", Some(power_cut_possibility()))?;
    line("swap in use", machine.swap_used_bytes.map(approximate_size))?;
    let governors: Vec<_> = machine.governors.values().map(String::as_str).collect();
    let scaling = if governors.is_empty() { "not to be set here".to_owned() } else { governors.join(", ") };
    line("frequency scaling", Some(scaling))?;
    line("load, 1 minute", machine.load_1m.map(|load| format!("{load:.2}")))?;
    line("kernel's clock", machine.clock_source.clone())
}

fn print_medium(medium: &Medium) -> Result<()> {
    print_line!("\nDirectory {}", medium.directory.display())?;
    line("file system", medium.file_system.clone())?;
    line("mounted at", medium.mount_point.as_ref().map(|point| point.display().to_string()))?;
    line("mount options", (!medium.mount_options.is_empty()).then(|| medium.mount_options.join(",")))?;
    line("device", medium.device_name.clone())?;
    line("model", medium.device_model.clone())?;
    let spins = |rotational| if rotational { "yes (virtual disks often say so wrongly)" } else { "no" };
    line("rotational", medium.rotational.map(|rotational| spins(rotational).to_owned()))?;
    line("scheduler", medium.scheduler.clone())?;
    line("write cache", medium.write_cache.clone())?;
    line("free", medium.free_bytes.map(approximate_size))?;
    let limit = nofile_limit().soft.map_or_else(|| "no limit".to_owned(), |limit| format!("at most {limit}"));
    line("open files", Some(limit))
}

fn print_clock() -> Result<()> {
    let clock = Clock::new();
    line("clock in use", Some(format!("{}, {} ns for two readings", clock.name(), clock.pair_ns())))
}

/// Prints what there is to open stores with; gives advice on what cannot.
fn print_drivers(drivers: &Result<Drivers>) -> Result<Vec<String>> {
    print_line!("\nDrivers")?;
    let mut advice = Vec::new();
    match drivers {
        Ok(found) => {
            found.drivers.iter().try_for_each(|driver| print_driver(driver, &mut advice))?;
            for (program, unresponsive) in &found.unresponsive {
                line(program, Some(format!("LEFT OUT: {}", unresponsive.why)))?;
            }
            advice.extend(left_out(found)?.into_values());
            advice.extend(found.passed_over());
            not_built(found)?.iter().try_for_each(print_not_built)?;
        }
        Err(error) => {
            line("none", Some(explained(error)))?;
            advice.push(format!("no store can be opened: {}", explained(error)));
        }
    }
    Ok(advice)
}

/// A driver with its stores, and what keeps it from opening them.
fn print_driver(driver: &Driver, advice: &mut Vec<String>) -> Result<()> {
    let description = &driver.description;
    let listed = |name: &str| description.stores.iter().any(|store| store.name == name && !store.test_only);
    let stores: Vec<_> =
        description.stores.iter().map(|store| store.name.as_str()).filter(|name| listed(name)).collect();
    line(&description.driver, Some(format!("{} ({})", stores.join(", "), description.build)))?;
    let mut missing = description.missing.clone();
    if description.platform == Platform::Jvm {
        missing.extend(print_runtime(driver, advice)?);
    }
    missing.retain(|store, _| listed(store));
    for (why, stores) in by_reason(&missing) {
        line("", Some(format!("CANNOT OPEN {stores}: {why}")))?;
        advice.push(format!("{stores} cannot be opened: {why}"));
    }
    Ok(())
}

/// What stores lack, each thing once, with all that lack it.
fn by_reason(missing: &BTreeMap<String, String>) -> Vec<(&str, String)> {
    let mut reasons: Vec<(&str, String)> = Vec::new();
    for (store, why) in missing {
        match reasons.iter_mut().find(|(reason, _)| reason == why) {
            Some((_, stores)) => stores.extend([", ", store]),
            None => reasons.push((why, store.clone())),
        }
    }
    reasons
}

/// Prints what runs a driver for the JVM, or why nothing does. Returns why its stores cannot be
/// opened, by name.
fn print_runtime(driver: &Driver, advice: &mut Vec<String>) -> Result<BTreeMap<String, String>> {
    let name = &driver.description.driver;
    let missing = match driver.check() {
        Ok(checked) => {
            line("", Some(checked.runtime))?;
            advice.extend(checked.java_home.map(|why| format!("JAVA_HOME is not used: {why}")));
            advice.extend(checked.profiler.map(|why| format!("stores on the JVM cannot be profiled: {why}")));
            advice.extend(Warning::jvm_options(name, &driver.options()).map(|warning| warning.to_string()));
            checked.missing
        }
        Err(why) => {
            line("", Some(format!("CANNOT RUN: {why}")))?;
            advice.push(format!("{name} cannot run, so none of its stores can be opened: {why}"));
            BTreeMap::new()
        }
    };
    Ok(missing)
}

/// A driver that is not built yet, and what building it takes here.
fn print_not_built(recipe: &Recipe) -> Result<()> {
    let missing = match recipe.missing() {
        None => format!("needs {}", recipe.needs.join(", ")),
        Some(missing) if missing.is_empty() => "nothing it needs is missing".to_owned(),
        Some(missing) => format!("missing, and installed then: {}", missing.join(", ")),
    };
    let line_text =
        format!("not built: {}; {} ({}); {missing}", recipe.store_list(), recipe.command(None), recipe.wait);
    line(&recipe.program, Some(line_text))
}

/// What to fix before anything is measured: `warnings` of drivers, then the machine's.
fn print_advice(machine: &Machine, medium: &Medium, mut warnings: Vec<String>) -> Result<()> {
    print_line!("\nAdvice")?;
    warnings.extend(before_run(machine, medium, &[]).iter().map(ToString::to_string));
    if let Some(free) = medium.free_bytes.filter(|free| *free < FREE_BYTES_WANTED) {
        warnings.push(format!(
            "only {} are free here: larger databases will be skipped; free some or give another --dir",
            approximate_size(free)
        ));
    }
    if let Some(limit) = nofile_limit().soft.filter(|limit| *limit < OPEN_FILES_WANTED) {
        warnings
            .push(format!("at most {limit} files can be open: some stores need more; raise it with `ulimit -n 4096`"));
    }
    if warnings.is_empty() {
        print_line!("  nothing: measure away")?;
    }
    for warning in warnings {
        print_text!("{}", bakeoff_text::paragraph(&bakeoff_text::printable(&warning), columns(), "  - ", "    "))?;
    }
    Ok(())
}
