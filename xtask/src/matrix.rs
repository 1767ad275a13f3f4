//! `./bakeoff matrix`: the best stores in Hines 2023, then and now, as docs/results/hines-2023.md shows them.
//!
//! Both files have sums and no rounds, so they contain no verdict: the best mean is the best.
//! `bakeoff report --against hines-2023` uses the winners of a run.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::workspace::Workspace;

/// The publication's figures.
const THEN: &str = "published/hines-2023.csv";

/// A run's figures in the columns of the original benchmark, made by `bench/authors/columns`.
const NOW: &str = "docs/results/hines-2023.csv";

/// The end of `hardware` if the run set stores as the authors did.
const AS_PUBLISHED: &str = " paper";

const RECORDS: [u64; 4] = [100, 1_000, 10_000, 100_000];

/// A range of value sizes.
struct Sizes {
    title: &'static str,
    /// Its name in the run's file.
    now: &'static str,
    /// Its name in the publication's file: `value_bytes_min` and `value_bytes_max`.
    then: (u64, u64),
}

const SIZES: [Sizes; 4] = [
    Sizes { title: "1B..1KiB", now: "1B to 1KiB", then: (1, 1 << 10) },
    Sizes { title: "1KiB..10KiB", now: "1KiB to 10KiB", then: (1 << 10, 10 << 10) },
    Sizes { title: "10KiB..100KiB", now: "10KiB to 100KiB", then: (10 << 10, 100 << 10) },
    Sizes { title: "100KiB..1MiB", now: "100KiB to 1MiB", then: (100 << 10, 1 << 20) },
];

/// A kind of data.
struct Data {
    /// Its name in the table and in the publication's file.
    title: &'static str,
    /// Its name in the run's file.
    now: &'static str,
}

const DATA: [Data; 2] = [Data { title: "random", now: "incompressible" }, Data { title: "text", now: "compressible" }];

struct Measure {
    title: &'static str,
    /// `op` in the run's file.
    now: &'static str,
    /// `measure` and `phase` in the publication's file.
    then: (&'static str, &'static str),
    lower_is_better: bool,
}

const MEASURES: [Measure; 6] = [
    Measure { title: "insert", now: "insert", then: ("time", "insert"), lower_is_better: true },
    Measure { title: "update", now: "update", then: ("time", "update"), lower_is_better: true },
    Measure { title: "get", now: "get", then: ("time", "get"), lower_is_better: true },
    Measure { title: "remove", now: "remove", then: ("time", "remove"), lower_is_better: true },
    Measure { title: "peak memory", now: "memory", then: ("peak_memory", ""), lower_is_better: true },
    Measure { title: "space efficiency", now: "space", then: ("space_efficiency", ""), lower_is_better: false },
];

/// A line of the publication's file.
#[derive(Deserialize)]
struct Published {
    store_published: String,
    phase: String,
    measure: String,
    data: String,
    value_bytes_min: u64,
    value_bytes_max: u64,
    records: u64,
    mean: f64,
}

/// A line of the run's file. Times are in ns, memory in KiB, space in percent.
#[derive(Deserialize)]
struct Measured {
    hardware: String,
    /// The publication's name for it.
    store: String,
    op: String,
    size: String,
    records: u64,
    #[serde(rename = "data type")]
    data: String,
    measurements: u64,
    sum: f64,
}

/// The figures of both files.
struct Figures {
    then: Vec<Published>,
    now: Vec<Measured>,
}

pub(crate) fn main(workspace: &Workspace) -> Result<bool> {
    print!("{}", Figures::read(&workspace.root)?.matrix());
    Ok(true)
}

fn lines<T: DeserializeOwned>(root: &Path, name: &str) -> Result<Vec<T>> {
    let file = File::open(root.join(name)).with_context(|| format!("cannot read {name}"))?;
    csv::Reader::from_reader(file)
        .deserialize()
        .collect::<Result<_, _>>()
        .with_context(|| format!("{name} is malformed"))
}

impl Figures {
    fn read(root: &Path) -> Result<Self> {
        Ok(Self { then: lines(root, THEN)?, now: lines(root, NOW)? })
    }

