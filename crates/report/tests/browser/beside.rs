//! The figures next to the plain ones: published ones, other media, disturbances, background work, other runs and
//! answers.

use bakeoff_protocol::{Axes, Durability};
use bakeoff_results::cell_rounds::CellRound;

use crate::Page;
use crate::made_up::{circumstances, everything};
use crate::pictures::{marks, near};
use bakeoff_testing::made_up::{axes, edit, gets, good, operation, phase_result, run, stores};

const DOTS: &str = "[aria-label=dot]:not(.key) > *";

/// Asserts that the marks of a picture stand at exactly these values, on the axis that `of` takes.
fn assert_values(page: &mut Page, picture: &str, selector: &str, of: fn(&(f64, f64)) -> f64, expected: &[f64]) {
    let mut found: Vec<f64> = marks(page, picture, selector).iter().map(of).collect();
    found.sort_by(f64::total_cmp);
    let mut expected = expected.to_vec();
    expected.sort_by(f64::total_cmp);
    let same = found.len() == expected.len() && found.iter().zip(&expected).all(|(one, other)| near(*one, *other));
    assert!(same, "{picture}: {found:?} instead of {expected:?}");
}

const HINES: &str = include_str!("../../../../published/hines-2023.csv");
const CUNNINGHAM: &str = include_str!("../../../../published/cunningham-2024.csv");
const OZONE: &str = include_str!("../../../../published/ozone-2020.csv");

/// Means that a publication printed in the rows with these fields.
fn printed(publication: &str, fields: &[(&str, &str)]) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(publication.as_bytes());
    let names = reader.headers().unwrap().clone();
    let rows = reader.records().map(Result::unwrap).filter(|row| {
        let field = |name: &str| &row[names.iter().position(|each| each == name).unwrap()];
        fields.iter().all(|(name, value)| field(name) == *value)
    });
    let mean = names.iter().position(|each| each == "mean").unwrap();
    rows.map(|row| row[mean].parse().unwrap()).collect()
}

/// Mean times that Hines published of an operation on `records` random records of 1 to 10 KiB, ns.
fn published(operation: &str, records: &str) -> Vec<f64> {
    let of = [("phase", operation), ("measure", "time"), ("data", "random"), ("value_bytes_min", "1024")];
    printed(HINES, &[of.as_slice(), &[("records", records)]].concat())
}

/// Asserts at which figures the dots of a publication stand.
fn assert_published(page: &mut Page, expected: &[f64]) {
    assert_values(page, "#published", ".published > *", |mark| mark.0, expected);
}

#[test]
fn published_figures_beside_ours() {
    let phases = || ["insert", "get"].map(|name| phase_result(name, vec![operation(name, 4_180)])).to_vec();
    let cell = |store: &str, records: u64| {
        let axes = Axes { records, ..axes(store) };
        good(&axes, 1, phases())
    };
    let run = run(vec![cell("lmdb", 1_000), cell("sqlite", 1_000), cell("lmdb", 2_000)], stores());
    let mut page = Page::against(&[run], "hines-2023");
    assert_eq!(page.count("#published svg"), 1, "the page opens where something was published");
    let answer = page.text_of(".against");
    for words in ["Then and now: Performance Comparison", "(2023)", "The winner changed in"] {
        assert!(answer.contains(words), "{words} is not in {answer}");
    }
    page.choose("#choosers", "records", "1,000");
    for operation in ["insert", "get"] {
        page.choose("#choosers", "operation", operation);
        let theirs = published(operation, "1000");
        assert_eq!(theirs.len(), 6, "stores in the paper");
        assert_published(&mut page, &theirs);
        assert_values(
            &mut page,
            "#published",
            "[aria-label=dot]:not(.key):not(.published) > *",
            |mark| mark.0,
            &[4_180.0; 2],
        );
        if operation == "insert" {
            // From microseconds to milliseconds: units that follow each other.
            let labels = "[...document.querySelectorAll(\"#published [aria-label='x-axis tick label'] text\")].map((each) => each.textContent).join()";
            let labels = page.browser.text(labels);
            assert!(labels.contains("µs,") && labels.contains("ms"), "{labels}");
        }
    }
    let words = page.text_of("#published");
    for expected in ["Get: mean time, published and ours", "Hines", "2023", "Berkeley DB (none)", "other machines"] {
        assert!(words.contains(expected), "{expected} is not in {words}");
    }
    page.choose("#choosers", "records", "2,000");
    assert!(page.text_of("#published").contains("Nothing was published for"), "{}", page.text_of("#published"));
    assert_eq!(page.count("#published svg"), 0);
    assert!(!page.text_of("#published").contains("Nothing was measured"), "it was");
    page.is_quiet();
}

