//! `./bakeoff matrix`: who was best in Hines 2023, then and now, as README.md shows it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::workspace::Workspace;

/// The comparison of a run with the publication, by workload.
const WINNERS: &str = "docs/results/hines-2023-winners.json";

const RECORDS: [u64; 4] = [100, 1_000, 10_000, 100_000];
const DATA: [&str; 2] = ["random", "text"];

/// A workload in one measure: the best store of the publication and of the run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    measure: String,
    value_size: String,
    records: u64,
    data: String,
    then: String,
    /// How many more stores share the first place.
    then_tied: u32,
    now: String,
    now_tied: u32,
    /// How many times better the best of now is.
    better: f64,
    /// Whether another store is best.
    changed: bool,
}

pub(crate) fn main(workspace: &Workspace) -> Result<bool> {
    print!("{}", matrix(&read(&workspace.root)?));
    Ok(true)
}

fn read(root: &Path) -> Result<Vec<Field>> {
    let text = fs::read_to_string(root.join(WINNERS)).with_context(|| format!("cannot read {WINNERS}"))?;
    serde_json::from_str(&text).with_context(|| format!("{WINNERS} is malformed"))
}

/// The matrix: a block for each measure, a line for each size of values, a column for each number of records and kind of data.
fn matrix(fields: &[Field]) -> String {
    let records = RECORDS.map(|count| format!("{:<20}", grouped(count))).concat();
    let data = RECORDS.map(|_| DATA.map(|data| format!("{data:<10}")).concat()).concat();
    let mut text = format!("  records        {}\n  values         {}\n", records.trim_end(), data.trim_end());
    let mut measure = "";
    for (index, field) in fields.iter().enumerate() {
        let is_first = |of: fn(&Field) -> (&str, &str)| fields[..index].iter().all(|other| of(other) != of(field));
        if field.measure != measure {
            measure = &field.measure;
            text += &format!("{measure}\n");
        }
        if is_first(|field| (&field.measure, &field.value_size)) {
            let of_line =
                fields.iter().filter(|other| other.measure == field.measure && other.value_size == field.value_size);
            let cells: BTreeMap<_, _> =
                of_line.map(|field| ((field.records, field.data.as_str()), field.cell())).collect();
            let cell = |records: u64, data: &str| cells.get(&(records, data)).map_or("·", String::as_str).to_owned();
            let line = RECORDS.map(|records| DATA.map(|data| format!("{:<10}", cell(records, data))).concat()).concat();
            text += &format!("  {:<15}{}\n", field.value_size, line.trim_end());
        }
    }
    text
}

impl Field {
    /// `B→L 1.18`, or `B   0.807` where the best is the same.
    fn cell(&self) -> String {
        let letter = |store: &str| store.chars().next().unwrap_or('?').to_ascii_uppercase();
        let (then, now) = (letter(&self.then), letter(&self.now));
        // Of several that are tied now the one of then is among them, or the winner would have changed.
        let same = if self.now_tied > 0 && self.then_tied == 0 { then } else { now };
        let stores = if self.changed { format!("{then}→{now}") } else { format!("{same}  ") };
        format!("{stores} {}", three_digits(self.better))
    }
}

fn three_digits(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value if value >= 0.9995 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

/// With commas between thousands.
fn grouped(count: u64) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_shows_all_of_the_recorded_matrix_of_winners() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let fields = read(&root).unwrap();
        // Six measures of 26 workloads.
        assert_eq!(fields.len(), 6 * 26);
        let matrix = matrix(&fields);
        let is_factor = |word: &&str| word.parse::<f64>().is_ok();
        assert_eq!(matrix.lines().skip(2).flat_map(str::split_whitespace).filter(is_factor).count(), fields.len());
        assert!(matrix.lines().all(|line| line.chars().count() <= 100), "{matrix}");
        let readme = fs::read_to_string(root.join("README.md")).unwrap();
        assert!(readme.contains(&matrix), "README.md has another matrix than ./bakeoff matrix prints:\n{matrix}");
    }

    #[test]
    fn factors_have_three_digits() {
        assert_eq!(
            [0.0767, 0.621, 0.9996, 1.18, 9.999, 43.8, 125.0].map(three_digits).join(" "),
            "0.077 0.621 1.00 1.18 10.0 43.8 125"
        );
    }
}
