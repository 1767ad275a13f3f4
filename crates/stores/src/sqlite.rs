//! SQLite: one table of keys and values, one connection per thread.
//!
//! Connections are kept from one session to the next, as in an application. So a phase begins with the page cache of the previous phase.

mod error;
#[cfg(test)]
mod plans;
mod session;
mod statement;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bakeoff_store::{
    Capability, DataHints, Description, Durability, Leaves::*, MemoryShare, OpenRequest, SessionPlan, Setting,
    Settings, Step, Store, StoreDescription, StoreError, Structure, Work, after, setting, share,
};
use rusqlite::Connection;

use error::error_from_rusqlite;
use session::SqliteSession;

/// `SQLITE_MAX_LENGTH`: the limit for key and value together, as a row (<https://sqlite.org/limits.html>).
const ROW_BYTES_MAX: u64 = 1_000_000_000;
/// Leaves room for the header of a row, or of its entry in an index. A header has three numbers of at most 9 bytes each, and its own length
/// (<https://sqlite.org/fileformat2.html#record_format>).
const KEY_BYTES_MAX: u64 = ROW_BYTES_MAX - 32;
/// Also leaves room for the longest key of a tape.
const VALUE_BYTES_MAX: u64 = ROW_BYTES_MAX - 100_000;
const FILE: &str = "records.sqlite";
/// How long concurrent writers wait for each other before an error.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);

/// The values of `synchronous`, by SQLite's numbers for them.
const SYNCHRONOUS: [&str; 4] = ["off", "normal", "full", "extra"];

/// A value of `table`.
const WITHOUT_ROWID: &str = "without-rowid";

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let synchronous = "https://sqlite.org/pragma.html#pragma_synchronous";
    Description::new("sqlite", "SQLite")
        .summary("SQL database in one file; here one table of keys and values, with prepared statements.")
        .version(rusqlite::version())
        .license("blessing")
        .language("C")
        .structure(Structure::BTree)
        .files("records.sqlite; while open, at every level except none, also records.sqlite-wal and -shm")
        .durability(
            Durability::None,
            "journal_mode=MEMORY, synchronous=OFF: a process that dies inside a transaction can leave a corrupt database, \
             so a batch is not atomic",
            // "will very likely go corrupt", in the middle of a transaction.
            after(PossiblyCorrupt, PossiblyCorrupt),
            "https://sqlite.org/pragma.html#pragma_journal_mode",
        )
        .batches_not_atomic(Durability::None)
        .durability(
            Durability::Process,
            "journal_mode=WAL, synchronous=OFF: the log is written at every commit and never flushed",
            // "If the application running SQLite crashes, the data will be safe, but the database might become corrupted if the operating
            // system crashes or the computer loses power".
            after(Kept, PossiblyCorrupt),
            synchronous,
        )
        .durability(
            Durability::Consistent,
            "journal_mode=WAL, synchronous=NORMAL: the log is flushed at checkpoints only",
            // "WAL mode is always consistent with synchronous=NORMAL, but WAL mode does lose durability."
            after(Kept, EarlierState),
            synchronous,
        )
        .durability(
            Durability::Power,
            "journal_mode=WAL, synchronous=FULL: the log is flushed at every commit",
            // "The synchronous=FULL setting … is … durable (ACID) in WAL mode".
            after(Kept, Kept),
            synchronous,
        )
        .can(&[
            Capability::ScanFrom,
            Capability::ScanOrdered,
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::BatchReads,
            Capability::AtomicBatch,
            Capability::InsertRefuses,
            Capability::ParallelReaders,
            Capability::MultiProcess,
            Capability::CompactedCopy,
            Capability::ExistsCall,
        ])
        .keys(0, KEY_BYTES_MAX)
        .values(VALUE_BYTES_MAX)
        .settings(size_settings())
        .settings(journal_settings())
        .memory(
            "all of it for page caches, in equal parts, since each connection (thread) has one",
            "https://sqlite.org/pragma.html#pragma_cache_size",
            &[MemoryShare { per_thread: true, ..share("cache", 100, 1) }],
        )
        .build()
}

fn size_settings() -> [Setting; 4] {
    [
        setting::bytes(
            "page-size",
            512..=65_536,
            Some(4_096),
            "Size of a database page: a power of two.",
            "https://sqlite.org/pragma.html#pragma_page_size",
        )
        .stepping(Step::PowerOfTwo),
        setting::bytes(
            "cache",
            0..=1 << 40,
            Some(2_048_000),
            "Maximum memory of the page cache of one connection (thread); less than 1 KiB counts as none.",
            "https://sqlite.org/pragma.html#pragma_cache_size",
        ),
        setting::choice(
            "table",
            &["auto", "without-rowid", "rowid"],
            "auto",
            "Where rows are kept: in the tree of keys (without-rowid), or in a separate tree with an index (rowid); auto \
             means rowid if a mean row is larger than a twentieth of a page.",
            "https://sqlite.org/withoutrowid.html",
        ),
        setting::bytes(
            "mmap-size",
            0..=0x7fff_0000,
            Some(0),
            "Bytes of the database file that are read through a memory map.",
            "https://sqlite.org/pragma.html#pragma_mmap_size",
        ),
    ]
}

