//! A suite to change and stores to plan for.

use std::collections::BTreeMap;

use bakeoff_protocol::{
    Capabilities, Durability, DurabilitySupport, MemorySplit, NotOffered, Setting, SettingKind, Step, StoreDescription,
    Structure,
};
use bakeoff_suite::{Plan, PlanMedium, Suite, SuiteErrors, plan};

/// A suite that uses most keys. Tests change a line of it.
pub(crate) const SUITE: &str = r#"title = "Base"
summary = "To be changed."
seed = 7
rounds = 3

[axes]
stores = ["tree", "files"]
value-size = ["10B", "1KiB..10KiB"]
records = [1_000, "10k"]
data = ["random", "text"]
durability = ["process"]
threads = [1]

[limits]
max-db-size = "1GiB"
timeout = "5m"

[[phases]]
name = "load"
operation = "insert"

[[phases]]
name = "read"
operation = "get"
operations = 500
access = "zipfian"
missing = 0.1

[[phases]]
name = "remove"
operation = "delete"
operations = 500
restore = true

[[phases]]
name = "list"
operation = "scan-all"
operations = 1
order = "any"

[settings.tree]
cache = "64MiB"
"#;

/// The suite with the first `from` replaced.
pub(crate) fn changed(from: &str, to: &str) -> String {
    assert!(SUITE.contains(from), "the suite has no {from:?}");
    SUITE.replacen(from, to, 1)
}

/// The suite with one change, still valid.
pub(crate) fn suite(from: &str, to: &str) -> Suite {
    Suite::parse("base.toml", &changed(from, to)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A store with every capability, keys of up to 511 bytes, and each kind of setting.
pub(crate) fn tree() -> StoreDescription {
    let setting = |name: &str, kind| Setting {
        step: None,
        memory: false,
        room: None,
        flushing: Vec::new(),
        promises: BTreeMap::new(),
        alone: Vec::new(),
        uncompressed: None,
        name: name.to_owned(),
        kind,
        default: None,
        help: String::new(),
        source: String::new(),
    };
    StoreDescription {
        name: "tree".to_owned(),
        title: "Tree".to_owned(),
        summary: String::new(),
        version: "1".to_owned(),
        license: "MIT".to_owned(),
        language: "Rust".to_owned(),
        structure: Structure::BTree,
        durability: classes(&Durability::ALL),
        not_offered: BTreeMap::new(),
        capabilities: Capabilities {
            scan_from: true,
            scan_ordered: true,
            scan_any_order: true,
            batch: true,
            batch_reads: true,
            atomic_batch: true,
            insert_refuses: true,
            parallel_readers: true,
            parallel_writers: true,
            multi_process: true,
            compacted_copy: false,
            exists: true,
            exists_call: false,
            scan_prefix: true,
            keeps_data: true,
        },
        key_bytes_max: Some(511),
        value_bytes_max: None,
        key_bytes_min: 1,
        files: String::new(),
        table_files: Vec::new(),
        directories: Vec::new(),
        settings: vec![
            setting("cache", SettingKind::Bytes { min: 1 << 20, max: 1 << 30 }),
            setting("page", SettingKind::Bytes { min: 512, max: 65_536 }).stepping(Step::PowerOfTwo),
            setting("extent", SettingKind::Bytes { min: 4_096, max: 1 << 30 }).stepping(Step::MultipleOf(4_096)),
            setting("readers", SettingKind::Integer { min: 1, max: 126 }),
            setting("mapped", SettingKind::Boolean),
            setting("table", SettingKind::Choice { words: vec!["rowid".to_owned(), "without-rowid".to_owned()] }),
        ],
        memory: None,
        always_compresses: None,
        test_only: false,
        unlocked: false,
        twin_of: None,
    }
}

/// A store without order, batches, settings, its own memory, or a durability level above `process`.
pub(crate) fn files() -> StoreDescription {
    let mut store = tree();
    store.name = "files".to_owned();
    store.durability = classes(&[Durability::None, Durability::Process]);
    let reason = NotOffered { why: "nothing flushes".to_owned(), source: String::new() };
    store.not_offered = BTreeMap::from([(Durability::Power, reason)]);
    store.capabilities.scan_from = false;
    store.capabilities.scan_ordered = false;
    store.capabilities.batch = false;
    store.key_bytes_min = 0;
    store.settings.clear();
    store.memory = Some(MemorySplit { how: String::new(), source: String::new(), shares: Vec::new() });
    store
}

fn classes(list: &[Durability]) -> BTreeMap<Durability, DurabilitySupport> {
    let support = DurabilitySupport {
        how: String::new(),
        source: String::new(),
        after: None,
        flushes: false,
        atomic_batch: None,
        parallel_readers: None,
        parallel_writers: None,
    };
    list.iter().map(|&class| (class, support.clone())).collect()
}

/// Plans for both stores on a default medium with this much free space.
pub(crate) fn plan_with(suite: &Suite, free_bytes: Option<u64>) -> Result<Plan, SuiteErrors> {
    let mut hidden = tree();
    hidden.name = "hidden".to_owned();
    hidden.test_only = true;
    let media = BTreeMap::from([(
        "default".to_owned(),
        PlanMedium { directory: "/tmp".into(), free_bytes, ..PlanMedium::default() },
    )]);
    plan(suite, &[tree(), files(), hidden], &media)
}
