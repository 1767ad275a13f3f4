//! The suite that asks a need, with a variant for everything else that the answer might depend on.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use bakeoff_protocol::Durability;
use bakeoff_results::goal::{Goal, PICK_PHASE};
use bakeoff_results::map_axis::MapQuantity;
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::{Cut, CutBy, Question, RoundOperations};
use bakeoff_suite::VALUE_BYTES_MAX;
use bakeoff_tape::{KeyForm, Operation, PhaseSpec, SizeRange, drawn_max, key_bytes_needed, key_count, key_lengths};
use bakeoff_text::{counted, format_count, format_size, format_size_range};

use crate::pick::conditions::{PromisingMore, loads_in_batches};
use crate::pick::memory::{MemoryChange, data_bytes, memory_changes, memory_text};
use crate::pick::need::{Need, RECORDS_MAX, does, is_shareable, is_write, looks_up, visits};
use crate::pick::suite_file::{Access, Axes, Limits, Phase, Role, Settings, StoreSettings, SuiteFile, Variant};

/// Rounds of a race at most: a difference that 100 rounds do not show does not matter.
pub(crate) const ROUNDS_MAX: u32 = 100;

/// Operations of a round at most where each may wait for the disk. Three such rounds determine the 99.9th percentile:
/// ten of all operations are beyond it.
const OPERATIONS_FLUSHED_MAX: u64 = OPERATIONS_P999_MIN;

/// Operations of a round at least, so that three rounds determine the 99th and the 99.9th percentile.
const OPERATIONS_P99_MIN: u64 = 334;
const OPERATIONS_P999_MIN: u64 = 3_334;

/// Operations of a round at least, for values of any length, and bytes of values above which it has no more.
const OPERATIONS_MIN: u64 = 1_000;
const VALUES_BYTES_MAX: u64 = 256 << 20;

/// Records that are loaded together, where they are loaded in batches.
const LOAD_BATCH: u64 = 1_000;

/// A suite as text, and what its variants are there for.
pub struct PickSuite {
    /// The text of the suite file.
    pub text: String,
    /// What each variant is there for.
    pub questions: Vec<Question>,
    /// Operations of a round of the asked workload; `None` where a tape has them.
    pub operations: Option<RoundOperations>,
}

/// Something that the need is changed in.
#[derive(Default)]
struct Change {
    name: String,
    words: String,
    /// The quantity of a map that it varies, if it is one.
    varies: Option<MapQuantity>,
    /// Its memory as a suite writes it, where it differs from that of the asked workload.
    memory: Option<String>,
    axes: Option<Axes>,
    settings: Settings,
    /// Its phases, where they differ from those of the asked workload.
    phases: Vec<Phase>,
    /// Why it cannot be measured, if it cannot: then it is in no suite.
    impossible: Option<String>,
}

impl PickSuite {
    /// The suite for these stores.
    ///
    /// Without `batches`, which some of them do not offer, records are loaded one by one where that is possible. Some
    /// have a higher durability level than the need.
    ///
    /// # Errors
    /// It cannot be written as TOML.
    pub fn new(need: &Need, stores: &[String], promising_more: &PromisingMore, batches: bool) -> Result<Self> {
        let suite = SuiteFile {
            axes: axes(need, stores),
            phases: phases(need, (&need.mix, need.durability), batches),
            ..of_every_need(need, stores, promising_more)
        };
        let operations = operations(need, &need.mix, need.durability);
        Ok(Self { operations: Some(operations), ..Self::asking(suite, changes(need, promising_more, batches))? })
    }

    /// The suite that replays a tape: only durability and memory can change.
    ///
    /// # Errors
    /// The tape is not there, or its path is not text.
    pub fn replaying(need: &Need, stores: &[String], promising_more: &PromisingMore, tape: &Path) -> Result<Self> {
        let path = tape.canonicalize().with_context(|| format!("cannot find the tape {}", tape.display()))?;
        let suite = SuiteFile { tape: Some(path), ..of_every_need(need, stores, promising_more) };
        let promise = durability_variant(need.durability.neighbour());
        let why = "as a tape is replayed as it is: `pick --trace` measures a similar workload";
        let of_tape = |change: Change| {
            let leaves_the_tape = change.name == promise || change.axes.is_none() && change.phases.is_empty();
            Change { phases: Vec::new(), impossible: (!leaves_the_tape).then(|| why.to_owned()), ..change }
        };
        Self::asking(suite, changes(need, promising_more, false).into_iter().map(of_tape).collect())
    }

