//! Each warning appears exactly when it applies, and states the circumstance, the effect and the remedy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bakeoff_measure::{Machine, Medium, Warning, before_run};

const GIB: u64 = 1 << 30;

/// A machine and a medium without cause for a warning.
fn quiet() -> (Machine, Medium) {
    let machine = Machine {
        memory_bytes: Some(8 * GIB),
        swap_used_bytes: Some(0),
        cpus_logical: Some(4),
        load_1m: Some(0.1),
        governors: [("policy0".to_owned(), "performance".to_owned())].into(),
        ..Machine::default()
    };
    let medium = Medium { file_system: Some("ext4".to_owned()), ..Medium::default() };
    (machine, medium)
}

fn codes(machine: &Machine, medium: &Medium, data_bytes: u64) -> Vec<&'static str> {
    before_run(machine, medium, &[data_bytes]).iter().map(Warning::code).collect()
}

/// One warning of each kind.
fn all() -> Vec<Warning> {
    let (quiet, _) = quiet();
    let machine = Machine {
        governors: [("policy0", "powersave"), ("policy1", "powersave"), ("policy2", "performance")]
            .map(|(policy, governor)| (policy.to_owned(), governor.to_owned()))
            .into(),
        swap_used_bytes: Some(GIB),
        load_1m: Some(3.25),
        ..quiet
    };
    let directory = PathBuf::from("/dev/shm/bench");
    let medium = Medium { directory, file_system: Some("tmpfs".to_owned()), ..Medium::default() };
    let later = [
        Warning::debug_build("bakeoff-driver-native", "debug"),
        Warning::jvm_options("bakeoff-driver-jvm", &jvm_options()),
        Warning::steal(Some(30_000_000), 1_000_000_000),
        Warning::clock_slow("monotonic", 50),
        Warning::clock_overhead("get of 16 bytes", 46, 200),
        Warning::not_steady((1..=7).map(|number| format!("write of store-{number}")).collect()),
        Warning::few_rounds(2),
        Warning::limit_above_data(GIB, GIB - 1),
    ];
    before_run(&machine, &medium, &[GIB]).into_iter().chain(later.into_iter().flatten()).collect()
}

fn jvm_options() -> BTreeMap<String, String> {
    [("JAVA_TOOL_OPTIONS".to_owned(), "-XX:+UseSerialGC".to_owned())].into()
}

#[test]
fn a_quiet_machine_gives_no_cause_for_words() {
    let (machine, medium) = quiet();
    assert!(codes(&machine, &medium, 8 * GIB).is_empty());
    assert_eq!(codes(&machine, &medium, 8 * GIB - 1), ["data-smaller-than-memory"]);
    // For several workloads the warning names the range that fits, from the smallest to the largest.
    let some = Warning::data_smaller_than_memory(&machine, &[9 * GIB, GIB, 2 * GIB]).unwrap().to_string();
    assert!(some.starts_with("the data (1.00 GiB to 2.00 GiB) fits into memory"), "{some}");
    assert_eq!(Warning::data_smaller_than_memory(&machine, &[]), None);
}

#[test]
fn what_could_not_be_read_gives_no_cause_either() {
    assert!(codes(&Machine::default(), &Medium::default(), 1).is_empty());
    assert_eq!(Warning::steal(None, 1), None);
}

#[test]
fn limits_are_where_they_are_said_to_be() {
    assert_eq!(Warning::limit_above_data(GIB, GIB), None);
    assert_eq!(Warning::steal(Some(10_000_000), 1_000_000_000), None, "1 % exactly");
    assert!(Warning::steal(Some(10_100_000), 1_000_000_000).is_some());
    assert_eq!(Warning::steal(Some(1), 0), None, "no time, no share");
    assert_eq!(Warning::clock_overhead("get", 40, 200), None, "20 % exactly");
    assert!(Warning::clock_overhead("get", 41, 200).is_some());
    assert_eq!(Warning::not_steady(BTreeSet::new()), None);
    assert_eq!(Warning::few_rounds(3), None);
    assert_eq!(Warning::debug_build("driver", "release"), None);
    assert_eq!(Warning::jvm_options("driver", &BTreeMap::new()), None);
    assert_eq!(Warning::clock_slow("tsc", 46), None);
    let (machine, _) = quiet();
    assert_eq!(Warning::load_high(&Machine { load_1m: Some(2.0), ..machine.clone() }), None);
    assert!(Warning::load_high(&Machine { load_1m: Some(2.01), ..machine.clone() }).is_some());
    let over = Machine { load_1m: Some(2.01), cpus_busy: Some(2.0), ..machine.clone() };
    assert_eq!(Warning::load_high(&over), None, "what made the load has ended");
    assert!(Warning::load_high(&Machine { cpus_busy: Some(2.1), ..over }).is_some());
    assert_eq!(Warning::swap_in_use(&Machine { swap_used_bytes: Some(80 << 20), ..machine.clone() }), None);
    assert!(Warning::swap_in_use(&Machine { swap_used_bytes: Some(90 << 20), ..machine }).is_some());
}

#[test]
fn a_control_group_leaves_less_memory_to_fill() {
    let (machine, medium) = quiet();
    let limited = Machine { memory_limit_bytes: Some(GIB), ..machine };
    assert!(codes(&limited, &medium, 2 * GIB).is_empty());
}

#[test]
fn every_sort_has_its_code_and_survives_json() {
    let warnings = all();
    let codes: BTreeSet<&str> = warnings.iter().map(Warning::code).collect();
    assert_eq!(codes.len(), 13, "{codes:?}");
    for warning in warnings {
        let json = serde_json::to_value(&warning).unwrap();
        assert_eq!(json["code"], warning.code());
        assert_eq!(serde_json::from_value::<Warning>(json).unwrap(), warning);
    }
}

#[test]
fn every_sort_says_what_it_is_what_it_does_and_what_to_do() {
    let lines: Vec<String> = all().iter().map(Warning::to_string).collect();
    for line in &lines {
        assert!(line.contains(": ") && line.contains("; "), "{line}");
    }
    let text = lines.join("\n");
    for figure in [
        "/dev/shm/bench is on tmpfs",
        "1.00 GiB",
        "8.00 GiB",
        "governor is powersave:",
        "3.00 %",
        "3.25 on 4",
        "store-5 and 2 more",
    ] {
        assert!(text.contains(figure), "`{figure}` is not in\n{text}");
    }
}
