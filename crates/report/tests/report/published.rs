//! Publications through our matrix, and runs compared with them.

use bakeoff_protocol::{Axes, CompactedCopy, DiskUsage, Resources};
use bakeoff_report::{TerminalOptions, render_against, render_published, write_csv, write_markdown};
use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;

use bakeoff_testing::made_up::{axes, edit, good, operation, phase_result, run, store, stores, unwrapped};

/// What the figure printed: measure, value_bytes_min, value_bytes_max, data, records, store, figure, unit.
const FIGURE_5: &str = include_str!("../data/hines-2023-figure-5.csv");

fn options(width: usize) -> TerminalOptions {
    TerminalOptions { width, color: false, full: false }
}

fn shown(name: &str, width: usize) -> String {
    render_published(&Published::find(name).unwrap(), &options(width))
}

/// The fields of the first matrix, each with its measure, sizes and column (from 0).
fn fields(text: &str) -> Vec<(String, String, usize, String)> {
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with("records"));
    let header: Vec<char> = lines.next().unwrap().chars().collect();
    let mut starts: Vec<usize> = (1..header.len()).filter(|&at| header[at] != ' ' && header[at - 1] == ' ').collect();
    starts.insert(0, 0);
    let (mut measure, mut found) = (String::new(), Vec::new());
    for line in lines.take_while(|line| !line.contains("means per operation")).filter(|line| !line.starts_with('─')) {
        let line: Vec<char> = line.chars().collect();
        let part = |index: usize| {
            let end = starts.get(index + 1).copied().unwrap_or(line.len()).min(line.len());
            line.get(starts[index]..end)
                .map_or_else(String::new, |part| part.iter().collect::<String>().trim().to_owned())
        };
        if !part(0).is_empty() {
            measure = part(0);
        }
        found.extend((2..starts.len()).map(|index| (measure.clone(), part(1), index - 2, part(index))));
    }
    found
}

#[test]
fn the_data_of_hines_2023_gives_its_figure_5_cell_by_cell() {
    let fields = fields(&shown("hines-2023", 2000));
    let titles = [
        ("berkeley-db", "Berkeley DB (none)"),
        ("leveldb", "LevelDB (process)"),
        ("rocksdb", "RocksDB (process)"),
        ("sqlite", "SQLite (consistent)"),
        ("flat-folder", "Flat folder (none)"),
        ("nested-folder", "Nested folder (none)"),
    ];
    let sizes = [("1", "1B..1KiB"), ("1024", "1KiB..10KiB"), ("10240", "10KiB..100KiB"), ("102400", "100KiB..1MiB")];
    let mut compared = 0;
    for line in FIGURE_5.lines().skip(1) {
        let [measure, min, _, data, records, store, figure, unit] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let size = sizes.iter().find(|(bytes, _)| *bytes == min).unwrap().1;
        let column = if data == "random" { 0 } else { 5 } + records.len() - 3;
        let (.., text) = fields
            .iter()
            .find(|field| (field.0.as_str(), field.1.as_str(), field.2) == (measure, size, column))
            .unwrap();
        let (names, value) = text.split_once("? ").unwrap_or_else(|| panic!("{line}: {text}"));
        let title = titles.iter().find(|(name, _)| *name == store).unwrap().1;
        assert!(names.split(" = ").any(|name| name == title), "{line}: {text}");
        let (value, shown_unit) = value.split_once(' ').unwrap();
        let value: f64 = value.parse().unwrap();
        let in_unit = match (shown_unit, unit) {
            ("ns", "us") => value / 1e3,
            ("ms", "us") => value * 1e3,
            ("µs", "us") | ("%", "%") => value,
            _ => panic!("{line}: {text}"),
        };
        let figure: f64 = figure.parse().unwrap();
        // The figure has whole units, ours has three digits.
        assert!((in_unit - figure).abs() <= 0.5 + 0.005 * figure, "{line}: {text}");
        compared += 1;
    }
    assert_eq!(compared, 170);
    let filled = fields.iter().filter(|field| field.0 != "peak memory" && !field.3.is_empty()).count();
    assert_eq!(filled, 170, "and what the paper left blank is blank");
}