    /// The suite with a variant for the asked workload, and one for each change of it that can be measured.
    fn asking(mut suite: SuiteFile, changes: Vec<Change>) -> Result<Self> {
        let asked = Change { name: PICK_ASKED.to_owned(), words: "What was asked".to_owned(), ..Change::default() };
        let possible = changes.iter().filter(|change| change.impossible.is_none());
        suite.variants = std::iter::once(&asked).chain(possible).map(Change::variant).collect();
        let questions = changes.into_iter().map(|change| Question {
            variant: change.name,
            words: change.words,
            varies: change.varies,
            not_measured: change.impossible,
        });
        Ok(Self { text: suite.to_text()?, questions: questions.collect(), operations: None })
    }
}

impl Change {
    fn variant(&self) -> Variant {
        Variant {
            name: self.name.clone(),
            summary: format!("{}.", self.words),
            memory: self.memory.clone(),
            axes: self.axes.clone(),
            settings: self.settings.clone(),
            phases: self.phases.clone(),
        }
    }
}

/// The part of a suite that is the same for every need, and that the suite of a tape has.
pub(crate) fn of_every_need(need: &Need, stores: &[String], promising_more: &PromisingMore) -> SuiteFile {
    SuiteFile {
        title: "Pick",
        summary: "Which store fits a need, and when another would.",
        seed: need.seed,
        rounds: ROUNDS_MAX,
        ending: (need.optimize == Goal::Recovery).then_some("killed"),
        cuts: None,
        memory: Some(memory_text(need.memory, data_bytes(need))),
        tape: None,
        axes: Axes { stores: Some(stores.to_vec()), durability: Some(need.durability), ..Axes::default() },
        limits: Limits { timeout: format!("{}s", timeout_s(need, stores)) },
        settings: settings(&promising_more.asked),
        phases: Vec::new(),
        variants: Vec::new(),
    }
}

/// The levels of stores that do not offer the requested one.
fn settings(promising_more: &[(String, Durability)]) -> Settings {
    promising_more
        .iter()
        .map(|(store, durability)| (store.clone(), StoreSettings { durability: *durability }))
        .collect()
}

/// A round of one store may take one part of the budget, which has at most this many.
const PARTS: usize = 6;

/// One store that takes very long must not take the others' time.
fn timeout_s(need: &Need, stores: &[String]) -> u64 {
    let budget_s = need.budget.as_secs();
    let part_s = budget_s / stores.len().clamp(1, PARTS) as u64;
    part_s.clamp(10, 3600).min((budget_s / 2).max(1))
}

/// The name of the variant that asks for another level.
fn durability_variant(class: Durability) -> String {
    format!("durability-{class}")
}

pub(crate) fn axes(need: &Need, stores: &[String]) -> Axes {
    let SizeRange { min, max } = need.key_bytes;
    let key = format!("{}:{}", need.form_of_keys().name(), format_size_range(min, max));
    Axes {
        stores: Some(stores.to_vec()),
        value_size: Some(need.value_bytes.to_string()),
        records: Some(need.records),
        key: Some(key),
        data: Some(need.data.name()),
        durability: Some(need.durability),
        threads: Some(need.threads),
        age: None,
    }
}

