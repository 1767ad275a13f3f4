//! What stores put off: for every phase that waited for it, the cost as it was acknowledged and as it was when all was done.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::PhaseResult;
use bakeoff_stats::mean;

use crate::contender::Contenders;
use crate::figures::units;
use crate::format::{bytes, count, printable, ratio, size_range, time};
use crate::results::failed_cells;
use crate::run::Run;
use crate::sections::section;
use crate::table::{Side, Text, TextTable, paragraph};
use crate::terminal::varying_among;
use crate::verdict::{Circumstances, circumstances};

/// Time of an operation as it was acknowledged, with its commits, of scans of an entry, nanoseconds.
fn acknowledged_ns_mean(phase: &PhaseResult) -> Option<f64> {
    let operations: f64 = phase.operations.iter().filter(|each| each.operation != "commit").map(units).sum();
    (operations > 0.0).then(|| phase.timed_ns as f64 / operations)
}

/// The same with the time until the store had done what it put off; `None` where it did not end, or nobody waited.
pub(crate) fn settled_ns_mean(phase: &PhaseResult) -> Option<f64> {
    let settled_ns = phase.settled?.settled_ns?;
    acknowledged_ns_mean(phase).map(|each| each * (1.0 + settled_ns as f64 / phase.timed_ns.max(1) as f64))
}

/// A row: one store's rounds of one phase.
#[derive(Default)]
struct Rounds {
    acknowledged_ns: Vec<f64>,
    settled_ns: Vec<f64>,
    after_ns: Vec<f64>,
    written_bytes: Vec<f64>,
    unfinished: usize,
}

impl Rounds {
    fn add(&mut self, phase: &PhaseResult) {
        let Some(settled) = phase.settled else { return };
        self.acknowledged_ns.extend(acknowledged_ns_mean(phase));
        self.written_bytes.push(settled.process_write_bytes as f64);
        match settled.settled_ns {
            Some(after_ns) => {
                self.after_ns.push(after_ns as f64);
                self.settled_ns.extend(settled_ns_mean(phase));
            }
            None => self.unfinished += 1,
        }
    }

    fn row(&self, title: String) -> Vec<Text> {
        let shown = |figures: &[f64], show: fn(f64) -> String| mean(figures).map_or_else(|| "–".to_owned(), show);
        let times = mean(&self.settled_ns).zip(mean(&self.acknowledged_ns)).map(|(all, first)| all / first);
        // A mean of those rounds that ended would hide the others.
        let ended = self.unfinished == 0;
        [
            title,
            shown(&self.acknowledged_ns, time),
            if ended { shown(&self.settled_ns, time) } else { "not settled".to_owned() },
            times.filter(|_| ended).map_or_else(String::new, ratio),
            if ended { shown(&self.after_ns, time) } else { String::new() },
            shown(&self.written_bytes, bytes),
        ]
        .map(Text::plain)
        .into()
    }
}

/// The section; empty unless some phase waited.
pub(crate) fn render(run: &Run, contenders: &Contenders, width: usize, color: bool) -> String {
    let failed = failed_cells(&run.cells);
    let mut of: BTreeMap<(Circumstances, String), BTreeMap<&str, Rounds>> = BTreeMap::new();
    for cell in run.cells.iter().filter(|cell| !failed.contains(cell.end.cell.as_str())) {
        let axes = &cell.end.axes;
        let Some(contender) = contenders.of(axes) else { continue };
        let sizes = size_range(axes.value_bytes_min, axes.value_bytes_max);
        for result in cell.phases.iter().map(|phase| &phase.result).filter(|result| result.settled.is_some()) {
            let words = format!("{} · {sizes} × {} {}", result.phase, count(axes.records), axes.data);
            of.entry((circumstances(axes), words)).or_default().entry(&contender.key).or_default().add(result);
        }
    }
    if of.is_empty() {
        return String::new();
    }
    let all: Vec<Circumstances> = of.keys().map(|(of, _)| of.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let what =
        "Time of an operation as acknowledged, and with the work that the store did in the background afterwards.";
    let mut out = paragraph(what, width, "", "");
    for ((circumstances, words), stores) in &of {
        let heading =
            format!("{words} · durability {}{}", circumstances.durability_words(), varying_among(circumstances, &all));
        out.push_str(&paragraph(&printable(&heading), width, "  ", "    "));
        let mut table = TextTable::new([Side::Left].into_iter().chain([Side::Right; 5]).collect());
        table.row(["    store", "acknowledged", "settled", "times", "after", "written after"].map(Text::plain).into());
        for (key, rounds) in stores {
            table.row(rounds.row(format!("    {}", contenders.title(key))));
        }
        out.push_str(&table.render(width, color));
    }
    section("Settled cost", &out)
}
