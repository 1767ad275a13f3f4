//! A trace as a need: the items that `bakeoff pick` takes, and a description for people.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bakeoff_engine::pick::{Access, BATCH_MAX, Hot, KEY_BYTES_HASHED, OPERATIONS_USUAL};
use bakeoff_engine::{Reporter, Watch, shown};
use bakeoff_suite::VALUE_BYTES_MAX;
use bakeoff_tape::{KEY_BYTES_MAX, KeyForm, Operation, Progress, Recording, SizeRange, TapeReader, key_bytes_needed};
use bakeoff_text::{
    approximate_size, counted, digits, format_count, format_duration, format_size, format_size_range, paragraph,
    percent, printable, shell_command,
};
use bakeoff_trace::{
    Law, Misfit, Omitted, Popularity, ReadOptions, RecordSizes, Sizes, Summary, Trace, Turnover, exponent_of_tenth,
};

use crate::items::ACCESS_ASSUMED;
use crate::shown::Shown;

/// The fewest keys of which one can be more popular than another.
const RECORDS_MIN: u64 = 2;

/// The minimum of operations in a round, even if the trace has fewer: with three rounds it is enough for the 99.9th percentile.
const OPERATIONS_MIN: u64 = 3_334;

/// Weights of a mix are the counts of a trace if their sum is at most this.
const WEIGHTS_SUM_MAX: u64 = 100_000_000;

/// The maximum width of a line.
const COLUMNS: usize = 100;

/// The most names of columns that are listed.
const COLUMNS_SHOWN: usize = 8;

/// The share of inserts from which on the order of inserts matters.
const APPENDED_MIN: f64 = 0.05;

/// The share of operations on the newest tenth of the records from which on the access counts as `latest`.
const NEWEST_POPULAR: f64 = 0.3;

/// The access in the order of insertion: it removes the oldest.
const IN_ORDER: Access = Access::Named("insertion");

/// Smaller exponents by age count as none: all ages are alike.
const LATEST_EXPONENT_MIN: f64 = 0.1;

/// The reason why a trace does not show the popularity of keys.
pub(crate) const POPULARITY_UNKNOWN: &str = "too few keys, or too few operations on each";

/// Reads a trace to its end.
///
/// # Errors
/// It cannot be read, or is not a trace.
pub fn read(path: &Path, options: &ReadOptions, reporter: Reporter) -> Result<Summary> {
    if path.is_dir() {
        bail!(
            "{} is a directory, and a trace is a file: a tape from `{} tape import` goes with --tape",
            shown(path),
            bakeoff_text::program()
        );
    }
    let watch = Watch::begin(reporter)?;
    let progress = |progress: Progress<'_>| watch.hear(progress);
    let read = Trace::open(path, options, &progress).and_then(|trace| Summary::read(trace, &progress));
    read.with_context(|| format!("cannot take {} as a trace", path.display()))
}

