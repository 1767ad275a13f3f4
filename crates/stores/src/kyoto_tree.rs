//! Kyoto Cabinet's TreeDB.

use bakeoff_store::{MemoryShare, OpenRequest, Store, StoreDescription, StoreError, Structure, setting, share};

use crate::kyoto_cabinet;

/// The tree allocates memory for its buckets. This many always work; 10^11 end the process (`std::bad_alloc`).
const BUCKETS_MAX: i64 = 1 << 30;

/// The library's default (`DEFBNUM` in `kcplantdb.h`).
const BUCKETS_DEFAULT: u64 = 65_536;

/// The description of the store.
pub(crate) fn describe() -> StoreDescription {
    let summary = "B+ tree of pages, kept in memory until they are written as records of a hash table in one file.";
    let source = "https://dbmx.net/kyotocabinet/api/classkyotocabinet_1_1PlantDB.html";
    kyoto_cabinet::describe("kyoto-cabinet", "Kyoto Cabinet TreeDB", summary, Structure::BTree)
        .setting(setting::bytes(
            "cache",
            1 << 10..=1 << 40,
            Some(64 << 20),
            "Memory for pages, including changed ones.",
            source,
        ))
        .setting(setting::bytes("page-size", 512..=1 << 30, Some(8_192), "Bytes of a page of the tree.", source))
        .setting(setting::integer(
            "buckets",
            1..=BUCKETS_MAX,
            None,
            "Buckets of the hash table of the pages; by default a tenth of the records, as its documentation advises, and at \
            least 65,536.",
            source,
        ))
        .settings(kyoto_cabinet::shared_settings())
        .memory(
            "as its defaults do: half for its cache of pages, half for the mapped part of the file, which is page cache",
            source,
            &[share("cache", 50, 1), MemoryShare { mapped: true, ..share("map-size", 50, 1) }],
        )
        .build()
}

/// Creates or opens the tree.
pub(crate) fn open(request: &OpenRequest<'_>) -> Result<Box<dyn Store>, StoreError> {
    let (buckets, chosen) =
        kyoto_cabinet::buckets(request, |records| (records / 10).clamp(BUCKETS_DEFAULT, BUCKETS_MAX as u64))?;
    let parameters = [("pccap", request.integer("cache")?), ("psiz", request.integer("page-size")?), ("bnum", buckets)];
    kyoto_cabinet::open(request, "records.kct", &parameters, true, chosen)
}
