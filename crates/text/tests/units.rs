//! Numbers as people write them.

use std::time::Duration;

use bakeoff_text::{
    approximate_size, format_count, format_duration, format_size, parse_count, parse_duration, parse_size,
    parse_size_range,
};

#[test]
fn sizes() {
    let read = |text| parse_size(text).unwrap();
    assert_eq!([read("0"), read("100B"), read("4KiB"), read("4kib"), read("4 kB")], [0, 100, 4_096, 4_096, 4_000]);
    assert_eq!([read("1.5GiB"), read("1_000MB"), read("0.5KiB")], [3 << 29, 1_000_000_000, 512]);
    for wrong in
        ["", "B", "1.5B", "1..2", "1.", ".5KiB", "-1B", "1 XiB", "20000000TiB", "1K", "_", "0.0000000000000000001B"]
    {
        assert!(parse_size(wrong).is_err(), "{wrong}");
    }
    assert!(parse_size("1K").unwrap_err().to_string().contains("1KiB for powers of 1,024 or 1KB for powers of 1,000"));
    assert_eq!([format_size(0), format_size(1_536), format_size(64 << 20)], ["0B", "1536B", "64MiB"]);
    let shown = [0, 999, 1_000, 10_239, 563_150_000, 3 << 40, u64::MAX].map(approximate_size);
    assert_eq!(shown, ["0 B", "999 B", "1000 B", "10.0 KiB", "537 MiB", "3.00 TiB", "16.0 EiB"]);
}

#[test]
fn ranges_as_people_write_them() {
    let kib = 1_024;
    for typed in
        ["1KiB..5KiB", "1KiB..=5KiB", "1-5 KiB", "1-5KiB", "1KiB-5KiB", "1 to 5 KiB", "1 – 5 KiB", "1 KiB - 5 KiB"]
    {
        assert_eq!(parse_size_range(typed), Ok(kib..=5 * kib), "{typed}");
    }
    assert_eq!(parse_size_range("1..5KiB"), Ok(1..=5 * kib), "each end has its own unit");
    assert_eq!(parse_size_range("100B-5KiB"), Ok(100..=5 * kib));
    for wrong in ["-5", "5-", "5-1", "1--5", "a-b", "KiB-5KiB", "1-5-9"] {
        assert!(parse_size_range(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn counts() {
    let read = |text| parse_count(text).unwrap();
    assert_eq!(
        [read("7"), read("1_000"), read("10k"), read("2.5M"), read("1G")],
        [7, 1_000, 10_000, 2_500_000, 1_000_000_000]
    );
    let words = ["1,000", "12,345,678", "1e6", "2.5e3", "2 million", "10 thousand"].map(read);
    assert_eq!(words, [1_000, 12_345_678, 1_000_000, 2_500, 2_000_000, 10_000]);
    for wrong in [
        "1,00",
        ",000",
        "1,0000",
        "1e",
        "1e99",
        "e6",
        "1.5e0",
        "",
        "k",
        "1.5",
        "1KiB",
        "99999999999999999999",
        "18446744073709552k",
    ] {
        assert!(parse_count(wrong).is_err(), "{wrong}");
    }
    assert_eq!([0, 999, 1_000, 1_234_567].map(format_count), ["0", "999", "1,000", "1,234,567"]);
}

#[test]
fn durations() {
    let read = |text| parse_duration(text).unwrap();
    let [ninety, mixed] = [Duration::from_secs(90), Duration::from_millis(5_400_250)];
    assert_eq!([read("90s"), read("1m30s"), read("1.5m"), read("1h30m250ms")], [ninety, ninety, ninety, mixed]);
    assert_eq!([read("5min"), read("90 sec"), read("1 hour 30 minutes")], [300, 90, 5_400].map(Duration::from_secs));
    for wrong in ["", "5", "m", "5m 1", "5m5m", "30m1h", "5x", "-5m", "99999999999999999999h"] {
        assert!(parse_duration(wrong).is_err(), "{wrong}");
    }
    assert_eq!([format_duration(Duration::ZERO), format_duration(ninety)], ["0s", "1m30s"]);
}
