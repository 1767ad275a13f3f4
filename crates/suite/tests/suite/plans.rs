//! From a suite and descriptions of stores to cells, skips and ids.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{changed, files, plan_with, suite, tree};
use bakeoff_protocol::Durability;
use bakeoff_suite::{Overrides, Plan, PlanMedium, SkipReason, Suite, offered, plan};
use bakeoff_tape::{Batch, Data, Operation, SizeRange};

fn planned(suite: &Suite) -> Plan {
    plan_with(suite, None).unwrap_or_else(|errors| panic!("{errors}"))
}

fn ids(plan: &Plan) -> Vec<String> {
    plan.workloads.iter().flat_map(|workload| &workload.cells).map(|cell| cell.id.clone()).collect()
}

#[test]
fn axes_multiply_out_and_every_cell_has_an_id_of_its_own() {
    let plan = planned(&suite("seed = 7", "seed = 7"));
    assert_eq!(plan.workloads.len(), 2 * 2 * 2, "sizes × records × data");
    assert!(plan.skipped.is_empty());
    assert!(plan.workloads.iter().all(|workload| workload.cells.len() == 2), "both stores in each");
    let ids = ids(&plan);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 16);
    assert!(ids.iter().all(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
}

#[test]
fn a_cell_says_where_it_stands_and_which_settings_it_was_given() {
    let plan = planned(&suite("seed = 7", "seed = 7"));
    let workload = &plan.workloads[3];
    assert_eq!(workload.workload.value_bytes, SizeRange { min: 1_024, max: 10_240 }.into());
    assert_eq!((workload.workload.records, workload.workload.data), (10_000, Data::Random));
    let axes = &workload.cells[0].axes;
    assert_eq!((axes.suite.as_str(), axes.store.as_str(), axes.medium.as_str()), ("base", "tree", "default"));
    assert_eq!((axes.value_bytes_min, axes.value_bytes_max, axes.records), (1_024, 10_240, 10_000));
    assert_eq!(workload.cells[0].settings["cache"], 64 << 20);
    assert!(workload.cells[1].settings.is_empty());
}

#[test]
fn an_id_depends_on_what_defines_the_cell_and_on_nothing_else() {
    let base = ids(&planned(&suite("seed = 7", "seed = 7")));
    for same in [("rounds = 3", "rounds = 9"), ("\"Base\"", "\"Other\""), ("\"5m\"", "\"9m\""), ("1_000", "\"1k\"")] {
        assert_eq!(ids(&planned(&suite(same.0, same.1))), base, "{same:?} does not define a cell");
    }
    for other in [("seed = 7", "seed = 8"), ("missing = 0.1", "missing = 0.2"), ("\"process\"", "\"none\"")] {
        let ids = ids(&planned(&suite(other.0, other.1)));
        assert!(ids.iter().all(|id| !base.contains(id)), "{other:?} defines other cells");
    }
    let other = ids(&planned(&suite("64MiB", "65MiB")));
    let differ: Vec<_> = base.iter().zip(&other).map(|(before, after)| before != after).collect();
    assert_eq!(differ, [true, false].repeat(8), "a setting defines the cells of its store alone");
}

#[test]
fn an_id_stays_the_same_from_version_to_version() {
    // Results are matched by id across machines. A change here cuts the link to all earlier results.
    assert_eq!(ids(&planned(&suite("seed = 7", "seed = 7")))[..2], ["3333d9ac8c40c0cd", "9baf1e5d67e0e5bd"]);
}

#[test]
fn all_stores_are_all_but_those_for_tests() {
    let all = suite("[\"tree\", \"files\"]", "\"all\"");
    let flag = suite("[\"tree\", \"files\"]", "[\"tree\"]");
    let flag = flag.with_overrides(&Overrides::default().with("stores", ["all"])).unwrap();
    for suite in [all, flag] {
        let plan = planned(&suite);
        let stores: BTreeSet<_> =
            plan.workloads.iter().flat_map(|workload| &workload.cells).map(|cell| &cell.axes.store).collect();
        assert_eq!(stores.into_iter().collect::<Vec<_>>(), ["files", "tree"]);
    }
    let hidden = suite("[\"tree\", \"files\"]", "[\"tree\", \"hidden\"]");
    assert_eq!(planned(&hidden).workloads[0].cells[1].axes.store, "hidden", "one for tests is there when it is named");
}

#[test]
fn flags_take_the_place_of_what_the_suite_says() {
    let overrides = Overrides::default()
        .with("stores", ["files"])
        .with("durability", ["none"])
        .with("records", ["2k"])
        .with("value-size", ["1B..2B"])
        .with("data", ["text"])
        .with("threads", ["2"])
        .with("memory-limit", ["64MiB"])
        .with("memory", ["4MiB"]);
    let overrides = overrides
        .with("rounds", ["5"])
        .with("seed", ["18446744073709551615"])
        .with("max-db-size", ["1MB"])
        .with("timeout", ["1h30m"]);
    let suite = suite("seed = 7", "seed = 7").with_overrides(&overrides).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!((suite.rounds(), suite.seed(), suite.db_bytes_max()), (5, u64::MAX, Some(1_000_000)));
    assert_eq!(suite.timeout().as_secs(), 5_400);
    let plan = planned(&suite);
    assert_eq!((plan.workloads.len(), plan.workloads[0].cells.len()), (1, 1));
    let workload = &plan.workloads[0].workload;
    assert_eq!((workload.records, workload.lanes, workload.data), (2_000, 2, Data::Text));
    assert_eq!(workload.value_bytes, SizeRange { min: 1, max: 2 }.into());
    assert_eq!(plan.workloads[0].conditions.durability, Durability::None);
    assert_eq!(plan.workloads[0].conditions.memory_limit_bytes, Some(64 << 20));
    assert_eq!(plan.workloads[0].cells[0].axes.memory_bytes, Some(4 << 20));
}

#[test]
fn sizes_with_weights_are_one_value_of_the_axis_and_follow_into_cells() {
    let mixed = suite("value-size = [\"10B\", \"1KiB..10KiB\"]", "value-size = [\"10B\", \"30 20KiB, 70 200B\"]");
    let sizes: Vec<String> = mixed.value_bytes().iter().map(ToString::to_string).collect();
    assert_eq!(sizes, ["10B", "70% 200B, 30% 20KiB"]);
    let plan = planned(&mixed);
    let (mixed_ones, others): (Vec<_>, Vec<_>) =
        plan.workloads.iter().partition(|of| of.cells[0].axes.value_mixture.as_deref() == Some("70% 200B, 30% 20KiB"));
    assert_eq!((mixed_ones.len(), others.len()), (4, 4));
    assert!(others.iter().all(|of| of.cells[0].axes.value_mixture.is_none()));
    let workload = mixed_ones[0];
    let axes = &workload.cells[0].axes;
    assert_eq!((axes.value_bytes_min, axes.value_bytes_max), (200, 20 << 10));
    assert_eq!(workload.workload.value_bytes_mean(), 6_284);
    assert!(workload.to_string().ends_with(", values 70% 200B, 30% 20KiB"), "{workload}");
    // The same sizes with other weights are another workload.
    let typed = |text: &str| {
        let flags = Overrides::default().with("value-size", text.split(','));
        let suite = mixed.with_overrides(&flags).unwrap_or_else(|errors| panic!("{errors}"));
        let plan = planned(&suite);
        let ids: std::collections::BTreeSet<String> = plan.workloads.iter().map(|of| of.cells[0].id.clone()).collect();
        (suite.value_bytes().len(), ids)
    };
    let (one, ids) = typed("70% 200B, 30% 20KiB");
    assert_eq!((one, &ids), (1, &typed("7 200B,3 20KiB").1));
    assert!(ids.is_disjoint(&typed("30% 200B, 70% 20KiB").1));
    assert!(ids.is_disjoint(&typed("200B..20KiB").1));
    assert_eq!(typed("70% 200B, 30% 20KiB,1KiB").0, 2);
    assert_eq!(typed("7 200B, 3 20KiB; 1 1B, 1 2B").0, 2);
}

#[test]
fn flags_make_limits_and_axes_where_there_are_none() {
    let without = suite("[limits]\nmax-db-size = \"1GiB\"\ntimeout = \"5m\"\n", "");
    let overrides = Overrides::default().with("max-db-size", ["5MiB"]);
    assert_eq!(without.with_overrides(&overrides).unwrap().db_bytes_max(), Some(5 << 20));
}

#[test]
fn what_is_too_large_is_skipped_once_with_the_figures() {
    let plan = planned(&suite("1GiB", "20MiB"));
    let shown: Vec<_> = plan.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["1KiB..10KiB × 10,000: too large: about 53.7 MiB of values, and max-db-size is 20MiB"]);
    assert_eq!(plan.workloads.len(), 6, "both data types of that size and count are left out");
}

