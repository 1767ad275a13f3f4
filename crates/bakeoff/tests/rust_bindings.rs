//! The lines that a pick shows to programs in Rust, compiled and run. Alone in its process, since they open files where it is.

#![allow(
    unused_variables,
    unused_mut,
    unsafe_code,
    clippy::type_complexity,
    reason = "the lines are as a pick shows them"
)]

include!("bindings/rust.rs");

#[test]
fn every_line_compiles_and_opens_its_store() {
    for (name, open) in ALL {
        let place = tempfile::tempdir().expect("a directory");
        std::env::set_current_dir(place.path()).expect("it can be entered");
        open().unwrap_or_else(|why| panic!("{name}: {why}"));
        let made = std::fs::read_dir(place.path()).expect("it can be read").count();
        assert!(made > 0, "{name} makes a file");
    }
}
