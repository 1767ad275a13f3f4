//! The answer of a pick: who, how sure, at what cost, and when it would be another.

use std::path::Path;

use bakeoff_protocol::{Axes, Durability, FailureKind};
use bakeoff_report::{
    CellRound, Excluded, Goal, PICK_ASKED, PICK_PHASE, PickFacts, Question, TerminalOptions, pick_is_answered,
    render_pick, render_terminal, write_markdown, write_page,
};
use serde_json::json;

use crate::common::{axes, failed, good, operation, phase_result, run, stores};

fn facts() -> PickFacts {
    PickFacts {
        need: vec![("records".to_owned(), "1000".to_owned()), ("optimize".to_owned(), "mean".to_owned())],
        optimize: Goal::Mean,
        budget_ns: 60_000_000_000,
        out_of_time: false,
        raced: vec!["lmdb".to_owned(), "sqlite".to_owned()],
        excluded: vec![Excluded { store: "redb".to_owned(), why: "durability process is not offered".to_owned() }],
        dropped: Vec::new(),
        finalists: vec!["lmdb".to_owned(), "sqlite".to_owned()],
        questions: Vec::new(),
        proof_ns_expected: 30_000_000_000,
    }
}

fn question(variant: &str, not_measured: Option<&str>) -> Question {
    let not_measured = not_measured.map(str::to_owned);
    Question { variant: variant.to_owned(), words: format!("If {variant}"), not_measured }
}

/// A round for each mean.
fn rounds(store: &str, variant: &str, means_ns: &[u64]) -> Vec<CellRound> {
    let axes = Axes { variant: Some(variant.to_owned()), ..axes(store) };
    let round = |(index, mean): (usize, &u64)| {
        let mut cell = good(&axes, index as u32 + 1, vec![phase_result(PICK_PHASE, vec![operation("get", *mean)])]);
        cell.end.cell = format!("{store}-{variant}");
        cell.phases.iter_mut().for_each(|phase| phase.cell = cell.end.cell.clone());
        cell
    };
    means_ns.iter().enumerate().map(round).collect()
}

fn shown(cells: Vec<CellRound>, facts: &PickFacts) -> String {
    let mut run = run(cells, stores());
    run.info["rounds"] = 20.into();
    // Sentences without the line breaks that fit them to their width.
    render_pick(&run, facts, 100, false).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in:\n{text}");
    }
}

#[test]
fn a_winner_with_its_margin_and_what_others_are_better_at() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    for cell in cells.iter_mut().filter(|cell| cell.end.axes.store == "sqlite") {
        cell.end.finished.as_mut().unwrap().disk_after_close.as_mut().unwrap().allocated_bytes = 3_125_000;
    }
    let text = shown(cells, &facts());
    assert_says(
        &text,
        &[
            "LMDB: its mean time of an operation 1.00 µs over 3 rounds is the best.",
            "SQLite, the next, takes 2.00×",
            "It has no settings but these.",
            "SQLite costs less than LMDB in disk/data (0.500×).",
            "Cannot do this redb: durability process is not offered",
        ],
    );
}

/// Where one promises more than was asked, the class is a part of every name: that of what was asked, not of a change.
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
    let need = vec![("durability".to_owned(), "process".to_owned())];
    let mut run = run(cells, stores());
    run.info["pick"] = json!(PickFacts { need, ..facts() });
    let mut page = Vec::new();
    write_page(&[run], None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let headline =
        page.split("<p class=\"headline\">").nth(1).and_then(|rest| rest.split("</p>").next()).unwrap_or_default();
    assert!(headline.contains(">LMDB (process)</span> is best"), "{headline}");
    assert!(page.contains("SQLite (power), the next,"), "the answer says what promises more");
}

/// The second always takes a tenth more, the third sometimes less and sometimes far more: the third alone is tied with the best.
#[test]
fn the_best_is_set_against_the_one_that_is_tied_with_it_and_not_against_the_next() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1001, 999, 1000, 1000, 1001]);
    cells.extend(rounds("redb", PICK_ASKED, &[1200, 1201, 1199, 1200, 1200, 1200]));
    cells.extend(rounds("sqlite", PICK_ASKED, &[400, 2600, 1300, 1150, 800, 1300]));
    let text = shown(cells, &PickFacts { out_of_time: true, ..facts() });
    assert_says(
        &text,
        &[
            "LMDB, but SQLite cannot be told apart from it",
            "SQLite, tied with it, takes 1.",
            "could not tell the two apart",
        ],
    );
    assert!(!text.contains("redb, the next") && !text.contains("the first two"), "{text}");
}