/// What the trace shows, by the keys of a need, without what it does not show.
pub(crate) fn need(summary: &Summary) -> Vec<(&'static str, Shown)> {
    // Weights have a limit, and traces have none.
    let divisor = summary.operations.div_ceil(WEIGHTS_SUM_MAX).max(1);
    let kinds = mix(summary);
    // More operations than in the trace would write more than the application did. Fewer give an imprecise round.
    let operations = kinds.iter().map(|(_, count)| count).sum::<u64>().max(OPERATIONS_MIN);
    let mix = kinds.into_iter().map(|(kind, count)| (kind, count.div_ceil(divisor))).collect();
    let records = summary.turnover.records_max.max(RECORDS_MIN).max(summary.threads.unwrap_or(1).into());
    let keys = key_bytes(summary, records.saturating_add(operations));
    let mut need = vec![
        // A need has a record for each thread.
        ("records", Shown::Count(records)),
        ("key-size", Shown::KeySizes(keys)),
        ("mix", Shown::Mix(mix)),
    ];
    // A store must take all keys, even if none so long is measured.
    if summary.key_bytes.max > keys.max {
        need.push(("longest-key", Shown::Bytes(summary.key_bytes.max)));
    }
    // The sizes of records count, not those of operations, since records are loaded.
    let of_popular = summary.sizes_by_popularity.as_ref().map(|sizes| sizes.map(|bytes| bytes.min(VALUE_BYTES_MAX)));
    need.extend(of_popular.map(|sizes| ("value-size", Shown::ValueSizes(sizes))));
    let of_all = summary.record_value_bytes.filter(|_| summary.sizes_by_popularity.is_none());
    need.extend(of_all.map(|records| {
        let SizeRange { min, max } = records.range;
        // A range with the mean of a few small and many of the largest values would exceed the largest.
        let range = SizeRange { min: min.min(VALUE_BYTES_MAX), max: max.min(VALUE_BYTES_MAX) };
        ("value-size", Shown::ValueSizes(range.into()))
    }));
    need.extend(missing(summary).map(|part| ("missing", Shown::Part(to_three_digits(part)))));
    need.extend(summary.batch().map(|writes| ("batch", Shown::Count((writes.round() as u64).min(BATCH_MAX)))));
    if appends(summary) && keys.min >= KEY_BYTES_HASHED {
        need.push(("key-form", Shown::KeyForm(KeyForm::Decimal)));
    }
    need.extend(threads(summary).map(|threads| ("threads", Shown::Count(threads.into()))));
    need.extend(access(summary).map(|access| ("access", access)));
    if operations < OPERATIONS_USUAL {
        need.push(("operations", Shown::Count(operations)));
    }
    need
}

/// Lengths of keys with the same mean as in the trace. Each record needs a unique key, while a trace may repeat keys.
fn key_bytes(summary: &Summary, records: u64) -> SizeRange {
    let SizeRange { min, max } = summary.record_key_bytes.even_range();
    let needed = key_bytes_needed(KeyForm::Integer, records).into();
    let max = max.min(summary.key_bytes.max).clamp(needed, KEY_BYTES_MAX as u64);
    SizeRange { min: min.clamp(needed, max), max }
}

/// The operations by kind, on a store that starts with the most records present at one time. Operations of the trace that filled it are not
/// included.
fn mix(summary: &Summary) -> Vec<(Operation, u64)> {
    let reads = summary.mix.iter().filter(|(kind, _)| !kind.writes() && **kind != Operation::ScanAll);
    let writes = summary.turnover.on_a_full_store();
    let mut mix: Vec<_> = reads.map(|(kind, count)| (*kind, *count)).chain(writes).collect();
    mix.retain(|(_, count)| *count > 0);
    mix.sort_unstable();
    if mix.is_empty() {
        // Deletes that found nothing.
        mix.extend(summary.mix.iter().map(|(kind, count)| (*kind, *count)));
    }
    mix
}

/// The distribution of accesses. If records expire, deletes remove the oldest, independent of the other operations.
fn access(summary: &Summary) -> Option<Shown> {
    let usual = usual_access(summary);
    if summary.turnover.removes_the_oldest() && usual != Some(IN_ORDER) {
        let own = BTreeMap::from([(Operation::Delete.name(), IN_ORDER)]);
        return Some(Shown::Accesses(usual.unwrap_or(Access::Named(ACCESS_ASSUMED)), own));
    }
    usual.map(|usual| Shown::Accesses(usual, BTreeMap::new()))
}

/// Whether a part of the access is assumed.
pub(crate) fn assumes_access(summary: &Summary) -> bool {
    usual_access(summary).is_none()
}

/// The distribution of accesses, without deletes. In a queue the oldest records are removed, and no other operation touches existing
/// records.
fn usual_access(summary: &Summary) -> Option<Access> {
    let turnover = &summary.turnover;
    let others = summary.mix.iter().filter(|(kind, _)| !kind.writes()).map(|(_, count)| count).sum::<u64>();
    let others = others + turnover.updated + turnover.replaced;
    if turnover.removes_the_oldest() && turnover.makes_ascending_keys() && others <= turnover.deleted / 10 {
        return Some(IN_ORDER);
    }
    if appends(summary) && others == 0 {
        return Some(IN_ORDER);
    }
    if let Some(access) = of_appended(summary) {
        return Some(access);
    }
    summary.popularity.map(|popularity| of_law(popularity.law))
}

