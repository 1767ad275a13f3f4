//! Bad input gets a clear error and a status of 2; nothing is lost, nothing of others is touched.

mod common;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{Place, tiny_suite};

#[test]
fn unknown_suites_and_stores_name_the_nearest() {
    let place = Place::new();
    place.run(&["run", "quik"]).expect(2).says(&["quik", "quick"]);
    place.run(&["run", "--stores", "sqlit"]).expect(2).says(&["sqlit", "sqlite"]);
    place.run(&["stores", "lmbd"]).expect(2).says(&["lmbd", "lmdb"]);
    place.run(&["run", "no-such-file.toml"]).expect(2).says(&["no-such-file.toml"]);
}

#[test]
fn settings_that_no_store_takes_are_refused_before_anything_is_measured() {
    let place = Place::new();
    for (stores, settings, words) in [
        ("\"all\"", "[settings.rocksbd]\ncache = 1", "did you mean `rocksdb`?"),
        ("[\"sqlite\"]", "[settings.sqlite]\npage-size = 5000", "give a power of two, such as 4KiB or 8KiB"),
        ("[\"berkeley-db\"]", "[settings.berkeley-db]\npage-size = 5000", "give a power of two, such as 4KiB or 8KiB"),
        (
            "[\"wiredtiger\"]",
            "[settings.wiredtiger]\npage-size = \"5KiB\"",
            "give a multiple of 4KiB, such as 4KiB or 8KiB",
        ),
    ] {
        let suite = tiny_suite("\"sqlite\"", settings).replace("[\"sqlite\"]", stores);
        place.write("settings.toml", &suite);
        place.run(&["run", "settings.toml", "--plan"]).expect(2).says(&["settings.toml:", words]);
    }
    assert!(place.runs().is_empty());
}

#[test]
fn a_malformed_suite_is_refused_with_its_line() {
    let place = Place::new();
    place.write("bad.toml", &tiny_suite(r#""sqlite""#, "").replace("value-size", "value-sise"));
    place.run(&["run", "bad.toml"]).expect(2).says(&["bad.toml:8", "value-sise", "value-size"]);
    for (title, wrong) in [("", "is blank"), (" \u{200b}", "is blank"), (&*"x".repeat(300), "has 300 characters")] {
        let named = tiny_suite(r#""sqlite""#, "").replace("title = \"Tiny\"", &format!("title = \"{title}\""));
        place.write("title.toml", &named);
        let wrong = format!("title.toml:2:9: `title` {wrong}");
        place
            .run(&["run", "title.toml", "--plan"])
            .expect(2)
            .says(&[&wrong, "help: use one line with a letter or digit"]);
    }
    place.write("worse.toml", "title = [[[");
    place.run(&["run", "worse.toml"]).expect(2).says(&["worse.toml:1"]);
    std::fs::write(place.path().join("bytes.toml"), [0xff, 0xfe, 0x00]).expect("a file");
    place.run(&["run", "bytes.toml"]).expect(2).says(&["bytes.toml"]);
    std::fs::create_dir(place.path().join("dir.toml")).expect("a directory");
    place.run(&["run", "dir.toml"]).expect(2).says(&["dir.toml"]);
}

#[test]
fn nothing_is_begun_where_nothing_can_be_written() {
    let place = Place::new();
    // Nobody, root neither, can make a file there.
    place.run(&["run", "--stores", "sqlite", "--dir", "/sys"]).expect(2).says(&["cannot write in", "--dir"]);
    assert_eq!(place.runs(), Vec::<PathBuf>::new());
}

#[test]
fn output_that_nobody_takes_is_an_error_and_no_panic() {
    let place = Place::new();
    for verb in [["stores", "sqlite"], ["suites", "quick"], ["doctor", "--dir=."], ["run", "--plan"], ["run", "--help"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let output = place.command(&verb).stdout(full).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{verb:?}: {said}");
        assert!(said.contains("cannot print") && !said.contains("panicked"), "{verb:?}: {said}");
    }
}

/// The runtime opens `/dev/null` in its place, and all seemed to be printed.
#[test]
fn a_closed_standard_output_is_an_error_and_dev_null_is_none() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.write("app.csv", "op,key,value_size\nset,a,1\nget,a,1\n");
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let verbs: [&[&str]; 13] = [
        &["--help"],
        &["--version"],
        &["stores"],
        &["suites"],
        &["doctor"],
        &["report"],
        &["report", "--csv", "-"],
        &["report", "--json", "-"],
        &["report", "--html", "page.html", "--csv", "-"],
        &["run", "tiny.toml", "--plan"],
        &["tape", "summary", "app.tape"],
        &["tape", "export", "app.tape", "--out", "-"],
        &["tape", "show", "app.tape"],
    ];
    let run = |redirected: &str, verb: &[&str]| {
        let mut command = Command::new("sh");
        let script = format!("exec \"$0\" \"$@\" {redirected}");
        command.args(["-c", &script]).arg(common::program()).args(verb).current_dir(place.path());
        common::Finished::of(command.output().expect("sh starts"))
    };
    for verb in verbs {
        run(">&-", verb).expect(2).says(&["standard output is closed"]);
        assert!(!place.path().join("page.html").exists(), "{verb:?}");
        // Programs that start others open it for both.
        for redirected in [">/dev/null", "1<>/dev/null", "2>&- <&-"] {
            run(redirected, verb).expect(0);
        }
        let _ = std::fs::remove_file(place.path().join("page.html"));
    }
}

/// As of `bakeoff … | head`: the reader has seen enough.
fn print_into_a_closed_pipe(place: &Place, verb: &[&str]) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = place.command(verb).stdout(writer).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*said), (Some(0), ""), "{verb:?}");
}

