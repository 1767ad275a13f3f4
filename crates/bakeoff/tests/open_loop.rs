//! Open loop end to end: a stall shows in everything that waited for it.

mod common;

use common::{Place, faulty_suite};
use serde_json::Value;

/// Gets in a store that stalls for 100 ms on the hundredth of them.
fn suite(phase: &str) -> String {
    faulty_suite(&format!(
        r#"

[[phases]]
name = "get"
operation = "get"
operations = 500
{phase}

[settings.faulty]
fault = "stall"
at = 300
"#
    ))
}

/// What came of the last phase in the first round.
fn measured(suite: &str) -> Value {
    let place = Place::new();
    place.write("stall.toml", suite);
    place.run(&["run", "stall.toml", "--rounds", "1"]).expect(0);
    let mut phases = place.lines().into_iter().filter(|line| line["line"] == "phase");
    phases.next_back().expect("phases were measured")["result"].clone()
}

fn percentile_ns(phase: &Value, name: &str) -> u64 {
    phase["operations"][0]["latency"][name].as_u64().unwrap()
}

#[test]
fn a_stall_counts_once_in_a_closed_loop_and_for_all_that_waited_in_an_open_one() {
    const MS: u64 = 1_000_000;
    let closed = measured(&suite(""));
    assert!(percentile_ns(&closed, "latency_ns_max") >= 100 * MS);
    assert!(percentile_ns(&closed, "latency_ns_p90") < 25 * MS && closed.get("open_loop").is_none(), "{closed}");
    let open = measured(&suite("rate = \"1k\"\narrivals = \"fixed\""));
    // A hundred of 500 were due during the stall, and waited for 50 ms on average.
    assert!(percentile_ns(&open, "latency_ns_p90") >= 25 * MS, "{open}");
    assert!(percentile_ns(&open, "latency_ns_p99") >= 90 * MS, "{open}");
    assert_eq!((&open["open_loop"]["speed"], &open["open_loop"]["due_ns"]), (&1.0.into(), &(499 * MS).into()));
    assert!(open["timed_ns"].as_u64().unwrap() >= 499 * MS, "the rate is that asked for, or less");
    let poisson = measured(&suite("rate = 1000"));
    assert!(percentile_ns(&poisson, "latency_ns_p90") >= 15 * MS, "{poisson}");
}

#[test]
fn a_tape_is_replayed_at_its_own_times_or_faster() {
    let place = Place::new();
    place.write("app.csv", "op,key,value_size,time\nset,a,9,7\nget,a,9,8\nget,a,9,8.5\nget,a,9,9\n");
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let run = ["run", "--tape", "app.tape", "--speed", "10", "--stores", "faulty", "--rounds", "1"];
    place.run(&run).expect(0);
    let result = place.lines()[0]["result"].clone();
    assert_eq!((&result["open_loop"]["speed"], &result["open_loop"]["due_ns"]), (&10.0.into(), &200_000_000.into()));
    assert!(result["timed_ns"].as_u64().unwrap() >= 200_000_000);
    place.write("untimed.csv", "op,key,value_size\nset,a,9\n");
    place.run(&["tape", "import", "untimed.csv"]).expect(0);
    let told = place.run(&["run", "--tape", "untimed.tape", "--speed", "1", "--stores", "faulty"]).expect(2).stderr;
    assert!(told.contains("--speed 1: the tape has no times"), "{told}");
    let told = place.run(&["run", "quick", "--speed", "1"]).expect(2).stderr;
    assert!(told.contains("`speed` is for a tape"), "{told}");
}
