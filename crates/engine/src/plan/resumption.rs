//! A run is finished by what began it: the same stores, cells, machine, drivers and bakeoff, or not at all.

use anyhow::{Result, bail};
use bakeoff_measure::{Machine, Medium};

use crate::plan::run_record::cell_ids;
use crate::plan::setup::Setup;
use bakeoff_results::record::RunRecord;

/// Refuses to finish a run with anything that its figures depend on and that is not as when it began.
///
/// # Errors
/// What has changed, from what to what.
pub fn check_unchanged(file: &RunRecord, setup: &Setup, version: &str) -> Result<()> {
    check_plan(file, setup)?;
    check_same_machine(file, setup, version)
}

/// A run is finished by the same stores and the same cells that began it, or not at all.
fn check_plan(file: &RunRecord, setup: &Setup) -> Result<()> {
    for before in &file.stores {
        match setup.stores.iter().find(|store| store.name == before.name) {
            Some(store) if store == before => {}
            Some(store) if store.version == before.version => bail!(
                "{} describes itself otherwise than when the run began (`{} stores {}`), and rounds are held to \
                 what a store promises: put its driver back, or start a new run",
                before.title,
                bakeoff_text::program(),
                before.name
            ),
            Some(store) => bail!(
                "{} was {} when the run began and is {} now: their figures must not be mixed; start a new run",
                before.title,
                before.version,
                store.version
            ),
            None => bail!(
                "the store `{}` took part when the run began and no driver offers it now: put its driver back, or start a new run",
                before.name
            ),
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

/// A run is finished where it began, by the bakeoff that began it: `run.json` has the facts that a figure depends on
/// once.
fn check_same_machine(file: &RunRecord, setup: &Setup, version: &str) -> Result<()> {
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
    let machine = file.machine.clone().unwrap_or_default();
    let then = facts(&machine, &file.bakeoff_version);
    let mut pairs: Vec<_> =
        then.into_iter().zip(facts(&now, version)).map(|(then, (_, now))| (then.0, then.1, now)).collect();
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
