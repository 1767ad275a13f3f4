//! Places that are not as a run would like them: too few files, another's links, no files at all, limits of a shell.

mod common;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::{Finished, Place, SmallMount, program, say_skipped, tiny_suite, unwrapped};
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
    // The plan counts a file for each record. Names of such keys are cut into two, so each has a directory too.
    let rows: String = (0..1_000).map(|number| format!("set,{number:04}{},10\n", "A".repeat(100))).collect();
    place.write("app.csv", &format!("op,key,value_size\n{rows}"));
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let fillers = fill_with_files(small.path(), 1_200);
    let run = ["run", "--tape", "app.tape", "--dir", "small", "--rounds", "2", "--stores", "flat-folder,lmdb,sqlite"];
    place.run(&run).expect(1).says(&["bakeoff run --resume"]);
    let cells = place.cells();
    let (ok, full) = (("ok".to_owned(), String::new()), ("failed".to_owned(), "disk-full".to_owned()));
    assert_eq!(statuses(&cells, "flat-folder"), std::slice::from_ref(&full), "{cells:?}");
    for store in ["lmdb", "sqlite"] {
        assert_eq!(statuses(&cells, store), [ok.clone(), ok.clone()], "{cells:?}");
    }
    fillers.iter().for_each(|file| std::fs::remove_file(file).expect("removed"));
    place.run(&["run", "--resume"]).expect(0);
    let cells = place.cells();
    assert_eq!(statuses(&cells, "flat-folder"), [full, ok.clone(), ok], "what failed stays in the file");
    assert!(place.run(&["report"]).expect(0).stdout.contains("Flat folder"));
    assert!(small.unmount());
}

