//! An imported tape: opened, and replayed instead of tapes that are recorded for a suite.

use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_tape::{Recording, Workload, open_import};
use bakeoff_text::shorten_to;
use bakeoff_trace::WARM_UP_DIRECTORY;
use serde::Serialize;

/// The most of a tape's name that is in a title, characters.
const NAME_CHARACTERS_MAX: usize = 60;

/// An imported tape with every file whole.
pub(crate) struct ImportedTape {
    pub(crate) workload: Workload,
    pub(crate) recording: Recording,
    /// Its beginning; a short tape is its own.
    pub(crate) warm_up: Recording,
}

impl ImportedTape {
    /// Opens the tape of a suite.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let absolute = path.canonicalize().with_context(|| format!("cannot find the tape {}", path.display()))?;
        let (workload, recording) = open_import(&absolute)?;
        let beginning = absolute.join(WARM_UP_DIRECTORY);
        let warm_up = if beginning.exists() { open_import(&beginning)?.1 } else { recording.clone() };
        Ok(Self { workload, recording, warm_up })
    }

    /// A suite that replays the tape on these stores, in the default class.
    pub(crate) fn suite(path: &Path, stores: &[String]) -> Result<String> {
        let tape = path.canonicalize().with_context(|| format!("cannot find the tape {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let suite = TapeSuite {
            title: format!("Replay of {}", shorten_to(&name, NAME_CHARACTERS_MAX)),
            summary: "What an application did, replayed.",
            tape: &tape,
            axes: TapeAxes { stores },
        };
        toml::to_string(&suite).context("cannot write a suite as TOML")
    }
}

/// A suite file that replays a tape.
#[derive(Serialize)]
struct TapeSuite<'a> {
    title: String,
    summary: &'static str,
    tape: &'a Path,
    axes: TapeAxes<'a>,
}

/// Its axes.
#[derive(Serialize)]
struct TapeAxes<'a> {
    stores: &'a [String],
}
