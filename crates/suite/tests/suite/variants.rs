//! Suites with variants, stores with their own durability level, and disturbances.

use std::collections::BTreeSet;

use crate::common::{SUITE, plan_with};
use bakeoff_protocol::Durability;
use bakeoff_suite::{Disturbance, Overrides, Plan, Suite};

const VARIANTS: &str = r#"
[[variants]]
name = "as-it-is"
summary = "Nothing changed."

[[variants]]
name = "unequal"

[variants.axes]
data = "text"

[variants.settings.tree]
durability = "none"
readers = 5

[variants.settings.files]
durability = "process"

[[variants]]
name = "only-load"

[variants.axes]
stores = ["files"]
records = 10

[[variants.phases]]
name = "fill"
operation = "insert"
access = "sequential"
"#;

fn suite() -> Suite {
    Suite::parse("base.toml", &format!("{SUITE}{VARIANTS}")).unwrap_or_else(|errors| panic!("{errors}"))
}

fn planned(suite: &Suite) -> Plan {
    plan_with(suite, None).unwrap_or_else(|errors| panic!("{errors}"))
}

fn of<'a>(plan: &'a Plan, variant: &str) -> Vec<&'a bakeoff_suite::Cell> {
    let workloads = plan.workloads.iter().filter(|workload| workload.variant.as_deref() == Some(variant));
    workloads.flat_map(|workload| &workload.cells).collect()
}

#[test]
fn each_variant_is_measured_with_what_it_changes() {
    let plan = planned(&suite());
    assert_eq!(of(&plan, "as-it-is").len(), 2 * 2 * 2 * 2, "sizes × records × data × stores");
    assert_eq!(of(&plan, "unequal").len(), 2 * 2 * 2, "one data type");
    assert_eq!(of(&plan, "only-load").len(), 2 * 2, "one store, one count");
    assert!(of(&plan, "only-load").iter().all(|cell| cell.axes.store == "files" && cell.axes.records == 10));
    let tree = of(&plan, "unequal").into_iter().find(|cell| cell.axes.store == "tree").unwrap();
    assert_eq!(tree.settings["cache"], 64 << 20, "settings of the suite stay");
    assert_eq!(tree.settings["readers"], 5);
    assert!(!tree.settings.contains_key("durability"), "which is no setting of the store");
    let ids: BTreeSet<_> = plan.workloads.iter().flat_map(|workload| &workload.cells).map(|cell| &cell.id).collect();
    assert_eq!(ids.len(), 16 + 8 + 4, "a variant is part of a cell's identity");
}

#[test]
fn a_store_keeps_the_class_it_was_given_and_the_result_says_that_stores_differ() {
    let plan = planned(&suite());
    for cell in of(&plan, "unequal") {
        let class = if cell.axes.store == "tree" { Durability::None } else { Durability::Process };
        assert!(cell.axes.unequal && cell.axes.durability == class, "{:?}", cell.axes);
    }
    assert!(of(&plan, "as-it-is").iter().all(|cell| !cell.axes.unequal));
}

#[test]
fn a_variant_that_is_like_another_begins_as_that_one() {
    let more = r#"
[[variants]]
name = "more-readers"
like = "unequal"

[variants.settings.tree]
readers = 6

[[variants]]
name = "fewer"
like = "more-readers"
summary = "Of one store."

[variants.axes]
stores = ["files"]

[[variants]]
name = "loaded-twice"
like = "only-load"

[variants.axes]
records = 20
"#;
    let text = format!("{SUITE}{VARIANTS}{more}");
    let plan = planned(&Suite::parse("base.toml", &text).unwrap_or_else(|errors| panic!("{errors}")));
    let settings = |variant: &str, store: &str| {
        let mut cells = of(&plan, variant).into_iter().filter(|cell| cell.axes.store == store);
        let cell = cells.next().unwrap_or_else(|| panic!("{variant} has {store}"));
        (cell.settings.clone(), cell.axes.durability)
    };
    let (unequal, more_readers) = (settings("unequal", "tree"), settings("more-readers", "tree"));
    assert_eq!(unequal.1, more_readers.1);
    assert_eq!((&unequal.0["readers"], &more_readers.0["readers"]), (&5.into(), &6.into()));
    assert_eq!(of(&plan, "more-readers").len(), of(&plan, "unequal").len(), "its axes too");
    assert!(of(&plan, "fewer").iter().all(|cell| cell.axes.store == "files"), "settings of others are left behind");
    assert_eq!(settings("fewer", "files").1, Durability::Process);
    let phases = |variant: &str| {
        let of_variant = plan.workloads.iter().find(|workload| workload.variant.as_deref() == Some(variant));
        of_variant.unwrap_or_else(|| panic!("{variant}")).workload.phases.clone()
    };
    assert_eq!(phases("loaded-twice"), phases("only-load"));
    assert_eq!(of(&plan, "loaded-twice").len(), of(&plan, "only-load").len());

    assert_shown_where_they_stand(
        &format!("{VARIANTS}{more}"),
        &[
            ("like = \"unequal\"", "like = \"unequel\"", "did you mean `unequal`?"),
            ("like = \"unequal\"", "like = \"fewer\"", "no variant `fewer` is above this one"),
            ("like = \"unequal\"", "like = \"more-readers\"", "no variant `more-readers` is above this one"),
            ("like = \"unequal\"", "like = 5", "like"),
            ("name = \"fewer\"\n", "", "name"),
            ("name = \"fewer\"\n", "nam = \"fewer\"\n", "unknown key `nam` in [[variants]]"),
            ("[variants.axes]\nrecords = 20", "axes = 20", "axes"),
        ],
    );
}

