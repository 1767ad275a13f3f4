//! What a pick says where its time was short, or it had few rounds.

use bakeoff_protocol::{FailureKind, PhaseResult};
use bakeoff_report::{TerminalOptions, render_terminal, write_markdown};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::goal::Goal;
use bakeoff_results::map_race::{MAP_ROUNDS, MapRace};
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::{Excluded, PickFacts};
use bakeoff_results::pick_race::judge;
use serde_json::json;

use crate::pick::{a_faster_and_a_smaller, answered, assert_says, page_headline, pick_is_answered, shown};
use bakeoff_testing::made_up::{edit, failed, operation, run, stores};
use bakeoff_testing::picks::{facts, picked, question, rounds};

#[test]
fn two_that_are_not_told_apart_are_said_and_what_it_would_take_when_time_ran_out() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1200, 1150, 1080]));
    let text = shown(cells, &PickFacts { out_of_time: true, ..facts() });
    assert_says(
        &text,
        &[
            "LMDB leads, mean time",
            "over 3 rounds; SQLite may be as good or up to 1.4",
            "too short to tell the first two apart",
            "rounds, and they a budget of about 2 min: --budget",
        ],
    );
    // One of two rounds that scatter widely may be as good, and then there is no answer: it is said why.
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
        &["There was no time for SQLite.", "take about 2 min or more: how much more is not known"],
    );
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1000]);
    let late = rounds("sqlite", PICK_ASKED, &[9000]).into_iter();
    cells.extend(late.map(|cell| failed(cell, FailureKind::Timeout, "not done after 10s")));
    assert_says(&shown(cells, &facts()), &["Three rounds of all stores take about 2 min or more"]);
}

#[test]
fn the_only_store_measured_when_a_race_was_killed_is_no_answer() {
    // Killed with a store measured, what ended the race is in no fact: it has no end.
    let mut killed = run(rounds("lmdb", PICK_ASKED, &[1000]), stores());
    edit(&mut killed, |info| info["finished"] = serde_json::Value::Null);
    let text = answered(&killed, &facts());
    assert_says(
        &text,
        &["None: nothing can be told, since LMDB alone was measured to the end", "It was stopped before it was done"],
    );
    assert!(!text.contains("Settings"), "{text}");
    edit(&mut killed, |info| info["pick"] = serde_json::to_value(facts()).unwrap());
    let mut markdown = Vec::new();
    write_markdown(&Analysis::new(&killed), None, &mut markdown).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    assert!(markdown.contains("None: nothing can be told") && !markdown.contains("no competitor"), "{markdown}");
    let one = PickFacts { raced: vec!["lmdb".to_owned()], out_of_time: true, ..facts() };
    assert_says(&answered(&killed, &one), &["LMDB,", "over 1 round: no other store that can do this was asked."]);
}

#[test]
fn more_rounds_than_a_race_has_are_not_asked_for() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1150, 1050, 950]));
    let mut run = run(cells, stores());
    edit(&mut run, |info| info["rounds"] = 4.into());
    let late = PickFacts { out_of_time: true, ..facts() };
    let text = answered(&run, &late);
    assert_says(&text, &["could not tell the first two apart", "more than the 4 that a race has: choose between them"]);
    // Where one may take several times as long as the other, it is not the same which is taken.
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1900, 600]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[900, 3900, 1100]));
    let mut run = bakeoff_testing::made_up::run(cells, stores());
    edit(&mut run, |info| info["rounds"] = 4.into());
    let text = answered(&run, &late);
    assert_says(
        &text,
        &["more than the 4 that a race has; those would narrow the interval down, and take a budget of"],
    );
    edit(&mut run, |info| info["rounds"] = 3.into());
    let text = answered(&run, &late);
    assert_says(&text, &["more than the 3 that a race has: their rounds differ too much here."]);
}

#[test]
fn a_pick_that_was_cut_short_does_not_blame_the_budget() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1100, 900]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1050, 1150, 950]));
    for cells in [Vec::new(), cells[..1].to_vec(), cells] {
        let mut run = run(cells, stores());
        edit(&mut run, |info| info["finished"] = serde_json::Value::Null);
        edit(&mut run, |info| info["pick"] = json!(facts()));
        let options = TerminalOptions { width: 400, color: false, full: false };
        let text = render_terminal(&Analysis::new(&run), &options);
        assert_says(&text, &["STOPPED before it was done", "It was stopped before it was done"]);
        assert!(!text.contains("too short") && !text.contains("--resume") && !text.contains("--budget"), "{text}");
    }
}

