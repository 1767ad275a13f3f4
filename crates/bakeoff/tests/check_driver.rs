//! `bakeoff check-driver`: drivers that keep every rule, and drivers that break one each.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::{Finished, Place, a_long_time, driver, jvm_is_built, running, say_skipped, scale, with_program};

/// The rules that a driver broke, in order. They stand above the counts, and a second time below them.
fn broken(finished: &Finished) -> Vec<String> {
    let above = finished.stdout.lines().take_while(|line| !line.contains(" FAILED, "));
    above.filter_map(|line| line.strip_prefix("FAILED")).map(|name| name.trim().to_owned()).collect()
}

/// Checks a driver of which every rule must be kept.
fn passes(place: &Place, arguments: &[&str]) -> String {
    let finished = place.run(&[&["check-driver"], arguments].concat()).expect(0);
    assert_eq!(broken(&finished), [""; 0], "{}", finished.stdout);
    let left = std::fs::read_dir(place.path()).expect("the test's directory").count();
    assert_eq!(left, 0, "nothing is left behind");
    finished.stdout
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

/// Whether every driver is said to be built.
fn all_are_built() -> bool {
    std::env::var_os("BAKEOFF_DRIVERS_BUILT").is_some()
}

/// `test long` checks everything: stores on the JVM alone take a quarter of an hour.
fn checks_all() -> bool {
    scale() > 1
}

/// Checks these stores of a driver, or all.
fn stores_pass(program: &Path, some: &[&str], all: bool) {
    let place = Place::new();
    if all {
        passes(&place, &[text(program), "--dir", "."]);
        return;
    }
    for store in some {
        let shown = passes(&place, &[text(program), store, "--dir", "."]);
        assert!(shown.contains(&format!("\n{store}\n")) && shown.contains(" 0 FAILED"), "{shown}");
    }
}

#[test]
fn the_native_driver_keeps_every_rule() {
    stores_pass(&driver(), &["sqlite", "lmdb", "flat-folder", "null"], all_are_built());
}

#[test]
fn the_heavy_driver_keeps_every_rule() {
    let program = common::program().with_file_name("bakeoff-driver-heavy");
    if all_are_built() && program.exists() {
        stores_pass(&program, &[], true);
    }
}

#[test]
fn the_driver_for_the_jvm_keeps_every_rule() {
    if !jvm_is_built() {
        return say_skipped("check-driver on the JVM", "its driver is not built: ./bakeoff build jvm");
    }
    stores_pass(&common::program().with_file_name("bakeoff-driver-jvm"), &["mvstore"], checks_all());
}

/// The driver that `docs/WRITE-A-DRIVER.md` walks through; `None`, and that is said, where it cannot run.
fn example(test: &str) -> Option<PathBuf> {
    let is_there = |output: std::io::Result<std::process::Output>| output.is_ok_and(|output| output.status.success());
    if !is_there(Command::new("python3").args(["-c", "import sqlite3"]).output()) {
        say_skipped(test, "Python 3 with sqlite3 is not there");
        return None;
    }
    Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakeoff-driver-python"))
}

#[test]
fn the_driver_in_python_keeps_every_rule() {
    let Some(program) = example("check-driver of the driver in Python") else { return };
    passes(&Place::new(), &[text(&program), "--dir", "."]);
}

/// A driver that tells the truth but for one thing: the native one behind a script.
struct Liar {
    name: &'static str,
    store: &'static str,
    /// What it does with what the native driver prints for `describe`.
    describe: &'static str,
    /// What it does with the request before the native driver gets it.
    request: &'static str,
    /// What it does with the events.
    events: &'static str,
    /// What a failure with this in it is turned into a good end for.
    forgiven: &'static str,
    /// The rules that it breaks.
    breaks: &'static [&'static str],
}

const HONEST: Liar = Liar {
    name: "honest",
    store: "lmdb",
    describe: "cat",
    request: "cat",
    events: "cat",
    forgiven: "nothing is forgiven",
    breaks: &[],
};

