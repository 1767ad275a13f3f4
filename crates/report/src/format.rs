//! Numbers and texts for people: three significant digits, units chosen by size, nothing that could steer a terminal.

use std::fmt::Write;

use bakeoff_protocol::Axes;

/// The text with control characters, and those that change the direction of writing, shown as escapes.
///
/// Store titles, failure messages and whatever else comes from files go through this before a terminal sees them.
pub fn printable(text: &str) -> String {
    without_steering(text, &[])
}

/// The same for a text that may have several lines, and tabs in them.
pub fn printable_lines(text: &str) -> String {
    without_steering(text, &['\n', '\t'])
}

fn without_steering(text: &str, kept: &[char]) -> String {
    // Nearly every text is plain, and exports write millions of them.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_steering(character) && !kept.contains(&character) {
            let _ = write!(shown, "{}", character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters, line and paragraph separators, marks of direction, invisible joiners.
fn is_steering(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A time in nanoseconds: `3.21 µs`.
pub fn time(ns: f64) -> String {
    scaled(ns, &TIME_UNITS)
}

/// An interval whose ends are this many times apart, as of two rounds that differ much, says nothing, and is shown without figures.
const SAYS_NOTHING: f64 = 1e6;

/// Two times in the unit of the second: `3.10–3.35 µs`.
pub(crate) fn time_range(low_ns: f64, high_ns: f64) -> String {
    if high_ns > low_ns * SAYS_NOTHING {
        return "hardly known".to_owned();
    }
    let (scale, unit) = unit_of(high_ns, &TIME_UNITS);
    format!("{}–{} {unit}", digits(low_ns.max(0.0) / scale), digits(high_ns / scale))
}

/// A number of bytes: `12.3 MiB`.
pub(crate) fn bytes(bytes: f64) -> String {
    let units =
        [(1.0, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB"), (1_099_511_627_776.0, "TiB")];
    if bytes < 1000.0 { format!("{bytes:.0} B") } else { scaled(bytes, &units) }
}

/// Operations or entries a second: `1.23 M/s`.
pub(crate) fn rate(per_second: f64) -> String {
    let (scale, unit) = unit_of(per_second, &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")]);
    let space = if unit.is_empty() { "" } else { " " };
    format!("{}{space}{unit}/s", digits(per_second / scale))
}

/// A part of a whole: `97.5 %`.
pub(crate) fn percent(part: f64) -> String {
    format!("{} %", digits(part * 100.0))
}

/// How many times: `1.23×`.
pub(crate) fn ratio(times: f64) -> String {
    format!("{}×", digits(times))
}

/// Two numbers of times: `1.10–1.35×`. An end that lies on one side of 1 is not shown as 1, since that is what it tells.
pub(crate) fn ratio_range(low: f64, high: f64) -> String {
    format!("{}–{}×", beside_one(low), beside_one(high))
}

fn beside_one(times: f64) -> String {
    let shown = digits(times);
    let longer =
        || (3..=4).map(|decimals| format!("{times:.decimals$}")).find(|longer| longer.trim_end_matches('0') != "1.");
    let is_beside = times != 1.0 && shown == "1.00";
    if is_beside { longer().unwrap_or(shown) } else { shown }
}

/// A figure, or a dash where there is none.
pub(crate) fn or_dash<T>(figure: Option<T>, show: impl FnOnce(T) -> String) -> String {
    figure.map_or_else(|| "–".to_owned(), show)
}

/// A count with a comma between thousands: `10,000`.
pub(crate) fn count(count: u64) -> String {
    let plain = count.to_string();
    let mut grouped = String::with_capacity(plain.len() * 4 / 3);
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && (plain.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 round`, `3 rounds`.
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A range of sizes as suites spell it, exactly: `1KiB..10KiB`, or `4KiB` when both ends are the same.
pub(crate) fn size_range(min: u64, max: u64) -> String {
    if min == max { size(min) } else { format!("{}..{}", size(min), size(max)) }
}

/// The sizes of values and what is stored, as a workload is called: `1KiB..10KiB × 10,000 text`.
pub(crate) fn workload_in_words((min, max): (u64, u64), records: u64, data: &str) -> String {
    format!("{} × {} {data}", size_range(min, max), count(records))
}

/// The same of a cell.
pub(crate) fn workload_of(axes: &Axes) -> String {
    workload_in_words((axes.value_bytes_min, axes.value_bytes_max), axes.records, &axes.data)
}

/// Names in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

const TIME_UNITS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];

fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let exact = UNITS.iter().find(|(scale, _)| bytes >= *scale && bytes.is_multiple_of(*scale));
    exact.map_or_else(|| format!("{bytes}B"), |(scale, unit)| format!("{}{unit}", bytes / scale))
}

fn scaled(value: f64, units: &[(f64, &'static str)]) -> String {
    let (scale, unit) = unit_of(value, units);
    format!("{} {unit}", digits(value / scale))
}

/// The largest unit in which the value, as it will be rounded, is at least 1; the first if there is none.
fn unit_of(value: f64, units: &[(f64, &'static str)]) -> (f64, &'static str) {
    units.iter().rev().find(|(scale, _)| value >= scale * 0.9995).or(units.first()).copied().unwrap_or((1.0, ""))
}

/// Three significant digits, without exponent.
pub(crate) fn digits(value: f64) -> String {
    let decimals = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        value if value >= 0.9995 || value <= 0.0 => 2,
        value => (2.0 - value.log10().floor()).min(9.0) as usize,
    };
    if value == 0.0 { "0".to_owned() } else { format!("{value:.decimals$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_in_the_right_unit() {
        assert_eq!(time(0.8512), "0.851 ns");
        assert_eq!(time(0.0), "0 ns");
        assert_eq!(time(9.999), "10.0 ns");
        assert_eq!(time(999.4), "999 ns");
        assert_eq!(time(999.6), "1.00 µs");
        assert_eq!(time(3_214.0), "3.21 µs");
        assert_eq!(time(45_678_901.0), "45.7 ms");
        assert_eq!(time(7.2e12), "7200 s");
        assert_eq!(time_range(950.0, 3_350.0), "0.950–3.35 µs");
        assert_eq!(time_range(1e-3, 3e15), "hardly known");
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(1536.0), "1.50 KiB");
        assert_eq!(bytes(12.34 * 1_048_576.0), "12.3 MiB");
        assert_eq!(rate(1_234_567.0), "1.23 M/s");
        assert_eq!(rate(321.0), "321/s");
        assert_eq!(percent(0.9754), "97.5 %");
        assert_eq!(percent(1.563), "156 %");
        assert_eq!(ratio(1.2345), "1.23×");
    }

    #[test]
    fn exact_counts_and_sizes() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(size_range(1, 100), "1B..100B");
        assert_eq!(size_range(1024, 10_240), "1KiB..10KiB");
        assert_eq!(size_range(1_048_576, 1_048_576), "1MiB");
        assert_eq!(size_range(1000, 1025), "1000B..1025B");
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(printable("\x1b[31mred\x07\r\n"), "\\u{1b}[31mred\\u{7}\\r\\n");
        assert_eq!(printable("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
        assert_eq!(printable("Straße 百 µs"), "Straße 百 µs");
    }
}