#[test]
fn one_round_proves_nothing() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[5000]));
    let dropped = vec![Excluded::dropped("sqlite".to_owned(), "5.0 × the cost".to_owned())];
    for facts in [PickFacts { out_of_time: true, ..facts() }, PickFacts { dropped, ..facts() }] {
        assert!(!pick_is_answered(&cells, &facts), "of the best too");
        let text = shown(cells.clone(), &facts);
        assert_says(
            &text,
            &[
                "LMDB leads",
                "not every store had the two rounds",
                "1 min, was too short to tell anything. Three rounds of all stores need a budget of 2 min or more",
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
        let drop = |name: &&str| Excluded::dropped((*name).to_owned(), "far behind after round 1".to_owned());
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
            "For a proof: Three rounds of all stores need a budget of 2 min or more",
            "Settings",
        ],
    );
    assert!(!text.contains("too short") && !text.contains("leads"), "{text}");
    let page = page_headline(cells.clone(), &far);
    assert!(page.contains("LMDB</span> is best by far, though not proven"), "{page}");
    // A store that was not dropped had no time. One dropped because time ran out, at little more than the cost of the
    // best, may be better.
    assert!(!pick_is_answered(&cells, &without(&["flat-folder"])));
    let mut near = rounds("lmdb", PICK_ASKED, &[1000, 1010]);
    near.extend(rounds("sqlite", PICK_ASKED, &[1300]));
    assert!(!pick_is_answered(&near, &without(&["sqlite"])));
    assert_says(&shown(near, &without(&["sqlite"])), &["LMDB leads", "too short to tell anything"]);
}

#[test]
fn two_rounds_are_too_few_and_absurd_bounds_are_not_shown() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 90_000]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1000, 200_000]));
    let late = PickFacts { out_of_time: true, ..facts() };
    assert!(!pick_is_answered(&cells, &late), "two rounds that scatter are no answer");
    let text = shown(cells, &late);
    assert_says(
        &text,
        &[
            "SQLite, the next, takes 1.49× (too few rounds to say).",
            "1 min was too short to tell anything: LMDB had 2 rounds. Three rounds of all stores need a budget of 2 min or more",
        ],
    );
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 5000, 1000]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1200, 5000, 850]));
    assert!(pick_is_answered(&cells, &late), "three are one");
    let text = shown(cells, &late);
    assert_says(&text, &["So few rounds do not show how many it would take: give twice the time, 2 min, or more"]);
}

#[test]
fn those_that_stayed_at_one_round_do_not_spoil_the_proof() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[9000]));
    let dropped = vec![Excluded::dropped("flat-folder".to_owned(), "9.0 × the cost".to_owned())];
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
fn fewer_rounds_of_one_that_was_out_meanwhile_are_explained() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990, 3000, 1000]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1400, 1410, 1390]));
    let words = "Fewer rounds of SQLite: out of the race as worse, until";
    assert_says(&shown(cells.clone(), &facts()), &[words]);
    let dropped = vec![Excluded::dropped("sqlite".to_owned(), "1.4 × the cost".to_owned())];
    assert!(!shown(cells, &PickFacts { dropped, ..facts() }).contains("Fewer rounds"));
}

#[test]
fn a_change_at_which_another_is_hardly_better_is_not_said_to_change_the_answer() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    for (variant, lmdb) in [("near", [1030, 1031, 1029]), ("far", [1300, 1301, 1299])] {
        cells.extend(rounds("lmdb", variant, &lmdb));
        cells.extend(rounds("sqlite", variant, &[1000, 1001, 999]));
    }
    let questions = vec![question("near", None), question("far", None)];
    let text = shown(cells, &PickFacts { questions, ..facts() });
    assert_says(
        &text,
        &["hardly: SQLite leads, but LMDB takes 1.0", "too close to matter", "yes, SQLite: LMDB takes 1."],
    );
}

