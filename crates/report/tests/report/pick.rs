//! The answer of a pick: who, how sure, at what cost, and when it would be another.

use std::path::Path;

use bakeoff_protocol::{Durability, FailureKind};
use bakeoff_report::{TerminalOptions, render_terminal};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::goal::Goal;
use bakeoff_results::map_axis::MapQuantity;
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::{Cut, CutBy, PickCuts, PickFacts, Question, RoundOperations};
use bakeoff_results::pick_outcome::PickOutcome;
use bakeoff_results::run::Run;
use serde_json::json;

use bakeoff_testing::made_up::{edit, failed, run, stores, unwrapped};
use bakeoff_testing::picks::{facts, question, rounds};

pub(crate) fn shown(cells: Vec<CellRound>, facts: &PickFacts) -> String {
    let mut run = run(cells, stores());
    edit(&mut run, |info| info["rounds"] = 20.into());
    answered(&run, facts)
}

/// What a terminal shows of a run that was a pick with these facts, without the line breaks that fit sentences to the width.
pub(crate) fn answered(run: &Run, facts: &PickFacts) -> String {
    let mut run = run.clone();
    edit(&mut run, |info| info["pick"] = serde_json::to_value(facts).unwrap());
    unwrapped(&render_terminal(&Analysis::new(&run), &TerminalOptions { width: 100, color: false, full: false }))
}

pub(crate) fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in:\n{text}");
    }
}

pub(crate) fn pick_is_answered(cells: &[CellRound], facts: &PickFacts) -> bool {
    PickOutcome::new(&run(cells.to_vec(), stores()), facts).is_answered()
}

/// What the page says in a line.
pub(crate) fn page_headline(cells: Vec<CellRound>, facts: &PickFacts) -> String {
    let mut run = run(cells, stores());
    edit(&mut run, |info| info["pick"] = json!(facts));
    let mut page = Vec::new();
    bakeoff_report::write_page(&Analysis::of_all(&[run]), None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let (_, answer) = page.split_once("What to pick").unwrap();
    answer.split_once("<h3").unwrap().0.to_owned()
}

/// LMDB takes half the time of SQLite, which takes half the space.
pub(crate) fn a_faster_and_a_smaller() -> Vec<CellRound> {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    for cell in cells.iter_mut().filter(|cell| cell.end.axes.store == "sqlite") {
        cell.end.finished.as_mut().unwrap().disk_after_close.as_mut().unwrap().allocated_bytes = 3_125_000;
    }
    cells
}

#[test]
fn a_winner_with_its_margin_and_what_others_are_better_at() {
    let cells = a_faster_and_a_smaller();
    let text = shown(cells, &facts());
    assert_says(
        &text,
        &[
            "LMDB: its mean time of an operation 1.00 µs over 3 rounds is the best.",
            "SQLite, the next, takes 2.00×",
            "It has no settings but these.",
            "SQLite is better than LMDB in disk/data (0.500×).",
            "Cannot do this redb: durability process is not offered",
        ],
    );
}

#[test]
fn what_was_asked_with_another_durability_alone_is_not_said_to_be_unable() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    let unable = shown(cells.clone(), &facts());
    assert!(unable.contains("Cannot do this redb: durability process is not offered"), "{unable}");
    cells.extend(rounds("redb", "otherwise", &[1000, 1010, 990]));
    let text = shown(cells, &PickFacts { questions: vec![question("otherwise", None)], ..facts() });
    assert!(text.contains("asked with the other one only redb: durability process is not offered"), "{text}");
    assert!(!text.contains("Cannot do this"), "{text}");
}

/// Where a store has a higher level than the need, every name has its level: the one in the asked workload, not in a
/// change.
#[test]
fn the_page_names_the_best_by_the_class_that_was_asked() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(rounds("lmdb", "durability-power", &[9000, 9010, 9990]));
    for cell in &mut cells {
        let axes = &mut cell.end.axes;
        axes.unequal = true;
        if axes.variant.as_deref() != Some(PICK_ASKED) || axes.store == "sqlite" {
            axes.durability = Durability::Power;
        }
        let axes = axes.clone();
        cell.phases.iter_mut().for_each(|phase| phase.axes = axes.clone());
    }
    let facts = PickFacts { durability: Some(Durability::Process), ..facts() };
    let headline = page_headline(cells.clone(), &facts);
    assert!(headline.contains(">LMDB (process)</span> is best"), "{headline}");
    assert!(shown(cells, &facts).contains("SQLite (power), the next,"), "the answer says what promises more");
}