fn journal_settings() -> [Setting; 4] {
    [
        setting::choice(
            "journal",
            &["auto", "wal", "delete"],
            "auto",
            "journal_mode: a write-ahead log (wal), or a rollback journal (delete), SQLite's own default. With a rollback \
             journal each commit is flushed unless synchronous is off. auto is the mode in the level's description.",
            "https://sqlite.org/pragma.html#pragma_journal_mode",
        ),
        setting::choice(
            "synchronous",
            &["auto", "off", "normal", "full", "extra"],
            "auto",
            "What is flushed. normal flushes each commit only with a rollback journal. auto is what the level needs. With a \
             rollback journal, level consistent needs full, and level power needs extra, because only extra flushes the \
             removal of the journal. SQLite's own default is full.",
            "https://sqlite.org/pragma.html#pragma_synchronous",
        )
        .flushing("full")
        .flushing("extra")
        .promising("off", Durability::Process)
        .promising("normal", Durability::Consistent),
        setting::choice(
            "locking-mode",
            &["normal", "exclusive"],
            "normal",
            "normal locks the database for each transaction; exclusive locks it permanently, so it allows only one \
             connection and one thread. With exclusive, the index of a write-ahead log is in the connection's memory, not in \
             a shared file.",
            "https://sqlite.org/pragma.html#pragma_locking_mode",
        )
        .alone("exclusive"),
        setting::integer(
            "wal-autocheckpoint",
            0..=i64::from(i32::MAX),
            Some(1_000),
            "Pages in the write-ahead log after which a commit also checkpoints; 0 for never.",
            "https://sqlite.org/pragma.html#pragma_wal_autocheckpoint",
        ),
    ]
}

/// Creates or opens the database.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let page_bytes = request.integer("page-size")?;
    if request.word("locking-mode")? == "exclusive" && request.hints.threads > 1 {
        return Err(StoreError::BadRequest(format!(
            "SQLite with locking-mode = exclusive has only one connection, but there are {} threads: give 1 thread, or \
             locking-mode = normal",
            request.hints.threads
        )));
    }
    let configuration = Configuration::new(request)?;
    let connection = configuration.connect()?;
    let table = kind_of_table(request.word("table")?, page_bytes, request.hints);
    connection.execute_batch(&create_table(table)).map_err(error_from_rusqlite)?;
    Ok(Box::new(Sqlite { configuration, table, idle: Mutex::new(vec![connection]) }))
}

/// <https://sqlite.org/withoutrowid.html>: the mean row should be smaller than about 1/20 of a page. Otherwise rows fill the inner pages of
/// the tree of keys and make it deep.
fn kind_of_table(table: &str, page_bytes: u64, hints: &DataHints) -> &'static str {
    let row_bytes = hints.key_bytes_max + hints.value_bytes_mean;
    let without_rowid = match table {
        "auto" => row_bytes <= page_bytes / 20,
        word => word == WITHOUT_ROWID,
    };
    if without_rowid { WITHOUT_ROWID } else { "rowid" }
}

fn create_table(kind: &str) -> String {
    let kind = if kind == WITHOUT_ROWID { " WITHOUT ROWID" } else { "" };
    format!("CREATE TABLE IF NOT EXISTS record (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL){kind}")
}

/// The effective values of settings that are `auto` or that the level raises, if they have a name.
fn chosen(table: &str, configuration: &Configuration) -> Settings {
    let of = |wanted: &str| configuration.pragmas.iter().find(|(pragma, _)| *pragma == wanted).map(|(_, value)| value);
    let synchronous =
        of("synchronous").and_then(|level| level.parse().ok()).and_then(|level: usize| SYNCHRONOUS.get(level));
    let journal = of("journal_mode").map(String::as_str).filter(|mode| *mode != "memory");
    let words = [("table", Some(table)), ("journal", journal), ("synchronous", synchronous.copied())];
    words.into_iter().filter_map(|(name, word)| Some((name.to_owned(), word?.into()))).collect()
}

/// `journal_mode` and `synchronous` for a level with these settings.
fn journaling(durability: Durability, journal: &str, synchronous: &str) -> (&'static str, u8) {
    let mode = match (durability, journal) {
        (_, "delete") => "delete",
        (_, "wal") => "wal",
        (Durability::None, _) => "memory",
        _ => "wal",
    };
    // With a rollback journal a commit is the removal of the journal, which only EXTRA flushes, and NORMAL is "maybe not consistent" (the
    // table in the documentation of `synchronous`).
    let needed = match (durability, mode) {
        (Durability::None | Durability::Process, _) => 0,
        (Durability::Consistent, "delete") => 2,
        (Durability::Consistent, _) => 1,
        (Durability::Power, "delete") => 3,
        (Durability::Power, _) => 2,
    };
    let wanted = SYNCHRONOUS.iter().zip(0..).find(|(word, _)| **word == synchronous).map_or(needed, |(_, level)| level);
    // A plan already refuses values that promise less, except with a rollback journal. Those are raised here.
    (mode, if durability.includes(Durability::Consistent) { wanted.max(needed) } else { wanted })
}

