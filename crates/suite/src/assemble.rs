//! Assembles a suite from its file. Everything is read and checked before anything is refused.

mod distribution;
mod flow;
mod like;
mod limits;
pub(crate) mod overrides;
mod phase;
mod rules;
pub(crate) mod scale;
pub(crate) mod settings;
mod tape;
mod tree;
pub(crate) mod variants;
mod warm_up;

use bakeoff_protocol::Durability;
use bakeoff_tape::{AGE_PHASE, KeyForm, Shape, ValueSizes};
use bakeoff_text::{format_size, parse_size};
use bakeoff_tree::{Tree, tree_entries};

use crate::assemble::phase::Phase;
use crate::axes::{self, AXES, Axes, Key, SuiteAxis, has_form, keys};
use crate::error::{Problems, SuiteErrors};
use crate::model::{Ending, Suite};
use crate::node::{Node, SuiteFile, Value};
use crate::read::{self, Table};

const KNOWN: [&str; 22] = [
    "like",
    "title",
    "summary",
    "analysis",
    "tape",
    "speed",
    "seed",
    "rounds",
    "pool-size",
    "value-distribution",
    "memory",
    "baseline",
    "warm-up",
    "ending",
    "cuts",
    "compacted-copy",
    "axes",
    "limits",
    "phases",
    "tree",
    "settings",
    "variants",
];

/// Limits of `memory`, in bytes. No store's buffers fit into less than the minimum.
const MEMORY_BYTES: (u64, u64) = (64 << 10, 1 << 46);

const PHASES_MAX: usize = 100;
/// Power cuts in a round, besides those during creation and recovery.
const CUTS_MAX: u64 = 1_000_000;
const CUTS_DEFAULT: u64 = 100;
const ROUNDS_MAX: u64 = 1_000;
const ROUNDS_DEFAULT: u64 = 3;
const SEED_DEFAULT: u64 = 1;

/// Reads a suite as typed. Writes out every variant.
pub(crate) fn read_file(name: &str, text: &str) -> Result<SuiteFile, SuiteErrors> {
    let mut file = SuiteFile::parse(name, text)?;
    let mut problems = Problems::default();
    like::write_out(&mut file, &mut problems);
    variants::write_out(&mut file, &mut problems);
    if problems.is_empty() { Ok(file) } else { Err(file.errors(problems)) }
}

/// Checks the whole suite, including its variants.
pub(crate) fn check(file: SuiteFile) -> Result<Suite, SuiteErrors> {
    let mut problems = Problems::default();
    let suite = assemble(&file, &mut problems);
    // Every variant would repeat the suite's own errors.
    let variants = if problems.is_empty() { variants::read(&file, &mut problems) } else { Vec::new() };
    let mut suites = Vec::new();
    for (variant, merged) in variants {
        let Some(suite) = assemble(&merged, &mut problems) else { break };
        suites.push(Suite { variant: Some(variant), ..suite });
        if !problems.is_empty() {
            break;
        }
    }
    match suite {
        Some(suite) if problems.is_empty() => Ok(Suite { variants: suites, ..suite }),
        _ => Err(file.errors(problems)),
    }
}

/// Checks that the baseline names variants. Only the file is checked, since a flag may leave some variants out.
pub(crate) fn check_baseline(suite: &Suite) -> Result<(), SuiteErrors> {
    let known: Vec<&str> = suite.variants.iter().filter_map(Suite::variant).map(|each| each.name.as_str()).collect();
    let mut problems = Problems::default();
    let Some(node) = suite.file.root.get("baseline") else { return Ok(()) };
    for name in suite.baseline.iter().filter(|name| !known.contains(&name.as_str())) {
        let help = if known.is_empty() {
            "add [[variants]], or leave `baseline` out".to_owned()
        } else {
            format!("use {}", known.join(", "))
        };
        problems.add_unknown(&node.place, name, &known, format!("the baseline `{name}` is not a variant"), help);
    }
    if problems.is_empty() { Ok(()) } else { Err(suite.file.errors(problems)) }
}

