//! Runs as a user would start them, with real stores on real files.

mod common;

use std::io::Write;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Place, driver, exactly_once, tiny_suite};

const STORES: &str = r#""sqlite", "lmdb", "flat-folder", "nested-folder""#;

#[test]
fn a_run_measures_verifies_ranks_and_leaves_only_results() {
    let place = Place::on_disk();
    place.write("tiny.toml", &tiny_suite(STORES, ""));
    let finished = place.run(&["run", "tiny.toml", "--full"]).expect(0).says(&["Tiny"]);
    for word in ["SQLite", "LMDB", "get", "scan", "space"] {
        assert!(finished.stdout.contains(word), "{word} is not in:\n{}", finished.stdout);
    }
    let cells = place.cells();
    assert_eq!(cells.len(), 8);
    for cell in &cells {
        assert_eq!(cell["status"], "ok", "{cell}");
        assert_eq!(cell["verified"]["entries"], 200);
        assert_eq!(cell["records_alive"], 200);
        assert!(cell["finished"]["disk_after_close"]["allocated_bytes"].as_u64().unwrap_or(0) > 0);
    }
    let phases: Vec<_> = place.lines().into_iter().filter(|line| line["line"] == "phase").collect();
    assert_eq!(phases.len(), 24);
    for phase in phases.iter().filter(|phase| phase["result"]["phase"] == "get") {
        assert_eq!(phase["result"]["answers_checked"], 200);
        assert_eq!(phase["result"]["answers_wrong"], 0);
        let latency = &phase["result"]["operations"][0]["latency"];
        assert!(latency["latency_ns_min"].as_u64() <= latency["latency_ns_p50"].as_u64());
        assert!(latency["latency_ns_p50"].as_u64() <= latency["latency_ns_max"].as_u64());
    }
    assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new());
    let run = std::fs::read_to_string(place.only_run().join("run.json")).expect("run.json");
    let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    let drivers = run["drivers"].as_array().expect("a list");
    let stores: usize = drivers.iter().map(|driver| driver["stores"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(Some(stores), run["stores"].as_array().map(Vec::len), "each store has one driver: {drivers:?}");
    let version = place.run(&["--version"]).expect(0).stdout;
    let named = run["bakeoff_version"].as_str().expect("a version");
    assert_eq!(version, format!("bakeoff {named}\n"));
    // Built by ./bakeoff in a clone, with the commit.
    assert!(named.starts_with(env!("CARGO_PKG_VERSION")), "{named}");
    assert!(
        option_env!("BAKEOFF_VERSION").is_none_or(|with_commit| with_commit == named && named.ends_with(')')),
        "{named}"
    );
    let page = std::fs::read_to_string(place.only_run().join("report.html")).unwrap_or_default();
    assert!(page.contains("<h1>Tiny</h1>") && page.trim_end().ends_with("</html>"), "the page is next to the results");
    assert!(finished.stdout.contains("report.html"), "{}", finished.stdout);
}

#[test]
fn directory_keys_are_walked_with_one_thread_and_with_two() {
    let place = Place::new();
    let suite = r#"
        rounds = 1
        [axes]
        stores = ["sqlite", "lmdb", "nested-folder"]
        threads = [1, 2]
        [tree]
        fanout = 8
        levels = 4
        padding = 100
        [[phases]]
        name = "load"
        operation = "insert"
        batch = "all"
        [[phases]]
        name = "walk"
        operation = "walk"
        operations = 500
        [[phases]]
        name = "list"
        operation = "scan"
        operations = 50
    "#;
    place.write("tree.toml", suite);
    // Both workloads have the same value pool, whose facts the second one reads from a file.
    place.run(&["run", "tree.toml"]).expect(0).says(&[]);
    let cells = place.cells();
    assert_eq!(cells.len(), 6);
    assert!(cells.iter().all(|cell| cell["status"] == "ok" && cell["verified"]["entries"] == 4_680), "{cells:?}");
}

#[test]
fn serialised_values_are_read_on_the_way() {
    let place = Place::new();
    let variants = ["flatbuffers", "flatbuffers-long", "protobuf", "protobuf-long"].map(|values| {
        let fields = if values.ends_with("-long") { "one" } else { "all" };
        format!(
            "[[variants]]\nname = \"{values}\"\n[variants.tree]\nvalues = \"{values}\"\n\
             [[variants.phases]]\nname = \"load\"\noperation = \"insert\"\nbatch = \"all\"\n\
             [[variants.phases]]\nname = \"walk\"\noperation = \"walk\"\noperations = 300\npast-leaf = true\n\
             fields = \"{fields}\"\nmeasure = \"throughput\"\n"
        )
    });
    let suite = format!(
        "rounds = 1\n[axes]\nstores = [\"sqlite\", \"lmdb\"]\nthreads = [1, 2]\n[tree]\nfanout = 5\nlevels = 4\n\
         [[phases]]\nname = \"load\"\noperation = \"insert\"\n{}",
        variants.concat()
    );
    place.write("tree.toml", &suite);
    place.run(&["run", "tree.toml"]).expect(0);
    let cells = place.cells();
    assert_eq!(cells.len(), 16);
    assert!(cells.iter().all(|cell| cell["status"] == "ok" && cell["verified"]["entries"] == 780), "{cells:?}");
    // Four directories of each walk, whose fifth lookup finds nothing.
    let walked = |line: &&serde_json::Value| line["result"]["phase"] == "walk";
    let lines = place.lines();
    let walks: Vec<_> = lines.iter().filter(walked).map(|line| &line["result"]["operations"][0]["entries"]).collect();
    assert!(walks.len() == 16 && walks.iter().all(|entries| **entries == 1_200), "{walks:?}");
}

#[test]
fn the_time_of_operations_is_that_of_all_threads_and_the_time_of_a_phase_that_of_the_longest() {
    let place = Place::new();
    let suite = tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 1_000_000\n")
        .replace("[limits]", "threads = [4]\n\n[limits]")
        .replace("access = \"uniform\"", "measure = \"throughput\"");
    place.write("threads.toml", &suite);
    place.run(&["run", "threads.toml"]).expect(0);
    let lines = place.lines();
    let gets = lines.iter().find(|line| line["result"]["phase"] == "get").expect("a phase");
    let result = &gets["result"];
    let ns = |value: &serde_json::Value| value["timed_ns"].as_u64().expect("a time");
    assert_eq!((result["mode"].as_str(), result["threads"].as_u64()), (Some("throughput"), Some(4)));
    // 200 gets that pause for a millisecond each, a quarter of them in each thread.
    assert!(ns(&result["operations"][0]) >= 200_000_000, "{result}");
    assert!(ns(result) >= 50_000_000 && ns(result) < ns(&result["operations"][0]), "{result}");
}

#[test]
fn rounds_are_interleaved() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(STORES, ""));
    place.run(&["run", "tiny.toml", "--rounds", "3"]).expect(0);
    let rounds: Vec<_> = place.cells().iter().map(|cell| cell["round"].as_u64().unwrap_or(0)).collect();
    assert_eq!(rounds, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
}

