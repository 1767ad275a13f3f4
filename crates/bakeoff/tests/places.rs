//! Places that are not as a run would like them: too few files, another's links, no files at all, limits of a shell.

mod common;

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::{Finished, Place, SmallMount, program, say_skipped, tiny_suite};
use serde_json::Value;

/// Files that fill a file system's table of files.
fn fill_with_files(directory: &Path, left: u64) -> Vec<PathBuf> {
    let free = || rustix::fs::statvfs(directory).expect("the file system").f_favail;
    let count = free().saturating_sub(left);
    let files: Vec<_> = (0..count).map(|number| directory.join(format!("filler-{number}"))).collect();
    files.iter().for_each(|file| std::fs::write(file, "").expect("a file"));
    files
}

fn statuses(cells: &[Value], store: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = cells.iter().filter(|cell| cell["store"] == store);
    of.map(|cell| (text(&cell["status"]), text(&cell["failure"]))).collect()
}

/// Setting a store aside took an inode, which the store had used up, and then no other store could be measured there.
#[test]
fn a_store_that_uses_up_all_files_fails_alone_and_is_tried_again_when_there_is_room() {
    let place = Place::new();
    let Some(small) = SmallMount::with_options(&place, "too few files", "size=96m,nr_inodes=20000") else { return };
    // Its directories do not fit, though a file for each record would.
    let stores = r#""nested-folder", "lmdb", "sqlite""#;
    let suite = tiny_suite(stores, "").replace("records = [200]", "records = [1000]");
    place.write("tiny.toml", &suite.replace("durability =", "media = [\"disk\"]\ndurability ="));
    let fillers = fill_with_files(small.path(), 1_100);
    let run = ["run", "tiny.toml", "--medium", "disk=small"];
    place.run(&run).expect(1).says(&["bakeoff run --resume"]);
    let cells = place.cells();
    let (ok, full) = (("ok".to_owned(), String::new()), ("failed".to_owned(), "disk-full".to_owned()));
    assert_eq!(statuses(&cells, "nested-folder"), std::slice::from_ref(&full), "{cells:?}");
    for store in ["lmdb", "sqlite"] {
        assert_eq!(statuses(&cells, store), [ok.clone(), ok.clone()], "{cells:?}");
    }
    fillers.iter().for_each(|file| std::fs::remove_file(file).expect("removed"));
    place.run(&["run", "--resume"]).expect(0);
    let cells = place.cells();
    assert_eq!(statuses(&cells, "nested-folder"), [full, ok.clone(), ok], "what failed stays in the file");
    assert!(place.run(&["report"]).expect(0).stdout.contains("Nested folder"));
    assert!(small.unmount());
}

#[test]
fn a_plan_counts_the_files_of_stores_that_keep_one_for_each_record() {
    let place = Place::new();
    let Some(small) = SmallMount::with_options(&place, "plans with few files", "size=96m,nr_inodes=500") else {
        return;
    };
    let suite = tiny_suite(r#""flat-folder", "lmdb""#, "").replace("records = [200]", "records = [2000]");
    place.write("tiny.toml", &suite.replace("durability =", "media = [\"disk\"]\ndurability ="));
    let plan = place.run(&["run", "tiny.toml", "--medium", "disk=small", "--plan"]).expect(0);
    let shown = common::unwrapped(&plan.stdout);
    assert!(shown.contains("too many files for the file system: needs 2,000"), "{shown}");
    drop(small);
}

/// Room was judged before what the killed run had left was removed, and then the run could not go on.
#[test]
fn a_killed_run_goes_on_though_its_leftovers_take_the_room_that_it_needs() {
    let place = Place::new();
    let Some(small) = SmallMount::new(&place, "a killed run on a small disk") else { return };
    let suite = tiny_suite(r#""lmdb""#, "")
        .replace("rounds = 2", "rounds = 2\npool-size = \"1MiB\"")
        .replace(r#"value-size = ["10B..100B"]"#, r#"value-size = ["4KiB"]"#)
        .replace("records = [200]", "records = [5000]")
        .replace("operations = 200", "operations = 300000");
    place.write("tiny.toml", &suite.replace("durability =", "media = [\"disk\"]\ndurability ="));
    let mut run = place.spawn(&["run", "tiny.toml", "--medium", "disk=small"]);
    let begin = Instant::now();
    let free = || rustix::fs::statvfs(small.path()).map_or(0, |room| room.f_bavail * room.f_frsize);
    // Three times the data, 60 MB, would not fit what is left.
    while free() > 75 << 20 {
        assert!(begin.elapsed() < Duration::from_secs(60), "the store grows");
        std::thread::sleep(Duration::from_millis(1));
    }
    run.kill().expect("it is killed");
    run.wait().expect("it ends");
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(small.path().join("filler"), vec![0; 30 << 20]).expect("a filler");
    let finished = place.run(&["run", "--resume"]);
    finished.expect(0).says(&["left behind when it was killed"]);
    assert!(small.unmount());
}

#[test]
fn a_directory_of_a_run_that_never_began_is_in_nobodys_way_and_removed() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let killed = place.path().join("bakeoff-results/20260102-030405-killed");
    std::fs::create_dir_all(killed.join("logs")).expect("made");
    std::fs::write(killed.join(".bakeoff"), "bakeoff results\n").expect("made");
    let ahead = place.path().join("bakeoff-results/21500102-030405-ahead");
    std::fs::create_dir(&ahead).expect("made");
    let run = place.only_run();
    for name in ["run.json", "results.jsonl"] {
        std::fs::copy(run.join(name), ahead.join(name)).expect("copied");
    }
    std::fs::write(ahead.join(".bakeoff"), "bakeoff results\n").expect("made");
    assert!(!place.run(&["report"]).expect(0).stdout.contains("2150"));
    place.run(&["run", "--resume"]).expect(0).says(&["Going on with"]);
    let refused = place.run(&["run", "--resume", "bakeoff-results/20260102-030405-killed"]).expect(2);
    assert!(refused.stderr.contains("`bakeoff clean` removes it"), "{}", refused.stderr);
    let cleaned = place.run(&["clean"]).expect(0);
    assert!(cleaned.stdout.contains("20260102-030405-killed") && !killed.exists(), "{}", cleaned.stdout);
    assert!(ahead.exists());
}

#[test]
fn what_somebody_keeps_among_results_is_not_removed_with_them() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let run = place.only_run();
    std::fs::write(run.join("notes.txt"), "mine").expect("written");
    let cleaned = place.run(&["clean", "--results"]).expect(1);
    assert!(cleaned.stdout.contains("bakeoff did not write notes.txt"), "{}", cleaned.stdout);
    let left: Vec<_> = std::fs::read_dir(&run).expect("there").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, [OsStr::new("notes.txt")]);
}