const LIARS: &[Liar] = &[
    HONEST,
    Liar {
        name: "null in its description",
        describe: "sed 's/\"build\": \"release\"/\"build\": \"release\", \"profile\": null/'",
        breaks: &["describe"],
        ..HONEST
    },
    Liar {
        name: "a name with a blank",
        describe: "sed 's/\"name\": \"redb\"/\"name\": \"red b\"/'",
        breaks: &["describe-names"],
        ..HONEST
    },
    Liar { name: "no title", describe: "sed 's/\"title\": \"LMDB\"/\"title\": \"\"/'", breaks: &["texts"], ..HONEST },
    Liar {
        name: "a level without what it promises",
        describe: "sed 's/\"power_cut\": \"earlier-state\"/\"power_cut\": \"possibly-corrupt\"/'",
        breaks: &["levels"],
        ..HONEST
    },
    Liar {
        name: "any protocol",
        request: "sed 's/\"protocol\":[0-9]/\"protocol\":2/'",
        breaks: &["request-version"],
        ..HONEST
    },
    Liar {
        name: "any crash",
        request: "sed 's/,\"crash\":\"burn\"//; s/\"crash\":\"burn\",//'",
        breaks: &["request-words"],
        ..HONEST
    },
    Liar {
        name: "null for what may be left out",
        request: "sed 's/\"[a-z_]*\":null,//g; s/,\"[a-z_]*\":null//g'",
        breaks: &["request-null"],
        ..HONEST
    },
    Liar {
        name: "a recovery with phases",
        forgiven: "a recovery without an inventory has none",
        breaks: &["request-phases"],
        ..HONEST
    },
    Liar { name: "sizes in any order", forgiven: "each above the one before", breaks: &["request-phases"], ..HONEST },
    Liar {
        name: "amounts of 64 bits",
        forgiven: "from 0 to 9223372036854775807",
        breaks: &["request-amounts"],
        ..HONEST
    },
    Liar { name: "gets that ascend", forgiven: "is ascending, but", breaks: &["request-ascending"], ..HONEST },
    Liar { name: "a copy anywhere", forgiven: "\"message\":\"compacted_copy is ", breaks: &["request-copy"], ..HONEST },
    Liar { name: "any directory", forgiven: "is not empty", breaks: &["request-directory"], ..HONEST },
    Liar { name: "any store", forgiven: "no store `", breaks: &["request-store"], ..HONEST },
    Liar { name: "any setting", forgiven: "\"message\":\"lmdb: ", breaks: &["settings-refused"], ..HONEST },
    Liar { name: "any number of lanes", forgiven: "has 2 lanes", breaks: &["request-lanes"], ..HONEST },
    Liar {
        name: "REVERSE in a get",
        forgiven: "flags is 0x03, expected bits of 0x2d in get",
        breaks: &["tape-flags"],
        ..HONEST
    },
    Liar { name: "a value in a commit", forgiven: "as this commit has no value", breaks: &["tape-values"], ..HONEST },
    Liar { name: "a key in a commit", forgiven: "as commit has no key", breaks: &["tape-records"], ..HONEST },
    Liar { name: "an unknown codec", forgiven: "a known codec", breaks: &["tape-walks"], ..HONEST },
    Liar {
        name: "a tape that is cut short",
        forgiven: "it was cut short",
        breaks: &["tape-cut", "tape-header"],
        ..HONEST
    },
    Liar { name: "no tape", forgiven: "No such file", breaks: &["request-directory", "tape-gone"], ..HONEST },
    Liar {
        name: "answers that are not compared",
        forgiven: "\"wrong-answer\"",
        breaks: &["wrong-gets", "wrong-scans", "wrong-whole-scans", "wrong-content"],
        ..HONEST
    },
    Liar {
        name: "content that is not compared",
        forgiven: "\"kind\":\"wrong-answer\",\"phase\":\"verify\"",
        breaks: &["wrong-content"],
        ..HONEST
    },
    Liar {
        name: "other bytes",
        events: "sed '/\"phase\":\"hot\"/s/\"bytes\":/\"bytes\":1/'",
        breaks: &["reads"],
        ..HONEST
    },
    Liar {
        name: "other entries",
        events: "sed '/\"phase\":\"scan-1-true\"/s/\"entries\":/\"entries\":1/'",
        breaks: &["scan-ordered"],
        ..HONEST
    },
    Liar {
        name: "a broken histogram",
        events: "sed '/\"phase\":\"hot\"/s/\"histogram\":\"HISTE/\"histogram\":\"HISTF/'",
        breaks: &["reads"],
        ..HONEST
    },
    Liar {
        name: "another percentile",
        events: "sed '/\"phase\":\"hot\"/s/\"latency_ns_p999\":/\"latency_ns_p999\":9/'",
        breaks: &["reads"],
        ..HONEST
    },
    Liar {
        name: "a setting of its own",
        events: "sed 's/\"settings\":{/\"settings\":{\"own\":1,/'",
        breaks: &["settings-in-force"],
        ..HONEST
    },
    Liar { name: "no death", events: "sed '/\"event\":\"dying\"/d'", breaks: &["recovery"], ..HONEST },
    Liar {
        name: "acknowledgements in a used file",
        forgiven: "has other bytes than zeros",
        breaks: &["request-power-cuts"],
        ..HONEST
    },
    Liar {
        name: "nothing acknowledged",
        request: "sed 's/\"acknowledged\"/\"gone\"/'",
        breaks: &["request-power-cuts", "acknowledged", "inventory"],
        ..HONEST
    },
    Liar {
        name: "lists that nobody hears of",
        events: "sed '/\"event\":\"inventory\"/d'",
        breaks: &["inventory"],
        ..HONEST
    },
    Liar {
        name: "writes that are acknowledged and lost",
        store: "fjall",
        request: "sed 's/\"durability\": \"process\"/\"durability\": \"none\"/'",
        breaks: &["recovery", "inventory"],
        ..HONEST
    },
    Liar {
        name: "an end without a copy",
        events: "sed 's/,\"compacted_copy\":{.*}}/}/'",
        breaks: &["compacted-copy"],
        ..HONEST
    },
    Liar {
        name: "opened without reopening",
        events: "sed '/\"event\":\"phase\"/s/,\"reopen_ns\":[0-9]*//'",
        breaks: &["reopen"],
        ..HONEST
    },
    Liar { name: "no wait at the gate", request: "sed 's/\"gate\"/\"gone\"/'", breaks: &["gate"], ..HONEST },
    Liar {
        name: "inserts that refuse, in words",
        store: "null",
        describe: "sed 's/\"insert_refuses\": false/\"insert_refuses\": true/'",
        breaks: &["insert-refuses"],
        ..HONEST
    },
    Liar {
        name: "shorter keys than it says",
        describe: "sed 's/\"key_bytes_max\": 511/\"key_bytes_max\": 512/'",
        breaks: &["keys"],
        ..HONEST
    },
];

