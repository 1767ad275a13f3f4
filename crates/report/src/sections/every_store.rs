//! Every store's full line in every workload: rate, typical mean and its range over rounds, percentiles, largest.

use std::collections::BTreeSet;

use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::TOO_FEW;
use bakeoff_results::run::Run;
use bakeoff_results::store_figures::{Percentile, StoreFigures, TimedPlace, reports_sizes, store_figures};
use bakeoff_text::{format_size_range, or_dash, rate, time, time_range};

use crate::circumstances::in_full;
use crate::detail::Detail;
use crate::document::{Block, Cell, Column, Section, SectionId, Table, Text};
use crate::format::describe_workload;

/// How the columns are to be read.
const WHAT: &str = "The rate and the mean of a typical round, and the lowest and highest mean of all rounds; percentiles are medians over rounds (too few: not \
    ten operations beyond it in all rounds together, or none in some), max is the largest of all. For scans, rate and mean are per entry, percentiles and max per scan. In batches, percentiles are those \
    of the writes alone; rate, mean and max include the commits. Of mixed operations the rate is over the whole phase's time.";

/// The same where values have several sizes.
const BY_SIZE: &str = "Where values have several sizes with weights, a table of each size follows that of all. Its rate is that of operations on such values \
    over the whole phase's time. A store is n/a there if its driver does not report latencies by size.";

/// The text for a mean that a driver does not report.
const NOT_REPORTED: &str = "n/a";

/// How to see the lines where they are too many to be shown unasked.
fn hint() -> String {
    let program = bakeoff_text::program();
    format!("`{program} report --full` shows every store's rate, mean, range and percentiles in every workload.")
}

/// Groups that are shown unasked; where there are more, none is.
const GROUPS_UNASKED_MAX: usize = 8;

/// The lines of all cells that never failed, grouped by workload and measure; a hint where they are too many for the usual detail; `None` if there are none.
pub(crate) fn section(run: &Run, contenders: &Contenders, detail: Detail) -> Option<Section> {
    let groups = store_figures(run, contenders);
    if detail == Detail::Usual && groups.len() > GROUPS_UNASKED_MAX {
        return Section::untitled(SectionId::Hint, vec![Block::Hint(hint().into())]);
    }
    if groups.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::paragraph(WHAT)];
    if groups.keys().any(|place| place.sizes.is_some()) {
        blocks.push(Block::paragraph(BY_SIZE));
    }
    for (place, stores) in &groups {
        blocks.extend([Block::Gap, Block::heading(0, describe(place))]);
        blocks.push(Block::Table(table(stores, place.per_entry)));
    }
    Section::titled(SectionId::EveryStore, "Every store", blocks)
}

/// The lines by the size of values, after the lines of all sizes; `None` where no driver reports them.
pub(crate) fn by_size(run: &Run, contenders: &Contenders) -> Option<Section> {
    if !reports_sizes(run) {
        return None;
    }
    let groups = store_figures(run, contenders);
    let of_sizes = groups.keys().filter(|place| place.sizes.is_some());
    let with_sizes: BTreeSet<TimedPlace> = of_sizes.map(TimedPlace::of_all_sizes).collect();
    let mut blocks = Vec::new();
    for (place, stores) in groups.iter().filter(|(place, _)| with_sizes.contains(&place.of_all_sizes())) {
        blocks.push(Block::heading(1, describe(place)));
        blocks.push(Block::Table(table(stores, place.per_entry)));
    }
    if !blocks.is_empty() {
        blocks.insert(0, Block::paragraph(BY_SIZE));
    }
    Section::titled(SectionId::BySize, "Latency by value size", blocks)
}

fn describe(of: &TimedPlace) -> String {
    let workload = describe_workload(of.size, of.column.records, &of.column.data);
    let sizes = of.sizes.map(|sizes| format!(" {}", format_size_range(sizes.value_bytes_min, sizes.value_bytes_max)));
    let label = format!("{}{}", of.measure.label(), sizes.unwrap_or_default());
    let open = of.asked_per_second.map_or_else(String::new, |asked| format!(", open loop: {} due", rate(asked as f64)));
    let of = &of.circumstances;
    let variant = of.variant().map_or_else(String::new, |variant| format!(" · {variant}"));
    format!("{label} · {workload}{variant} · {}{open}", in_full(of))
}

fn table(stores: &[StoreFigures], per_entry: bool) -> Table {
    let rate = if per_entry { "entries/s" } else { "ops/s" };
    let figures = [rate, "mean", "rounds", "p50", "p99", "p99.9", "max"].map(Column::right);
    let mut table = Table::new(0, std::iter::once(Column::left("store")).chain(figures).collect());
    for store in stores {
        table.row(cells(store));
    }
    table
}

fn cells(of: &StoreFigures) -> Vec<Cell> {
    let percentile = |of: Percentile| match of {
        Percentile::Ns(ns) => time(ns),
        Percentile::TooFew => TOO_FEW.to_owned(),
        Percentile::Unknown => "–".to_owned(),
    };
    let unranked = if of.ranked { "" } else { " (not ranked)" };
    let name = Cell::from(Text::store(&of.contender.title, of.contender.slot).and(unranked));
    let [p50, p99, p999] = of.percentiles.map(percentile);
    let figures = [
        of.per_second.map_or_else(String::new, rate),
        of.mean_ns.map_or_else(|| NOT_REPORTED.to_owned(), time),
        of.range_ns
            .map_or_else(|| of.mean_ns.map_or("", |_| "one round").to_owned(), |(low, high)| time_range(low, high)),
        p50,
        p99,
        p999,
        or_dash(of.max_ns, |ns| time(ns as f64)),
    ];
    std::iter::once(name).chain(figures.map(Cell::from)).collect()
}