/// Opening a FIFO waits for ever.
#[test]
fn what_is_no_file_is_refused_at_once() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let fifo = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
    let other = place.path().join("bakeoff-results/other");
    std::fs::create_dir(&other).expect("made");
    fifo(&other.join(".bakeoff"));
    let run = place.only_run();
    let run = run.to_str().expect("a path");
    place.run(&["report"]).expect(0);
    place.run(&["clean"]).expect(0);
    for name in ["run.json", "results.jsonl"] {
        let path = Path::new(run).join(name);
        let kept = path.with_extension("kept");
        std::fs::rename(&path, &kept).expect("moved");
        fifo(&path);
        for verb in [&["report", run][..], &["run", "--resume", run], &["compare", run, run]] {
            let refused = place.run(verb).expect(2);
            assert!(refused.stderr.contains("is a FIFO, and must be a file"), "{verb:?}: {}", refused.stderr);
        }
        std::fs::remove_file(&path).expect("removed");
        symlink("/dev/zero", &path).expect("a link");
        let refused = place.run(&["report", run]).expect(2);
        assert!(refused.stderr.contains("is a device, and must be a file"), "{}", refused.stderr);
        std::fs::remove_file(&path).expect("removed");
        std::fs::rename(&kept, &path).expect("moved back");
    }
}

#[test]
fn an_export_does_not_follow_anothers_link_in_everyones_directory() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let shared = place.path().join("shared");
    std::fs::create_dir(&shared).expect("made");
    std::fs::set_permissions(&shared, Permissions::from_mode(0o1777)).expect("everyone's");
    let precious = place.write("precious.csv", "mine");
    let link = shared.join("figures.csv");
    symlink(&precious, &link).expect("a link");
    if lchown(&link, Some(65_534), None).is_err() || lchown(&shared, Some(65_533), None).is_err() {
        return say_skipped("links of others", "giving a link to another user needs root");
    }
    let refused = place.run(&["report", "--csv", "shared/figures.csv"]).expect(2);
    assert!(refused.stderr.contains("another user's link"), "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&precious).expect("there"), "mine");
    // One's own link is followed.
    lchown(&link, Some(0), None).expect("root's");
    place.run(&["report", "--csv", "shared/figures.csv"]).expect(0);
    assert!(std::fs::read_to_string(&precious).expect("there").contains("lmdb"));
}

/// The program with a limit of the shell.
fn limited(place: &Place, limit: &str, arguments: &[&str]) -> (Option<i32>, Finished) {
    let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.args(["-c", &script]).arg(program()).args(arguments).current_dir(place.path());
    let output = command.output().expect("bash starts");
    (output.status.signal(), Finished::of(output))
}

#[test]
fn limits_of_a_shell_are_errors_of_cells_and_end_nothing() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb", "null""#, ""));
    let (signal, finished) = limited(&place, "-S -s 64", &["run", "tiny.toml", "--rounds", "1"]);
    assert_eq!(signal, None, "a limit that the user may raise: {finished:?}");
    finished.expect(0);
    for limit in ["-s 64", "-f 8", "-f 100", "-n 16"] {
        let (signal, finished) = limited(&place, limit, &["run", "tiny.toml", "--rounds", "1"]);
        assert_eq!(signal, None, "{limit}: {finished:?}");
        assert!(finished.status.is_some_and(|status| status <= 2), "{limit}: {finished:?}");
        assert!(!finished.stderr.contains("panicked"), "{limit}: {finished:?}");
        assert_eq!(place.leftovers(), Vec::<PathBuf>::new(), "{limit}");
    }
}

#[test]
fn results_and_tapes_of_a_trace_are_their_owners_alone() {
    let place = Place::new();
    place.write("trace.csv", "op,key,value_size\nput,a,10\nput,b,20\nget,a,\nget,b,\n");
    place.run(&["tape", "import", "trace.csv", "--out", "trace.tape"]).expect(0);
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&place.path().join("trace.tape")), 0o700);
    place.run(&["run", "--tape", "trace.tape", "--stores", "lmdb", "--rounds", "1"]).expect(0);
    assert_eq!(mode(&place.only_run()), 0o700);
}

/// The directory that the run had been made in came back, empty.
#[test]
fn a_request_makes_no_directory_but_its_own() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1", "--out", "before"]).expect(0);
    std::fs::rename(place.path().join("before"), place.path().join("bakeoff-results")).expect("moved");
    let cell = place.cells()[0]["cell"].as_str().expect("an id").to_owned();
    let run = place.only_run();
    place.run(&["request", &cell, "--run", run.to_str().expect("a path"), "--dir", "by-hand"]).expect(0);
    assert!(!place.path().join("before").exists() && place.path().join("by-hand").exists());
}
