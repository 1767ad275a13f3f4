//! The stores, one file each, behind one trait.
//!
//! An adapter adds nothing a program using the store directly would not do: statements are prepared once, transactions and cursors are kept where the
//! library can renew them (LMDB's of a reader and WiredTiger's, for example), else a scan makes the iterator or cursor that it goes through; a value
//! reaches the caller's buffer with one copy and a key with none, besides what the library's own interface copies (LevelDB's get fills a string).

#[cfg(feature = "berkeley-db")]
mod berkeley_btree;
#[cfg(feature = "berkeley-db")]
mod berkeley_db;
#[cfg(feature = "berkeley-db")]
mod berkeley_hash;
#[cfg(any(
    feature = "berkeley-db",
    feature = "leveldb",
    feature = "libmdbx",
    feature = "lmdb",
    feature = "rocksdb",
    feature = "wiredtiger"
))]
mod c_path;
mod describe;
mod error;
mod faulty;
mod file_names;
mod files;
#[cfg(feature = "fjall")]
mod fjall;
mod flat_folder;
#[cfg(feature = "kyoto-cabinet")]
mod kyoto_cabinet;
#[cfg(feature = "kyoto-cabinet")]
mod kyoto_hash;
#[cfg(feature = "kyoto-cabinet")]
mod kyoto_tree;
#[cfg(feature = "leveldb")]
mod leveldb;
#[cfg(feature = "libmdbx")]
mod libmdbx;
#[cfg(feature = "lmdb")]
mod lmdb;
mod nested_folder;
#[cfg(feature = "wiredtiger")]
mod new_names;
mod null;
#[cfg(feature = "redb")]
mod redb;
#[cfg(feature = "rocksdb")]
mod rocksdb;
mod settings;
#[cfg(any(feature = "leveldb", feature = "rocksdb", feature = "wiredtiger"))]
mod shim;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod table;
#[cfg(feature = "wiredtiger")]
mod wiredtiger;
#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
mod write_batch;

pub use error::StoreError;
pub use null::Null;
pub use settings::resolve_settings;
pub use store::{Direction, Entry, OpenRequest, Session, SessionPlan, Store, Work, flush_directories};
pub use table::{all, find, heavy, native};
