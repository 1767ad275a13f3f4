//! `--profile` from end to end: flame graphs of real stores, and nobody ranked.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::{Finished, Place, doctor_says_possible, tiny_suite};
use serde_json::Value;

/// Whether programs can be sampled here.
fn can_sample() -> bool {
    doctor_says_possible(&Place::new(), "profiling", "profiles of native stores")
}

/// A suite whose gets take long enough to be sampled.
fn suite(stores: &str) -> String {
    tiny_suite(stores, "").replace("operations = 200", "operations = 200_000")
}

/// A run's only cell: what became of its profile, and the flame graph.
fn graph(place: &Place, end: &Value) -> String {
    let file = end["profiled"]["flame_graph"].as_str().unwrap_or_else(|| panic!("{end}"));
    assert_eq!(Path::new(file).with_extension("log"), Path::new(end["log"].as_str().unwrap()), "beside the log");
    assert!(end["profiled"]["samples"].as_u64().unwrap() > 0 && end["profile"] == "cpu", "{end}");
    std::fs::read_to_string(place.only_run().join(file)).unwrap()
}

#[test]
fn each_cell_has_a_flame_graph_and_nobody_is_ranked() {
    if !can_sample() {
        return;
    }
    let place = Place::new();
    place.write("two.toml", &suite(r#""sqlite", "lmdb""#));
    let run = place
        .run(&["run", "two.toml", "--profile", "cpu", "--full"])
        .expect(0)
        .says(&["Profiling (cpu): no store will be ranked"]);
    assert!(run.stdout.contains("PROFILED (cpu), NOT RANKED") && run.stdout.contains("(not ranked)"), "{}", run.stdout);
    for word in ["fastest", "Best in each workload", "best:"] {
        assert!(!run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    let cells = place.cells();
    assert_eq!(cells.len(), 2, "one round where the suite has two: {cells:?}");
    for end in &cells {
        let svg = graph(&place, end);
        let frame = if end["store"] == "sqlite" { "sqlite3_step" } else { "mdb_cursor_get" };
        assert!(svg.contains(frame) || svg.contains("mdb_get"), "{frame} of {end}");
        assert!(svg.contains("Session&gt;::get"), "our call into the store is there");
    }
    let directory = place.only_run();
    let page = std::fs::read_to_string(directory.join("report.html")).unwrap();
    let link = format!("href=\"./{}\"", cells[0]["profiled"]["flame_graph"].as_str().unwrap());
    assert!(page.contains(&link) && page.contains("Profiled, not ranked") && !page.contains("is fastest"), "{link}");
    // The page of a run that is written elsewhere leads back to the run.
    let name = directory.file_name().unwrap().to_str().unwrap();
    place.run(&["report", directory.to_str().unwrap(), "--html", "page.html"]).expect(0);
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains(&format!("href=\"./bakeoff-results/{name}/logs/")), "{name}");
}

#[test]
fn what_was_profiled_is_no_measurement() {
    if !can_sample() {
        return;
    }
    let place = Place::new();
    place.write("one.toml", &suite(r#""sqlite""#));
    place.run(&["run", "one.toml", "--rounds", "1", "--profile", "cpu"]).expect(0);
    let profiled = place.only_run();
    let facts: Value = serde_json::from_slice(&std::fs::read(profiled.join("run.json")).unwrap()).unwrap();
    assert!(
        facts["profile"]["kind"] == "cpu" && facts["profile"]["sampler"].as_str().unwrap().contains("perf"),
        "{facts}"
    );
    let ids = |facts: &Value| facts["cells"][0].as_str().unwrap().to_owned();
    place.run(&["run", "one.toml", "--rounds", "1", "--out", "plain"]).expect(0);
    let plain = std::fs::read_dir(place.path().join("plain")).unwrap().next().unwrap().unwrap().path();
    let other: Value = serde_json::from_slice(&std::fs::read(plain.join("run.json")).unwrap()).unwrap();
    assert!(ids(&facts) != ids(&other) && other.get("profile").is_none(), "a profiled cell is another one");
    let (profiled, plain) = (profiled.to_str().unwrap(), plain.to_str().unwrap());
    for arguments in [["compare", plain, profiled], ["compare", profiled, plain]] {
        place.run(&arguments).expect(2).says(&["was profiled (--profile cpu)", "without --profile"]);
    }
    place.run(&["report", profiled, "--against", "hines-2023"]).expect(2).says(&["was profiled"]);
    let csv = place.run(&["report", profiled, "--csv", "-"]).expect(0).stdout;
    assert!(csv.contains(",profile,") && csv.lines().nth(1).unwrap().contains(",cpu,"), "{csv}");
    let json = place.run(&["report", profiled, "--json", "-"]).expect(0).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let verdicts = json["verdicts"].as_array().unwrap();
    assert!(!verdicts.is_empty() && verdicts.iter().all(|each| each["best"].is_null()), "{verdicts:?}");
    // The page of both has the answer of the measurement alone.
    place.run(&["report", plain, profiled, "--html", "both.html"]).expect(0);
    let page = std::fs::read_to_string(place.path().join("both.html")).unwrap();
    assert!(page.contains("Profiled, not ranked") && page.contains("measured without a competitor"));
    // By hand the cell runs as it did, without being profiled.
    let request = place.run(&["request", &ids(&facts), "--run", profiled]).expect(0).stdout;
    let request: Value = serde_json::from_str(&request).unwrap();
    assert!(request.get("profile").is_none() && request["cell"] == ids(&facts), "{request}");
}

#[test]
fn a_cell_that_fails_keeps_what_was_sampled_of_it() {
    if !can_sample() {
        return;
    }
    let place = Place::new();
    place.write("hang.toml", &common::faulty_suite("\n[settings.faulty]\nfault = \"hang\"\nat = 100\n"));
    place.run(&["run", "hang.toml", "--rounds", "1", "--timeout", "2s", "--profile", "cpu"]).expect(1);
    let end = &place.cells()[0];
    let profiled = &end["profiled"];
    assert!(
        end["failure"] == "timeout" && (profiled["flame_graph"].is_string() || profiled["trouble"].is_string()),
        "{end}"
    );
}

/// Every Java that is there, from 17 on: two links to the same one count once.
fn java_homes() -> BTreeSet<PathBuf> {
    let homes = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let is_new = |home: &PathBuf| {
        let facts = std::fs::read_to_string(home.join("release")).unwrap_or_default();
        let version =
            facts.split("JAVA_VERSION=\"").nth(1).and_then(|rest| rest.split(['.', '"']).next()?.parse().ok());
        version.is_some_and(|version: u32| version >= 17)
    };
    homes.filter_map(|home| home.path().canonicalize().ok()).filter(is_new).collect()
}

#[test]
fn stores_on_the_jvm_profile_themselves() {
    if !common::jvm_is_built() {
        return;
    }
    let homes = java_homes();
    assert!(!homes.is_empty(), "where the driver was built there is a Java");
    for home in homes {
        for (kind, frame) in [("cpu", "bakeoff/driver/"), ("alloc", "byte[]")] {
            let place = Place::new();
            let stores = if kind == "alloc" || can_sample() { r#""mvstore", "sqlite""# } else { r#""mvstore""# };
            place.write("one.toml", &format!("warm-up = \"1s\"\n{}", suite(stores)));
            // Enough to be sampled in all that it does.
            let mut command = place.command(&["run", "one.toml", "--records", "5000", "--profile", kind]);
            let run = Finished::of(command.env("JAVA_HOME", &home).output().unwrap()).expect(0);
            let cells = place.cells();
            let end = cells.iter().find(|end| end["store"] == "mvstore").unwrap();
            let file = end["profiled"]["flame_graph"].as_str().unwrap_or_else(|| panic!("{}: {end}", home.display()));
            let svg = std::fs::read_to_string(place.only_run().join(file)).unwrap();
            assert!(
                svg.contains("org/h2/mvstore/MVMap.") && svg.contains(frame),
                "{kind} on {}: {end}",
                home.display()
            );
            let log = std::fs::read_to_string(place.only_run().join(end["log"].as_str().unwrap())).unwrap();
            assert_eq!(log, "", "nothing to complain of, {}", home.display());
            // A store that cannot is n/a, and says so.
            assert_eq!(cells.len(), if kind == "cpu" && stores.contains("sqlite") { 2 } else { 1 }, "{cells:?}");
            assert_eq!(run.stderr.contains("sqlite: n/a: its driver does not profile `alloc`"), kind == "alloc");
            assert!(place.leftovers().is_empty());
        }
    }
}

/// Runs a command with this script in place of the sampler `perf`.
fn beside_sampler(place: &Place, script: &str, arguments: &[&str]) -> Finished {
    let directory = place.path().join("programs");
    std::fs::create_dir_all(&directory).unwrap();
    let perf = directory.join("perf");
    std::fs::write(&perf, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&perf, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    place.write("one.toml", &suite(r#""sqlite""#));
    let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default());
    Finished::of(place.command(arguments).env("PATH", path).output().unwrap())
}

#[test]
fn a_sampler_that_may_not_sample_is_told_before_anything_runs() {
    let place = Place::new();
    let script =
        "printf 'Error:\\nperf_event_open: Permission denied\\nIts setting may be made\\nin a file\\n' >&2; exit 255";
    beside_sampler(&place, script, &["run", "one.toml", "--profile", "cpu"])
        .expect(2)
        .says(&["perf does not work here: perf_event_open: Permission denied"]);
    assert!(place.runs().is_empty());
    let doctor = beside_sampler(&place, script, &["doctor"]).expect(0);
    assert!(doctor.stdout.contains("not possible for native stores: perf does not work here"), "{}", doctor.stdout);
}

#[test]
fn a_sampler_that_fails_beside_a_driver_fails_no_cell() {
    let place = Place::new();
    let script = "case $* in *--pid*) echo 'cannot attach' >&2; exit 1 ;; esac";
    let run = beside_sampler(&place, script, &["run", "one.toml", "--profile", "cpu"]).expect(0);
    let end = &place.cells()[0];
    assert!(
        end["profiled"]["trouble"] == "perf could not sample the driver: cannot attach" && end["status"] == "ok",
        "{end}"
    );
    assert!(run.stdout.contains("no flame graph: perf could not"), "{}", run.stdout);
}

#[test]
fn what_cannot_be_profiled_is_refused_before_anything_runs() {
    let place = Place::new();
    place.write("two.toml", &suite(r#""sqlite", "lmdb""#));
    place
        .run(&["run", "two.toml", "--profile", "alloc"])
        .expect(2)
        .says(&["nothing is left", "sqlite: n/a: its driver does not profile `alloc`"]);
    place.run(&["run", "two.toml", "--profile", "flame"]).expect(2).says(&["there is no profile `flame`: use cpu"]);
    place.run(&["run", "two.toml", "--profile", "cpu", "--find-rate", "p99<1ms"]).expect(2).says(&["--profile"]);
    place.run(&["pick", "--profile", "cpu"]).expect(2).says(&["--profile"]);
    let without = place.command(&["run", "two.toml", "--profile", "cpu"]).env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    if !Path::new("/usr/sbin/perf").exists() && !Path::new("/sbin/perf").exists() {
        assert!(without.status.code() == Some(2) && said.contains("apt-get install -y linux-perf"), "{said}");
    }
    assert!(place.runs().is_empty() && place.leftovers().is_empty());
}
