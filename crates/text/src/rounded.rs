//! Numbers for people: three significant digits and a fitting unit. They are not meant to be read back.

use std::time::Duration;

const TIME_UNITS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];

const SIZE_UNITS: [(f64, &str); 7] = [
    (1.0, "B"),
    (1024.0, "KiB"),
    (1_048_576.0, "MiB"),
    (1_073_741_824.0, "GiB"),
    (1_099_511_627_776.0, "TiB"),
    (1_125_899_906_842_624.0, "PiB"),
    (1_152_921_504_606_846_976.0, "EiB"),
];

/// A time in nanoseconds: `3.21 µs`.
pub fn time(ns: f64) -> String {
    scaled(ns, &TIME_UNITS)
}

/// Two times in the unit of the second one: `3.10–3.35 µs`.
pub fn time_range(low_ns: f64, high_ns: f64) -> String {
    let (scale, unit) = unit_of(high_ns, &TIME_UNITS);
    format!("{}–{} {unit}", digits(low_ns.max(0.0) / scale), digits(high_ns / scale))
}

/// An estimated time, rounded up to two digits at most: `45 s`, `5 min`.
pub fn roughly(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    let step = match seconds {
        0..60 => 5,
        60..600 => 60,
        _ => 300,
    };
    minutes_or_seconds(seconds.next_multiple_of(step))
}

/// Seconds, or minutes if those are whole: `90 s`, `2 min`.
pub fn minutes_or_seconds(seconds: u64) -> String {
    if seconds.is_multiple_of(60) && seconds > 0 { format!("{} min", seconds / 60) } else { format!("{seconds} s") }
}

/// A number of bytes: `12.3 MiB`.
pub fn bytes(bytes: f64) -> String {
    if bytes < 1000.0 { format!("{bytes:.0} B") } else { scaled(bytes, &SIZE_UNITS) }
}

/// A whole number of bytes, as [`bytes()`] writes it.
pub fn approximate_size(size_bytes: u64) -> String {
    bytes(size_bytes as f64)
}

/// Operations or entries per second: `1.23 M/s`.
pub fn rate(per_second: f64) -> String {
    let (scale, unit) = unit_of(per_second, &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")]);
    let space = if unit.is_empty() { "" } else { " " };
    format!("{}{space}{unit}/s", digits(per_second / scale))
}

/// A share: `97.5 %`.
pub fn percent(part: f64) -> String {
    format!("{} %", digits(part * 100.0))
}

/// A factor: `1.23×`.
pub fn ratio(times: f64) -> String {
    format!("{}×", digits(times))
}

/// A range of factors: `1.10–1.35×`. An end above or below 1 is never shown as 1, since its side of 1 is the message.
pub fn ratio_range(low: f64, high: f64) -> String {
    format!("{}–{}×", beside_one(low), beside_one(high))
}

fn beside_one(times: f64) -> String {
    let shown = digits(times);
    let longer =
        || (3..=4).map(|decimals| format!("{times:.decimals$}")).find(|longer| longer.trim_end_matches('0') != "1.");
    let is_beside = times != 1.0 && shown == "1.00";
    if is_beside { longer().unwrap_or(shown) } else { shown }
}

fn scaled(value: f64, units: &[(f64, &'static str)]) -> String {
    let (scale, unit) = unit_of(value, units);
    format!("{} {unit}", digits(value / scale))
}

/// The largest unit in which the rounded value is at least 1; the first unit if there is none.
fn unit_of(value: f64, units: &[(f64, &'static str)]) -> (f64, &'static str) {
    units.iter().rev().find(|(scale, _)| value >= scale * 0.9995).or(units.first()).copied().unwrap_or((1.0, ""))
}

/// Three significant digits, without exponent.
pub fn digits(value: f64) -> String {
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
        assert_eq!(bytes(512.0), "512 B");
        assert_eq!(bytes(1536.0), "1.50 KiB");
        assert_eq!(bytes(12.34 * 1_048_576.0), "12.3 MiB");
        assert_eq!(rate(1_234_567.0), "1.23 M/s");
        assert_eq!(rate(321.0), "321/s");
        assert_eq!(percent(0.9754), "97.5 %");
        assert_eq!(percent(1.563), "156 %");
        assert_eq!(ratio(1.2345), "1.23×");
    }
}
