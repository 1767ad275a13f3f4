//! Why a trace cannot be read.

use std::fmt;
use std::io;
use std::path::PathBuf;

use bakeoff_limits::Shortage;
use bakeoff_tape::TapeError;

use crate::awaited::is_stopped;

/// A place in a trace, from 1: a text has lines, a Parquet file rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line.
    Line(u64),
    /// A row.
    Row(u64),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(formatter, "line {number}"),
            Self::Row(number) => write!(formatter, "row {number}"),
        }
    }
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A line is not what its form asks for.
    #[error("{origin}: {what} is `{found}`, expected {expected}")]
    Line {
        /// The line.
        origin: Origin,
        /// The column or the part.
        what: &'static str,
        /// The text there, shortened.
        found: String,
        /// What should.
        expected: String,
    },
    /// The first line fits none of the known forms.
    #[error(
        "line 1: `{found}` is the beginning of no known trace. `{} tape import --help` lists the forms, such as a CSV with a \
         head that names op, key and value_size. If most of the first lines are something else, --form says what it is",
        bakeoff_text::program()
    )]
    Unknown {
        /// The line, shortened.
        found: String,
    },
    /// It is a text in another encoding.
    #[error("the trace is text in UTF-16, expected UTF-8: convert it with iconv -f UTF-16 -t UTF-8 FILE")]
    Utf16,
    /// Too many lines cannot be read as operations.
    #[error(
        "{unread} lines next to {operations} operations cannot be read as operations, more than one in a hundred. \
         The first is {origin}, `{found}`. {remedy}"
    )]
    PassedOver {
        /// Such lines.
        unread: u64,
        /// Operations.
        operations: u64,
        /// The first of those lines.
        origin: Origin,
        /// Its beginning.
        found: String,
        /// What to do.
        remedy: String,
    },
    /// A unit is given for times that have one.
    #[error("the times of a trace of the form {form} have their unit: leave --time-unit out")]
    UnitIsKnown {
        /// The word for its form.
        form: &'static str,
    },
    /// The unit of times is in doubt.
    #[error(
        "{operations} operations in {duration} seconds are less than one in 20 seconds: are the times in another unit? \
         Say which with --time-unit ms, us or ns, or s if they are seconds"
    )]
    Unit {
        /// How many operations, for people.
        operations: String,
        /// From the first to the last, for people.
        duration: String,
    },
    /// A line, or a row with line ends in quotation marks, goes on and on.
    #[error(
        "line {line}: more than {most} bytes without an end: expected a line for each operation. Is it no text, or is a quotation \
         mark never closed?"
    )]
    LineTooLong {
        /// The line.
        line: u64,
        /// The most that is read, bytes.
        most: usize,
    },
    /// Its threads share keys that they write, so which lane a commit belongs to is not known.
    #[error(
        "{origin}: this commit ends a batch of one thread, but threads write keys that others use, so operations are dealt to threads by \
         their keys: --threads 1 keeps their order on one thread, --ignore commit acknowledges each write alone"
    )]
    CommitsDealt {
        /// The first commit.
        origin: Origin,
    },
    /// Several traces would have one thread.
    #[error(
        "{origin}: this commit ends a batch of its trace alone, and merged by time the traces have one thread: --by turns keeps their threads \
         apart, --ignore commit acknowledges each write alone"
    )]
    CommitsByTime {
        /// The first commit.
        origin: Origin,
    },
    /// Some of several traces have commits.
    #[error(
        "some of the traces have commits, and others have writes without any, which each are acknowledged alone: --ignore commit does so with \
         all writes"
    )]
    CommitsInSome,
    /// There is no operation in it.
    #[error("the trace has no operation: give one with a line for each, after a head that names the columns")]
    Empty,
    /// It has more different keys than can be counted.
    #[error("{origin}: more than {most} different keys: cut the trace, or sample its keys")]
    TooManyKeys {
        /// The line.
        origin: Origin,
        /// The most that are counted.
        most: u64,
    },
    /// It was compressed, and the compressed stream cannot be read to its end.
    #[error(
        "line {line}: before its end the {compression} stream that the trace is compressed as is cut off or damaged ({cause}): expected a \
         whole stream: compress or copy the file again{}", rescue(*line, compression)
    )]
    Damaged {
        /// The first line that cannot be read to its end.
        line: u64,
        /// The program that compresses so.
        compression: &'static str,
        /// What its library says.
        cause: io::Error,
    },
    /// It is one of several that become one.
    #[error("in trace {number}: {cause}")]
    OneOfSeveral {
        /// Which of them, from 1.
        number: usize,
        /// What is wrong with it.
        cause: Box<TraceError>,
    },
    /// Times are needed.
    #[error(
        "{origin}: no time, and this is done by time: take operations by their number, or merge traces with --by turns"
    )]
    NoTimes {
        /// The line.
        origin: Origin,
    },
    /// Nothing is kept of it.
    #[error(
        "no operation is left: the trace is shorter than what is cut off, or its times are others. Keep another part: `{} tape summary` shows \
         how many operations there are, and from when to when",
        bakeoff_text::program()
    )]
    NothingLeft,
    /// A table cannot be written.
    #[error("cannot write the table")]
    Write(#[source] io::Error),
    /// The operating system refused to read it.
    #[error("cannot read the trace")]
    Read(#[source] io::Error),
    /// It begins like Parquet and cannot be read as that.
    #[error("cannot read the trace as Parquet: {0}")]
    Parquet(String),
    /// Operations came from more threads than a tape is given lanes.
    #[error("{origin}: more than {most} different threads: give --threads N to deal the keys to N")]
    TooManyThreads {
        /// The line.
        origin: Origin,
        /// The most.
        most: usize,
    },
    /// The disk has no room for the tapes.
    #[error(
        "{}{} has {free_bytes} bytes of room, expected at least {needed_bytes} for the tape up to here: make room, give another \
         place with --out, or look for sizes that are too large in the trace",
        origin.map_or_else(String::new, |origin| format!("{origin}: ")), directory.display()
    )]
    NoRoom {
        /// The line that was read last; `None` before the first.
        origin: Option<Origin>,
        /// Where the tapes are written.
        directory: PathBuf,
        /// Room there.
        free_bytes: u64,
        /// Room that is needed to go on.
        needed_bytes: u64,
    },
    /// No thread can be started to read it.
    #[error(transparent)]
    Thread(#[from] Shortage),
    /// The tapes made of it cannot be written.
    #[error(transparent)]
    Tape(#[from] TapeError),
}

impl TraceError {
    pub(crate) fn line(origin: Origin, what: &'static str, found: &[u8], expected: impl Into<String>) -> Self {
        Self::Line { origin, what, found: shorten(found), expected: expected.into() }
    }
}

impl From<io::Error> for TraceError {
    fn from(why: io::Error) -> Self {
        if is_stopped(&why) { Self::Tape(TapeError::Stopped) } else { Self::Read(why) }
    }
}

/// How to keep the lines before the first that cannot be read.
fn rescue(line: u64, compression: &str) -> String {
    match line - 1 {
        0 => String::new(),
        1 => format!(", or keep the line before it with {compression} -dc FILE | head -n 1"),
        whole => format!(", or keep the {whole} lines before it with {compression} -dc FILE | head -n {whole}"),
    }
}

/// Bytes for a message: not too many, and nothing that steers a terminal.
pub(crate) fn shorten(bytes: &[u8]) -> String {
    const BYTES_MAX: usize = 40;
    let text = bytes.get(..BYTES_MAX).unwrap_or(bytes).escape_ascii().to_string().replace("\\\"", "\"");
    if bytes.len() > BYTES_MAX { text + "…" } else { text }
}