#[test]
fn a_pipe_that_is_closed_is_no_error() {
    let place = Place::new();
    for verb in [["stores", "sqlite"], ["suites", "quick"], ["doctor", "--dir=."], ["run", "--help"]] {
        print_into_a_closed_pipe(&place, &verb);
    }
    print_into_a_closed_pipe(&place, &["report", "published:hines-2023", "--csv", "-"]);
}

#[test]
fn an_export_that_cannot_be_written_is_told_once() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    for export in ["--json", "--csv", "--parquet", "--xlsx", "--markdown", "--html"] {
        print_into_a_closed_pipe(&place, &["report", export, "-"]);
    }
    let said = place.run(&["report", "--csv", ""]).expect(2).says(&["--csv <FILE>", "value is required"]).stderr;
    assert!(!said.contains("os error"), "{said}");
    // A name too long for the file system shows only when the finished file is given it.
    let long = format!("{}.csv", "x".repeat(300));
    let said = place.run(&["report", "--csv", &long]).expect(2).says(&["cannot write", "too long"]).stderr;
    assert_eq!(said.matches("too long").count(), 1, "{said}");
}

#[test]
fn flags_are_held_to_the_same_rules() {
    let place = Place::new();
    place.run(&["run", "--rounds", "0"]).expect(2).says(&["rounds"]);
    place.run(&["run", "--records", "many"]).expect(2).says(&["records", "many"]);
    place.run(&["run", "--value-size", "9KiB..1KiB"]).expect(2).says(&["9KiB"]);
    place.run(&["run", "--durability", "powr"]).expect(2).says(&["powr", "power"]);
    place.run(&["run", "--budget", "soon"]).expect(2).says(&["budget", "soon"]);
    place.run(&["run", "--budget", "1ms"]).expect(2).says(&["budget", "1ms", "1s"]);
    place.run(&["run", "--resume", "--plan"]).expect(2).says(&["--resume", "--plan"]);
    place.run(&["run", "quick", "--resume"]).expect(2).says(&["--resume"]);
    place.run(&["run", "--medium", "a=/tmp", "--medium", "a=/var"]).expect(2).says(&["a=/var", "given before"]);
    place.run(&["run", "--stores", "rocksdbb"]).expect(2).says(&["rocksdbb", "`rocksdb`"]);
    place.run(&["run", "--medium", "ssd"]).expect(2).says(&["NAME=DIR"]);
    place.write("disks.toml", &tiny_suite("\"null\"", "").replace("[limits]", "media = \"hdd\"\n\n[limits]"));
    place.run(&["run", "disks.toml", "--medium", "ssd=/tmp"]).expect(2).says(&["ssd", "hdd"]);
    place.run(&["report", "published:hines"]).expect(2).says(&["hines-2023"]);
    let plan = place.run(&["run", "quick", "--plan", "--budget", "2s"]).expect(0).stdout;
    assert!(plan.contains("budget: 2s: by this guess enough for "), "{plan}");
    place
        .run(&["run", "leveldb-2011", "--durability", "power"])
        .expect(2)
        .says(&["--durability power", "changes nothing"]);
    let twice = place.run(&["run", "hines-2023", "--records", "100,100", "--plan"]).expect(2).stderr;
    assert_eq!(twice.matches("same value twice").count(), 1, "{twice}");
    let nowhere = ["run", "quick", "--plan", "--dir", "/proc"];
    place.run(&nowhere).expect(2).says(&["cannot write in /proc"]);
    place.run(&["run", "kvtest", "--variants", "paper"]).expect(2).says(&["--variants paper", "no variants"]);
    place.run(&["run", "--dir", "/no/such/place"]).expect(2).says(&["/no/such/place"]);
    place.run(&["run", "--memory", "1KiB"]).expect(2).says(&["memory", "1KiB", "64KiB"]);
    place.run(&["run", "--memory-limit", "lots"]).expect(2).says(&["memory-limit", "lots"]);
    place.run(&["run", "--out", "/proc/nowhere"]).expect(2).says(&["/proc/nowhere"]);
    place.run(&["run", "--corpus", "/no/such/texts", "--plan"]).expect(2).says(&["/no/such/texts"]);
    std::fs::create_dir(place.path().join("no-texts")).expect("a directory");
    place.run(&["run", "--corpus", "no-texts"]).expect(2).says(&["no-texts", "no text files"]);
    let two = tiny_suite("\"null\"", "").replace("[limits]", "media = [\"ssd\", \"hdd\"]\n\n[limits]");
    place.write("two.toml", &two);
    let media = ["--medium", "ssd=/tmp", "--medium", "hdd=/tmp/."];
    place.run(&[&["run", "two.toml"], &media[..]].concat()).expect(2).says(&["`ssd` and `hdd`", "same directory"]);
    assert_eq!(place.runs(), Vec::<PathBuf>::new(), "nothing was begun");
}

