//! Disks lose their power, many times: controls are caught, sound stores keep everything, and nothing is left of a run that is killed.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bakeoff_protocol::{Durability, StoreDescription};
use bakeoff_results::contender::Contenders;
use bakeoff_results::power_cuts::{CutRow, cut_rows};
use bakeoff_results::run::Run;
use common::{Place, doctor_says_possible, driver, scale, unwrapped};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;

const WHAT: &str = "power cuts";

const MEDIUM: &str = "disk=new:ext4";

/// Kills of a run at random moments, in `test long` and otherwise.
const KILLS_LONG: u32 = 50;
const KILLS: u32 = 10;

fn suite(stores: &str, (rounds, cuts): (u32, u32), rest: &str) -> String {
    format!(
        r#"
rounds = {rounds}
ending = "cut"
cuts = {cuts}

[axes]
stores = {stores}
value-size = "100B..2KiB"
records = 60

[[phases]]
name = "load"
operation = "insert"

[[phases]]
name = "change"
mix = {{ update = 60, insert = 20, delete = 20 }}
operations = 60
access = "uniform"
{rest}
"#
    )
}

/// A place where disks can be cut; `None`, and that is said, where they cannot.
fn place() -> Option<Place> {
    let place = Place::new();
    doctor_says_possible(&place, "power cuts", WHAT).then_some(place)
}

/// How often a cell found these verdicts, or others if `found` is false, in these places.
fn verdicts(cell: &Value, places: &[&str], verdicts: &[&str], found: bool) -> u64 {
    let counts = cell["power_cuts"]["counts"].as_array().expect("counts");
    let has = |list: &[&str], value: &Value| list.contains(&value.as_str().expect("a word"));
    let counted =
        counts.iter().filter(|count| has(places, &count["place"]) && has(verdicts, &count["verdict"]) == found);
    counted.map(|count| count["cuts"].as_u64().expect("a number")).sum()
}

const KEPT: &[&str] = &["kept", "one-more"];
const PROMISED: &[&str] = &["after-acknowledgement", "random", "recovery"];