/// SQLite says that it cannot open its file, which was an error for ever.
#[test]
fn a_store_for_which_no_file_is_left_is_tried_again_when_there_is_room() {
    let place = Place::new();
    let Some(small) = SmallMount::with_options(&place, "no file left", "size=96m,nr_inodes=2000") else { return };
    place.write("tiny.toml", &tiny_suite(r#""sqlite""#, ""));
    let mut child = place.spawn(&["run", "tiny.toml", "--rounds", "60", "--dir", "small"]);
    let begun = Instant::now();
    let has_begun = || {
        let results = place.runs().first().and_then(|run| std::fs::read_to_string(run.join("results.jsonl")).ok());
        results.is_some_and(|text| text.contains("\"line\":\"cell\""))
    };
    while !has_begun() && begun.elapsed() < Duration::from_secs(60) {
        assert!(child.try_wait().expect("a status").is_none(), "it is not over yet");
        std::thread::sleep(Duration::from_millis(5));
    }
    // What a round gives back is taken before the next one.
    let (filler, mut fillers) = (|number: usize| small.path().join(format!("filler-{number}")), 0);
    while child.try_wait().expect("a status").is_none() {
        match std::fs::write(filler(fillers), "") {
            Ok(()) => fillers += 1,
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    Finished::of(child.wait_with_output().expect("it ends")).expect(1);
    let failed: Vec<_> =
        statuses(&place.cells(), "sqlite").into_iter().filter(|(status, _)| status == "failed").collect();
    assert!(!failed.is_empty() && failed.iter().all(|(_, failure)| failure == "disk-full"), "{failed:?}");
    (0..fillers).for_each(|number| std::fs::remove_file(filler(number)).expect("removed"));
    place.run(&["run", "--resume"]).expect(0);
    assert!(small.unmount());
}

#[test]
fn a_plan_counts_the_files_of_stores_that_keep_one_for_each_record() {
    let place = Place::new();
    let Some(small) = SmallMount::with_options(&place, "plans with few files", "size=96m,nr_inodes=500") else {
        return;
    };
    let suite = |records: &str| {
        let suite = tiny_suite(r#""flat-folder", "nested-folder", "lmdb""#, "").replace("records = [200]", records);
        place.write("tiny.toml", &suite.replace("durability =", "media = [\"disk\"]\ndurability ="));
        let plan = place.run(&["run", "tiny.toml", "--medium", "disk=small", "--plan"]).expect(0);
        unwrapped(&plan.stdout)
    };
    let shown = suite("records = [2000]");
    assert!(shown.contains("too many files for the file system: needs 2,000 (one for each record), and"), "{shown}");
    // The files alone would fit. 300 records are in 177 of 256 directories, and in 300 of 65,536 below those.
    let shown = suite("records = [300]");
    let nested = "needs 777 (one for each record, and 477 directories), and";
    assert!(shown.contains(nested) && !shown.contains("(one for each record),"), "{shown}");
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
    // Three times the data, 60 MB, would not fit the free space.
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

/// A dry run listed directories that stayed, and not the leftovers of runs that were killed early.
#[test]
fn a_dry_clean_lists_exactly_what_is_removed() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    for _ in 0..3 {
        place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    }
    let base = place.path().join("bakeoff-results");
    let runs = place.runs();
    std::fs::write(runs[0].join("notes.txt"), "mine").expect("written");
    std::fs::write(runs[1].join("logs/mine.log"), "mine").expect("written");
    for name in ["bakeoff-scratch-killed", "bakeoff-scratch-full", "mine"] {
        std::fs::create_dir(base.join(name)).expect("made");
    }
    std::fs::write(base.join("bakeoff-scratch-full/file"), "mine").expect("written");
    let marked = base.join("marked");
    std::fs::create_dir(&marked).expect("made");
    std::fs::write(marked.join(".bakeoff"), "bakeoff scratch directory: may be removed at any time\n").expect("marked");
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(60);
    for name in ["bakeoff-scratch-killed", "bakeoff-scratch-full"] {
        std::fs::File::open(base.join(name)).and_then(|it| it.set_modified(long_ago)).expect("old");
    }
    let everything = || {
        let mut found = std::collections::BTreeSet::new();
        let mut left = vec![base.clone()];
        while let Some(directory) = left.pop() {
            for path in std::fs::read_dir(directory).expect("there").flatten().map(|entry| entry.path()) {
                left.extend(path.is_dir().then(|| path.clone()));
                found.insert(path.strip_prefix(place.path()).expect("below").to_owned());
            }
        }
        found
    };
    let listed = |text: &str, word: &str| -> Vec<PathBuf> {
        text.lines().filter_map(|line| line.strip_prefix(word)).map(PathBuf::from).collect()
    };
    let twice = ["clean", "--results", "bakeoff-results", "./bakeoff-results/"];
    for options in [&["clean"][..], &twice, &["clean", "--results"]] {
        let before = everything();
        let dry = place.run(&[options, &["--dry-run"]].concat());
        assert_eq!(everything(), before, "a dry run changes nothing");
        let real = place.run(options);
        assert_eq!(dry.status, real.status, "{dry:?} {real:?}");
        assert_eq!(listed(&dry.stdout, "would keep: "), listed(&real.stdout, "kept: "));
        let (would, removed) = (listed(&dry.stdout, "would remove "), listed(&real.stdout, "removed "));
        assert_eq!(would, removed);
        let after = everything();
        let gone: std::collections::BTreeSet<_> = before.difference(&after).cloned().collect();
        let is_told = |path: &PathBuf| removed.iter().any(|told| path.starts_with(told));
        assert!(gone.iter().all(is_told) && removed.iter().all(|told| gone.contains(told)), "{gone:?}\n{removed:?}");
    }
    let left = ["mine", "bakeoff-scratch-full/file"].map(|name| base.join(name)).into_iter();
    let left = left.chain([runs[0].join("notes.txt"), runs[1].join("logs/mine.log")]);
    assert!(left.into_iter().all(|path| path.exists()) && !runs[2].exists() && !marked.exists());
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

/// Opening it waited for a program that reads.
#[test]
fn an_export_to_a_fifo_that_nobody_reads_is_refused_and_a_pipe_of_the_shell_is_written_to() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let fifo = place.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).expect("made");
    for export in ["--csv", "--json", "--html", "--markdown", "--parquet", "--xlsx"] {
        let refused = place.run(&["report", export, "fifo"]).expect(2);
        assert!(refused.stderr.contains("cannot write fifo: no program reads from it"), "{}", refused.stderr);
    }
    let script = "\"$0\" report --csv >(cat >piped.csv) --json /dev/null && wait && test -p fifo";
    let mut shell = Command::new("bash");
    let output = shell.args(["-c", script]).arg(program()).current_dir(place.path()).output().expect("bash starts");
    Finished::of(output).expect(0);
    let begin = Instant::now();
    while !std::fs::read_to_string(place.path().join("piped.csv")).is_ok_and(|text| text.contains("lmdb")) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the shell's pipe is written to");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Only a link at the end of an export's path was looked at.
#[test]
fn nothing_is_written_through_anothers_link_to_a_directory() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, "").replace("durability =", "media = [\"disk\"]\ndurability ="));
    place.write("trace.csv", "op,key,value_size\nput,a,10\n");
    let medium = |directory: &str| format!("disk={directory}");
    place.run(&["run", "tiny.toml", "--rounds", "1", "--medium", &medium(".")]).expect(0);
    let cell = place.cells()[0]["cell"].as_str().expect("an id").to_owned();
    let (shared, victim) = (place.path().join("shared"), place.path().join("victim"));
    [&shared, &victim].into_iter().for_each(|directory| std::fs::create_dir(directory).expect("made"));
    std::fs::set_permissions(&shared, Permissions::from_mode(0o1777)).expect("everyone's");
    std::fs::rename(place.only_run(), victim.join("run")).expect("moved");
    let link = shared.join("link");
    symlink("../victim", &link).expect("a link");
    // One's own link that leads through another's is no better.
    symlink("shared/link/", place.path().join("mine")).expect("a link");
    if lchown(&link, Some(65_534), None).is_err() || lchown(&shared, Some(65_533), None).is_err() {
        return say_skipped("links of others", "giving a link to another user needs root");
    }
    let listing = |directory: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(directory).expect("there").flatten().map(|it| it.file_name()).collect();
        names.sort();
        names
    };
    let (before, of_run) = (listing(&victim), listing(&victim.join("run")));
    let program = common::driver();
    let driver = program.to_str().expect("a path");
    for through in ["shared/link", "mine", "./mine/../shared/link", "mine/../shared/link/run/.."] {
        let at = |name: &str| format!("{through}/{name}");
        let (disk, results, kept) = (medium(through), at("results"), at("kept"));
        let [csv, html, resumed, tape] = ["x.csv", "x.html", "run", "x.tape"].map(at);
        let run = ["run", "tiny.toml", "--rounds", "1", "--medium"];
        let commands: &[&[&str]] = &[
            &["report", "victim/run", "--csv", &csv],
            &["report", "victim/run", "--html", &html],
            &[&run[..], &["disk=.", "--out", &results]].concat(),
            &[&run[..], &["disk=.", "--out", through]].concat(),
            &[&run[..], &["disk=.", "--dir", through]].concat(),
            &[&run[..], &[&disk]].concat(),
            &["run", "--resume", &resumed],
            &["tape", "import", "trace.csv", "--out", &tape],
            &["request", &cell, "--run", "victim/run", "--dir", through],
            &["check-driver", driver, "null", "--keep", &kept],
        ];
        for command in commands {
            let refused = place.run(command);
            let said = format!("{}{}", refused.stdout, refused.stderr);
            assert!(refused.status != Some(0) && said.contains("another user's link"), "{command:?}: {said}");
            assert_eq!(
                (listing(&victim), listing(&victim.join("run"))),
                (before.clone(), of_run.clone()),
                "{command:?}"
            );
        }
        let kept = place.run(&["clean", "--results", through]).expect(1);
        assert!(kept.stdout.contains("another user's link") && victim.join("run/run.json").exists(), "{kept:?}");
    }
}

/// Anyone who prepared a directory of results could choose files that were overwritten.
#[test]
fn logs_and_results_are_not_written_through_links() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml"]).expect(0);
    let (run, results) = (place.only_run(), place.only_run().join("results.jsonl"));
    let lines = std::fs::read_to_string(&results).expect("results");
    let half: String = lines.split_inclusive('\n').take(lines.lines().count() / 2).collect();
    let elsewhere = place.path().join("elsewhere");
    let logs: Vec<_> = std::fs::read_dir(run.join("logs")).expect("logs").flatten().map(|log| log.path()).collect();
    let log = logs.iter().find(|log| log.to_string_lossy().ends_with("-2.log")).expect("of the second round");
    std::fs::write(&results, &half).expect("written");
    std::fs::remove_file(log).expect("removed");
    symlink(&elsewhere, log).expect("a link");
    let refused = place.run(&["run", "--resume", "--full"]).expect(1);
    assert!(unwrapped(&refused.stdout).contains("is a link, which bakeoff does not write through"), "{refused:?}");
    std::fs::create_dir(&elsewhere).expect("made");
    std::fs::remove_dir_all(run.join("logs")).expect("removed");
    symlink(&elsewhere, run.join("logs")).expect("a link");
    let refused = place.run(&["run", "--resume", "--full"]).expect(1);
    assert!(unwrapped(&refused.stdout).contains("is a link, which bakeoff does not write through"), "{refused:?}");
    assert_eq!(std::fs::read_dir(&elsewhere).expect("there").count(), 0);
    std::fs::remove_file(run.join("logs")).expect("removed");
    std::fs::remove_file(&results).expect("removed");
    symlink(elsewhere.join("results.jsonl"), &results).expect("a link");
    for verb in [&["run", "--resume"][..], &["report"]] {
        let refused = place.run(verb).expect(2);
        assert!(refused.stderr.contains("is a link to nothing, and must be a file"), "{}", refused.stderr);
    }
    assert_eq!(std::fs::read_dir(&elsewhere).expect("there").count(), 0);
    // A link that leads to a file is the file: results may be kept elsewhere.
    std::fs::write(elsewhere.join("results.jsonl"), &half).expect("written");
    place.run(&["run", "--resume"]).expect(0);
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

/// Drivers failed to start, died of a signal, or of their stack.
#[test]
fn a_driver_under_limits_of_the_shell_runs_or_says_which() {
    let place = Place::new();
    let suite = tiny_suite(r#""lmdb", "sqlite""#, "");
    place.write("tiny.toml", &suite);
    for (limit, out) in [("-d 8000000", "data"), ("-s 64", "stack")] {
        let (_, finished) = limited(&place, limit, &["run", "tiny.toml", "--rounds", "1", "--out", out]);
        finished.expect(0);
    }
    place.write("large.toml", &suite.replace("records = [200]", "records = [20_000]"));
    let (_, finished) = limited(&place, "-f 1500", &["run", "large.toml", "--rounds", "1", "--out", "file", "--full"]);
    let said = unwrapped(&finished.expect(1).stdout);
    let told = "files may not be longer: `ulimit -f` allows 1500 KiB in a file. Raise that with `ulimit -f unlimited`";
    assert!(said.contains(told) && !said.contains("signal"), "{said}");
}

/// The names in a directory.
fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Panics, aborts, and "no driver works: build with ./bakeoff".
#[test]
fn a_limit_with_which_nothing_can_be_done_is_named_and_nothing_is_left() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    let verbs: [&[&str]; 8] = [
        &["--help"],
        &["stores"],
        &["stores", "lmdb"],
        &["suites"],
        &["doctor"],
        &["report", "published:hines-2023", "--csv", "new.csv"],
        &["run", "tiny.toml", "--plan"],
        &["run", "tiny.toml"],
    ];
    for (limit, told) in [
        ("-d 1000", "`ulimit -d` allows 1000 KiB of data. Raise that with `ulimit -d unlimited`"),
        ("-v 200000", "`ulimit -v` allows 200000 KiB of addresses. Raise that with `ulimit -v unlimited`"),
        (
            "-n 8",
            "too few files may be open at the same time: `ulimit -n` allows 8 open files. Raise that with `ulimit -n 1024`",
        ),
    ] {
        for verb in verbs {
            let (signal, finished) = limited(&place, limit, verb);
            assert_eq!(signal, None, "{limit} {verb:?}: {finished:?}");
            finished.expect(2).says(&[told]);
            assert_eq!(names_in(place.path()), ["tiny.toml"], "{limit} {verb:?}");
        }
    }
}

/// A driver that could not be started was left out, and its stores were unknown.
#[test]
fn a_driver_that_a_limit_keeps_from_starting_is_not_absent() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    // All but a few of the files that may be open are, before it begins.
    let script = "ulimit -n 64; for n in $(seq 3 60); do eval \"exec $n</dev/null\"; done; exec \"$0\" \"$@\"";
    let verbs: [&[&str]; 4] =
        [&["stores"], &["stores", "lmdb"], &["run", "tiny.toml", "--plan"], &["run", "tiny.toml"]];
    for verb in verbs {
        let mut command = Command::new("bash");
        command.args(["-c", script]).arg(program()).args(verb).current_dir(place.path());
        let finished = Finished::of(command.output().expect("bash starts")).expect(2);
        let told = "cannot start the driver ";
        finished.says(&[told, ": too few files may be open", "`ulimit -n 1024`"]);
        assert_eq!(names_in(place.path()), ["tiny.toml"], "{verb:?}");
    }
}