/// Rules of every kind. Each liar is checked against these and against the rules that it breaks.
const OTHERS: &[&str] = &[
    "describe",
    "request-version",
    "request-store",
    "tape-gone",
    "tape-walks",
    "texts",
    "levels",
    "settings-in-force",
    "durability-power",
    "reads",
    "reopen",
    "gate",
    "keys",
    "wrong-content",
    "recovery",
];

/// Makes the program of a liar.
fn lying(place: &Place, liar: &Liar) -> PathBuf {
    let Liar { describe, request, events, forgiven, .. } = liar;
    let native = driver();
    let native = text(&native);
    // Its own status is given back, but where a failure is forgiven. A death by a signal is one again.
    let script = format!(
        "native='{native}'\ncase $1 in\ndescribe) \"$native\" describe | {describe} ;;\nrun)\n\
         out=$({request} | \"$native\" run); status=$?\n\
         if printf '%s\\n' \"$out\" | grep -qF '{forgiven}'; then echo '{{\"event\":\"finished\",\"close_ns\":1}}'; exit 0; fi\n\
         test -z \"$out\" || printf '%s\\n' \"$out\" | {events}\n\
         test $status -lt 128 || kill -$((status - 128)) $$\nexit $status ;;\n*) exec \"$native\" \"$@\" ;;\nesac"
    );
    with_program(place, "bakeoff-driver-liar", &script)
}

#[test]
fn a_driver_that_breaks_a_rule_fails_that_rule_alone() {
    for liar in LIARS {
        let place = Place::new();
        let program = lying(&place, liar);
        let mut arguments = vec!["check-driver", text(&program), liar.store, "--dir", "."];
        // All rules take a few seconds for each liar.
        let rules = liar.breaks.iter().chain(OTHERS.iter().filter(|rule| !liar.breaks.contains(rule)));
        arguments.extend(rules.filter(|_| !checks_all()).flat_map(|rule| ["--rule", rule]));
        let finished = place.run(&arguments);
        let mut expected: Vec<_> = liar.breaks.to_vec();
        let mut found = broken(&finished);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{}:\n{}{}", liar.name, finished.stdout, finished.stderr);
        let finished = finished.expect(i32::from(!liar.breaks.is_empty()));
        let again = liar.breaks.first().map_or(String::new(), |rule| format!("--rule {rule} --keep kept"));
        assert!(finished.stdout.contains(&again), "{}: {}", liar.name, finished.stdout);
    }
}

#[test]
fn a_driver_that_writes_to_the_pool_is_found() {
    let (place, native) = (Place::new(), driver());
    let script = format!(
        "test $1 = run || exec '{0}' \"$@\"\nrequest=$(cat); printf %s \"$request\" | '{0}' run; status=$?\n\
         pool=${{request#*\\\"pool\\\": \\\"}}; echo more >>\"${{pool%%\\\"*}}\"; exit $status",
        text(&native)
    );
    let program = with_program(&place, "bakeoff-driver-writes", &script);
    let rules = ["--rule", "reads", "--rule", "files-kept"];
    let finished = place.run(&[&["check-driver", text(&program), "lmdb", "--dir", "."], &rules[..]].concat()).expect(1);
    assert_eq!(broken(&finished), ["files-kept"], "{}", finished.stdout);
    assert!(finished.stdout.contains("pool.bin was changed"), "{}", finished.stdout);
}

