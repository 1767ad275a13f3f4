//! What goes wrong fails one cell with its reason; the rest goes on.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use common::{Finished, Place, SmallMount, a_long_time, running, say_skipped, tiny_suite, with_program};

/// Operations of the tiny suite, after which its gets are under way.
const IN_GETS: u32 = 250;

/// Operations of the tiny suite before its scan: 200 inserts and their commit, 200 gets.
const BEFORE_SCAN: u32 = 401;

/// Runs `faulty` with a fault after `at` operations, next to a store that works. Returns the faulty cell's end and the output.
fn with_fault(fault: &str, at: u32) -> (serde_json::Value, Finished) {
    let place = Place::new();
    let settings = format!("\n[settings.faulty]\nfault = \"{fault}\"\nat = {at}\n");
    place.write("tiny.toml", &tiny_suite(r#""faulty", "lmdb""#, &settings));
    let finished = place.run(&["run", "tiny.toml", "--timeout", "5s"]).expect(1);
    let cells = place.cells();
    let good: Vec<_> = cells.iter().filter(|cell| cell["store"] == "lmdb").collect();
    assert_eq!(good.len(), 2, "the other store has all its rounds");
    assert!(good.iter().all(|cell| cell["status"] == "ok"), "{good:?}");
    let mut bad = cells.iter().filter(|cell| cell["store"] == "faulty");
    let end = bad.next().expect("the faulty cell has an end").clone();
    assert_eq!(bad.next(), None, "a cell that failed is not tried again");
    assert_eq!(end["status"], "failed", "{end}");
    assert!(finished.stdout.contains("LMDB"), "{}", finished.stdout);
    assert!(finished.stdout.to_lowercase().contains("failed"), "{}", finished.stdout);
    assert!(end["failure_again"].as_str().unwrap_or_default().contains(" request "), "{end}");
    (end, finished)
}

fn fails_as(fault: &str, kind: &str, words: &str) {
    fails_at(IN_GETS, fault, kind, words);
}

fn fails_at(at: u32, fault: &str, kind: &str, words: &str) {
    let (end, _) = with_fault(fault, at);
    assert_eq!(end["failure"], kind, "{end}");
    let message = end["failure_message"].as_str().unwrap_or_default();
    assert!(message.contains(words), "{words:?} is not in {message:?}");
}

#[test]
fn wrong_value() {
    fails_as("wrong-value", "wrong-answer", "wrong value");
}

#[test]
fn missing_key() {
    fails_as("missing-key", "wrong-answer", "found nothing");
}

#[test]
fn phantom_key() {
    fails_as("phantom-key", "wrong-answer", "");
}

#[test]
fn scans_are_judged_as_gets_are() {
    fails_at(BEFORE_SCAN, "wrong-value", "wrong-answer", "200 entries");
    fails_at(BEFORE_SCAN, "missing-key", "wrong-answer", "199 entries");
    fails_at(BEFORE_SCAN, "phantom-key", "wrong-answer", "201 entries");
}

#[test]
fn crash() {
    fails_as("crash", "crash", "signal 6");
}

#[test]
fn panic() {
    fails_as("panic", "panic", "panicked");
}

#[test]
fn hang() {
    fails_as("hang", "timeout", "--timeout");
}

/// The cell is not marked failed: only a longer budget would show whether it fails.
#[test]
fn a_cell_that_goes_on_long_after_the_budget_is_given_up() {
    let place = Place::new();
    let settings = format!("\n[settings.faulty]\nfault = \"hang\"\nat = {IN_GETS}\n");
    place.write("tiny.toml", &tiny_suite(r#""faulty""#, &settings));
    let begin = Instant::now();
    let run = ["run", "tiny.toml", "--timeout", "10m", "--budget", "4s", "--rounds", "1"];
    place.run(&run).expect(2).says(&["the budget ended before a cell was done"]);
    let took = begin.elapsed();
    assert!((10..60).contains(&took.as_secs()), "four seconds, a quarter of them and five more: {took:?}");
    assert_eq!(place.cells(), Vec::<serde_json::Value>::new());
    let facts = std::fs::read_to_string(place.only_run().join("run.json")).expect("the run's facts");
    assert!(facts.contains("faulty · ") && facts.contains("stopped after "), "{facts}");
    assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn out_of_memory() {
    fails_as("out-of-memory", "out-of-memory", "memory");
}

#[test]
fn disk_full() {
    fails_as("disk-full", "disk-full", "space");
}

#[test]
fn store_error() {
    fails_as("error", "store-error", "");
}

#[test]
fn exit_without_a_word() {
    fails_as("exit", "crash", "without saying");
}

#[test]
fn lost_on_reopen() {
    fails_as("lost-on-reopen", "wrong-answer", "opening again");
}

/// A driver written in shell that describes one store and does `action` when asked to run.
fn shell_driver(place: &Place, name: &str, describe: &str, action: &str) {
    let directory = place.path().join("drivers");
    std::fs::create_dir_all(&directory).expect("a directory for drivers");
    let path = directory.join(format!("bakeoff-driver-{name}"));
    std::fs::write(&path, format!("#!/bin/sh\ncase \"$1\" in describe) {describe} ;; run) {action} ;; esac\n"))
        .expect("a driver");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("made executable");
}

/// PATH with the shell drivers of this place first.
fn path_with_drivers(place: &Place) -> String {
    format!("{}:{}", place.path().join("drivers").display(), std::env::var("PATH").unwrap_or_default())
}

/// The native driver's description of LMDB, as another store of another driver.
fn description(name: &str) -> String {
    let output = std::process::Command::new(common::driver()).arg("describe").output().expect("the driver starts");
    let mut all: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a description");
    let stores = all["stores"].as_array_mut().expect("stores");
    stores.retain(|store| store["name"] == "lmdb");
    stores[0]["name"] = name.into();
    all["driver"] = format!("bakeoff-driver-{name}").into();
    serde_json::to_string(&all).expect("JSON")
}

fn run_with_shell_driver(action: &str) -> serde_json::Value {
    let place = Place::new();
    place.write("description.json", &description("odd"));
    let describe = format!("cat '{}'", place.path().join("description.json").display());
    shell_driver(&place, "odd", &describe, action);
    place.write("tiny.toml", &tiny_suite(r#""odd", "lmdb""#, ""));
    let path = path_with_drivers(&place);
    let output = place.command(&["run", "tiny.toml", "--timeout", "3s"]).env("PATH", path).output().expect("it starts");
    Finished::of(output).expect(1).says(&[]);
    let cells = place.cells();
    assert!(cells.iter().any(|cell| cell["store"] == "lmdb" && cell["status"] == "ok"));
    cells.into_iter().find(|cell| cell["store"] == "odd").expect("the odd store has an end")
}

#[test]
fn a_description_that_never_ends_is_cut_short_with_all_that_the_driver_started() {
    let place = Place::new();
    // The shell waits for the other program, which holds the shell's output open.
    let long = a_long_time(9);
    shell_driver(&place, "odd", &format!("sleep {long}; echo"), "exit 1");
    let output = place.command(&["stores"]).env("PATH", path_with_drivers(&place)).output().expect("it starts");
    Finished::of(output).expect(0);
    assert_eq!(running(&long), 0);
}

#[test]
fn a_driver_that_prints_rubbish_fails_its_cell() {
    assert_eq!(run_with_shell_driver("echo hello; sleep 9")["failure"], "bad-output");
    assert_eq!(run_with_shell_driver("head -c 1000 /dev/urandom; echo; sleep 1")["failure"], "bad-output");
    let end = run_with_shell_driver(r#"cat >/dev/null; echo '{"event":"finished","close_ns":1}'"#);
    assert_eq!(end["failure"], "bad-output", "claiming to be done is not enough: {end}");
}

#[test]
fn what_a_process_prints_when_it_dies_is_no_bad_output() {
    // As a JVM does, on both of its outputs.
    let report = "# A fatal error has been detected by the Java Runtime Environment:\\n#\\n#  SIGBUS (0x7) at pc=0x7f\\n#\\nEND.";
    let end = run_with_shell_driver(&format!("printf '{report}\\n' >&2; echo '#'; sleep 1; kill -ABRT $$"));
    assert_eq!(end["failure"], "crash", "{end}");
    let message = end["failure_message"].as_str().unwrap_or_default();
    assert!(message.contains("signal 6") && message.contains("last words: SIGBUS (0x7) at pc=0x7f"), "{message}");
    // A heap that the system does not give, at once or later.
    let end = run_with_shell_driver("echo 'Could not reserve enough space for 16777216KB object heap' >&2; exit 1");
    assert_eq!(end["failure"], "out-of-memory", "{end}");
    let words = "# There is insufficient memory for the Java Runtime Environment to continue.";
    let end = run_with_shell_driver(&format!("echo '{words}' >&2; seq 9999 >&2; echo '#'; kill -ABRT $$"));
    assert_eq!(end["failure"], "out-of-memory", "{end}");
}

#[test]
fn a_driver_whose_counts_are_not_those_of_its_tapes_fails_its_cell() {
    // The real driver, of whose events the shell changes one.
    let lie = |edit: &str| {
        let real = common::driver().display().to_string();
        run_with_shell_driver(&format!("sed 's/\"store\":\"odd\"/\"store\":\"lmdb\"/' | '{real}' run | sed '{edit}'"))
    };
    let lies = [
        (r#"s/"answers_wrong":0/"answers_wrong":7/"#, "wrong-answer", "7 of"),
        (r#"/"phase":"get"/s/"answers_checked":200/"answers_checked":0/"#, "bad-output", "0 answers checked"),
        (
            r#"s/"operation":"get","operations":200/"operation":"get","operations":1/"#,
            "bad-output",
            "1 timed operations",
        ),
        (r#"s/"latency_ns_p50":[0-9]*/"latency_ns_p50":999999999999/"#, "bad-output", "percentiles of"),
        (
            r#"/"phase":"get"/s/"wall_ns":[0-9]*/"wall_ns":1/; s/"timed_ns":/"timed_ns":9999/g"#,
            "bad-output",
            "more than its threads ran",
        ),
        (r#"s/"threads":1/"threads":77/"#, "bad-output", "77 threads"),
        (r#"s/"mode":"latency"/"mode":"throughput"/"#, "bad-output", "another mode"),
        (r#"s/"phase":"get"/"phase":"load"/"#, "bad-output", "the phase `load` when get was due"),
        (r#"/"event":"verified"/s/"entries":200/"entries":0/"#, "bad-output", "verified 0 entries"),
    ];
    for (edit, failure, words) in lies {
        let end = lie(edit);
        assert_eq!(end["failure"], failure, "{edit}: {end}");
        assert!(end["failure_message"].as_str().unwrap_or_default().contains(words), "{edit}: {end}");
    }
}

#[test]
fn a_driver_that_dies_or_hangs_fails_its_cell() {
    assert_eq!(run_with_shell_driver("exit 3")["failure"], "crash");
    assert_eq!(run_with_shell_driver("kill -SEGV $$")["failure"], "crash");
    assert_eq!(run_with_shell_driver("sleep 60")["failure"], "timeout");
    let end = run_with_shell_driver("exec >&-; sleep 60");
    assert_eq!(end["failure"], "crash");
    assert!(end["failure_message"].as_str().is_some_and(|words| words.contains("went on running")), "{end}");
    let end = run_with_shell_driver("kill -KILL $$");
    assert_eq!(end["failure"], "crash", "the kernel did not do this, and memory did not run out");
    assert!(end["failure_message"].as_str().is_some_and(|words| words.contains("signal 9")), "{end}");
}

#[test]
fn a_driver_that_ends_badly_after_its_last_event_fails_its_cell() {
    let real = common::driver().display().to_string();
    let after = |end: &str| {
        let end =
            run_with_shell_driver(&format!("sed 's/\"store\":\"odd\"/\"store\":\"lmdb\"/' | '{real}' run; {end}"));
        assert_eq!(end["failure"], "crash", "{end}");
        end["failure_message"].as_str().unwrap_or_default().to_owned()
    };
    assert!(after("exit 5").contains("finished, and then exited with status 5"));
    assert!(after("kill -SEGV $$").contains("finished, and then was killed by signal 11"));
}

#[test]
fn what_a_driver_starts_does_not_outlive_its_cell() {
    let long = a_long_time(8);
    let end = run_with_shell_driver(&format!("sleep {long} >/dev/null 2>&1 & exit 3"));
    assert_eq!(end["failure"], "crash");
    assert_eq!(running(&long), 0);
}

#[test]
fn a_driver_that_does_not_read_its_request_is_timed_out() {
    let place = Place::new();
    place.write("description.json", &description("odd"));
    let describe = format!("cat '{}'", place.path().join("description.json").display());
    shell_driver(&place, "odd", &describe, "exec sleep 60");
    // Enough phases for a request that no pipe holds.
    let phases: String = (0..90)
        .map(|number| {
            let name = format!("phase-{number}");
            format!("\n[[phases]]\nname = \"{name}\"\noperation = \"get\"\noperations = 1\n")
        })
        .collect();
    place.write("long.toml", &tiny_suite(r#""odd""#, &phases));
    let mut deep = place.path().to_owned();
    for _ in 0..4 {
        deep.push("d".repeat(200));
    }
    std::fs::create_dir_all(&deep).expect("a deep directory");
    let path = path_with_drivers(&place);
    let deep = deep.display().to_string();
    let mut command = place.command(&["run", "long.toml", "--timeout", "2s", "--rounds", "1", "--dir", &deep]);
    Finished::of(command.env("PATH", path).output().expect("it starts")).expect(1);
    assert_eq!(place.cells()[0]["failure"], "timeout");
}

#[test]
fn a_driver_that_cannot_describe_itself_is_left_out_with_a_word() {
    let place = Place::new();
    shell_driver(&place, "broken", "echo '{]'", "true");
    shell_driver(
        &place,
        "old",
        r#"echo '{"protocol":99,"driver":"x","version":"1","build":"release","stores":[]}'"#,
        "true",
    );
    let path = path_with_drivers(&place);
    let output = place.command(&["stores"]).env("PATH", path).output().expect("it starts");
    let told = common::unwrapped(&Finished::of(output).expect(0).stdout);
    for words in ["bakeoff-driver-broken is left out", "bakeoff-driver-old is left out", "protocol 99"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_disk_that_fills_up_fails_cells_and_nothing_else() {
    let place = Place::new();
    let Some(small) = SmallMount::new(&place, "a run on a full disk") else { return };
    // 64 MiB of it is the value pool; the stores' files do not fit the rest, though the plan thought they would.
    let suite = tiny_suite(r#""sqlite", "flat-folder""#, "")
        .replace("rounds = 2", "rounds = 2\npool-size = \"64MiB\"")
        .replace(r#"value-size = ["10B..100B"]"#, r#"value-size = ["8KiB"]"#)
        .replace("records = [200]", "records = [1200]")
        .replace("operations = 200", "operations = 20")
        + "\n[[phases]]\nname = \"more\"\noperation = \"insert\"\noperations = 6000\n";
    place.write("tiny.toml", &suite);
    let finished = place.run(&["run", "tiny.toml", "--dir", "small", "--rounds", "1"]);
    let finished = finished.says(&[]);
    assert!(small.unmount(), "the run left files open on the mount");
    match finished.status {
        // A refusal beforehand for lack of space is as good: nothing was lost.
        Some(2) => assert!(finished.stderr.contains("free"), "{}", finished.stderr),
        status => {
            assert_eq!(status, Some(1), "{}", finished.stderr);
            assert!(place.cells().iter().all(|cell| cell["failure"] == "disk-full"), "{:?}", place.cells());
        }
    }
}

#[test]
fn a_medium_that_goes_away_fails_its_cells_and_nothing_else() {
    let place = Place::new();
    let Some(small) = SmallMount::new(&place, "a run on a disk that is pulled out") else { return };
    let suite = tiny_suite(r#""sqlite", "lmdb", "flat-folder""#, "");
    place.write("tiny.toml", &suite.replace("durability =", "media = [\"default\", \"disk\"]\ndurability ="));
    let run = place.spawn(&["run", "tiny.toml", "--medium", "disk=small", "--rounds", "5"]);
    let begin = Instant::now();
    // The first store that is measured there.
    while !std::fs::read_dir(small.path())
        .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|scratch| scratch.path().join("store").exists())))
    {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is measured on the small file system");
        std::thread::sleep(Duration::from_millis(1));
    }
    small.pull_out();
    Finished::of(run.wait_with_output().expect("it ends")).expect(1).says(&["FAILED, medium: "]);
    let cells = place.cells();
    let count = |medium: &str, key: &str, word: &str| {
        cells.iter().filter(|cell| cell["medium"] == medium && cell[key] == word).count()
    };
    assert_eq!(count("default", "status", "ok"), 15, "three stores, five rounds: {cells:?}");
    assert!(count("disk", "failure", "medium") > 0, "{cells:?}");
    assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new());
}

/// Cells that take a second, undisturbed and disturbed.
fn disturbed_suite() -> String {
    tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 5_000_000\n")
        .replace("durability =", "disturbance = [\"none\", \"cpu\"]\ndurability =")
}

#[test]
fn a_disturbance_that_ends_by_itself_fails_the_cell_alone() {
    let place = Place::new();
    with_program(&place, "stress-ng", "[ \"$1\" = --version ] && exit; /bin/sleep 1; echo it was too much; exit 3");
    place.write("tiny.toml", &disturbed_suite());
    let mut command = place.command(&["run", "tiny.toml", "--rounds", "1", "--full"]);
    let finished = Finished::of(command.env("PATH", place.path().join("bin")).output().expect("it starts")).expect(1);
    let cells = place.cells();
    let of = |by: serde_json::Value| cells.iter().find(|cell| cell["disturbance"] == by).expect("it ran").clone();
    assert_eq!(of(serde_json::Value::Null)["status"], "ok");
    let disturbed = of("cpu".into());
    assert_eq!(disturbed["failure"], "disturbance", "{disturbed}");
    let message = disturbed["failure_message"].as_str().unwrap_or_default();
    assert!(message.contains("ended by itself") && message.contains("it was too much"), "{message}");
    assert!(finished.stdout.contains("disturbance"), "{}", finished.stdout);
}

#[test]
fn a_program_that_a_run_needs_is_installed_by_the_script_or_named() {
    let place = Place::new();
    place.write("tiny.toml", &disturbed_suite());
    let bin = place.path().join("bin");
    let run = |script: &str| {
        let mut command = place.command(&["run", "tiny.toml", "--rounds", "1"]);
        Finished::of(command.env("PATH", &bin).env("BAKEOFF_SCRIPT", script).output().expect("it starts"))
    };
    let unable = with_program(&place, "unable", "exit 2").display().to_string();
    for script in ["", unable.as_str()] {
        run(script).expect(2).says(&["`cpu` needs stress-ng", "apt-get install -y stress-ng"]);
    }
    with_program(&place, "ready", "[ \"$1\" = --version ] || while :; do /bin/sleep 1; done");
    let words =
        format!("[ \"$1\" = install ] && [ \"$3\" = stress-ng ] && /bin/mv {0}/ready {0}/stress-ng", bin.display());
    let able = with_program(&place, "able", &words).display().to_string();
    run(&able).expect(0);
}

#[test]
fn a_plan_had_the_script_install_what_the_run_would_need() {
    let place = Place::new();
    place.write("tiny.toml", &disturbed_suite());
    let asked = place.path().join("asked");
    let script = with_program(&place, "script", &format!("/bin/touch {}; exit 2", asked.display()));
    let bin = place.path().join("bin");
    let plan = |further: &[&str], script: &str| {
        let arguments = [&["run", "tiny.toml", "--plan"], further].concat();
        let mut command = place.command(&arguments);
        Finished::of(command.env("PATH", &bin).env("BAKEOFF_SCRIPT", script).output().expect("it starts")).expect(0)
    };
    let told = plan(&[], &script.display().to_string()).stdout;
    assert!(told.contains("not here: the disturbance `cpu` needs stress-ng, which a run installs first"), "{told}");
    assert!(!asked.exists(), "who only looks changes nothing");
    let told = plan(&[], "").stdout;
    assert!(told.contains("needs stress-ng. Install it (Debian: apt-get install -y stress-ng)"), "{told}");
    let told = plan(&["--disturbance", "cpu,disk,video"], "").stdout;
    for wanting in ["`cpu` needs stress-ng", "`disk` needs stress-ng", "`video` needs ffmpeg"] {
        assert!(told.contains(wanting), "all that is wanting is named, {wanting} too: {told}");
    }
    assert!(!place.path().join("bakeoff-results").exists(), "a plan leaves no directory");
    // The package of a missing mount was said to be that of the file system.
    with_program(&place, "mkfs.ext4", "exit 2");
    place.write("tiny.toml", &tiny_suite(r#""null""#, "").replace("[limits]", "media = \"disk\"\n\n[limits]"));
    let told = plan(&["--medium", "disk=new:ext4:512MiB"], "").stdout;
    if told.contains("needs root") {
        return say_skipped("the package of a missing mount", "not root");
    }
    assert!(told.contains("a new ext4 needs mount. Install it (Debian: apt-get install -y mount)"), "{told}");
}
