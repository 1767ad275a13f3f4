//! Profiled runs: what they show in place of an answer. Sampling slows each store down in a different way, so no store
//! is ranked, and such a run is compared with nothing.

use bakeoff_protocol::{CellEnd, Profile, ProfileOutcome};
use bakeoff_results::run::Run;
use bakeoff_text::{bytes, counted};

/// Why there is no answer.
pub(crate) fn describe(run: &Run, profile: Profile) -> String {
    let what = match profile {
        Profile::Cpu => "where CPU time goes",
        Profile::Alloc => "where memory is allocated",
    };
    let unseen = run.record.profile.as_ref().is_some_and(|profile| profile.kernel_frames == Some(false));
    let unseen = if unseen { " What the kernel does is not seen: as root of the machine it would be." } else { "" };
    format!(
        "PROFILED ({profile}), NOT RANKED: this run shows {what}. Sampling slows each store down in its own way, so its figures are no \
         measurement: run it without --profile to know who is best.{unseen}"
    )
}

/// Every round of a cell that was profiled.
pub(crate) fn profiled(run: &Run) -> impl Iterator<Item = (&CellEnd, &ProfileOutcome)> {
    run.cells.iter().filter_map(|cell| Some((&cell.end, cell.end.profiled.as_ref()?)))
}

/// How much the flame graph is made of.
pub(crate) fn weight(end: &CellEnd, profiled: &ProfileOutcome) -> Option<String> {
    let samples = profiled.samples?;
    Some(match end.axes.profile {
        Some(Profile::Alloc) => bytes(samples as f64),
        _ => counted(samples, "sample"),
    })
}
