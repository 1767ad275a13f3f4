//! A trace as a need: the words that `bakeoff pick` takes for what the trace shows, and the trace in words for a person.

use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_suite::{format_count, format_size};
use bakeoff_tape::{Operation, Recording, SizeRange, TapeReader};
use bakeoff_trace::{Form, Summary, Trace};

/// An exponent below this is as good as none.
const UNIFORM_BELOW: f64 = 0.1;

/// Reads a trace to its end.
pub(crate) fn read(path: &Path, form: Option<Form>) -> Result<Summary> {
    let read = || -> Result<Summary> { Ok(Summary::read(Trace::open(path, form)?)?) };
    read().with_context(|| format!("cannot take {} as a trace", path.display()))
}

/// What the trace shows, by the keys of a need. What it does not tell is left out.
pub(crate) fn need(summary: &Summary) -> Vec<(&'static str, String)> {
    let key_bytes = match summary.key_bytes.mean.round() as u64 {
        0..=4 => 4,
        bytes => bytes.clamp(10, 128),
    };
    let kinds = summary.mix.iter().filter(|(kind, _)| **kind != Operation::ScanAll);
    let mix: Vec<_> = kinds.map(|(kind, count)| format!("{}={count}", kind.name())).collect();
    let mut need = vec![
        ("records", summary.keys.max(2).to_string()),
        ("key-size", format!("{key_bytes}B")),
        ("mix", mix.join(",")),
    ];
    if let Some(sizes) = summary.value_bytes {
        // Uniform from the twentieth part on, with the trace's mean.
        let min = sizes.p5.min(sizes.mean as u64);
        let max = ((2.0 * sizes.mean) as u64).saturating_sub(min).max(min);
        need.push(("value-size", format!("{min}B..{max}B")));
    }
    if let Some(popularity) = summary.popularity {
        let access = if popularity.theta < UNIFORM_BELOW {
            "uniform".to_owned()
        } else {
            format!("zipfian:{:.2}", popularity.theta)
        };
        need.push(("access", access));
    }
    need
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
    Ok(Summary::of_tape(&TapeReader::open(&last.path)?)?)
}

/// The trace in words, with the options of `pick` that ask for the like; lines of at most 100 columns.
pub(crate) fn words(summary: &Summary) -> String {
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
        summary.key_bytes.mean,
        format_size(summary.key_bytes.max)
    );
    out += &match summary.value_bytes {
        Some(sizes) => format!(
            "values       {:.0} bytes on average; a twentieth up to {}, half up to {}, all but a twentieth up to {}\n",
            sizes.mean, sizes.p5, sizes.p50, sizes.p95
        ),
        None => "values       no line tells the length of one\n".to_owned(),
    };
    out += &match summary.popularity {
        Some(fit) => format!(
            "popularity   Zipf's law with exponent {:.2}, fitted to the {} most popular keys; a hundredth of\n             all keys has {:.1} % of the operations\n",
            fit.theta,
            format_count(fit.keys as u64),
            fit.top_percent * 100.0
        ),
        None => "popularity   too few keys came five times or more to tell\n".to_owned(),
    };
    out += &format!(
        "working set  about {} of keys and values\n",
        bakeoff_suite::approximate_size(summary.working_set_bytes() as u64)
    );
    if let Some(arrival) = summary.arrival {
        out += &format!(
            "arrival      {:.1} operations a second for {:.0} s; the time between two varies by {:.2} × its mean (1 for\n             independent arrivals, more for bursts)\n",
            1.0 / arrival.gap_s_mean,
            arrival.duration_s,
            arrival.variation
        );
    }
    let options: Vec<_> = need(summary).into_iter().map(|(key, text)| format!("--{key} {text}")).collect();
    out + &format!("\nThe like of it: bakeoff pick {}\n", options.join(" \\\n  "))
}