#[test]
fn flags_hold_for_every_variant_and_choose_among_them() {
    let overrides = Overrides::default().with("records", ["2000"]).with("variants", ["only-load"]);
    let plan = planned(&suite().with_overrides(&overrides).unwrap());
    let cells: Vec<_> = plan.workloads.iter().flat_map(|workload| &workload.cells).collect();
    assert!(cells.len() == 4 && cells.iter().all(|cell| cell.axes.records == 2000), "{cells:?}");
    let unknown = Overrides::default().with("variants", ["only-lod"]);
    let error = suite().with_overrides(&unknown).unwrap_err().to_string();
    assert!(error.contains("did you mean `only-load`?"), "{error}");
    let without = Suite::parse("base.toml", SUITE).unwrap();
    let error = without.with_overrides(&unknown).unwrap_err().to_string();
    assert!(error.contains("no variants"), "{error}");
}

#[test]
fn mistakes_in_variants_are_shown_where_they_stand() {
    assert_shown_where_they_stand(
        VARIANTS,
        &[
            ("name = \"unequal\"", "name = \"as-it-is\"", "there is another variant `as-it-is`"),
            ("name = \"unequal\"", "nam = \"unequal\"", "unknown key `nam` in [[variants]]"),
            ("data = \"text\"", "data = \"txt\"", "did you mean `text`?"),
            ("durability = \"none\"", "durability = \"non\"", "unknown durability `non`"),
            ("readers = 5", "readers = 500", "`readers` is 500"),
            ("access = \"sequential\"", "access = \"zipfian\"", "inserts take new keys"),
        ],
    );
}

/// Asserts the message of each mistake: the replaced text, its replacement, and a part of the message.
fn assert_shown_where_they_stand(variants: &str, mistakes: &[(&str, &str, &str)]) {
    for (from, to, message) in mistakes {
        let text = format!("{SUITE}{}", variants.replacen(from, to, 1));
        let errors = match Suite::parse("base.toml", &text) {
            Ok(suite) => plan_with(&suite, None).expect_err(to),
            Err(errors) => errors,
        };
        let shown = errors.to_string();
        assert!(shown.contains(message) && shown.starts_with("base.toml:"), "{to}: {shown}");
    }
}

/// Nobody was warned that LMDB's settings, for example, did not apply to the chosen stores.
#[test]
fn a_store_that_a_flag_puts_into_a_variant_about_settings_of_others_is_told() {
    let overrides = |stores: &[&str], variants: Option<&str>| {
        let overrides = Overrides::default().with("stores", stores.iter().copied());
        variants.map_or_else(|| overrides.clone(), |name| overrides.clone().with("variants", [name]))
    };
    let notes = |stores: &[&str], variants| {
        let text = bakeoff_suite::builtin::find("lmdbjava-2016").unwrap();
        let suite = Suite::parse_with("lmdbjava-2016", text, &overrides(stores, variants)).unwrap();
        suite.notes(|_, store| store != "redb")
    };
    let told = notes(&["mvstore", "xodus", "lmdbjava", "redb"], None);
    assert!(told[0].starts_with("test-1-nosync-map, test-1-nosync-file, "), "{told:?}");
    assert!(
        told[0].contains(": mvstore, xodus measured without its settings, which are only for lmdbjava, "),
        "{told:?}"
    );
    assert!(told[0].ends_with(": the variant's name may not apply there"), "{told:?}");
    assert!(notes(&["all"], None)[0].contains(": the other stores measured without"));
    assert_eq!(notes(&["lmdbjava", "lmdbjni"], None), Vec::<String>::new());
    assert_eq!(notes(&["mvstore"], Some("test-3-1m")), Vec::<String>::new());
    // None of its cells can be measured.
    assert_eq!(notes(&["redb"], None), Vec::<String>::new());
}