#[test]
fn a_run_that_was_scaled_down_stood_beside_what_was_published_of_as_few_records() {
    let cell = |store: &str| {
        let axes = Axes { records: 1_000, ..axes(store) };
        good(&axes, 1, vec![phase_result("get", vec![operation("get", 4_180)])])
    };
    let mut run = run(vec![cell("lmdb"), cell("sqlite")], stores());
    edit(&mut run, |info| info["suite"]["scale"] = serde_json::json!(0.1));
    let mut page = Page::against(&[run], "hines-2023");
    assert_published(&mut page, &published("get", "10000"));
    page.is_quiet();
}

/// The same round in a cell of its own: the id of a made-up cell does not say all of its axes.
fn told_apart(by: &str, mut round: CellRound) -> CellRound {
    round.end.cell.push_str(by);
    round
}

#[test]
fn a_variant_stood_beside_another_that_begins_like_it() {
    let cell = |variant: &str| {
        let axes = Axes { variant: Some(variant.to_owned()), records: 12_207_030, ..axes("lmdb") };
        told_apart(variant, good(&axes, 1, vec![phase_result("walk", vec![operation("walk", 10_000)])]))
    };
    let mut page = Page::against(&[run(vec![cell("flat-buffer"), cell("flat-buffer-long")], stores())], "ozone-2020");
    for variant in ["flat-buffer", "flat-buffer-long"] {
        page.choose("#choosers", "variant", variant);
        // The publication prints rates, of which what was run several times is shown as the mean.
        let of = [("variant", variant), ("phase", "walk"), ("measure", "rate"), ("threads", "1")];
        let rates = printed(OZONE, &of);
        assert!(!rates.is_empty(), "{variant}");
        assert_published(&mut page, &[1e9 / (rates.iter().sum::<f64>() / rates.len() as f64)]);
    }
    page.is_quiet();
}

#[test]
fn a_medium_stood_beside_the_other_one_of_the_publication() {
    let cell = |medium: &str| {
        let axes = Axes { records: 1_000, medium: medium.to_owned(), ..axes("lmdb") };
        told_apart(medium, good(&axes, 1, vec![phase_result("get", vec![operation("get", 4_180)])]))
    };
    let mut page = Page::against(&[run(vec![cell("hdd"), cell("ssd")], stores())], "cunningham-2024");
    for medium in ["hdd", "ssd"] {
        page.choose("#choosers", "medium", medium);
        let of = [("phase", "get"), ("measure", "time"), ("data", "random"), ("value_bytes_min", "1024")];
        let of = [of.as_slice(), &[("records", "1000"), ("hardware", medium), ("disturbance", "")]].concat();
        // Printed as nanoseconds, which its suite calls a mistake.
        let times: Vec<f64> = printed(CUNNINGHAM, &of).into_iter().map(|time| time * 1_000.0).collect();
        assert!(!times.is_empty(), "{medium}");
        assert_published(&mut page, &times);
    }
    page.is_quiet();
}

#[test]
fn media_and_disturbances_are_chosen_and_set_beside_each_other() {
    let mut page = Page::open(&[circumstances()]);
    assert_eq!(page.fields(), ["LMDB 1.00 µs"]);
    let up = |mark: &(f64, f64)| mark.1;
    assert_values(&mut page, "#along-medium", DOTS, up, &[1e3, 2e3, 1e4, 2e4]);
    assert_values(&mut page, "#along-disturbance", DOTS, up, &[1e3, 2e3, 3e3, 6e3]);
    page.choose("#choosers", "medium", "slow");
    assert_eq!(page.fields(), ["LMDB 10.0 µs"]);
    assert_values(&mut page, "#along-disturbance", DOTS, up, &[1e4, 2e4, 3e4, 6e4]);
    page.choose("#choosers", "disturbance", "video");
    assert_eq!(page.fields(), ["LMDB 30.0 µs"]);
    assert_values(&mut page, "#along-medium", DOTS, up, &[3e3, 6e3, 3e4, 6e4]);
    assert_values(&mut page, "#detail-chart", DOTS, |mark| mark.0, &[3e4, 6e4]);
    let words = page.text_of("#detail-workload");
    assert!(words.contains("medium slow") && words.contains("disturbance video"), "{words}");
    page.is_quiet();
}

