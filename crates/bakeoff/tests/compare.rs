//! `bakeoff compare` and the exports, on runs of the real program.

mod common;

use std::path::Path;

use common::{Place, faulty_suite, tiny_suite, unwrapped};

/// A copy of a run in which every time of one store is this many times longer.
fn slowed(run: &Path, copy: &Path, store: &str, factor: u64) {
    std::fs::create_dir(copy).unwrap();
    std::fs::copy(run.join("run.json"), copy.join("run.json")).unwrap();
    let text = std::fs::read_to_string(run.join("results.jsonl")).unwrap();
    let slow = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        // A line whose checksum does not match would be left out.
        line.as_object_mut().unwrap().remove("xxh64");
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
    let full = place.run(&["compare", a, a, "--full"]).expect(0).stdout;
    assert!(full.contains("Each workload") && full.lines().all(|line| line.chars().count() <= 100), "{full}");
    let worse = place.run(&["compare", a, b, "--fail-on", "worse=5%"]).expect(1).says(&["worse: LMDB, "]);
    assert!(!worse.stderr.contains("SQLite") && worse.stdout.contains("1000×"), "{worse:?}");
    // Any worsening counts where nothing is said, and none of less than what may be.
    place.run(&["compare", a, b]).expect(1);
    place.run(&["compare", a, b, "--fail-on", "worse=999999%"]).expect(0);
    place.run(&["compare", b, a, "--fail-on", "worse"]).expect(0);
    place.run(&["compare", a, b, "--html", "c.html", "--markdown", "c.md"]).expect(1);
    for (file, words) in [("c.html", "class=\"bad\">worse"), ("c.md", "**worse**")] {
        assert!(std::fs::read_to_string(place.path().join(file)).unwrap().contains(words), "{file}");
    }
}

/// The commands of a block of the README that has this line.
fn commands_of_readme(line: &str) -> Vec<Vec<String>> {
    let readme = include_str!("../../../README.md");
    let mut blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let block = blocks.find(|block| block.lines().any(|each| each.starts_with(line))).expect("the README has it");
    block.lines().map(|line| shlex::split(line).expect("words")[1..].to_vec()).collect()
}

#[test]
fn the_comparison_of_the_readme_works_as_it_stands() {
    let place = Place::new();
    let small = ["--stores", "lmdb", "--records", "200", "--value-size", "100B", "--rounds", "2"];
    let mut ended = Vec::new();
    for command in commands_of_readme("./bakeoff compare before after") {
        let words = command.iter().map(String::as_str);
        let small = small.iter().copied().filter(|_| command[0] == "run");
        let done = place.run(&words.chain(small).collect::<Vec<_>>());
        ended.push((command[0].clone(), done));
    }
    let verbs: Vec<&str> = ended.iter().map(|(verb, _)| verb.as_str()).collect();
    assert_eq!(verbs, ["run", "run", "compare"]);
    let (_, compared) = ended.pop().expect("a comparison");
    // Which of the three depends on what else runs here; that two rounds are no mistake does not.
    assert!([0, 1, 3].contains(&compared.status.unwrap_or(2)), "{compared:?}");
    assert!(compared.stdout.contains("A: before · B: after · 1 store"), "{}", compared.stdout);
    assert!(ended.iter().all(|(_, run)| run.status == Some(0)), "{ended:?}");
}

#[test]
fn a_run_is_found_by_its_directory_by_one_that_holds_it_and_by_its_name() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    for (out, name) in [("old", "first"), ("new", "second"), ("new", "second")] {
        place.run(&["run", "tiny.toml", "--rounds", "2", "--out", out, "--name", name]).expect(0);
    }
    let compared = |a: &str, b: &str| place.run(&["compare", a, b, "--out", "new"]);
    let several = compared("old", "new").expect(2);
    assert!(several.stderr.contains("new holds 2 runs: name one of them, such as new/"), "{}", several.stderr);
    let found = compared("old", "second");
    assert!(found.stdout.contains("A: first · B: second"), "{found:?}");
    assert!(unwrapped(&found.stderr).contains("second names 2 runs, of which the newest is new/"), "{found:?}");
    compared("old", "third").expect(2).says(&["third is not a bakeoff run"]);
    let reported = place.run(&["report", "second", "--out", "new"]).expect(0).stdout;
    assert!(reported.contains("All figures: bakeoff report second --full"), "{reported}");
    for name in ["", "a/b", ".hidden", "two words"] {
        place.run(&["run", "tiny.toml", "--name", name]).expect(2).says(&["letters, digits"]);
    }
}

#[test]
fn a_comparison_that_tells_nothing_is_neither_good_nor_bad() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb", "sqlite""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1", "--name", "once"]).expect(0);
    place.run(&["run", "tiny.toml", "--rounds", "2", "--stores", "lmdb", "--name", "fewer"]).expect(0);
    let few = place.run(&["compare", "once", "once"]).expect(3);
    assert!(unwrapped(&few.stdout).contains("Inconclusive: ") && few.stdout.contains("too few rounds"), "{few:?}");
    // What B lacks cannot be told worse either.
    let lacking = place.run(&["compare", "once", "fewer", "--fail-on", "worse=50%"]);
    let lacking = lacking.expect(3).says(&["missing: ", "figures of A are not in B"]);
    assert!(unwrapped(&lacking.stdout).contains("Inconclusive: B lacks "), "{lacking:?}");
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
    // A file does not show what is missing from it.
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

