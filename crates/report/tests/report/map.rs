//! A map: who won where, what lies between, what is open; and the race at each place.

use std::collections::BTreeMap;
use std::path::Path;

use bakeoff_protocol::FailureKind;
use bakeoff_report::{TerminalOptions, render_terminal, write_json, write_markdown, write_page, write_samples};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::goal::Goal;
use bakeoff_results::map_axis::{MapAxis, MapQuantity};
use bakeoff_results::map_facts::{MapFacts, MapLeftOut, MapPoint};
use bakeoff_results::map_outcome::{MapOutcome, Unranked, races};
use bakeoff_results::map_plane::MapVerdict;
use bakeoff_results::map_race::{MAP_ROUNDS, MapRace};
use bakeoff_results::pick_facts::Excluded;
use bakeoff_results::run::Run;
use bakeoff_testing::made_up::{edit, failed, run, stores, unwrapped};
use serde_json::json;

use bakeoff_testing::picks::rounds;

use crate::pick::assert_says;

/// Values of 16 B to 256 B by 10 to 1,000 records: five places by five, of which the largest cannot be measured.
fn facts() -> MapFacts {
    MapFacts {
        need: vec![("mix".to_owned(), "get=1".to_owned())],
        x: MapAxis { quantity: MapQuantity::ValueSize, values: vec![16.0, 32.0, 64.0, 128.0, 256.0] },
        y: MapAxis { quantity: MapQuantity::Records, values: vec![10.0, 30.0, 100.0, 300.0, 1000.0] },
        optimize: Goal::Mean,
        budget_ns: 60_000_000_000,
        out_of_time: true,
        raced: vec!["lmdb".to_owned(), "sqlite".to_owned()],
        excluded: vec![Excluded::dropped("redb".to_owned(), "durability process is not offered".to_owned())],
        impossible: vec![MapPoint { x: 4, y: 4 }],
        left_out: Vec::new(),
    }
}

fn at(x: usize, y: usize) -> MapPoint {
    MapPoint { x, y }
}

fn variant(x: usize, y: usize) -> String {
    at(x, y).variant()
}

/// LMDB wins where values are short, SQLite where they are long; in the middle they are tied.
fn cells() -> Vec<CellRound> {
    let mut cells = Vec::new();
    for y in [0, 2, 4] {
        for (x, lmdb, sqlite) in [(0, 1000, 3000), (1, 1000, 2000), (2, 1000, 1000), (4, 2000, 1000)] {
            if (x, y) == (4, 4) {
                continue;
            }
            let around = |mean: u64| [mean, mean + 5, mean - 5];
            cells.extend(rounds("lmdb", &variant(x, y), &around(lmdb)));
            cells.extend(rounds("sqlite", &variant(x, y), &around(sqlite)));
        }
    }
    cells
}

fn mapped(cells: Vec<CellRound>, facts: &MapFacts) -> Run {
    let mut run = run(cells, stores());
    edit(&mut run, |info| info["map"] = json!(facts));
    run
}

fn shown(run: &Run) -> String {
    render_terminal(&Analysis::new(run), &TerminalOptions { width: 80, color: false, full: false })
}

