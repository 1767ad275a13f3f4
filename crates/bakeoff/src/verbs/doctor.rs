//! `bakeoff doctor`: what could spoil a measurement here, and what is missing for which driver.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use bakeoff_measure::{Clock, Machine, Medium, before_run, nofile_limit};
use bakeoff_protocol::Platform;
use bakeoff_suite::approximate_size;

use crate::Outcome;
use crate::cli::{COLUMNS, DoctorArguments};
use crate::drivers::{Driver, Drivers};
use crate::engine::cgroup::MemoryGroups;
use crate::engine::profile;
use crate::recipes::{Recipe, left_out, not_built};

/// Below this much free disk most suites skip something.
const FREE_BYTES_WANTED: u64 = 4 << 30;

/// Below this many open files some stores cannot work as they are meant to.
const OPEN_FILES_WANTED: u64 = 1024;

/// Runs the verb.
pub(crate) fn main(arguments: &DoctorArguments) -> Result<Outcome> {
    let directory = arguments.dir.canonicalize().with_context(|| {
        format!("cannot find the directory {}: make it first, or give another with --dir", arguments.dir.display())
    })?;
    let machine = Machine::read();
    let medium = Medium::read(&directory);
    print_machine(&machine);
    print_clock();
    print_medium(&medium);
    let advice = print_drivers()?;
    print_advice(&machine, &medium, advice);
    Ok(Outcome::Good)
}

/// One fact; what could not be read is said to be unknown.
fn line(name: &str, value: Option<String>) {
    let value = value.unwrap_or_else(|| "unknown".to_owned());
    let (first, later) = (format!("  {name:<20} "), " ".repeat(23));
    anstream::print!("{}", bakeoff_report::paragraph(&bakeoff_report::printable(&value), COLUMNS, &first, &later));
}

fn print_machine(machine: &Machine) {
    anstream::println!("Machine");
    line("system", machine.os.clone());
    line("kernel", machine.kernel.clone());
    line("processor", machine.cpu_model.clone().map(|model| format!("{model} ({})", machine.architecture)));
    line("CPUs usable", machine.cpus_usable.map(|count| count.to_string()));
    line("hypervisor", machine.hypervisor.clone().or_else(|| Some("none seen".to_owned())));
    line("memory usable", machine.memory_usable_bytes().map(approximate_size));
    let limits = MemoryGroups::find().map_or_else(|why| format!("not possible: {why:#}"), |_| "possible".to_owned());
    line("memory-limit", Some(limits));
    line("profiling", Some(profile::possibility()));
    line("swap in use", machine.swap_used_bytes.map(approximate_size));
    let governors: Vec<_> = machine.governors.values().map(String::as_str).collect();
    let scaling = if governors.is_empty() { "not to be set here".to_owned() } else { governors.join(", ") };
    line("frequency scaling", Some(scaling));
    line("load, 1 minute", machine.load_1m.map(|load| format!("{load:.2}")));
    line("kernel's clock", machine.clock_source.clone());
}

fn print_medium(medium: &Medium) {
    anstream::println!("\nDirectory {}", medium.directory.display());
    line("file system", medium.file_system.clone());
    line("mounted at", medium.mount_point.as_ref().map(|point| point.display().to_string()));
    line("mount options", (!medium.mount_options.is_empty()).then(|| medium.mount_options.join(",")));
    line("device", medium.device_name.clone());
    line("model", medium.device_model.clone());
    let spins = |rotational| if rotational { "yes (virtual disks often say so wrongly)" } else { "no" };
    line("rotational", medium.rotational.map(|rotational| spins(rotational).to_owned()));
    line("scheduler", medium.scheduler.clone());
    line("write cache", medium.write_cache.clone());
    line("free", medium.free_bytes.map(approximate_size));
    let limit = nofile_limit().soft.map_or_else(|| "no limit".to_owned(), |limit| format!("at most {limit}"));
    line("open files", Some(limit));
}

fn print_clock() {
    let clock = Clock::new();
    line("clock in use", Some(format!("{}, {} ns for two readings", clock.name(), clock.pair_ns())));
}

/// Prints what there is to open stores with; gives advice on what cannot.
fn print_drivers() -> Result<Vec<String>> {
    anstream::println!("\nDrivers");
    let mut advice = Vec::new();
    match Drivers::discover() {
        Ok(found) => {
            for driver in &found.drivers {
                let stores: Vec<_> =
                    driver.description.stores.iter().filter(|s| !s.test_only).map(|s| s.name.as_str()).collect();
                line(&driver.description.driver, Some(format!("{} ({})", stores.join(", "), driver.description.build)));
                let mut missing = driver.description.missing.clone();
                if driver.description.platform == Platform::Jvm {
                    let runtime = check(driver).map(|checked| {
                        missing.extend(checked.missing);
                        checked.runtime
                    });
                    let runtime = runtime.unwrap_or_else(|why| {
                        advice.push(format!("{} cannot run: {why}", driver.description.driver));
                        format!("CANNOT RUN: {why}")
                    });
                    line("", Some(runtime));
                }
                for (store, why) in &missing {
                    line("", Some(format!("CANNOT OPEN {store}: {why}")));
                    advice.push(format!("{store} cannot be opened: {why}"));
                }
            }
            for (program, why) in &found.silent {
                line(program, Some(format!("LEFT OUT: {why}")));
            }
            advice.extend(left_out(&found)?.into_values());
            not_built(&found)?.iter().for_each(print_not_built);
        }
        Err(error) => {
            line("none", Some(format!("{error:#}")));
            advice.push(format!("no store can be opened: {error:#}"));
        }
    }
    Ok(advice)
}

/// What a driver that needs more than itself found when it looked.
struct Checked {
    /// What it runs with.
    runtime: String,
    /// Why stores cannot be opened, as things are now: a description may be older.
    missing: BTreeMap<String, String>,
}

/// Has a driver look at all it needs; as an error what it cannot run without, in its own words.
fn check(driver: &Driver) -> Result<Checked, String> {
    match Command::new(&driver.path).arg("check").stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            let mut lines = text.lines().map(str::trim);
            let runtime = lines.next().unwrap_or_default().to_owned();
            let missing = lines.filter_map(|line| line.split_once(": "));
            Ok(Checked { runtime, missing: missing.map(|(store, why)| (store.to_owned(), why.to_owned())).collect() })
        }
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A driver that is not built yet, and what building it takes here.
fn print_not_built(recipe: &Recipe) {
    let missing = match recipe.missing() {
        None => format!("needs {}", recipe.needs.join(", ")),
        Some(missing) if missing.is_empty() => "nothing it needs is missing".to_owned(),
        Some(missing) => format!("missing, and installed then: {}", missing.join(", ")),
    };
    let words = format!("not built: {}; {} ({}); {missing}", recipe.store_list(), recipe.command(), recipe.wait);
    line(&recipe.program, Some(words));
}

/// What to mend before anything is measured: `warnings` of drivers, then those of the machine.
fn print_advice(machine: &Machine, medium: &Medium, mut warnings: Vec<String>) {
    anstream::println!("\nAdvice");
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
        anstream::println!("  nothing: measure away");
    }
    for warning in warnings {
        anstream::print!(
            "{}",
            bakeoff_report::paragraph(&bakeoff_report::printable(&warning), COLUMNS, "  - ", "    ")
        );
    }
}
