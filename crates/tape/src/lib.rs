//! Tapes: the operations of a phase and their right answers, written out beforehand.
//!
//! `docs/TAPE.md` is the format. A driver needs [`TapeReader`], [`Pool`] and [`consume`]. A program that makes tapes
//! calls [`record()`]: it draws the operations of a [`Workload`], and keeps a model that knows the answers.

mod acknowledged;
mod arrivals;
pub mod consume;
mod corpus;
mod deal;
mod error;
mod estimate;
mod format;
mod header;
mod import;
mod inventory;
mod json;
mod jumps;
mod key;
mod model;
mod operation;
mod part_file;
mod parts;
mod phase;
mod phase_spec;
mod pick;
mod pieces;
mod places;
mod plan;
mod pool;
mod progress;
mod random;
mod ranges;
mod reader;
mod record;
mod recording;
mod roles;
mod seal;
mod shared;
mod show;
mod sizes;
mod source;
mod turnover;
mod validate;
mod value_sizes;
mod words;
mod workload;
mod writer;

pub use acknowledged::Acknowledged;
pub use corpus::check_corpus;
pub use deal::DealtTape;
pub use error::TapeError;
pub use estimate::{acknowledgements, estimate};
pub use format::{
    BLOCK_BYTES_MAX, BLOCK_OPERATIONS_MAX, LANES_MAX, MAGIC, METADATA_BYTES_MAX, RECORD_KEY_BYTES_MAX, Record, Scan,
    ScanFields, VERSION, flags,
};
pub use header::{LaneFacts, TapeHeader};
pub use import::{import_identity, keep_import, open_import};
pub use inventory::{InventoryEntry, InventoryWriter, NoInventory, read_inventories};
pub use key::{KEY_BYTES_MAX, KeyMaker, key_bytes_needed, key_bytes_of, key_count, key_lengths};
pub use operation::{Consumer, Operation};
pub use phase_spec::{Access, Batch, Measure, OpenLoop, PhaseSpec, Role};
pub use places::{Places, pool_bytes};

pub use part_file::TapeShape;
pub use pool::{POOL_BYTES_MAX, Pool, PoolFacts};
pub use progress::{OnProgress, Progress, report_progress};
pub use random::below;
pub use reader::{Block, LaneNeeds, LaneReader, Records, TapeReader};
pub use record::{lend_pool, record};
pub use recording::{Hints, PhaseTape, Recording};
pub use seal::Seal;
pub use shared::may_hold;
pub use show::show;
pub use sizes::{Shape, SizeRange};
pub use turnover::{RunsOut, drawn_max};
pub use value_sizes::{Popular, SizePart, ValueSizes};
pub use workload::{AGE_PHASE, Data, Estimate, Import, KeyForm, Workload};
pub use writer::{Counts, KindCounts, TapeWriter};

/// Tapes that a reader must refuse, each for one rule of the format. They are a JSON array of objects with `group`,
/// `name`, `rule` and `tape`, in hexadecimal. Their values are in [`VECTORS_POOL`].
pub const REFUSED_TAPES: &str = include_str!("../vectors/refused.json");

/// The value pool of the test vectors.
pub const VECTORS_POOL: &[u8] = include_bytes!("../vectors/pool.bin");