#[test]
fn a_terminal_draws_who_won_and_what_is_open() {
    let text = shown(&mapped(cells(), &facts()));
    let map: Vec<&str> = text.lines().skip_while(|line| !line.contains("records ↑")).take(7).collect();
    let expected = [
        "  records ↑",
        "   1k   L   L   =       ×",
        "  300   l   l   ·",
        "  100   L   L   =   ·   S",
        "   30   l   l   ·   ·   s",
        "   10   L   L   =   ·   S",
    ];
    assert_eq!(map[..6], expected, "{text}");
    assert_eq!(map[6], "       16B     64B    256B", "{text}");
    let said = unwrapped(&text);
    assert_says(
        &said,
        &[
            "value size →",
            "L LMDB: 6 samples won",
            "S SQLite: 2 samples won",
            "a: not sampled, between samples that A won",
            "=: sampled, the first ones tied",
            "×: cannot be measured here",
            "11 of 25 places were sampled, by mean time of an operation. Best: LMDB in 6 and SQLite in 2.",
            "In 3 no store is proven to be best.",
            "bakeoff map --resume results/made-up --budget 2m",
            "redb: durability process is not offered",
        ],
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn colour_is_the_stores() {
    let run = mapped(cells(), &facts());
    let text = render_terminal(&Analysis::new(&run), &TerminalOptions { width: 100, color: true, full: false });
    let row = text.lines().find(|line| line.trim_start().starts_with("100 ")).unwrap();
    assert_eq!(row.matches("\u{1b}[0m").count(), 3, "each colour ends: {row:?}");
    assert!(row.contains("\u{1b}[1m") && row.contains('L') && row.contains('S'), "{row:?}");
}

#[test]
fn what_a_place_does_not_part_has_no_colour_of_a_winner() {
    // Rounds that scatter: nothing is proven.
    let mut cells = rounds("lmdb", &variant(0, 0), &[1000, 2000, 900]);
    cells.extend(rounds("sqlite", &variant(0, 0), &[1100, 1000, 2100]));
    let text = shown(&mapped(cells, &facts()));
    assert!(text.contains("   10   ?"), "{text}");
    assert_says(&unwrapped(&text), &["L LMDB: 0 samples won", "1 of 25 places were sampled"]);
}

#[test]
fn exports_have_every_place_and_its_stores() {
    let run = mapped(cells(), &facts());
    let of = Analysis::new(&run);
    let mut csv = Vec::new();
    write_samples(of.map().unwrap(), &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("value_size,records,state,best,store,standing,cost,"), "{}", lines[0]);
    // Two stores at each of eleven samples, and a line for each of the other places.
    assert_eq!(lines.len(), 1 + 11 * 2 + 14);
    for place in ["16,30,likely,lmdb,,,,,,,,", "256,1000,impossible,,,,,,,,,"] {
        let whole = format!("{place}\"bakeoff 0.1.0, “Made up”, run made-up of ");
        assert!(lines.iter().any(|line| line.starts_with(&whole)), "{whole}: {csv}");
    }
    assert!(lines[1].starts_with("16,10,won,lmdb,lmdb,best,"), "{}", lines[1]);
    let mut written = Vec::new();
    write_json(&of, &mut written).unwrap();
    let all: serde_json::Value = serde_json::from_slice(&written).unwrap();
    let places = all["map"]["places"].as_array().unwrap();
    assert_eq!(places.len(), 25);
    assert_eq!(
        (&places[4]["state"], &places[4]["best"][0], &places[4]["x"]),
        (&json!("won"), &json!("sqlite"), &json!(256.0))
    );
    let mut markdown = Vec::new();
    write_markdown(&of, None, &mut markdown).unwrap();
    assert!(String::from_utf8(markdown).unwrap().contains("   L   L   =   ·   S"));
}

#[test]
fn the_page_has_each_place_with_its_stores() {
    let run = mapped(cells(), &facts());
    let mut page = Vec::new();
    write_page(&Analysis::of_all(&[run]), None, Path::new("."), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert_says(
        &page,
        &[
            "Who is best where",
            "class=\"won c",
            "class=\"likely c",
            "class=\"undecided\"",
            "value size 256 B, 10 records",
        ],
    );
    assert!(!page.contains("fastest of 2 stores"), "a map has no single answer");
}

#[test]
fn damaged_axes_make_no_map() {
    let mut broken = facts();
    broken.x.values = vec![0.0; 1_000];
    let text = shown(&mapped(cells(), &broken));
    assert!(!text.contains("records ↑"), "{text}");
    broken.x.values = Vec::new();
    assert!(Analysis::new(&mapped(cells(), &broken)).map().is_none());
}

#[test]
fn a_race_drops_who_is_far_behind_and_ends_when_it_is_decided() {
    let entered = ["lmdb", "sqlite", "redb"].map(str::to_owned);
    let mut cells = Vec::new();
    let next = |cells: &[CellRound]| MapRace::new(cells.iter().collect()).next(&entered, Goal::Mean, MAP_ROUNDS.0);
    assert_eq!(next(&cells), Some((1, entered.to_vec())));
    cells.extend(rounds("lmdb", "x0-y0", &[1000]));
    cells.extend(rounds("redb", "x0-y0", &[9000]));
    // Interrupted: who is missing comes first.
    assert_eq!(next(&cells), Some((1, vec!["sqlite".to_owned()])));
    cells.extend(rounds("sqlite", "x0-y0", &[2000]));
    assert_eq!(next(&cells), Some((2, vec!["lmdb".to_owned(), "sqlite".to_owned()])), "one is nine times as slow");
    let with_rounds = |lmdb: &[u64], sqlite: &[u64]| {
        [rounds("lmdb", "x0-y0", lmdb), rounds("sqlite", "x0-y0", sqlite), rounds("redb", "x0-y0", &[9000])].concat()
    };
    let three = with_rounds(&[1000, 1010, 990], &[2000, 2010, 1990]);
    assert_eq!(next(&three), None, "it is decided");
    let verdict = |cells: &[CellRound]| MapRace::new(cells.iter().collect()).sample(Goal::Mean).unwrap().verdict;
    assert_eq!(verdict(&three), MapVerdict::Won("lmdb".to_owned()));
    let open = with_rounds(&[1000, 2000, 900], &[1100, 1000, 2100]);
    assert_eq!(next(&open), Some((4, vec!["lmdb".to_owned(), "sqlite".to_owned()])));
    assert_eq!(verdict(&open), MapVerdict::Undecided(vec!["lmdb".to_owned(), "sqlite".to_owned()]));
    let five = with_rounds(&[1000, 2000, 900, 1000, 1500], &[1100, 1000, 2100, 1500, 1000]);
    assert_eq!(next(&five), None, "there were as many as a place has at once");
}

#[test]
fn a_place_knows_why_stores_have_no_place_in_its_ranking() {
    let mut cells = rounds("lmdb", &variant(0, 0), &[1000, 1010, 990]);
    cells.extend(rounds("redb", &variant(0, 0), &[9000]));
    let one = |store: &str| rounds(store, &variant(0, 0), &[1]).remove(0);
    cells.push(failed(one("sqlite"), FailureKind::Timeout, "late"));
    cells.push(failed(one("leveldb"), FailureKind::WrongAnswer, "wrong"));
    let raced = ["lmdb", "redb", "sqlite", "leveldb", "fjall", "flat-folder"].map(str::to_owned).to_vec();
    let left_out = vec![MapLeftOut { at: at(0, 0), store: "fjall".to_owned(), why: "slow".to_owned() }];
    let run = mapped(cells, &MapFacts { raced, left_out, ..facts() });
    let of = MapOutcome::new(&run).unwrap();
    let (ranking, unranked) = of.standings(at(0, 0)).unwrap();
    let order: Vec<String> = ranking.unwrap().order.into_iter().map(|place| place.name).collect();
    assert_eq!(order, ["lmdb"]);
    let expected = [
        (Unranked::FarBehind, "redb"),
        (Unranked::Late, "sqlite"),
        (Unranked::Failed, "leveldb"),
        (Unranked::TooSlow, "fjall"),
        (Unranked::NotRaced, "flat-folder"),
    ];
    assert_eq!(unranked, BTreeMap::from(expected.map(|(why, store)| (why, vec![store.to_owned()]))));
    assert!(of.standings(at(1, 1)).is_none());
}

#[test]
fn what_failed_or_was_late_takes_no_further_part_and_does_not_hide_a_winner() {
    let entered = ["lmdb", "sqlite"].map(str::to_owned);
    let late = failed(rounds("sqlite", "x0-y0", &[1]).remove(0), FailureKind::Timeout, "late");
    let cells = [rounds("lmdb", "x0-y0", &[1000]), vec![late]].concat();
    let race = MapRace::new(cells.iter().collect());
    assert_eq!(race.next(&entered, Goal::Mean, 5), None);
    assert_eq!((race.late(), race.failed()), (vec!["sqlite".to_owned()], Vec::new()));
    let sample = race.sample(Goal::Mean).unwrap();
    assert_eq!((sample.verdict, sample.unknown), (MapVerdict::Won("lmdb".to_owned()), vec!["sqlite".to_owned()]));
    // Close to it nearby, so the winner is open here.
    let near =
        [rounds("lmdb", &variant(1, 0), &[1000, 1001, 999]), rounds("sqlite", &variant(1, 0), &[1500, 1501, 1499])];
    let all = [cells, near.concat()].concat();
    let left_out = vec![MapLeftOut { at: at(2, 0), store: "sqlite".to_owned(), why: "slow".to_owned() }];
    let run = mapped(all, &MapFacts { left_out, ..facts() });
    assert_eq!(races(&run.cells, &facts()).len(), 2);
    let text = shown(&run);
    assert!(text.contains("   10   ?   L"), "{text}");
    assert_says(&unwrapped(&text), &["SQLite: at 1 place a round would have taken more"]);
}