/// Whether it inserts enough records with ascending keys for their order to matter.
fn appends(summary: &Summary) -> bool {
    let inserted = summary.turnover.inserted as f64;
    summary.turnover.makes_ascending_keys() && inserted >= APPENDED_MIN * summary.operations as f64
}

/// The access to records whose keys ascend in order of insertion: by age, if the newest are the most popular or all are alike. `None` if
/// keys do not ascend, or the popularity follows another law.
fn of_appended(summary: &Summary) -> Option<Access> {
    let newest = summary.turnover.newest_tenth().filter(|_| appends(summary))?;
    let is_alike = summary.popularity.is_none_or(|popularity| popularity.law == Law::Uniform);
    let exponent = exponent_of_tenth(summary.turnover.records_max, newest).max(LATEST_EXPONENT_MIN);
    (newest >= NEWEST_POPULAR || is_alike).then(|| skewed("latest", exponent))
}

/// The share of reads by key that find nothing; `None` if all find something.
fn missing(summary: &Summary) -> Option<f64> {
    let count = |kind| summary.mix.get(&kind).copied().unwrap_or(0);
    let reads = count(Operation::Get) + count(Operation::Exists);
    (summary.reads_missing > 0).then(|| summary.reads_missing as f64 / reads as f64)
}

/// The threads of the trace that `pick` can use. It cannot check what a scan finds while other threads write.
fn threads(summary: &Summary) -> Option<u32> {
    let scans = summary.mix.keys().any(|kind| kind.visits());
    let writes = summary.mix.keys().any(|kind| kind.writes());
    summary.threads.filter(|_| !(scans && writes))
}

fn of_law(law: Law) -> Access {
    match law {
        Law::Uniform => Access::Named("uniform"),
        Law::Zipf { theta } => skewed("zipfian", theta),
        Law::Hot { records, operations } => {
            Access::Hot { hot: Hot { records: to_three_digits(records), operations: to_three_digits(operations) } }
        }
    }
}

/// An access with an exponent of two decimals.
fn skewed(word: &'static str, exponent: f64) -> Access {
    Access::Skewed(BTreeMap::from([(word, (exponent * 100.0).round() / 100.0)]))
}

/// A share with three significant digits.
fn to_three_digits(part: f64) -> f64 {
    let places = 10.0_f64.powi(2 - part.log10().floor() as i32);
    (part * places).round() / places
}

