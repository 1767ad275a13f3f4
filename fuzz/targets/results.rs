//! Feeds libFuzzer's inputs to [`bakeoff_fuzz::results`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bakeoff_fuzz::results(input));
