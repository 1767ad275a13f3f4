//! The number of repetitions of checks.

/// The factor by which more is checked than usual; `./bakeoff test long` sets it.
pub(super) fn scale() -> u32 {
    std::env::var("BAKEOFF_TEST_SCALE").map_or(1, |scale| scale.parse().expect("BAKEOFF_TEST_SCALE is a number"))
}