/// What an imported tape shows: as for a trace, but exact, since the tape itself is replayed. Also the most bytes of keys and values in the
/// store at one time.
///
/// # Errors
/// The directory has no imported tape.
pub(crate) fn need_of_tape(path: &Path, reporter: Reporter) -> Result<(Vec<(&'static str, Shown)>, u64)> {
    let (workload, recording) = bakeoff_tape::open_import(path)?;
    let mut need = need(&summary_of_tape(&recording, reporter)?);
    need.retain(|(key, _)| !["records", "value-size"].contains(key));
    // A need has a record for each thread.
    let records = workload.records.max(u64::from(workload.lanes));
    need.extend([
        ("records", Shown::Count(records)),
        ("value-size", Shown::ValueSizes(workload.value_bytes.range().into())),
        ("data", Shown::Data(workload.data)),
        ("threads", Shown::Count(workload.lanes.into())),
    ]);
    Ok((need, recording.hints.data_bytes_max))
}

/// Summarises the operations of an imported tape.
///
/// # Errors
/// The tape cannot be read.
pub fn summary_of_tape(recording: &Recording, reporter: Reporter) -> Result<Summary> {
    let last = recording.phases.last().context("the tape has no phase")?;
    let watch = Watch::begin(reporter)?;
    let tape = TapeReader::open(&last.path)?;
    Ok(Summary::of_tape(&tape, recording.hints.records_max, &|progress| watch.hear(progress))?)
}

/// The trace described for people, with the options of `pick` for a similar workload; lines of at most 100 columns.
pub fn describe(summary: &Summary) -> String {
    let total = summary.operations as f64;
    let mix: Vec<_> = summary
        .mix
        .iter()
        .map(|(kind, count)| format!("{} {:.2} %", kind.name(), *count as f64 / total * 100.0))
        .collect();
    let mut out = format!("operations   {}: {}\n", format_count(summary.operations), mix.join(", "));
    if let Some(writes) = summary.batch() {
        out +=
            &format!("commits      {}, of {} writes each on average\n", format_count(summary.commits), digits(writes));
    }
    out += &format!(
        "keys         {} different, {:.1} bytes long on average, at most {}\n",
        format_count(summary.keys),
        summary.record_key_bytes.mean,
        format_size(summary.key_bytes.max)
    );
    out += &describe_turnover(summary);
    out += &describe_misses(summary);
    out += &match summary.value_bytes {
        Some(sizes) => format!("values       of operations {}\n", describe_sizes(sizes)),
        None => "values       no line has the length of one: `pick` assumes a length unless\n             --value-size gives one\n".to_owned(),
    };
    if let (Some(records), Some(operations)) = (summary.record_value_bytes, summary.value_bytes) {
        out += &describe_records(records, operations);
    }
    if let Some(sizes) = &summary.sizes_by_popularity {
        out += &format!("             of popular keys and the rest: {sizes}\n");
    }
    out += &match (summary.popularity, usual_access(summary)) {
        (Some(popularity), _) => describe_popularity(popularity),
        (None, Some(_)) => String::new(),
        (None, None) => format!(
            "popularity   {POPULARITY_UNKNOWN}: `pick` assumes\n             access {ACCESS_ASSUMED} unless --access sets another\n"
        ),
    };
    if let (true, Some(newest)) = (appends(summary), summary.turnover.newest_tenth()) {
        out += &format!(
            "order        keys ascend as records are inserted; the newest tenth has {:.1} % of the\n             operations on existing records\n",
            newest * 100.0
        );
    }
    out += &format!("working set  about {} of keys and values\n", approximate_size(summary.working_set_bytes));
    if let Some(arrival) = summary.arrival {
        out += &format!(
            "arrival      {:.1} operations a second for {}; the time between two varies by\n             {:.2} × its mean (1 for independent arrivals, more for bursts)\n",
            1.0 / arrival.gap_s_mean,
            format_duration(Duration::from_secs_f64(arrival.duration_s)),
            arrival.variation
        );
    }
    if summary.threads.is_some_and(|count| count > 1) && threads(summary).is_none() {
        out += "threads      `pick` takes one: what a scan finds while other threads write could not be checked\n";
    }
    for (number, note) in notes(&summary.omitted, summary.lacks_zone).iter().enumerate() {
        out += &format!("{}{note}\n", if number == 0 { "left out     " } else { "             " });
    }
    for misfit in summary.misfits() {
        out += &paragraph(&sentence(misfit), COLUMNS, "only a tape   ", "              ");
    }
    let quoted = |text: String| if text.contains(' ') { shell_command(&[&text]) } else { text };
    let option = |(key, shown): (&str, Shown)| format!("--{key} {}", quoted(shown.to_string()));
    let options: Vec<_> = need(summary).into_iter().map(option).collect();
    let few = if summary.turnover.records_max < RECORDS_MIN {
        format!(" (with {RECORDS_MIN} records, the minimum)")
    } else {
        String::new()
    };
    let program = bakeoff_text::program();
    out + &format!("\nA similar workload{few}: {program} pick {}\n", options.join(" \\\n  "))
}

/// A property of the trace that a workload drawn from its figures lacks.
pub fn sentence(misfit: Misfit) -> String {
    match misfit {
        Misfit::InOrder { part } => {
            format!(
                "{} of its steps from key to key go in one direction, so operations fall on neighbours.",
                percent(part)
            )
        }
        Misfit::PopularSizes { operations, records } => format!(
            "Popular records have other sizes than the rest: {} on average over operations, {} over records.",
            bytes(operations),
            bytes(records)
        ),
        Misfit::RemovesNothing { part } => {
            format!("{} of its operations remove records that are not there.", percent(part))
        }
        Misfit::Popularity { difference } => {
            format!("No law of popularity comes near: the nearest is off by {} of the operations.", percent(difference))
        }
    }
}

fn bytes(mean: f64) -> String {
    counted(mean.round() as u64, "byte")
}

/// The most records at one time, and which records were removed; empty if nothing was deleted.
fn describe_turnover(summary: &Summary) -> String {
    let Turnover { records_max, deleted, .. } = summary.turnover;
    if deleted == 0 {
        return String::new();
    }
    let which = if summary.turnover.removes_the_oldest() { ", mostly the oldest" } else { "" };
    let times = deleted as f64 / records_max.max(1) as f64;
    format!(
        "records      at most {} at one time; {} were removed{which}, {times:.1} times\n             as many\n",
        format_count(records_max),
        format_count(deleted)
    )
}

/// The share of reads that find nothing, and how to write an unknown length; empty if all find something.
fn describe_misses(summary: &Summary) -> String {
    let reads = summary.mix.get(&Operation::Get).copied().unwrap_or(0);
    match summary.reads_missing {
        0 => String::new(),
        missing => format!(
            "reads        {:.1} % find nothing (value_size 0); leave value_size empty where the length is\n             not known\n",
            missing as f64 / reads as f64 * 100.0
        ),
    }
}

/// What was not imported as an operation, and what was assumed: one sentence each.
pub fn notes(omitted: &Omitted, lacks_zone: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((origin, found)) = &omitted.first_unread {
        let unread = counted(omitted.unread, "line");
        notes.push(format!(
            "{unread} could not be read as operations, the first of them {origin}: `{}`.",
            printable(found)
        ));
    }
    if omitted.without_record > 0 {
        let (touch, are) = if omitted.without_record == 1 { ("touches", "is") } else { ("touch", "are") };
        notes.push(format!("{} {touch} no record, or {are} ignored.", counted(omitted.without_record, "line")));
    }
    if omitted.other_keys > 0 {
        let are = if omitted.other_keys == 1 { "is" } else { "are" };
        notes
            .push(format!("{} on keys that begin otherwise {are} left out.", counted(omitted.other_keys, "operation")));
    }
    if !omitted.columns.is_empty() {
        let shown: Vec<_> = omitted.columns.iter().take(COLUMNS_SHOWN).map(|name| printable(name)).collect();
        let more = omitted.columns.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!("Columns that are not read: {}{more}.", shown.join(", ")));
    }
    if omitted.reads_found_after_all > 0 {
        notes.push(format!(
            "{} found nothing though the record was there (expired or evicted?): on a tape it is found.",
            counted(omitted.reads_found_after_all, "read")
        ));
    }
    if lacks_zone {
        notes.push("Its times have no zone and count as UTC: --time-zone sets another.".to_owned());
    }
    notes
}