    /// A block for each measure, a line for each range of value sizes, a column for each number of records and kind of
    /// data.
    fn matrix(&self) -> String {
        let records = RECORDS.map(|count| format!("{:<20}", grouped(count))).concat();
        let data = RECORDS.map(|_| DATA.map(|data| format!("{:<10}", data.title)).concat()).concat();
        let mut text = format!("  records        {}\n  values         {}\n", records.trim_end(), data.trim_end());
        for measure in &MEASURES {
            text += &format!("{}\n", measure.title);
            for sizes in &SIZES {
                let field = |records: u64, data: &Data| format!("{:<10}", self.field(measure, sizes, records, data));
                let line = RECORDS.map(|records| DATA.map(|data| field(records, &data)).concat()).concat();
                text += &format!("  {:<15}{}\n", sizes.title, line.trim_end());
            }
        }
        text
    }

    /// `B→L 1.18`, or `B   0.807` if the best store is unchanged, with the ratio of the best figures. `·` without a
    /// measurement.
    fn field(&self, measure: &Measure, sizes: &Sizes, records: u64, data: &Data) -> String {
        let (then, now) = (self.then(measure, sizes, records, data), self.now(measure, sizes, records, data));
        let (Some((best_then, then)), Some((best_now, now))) = (best(measure, then), best(measure, now)) else {
            return "·".to_owned();
        };
        let letter = |store: &str| store.chars().next().unwrap_or('?');
        let stores = match best_now.iter().find(|store| best_then.contains(store)) {
            Some(same) => format!("{}  ", letter(same)),
            None => format!("{}→{}", letter(best_then[0]), letter(best_now[0])),
        };
        let better = if measure.lower_is_better { then / now } else { now / then };
        format!("{stores} {}", three_digits(better))
    }

    fn then(&self, measure: &Measure, sizes: &Sizes, records: u64, data: &Data) -> Vec<(&str, f64)> {
        let is_wanted = |line: &&Published| {
            (line.measure.as_str(), line.phase.as_str()) == measure.then
                && (line.value_bytes_min, line.value_bytes_max) == sizes.then
                && (line.records, line.data.as_str()) == (records, data.title)
        };
        self.then.iter().filter(is_wanted).map(|line| (line.store_published.as_str(), line.mean)).collect()
    }

    fn now(&self, measure: &Measure, sizes: &Sizes, records: u64, data: &Data) -> Vec<(&str, f64)> {
        let is_wanted = |line: &&Measured| {
            line.hardware.ends_with(AS_PUBLISHED)
                && (line.op.as_str(), line.size.as_str()) == (measure.now, sizes.now)
                && (line.records, line.data.as_str()) == (records, data.now)
        };
        let mean = |line: &Measured| line.sum / line.measurements as f64;
        self.now.iter().filter(is_wanted).map(|line| (line.store.as_str(), mean(line))).collect()
    }
}

/// The stores that share the best figure, and that figure. `None` if there are no figures.
fn best<'a>(measure: &Measure, figures: Vec<(&'a str, f64)>) -> Option<(Vec<&'a str>, f64)> {
    let better = if measure.lower_is_better { f64::min } else { f64::max };
    let best = figures.iter().map(|(_, figure)| *figure).reduce(better)?;
    Some((figures.into_iter().filter(|(_, figure)| *figure == best).map(|(store, _)| store).collect(), best))
}

fn three_digits(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value if value >= 0.9995 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

/// A number with commas between thousands.
fn grouped(count: u64) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_results_shows_the_matrix_of_both_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let matrix = Figures::read(&root).unwrap().matrix();
        // Six measures of 26 workloads.
        let is_factor = |word: &&str| word.parse::<f64>().is_ok();
        assert_eq!(matrix.lines().skip(2).flat_map(str::split_whitespace).filter(is_factor).count(), 6 * 26);
        assert!(matrix.lines().all(|line| line.chars().count() <= 100), "{matrix}");
        let page = std::fs::read_to_string(root.join("docs/results/hines-2023.md")).unwrap();
        assert!(
            page.contains(&matrix),
            "docs/results/hines-2023.md has another matrix than ./bakeoff matrix prints:\n{matrix}"
        );
    }

    #[test]
    fn factors_have_three_digits() {
        assert_eq!(
            [0.0767, 0.621, 0.9996, 1.18, 9.999, 43.8, 125.0].map(three_digits).join(" "),
            "0.077 0.621 1.00 1.18 10.0 43.8 125"
        );
    }
}
