//! Numbers as people type them: sizes (`64MiB`), counts (`10k`), times (`1h30m`) and ranges (`1KiB..10KiB`).

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::printable::shorten;

/// Why a number could not be read, and how to write it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {remedy}")]
pub struct UnitError {
    /// What is wrong.
    pub what: String,
    /// How to write it.
    pub remedy: String,
}

impl UnitError {
    fn new(what: impl Into<String>, remedy: &str) -> Self {
        Self { what: what.into(), remedy: remedy.into() }
    }
}

/// A unit's name in lower case, and its factor.
type Unit = (&'static str, u64);

const SIZE_UNITS: [Unit; 10] = [
    ("", 1),
    ("b", 1),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
];
const COUNT_UNITS: [Unit; 4] = [("", 1), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];
pub(crate) const DURATION_UNITS: [Unit; 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

const SIZE_REMEDY: &str =
    "write a whole number of bytes such as 100B, 4KiB (1,024 each) or 1.5GiB; kB, MB and GB are powers of 1,000";
const COUNT_REMEDY: &str = "write a whole number such as 1000, 1_000, 10k or 2.5M";
const DURATION_REMEDY: &str = "write a time such as 90s, 5m, 1h30m or 500ms";

/// Reads a size in bytes: `100B`, `4KiB`, `1.5GiB`, `10MB`, `4096`.
///
/// # Errors
/// The text is not a size, is not a whole number of bytes, or does not fit 64 bits.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = split_number(text.trim());
    if matches!(unit, "k" | "K" | "M" | "G" | "T") {
        let remedy =
            format!("write {number}{0}iB for powers of 1,024 or {number}{0}B for powers of 1,000", unit.to_uppercase());
        return Err(UnitError::new(format!("`{}` does not say which unit it means", shorten(text)), &remedy));
    }
    scaled(number, unit, &SIZE_UNITS).map_err(|what| UnitError::new(format!("`{}` {what}", shorten(text)), SIZE_REMEDY))
}

/// Reads a count: `1000`, `1_000`, `10k`, `2.5M`.
///
/// # Errors
/// The text is not a number, is not whole, or does not fit 64 bits.
pub fn parse_count(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = split_number(text.trim());
    scaled(number, unit, &COUNT_UNITS)
        .map_err(|what| UnitError::new(format!("`{}` {what}", shorten(text)), COUNT_REMEDY))
}

/// Reads a time with units from large to small, each at most once: `90s`, `5m`, `1h30m`, `500ms`.
///
/// # Errors
/// The text is not a time, has no unit, or exceeds 64 bits of milliseconds.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let fail = |what: &str| UnitError::new(format!("`{}` {what}", shorten(text)), DURATION_REMEDY);
    let mut rest = text.trim();
    let mut milliseconds = 0u64;
    let mut smallest = u64::MAX;
    if rest.is_empty() {
        return Err(fail("is not a time"));
    }
    while !rest.is_empty() {
        let (number, after) = split_number(rest);
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, next) = after.split_at(letters);
        if unit.is_empty() {
            return Err(fail("is not a time with a unit"));
        }
        let part = scaled(number, unit, &DURATION_UNITS).map_err(|what| fail(&what))?;
        let scale = scale_of(unit, &DURATION_UNITS).unwrap_or(0);
        if scale >= smallest {
            return Err(fail("does not go from large units to small ones"));
        }
        smallest = scale;
        milliseconds = milliseconds.checked_add(part).ok_or_else(|| fail("is too long"))?;
        rest = next;
    }
    Ok(Duration::from_millis(milliseconds))
}

/// Reads a size or a range of sizes, both ends included: `4KiB`, `1KiB..10KiB`.
///
/// # Errors
/// An end is not a size, or the range runs backwards.
pub fn parse_size_range(text: &str) -> Result<RangeInclusive<u64>, UnitError> {
    range(text, parse_size)
}

/// Reads a count or a range of counts, both ends included: `100`, `1..100`.
///
/// # Errors
/// An end is not a count, or the range runs backwards.
pub fn parse_count_range(text: &str) -> Result<RangeInclusive<u64>, UnitError> {
    range(text, parse_count)
}

fn range(text: &str, parse: fn(&str) -> Result<u64, UnitError>) -> Result<RangeInclusive<u64>, UnitError> {
    let (min, max) = match text.split_once("..") {
        Some((min, max)) => (parse(min)?, parse(max.strip_prefix('=').unwrap_or(max))?),
        None => parse(text).map(|both| (both, both))?,
    };
    if min > max {
        return Err(UnitError::new(
            format!("the range `{}` runs backwards", shorten(text)),
            "write the smaller end first, for example 1..100; both ends are included",
        ));
    }
    Ok(min..=max)
}

/// The number at the start, and the rest.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_')).count();
    let (number, rest) = text.split_at(end);
    (number, rest.trim_start())
}

fn scale_of(unit: &str, units: &[Unit]) -> Option<u64> {
    units.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name)).map(|&(_, scale)| scale)
}

/// Multiplies a decimal number by its unit, exactly.
fn scaled(number: &str, unit: &str, units: &[Unit]) -> Result<u64, String> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let (whole, fraction) = (whole.replace('_', ""), fraction.replace('_', ""));
    if number.is_empty()
        && unit.strip_prefix('-').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    {
        return Err("is below zero".into());
    }
    if whole.is_empty() || (fraction.is_empty() && number.contains('.')) || fraction.contains('.') {
        return Err("is not a number".into());
    }
    let scale = scale_of(unit, units).ok_or_else(|| format!("has the unknown unit `{}`", shorten(unit)))?;
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > 18 {
        return Err("is not a whole number".into());
    }
    let ten_power = 10u128.pow(fraction.len() as u32);
    let whole: u128 = whole.parse().map_err(|_| "is too large".to_owned())?;
    let fraction: u128 =
        if fraction.is_empty() { 0 } else { fraction.parse().map_err(|_| "is too large".to_owned())? };
    let scaled = fraction * u128::from(scale);
    if !scaled.is_multiple_of(ten_power) {
        return Err("is not a whole number".into());
    }
    let total = whole.checked_mul(u128::from(scale)).and_then(|product| product.checked_add(scaled / ten_power));
    total.and_then(|total| u64::try_from(total).ok()).ok_or_else(|| "is too large".into())
}
