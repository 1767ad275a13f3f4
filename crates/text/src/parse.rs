//! Numbers as people type them: sizes (`64MiB`), counts (`10k`), times (`1h30m`) and ranges (`1KiB..10KiB`).

use std::borrow::Cow;
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
const COUNT_UNITS: [Unit; 7] = [
    ("", 1),
    ("k", 1_000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
];
pub(crate) const DURATION_UNITS: [Unit; 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];
/// The units of times with their longer names.
const DURATION_NAMES: [Unit; 16] = [
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("sec", 1_000),
    ("secs", 1_000),
    ("second", 1_000),
    ("seconds", 1_000),
    ("min", 60_000),
    ("mins", 60_000),
    ("minute", 60_000),
    ("minutes", 60_000),
    ("hr", 3_600_000),
    ("hrs", 3_600_000),
    ("hour", 3_600_000),
    ("hours", 3_600_000),
];
/// What is between the ends of a range, apart from `..`.
const BETWEEN_ENDS: [&str; 3] = ["–", " to ", "-"];

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

/// Reads a count: `1000`, `1_000`, `1,000`, `10k`, `2.5M`, `1e6`, `2 million`.
///
/// # Errors
/// The text is not a number, is not whole, or does not fit 64 bits.
pub fn parse_count(text: &str) -> Result<u64, UnitError> {
    let plain = without_commas(text.trim());
    let (number, unit) = split_number(&plain);
    scaled(number, unit, &COUNT_UNITS)
        .map_err(|what| UnitError::new(format!("`{}` {what}", shorten(text)), COUNT_REMEDY))
}

/// Reads a time with units from large to small, each at most once: `90s`, `5m`, `1h30m`, `500ms`, `5 minutes`.
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
        let part = scaled(number, unit, &DURATION_NAMES).map_err(|what| fail(&what))?;
        let scale = scale_of(unit, &DURATION_NAMES).unwrap_or(0);
        if scale >= smallest {
            return Err(fail("does not go from large units to small ones"));
        }
        smallest = scale;
        milliseconds = milliseconds.checked_add(part).ok_or_else(|| fail("is too long"))?;
        rest = next.trim_start();
    }
    Ok(Duration::from_millis(milliseconds))
}

/// Reads a size or a range of sizes, both ends included: `4KiB`, `1KiB..10KiB`, `1-10 KiB`.
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
    let (min, max) = match ends(text) {
        Some((min, max)) => (parse(&min)?, parse(max)?),
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

/// The ends of a range. In `1-5 KiB` and `1 to 5 KiB` the unit of the second is that of both; in `1..5KiB` it is not.
fn ends(text: &str) -> Option<(Cow<'_, str>, &str)> {
    if let Some((min, max)) = text.split_once("..") {
        return Some((min.into(), max.strip_prefix('=').unwrap_or(max)));
    }
    let (min, max) = BETWEEN_ENDS.iter().find_map(|between| text.split_once(between))?;
    let ((number, unit), (_, shared)) = (split_number(min.trim()), split_number(max.trim()));
    match (number, unit) {
        ("", _) => None,
        (_, "") => Some((format!("{number}{shared}").into(), max)),
        _ => Some((min.into(), max)),
    }
}

/// A number without the commas between its groups of three digits.
fn without_commas(text: &str) -> Cow<'_, str> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != ',').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let mut groups = number.split(',');
    let is_first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    if !is_first || !number.contains(',') || groups.any(|group| group.len() != 3) {
        return text.into();
    }
    (number.replace(',', "") + rest).into()
}

/// The number at the start, and the rest.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_')).count();
    let (number, rest) = text.split_at(end);
    (number, rest.trim_start())
}

fn scale_of(unit: &str, units: &[Unit]) -> Option<u64> {
    let named = units.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name)).map(|&(_, scale)| scale);
    // `1e6` is a million, where a number may be without a unit.
    let power = || 10u64.checked_pow(unit.strip_prefix(['e', 'E'])?.trim_start_matches('+').parse().ok()?);
    named.or_else(|| units.contains(&("", 1)).then(power).flatten())
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
