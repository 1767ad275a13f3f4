//! Published comparisons: their printed figures, and their sources. `docs/PUBLISHED.md` explains the format.
//!
//! To add one, add `published/NAME.csv` with the figures, `published/NAME.toml` with the facts, and a row here.

pub mod garbage;
pub mod placed;

use std::collections::BTreeMap;

use bakeoff_protocol::Durability;
use serde::Deserialize;

use crate::error::PublishedError;

/// Name, figures and facts of every publication.
const ALL: [(&str, &str, &str); 6] = [
    (
        "hines-2023",
        include_str!("../../../published/hines-2023.csv"),
        include_str!("../../../published/hines-2023.toml"),
    ),
    (
        "hines-2023-rerun",
        include_str!("../../../published/hines-2023-rerun.csv"),
        include_str!("../../../published/hines-2023-rerun.toml"),
    ),
    (
        "leveldb-2011",
        include_str!("../../../published/leveldb-2011.csv"),
        include_str!("../../../published/leveldb-2011.toml"),
    ),
    (
        "cunningham-2024",
        include_str!("../../../published/cunningham-2024.csv"),
        include_str!("../../../published/cunningham-2024.toml"),
    ),
    (
        "lmdbjava-2016",
        include_str!("../../../published/lmdbjava-2016.csv"),
        include_str!("../../../published/lmdbjava-2016.toml"),
    ),
    (
        "ozone-2020",
        include_str!("../../../published/ozone-2020.csv"),
        include_str!("../../../published/ozone-2020.toml"),
    ),
];

/// A published comparison.
#[derive(Clone, Debug)]
pub struct Published {
    /// Its name, as in `published:NAME`.
    pub name: String,
    /// Facts about it.
    pub facts: Facts,
    /// Its figures.
    pub figures: Vec<Figure>,
}

/// Facts about a publication.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Facts {
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// The year of publication.
    pub year: u32,
    /// Where to read it.
    pub url: String,
    /// Where the figures are in it.
    pub origin: String,
    /// Caveats for readers of the figures.
    pub notes: Vec<String>,
    /// A factor for printed times, if the printed unit is a mistake.
    #[serde(default = "one")]
    pub time_factor: f64,
    /// Whether each field shows only the best of the compared stores.
    #[serde(default)]
    pub only_best: bool,
    /// Whether space efficiency counts values without keys.
    #[serde(default)]
    pub space_of_values: bool,
    /// The length of keys, if sizes are compared with a flat array of the same keys and values, or exclude the keys.
    pub key_bytes: Option<u64>,
    /// The length of values, for variants whose figures do not state it.
    #[serde(default)]
    pub value_bytes: BTreeMap<String, u64>,
    /// The machines, by the name in the figures.
    pub hardware: BTreeMap<String, String>,
    /// The settings of the stores, by their names in bakeoff.
    #[serde(default)]
    pub stores: BTreeMap<String, StoreFacts>,
}

fn one() -> f64 {
    1.0
}

/// How a publication set a store.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreFacts {
    /// Its name for people.
    pub title: String,
    /// The durability level with these settings.
    pub durability: Durability,
    /// The durability level in variants with another one.
    #[serde(default)]
    pub durability_in: BTreeMap<String, Durability>,
    /// The settings that cause it.
    pub how: String,
}

impl StoreFacts {
    /// The durability level, if the figure's variant has another one.
    pub fn durability_in(&self, figure: &Figure) -> Option<Durability> {
        self.durability_in.get(figure.variant.as_deref()?).copied()
    }
}

/// One figure of a publication. Fields that the publication does not state are absent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Figure {
    /// The corresponding variant of bakeoff's suite with the same name.
    pub variant: Option<String>,
    /// The background load, by its name in bakeoff.
    pub disturbance: Option<String>,
    /// The machine, a name in [`Facts::hardware`].
    pub hardware: String,
    /// The store's name in bakeoff, if it has one.
    pub store: Option<String>,
    /// The store's name in the publication.
    pub store_published: String,
    /// The phase in bakeoff's suite.
    pub phase: Option<String>,
    /// What was measured.
    pub measure: Kind,
    /// The data, by its name in bakeoff.
    pub data: Option<String>,
    /// The length of the shortest value, bytes.
    pub value_bytes_min: Option<u64>,
    /// The length of the longest value, bytes.
    pub value_bytes_max: Option<u64>,
    /// The number of records in the store.
    pub records: Option<u64>,
    /// The number of threads.
    pub threads: Option<u32>,
    /// Other parameters of the publication.
    pub parameters: Option<String>,
    /// Varied settings of the store.
    pub settings: Option<String>,
    /// The printed unit.
    pub unit: String,
    /// The printed figure, or the mean of repeated ones.
    pub mean: Option<f64>,
}