/// The program as a user who may have one process and no other thread, in a directory of this user's own.
fn without_threads(place: &Place, arguments: &[&str]) -> Finished {
    const NOBODY: u32 = 65_534;
    let script = "ulimit -u 1 && exec \"$0\" \"$@\"";
    let program = place.path().join("bin/bakeoff");
    let mut command = match rustix::process::geteuid().is_root() {
        true => {
            std::os::unix::fs::chown(place.path(), Some(NOBODY), Some(NOBODY)).expect("a directory of nobody's");
            let mut command = Command::new("setpriv");
            command.args([&format!("--reuid={NOBODY}"), "--clear-groups", "--no-new-privs", "bash"]);
            command
        }
        false => Command::new("bash"),
    };
    command.args(["-c", script]).arg(program).args(arguments).current_dir(place.path());
    Finished::of(command.output().expect("it starts"))
}

#[test]
fn a_thread_that_is_refused_is_an_error_or_done_without() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("bin")).expect("a directory");
    for program in [program(), common::driver()] {
        let copy = place.path().join("bin").join(program.file_name().expect("a name"));
        std::fs::copy(&program, copy).expect("copied");
    }
    place.write("tiny.toml", &tiny_suite(r#""lmdb", "sqlite""#, ""));
    place.write("app.csv", "op,key,value_size\nset,a,1\nget,a,1\n");
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let run = place.only_run();
    let run = run.to_str().expect("a path");
    let before = names_in(place.path());
    let verbs: [&[&str]; 5] = [
        &["stores"],
        &["run", "tiny.toml", "--plan"],
        &["run", "tiny.toml"],
        &["tape", "import", "app.csv"],
        &["tape", "cut", "app.csv", "--first", "1", "--out", "cut.tape"],
    ];
    for verb in verbs {
        let finished = without_threads(&place, verb).expect(2);
        finished.says(&["no further thread or process can be started: `ulimit -u` allows 1 ", "`ulimit -u 4096`"]);
        assert_eq!((names_in(place.path()), place.runs().len()), (before.clone(), 1), "{verb:?}");
    }
    // What threads only make quicker is done by one.
    without_threads(&place, &["report", run, "--html", "page.html"]).expect(0).says(&[]);
}

/// Everything at a path and below it.
fn all_below(path: &Path) -> Vec<PathBuf> {
    let entries = path.read_dir().into_iter().flatten().map(|entry| entry.expect("an entry").path());
    std::iter::once(path.to_owned()).chain(entries.flat_map(|entry| all_below(&entry))).collect()
}

/// Directories were, and no file in them.
#[test]
fn all_that_is_made_of_a_trace_is_its_owners_alone() {
    let place = Place::new();
    let rows = |key: &dyn Fn(u32) -> u32| -> String {
        let row = |number| format!("{},user{:05},50\n", if number % 4 == 0 { "set" } else { "get" }, key(number));
        (0..3_000_u32).map(row).collect()
    };
    // A trace that figures represent, and a trace that is replayed.
    let both_ways = |number: u32| if number.is_multiple_of(2) { number / 2 % 150 } else { 149 - number / 2 % 150 };
    place.write("trace.csv", &format!("op,key,value_size\n{}", rows(&both_ways)));
    place.write("walk.csv", &format!("op,key,value_size\n{}", rows(&|number| number * 3 % 1_000)));
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    // Where others may look, and what is made of no trace.
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let of_nobody = place.only_run();
    let is_open = |path: &PathBuf| path.metadata().expect("there").permissions().mode() & 0o077 != 0;
    assert!(is_open(&of_nobody.join("run.json")) && is_open(&of_nobody));
    let stores = ["--stores", "lmdb,sqlite"];
    let verbs: [(&[&str], bool); 10] = [
        (&["tape", "import", "trace.csv"], false),
        (&["tape", "cut", "trace.tape", "--first", "100", "--out", "cut.tape"], false),
        (&["tape", "export", "trace.tape", "--out", "cut.csv"], false),
        (&["tape", "anonymize", "trace.tape", "--out", "cut.parquet"], false),
        (&["run", "--tape", "trace.tape", "--rounds", "2"], true),
        (&["pick", "--tape", "trace.tape", "--budget", "3s"], true),
        (&["pick", "--trace", "trace.csv", "--budget", "3s"], true),
        (&["pick", "--trace", "walk.csv", "--budget", "3s"], true),
        (
            &["map", "--trace", "trace.csv", "--x", "value-size=16B..1KiB", "--y", "threads=1..2", "--budget", "8s"],
            true,
        ),
        (&["compare", "--run", ".", "bakeoff-results", "--tape", "trace.tape", "--rounds", "1"], true),
    ];
    let mut made: BTreeSet<PathBuf> = all_below(place.path()).into_iter().collect();
    for (verb, has_stores) in verbs {
        let rest: &[&str] = if has_stores { &stores } else { &[] };
        let finished = place.run(&[verb, rest].concat());
        // Whether so short a race or comparison tells stores apart depends on what else runs here.
        assert!(matches!(finished.status, Some(0 | 1 | 3)), "{verb:?}: {finished:?}");
        let new: Vec<PathBuf> = all_below(place.path()).into_iter().filter(|path| made.insert(path.clone())).collect();
        let open: Vec<&PathBuf> = new.iter().filter(|path| is_open(path)).collect();
        assert!(open.is_empty() && !new.is_empty(), "{verb:?}: {open:?}");
        let names = new.iter().filter_map(|path| path.file_name());
        let is_there = |name: &str| names.clone().any(|found| found == name);
        // Two sides have no page.
        let page = (verb[0] != "compare").then_some("report.html");
        let mut of_run = ["run.json", "results.jsonl", "logs"].into_iter().chain(page);
        assert!(!has_stores || of_run.all(is_there), "{verb:?}: {new:?}");
    }
    // Taken up again, and exported.
    let run = place.runs().into_iter().find(|run| run.to_str().is_some_and(|run| run.ends_with("trace")));
    let run = run.expect("the run of the tape");
    let shown = run.to_str().expect("a path");
    place.run(&["run", "--resume", shown]).expect(0);
    place.run(&["report", shown, "--html", "page.html", "--csv", "figures.csv"]).expect(0);
    let written = ["page.html", "figures.csv"].map(|name| place.path().join(name));
    let open: Vec<PathBuf> = all_below(&run).into_iter().chain(written).filter(|path| is_open(path)).collect();
    assert!(open.is_empty(), "{open:?}");
}

/// It holds for all that drivers leave, and while a run goes on.
#[test]
fn stores_and_tapes_of_a_trace_are_their_owners_alone_while_they_are_there() {
    let place = Place::new();
    place.write("trace.csv", "op,key,value_size\nput,a,10\nput,b,20\nget,a,\nget,b,\n");
    place.run(&["tape", "import", "trace.csv"]).expect(0);
    let driver = common::driver();
    // It looks what there is when the store is closed.
    let script = r#"#!/bin/sh
[ "$1" = run ] || exec 'DRIVER' "$@"
request=$(cat)
directory=${request#*\"directory\":\"}
printf %s "$request" | 'DRIVER' run
find "${directory%%/store\"*}" -perm /077 >>"$0.open"
"#;
    let script = script.replace("DRIVER", driver.to_str().expect("a path"));
    std::fs::create_dir(place.path().join("drivers")).expect("a directory");
    let program = place.write("drivers/bakeoff-driver-native", &script);
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("made executable");
    let program = program.to_str().expect("a path");
    let sides = ["compare", "--run", program, program, "--tape", "trace.tape", "--stores", "lmdb,flat-folder"];
    let finished = place.run(&[&sides[..], &["--rounds", "1"]].concat());
    let open = std::fs::read_to_string(format!("{program}.open")).unwrap_or_else(|why| panic!("{why}: {finished:?}"));
    assert_eq!(open, "");
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

/// A FIFO in the place of a failed cell's log was waited for, and a link led anywhere.
#[test]
fn a_page_shows_no_log_that_is_no_file_or_lies_elsewhere() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\nfault = \"crash\"\nat = 300\n"));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(1);
    let run = place.only_run();
    let (name, cell) = (run.to_str().expect("a path").to_owned(), place.cells()[0].clone());
    let log = run.join(cell["log"].as_str().expect("a log"));
    let page = || {
        let begin = Instant::now();
        place.run(&["report", &name, "--html", "page.html"]).expect(0);
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        std::fs::read_to_string(place.path().join("page.html")).expect("a page")
    };
    std::fs::write(&log, "what it said").expect("a log");
    assert!(page().contains("what it said"));
    std::fs::remove_file(&log).expect("removed");
    Command::new("mkfifo").arg(&log).status().expect("a FIFO");
    page();
    let logs = log.parent().expect("a directory");
    let elsewhere = place.path().join("elsewhere");
    std::fs::rename(logs, &elsewhere).expect("renamed");
    let moved = elsewhere.join(log.file_name().expect("a name"));
    std::fs::remove_file(&moved).expect("removed");
    std::fs::write(&moved, "a secret").expect("a file");
    symlink(&elsewhere, logs).expect("a link");
    assert!(!page().contains("a secret"));
}