/// A store of a hundred records is not larger than memory.
#[test]
fn a_variant_measured_as_written_is_left_out_where_a_flag_would_change_it() {
    let text = format!("{SUITE}{VARIANTS}");
    let text = text.replacen("name = \"unequal\"", "name = \"unequal\"\nas-written = true", 1);
    let names = |overrides: &Overrides| {
        let suite = Suite::parse_with("base.toml", &text, overrides).unwrap();
        let names: Vec<_> =
            suite.measured().iter().filter_map(Suite::variant).map(|variant| variant.name.clone()).collect();
        (names, suite.notes(|_, _| true))
    };
    let flag = |name: &str, value: &str| Overrides::default().with(name, [value]);
    let (all, none) = names(&Overrides::default());
    assert!(all.contains(&"unequal".to_owned()) && none.is_empty(), "{all:?} {none:?}");
    // It sets the data of its values, and no rounds.
    assert_eq!(names(&flag("rounds", "2")).0, all);
    let (left, notes) = names(&flag("data", "half"));
    assert_eq!(left.len(), all.len() - 1, "{left:?}");
    assert_eq!(
        notes,
        ["unequal: left out, since --data changes what it measures; --variants unequal measures it anyway"]
    );
    let (asked_for, notes) = names(&flag("data", "half").with("variants", ["unequal"]));
    assert!(asked_for == ["unequal"] && notes.is_empty(), "{asked_for:?} {notes:?}");
}

#[test]
fn several_classes_and_a_class_of_a_store_do_not_go_together() {
    let text = SUITE.replace("durability = [\"process\"]", "durability = [\"none\", \"process\"]");
    let errors = Suite::parse("base.toml", &format!("{text}durability = \"none\"\n")).unwrap_err().to_string();
    assert!(errors.contains("give the axis `durability` one level"), "{errors}");
}

#[test]
fn a_baseline_is_made_of_variants() {
    let base = |line: &str| format!("{line}\n{SUITE}{VARIANTS}");
    let suite = Suite::parse("base.toml", &base("baseline = [\"as-it-is\"]")).unwrap();
    assert_eq!(suite.baseline(), ["as-it-is"]);
    let errors = Suite::parse("base.toml", &base("baseline = \"as-it-was\"")).unwrap_err().to_string();
    assert!(errors.contains("the baseline `as-it-was` is not a variant"), "{errors}");
}

#[test]
fn disturbances_are_an_axis_that_defines_cells() {
    let text = SUITE.replace("threads = [1]", "disturbance = [\"none\", \"video\"]");
    let plan = planned(&Suite::parse("base.toml", &text).unwrap());
    let calm = planned(&Suite::parse("base.toml", SUITE).unwrap());
    assert_eq!(plan.workloads.len(), 2 * calm.workloads.len());
    let (none, video) = plan.workloads.split_at(calm.workloads.len());
    assert_eq!(none[0].cells[0].id, calm.workloads[0].cells[0].id, "an undisturbed cell is the cell it always was");
    assert!(video.iter().all(|workload| workload.conditions.disturbance == Disturbance::Video));
    assert_eq!(video[0].cells[0].axes.disturbance.as_deref(), Some("video"));
    assert_ne!(video[0].cells[0].id, none[0].cells[0].id);
}

#[test]
fn media_given_with_flags_are_the_axis_where_a_suite_names_none() {
    let media = Overrides::default().with("medium", ["ssd", "hdd"]);
    let suite = Suite::parse("base.toml", SUITE).unwrap().with_overrides(&media).unwrap();
    assert_eq!(suite.all_media(), ["ssd", "hdd"]);
    let named = SUITE.replace("threads = [1]", "media = [\"ssd\"]");
    let named = Suite::parse("base.toml", &named).unwrap().with_overrides(&media).unwrap();
    assert_eq!(named.all_media(), ["ssd"], "a suite's own names stay");
}

#[test]
fn flags_that_give_other_numbers_are_told() {
    assert!(suite().numbers_given().is_empty());
    let flags = Overrides::default().with("records", "10,20".split(',')).with("stores", ["tree"]);
    assert_eq!(suite().with_overrides(&flags).unwrap().numbers_given(), ["--records 10,20"]);
    let both = Overrides::default().with("records", ["1000"]).with("scale", ["0.5"]);
    assert_eq!(suite().with_overrides(&both).unwrap().numbers_given(), ["--records 1000"]);
    let scaled = Overrides::default().with("scale", ["1"]);
    assert!(suite().with_overrides(&scaled).unwrap().numbers_given().is_empty());
}
