//! Prints the circles between files of each crate of the workspace, and dependencies between crates that point upwards.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use bakeoff_tidy::{file_circles, floor_violations, packages};

fn main() -> Result<ExitCode> {
    let packages = packages(Path::new("."))?;
    let mut is_tidy = true;
    for package in &packages {
        for root in package.roots() {
            for circle in file_circles(root)? {
                println!("{} ({}):\n{circle}", package.name, root.display());
                is_tidy = false;
            }
        }
    }
    for violation in floor_violations(&packages) {
        println!("{violation}");
        is_tidy = false;
    }
    if is_tidy {
        println!("no circles between files, and every dependency points to a lower floor");
    }
    Ok(if is_tidy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
