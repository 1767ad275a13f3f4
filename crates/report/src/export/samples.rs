//! The places of a map as CSV.

use std::io::Write;

use bakeoff_results::citation::citation;
use bakeoff_results::map_outcome::MapOutcome;

use crate::error::ReportError;
use crate::export::csv::safe_text;
use crate::export::json::standing_name;

/// The columns after both axes.
const COLUMNS: [&str; 10] = [
    "state",
    "best",
    "store",
    "standing",
    "cost",
    "ratio_to_best",
    "ratio_to_best_low",
    "ratio_to_best_high",
    "rounds",
    "cite",
];

/// Writes every place of a map as CSV with a header: a row for each store that was measured there, and one for a place that was not sampled.
/// The first columns have the names of the axes.
///
/// # Errors
/// `out` takes no more.
pub fn write_samples(of: &MapOutcome<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut writer = csv::Writer::from_writer(out);
    let axes = [&of.facts.x, &of.facts.y];
    let names = axes.map(|axis| axis.quantity.name().replace('-', "_"));
    writer.write_record(names.iter().map(String::as_str).chain(COLUMNS))?;
    let cite = safe_text(&citation(of.run));
    for at in of.facts.points() {
        let field = of.plane.field(at);
        let [x, y] = [of.facts.x.value(at.x), of.facts.y.value(at.y)].map(|value| value.to_string());
        let first = [x, y, field.name().to_owned(), safe_text(&field.best().join(" "))];
        let Some(ranking) = of.ranking(at) else {
            let none = std::iter::repeat_n(String::new(), COLUMNS.len() - 3);
            writer.write_record(first.into_iter().chain(none).chain([cite.clone()]))?;
            continue;
        };
        for own in &ranking.order {
            let ratio = own.ratio_to_best;
            let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
            let rest = [
                safe_text(&own.name),
                standing_name(own.standing).to_owned(),
                own.centre.to_string(),
                number(ratio.map(|ratio| ratio.estimate)),
                number(ratio.map(|ratio| ratio.low)),
                number(ratio.map(|ratio| ratio.high)),
                own.rounds.to_string(),
                cite.clone(),
            ];
            writer.write_record(first.iter().cloned().chain(rest))?;
        }
    }
    writer.flush()?;
    Ok(())
}
