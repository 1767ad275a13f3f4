//! Numbers written exactly: sizes (`64MiB`), ranges (`1KiB..10KiB`), times (`1h30m`) and counts (`10,000`). `parse_…` functions read all
//! but counts back to the same number.

use std::time::Duration;

use crate::parse::DURATION_UNITS;

/// Writes a size exactly, in the largest unit that divides it: `64MiB`, `1536B`, `0B`.
pub fn format_size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = UNITS.into_iter().find(|&(_, scale)| bytes >= scale && bytes.is_multiple_of(scale));
    unit.map_or_else(|| format!("{bytes}B"), |(name, scale)| format!("{}{name}", bytes / scale))
}

/// Writes a range of sizes exactly, or a single size if both ends are the same: `1KiB..10KiB`, `4KiB`.
pub fn format_size_range(min: u64, max: u64) -> String {
    if min == max { format_size(min) } else { format!("{}..{}", format_size(min), format_size(max)) }
}

/// Writes sizes of values and a number of records, which people call a workload: `1KiB..10KiB × 10,000`.
pub fn format_data(value_bytes_min: u64, value_bytes_max: u64, records: u64) -> String {
    format!("{} × {}", format_size_range(value_bytes_min, value_bytes_max), format_count(records))
}

/// Writes a count with a comma between thousands: `10,000`. Not meant to be read back.
pub fn format_count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a time to the millisecond: `1h30m`, `90s` as `1m30s`, `500ms`, `0s`.
pub fn format_duration(time: Duration) -> String {
    let mut rest = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if rest == 0 {
        return "0s".into();
    }
    let mut text = String::new();
    for (name, scale) in DURATION_UNITS.into_iter().rev() {
        if rest >= scale {
            text.push_str(&format!("{}{name}", rest / scale));
            rest %= scale;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_sizes() {
        assert_eq!(format_size_range(1, 100), "1B..100B");
        assert_eq!(format_size_range(1024, 10_240), "1KiB..10KiB");
        assert_eq!(format_size_range(1_048_576, 1_048_576), "1MiB");
        assert_eq!(format_size_range(1000, 1025), "1000B..1025B");
    }
}
