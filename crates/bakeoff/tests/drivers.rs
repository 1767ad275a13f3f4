//! Drivers that are built when one of their stores is first requested: with a script in place of `./bakeoff`, and without one.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Finished, Place, tiny_suite, unwrapped};
use serde::Deserialize;

/// A table of `drivers.toml`.
#[derive(Deserialize)]
struct Recipe {
    program: String,
    stores: Vec<String>,
    wait: String,
    needs: Vec<String>,
    about: BTreeMap<String, String>,
}

fn recipes() -> BTreeMap<String, Recipe> {
    toml::from_str(include_str!("../../../drivers.toml")).expect("drivers.toml is read")
}

/// The first recipe, which stands for all.
fn recipe() -> (String, Recipe) {
    recipes().into_iter().next().expect("there is a driver to build")
}

/// A directory with its own programs. Of the drivers, only the native one is next to `bakeoff`.
struct Installation {
    place: Place,
    program: PathBuf,
}

impl Installation {
    fn new() -> Self {
        // On the disk that has the programs, for the links.
        let place = Place::on_disk();
        let programs = place.path().join("programs");
        fs::create_dir(&programs).expect("a directory for programs");
        for original in [common::program(), common::driver()] {
            let name = original.file_name().expect("programs have names");
            std::fs::hard_link(&original, programs.join(name)).expect("a link on the same disk");
        }
        let program = programs.join("bakeoff");
        Self { place, program }
    }

    /// A script called as `./bakeoff` is, which notes how it is called.
    fn script(&self, action: &str) -> PathBuf {
        let path = self.place.path().join("script");
        executable(&path, &format!("#!/bin/sh\necho \"$@\" >>calls\n{action}\n"));
        path
    }

    fn run(&self, arguments: &[&str], script: Option<&Path>) -> Finished {
        let mut command = Command::new(&self.program);
        // Without drivers from elsewhere.
        command
            .arg0("bakeoff")
            .args(arguments)
            .current_dir(self.place.path())
            .env("BAKEOFF_CALLED", "./bakeoff")
            .env("PATH", "/usr/bin:/bin")
            .env_remove("BAKEOFF_SCRIPT");
        command.envs(script.map(|script| ("BAKEOFF_SCRIPT", script)));
        Finished::of(command.output().expect("bakeoff starts"))
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.place.path().join("calls")).unwrap_or_default()
    }
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).expect("a program");
    fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("made executable");
}

/// Shell commands that put a driver next to `bakeoff`: the native one, with one store by another name.
fn putting(program: &str, store: &str) -> String {
    format!(
        "cat >programs/{program} <<'END'\n#!/bin/sh\nnative=$(dirname \"$0\")/bakeoff-driver-native\n\
         case $1 in\n\
         describe) \"$native\" describe | sed 's/\"name\": \"lmdb\"/\"name\": \"{store}\"/' ;;\n\
         run) sed 's/\"{store}\"/\"lmdb\"/' | \"$native\" run ;;\nesac\nEND\nchmod +x programs/{program}"
    )
}

#[test]
fn the_list_of_drivers_is_what_they_describe() {
    let all_are_built = std::env::var_os("BAKEOFF_DRIVERS_BUILT").is_some();
    for recipe in recipes().values() {
        let program = common::program().with_file_name(&recipe.program);
        assert!(!all_are_built || program.exists(), "{} is not built", recipe.program);
        let Ok(output) = Command::new(&program).arg("describe").output() else { continue };
        let description: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a description");
        let described = description["stores"].as_array().expect("stores").iter();
        let described = described.filter(|store| store["test_only"] != true);
        let described: BTreeSet<_> = described.map(|store| store["name"].as_str().expect("a name")).collect();
        assert_eq!(described, recipe.stores.iter().map(String::as_str).collect(), "{}", recipe.program);
    }
}

