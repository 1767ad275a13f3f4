//! The axes of a decision map: the quantity of a need along each, and the values at which stores may be raced.

use bakeoff_text::{approximate_size, format_count};
use serde::{Deserialize, Serialize};

/// The maximum of steps along an axis. It has one value more.
pub const MAP_STEPS: usize = 16;

/// A quantity of a need that a map varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapQuantity {
    /// Bytes of a value.
    ValueSize,
    /// Records at the start.
    Records,
    /// The share of reads among the operations, percent.
    Reads,
    /// Threads that use the store concurrently.
    Threads,
    /// Bytes for the store's caches and buffers.
    Memory,
    /// The exponent of Zipf's law for the popularity of records: 0 is uniform.
    Skew,
}

impl MapQuantity {
    /// All quantities.
    pub const ALL: [Self; 6] = [Self::ValueSize, Self::Records, Self::Reads, Self::Threads, Self::Memory, Self::Skew];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ValueSize => "value-size",
            Self::Records => "records",
            Self::Reads => "reads",
            Self::Threads => "threads",
            Self::Memory => "memory",
            Self::Skew => "skew",
        }
    }

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::ValueSize => "value size",
            Self::Records => "records",
            Self::Reads => "share of reads",
            Self::Threads => "threads",
            Self::Memory => "memory",
            Self::Skew => "skew",
        }
    }

    /// Whether equal steps multiply the value. One step then matters as much for a small value as for a large one.
    pub fn is_logarithmic(self) -> bool {
        match self {
            Self::ValueSize | Self::Records | Self::Threads | Self::Memory => true,
            Self::Reads | Self::Skew => false,
        }
    }

    /// A value with its unit: `64.0 KiB`, `10,000`, `80 %`.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::ValueSize | Self::Memory => approximate_size(value as u64),
            Self::Records | Self::Threads => format_count(value as u64),
            Self::Reads => format!("{value:.0} %"),
            Self::Skew => format!("{value}"),
        }
    }

    /// The same in at most five characters: `64K`, `10k`, `80%`.
    pub fn show_short(self, value: f64) -> String {
        match self {
            Self::ValueSize | Self::Memory => scaled(value, 1024.0, ["B", "K", "M", "G", "T"]),
            Self::Records | Self::Threads => scaled(value, 1000.0, ["", "k", "M", "G", "T"]),
            Self::Reads => format!("{value:.0}%"),
            Self::Skew => format!("{value}"),
        }
    }

    /// The value as typed on a command line: `64KiB`, `10000`.
    pub fn to_word(self, value: f64) -> String {
        match self {
            Self::ValueSize | Self::Memory => bakeoff_text::format_size(value as u64),
            Self::Records | Self::Threads | Self::Reads | Self::Skew => format!("{value}"),
        }
    }

    /// The nearest possible value of an axis: sizes with three significant binary digits, counts with two decimal
    /// digits.
    fn rounded(self, value: f64) -> f64 {
        match self {
            Self::ValueSize | Self::Memory => to_step(value, 2.0_f64.powf(value.max(1.0).log2().floor() - 2.0)),
            Self::Records => to_step(value, 10.0_f64.powf(value.max(1.0).log10().floor() - 1.0)),
            Self::Reads | Self::Threads => value.round(),
            Self::Skew => (value * 100.0).round() / 100.0,
        }
    }
}

/// The nearest multiple of a step. For steps below one, the nearest whole number.
fn to_step(value: f64, step: f64) -> f64 {
    let step = step.max(1.0);
    ((value / step).round() * step).round()
}

/// Two or three digits and the unit's letter, without a trailing zero after the decimal point.
fn scaled(value: f64, base: f64, units: [&str; 5]) -> String {
    let (mut scaled, mut unit) = (value, 0);
    while scaled >= base && unit + 1 < units.len() {
        scaled /= base;
        unit += 1;
    }
    let decimals = usize::from(scaled < 9.95);
    let number = format!("{scaled:.decimals$}");
    format!("{}{}", number.strip_suffix(".0").unwrap_or(&number), units[unit])
}

