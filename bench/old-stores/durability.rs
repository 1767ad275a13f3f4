//! The checks of durability, which kill processes of an old version. The directory for stores is `TMPDIR`, which must be on a disk.

use bakeoff_store::durability::{Plan, main as check};

fn main() -> std::process::ExitCode {
    check(Plan::new(&[old_store::ENTRY], &std::env::temp_dir()))
}
