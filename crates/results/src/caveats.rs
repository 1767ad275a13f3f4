//! Facts that a reader of a run's figures needs, besides warnings and notes of the reader.

use std::collections::BTreeSet;

use bakeoff_protocol::{StoreDescription, Structure};
use bakeoff_tape::Operation;

use crate::analysis::Analysis;
use crate::run::Run;

/// One such fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Caveat {
    /// Neighbouring rounds are correlated, and intervals are widened for it. The value is the largest correlation of a
    /// table.
    Correlated(f64),
    /// Several threads replayed. Times are per operation in its thread; all other figures are per process.
    SeveralThreads,
    /// Writing threads take turns in the stores with these titles.
    WritesTakeTurns(Vec<String>),
    /// In these phases, times count from when operations were due.
    OpenLoop(Vec<String>),
    /// Stores with these titles are plain files, whose times from one run to another are the file system's.
    PlainFiles(Vec<String>),
    /// The run has fewer records than the publication next to it. If there are walks through a tree, each has fewer lookups.
    ScaledDown {
        /// The publication's records by the run's.
        times: f64,
        /// Whether there are walks.
        has_walks: bool,
    },
}

/// The caveat of a run next to another run.
pub fn caveat_compared(run: &Run) -> Option<Caveat> {
    let files = run.stores().iter().filter(|store| store.structure == Structure::Files);
    some(files.map(|store| store.title.clone()).collect()).map(Caveat::PlainFiles)
}

/// The caveat of a run next to a publication.
pub fn caveat_beside_publication(run: &Run) -> Option<Caveat> {
    let scale = run.record.suite.scale?;
    let mut results = run.cells.iter().flat_map(|cell| &cell.phases).flat_map(|line| &line.result.operations);
    let has_walks = results.any(|of| Operation::from_name(&of.operation) == Some(Operation::Walk));
    Some(Caveat::ScaledDown { times: 1.0 / scale, has_walks })
}

fn some(names: Vec<String>) -> Option<Vec<String>> {
    Some(names).filter(|names| !names.is_empty())
}

/// The caveats of a run.
pub fn caveats(of: &Analysis) -> Vec<Caveat> {
    let run = of.run;
    let axes = || run.cells.iter().map(|cell| &cell.end.axes);
    let has_threads = axes().any(|axes| axes.threads > 1);
    let takes_turns = |store: &&StoreDescription| {
        let mut cells = axes().filter(|axes| axes.store == store.name);
        store.capabilities.keeps_data && cells.any(|axes| !store.writes_in_parallel(axes.durability))
    };
    let turns =
        run.stores().iter().filter(|_| has_threads).filter(takes_turns).map(|store| store.title.clone()).collect();
    let lines = run.cells.iter().flat_map(|cell| &cell.phases);
    let open: BTreeSet<&str> =
        lines.filter(|line| line.result.open_loop.is_some()).map(|line| line.result.phase.as_str()).collect();
    let all = [
        of.correlation().map(Caveat::Correlated),
        has_threads.then_some(Caveat::SeveralThreads),
        some(turns).map(Caveat::WritesTakeTurns),
        some(open.into_iter().map(str::to_owned).collect()).map(Caveat::OpenLoop),
    ];
    all.into_iter().flatten().collect()
}