#[test]
fn what_does_not_fit_the_disk_three_times_is_skipped() {
    let base = suite("seed = 7", "seed = 7");
    let whole = plan_with(&base, None).unwrap();
    let largest = whole.workloads.iter().max_by_key(|plan| plan.estimate.data_bytes_max).unwrap();
    // Three times the data, the values on the tapes, and 64 bytes for each operation.
    let needed = 3 * 10_000 * (5_632 + 32) + largest.workload.pool_bytes + 64 * largest.estimate.operations;
    assert!(plan_with(&base, Some(needed)).unwrap().skipped.is_empty());
    let plan = plan_with(&base, Some(needed - 1)).unwrap();
    let shown: Vec<_> = plan.skipped.iter().map(ToString::to_string).collect();
    let expected = "1KiB..10KiB × 10,000 on medium default: too large for the disk: needs about 164 MiB (three times the data, \
                    and the tapes), and 164 MiB are free; fewer --records, a smaller --value-size or --scale need less";
    assert_eq!(shown, [expected]);
}

#[test]
fn a_compacted_copy_takes_room_too() {
    let base = suite("seed = 7", "seed = 7\ncompacted-copy = true");
    let whole = plan_with(&base, None).unwrap();
    let largest = whole.workloads.iter().max_by_key(|plan| plan.estimate.data_bytes_max).unwrap();
    let needed = 5 * 10_000 * (5_632 + 32) + largest.workload.pool_bytes + 64 * largest.estimate.operations;
    assert!(plan_with(&base, Some(needed)).unwrap().skipped.is_empty());
    let plan = plan_with(&base, Some(needed - 1)).unwrap();
    let shown: Vec<_> = plan.skipped.iter().map(ToString::to_string).collect();
    assert!(shown[0].contains("(three times the data, twice for its compacted copy, and the tapes)"), "{shown:?}");
    assert!(whole.disk_bytes_max() > planned(&suite("seed = 7", "seed = 7")).disk_bytes_max());
}