#[test]
fn how_many_operations_a_round_has_is_shown_with_why_no_more() {
    let said = |operations| shown(rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]), &PickFacts { operations, ..facts() });
    let whole = said(Some(RoundOperations { count: 50_000, cut: None }));
    assert!(whole.contains("optimize mean A round has 50,000 operations of this mix."), "{whole}");
    let cut = said(Some(RoundOperations { count: 250, cut: Some(Cut { from: 50_000, by: CutBy::Growth }) }));
    assert!(
        cut.contains("250 operations of this mix instead of 50,000, as the mix has more inserts than deletes"),
        "{cut}"
    );
    assert!(!said(None).contains("A round has"), "of runs that did not keep it nothing is known");
}

#[test]
fn what_simulated_power_cuts_left_of_the_best_is_said_and_where_they_are() {
    let said = |broken: Option<u64>| {
        let (store, run, file_system) = ("lmdb".to_owned(), "cuts".to_owned(), "ext4".to_owned());
        let power_cuts = broken.map(|broken| PickCuts { store, run, file_system, cuts: 56, broken });
        shown(
            rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]),
            &PickFacts { power_cuts: Vec::from_iter(power_cuts), ..facts() },
        )
    };
    assert!(said(Some(0)).contains("It kept them in 56 simulated power cuts on ext4."));
    let broken = said(Some(3));
    assert!(broken.contains("3 of 56 simulated power cuts on ext4 did not: ") && broken.contains("cuts."), "{broken}");
    assert!(!said(None).contains("simulated"));
}

/// The second always takes a fifth more, the third sometimes less and sometimes far more: the third alone may be as good as the best.
#[test]
fn the_best_is_set_against_the_one_that_may_be_as_good_and_not_against_the_next() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1001, 999, 1000, 1000, 1001]);
    cells.extend(rounds("redb", PICK_ASKED, &[1200, 1201, 1199, 1200, 1200, 1200]));
    cells.extend(rounds("sqlite", PICK_ASKED, &[600, 2800, 1500, 1350, 900, 1600]));
    let text = shown(cells, &PickFacts { out_of_time: true, ..facts() });
    assert_says(
        &text,
        &[
            "over 6 rounds; SQLite may be as good or up to",
            "SQLite, not told apart from it, takes 1.",
            "too short to tell the two apart",
        ],
    );
    assert!(!text.contains("redb, the next") && !text.contains("the first two"), "{text}");
}

#[test]
fn those_level_with_the_first_are_not_called_further_behind() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1015, 1090, 910]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[1010, 1130, 890]));
    cells.extend(rounds("lmdb", "same", &[1000, 1010, 990]));
    let told = |finalists: &[&str], questions| {
        let finalists = finalists.iter().map(|&name| name.to_owned()).collect();
        shown(cells.clone(), &PickFacts { finalists, questions, ..facts() })
    };
    let text = told(&["lmdb", "sqlite"], vec![question("same", None)]);
    assert_says(
        &text,
        &[
            "of which those measured are beyond them: SQLite.",
            "which no figure tells from the first, since 2 others were before them: Flat folder.",
        ],
    );
    assert!(!text.contains("further behind"), "{text}");
    // What the time ended in is not tried with anybody, and says so itself.
    let text = told(&["lmdb", "sqlite"], vec![question("same", Some("the time ended before it was done"))]);
    assert!(!text.contains("Not tried"), "{text}");
}

#[test]
fn a_percentile_that_is_not_told_drops_nobody() {
    let one = |operations: u64| {
        let mut cells = rounds("lmdb", PICK_ASKED, &[1000]);
        cells[0].phases[0].result.operations[0].operations = operations;
        bakeoff_results::pick::goal_so_far(&cells, Goal::P999)
    };
    assert_eq!((one(3_334), one(10_000)), (Goal::Mean, Goal::P999));
}

#[test]
fn nothing_measured_is_said_with_the_reason() {
    assert_says(
        &shown(Vec::new(), &facts()),
        &["None: 1 min is too short for a single round", "take about 2 min or more"],
    );
    let broken =
        |kind| rounds("lmdb", PICK_ASKED, &[1000]).into_iter().map(move |cell| failed(cell, kind, "its words"));
    assert_says(
        &shown(broken(FailureKind::StoreError).collect(), &facts()),
        &["every store that was measured failed", "LMDB: at “what was asked”, store error: its words"],
    );
    assert_says(
        &shown(broken(FailureKind::DiskFull).collect(), &facts()),
        &["None: the disk was full for every store"],
    );
}

