//! Where a suite's text comes from.

use std::path::Path;

use anyhow::Result;
use bakeoff_results::record::RunRecord;

use crate::drivers::discovery::Drivers;
use crate::plan::imported_tape::ImportedTape;

/// A suite's text and the name errors call it by.
#[derive(Clone)]
pub struct SuiteSource {
    /// What errors call it.
    pub name: String,
    /// The text of the file.
    pub text: String,
}

impl SuiteSource {
    /// The suite of a run.
    pub fn of(file: &RunRecord) -> Self {
        Self { name: file.suite.name.clone(), text: file.suite.text.clone() }
    }

    /// A suite that replays an imported tape on every store there is.
    pub fn replaying(tape: &Path) -> Result<Self> {
        let stores = Drivers::discover()?.stores();
        let names: Vec<_> = stores.into_iter().filter(|store| !store.test_only).map(|store| store.name).collect();
        let name = tape.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, text: ImportedTape::suite(tape, &names)? })
    }

    /// A file if it looks like one, else a suite of bakeoff's own, else a file after all.
    pub fn find(name: &str) -> Result<Self> {
        let path = Path::new(name);
        let looks_like_a_file = path.extension().is_some_and(|extension| extension == "toml") || name.contains('/');
        let text = match bakeoff_suite::builtin::find(name) {
            Ok(text) => text.to_owned(),
            Err(unknown) if !looks_like_a_file && !path.exists() => return Err(unknown.into()),
            Err(_) => bakeoff_suite::read_text(path)?,
        };
        Ok(Self { name: name.to_owned(), text })
    }
}
