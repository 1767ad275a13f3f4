//! The columns of Hines 2023's own CSV, so that the authors' scripts read our figures.

use std::collections::BTreeMap;
use std::io::Write;

use bakeoff_protocol::Axes;
use serde_json::Value;

use crate::error::ReportError;
use crate::export_csv::safe_text;
use crate::figures::{peak_memory, space_efficiency_of_values};
use crate::published::Published;
use crate::results::{CellRound, failed_cells};
use crate::run::Run;

/// The publication whose columns and names of stores these are.
const PUBLICATION: &str = "hines-2023";

/// Their operations and our phases of the same name, in their order; `memory` and `space` follow.
const OPERATIONS: [&str; 4] = ["insert", "update", "get", "remove"];

/// Sum, smallest and largest of some figures.
#[derive(Clone, Copy)]
struct Statistics {
    measurements: u64,
    sum: u64,
    min: u64,
    max: u64,
}

impl Statistics {
    fn add(this: Option<Self>, measurements: u64, sum: u64, (min, max): (u64, u64)) -> Option<Self> {
        let Self { measurements: before, sum: sum_before, min: least, max: most } =
            this.unwrap_or(Self { measurements: 0, sum: 0, min: u64::MAX, max: 0 });
        Some(Self {
            measurements: before + measurements,
            sum: sum_before.saturating_add(sum),
            min: least.min(min),
            max: most.max(max),
        })
    }
}

/// Writes every cell that never failed, its rounds put together. Variant, medium, disturbance and threads become part of `hardware`
/// where they differ, since the columns have no place for them.
///
/// # Errors
/// `out` takes no more, the run was profiled, which these columns cannot say, or it has nothing that they are of.
pub fn write_hines_csv(run: &Run, out: &mut dyn Write) -> Result<(), ReportError> {
    run.must_be_measured()?;
    let names = store_names()?;
    let failed = failed_cells(&run.cells);
    let mut cells: BTreeMap<&str, Vec<&CellRound>> = BTreeMap::new();
    for cell in run.cells.iter().filter(|cell| !failed.contains(cell.end.cell.as_str())) {
        cells.entry(&cell.end.cell).or_default().push(cell);
    }
    let found: Vec<_> =
        cells.values().filter_map(|rounds| Some((&rounds.first()?.end.axes, statistics(rounds)))).collect();
    let has_times = found.iter().flat_map(|(_, of_cell)| of_cell).any(|(operation, _)| OPERATIONS.contains(operation));
    if !has_times {
        return Err(ReportError::NothingInCommon {
            directory: run.directory.clone(),
            name: PUBLICATION.to_owned(),
            why: "its columns are of phases called insert, update, get and remove with a time for each operation, and the run has none such that ended well",
        });
    }
    let mut writer = csv::Writer::from_writer(out);
    let header = "hardware,store,op,size,records,data type,measurements,sum,min,max,avg";
    writer.write_record(header.split(','))?;
    for (axes, of_cell) in found {
        for (operation, statistics) in of_cell {
            let Statistics { measurements, sum, min, max } = statistics;
            let mean = sum.checked_div(measurements).unwrap_or(0);
            let figures = [measurements, sum, min, max, mean].map(|figure| figure.to_string());
            let store = names.get(&axes.store).unwrap_or(&axes.store).clone();
            let place = [hardware(run, axes), store, operation.to_owned(), size(axes), axes.records.to_string()];
            writer
                .write_record(place.iter().chain([&data_type(axes)]).chain(&figures).map(|field| safe_text(field)))?;
        }
    }
    writer.flush()?;
    Ok(())
}

/// Their names for stores, by ours.
fn store_names() -> Result<BTreeMap<String, String>, ReportError> {
    let published = Published::find(PUBLICATION)?;
    Ok(published.figures.into_iter().filter_map(|figure| Some((figure.store?, figure.store_published))).collect())
}

fn statistics(rounds: &[&CellRound]) -> Vec<(&'static str, Statistics)> {
    let mut found = Vec::new();
    for operation in OPERATIONS {
        let mut all = None;
        for result in rounds.iter().flat_map(|cell| &cell.phases).filter(|phase| phase.result.phase == operation) {
            for of in &result.result.operations {
                if let (Some(latency), Some(timed_ns)) = (&of.latency, of.timed_ns) {
                    all =
                        Statistics::add(all, of.operations, timed_ns, (latency.latency_ns_min, latency.latency_ns_max));
                }
            }
        }
        found.extend(all.map(|all| (operation, all)));
    }
    let whole = |figures: Vec<f64>| {
        let figures = figures.into_iter().map(|figure| figure.round() as u64);
        figures.fold(None, |all, figure| Statistics::add(all, 1, figure, (figure, figure)))
    };
    let memory = whole(rounds.iter().filter_map(|cell| Some(peak_memory(cell)? / 1024.0)).collect());
    // Theirs counts values alone.
    let space = whole(rounds.iter().filter_map(|cell| Some(space_efficiency_of_values(cell)? * 100.0)).collect());
    found.extend(memory.map(|memory| ("memory", memory)));
    found.extend(space.map(|space| ("space", space)));
    found
}

/// The processor, and whatever else tells two cells of a store apart that the columns cannot.
fn hardware(run: &Run, axes: &Axes) -> String {
    let machine = run.info.get("machine").and_then(|machine| machine.get("cpu_model")).and_then(Value::as_str);
    let mut words = vec![machine.unwrap_or("unknown").to_owned()];
    words.extend(axes.variant.clone());
    words.extend(Some(axes.medium.clone()).filter(|medium| medium != "default"));
    words.extend(axes.disturbance.as_ref().map(|by| format!("disturbed by {by}")));
    words.extend((axes.threads > 1).then(|| format!("{} threads", axes.threads)));
    if !axes.unequal {
        words.push(axes.durability.to_string());
    }
    words.join(" ").replace(',', "")
}

/// `1KiB to 10KiB`, as their program spells it.
fn size(axes: &Axes) -> String {
    let spelt = bakeoff_text::format_size_range(axes.value_bytes_min, axes.value_bytes_max);
    spelt.replacen("..", " to ", 1)
}

fn data_type(axes: &Axes) -> String {
    if axes.data == "random" { "incompressible" } else { "compressible" }.to_owned()
}
