//! The page's first screen, as the plain HTML that it is: who it says is best, and whether that is so.

use std::path::Path;

use bakeoff_protocol::Axes;
use bakeoff_report::{TerminalOptions, render_terminal, write_page};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;

use bakeoff_testing::made_up::*;

/// The text of the first answer on the page for these cells, without tags.
fn first_answer(cells: Vec<CellRound>) -> String {
    let mut page = Vec::new();
    write_page(&Analysis::of_all(&[run(cells, stores())]), None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let (_, answer) = page.split_once("<section class=\"answer\"").unwrap();
    let answer = answer.split("</section>").next().unwrap().replace("</t", " </t");
    answer.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
}

#[test]
fn what_was_asked_for_and_not_measured_stands_on_the_first_screen() {
    let mut run = run(gets(&axes("lmdb"), &[1_000, 1_010, 990]), stores());
    let left_out = |what: &str| serde_json::json!({ "what": what, "why": "no time for <it>" });
    edit(&mut run, |info| info["given_up"] = ["a", "b", "c", "d", "e"].map(left_out).into());
    let mut page = Vec::new();
    write_page(&Analysis::of_all(&[run]), None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("<li>not measured: a; b; c and 2 more: no time for &lt;it&gt;</li>"), "the warnings");
    assert!(page.contains("<li>not measured: 10KiB..100KiB × 1,000,000 random: larger than max-db-size</li>"));
    let items = page.split("id=\"mind\"").nth(1).unwrap().split("</section>").next().unwrap().matches("<li").count();
    assert!(items > 2 && page.contains(&format!("<a href=\"#mind\">{items} warnings</a>")), "{items}");
}

#[test]
fn what_was_measured_of_all_that_is_named_is_told() {
    let of = |records, data: &str, store| {
        gets(
            &Axes { records, data: data.to_owned(), ..axes(store) },
            &[1_000 + records, 1_010 + records, 990 + records],
        )
    };
    let whole = |data: &'static str| ["lmdb", "sqlite"].map(|store| of(1000, data, store)).concat();
    let shown = |cells| {
        render_terminal(
            &Analysis::new(&run(cells, stores())),
            &TerminalOptions { width: 200, color: false, full: false },
        )
    };
    assert!(!shown([whole("random"), whole("text")].concat()).contains("combinations"));
    let partly = shown([whole("random"), whole("text"), of(2000, "text", "lmdb")].concat());
    assert!(partly.contains("3 of the 4 combinations of these"), "{partly}");
}

#[test]
fn means_say_over_which_comparisons_they_are() {
    let means = [("lmdb", [1_000, 1_010, 990]), ("sqlite", [2_000, 2_010, 1_990])];
    assert!(first_answer(on_three_sizes(&means)).contains("Geometric means over all 3 comparisons; in brackets"));
    let cut = without(on_three_sizes(&means), "sqlite", 3000, &[1, 2, 3]);
    let cut = first_answer(cut);
    assert!(cut.contains("Geometric means over the 2 of 3 comparisons that all of them have; in brackets"), "{cut}");
}

/// Gets of each store on workloads of 1,000, 2,000 and 3,000 records.
fn on_three_sizes(stores: &[(&str, [u64; 3])]) -> Vec<CellRound> {
    let sizes = [1000, 2000, 3000].into_iter();
    let cells = sizes.flat_map(|records| stores.iter().map(move |(store, means)| (records, store, means)));
    cells.flat_map(|(records, store, means)| gets(&Axes { records, ..axes(store) }, means)).collect()
}

/// The cells without some rounds of a store on one number of records.
fn without(cells: Vec<CellRound>, store: &str, records: u64, rounds: &[u32]) -> Vec<CellRound> {
    let is_gone = |cell: &CellRound| {
        let end = &cell.end;
        end.axes.store == store && end.axes.records == records && rounds.contains(&end.round)
    };
    cells.into_iter().filter(|cell| !is_gone(cell)).collect()
}

#[test]
fn a_store_far_behind_shares_no_first_place_for_want_of_a_round() {
    let cells = on_three_sizes(&[
        ("lmdb", [1_000, 1_010, 990]),
        ("sqlite", [2_600, 2_620, 2_610]),
        ("flat-folder", [9_000, 30_000, 10_000]),
    ]);
    let whole = first_answer(cells.clone());
    assert!(whole.contains("LMDB is fastest of 3 stores: 2.61× ("), "{whole}");
    // One workload that was cut short is set aside; of two, little would be left.
    let cut = without(cells.clone(), "flat-folder", 2000, &[3]);
    assert!(first_answer(cut.clone()).contains("LMDB is fastest of 3 stores: 2.61× ("));
    let gap = first_answer(without(cut, "flat-folder", 3000, &[3]));
    let words =
        "LMDB is first by figures, and not told apart from Flat folder (too few rounds or workloads to say); 2.61× (";
    assert!(gap.contains(words) && !gap.contains("Flat folder tied"), "{gap}");
    let single = [2000, 3000].into_iter().fold(cells, |cells, records| without(cells, "flat-folder", records, &[2, 3]));
    let single = first_answer(single);
    assert!(single.contains("LMDB is first by its figures: too few rounds to prove it"), "{single}");
    assert!(single.contains("get LMDB not proven  "), "no margin is given where the next one is not known: {single}");
    assert!(!single.contains("Flat folder tied"), "{single}");
}

#[test]
fn the_scale_reaches_whoever_is_furthest_behind_though_nothing_is_proven() {
    let cells = [gets(&axes("lmdb"), &[1_000]), gets(&axes("sqlite"), &[8_000])].concat();
    let mut page = Vec::new();
    write_page(&Analysis::of_all(&[run(cells, stores())]), None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let dot = page.split("<i class=\"dot").find(|dot| dot.contains("SQLite 8.00×")).expect("a dot of the slower one");
    let left: f64 = dot.split("left:").nth(1).unwrap().split('%').next().unwrap().parse().unwrap();
    assert!((left - 8_f64.ln() / 10_f64.ln() * 100.0).abs() < 0.1, "8 on a scale from 1 to 10, not at its end: {left}");
}

#[test]
fn two_rounds_are_no_tie() {
    let cells = on_three_sizes(&[("lmdb", [1_000, 1_300, 1_150]), ("sqlite", [1_700, 1_900, 1_850])]);
    assert!(first_answer(cells.clone()).contains("LMDB is fastest of 2 stores"));
    let cut = without(without(cells, "lmdb", 3000, &[3]), "sqlite", 2000, &[3]);
    let cut = first_answer(cut);
    assert!(cut.contains("LMDB is first by figures, and not told apart from SQLite, up to 4."), "{cut}");
}

#[test]
fn rounds_of_many_workloads_are_paired_by_their_number() {
    let cells = on_three_sizes(&[("lmdb", [100, 100, 100]), ("sqlite", [200, 90_000, 800])]);
    // SQLite's second round is missing twice: 2 and 8 times the best are left, 4 in the geometric mean.
    let cells = without(without(cells, "sqlite", 2000, &[2]), "sqlite", 3000, &[2]);
    let text = render_terminal(
        &Analysis::new(&run(cells, stores())),
        &TerminalOptions { width: 200, color: false, full: false },
    );
    assert!(text.contains("LMDB 1.00×, SQLite 4.00× (too few rounds or workloads)"), "{text}");
    assert!(text.contains("LMDB ? SQLite (too few rounds to say)"), "{text}");
}

#[test]
fn stores_that_differ_in_operations_are_not_said_to_be_equally_fast() {
    let cell = |store: &str, get: u64, update: u64| -> Vec<CellRound> {
        let phases = |mean: u64| {
            vec![
                phase_result("get", vec![operation("get", get + mean)]),
                phase_result("update", vec![operation("update", update + mean)]),
            ]
        };
        (1..=3).map(|round| good(&axes(store), round, phases(u64::from(round)))).collect()
    };
    let answer = first_answer([cell("lmdb", 1_000, 3_000), cell("sqlite", 3_000, 1_000)].concat());
    assert!(answer.contains("Which is fastest depends on the operation: LMDB for get; SQLite for update"), "{answer}");
    assert!(!answer.contains("equally fast"), "{answer}");
    assert!(answer.contains("wins 1 of 1"), "{answer}");
}

#[test]
fn stores_that_share_an_operation_are_fastest_by_the_workload() {
    let means = [("lmdb", 1_000, 1_000), ("sqlite", 1_000, 3_000), ("lmdb", 2_000, 3_000), ("sqlite", 2_000, 1_000)];
    let cell = |(store, records, mean)| gets(&Axes { records, ..axes(store) }, &[mean, mean + 1, mean + 2]);
    let cells = means.into_iter().flat_map(cell).collect();
    let answer = first_answer(cells);
    assert!(
        answer.contains("Which is fastest depends on the workload: LMDB in 1 and SQLite in 1 of 2 comparisons"),
        "{answer}"
    );
}

#[test]
fn what_is_not_proven_says_in_how_many_workloads_it_is_first() {
    let cells = on_three_sizes(&[("lmdb", [100, 0, 0]), ("sqlite", [200, 0, 0])]);
    let once = cells.into_iter().filter(|cell| cell.end.round == 1).collect();
    let answer = first_answer(once);
    assert!(answer.contains("first in 3 of 3, not proven"), "{answer}");
}

#[test]
fn every_workload_has_its_winner_with_margin_and_interval_or_its_tie() {
    let means = |records: u64, lmdb: [u64; 3], sqlite: [u64; 3]| {
        let of = |store: &str, means: &[u64]| gets(&Axes { records, ..axes(store) }, means);
        [of("lmdb", &lmdb), of("sqlite", &sqlite)].concat()
    };
    let wins = [1_000, 1_010, 1_020];
    let mut cells = means(1_000, wins, [2_000, 2_040, 2_030]);
    cells.extend(means(2_000, [3_000, 3_060, 3_040], wins));
    cells.extend(means(3_000, wins, wins));
    let answer = first_answer(cells.clone());
    let row = |records: &str| {
        let (_, row) = answer.split_once(&format!("× {records} random")).unwrap();
        row.split("1KiB..10KiB").next().unwrap().to_owned()
    };
    assert!(row("1,000").contains("LMDB 2.00× (1."), "{answer}");
    assert!(row("2,000").contains("SQLite 3.00× (2."), "{answer}");
    assert!(row("3,000").contains("LMDB = SQLite tied"), "{answer}");
    let text = render_terminal(
        &Analysis::new(&run(cells, stores())),
        &TerminalOptions { width: 100, color: false, full: false },
    );
    for line in [
        "× 1,000 random  LMDB           2.00× (",
        "× 2,000 random  SQLite         3.00× (",
        "× 3,000 random  LMDB = SQLite",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    // Beyond a dozen they are folded.
    let many = (1..=14).flat_map(|records| means(records * 1_000, wins, [2_000, 2_020, 2_040])).collect();
    let many = first_answer(many);
    assert!(many.contains("2 more workloads"), "{many}");
}

#[test]
fn that_rounds_are_too_few_is_said_before_everything_else() {
    let cells = [gets(&axes("lmdb"), &[1_000]), gets(&axes("sqlite"), &[2_000])].concat();
    let mut page = Vec::new();
    let once = run(cells, stores());
    write_page(&[Analysis::new(&once)], None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let plain = "Every cell was measured in one round only: figures are shown, and nothing is proven by them.";
    let (few, answer) = (page.find(plain).expect("it is said"), page.find("<section class=\"answer\"").unwrap());
    assert!(few < answer);
    assert!(page.contains("too few rounds to prove it <span class=\"interval\">(as it stands 2.00× faster than"));
    let text = render_terminal(&Analysis::new(&once), &TerminalOptions { width: 200, color: false, full: false });
    assert!(text.contains(plain), "{text}");
    let whole = [gets(&axes("lmdb"), &[1_000, 1_010, 1_020]), gets(&axes("sqlite"), &[2_000, 2_010, 2_020])].concat();
    let mut page = Vec::new();
    write_page(&Analysis::of_all(&[run(whole, stores())]), None, Path::new("."), &mut page).unwrap();
    assert!(!String::from_utf8(page).unwrap().contains("class=\"few\""));
}