fn describe_sizes(sizes: Sizes) -> String {
    if sizes.is_one() {
        return format!("{:.0} bytes each", sizes.mean);
    }
    format!(
        "{:.0} bytes on average; 5 % up to {}, half up to {},\n             95 % up to {}",
        sizes.mean, sizes.p5, sizes.p50, sizes.p95
    )
}

fn describe_records(records: RecordSizes, operations: Sizes) -> String {
    let (sizes, range) = (records.sizes, format_size_range(records.range.min, records.range.max));
    let fit = match records.differs * 100.0 {
        percent if percent < 10.0 => format!("about evenly in {range} ({percent:.1} % of the data differ)"),
        percent => {
            format!("not evenly in {range}, which has their mean:\n             {percent:.0} % of the data differ")
        }
    };
    if operations.is_one() && sizes.is_one() {
        return String::new();
    }
    format!("             of keys {}; {fit}\n", describe_sizes(sizes))
}

fn describe_popularity(popularity: Popularity) -> String {
    let percent = |part: f64| format!("{:.1} %", part * 100.0);
    let (hundredth, tenth) = (percent(popularity.top_hundredth), percent(popularity.top_tenth));
    let shares = format!("1 % of the keys have {hundredth} of the operations, 10 % have {tenth}");
    let law = match popularity.law {
        Law::Uniform => {
            return format!("popularity   all keys alike, except for random variation\n             {shares}\n");
        }
        Law::Zipf { theta } => format!("Zipf's law with exponent {theta:.2}"),
        Law::Hot { records, operations } => {
            let records = to_three_digits(records * 100.0);
            format!("{records} % of the keys have {} of the operations, each part evenly", percent(operations))
        }
    };
    let difference = percent(popularity.difference);
    format!(
        "popularity   {law}: shares of\n             operations differ from that by up to {difference};\n             {shares}\n"
    )
}