#[test]
fn a_publication_says_that_it_has_no_rounds_and_what_was_unequal() {
    let text = shown("hines-2023", 100);
    assert!(text.contains("no rounds and no intervals"), "{text}");
    assert!(text.contains("Berkeley DB (none): a B-tree without an environment"), "{text}");
    assert!(text.contains("AMD EPYC 7402P"), "{text}");
    assert!(shown("cunningham-2024", 100).contains("disturbed by video"));
    for name in Published::names() {
        let text = shown(name, 100);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{name}");
    }
}

#[test]
fn a_run_beside_a_publication_says_who_won_then_and_now() {
    let at = |store: &str, mean_ns: u64| {
        let axes = Axes { value_bytes_min: 1024, value_bytes_max: 10_240, records: 1000, ..axes(store) };
        good(&axes, 1, vec![phase_result("insert", vec![operation("insert", mean_ns)])])
    };
    let mut run = run(vec![at("lmdb", 4180), at("berkeley-db", 9000)], stores());
    let text = render_against(&Analysis::new(&run), &Published::find("hines-2023").unwrap(), &options(100)).unwrap();
    let row = unwrapped(text.lines().skip_while(|line| *line != "insert").nth(1).unwrap());
    assert!(row.contains("Berkeley (none)? 8.36 µs") && row.contains("LMDB? 4.18 µs"), "{text}");
    assert!(row.contains("2.00×") && row.ends_with('≠'), "{text}");
    assert!(text.contains("Berkeley (none): Berkeley DB (none)"), "{text}");
    assert!(text.contains("The winner changed in 1 of 1 field: 1 of 1 in insert."), "{text}");
    // 8.36 µs then and 9 now; LMDB took no part then. A publication that prints only the best shows nothing of others.
    let each = text.split("Each store: ").nth(1).unwrap_or_else(|| panic!("{text}"));
    let rows: Vec<String> =
        each.lines().skip_while(|line| !line.contains("stores were set`)")).skip(1).map(unwrapped).collect();
    assert_eq!(rows[0], "insert peak memory space efficiency", "{text}");
    assert!(rows[1].starts_with("berkeley-db 0.929× ") && rows[2].is_empty(), "{text}");
    let full = TerminalOptions { full: true, ..options(100) };
    let full = render_against(&Analysis::new(&run), &Published::find("hines-2023").unwrap(), &full).unwrap();
    // A name that is too long for its column goes on in the next line.
    let rows: Vec<String> = full.lines().skip_while(|line| *line != "insert").skip(2).take(4).map(unwrapped).collect();
    let expected = ["LMDB 4.18 µs", "berkeley-db 8.36 µs 9.00 µs 0.929×", "Flat folder 20.0 µs", "(none)"];
    assert_eq!(rows, expected, "{full}");
    let mut markdown = Vec::new();
    write_markdown(&Analysis::new(&run), Some(&Published::find("hines-2023").unwrap()), &mut markdown).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    let (own, beside) = markdown.split_once("## Beside Performance Comparison").unwrap();
    let row = "| 1KiB..10KiB | 1,000 random | Berkeley (none)? | 8.36 µs | LMDB? | 4.18 µs | 2.00× | ≠ |";
    assert!(own.contains("**overall:**") && beside.contains(row), "{markdown}");
    assert!(!text.contains("NOT FINISHED") && !markdown.contains("NOT FINISHED"), "{text}");
    // Of a winner that did not run nobody knows whether it would still win.
    let without = bakeoff_testing::made_up::run(vec![at("lmdb", 4180), at("sqlite", 9000)], stores());
    let text =
        render_against(&Analysis::new(&without), &Published::find("hines-2023").unwrap(), &options(100)).unwrap();
    let row = unwrapped(text.lines().skip_while(|line| *line != "insert").nth(1).unwrap());
    assert!(row.contains("Berkeley (none)? 8.36 µs") && row.contains("LMDB? 4.18 µs"), "{text}");
    assert!(!row.contains('≠'), "{text}");
    let unknown = "The winner changed in 0 of 1 field: 0 of 1 in space efficiency. In 2 fields the winner of then took\nno part here";
    assert!(text.contains(unknown), "{text}");
    let alone = bakeoff_testing::made_up::run(vec![at("sqlite", 9000)], stores());
    let text = render_against(&Analysis::new(&alone), &Published::find("hines-2023").unwrap(), &options(100)).unwrap();
    let row = unwrapped(text.lines().skip_while(|line| *line != "insert").nth(1).unwrap());
    assert!(row.contains("SQLite alone 9.00 µs") && !row.contains('≠'), "{text}");
    assert!(!text.contains("winner changed") && text.contains("In 3 fields only one store was measured"), "{text}");
    // This one prints only the best, but it was measured along with others.
    let text =
        render_against(&Analysis::new(&run), &Published::find("cunningham-2024").unwrap(), &options(100)).unwrap();
    let rows: Vec<_> = text.lines().filter(|line| line.ends_with('≠')).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.matches('?').count() == 2), "{text}");
    assert!(!text.contains("Each store: "), "{text}");
    assert!(text.contains("The winner changed in") && !text.contains("alone"), "{text}");
    edit(&mut run, |info| info["finished"] = serde_json::Value::Null);
    let text = render_against(&Analysis::new(&run), &Published::find("hines-2023").unwrap(), &options(100)).unwrap();
    assert!(text.contains("NOT FINISHED: `bakeoff run --resume` goes on"), "{text}");
    let mut markdown = Vec::new();
    write_markdown(&Analysis::new(&run), None, &mut markdown).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    assert!(markdown.contains("**NOT FINISHED: `bakeoff run --resume` goes on**"), "{markdown}");
    let elsewhere =
        render_against(&Analysis::new(&run), &Published::find("ozone-2020").unwrap(), &options(100)).unwrap_err();
    assert!(elsewhere.to_string().contains("share no phase"), "{elsewhere}");
}