fn assemble(file: &SuiteFile, problems: &mut Problems) -> Option<Suite> {
    let root = Table::new(&file.root, "the suite", &KNOWN, problems)?;
    let name = name(&file.name);
    let title = root.read("title", problems, read::title).unwrap_or_else(|| name.clone());
    let summary = root.read("summary", problems, read::text).unwrap_or_default();
    let analysis = root.read("analysis", problems, read::text).unwrap_or_default();
    let count = |key: &str, limits, default, problems: &mut Problems| {
        root.read(key, problems, |node, what, problems| read::count(node, what, limits, problems)).unwrap_or(default)
    };
    let seed = count("seed", (0, u64::MAX), SEED_DEFAULT, problems);
    let rounds = count("rounds", (1, ROUNDS_MAX), ROUNDS_DEFAULT, problems);
    let memory_bytes = root.read("memory", problems, memory).flatten();
    let limits = limits::read(&root, problems);
    let warm_up = warm_up::read(&root, problems);
    let ending = root.read("ending", problems, ending).unwrap_or(Ending::Closed);
    let cuts = count("cuts", (1, CUTS_MAX), CUTS_DEFAULT, problems) as u32;
    if let (Some(place), true) = (root.key_place("cuts"), ending != Ending::Cut) {
        problems.add(
            place,
            "`cuts` is the number of power cuts, and there are none",
            "add ending = \"cut\", or leave `cuts` out",
        );
    }
    let compacted_copy = root.read("compacted-copy", problems, read::boolean).unwrap_or(false);
    let tree = tree::read(&root, problems);
    let tape = tape::read(&root, problems);
    let speed = tape::speed(&root, problems);
    let axes = axes(&root, tree, problems);
    let phases = if root.get("tape").is_some() { Vec::new() } else { phases(&root, problems) };
    let baseline = root.axis("baseline", problems, read::name).unwrap_or_default();
    let mut axes = axes?;
    let is_typed = root.get("axes").is_some_and(|axes| axes.get("threads").is_some());
    if let (false, Some(phase)) = (is_typed, phases.iter().find(|phase| !phase.spec.roles.is_empty())) {
        axes.threads = vec![phase.spec.threads_of_roles()];
    }
    settings::check_names(&root, &axes.stores, file, problems);
    check_limits(memory_bytes, &axes.memory_limits, file, problems);
    let unequal = settings::is_unequal(file, &axes.stores);
    if unequal && axes.durability.len() > 1 {
        let message = "some stores have a durability level of their own, and the axis has several";
        let help = "give the axis `durability` one level, for the stores without one of their own";
        problems.add(&file.axis_place("durability", 1), message, help);
    }
    for (axis, classes) in [("durability", &axes.durability), ("durability-otherwise", &axes.durability_otherwise)] {
        if let (true, Some(at)) =
            (ending == Ending::Killed, classes.iter().position(|class| *class == Durability::None))
        {
            let message = "durability `none` promises nothing for a process that is killed";
            problems.add(&file.axis_place(axis, at), message, "leave it out, or `ending`");
        }
    }
    let pool_bytes = limits::pool_bytes(&root, &axes, file, problems);
    let value_shape = root.read("value-distribution", problems, distribution::value_shape).unwrap_or_default();
    if let (Some(place), Some(_)) = (root.key_place("value-distribution"), tree) {
        problems.add(place, "the tree determines how long values are", "leave `value-distribution` out");
    }
    if let (false, Some(at)) = (value_shape == Shape::default(), axes.value_bytes.iter().position(ValueSizes::is_mixed))
    {
        let message = "`value-distribution` is for one range of sizes, and `value-size` has several with weights";
        problems.add(&file.axis_place("value-size", at), message, "leave one of them out");
    }
    let has_popular = phases.iter().any(|phase| phase.spec.has_popular_records());
    if let (false, Some(at)) = (has_popular, axes.value_bytes.iter().position(|sizes| sizes.popular().is_some())) {
        let message = "`value-size` says which records are popular, and no phase has popular records";
        let help = "give a phase access = \"zipfian\" or { hot = … }, or leave `popular` out";
        problems.add(&file.axis_place("value-size", at), message, help);
    }
    for (index, phase) in phases.iter().enumerate() {
        rules::check(phase, index, (&axes, tree), file, problems);
    }
    check_age(&phases, (&axes, tree.is_some()), file, problems);
    if problems.is_empty() {
        flow::check(&phases, &axes, file, problems);
    }
    let phases = phases.into_iter().map(|phase| phase.spec).collect();
    let (rounds, file) = (rounds as u32, file.clone());
    let (variant, variants) = (None, Vec::new());
    Some(Suite {
        name,
        title,
        summary,
        analysis,
        seed,
        rounds,
        pool_bytes,
        value_shape,
        memory_bytes,
        axes,
        limits,
        warm_up,
        ending,
        cuts,
        compacted_copy,
        phases,
        tree,
        tape,
        speed,
        replayed: None,
        baseline,
        variant,
        variants,
        unequal,
        scale: None,
        numbers_given: Vec::new(),
        left_out: Vec::new(),
        file,
    })
}