#[test]
fn a_run_is_not_finished_with_other_texts() {
    let place = Place::new();
    let texts = place.path().join("texts");
    std::fs::create_dir(&texts).expect("a directory");
    std::fs::write(texts.join("a.txt"), "It was the best of times, it was the worst of times. ").expect("a text");
    let suite = tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 5_000_000\n").replace("random", "text");
    place.write("slow.toml", &suite);
    let mut child = place.spawn(&["run", "slow.toml", "--corpus", "texts"]);
    let pool_is_known = || {
        let file = place.runs().first().map(|run| std::fs::read_to_string(run.join("run.json")).unwrap_or_default());
        file.is_some_and(|file| file.contains("zstd_ratio"))
    };
    while !pool_is_known() && child.try_wait().expect("a status").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    std::fs::write(texts.join("b.txt"), "It was the age of wisdom, it was the age of foolishness. ").expect("a text");
    // A driver that was being started when the run was killed holds its lock for another moment.
    let resumed = (0..50).find_map(|_| {
        let resumed = place.run(&["run", "--resume"]).expect(2);
        let is_free = !resumed.stderr.contains("in use");
        std::thread::sleep(std::time::Duration::from_millis(if is_free { 0 } else { 100 }));
        is_free.then_some(resumed)
    });
    resumed.expect("the lock is free in the end").says(&["--corpus", "start a new run"]);
}

#[test]
fn only_our_own_directories_are_resumed_reported_or_removed() {
    let place = Place::new();
    let precious = place.path().join("bakeoff-results").join("thesis");
    std::fs::create_dir_all(&precious).expect("a directory");
    std::fs::write(precious.join("chapter"), "years of work").expect("a file");
    let name = precious.display().to_string();
    place.run(&["run", "--resume", &name]).expect(2).says(&["thesis", "marker"]);
    place.run(&["report", &name]).expect(2).says(&["thesis"]);
    place.run(&["run", "--resume"]).expect(2).says(&["no results"]);
    place.run(&["clean", "--results"]).expect(0);
    place.run(&["clean", "--results", &name]).expect(0);
    // A marker of the right name but with other words in it is not ours either.
    std::fs::write(precious.join(".bakeoff"), "mine").expect("a file");
    place.run(&["clean", "--results"]).expect(0);
    assert_eq!(std::fs::read_to_string(precious.join("chapter")).expect("still there"), "years of work");
}