#[test]
fn a_store_for_which_the_disk_was_full_might_have_been_the_best() {
    let full =
        |name| rounds(name, PICK_ASKED, &[1000]).into_iter().map(|cell| failed(cell, FailureKind::DiskFull, "x"));
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(full("sqlite"));
    let raced = ["lmdb", "sqlite", "flat-folder"].map(str::to_owned).to_vec();
    let facts = PickFacts { raced, finalists: vec!["lmdb".to_owned()], ..facts() };
    assert!(!pick_is_answered(&cells, &facts));
    let text = shown(cells.clone(), &facts);
    assert_says(
        &text,
        &[
            "None: nothing can be told, since LMDB alone was measured to the end",
            "The disk was full when SQLite was measured, so how good it is is not known: make room, or name another disk with --dir.",
        ],
    );
    cells.extend(rounds("flat-folder", PICK_ASKED, &[9000, 9010, 8990]));
    assert!(!pick_is_answered(&cells, &facts));
    let text = shown(cells.clone(), &facts);
    assert_says(
        &text,
        &[
            "None: LMDB leads what was measured, mean time of an operation 1.00 µs over 3 rounds, but that is no answer.",
            "The disk was full when SQLite was measured",
        ],
    );
    assert!(!text.contains("Settings") && !text.contains("is the best"), "{text}");
    assert!(page_headline(cells.clone(), &facts).contains("LMDB</span> leads what was measured: no answer"));
    cells.extend(rounds("lmdb", "same", &[1000, 1010, 990]));
    let facts = PickFacts { questions: vec![question("same", None)], ..facts };
    assert_says(&shown(cells, &facts), &["If same: not known: no other was tried"]);
}

/// The text below said each time that there is none.
#[test]
fn the_page_headed_what_is_no_answer_as_one() {
    let raced = ["lmdb", "sqlite", "flat-folder"].map(str::to_owned).to_vec();
    let facts = PickFacts { raced, out_of_time: true, ..facts() };
    let lone = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    let headline = page_headline(lone.clone(), &facts);
    assert!(headline.contains("LMDB</span> alone was measured to the end: no answer"), "{headline}");
    assert_says(&shown(lone, &facts), &["None: nothing can be told, since LMDB alone was measured to the end"]);
    let mut single = rounds("lmdb", PICK_ASKED, &[1000]);
    single.extend(rounds("flat-folder", PICK_ASKED, &[1100]));
    let full = rounds("sqlite", PICK_ASKED, &[1000]).into_iter();
    single.extend(full.map(|cell| failed(cell, FailureKind::DiskFull, "x")));
    let headline = page_headline(single.clone(), &facts);
    assert!(headline.contains("LMDB</span> leads what was measured: no answer"), "{headline}");
    assert_says(&shown(single, &facts), &["None: LMDB leads what was measured"]);
}

#[test]
fn of_a_rate_the_others_are_slower() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    let text = shown(cells, &PickFacts { optimize: Goal::Throughput, ..facts() });
    assert_says(&text, &["SQLite, the next, is slower by 2.00×"]);
}

#[test]
fn every_question_is_answered() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[9000, 9010, 8990]));
    cells.extend(rounds("lmdb", "same", &[1000, 1010, 990]));
    cells.extend(rounds("sqlite", "same", &[1500, 1510, 1490]));
    cells.extend(rounds("lmdb", "other", &[4000, 4010, 3990]));
    cells.extend(rounds("sqlite", "other", &[1000, 1010, 990]));
    cells.extend(rounds("lmdb", "close", &[1000, 1300, 700]));
    cells.extend(rounds("sqlite", "close", &[1000, 1200, 900]));
    cells.extend(rounds("lmdb", "equal", &[1000, 1300, 700]));
    cells.extend(rounds("sqlite", "equal", &[1010, 1290, 710]));
    cells.extend(rounds("sqlite", "alone", &[1000, 1200, 900]));
    let questions = vec![
        question("same", None),
        question("other", None),
        question("close", None),
        question("equal", None),
        question("alone", None),
        question("late", Some("there was no time left for it")),
    ];
    let text = shown(cells, &PickFacts { questions, ..facts() });
    assert_says(
        &text,
        &[
            "If same: no, LMDB: SQLite, the next, takes 1.",
            "If other: yes, SQLite: LMDB takes",
            "If close: not that it shows: LMDB leads; SQLite, the next, takes 0.6",
            "If equal: not that it shows: LMDB and SQLite are tied",
            "If alone: yes, SQLite: LMDB cannot do this",
            "If late: not measured, there was no time left for it",
        ],
    );
}

#[test]
fn a_change_that_is_not_proven_names_the_one_that_may_be_as_good() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    // The second by its ratio is proven worse, and the third is not.
    cells.extend(rounds("lmdb", "mixed", &[1000, 1001]));
    cells.extend(rounds("sqlite", "mixed", &[5_000, 5_005]));
    cells.extend(rounds("flat-folder", "mixed", &[1000, 180_000]));
    let text = shown(cells, &PickFacts { questions: vec![question("mixed", None)], ..facts() });
    let words = "If mixed: not proven by 2 rounds: LMDB leads; Flat folder, not told apart from it, takes 13.4× (too few rounds to say)";
    assert_says(&text, &[words]);
}