/// The load, and the phase on the loaded records.
pub(crate) fn phases(need: &Need, (mix, durability): (&[(String, f64)], Durability), batches: bool) -> Vec<Phase> {
    let load = Phase {
        name: "load",
        operation: Some("insert"),
        access: Some(Access::Named(if need.access.ascends() { "insertion" } else { "uniform" })),
        batch: (batches || loads_in_batches(durability)).then_some(LOAD_BATCH),
        measure: Some("throughput"),
        ..Phase::default()
    };
    let roles = roles(need, mix);
    let writes = mix.iter().any(|(kind, _)| is_write(kind));
    let shares = need.threads > 1 && writes && (visits(mix) || !roles.is_empty()) && is_shareable(mix);
    let does_more_than_insert = mix.iter().any(|(kind, _)| kind != "insert");
    let asked = Phase {
        name: PICK_PHASE,
        mix: roles.is_empty().then(|| mix.iter().cloned().collect()),
        roles,
        operations: Some(operations(need, mix, durability).count),
        access: does_more_than_insert.then(|| need.access.clone()),
        access_of: need
            .access_of
            .iter()
            .filter(|(kind, _)| does(mix, kind))
            .map(|(kind, how)| (*kind, how.clone()))
            .collect(),
        batch: (need.batch > 1).then_some(need.batch),
        prefix: need.prefix_of(mix).map(|bytes| format_size(bytes.into())),
        missing: (need.missing > 0.0 && looks_up(mix)).then_some(need.missing),
        cache: need.cold.then_some("cold"),
        shared: shares.then_some(true),
        ..Phase::default()
    };
    vec![load, asked]
}

/// Threads that only read and threads that only write, where a need has both: each do their part of the mix.
fn roles(need: &Need, mix: &[(String, f64)]) -> Vec<Role> {
    let role = |(threads, writes): (u64, bool)| {
        let mix: BTreeMap<String, f64> = mix.iter().filter(|(kind, _)| is_write(kind) == writes).cloned().collect();
        (threads > 0 && !mix.is_empty()).then(|| Role { threads, share: mix.values().sum(), mix })
    };
    let roles: Vec<Role> = [(need.readers, false), (need.writers, true)].into_iter().filter_map(role).collect();
    if roles.len() == 2 { roles } else { Vec::new() }
}

/// Refuses a goal that a need cannot measure.
///
/// # Errors
/// With what would do.
pub fn check_goal(need: &Need, place: &str) -> Result<()> {
    match need.optimize {
        Goal::SlowestCommit if need.batch == 1 => bail!(
            "{place} {}: each write is acknowledged alone, so there are no commits: give the writes of a transaction, such as --batch 100, or \
             choose p999",
            need.optimize.name()
        ),
        Goal::Recovery if need.durability == Durability::None => bail!(
            "{place} {}: at durability none a store need not be whole after its process is killed: choose --durability process, or open",
            need.optimize.name()
        ),
        _ => Ok(()),
    }
}

/// Refuses a percentile that the number of operations of a round cannot determine.
///
/// # Errors
/// With what would do.
pub fn check_percentile(need: &Need, place: &str) -> Result<()> {
    let (goal, least) = match need.optimize {
        Goal::P99 => ("p99", OPERATIONS_P99_MIN),
        Goal::P999 => ("p999", OPERATIONS_P999_MIN),
        _ => return Ok(()),
    };
    let operations = operations(need, &need.mix, need.durability).count;
    if operations < least {
        bail!(
            "{place} {goal}: with {} a round has {} of this mix, and takes {} at least to tell: choose mean, or \
             more records",
            counted(need.records, "record"),
            counted(operations, "operation"),
            format_count(least)
        );
    }
    Ok(())
}

/// Refuses keys that do not have their form, or are too short for the number of records.
///
/// # Errors
/// With what would do.
pub fn check_keys(need: &Need, place: &str) -> Result<()> {
    let (form, SizeRange { min, max }) = (need.form_of_keys(), need.key_bytes);
    let (name, shown) = (form.name(), format_size_range(min, max));
    let (least, most) = key_lengths(form).unwrap_or_default();
    if min < least.into() || max > most.into() {
        bail!("{place} {shown}: {name} keys have {least} to {most} bytes: give a length of these");
    }
    let records = keys_used(need, need.records, &need.mix);
    let count = key_count(form, min as u32);
    if records > count {
        bail!(
            "{place} {shown}: {name} keys of {} name at most {} records, and this need may have {}: use {} or longer",
            format_size(min),
            format_count(count),
            format_count(records),
            format_size(key_bytes_needed(form, records).into())
        );
    }
    Ok(())
}

