//! A trace as a need: the words that `bakeoff pick` takes for what the trace shows, and the trace in words for a person.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bakeoff_engine::{Watch, shown};
use bakeoff_suite::VALUE_BYTES_MAX;
use bakeoff_tape::{Operation, Recording, SizeRange, TapeReader};
use bakeoff_text::{approximate_size, format_count, format_duration, format_size, format_size_range};
use bakeoff_trace::{Form, Law, Popularity, RecordSizes, Sizes, Summary, TimeUnit, Trace};

use crate::output::REPORTER;
use crate::pick::items::ACCESS_ASSUMED;
use crate::pick::word::meaning;

/// Keys of which one can be more popular than another.
const RECORDS_MIN: u64 = 2;

/// Weights of a mix are the counts of a trace up to so many operations.
const WEIGHTS_SUM_MAX: u64 = 100_000_000;

/// Beyond this part of the mean of records, the mean of operations is another one.
const MEANS_DIFFER: f64 = 0.25;

/// Why a trace may not tell how popular keys are.
pub(crate) const POPULARITY_UNKNOWN: &str = "too few keys, or operations on each, to tell";

/// Reads a trace to its end.
pub(crate) fn read(path: &Path, form: Option<Form>, unit: Option<TimeUnit>) -> Result<Summary> {
    if path.is_dir() {
        bail!(
            "{} is a directory, and a trace is a file: what `bakeoff tape import` made goes with --tape",
            shown(path)
        );
    }
    let watch = Watch::begin(REPORTER)?;
    let read = || -> Result<Summary> {
        Ok(Summary::read(Trace::open(path, form)?.in_unit(unit), &|progress| watch.hear(progress))?)
    };
    read().with_context(|| format!("cannot take {} as a trace", path.display()))
}

/// What the trace shows, by the keys of a need. What it does not tell is left out.
pub(crate) fn need(summary: &Summary) -> Vec<(&'static str, String)> {
    // Four bytes are an integer, which no key that is longer can be.
    let key_bytes = match summary.key_bytes.max {
        0..=4 => 4,
        _ => (summary.record_key_bytes.round() as u64).clamp(10, 128),
    };
    let kinds = summary.mix.iter().filter(|(kind, _)| **kind != Operation::ScanAll);
    // Weights have a limit, and traces have none.
    let divisor = summary.operations.div_ceil(WEIGHTS_SUM_MAX).max(1);
    let mix: Vec<_> = kinds.map(|(kind, count)| format!("{}={}", kind.name(), count.div_ceil(divisor))).collect();
    let mut need = vec![
        // A need has a record for each thread.
        ("records", summary.keys.max(RECORDS_MIN).max(summary.threads.unwrap_or(1).into()).to_string()),
        (
            "key-size",
            match summary.key_bytes.max {
                // What is measured has one length, but a store must take them all.
                longest if longest > key_bytes => format!("{key_bytes}B..{longest}B"),
                _ => format!("{key_bytes}B"),
            },
        ),
        ("mix", mix.join(",")),
    ];
    // Of records, not of operations: they are what is loaded.
    need.extend(summary.record_value_bytes.map(|records| {
        let SizeRange { min, max } = records.range;
        // A range with the mean of a few small and many of the largest would end beyond those.
        ("value-size", format_size_range(min, max.min(VALUE_BYTES_MAX)))
    }));
    need.extend(threads(summary).map(|threads| ("threads", threads.to_string())));
    need.extend(summary.popularity.map(|popularity| ("access", access(popularity.law))));
    need
}

/// Threads of the trace that `pick` can take: what a scan finds while other threads write could not be checked.
fn threads(summary: &Summary) -> Option<u32> {
    let scans = summary.mix.keys().any(|kind| kind.visits());
    let writes = summary.mix.keys().any(|kind| kind.writes());
    summary.threads.filter(|_| !(scans && writes))
}

fn access(law: Law) -> String {
    match law {
        Law::Uniform => "uniform".to_owned(),
        Law::Zipf { theta } => format!("zipfian:{theta:.2}"),
        Law::Hot { records, operations } => format!("hot:{}/{}", three_digits(records), three_digits(operations)),
    }
}

