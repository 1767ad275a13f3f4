//! How a verb ended when it ended without an error.

use std::process::ExitCode;

use bakeoff_engine::INTERRUPTED;

/// How a verb ended.
pub(crate) enum Outcome {
    /// All went well.
    Good,
    /// It worked, but some cell failed, or became worse than it may.
    SomeFailed,
    /// It worked, and nothing can be concluded from what it found.
    Inconclusive,
    /// Ctrl-C.
    Interrupted,
}

impl Outcome {
    /// The exit status that reports it.
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            Self::Good => ExitCode::SUCCESS,
            Self::SomeFailed => ExitCode::from(1),
            Self::Inconclusive => ExitCode::from(3),
            Self::Interrupted => ExitCode::from(INTERRUPTED),
        }
    }
}