/// How many keys a round may use: each record has its own, even if others were deleted before it.
fn keys_used(need: &Need, records: u64, mix: &[(String, f64)]) -> u64 {
    let operations = operations(need, mix, need.durability).count;
    let phase = spec(mix);
    // Only writers number new records, at the distance of the number of threads.
    let distance = if need.writers > 0 { need.threads.div_ceil(need.writers) } else { 1 };
    let may_be = |kind| drawn_max(phase.share(kind), operations).saturating_mul(distance);
    // A missing integer is above all others.
    let spare = u64::from(need.missing > 0.0 && need.form_of_keys() == KeyForm::Integer);
    records.saturating_add(may_be(Operation::Insert)).saturating_add(may_be(Operation::Upsert)).saturating_add(spare)
}

/// Why `records` records cannot be measured with such keys, if they cannot.
fn keys_lacking(need: &Need, records: u64, mix: &[(String, f64)]) -> Option<String> {
    let count = key_count(need.form_of_keys(), need.key_bytes.min as u32);
    let lack = keys_used(need, records, mix) > count;
    lack.then(|| format!("since such keys name no more than {} records", format_count(count)))
}

/// A phase that does this.
fn spec(mix: &[(String, f64)]) -> PhaseSpec {
    let kinds = mix.iter().filter_map(|(kind, weight)| Some((Operation::from_name(kind)?, *weight)));
    PhaseSpec::new(PICK_PHASE, kinds, None)
}

/// How many operations a round has: the requested number, unless they take too long or the records do not last.
fn operations(need: &Need, mix: &[(String, f64)], durability: Durability) -> RoundOperations {
    let from = need.operations.max(1);
    let mut operations = RoundOperations { count: from, cut: None };
    let mut at_most = |count: u64, by| {
        if count < operations.count {
            operations = RoundOperations { count: count.max(1), cut: Some(Cut { from, by }) };
        }
    };
    if durability.includes(Durability::Consistent) && mix.iter().any(|(kind, _)| is_write(kind)) {
        at_most(OPERATIONS_FLUSHED_MAX.saturating_mul(need.batch), CutBy::Flushes);
    }
    let value_bytes = (need.value_bytes.mean() as u64).max(1);
    at_most((VALUES_BYTES_MAX / value_bytes).max(OPERATIONS_MIN), CutBy::LongValues);
    // The store becomes at most half as large again, or half as large: what inserts and deletes do beyond each other.
    let phase = spec(mix);
    let more = phase.share(Operation::Insert) - phase.share(Operation::Delete);
    let by = if more > 0.0 { CutBy::Growth } else { CutBy::Shrinkage };
    if more != 0.0 {
        at_most((need.records as f64 / 2.0 / more.abs()) as u64, by);
    }
    let alive = need.records / need.threads;
    // Writers have the deletes of all threads.
    let writing: Vec<_> = mix.iter().filter(|(kind, _)| need.writers == 0 || is_write(kind)).cloned().collect();
    let part =
        writing.iter().map(|(_, weight)| weight).sum::<f64>() / mix.iter().map(|(_, weight)| weight).sum::<f64>();
    let (writing, writers) = (spec(&writing), if need.writers > 0 { need.writers } else { need.threads });
    let lasts =
        |count: u64| writing.records_left(((count as f64 * part).ceil() as u64).div_ceil(writers), alive).is_ok();
    while operations.count > 1 && !lasts(operations.count) {
        let count = operations.count - operations.count.div_ceil(10);
        operations = RoundOperations { count, cut: Some(Cut { from, by: CutBy::Shrinkage }) };
    }
    operations
}

