//! The suite that asks a need, with a variant for everything else that the answer might depend on.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Result, bail};
use bakeoff_protocol::Durability;
use bakeoff_results::pick::{Goal, PICK_ASKED, PICK_PHASE, Question};
use bakeoff_suite::{VALUE_BYTES_MAX, drawn_max};
use bakeoff_tape::SizeRange;
use bakeoff_text::{counted, format_count, format_size_range};

use crate::engine::replayed::Replayed;
use crate::pick::conditions::{PromisingMore, loads_in_batches};
use crate::pick::need::{Need, RECORDS_MAX, is_write};

/// Rounds of a race at most: what differs by too little to be seen in so many does not matter.
pub(crate) const ROUNDS_MAX: u32 = 100;

/// Operations of a round: so many that what a store still does with the load is a small part of it, and few where each may wait for the disk.
const OPERATIONS_MAX: u64 = 50_000;
/// Of these three rounds tell the 99.9th percentile: ten of all lie beyond it.
const OPERATIONS_FLUSHED_MAX: u64 = OPERATIONS_P999_MIN;

/// Operations of a round at least, of which three rounds tell the 99th and the 99.9th percentile.
const OPERATIONS_P99_MIN: u64 = 334;
const OPERATIONS_P999_MIN: u64 = 3_334;

/// Operations of a round at least, however long values are, and bytes of values above which it has no more.
const OPERATIONS_MIN: u64 = 1_000;
const VALUES_BYTES_MAX: u64 = 256 << 20;

/// A suite as text, and what its variants are there for.
pub(crate) struct PickSuite {
    pub(crate) text: String,
    pub(crate) questions: Vec<Question>,
}

/// Something that the need is changed in.
#[derive(Default)]
struct Variant {
    name: String,
    words: String,
    /// Lines of `[variants.axes]`.
    axes: String,
    /// Tables of settings of its own.
    settings: String,
    /// Its phases, where they are not those of what was asked.
    phases: String,
    /// Why it cannot be measured, if it cannot: then it is in no suite.
    impossible: Option<String>,
}

impl PickSuite {
    /// The suite for these stores.
    ///
    /// Without `batches`, which some of them do not offer, records are loaded one by one where that is possible. Some promise more than is asked.
    pub(crate) fn new(need: &Need, stores: &[String], promising_more: &PromisingMore, batches: bool) -> Self {
        let phases = phases(need, (&need.mix, need.durability), batches, "phases");
        Self::asking(
            head(need, stores) + &settings(&promising_more.asked, "settings") + &phases,
            variants(need, promising_more, batches),
        )
    }

    /// The suite that replays a tape: nothing of it can be changed but the promise.
    pub(crate) fn replaying(
        need: &Need,
        stores: &[String],
        promising_more: &PromisingMore,
        tape: &Path,
    ) -> Result<Self> {
        let text = format!(
            "{}tape = {}\n\n[axes]\nstores = {stores:?}\ndurability = \"{}\"\n\n[limits]\ntimeout = \"{}s\"\n\n{}",
            of_every_need(need),
            Replayed::path_as_toml(tape)?,
            need.durability,
            timeout_s(need, stores),
            settings(&promising_more.asked, "settings")
        );
        let promise = durability_variant(need.durability.neighbour());
        let why = "as a tape is replayed as it is: `pick --trace` asks it of the like of a trace";
        let of_tape = |variant: Variant| Variant {
            phases: String::new(),
            impossible: (variant.name != promise).then(|| why.to_owned()),
            ..variant
        };
        Ok(Self::asking(text, variants(need, promising_more, false).into_iter().map(of_tape).collect()))
    }

    /// The suite of what stands before its variants, and of these behind what was asked.
    fn asking(mut text: String, variants: Vec<Variant>) -> Self {
        let _ = write!(text, "\n[[variants]]\nname = \"{PICK_ASKED}\"\nsummary = \"What was asked.\"\n");
        for variant in variants.iter().filter(|variant| variant.impossible.is_none()) {
            let _ = write!(text, "\n[[variants]]\nname = \"{}\"\nsummary = \"{}.\"\n", variant.name, variant.words);
            if !variant.axes.is_empty() {
                let _ = write!(text, "[variants.axes]\n{}\n", variant.axes);
            }
            text.push_str(&variant.settings);
            text.push_str(&variant.phases);
        }
        let questions = variants.into_iter().map(|variant| Question {
            variant: variant.name,
            words: variant.words,
            not_measured: variant.impossible,
        });
        Self { text, questions: questions.collect() }
    }
}

/// What stands before the axes.
fn of_every_need(need: &Need) -> String {
    let memory = need.memory_bytes.map_or_else(String::new, |bytes| format!("memory = \"{bytes}B\"\n"));
    format!(
        "title = \"Pick\"\nsummary = \"Which store fits a need, and when another would.\"\nseed = {}\nrounds = {ROUNDS_MAX}\n{memory}",
        need.seed
    )
}