/// The files in it were removed with the driver's directory.
#[test]
fn what_a_driver_mounts_keeps_its_files() {
    if !Command::new("unshare").args(["-m", "true"]).status().is_ok_and(|status| status.success()) {
        return say_skipped("mounts of a driver that is checked", "nothing may be mounted here");
    }
    let (place, native) = (Place::new(), driver());
    let kept = place.path().join("kept");
    std::fs::create_dir(&kept).expect("a directory");
    std::fs::write(kept.join("file"), "kept").expect("a file");
    let script = format!(
        "test $1 = run || exec '{0}' \"$@\"\nrequest=$(cat); printf %s \"$request\" | '{0}' run; status=$?\n\
         directory=${{request#*\\\"directory\\\": \\\"}}; directory=${{directory%%\\\"*}}\n\
         mkdir \"$directory/below\" && mount --bind '{1}' \"$directory/below\"; exit $status",
        text(&native),
        text(&kept)
    );
    let program = with_program(&place, "bakeoff-driver-mounts", &script);
    place.run(&["check-driver", text(&program), "lmdb", "--dir", ".", "--rule", "reads"]).expect(0);
    assert_eq!(std::fs::read_to_string(kept.join("file")).expect("a file"), "kept");
}

/// Each of a hundred requests was waited for, two minutes long.
#[test]
fn a_driver_that_does_not_answer_is_given_up_soon() {
    let (place, native, long) = (Place::new(), driver(), a_long_time(9));
    let script = format!("test $1 = describe || exec sleep {long}\nexec '{}' describe", text(&native));
    let program = with_program(&place, "bakeoff-driver-hangs", &script);
    let begin = Instant::now();
    let finished = place.run(&["check-driver", text(&program), "lmdb", "--dir", "."]).expect(1);
    assert!(begin.elapsed() < Duration::from_secs(90), "{:?}", begin.elapsed());
    assert_eq!(broken(&finished).len(), 2, "{}", finished.stdout);
    for words in ["did not end within 10 s", "as the driver does not answer", "rules not tried"] {
        assert!(finished.stdout.contains(words), "{words}: {}", finished.stdout);
    }
    // A driver that does not even describe itself.
    let silent = with_program(&place, "bakeoff-driver-silent", &format!("exec sleep {long}"));
    let begin = Instant::now();
    place.run(&["check-driver", text(&silent), "--dir", "."]).expect(2).says(&["did not end within 10 s"]);
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    assert_eq!(running(&long), 0);
}

#[test]
fn what_is_kept_shows_a_failure_by_hand() {
    let place = Place::new();
    let program = driver();
    let arguments = ["check-driver", text(&program), "null", "--rule", "reads", "--keep", "kept"];
    let shown = place.run(&arguments).expect(0).stdout;
    assert!(shown.contains("1 ok, 0 FAILED, 0 n/a") && shown.contains("are in kept"), "{shown}");
    let request = place.path().join("kept/null-reads/001/request.json");
    let tape = place.path().join("kept/null-reads/tapes/02-get.tape");
    assert!(request.exists() && place.run(&["tape", "show", text(&tape)]).expect(0).stdout.contains("get"));
    let refused = place.run(&arguments).expect(2);
    refused.says(&["name a new directory in an existing one"]);
}

#[test]
fn every_rule_is_named() {
    let place = Place::new();
    let shown = place.run(&["check-driver", "--list"]).expect(0).stdout;
    assert!(shown.lines().count() > 50 && shown.contains("tape-flags "), "{shown}");
    let long: Vec<_> = shown.lines().filter(|line| line.chars().count() > 120 || !line.ends_with('.')).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn what_cannot_be_checked_is_told() {
    let place = Place::new();
    let program = driver();
    place.run(&["check-driver"]).expect(2).says(&["PROGRAM"]);
    place.run(&["check-driver", "./gone", "--dir", "."]).expect(2).says(&["cannot find the driver ./gone"]);
    place
        .run(&["check-driver", text(&program), "no-such", "--dir", "."])
        .expect(2)
        .says(&["no store `no-such`: use one of sqlite"]);
    let wrong = ["check-driver", text(&program), "null", "--rule", "no-such"];
    place.run(&wrong).expect(2).says(&["there is no rule `no-such`", "--list"]);
    let silent = with_program(&place, "bakeoff-driver-silent", "echo why not >&2; exit 3");
    place.run(&["check-driver", text(&silent), "--dir", "."]).expect(2).says(&["ended with status 3", "why not"]);
    assert_eq!(std::fs::read_dir(place.path()).expect("the test's directory").count(), 1, "`bin` alone is left");
}
