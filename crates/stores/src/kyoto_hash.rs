//! Kyoto Cabinet's HashDB.

use bakeoff_protocol::{MemoryShare, SettingKind, StoreDescription, Structure};

use crate::describe::{memory, setting, share};
use crate::kyoto_cabinet::{self, MANUAL};
use crate::{OpenRequest, Store, StoreError};

/// Buckets of a table about whose data nothing is known.
const BUCKETS_DEFAULT: u64 = 1_048_583;

/// What the store says of itself.
pub(crate) fn describe() -> StoreDescription {
    let summary =
        "Hash table in one file, each record written in its place at once, by several threads outside batches.";
    let settings = vec![setting(
        "buckets",
        SettingKind::Integer { min: 1, max: 1 << 40 },
        None,
        "Buckets of the hash table; by default twice the records, as is advised.",
        &format!("{MANUAL}#tips_tuning"),
    )];
    let memory = memory(
        &[MemoryShare { mapped: true, ..share("map-size", 100, 1) }],
        "all of it for the part of the file that is mapped, which is page cache: it has no other",
        &format!("{MANUAL}#tips_tuning"),
    );
    kyoto_cabinet::describe("kyoto-cabinet-hash", "Kyoto Cabinet HashDB", summary, Structure::Hash, settings, memory)
}

/// Creates or opens the table.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let (buckets, chosen) = kyoto_cabinet::buckets(request, |records| match records {
        0 => BUCKETS_DEFAULT,
        records => records.saturating_mul(2).min(1 << 40),
    })?;
    kyoto_cabinet::open(request, "records.kch", &[("bnum", buckets)], false, chosen)
}