/// The classes of stores that do not offer the one that is asked for.
fn settings(promising_more: &[(String, Durability)], table: &str) -> String {
    let tables = promising_more.iter().map(|(store, class)| format!("[{table}.{store}]\ndurability = \"{class}\"\n\n"));
    tables.collect()
}

/// The parts of a budget of which a round of one store may take one, where there are as many stores.
const PARTS: usize = 6;

/// One store that takes very long must not take the others' time.
fn timeout_s(need: &Need, stores: &[String]) -> u64 {
    let budget_s = need.budget.as_secs();
    let part_s = budget_s / stores.len().clamp(1, PARTS) as u64;
    part_s.clamp(10, 3600).min((budget_s / 2).max(1))
}

/// The name of the variant that asks for another class.
fn durability_variant(class: Durability) -> String {
    format!("durability-{class}")
}

fn head(need: &Need, stores: &[String]) -> String {
    let key = match need.key_bytes {
        4 => "integer".to_owned(),
        bytes if bytes >= 20 && !ascends(need) => format!("sha1:{bytes}"),
        bytes => format!("decimal:{bytes}"),
    };
    let timeout_s = timeout_s(need, stores);
    format!(
        "{}\n\
         [axes]\nstores = {stores:?}\nvalue-size = \"{}\"\nrecords = {}\nkey = \"{key}\"\ndata = \"{}\"\ndurability = \"{}\"\nthreads = {}\n\n\
         [limits]\ntimeout = \"{timeout_s}s\"\n\n",
        of_every_need(need),
        format_size_range(need.value_bytes.min, need.value_bytes.max),
        need.records,
        need.data.name(),
        need.durability,
        need.threads
    )
}

/// Whether keys ascend as records are inserted, as numbers and times do.
fn ascends(need: &Need) -> bool {
    ["latest", "sequential", "insertion"].iter().any(|word| need.access.contains(word))
}

fn phases(need: &Need, (mix, durability): (&[(String, f64)], Durability), batches: bool, table: &str) -> String {
    let batch = if batches || loads_in_batches(durability) { "batch = 1_000\n" } else { "" };
    let load = if ascends(need) { "insertion" } else { "uniform" };
    let weights: Vec<_> = mix.iter().map(|(kind, weight)| format!("{kind} = {weight:?}")).collect();
    let mut text = format!(
        "[[{table}]]\nname = \"load\"\noperation = \"insert\"\naccess = \"{load}\"\n{batch}measure = \"throughput\"\n\n\
         [[{table}]]\nname = \"{PICK_PHASE}\"\nmix = {{ {} }}\noperations = {}\n",
        weights.join(", "),
        operations(need, mix, durability)
    );
    if mix.iter().any(|(kind, _)| kind != "insert") {
        let _ = writeln!(text, "access = {}", need.access);
    }
    text
}

