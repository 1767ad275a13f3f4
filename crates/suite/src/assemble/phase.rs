//! One table of `[[phases]]`.

use std::collections::BTreeMap;

use bakeoff_protocol::STEADY_WITHIN_MAX;
use bakeoff_tape::{
    Access, Batch, Consumer, KEY_BYTES_MAX, LANES_MAX, Measure, OpenLoop, Operation, PhaseSpec, Role, Shape, SizeRange,
};
use bakeoff_text::{format_size, parse_size, shorten};

use crate::assemble::distribution;
use crate::error::Problems;
use crate::limits::RECORDS_MAX;
use crate::node::{Node, Value};
use crate::read::{self, Table, wrong_kind};

/// The maximum of operations in a phase.
const OPERATIONS_MAX: u64 = 1_000_000_000_000;

const KNOWN: [&str; 27] = [
    "name",
    "operation",
    "mix",
    "roles",
    "operations",
    "access",
    "access-of",
    "batch",
    "measure",
    "rate",
    "arrivals",
    "missing",
    "restore",
    "shared",
    "read-first",
    "steady-within",
    "settle",
    "reopen",
    "cache",
    "scan-entries",
    "scan-distribution",
    "prefix",
    "reverse",
    "order",
    "consumer",
    "fields",
    "past-leaf",
];

/// The maximum rate, in operations per second.
const RATE_MAX: u64 = 1_000_000_000;

const CONSUMERS: [(&str, Consumer); 6] = [
    ("count", Consumer::Count),
    ("touch", Consumer::Touch),
    ("crc32", Consumer::Crc32),
    ("xxh64", Consumer::Xxh64),
    ("copy", Consumer::Copy),
    ("keys", Consumer::Keys),
];

/// Kinds of operation whose records `access` chooses. For inserts it is the order.
pub(crate) const CHOOSING: [Operation; 9] = [
    Operation::Insert,
    Operation::Update,
    Operation::Upsert,
    Operation::Get,
    Operation::Delete,
    Operation::Scan,
    Operation::Exists,
    Operation::ScanPrefix,
    Operation::First,
];

/// A phase and its table, which knows the places of its values.
pub(crate) struct Phase<'a> {
    pub(crate) spec: PhaseSpec,
    pub(crate) table: Table<'a>,
}

impl<'a> Phase<'a> {
    /// Reads a phase. The first phase of a suite fills the store.
    pub(crate) fn read(node: &'a Node, is_first: bool, problems: &mut Problems) -> Option<Self> {
        let mut table = Table::new(node, "[[phases]]", &KNOWN, problems)?;
        let example = if is_first { "name = \"load\"" } else { "name = \"get\"" };
        let name = table.required("name", example, problems);
        let name = name.and_then(|node| read::name(node, "name of a phase", problems));
        if let Some(name) = &name {
            table.name = format!("phase `{name}`");
        }
        let roles = roles(&table, problems);
        let mix = match &roles {
            None => mix(&table, problems),
            Some(roles) => Some(PhaseSpec::new("", [], None).in_roles(roles.clone()).mix),
        };
        let operations = operations(&table, is_first, problems);
        let inserts = mix.as_ref().is_some_and(|mix| mix.len() == 1 && mix.contains_key(&Operation::Insert));
        let default = if inserts { Access::Insertion } else { Access::Uniform };
        let does = |operation| mix.as_ref().is_some_and(|mix| mix.contains_key(&operation));
        let entries = match does(Operation::ScanPrefix) && !does(Operation::Scan) {
            true => SizeRange { min: RECORDS_MAX, max: RECORDS_MAX },
            false => SizeRange { min: 1, max: 100 },
        };
        let cold = table.read("cache", problems, cold).unwrap_or(false);
        let shared = table.read("shared", problems, read::boolean).unwrap_or(false);
        let usual = if shared { Consumer::Keys } else { Consumer::Touch };
        let spec = PhaseSpec {
            name: name.unwrap_or_default(),
            mix: mix.unwrap_or_default(),
            roles: roles.unwrap_or_default(),
            operations: operations.flatten(),
            access: table.read("access", problems, distribution::access).unwrap_or(default),
            access_of: table.read("access-of", problems, access_of).unwrap_or_default(),
            batch: table.read("batch", problems, batch).unwrap_or(Batch::Each),
            measure: table.read("measure", problems, measure).unwrap_or(Measure::Latency),
            open_loop: open_loop(&table, problems),
            missing: table.read("missing", problems, read::part).unwrap_or(0.0),
            restore: table.read("restore", problems, read::boolean).unwrap_or(false),
            turnovers: 0,
            shared,
            read_first: table.read("read-first", problems, read::boolean).unwrap_or(false),
            steady_within: table.read("steady-within", problems, steady_within),
            settle: table.read("settle", problems, read::boolean).unwrap_or(false),
            reopen: table.read("reopen", problems, read::boolean).unwrap_or(cold),
            cold,
            scan_shape: table.read("scan-distribution", problems, distribution::scan_shape).unwrap_or(Shape::Uniform),
            scan_entries: table.read("scan-entries", problems, scan_entries).unwrap_or(entries),
            prefix_bytes: table.read("prefix", problems, prefix).unwrap_or(0),
            reverse: table.read("reverse", problems, read::boolean).unwrap_or(false),
            any_order: table.read("order", problems, any_order).unwrap_or(false),
            consumer: table.read("consumer", problems, consumer).unwrap_or(usual),
            all_fields: table.read("fields", problems, all_fields).unwrap_or(false),
            past_leaf: table.read("past-leaf", problems, read::boolean).unwrap_or(false),
        };
        Some(Self { spec, table })
    }

