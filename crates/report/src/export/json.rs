//! Everything as one JSON document: what the run says of itself, every round, and the verdicts.

use std::io::Write;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::circumstances::Circumstances;
use bakeoff_results::citation::citation;
use bakeoff_results::figures::Measure;
use bakeoff_results::map_facts::MapPoint;
use bakeoff_results::map_outcome::MapOutcome;
use bakeoff_results::record::RunRecord;
use bakeoff_results::verdict::{Column, Field, Size};
use bakeoff_stats::{Place, Ranking, Standing, Verdict};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::error::ReportError;
use crate::read_notes;

/// The version of this document's layout.
const FORMAT: u32 = 1;

/// The document, its keys in alphabetical order.
#[derive(Serialize)]
struct Export<'a, C, V> {
    cells: C,
    cite: String,
    format: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<Value>,
    notes: Vec<String>,
    run: &'a RunRecord,
    verdicts: V,
}

/// A list that is made entry by entry while it is written, so that a large run takes hardly more memory than it has already.
struct Streamed<F>(F);

impl<I: Iterator<Item = Value>, F: Fn() -> I> Serialize for Streamed<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Writes the run as JSON: `format`, `cite`, `run` (as in `run.json`), `notes`, `cells` and `verdicts`; `docs/RESULTS.md` says more.
///
/// # Errors
/// `out` takes no more.
pub fn write_json(of: &Analysis, out: &mut dyn Write) -> Result<(), ReportError> {
    let (run, tables) = (of.run, of.tables());
    let verdicts = || {
        let fields =
            tables.iter().flat_map(|table| table.fields.iter().map(move |(place, field)| (table, place, field)));
        fields.map(|(table, (measure, size, column), field)| {
            verdict(&table.circumstances, (measure, *size, column), field)
        })
    };
    let export = Export {
        cells: Streamed(|| run.cells.iter().map(cell)),
        cite: citation(run),
        format: FORMAT,
        map: of.map().map(map),
        notes: run.notes.iter().map(read_notes::describe).collect(),
        run: &run.record,
        verdicts: Streamed(verdicts),
    };
    serde_json::to_writer_pretty(&mut *out, &export)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// A map: its axes, and every place with what the samples show of it.
fn map(of: &MapOutcome<'_>) -> Value {
    let place = |at: MapPoint| {
        let field = of.plane.field(at);
        let order = of.ranking(at).map_or_else(Vec::new, |ranking| order(&ranking));
        let [x, y] = [of.facts.x.value(at.x), of.facts.y.value(at.y)];
        json!({ "x": x, "y": y, "state": field.name(), "best": field.best(), "order": order })
    };
    json!({ "x": of.facts.x, "y": of.facts.y, "places": of.facts.points().map(place).collect::<Vec<_>>() })
}

fn cell(cell: &CellRound) -> Value {
    json!({ "cell": cell.end, "phases": cell.phases })
}

fn verdict(of: &Circumstances, (measure, size, column): (&Measure, Size, &Column), field: &Field) -> Value {
    let (name, unit, phase, operation) = match measure {
        Measure::Time { phase, operation } => ("time", "ns", Some(phase), operation.as_ref()),
        Measure::Space => ("space_efficiency", "data bytes per allocated byte", None, None),
        Measure::Memory => ("rss_peak_above_baseline", "bytes", None, None),
    };
    let mut verdict = json!({
        "value_bytes_min": size.0,
        "value_bytes_max": size.1,
        "data": column.data,
        "records": column.records,
        "measure": name,
        "unit": unit,
        "phase": phase,
        "operation": operation,
        "verdict": field.ranking.as_ref().map(|ranking| verdict_name(ranking.verdict)),
        "best": field.ranking.as_ref().map(|ranking| &ranking.best),
        "tied": field.ranking.as_ref().map(|ranking| &ranking.tied),
        "order": field.ranking.as_ref().map_or_else(Vec::new, order),
        "failed": field.failed,
        "not_offered": field.not_offered,
        "unranked": field.unranked,
    });
    if let Some(verdict) = verdict.as_object_mut() {
        verdict.extend(of.iter().map(|(axis, value)| (axis.name.to_owned(), value.to_json().unwrap_or_default())));
    }
    verdict
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Winner => "winner",
        Verdict::Tie => "tie",
        Verdict::Undecided => "undecided",
        Verdict::Unproven => "unproven",
        Verdict::Alone => "alone",
    }
}

/// The name of a standing in exports.
pub(crate) fn standing_name(standing: Standing) -> &'static str {
    match standing {
        Standing::Best => "best",
        Standing::Tied => "tied",
        Standing::Undecided => "undecided",
        Standing::Worse => "worse",
        Standing::Unknown => "unknown",
    }
}

fn order(ranking: &Ranking) -> Vec<Value> {
    let place = |place: &Place| {
        json!({
            "store": place.name,
            "centre": place.centre,
            "rounds": place.rounds,
            "ratio_to_best": place.ratio_to_best.map(|ratio| ratio.estimate),
            "ratio_to_best_low": place.ratio_to_best.map(|ratio| ratio.low),
            "ratio_to_best_high": place.ratio_to_best.map(|ratio| ratio.high),
            "standing": standing_name(place.standing),
        })
    };
    ranking.order.iter().map(place).collect()
}