#[test]
fn a_failure_tells_at_which_question_and_why() {
    let broken = |store: &str, variant: &str, why: &str| {
        let rounds = rounds(store, variant, &[1000]).into_iter();
        rounds.map(|cell| failed(cell, FailureKind::StoreError, why)).collect::<Vec<_>>()
    };
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(broken("flat-folder", PICK_ASKED, "no such file"));
    cells.extend(broken("lmdb", "first", "map full"));
    cells.extend(rounds("sqlite", "first", &[1000, 1010, 990]));
    cells.extend(rounds("lmdb", "next", &[1000, 1010, 990]));
    cells.extend(broken("sqlite", "next", "locked"));
    cells.extend(broken("lmdb", "both", "map full again"));
    cells.extend(broken("sqlite", "both", "locked again"));
    // Running out of time says nothing of how good a store is compared with another's single round.
    let late = rounds("lmdb", "slow", &[9000]).into_iter();
    cells.extend(late.map(|cell| failed(cell, FailureKind::Timeout, "not done after 6s")));
    cells.extend(rounds("sqlite", "slow", &[1000]));
    let questions =
        vec![question("first", None), question("next", None), question("both", None), question("slow", None)];
    let text = shown(cells, &PickFacts { questions, ..facts() });
    assert_says(
        &text,
        &[
            "If first: yes, SQLite: LMDB failed at it, as said below",
            "If next: no, LMDB: SQLite failed at it, as said below",
            "If both: not known: LMDB and SQLite failed at it, as said below",
            "If slow: not known, SQLite leads what was measured: LMDB was not done in its part of the time",
            "Failed Flat folder: at “what was asked”, store error: no such file",
            "LMDB: at “If first”, store error: map full SQLite: at “If next”, store error: locked",
            "LMDB: at “If both”, store error: map full again SQLite: at “If both”, store error: locked again",
        ],
    );
}

#[test]
fn the_report_of_a_pick_is_its_answer_and_the_rest_with_full() {
    let mut run = run(rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]), stores());
    edit(&mut run, |info| info["pick"] = json!(facts()));
    let options = TerminalOptions { width: 100, color: false, full: false };
    let text = render_terminal(&Analysis::new(&run), &options);
    assert!(text.contains("What it costs") && text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let full = render_terminal(&Analysis::new(&run), &TerminalOptions { full: true, ..options });
    assert!(
        full.contains("What it costs") && full.contains("Best in each workload") && full.contains("Warnings"),
        "{full}"
    );
    let mut page = Vec::new();
    bakeoff_report::write_page(&Analysis::of_all(&[run]), None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let (_, answer) = page.split_once("What to pick").unwrap();
    let (headline, answer) = answer.split_once("<h3").unwrap();
    assert!(headline.contains(">LMDB</span> is the only one"), "{headline}");
    let (answer, rest) = answer.split_once("</section>").unwrap();
    let [facts, all] = ["class=\"about\"", "All that was measured, loading too"].map(|words| rest.find(words).unwrap());
    assert!(facts < all && !rest[..all].contains("class=\"headline\""), "a second answer before the need");
    assert!(answer.contains(">What it costs</h3>") && answer.contains("<table") && !answer.contains("\\n"), "{answer}");
}

#[test]
fn a_map_of_what_the_answer_depends_on_is_offered() {
    let mut cells = a_faster_and_a_smaller();
    // SQLite is best with more writes, and nothing changes with ten times the records.
    cells.extend(rounds("lmdb", "more-writes", &[4000, 4010, 3990]));
    cells.extend(rounds("sqlite", "more-writes", &[2000, 2020, 1980]));
    cells.extend(rounds("lmdb", "records-tenfold", &[1000, 1010, 990]));
    cells.extend(rounds("sqlite", "records-tenfold", &[3000, 3010, 2990]));
    let varying = |variant, varies| Question { varies: Some(varies), ..question(variant, None) };
    let questions = vec![varying("more-writes", MapQuantity::Reads), varying("records-tenfold", MapQuantity::Records)];
    let given = Some(vec![("key-size".to_owned(), "20".to_owned()), ("value-size".to_owned(), "1KiB".to_owned())]);
    let text = shown(cells.clone(), &PickFacts { questions: questions.clone(), given: given.clone(), ..facts() });
    assert_says(&text, &["bakeoff map --x 'reads=0..100' --y 'value-size=", "--key-size 20"]);
    assert!(!text.contains("--value-size"), "{text}");
    let text = shown(cells, &PickFacts { questions, ..facts() });
    assert!(!text.contains("bakeoff map"), "what was given is not known of an older run: {text}");
}