#[test]
fn without_the_script_the_command_that_builds_is_named() {
    let (here, (name, recipe)) = (Installation::new(), recipe());
    let command = format!("./bakeoff build {name}");
    here.run(&["run", "--plan", "--stores", &recipe.stores[0]], None).expect(2).says(&[&command, &recipe.wait]);
    let all = here.run(&["run", "--plan", "--stores", "all"], None).expect(0).says(&["going on without", &command]);
    assert!(all.stdout.contains("lmdb"), "{}", all.stdout);
    for store in &recipe.stores {
        let explained = here.run(&["stores", store], None).expect(0).stdout;
        let words = ["not built yet", &format!("./bakeoff build {store}"), &recipe.about[store], &recipe.needs[0]];
        let explained_in_full = unwrapped(&explained);
        assert!(words.iter().all(|word| explained_in_full.contains(word)), "{explained}");
    }
    here.run(&["stores", "sled"], None).expect(2).says(&["lost acknowledged batches", "`bakeoff stores` lists all"]);
    let stores = here.run(&["stores"], None).expect(0).stdout;
    assert!(stores.contains("Not built yet") && stores.contains(&command), "{stores}");
    let doctor = here.run(&["doctor"], None).expect(0).stdout;
    assert!(doctor.contains("not built") && doctor.contains(&recipe.needs[0]), "{doctor}");
}

#[test]
fn a_directory_that_is_not_there_is_told_before_anything_is_built() {
    let (here, (_, recipe)) = (Installation::new(), recipe());
    let script = here.script("exit 1");
    let ended = here.run(&["run", "--stores", &recipe.stores[0], "--dir", "nowhere"], Some(&script)).expect(2);
    ended.says(&["nowhere is not a directory"]);
    assert_eq!(here.calls(), "");
}

#[test]
fn a_misspelt_store_of_a_driver_that_is_not_built_is_placed_and_nothing_is_built() {
    let (here, (_, recipe)) = (Installation::new(), recipe());
    let (store, misspelt) = (&recipe.stores[0], format!("{}s", recipe.stores[0]));
    here.place.write("tiny.toml", &tiny_suite(&format!("\"{store}\", \"{misspelt}\""), ""));
    let script = here.script("exit 1");
    let ended = here.run(&["run", "tiny.toml"], Some(&script)).expect(2);
    let nearest = format!("did you mean `{store}`");
    ended.says(&["tiny.toml:7:", &format!("unknown store `{misspelt}`"), &nearest]);
    let picked = here.run(&["pick", "--records", "100", "--stores", &misspelt], Some(&script)).expect(2);
    picked.says(&["--stores", &format!("unknown store `{misspelt}`"), &nearest]);
    assert_eq!(here.calls(), "");
}

#[test]
fn a_store_that_is_asked_for_has_its_driver_built_once_announced() {
    let (here, (name, recipe)) = (Installation::new(), recipe());
    let store = &recipe.stores[0];
    here.place.write("tiny.toml", &tiny_suite(&format!("\"{store}\""), ""));
    let script = here.script(&putting(&recipe.program, store));
    let run = || here.run(&["run", "tiny.toml", "--rounds", "1"], Some(&script)).expect(0);
    run().says(&[&recipe.program, &recipe.wait, &recipe.needs[0]]);
    let cells = here.place.cells();
    assert!(cells.iter().all(|cell| cell["store"] == **store && cell["status"] == "ok"), "{cells:?}");
    // The script is asked again, as it knows whether sources have changed, but no wait is announced.
    let again = run();
    assert!(!again.stderr.contains(&recipe.wait), "{}", again.stderr);
    assert_eq!(here.calls(), format!("build {name}\nbuild {name}\n"));
}

