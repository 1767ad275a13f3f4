//! Drivers that lie, flood, hang and leave things behind: each fails its own cell with its reason, and everything else goes on.

mod common;
mod lies;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Finished, Place, a_long_time, running, unwrapped};
use lies::{Lie, lies};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The most memory that bakeoff may take, regardless of what drivers print.
const MEMORY_KIB_MAX: u64 = 256 << 10;

/// What a suite of lies asks: every mode, a mix, and opening again.
const PHASES: &str = r#"
[[phases]]
name = "load"
operation = "insert"
batch = "all"
measure = "throughput"

[[phases]]
name = "get"
operation = "get"
operations = 200

[[phases]]
name = "mix"
operations = 100
reopen = true
mix = { get = 0.5, update = 0.5 }

[[phases]]
name = "scan"
operation = "scan-all"
operations = 1
measure = "throughput"
"#;

fn suite(stores: &[&str], timeout: &str) -> String {
    format!(
        "rounds = 1\n[axes]\nstores = {stores:?}\nvalue-size = \"10B..100B\"\nrecords = 200\n\n[limits]\ntimeout = \"{timeout}\"\n{PHASES}"
    )
}

/// A driver written in shell: it describes LMDB under many names, and for each does what a script says. `real` is what the true driver
/// prints for the request.
struct Liar {
    place: Place,
}

impl Liar {
    fn new(scripts: &[(&str, &str)]) -> Self {
        Self::at(Place::new(), scripts)
    }

    fn at(place: Place, scripts: &[(&str, &str)]) -> Self {
        let liar = Self { place };
        for directory in ["drivers", "drivers/scripts"] {
            std::fs::create_dir(liar.place.path().join(directory)).expect("a directory");
        }
        for (store, script) in scripts {
            liar.place.write(&format!("drivers/scripts/{store}"), script);
        }
        let names: Vec<_> = scripts.iter().map(|(store, _)| (*store).to_owned()).collect();
        liar.driver("liar", &described("liar", &names));
        liar
    }