/// Refuses a percentile of which so few operations as a round has say nothing.
///
/// # Errors
/// With what would do.
pub(crate) fn check_percentile(need: &Need, place: &str) -> Result<()> {
    let (goal, least) = match need.optimize {
        Goal::P99 => ("p99", OPERATIONS_P99_MIN),
        Goal::P999 => ("p999", OPERATIONS_P999_MIN),
        _ => return Ok(()),
    };
    let operations = operations(need, &need.mix, need.durability);
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

/// How many operations a round has: as many as tell something, and as the records last.
fn operations(need: &Need, mix: &[(String, f64)], durability: Durability) -> u64 {
    let flushed = durability == Durability::Power && mix.iter().any(|(kind, _)| is_write(kind));
    let most = if flushed { OPERATIONS_FLUSHED_MAX } else { OPERATIONS_MAX };
    let value_bytes = need.value_bytes.min.midpoint(need.value_bytes.max).max(1);
    let operations = (VALUES_BYTES_MAX / value_bytes).clamp(OPERATIONS_MIN, most);
    // At most half as many come, and half go, as there are: the store stays about as large, and every thread has some left.
    let total: f64 = mix.iter().map(|(_, weight)| weight).sum();
    let share = |of: &str| mix.iter().filter(|(kind, _)| kind == of).map(|(_, weight)| weight / total).sum::<f64>();
    let changing = share("insert").max(share("delete"));
    if changing <= 0.0 {
        return operations;
    }
    let lasting = need.records as f64 / 2.0 / changing;
    let mut operations = operations.min(lasting as u64).max(1);
    while operations > 1 && drawn_max(share("delete"), operations.div_ceil(need.threads)) >= need.records / need.threads
    {
        operations -= operations.div_ceil(10);
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

fn variants(need: &Need, promising_more: &PromisingMore, batches: bool) -> Vec<Variant> {
    let mut variants = Vec::new();
    let mut add = |name: &str, words: String, axes: String, impossible| {
        variants.push(Variant { name: name.to_owned(), words, axes, impossible, ..Variant::default() });
    };
    let SizeRange { min, max } = need.value_bytes;
    if max >= 1 {
        let text = format_size_range(min.saturating_mul(2), max.saturating_mul(2));
        let impossible = (max > VALUE_BYTES_MAX / 2).then(|| "since bakeoff has no values of that size".to_owned());
        add("values-doubled", format!("Values twice as long, {text}"), format!("value-size = \"{text}\""), impossible);
    }
    if max >= 2 {
        let text = format_size_range(min / 2, max / 2);
        add("values-halved", format!("Values half as long, {text}"), format!("value-size = \"{text}\""), None);
    }
    let records = need.records.saturating_mul(10);
    let words = format!("Ten times the records, {}", format_count(records));
    let impossible =
        (records > RECORDS_MAX).then(|| format!("since bakeoff takes no more than {}", format_count(RECORDS_MAX)));
    add("records-tenfold", words, format!("records = {records}"), impossible);
    let phases = |mix: &[(String, f64)], class| phases(need, (mix, class), batches, "variants.phases");
    let class = need.durability.neighbour();
    variants.push(Variant {
        name: durability_variant(class),
        words: format!("Durability {class}"),
        axes: format!("durability = \"{class}\""),
        settings: settings(&promising_more.otherwise, "variants.settings"),
        phases: phases(&need.mix, class),
        ..Variant::default()
    });
    if !need.mix.iter().all(|(kind, _)| is_write(kind)) {
        let unknown = need.threads > 1 && need.does("scan");
        variants.push(Variant {
            name: "more-writes".to_owned(),
            words: "More writes".to_owned(),
            phases: phases(&more_writes(&need.mix), need.durability),
            impossible: unknown.then(|| "since what a scan finds while other threads write is not known".to_owned()),
            ..Variant::default()
        });
    }
    variants
}

#[cfg(test)]
mod tests {
    use bakeoff_suite::Suite;

    use super::*;
    use crate::pick::items::ITEMS;
    use crate::pick::typed::Typed;

    fn need(words: &[(&str, &str)]) -> Need {
        let mut typed = Typed::default();
        for (key, text) in words {
            let item = ITEMS.iter().find(|item| item.key == *key).unwrap();
            typed.set(item, format!("--{key}"), (*text).to_owned());
        }
        Need::read(&typed).unwrap_or_else(|error| panic!("{error:#}"))
    }

    #[test]
    fn every_need_makes_a_suite() {
        let mixes = [
            "get=1",
            "insert=100",
            "delete=9,get=1",
            "scan=1",
            "get=70,update=20,insert=10",
            "upsert=1,delete=3",
            "get=50,insert=25,delete=25",
        ];
        for mix in mixes {
            for access in ["uniform", "zipfian:0.8", "latest", "hot:0.1/0.9", "sequential"] {
                for (records, size, key, threads) in [
                    ("2", "0", "4", "1"),
                    ("10", "1KiB", "16", "1"),
                    ("10", "1KiB", "16", "4"),
                    ("1000", "1KiB..10KiB", "16", "4"),
                    ("100M", "1B", "128", "1"),
                    ("7", "1GiB", "20", "2"),
                ] {
                    let words = [
                        ("mix", mix),
                        ("access", access),
                        ("records", records),
                        ("value-size", size),
                        ("key-size", key),
                        ("threads", threads),
                        ("durability", "power"),
                        ("memory", "64MiB"),
                    ];
                    let suite = PickSuite::new(
                        &need(&words),
                        &["a".to_owned(), "b".to_owned()],
                        &PromisingMore::default(),
                        records != "10",
                    );
                    let parsed = Suite::parse("pick", &suite.text);
                    let parsed =
                        parsed.unwrap_or_else(|errors| panic!("{mix} {access} {records}: {errors}\n{}", suite.text));
                    let possible = suite.questions.iter().filter(|question| question.not_measured.is_none());
                    assert_eq!(parsed.measured().len(), possible.count() + 1);
                    let operations = parsed.phases()[1].operations.unwrap_or(0);
                    assert!(records.len() <= 2 || operations >= 250, "{mix} {records}: {operations} operations");
                }
            }
        }
    }

    #[test]
    fn an_imported_tape_has_the_phase_that_answers_look_at() {
        assert_eq!(bakeoff_trace::IMPORT_PHASE, PICK_PHASE);
    }

    #[test]
    fn questions_change_one_thing_each() {
        let suite = PickSuite::new(
            &need(&[("value-size", "1KiB..10KiB"), ("records", "10k")]),
            &["a".to_owned()],
            &PromisingMore::default(),
            true,
        );
        let words: Vec<_> = suite.questions.iter().map(|question| question.words.as_str()).collect();
        let expected = [
            "Values twice as long, 2KiB..20KiB",
            "Values half as long, 512B..5KiB",
            "Ten times the records, 100,000",
            "Durability power",
            "More writes",
        ];
        assert_eq!(words, expected);
        // Nothing is no half and no double of nothing.
        let suite = PickSuite::new(&need(&[("value-size", "0")]), &["a".to_owned()], &PromisingMore::default(), true);
        assert!(suite.questions.iter().all(|question| !question.variant.starts_with("values-")));
    }
}