/// An axis of a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapAxis {
    /// The quantity along it.
    pub quantity: MapQuantity,
    /// The values at which stores may be raced, ascending, in the quantity's unit.
    pub values: Vec<f64>,
}

impl MapAxis {
    /// An axis between two values: both ends, and at most fifteen values between them.
    pub fn new(quantity: MapQuantity, from: f64, to: f64) -> Self {
        let at = |step: usize| {
            let part = step as f64 / MAP_STEPS as f64;
            match quantity.is_logarithmic() && from > 0.0 {
                true => from * (to / from).powf(part),
                false => from + (to - from) * part,
            }
        };
        let mut values = vec![from];
        for value in (1..MAP_STEPS).map(|step| quantity.rounded(at(step))) {
            if values.last().is_some_and(|last| value > *last) && value < to {
                values.push(value);
            }
        }
        values.push(to);
        Self { quantity, values }
    }

    /// The value at an index.
    pub fn value(&self, place: usize) -> f64 {
        self.values.get(place).copied().unwrap_or(f64::NAN)
    }

    /// The quantity with its value at an index: `value size 64.0 KiB`.
    pub fn describe(&self, place: usize) -> String {
        let value = self.quantity.show(self.value(place));
        match self.quantity {
            MapQuantity::Records | MapQuantity::Threads => format!("{value} {}", self.quantity.label()),
            _ => format!("{} {value}", self.quantity.label()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_double_counts_are_round_and_shares_are_even() {
        let sizes = MapAxis::new(MapQuantity::ValueSize, 16.0, 1_048_576.0);
        assert_eq!(sizes.values, (4..=20).map(|power| f64::from(1 << power)).collect::<Vec<_>>());
        let records = MapAxis::new(MapQuantity::Records, 1e3, 1e6);
        assert_eq!(&records.values[..5], [1_000.0, 1_500.0, 2_400.0, 3_700.0, 5_600.0]);
        assert_eq!((records.values.len(), records.values[16]), (17, 1e6));
        assert_eq!(MapAxis::new(MapQuantity::Threads, 1.0, 4.0).values, [1.0, 2.0, 3.0, 4.0]);
        let reads = MapAxis::new(MapQuantity::Reads, 0.0, 100.0).values;
        assert_eq!((reads.len(), reads[8]), (17, 50.0));
        assert_eq!(MapAxis::new(MapQuantity::Skew, 0.0, 1.6).values[3], 0.3);
    }

    #[test]
    fn values_are_shown_in_few_characters() {
        let shown = |quantity: MapQuantity, value| quantity.show_short(value);
        let sizes = [16.0, 1536.0, 65_536.0, 1_048_576.0, 1.25 * 1024.0];
        assert_eq!(sizes.map(|size| shown(MapQuantity::ValueSize, size)), ["16B", "1.5K", "64K", "1M", "1.2K"]);
        let counts = [1.0, 1_500.0, 1_990.0, 9_970.0, 13_000.0, 420_000.0, 1e6];
        assert_eq!(
            counts.map(|count| shown(MapQuantity::Records, count)),
            ["1", "1.5k", "2k", "10k", "13k", "420k", "1M"]
        );
        assert_eq!((shown(MapQuantity::Reads, 50.0), shown(MapQuantity::Skew, 0.99)), ("50%".into(), "0.99".into()));
    }

    #[test]
    fn every_axis_ascends_from_end_to_end() {
        for quantity in MapQuantity::ALL {
            for (from, to) in [(1.0, 2.0), (1.0, 3.0), (1.0, 10.0), (3.0, 7.0), (1.0, 100.0)] {
                let MapAxis { values, .. } = MapAxis::new(quantity, from, to);
                assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{quantity:?} {values:?}");
                assert_eq!((values[0], values[values.len() - 1]), (from, to));
                assert!(values.len() <= MAP_STEPS + 1);
            }
        }
    }
}
