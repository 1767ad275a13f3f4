//! Prints circles between files of each crate of the workspace, dependencies between crates that point upwards, and rules that documents
//! break.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use bakeoff_tidy::{Document, Files, file_circles, floor_violations, packages};

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
    let files = Files::read(Path::new("."))?;
    let documents = Document::read_all(Path::new("."), &files)?;
    let in_documents = documents.iter().flat_map(|document| document.violations(&documents, &files));
    for violation in floor_violations(&packages).into_iter().chain(in_documents) {
        println!("{violation}");
        is_tidy = false;
    }
    if is_tidy {
        println!("no circles between files, every dependency points to a lower floor, and documents keep their rules");
    }
    Ok(if is_tidy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
