//! Whether a workload can be recorded.

use bakeoff_tree::{Tree, TreeValues, ValueForm, name_lengths, tree_entries};

use crate::format::{LANES_MAX, fits_value};
use crate::key::{KEY_BYTES_MAX, key_lengths};
use crate::pool::POOL_BYTES_MAX;
use crate::ranges::range_weight;
use crate::{Access, Batch, Consumer, KeyForm, Measure, OpenLoop, Operation, PhaseSpec, Shape, TapeError, Workload};

/// Ranges that [`Access::Ranges`] has, at most.
const RANGES_MAX: u32 = 10_000;

fn require(holds: bool, what: impl Into<String>, found: impl ToString, expected: &str) -> Result<(), TapeError> {
    if holds { Ok(()) } else { Err(TapeError::workload(what, found, expected)) }
}

/// Refuses what cannot be recorded.
pub(crate) fn validate(workload: &Workload) -> Result<(), TapeError> {
    let Workload { lanes, value_bytes, pool_bytes, .. } = workload;
    require((1..=LANES_MAX).contains(lanes), "lanes", lanes, "use 1 to 4096")?;
    require(!workload.phases.is_empty(), "phases", "none", "give at least one")?;
    let drawn = workload.import.is_none() && workload.key != KeyForm::Raw;
    require(drawn, "key", "raw", "use another form: such keys come from a trace, which is imported and not recorded")?;
    match (workload.key, workload.tree) {
        (KeyForm::Directory, None) => {
            return Err(TapeError::workload("key", "directory without a tree", "give the tree's fanout and levels"));
        }
        (KeyForm::Directory, Some(tree)) => {
            let expected = "the number of entries of the tree: fanout + fanout² + … for each level";
            require(tree_entries(tree) == Some(workload.records), "records", workload.records, expected)?;
            validate_tree(workload, tree)?;
        }
        _ => {
            for part in value_bytes.parts() {
                let range = format!("{} to {}", part.range.min, part.range.max);
                require(fits_value(part.range), "value_bytes", range, "an ascending range below 4 GiB")?;
            }
            let expected = "1 byte to 4 GiB, and at least the longest value";
            let fits = (value_bytes.max().max(1)..=POOL_BYTES_MAX).contains(pool_bytes);
            require(fits, "pool_bytes", pool_bytes, expected)?;
            let one_shape = workload.value_shape.is_uniform() || !value_bytes.is_mixed();
            require(
                one_shape,
                "value_shape",
                "another than uniform",
                "uniform sizes where there are several with weights",
            )?;
        }
    }
    validate_shape("value_shape", workload.value_shape)?;
    for bytes in workload.key_bytes.iter().chain(&workload.key_bytes_max) {
        let fits = key_lengths(workload.key).is_some_and(|(least, most)| (least..=most).contains(bytes));
        require(fits, "key_bytes", bytes, "20 to 128 for sha1 keys, 1 to 128 for decimal ones and integers")?;
    }
    if let Some(most) = workload.key_bytes_max {
        let ascends = workload.key_bytes.is_some_and(|least| least < most);
        require(ascends, "key_bytes_max", most, "above key_bytes, or leave it out")?;
    }
    for (number, phase) in workload.phases.iter().enumerate() {
        let unique = workload.phases[..number].iter().all(|other| other.name != phase.name);
        require(unique, "phases", format!("two named `{}`", phase.name), "give each a name of its own")?;
        validate_phase(workload, phase)?;
    }
    validate_age(workload)
}

/// Only the second phase may age a store, after a load of all records.
fn validate_age(workload: &Workload) -> Result<(), TapeError> {
    for (number, phase) in workload.phases.iter().enumerate().filter(|(_, phase)| phase.turnovers > 0) {
        let load = &workload.phases[0];
        let follows = number == 1 && load.does_only(Operation::Insert) && load.operations.is_none() && !load.restore;
        let updates = phase.does_only(Operation::Update) && phase.operations.is_none() && !phase.read_first;
        let expected = "only the second phase, with only updates, after an insert of all records";
        let what = format!("phase `{}`: turnovers", phase.name);
        require(follows && updates && phase.open_loop.is_none(), what, phase.turnovers, expected)?;
        require(
            workload.key != KeyForm::Directory,
            "turnovers",
            phase.turnovers,
            "0 for directories, whose values follow from their keys",
        )?;
    }
    Ok(())
}

