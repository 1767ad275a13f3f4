//! `bakeoff-driver-heavy`: stores whose C++ takes long to build.

use std::process::ExitCode;

fn main() -> ExitCode {
    bakeoff_driver::main("bakeoff-driver-heavy", bakeoff_stores::heavy())
}
