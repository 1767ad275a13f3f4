//! Kyoto Cabinet's HashDB.

use bakeoff_store::{MemoryShare, OpenRequest, Store, StoreDescription, StoreError, Structure, setting, share};

use crate::kyoto_cabinet::{self, MANUAL};

/// Buckets of a table if nothing is known about its data.
const BUCKETS_DEFAULT: u64 = 1_048_583;

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let summary = "Hash table in one file; records are written in place at once, by several threads outside batches.";
    let tuning = format!("{MANUAL}#tips_tuning");
    kyoto_cabinet::describe("kyoto-cabinet-hash", "Kyoto Cabinet HashDB", summary, Structure::Hash)
        .setting(setting::integer(
            "buckets",
            1..=1 << 40,
            None,
            "Buckets of the hash table; by default twice the records, as its documentation advises.",
            &tuning,
        ))
        .settings(kyoto_cabinet::shared_settings())
        .memory(
            "all of it for the mapped part of the file, which is page cache: it has no other memory",
            tuning,
            &[MemoryShare { mapped: true, ..share("map-size", 100, 1) }],
        )
        .build()
}

/// Creates or opens the table.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let (buckets, chosen) = kyoto_cabinet::buckets(request, |records| match records {
        0 => BUCKETS_DEFAULT,
        records => records.saturating_mul(2).min(1 << 40),
    })?;
    kyoto_cabinet::open(request, "records.kch", &[("bnum", buckets)], false, chosen)
}
