//! `bakeoff map` end to end: samples of a plane with real stores, drawn again from the files, interrupted and gone on with.

mod common;

use std::process::Command;
use std::time::{Duration, Instant};

use common::{Finished, Place, unwrapped};
use serde_json::Value;

/// A plane so small that all of it is measured in a few seconds.
const SMALL: [&str; 11] = [
    "map",
    "--x",
    "value-size=16B..16KiB",
    "--y",
    "records=50..400",
    "--stores",
    "sqlite,lmdb,flat-folder",
    "--mix",
    "get=80,update=20",
    "--operations",
    "200",
];

/// The corners and the middle of that plane, which are sampled first.
const FIRST: [&str; 5] = ["x0-y0", "x16-y0", "x0-y16", "x16-y16", "x8-y8"];

fn mapped(place: &Place, more: &[&str]) -> Finished {
    place.run(&SMALL.iter().chain(more).copied().collect::<Vec<_>>())
}

fn facts(place: &Place) -> Value {
    place.run_file()["map"].clone()
}

/// The places that were sampled, each with its stores.
fn sampled(place: &Place) -> std::collections::BTreeMap<String, std::collections::BTreeSet<String>> {
    let mut places: std::collections::BTreeMap<String, std::collections::BTreeSet<String>> = Default::default();
    for cell in place.cells() {
        let [variant, store] = ["variant", "store"].map(|key| cell[key].as_str().unwrap_or_default().to_owned());
        places.entry(variant).or_default().insert(store);
    }
    places
}

