//! Each error describes what is wrong, where, and what to do about it.

mod common;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use common::{Finished, Place, tiny_suite};

/// Files and directories to ask wrong things of, and a run in `run`.
fn place() -> Place {
    let place = Place::new();
    let path = |name: &str| place.path().join(name);
    for directory in ["empty", "damaged", "other-version", "no-file"] {
        std::fs::create_dir(path(directory)).expect("a directory");
    }
    place.write("text.txt", "hello world\n");
    place.write("app.csv", "op,key,value_size\nset,a,1\nget,a,1\n");
    place.write("head.csv", "op,key,value_size\n");
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    symlink("circle", path("circle")).expect("a link");
    rustix::fs::mkfifoat(rustix::fs::CWD, path("fifo"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).expect("made");
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    std::fs::rename(place.only_run(), path("run")).expect("renamed");
    for (directory, content) in [("damaged", "{\"protocol\":2,\"bakeoff"), ("other-version", "{\"protocol\":99}")] {
        std::fs::write(path(directory).join(".bakeoff"), "bakeoff results\n").expect("a marker");
        std::fs::write(path(directory).join("run.json"), content).expect("a file");
    }
    std::fs::write(path("no-file").join(".bakeoff"), "bakeoff results\n").expect("a marker");
    std::fs::create_dir(path("no-file/run.json")).expect("a directory");
    place
}

/// What standard error has, with the place's own path as `HERE`.
fn said(place: &Place, finished: &Finished) -> String {
    let here = place.path().canonicalize().expect("a path");
    finished.stderr.replace(here.to_str().expect("a path"), "HERE")
}

#[test]
fn each_error_says_what_to_do() {
    const PATH: &str = "No such file or directory (os error 2). Give a path that is there, or make its directory first";
    const NO_RUN: &str = "Name a directory that `bakeoff run` made, such as bakeoff-results/<time>-<suite>, or the name that \
                          `run --name` gave it; or restore run.json from a copy";
    const FILE: &str = "and must be a file: give another path, or put a file there";
    const PART: &str = "Not a directory (os error 20). A part of the path is a file: give another path";
    const MARKER: &str = "(no marker file .bakeoff of the right kind in it): give one that `bakeoff run` made";
    let cases: &[(&[&str], &str)] = &[
        // Tapes and traces.
        (&["tape", "show", "nosuch"], &format!("cannot open the tape nosuch: {PATH}")),
        (&["tape", "show", "fifo"], &format!("cannot open the tape fifo: is a FIFO, {FILE}")),
        (&["tape", "show", "circle"], &format!("cannot open the tape circle: is a link to nothing, {FILE}")),
        (
            &["tape", "show", "empty"],
            "empty is no imported tape: empty/recording.json: No such file or directory (os error 2); `bakeoff tape import` makes one",
        ),
        (&["tape", "summary", "nosuch"], &format!("cannot take nosuch as a trace: cannot read the trace: {PATH}")),
        (
            &["tape", "summary", "head.csv"],
            "cannot take head.csv as a trace: the trace has no operation: give one with a line for each, after a head \
             that names the columns",
        ),
        (&["tape", "import", "nosuch"], &format!("cannot import nosuch: cannot read the trace: {PATH}")),
        (
            &["tape", "import", "app.csv", "--out", "nosuch/app.tape"],
            &format!("cannot make the directory nosuch/app.tape.part: {PATH}"),
        ),
        (
            &["tape", "import", "app.csv", "--out", "empty"],
            "empty is there already: give another name with --out, or remove it",
        ),
        (
            &["tape", "export", "app.csv", "--out", "nosuch/app.csv"],
            &format!("cannot make nosuch/app.csv.part: {PATH}"),
        ),
        (
            &["tape", "cut", "app.csv", "--from", "2s", "--to", "1s", "--out", "cut.csv"],
            "--from is not before --to: no operation can be between them. Give an earlier --from, or a later --to",
        ),
        (
            &["tape", "merge", "app.csv", "nosuch", "--out", "both.csv"],
            &format!("cannot read nosuch: cannot read the trace: {PATH}"),
        ),
        // Runs and reports of them.
        (&["report", "nosuch"], &format!("nosuch is not a bakeoff run: there is no run.json in it. {NO_RUN}")),
        (
            &["report", "damaged"],
            &format!(
                "damaged is not a bakeoff run: its run.json is no JSON (EOF while parsing a string at line 1 column 22). {NO_RUN}"
            ),
        ),
        (&["report", "no-file"], &format!("cannot read no-file/run.json: is a directory, {FILE}")),
        (
            &["report", "circle"],
            "cannot read circle/results.jsonl: Too many levels of symbolic links (os error 40). A link there leads to itself: \
             remove it",
        ),
        (
            &["report", "--out", "nosuch"],
            "no results in nosuch: `bakeoff run` makes some, and --out names their directory: No such file or directory (os error 2)",
        ),
        (
            &["report", "--out", "empty"],
            "no results in empty: `bakeoff run` makes some, and --out names their directory",
        ),
        (&["report", "run", "--csv", "nosuch/x.csv"], &format!("cannot write nosuch/x.csv: {PATH}")),
        (&["report", "run", "--html", "/nosuch/x.html"], &format!("cannot write /nosuch/x.html: {PATH}")),
        (&["report", "run", "--markdown", "/proc/x.md"], &format!("cannot write /proc/x.md: {PATH}")),
        (
            &["report", "run", "--json", "empty"],
            "cannot write empty: Is a directory (os error 21). Give the path of a file",
        ),
        (
            &["report", "run", "--parquet", "circle"],
            "cannot write circle: ./circle leads through too many links: give a path with fewer",
        ),
        (&["report", "run", "--xlsx", "text.txt/x.xlsx"], &format!("cannot write text.txt/x.xlsx: {PART}")),
        (
            &["report", "run", "run"],
            "2 runs were named: only --html shows several in one; for everything else name one, and `bakeoff compare` says what \
             differs between two",
        ),
        (
            &["report", "run", "--samples", "x.csv"],
            "--samples: only a map has samples of a plane: give one, or --csv for a run's rounds",
        ),
        (
            &["report", "published:nosuch"],
            "there is no publication `nosuch`: use hines-2023, hines-2023-rerun, leveldb-2011, cunningham-2024, lmdbjava-2016, \
             ozone-2020",
        ),
        (&["compare", "run", "nosuch"], &format!("nosuch is not a bakeoff run: there is no run.json in it. {NO_RUN}")),
        // Runs to be made.
        (
            &["run", "nosuch.toml"],
            "nosuch.toml: cannot be read: No such file or directory (os error 2)\n  = help: check the path and its permissions",
        ),
        (&["run", "tiny.toml", "--dir", "nosuch"], "nosuch is not a directory: make it first, or give another"),
        (
            &["run", "tiny.toml", "--out", "text.txt/out"],
            "cannot make the directory text.txt/out. Give --out another: Not a directory (os error 20)",
        ),
        (&["run", "tiny.toml", "--corpus", "nosuch"], &format!("cannot find nosuch: {PATH}")),
        (
            &["run", "tiny.toml", "--corpus", "text.txt"],
            &format!("cannot read the folder of texts HERE/text.txt: {PART}"),
        ),
        (
            &["run", "tiny.toml", "--budget", "-5m"],
            "`-5m` is neither an option nor a valid value: numbers, sizes and times must not be negative",
        ),
        (&["run", "--tape", "nosuch"], &format!("cannot find the tape nosuch: {PATH}")),
        (&["run", "--resume", "empty"], &format!("empty is not a directory of bakeoff's {MARKER}")),
        (
            &["run", "--resume", "damaged"],
            "HERE/damaged/run.json is damaged: restore it from a copy, or start a new run: EOF while parsing a string at line 1 \
             column 22",
        ),
        (
            &["run", "--resume", "other-version"],
            "HERE/other-version/run.json was written by another version of bakeoff (protocol 99, this is 2): use that version, \
             or start a new run",
        ),
        // Needs.
        (
            &["pick", "--need", "text.txt"],
            "text.txt is not a need as TOML; write it as docs/PICK.md shows: TOML parse error at line 1, column 7\n  |\n1 | hello \
             world\n  |       ^\nkey with no value, expected `=`\n",
        ),
        (&["pick", "--mix", "get=1,get=2"], "--mix: `get` is given twice: name it once"),
        (&["pick", "--trace", "nosuch"], &format!("cannot take nosuch as a trace: cannot read the trace: {PATH}")),
        (
            &["map", "--tape", "nosuch"],
            "--tape: a tape is replayed as it is, and a map varies it: give the trace with --trace",
        ),
        // The rest.
        (
            &["request", "nosuch", "tiny.toml"],
            "no cell `nosuch` in the plan: `bakeoff run --plan` lists the cells; give the same suite and options, or --run RUN",
        ),
        (
            &["check-driver", "nosuch"],
            "cannot find the driver nosuch: give the path of its executable: No such file or directory (os error 2)",
        ),
        (
            &["check-driver", "text.txt"],
            "cannot start the driver HERE/text.txt: Permission denied (os error 13). Change its permissions, or use another user \
             or path",
        ),
        (
            &["check-driver", "/bin/true"],
            "`/usr/bin/true describe` ended with status 0 and printed no description: EOF while parsing a value at line 1 \
             column 0. Give a driver, or have it print what docs/PROTOCOL.md shows",
        ),
        (
            &["clean", "nosuch"],
            "cannot look into nosuch: name a directory that was given to --out or --dir: No such file or directory (os error 2)",
        ),
        (
            &["doctor", "--dir", "nosuch"],
            "cannot find the directory nosuch: make it first, or give another with --dir: No such file or directory (os error 2)",
        ),
    ];
    let place = place();
    let mut wrong = Vec::new();
    for (arguments, expected) in cases {
        let finished = place.run(arguments);
        let (found, expected) = (said(&place, &finished), format!("bakeoff: {expected}\n"));
        if (finished.status, &found) != (Some(2), &expected) {
            wrong.push(format!("{arguments:?}\n  expected: {expected}  came:     {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// It blocked a report without an argument.
#[test]
fn the_newest_run_that_can_be_read_is_reported_and_a_damaged_one_named() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    place.run(&["run", "tiny.toml", "--rounds", "1"]).expect(0);
    let whole = place.only_run();
    let shown = place.run(&["report"]).expect(0).stdout;
    // Begun in the same second, and marked later.
    let second = whole.file_name().and_then(|name| name.to_str()?.get(..15)).expect("a name");
    let newer = whole.with_file_name(format!("{second}-newer"));
    let path = format!("bakeoff-results/{second}-newer");
    for (content, remedy) in [
        (Some("{\"protocol\":2,\"bakeoff"), "or restore run.json from a copy\n"),
        (Some("[]"), "or restore run.json from a copy\n"),
        (Some(""), "or restore run.json from a copy\n"),
        (None, "or put a file there\n"),
    ] {
        std::fs::create_dir(&newer).expect("a directory");
        std::fs::write(newer.join(".bakeoff"), "bakeoff results\n").expect("a marker");
        match content {
            Some(content) => std::fs::write(newer.join("run.json"), content).expect("written"),
            None => std::fs::create_dir(newer.join("run.json")).expect("a directory"),
        }
        let finished = place.run(&["report"]).expect(0);
        assert_eq!(finished.stdout, shown, "{content:?}");
        let warned = &finished.stderr;
        assert!(
            warned.starts_with("warning: the newest run cannot be shown: ") && warned.ends_with(remedy),
            "{warned}"
        );
        assert!(warned.contains(&path) && warned.lines().count() == 1, "{warned}");
        // What is named is never another.
        place.run(&["report", &path]).expect(2).says(&[&path]);
        std::fs::rename(&whole, place.path().join("aside")).expect("moved");
        place.run(&["report"]).expect(2).says(&["bakeoff: ", &path]);
        std::fs::rename(place.path().join("aside"), &whole).expect("moved back");
        std::fs::remove_dir_all(&newer).expect("removed");
    }
}

/// An export of a run into a device that is full had no remedy.
#[test]
fn exports_that_find_no_room_say_what_to_do() {
    let place = place();
    for export in ["--csv", "--json", "--html", "--markdown", "--parquet", "--xlsx"] {
        let finished = place.run(&["report", "run", export, "/dev/full"]).expect(2);
        let told = "bakeoff: cannot write /dev/full: No space left on device (os error 28). Make room there, or give a directory on another \
                    file system\n";
        let said = said(&place, &finished).replace("cannot write the export: ", "");
        assert_eq!(said, told, "{export}");
    }
}

/// The limit was described in two ways.
#[test]
fn files_that_may_not_be_so_long_name_the_limit_whatever_writes_them() {
    let place = place();
    for verb in [
        &["run", "tiny.toml", "--rounds", "1"][..],
        &["report", "run", "--html", "page.html"],
        &["tape", "import", "app.csv"],
    ] {
        let mut command = Command::new("bash");
        command.args(["-c", "ulimit -f 1 && exec \"$0\" \"$@\""]).arg(common::program()).args(verb);
        let finished = Finished::of(command.current_dir(place.path()).output().expect("bash starts")).expect(2);
        let told = "File too large (os error 27): files may not be longer: `ulimit -f` allows 1 KiB in a file. Raise that with `ulimit -f \
                    unlimited`\n";
        let said = said(&place, &finished);
        assert!(said.ends_with(told), "{verb:?}: {said}");
    }
}

#[test]
fn what_another_user_keeps_to_himself_says_what_to_do() {
    let place = place();
    let secret = place.path().join("secret");
    std::fs::create_dir(&secret).expect("a directory");
    std::fs::write(secret.join("run.json"), "{}").expect("a file");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).expect("closed");
    if std::fs::read_dir(&secret).is_ok() {
        common::say_skipped("directories that are closed", "root may read everything");
    } else {
        let finished = place.run(&["report", "secret"]).expect(2);
        let told = "bakeoff: cannot read secret/results.jsonl: Permission denied (os error 13). Change its permissions, or use another user \
                    or path\n";
        assert_eq!(said(&place, &finished), told);
    }
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o700)).expect("opened");
}