#[test]
fn a_tie_is_said_and_what_it_would_take_when_time_ran_out() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1150, 1250, 1050]));
    let text = shown(cells, &PickFacts { out_of_time: true, ..facts() });
    assert_says(
        &text,
        &[
            "LMDB, but SQLite cannot be told apart from it",
            "too short to tell the first two apart",
            "rounds, and they a budget of about 2 min: --budget",
        ],
    );
    // One of two rounds that scatter widely is in the tie, and then the tie is no answer: it is said why.
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1010, 1110, 910]));
    cells.extend(rounds("redb", PICK_ASKED, &[500, 4000]));
    let late = PickFacts { out_of_time: true, ..facts() };
    assert!(!pick_is_answered(&cells, &late));
    // So it is where that one was out of the race, the time being too short for more rounds of all.
    assert!(!pick_is_answered(&cells, &facts()));
    assert_says(
        &shown(cells.clone(), &facts()),
        &["None yet: LMDB leads", "too short to tell anything: redb had 2 rounds."],
    );
    let text = shown(cells, &late);
    assert_says(&text, &["None yet: LMDB leads, mean time", "too short to tell anything: redb had 2 rounds."]);
    let text = shown(rounds("lmdb", PICK_ASKED, &[1000, 1000]), &facts());
    assert_says(&text, &["LMDB,", "no other store that can do this"]);
    assert!(!text.contains("Three rounds of all"), "time was not what was lacking: {text}");
    let late = PickFacts { out_of_time: true, ..facts() };
    let cells = rounds("lmdb", PICK_ASKED, &[1000]);
    assert!(!pick_is_answered(&cells, &late) && pick_is_answered(&cells, &facts()));
    assert_says(
        &shown(cells.clone(), &late),
        &["Answer None: nothing can be told, since LMDB alone was measured to the end", "over 1 round."],
    );
    assert!(!shown(cells.clone(), &late).contains("Settings"), "there is no store to set");
    assert_says(
        &shown(cells, &late),
        &["There was no time for SQLite.", "need a budget of more than 50 s: how much more is not known"],
    );
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1000]);
    let late = rounds("sqlite", PICK_ASKED, &[9000]).into_iter();
    cells.extend(late.map(|cell| failed(cell, FailureKind::Timeout, "not done after 10s")));
    assert_says(&shown(cells, &facts()), &["Three rounds of all stores need a budget of more than 50 s"]);
}

#[test]
fn the_only_store_measured_when_a_race_was_killed_is_no_answer() {
    // Killed with a store measured, what ended the race is in no fact: it has no end.
    let mut killed = run(rounds("lmdb", PICK_ASKED, &[1000]), stores());
    killed.info["finished"] = serde_json::Value::Null;
    let says = |killed: &bakeoff_report::Run, facts: &PickFacts| {
        render_pick(killed, facts, 100, false).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = says(&killed, &facts());
    assert_says(
        &text,
        &["None: nothing can be told, since LMDB alone was measured to the end", "It was stopped before it was done"],
    );
    assert!(!text.contains("Settings"), "{text}");
    killed.info["pick"] = serde_json::to_value(facts()).unwrap();
    let mut markdown = Vec::new();
    write_markdown(&killed, None, &mut markdown).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    assert!(markdown.contains("None: nothing can be told") && !markdown.contains("no competitor"), "{markdown}");
    let one = PickFacts { raced: vec!["lmdb".to_owned()], out_of_time: true, ..facts() };
    assert_says(&says(&killed, &one), &["LMDB,", "over 1 round: no other store that can do this was asked."]);
}

#[test]
fn more_rounds_than_a_race_has_are_not_asked_for() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1050, 1150, 950]));
    let mut run = run(cells, stores());
    run.info["rounds"] = 4.into();
    let late = PickFacts { out_of_time: true, ..facts() };
    let text = render_pick(&run, &late, 400, false);
    assert_says(&text, &["could not tell the first two apart", "more than the 4 that a race has: choose between them"]);
    // Where one may take several times as long as the other, it is not the same which is taken.
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1900, 600]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[900, 3900, 1100]));
    let mut run = crate::common::run(cells, stores());
    run.info["rounds"] = 4.into();
    let text = render_pick(&run, &late, 400, false);
    assert_says(
        &text,
        &["more than the 4 that a race has; those would narrow the interval down, and take a budget of"],
    );
    run.info["rounds"] = 3.into();
    let text = render_pick(&run, &late, 400, false);
    assert_says(&text, &["more than the 3 that a race has: their rounds differ too much here."]);
}

