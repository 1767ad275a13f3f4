//! Feeds libFuzzer's inputs to [`bakeoff_fuzz::trace`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| bakeoff_fuzz::trace(input));