/// Notes if stores cannot be aged: values must be replaceable, and no other phase may have the name of the aging phase.
fn check_age(phases: &[Phase<'_>], (axes, has_tree): (&Axes, bool), file: &SuiteFile, problems: &mut Problems) {
    let Some(at) = axes.ages.iter().position(|age| *age > 0) else { return };
    let place = file.axis_place(axes::AGE, at);
    let help = "leave the axis `age` out";
    if file.root.get("tape").is_some() {
        problems.add(&place, "a tape has its own operations, and none ages the store before them", help);
    } else if has_tree {
        problems.add(&place, "the values of a tree follow from its keys, so none can be replaced", help);
    } else if let Some(phase) = phases.iter().find(|phase| phase.spec.name == AGE_PHASE) {
        let help = "give the phase another name";
        problems.add(phase.table.place("name"), "the axis `age` adds a phase of this name", help);
    }
}

/// Reads `[axes]`. With directory keys, the tree determines number and length of records. An imported tape has both
/// itself.
fn axes(root: &Table<'_>, directory_tree: Option<Tree>, problems: &mut Problems) -> Option<Axes> {
    let node = root.required("axes", "[axes] with stores, value-size and records", problems)?;
    let table = Table::new(node, "[axes]", &keys(), problems)?;
    let mut axes = Axes::default();
    if root.get("tree").is_some() {
        axes.keys = vec![Key::new(KeyForm::Directory)];
    }
    let mut is_complete = true;
    let mut read = |axis: &SuiteAxis, axes: &mut Axes, problems: &mut Problems| {
        if let Some(example) = axis.required {
            table.required(axis.key, example, problems);
        }
        let read = (axis.read)(&table, axes, problems);
        is_complete &= read.is_some() || axis.required.is_none();
    };
    let (key, others): (Vec<_>, Vec<_>) = AXES.iter().partition(|axis| axis.key == axes::KEY);
    key.into_iter().for_each(|axis| read(axis, &mut axes, problems));
    tree::check_keys(root, &table, &axes.keys, problems);
    let is_tree = has_form(&axes.keys, KeyForm::Directory);
    if is_tree {
        axes.value_bytes = tree::value_sizes(directory_tree);
        axes.records = directory_tree.and_then(tree_entries).into_iter().collect();
    }
    let has_sizes = is_tree || root.get("tape").is_some();
    let is_size = |key: &str| tree::OF_THE_TREE.iter().any(|(of, _)| *of == key);
    for axis in others.into_iter().filter(|axis| !(has_sizes && is_size(axis.key))) {
        read(axis, &mut axes, problems);
    }
    is_complete.then_some(axes)
}

/// Reads the memory that every store gets. `Some(None)` means each store's default.
fn memory(node: &Node, what: &str, problems: &mut Problems) -> Option<Option<u64>> {
    match &node.value {
        Value::Text(word) if word == "default" => Some(None),
        _ => read::quantity(node, what, MEMORY_BYTES, parse_size, format_size, problems).map(Some),
    }
}

/// Notes a limit below the memory that stores get: such a cell would be killed for filling its caches.
fn check_limits(given: Option<u64>, limits: &[Option<u64>], file: &SuiteFile, problems: &mut Problems) {
    let Some(given) = given else { return };
    if let Some(at) = limits.iter().position(|limit| limit.is_some_and(|limit| limit < given)) {
        let message = format!("`memory` gives every store {}, and a cell may have less", format_size(given));
        problems.add(&file.axis_place("memory-limit", at), message, "raise the limit, or give stores less `memory`");
    }
}

/// Reads how a cell ends.
fn ending(node: &Node, what: &str, problems: &mut Problems) -> Option<Ending> {
    let choices = [("closed", Ending::Closed), ("killed", Ending::Killed), ("cut", Ending::Cut)];
    read::choice(node, what, &choices, problems)
}

fn phases<'a>(root: &Table<'a>, problems: &mut Problems) -> Vec<Phase<'a>> {
    let Some(node) = root.required("phases", "[[phases]] with name = \"load\" and operation = \"insert\"", problems)
    else {
        return Vec::new();
    };
    let Value::Array(elements) = &node.value else {
        read::wrong_kind(node, "phases", "a list of tables, each headed [[phases]]", problems);
        return Vec::new();
    };
    if elements.is_empty() || elements.len() > PHASES_MAX {
        let help = format!("give 1 to {PHASES_MAX} tables headed [[phases]]");
        problems.add(&node.place, format!("there are {} phases", elements.len()), help);
        return Vec::new();
    }
    let read = |(index, element): (usize, &'a Node)| Phase::read(element, index == 0, problems);
    elements.iter().enumerate().filter_map(read).collect()
}

/// A name that can be part of a directory's name: not empty, without separators, without a leading dot.
fn name(file_name: &str) -> String {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or("");
    let stem = base.strip_suffix(".toml").unwrap_or(base);
    let plain = |character: char| if character.is_ascii_alphanumeric() || character == '_' { character } else { '-' };
    let name: String = stem.chars().take(64).map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "suite".to_owned() } else { name.to_owned() }
}