#[test]
fn a_pick_that_was_cut_short_does_not_blame_the_budget() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1050, 1150, 950]));
    for cells in [Vec::new(), cells[..1].to_vec(), cells] {
        let mut run = run(cells, stores());
        run.info["finished"] = serde_json::Value::Null;
        run.info["pick"] = json!(facts());
        let options = TerminalOptions { width: 400, color: false, full: false };
        let text = render_terminal(&run, &options);
        assert_says(&text, &["STOPPED before it was done", "It was stopped before it was done"]);
        assert!(!text.contains("too short") && !text.contains("--resume") && !text.contains("--budget"), "{text}");
    }
}

#[test]
fn those_level_with_the_first_are_not_called_further_behind() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1010, 1110, 910]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[1020, 1120, 920]));
    cells.extend(rounds("lmdb", "same", &[1000, 1010, 990]));
    let told = |finalists: &[&str], questions| {
        let finalists = finalists.iter().map(|&name| name.to_owned()).collect();
        shown(cells.clone(), &PickFacts { finalists, questions, ..facts() })
    };
    let text = told(&["lmdb", "sqlite"], vec![question("same", None)]);
    assert_says(
        &text,
        &[
            "which cannot do them or had no time for them: SQLite.",
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
        bakeoff_report::goal_so_far(&cells, Goal::P999)
    };
    assert_eq!((one(3_334), one(10_000)), (Goal::Mean, Goal::P999));
}

#[test]
fn one_round_proves_nothing() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[5000]));
    let dropped = vec![Excluded { store: "sqlite".to_owned(), why: "5.0 × the cost".to_owned() }];
    for facts in [PickFacts { out_of_time: true, ..facts() }, PickFacts { dropped, ..facts() }] {
        assert!(!pick_is_answered(&cells, &facts), "of the best too");
        let text = shown(cells.clone(), &facts);
        assert_says(
            &text,
            &[
                "LMDB leads",
                "not every store had the two rounds",
                "1 min, was too short to tell anything. Three rounds of all stores need a budget of 50 s or more",
            ],
        );
        assert!(!text.contains("Settings"), "what is no answer has none: {text}");
    }
}

#[test]
fn one_that_is_far_ahead_is_not_said_to_have_had_no_time() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[16_000]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[20_000, 90_000]));
    let without = |names: &[&str]| {
        let drop = |name: &&str| Excluded { store: (*name).to_owned(), why: "far behind after round 1".to_owned() };
        PickFacts { dropped: names.iter().map(drop).collect(), out_of_time: true, ..facts() }
    };
    let far = without(&["sqlite", "flat-folder"]);
    assert!(pick_is_answered(&cells, &far));
    let text = shown(cells.clone(), &far);
    assert_says(
        &text,
        &[
            "LMDB, by far though not proven: its mean time of an operation 1.00 µs over 2 rounds is the best.",
            "SQLite, the next, takes 15.9× (by 1 round, after which it was dropped).",
            "For a proof: Three rounds of all stores need a budget of 50 s or more",
            "Settings",
        ],
    );
    assert!(!text.contains("too short") && !text.contains("leads"), "{text}");
    let page = page_headline(cells.clone(), &far);
    assert!(page.contains("LMDB</span> is best by far, though not proven"), "{page}");
    // Not dropped, it had no time; and dropped for want of time at little more than the cost of the best, it may be better.
    assert!(!pick_is_answered(&cells, &without(&["flat-folder"])));
    let mut near = rounds("lmdb", PICK_ASKED, &[1000, 1010]);
    near.extend(rounds("sqlite", PICK_ASKED, &[1300]));
    assert!(!pick_is_answered(&near, &without(&["sqlite"])));
    assert_says(&shown(near, &without(&["sqlite"])), &["LMDB leads", "too short to tell anything"]);
}

