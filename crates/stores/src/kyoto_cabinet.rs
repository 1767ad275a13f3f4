//! Kyoto Cabinet: the shared part of its tree and its hash table. The C interface shows a record in place, so a get copies it once.

mod database;
mod sys;

use bakeoff_store::{
    Capability, Description, Direction, Durability, Leaves::*, OpenRequest, Session, SessionPlan, Setting, Settings,
    Store, StoreError, Structure, Work, after, setting,
};
use database::{Cursor, Database, Transaction};

/// `MEMMAXSIZ` in Kyoto Cabinet's `kcutil.h`. The assertions on its calls allow no longer keys or values. Recovery treats longer ones as
/// damage.
const BYTES_MAX: u64 = i32::MAX as u64 / 2;
/// The manual.
pub(crate) const MANUAL: &str = "https://dbmx.net/kyotocabinet/spex.html";

/// The description of a Kyoto Cabinet store, except its name, summary, own settings and use of memory.
///
/// Kyoto Cabinet's automatic transactions are meant to survive a killed process, and with `KCOAUTOSYNC` a power cut. They do not. Its log
/// is overwritten without checksums. A record of the log that was cut at a page boundary counts as whole when the file is opened again. The
/// data that it restores, acknowledged long before, becomes zeros. Killing processes that wrote showed it in 1.2.79, with values of up to
/// 60 KB: the tree within a hundred kills, the hash table once in four hundred.
pub(crate) fn describe(name: &str, title: &str, summary: &str, structure: Structure) -> Description {
    let ordered = structure == Structure::BTree;
    let (written, extension) = if ordered {
        ("changes are written in place when its cache is full and at closing", "kct")
    } else {
        ("each record is written in place at once", "kch")
    };
    let found = "Kyoto Cabinet 1.2.79, kcfile.cc; tested with kill -9 of processes that wrote under OAUTOTRAN";
    Description::new(name, title)
        .summary(format!(
            "{summary} The beginning of the file is mapped into memory: a full disk can end the process with SIGBUS."
        ))
        .version(database::version())
        .license("GPL-3.0-or-later")
        .language("C++")
        .structure(structure)
        .files(format!("one file, records.{extension}, and a log while a transaction is open"))
        .durability(
            Durability::None,
            format!("the default: {written}; a batch is a transaction, and the database has one at a time"),
            // Opening repairs it if "file destruction is detected" (kcdb.h).
            after(PossiblyCorrupt, PossiblyCorrupt),
            format!("{MANUAL}#tutorial_dbopen"),
        )
        .not_offered(
            Durability::Process,
            "its log (`transactions` = written) is overwritten without checksums: a killed process may leave a torn record, \
            which is restored as if it were whole. After that a tree could not be opened, and a hash table had lost \
            acknowledged data",
            found,
        )
        .not_offered(
            Durability::Consistent,
            "a power cut loses what a killed process loses",
            found,
        )
        .not_offered(
            Durability::Power,
            "flushing that log (`transactions` = flushed) does not help: a power cut loses what a killed process loses",
            found,
        )
        // A batch is not atomic, as described above.
        .can(&[
            Capability::ScanAnyOrder,
            Capability::Batch,
            Capability::BatchReads,
            Capability::InsertRefuses,
            Capability::ParallelReaders,
            Capability::ExistsCall,
        ])
        // Writers outside transactions. HashDB::accept holds the table's lock as a reader, and locks the slot of the record (1,024 of them)
        // to write it. TreeDB's also locks a page. But it locks the whole tree as a writer when a page is split or its cache is full: with
        // data larger than the cache, at each write.
        .can(if ordered { &[Capability::ScanFrom, Capability::ScanOrdered] } else { &[Capability::ParallelWriters] })
        .keys(0, BYTES_MAX)
        .values(BYTES_MAX)
}

/// The settings that both share, after their own.
pub(crate) fn shared_settings() -> [Setting; 5] {
    let source = format!("{MANUAL}#tips_tuning");
    [
        setting::bytes(
            "map-size",
            0..=1 << 46,
            Some(64 << 20),
            "Bytes of the file that are mapped into memory; the rest is read and written through calls.",
            &source,
        ),
        setting::boolean(
            "small",
            false,
            "TSMALL: addresses of 4 bytes instead of 6, for files of at most 2 GiB times the alignment.",
            &source,
        ),
        setting::boolean(
            "linear",
            false,
            "TLINEAR: records that share a bucket are in a list instead of a tree, which takes less space.",
            &source,
        ),
        setting::choice(
            "compression",
            &["none", "zlib", "lzo", "lzma"],
            "none",
            "TCOMPRESS: compression of each page of the tree, or of each record of the hash table.",
            &source,
        )
        .uncompressed("none"),
        setting::choice(
            "transactions",
            &["batches", "synchronized", "written", "flushed"],
            "batches",
            "Which writes are transactions: only batches; only batches, with a flush of the whole database after each other \
            write (synchronized, KCOAUTOSYNC); every write (written, KCOAUTOTRAN); every write with a flush (flushed, with \
            KCOAUTOSYNC too).",
            &format!("{MANUAL}#tutorial_transaction"),
        )
        .flushing("synchronized")
        .flushing("flushed"),
    ]
}

