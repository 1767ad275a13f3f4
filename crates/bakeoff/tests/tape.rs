//! `bakeoff tape` end to end: a trace becomes a tape as a whole or not at all.

mod common;

use std::io::Write;
use std::time::{Duration, Instant};

use common::{Finished, Place, SmallMount};
use rustix::process::{Pid, Signal, kill_process};

const TRACE: &str = "op,key,value_size,time\nget,a,100,0\nset,b,20,0.5\nget,b,20,1\ndelete,a,,2\n";

/// What lies in a directory beside the trace.
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
    assert_eq!(of_two, format!("{} \\\n  --threads 2\n", summary.trim_end()), "of two threads, the same but for them");
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
    let shown =
        place.run(&["pick", "--tape", "app.tape", "--stores", "sqlite,lmdb", "--budget", "15s"]).expect(0).stdout;
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

/// Few keys have most operations and other sizes than the rest: what is asked for is the like of that.
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
        "Popular keys have other sizes than the rest: only `bakeoff tape import` keeps that",
        "1.96 % of the keys have 95.0 % of the operations, each part evenly: shares of",
        "about 95.4 MiB of keys and values",
        "--value-size 98039B",
        "--access hot:0.0196/0.95",
    ] {
        assert!(summary.contains(words), "{words}:\n{summary}");
    }
    let summary = shown(&rows(1_000, 1_000));
    for words in ["not evenly in 10B..100000B, which has their mean:\n             50 % of the data differ", "a tenth"]
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

/// The command of docs/PICK.md, as it stands there.
#[test]
fn statements_of_sql_are_refused_with_a_command_that_works() {
    let place = Place::new();
    let statements = "INSERT INTO notes VALUES ('n/1','aaaa')\nSELECT v FROM notes WHERE k='n/1'\nSELECT v FROM notes WHERE k='n/2'\n\
                      UPDATE notes SET v='bb' WHERE k='n/1'\nSELECT v FROM notes WHERE k='n/1'\nDELETE FROM notes WHERE k='n/1'\n";
    place.write("statements.log", statements);
    for verb in [&["tape", "summary", "statements.log"][..], &["pick", "--trace", "statements.log"]] {
        let refused = place.run(verb).expect(2).stderr;
        assert!(common::unwrapped(&refused).contains("docs/PICK.md, Statements of SQL, has a command"), "{refused}");
    }
    let documentation = include_str!("../../../docs/PICK.md");
    let section = documentation.split("### Statements of SQL").nth(1).expect("the section");
    let command = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the command");
    let made = std::process::Command::new("sh").args(["-c", command]).current_dir(place.path()).status();
    assert!(made.is_ok_and(|status| status.success()));
    let csv = std::fs::read_to_string(place.path().join("app.csv")).expect("a CSV");
    let rows = "op,key,value_size\ninsert,n/1,4\nget,n/1,\nget,n/2,\nupdate,n/1,2\nget,n/1,\ndelete,n/1,\n";
    assert_eq!(csv, rows);
    let summary = place.run(&["tape", "summary", "app.csv"]).expect(0).stdout;
    assert!(summary.contains("operations   6: ") && summary.contains("get 50.00 %"), "{summary}");
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