#[test]
fn a_rate_that_is_better_is_told_as_more() {
    let cells = a_faster_and_a_smaller();
    let text = shown(cells, &PickFacts { optimize: Goal::Space, ..facts() });
    assert_says(&text, &["LMDB is better than SQLite in mean (0.50", "rate (2.0"]);
}

#[test]
fn one_dropped_far_behind_after_two_rounds_that_scatter_does_not_keep_the_answer() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[1005, 1100, 950]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[9000, 2000]));
    let dropped = vec![Excluded::dropped("flat-folder".to_owned(), "5.5 × the cost".to_owned())];
    let late = PickFacts { out_of_time: true, ..facts() };
    assert!(!pick_is_answered(&cells, &late), "it may be as good");
    let late = PickFacts { dropped, ..late };
    assert!(pick_is_answered(&cells, &late));
    assert_says(
        &shown(cells, &late),
        &["LMDB, or SQLite, which is as good within 1.25×", "Flat folder: 5.5 × the cost"],
    );
}

/// Who is dropped after a first round for which the time is short: by the race of a pick, and by that of a place of a map.
fn dropped_at_once(cells: &[CellRound], goal: Goal) -> [Vec<String>; 2] {
    let entered = ["lmdb", "redb", "sqlite"].map(str::to_owned);
    let judged = judge(cells, goal, (1, true), (&entered, &[]), |_| false);
    let (_, stay) = MapRace::new(cells.iter().collect()).next(&entered, goal, MAP_ROUNDS.0).unwrap();
    let leave = entered.into_iter().filter(|store| !stay.contains(store));
    [judged.behind.into_iter().map(|each| each.store).collect(), leave.collect()]
}

/// A round of each store, of which the last store's is changed.
fn with_last(change: impl Fn(&mut PhaseResult)) -> Vec<CellRound> {
    let mut cells = ["lmdb", "redb", "sqlite"].map(|store| rounds(store, PICK_ASKED, &[1000])).concat();
    change(&mut cells[2].phases[0].result);
    cells
}

#[test]
fn a_few_slow_operations_of_a_first_round_drop_nobody_at_once() {
    let some_slow = with_last(|phase| phase.operations[0].timed_ns = Some(50_000_000));
    assert_eq!(dropped_at_once(&some_slow, Goal::Mean), [[""; 0]; 2]);
    let all_slow = with_last(|phase| phase.operations = vec![operation("get", 50_000)]);
    assert_eq!(dropped_at_once(&all_slow, Goal::Mean), [["sqlite"]; 2]);
}

#[test]
fn what_takes_much_memory_in_a_first_round_is_dropped_at_once_however_quick_it_is() {
    let large = with_last(|phase| phase.resources.rss_peak_above_baseline_bytes = Some(64 << 20));
    assert_eq!(dropped_at_once(&large, Goal::Memory), [["sqlite"]; 2]);
    assert_eq!(dropped_at_once(&large, Goal::Mean), [[""; 0]; 2]);
}

#[test]
fn more_time_than_there_was_is_advised_where_the_guess_is_below_it() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[16_000]));
    let dropped = vec![Excluded::dropped("sqlite".to_owned(), "far behind after round 1".to_owned())];
    let text = shown(cells, &PickFacts { dropped, proof_ns_expected: 3_000_000_000, ..facts() });
    assert_says(&text, &["For a proof: Give more than 1 min with --budget."]);
}

#[test]
fn a_change_that_the_best_alone_was_done_with_in_time_is_not_known() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(rounds("lmdb", "long", &[1000, 1010, 990]));
    let late = rounds("sqlite", "long", &[9000]).into_iter();
    cells.extend(late.map(|cell| failed(cell, FailureKind::Timeout, "not done after 6s")));
    let text = shown(cells, &PickFacts { questions: vec![question("long", None)], ..facts() });
    assert_says(&text, &["If long: not known: SQLite not done in time"]);
}

