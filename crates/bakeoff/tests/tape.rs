//! `bakeoff tape` end to end: a trace becomes a tape as a whole or not at all.

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Finished, Place, SmallMount};
use rustix::process::{Pid, Signal, kill_process};

const TRACE: &str = "op,key,value_size,time\nget,a,100,0\nset,b,20,0.5\nget,b,20,1\ndelete,a,,2\n";

/// The names of all files in the trace's directory.
fn beside(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path()).unwrap().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_trace_is_imported_shown_and_summed_up() {
    let place = Place::new();
    place.write("app.csv", TRACE);
    let told = place.run(&["tape", "import", "app.csv"]).expect(0).stdout;
    assert!(told.contains("app.tape: 4 operations, with their times, after loading 1 record"), "{told}");
    assert_eq!(beside(&place), ["app.csv", "app.tape"]);
    let shown = place.run(&["tape", "show", "app.tape"]).expect(0).stdout;
    for words in ["phase       load", "insert \"a\" = 100 bytes", "get \"b\" → 20 bytes", "due at 500000000 ns"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    let summary = place.run(&["tape", "summary", "app.tape"]).expect(0).stdout;
    assert_eq!(place.run(&["tape", "show", "--summary", "app.tape"]).expect(0).stdout, summary);
    assert!(summary.contains("2 different") && summary.contains("arrival"), "{summary}");
    place.run(&["tape", "import", "app.csv", "--threads", "2", "--out", "two.tape"]).expect(0);
    let of_two = place.run(&["tape", "summary", "two.tape"]).expect(0).stdout;
    assert!(of_two.contains(" \\\n  --threads 2"), "{of_two}");
    assert_eq!(of_two.replace(" \\\n  --threads 2", ""), summary, "of two threads, the same but for them");
    let again = place.run(&["tape", "import", "app.csv"]).expect(2).stderr;
    assert!(again.contains("app.tape is there already") && again.contains("--out"), "{again}");
}

#[test]
fn nothing_is_left_of_an_import_that_fails() {
    let place = Place::new();
    place.write("bad.csv", "op,key,value_size\nget,a,1\nfetch,a,1\n");
    let told = place.run(&["tape", "import", "bad.csv"]).expect(2).stderr;
    assert!(told.contains("cannot import bad.csv: line 3: op is `fetch`, expected one of get"), "{told}");
    for (arguments, words) in [
        (["--value-size", "10K"], "--value-size 10K"),
        (["--data", "txt"], "did you mean `text`"),
        (["--threads", "257"], "257"),
    ] {
        let told = place.run(&["tape", "import", "bad.csv", arguments[0], arguments[1]]).expect(2).stderr;
        assert!(told.contains(words), "{words}:\n{told}");
    }
    assert_eq!(beside(&place), ["bad.csv"]);
}

#[test]
fn a_trace_comes_from_standard_input_and_says_its_form() {
    let place = Place::new();
    let trace = place.write("app.csv", TRACE);
    let through_a_pipe = |arguments: &[&str]| {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(&std::fs::read(&trace).expect("the trace")).expect("a pipe has room for a small one");
        drop(writer);
        Finished::of(place.command(arguments).stdin(reader).output().expect("bakeoff starts"))
    };
    let told = through_a_pipe(&["tape", "import", "-"]).expect(0).stdout;
    assert!(told.starts_with("trace.tape: 4 operations"), "{told}");
    let summary = place.run(&["tape", "summary", "app.csv"]).expect(0).stdout;
    assert_eq!(through_a_pipe(&["tape", "summary", "-"]).expect(0).stdout, summary);
    assert_eq!(place.run(&["tape", "summary", "app.csv", "--form", "csv"]).expect(0).stdout, summary);
    let told = through_a_pipe(&["tape", "summary", "-", "--form", "parquet"]).expect(2).stderr;
    assert!(told.contains("neither through a pipe nor compressed"), "{told}");
    for verb in [&["summary"][..], &["import"], &["show", "--summary"]] {
        let told = place.run(&[&["tape"], verb, &["app.csv", "--form", "twiter"]].concat()).expect(2).stderr;
        assert!(told.contains("--form: unknown word `twiter` (did you mean `twitter`?)"), "{told}");
        let told = place.run(&[&["tape"], verb, &["app.csv", "--form", "twitter"]].concat()).expect(2).stderr;
        assert!(told.contains("line 1: the number of columns is `4`, expected 7"), "{told}");
    }
}

#[test]
fn a_disk_without_room_is_told_before_it_is_full() {
    let place = Place::new();
    let Some(small) = SmallMount::new(&place, "import on a full disk") else { return };
    // One value asks for a pool of 4 GiB; many long keys for a long tape.
    let huge = "op,key,value_size\nset,a,1073741824\n".to_owned();
    let long: String = (0..2_000).map(|n| format!("set,k{n},1,65535\n")).collect();
    let told = [huge, format!("op,key,value_size,key_size\n{long}")].map(|text| {
        place.write("app.csv", &text);
        place.run(&["tape", "import", "app.csv", "--out", "small/app.tape"])
    });
    let left = std::fs::read_dir(small.path()).expect("the small file system").count();
    let unmounted = small.unmount();
    for finished in told {
        let told = finished.expect(2).stderr;
        assert!(told.contains("bytes of room, expected at least") && told.contains("line "), "{told}");
    }
    assert_eq!((left, unmounted), (0, true), "nothing half-done is left");
}

#[test]
fn an_import_of_few_lines_and_huge_values_ends_when_it_is_asked_to() {
    let place = Place::new();
    let rows: String = (0..2_000).map(|n| format!("set,{n},900000000\n")).collect();
    place.write("app.csv", &format!("op,key,value_size\n{rows}"));
    let import = place.spawn(&["tape", "import", "app.csv"]);
    let pool = place.path().join("app.tape.part/pool.bin.part");
    let begin = Instant::now();
    while !pool.exists() {
        assert!(begin.elapsed() < Duration::from_secs(30), "its pool is begun");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&import), Signal::TERM).unwrap();
    let asked = Instant::now();
    let output = import.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(10), "a pool of 4 GiB and the sums of 1.8 TB take longer");
    assert_eq!(beside(&place), ["app.csv"]);
}

