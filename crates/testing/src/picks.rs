//! Made-up picks.

use bakeoff_protocol::Axes;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::goal::{Goal, PICK_PHASE};
use bakeoff_results::pick_facts::{Excluded, PickFacts, Question};
use bakeoff_results::run::Run;
use serde_json::json;

use crate::made_up::{axes, edit, good, operation, phase_result, run, stores};

/// A pick of LMDB and SQLite by mean time, with a budget of a minute.
pub fn facts() -> PickFacts {
    PickFacts {
        given: None,
        durability: None,
        languages: Vec::new(),
        of_tape: false,
        need: vec![("records".to_owned(), "1000".to_owned()), ("optimize".to_owned(), "mean".to_owned())],
        operations: None,
        optimize: Goal::Mean,
        budget_ns: 60_000_000_000,
        out_of_time: false,
        raced: vec!["lmdb".to_owned(), "sqlite".to_owned()],
        excluded: vec![Excluded::dropped("redb".to_owned(), "durability process is not offered".to_owned())],
        dropped: Vec::new(),
        finalists: vec!["lmdb".to_owned(), "sqlite".to_owned()],
        power_cuts: Vec::new(),
        questions: Vec::new(),
        proof_ns_expected: 110_000_000_000,
    }
}

/// A changed question, and why it was not measured, if so.
pub fn question(variant: &str, not_measured: Option<&str>) -> Question {
    let not_measured = not_measured.map(str::to_owned);
    Question { variant: variant.to_owned(), words: format!("If {variant}"), varies: None, not_measured }
}

/// A round for each mean.
pub fn rounds(store: &str, variant: &str, means_ns: &[u64]) -> Vec<CellRound> {
    let axes = Axes { variant: Some(variant.to_owned()), ..axes(store) };
    let round = |(index, mean): (usize, &u64)| {
        let mut cell = good(&axes, index as u32 + 1, vec![phase_result(PICK_PHASE, vec![operation("get", *mean)])]);
        cell.end.cell = format!("{store}-{variant}");
        cell.phases.iter_mut().for_each(|phase| phase.cell = cell.end.cell.clone());
        cell
    };
    means_ns.iter().enumerate().map(round).collect()
}

/// A run that was a pick with these facts.
pub fn picked(cells: Vec<CellRound>, facts: &PickFacts) -> Run {
    let mut run = run(cells, stores());
    edit(&mut run, |info| {
        info["pick"] = json!(facts);
        info["rounds"] = 20.into();
    });
    run
}