/// What the page says in a line.
fn page_headline(cells: Vec<CellRound>, facts: &PickFacts) -> String {
    let mut run = run(cells, stores());
    run.info["pick"] = json!(facts);
    let mut page = Vec::new();
    bakeoff_report::write_page(&[run], None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let (_, answer) = page.split_once("What to pick").unwrap();
    answer.split_once("<pre").unwrap().0.to_owned()
}

#[test]
fn two_rounds_are_too_few_and_absurd_bounds_have_no_figures() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 90_000]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1000, 200_000]));
    let late = PickFacts { out_of_time: true, ..facts() };
    assert!(!pick_is_answered(&cells, &late), "a tie of two rounds is no answer");
    let text = shown(cells, &late);
    assert_says(
        &text,
        &[
            "less than 0.00100× to more than 1000× with 95 % confidence",
            "1 min was too short to tell anything: LMDB had 2 rounds. Three rounds of all stores need a budget of 50 s or more",
        ],
    );
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 5000, 1000]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1000, 5000, 1200]));
    assert!(pick_is_answered(&cells, &late), "a tie of three is one");
    let text = shown(cells, &late);
    assert_says(&text, &["So few rounds cannot tell how many it would take: give twice the time, 2 min, or more"]);
}

#[test]
fn those_that_stayed_at_one_round_do_not_spoil_the_proof() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[9000]));
    let dropped = vec![Excluded { store: "flat-folder".to_owned(), why: "9.0 × the cost".to_owned() }];
    cells.extend(rounds("lmdb", "same", &[1000, 1010, 990]));
    cells.extend(rounds("sqlite", "same", &[2000, 2020, 1980]));
    let text = shown(cells, &PickFacts { dropped, questions: vec![question("same", None)], ..facts() });
    assert_says(&text, &["LMDB: its mean time", "is the best", "Flat folder: 9.0 × the cost"]);
    assert_says(&text, &["Not tried with any of these changes, being further behind: Flat folder."]);
}

#[test]
fn one_that_leads_by_its_only_round_is_not_passed_over() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[500]));
    let text = shown(cells, &PickFacts { out_of_time: true, ..facts() });
    assert_says(&text, &["Flat folder leads", "not every store had the two rounds that a proof takes"]);
}

#[test]
fn nothing_measured_is_said_with_the_reason() {
    assert_says(
        &shown(Vec::new(), &facts()),
        &["None: 1 min is too short for a single round", "need a budget of more than 50 s"],
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
    assert_says(&shown(cells, &facts), &["If same: no, LMDB: no other was tried"]);
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
    cells.extend(rounds("sqlite", "alone", &[1000, 1200, 900]));
    let questions = vec![
        question("same", None),
        question("other", None),
        question("close", None),
        question("alone", None),
        question("late", Some("there was no time left for it")),
    ];
    let text = shown(cells, &PickFacts { questions, ..facts() });
    assert_says(
        &text,
        &[
            "If same: no, LMDB: SQLite, the next, takes 1.",
            "If other: yes, SQLite: LMDB takes",
            "If close: not that it shows: LMDB and SQLite are tied",
            "If alone: yes, SQLite: LMDB cannot do this",
            "If late: not measured, there was no time left for it",
        ],
    );
}

#[test]
fn a_change_that_is_tied_names_the_one_that_it_is_tied_with() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    // The second by its mean is proven worse, and the third is not.
    cells.extend(rounds("lmdb", "mixed", &[1000, 1001]));
    cells.extend(rounds("sqlite", "mixed", &[50_000, 50_050]));
    cells.extend(rounds("flat-folder", "mixed", &[1000, 180_000]));
    let text = shown(cells, &PickFacts { questions: vec![question("mixed", None)], ..facts() });
    assert_says(&text, &["If mixed: not proven by 2 rounds: LMDB leads; Flat folder, tied with it, takes"]);
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
    // That one ran out of time says nothing of how good it is beside another's single round.
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
    run.info["pick"] = json!(facts());
    let options = TerminalOptions { width: 100, color: false, full: false };
    let text = render_terminal(&run, &options);
    assert!(text.contains("What it costs") && text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!render_terminal(&run, &TerminalOptions { full: true, ..options }).contains("What it costs"));
    let mut page = Vec::new();
    bakeoff_report::write_page(&[run], None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let (_, answer) = page.split_once("What to pick").unwrap();
    let (headline, answer) = answer.split_once("<pre").unwrap();
    assert!(headline.contains(">LMDB</span> is the only one"), "{headline}");
    let (answer, rest) = answer.split_once("</pre>").unwrap();
    let [facts, all] = ["class=\"about\"", "All that was measured, loading too"].map(|words| rest.find(words).unwrap());
    assert!(
        facts < all && !rest[..all].contains("class=\"headline\""),
        "a second answer before what was asked is told"
    );
    assert!(answer.lines().any(|line| line.starts_with("What it costs")) && !answer.contains("\\n"), "{answer}");
}