/// A part with three digits, however small it is.
fn three_digits(part: f64) -> String {
    let exponent = part.log10().floor() as i32;
    let decimals = usize::try_from(2 - exponent).unwrap_or(0);
    let text = format!("{part:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What an imported tape shows: what a trace does, but what is on the tape is known and not only like it.
pub(crate) fn need_of_tape(path: &Path) -> Result<Vec<(&'static str, String)>> {
    let (workload, recording) = bakeoff_tape::open_import(path)?;
    let mut need = need(&summary_of_tape(&recording)?);
    need.retain(|(key, _)| !["records", "value-size"].contains(key));
    let SizeRange { min, max } = workload.value_bytes;
    // A need has a record for each thread.
    let records = workload.records.max(u64::from(workload.lanes));
    need.extend([
        ("records", records.to_string()),
        ("value-size", format!("{min}B..{max}B")),
        ("data", workload.data.name().to_owned()),
        ("threads", workload.lanes.to_string()),
    ]);
    Ok(need)
}

/// Sums up the operations of an imported tape.
pub(crate) fn summary_of_tape(recording: &Recording) -> Result<Summary> {
    let last = recording.phases.last().context("the tape has no phase")?;
    let watch = Watch::begin(REPORTER)?;
    Ok(Summary::of_tape(&TapeReader::open(&last.path)?, &|progress| watch.hear(progress))?)
}

/// The trace in words, with the options of `pick` that ask for the like; lines of at most 100 columns.
pub(crate) fn describe(summary: &Summary) -> String {
    let total = summary.operations as f64;
    let mix: Vec<_> = summary
        .mix
        .iter()
        .map(|(kind, count)| format!("{} {:.2} %", kind.name(), *count as f64 / total * 100.0))
        .collect();
    let mut out = format!("operations   {}: {}\n", format_count(summary.operations), mix.join(", "));
    out += &format!(
        "keys         {} different, {:.1} bytes long on average, at most {}\n",
        format_count(summary.keys),
        summary.record_key_bytes,
        format_size(summary.key_bytes.max)
    );
    out += &describe_misses(summary);
    out += &match summary.value_bytes {
        Some(sizes) => format!("values       of operations {}\n", describe_sizes(sizes)),
        None => "values       no line tells the length of one: `pick` assumes one of its own unless\n             --value-size says another\n".to_owned(),
    };
    if let (Some(records), Some(operations)) = (summary.record_value_bytes, summary.value_bytes) {
        out += &describe_records(records, operations);
    }
    out += &match summary.popularity {
        Some(popularity) => describe_popularity(popularity),
        None => format!(
            "popularity   {POPULARITY_UNKNOWN}: `pick` assumes\n             access {ACCESS_ASSUMED} unless --access says another\n"
        ),
    };
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
    let options: Vec<_> = need(summary).into_iter().map(|(key, text)| format!("--{key} {text}")).collect();
    let few = if summary.keys < RECORDS_MIN {
        format!(" (with {RECORDS_MIN} records, the fewest there can be)")
    } else {
        String::new()
    };
    out + &format!("\nThe like of it{few}: bakeoff pick {}\n", options.join(" \\\n  "))
}

/// How many reads find nothing, and how to write that a length is not known; nothing if all find something.
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

/// The unit that a word names.
pub(crate) fn time_unit(word: Option<&str>) -> Result<Option<TimeUnit>> {
    let Some(word) = word else { return Ok(None) };
    meaning("--time-unit", word, &TimeUnit::ALL).map(Some)
}

fn describe_sizes(sizes: Sizes) -> String {
    if sizes.is_one() {
        return format!("{:.0} bytes each", sizes.mean);
    }
    format!(
        "{:.0} bytes on average; a twentieth up to {}, half up to {},\n             all but a twentieth up to {}",
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
    let mut out = format!("             of keys {}; {fit}\n", describe_sizes(sizes));
    if (operations.mean / sizes.mean - 1.0).abs() > MEANS_DIFFER {
        out += "             Popular keys have other sizes than the rest: only `bakeoff tape import` keeps that,\n             in the like of it operations are on values as large as those of keys\n";
    }
    out
}

fn describe_popularity(popularity: Popularity) -> String {
    let percent = |part: f64| format!("{:.1} %", part * 100.0);
    let (hundredth, tenth) = (percent(popularity.top_hundredth), percent(popularity.top_tenth));
    let shares = format!("a hundredth of all keys has {hundredth} of the operations, a tenth {tenth}");
    let law = match popularity.law {
        Law::Uniform => return format!("popularity   all keys alike, but for chance\n             {shares}\n"),
        Law::Zipf { theta } => format!("Zipf's law with exponent {theta:.2}"),
        Law::Hot { records, operations } => {
            let records = three_digits(records * 100.0);
            format!("{records} % of the keys have {} of the operations, each part evenly", percent(operations))
        }
    };
    let difference = percent(popularity.difference);
    format!(
        "popularity   {law}: shares of\n             operations differ from that by up to {difference};\n             {shares}\n"
    )
}