fn validate_tree(workload: &Workload, tree: Tree) -> Result<(), TapeError> {
    let bytes = TreeValues::new(tree).offset(workload.records);
    let expected = "at most 4 GiB of values: use fewer levels, a smaller fanout or less padding";
    require(bytes <= POOL_BYTES_MAX, "the tree's values", format!("{bytes} bytes"), expected)?;
    let padded = tree.padding_bytes == 0 || tree.values == ValueForm::Long;
    require(padded, "padding_bytes", tree.padding_bytes, "0 in serialised values, which have their own length")?;
    let (least, most) = name_lengths(tree);
    let named = tree.name_bytes == 0 || (least..=most).contains(&tree.name_bytes);
    require(named, "name_bytes", tree.name_bytes, &format!("use {least} to {most}, or 0"))?;
    match workload.phases.iter().find(|phase| phase.all_fields).filter(|_| !tree.values.has_fields()) {
        None => Ok(()),
        Some(phase) => Err(TapeError::workload(
            format!("phase `{}`: all_fields", phase.name),
            "true",
            "values of this tree have no field but the id: read that",
        )),
    }
}

fn validate_phase(workload: &Workload, phase: &PhaseSpec) -> Result<(), TapeError> {
    let name = &phase.name;
    let at = |field: &str| format!("phase `{name}`: {field}");
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let named = !name.is_empty() && name.len() <= 64 && name.bytes().all(plain);
    require(named, at("name"), name, "use 1 to 64 lower-case letters, digits and `-`")?;
    let weights = phase.mix.values();
    let sound = weights.clone().all(|weight| weight.is_finite() && *weight >= 0.0) && weights.sum::<f64>() > 0.0;
    require(sound, at("mix"), format!("{:?}", phase.mix), "give weights of at least 0, one of them above")?;
    require(!phase.has(Operation::Commit), at("mix"), "commit", "commits come from `batch`")?;
    validate_roles(workload, phase)?;
    require((0.0..=1.0).contains(&phase.missing), at("missing"), phase.missing, "use 0 to 1")?;
    require(phase.batch != Batch::Writes(0), at("batch"), 0, "use at least 1 write")?;
    if let Some(open_loop @ (OpenLoop::Poisson { per_second } | OpenLoop::Fixed { per_second })) = phase.open_loop {
        let fits = per_second > 0.0 && per_second <= 1e9 && phase.measure == Measure::Latency;
        require(fits, at("open_loop"), format!("{open_loop:?}"), "use a rate above 0, up to 10⁹, and measure latency")?;
    }
    let range = phase.scan_entries;
    require(
        range.min <= range.max,
        at("scan_entries"),
        format!("{} to {}", range.min, range.max),
        "an ascending range",
    )?;
    validate_shape(&at("scan_shape"), phase.scan_shape)?;
    for access in std::iter::once(&phase.access).chain(phase.access_of.values()) {
        validate_access(name, *access)?;
    }
    validate_shared(workload, phase)?;
    let any_order_copy = phase.any_order && phase.consumer == Consumer::Copy && phase.has(Operation::ScanAll);
    require(!any_order_copy, at("consumer"), "copy in any order", "use another consumer, or any_order = false")?;
    let prefix =
        phase.prefix_bytes as usize <= KEY_BYTES_MAX && (phase.prefix_bytes > 0 || !phase.has(Operation::ScanPrefix));
    require(prefix, at("prefix_bytes"), phase.prefix_bytes, "use 1 to 128 for a scan of a prefix")?;
    let reverse = phase.reverse && phase.prefix_bytes > 0;
    require(!reverse, at("reverse"), "true with a prefix", "use one of them")?;
    let walks = phase.has(Operation::Walk) && workload.key != KeyForm::Directory;
    require(!walks, at("mix"), "walk", "only with key = \"directory\" and a tree")
}