/// Opening a FIFO waited for a program that writes, and a read for its next line; the first signal was not heard.
#[test]
fn a_trace_that_does_not_come_ends_at_the_first_signal() {
    let place = Place::new();
    let fifo = place.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let verbs: [&[&str]; 4] = [
        &["tape", "import", "fifo", "--out", "app.tape"],
        &["tape", "summary", "fifo"],
        &["tape", "import", "-", "--out", "app.tape"],
        &["pick", "--trace", "-"],
    ];
    for (verb, signal) in verbs.iter().flat_map(|verb| [(verb, Signal::TERM), (verb, Signal::INT)]) {
        let mut command = place.command(verb);
        let mut reader = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = reader.stdin.take().unwrap();
        stdin.write_all(b"op,key,value_size\nset,a,10\nset,b").unwrap();
        wait_until_it_catches_signals(reader.id());
        kill_process(Pid::from_child(&reader), signal).unwrap();
        let begin = Instant::now();
        while reader.try_wait().unwrap().is_none() {
            if begin.elapsed() > Duration::from_secs(60) {
                reader.kill().unwrap();
                panic!("{verb:?} goes on after {signal:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = reader.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{verb:?}: {output:?}");
        assert_eq!(beside(&place), ["fifo"], "{verb:?} leaves nothing");
        drop(stdin);
    }
}

/// Waits until a process has a handler for SIGTERM.
fn wait_until_it_catches_signals(process: u32) {
    let begin = Instant::now();
    let is_caught = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        Some(u64::from_str_radix(caught.trim(), 16).ok()? & (1 << (Signal::TERM.as_raw() - 1)) != 0)
    };
    while is_caught() != Some(true) {
        assert!(begin.elapsed() < Duration::from_secs(60), "it catches signals");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn names_of_files_do_not_steer_a_terminal_and_advice_can_be_pasted() {
    let place = Place::new();
    place.write("app.csv", TRACE);
    let out = "an \u{1b}[31mapp.tape";
    let told = place.run(&["tape", "import", "app.csv", "--out", out]).expect(0).stdout;
    assert!(!told.contains('\u{1b}') && told.contains("\\u{1b}[31mapp.tape: "), "{told}");
    assert!(told.contains("bakeoff run --tape TAPE") && told.contains("with that path for TAPE"), "{told}");
    let shown = place.run(&["tape", "show", out]).expect(0).stdout;
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let told = place.run(&["tape", "import", "app.csv", "--out", "my app.tape"]).expect(0).stdout;
    assert!(told.contains("bakeoff run --tape 'my app.tape'"), "{told}");
}

#[test]
fn the_like_of_a_trace_is_what_pick_takes() {
    let place = Place::new();
    let rows: String = (0..100).map(|n| format!("set,{n},{}\n", if n < 10 { 1 } else { 1 << 30 })).collect();
    place.write("app.csv", &format!("op,key,value_size\n{rows}"));
    let told = place.run(&["tape", "summary", "app.csv"]).expect(0).stdout;
    assert!(told.contains("--value-size 1B..1GiB"), "{told}");
    place.write("scans.csv", "op,key,value_size,thread\nscan,a,,x\nset,b,1,y\nset,c,1,x\n");
    let told = place.run(&["tape", "summary", "scans.csv"]).expect(0).stdout;
    assert!(told.contains("scan=1") && !told.contains("--threads"), "{told}");
    assert!(told.contains("threads      `pick` takes one: what a scan finds"), "{told}");
}

#[test]
fn a_link_that_leads_nowhere_is_not_written_over() {
    let place = Place::new();
    place.write("app.csv", TRACE);
    std::os::unix::fs::symlink("nowhere", place.path().join("app.tape")).unwrap();
    place.run(&["tape", "import", "app.csv"]).expect(2).says(&["app.tape is there already", "--out"]);
    assert_eq!(beside(&place), ["app.csv", "app.tape"]);
}

#[test]
fn what_a_killed_import_left_is_removed_by_the_next() {
    let place = Place::new();
    place.write("app.csv", TRACE);
    let part = place.path().join("app.tape.part");
    std::fs::create_dir(&part).unwrap();
    let told = place.run(&["tape", "import", "app.csv"]).expect(2).stderr;
    assert!(told.contains("app.tape.part"), "not ours: {told}");
    std::fs::write(part.join(".bakeoff"), "bakeoff scratch directory: may be removed at any time\n").unwrap();
    std::fs::write(part.join("pool.bin"), "half").unwrap();
    place.run(&["tape", "import", "app.csv"]).expect(0);
    assert_eq!(beside(&place), ["app.csv", "app.tape"]);
}

#[test]
fn a_damaged_import_is_refused() {
    let place = Place::new();
    place.write("app.csv", TRACE);
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let tape = place.path().join("app.tape/02-application.tape");
    let mut bytes = std::fs::read(&tape).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&tape, bytes).unwrap();
    let told = place.run(&["tape", "summary", "app.tape"]).expect(2).stderr;
    assert!(told.contains("app.tape is no imported tape: a file of it is missing, damaged or was changed"), "{told}");
    let told = place.run(&["tape", "show", "."]).expect(2).stderr;
    assert!(told.contains("is no imported tape"), "{told}");
}

/// A small trace: keys that were there, keys that come and go, two threads.
fn longer_trace() -> String {
    let rows = (0..400).map(|n| match n % 8 {
        0 => format!("set,new-{n},{},a\n", n % 50),
        1 => format!("get,new-{},9,a\n", n - 1),
        2 => format!("delete,new-{},,a\n", n - 2),
        3 => format!("update,old-{},30,b\n", n % 40),
        _ => format!("get,old-{},25,b\n", n % 40),
    });
    format!("op,key,value_size,thread\n{}", rows.collect::<String>())
}

#[test]
fn an_imported_tape_runs_on_every_store() {
    let place = Place::new();
    place.write("app.csv", &longer_trace());
    let told = place.run(&["tape", "import", "app.csv"]).expect(0).stdout;
    assert!(told.contains("on 2 threads as in the trace"), "{told}");
    let run = ["run", "--tape", "app.tape", "--rounds", "2", "--stores", "sqlite,lmdb,redb,nested-folder,mute"];
    let told = place.run(&run).expect(2).stderr;
    assert!(told.contains("unknown store `mute`"), "{told}");
    let run = ["run", "--tape", "app.tape", "--rounds", "2", "--stores", "sqlite,lmdb,flat-folder,nested-folder"];
    let shown = place.run(&run).expect(0).stdout;
    assert!(shown.contains("application"), "{shown}");
    let cells = place.cells();
    assert_eq!(cells.len(), 8);
    for cell in &cells {
        assert_eq!(
            (&cell["status"], &cell["key"], &cell["threads"]),
            (&"ok".into(), &"raw".into(), &2.into()),
            "{cell}"
        );
        assert_eq!(cell["records_alive"], cell["verified"]["entries"]);
    }
    let phases = place.lines().into_iter().filter(|line| line["line"] == "phase");
    let checked: Vec<_> = phases.map(|phase| phase["result"]["answers_checked"].as_u64().unwrap()).collect();
    assert!(checked.iter().filter(|count| **count == 250).count() == 8, "{checked:?}");
    // A cell of the run can be asked for by hand.
    let id = cells[0]["cell"].as_str().unwrap();
    let request = place.run(&["request", id, "--run", place.only_run().to_str().unwrap()]).expect(0).stdout;
    assert!(request.contains("app.tape/02-application.tape"), "{request}");
    let told = place.run(&["run", "--tape", "app.tape", "--records", "10"]).expect(2).stderr;
    assert!(told.contains("--records 10: `records` does not go with a tape"), "{told}");
    let told = place.run(&["run", "--tape", "app.csv"]).expect(2).stderr;
    assert!(told.contains("app.csv is no imported tape"), "{told}");
}

#[test]
fn a_pick_of_a_tape_replays_it() {
    let place = Place::new();
    place.write("app.csv", &longer_trace());
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let shown = place
        .run(&["pick", "--full", "--tape", "app.tape", "--stores", "sqlite,lmdb", "--budget", "15s"])
        .expect(0)
        .stdout;
    assert!(shown.contains("Answer") && shown.contains("Durability power"), "{shown}");
    let asked: String = shown.split("Answer").next().unwrap_or_default().to_owned();
    assert!(asked.contains("app.tape") && !asked.contains("key-size"), "the tape says what keys there are: {asked}");
    assert!(place.cells().iter().all(|cell| cell["key"] == "raw" && cell["status"] == "ok"));
    place.write("need.toml", "records = 5");
    let told = place.run(&["pick", "--tape", "app.tape", "--need", "need.toml"]).expect(2).stderr;
    assert!(told.contains("need.toml:1: records 5: the tape says `records`"), "{told}");
    let told = place.run(&["pick", "--tape", "app.tape", "--mix", "get=1"]).expect(2).stderr;
    assert!(told.contains("--mix"), "{told}");
}

/// Few keys have most operations, and other sizes than the rest. The summary suggests options for a similar workload.
#[test]
fn a_summary_tells_records_from_operations() {
    let place = Place::new();
    let rows = |small: u32, large: u32| {
        let small = (0..19_000).map(|number| format!("get,hot{:07},10\n", number % small)).collect::<String>();
        let large = (0..large).map(|number| format!("set,cold{number:06},100000\n")).collect::<String>();
        format!("op,key,value_size\n{small}{large}")
    };
    let shown = |trace: &str| {
        place.write("app.csv", trace);
        let shown = place.run(&["tape", "summary", "app.csv"]).expect(0).stdout;
        assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
        shown
    };
    let summary = shown(&rows(20, 1_000));
    for words in [
        "of operations 5010 bytes on average",
        "of keys 98039 bytes on average",
        "about evenly in 98039B (3.9 % of the data differ)",
        "only a tape   Popular records have other sizes than the rest: 5,010 bytes on average over",
        "1.96 % of the keys have 95.0 % of the operations, each part evenly: shares of",
        "about 95.4 MiB of keys and values",
        "--value-size 98039B",
        "--access hot:0.0196/0.95",
    ] {
        assert!(summary.contains(words), "{words}:\n{summary}");
    }
    let summary = shown(&rows(1_000, 1_000));
    for words in
        ["not evenly in 10B..100000B, which has their mean:\n             50 % of the data differ", "10 % have 19.0 %"]
    {
        assert!(summary.contains(words), "{words}:\n{summary}");
    }
}

#[test]
fn a_trace_that_is_cut_off_is_refused_with_what_can_be_kept() {
    let place = Place::new();
    let rows = (0..50_000_u64).map(|n| format!("get,{:x},1\n", n.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    let whole = place.write("app.csv", &format!("op,key,value_size\n{}", rows.collect::<String>()));
    let packed = std::process::Command::new("gzip").arg("-c").arg(&whole).output().expect("gzip").stdout;
    std::fs::write(whole.with_file_name("cut.csv.gz"), &packed[..packed.len() / 2]).expect("a file");
    for verb in ["summary", "import"] {
        let told = place.run(&["tape", verb, "cut.csv.gz"]).expect(2).stderr;
        assert!(told.contains("cut.csv.gz") && told.contains("gzip stream") && told.contains(": line "), "{told}");
        assert!(told.contains("gzip -dc FILE | head -n "), "{told}");
    }
}

#[test]
fn a_summary_says_how_many_reads_find_nothing() {
    let place = Place::new();
    place.write("app.csv", "op,key,value_size\nget,a,0\nget,b,0\nput,c,100\nget,c,0\nget,a,\n");
    let summary = place.run(&["tape", "summary", "app.csv"]).expect(0).stdout;
    assert!(summary.contains("reads        75.0 % find nothing (value_size 0)"), "{summary}");
    place.write("ms.csv", "op,key,value_size,time\nget,a,1,0\nget,a,1,1000\n");
    place.run(&["tape", "summary", "ms.csv"]).expect(2).says(&["--time-unit ms"]);
    place.run(&["tape", "summary", "ms.csv", "--time-unit", "ms"]).expect(0);
    place.run(&["tape", "summary", "ms.csv", "--time-unit", "minutes"]).expect(2).says(&["--time-unit"]);
}

/// Small traces, each modelled on a trace that was read wrongly.
fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces")
}

fn case(name: &str) -> String {
    cases().join(name).to_string_lossy().into_owned()
}

/// Each row stands for as many operations as it says, and a key has one length for tapes and picks.
#[test]
fn small_traces_mean_what_they_say() {
    let place = Place::new();
    for (name, import, summary) in [
        ("counted-rows.csv", "22 operations", "operations   22: upsert 4.55 %, get 95.45 %"),
        (
            "unknown-read-sizes.csv",
            "75.0 % of its reads find nothing",
            "reads        75.0 % find nothing (value_size 0)",
        ),
        ("pandas.csv", "2 operations, with their times", "values       of operations 217 bytes on average"),
        ("hex-keys.csv", "2 operations", "keys         1 different, 8.0 bytes long on average, at most 8B"),
        ("semicolons.csv", "3 operations, with their times", "keys         2 different"),
    ] {
        let told = place.run(&["tape", "import", &case(name), "--out", name]).expect(0).stdout;
        assert!(told.contains(import), "{name}: {told}");
        let shown = place.run(&["tape", "summary", &case(name)]).expect(0).stdout;
        assert!(shown.contains(summary), "{name}: {shown}");
    }
    let shown = place.run(&["tape", "show", "hex-keys.csv"]).expect(0).stdout;
    assert!(shown.contains("\\x00\\x01\" = 100 bytes"), "the bytes of the key: {shown}");
    for (name, words) in [
        ("milliseconds.csv", &["4 operations in 1,000 seconds", "--time-unit ms"][..]),
        ("uncounted.csv", &["no column `repeats`, which could change what a row means", "--ignore repeats"]),
        (
            "mixed-zones.csv",
            &["line 3: time is `2026-11-28T04:00:01Z`", "all dates with a zone, or all dates without one"],
        ),
        ("out-of-order.csv", &["line 4: time is `2`", "sort the trace by time", "--ignore time"]),
    ] {
        for verb in [&["tape", "summary"][..], &["tape", "import"], &["pick", "--trace"]] {
            let told = common::unwrapped(&place.run(&[verb, &[&case(name)]].concat()).expect(2).stderr);
            assert!(words.iter().all(|word| told.contains(word)), "{name}: {told}");
        }
    }
    let told = place.run(&["tape", "import", &case("milliseconds.csv"), "--time-unit", "ms", "--out", "ms"]);
    assert!(told.expect(0).stdout.contains("4 operations, with their times"));
}

/// A form of log: its word, a log of it, what `tape import` prints of it, and some operations on the tape.
type LogCase = (&'static str, String, &'static [&'static str], &'static [&'static str]);

/// One log of each form, as its program prints it.
fn logs() -> Vec<LogCase> {
    vec![(
        "redis",
        "OK\n1700000000.107412 [0 127.0.0.1:60866] \"set\" \"n:1\" \"aaaa\" \"EX\" \"60\"\n\
         1700000000.107900 [0 127.0.0.1:60866] \"get\" \"n:1\"\n1700000000.200000 [0 127.0.0.1:60866] \"GET\" \"n:2\"\n"
            .to_owned(),
        &["3 operations, with their times, after loading 1 record", "1 line touches no record, or is ignored."],
        &["upsert \"n:1\" = 4 bytes", "get \"n:1\" → 4 bytes", "get \"n:2\" → 50 bytes"],
    ),
    (
        "json",
        "{\"op\":\"set\",\"key\":\"a\",\"value_size\":7}\n{\"key\":\"a\",\"op\":\"get\",\"value_size\":7,\"id\":{}}\n".to_owned(),
        &["2 operations, into an empty store"],
        &["upsert \"a\" = 7 bytes", "get \"a\" → 7 bytes"],
    ),
    (
        "memcached",
        "<28 new auto-negotiating client connection\n<28 set n:1 0 60 4\n>28 STORED\n<28 get n:1 n:2\n>28 sending key n:1\n>28 END\n".to_owned(),
        &["3 operations, into an empty store", "50.0 % of its reads find nothing", "1 line touches no record"],
        &["upsert \"n:1\" = 4 bytes", "get \"n:1\" → 4 bytes", "get \"n:2\" → nothing"],
    ),
    (
        "rocksdb",
        "0x6B31 1 0 100 1700000000000000\n0x6B31 0 0 0 1700000000000007\n0x6B32 0 0 0 1700000000500000\n".to_owned(),
        &["3 operations, with their times, after loading 1 record"],
        &["upsert \"k1\" = 100 bytes", "get \"k1\" → 100 bytes", "get \"k2\" → 50 bytes"],
    ),
    (
        "web",
        "192.0.2.1 - - [28/Nov/2026:04:00:00 +0000] \"GET /a HTTP/1.1\" 200 512 \"-\" \"-\"\n\
         192.0.2.1 - - [28/Nov/2026:04:00:01 +0000] \"GET /b HTTP/1.1\" 404 153 \"-\" \"-\"\n".to_owned(),
        &["2 operations, with their times, after loading 1 record", "50.0 % of its reads find nothing"],
        &["get \"/a\" → 512 bytes", "get \"/b\" → nothing"],
    ),
    (
        "s3",
        "79a59 shop [06/Feb/2019:00:01:57 +0000] 192.0.2.3 79a59 DD6C REST.PUT.OBJECT a%20b \"PUT /shop/a%20b HTTP/1.1\" 200 - - 4406 41 28 \"-\" \"-\" -\n\
         79a59 shop [06/Feb/2019:00:01:58 +0000] 192.0.2.3 79a59 DD6D REST.GET.OBJECT c \"GET /shop/c HTTP/1.1\" 200 - 90 90 41 28 \"-\" \"-\" -\n".to_owned(),
        &["2 operations, with their times, after loading 1 record"],
        &["upsert \"a b\" = 4406 bytes", "get \"c\" → 90 bytes"],
    ),
    (
        "strace",
        "13 1795939878.05 openat(AT_FDCWD</srv>, \"a.tmp\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</srv/a.tmp>\n\
         13 1795939878.06 write(3</srv/a.tmp>, \"\"..., 300) = 300\n13 1795939878.07 close(3</srv/a.tmp>) = 0\n\
         13 1795939878.08 rename(\"/srv/a.tmp\", \"/srv/a\") = 0\n13 1795939878.09 unlink(\"/srv/a\") = 0\n".to_owned(),
        &["2 operations, with their times, into an empty store"],
        &["upsert \"/srv/a\" = 300 bytes", "delete \"/srv/a\""],
    ),
    (
        "sql",
        std::fs::read_to_string(cases().join("sql-statements.log")).unwrap(),
        &["6 operations, after loading 1 record"],
        &["insert \"n/1\" = 4 bytes", "get \"n/2\" → 50 bytes", "update \"n/1\" = 2 bytes", "delete \"n/1\""],
    )]
}

#[test]
fn every_form_of_log_is_recognised_and_imported() {
    let help = Place::new().run(&["tape", "import", "--help"]).expect(0).stdout;
    let documentation = include_str!("../../../docs/PICK.md");
    for (form, log, told, shown) in logs() {
        let place = Place::new();
        let file = format!("{form}.log");
        place.write(&file, &log);
        let import = ["tape", "import", &*file, "--value-size", "50B", "--out", "app.tape"];
        let printed = place.run(&import).expect(0).stdout;
        for words in told {
            assert!(printed.contains(words), "{form}: {words}:\n{printed}");
        }
        let tape = place.run(&["tape", "show", "app.tape"]).expect(0).stdout;
        for words in shown {
            assert!(tape.contains(words), "{form}: {words}:\n{tape}");
        }
        let summary = place.run(&["tape", "summary", &file]).expect(0).stdout;
        assert_eq!(place.run(&["tape", "summary", &file, "--form", form]).expect(0).stdout, summary);
        assert!(help.contains(&format!("\n  {form} ")) && documentation.contains(&format!("\n| `{form}` |")), "{form}");
    }
}

#[test]
fn what_a_trace_does_not_say_is_said_by_options() {
    let place = Place::new();
    place.write(
        "app.csv",
        "op,key,value_size,batch_id,time\nget,a/1,100,7,2026-11-28 04:00:00\nget,b/2,0,7,2026-11-28 04:00:01\n",
    );
    place.run(&["tape", "import", "app.csv"]).expect(2).says(&["no column `batch_id`", "--ignore batch_id"]);
    let told = place.run(&["tape", "import", "app.csv", "--ignore", "batch_id"]).expect(0).stdout;
    assert!(told.contains("50.0 % of its reads find nothing."), "{told}");
    assert!(told.contains("Its times have no zone and count as UTC: --time-zone sets another."), "{told}");
    let summary =
        ["tape", "summary", "app.csv", "--ignore", "batch_id", "--key-prefix", "a/", "--time-zone", "Europe/Zurich"];
    let shown = place.run(&summary).expect(0).stdout;
    assert!(shown.contains("left out     1 operation on keys that begin otherwise is left out."), "{shown}");
    place
        .run(&["tape", "summary", "app.csv", "--time-zone", "Atlantis"])
        .expect(2)
        .says(&["--time-zone Atlantis: no zone"]);
    place.run(&["pick", "--ignore", "batch_id"]).expect(2).says(&["--ignore says how a trace is to be read"]);
}

#[test]
fn what_is_exported_can_be_imported_again() {
    let place = Place::new();
    place.write("app.csv", &longer_trace());
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let shown = |tape: &str| {
        let shown = place.run(&["tape", "show", tape, "--limit", "1000"]).expect(0).stdout;
        // Values lie elsewhere in the pool, and nothing else differs.
        shown.lines().filter(|line| line.contains(" \"")).map(str::to_owned).collect::<Vec<_>>()
    };
    for out in ["again.csv", "again.parquet"] {
        let told = place.run(&["tape", "export", "app.tape", "--out", out]).expect(0).stdout;
        assert!(told.starts_with(&format!("{out}: 400 operations, after ")), "{told}");
        let tape = format!("{out}.tape");
        place.run(&["tape", "import", out, "--out", &tape]).expect(0);
        let lines = |tape: &str| {
            shown(tape).iter().map(|line| line.split(" at ").next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(lines(&tape), lines("app.tape"));
    }
    let printed = place.run(&["tape", "export", "app.tape", "--out", "-"]).expect(0).stdout;
    assert_eq!(printed, std::fs::read_to_string(place.path().join("again.csv")).unwrap());
    place.run(&["tape", "export", "app.tape", "--out", "again.csv"]).expect(2).says(&["again.csv is there already"]);
    place.run(&["tape", "export", "app.tape", "--out", "again"]).expect(2).says(&["ending in .csv or .parquet"]);
    place.run(&["tape", "export", "app.tape", "--out", "-", "--value-size", "1X"]).expect(2).says(&["--value-size 1X"]);
    place.write("bad.csv", "op,key,value_size\nget,a,1\nfetch,a,1\n");
    place.run(&["tape", "export", "bad.csv", "--out", "new.csv"]).expect(2).says(&["line 3: op is `fetch`"]);
    assert!(!beside(&place).iter().any(|name| name.starts_with("new.csv")), "nothing is left");
}

#[test]
fn traces_are_cut_masked_and_merged() {
    let place = Place::new();
    place.write("app.csv", TRACE);
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    let told = place.run(&["tape", "cut", "app.csv", "--last", "2", "--out", "last.csv"]).expect(0).stdout;
    assert_eq!(told, "last.csv: 2 operations, after 2 records that were there\n");
    assert_eq!(read("last.csv"), "op,key,value_size,time\nload,a,100,\nload,b,20,\nget,b,20,1\ndelete,a,,2\n");
    place.run(&["tape", "cut", "app.csv", "--from", "500ms", "--to", "2s", "--out", "part.csv"]).expect(0);
    assert_eq!(read("part.csv"), "op,key,value_size,time\nload,a,100,\nupsert,b,20,0.5\nget,b,20,1\n");
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let told = place.run(&["tape", "cut", "app.tape", "--first", "1", "--out", "first.tape"]).expect(0).stdout;
    assert!(told.contains("first.tape: 1 operation, after loading 1 record"), "{told}");
    place.run(&["run", "--tape", "first.tape", "--rounds", "1", "--stores", "flat-folder"]).expect(0);
    for (arguments, words) in [
        (&["--first", "0"][..], "--first 0: give at least 1"),
        (&["--from", "2s", "--to", "1s"], "--from is not before --to"),
        (&["--from", "soon"], "--from soon"),
        (&["--first", "1", "--last", "1"], "cannot be used with"),
        (&["--from", "9s"], "no operation is left"),
        (&[], "--first"),
    ] {
        place.run(&[&["tape", "cut", "app.csv", "--out", "no.csv"], arguments].concat()).expect(2).says(&[words]);
    }
    assert!(!beside(&place).iter().any(|name| name.starts_with("no.csv")));

    place.write("batches.csv", "op,key,value_size\nset,a,1\nset,b,1\ncommit,,\nset,c,1\ncommit,,\n");
    let told = place.run(&["tape", "cut", "batches.csv", "--first", "2", "--out", "batch.tape"]).expect(0).stdout;
    assert!(told.contains("batch.tape: 2 operations, 1 commit, into an empty store"), "{told}");
    let told = place.run(&["tape", "export", "batch.tape", "--out", "batch.csv"]).expect(0).stdout;
    assert_eq!(told, "batch.csv: 2 operations, 1 commit, into an empty store\n");
    assert_eq!(read("batch.csv"), "op,key,value_size\nupsert,a,1\nupsert,b,1\ncommit,,\n");

    let masked = |name: &str, options: &[&str]| {
        place.run(&[&["tape", "anonymize", "app.csv", "--out", name], options].concat()).expect(0);
        read(name)
    };
    let [one, again, random] =
        [masked("1.csv", &["--salt", "s"]), masked("2.csv", &["--salt", "s"]), masked("3.csv", &[])];
    assert_eq!(one, again);
    assert!(one.lines().nth(1).unwrap().starts_with("load,") && !one.contains(",a,") && one.len() == random.len());
    let help = place.run(&["tape", "anonymize", "--help"]).expect(0).stdout;
    assert!(help.contains("Not hidden: "), "{help}");

    let told = place.run(&["tape", "merge", "app.csv", "last.csv", "--by", "turns", "--apart", "--out", "both.tape"]);
    let told = told.expect(0).stdout;
    assert!(told.contains("both.tape: 6 operations, after loading 3 records that it found, on 2 threads"), "{told}");
    place.run(&["tape", "merge", "app.csv", "last.csv", "--by", "luck", "--out", "x.csv"]).expect(2).says(&["`luck`"]);
    place.run(&["tape", "merge", "app.csv", "--out", "x.csv"]).expect(2);
}