#[test]
fn a_driver_that_is_not_asked_for_is_not_built_and_named_at_the_end() {
    let (here, (_, recipe)) = (Installation::new(), recipe());
    here.place.write("tiny.toml", &tiny_suite(r#""lmdb""#, ""));
    let script = here.script("exit 1");
    let ended = here.run(&["run", "tiny.toml", "--rounds", "1", "--full"], Some(&script)).expect(0);
    assert_eq!(here.calls(), "");
    // Long lists are broken into lines.
    let words = unwrapped(&ended.stdout);
    assert!(words.contains(&format!("Could join with --stores: {}", recipe.stores[0])), "{words}");
    assert!(words.contains("Could join with --stores: sqlite,") && words.contains("which are built."), "{words}");
    assert!(words.contains(&recipe.wait) && ended.stdout.lines().all(|line| line.chars().count() <= 100), "{words}");
}

#[test]
fn a_build_that_fails_ends_a_run_that_named_the_store_and_no_other() {
    let (here, (name, recipe)) = (Installation::new(), recipe());
    let script = here.script("echo no compiler >&2; exit 2");
    let command = format!("./bakeoff build {name}");
    let named = here.run(&["run", "--stores", &recipe.stores[0]], Some(&script)).expect(2);
    named.says(&["no compiler", "could not be built", &command]);
    let small = ["--records", "10", "--value-size", "1B..10B", "--data", "text", "--rounds", "1"];
    let all = here.run(&[&["run", "--stores", "all"], &small[..]].concat(), Some(&script)).expect(0);
    all.says(&["no compiler", "going on without", &command]);
    // Who only looks does not wait for a build.
    let plan = here.run(&["run", "--plan", "--stores", &recipe.stores[0]], Some(&script)).expect(2);
    assert!(!plan.stderr.contains("no compiler"), "{}", plan.stderr);
    plan.says(&["a plan builds nothing", &command]);
}

#[test]
fn doctor_says_whether_a_driver_finds_its_java() {
    let here = Installation::new();
    let described = Command::new(common::driver()).arg("describe").output().unwrap().stdout;
    let mut described: serde_json::Value = serde_json::from_slice(&described).unwrap();
    described["platform"] = "jvm".into();
    described["driver"] = "bakeoff-driver-odd".into();
    let driver = here.program.with_file_name("bakeoff-driver-odd");
    let json = driver.with_extension("json");
    fs::write(&json, described.to_string()).unwrap();
    let passed_over = r#"echo '{"runtime":"Java 99","java_home":"it is Java 11"}'"#;
    let answers = [
        (r#"echo '{"runtime":"Java 99"}'"#, "Java 99"),
        ("echo Java 99", "CANNOT RUN: its answer to `check` is not valid"),
        ("echo no Java here >&2; exit 1", "CANNOT RUN: no Java here"),
        (passed_over, "99"),
    ];
    for (check, words) in answers {
        executable(
            &driver,
            &format!("#!/bin/sh\ncase $1 in describe) cat {} ;; check) {check} ;; esac\n", json.display()),
        );
        let doctor = here.run(&["doctor"], None).expect(0).stdout;
        assert!(doctor.contains(words), "{doctor}");
        // Doctor reported that there was nothing to fix.
        let advice = doctor.split("\nAdvice").nth(1).unwrap_or_else(|| panic!("{doctor}"));
        let cannot = "bakeoff-driver-odd cannot run, so none of its stores can be opened: no Java here";
        assert_eq!(unwrapped(advice).contains(cannot), check.contains("exit 1"), "{doctor}");
        assert_eq!(advice.contains("- JAVA_HOME is not used: it is Java 11"), check == passed_over, "{doctor}");
    }
}

/// A driver that is there but does not answer was shown as left out, without its own message, and also as not built.
#[test]
fn a_driver_that_is_there_and_does_not_answer_is_told_once_with_its_own_words() {
    let (here, (name, recipe)) = (Installation::new(), recipe());
    executable(
        &here.program.with_file_name(&recipe.program),
        "#!/bin/sh\necho starting >&2\necho oddlib.so.7: gone >&2\nexit 127\n",
    );
    let words = "`describe` ended with status 127; its last words: oddlib.so.7: gone";
    let doctor = unwrapped(&here.run(&["doctor"], None).expect(0).stdout);
    let (drivers, advice) = doctor.split_once(" Advice ").expect("there is advice");
    let (command, stores) = (format!("./bakeoff build {name}"), recipe.stores.join(", "));
    assert!(drivers.contains(&format!("{} LEFT OUT: {words}", recipe.program)), "{doctor}");
    assert!(!drivers.contains(&format!("not built: {stores}")), "{doctor}");
    let lost = format!("{} is left out, so {stores} cannot be opened: {words}. ", recipe.program);
    assert!(advice.contains(&lost) && advice.contains(&format!("build it again: {command}")), "{doctor}");
    // So do those who ask for its stores.
    let listed = unwrapped(&here.run(&["stores"], None).expect(0).stdout);
    assert!(listed.contains(&lost) && !listed.contains(&format!("Not built yet: {stores}")), "{listed}");
    let asked: [&[&str]; 3] = [&["stores"], &["run", "--plan", "--stores"], &["run", "--stores"]];
    for arguments in asked {
        here.run(&[arguments, &[&recipe.stores[0]]].concat(), None).expect(2).says(&[words, &command]);
    }
    let builds_nothing = here.script("exit 0");
    for script in [None, Some(&builds_nothing)] {
        let all =
            here.run(&["run", "quick", "--plan", "--stores", "all"], script.map(|script| script.as_path())).stderr;
        assert_eq!(all.matches(words).count(), 1, "{all}");
    }
    let still = here.run(&["run", "--stores", &recipe.stores[0]], Some(&builds_nothing)).expect(2).says(&[words]);
    assert!(!still.stderr.contains("not built"), "{}", still.stderr);
    let fails = here.script("exit 1");
    here.place.write("tiny.toml", &tiny_suite(r#""null""#, ""));
    let all = here.run(&["run", "tiny.toml", "--rounds", "1", "--stores", "all"], Some(&fails)).stderr;
    let about = |line: &&str| line.starts_with("note: ") && line.contains(&recipe.program);
    assert_eq!(all.lines().filter(about).count(), 1, "{all}");
}

/// Nothing was measured, not even other stores, and the advice was to build the driver again.
#[test]
fn a_driver_that_is_a_script_without_its_interpreter_leaves_its_stores_out_alone() {
    let (here, (_, recipe)) = (Installation::new(), recipe());
    executable(&here.program.with_file_name(&recipe.program), "#!/usr/bin/env odd-shell\n");
    let store = &recipe.stores[0];
    let why = "it is a script for odd-shell, which is not on PATH";
    here.place.write("tiny.toml", &tiny_suite(&format!(r#""lmdb", "{store}""#), ""));
    here.run(&["run", "tiny.toml", "--rounds", "1"], None).expect(0).says(&[
        "note: ",
        why,
        &format!("{store}: its driver does not answer: {why}"),
    ]);
    let cells = here.place.cells();
    assert!(cells.iter().all(|cell| cell["store"] == "lmdb" && cell["status"] == "ok"), "{cells:?}");
    assert_eq!(cells.len(), 1);
    here.run(&["run", "tiny.toml", "--stores", store], None).expect(2).says(&[why]);
}

#[test]
fn doctor_says_what_a_build_would_install() {
    let here = Installation::new();
    let missing = here.script("[ \"$1\" = missing ] && echo libodd-dev");
    let doctor = here.run(&["doctor"], Some(&missing)).expect(0).stdout;
    assert!(doctor.contains("libodd-dev"), "{doctor}");
    let nothing = here.script("exit 0");
    let doctor = here.run(&["doctor"], Some(&nothing)).expect(0).stdout;
    assert!(doctor.contains("nothing it needs is missing"), "{doctor}");
}
