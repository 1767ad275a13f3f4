//! Notes on a run's files as sentences.

use bakeoff_protocol::PROTOCOL_VERSION;
use bakeoff_results::read_note::{LinesLeftOut, ReadNote};

/// A note as a sentence, without a full stop. It may have parts of the files, so it is not safe to print unescaped.
pub fn describe(note: &ReadNote) -> String {
    match note {
        ReadNote::NoResults => "there is no results.jsonl: nothing was measured yet".to_owned(),
        ReadNote::EmptyResults => {
            "results.jsonl is empty: nothing was measured, or it was emptied since".to_owned()
        }
        ReadNote::ResultsAlone(why) => format!(
            "{why}: the results are shown alone, without machine, medium, warnings, the stores' titles and whether the run ended; stores for \
             tests are ranked like others"
        ),
        ReadNote::StoresUnread(number) => {
            format!("{number} store description(s) in run.json cannot be read by this version")
        }
        ReadNote::SearchesUnread(number) => {
            format!("{number} search(es) for a highest rate in run.json cannot be read by this version")
        }
        ReadNote::OlderLevels => "the run is older than durability level consistent: its level process says nothing about power cuts, and has \
                                  settings of both process and consistent, such as SQLite's synchronous=NORMAL and LMDB's MDB_NOSYNC"
            .to_owned(),
        ReadNote::OtherFormat(version) => format!(
            "the run was written in version {version} of the format, this program knows version {PROTOCOL_VERSION}: what it does not know is \
             left out"
        ),
        ReadNote::ForeignCells(number) => format!(
            "{number} cell(s) in results.jsonl are not among those of run.json: they seem to come from another run, and are shown with this \
             one's"
        ),
        ReadNote::RoundsUnfinished(number) => {
            format!("{number} unfinished round(s) of cells are left out; {RESUME}")
        }
        ReadNote::RoundsIncomplete(number) => {
            format!("{number} round(s) of cells lack lines of their phases and are left out; {RESUME}")
        }
        ReadNote::RoundsRepeated(number) => {
            format!("{number} round(s) of cells are in results.jsonl twice; the first one counts")
        }
        ReadNote::LinesRepeated(number) => {
            format!("{number} line(s) of results.jsonl are repeated; the first one counts")
        }
        ReadNote::RoundsOfOtherTapes(number) => format!(
            "{number} round(s) replayed other tapes, or at another speed, than the first round of their workload and are left out: results of \
             different runs must not be mixed in one file"
        ),
        ReadNote::LinesUnreadable(of) => left_out(of, "cannot be read by this version"),
        ReadNote::LinesChanged(of) => left_out(of, "were changed after they were written"),
        ReadNote::LinesUnsealed(number) => {
            format!("{number} line(s) of results.jsonl have no checksum, while others have one: they may have been changed")
        }
        ReadNote::ResultsUnsealed => {
            "no line of results.jsonl has a checksum: an older version wrote them, or they were changed since".to_owned()
        }
        ReadNote::RecordUnsealed => {
            "run.json has no checksum, while results.jsonl has some: it may have been changed".to_owned()
        }
        ReadNote::RecordChanged => {
            "run.json was changed after it was written: its facts about machine, suite and stores may be wrong".to_owned()
        }
        ReadNote::RoundsMissing(number) => {
            format!("{number} round(s) of cells that were measured are not in results.jsonl any more; {RESUME}")
        }
        ReadNote::RoundsAdded(number) => format!(
            "{number} round(s) of cells in results.jsonl were added after the run was finished: they seem to come from another run, and are \
             shown with this one's"
        ),
        ReadNote::LinesUntrue(of) => left_out(of, "have figures that cannot be true"),
        ReadNote::TornLine => {
            "the last line of results.jsonl is torn and left out: the run was killed while writing it".to_owned()
        }
    }
}

/// How to measure the missing rounds.
const RESUME: &str = "`run --resume` does them again, but of a pick, which begins anew";

fn left_out(LinesLeftOut { lines, first, why }: &LinesLeftOut, what: &str) -> String {
    format!("{lines} line(s) of results.jsonl {what} and are left out; the first is line {first}: {why}")
}
