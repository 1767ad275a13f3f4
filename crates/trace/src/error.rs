//! Why a trace cannot be read.

use std::fmt;
use std::io;
use std::path::PathBuf;

use bakeoff_tape::TapeError;

/// Where in a trace something stands, from 1: a text has lines, a Parquet file rows.
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
        /// What stands there, shortened.
        found: String,
        /// What should.
        expected: String,
    },
    /// The first line fits none of the known forms.
    #[error(
        "line 1: `{found}` is the beginning of no known trace: expected a CSV head with op, key and value_size, a line of Twitter's \
         cache-trace (7 columns), or of YCSB's log (READ usertable user1 …); a Parquet file begins with PAR1. \
         --form says what it is where its beginning does not"
    )]
    Unknown {
        /// The line, shortened.
        found: String,
    },
    /// The first line is a statement of SQL.
    #[error(
        "line 1: `{found}` is a statement of SQL, which is no form of a trace: write its statements as rows of a CSV first \
         (docs/PICK.md, Statements of SQL, has a command)"
    )]
    Sql {
        /// The line, shortened.
        found: String,
    },
    /// Too many lines between operations are none.
    #[error(
        "{passed_over} lines between {operations} operations are none of this form, more than one in a hundred: is it another form? \
         --form says which; else take them out"
    )]
    PassedOver {
        /// Such lines.
        passed_over: u64,
        /// Operations.
        operations: u64,
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
    /// There is no operation in it.
    #[error("the trace has no operation: expected a line for each operation, after a head that names the columns")]
    Empty,
    /// It has more different keys than can be counted.
    #[error("{origin}: more than {most} different keys: cut the trace, or sample its keys")]
    TooManyKeys {
        /// The line.
        origin: Origin,
        /// The most that are counted.
        most: u64,
    },
    /// It was compressed, and what is there of that cannot be read to its end.
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
    /// The operating system refused to read it.
    #[error("cannot read the trace")]
    Read(#[from] io::Error),
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
    /// The tapes made of it cannot be written.
    #[error(transparent)]
    Tape(#[from] TapeError),
}

impl TraceError {
    pub(crate) fn line(origin: Origin, what: &'static str, found: &[u8], expected: impl Into<String>) -> Self {
        Self::Line { origin, what, found: shorten(found), expected: expected.into() }
    }
}

/// How to keep the lines before one that cannot be read.
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
