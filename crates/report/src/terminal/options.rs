//! How a report is shown on a terminal.

use crate::detail::Detail;

/// Narrower than this, tables make no sense.
const WIDTH_MIN: usize = 60;

/// How to show a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Columns that no line exceeds (60 at least).
    pub width: usize,
    /// Whether stores have colours: true only for a terminal whose user did not set `NO_COLOR`.
    pub color: bool,
    /// Show every store's full line in every workload, and lists without limit.
    pub full: bool,
}

impl TerminalOptions {
    /// The same, wide enough for tables.
    pub(crate) fn wide_enough(self) -> Self {
        Self { width: self.width.max(WIDTH_MIN), ..self }
    }

    /// How much the report has to say.
    pub(crate) fn detail(self) -> Detail {
        if self.full { Detail::Full } else { Detail::Usual }
    }
}