#[test]
fn a_medium_that_is_called_as_one_of_a_publication_stands_beside_that_one() {
    let beside = |medium: &str| {
        let axes = Axes {
            value_bytes_min: 1024,
            value_bytes_max: 10_240,
            records: 1000,
            medium: medium.to_owned(),
            ..axes("sqlite")
        };
        let cell = good(&axes, 1, vec![phase_result("insert", vec![operation("insert", 1000)])]);
        let run = run(vec![cell], stores());
        let text =
            render_against(&Analysis::new(&run), &Published::find("cunningham-2024").unwrap(), &options(100)).unwrap();
        ["solid-state drive", "hard disk"].map(|kind| text.contains(&format!("then: a Windows machine with a {kind}")))
    };
    assert_eq!([beside("ssd"), beside("hdd"), beside("ext4")], [[true, false], [false, true], [true, true]]);
}

#[test]
fn space_is_counted_as_the_paper_counts_it() {
    // 1,000 records with keys of 32 bytes are 5,000,000 bytes, of which 4,968,000 are values.
    let axes = Axes { value_bytes_min: 1024, value_bytes_max: 10_240, records: 1000, ..axes("sqlite") };
    let mut cell = good(&axes, 1, vec![phase_result("insert", vec![operation("insert", 1000)])]);
    let disk = cell.end.finished.as_mut().and_then(|finished| finished.disk_after_close.as_mut()).unwrap();
    disk.allocated_bytes = 10_000_000;
    let run = run(vec![cell], stores());
    let text = render_against(&Analysis::new(&run), &Published::find("hines-2023").unwrap(), &options(100)).unwrap();
    let row = unwrapped(text.lines().skip_while(|line| !line.starts_with("space efficiency")).nth(1).unwrap());
    assert!(row.contains("SQLite alone 49.7 %"), "{text}");
    let mut own = Vec::new();
    write_csv(&run, &mut own).unwrap();
    assert!(String::from_utf8(own).unwrap().contains("5000000"), "keys are data of our own");
}

