//! How much more than usual is checked.

/// How much more than usual is checked, which `./bakeoff test long` sets.
pub(super) fn scale() -> u32 {
    std::env::var("BAKEOFF_TEST_SCALE").map_or(1, |scale| scale.parse().expect("BAKEOFF_TEST_SCALE is a number"))
}
