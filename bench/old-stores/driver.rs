//! The driver of an old version.

fn main() -> std::process::ExitCode {
    bakeoff_driver::main(concat!("bakeoff-driver-", env!("CARGO_PKG_NAME")), &[old_store::ENTRY])
}
