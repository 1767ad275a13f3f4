//! The search for the highest rate, end to end.

mod common;

use std::collections::BTreeSet;

use common::{Place, rate_suite, rates_tried, unwrapped};
use serde_json::Value;

#[test]
fn a_stall_bounds_the_rate_since_all_that_come_meanwhile_wait() {
    let place = Place::new();
    let stall = "[settings.faulty]\nfault = \"stall\"\nat = 300";
    place.write("stall.toml", &rate_suite(500, "rate = 800\narrivals = \"fixed\"", stall));
    let run = place.run(&["run", "stall.toml", "--rounds", "1", "--find-rate", "p90<50ms", "--full"]).expect(0);
    // The stall lasts 100 ms. Operations that come in its first half wait for more than 50 ms: above 1,020 a second, more than 50 of 500.
    // A little below that rate, one operation that is late for another reason is enough. So a search may come to 1,019.
    let tries = rates_tried(&place);
    let failed = tries.iter().map(|(rate, _)| *rate).filter(|rate| *rate > 960).min().expect("a rate that cannot hold");
    assert!(failed <= 1_600, "{tries:?}");
    // It begins at the rate of the closed loop, in which the stall is most of the time.
    let closed = &place.cells()[0];
    assert!(closed["rate_per_second"].is_null() && (3_000..=5_000).contains(&tries[0].0), "{closed} {tries:?}");
    for (rate, speed) in &tries {
        assert!((speed * 800.0 - *rate as f64).abs() < 1e-6, "one tape serves every rate: {tries:?}");
    }
    let rates: BTreeSet<u64> = tries.iter().map(|(rate, _)| *rate).collect();
    for rate in &rates {
        let rounds = tries.iter().filter(|(tried, _)| tried == rate).count();
        assert!(
            (if *rate > 1_020 { 2 } else { 1 }..=3).contains(&rounds),
            "a rate that fails is tried again: {tries:?}"
        );
    }
    let ids: BTreeSet<String> = place.cells().iter().map(|cell| cell["cell"].to_string()).collect();
    assert_eq!(ids.len(), rates.len() + 1, "the closed loop and each rate is a cell of its own");
    for words in ["Highest rate with p90 below 50.0 ms", "phase get, 500 operations", "holds at", "fails at"] {
        assert!(run.stdout.contains(words), "{words:?} is not in:\n{}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100 || line.contains("/")), "{}", run.stdout);
    let search = &place.run_file()["find_rate"]["searches"][0];
    assert_eq!((&search["cut_short"], search["probes"].as_object().unwrap().len()), (&false.into(), rates.len()));
    let page = std::fs::read_to_string(place.only_run().join("report.html")).expect("there is a page");
    assert!(page.contains("The highest rates") && page.contains("Highest rate with p90 below 50.0 ms"));
    let csv = place.run(&["report", place.only_run().to_str().unwrap(), "--csv", "-"]).expect(0).stdout;
    assert!(
        csv.lines().next().unwrap().contains("memory_limit_bytes,compression,age,rate_per_second,killed,cut,profile"),
        "{csv}"
    );
}

#[test]
fn a_bound_that_holds_everywhere_is_said_to_and_a_cut_search_goes_on() {
    let place = Place::new();
    place.write("fast.toml", &rate_suite(300, "rate = 1000", ""));
    let run = place.run(&["run", "fast.toml", "--rounds", "3", "--find-rate", "p90<3600s", "--full"]).expect(0);
    let rates: Vec<u64> = rates_tried(&place).iter().map(|(rate, _)| *rate).collect();
    assert_eq!(rates, [3000, 3000], "two rounds of three decide");
    let words = "held at the highest rate tried, 3.00 k/s, at which the phase lasts 0.100 s";
    let flat = unwrapped(&run.stdout);
    assert!(flat.contains(words) && flat.contains("less than a second rest on little"), "{}", run.stdout);
    // As a kill in the middle of the first rate would have left it.
    let results = place.only_run().join("results.jsonl");
    let text = std::fs::read_to_string(&results).unwrap();
    let kept: Vec<&str> = text.lines().take(6).collect();
    std::fs::write(&results, kept.join("\n") + "\n").unwrap();
    place.run(&["run", "--resume"]).expect(0);
    assert_eq!(rates_tried(&place).iter().map(|(rate, _)| *rate).collect::<Vec<_>>(), rates);
    // A cell at a rate can be asked for by hand, as a failed one would name itself.
    for (cell, speed) in place.cells().iter().zip([Value::Null, 3.0.into()]) {
        let id = cell["cell"].as_str().unwrap();
        let request = place.run(&["request", id, "--run", place.only_run().to_str().unwrap()]).expect(0).stdout;
        let request: Value = serde_json::from_str(&request).unwrap();
        assert_eq!((&request["cell"], &request["phases"][1]["speed"]), (&cell["cell"], &speed));
    }
}

#[test]
fn a_store_that_fails_ends_its_search_and_no_other() {
    let place = Place::new();
    let fault = "[settings.faulty]\nfault = \"error\"\nat = 300";
    let suite = rate_suite(300, "rate = 3000", fault).replace("[\"faulty\"]", "[\"faulty\", \"lmdb\"]");
    place.write("error.toml", &suite);
    let run = place.run(&["run", "error.toml", "--rounds", "1", "--find-rate", "p90<3600s", "--full"]).expect(1);
    assert!(run.stdout.contains("a cell failed in the closed loop, which ended the search"), "{}", run.stdout);
    assert!(run.stdout.contains("LMDB: held at the highest rate tried"), "{}", run.stdout);
    assert_eq!(place.cells().len(), 3, "the closed loops, and a rate of the store that did not fail");
}

#[test]
fn a_search_that_is_refused_leaves_no_directory() {
    let place = Place::new();
    place.write("slow.toml", &rate_suite(600, "rate = 100", ""));
    place.run(&["run", "slow.toml", "--find-rate", "p99"]).expect(2).says(&["p99"]);
    assert!(!place.path().join("bakeoff-results").exists());
}

#[test]
fn a_budget_that_ends_a_search_leaves_the_interval_and_the_time_that_is_wanting() {
    let place = Place::new();
    // The bound holds nowhere: each rate takes twice as long as the one before, from a tenth of a second to thirty.
    place.write("slow.toml", &rate_suite(600, "rate = 100", ""));
    let run = place
        .run(&["run", "slow.toml", "--rounds", "5", "--find-rate", "max<1ns", "--budget", "4s", "--full"])
        .expect(0);
    let tries: Vec<u64> = rates_tried(&place).iter().map(|(rate, _)| *rate).collect();
    assert_eq!(tries[..1], [6_000], "{tries:?}");
    let lowest = tries.iter().min().unwrap();
    assert!(*lowest <= 3_000 && *lowest > 100, "the time is spent, and not overdrawn: {tries:?}");
    let flat = unwrapped(&run.stdout);
    for words in [
        "the time ended. So far its highest rate is below",
        "which does not hold",
        "Coming within 5 %, with up to 5 rounds at both ends, would take",
    ] {
        assert!(flat.contains(words), "{words:?} is not in:\n{flat}");
    }
    let told = run.stderr.lines().find(|line| line.contains("The whole search of 10B × 200 random, consistent takes "));
    // From six seconds, if it holds from the second rate on, to more than a minute, since it holds nowhere: the first cannot be known.
    let told = told.unwrap_or_else(|| panic!("{}", run.stderr));
    assert!(told.contains(" to 5m") && told.contains("lie below the closed loop's rates"), "{told}");
    assert!(told.contains("; the budget leaves "), "{told}");
}

#[test]
fn the_time_that_a_search_leaves_goes_to_rounds_at_its_ends() {
    let place = Place::new();
    // A round takes at least a quarter of a second: 11 of 21 rounds at both ends take more time than there is, and the search itself less.
    let stall = "[settings.faulty]\nfault = \"stall\"\nat = 300";
    place.write("stall.toml", &rate_suite(500, "rate = 800\narrivals = \"fixed\"", stall));
    let begin = std::time::Instant::now();
    let run = place
        .run(&["run", "stall.toml", "--rounds", "21", "--find-rate", "p90<50ms", "--budget", "15s", "--full"])
        .expect(0);
    assert!(begin.elapsed().as_secs() >= 12, "time is left over: {:?}", begin.elapsed());
    let search = place.run_file()["find_rate"]["searches"][0].clone();
    assert_eq!(search["cut_short"], false, "{search}");
    let flat = unwrapped(&run.stdout);
    assert!(flat.contains("too short for the 21 rounds that each end may take: it found "), "{flat}");
    assert!(flat.contains("holds at") && !flat.contains("the time ended"), "{flat}");
}

#[test]
fn the_rate_of_a_tape_with_times_can_be_looked_for() {
    let place = Place::new();
    place.write("app.csv", "op,key,value_size,time\nset,a,9,7\nget,a,9,7.1\nget,a,9,7.2\n");
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let run = ["run", "--tape", "app.tape", "--stores", "faulty", "--rounds", "1", "--find-rate", "max<3600s"];
    place.run(&run).expect(2).says(&["no phase has a rate", "with --speed 1"]);
    place.run(&[&run[..], &["--speed", "1"]].concat()).expect(0);
    // Three operations in 0.2 s; at 30 a second they take the tenth of a second that is the least.
    let rates: Vec<Value> = place.cells().iter().map(|cell| cell["rate_per_second"].clone()).collect();
    assert_eq!(rates, [Value::Null, 30.into()]);
}