#[test]
fn what_a_store_does_not_offer_is_skipped_for_that_store_alone() {
    let plan = planned(&suite("\"process\"", "\"power\""));
    let shown: Vec<_> = plan.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["files, power: durability power is not offered (nothing flushes), only none, process"]);
    assert!(plan.workloads.iter().all(|workload| workload.cells.len() == 1));
}

#[test]
fn a_word_for_one_thread_is_not_offered_to_several() {
    let mut store = tree();
    store.settings[5].alone = vec!["rowid".to_owned()];
    let text = changed("[1]", "[1, 2]").replace("cache = \"64MiB\"", "table = \"rowid\"");
    let suite = Suite::parse("base.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let media =
        BTreeMap::from([("default".to_owned(), PlanMedium { directory: "/tmp".into(), ..PlanMedium::default() })]);
    let plan = plan(&suite, &[store, files()], &media).unwrap_or_else(|errors| panic!("{errors}"));
    let skipped: Vec<_> = plan.skipped.iter().map(ToString::to_string).collect();
    let words = "tree, 2 threads: n/a: setting `table` = rowid works with one thread only: give another, or 1 thread";
    assert!(skipped.iter().any(|skipped| skipped == words), "{skipped:?}");
}

#[test]
fn a_word_that_gives_a_class_up_was_refused_by_the_cell_and_not_by_the_plan() {
    let mut store = tree();
    store.settings[5].promises = BTreeMap::from([("rowid".to_owned(), Durability::Process)]);
    let skipped = |word: &str, classes: &str| {
        let text = changed("\"process\"", classes).replace("cache = \"64MiB\"", &format!("table = \"{word}\""));
        let suite = Suite::parse("base.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
        let media =
            BTreeMap::from([("default".to_owned(), PlanMedium { directory: "/tmp".into(), ..PlanMedium::default() })]);
        let plan = plan(&suite, &[store.clone(), files()], &media).unwrap_or_else(|errors| panic!("{errors}"));
        let skipped = plan.skipped.iter().map(ToString::to_string).filter(|words| words.starts_with("tree"));
        skipped.collect::<Vec<_>>()
    };
    let words =
        "tree, power: n/a: setting `table` = rowid lowers the level to process: give another, or ask for that level";
    assert_eq!(skipped("rowid", "\"process\", \"power\""), [words]);
    assert!(skipped("rowid", "\"none\", \"process\"").is_empty());
    assert!(skipped("without-rowid", "\"power\"").is_empty());
}

#[test]
fn a_store_that_offers_another_class_alone_is_measured_in_that_one_by_itself() {
    let otherwise = "[\"power\"]\ndurability-otherwise = [\"none\", \"process\"]";
    let plan = planned(&suite("[\"process\"]", otherwise));
    assert!(plan.skipped.is_empty(), "{:?}", plan.skipped);
    let classes: Vec<_> = plan
        .workloads
        .iter()
        .flat_map(|workload| {
            workload.cells.iter().map(|cell| (cell.axes.store.as_str(), workload.conditions.durability.name()))
        })
        .collect();
    assert!(classes.iter().all(|class| [("tree", "power"), ("files", "none")].contains(class)), "{classes:?}");
    assert_eq!(classes.len(), 2 * planned(&suite("\"process\"", "\"power\"")).workloads.len());
}

#[test]
fn keys_and_values_that_a_store_cannot_take_are_skipped() {
    let base = suite("seed = 7", "seed = 7");
    let media =
        BTreeMap::from([("default".to_owned(), PlanMedium { directory: "/tmp".into(), ..PlanMedium::default() })]);
    let skipped = |change: fn(&mut bakeoff_protocol::StoreDescription)| {
        let mut store = files();
        change(&mut store);
        let plan = plan(&base, &[tree(), store], &media).unwrap();
        assert_eq!(plan.skipped.len(), 1, "{:?}", plan.skipped);
        plan.skipped[0].to_string()
    };
    let long = skipped(|store| store.key_bytes_max = Some(31));
    assert_eq!(long, "files, sha1 keys: sha1 keys have 32 bytes, and the store's limit is 31");
    let short = skipped(|store| store.key_bytes_min = 33);
    assert_eq!(short, "files, sha1 keys: sha1 keys have 32 bytes, and the store's minimum is 33");
    let value = skipped(|store| store.value_bytes_max = Some(10_239));
    assert_eq!(value, "files, 1KiB..10KiB: values have up to 10KiB, and the store's limit is 10239B");
}

#[test]
fn a_store_that_cannot_do_a_write_has_no_cell_and_one_that_cannot_read_has() {
    let batched = planned(&suite("name = \"load\"", "name = \"load\"\nbatch = 100"));
    assert_eq!(batched.skipped.len(), 1);
    assert!(matches!(&batched.skipped[0].why, SkipReason::PhaseNotOffered { phase, .. } if phase == "load"));
    let ordered = planned(&suite("order = \"any\"", "order = \"key\""));
    assert!(ordered.skipped.is_empty(), "a scan that is not offered is n/a, and the rest is measured");
}

#[test]
fn a_store_that_can_do_nothing_after_the_load_has_no_cell() {
    let text = changed("order = \"any\"", "order = \"key\"");
    let start = text.find("[[phases]]\nname = \"read\"").unwrap();
    let end = text.find("[[phases]]\nname = \"list\"").unwrap();
    let suite = Suite::parse("base.toml", &format!("{}{}", &text[..start], &text[end..])).unwrap();
    let plan = planned(&suite);
    assert_eq!(plan.skipped.iter().map(|skip| &skip.why).collect::<Vec<_>>(), [&SkipReason::NothingOffered]);
}

#[test]
fn phases_need_what_they_use() {
    let phases = suite("seed = 7", "seed = 7").phases().to_vec();
    let (unordered, ordered) = (files().capabilities, tree().capabilities);
    assert_eq!(offered(&phases[3], &unordered), Ok(()), "any order");
    let mut listing = phases[3].clone();
    listing.any_order = false;
    assert_eq!(offered(&listing, &unordered), Err("does not offer scans in key order".to_owned()));
    assert_eq!(offered(&listing, &ordered), Ok(()));
    let mut batched = phases[0].clone();
    batched.batch = Batch::All;
    assert_eq!(offered(&batched, &unordered), Err("does not offer batches of writes".to_owned()));
    let mut ranged = phases[1].clone();
    ranged.mix = BTreeMap::from([(Operation::Get, 1.0), (Operation::Scan, 1.0)]);
    assert_eq!(offered(&ranged, &unordered), Err("does not offer scans from a key".to_owned()));
    let mut mixed = phases[1].clone();
    mixed.mix = BTreeMap::from([(Operation::Get, 1.0), (Operation::Update, 1.0)]);
    mixed.batch = Batch::Writes(10);
    let deaf = bakeoff_protocol::Capabilities { batch_reads: false, ..ordered.clone() };
    assert_eq!(offered(&mixed, &ordered), Ok(()));
    assert_eq!(offered(&mixed, &deaf), Err("does not offer reads of the writes in its open batch".to_owned()));
    let blind = bakeoff_protocol::Capabilities { scan_any_order: false, ..unordered };
    assert_eq!(offered(&phases[3], &blind), Err("does not offer scans".to_owned()));
}

#[test]
fn the_pool_has_room_for_many_of_the_largest_values() {
    let pool = |size: &str, line: &str| {
        let text = changed("1GiB", "16TiB")
            .replace("\"10B\", \"1KiB..10KiB\"", &format!("\"{size}\""))
            .replace("seed = 7", line);
        planned(&Suite::parse("base.toml", &text).unwrap()).workloads[0].workload.pool_bytes
    };
    assert_eq!(pool("1KiB", "seed = 7"), 1 << 20);
    assert_eq!(pool("8MiB", "seed = 7"), 128 << 20);
    assert_eq!(pool("1GiB", "seed = 7"), 4 << 30);
    assert_eq!(pool("1KiB", "pool-size = \"1MiB\""), 1 << 20);
}

#[test]
fn estimates_count_what_phases_write() {
    let estimate = planned(&suite("seed = 7", "seed = 7")).workloads[0].estimate;
    assert_eq!(estimate.operations, 1_000 + 500 + (500 + 500) + 1, "what was removed is put back");
    assert_eq!(estimate.data_bytes_max, 1_000 * (10 + 32));
    assert_eq!(estimate.written_bytes, 1_500 * (10 + 32), "what was removed is written again");
}

#[test]
fn a_directory_tree_says_how_many_records_there_are_and_how_long() {
    let text = "
        [axes]\nstores = \"all\"\nthreads = [1, 2]\n[tree]\nfanout = 10\nlevels = 3\npadding = 92
        [[phases]]\nname = \"load\"\noperation = \"insert\"\naccess = \"sequential\"
        [[phases]]\nname = \"walk\"\noperation = \"walk\"\noperations = 100";
    let suite = Suite::parse("tree.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let plan = planned(&suite);
    let workload = &plan.workloads[1].workload;
    assert_eq!((workload.records, workload.lanes, workload.pool_bytes), (1_110, 2, 111_000));
    assert_eq!(workload.value_bytes, SizeRange { min: 100, max: 100 }.into());
}

#[test]
fn values_of_a_tree_are_serialised_as_its_variants_say() {
    let text = "
        [axes]\nstores = \"all\"\n[tree]\nfanout = 5\nlevels = 10\nname-size = \"34B\"
        [[phases]]\nname = \"load\"\noperation = \"insert\"
        [[phases]]\nname = \"walk\"\noperation = \"walk\"\noperations = 100\npast-leaf = true
        [[variants]]\nname = \"long\"
        [[variants]]\nname = \"proto\"\n[variants.tree]\nvalues = \"protobuf\"\nlevels = 9";
    let suite = Suite::parse("tree.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let plan = planned(&suite);
    let workloads: Vec<_> = plan.workloads.iter().map(|workload| &workload.workload).collect();
    assert_eq!((workloads[0].records, workloads[1].records), (12_207_030, 2_441_405));
    assert_eq!(workloads[0].value_bytes, SizeRange { min: 8, max: 8 }.into());
    assert_eq!(workloads[1].value_bytes, SizeRange { min: 114, max: 120 }.into());
    assert_eq!(workloads[0].pool_bytes, 12_207_030 * 8);
    assert!(workloads.iter().all(|workload| workload.phases[1].past_leaf && !workload.phases[1].all_fields));
    let scaled = Overrides::default().with("scale", ["levels=3"]);
    let plan = planned(&suite.with_overrides(&scaled).unwrap_or_else(|errors| panic!("{errors}")));
    let all = Suite::parse("tree.toml", &text.replace("past-leaf = true", "fields = \"all\"")).unwrap_err().to_string();
    assert!(all.contains("values in long have no field but the id"), "{all}");
    assert!(plan.workloads.iter().all(|workload| workload.workload.records == 155), "{:?}", plan.workloads);
}

#[test]
fn a_plan_that_no_run_could_do_is_refused() {
    let many = |range: std::ops::Range<u32>| range.map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let text = changed("1_000, \"10k\"", &many(1_000..1_100)).replace("\"10B\", \"1KiB..10KiB\"", &many(1..100));
    let text = text.replace("threads = [1]", &format!("threads = [{}]", many(1..7)));
    let errors = plan_with(&Suite::parse("base.toml", &text).unwrap(), None).unwrap_err().to_string();
    assert!(errors.contains("the axes make 237,600 cells"), "{errors}");
}

#[test]
fn popular_sizes_need_popular_records() {
    let text = |access: &str| {
        format!(
            "[axes]\nstores = \"null\"\nvalue-size = [\"70% 200B, 30% 20KiB\", \"70% 200B, 30% 20KiB, popular small\"]\nrecords = 100\n\
             [[phases]]\nname = \"load\"\noperation = \"insert\"\n[[phases]]\nname = \"get\"\noperation = \"get\"\noperations = 9\naccess = {access}\n"
        )
    };
    for access in ["\"zipfian\"", "{ hot = { records = 0.1, operations = 0.9 } }"] {
        let suite = Suite::parse("popular.toml", &text(access)).unwrap_or_else(|errors| panic!("{errors}"));
        let sizes: Vec<_> = suite.value_bytes().iter().map(ToString::to_string).collect();
        assert_eq!(sizes, ["70% 200B, 30% 20KiB", "70% 200B, 30% 20KiB, popular small"]);
    }
    let told = Suite::parse("popular.toml", &text("\"latest\"")).unwrap_err().to_string();
    assert!(told.contains("no phase has popular records") && told.contains("access = \"zipfian\""), "{told}");
}