/// What a figure measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Time per operation or per pass.
    Time,
    /// Operations per second, all threads together.
    Rate,
    /// Bytes of records per byte on disk.
    SpaceEfficiency,
    /// The peak memory of the process.
    PeakMemory,
    /// Bytes on disk.
    Size,
    /// Allocation and garbage collection of a Java program; `parameters` names the figure. It is not part of the
    /// matrix.
    Garbage,
}

impl Published {
    /// The names of all publications.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.into_iter().map(|(name, _, _)| name)
    }

    /// The publication with this name.
    ///
    /// # Errors
    /// There is none (the error has all names), or its files are invalid.
    pub fn find(name: &str) -> Result<Self, PublishedError> {
        let unreadable = |why: String| PublishedError::Unreadable { name: name.to_owned(), why };
        let Some((_, figures, facts)) = ALL.into_iter().find(|(known, _, _)| *known == name) else {
            let names: Vec<_> = Self::names().collect();
            return Err(PublishedError::Unknown { name: name.to_owned(), names: names.join(", ") });
        };
        let facts = toml::from_str(facts).map_err(|error| unreadable(error.to_string()))?;
        let rows = csv::Reader::from_reader(figures.as_bytes()).into_deserialize().collect::<Result<Vec<_>, _>>();
        let figures = join_repeats(rows.map_err(|error| unreadable(error.to_string()))?);
        Ok(Self { name: name.to_owned(), facts, figures })
    }

    /// The figures as in `published/`, as CSV.
    pub fn csv(&self) -> &'static str {
        ALL.into_iter().find(|(name, _, _)| *name == self.name).map_or("", |(_, figures, _)| figures)
    }
}

/// Joins repeated figures: figures that differ only in their value are runs of the same, and their mean is kept.
fn join_repeats(figures: Vec<Figure>) -> Vec<Figure> {
    let mut joined: Vec<(Figure, Vec<f64>)> = Vec::new();
    for mut figure in figures {
        let mean = figure.mean.take();
        match joined.iter_mut().find(|(known, _)| *known == figure) {
            Some((_, means)) => means.extend(mean),
            None => joined.push((figure, Vec::from_iter(mean))),
        }
    }
    let figures = joined.into_iter().map(|(figure, means)| Figure { mean: bakeoff_stats::mean(&means), ..figure });
    figures.collect()
}

impl Figure {
    /// The figure in the matrix's unit: nanoseconds per operation (per entry for passes), bytes, or a fraction of 1.
    /// `None` for figures outside the matrix, and for missing ones.
    pub fn value(&self, facts: &Facts) -> Option<f64> {
        let mean = self.mean?;
        let records = self.records.map(|records| records as f64);
        match (self.measure, self.unit.as_str()) {
            (Kind::Time, "ns") => Some(mean * facts.time_factor),
            (Kind::Time, "ms/pass") => records.map(|records| mean * 1e6 / records),
            (Kind::Time, "s/pass") => records.map(|records| mean * 1e9 / records),
            // The rate is of all threads together, the time per operation in its thread.
            (Kind::Rate, _) if mean > 0.0 => Some(f64::from(self.threads.unwrap_or(1)) * 1e9 / mean),
            (Kind::SpaceEfficiency, "%") => Some(mean / 100.0),
            (Kind::PeakMemory, "KiB") => Some(mean * 1024.0),
            (Kind::Size, _) => self.flat_bytes(facts).zip(self.size_bytes()).map(|(flat, size)| flat / size),
            _ => None,
        }
    }

    /// The size of a store.
    fn size_bytes(&self) -> Option<f64> {
        Some(self.mean? * size_of(&self.unit).filter(|_| self.measure == Kind::Size)?)
    }