/// What a lane may read while others write.
fn validate_shared(workload: &Workload, phase: &PhaseSpec) -> Result<(), TapeError> {
    if workload.lanes == 1 || !phase.writes() {
        return Ok(());
    }
    let at = |field: &str| format!("phase `{}`: {field}", phase.name);
    let has = |is_it: fn(Operation) -> bool| Operation::ALL.into_iter().any(|kind| is_it(kind) && phase.has(kind));
    let scans = has(Operation::scans);
    let expected = "what a scan or walk finds while other threads write is not known: use one thread, phases of their own, or for scans `shared`";
    let unknown = has(Operation::visits) && !phase.shared || phase.has(Operation::Walk);
    require(!unknown, at("mix"), "scans or walks next to writes on several lanes", expected)?;
    if !phase.shared {
        return Ok(());
    }
    let is_fixed = !(phase.has(Operation::Delete) || scans && phase.has(Operation::Insert));
    let expected = "updates and upserts, and inserts where nothing scans: whether another record is there is not known";
    require(is_fixed, at("shared"), format!("{:?}", phase.mix), expected)?;
    let is_known = !scans || !phase.consumer.compares_values();
    let expected = "count or keys: what is in the values of others is not known while they write";
    require(is_known, at("consumer"), format!("{:?}", phase.consumer), expected)
}

fn validate_roles(workload: &Workload, phase: &PhaseSpec) -> Result<(), TapeError> {
    let what = format!("phase `{}`: roles", phase.name);
    let positive = |number: f64| number.is_finite() && number > 0.0;
    for role in &phase.roles {
        let sound = role.threads > 0 && positive(role.share) && positive(role.mix.values().sum());
        require(sound, &what, format!("{role:?}"), "give each threads, a share and weights above 0")?;
    }
    let fits = workload.lanes.is_multiple_of(phase.threads_of_roles());
    let expected = format!("a multiple of {}, the threads of all roles", phase.threads_of_roles());
    require(fits, "lanes", workload.lanes, &expected)?;
    let together = phase.roles.is_empty() || phase.clone().in_roles(phase.roles.clone()).mix == phase.mix;
    require(
        together && (phase.roles.is_empty() || phase.turnovers == 0),
        what,
        "others than the mix",
        "set them by `in_roles`",
    )
}

fn validate_shape(what: &str, shape: Shape) -> Result<(), TapeError> {
    let Shape::Pareto { shape, scale } = shape else { return Ok(()) };
    let fits = (0.0..=10.0).contains(&shape) && scale > 0.0 && scale <= 1e12;
    require(fits, what, format!("shape {shape}, scale {scale}"), "use a shape of 0 to 10 and a scale above 0")
}

fn validate_access(phase: &str, access: Access) -> Result<(), TapeError> {
    let at = |field: &str| format!("phase `{phase}`: {field}");
    match access {
        Access::Zipfian { theta } | Access::Latest { theta } => {
            require((0.0..=100.0).contains(&theta), at("theta"), theta, "use 0 to 100; YCSB uses 0.99")
        }
        Access::Hot { records, operations } => {
            require(records > 0.0 && records <= 1.0, at("hot records"), records, "use a part above 0, up to 1")?;
            require((0.0..=1.0).contains(&operations), at("hot operations"), operations, "use a part from 0 to 1")
        }
        Access::Ranges { ranges, range, key: [a, b] } => {
            let finite = range.iter().all(|number| number.is_finite());
            let weighs = (1..=ranges).all(|rank| (0.0..f64::INFINITY).contains(&range_weight(range, rank)));
            let fits = (1..=RANGES_MAX).contains(&ranges) && finite && weighs && range_weight(range, 1) > 0.0;
            require(
                fits,
                at("ranges"),
                format!("{ranges} by {range:?}"),
                "use 1 to 10,000 whose weights are not negative",
            )?;
            let falls = a > 0.0 && a <= 1.0 && b > 0.0 && b <= 10.0;
            require(
                falls,
                at("ranges key"),
                format!("{a}, {b}"),
                "use a part above 0, up to 1, and a power above 0, up to 10",
            )
        }
        Access::Sequential | Access::Insertion | Access::Uniform => Ok(()),
    }
}