/// A driver program in a place's directory `bin`: the native one, whose store for tests may be ranked, with a request changed by `sed`.
fn driver(place: &Place, name: &str, change: &str) -> String {
    let native = common::program().with_file_name("bakeoff-driver-native");
    let native = native.display();
    let words = format!(
        r#"if [ "$1" = describe ]; then {native} describe | sed 's/"test_only": true/"test_only": false/g'; exit; fi
request=$(mktemp)
sed '{change}' > "$request"
exec {native} "$@" < "$request""#
    );
    common::with_program(place, name, &words).display().to_string()
}

/// Gets of a store that takes some time for each operation, and no more.
fn paced_suite(pause_ns: u32) -> String {
    faulty_suite(&format!(
        r#"
[[phases]]
name = "get"
operation = "get"
operations = 200

[settings.faulty]
pause-ns = {pause_ns}
"#
    ))
}

/// The runs of the only comparison below `out`, A first.
fn runs_of_sides(place: &Place, out: &str) -> [std::path::PathBuf; 2] {
    let entries = std::fs::read_dir(place.path().join(out)).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<_> = entries.filter(|path| path.join("run.json").exists()).collect();
    runs.sort_by_key(|path| path.to_string_lossy().ends_with("-b"));
    runs.try_into().expect("two runs")
}

/// The rounds of each side of the only comparison below `out`, A first.
fn rounds_of_sides(place: &Place, out: &str) -> Vec<usize> {
    let runs = runs_of_sides(place, out);
    let ends = |run: &std::path::PathBuf| {
        let text = std::fs::read_to_string(run.join("results.jsonl")).unwrap();
        text.lines().filter(|line| line.contains(r#""line":"cell""#)).count()
    };
    runs.iter().map(ends).collect()
}

#[test]
fn two_builds_of_a_driver_are_measured_in_turn_and_only_what_may_be_worse_again() {
    let place = Place::new();
    place.write("paced.toml", &paced_suite(20_000));
    let (old, same) = (driver(&place, "old", ""), driver(&place, "same", ""));
    let slow = driver(&place, "slow", r#"s/"pause-ns":20000/"pause-ns":500000/"#);
    let compare = |a: &str, b: &str, out: &str| {
        place.run(&["compare", "--run", a, b, "paced.toml", "--rounds", "3", "--fail-on", "worse=50%", "--out", out])
    };
    let equal = compare(&old, &same, "equal").expect(0);
    assert!(equal.stdout.contains("0 worse") && equal.stdout.contains("difference"), "{}", equal.stdout);
    let worse = compare(&old, &slow, "worse").expect(1).says(&["worse: Faulty, get"]);
    assert!(worse.stdout.contains("Worse in B: Faulty"), "{}", worse.stdout);
    assert_eq!(rounds_of_sides(&place, "worse"), [16, 16]);
    let better = compare(&slow, &old, "better").expect(0);
    assert!(better.stdout.contains("Better in B: Faulty"), "{}", better.stdout);
    // What else the machine does may make the load of the second look slower, which has it measured again.
    let rounds = rounds_of_sides(&place, "better");
    assert!((3..=16).contains(&rounds[0]) && rounds[0] == rounds[1], "{rounds:?}");
}

#[test]
fn two_settings_of_a_store_are_compared_though_their_names_differ() {
    let place = Place::new();
    let suite = |page: &str| tiny_suite(r#""sqlite""#, &format!("[settings.sqlite]\npage-size = \"{page}\"\n"));
    place.write("small.toml", &suite("4KiB"));
    place.write("large.toml", &suite("64KiB"));
    let arguments = ["compare", "--run", "small.toml", "large.toml", "--rounds", "3", "--fail-on", "worse=20%"];
    let found = place.run(&arguments).expect(1).says(&["worse: SQLite", "space on disk"]);
    assert!(!found.stderr.contains("missing:"), "{}", found.stderr);
    let again = runs_of_sides(&place, "bakeoff-results").map(|run| run.display().to_string());
    let notes = place.run(&["compare", &again[0], &again[1], "--notes"]).stdout;
    assert!(unwrapped(&notes).contains("setting page-size of sqlite: 4096 → 65536"), "{notes}");
    for run in place.runs() {
        place.run(&["run", "--resume", run.to_str().unwrap()]).expect(2).says(&["measured in turn"]);
    }
}

#[test]
fn sides_that_do_not_match_are_explained() {
    let place = Place::new();
    let program = driver(&place, "old", "");
    place.write("tiny.toml", &tiny_suite(r#""sqlite""#, ""));
    place.write("other.toml", &tiny_suite(r#""lmdb""#, ""));
    for (arguments, words) in [
        (&["compare", "--run", "tiny.toml", "."][..], "tiny.toml is a suite and . is a directory: give two of a kind"),
        (&["compare", "--run", &program, "none"], "none is no driver program, suite or directory"),
        (&["compare", "--run", "tiny.toml", "other.toml"], "the two sides have no cell in common"),
        (&["compare", "--run", "tiny.toml", "tiny.toml", "hines-2023"], "leave out the third one"),
        (&["compare", "a", "b", "--stores", "lmdb"], "add --run to measure A and B"),
        (&["compare", "a", "b", "--budget", "1m"], "--run"),
    ] {
        place.run(arguments).expect(2).says(&[words]);
    }
}
