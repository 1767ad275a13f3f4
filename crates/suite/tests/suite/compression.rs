//! The axis `compression`: the settings that stop each store from compressing.

use bakeoff_protocol::{Compression, NotOffered, Settings, StoreDescription};
use bakeoff_suite::{Cell, Overrides, Plan, PlanMedium, Suite, plan};
use serde_json::Value;

use crate::common::{changed, files, tree};

/// A store that compresses with `table` = rowid, which is its default.
fn compressing() -> StoreDescription {
    let mut store = tree();
    store.settings[5].default = Some("rowid".into());
    store.settings[5].uncompressed = Some("without-rowid".into());
    store
}

fn planned(store: StoreDescription, settings: &str, compression: &[&str]) -> Plan {
    let text = changed("cache = \"64MiB\"", settings);
    let suite = Suite::parse("base.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let overrides = Overrides::default().with("compression", compression.iter().copied());
    let suite = suite.with_overrides(&overrides).unwrap_or_else(|errors| panic!("{errors}"));
    let media = [("default".to_owned(), PlanMedium { directory: "/tmp".into(), ..PlanMedium::default() })].into();
    plan(&suite, &[store, files()], &media).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The cells of both stores in each condition of one workload.
fn cells(plan: &Plan) -> Vec<&Cell> {
    let first = &plan.workloads[0].workload;
    plan.workloads.iter().filter(|of| of.workload == *first).flat_map(|of| &of.cells).collect()
}

#[test]
fn without_compression_a_store_gets_the_setting_that_it_names_and_others_none() {
    let plan = planned(compressing(), "", &["default", "none"]);
    let cells = cells(&plan);
    let off = Settings::from([("table".to_owned(), Value::from("without-rowid"))]);
    let settings: Vec<_> = cells.iter().map(|cell| (cell.axes.store.as_str(), cell.settings.clone())).collect();
    let none = Settings::new;
    assert_eq!(settings, [("tree", none()), ("files", none()), ("tree", off), ("files", none())]);
    let compression: Vec<_> = cells.iter().map(|cell| cell.axes.compression).collect();
    assert_eq!(compression, [[Compression::Default; 2], [Compression::None; 2]].concat());
    assert!(cells.iter().all(|cell| cell.axes.settings.is_empty()), "the store's name stays as it is");
    assert!(cells[0].id != cells[2].id && cells[1].id != cells[3].id);
}

#[test]
fn cells_that_compress_as_by_default_keep_their_ids() {
    let ids = |plan: &Plan| cells(plan).iter().map(|cell| cell.id.clone()).collect::<Vec<_>>();
    let as_it_was = Suite::parse("base.toml", &changed("cache = \"64MiB\"", "")).unwrap();
    let media = [("default".to_owned(), PlanMedium { directory: "/tmp".into(), ..PlanMedium::default() })].into();
    let as_it_was = plan(&as_it_was, &[tree(), files()], &media).unwrap();
    assert_eq!(ids(&planned(compressing(), "", &["default"])), ids(&as_it_was));
}

#[test]
fn a_store_that_compresses_all_the_same_is_left_out_with_the_reason() {
    let skipped = |store, settings| {
        planned(store, settings, &["none"]).skipped.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let as_set = "tree: n/a: setting `table` = rowid compresses: give another, or compression default";
    assert_eq!(skipped(compressing(), "table = \"rowid\""), [as_set]);
    assert!(skipped(compressing(), "table = \"without-rowid\"").is_empty());
    let reason = NotOffered { why: "pages are packed".to_owned(), source: String::new() };
    let always = StoreDescription { always_compresses: Some(reason), ..tree() };
    assert_eq!(skipped(always, ""), ["tree: n/a: the store cannot switch compression off: pages are packed"]);
}