#[test]
fn the_same_suite_and_seed_replay_the_same_tapes() {
    let checksums = |seed: &str| {
        let place = Place::new();
        place.write("tiny.toml", &tiny_suite(r#""sqlite""#, ""));
        place.run(&["run", "tiny.toml", "--rounds", "1", "--seed", seed]).expect(0);
        let lines = place.lines();
        lines.iter().filter_map(|line| line["tape_checksum"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(checksums("7"), checksums("7"));
    assert_ne!(checksums("7"), checksums("8"));
}

#[test]
fn figures_can_be_exported() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""sqlite", "lmdb""#, ""));
    place.run(&["run", "tiny.toml"]).expect(0);
    let csv = place.run(&["report", "--csv", "-"]).expect(0).stdout;
    assert!(csv.lines().count() > 12, "{csv}");
    let json = place.run(&["report", "--json", "-"]).expect(0).stdout;
    serde_json::from_str::<serde_json::Value>(&json).expect("the export is JSON");
    let run = place.only_run();
    let report = place.run(&["report", &run.display().to_string(), "--full"]).expect(0).stdout;
    std::fs::rename(place.path().join("bakeoff-results"), place.path().join("elsewhere"))
        .expect("the results can be moved");
    let moved = place.run(&["report", "--out", "elsewhere", "--full"]).expect(0).stdout;
    assert_eq!(moved.lines().next(), report.lines().next());
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
}

#[test]
fn the_size_of_a_run_counts_flushes_where_stores_flush() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""sqlite""#, ""));
    place.write("flushing.toml", &tiny_suite(r#""sqlite""#, "\n[settings.sqlite]\nsynchronous = \"full\"\n"));
    let size = |arguments: &[&str]| {
        let plan = place.run(&[&["run", "--plan"], arguments].concat()).expect(0).stdout;
        plan.replace("\n  ", " ").lines().find(|line| line.starts_with("size: ")).expect("a size").to_owned()
    };
    assert!(!size(&["tiny.toml"]).contains("flush"));
    for flushing in [&["tiny.toml", "--durability", "power"][..], &["flushing.toml"]] {
        let size = size(flushing);
        assert!(size.contains(" with three flushes (") && size.contains("s on default)"), "{size}");
    }
    assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_plan_tells_classes_that_settings_chose_and_is_refused_where_nothing_is_left() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""sqlite""#, ""));
    place.write("set.toml", &tiny_suite(r#""sqlite", "lmdb""#, "\n[settings.lmdb]\ndurability = \"none\"\n"));
    let plan = |arguments: &[&str]| place.run(&[&["run", "--plan"], arguments].concat()).expect(0).stdout;
    assert!(plan(&["tiny.toml"]).contains("random, process\n"));
    assert!(plan(&["set.toml"]).contains("random, durability as set\n"));
    let refused = place.run(&["run", "--plan", "tiny.toml", "--max-db-size", "1B"]).expect(2);
    refused.says(&["nothing is left to run", "too large"]);
}

#[test]
fn a_request_runs_by_hand() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    let plan = place.run(&["run", "tiny.toml", "--plan"]).expect(0).stdout;
    let cell = plan.split_whitespace().find(|word| word.len() == 16 && word.chars().all(|c| c.is_ascii_hexdigit()));
    let cell = cell.unwrap_or_else(|| panic!("no cell in the plan:\n{plan}"));
    // Twice: the second time starts from nothing again.
    for _ in 0..2 {
        let request = place.run(&["request", &cell[..8], "tiny.toml"]).expect(0).stdout;
        let mut child = std::process::Command::new(driver())
            .arg("run")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the driver starts");
        child.stdin.take().expect("its input").write_all(request.as_bytes()).expect("the request is taken");
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8(output.stdout).expect("events are text");
        assert!(output.status.success(), "{text}");
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap_or_default()).expect("JSON");
        assert_eq!(last["event"], "finished", "{text}");
    }
}

#[test]
fn a_budget_is_kept_and_what_it_left_out_is_said() {
    let place = Place::new();
    let suite = tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 1_000_000\n")
        .replace(r#"value-size = ["10B..100B"]"#, r#"value-size = ["10B", "20B", "30B", "40B", "50B", "60B"]"#);
    place.write("slow.toml", &suite);
    let begin = Instant::now();
    place.run(&["run", "slow.toml", "--budget", "3s", "--rounds", "3"]).expect(0);
    // A round of a workload takes about half a second. A round that began just before the end may still finish.
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    let run = std::fs::read_to_string(place.only_run().join("run.json")).expect("run.json");
    let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    assert!(!run["given_up"].as_array().expect("a list").is_empty());
    assert!(!place.cells().is_empty());
    let report = place.run(&["report", "--notes"]).expect(0).stdout;
    assert!(report.contains("budget"), "{report}");
}

#[test]
fn a_budget_for_fewer_rounds_than_wanted_gets_fewer_rounds() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--budget", "3s", "--rounds", "1000"]).expect(0);
    let cells = place.cells();
    assert!((2..1000).contains(&cells.len()), "{} rounds", cells.len());
    let run = std::fs::read_to_string(place.only_run().join("run.json")).expect("run.json");
    assert!(run.contains(&format!("{} of 1000 rounds", cells.len())), "{run}");
}

#[test]
fn control_c_ends_cleanly_and_the_run_can_be_finished() {
    let place = Place::new();
    place.write("slow.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 2_000_000\n"));
    let mut child = place.spawn(&["run", "slow.toml"]);
    sleep(Duration::from_millis(900));
    signal(&child, "INT");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new(), "the scratch directory is gone");
    place.run(&["run", "--resume"]).expect(0);
    exactly_once(&place, 1, 2);
}

#[test]
fn stores_lie_on_the_media_and_tapes_where_dir_says() {
    let place = Place::new();
    place.write("slow.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 2_000_000\n"));
    ["disk", "tapes"].iter().for_each(|name| std::fs::create_dir(place.path().join(name)).unwrap());
    let mut child = place.spawn(&["run", "slow.toml", "--medium", "disk=disk", "--dir", "tapes"]);
    let begin = Instant::now();
    let (mut of_stores, mut of_tapes) = (Vec::new(), Vec::new());
    while (of_stores.is_empty() || of_tapes.is_empty()) && begin.elapsed() < Duration::from_secs(30) {
        let there = |name: &str| -> Vec<String> {
            let entries = std::fs::read_dir(place.path().join(name)).unwrap().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        (of_stores, of_tapes) = (there("disk"), there("tapes"));
        sleep(Duration::from_millis(10));
    }
    assert!(of_stores.len() == 1 && of_stores[0].ends_with("-disk"), "{of_stores:?}");
    assert!(of_tapes.len() == 1 && of_tapes[0].ends_with(".tapes"), "{of_tapes:?}");
    assert!(child.wait().expect("it ends").success());
    exactly_once(&place, 1, 2);
}

#[test]
fn results_that_were_moved_are_gone_on_with_where_they_are() {
    let place = Place::new();
    place.write("slow.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 2_000_000\n"));
    let mut child = place.spawn(&["run", "slow.toml", "--out", "before"]);
    sleep(Duration::from_millis(900));
    signal(&child, "KILL");
    child.wait().expect("it ends");
    std::fs::rename(place.path().join("before"), place.path().join("bakeoff-results")).expect("it can be moved");
    // As if it had been killed before, in the making of its directories: without a marker, and with an empty one. What has a file in it
    // and no marker is nobody's.
    let name = place.only_run().file_name().unwrap().to_string_lossy().into_owned();
    let made = |number: u32| place.path().join(format!("bakeoff-results/bakeoff-scratch-{name}-{number}-default"));
    (1..=3).for_each(|number| std::fs::create_dir(made(number)).unwrap());
    std::fs::write(made(2).join(".bakeoff"), "").unwrap();
    std::fs::write(made(3).join("somebody's"), "").unwrap();
    place.run(&["run", "--resume"]).expect(0).says(&["left behind when it was killed"]);
    exactly_once(&place, 1, 2);
    assert_eq!(place.leftovers(), [made(3)]);
    assert!(!place.path().join("before").exists(), "nothing is made where the results were");
}

#[test]
fn stores_that_a_killed_run_left_on_a_medium_were_left_without_a_word() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("disk")).expect("a directory");
    place.write("slow.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 2_000_000\n"));
    let mut child = place.spawn(&["run", "slow.toml", "--dir", "disk"]);
    sleep(Duration::from_millis(900));
    signal(&child, "KILL");
    child.wait().expect("it ends");
    place.write("tiny.toml", &tiny_suite(r#""null""#, ""));
    let run = ["run", "tiny.toml", "--rounds", "1", "--dir", "disk"];
    let told = place.run(&run).expect(0).stderr;
    assert!(told.contains("disk holds what 1 run left when killed") && told.contains("bakeoff clean"), "{told}");
    place.run(&["clean", "disk"]).expect(0);
    let told = place.run(&run).expect(0).stderr;
    assert!(!told.contains("left when killed"), "{told}");
}

#[test]
fn lines_in_another_order_and_lost_ones_cost_no_more_than_their_round() {
    let place = Place::on_disk();
    place.write("tiny.toml", &tiny_suite(r#""null", "lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "2"]).expect(0);
    let path = place.only_run().join("results.jsonl");
    let read = || std::fs::read_to_string(&path).expect("results");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let before = read();
    std::fs::write(&path, sorted(&before).join("\n") + "\n").expect("results are written");
    place.run(&["run", "--resume"]).expect(0).says(&["Nothing is left to measure"]);
    assert_eq!(read(), sorted(&before).join("\n") + "\n", "not a byte is lost, and none is moved");
    exactly_once(&place, 2, 2);
    // The last line is an end. Without it, or with the last byte broken, its phases are another round's.
    let whole = read();
    let broken = whole.trim_end().strip_suffix('}').expect("JSON").to_owned() + "\n";
    std::fs::write(&path, &broken).expect("results are written");
    place.run(&["run", "--resume"]).expect(0).says(&["1 round(s) of cells", "measured again"]);
    exactly_once(&place, 2, 2);
    let copy = path.with_file_name("results-damaged-1.jsonl");
    assert_eq!(std::fs::read_to_string(copy).expect("a copy"), broken);
    // Ends alone are no rounds: nothing is ranked, and all is measured again.
    let ends: String =
        read().lines().filter(|line| line.contains(r#""line":"cell""#)).map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, ends).expect("results are written");
    let shown = place.run(&["report", "--full"]).expect(0).stdout;
    assert!(shown.contains("4 round(s) of cells lack lines") && !shown.contains("fastest"), "{shown}");
    place.run(&["run", "--resume"]).expect(0).says(&["4 round(s) of cells"]);
    exactly_once(&place, 2, 2);
}

#[test]
fn cells_with_lines_that_cannot_be_read_are_measured_again() {
    let place = Place::on_disk();
    place.write("tiny.toml", &tiny_suite(r#""null", "lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "3"]).expect(0);
    exactly_once(&place, 2, 3);
    let path = place.only_run().join("results.jsonl");
    let before = std::fs::read_to_string(&path).expect("results");
    let mut lines: Vec<_> = before.lines().map(str::to_owned).collect();
    // The first phase of the first cell, and the end of one in the middle: each costs its own round.
    let ends: Vec<_> = (0..lines.len()).filter(|&index| lines[index].contains(r#""line":"cell""#)).collect();
    for index in [0, ends[2]] {
        lines[index].replace_range(20..25, "\u{1}dama");
    }
    let damaged = lines.join("\n") + "\n";
    std::fs::write(&path, &damaged).expect("results are written");
    place.run(&["run", "--resume"]).expect(0).says(&[
        "2 round(s) of cells",
        "measured again",
        "results-damaged-1.jsonl",
    ]);
    exactly_once(&place, 2, 3);
    let kept =
        std::fs::read_to_string(path.with_file_name("results-damaged-1.jsonl")).expect("the damaged file is kept");
    assert_eq!(kept, damaged);
    // Again, with nothing left to do: the run is what it was.
    let facts = || std::fs::read_to_string(path.with_file_name("run.json")).expect("run.json");
    let before = facts();
    place.run(&["run", "--resume"]).expect(0).says(&["Nothing is left to measure"]);
    let finished = |facts: &str| facts.lines().find(|line| line.contains("\"finished\"")).map(str::to_owned);
    assert_eq!(finished(&facts()), finished(&before));
    for (fact, other, words) in [
        ("kernel", "5.0.0-other", "the kernel"),
        ("device_name", "sdz9", "the device"),
        ("bakeoff_version", "0.0.9", "bakeoff was 0.0.9"),
    ] {
        // A file system in memory has no device.
        let Some(line) = before.lines().find(|line| line.trim_start().starts_with(&format!("\"{fact}\""))) else {
            assert!(fact == "device_name" && !before.contains("\"device\""), "{fact} is not in {before}");
            continue;
        };
        let elsewhere = before.replacen(line, &format!("  \"{fact}\": \"{other}\","), 1);
        std::fs::write(path.with_file_name("run.json"), elsewhere).expect("run.json is written");
        place.run(&["run", "--resume"]).expect(2).says(&[words, other, "start a new run"]);
    }
    std::fs::write(path.with_file_name("run.json"), &before).expect("run.json is written");
    let after = std::fs::read_to_string(&path).expect("results");
    assert!(after.starts_with(&(lines[ends[0] + 1..=ends[1]].join("\n") + "\n")), "what could be read is as it was");
}

#[test]
fn what_a_killed_process_left_is_recovered_by_another_and_compared() {
    let place = Place::new();
    // `faulty` keeps everything in memory, so nothing is left of it.
    let stores = r#""sqlite", "lmdb", "fjall", "wiredtiger", "flat-folder", "faulty""#;
    place.write("tiny.toml", &format!("ending = \"killed\"\n{}", tiny_suite(stores, "")));
    place.run(&["run", "tiny.toml"]).expect(1);
    let cells = place.cells();
    let (lost, kept): (Vec<_>, Vec<_>) = cells.iter().partition(|cell| cell["store"] == "faulty");
    assert!(kept.len() >= 8, "{kept:?}");
    for cell in kept {
        assert_eq!((&cell["status"], &cell["killed"]), (&"ok".into(), &true.into()), "{cell}");
        assert!(cell["verified"]["reopen_ns"].as_u64().is_some_and(|ns| ns > 0) && cell["verified"]["entries"] == 200);
    }
    assert_eq!(lost[0]["failure"], "wrong-answer", "{lost:?}");
    assert!(lost[0]["failure_message"].as_str().is_some_and(|words| words.contains("after it was killed")), "{lost:?}");
    place.write(
        "none.toml",
        &format!("ending = \"killed\"\n{}", tiny_suite(r#""lmdb""#, "").replace("\"process\"", "\"none\"")),
    );
    place
        .run(&["run", "none.toml", "--durability", "none"])
        .expect(2)
        .says(&["promises nothing for a process that is killed"]);
}

#[test]
fn two_signals_at_once_stop_a_run_as_one_does() {
    let place = Place::new();
    let suite = tiny_suite(r#""faulty", "lmdb""#, "\n[settings.faulty]\npause-ns = 1_000_000\n");
    place.write("tiny.toml", &suite);
    for _ in 0..5 {
        let child = place.spawn(&["run", "tiny.toml", "--rounds", "40"]);
        sleep(Duration::from_millis(700));
        // As `timeout` does: it signals the program and its group.
        signal(&child, "TERM");
        signal(&child, "TERM");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.code().is_some_and(|code| code != 0), "{:?}", output.status);
        assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new(), "every scratch directory is gone");
    }
}

/// Every cell has every round, once.
fn signal(child: &std::process::Child, name: &str) {
    let status = std::process::Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(status.expect("kill starts").success());
}

#[test]
fn room_for_long_answers_is_there_before_the_clock_starts() {
    let place = Place::new();
    let suite = tiny_suite(r#""lmdb""#, "");
    let copies = "[[phases]]\nname = \"copy\"\noperation = \"scan-all\"\noperations = 1\nconsumer = \"copy\"\n";
    place.write("copies.toml", &(suite.replace("10B..100B", "200KiB") + copies));
    place.run(&["run", "copies.toml", "--rounds", "1"]).expect(0);
    let lines = place.lines();
    let copy = lines.iter().find(|line| line["result"]["phase"] == "copy").expect("the phase");
    let faults = copy["result"]["resources"]["page_faults_minor"].as_u64().expect("they are counted");
    // The answer alone has 10,000 pages; the store's map is brought in 16 at a time.
    assert!(faults < 5_000, "{faults}");
}
