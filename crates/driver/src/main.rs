//! `bakeoff-driver-native`: the stores that build in minutes, and plain files.

use std::process::ExitCode;

fn main() -> ExitCode {
    bakeoff_driver::main("bakeoff-driver-native", bakeoff_stores::native())
}
