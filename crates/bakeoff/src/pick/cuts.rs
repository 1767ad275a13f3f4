//! Power cuts of the stores that a pick found best, where acknowledged writes must survive them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use bakeoff_engine::pick::{Need, cut_suite};
use bakeoff_engine::{
    PICK_FILE_SYSTEM, Readers, Setup, SuiteSource, can_cut_power, execute, explained, make_run_directory, run_record,
};
use bakeoff_measure::Machine;
use bakeoff_protocol::Durability;
use bakeoff_results::contender::Contenders;
use bakeoff_results::pick_facts::PickCuts;
use bakeoff_results::power_cuts::cut_rows;
use bakeoff_results::record::RunRecord;
use bakeoff_results::run::Run;
use bakeoff_suite::RunOptions;

use crate::outcome::Outcome;
use crate::output::REPORTER;
use crate::version::VERSION;

/// What the suite is called in errors and results. Its runs are in the directory of the pick's.
const NAME: &str = "power-cut";

/// Stores that are cut, at most.
const STORES_MAX: usize = 3;

/// The part of the budget that cuts may take, and its limit.
const PART: u32 = 5;
const TIME_MAX: Duration = Duration::from_mins(1);

/// The part of the budget for power cuts; `None` if the need does not ask for them, or disks cannot be cut here.
pub(crate) fn time_for_cuts(need: &Need) -> Option<Duration> {
    (need.durability == Durability::Power && can_cut_power()).then(|| (need.budget / PART).min(TIME_MAX))
}

/// Cuts the power of the best stores of a measured pick, best first, and adds to its record what that left of them. An error is reported,
/// and takes nothing from the pick.
pub(crate) fn cut_finalists(need: &Need, pick: &Path, time: Duration, readers: Readers) -> Outcome {
    add_cuts(need, pick, time, readers).unwrap_or_else(|why| {
        tell!("The answer lacks power cuts: {}", explained(&why));
        Outcome::Good
    })
}

fn add_cuts(need: &Need, path: &Path, time: Duration, readers: Readers) -> Result<Outcome> {
    let end = Instant::now() + time;
    let mut record = RunRecord::read_whole(path)?;
    let Some(pick) = record.pick.as_mut() else { return Ok(Outcome::Good) };
    let mut outcome = Outcome::Good;
    for store in pick.finalists.iter().take(STORES_MAX) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            tell!("There is no time left to cut the power of {store}: a longer --budget has it");
            continue;
        }
        let Some(text) = cut_suite(need, store)? else {
            tell!("Values are too long for disks in memory, so no power is cut");
            break;
        };
        let (cuts, was_interrupted) = cut(store, text, path, left, readers)?;
        pick.power_cuts.extend(cuts);
        if was_interrupted {
            outcome = Outcome::Interrupted;
            break;
        }
    }
    record.write(path)?;
    Ok(outcome)
}

/// Runs a suite that cuts the power of a store, in a directory in that of the pick. Also whether the user stopped it.
fn cut(store: &str, text: String, pick: &Path, time: Duration, readers: Readers) -> Result<(Option<PickCuts>, bool)> {
    let media = [(PICK_FILE_SYSTEM.to_owned(), PathBuf::from(format!("new:{PICK_FILE_SYSTEM}")))];
    let options = RunOptions { media: media.into(), out: pick.to_owned(), ..RunOptions::default() };
    let source = SuiteSource { name: NAME.to_owned(), text };
    let setup = Setup::new(&options.within(Some(time)), &source, false, REPORTER)?;
    if setup.plan.workloads.is_empty() {
        tell!("The power of {store} cannot be cut here");
        return Ok((None, false));
    }
    let directory = make_run_directory(pick, NAME, readers)?;
    let file = run_record(&setup, source, Machine::read(), VERSION);
    let measured = execute(&setup, &directory, file, Some(time))?;
    let was_interrupted = measured.ended.interrupted;
    let run = Run::read(directory.path())?;
    measured.remove()?;
    let rows = cut_rows(&run, &Contenders::new(&run.cells, &run.record.stores));
    if rows.is_empty() && !was_interrupted {
        tell!("The power cuts of {store} did not end in time: a longer --budget has it");
    }
    let cuts = rows.first().map(|row| PickCuts {
        store: store.to_owned(),
        run: directory.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        file_system: PICK_FILE_SYSTEM.to_owned(),
        cuts: row.all().of_the_store(),
        broken: row.all().broken(row.level),
    });
    Ok((cuts, was_interrupted))
}
