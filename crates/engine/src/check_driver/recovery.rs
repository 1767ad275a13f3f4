//! A store that is killed, and opened again by a second process.

use bakeoff_protocol::{Crash, Durability, Event};
use bakeoff_tape::Operation;
use std::os::unix::process::ExitStatusExt;

use crate::check_driver::bench::{Bench, mixed};
use crate::check_driver::verdict::{Checked, Stop};

/// The number of SIGKILL.
const KILLED: i32 = 9;

/// At every level whose writes survive the death of the process, a second process finds them all.
pub(super) fn recovery(bench: &Bench<'_>) -> Checked {
    if !bench.driver.recovers {
        return Err(Stop::NotOffered("the driver does not say `recovers`".to_owned()));
    }
    kept_levels(bench)?
        .into_iter()
        .try_for_each(|level| at(bench, level).map_err(|stop| stop.of_case(&format!("durability {level}"))))
}

/// The levels whose writes survive the death of the process, of a store that can be compared afterwards.
pub(super) fn kept_levels(bench: &Bench<'_>) -> Checked<Vec<Durability>> {
    bench.needs_data()?;
    if !bench.can_list() {
        return Err(Stop::NotOffered("it does not list what is in it".to_owned()));
    }
    let survives = |level: &Durability| bench.store.survives_process_death(*level);
    // A store in memory is one for tests, which keeps its content when it is closed.
    let is_kept = bench.store.structure != bakeoff_protocol::Structure::Memory;
    let levels: Vec<_> = bench.store.durability.keys().copied().filter(survives).filter(|_| is_kept).collect();
    match levels.is_empty() {
        true => Err(Stop::NotOffered("at no level of its writes survive the death of the process".to_owned())),
        false => Ok(levels),
    }
}

fn at(bench: &Bench<'_>, level: Durability) -> Checked {
    let writes = [(Operation::Update, 0.5), (Operation::Delete, 0.5)];
    let recorded = bench.record(vec![mixed("write", writes, 50)], 1)?;
    let mut request = bench.request(&recorded)?;
    (request.durability, request.crash) = (level, Some(Crash::Die));
    let died = bench.ask(&request)?;
    let expected = "`opened`, each phase, `dying` as the last line, and death by SIGKILL";
    let events = died.events().map_err(|what| Stop::broken(expected, what))?;
    let phases = events.iter().filter(|event| matches!(event, Event::Phase(_))).count();
    let was_killed = died.status.and_then(|status| status.signal()) == Some(KILLED);
    if !was_killed || events.last() != Some(&Event::Dying) || phases != request.phases.len() {
        return Err(Stop::broken(expected, format!("{phases} phases, and the driver {}", died.ending())));
    }
    (request.crash, request.phases) = (Some(Crash::Recover), Vec::new());
    let found = bench.ask(&request)?;
    let alive = recorded.recording.phases.last().map_or(0, |tape| tape.records_after);
    let expected = format!("of the second process `verified` with {alive} entries, `finished`, and exit status 0");
    let events = found.events().map_err(|what| Stop::broken(&expected, what))?;
    let events: Vec<_> = events.into_iter().filter(|event| !matches!(event, Event::Progress(_))).collect();
    match &events[..] {
        [Event::Verified(verified), Event::Finished(_)]
            if verified.entries == alive && found.status.is_some_and(|status| status.success()) =>
        {
            Ok(())
        }
        [Event::Failed { message, .. }] => Err(Stop::broken(expected, format!("`failed`: {message}"))),
        _ => Err(Stop::broken(expected, format!("{} events, and the driver {}", events.len(), found.ending()))),
    }
}