#[test]
fn what_was_put_off_is_a_measure_beside_what_was_acknowledged() {
    let mut page = Page::open(&[circumstances()]);
    page.choose("#choosers", "measure", "settled time");
    assert_eq!(page.fields(), ["LMDB 3.00 µs"]);
    assert_values(&mut page, "#detail-chart", DOTS, |mark| mark.0, &[3e3, 6e3]);
    assert_values(&mut page, "#along-medium", DOTS, |mark| mark.1, &[3e3, 6e3, 3e4, 6e4]);
    let table = page.text_of("#detail-table");
    for words in ["mean time", "settled time", "1.00 µs", "3.00 µs"] {
        assert!(table.contains(words), "{words} is not in {table}");
    }
    page.choose("#scatter", "across", "mean time");
    page.choose("#scatter", "up", "settled time");
    assert_values(&mut page, "#scatter", DOTS, |mark| mark.1 / mark.0, &[3.0, 3.0]);
    page.choose("#choosers", "measure", "mean time");
    assert_eq!(page.fields(), ["LMDB 1.00 µs"]);
    page.is_quiet();
}

#[test]
fn runs_beside_each_other_differ_in_what_is_not_the_same() {
    let mut other = everything();
    other.directory = "results/other".into();
    other.cells.retain(|cell| cell.end.axes.store != "flat-folder" && cell.end.axes.threads == 4);
    other
        .record
        .stores
        .iter_mut()
        .filter(|store| store.name == "lmdb")
        .for_each(|store| store.version = "9.9".to_owned());
    let mut page = Page::open(&[everything(), other]);
    let differs = |row: u32| format!("#beside tbody tr:nth-child({row}) td");
    assert_eq!(page.text_of(&differs(1)), "with Flat folder · threads 1 and 4 · LMDB 1.2.3");
    assert_eq!(page.text_of(&differs(2)), "without Flat folder · threads 4 · LMDB 9.9");
    page.is_quiet();
}

#[test]
fn a_line_that_depends_on_the_workload_names_who_leads() {
    let mut cells = Vec::new();
    for durability in [Durability::None, Durability::Process] {
        for (records, times) in [(1_000, [1, 2]), (10_000, [2, 1])] {
            for (store, times) in ["lmdb", "sqlite"].iter().zip(times) {
                let axes = Axes { durability, records, ..axes(store) };
                let rounds = gets(&axes, &[1_000 * times, 1_010 * times, 1_020 * times]);
                cells.extend(rounds.into_iter().map(|mut cell| {
                    let id = format!("{}-{durability}", cell.end.cell);
                    cell.phases.iter_mut().for_each(|line| line.cell.clone_from(&id));
                    cell.end.cell = id;
                    cell
                }));
            }
        }
    }
    let mut page = Page::open(&[run(cells, stores())]);
    assert_eq!(page.text_of("#overview tbody td:nth-child(2)"), "LMDB or SQLite depending on the work");
    assert_eq!(page.text_of("#overview tbody td:nth-child(3)"), "", "nobody is behind them");
    page.is_quiet();
}

#[test]
fn numbers_next_to_none_on_an_axis_had_no_marks() {
    let cell = |memory_bytes: Option<u64>| {
        let axes = Axes { memory_bytes, ..axes("lmdb") };
        told_apart(
            &format!("{memory_bytes:?}"),
            good(&axes, 1, vec![phase_result("get", vec![operation("get", 1_000)])]),
        )
    };
    let mut page = Page::open(&[run([None, Some(1 << 20)].map(cell).into(), stores())]);
    assert_eq!(page.count("#along-memory_bytes [aria-label=dot]:not(.key) > *"), 2);
    page.is_quiet();
}
