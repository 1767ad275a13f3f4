//! Feeds libFuzzer's inputs to [`bakeoff_fuzz::request`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bakeoff_fuzz::request(input));
