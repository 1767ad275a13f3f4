//! How a run is cited: one line with what names it, the same in every form of a report.

use bakeoff_text::printable;

use crate::record::known;
use crate::run::Run;

/// The text before the line.
pub const CITE: &str = "cite this run";

/// `bakeoff 0.1.0 (1a2b3c4d), “Quick look”, run 20261201-101500-quick of 2026-12-01T10:15:00Z, seed 7`. Unknown parts
/// are left out.
pub fn citation(run: &Run) -> String {
    let record = &run.record;
    let started = known(&record.started).map_or_else(String::new, |started| format!(" of {started}"));
    let parts = [
        Some(bakeoff(run)),
        known(run.title()).map(|title| format!("“{title}”")),
        Some(format!("run {}{started}", directory(run))),
        record.seed.map(|seed| format!("seed {seed}")),
    ];
    printable(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Which bakeoff measured it: its version, and the commit that it was built from.
pub fn bakeoff(run: &Run) -> String {
    known(&run.record.bakeoff_version).map_or_else(|| "bakeoff".to_owned(), |version| format!("bakeoff {version}"))
}

/// The name of the run's directory.
pub fn directory(run: &Run) -> String {
    let whole = run.directory.canonicalize().unwrap_or_else(|_| run.directory.clone());
    whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned()
}
