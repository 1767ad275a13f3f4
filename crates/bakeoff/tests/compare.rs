//! `bakeoff compare` and the exports, on runs of the real program.

mod common;

use std::path::Path;

use common::{Place, tiny_suite};

/// A copy of a run in which every time of one store is this many times longer.
fn slowed(run: &Path, copy: &Path, store: &str, factor: u64) {
    std::fs::create_dir(copy).unwrap();
    std::fs::copy(run.join("run.json"), copy.join("run.json")).unwrap();
    let text = std::fs::read_to_string(run.join("results.jsonl")).unwrap();
    let slow = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["store"] == store && line["line"] == "phase" {
            let slower = |value: &mut serde_json::Value| *value = (value.as_u64().unwrap() * factor).into();
            // All of them: times that contradict each other would be left out.
            for name in ["timed_ns", "threads_timed_ns", "wall_ns"] {
                slower(&mut line["result"][name]);
            }
            for operation in line["result"]["operations"].as_array_mut().unwrap() {
                operation.get_mut("timed_ns").map(slower);
                let latency = operation.get_mut("latency").and_then(|latency| latency.as_object_mut());
                latency.into_iter().flatten().filter(|(_, value)| value.is_u64()).for_each(|(_, value)| slower(value));
            }
        }
        line.to_string() + "\n"
    };
    std::fs::write(copy.join("results.jsonl"), text.lines().map(slow).collect::<String>()).unwrap();
}

#[test]
fn a_slower_run_fails_where_asked_to() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""sqlite", "lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "4"]).expect(0);
    let run = place.only_run();
    let (a, slow) = (run.to_str().unwrap(), place.path().join("slow"));
    slowed(&run, &slow, "lmdb", 1_000);
    let b = slow.to_str().unwrap();
    let same = place.run(&["compare", a, a, "--fail-on", "worse=5%"]).expect(0);
    assert!(same.stdout.contains("0 better in B, 0 worse"), "{}", same.stdout);
    assert!(same.stdout.lines().all(|line| line.chars().count() <= 100), "{}", same.stdout);
    let worse = place.run(&["compare", a, b, "--fail-on", "worse=5%"]).expect(1).says(&["worse: LMDB, get"]);
    assert!(!worse.stderr.contains("SQLite") && worse.stdout.contains("1000×"), "{worse:?}");
    place.run(&["compare", a, b]).expect(0);
    place.run(&["compare", b, a, "--fail-on", "worse"]).expect(0);
    place.run(&["compare", a, b, "--html", "c.html", "--markdown", "c.md"]).expect(0);
    for (file, words) in [("c.html", "class=\"bad\">worse"), ("c.md", "**worse**")] {
        assert!(std::fs::read_to_string(place.path().join(file)).unwrap().contains(words), "{file}");
    }
}

#[test]
fn mistakes_are_explained() {
    let place = Place::new();
    for (arguments, words) in [
        (&["compare", "a", "b", "--fail-on", "better=5%"][..], "only worsening can fail: give worse=PERCENT"),
        (&["compare", "a", "b", "--fail-on", "worse=x%"], "`x` is no number"),
        (&["compare", "a", "b", "--fail-on", "worse=-5%"], "out of range"),
        (&["compare", "a", "b"], "a is not a bakeoff run"),
        (&["compare", "a", "b", "--html", "x", "--markdown", "x"], "two exports would be written into x"),
        (&["report", "a", "b"], "2 runs were named: only --html shows several"),
        (&["report", "a", "--csv", "x", "--xlsx", "x"], "two exports would be written into x"),
    ] {
        place.run(arguments).expect(2).says(&[words]);
    }
}

#[test]
fn every_export_of_a_run() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml"]).expect(0);
    let begins: [(&str, &[u8]); 6] = [
        ("html", b"<!DOCTYPE"),
        ("csv", b"cell,"),
        ("json", b"{"),
        ("parquet", b"PAR1"),
        ("xlsx", b"PK"),
        ("markdown", b"# Tiny"),
    ];
    for (format, begin) in begins {
        place.run(&["report", &format!("--{format}"), &format!("out.{format}")]).expect(0);
        let bytes = std::fs::read(place.path().join(format!("out.{format}"))).unwrap();
        assert!(bytes.starts_with(begin), "{format}");
    }
    let run = place.only_run();
    // A file does not show what was left out of it.
    let results = run.join("results.jsonl");
    let whole = std::fs::read_to_string(&results).unwrap();
    std::fs::write(&results, format!("{whole}{{\"line\":\"other\"}}\n")).unwrap();
    for (format, _) in begins {
        let shown = place.run(&["report", &format!("--{format}"), &format!("out.{format}")]).expect(0);
        assert_eq!(shown.stderr.matches("1 line(s) of results.jsonl cannot be read").count(), 1, "{}", shown.stderr);
    }
    std::fs::write(&results, whole).unwrap();
    let run = run.to_str().unwrap();
    place.run(&["report", run, run, "--html", "both.html"]).expect(0);
    assert!(
        std::fs::read_to_string(place.path().join("both.html")).unwrap().contains(" (2)"),
        "each has its own label"
    );
}