    /// Another driver, or the same one with another description.
    fn driver(&self, name: &str, description: &Value) {
        let json = format!("drivers/{name}.json");
        self.place.write(&json, &description.to_string());
        let text = format!(
            r#"#!/bin/sh
here=$(dirname "$0")
case $1 in
describe) exec cat "$here/{name}.json" ;;
run)
  request=$(cat); store=${{request#*\"store\":\"}}; store=${{store%%\"*}}
  directory=${{request#*\"directory\":\"}}; directory=${{directory%%\"*}}
  real() {{ printf %s "$request" | sed "s/\"store\":\"$store\"/\"store\":\"lmdb\"/" | '{}' run; }}
  . "$here/scripts/$store" ;;
esac
"#,
            common::driver().display()
        );
        let path = self.place.write(&format!("drivers/bakeoff-driver-{name}"), &text);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("made executable");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let drivers = self.place.path().join("drivers");
        let mut command = self.place.command(arguments);
        command.env("PATH", format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", drivers.display()));
        command
    }

    fn ask(&self, arguments: &[&str]) -> Finished {
        Finished::of(self.command(arguments).output().expect("bakeoff starts"))
    }

    /// Runs a suite of these stores and of `lmdb`, which works. Returns how it ended, and the most memory that bakeoff took, in KiB.
    fn run(&self, stores: &[&str], timeout: &str) -> (Finished, u64) {
        self.place.write("lies.toml", &suite(&[stores, &["lmdb"]].concat(), timeout));
        let mut command = self.command(&["run", "lies.toml"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("bakeoff starts");
        let status = format!("/proc/{}/status", child.id());
        let watching = std::thread::spawn(move || {
            let mut most = 0;
            while let Some(memory) = std::fs::read_to_string(&status).ok().and_then(|status| peak_kib(&status)) {
                most = most.max(memory);
                std::thread::sleep(Duration::from_millis(5));
            }
            most
        });
        let finished = Finished::of(child.wait_with_output().expect("bakeoff ends"));
        (finished, watching.join().expect("memory was watched"))
    }

    fn cell(&self, store: &str) -> Value {
        let cells = self.place.cells();
        cells.into_iter().find(|cell| cell["store"] == store).unwrap_or_else(|| panic!("{store} has no end"))
    }

    /// Runs one script, and asserts that its cell fails so, that the other store is measured, and that memory stays within its limit.
    fn fails(script: &str, failure: &str, words: &str) -> Self {
        let liar = Self::new(&[("liar", script)]);
        let (finished, memory_kib) = liar.run(&["liar"], "5s");
        finished.expect(1).says(&[]);
        assert!(memory_kib < MEMORY_KIB_MAX, "{script}: {memory_kib} KiB");
        assert_failed(&liar.cell("liar"), failure, words, script);
        assert_eq!(liar.cell("lmdb")["status"], "ok", "{script}");
        liar
    }
}

/// The peak of memory in `/proc/PID/status`, which a process that has ended has none of.
fn peak_kib(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn assert_failed(cell: &Value, failure: &str, words: &str, what: &str) {
    let message = cell["failure_message"].as_str().unwrap_or_default();
    assert!(cell["failure"] == *failure && message.contains(words), "{what}: wanted {failure}, {words:?}: {cell}");
}

/// LMDB's description under these names.
fn described(driver: &str, names: &[String]) -> Value {
    let output = Command::new(common::driver()).arg("describe").output().expect("the driver starts");
    let mut all: Value = serde_json::from_slice(&output.stdout).expect("a description");
    let stores = all["stores"].as_array().expect("stores");
    let lmdb = stores.iter().find(|store| store["name"] == "lmdb").expect("LMDB is described").clone();
    let named = |name: &String| {
        let mut store = lmdb.clone();
        store["name"] = name.as_str().into();
        store["title"] = format!("Store {name}").into();
        store
    };
    all["stores"] = names.iter().map(named).collect();
    all["driver"] = format!("bakeoff-driver-{driver}").into();
    all
}

/// What is cold can be told on a disk alone.
#[test]
fn a_driver_that_does_not_wait_while_caches_are_dropped_fails() {
    let script = r#"request=$(printf %s "$request" | sed 's/"gate"/"gone"/'); real"#;
    let liar = Liar::at(Place::on_disk(), &[("liar", script)]);
    liar.place.write("cold.toml", &suite(&["liar", "lmdb"], "20s").replace("reopen = true", "cache = \"cold\""));
    liar.ask(&["run", "cold.toml"]).expect(1);
    assert_failed(&liar.cell("liar"), "bad-output", "the driver did not read the `gate`", script);
    assert_eq!(liar.cell("lmdb")["status"], "ok");
}

/// Lies in a run: no axis takes more than a hundred values.
const LIES_OF_RUN: usize = 90;

#[test]
fn every_lie_fails_its_own_cell_with_its_reason() {
    let lies = lies();
    assert!(lies.len() >= 150, "{} lies", lies.len());
    let wrong: Vec<_> = lies.chunks(LIES_OF_RUN).flat_map(not_found_out).collect();
    assert!(wrong.is_empty(), "{} of {} lies:\n{}", wrong.len(), lies.len(), wrong.join("\n"));
    println!("{} lies, each found out", lies.len());
}

/// Runs a store for each lie, and two that work. What cells failed otherwise than they should, a line each.
fn not_found_out(lies: &[Lie]) -> Vec<String> {
    let names: Vec<_> = (0..lies.len()).map(|number| format!("lie-{number}")).collect();
    // A true driver behind the same script, so that it is no script that fails.
    let truth = ("truth", "real");
    let scripts: Vec<_> = names.iter().zip(lies).map(|(name, lie)| (name.as_str(), lie.script.as_str())).collect();
    let liar = Liar::new(&[&scripts[..], &[truth]].concat());
    let stores: Vec<_> = names.iter().map(String::as_str).chain(["truth"]).collect();
    let (finished, memory_kib) = liar.run(&stores, "20s");
    finished.expect(1).says(&[]);
    assert!(memory_kib < MEMORY_KIB_MAX, "{memory_kib} KiB");
    let cells = liar.place.cells();
    let cell = |store: &str| cells.iter().find(|cell| cell["store"] == store).expect("each cell has an end");
    for honest in ["truth", "lmdb"] {
        assert_eq!(cell(honest)["status"], "ok", "{}", cell(honest));
    }
    // What is read of the results is what was written: no line is lost.
    let report = liar.ask(&["report", "--json", "-"]).expect(0);
    assert!(!report.stderr.contains("left out"), "{}", report.stderr);
    let is_wrong = |(name, Lie { what, failure, words, .. }): (&String, &Lie)| {
        let cell = cell(name);
        let (found, message) = (cell["failure"].as_str(), cell["failure_message"].as_str().unwrap_or_default());
        let is_found_out = found == Some(failure) && message.contains(words);
        (!is_found_out).then(|| format!("{what}: wanted {failure}, {words:?}; found {found:?}, {message:?}"))
    };
    names.iter().zip(lies).filter_map(is_wrong).collect()
}

#[test]
fn floods_cost_no_memory_and_little_disk() {
    Liar::fails("exec yes", "bad-output", "not an event");
    Liar::fails("exec cat /dev/zero", "bad-output", "a line of more than 4MiB");
    let progress = r#"{"event":"progress","phase":"load","operations":1,"operations_total":201}"#;
    Liar::fails(&format!("exec yes '{progress}'"), "bad-output", "progress before `opened`");
    Liar::fails(&format!("real | sed -u '/\"opened\"/q'; exec yes '{progress}'"), "timeout", "--timeout");
    Liar::fails("real; exec yes", "bad-output", "went on printing after `finished`");
    let message = r#"head -c 5000000 /dev/zero | tr '\0' x"#;
    let failed =
        |bytes: &str| format!(r#"printf '{{"event":"failed","kind":"panic","message":"'; {bytes}; echo '"}}'; exit 1"#);
    Liar::fails(&failed(message), "bad-output", "a line of more than 4MiB");
    let shorter = failed(&message.replace("5000000", "3000000"));
    Liar::fails(&shorter, "bad-output", "`message` has 3000000 bytes, more than 64KiB; it begins \"xxxx");
    let liar =
        Liar::fails("echo first >&2; cat /dev/zero >&2", "bad-output", "more than 16MiB to its log (standard error)");
    let log = std::fs::read(liar.place.only_run().join(liar.cell("liar")["log"].as_str().expect("a log"))).expect("it");
    assert!(log.starts_with(b"first\n") && log.len() < 3 << 20, "{} bytes", log.len());
}

#[test]
fn what_leaves_the_drivers_process_group_ends_with_it() {
    let long = a_long_time(7);
    // A child, a session of its own, and a daemon whose parent is gone.
    let scripts = [
        format!("setsid sleep {long} >/dev/null 2>&1 & real"),
        format!("(setsid sh -c 'sleep {long} & sleep {long}' >/dev/null 2>&1 &); real"),
        format!("(setsid sleep {long} &); real"),
    ];
    for script in &scripts {
        let liar = Liar::new(&[("liar", script)]);
        let begin = Instant::now();
        liar.run(&["liar"], "20s").0.expect(0);
        assert_eq!((running(&long), &liar.cell("liar")["status"]), (0, &Value::from("ok")), "{script}");
        assert!(begin.elapsed() < Duration::from_secs(15), "{script}: {:?}", begin.elapsed());
    }
    // A description leaves nothing either.
    let liar = Liar::new(&[("liar", "real")]);
    let text = format!("#!/bin/sh\nsetsid sleep {long} >/dev/null 2>&1 &\nexec cat \"$(dirname \"$0\")/liar.json\"\n");
    std::fs::write(liar.place.path().join("drivers/bakeoff-driver-liar"), text).expect("written");
    assert!(liar.ask(&["stores"]).expect(0).stdout.contains("liar"));
    assert_eq!(running(&long), 0);
}

/// It was waited for until the cell's time was over.
#[test]
fn what_keeps_a_drivers_output_open_holds_up_no_cell() {
    let long = a_long_time(8);
    let without_end = "real | sed -u '/\"event\":\"finished\"/d'";
    let scripts = [
        (format!("setsid sleep {long} & exit 0"), "exited with status 0"),
        (format!("sleep {long} & exit 7"), "exited with status 7"),
        (format!("{without_end}; setsid sleep {long} & exit 3"), "exited with status 3"),
        (format!("{without_end}; (setsid sh -c 'sleep {long} & sleep {long}' &); kill -KILL $$"), "signal 9"),
    ];
    for (script, words) in &scripts {
        let liar = Liar::new(&[("liar", script)]);
        let begin = Instant::now();
        liar.run(&["liar"], "100s").0.expect(1).says(&[]);
        assert!(begin.elapsed() < Duration::from_secs(30), "{script}: {:?}", begin.elapsed());
        let cell = liar.cell("liar");
        assert_failed(&cell, "crash", words, script);
        assert_failed(&cell, "crash", "processes that it had left behind were killed", script);
        assert_eq!((running(&long), &liar.cell("lmdb")["status"]), (0, &Value::from("ok")), "{script}");
    }
}

/// They contradict nothing but what the caller sees of the process.
#[test]
fn memory_figures_that_are_all_scaled_are_found_out() {
    let edit = |edit: &str| format!("real | perl -pe 'BEGIN {{ $| = 1 }} {edit}'");
    let lies = [
        ("smaller", r#"s/("rss_\w+":)(\d+)/$1.$2\/8/ge"#, "bytes were resident in its process"),
        ("larger", r#"s/("rss_\w+":)(\d+)/$1.$2*8/ge"#, "reported rss_baseline_bytes"),
        (
            "hidden",
            r#"s/("rss_baseline_bytes":)(\d+)/$1.$2*99/e; s/("rss_peak_above_baseline_bytes":)\d+/${1}0/"#,
            "reported rss_baseline_bytes",
        ),
        ("added", r#"s/("rss_peak_\w*bytes":)(\d+)/$1.($2+4294967296)/ge"#, "in its last phase"),
    ];
    let scripts = lies.map(|(name, change, _)| (name, edit(change)));
    let scripts: Vec<_> = scripts.iter().map(|(name, script)| (*name, script.as_str())).collect();
    let liar = Liar::new(&[&scripts[..], &[("truth", "real")]].concat());
    let stores = ["smaller", "larger", "hidden", "added", "truth", "lmdb", "sqlite", "flat-folder"];
    let suite = suite(&stores, "100s").replace("records = 200", "records = 50_000").replace("10B..100B", "1KiB");
    liar.place.write("large.toml", &suite.replace("operations = 200", "operations = 300_000"));
    liar.ask(&["run", "large.toml"]).expect(1).says(&[]);
    for (name, _, words) in lies {
        assert_failed(&liar.cell(name), "bad-output", words, name);
    }
    for honest in ["truth", "lmdb", "sqlite", "flat-folder"] {
        assert_eq!(liar.cell(honest)["status"], "ok", "{}", liar.cell(honest));
    }
}

/// An imported tape cannot be recorded anew.
#[test]
fn a_driver_that_changes_an_imported_tape_ends_the_run_with_its_own_cell_failed() {
    let script = r#"real; pool=${request#*\"pool\":\"}; echo more >>"${pool%%\"*}""#;
    let liar = Liar::new(&[("liar", script)]);
    let trace: String =
        (0..300).map(|number| format!("set,key{},100\nget,key{},100\n", number % 50, number % 50)).collect();
    liar.place.write("trace.csv", &format!("op,key,value_size\n{trace}"));
    liar.ask(&["tape", "import", "trace.csv", "--out", "imported"]).expect(0);
    liar.ask(&["run", "--tape", "imported", "--stores", "liar"]).expect(2).says(&["has changed the imported tape"]);
    assert_failed(&liar.cell("liar"), "bad-output", "was changed while the driver ran", script);
}

/// A driver that crashed left a core file, but for the verb `run`.
#[test]
fn every_verb_of_a_driver_has_its_limits_and_leaves_nothing() {
    let liar = Liar::new(&[("liar", "real")]);
    let long = a_long_time(5);
    let mut description = described("liar", &["liar".to_owned()]);
    description["platform"] = "jvm".into();
    let drivers = liar.place.path().join("drivers");
    std::fs::write(drivers.join("liar.json"), description.to_string()).expect("written");
    let program = drivers.join("bakeoff-driver-liar");
    // Its own group, and what left it.
    let text = format!(
        "#!/bin/sh\necho $1 $(ulimit -H -c) >>\"$0.limits\"\nsetsid sleep {long} >/dev/null 2>&1 &\nsleep {long} >/dev/null 2>&1 &\n\
         case $1 in\ndescribe) cat \"${{0%/*}}/liar.json\"; kill -SEGV $$ ;;\ncheck) echo '{{\"runtime\":\"Java 99\"}}' ;;\n\
         run) cat >/dev/null; kill -SEGV $$ ;;\nesac\n"
    );
    std::fs::write(&program, text).expect("written");
    liar.place.write("lies.toml", &suite(&["liar"], "20s"));
    let path = program.to_str().expect("a path");
    let verbs: [(&[&str], Option<i32>, &[&str]); 5] = [
        (&["stores", "liar"], Some(0), &["describe"]),
        (&["doctor"], Some(0), &["describe", "check"]),
        (&["run", "lies.toml"], Some(1), &["describe", "run"]),
        (
            &["check-driver", path, "liar", "--rule", "describe", "--rule", "request-store"],
            Some(1),
            &["describe", "run"],
        ),
        (&["compare", "--run", path, path, "lies.toml"], None, &["describe", "run"]),
    ];
    let limits = drivers.join("bakeoff-driver-liar.limits");
    for (verb, status, asked) in verbs {
        let _ = std::fs::remove_file(&limits);
        let finished = liar.ask(verb);
        assert!(status.is_none() || finished.status == status, "{verb:?}: {finished:?}");
        let told = std::fs::read_to_string(&limits).expect("it was asked");
        assert!(told.lines().all(|line| line.ends_with(" 0")), "{verb:?}: {told}");
        for asked in asked {
            assert!(told.contains(asked), "{verb:?}: {told}");
        }
        assert_eq!(running(&long), 0, "{verb:?}");
    }
}

#[test]
fn a_description_that_floods_is_left_out_at_once() {
    let liar = Liar::new(&[("liar", "real")]);
    let program = liar.place.path().join("drivers/bakeoff-driver-liar");
    for (flood, words) in [("exec yes", "is not a description"), ("exec yes >&2", "wrote more to its log")] {
        std::fs::write(&program, format!("#!/bin/sh\n{flood}\n")).expect("written");
        let stores = unwrapped(&liar.ask(&["stores"]).expect(0).stdout);
        assert!(stores.contains("bakeoff-driver-liar is left out") && stores.contains(words), "{flood}: {stores}");
    }
}

#[test]
fn a_driver_that_hangs_costs_nothing_unless_its_stores_are_asked_for() {
    let liar = Liar::new(&[("liar", "real")]);
    let long = a_long_time(6);
    for name in ["hangs", "hangs-too"] {
        liar.driver(name, &Value::Null);
        let path = liar.place.path().join(format!("drivers/bakeoff-driver-{name}"));
        std::fs::write(path, format!("#!/bin/sh\ntouch \"$0.asked\"\nsleep {long}\n")).expect("written");
    }
    let asked = || liar.place.path().join("drivers/bakeoff-driver-hangs.asked").exists();
    liar.place.write("lies.toml", &suite(&["lmdb"], "20s"));
    for arguments in [&["run", "lies.toml"][..], &["run", "--plan", "lies.toml"], &["stores", "lmdb"]] {
        liar.ask(arguments).expect(0);
        assert!(!asked(), "{arguments:?}");
    }
    let pick = ["pick", "--records", "100", "--value-size", "10B", "--stores", "lmdb,sqlite", "--budget", "4s"];
    liar.ask(&pick).expect(0);
    assert!(!asked());
    let begin = Instant::now();
    let stores = liar.ask(&["stores"]).expect(0).stdout;
    // Both hang at the same time.
    assert!(begin.elapsed() < Duration::from_secs(18), "{:?}", begin.elapsed());
    assert!(asked() && unwrapped(&stores).contains("bakeoff-driver-hangs is left out"), "{stores}");
    assert_eq!(running(&long), 0);
}

#[test]
fn a_driver_in_the_current_directory_is_never_started() {
    let liar = Liar::new(&[("liar", "real")]);
    let evil = "#!/bin/sh\ntouch started\n";
    for name in ["bakeoff-driver-evil", "below/bakeoff-driver-evil"] {
        std::fs::create_dir_all(liar.place.path().join("below")).expect("a directory");
        let path = liar.place.write(name, evil);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("made executable");
    }
    for path in [".", "", ":/usr/bin", "/usr/bin:", "/usr/bin::/bin", "/usr/bin:.", "./below", "below"] {
        let output = liar.place.command(&["stores"]).env("PATH", path).output().expect("bakeoff starts");
        Finished::of(output).expect(0);
        assert!(!liar.place.path().join("started").exists(), "PATH={path}");
    }
}

#[test]
fn names_that_cannot_be_written_are_refused_and_doubtful_lists_are_told() {
    let liar = Liar::new(&[("liar", "real")]);
    let wrong = ["", "Upper", "a,b", "a\nb", "-a", "all", "built", "none", "native", "jvm", "../x", "ä"];
    for (number, name) in wrong.iter().enumerate() {
        liar.driver(&format!("wrong-{number}"), &described("wrong", &[(*name).to_owned()]));
    }
    liar.driver("long", &described("long", &["x".repeat(5_000)]));
    let long = "x".repeat(300);
    let titles = [("blank", " \u{200b}"), ("lines", "a\nb"), ("title", long.as_str())];
    for (name, title) in titles {
        let mut description = described(name, &[name.to_owned()]);
        description["stores"][0]["title"] = title.into();
        liar.driver(name, &description);
    }
    liar.driver("empty", &described("empty", &[]));
    liar.driver("double", &described("double", &["twice".to_owned(), "twice".to_owned()]));
    liar.driver("shadow", &described("shadow", &["lmdb".to_owned(), "shown".to_owned()]));
    let doctor = unwrapped(&liar.ask(&["doctor"]).expect(0).stdout);
    for (number, name) in wrong.iter().enumerate().filter(|(_, name)| !name.contains('\n')) {
        let told = format!("bakeoff-driver-wrong-{number} LEFT OUT: its store `{name}` is ");
        assert!(doctor.contains(&told), "{told}: {doctor}");
    }
    for told in [
        "bakeoff-driver-long LEFT OUT: its store `xxxx",
        "bakeoff-driver-blank LEFT OUT: the title of its store `blank` is blank: use one line",
        "bakeoff-driver-lines LEFT OUT: the title of its store `lines` has a line end",
        "bakeoff-driver-title LEFT OUT: the title of its store `title` has 300 characters",
        "bakeoff-driver-empty describes no stores",
        "bakeoff-driver-double describes `twice` twice",
        "bakeoff-driver-shadow is never measured",
    ] {
        assert!(doctor.contains(told), "{told}: {doctor}");
    }
    let stores = liar.ask(&["stores"]).expect(0).stdout;
    for there in ["liar", "twice", "shown"] {
        assert!(stores.lines().any(|line| line.starts_with(there)), "{there}: {stores}");
    }
}

/// A store that cannot be ranked was missing from the answer.
#[test]
fn a_pick_says_what_became_of_a_store_whose_driver_lies() {
    let lie = &lies()[0];
    let liar = Liar::new(&[("liar", &lie.script)]);
    let pick =
        ["pick", "--records", "100", "--value-size", "10B", "--stores", "lmdb,sqlite,liar", "--budget", "6s", "--full"];
    let finished = liar.ask(&pick);
    let told = unwrapped(&finished.stdout);
    assert!(told.contains("liar") && told.contains(&lie.words), "{lie:?}: {told}\n{}", finished.stderr);
}

#[test]
fn titles_that_are_equal_for_people_name_both_stores() {
    let liar = Liar::new(&[("one", "real"), ("other", "real")]);
    for titles in [["Same", "Same"], ["Same", " SAME "]] {
        let mut description = described("liar", &["one".to_owned(), "other".to_owned()]);
        for (store, title) in description["stores"].as_array_mut().expect("stores").iter_mut().zip(titles) {
            store["title"] = title.into();
        }
        liar.driver("liar", &description);
        let (finished, _) = liar.run(&["one", "other"], "20s");
        let told = finished.expect(0).stdout;
        let [one, other] = titles.map(str::trim);
        assert!(told.contains(&format!("{one} [one]")) && told.contains(&format!("{other} [other]")), "{told}");
    }
}

/// Directories that somebody removes while a run needs them cost at most the cell that used them, which is tried again.
#[test]
fn a_run_goes_on_when_its_directories_are_removed() {
    let scratch = "\"${directory%/store}\"";
    let tapes = "\"${directory%/*/*}\"/bakeoff-scratch-*.tapes";
    let failed = r#"{ echo '{"event":"failed","kind":"store-error","message":"it is gone"}'; exit 1; }"#;
    // What is removed once, what the driver does then, and whether its cell fails of that.
    for (removed, then, fails) in [
        (format!("-r {scratch}"), "real", true),
        (format!("-r {scratch}"), failed, true),
        (format!("-r {scratch}"), "mkdir -p \"$directory\"; real", false),
        (format!("-r {tapes}"), "real", true),
        (format!("{scratch}/.bakeoff"), "real", false),
    ] {
        let once = format!("if [ -e \"$here/done\" ]; then real; else touch \"$here/done\"; rm {removed}; {then}; fi");
        let liar = Liar::new(&[("once", once.as_str()), ("truth", "real")]);
        liar.place.write("lies.toml", &suite(&["once", "truth", "lmdb"], "20s"));
        let finished = liar.ask(&["run", "lies.toml", "--rounds", "2"]).expect(i32::from(fails));
        finished.says(&["note: something removed ", ", which this run needs: it is made again"]);
        let cells = liar.place.cells();
        let (of_once, others): (Vec<_>, Vec<_>) = cells.iter().partition(|cell| cell["store"] == "once");
        assert!(others.len() == 4 && others.iter().all(|cell| cell["status"] == "ok"), "{once}: {others:?}");
        if fails {
            assert_eq!(of_once.len(), 1);
            assert_failed(of_once[0], "medium", " was removed meanwhile: let nothing remove", &once);
            liar.ask(&["run", "--resume"]).expect(0);
        }
        let ok = liar.place.cells().iter().filter(|cell| cell["status"] == "ok").count();
        assert_eq!((ok, liar.place.leftovers()), (6, Vec::<std::path::PathBuf>::new()), "{once}");
    }
}

/// bakeoff looks at what a directory holds, regardless of what the driver leaves there.
#[test]
fn directories_are_left_clean_whatever_a_driver_makes_of_them() {
    let outside =
        "precious=$directory/../../../precious; mkdir -p \"$precious/below\"; echo kept >\"$precious/below/kept\"";
    let script = format!("{outside}; real; rm -rf \"$directory\"; ln -s \"$precious\" \"$directory\"");
    let liar = Liar::new(&[("liar", &script)]);
    liar.run(&["liar"], "20s").0.says(&[]);
    let kept = |path: &Path| std::fs::read_to_string(path.join("precious/below/kept"));
    let found =
        [liar.place.path().to_owned(), liar.place.path().join("bakeoff-results")].iter().any(|path| kept(path).is_ok());
    assert!(found, "what a link leads to is not ours");
    assert_eq!(liar.cell("lmdb")["status"], "ok");
    assert_failed(&liar.cell("liar"), "bad-output", "directory", &script);
    assert_eq!(liar.place.leftovers(), Vec::<std::path::PathBuf>::new());
}

/// Whether this test may mount, and change attributes of files.
fn may(words: &str) -> bool {
    Command::new("sh").args(["-c", words]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// What was mounted in a store's directory was emptied with it.
#[test]
fn what_a_driver_mounts_in_its_directory_keeps_its_files() {
    if !may("unshare -m true") {
        return common::say_skipped("mounts of drivers", "nothing may be mounted here");
    }
    let outside = "kept=$here/../kept; mkdir -p \"$kept\"; echo kept >\"$kept/file\"";
    let below = format!("{outside}; real; mkdir \"$directory/below\"; mount --bind \"$kept\" \"$directory/below\"");
    let over = format!("{outside}; real; mount --bind \"$kept\" \"$directory\"");
    let liar = Liar::new(&[("below", &below), ("over", &over)]);
    liar.place.write("lies.toml", &suite(&["below", "over", "lmdb"], "20s"));
    liar.ask(&["run", "lies.toml", "--rounds", "2"]).expect(1);
    assert_eq!(std::fs::read_to_string(liar.place.path().join("kept/file")).expect("a file"), "kept\n");
    let is_other = |cell: &Value| cell["store"] == "over" || cell["status"] == "ok";
    assert!(liar.place.cells().iter().all(is_other), "{:?}", liar.place.cells());
    assert_eq!(liar.place.leftovers(), Vec::<std::path::PathBuf>::new());
}

/// Every cell after it failed.
#[test]
fn what_a_store_makes_unremovable_fails_no_other_store() {
    let place = Place::new();
    let probe = place.write("probe", "");
    if !may(&format!("chattr +i '{0}' && chattr -i '{0}'", probe.display())) {
        return common::say_skipped("files that cannot be removed", "chattr cannot make any here");
    }
    let few = "real; touch \"$directory/kept\"; chattr +i \"$directory/kept\"";
    let many = format!("real; for n in $(seq 200); do : >\"$directory/$n\"; done; {}", &few["real; ".len()..]);
    let liar = Liar::at(place, &[("few", few), ("many", &many)]);
    liar.place.write("lies.toml", &suite(&["few", "many", "lmdb"], "20s"));
    let finished = liar.ask(&["run", "lies.toml", "--rounds", "2"]);
    let results = liar.place.path().join("bakeoff-results");
    assert!(may(&format!("find '{}' -name kept -exec chattr -i {{}} +", results.display())));
    finished.expect(0).says(&["note: cannot remove "]);
    let cells = liar.place.cells();
    assert!(cells.len() == 6 && cells.iter().all(|cell| cell["status"] == "ok"), "{cells:?}");
    liar.ask(&["clean"]).expect(0);
    assert_eq!(liar.place.leftovers(), Vec::<std::path::PathBuf>::new());
}

/// A store that no longer kept anything was not checked, and was ranked like a store that keeps data.
#[test]
fn a_run_is_not_finished_by_a_store_that_promises_something_else() {
    let once = "if [ -e \"$here/done\" ]; then real; else touch \"$here/done\"; kill -KILL $PPID; fi";
    let liar = Liar::new(&[("liar", once)]);
    liar.place.write("lies.toml", &suite(&["liar", "lmdb"], "20s"));
    assert_eq!(liar.ask(&["run", "lies.toml"]).status, None, "it was killed");
    let right = described("liar", &["liar".to_owned()]);
    let mut other = right.clone();
    other["stores"][0]["capabilities"]["keeps_data"] = false.into();
    liar.driver("liar", &other);
    liar.ask(&["run", "--resume"]).expect(2).says(&["describes itself otherwise than when the run began", "liar"]);
    liar.driver("liar", &right);
    liar.ask(&["run", "--resume"]).expect(0);
    assert!(liar.place.cells().iter().all(|cell| cell["status"] == "ok"));
}

/// Texts of a description went to the terminal as they were.
#[test]
fn no_text_of_a_description_steers_a_terminal() {
    let liar = Liar::new(&[("liar", "real")]);
    let mut description = described("liar", &["liar".to_owned()]);
    let store = &mut description["stores"][0];
    store["summary"] = "a \u{1b}[2Jb \u{202e}c".into();
    store["durability"]["power"]["how"] = "d \u{1b}]0;e\u{7}".into();
    store["settings"][0]["name"] = "f\u{1b}[31m".into();
    liar.driver("liar", &description);
    for arguments in [&["stores", "liar"][..], &["stores"], &["doctor"]] {
        let shown = liar.ask(arguments).expect(0);
        let has_steering =
            |text: &str| text.chars().any(|each| each != '\n' && each.is_control() || each == '\u{202e}');
        assert!(![&shown.stdout, &shown.stderr].into_iter().any(|text| has_steering(text)), "{shown:?}");
    }
    let shown = liar.ask(&["stores", "liar"]).stdout;
    assert!(
        [r"a \u{1b}[2Jb \u{202e}c", r"d \u{1b}]0;e\u{7}", r"f\u{1b}[31m"].iter().all(|text| shown.contains(text)),
        "{shown}"
    );
}

/// A signal ended a run at once while it timed flushes, and what it had made stayed.
#[test]
fn a_signal_leaves_nothing_as_soon_as_there_is_a_directory() {
    for signal in [Signal::TERM, Signal::HUP, Signal::QUIT, Signal::INT] {
        let place = Place::new();
        place.write("lies.toml", &suite(&["lmdb", "sqlite"], "20s"));
        let mut run = place.spawn(&["run", "lies.toml"]);
        let results = place.path().join("bakeoff-results");
        while !std::fs::read_dir(&results).is_ok_and(|mut entries| entries.next().is_some()) {
            assert!(run.try_wait().expect("a status").is_none(), "it ended before it began");
            std::thread::sleep(Duration::from_micros(200));
        }
        kill_process(Pid::from_child(&run), signal).expect("a signal");
        assert_eq!(run.wait().expect("a status").code(), Some(130), "{signal:?}");
        assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new(), "{signal:?}");
    }
}

/// A run ended when its directory was there already, and named no remedy.
#[test]
fn a_driver_whose_path_cannot_be_written_down_is_left_out() {
    let liar = Liar::new(&[("liar", "real")]);
    let place = liar.place.path().join(OsStr::from_bytes(b"d\xff"));
    std::fs::rename(liar.place.path().join("drivers"), &place).expect("renamed");
    let mut path = place.into_os_string();
    path.push(":/usr/sbin:/usr/bin:/sbin:/bin");
    let ask = |arguments: &[&str]| {
        Finished::of(liar.place.command(arguments).env("PATH", &path).output().expect("bakeoff starts"))
    };
    liar.place.write("lies.toml", &suite(&["liar"], "20s"));
    ask(&["run", "lies.toml"]).expect(2).says(&["liar"]);
    assert!(!liar.place.path().join("bakeoff-results").exists());
    let told = unwrapped(&ask(&["doctor"]).expect(0).stdout);
    assert!(told.contains("LEFT OUT: its path is not UTF-8, so run.json cannot keep it: move it"), "{told}");
}