    /// The factor by which space efficiency changes if keys count too: 1 if they count already. Short and long values
    /// are equally frequent.
    pub fn keys_counted(&self, facts: &Facts) -> f64 {
        match (facts.key_bytes, self.value_bytes_min, self.value_bytes_max) {
            (Some(key), Some(min), Some(max)) if facts.space_of_values && self.measure == Kind::SpaceEfficiency => {
                1.0 + key as f64 / (min as f64).midpoint(max as f64)
            }
            _ => 1.0,
        }
    }

    /// The size of a store's records in a flat array, if the publication states their lengths.
    fn flat_bytes(&self, facts: &Facts) -> Option<f64> {
        let (key, records) = (facts.key_bytes?, self.records.filter(|_| self.store.is_some())?);
        let value = match (self.value_bytes_min, &self.variant) {
            (Some(bytes), _) => (Some(bytes) == self.value_bytes_max).then_some(bytes)?,
            (None, variant) => *facts.value_bytes.get(variant.as_ref()?)?,
        };
        Some(((key + value) * records) as f64)
    }
}

/// A unit of sizes, in bytes.
fn size_of(unit: &str) -> Option<f64> {
    match unit {
        "bytes" => Some(1.0),
        "MiB" => Some(f64::from(1 << 20)),
        "GiB" => Some(f64::from(1 << 30)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_shown_beside_a_flat_array() {
        let published = Published::find("lmdbjava-2016").unwrap();
        let sizes = |store: &str| -> Vec<f64> {
            let of = published
                .figures
                .iter()
                .filter(|figure| figure.measure == Kind::Size && figure.records == Some(1_000_000));
            of.filter(|figure| figure.store_published == store)
                .filter_map(|figure| figure.value(&published.facts))
                .collect()
        };
        // 104,000,000 bytes compared with 473,067,520: the report prints 354.87 % more.
        let xodus = sizes("Xodus");
        assert!(xodus.len() == 1 && (1.0 / xodus[0] - 4.5487).abs() < 1e-4, "{xodus:?}");
        assert!(sizes("Flat Array").is_empty(), "no store");
    }

    #[test]
    fn a_rate_of_several_threads_is_the_time_that_an_operation_takes_each_of_them() {
        let published = Published::find("ozone-2020").unwrap();
        let mut walks = published.figures.iter().filter(|figure| figure.variant.as_deref() == Some("flat-buffer"));
        let eight = walks.find(|figure| figure.threads == Some(8)).and_then(|figure| figure.value(&published.facts));
        // 147,274.923 walks per second.
        assert!((eight.unwrap() - 54_320.0).abs() < 1.0, "{eight:?}");
    }

    #[test]
    fn a_size_counts_with_the_length_of_its_variants_values() {
        let published = Published::find("ozone-2020").unwrap();
        let size = |variant: &str| {
            let mut of = published.figures.iter().filter(|figure| figure.variant.as_deref() == Some(variant));
            of.find(|figure| figure.measure == Kind::Size).and_then(|figure| figure.value(&published.facts)).unwrap()
        };
        // 12,207,030 entries: of 42 and 240 bytes in 527 MiB, of 42 and 250 bytes in 3.2 GiB.
        assert!((size("flat-buffer") - 6.2294).abs() < 1e-3, "{}", size("flat-buffer"));
        assert!((size("padding-250") - 1.0374).abs() < 1e-3, "{}", size("padding-250"));
    }

    #[test]
    fn every_publication_can_be_read_and_explains_its_machines_and_stores() {
        for name in Published::names() {
            let published = Published::find(name).unwrap_or_else(|error| panic!("{error}"));
            assert!(!published.figures.is_empty() && !published.facts.notes.is_empty(), "{name}");
            for figure in &published.figures {
                assert!(published.facts.hardware.contains_key(&figure.hardware), "{name}: {}", figure.hardware);
                let elsewhere = matches!(figure.measure, Kind::Size | Kind::Garbage);
                let known = figure.mean.is_none() || elsewhere || figure.value(&published.facts).is_some();
                assert!(known, "{name}: unit {} of {:?}", figure.unit, figure.measure);
            }
        }
    }
}
