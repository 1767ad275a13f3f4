//! Numbers are read back as written, and no text makes the parser panic.

use std::time::Duration;

use bakeoff_text::{
    format_duration, format_size, format_size_range, parse_count, parse_count_range, parse_duration, parse_size,
    parse_size_range,
};
use proptest::prelude::*;

proptest! {
    #[test]
    fn sizes_are_read_back(bytes in any::<u64>(), shift in 0..64u32) {
        let bytes = bytes >> shift << (shift / 2);
        prop_assert_eq!(parse_size(&format_size(bytes)), Ok(bytes));
        prop_assert_eq!(parse_count(&bytes.to_string()), Ok(bytes));
    }

    #[test]
    fn ranges_are_read_back(ends in any::<(u32, u32)>()) {
        let (min, max) = (u64::from(ends.0.min(ends.1)), u64::from(ends.0.max(ends.1)));
        prop_assert_eq!(parse_size_range(&format_size_range(min, max)), Ok(min..=max));
        prop_assert_eq!(parse_count_range(&format!("{}..{}", min, max)), Ok(min..=max));
    }

    #[test]
    fn durations_are_read_back(milliseconds in any::<u64>(), shift in 0..64u32) {
        let time = Duration::from_millis(milliseconds >> shift);
        prop_assert_eq!(parse_duration(&format_duration(time)), Ok(time));
    }

    #[test]
    fn any_number_is_survived(text in "\\PC*|[0-9._]{0,40}[a-zA-Z]{0,3}") {
        let _ = (parse_size(&text), parse_count(&text), parse_duration(&text));
        let _ = (parse_size_range(&text), parse_count_range(&text));
    }
}