#[test]
fn an_unknown_publication_is_told_the_known_ones() {
    let error = Published::find("hines").unwrap_err().to_string();
    assert!(error.contains("hines-2023") && error.contains("ozone-2020"), "{error}");
}

/// `flat-buffer` is no part of `flat-buffer-long`, which the publication has itself; a tree with fewer levels is a scale; sizes that
/// are not printed match any.
#[test]
fn walks_of_a_smaller_tree_stand_beside_those_of_the_same_variant() {
    let cell = |variant: &str, mean_ns| {
        let axes = Axes {
            store: "lmdb".to_owned(),
            variant: Some(variant.to_owned()),
            data: "random".to_owned(),
            value_bytes_min: 232,
            value_bytes_max: 240,
            records: 3_905,
            ..axes("lmdb")
        };
        let mut round = good(&axes, 1, vec![phase_result("walk", vec![operation("walk", mean_ns)])]);
        round.end.cell.push_str(variant);
        round
    };
    let mut run = run(vec![cell("flat-buffer", 10_000), cell("flat-buffer-long", 5_000)], stores());
    edit(&mut run, |info| info["suite"]["scale"] = serde_json::json!(3_905.0 / 12_207_030.0));
    let text = render_against(&Analysis::new(&run), &Published::find("ozone-2020").unwrap(), &options(100)).unwrap();
    let rows: Vec<&str> =
        text.lines().filter(|line| line.contains("RocksDB (process)") && line.contains("LMDB")).collect();
    let walks: Vec<&&str> = rows.iter().filter(|row| row.contains("µs")).collect();
    assert_eq!(walks.len(), 2, "{text}");
    assert!(walks[0].contains("49.3 µs") && walks[0].contains("10.0 µs") && walks[0].contains("232B..240B"), "{text}");
    assert!(walks[1].contains("48.4 µs") && walks[1].contains("5.00 µs"), "{text}");
    // That a walk is shorter stood far below the factors alone.
    let head = unwrapped(text.split(walks[0]).next().unwrap_or_default());
    assert!(head.contains("A walk is of fewer lookups than theirs"), "{text}");
}

#[test]
fn garbage_of_a_java_program_stood_in_the_csv_alone() {
    let axes = Axes { variant: Some("flat-buffer".to_owned()), records: 3_905, ..axes("rocksdb-jni") };
    let mut walk = phase_result("walk", vec![operation("walk", 20_000)]);
    let resources = &mut walk.resources;
    resources.allocated_bytes = Some(5_000_000);
    (resources.gc_collections, resources.gc_ns) = (Some(4), Some(6_000_000));
    resources.gc_churn_eden_bytes = Some(4_000_000);
    (resources.gc_churn_survivor_bytes, resources.gc_churn_other_bytes) = (Some(3_000), Some(0));
    let mut run = run(vec![good(&axes, 1, vec![walk])], stores());
    edit(&mut run, |info| info["suite"]["scale"] = serde_json::json!(3_905.0 / 12_207_030.0));
    let ozone = Published::find("ozone-2020").unwrap();
    let text = render_against(&Analysis::new(&run), &ozone, &options(100)).unwrap();
    let section = text.split("Garbage, then and now").nth(1).unwrap_or_else(|| panic!("{text}"));
    let row = |name: &str| {
        let rows = section.lines().map(unwrapped);
        let found: Vec<String> = rows.filter(|row| row.starts_with(&format!("{name} "))).collect();
        assert_eq!(found.len(), 1, "{name}: {section}");
        found[0].clone()
    };
    // 5,000,000 bytes of 1,000 walks in 20 ms, in a phase of 10 ms.
    assert_eq!(row("gc.alloc.rate.norm"), "gc.alloc.rate.norm 6560 5000 B/op");
    assert_eq!(row("gc.alloc.rate"), "gc.alloc.rate 95.9 238 MB/sec");
    assert_eq!(row("gc.churn.PS_Eden_Space.norm"), "gc.churn.PS_Eden_Space.norm 6600 4000 B/op");
    assert_eq!(row("gc.churn.PS_Eden_Space"), "gc.churn.PS_Eden_Space 96.2 381 MB/sec");
    assert_eq!(row("gc.churn.PS_Survivor_Space.norm"), "gc.churn.PS_Survivor_Space.norm 0.293 3.00 B/op");
    assert_eq!(row("gc.count"), "gc.count 18.0 4.00 counts");
    assert_eq!(row("gc.time / gc.count"), "gc.time / gc.count 2.78 1.50 ms");
    // Without garbage collection there is nothing to compare.
    run.cells[0].phases[0].result.resources = Resources::default();
    assert!(!render_against(&Analysis::new(&run), &ozone, &options(100)).unwrap().contains("Garbage"));
}