    /// Whether the phase does this operation.
    pub(crate) fn does(&self, operation: Operation) -> bool {
        self.spec.mix.contains_key(&operation)
    }

    /// Whether the phase only inserts.
    pub(crate) fn only_inserts(&self) -> bool {
        self.spec.mix.len() == 1 && self.does(Operation::Insert)
    }

    /// Whether it changes the store.
    pub(crate) fn writes(&self) -> bool {
        self.spec.mix.keys().any(|operation| operation.writes())
    }

    /// The key that defines the phase's operations.
    pub(crate) fn operation_key(&self) -> &'static str {
        let there = |key: &&str| self.table.get(key).is_some();
        ["roles", "mix"].into_iter().find(there).unwrap_or("operation")
    }
}

/// Operations that a suite may name. Commits come from `batch`.
fn known_operations() -> Vec<(&'static str, Operation)> {
    let all = Operation::ALL.into_iter().filter(|&operation| operation != Operation::Commit);
    all.map(|operation| (operation.name(), operation)).collect()
}

/// Threads with their own mixes. `None` if all threads do the same, empty if their operations cannot be read.
fn roles(table: &Table<'_>, problems: &mut Problems) -> Option<Vec<Role>> {
    let node = table.get("roles")?;
    let before = problems.len();
    if let Some(key) = ["operation", "mix"].into_iter().find(|key| table.get(key).is_some()) {
        let message = format!("{} has both `roles` and `{key}`", table.name);
        problems.add(&node.place, message, "leave one of them out");
    }
    let mut all: Vec<Role> = Vec::new();
    match &node.value {
        Value::Array(elements) if elements.len() > 1 => {
            all.extend(elements.iter().filter_map(|element| role(element, &table.name, problems)));
        }
        _ => wrong_kind(
            node,
            "roles",
            "a list of two or more, such as [{ threads = 3, mix = { get = 1 } }, …]",
            problems,
        ),
    }
    let threads = all.iter().map(|role| u64::from(role.threads)).sum::<u64>();
    if threads > u64::from(LANES_MAX) {
        problems.add(
            &node.place,
            format!("its roles have {threads} threads"),
            format!("give them {LANES_MAX} at most"),
        );
    }
    Some(if problems.len() == before { all } else { Vec::new() })
}

fn role(node: &Node, phase: &str, problems: &mut Problems) -> Option<Role> {
    let table = Table::new(node, &format!("a role of {phase}"), &["threads", "share", "operation", "mix"], problems)?;
    let threads = table.required("threads", "threads = 3", problems);
    let threads = threads.and_then(|node| read::count(node, "threads", (1, LANES_MAX.into()), problems));
    let share = table.read("share", problems, |node, what, problems| {
        let share = read::number(node, what, problems)?;
        if !(share > 0.0 && share <= 1e9) {
            problems.add(&node.place, format!("`{what}` is {share}"), "give a weight above 0, up to 1,000,000,000");
        }
        Some(share)
    });
    let (mix, threads) = (mix(&table, problems)?, threads? as u32);
    Some(Role { threads, share: share.unwrap_or_else(|| f64::from(threads)), mix })
}

fn mix(table: &Table<'_>, problems: &mut Problems) -> Option<BTreeMap<Operation, f64>> {
    let known = known_operations();
    match (table.get("operation"), table.get("mix")) {
        (Some(node), None) => {
            let operation = read::choice(node, "operation", &known, problems)?;
            Some(BTreeMap::from([(operation, 1.0)]))
        }
        (None, Some(node)) => weights(node, &known, problems),
        (Some(_), Some(node)) => {
            let message = format!("{} has both `operation` and `mix`", table.name);
            problems.add(&node.place, message, "leave one of them out");
            None
        }
        (None, None) if table.is_misspelt("operation") || table.is_misspelt("mix") => None,
        (None, None) => {
            let message = format!("{} does not say what it does", table.name);
            let help = "add operation = \"get\", or mix = { get = 50, update = 50 }";
            problems.add(&table.place, message, help);
            None
        }
    }
}

