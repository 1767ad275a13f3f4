//! Every store's full line in every workload: rate, typical mean and its range over rounds, percentiles, largest.

use std::collections::BTreeMap;

use crate::circumstances::in_full;
use bakeoff_protocol::{Axes, Latency};
use bakeoff_results::cell_rounds::phase_order;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::contender::{Contender, Contenders};
use bakeoff_results::figures::{Measure, TOO_FEW, asked_per_second, is_per_entry, is_told, timings};
use bakeoff_results::run::Run;
use bakeoff_results::verdict::{Column as Place, Size};
use bakeoff_stats::{Rounds, median};
use bakeoff_text::{or_dash, rate, time, time_range};

use crate::detail::Detail;
use crate::document::{Block, Cell, Column, Section, SectionId, Table, Text};
use crate::format::describe_workload;

/// One store's rounds in one workload's measure.
#[derive(Default)]
struct Line<'a> {
    title: String,
    slot: usize,
    ranked: bool,
    means_ns: Rounds,
    rates: Rounds,
    latencies: Vec<&'a Latency>,
    /// Of how many operations each of them is.
    operations: Vec<u64>,
}

/// What the lines of a group have in common, in the order in which groups are shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Heading {
    circumstances: Circumstances,
    place: usize,
    label: String,
    per_entry: bool,
    /// Operations a second that were due, if it was an open loop.
    asked_per_second: Option<u64>,
    size: Size,
    column: Place,
}

/// How the columns are to be read.
const WHAT: &str = "The rate and the mean of a typical round, and the lowest and highest mean of all rounds; percentiles are medians over rounds (too few: not \
    ten operations beyond it in all rounds together, or none in some), max is the largest of all. For scans, rate and mean are per entry, percentiles and max per scan. In batches, percentiles and max are those \
    of the writes alone, and rate and mean include the commits. Of mixed operations the rate is over the whole phase's time.";

/// How to see the lines where they are too many to be shown unasked.
const HINT: &str = "`bakeoff report --full` shows every store's rate, mean, range and percentiles in every workload.";

/// Groups that are shown unasked; where there are more, none is.
const GROUPS_UNASKED_MAX: usize = 8;

/// The lines of all cells that never failed, grouped by workload and measure; a hint where they are too many for the usual detail; `None` if there are none.
pub(crate) fn section(run: &Run, contenders: &Contenders, detail: Detail) -> Option<Section> {
    let groups = groups(run, contenders);
    if detail == Detail::Usual && groups.len() > GROUPS_UNASKED_MAX {
        return Section::untitled(SectionId::Hint, vec![Block::Hint(HINT.into())]);
    }
    if groups.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::paragraph(WHAT)];
    for (heading, lines) in &groups {
        blocks.extend([Block::Gap, Block::heading(0, describe(heading))]);
        blocks.push(Block::Table(table(lines.values(), heading.per_entry)));
    }
    Section::titled(SectionId::EveryStore, "Every store", blocks)
}

type Groups<'a> = BTreeMap<Heading, BTreeMap<String, Line<'a>>>;

fn groups<'a>(run: &'a Run, contenders: &Contenders) -> Groups<'a> {
    let order = phase_order(&run.cells);
    let mut groups = Groups::new();
    for cell in run.counted() {
        let Some(contender) = contenders.of(&cell.end.axes) else { continue };
        for phase in &cell.phases {
            let place = order.iter().position(|name| *name == phase.result.phase).unwrap_or(order.len());
            for timing in timings(&phase.result) {
                let operation = timing.mixed.then(|| timing.operation.to_owned());
                let label = Measure::Time { phase: phase.result.phase.clone(), operation }.label();
                let asked_per_second = asked_per_second(phase).map(|rate| rate.round() as u64);
                let per_entry = is_per_entry(timing.operation);
                let heading = Heading { label, per_entry, asked_per_second, ..heading(&cell.end.axes, place) };
                let group = groups.entry(heading).or_default();
                let line = group.entry(contender.key.clone()).or_insert_with(|| new_line(contender, &cell.end.axes));
                line.means_ns.add(cell.end.round, timing.mean_ns);
                line.rates.add(cell.end.round, timing.per_second);
                line.latencies.extend(timing.latency);
                line.operations.extend(timing.latency.map(|_| timing.operations));
            }
        }
    }
    groups
}

fn new_line<'a>(contender: &Contender, axes: &Axes) -> Line<'a> {
    let Contender { title, slot, ranked, .. } = contender;
    Line { title: title.clone(), slot: *slot, ranked: *ranked && axes.profile.is_none(), ..Line::default() }
}

/// The heading of whatever is measured at this place among the phases.
fn heading(axes: &Axes, place: usize) -> Heading {
    Heading {
        circumstances: Circumstances::of(axes),
        place,
        label: String::new(),
        per_entry: false,
        asked_per_second: None,
        size: (axes.value_bytes_min, axes.value_bytes_max),
        column: Place { data: axes.data.clone(), records: axes.records },
    }
}

fn describe(of: &Heading) -> String {
    let workload = describe_workload(of.size, of.column.records, &of.column.data);
    let label = &of.label;
    let open = of.asked_per_second.map_or_else(String::new, |asked| format!(", open loop: {} due", rate(asked as f64)));
    let of = &of.circumstances;
    let variant = of.variant().map_or_else(String::new, |variant| format!(" · {variant}"));
    format!("{label} · {workload}{variant} · {}{open}", in_full(of))
}

fn table<'l, 'a: 'l>(lines: impl Iterator<Item = &'l Line<'a>>, per_entry: bool) -> Table {
    let mut lines: Vec<(f64, &Line)> = lines.map(|line| (line.means_ns.centre().unwrap_or(0.0), line)).collect();
    lines.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let rate = if per_entry { "entries/s" } else { "ops/s" };
    let figures = [rate, "mean", "rounds", "p50", "p99", "p99.9", "max"].map(Column::right);
    let mut table = Table::new(0, std::iter::once(Column::left("store")).chain(figures).collect());
    for (_, line) in lines {
        table.row(cells(line));
    }
    table
}

fn cells(line: &Line) -> Vec<Cell> {
    let percentile = |share, of: fn(&Latency) -> u64| {
        let values: Vec<f64> = line.latencies.iter().map(|latency| of(latency) as f64).collect();
        match median(&values) {
            Some(_) if !is_told(share, &line.operations) => TOO_FEW.to_owned(),
            Some(median) => time(median),
            None => "–".to_owned(),
        }
    };
    let range = line.means_ns.range().filter(|_| line.means_ns.len() > 1);
    let range = range.map_or_else(|| "one round".to_owned(), |(low, high)| time_range(low, high));
    let largest = line.latencies.iter().map(|latency| latency.latency_ns_max).max();
    let unranked = if line.ranked { "" } else { " (not ranked)" };
    let name = Cell::from(Text::store(&line.title, line.slot).and(unranked));
    let figures = [
        line.rates.centre().map_or_else(String::new, rate),
        line.means_ns.centre().map_or_else(String::new, time),
        range,
        percentile(0.5, |latency| latency.latency_ns_p50),
        percentile(0.99, |latency| latency.latency_ns_p99),
        percentile(0.999, |latency| latency.latency_ns_p999),
        or_dash(largest, |ns| time(ns as f64)),
    ];
    std::iter::once(name).chain(figures.map(Cell::from)).collect()
}