#[test]
fn clean_removes_what_a_killed_run_left() {
    let place = Place::new();
    place.write("slow.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 5_000_000\n"));
    let mut child = place.spawn(&["run", "slow.toml"]);
    std::thread::sleep(std::time::Duration::from_millis(1200));
    // One for stores, one for tapes.
    assert!(place.leftovers().len() == 2, "{:?}", place.leftovers());
    let busy = place.run(&["clean"]).expect(1);
    assert!(busy.stdout.contains("in use") && !busy.stdout.contains("nothing to remove"), "{}", busy.stdout);
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    // The driver dies with its parent, a moment later.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let dry = place.run(&["clean", "--dry-run"]).expect(0);
    assert!(dry.stdout.contains("would remove"), "{}", dry.stdout);
    assert_eq!(place.leftovers().len(), 2);
    place.run(&["clean"]).expect(0);
    assert_eq!(place.leftovers(), Vec::<PathBuf>::new());
    assert_eq!(place.runs().len(), 1, "results are kept");
    place.run(&["clean", "--results"]).expect(0);
    assert_eq!(place.runs().len(), 0);
}

#[test]
fn the_next_run_removes_the_tapes_of_a_killed_one_and_of_no_other() {
    let place = Place::new();
    place.write("slow.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 20_000_000\n"));
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    let started = |already: &[PathBuf]| {
        let child = place.spawn(&["run", "slow.toml"]);
        let begin = std::time::Instant::now();
        while place.leftovers().len() < already.len() + 2 {
            assert!(begin.elapsed().as_secs() < 30, "it begins");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // Until its directories are marked, and locked.
        std::thread::sleep(std::time::Duration::from_millis(300));
        let own: Vec<_> = place.leftovers().into_iter().filter(|path| !already.contains(path)).collect();
        (child, own)
    };
    let (mut living, of_living) = started(&[]);
    let (mut killed, of_killed) = started(&of_living);
    killed.kill().expect("it is killed");
    killed.wait().expect("it ends");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let tapes = of_killed.iter().find(|path| path.display().to_string().ends_with(".tapes")).expect("tapes");
    place.run(&["run", "tiny.toml"]).expect(0).says(&["left behind when it was killed", &tapes.display().to_string()]);
    assert!(!tapes.exists() && of_living.iter().all(|path| path.exists()), "{:?}", place.leftovers());
    living.kill().expect("it is killed");
    living.wait().expect("it ends");
}