/// Twice the weight for everything that writes; a fifth of updates where nothing did.
fn more_writes(mix: &[(String, f64)]) -> Vec<(String, f64)> {
    let mut more: Vec<_> =
        mix.iter().map(|(kind, weight)| (kind.clone(), if is_write(kind) { weight * 2.0 } else { *weight })).collect();
    if !mix.iter().any(|(kind, _)| is_write(kind)) {
        let total: f64 = mix.iter().map(|(_, weight)| weight).sum();
        more.push(("update".to_owned(), total / 4.0));
    }
    more
}

fn changes(need: &Need, promising_more: &PromisingMore, batches: bool) -> Vec<Change> {
    // Memory comes first: it takes no longer than the asked workload, and often decides the answer.
    let of_memory = |MemoryChange { name, words, varies, memory }| Change {
        name: String::from(name),
        words,
        varies,
        memory: Some(memory),
        ..Change::default()
    };
    let mut changes: Vec<Change> = memory_changes(need).into_iter().map(of_memory).collect();
    // A store in use is never fresh.
    if need.mix.iter().any(|(kind, _)| is_write(kind)) {
        changes.push(Change {
            name: "aged".to_owned(),
            words: "After all data was replaced once".to_owned(),
            axes: Some(Axes { age: Some(1), ..Axes::default() }),
            ..Change::default()
        });
    }
    // More data is given more memory, where memory is what holds the data.
    let mut add = |(name, varies): (&str, MapQuantity), words: String, (axes, data_bytes): (Axes, u64), impossible| {
        let memory = Some(memory_text(need.memory, data_bytes));
        changes.push(Change {
            name: name.to_owned(),
            words,
            varies: Some(varies),
            memory,
            axes: Some(axes),
            impossible,
            ..Change::default()
        });
    };
    let data_bytes = data_bytes(need);
    let of_size = |text: String| Axes { value_size: Some(text), ..Axes::default() };
    let max = need.value_bytes.max();
    if max >= 1 {
        let text = need.value_bytes.map(|bytes| bytes.saturating_mul(2)).to_string();
        let impossible = (max > VALUE_BYTES_MAX / 2).then(|| "since bakeoff has no values of that size".to_owned());
        add(
            ("values-doubled", MapQuantity::ValueSize),
            format!("Values twice as long, {text}"),
            (of_size(text), data_bytes.saturating_mul(2)),
            impossible,
        );
    }
    if max >= 2 {
        let text = need.value_bytes.map(|bytes| bytes / 2).to_string();
        let halved = ("values-halved", MapQuantity::ValueSize);
        add(halved, format!("Values half as long, {text}"), (of_size(text), data_bytes), None);
    }
    let records = need.records.saturating_mul(10);
    let words = format!("Ten times the records, {}", format_count(records));
    let impossible =
        (records > RECORDS_MAX).then(|| format!("since bakeoff takes no more than {}", format_count(RECORDS_MAX)));
    let impossible = impossible.or_else(|| keys_lacking(need, records, &need.mix));
    let tenfold = Axes { records: Some(records), ..Axes::default() };
    let records_tenfold = ("records-tenfold", MapQuantity::Records);
    add(records_tenfold, words, (tenfold, data_bytes.saturating_mul(10)), impossible);
    let phases = |mix: &[(String, f64)], class| phases(need, (mix, class), batches);
    let class = need.durability.neighbour();
    changes.push(Change {
        name: durability_variant(class),
        words: format!("Durability {class}"),
        axes: Some(Axes { durability: Some(class), ..Axes::default() }),
        settings: settings(&promising_more.otherwise),
        phases: phases(&need.mix, class),
        ..Change::default()
    });
    if need.reads() {
        changes.push(Change {
            name: "more-writes".to_owned(),
            words: "More writes".to_owned(),
            varies: Some(MapQuantity::Reads),
            phases: phases(&more_writes(&need.mix), need.durability),
            impossible: keys_lacking(need, need.records, &more_writes(&need.mix)),
            ..Change::default()
        });
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imported_tape_has_the_phase_that_answers_look_at() {
        assert_eq!(bakeoff_trace::IMPORT_PHASE, PICK_PHASE);
    }
}