#[test]
fn one_that_was_late_may_be_the_best_at_what_is_none_of_time() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    let late = rounds("flat-folder", PICK_ASKED, &[9000]).into_iter();
    cells.extend(late.map(|cell| failed(cell, FailureKind::Timeout, "not done after 6s")));
    let raced = ["lmdb", "sqlite", "flat-folder"].map(str::to_owned).to_vec();
    let of_time = PickFacts { raced, ..facts() };
    let words = "Flat folder was not done in its part of the time, so how good it is is not known.";
    assert!(pick_is_answered(&cells, &of_time));
    assert_says(&shown(cells.clone(), &of_time), &["LMDB: its mean time", "is the best", words]);
    let of_space = PickFacts { optimize: Goal::Space, ..of_time };
    assert!(!pick_is_answered(&cells, &of_space));
    let text = shown(cells.clone(), &of_space);
    assert_says(&text, &["None: ", "leads what was measured", words, "Give more than 1 min with --budget."]);
    assert!(!text.contains("Settings") && page_headline(cells, &of_space).contains("no answer"), "{text}");
}

#[test]
fn a_change_that_one_of_several_was_late_at_says_so() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(rounds("lmdb", "long", &[1000, 1010, 990]));
    cells.extend(rounds("sqlite", "long", &[2000, 2010, 1990]));
    let late = rounds("flat-folder", "long", &[9000]).into_iter();
    cells.extend(late.map(|cell| failed(cell, FailureKind::Timeout, "not done after 6s")));
    let text = shown(cells, &PickFacts { questions: vec![question("long", None)], ..facts() });
    assert_says(&text, &["If long: no, LMDB: SQLite, the next, takes", "; not known of Flat folder, not done in time"]);
}

#[test]
fn who_follows_where_the_best_cannot_do_it_is_as_sure_as_its_rounds_are() {
    let mut cells = rounds("lmdb", PICK_ASKED, &[1000, 1010, 990]);
    cells.extend(rounds("sqlite", PICK_ASKED, &[2000, 2020, 1980]));
    cells.extend(rounds("flat-folder", PICK_ASKED, &[3000, 3020, 2980]));
    let scattered: [(&str, &[u64], &[u64]); 3] = [
        ("two", &[1000, 1300], &[1290, 1000]),
        ("three", &[1000, 1300, 700], &[700, 990, 1300]),
        ("tied", &[1000, 1300, 700], &[990, 1310, 695]),
    ];
    for (variant, sqlite, flat) in scattered {
        cells.extend(rounds("sqlite", variant, sqlite));
        cells.extend(rounds("flat-folder", variant, flat));
    }
    let questions = ["two", "three", "tied"].map(|variant| question(variant, None)).to_vec();
    let text = shown(cells, &PickFacts { questions, ..facts() });
    assert_says(
        &text,
        &[
            "If two: yes, LMDB cannot do this; Flat folder leads, not proven by 2 rounds",
            "If three: yes, LMDB cannot do this; Flat folder leads, not told apart from SQLite",
            "If tied: yes, Flat folder and SQLite: LMDB cannot do this",
        ],
    );
}

#[test]
fn the_course_of_a_race_ends_where_the_answer_is() {
    let mut cells = a_faster_and_a_smaller();
    cells.extend(rounds("flat-folder", PICK_ASKED, &[9_000, 9_090]));
    cells.sort_by_key(|cell| cell.end.round);
    let left = Excluded::dropped("flat-folder".to_owned(), "too slow".to_owned());
    let run = picked(cells, &PickFacts { dropped: vec![left], ..facts() });
    let of = Analysis::new(&run);
    let outcome = of.pick().unwrap();
    let course = outcome.course();
    let runner = |name: &str| course.iter().find(|runner| runner.store == name).unwrap();
    let asked = outcome.asked().unwrap();
    for place in &asked.order {
        let last = runner(&place.name).steps.last().unwrap();
        assert!((last.times_the_best / asked.times_the_best(place) - 1.0).abs() < 0.01, "{place:?}: {last:?}");
    }
    let gone = runner("flat-folder");
    assert_eq!((gone.steps.len(), gone.left), (2, Some("too slow")));
    assert_eq!((runner("sqlite").steps.len(), runner("sqlite").left), (3, None));
    assert!(runner("sqlite").steps[0].known.is_none(), "one round proves nothing");
    assert!(runner("sqlite").steps[2].known.is_some_and(|known| known.low > 1.9 && known.high < 2.1));
    // Eight rounds of 50 ms: LMDB and SQLite have the last two.
    assert_eq!([gone, runner("sqlite")].map(|of| of.steps.last().unwrap().elapsed_ns), [300_000_000, 400_000_000]);
}