#[test]
fn sound_stores_keep_what_they_acknowledged_in_a_hundred_cuts_each() {
    let Some(place) = place() else { return };
    place.write("cut.toml", &suite(r#"["sqlite", "lmdb"]"#, (scale() as u32, 100), ""));
    let ran = place.run(&["run", "cut.toml", "--medium", MEDIUM, "--durability", "power"]).expect(0);
    assert!(ran.stdout.contains("After power cuts"), "{}", ran.stdout);
    let cells = place.cells();
    assert_eq!(cells.len(), 2 * scale() as usize);
    for cell in &cells {
        assert_eq!(cell["status"], "ok", "{cell}");
        assert_eq!(verdicts(cell, PROMISED, KEPT, false), 0, "{}", cell["power_cuts"]);
        assert!(verdicts(cell, PROMISED, KEPT, true) >= 100, "{}", cell["power_cuts"]);
    }
    for store in ["sqlite", "lmdb"] {
        let own = || cells.iter().filter(|cell| cell["store"] == store);
        let in_all = |place, found| own().map(|cell| verdicts(cell, &[place], KEPT, found)).sum::<u64>();
        assert!(in_all("creation", true) > 0, "{store}");
        // The controls of the disk itself: without flushes nothing can be kept always.
        assert!(in_all("ignored-flushes", false) > 0, "{store}");
    }
}

#[test]
fn controls_are_caught() {
    let Some(place) = place() else { return };
    let rest = "\n[settings.sqlite]\njournal = \"delete\"\nsynchronous = \"full\"\n";
    place.write("cut.toml", &suite(r#"["faulty", "sqlite"]"#, (1, 40), rest));
    place.run(&["run", "cut.toml", "--medium", MEDIUM, "--durability", "consistent"]).expect(0);
    for cell in place.cells() {
        let lost = verdicts(&cell, &["after-acknowledgement"], KEPT, false);
        match cell["store"].as_str().expect("a name") {
            // It writes nothing before it is closed, so there are few moments to cut.
            "faulty" => {
                assert!(lost > 0, "{}", cell["power_cuts"]);
                assert_eq!(verdicts(&cell, &["after-acknowledgement"], KEPT, true), 0, "{}", cell["power_cuts"]);
            }
            // The removal of its journal is not flushed: what was committed is rolled back.
            _ => {
                assert!(lost >= 10, "{}", cell["power_cuts"]);
                assert_eq!(
                    verdicts(&cell, PROMISED, &["kept", "one-more", "lost"], false),
                    0,
                    "{}",
                    cell["power_cuts"]
                );
            }
        }
    }
}

/// Stores that need a disk that writes their pages of 4 KiB as a whole, as docs/DURABILITY.md says.
const NEED_WHOLE_PAGES: [&str; 2] = ["berkeley-db", "berkeley-db-hash"];

/// The runs in docs/runs whose tables docs/results/power-cut.md shows.
const RECORDED: [&str; 2] = ["power-cut-ext4", "power-cut-xfs-btrfs"];

/// No recorded cut has broken what a store promises, and every control was caught.
#[test]
fn levels_that_stores_offer_are_clean_in_the_recorded_table() {
    let runs = RECORDED.map(|name| {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runs").join(name);
        let run = Run::read(&directory).expect("a recorded run");
        let contenders = Contenders::new(&run.cells, &run.record.stores);
        (cut_rows(&run, &contenders), contenders)
    });
    let of = |store: &str, level: Durability, variant: &str| -> Vec<&CutRow> {
        let rows = runs.iter().flat_map(|(rows, contenders)| rows.iter().map(move |row| (row, contenders)));
        let is_it = |(row, contenders): &(&CutRow, &Contenders)| {
            contenders.store(&row.key) == store && row.level == level && row.variant.as_deref() == Some(variant)
        };
        rows.filter(is_it).map(|(row, _)| row).collect()
    };
    for control in ["faulty", "sqlite"] {
        let caught: u64 = of(control, Durability::Consistent, "controls")
            .iter()
            .map(|row| row.when_given.broken(Durability::Power))
            .sum();
        assert!(caught > 0, "{control} was not caught");
    }
    let described = Command::new(driver()).arg("describe").output().expect("the driver");
    let described: Value = serde_json::from_slice(&described.stdout).expect("what it describes");
    let stores: Vec<StoreDescription> = serde_json::from_value(described["stores"].clone()).expect("its stores");
    for store in stores.iter().filter(|store| store.capabilities.keeps_data && !store.test_only) {
        for level in [Durability::Consistent, Durability::Power] {
            if !store.durability.contains_key(&level) {
                continue;
            }
            let rows = of(&store.name, level, "stores");
            let least = if NEED_WHOLE_PAGES.contains(&store.name.as_str()) { 4_096 } else { 0 };
            let disks = rows.iter().flat_map(|row| &row.disks).filter(|(disk, _)| disk.unit_bytes >= least);
            let (cuts, broken) = disks.fold((0, 0), |(cuts, broken), (_, of_disk)| {
                (cuts + of_disk.of_the_store(), broken + of_disk.broken(level))
            });
            assert!(cuts >= 100, "{} at {level}: {cuts} cuts are recorded", store.name);
            assert_eq!(broken, 0, "{} at {level}", store.name);
        }
    }
}

#[test]
fn a_pick_cuts_the_power_of_its_finalists() {
    let Some(place) = place() else { return };
    let need = ["--records", "100", "--value-size", "100B..1KiB", "--stores", "sqlite,lmdb", "--durability", "power"];
    let shown = place.run(&[&["pick", "--budget", "60s"], &need[..]].concat()).expect(0).stdout;
    assert!(unwrapped(&shown).contains("It kept them in "), "{shown}");
    let file = place.run_file();
    let cuts = file["pick"]["power_cuts"].as_array().expect("power cuts");
    for of_store in cuts {
        assert!(of_store["cuts"].as_u64() >= Some(50) && of_store["broken"] == 0, "{of_store}");
    }
    let best = file["pick"]["finalists"].as_array().expect("finalists");
    assert_eq!(cuts.len(), best.len(), "{cuts:?}, {best:?}");
    assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
}

#[test]
fn a_directory_cannot_lose_its_power() {
    let place = Place::new();
    place.write("cut.toml", &suite(r#"["lmdb"]"#, (1, 10), ""));
    for medium in [None, Some("disk=."), Some("disk=new:tmpfs")] {
        let options: Vec<_> = medium.iter().flat_map(|medium| ["--medium", medium]).collect();
        let refused = place.run(&[&["run", "cut.toml", "--plan"], &options[..]].concat()).expect(2);
        assert!(
            unwrapped(&refused.stderr).contains("--medium disk=new:ext4 or new:xfs or new:btrfs"),
            "{}",
            refused.stderr
        );
    }
}

/// Who still has something of a place, and disks in memory that nobody else here makes.
fn traces(place: &Place) -> Vec<PathBuf> {
    let here = place.path().canonicalize().unwrap().display().to_string();
    let entries = |directory: &str, file: &'static str| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(move |entry| entry.path().join(file)).collect::<Vec<_>>()
    };
    let files = [entries("/proc", "mountinfo"), entries("/proc", "environ")].concat();
    let speaks_of_it =
        |file: &PathBuf| std::fs::read(file).is_ok_and(|text| String::from_utf8_lossy(&text).contains(&here));
    let own = std::process::id().to_string();
    let others = files.into_iter().filter(|file| !file.starts_with(PathBuf::from("/proc").join(&own)));
    others.filter(speaks_of_it).chain(place.leftovers()).collect()
}

/// Processes that serve disks of a place, by number. Tests run next to others that have some too.
fn servers(place: &Place) -> Vec<i32> {
    let here = place.path().canonicalize().unwrap().display().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let serves = |process: &i32| {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"power-cut-disk")
            && String::from_utf8_lossy(&environment).contains(&here)
    };
    processes.filter(serves).collect()
}

#[test]
fn a_run_killed_at_any_moment_leaves_nothing() {
    let Some(place) = place() else { return };
    drop(place);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..if scale() > 1 { KILLS_LONG } else { KILLS } {
        let place = Place::new();
        place.write("cut.toml", &suite(r#"["sqlite"]"#, (1, 200), ""));
        let mut command = place.command(&["run", "cut.toml", "--medium", MEDIUM]);
        let mark = place.path().canonicalize().unwrap();
        let mut run = command.env("PLACE", mark).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(300 + random.next_u64() % 1_500));
        if round % 3 == 0 {
            // The server first: the run goes on without its disk.
            for server in servers(&place) {
                let process = rustix::process::Pid::from_raw(server).unwrap();
                let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            }
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let begin = Instant::now();
        while !traces(&place).is_empty() {
            assert!(begin.elapsed() < Duration::from_secs(20), "round {round}: {:?} are left", traces(&place));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
