//! Notes on the files of a run: parts that were left out, and facts for readers of the figures.

use bakeoff_text::shorten_middle;

/// The maximum of characters that a note repeats from an error's message, which may quote the line.
const WHY_CHARACTERS_MAX: usize = 160;

/// A note on a run's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadNote {
    /// There is no `results.jsonl`.
    NoResults,
    /// `results.jsonl` has no lines.
    EmptyResults,
    /// `run.json` cannot be read, for this reason: only the results are left.
    ResultsAlone(String),
    /// This number of descriptions of stores in `run.json` cannot be read.
    StoresUnread(usize),
    /// This number of searches for a highest rate in `run.json` cannot be read.
    SearchesUnread(usize),
    /// The run is older than the durability level `consistent`.
    OlderLevels,
    /// The run has this version of the format, which differs from this program's version.
    OtherFormat(u64),
    /// This number of cells with results are not among those of `run.json`.
    ForeignCells(usize),
    /// This number of rounds have lines but no end.
    RoundsUnfinished(usize),
    /// This number of rounds lack lines of their phases.
    RoundsIncomplete(usize),
    /// This number of rounds ended twice; the first end counts.
    RoundsRepeated(usize),
    /// This number of rounds replayed other tapes, or at another speed, than the first round of
    /// their workload.
    RoundsOfOtherTapes(usize),
    /// Lines of `results.jsonl` that cannot be read.
    LinesUnreadable(LinesLeftOut),
    /// Lines of `results.jsonl` that were changed after they were written.
    LinesChanged(LinesLeftOut),
    /// This number of lines of `results.jsonl` are the same as one before, checksum included.
    LinesRepeated(usize),
    /// This number of lines of `results.jsonl` have no checksum, while others have one.
    LinesUnsealed(usize),
    /// No line of `results.jsonl` has a checksum.
    ResultsUnsealed,
    /// `run.json` has no checksum, while lines of `results.jsonl` have one.
    RecordUnsealed,
    /// `run.json` was changed after it was written.
    RecordChanged,
    /// This number of rounds had ended when the run did, but are missing in `results.jsonl`.
    RoundsMissing(u64),
    /// This number of rounds were added after the run was finished.
    RoundsAdded(u64),
    /// Lines of `results.jsonl` with impossible figures.
    LinesUntrue(LinesLeftOut),
    /// The last line of `results.jsonl` is incomplete.
    TornLine,
}

/// Lines that are left out for the same reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinesLeftOut {
    /// Their number.
    pub lines: usize,
    /// The number of the first such line, from 1.
    pub first: usize,
    /// The mistake in the first line: an error's message, shortened.
    pub why: String,
}

impl LinesLeftOut {
    /// Adds a line: its index, from 0, and the mistake in it.
    pub(crate) fn add(&mut self, index: usize, why: &str) {
        self.lines += 1;
        if self.lines == 1 {
            (self.first, self.why) = (index + 1, shorten_middle(why, WHY_CHARACTERS_MAX));
        }
    }

    /// The note on them. `None` if there are none.
    pub(crate) fn note(self, kind: fn(Self) -> ReadNote) -> Option<ReadNote> {
        (self.lines > 0).then(|| kind(self))
    }
}