/// The configuration of every connection.
struct Configuration {
    path: PathBuf,
    /// Pragma and value, in the required order: the page size before the journal creates the file.
    pragmas: Vec<(&'static str, String)>,
}

impl Configuration {
    fn new(request: &OpenRequest<'_>) -> Result<Self, StoreError> {
        let (journal_mode, synchronous) =
            journaling(request.durability, request.word("journal")?, request.word("synchronous")?);
        // A negative cache size counts KiB instead of pages.
        let cache = match request.integer("cache")? / 1_024 {
            0 => "0".to_owned(),
            kibibytes => format!("-{kibibytes}"),
        };
        let pragmas = vec![
            ("page_size", request.integer("page-size")?.to_string()),
            // Before the first use of the log, which would otherwise create the shared file of its index.
            ("locking_mode", request.word("locking-mode")?.to_owned()),
            ("journal_mode", journal_mode.to_owned()),
            ("synchronous", synchronous.to_string()),
            ("cache_size", cache),
            ("mmap_size", request.integer("mmap-size")?.to_string()),
            ("wal_autocheckpoint", request.integer("wal-autocheckpoint")?.to_string()),
        ];
        Ok(Self { path: request.directory.join(FILE), pragmas })
    }

    /// Opens a connection and checks every pragma: SQLite ignores unsuitable values silently.
    fn connect(&self) -> Result<Connection, StoreError> {
        let connection = Connection::open(&self.path).map_err(error_from_rusqlite)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(error_from_rusqlite)?;
        for (pragma, value) in &self.pragmas {
            connection.execute_batch(&format!("PRAGMA {pragma} = {value}")).map_err(error_from_rusqlite)?;
            let taken = pragma_value(&connection, pragma)?;
            if taken != *value {
                let message = format!("SQLite keeps PRAGMA {pragma} at {taken} when asked for {value}");
                return Err(StoreError::Store(message));
            }
        }
        Ok(connection)
    }
}

/// A pragma's value as text, also if it is a number.
fn pragma_value(connection: &Connection, pragma: &str) -> Result<String, StoreError> {
    let sql = format!("PRAGMA {pragma}");
    let value = connection.query_row(&sql, [], |row| row.get::<_, rusqlite::types::Value>(0));
    match value.map_err(error_from_rusqlite)? {
        rusqlite::types::Value::Integer(number) => Ok(number.to_string()),
        rusqlite::types::Value::Text(text) => Ok(text),
        other => Ok(format!("{other:?}")),
    }
}

struct Sqlite {
    configuration: Configuration,
    /// The kind of table, a value of the setting.
    table: &'static str,
    /// Connections that no session currently uses.
    idle: Mutex<Vec<Connection>>,
}

impl Sqlite {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An unused connection, or a new one. The caller returns it afterwards.
    fn connection(&self) -> Result<Connection, StoreError> {
        let idle = self.idle().pop();
        idle.map_or_else(|| self.configuration.connect(), Ok)
    }

    fn copy_into(connection: &Connection, directory: &Path) -> Result<(), StoreError> {
        let copy = directory.join(FILE);
        let copy = copy.to_str().ok_or_else(|| StoreError::BadRequest(format!("{} is no UTF-8", copy.display())))?;
        connection.execute("VACUUM INTO ?1", [copy]).map(drop).map_err(error_from_rusqlite)
    }
}

impl Store for Sqlite {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        let connection = self.connection()?;
        let mut session = SqliteSession::prepare(&connection, plan)?;
        work(&mut session)?;
        drop(session);
        // Closing a connection rolls an unfinished batch back.
        if connection.is_autocommit() {
            self.idle().push(connection);
        }
        Ok(())
    }

    fn chosen(&self) -> Settings {
        chosen(self.table, &self.configuration)
    }

    /// <https://sqlite.org/lang_vacuum.html#vacuuminto>
    fn compacted_copy(&self, directory: &Path) -> Result<(), StoreError> {
        // Uses an existing connection: a new one would find the database locked if one has it exclusively.
        let connection = self.connection()?;
        let copied = Self::copy_into(&connection, directory);
        self.idle().push(connection);
        copied
    }

    /// The last connection to close checkpoints the write-ahead log and removes it.
    fn close(self: Box<Self>) -> Result<(), StoreError> {
        let connections = self.idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        connections
            .into_iter()
            .try_for_each(|connection| connection.close().map_err(|(_, error)| error_from_rusqlite(error)))
    }
}