#[test]
fn a_map_is_sampled_drawn_and_drawn_again_from_its_files() {
    let place = Place::new();
    let mut shown = mapped(&place, &["--budget", "20s"]).expect(0).stdout;
    // A slow machine needs more time for the places that come first, and some more.
    for _ in 0..10 {
        let places = sampled(&place);
        if places.len() >= 9 && FIRST.iter().all(|first| places.contains_key(*first)) {
            break;
        }
        shown = place.run(&["map", "--resume", "--budget", "20s"]).expect(0).stdout;
    }
    for words in ["What was asked", "records ↑", "value size →", "What it says", "samples won", "places were sampled"]
    {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    let map = shown.split("\nResults: ").next().unwrap_or_default();
    assert!(map.lines().all(|line| line.chars().count() <= 100), "{map}");
    let facts = facts(&place);
    assert_eq!(facts["x"]["values"].as_array().unwrap().len(), 17);
    assert!(!facts["need"].to_string().contains("records"), "what is varied is not asked: {}", facts["need"]);
    let places = sampled(&place);
    assert!(places.len() >= 9 && FIRST.iter().all(|first| places.contains_key(*first)), "{places:?}");
    let first = place.cells()[0]["variant"].as_str().unwrap().to_owned();
    assert!(
        FIRST.contains(&first.as_str()) && places[&first].len() == 3,
        "the first sample has all stores: {places:?}"
    );
    assert!(place.cells().iter().all(|cell| cell["status"] == "ok"));
    let run = place.only_run();
    assert!(run.join("report.html").exists() && place.leftovers().is_empty(), "{:?}", place.leftovers());
    let again = place.run(&["report"]).expect(0).stdout;
    // The command to go on names the run as it was found.
    let but_for_paths = |text: &str| {
        text.trim_end().lines().filter(|line| !line.contains("bakeoff-results")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(but_for_paths(&again), but_for_paths(map), "the files alone give the same");
    let csv = place.run(&["report", "--samples", "-"]).expect(0).stdout;
    assert_eq!(csv.lines().next().unwrap().split(',').next(), Some("value_size"), "{csv}");
    let won = csv.lines().filter(|line| line.split(',').nth(2) == Some("won")).count();
    assert!(won >= 3, "{csv}");
    let cell = place.cells()[0]["cell"].as_str().unwrap().to_owned();
    assert!(place.run(&["request", &cell, "--run", run.to_str().unwrap()]).expect(0).stdout.contains("\"protocol\""));
}

#[test]
fn an_interrupted_map_keeps_what_it_has_and_goes_on() {
    let place = Place::new();
    let arguments: Vec<_> = SMALL.iter().copied().chain(["--budget", "10m"]).collect();
    let mut child = place.spawn(&arguments);
    let begun = Instant::now();
    let has_rounds = |number: usize| {
        let results = place.runs().first().and_then(|run| std::fs::read_to_string(run.join("results.jsonl")).ok());
        results.is_some_and(|text| text.matches("\"line\":\"cell\"").count() >= number)
    };
    while !has_rounds(10) && begun.elapsed() < Duration::from_secs(120) {
        assert!(child.try_wait().unwrap().is_none(), "it is not over yet");
        std::thread::sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let stopped = Finished::of(child.wait_with_output().unwrap()).expect(130);
    assert!(stopped.stderr.contains("go on with: bakeoff run --resume"), "{}", stopped.stderr);
    let before = place.cells();
    assert!(place.run(&["report"]).expect(0).stdout.contains("NOT FINISHED"));
    place.run(&["map", "--resume", "--records", "5"]).expect(2).says(&["--records: a map goes on as it was begun"]);
    let shown = place.run(&["map", "--resume", "--budget", "15s"]).expect(0).stdout;
    assert!(shown.contains("places were sampled"), "{shown}");
    let after = place.cells();
    assert_eq!(after[..before.len()], before, "what was measured is kept");
    assert!(after.len() > before.len());
    let mut rounds: Vec<_> = after.iter().map(|cell| (cell["cell"].to_string(), cell["round"].as_u64())).collect();
    rounds.sort();
    rounds.dedup();
    assert_eq!(rounds.len(), after.len(), "no round is measured twice");
}

#[test]
fn other_quantities_lie_along_axes_too() {
    let rest = "--records 200 --value-size 50B --operations 100 --stores sqlite,lmdb --durability process --budget 8s";
    let mapped = |x: &str, y: &str| {
        let place = Place::new();
        let axes = ["map", "--x", x, "--y", y].into_iter();
        let shown = place.run(&axes.chain(rest.split(' ')).collect::<Vec<_>>()).expect(0).stdout;
        (place, shown)
    };
    let (_, shown) = mapped("reads=0..100", "skew=0..1.2");
    assert!(shown.contains("skew ↑") && shown.contains("share of reads →"), "{shown}");
    let (place, shown) = mapped("threads=1..2", "memory=16MiB..64MiB");
    assert!(shown.contains("memory ↑") && shown.contains("threads →"), "{shown}");
    let threads: std::collections::BTreeSet<_> = place.cells().iter().map(|cell| cell["threads"].as_u64()).collect();
    assert_eq!(threads.len(), 2);
}

#[test]
fn what_cannot_be_mapped_is_refused_before_anything_is_made() {
    let place = Place::new();
    let wrong: [(&[&str], &[&str]); 9] = [
        (&["--x", "size=1..2"], &["--x: unknown quantity `size`", "use value-size, records, reads"]),
        (&["--y", "records=1M..1k"], &["--y records=1M..1k", "must ascend"]),
        (&["--x", "records=1..9"], &["--x and --y: both are records"]),
        (&["--records", "10k"], &["--records 10k: --y records varies it: leave it out"]),
        (&["--x", "skew=0..1", "--access", "latest"], &["--access latest: --x skew varies it"]),
        (&["--x", "threads=1..4", "--mix", "scan=1,insert=1"], &["what a scan finds while other threads write"]),
        (&["--x", "threads=1..16", "--y", "records=5..100"], &["each thread writes records of its own"]),
        (&["--optimize", "p999", "--y", "records=10..1000", "--mix", "insert=1"], &["p999", "takes 3,334 at least"]),
        (&["--tape", "app.tape"], &["a tape is replayed as it is"]),
    ];
    for (arguments, words) in wrong {
        let all: Vec<_> = ["map"].iter().chain(arguments).copied().collect();
        let said = place.run(&all).expect(2);
        let text = unwrapped(&said.stderr);
        for word in words {
            assert!(text.contains(word), "{arguments:?}: {word:?} is not in:\n{text}");
        }
    }
    assert!(place.runs().is_empty());
    assert!(!place.path().join("bakeoff-results").exists(), "nothing is made");
    place.run(&["map", "--help"]).expect(0);
    let help = place.run(&["map", "--help"]).stdout;
    assert!(help.contains("bakeoff map --x value-size=16B..64KiB") && !help.contains("bakeoff pick --need"), "{help}");
}

#[test]
fn a_pick_offers_the_map_of_what_it_depends_on() {
    let place = Place::new();
    let pick = [
        "pick",
        "--full",
        "--records",
        "300",
        "--value-size",
        "64B",
        "--stores",
        "sqlite,lmdb",
        "--mix",
        "get=50,update=50",
        "--budget",
        "15s",
    ];
    let shown = place.run(&pick).expect(0).stdout;
    // A backslash goes on in the next line. Quotation marks keep shells from reading more into a word.
    let mut goes_on = true;
    let lines = shown.lines().skip_while(|line| !line.contains("bakeoff map "));
    let lines = lines.take_while(|line| std::mem::replace(&mut goes_on, line.ends_with('\\')));
    let said = unwrapped(&lines.collect::<Vec<_>>().join("\n")).replace('\'', "").replace("\\ ", "");
    let (_, command) = said.split_once("bakeoff map ").unwrap_or_else(|| panic!("{shown}"));
    assert!(command.starts_with("--x ") && command.contains(" --y "), "{command}");
    assert!(command.contains("--mix get=50,update=50") && command.contains("--stores sqlite,lmdb"), "{command}");
    assert!(!command.contains("--budget") && !command.contains("--data text"), "{command}");
}
