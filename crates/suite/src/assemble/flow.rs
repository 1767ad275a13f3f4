//! Checks that records last: follows their number from phase to phase.

use std::collections::BTreeMap;

use bakeoff_tape::{KeyForm, Operation, RunsOut, drawn_max, key_bytes_needed};
use bakeoff_text::format_count;

use crate::assemble::phase::Phase;
use crate::axes::{Axes, Key};
use crate::error::Problems;
use crate::limits::RECORDS_MAX;
use crate::node::SuiteFile;
use crate::place::Place;

/// Notes phases that run out of records, of keys or of a thread's own records. Only the first such setting of the axes
/// is noted.
pub(crate) fn check(phases: &[Phase<'_>], axes: &Axes, file: &SuiteFile, problems: &mut Problems) {
    unique_names(phases, problems);
    for (index, &records) in axes.records.iter().enumerate() {
        for &threads in &axes.threads {
            let before = problems.len();
            if records < u64::from(threads) {
                let message = format!("too few records for {threads} threads: {}", format_count(records));
                let help = "each thread writes records of its own: use more records or fewer threads";
                problems.add(&file.blame(&["threads"], &file.axis_place("records", index)), message, help);
            } else {
                lasting(phases, (axes, file), (records, threads), problems);
            }
            if problems.len() > before {
                return;
            }
        }
    }
}

fn unique_names(phases: &[Phase<'_>], problems: &mut Problems) {
    let mut seen = BTreeMap::new();
    for phase in phases.iter().filter(|phase| !phase.spec.name.is_empty()) {
        if seen.insert(&phase.spec.name, ()).is_some() {
            let message = format!("there is another {}", phase.table.name);
            problems.add(phase.table.place("name"), message, "give each phase a name of its own");
        }
    }
}

/// Follows one thread's records through the phases: a thread writes only its own records.
fn lasting(
    phases: &[Phase<'_>],
    (axes, file): (&Axes, &SuiteFile),
    (records, threads): (u64, u32),
    problems: &mut Problems,
) {
    let mut live = 0;
    let mut inserted = 0u64;
    let mut asks_missing = false;
    for phase in phases {
        let spec = &phase.spec;
        let lanes = spec.lane_of_each_role(threads, !phase.only_inserts());
        let (mut fewest, mut indexes) = (u64::MAX, 0);
        for lane in lanes.into_iter().map(|lane| spec.of_lane(lane, threads, records)) {
            let own = lane.operations.unwrap_or(records);
            match lane.records_left(own, live) {
                Ok(left) => fewest = fewest.min(left),
                Err(short) => return runs_out(phase, file, (records, threads, live), short, problems),
            }
            // Each lane numbers its records in steps of the number of lanes.
            let of_lane = |kind| drawn_max(lane.share(kind), own).saturating_mul(threads.into());
            indexes = indexes.max(of_lane(Operation::Insert).saturating_add(of_lane(Operation::Upsert)));
        }
        if spec.roles.is_empty() {
            let operations = spec.operations.unwrap_or(records);
            let of_all = |kind| drawn_max(spec.share(kind), operations);
            indexes = of_all(Operation::Insert).saturating_add(of_all(Operation::Upsert));
        }
        inserted = inserted.saturating_add(indexes);
        if inserted > RECORDS_MAX {
            let message = format!("with {} there may be {} records", phase.table.name, format_count(inserted));
            let help = format!("a workload numbers at most {}: use fewer", format_count(RECORDS_MAX));
            problems.add(&file.blame(&["records"], phase.table.place("operations")), message, help);
            return;
        }
        // A missing integer key lies above all existing keys.
        asks_missing |= spec.missing > 0.0;
        let spare = |key: &Key| u64::from(asks_missing && key.form == KeyForm::Integer);
        let short = axes.keys.iter().position(|key| inserted.saturating_add(spare(key)) > key.count());
        if let Some(at) = short {
            let key = &axes.keys[at];
            keys_run_out(phase, (at, key), file, inserted + spare(key), problems);
            return;
        }
        live = fewest;
    }
}

fn runs_out(
    phase: &Phase<'_>,
    file: &SuiteFile,
    (records, threads, live): (u64, u32, u64),
    RunsOut { taken, one_left }: RunsOut,
    problems: &mut Problems,
) {
    let short = if live == taken && live > 0 && one_left { ", and one must be left" } else { "" };
    let takes = match phase.does(Operation::Insert) {
        true => format!("may delete {taken} more than it inserts"),
        false => format!("may delete {taken}"),
    };
    let message = format!(
        "{} runs out of records: with records = {records} and threads = {threads}, a thread has {live} and {takes}{short}",
        phase.table.name
    );
    let place = file.blame(&["records", "threads"], phase.table.place("operations"));
    let help = match &place {
        Place::Flag { flag: "records", .. } => {
            "give more, or --scale in its place, such as --scale 0.02, which lessens operations as well"
        }
        _ if phase.does(Operation::Insert) => {
            "use fewer operations or more records, or give inserts the weight of deletes, which then refill what deletes take"
        }
        _ => "use fewer operations or more records, or put deleted records back with restore = true",
    };
    problems.add(&place, message, help);
}

/// Notes keys that are too short for the number of records. Every record needs its own key, even after others were
/// deleted.
fn keys_run_out(phase: &Phase<'_>, (at, key): (usize, &Key), file: &SuiteFile, inserted: u64, problems: &mut Problems) {
    let (form, names) = (key.form.name(), format_count(key.count()));
    let message = format!(
        "with {} there may be {} records, and these {form} keys name at most {names}",
        phase.table.name,
        format_count(inserted)
    );
    let needed = key_bytes_needed(key.form, inserted);
    let help = format!("write \"{form}:{needed}\" or longer, or use fewer records");
    problems.add(&file.blame(&["records", "key"], &file.axis_place("key", at)), message, help);
}