fn weights(node: &Node, known: &[(&str, Operation)], problems: &mut Problems) -> Option<BTreeMap<Operation, f64>> {
    let Value::Table(entries) = &node.value else {
        wrong_kind(node, "mix", "a table such as { get = 50, update = 50 }", problems);
        return None;
    };
    if entries.is_empty() {
        problems.add(&node.place, "`mix` is empty", "name an operation, for example { get = 50, update = 50 }");
        return None;
    }
    let before = problems.len();
    let names: Vec<_> = known.iter().map(|&(name, _)| name).collect();
    let mut mix = BTreeMap::new();
    for entry in entries {
        let weight = read::number(&entry.node, &shorten(&entry.key), problems);
        if let Some(weight) = weight.filter(|weight| !(*weight > 0.0 && *weight <= 1e9)) {
            let message = format!("the weight of `{}` is {weight}", shorten(&entry.key));
            problems.add(&entry.node.place, message, "give a weight above 0, up to 1,000,000,000, or leave it out");
        }
        match known.iter().find(|(name, _)| *name == entry.key) {
            Some(&(_, operation)) => drop(mix.insert(operation, weight.unwrap_or(1.0))),
            None => {
                let message = format!("unknown operation `{}`", shorten(&entry.key));
                let help = format!("use {}", names.join(", "));
                problems.add_unknown(&entry.key_place, &entry.key, &names, message, help);
            }
        }
    }
    (problems.len() == before).then_some(mix)
}

/// The number of operations. `Some(None)` means one for each record.
fn operations(table: &Table<'_>, is_first: bool, problems: &mut Problems) -> Option<Option<u64>> {
    if is_first && table.get("operations").is_none() {
        return Some(None);
    }
    let node = table.required("operations", "operations = 1_000, or operations = \"records\"", problems)?;
    match &node.value {
        Value::Text(text) if text == "records" => Some(None),
        _ => read::count(node, "operations", (1, OPERATIONS_MAX), problems).map(Some),
    }
}

/// The schedule of operations: `rate`, and how arrivals are distributed.
fn open_loop(table: &Table<'_>, problems: &mut Problems) -> Option<OpenLoop> {
    let words = [("poisson", true), ("fixed", false)];
    let poisson = table.read("arrivals", problems, |node, what, problems| read::choice(node, what, &words, problems));
    let Some(node) = table.get("rate") else {
        if let Some(place) = table.key_place("arrivals") {
            problems.add(
                place,
                "`arrivals` has no effect without a `rate`",
                "add, for example, rate = \"5k\", or leave it out",
            );
        }
        return None;
    };
    let per_second = read::count(node, "rate", (1, RATE_MAX), problems)? as f64;
    Some(if poisson.unwrap_or(true) { OpenLoop::Poisson { per_second } } else { OpenLoop::Fixed { per_second } })
}

/// Reads a part of the phase's operations. It must leave some operations to measure.
fn steady_within(node: &Node, what: &str, problems: &mut Problems) -> Option<f64> {
    let part = read::number(node, what, problems)?;
    let sound = part > 0.0 && part <= STEADY_WITHIN_MAX;
    if !sound {
        let message = format!("`{what}` is {part}");
        let help = "give a part of the phase's operations, above 0, up to 0.9, for example steady-within = 0.5";
        problems.add(&node.place, message, help);
    }
    sound.then_some(part)
}

fn batch(node: &Node, what: &str, problems: &mut Problems) -> Option<Batch> {
    match &node.value {
        Value::Text(text) if text.bytes().any(|byte| byte.is_ascii_digit()) => {}
        Value::Text(_) => return read::choice(node, what, &[("each", Batch::Each), ("all", Batch::All)], problems),
        _ => {}
    }
    read::count(node, what, (1, RECORDS_MAX), problems).map(Batch::Writes)
}

fn access_of(node: &Node, what: &str, problems: &mut Problems) -> Option<BTreeMap<Operation, Access>> {
    distribution::access_of(node, what, &CHOOSING, problems)
}

fn measure(node: &Node, what: &str, problems: &mut Problems) -> Option<Measure> {
    read::choice(node, what, &[("latency", Measure::Latency), ("throughput", Measure::Throughput)], problems)
}

fn cold(node: &Node, what: &str, problems: &mut Problems) -> Option<bool> {
    read::choice(node, what, &[("warm", false), ("cold", true)], problems)
}

fn scan_entries(node: &Node, what: &str, problems: &mut Problems) -> Option<SizeRange> {
    read::count_range(node, what, (1, RECORDS_MAX), problems)
}

fn prefix(node: &Node, what: &str, problems: &mut Problems) -> Option<u32> {
    let limits = (1, KEY_BYTES_MAX as u64);
    read::quantity(node, what, limits, parse_size, format_size, problems).map(|bytes| bytes as u32)
}

fn any_order(node: &Node, what: &str, problems: &mut Problems) -> Option<bool> {
    read::choice(node, what, &[("key", false), ("any", true)], problems)
}

fn all_fields(node: &Node, what: &str, problems: &mut Problems) -> Option<bool> {
    read::choice(node, what, &[("one", false), ("all", true)], problems)
}

fn consumer(node: &Node, what: &str, problems: &mut Problems) -> Option<Consumer> {
    read::choice(node, what, &CONSUMERS, problems)
}
