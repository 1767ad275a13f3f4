//! Searches for the highest rate that end without one, regardless of how long anything takes: other tests may run at the same
//! time.

mod common;

use common::{Place, rate_suite, rates_tried, unwrapped};

#[test]
fn a_bound_that_holds_nowhere_is_said_to_not_to() {
    let place = Place::new();
    place.write("slow.toml", &rate_suite(2, "rate = 2", ""));
    let run = place.run(&["run", "slow.toml", "--rounds", "1", "--find-rate", "max<1ns", "--full"]).expect(0);
    assert_eq!(
        rates_tried(&place).iter().map(|(rate, _)| *rate).collect::<Vec<_>>(),
        [20, 20, 10, 10, 5, 5, 2, 2, 1, 1]
    );
    let flat = unwrapped(&run.stdout);
    assert!(flat.contains("fails even at the lowest rate tried, 1.00/s, at which the phase lasts 2.00 s"), "{flat}");
}

#[test]
fn a_budget_in_which_not_one_rate_can_be_tried_is_refused_with_the_time_it_takes() {
    let place = Place::new();
    place.write("many.toml", &rate_suite(150_000, "rate = 1000", ""));
    let search = ["run", "many.toml", "--find-rate", "p90<1s"];
    let run = place.run(&[&search[..], &["--budget", "2s"]].concat()).expect(2);
    run.says(&[
        "--budget 2s is too short",
        "in a closed loop and at one rate, takes about 4s, and the whole search at least",
    ]);
    place.run(&[&search[..], &["--budget", "2s", "--plan"]].concat()).expect(2).says(&["is too short"]);
    assert!(place.runs().is_empty() && place.leftovers().is_empty());
}

#[test]
fn what_cannot_be_looked_for_is_told_before_anything_is_measured() {
    let place = Place::new();
    place.write("open.toml", &rate_suite(300, "rate = 1000", ""));
    place.write("closed.toml", &rate_suite(300, "", ""));
    let twice =
        rate_suite(300, "rate = 1000", "[[phases]]\nname = \"more\"\noperation = \"get\"\noperations = 9\nrate = 9");
    place.write("twice.toml", &twice);
    for (file, bound, words) in [
        ("open.toml", "p99", "--find-rate: `p99` is not a bound: write a percentile and a time, such as p99<2ms"),
        ("open.toml", "p98<2ms", "unknown percentile `p98`: use p50, p90, p99, p999, max"),
        ("open.toml", "p99<-2ms", "the time `-2ms` is out of range: give 1ns to 3600s"),
        ("open.toml", "p99<2", "`2` is not a time with a unit"),
        ("open.toml", "p999<2ms", "the phase `get` has 300 operations, too few to tell p999: give it at least 10,000"),
        ("closed.toml", "p99<2ms", "no phase has a rate"),
        ("twice.toml", "p99<2ms", "the phases get, more have a `rate` each"),
    ] {
        place.run(&["run", file, "--find-rate", bound]).expect(2).says(&[words]);
        place.run(&["run", file, "--plan", "--find-rate", bound]).expect(2).says(&[words]);
    }
    place.run(&["run", "--resume", "--find-rate", "p99<2ms"]).expect(2).says(&["cannot be used with"]);
    assert!(place.runs().is_empty() && place.leftovers().is_empty());
}