#[test]
fn a_store_that_flushed_in_one_section_of_a_paper_is_not_said_to_have_promised_less_there() {
    let leveldb = Published::find("leveldb-2011").unwrap();
    let text = render_published(&leveldb, &TerminalOptions { width: 100, color: false, full: false });
    let (_, synchronous) = text.split_once("variant synchronous").unwrap();
    let line = synchronous.lines().find(|line| line.starts_with("sequential-writes")).unwrap();
    assert!(line.contains("LevelDB (power)? 10.0 ms"), "{line}");
    assert!(text.contains("LevelDB (process)? 1.28 µs"), "{text}");
}

#[test]
fn printed_sizes_stand_beside_what_lies_on_disk_and_no_copy() {
    let at = |variant: &str, value_bytes, allocated_bytes, copied_bytes| {
        let axes = Axes {
            key: "integer".to_owned(),
            value_bytes_min: value_bytes,
            value_bytes_max: value_bytes,
            records: 1_000_000,
            variant: Some(variant.to_owned()),
            ..axes("lmdbjava-agrona")
        };
        let mut cell = good(&axes, 1, Vec::new());
        cell.end.data_bytes = (4 + value_bytes) * 1_000_000;
        cell.end.cell.push_str(variant);
        let disk = |allocated_bytes| DiskUsage { apparent_bytes: allocated_bytes, allocated_bytes, files: 1 };
        cell.end.finished.as_mut().unwrap().disk_after_close = Some(disk(allocated_bytes));
        cell.end.verified.as_mut().unwrap().compacted_copy =
            Some(CompactedCopy { copy_ns: 1, disk: disk(copied_bytes) });
        cell
    };
    let cells = vec![
        at("test-4-integer-random", 100, 208_000_000, 160_000_000),
        at("test-2-random", 2_026, 4_060_000_000, 2_500_000_000),
    ];
    let run = run(cells, vec![store("lmdbjava-agrona", "LmdbJava (Agrona)")]);
    let text = render_against(&Analysis::new(&run), &Published::find("lmdbjava-2016").unwrap(), &options(100)).unwrap();
    let rows: Vec<String> = text.lines().map(unwrapped).collect();
    // A half where it was 104 of 171.6 MB, and where it was 2,030 of 2,745.9.
    for row in ["LmdbJava (Agrona) 0.825×", "LmdbJava (Agrona) 0.676×"] {
        assert!(rows.iter().any(|other| other == row), "{row} is not in:\n{text}");
    }
}

#[test]
fn what_was_run_several_times_is_the_mean_of_the_runs() {
    let ozone = Published::find("ozone-2020").unwrap();
    let text = render_published(&ozone, &options(100));
    let (_, walks) = text.split_once("variant flat-buffer-long · 1 thread\n").unwrap();
    // 20,311.75, 20,629.418 and 21,039.711 a second, 20,660.293 on the mean.
    assert!(walks.lines().find(|line| line.starts_with("walk")).unwrap().contains("48.4 µs"), "{text}");
    assert!(ozone.csv().contains("21039.711"));
}