#[test]
fn a_run_in_progress_cannot_be_resumed_beside_itself() {
    let place = Place::new();
    place.write("slow.toml", &tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 5_000_000\n"));
    let mut child = place.spawn(&["run", "slow.toml"]);
    std::thread::sleep(std::time::Duration::from_millis(1000));
    place.run(&["run", "--resume"]).expect(2).says(&["in use"]);
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

#[test]
fn arguments_and_paths_that_are_not_utf_8_are_errors_and_no_panics() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    let odd = OsStr::from_bytes(b"o\xff");
    let odd_directory = place.path().join(odd);
    std::fs::create_dir(&odd_directory).expect("a directory");
    let refused = |command: &mut std::process::Command, words: &[&str]| {
        common::Finished::of(command.output().expect("it starts")).expect(2).says(words);
    };
    for flag in ["--out", "--dir"] {
        refused(place.command(&["run", "tiny.toml", flag]).arg(odd), &["o\u{fffd} is not UTF-8", "use a UTF-8 path"]);
    }
    refused(place.command(&["run", "../tiny.toml"]).current_dir(&odd_directory), &["is not UTF-8", "use a UTF-8 path"]);
    refused(place.command(&["pick", "--out"]).arg(odd), &["is not UTF-8"]);
    for verb in ["report", "run", "clean", "compare"] {
        let ended = place.command(&[verb]).arg(odd).output().expect("it starts");
        assert_ne!(ended.status.code(), Some(101), "{verb}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    refused(std::process::Command::new(common::driver()).arg(odd), &["usage:"]);
    assert_eq!(place.runs().len() + std::fs::read_dir(&odd_directory).expect("it is there").count(), 0);
}

#[test]
fn damaged_runs_are_refused_or_read_as_far_as_possible() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml"]).expect(0);
    let run = place.only_run();
    let results = run.join("results.jsonl");
    let good = std::fs::read(&results).expect("results");
    let target = results.display().to_string();
    std::os::unix::fs::symlink(&results, place.path().join("link")).expect("a link");
    for target in [target.as_str(), "link"] {
        place.run(&["report", "--csv", target]).expect(2).says(&["results.jsonl", "give another file"]);
        place.run(&["report", "published:hines-2023", "--csv", target]).expect(2).says(&["results.jsonl"]);
    }
    // Of a hard link the name is taken, not the file behind it.
    std::fs::hard_link(&results, place.path().join("hard")).expect("a link");
    place.run(&["report", "--csv", "hard"]).expect(0);
    place.run(&["report", "--csv", "x.out", "--json", "./x.out"]).expect(2).says(&["two exports", "x.out"]);
    assert_eq!(std::fs::read(&results).expect("results"), good, "an export replaces no results");
    std::fs::write(&results, [&good[..], b"{\"line\":\"phase\", torn"].concat()).expect("written");
    place.run(&["report"]).expect(0);
    std::fs::write(&results, [b"rubbish\n", &good[..]].concat()).expect("written");
    place.run(&["report"]).expect(0);
    let file = std::fs::read_to_string(run.join("run.json")).expect("run.json");
    std::fs::write(run.join("run.json"), &file[..file.len() / 2]).expect("written");
    place.run(&["run", "--resume"]).expect(2).says(&["run.json"]);
    std::fs::write(run.join("run.json"), file.replacen("\"protocol\": 2", "\"protocol\": 99", 1)).expect("written");
    place.run(&["run", "--resume"]).expect(2).says(&["99"]);
    let mut older: serde_json::Value = serde_json::from_str(&file).expect("JSON");
    older.as_object_mut().expect("an object").remove("options").expect("the run's options");
    std::fs::write(run.join("run.json"), older.to_string()).expect("written");
    place.run(&["run", "--resume"]).expect(2).says(&["did not record its options", "start a new run"]);
    place.run(&["report"]).expect(0);
}

/// The longest piece of a text that is one letter again and again.
fn longest_repeat(text: &str) -> usize {
    text.as_bytes().chunk_by(|one, next| one == next && one.is_ascii_lowercase()).map(<[u8]>::len).max().unwrap_or(0)
}

/// A line of 50 MB took a minute, and the note had all of it.
#[test]
fn a_long_line_of_results_costs_little_time_and_a_note_quotes_little_of_it() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml"]).expect(0);
    let results = place.only_run().join("results.jsonl");
    let good = std::fs::read_to_string(&results).expect("results");
    let cell = place.cells().remove(0);
    let with = |key: &str, value: serde_json::Value| {
        let mut cell = cell.clone();
        let fields = cell.as_object_mut().expect("an object");
        fields.remove("xxh64");
        fields.insert(key.to_owned(), value);
        cell.to_string()
    };
    let long = |bytes: usize| "x".repeat(bytes);
    for bytes in [5_000_000, 50_000_000] {
        let lines = [
            long(bytes),
            format!("{{\"line\":\"{}\"}}", long(bytes)),
            with("round", long(bytes).into()),
            with("failure_message", long(bytes).into()),
            with(&long(bytes), u64::MAX.into()),
        ];
        for (number, line) in lines.iter().enumerate() {
            std::fs::write(&results, format!("{good}{line}\n")).expect("written");
            let begin = Instant::now();
            let shown = place.run(&["report", "--notes"]).expect(0).stdout;
            assert!(begin.elapsed() < Duration::from_secs(15), "{bytes}, {number}: {:?}", begin.elapsed());
            assert!(
                shown.contains("line(s) of results.jsonl"),
                "{bytes}, {number}: {}",
                &shown[..shown.len().min(2_000)]
            );
            assert!(longest_repeat(&shown) <= 120, "{bytes}, {number}: {shown}");
        }
    }
}

/// The length of a file that is as long as none may be, though it takes no room.
const SPARSE_BYTES: u64 = 100 << 30;

/// Makes a file that long, and gives back a way to undo it.
fn make_sparse(path: &std::path::Path) -> impl Fn() + use<> {
    let (path, content) = (path.to_owned(), std::fs::read(path).expect("a file"));
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("opened");
    file.set_len(SPARSE_BYTES).expect("sparse");
    move || std::fs::write(&path, &content).expect("written")
}

/// They were read whole: 100 GB of nothing.
#[test]
fn a_sparse_file_is_refused_before_it_is_read() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.write("app.csv", "op,key,value_size\nset,a,1\nget,a,1\n");
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let (run, tape) = (place.only_run(), place.path().join("app.tape"));
    let refused = |verb: &[&str], words: &[&str]| {
        let begin = Instant::now();
        place.run(verb).expect(2).says(words);
        assert!(begin.elapsed() < Duration::from_secs(10), "{verb:?}: {:?}", begin.elapsed());
        assert_eq!((place.runs().len(), place.leftovers()), (1, Vec::new()), "{verb:?}");
    };
    let of_tape: [&[&str]; 5] = [
        &["run", "--tape", "app.tape"],
        &["pick", "--tape", "app.tape"],
        &["tape", "summary", "app.tape"],
        &["tape", "export", "app.tape", "--out", "new.csv"],
        &["tape", "show", "app.tape"],
    ];
    for (file, words) in [
        ("pool.bin", "107374182400 bytes long, expected"),
        ("01-load.tape", "107374182400 bytes long, expected"),
        ("recording.json", "has 107374182400 bytes, and such a file has at most"),
    ] {
        if !tape.join(file).exists() {
            continue;
        }
        let undo = make_sparse(&tape.join(file));
        for verb in of_tape {
            refused(verb, &[file, words]);
        }
        undo();
    }
    for file in ["run.json", "results.jsonl"] {
        let undo = make_sparse(&run.join(file));
        for verb in [["report", "--csv=new.csv"], ["run", "--resume"]] {
            refused(&verb, &[file, "has 107374182400 bytes, and such a file has at most"]);
        }
        undo();
    }
    assert!(!place.path().join("new.csv").exists());
    place.run(&["tape", "summary", "app.tape"]).expect(0);
    place.run(&["report"]).expect(0);
}

