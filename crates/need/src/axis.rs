//! An axis of a map, as typed: `value-size=16B..1MiB`.

use anyhow::{Result, bail};
use bakeoff_engine::pick::RECORDS_MAX;
use bakeoff_results::map_axis::{MapAxis, MapQuantity};
use bakeoff_suite::VALUE_BYTES_MAX;
use bakeoff_tape::LANES_MAX;
use bakeoff_text::{did_you_mean, parse_count, parse_size, printable};

/// The largest skew, as in `--access zipfian:10`.
const SKEW_MAX: f64 = 10.0;

/// The least and the most memory in bytes, as in `--memory`.
const MEMORY_BYTES: (f64, f64) = ((64 << 10) as f64, (1_u64 << 46) as f64);

/// Parses an axis. `flag` is its place, for messages.
pub fn axis(flag: &str, text: &str) -> Result<MapAxis> {
    let known = MapQuantity::ALL.map(MapQuantity::name);
    let example = "write, for example, value-size=16B..1MiB";
    let shown = printable(text);
    let Some((name, range)) = text.split_once('=') else { bail!("{flag} {shown}: no range is given; {example}") };
    let Some(quantity) = MapQuantity::ALL.into_iter().find(|quantity| quantity.name() == name.trim()) else {
        let near = did_you_mean(name.trim(), &known);
        bail!("{flag}: unknown quantity `{}`{near}; use {}", printable(name.trim()), known.join(", "))
    };
    let Some((from, to)) = range.split_once("..") else {
        bail!("{flag} {shown}: `{}` is not a range; {example}", printable(range))
    };
    let [from, to] = [from, to].map(|end| number(quantity, end.trim()).map_err(|why| format!("{flag} {shown}: {why}")));
    let (from, to) = match (from, to) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(why), _) | (_, Err(why)) => bail!(why),
    };
    if from >= to {
        bail!("{flag} {shown}: the range must ascend; give the smaller value first, and two that differ");
    }
    let (least, most) = limits(quantity);
    if from < least || to > most {
        let [least, most] = [least, most].map(|end| quantity.to_word(end));
        bail!("{flag} {shown}: {} is out of range; give {least} to {most}", quantity.label());
    }
    Ok(MapAxis::new(quantity, from, to))
}

/// The smallest and the largest value of a quantity.
fn limits(quantity: MapQuantity) -> (f64, f64) {
    match quantity {
        MapQuantity::ValueSize => (1.0, VALUE_BYTES_MAX as f64),
        MapQuantity::Records => (1.0, RECORDS_MAX as f64),
        MapQuantity::Reads => (0.0, 100.0),
        MapQuantity::Threads => (1.0, f64::from(LANES_MAX)),
        MapQuantity::Memory => MEMORY_BYTES,
        MapQuantity::Skew => (0.0, SKEW_MAX),
    }
}

/// An end of a range in the quantity's unit.
fn number(quantity: MapQuantity, text: &str) -> Result<f64, String> {
    let whole = |parsed: Result<u64, bakeoff_text::UnitError>| {
        parsed.map(|number| number as f64).map_err(|why| why.to_string())
    };
    match quantity {
        MapQuantity::ValueSize | MapQuantity::Memory => whole(parse_size(text)),
        MapQuantity::Records | MapQuantity::Threads => whole(parse_count(text)),
        MapQuantity::Reads => whole(parse_count(text.strip_suffix('%').unwrap_or(text).trim())),
        MapQuantity::Skew => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(format!("`{}` is not a number, such as 0.99", printable(text))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_read_with_their_units() {
        let ends = |text: &str| {
            let axis = axis("--x", text).unwrap_or_else(|why| panic!("{text}: {why:#}"));
            (axis.quantity, axis.values[0], axis.values[axis.values.len() - 1])
        };
        assert_eq!(ends("value-size=16B..1MiB"), (MapQuantity::ValueSize, 16.0, 1_048_576.0));
        assert_eq!(ends("records=1k..1M"), (MapQuantity::Records, 1e3, 1e6));
        assert_eq!(ends("reads=0..100"), (MapQuantity::Reads, 0.0, 100.0));
        assert_eq!(ends("reads=10%..90%"), (MapQuantity::Reads, 10.0, 90.0));
        assert_eq!(ends("skew=0..1.5"), (MapQuantity::Skew, 0.0, 1.5));
        assert_eq!(ends(" threads = 1 .. 8 "), (MapQuantity::Threads, 1.0, 8.0));
    }

    #[test]
    fn what_is_no_axis_is_refused_with_what_would_do() {
        let said = |text: &str| format!("{:#}", axis("--y", text).unwrap_err());
        for (text, words) in [
            ("records", "--y records: no range is given; write, for example"),
            ("record=1..2", "--y: unknown quantity `record` (did you mean `records`?); use value-size, records"),
            ("records=1k", "`1k` is not a range"),
            ("records=5..5", "must ascend"),
            ("records=9..5", "must ascend"),
            ("records=0..5", "records is out of range; give 1 to 2000000000"),
            ("reads=0..101", "give 0 to 100"),
            ("skew=a..1", "`a` is not a number"),
            ("skew=0..inf", "`inf` is not a number"),
            ("value-size=1B..2GiB", "give 1B to 1GiB"),
            ("memory=1KiB..1GiB", "give 64KiB to 64TiB"),
        ] {
            assert!(said(text).contains(words), "{text}: {}", said(text));
        }
    }
}