/// The number of buckets: requested, or derived from the expected records (0 if unknown). In the second case also as settings in force.
pub(crate) fn buckets(request: &OpenRequest<'_>, advised: fn(u64) -> u64) -> Result<(u64, Settings), StoreError> {
    let buckets = match request.is_set("buckets") {
        true => request.integer("buckets")?,
        false => advised(request.hints.records_max),
    };
    Ok((buckets, Settings::from([("buckets".to_owned(), buckets.into())])))
}

/// Creates or opens the database in this file, with these parameters besides the shared ones. Some of them were `chosen` for the data.
pub(crate) fn open(
    request: &OpenRequest<'_>,
    file: &str,
    parameters: &[(&str, u64)],
    ordered: bool,
    chosen: Settings,
) -> Result<Box<dyn Store>, StoreError> {
    let (mode, hard) = match request.word("transactions")? {
        "batches" => (0, false),
        "synchronized" => (sys::AUTO_SYNCHRONIZE, true),
        "written" => (sys::AUTO_TRANSACTION, false),
        _ => (sys::AUTO_TRANSACTION | sys::AUTO_SYNCHRONIZE, true),
    };
    let path = request.directory.join(file);
    let path = path.to_str().filter(|path| !path.contains('#')).ok_or_else(|| {
        StoreError::BadRequest(format!(
            "Kyoto Cabinet cannot open {}: give a directory whose name is UTF-8 and has no `#`",
            path.display()
        ))
    })?;
    let mut name = path.to_owned() + &shared_parameters(request)?;
    parameters.iter().for_each(|(parameter, value)| name += &format!("#{parameter}={value}"));
    let database = Database::open(&name, sys::WRITER | sys::CREATE | mode)?;
    Ok(Box::new(Kyoto { database, ordered, hard, chosen }))
}

fn shared_parameters(request: &OpenRequest<'_>) -> Result<String, StoreError> {
    let compression = request.word("compression")?;
    let mut options = String::new();
    for (letter, chosen) in
        [('s', request.boolean("small")?), ('l', request.boolean("linear")?), ('c', compression != "none")]
    {
        options.extend(chosen.then_some(letter));
    }
    let mut parameters = format!("#msiz={}", request.integer("map-size")?);
    if !options.is_empty() {
        parameters += &format!("#opts={options}");
    }
    if compression != "none" {
        parameters += &format!("#zcomp={compression}");
    }
    Ok(parameters)
}

struct Kyoto {
    database: Database,
    ordered: bool,
    /// Transactions are flushed when they end.
    hard: bool,
    chosen: Settings,
}

impl Store for Kyoto {
    fn session(&self, plan: &SessionPlan, work: Work<'_>) -> Result<(), StoreError> {
        let cursor = Cursor::new(&self.database);
        work(&mut KyotoSession { store: self, batched: plan.batched, batch: None, cursor })
    }

    fn chosen(&self) -> Settings {
        self.chosen.clone()
    }

    fn close(self: Box<Self>) -> Result<(), StoreError> {
        self.database.close()
    }
}

/// One thread's cursor, and the open transaction of a batch.
struct KyotoSession<'s> {
    store: &'s Kyoto,
    batched: bool,
    batch: Option<Transaction<'s>>,
    cursor: Cursor<'s>,
}

impl KyotoSession<'_> {
    /// A batch begins with its first write.
    fn before_write(&mut self) -> Result<&Database, StoreError> {
        let store = self.store;
        if self.batched && self.batch.is_none() {
            self.batch = Some(store.database.begin(store.hard)?);
        }
        Ok(&store.database)
    }
}

impl Session for KyotoSession<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.before_write()?.add(key, value)
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.before_write()?.replace(key, value)
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.before_write()?.set(key, value)
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.store.database.get(key, value)
    }

    fn exists(&mut self, key: &[u8], _value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.store.database.exists(key)
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.before_write()?.remove(key)
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        if !self.store.ordered && (from.is_some() || direction != Direction::Any) {
            let message = "a Kyoto Cabinet hash table has no order: scan all of it, in any order";
            return Err(StoreError::BadRequest(message.to_owned()));
        }
        self.cursor.scan(from, direction, visit)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch.take().map_or(Ok(()), Transaction::commit)
    }
}