#[test]
fn tapes_that_are_none_are_refused() {
    let place = Place::new();
    place.write("not-a-tape", "hello");
    place.run(&["tape", "show", "not-a-tape"]).expect(2).says(&["not-a-tape"]);
    place.run(&["tape", "show", "nowhere"]).expect(2).says(&["nowhere"]);
    place.run(&["tape", "show", "/dev/zero"]).expect(2).says(&["/dev/zero", "is a device, and must be a file"]);
}

/// What a driver does with a request.
fn driven(driver: PathBuf, request: &str) -> Output {
    use std::io::Write;
    let mut command = Command::new(driver);
    command.arg("run").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the driver starts");
    child.stdin.take().expect("input").write_all(request.as_bytes()).expect("taken");
    child.wait_with_output().expect("it ends")
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let run = |input: &str| {
        let output = driven(common::driver(), input);
        assert_eq!(output.status.code(), Some(1));
        let last: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one event");
        assert_eq!((last["event"].as_str(), last["kind"].as_str()), (Some("failed"), Some("bad-request")), "{last}");
        last["message"].as_str().unwrap_or_default().to_owned()
    };
    assert!(run("").contains("malformed"));
    assert!(run("{}").contains("protocol"));
    assert!(run(r#"{"protocol": 3}"#).contains("protocol 3"));
    assert!(run(r#"{"protocol": 2}"#).contains("malformed"));
    assert!(run("[".repeat(100_000).as_str()).contains("malformed"));
}

/// The request of the only cell of `tiny.toml`, recorded anew.
fn only_request(place: &Place) -> serde_json::Value {
    let plan = place.run(&["run", "tiny.toml", "--plan"]).expect(0).stdout;
    let cell = plan.split_whitespace().find(|word| word.len() == 16 && word.chars().all(|c| c.is_ascii_hexdigit()));
    let request = place.run(&["request", cell.expect("a cell"), "tiny.toml"]).expect(0).stdout;
    serde_json::from_str(&request).expect("JSON")
}

/// One driver named a remedy for a tape, neither one for the pool.
#[test]
fn a_damaged_tape_and_a_damaged_pool_have_the_same_remedy_in_every_driver() {
    let jvm = common::jvm_is_built().then(|| ("mvstore", common::driver().with_file_name("bakeoff-driver-jvm")));
    for (store, driver) in std::iter::once(("lmdb", common::driver())).chain(jvm) {
        let place = Place::new();
        place.write("tiny.toml", &tiny_suite(&format!("{store:?}"), ""));
        for (damaged, cut, words) in [
            ("/phases/0/tape", 0, "the tape is damaged: record it again"),
            ("/phases/0/tape", 1, "it was cut short or added to: record it again"),
            ("/pool", 0, "the tape or the pool is damaged: record both again"),
            ("/pool", 1, "the tape or the pool is damaged: record both again"),
        ] {
            let request = only_request(&place);
            let path = request.pointer(damaged).and_then(|path| path.as_str()).expect("a path");
            let mut bytes = std::fs::read(path).expect("it can be read");
            *bytes.last_mut().expect("a byte") ^= 1;
            bytes.truncate(bytes.len() - cut);
            std::fs::write(path, bytes).expect("it can be written");
            let told = String::from_utf8(driven(driver.clone(), &request.to_string()).stdout).expect("text");
            assert!(told.contains("\"bad-tape\"") && told.contains(words), "{store}, {damaged}: {told}");
        }
    }
}

#[test]
fn a_store_is_never_opened_in_a_directory_with_something_in_it() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    let request = only_request(&place);
    let directory = PathBuf::from(request["directory"].as_str().expect("a directory"));
    std::fs::write(directory.join("data.mdb"), "someone's data").expect("a file");
    let output = driven(common::driver(), &request.to_string());
    assert!(String::from_utf8_lossy(&output.stdout).contains("not empty"));
    assert_eq!(std::fs::read_to_string(directory.join("data.mdb")).expect("there"), "someone's data");
}

#[test]
fn the_lists_and_helps_work() {
    let place = Place::new();
    let stores = place.run(&["stores"]).expect(0).stdout;
    for store in ["sqlite", "lmdb", "flat-folder", "nested-folder"] {
        assert!(stores.contains(store), "{stores}");
        let one = place.run(&["stores", store]).expect(0).stdout;
        assert!(one.contains("power"), "{one}");
    }
    assert!(stores.lines().all(|line| line.chars().count() <= 100), "{stores}");
    let levels = stores.lines().skip_while(|line| !line.starts_with("What a power cut leaves"));
    for line in levels.skip(2).take_while(|line| !line.is_empty()) {
        let one = place.run(&["stores", line.split(' ').next().expect("a name")]).expect(0).stdout;
        assert!(!one.contains("does not say why"), "{one}");
        assert_eq!(one.contains("not offered: "), line.contains('–'), "a level without a reason: {one}");
        let long = |line: &&str| line.chars().count() > 100 && !line.contains("://");
        assert_eq!(one.lines().find(long), None, "{one}");
    }
    assert!(stores.contains("bakeoff measures keys of up to 65535B"), "{stores}");
    let keys_of = |store: &str| {
        let described = place.run(&["stores", store]).expect(0).stdout;
        described.lines().find(|line| line.starts_with("  keys ")).expect("limits of keys").to_owned()
    };
    assert!(keys_of("sqlite").contains("999999968 bytes"), "SQLite's own limit, not that of tapes");
    for (store, most) in [("redb", "3GiB"), ("leveldb", "4095MiB")] {
        assert!(stores.lines().all(|line| !line.starts_with(store)) || keys_of(store).ends_with(most), "{store}");
    }
    let hash = stores.lines().rev().find(|line| line.starts_with("kyoto-cabinet-hash") && line.contains("read"));
    assert!(hash.is_none_or(|line| line.contains("read, write")), "HashDB locks a record alone: {hash:?}");
    assert!(!stores.contains("faulty") && !stores.contains("null"), "{stores}");
    assert!(stores.lines().all(|line| line.chars().count() <= 100), "{stores}");
    assert!(place.run(&["suites"]).expect(0).stdout.contains("quick"));
    assert!(place.run(&["suites", "quick"]).expect(0).stdout.contains("[[phases]]"));
    let doctor = place.run(&["doctor"]).expect(0).stdout;
    for word in ["clock", "free", "file system", "open files", "bakeoff-driver-native", "Advice"] {
        assert!(doctor.contains(word), "{word} is not in:\n{doctor}");
    }
    for verb in ["run", "report", "stores", "suites", "doctor", "tape", "request", "clean"] {
        place.run(&[verb, "--help"]).expect(0);
    }
    assert!(place.run(&["--help"]).expect(0).stdout.contains("bakeoff run --resume"));
    place.run(&["frobnicate"]).expect(2);
}
