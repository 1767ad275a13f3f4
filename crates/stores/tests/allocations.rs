//! A get into a buffer with room for the value allocates nothing in Rust, for any store that keeps data. Allocations of a library in C are
//! not visible here. Those of a library in Rust are, so these stores are excluded.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bakeoff_store::{DataHints, Durability, Entry, OpenRequest, SessionPlan, Settings, Structure};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller guarantees it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees it.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations in some gets and updates of 32-byte keys, after a first round of each.
fn allocations(entry: Entry) -> (u64, u64) {
    let directory = tempfile::tempdir().unwrap();
    let settings = bakeoff_store::resolve_settings(&(entry.describe)(), &Settings::new()).unwrap();
    let (hints, directory) = (DataHints::default(), directory.path());
    let request = OpenRequest { directory, durability: Durability::Process, settings: &settings, hints: &hints };
    let store = (entry.open)(&request).unwrap();
    let keys: Vec<String> = (0..50).map(|index| format!("{index:032}")).collect();
    let (mut gets, mut updates) = (0, 0);
    let mut buffer = Vec::with_capacity(200_000);
    let work = &mut |session: &mut dyn bakeoff_store::Session| {
        keys.iter().try_for_each(|key| session.insert(key.as_bytes(), &[1; 1_000]))?;
        for _ in 0..2 {
            let before = ALLOCATIONS.get();
            keys.iter().try_for_each(|key| session.get(key.as_bytes(), &mut buffer).map(|found| assert!(found)))?;
            gets = ALLOCATIONS.get() - before;
            let before = ALLOCATIONS.get();
            keys.iter().try_for_each(|key| session.update(key.as_bytes(), &[2; 1_000]))?;
            updates = ALLOCATIONS.get() - before;
        }
        Ok(())
    };
    store.session(&SessionPlan::default(), work).unwrap();
    (gets, updates)
}

#[test]
fn gets_and_updates_allocate_nothing() {
    let keeping = bakeoff_stores::all().filter(|entry| {
        let description = (entry.describe)();
        let adapter_alone = description.language != "Rust" || description.structure == Structure::Files;
        description.capabilities.keeps_data && !description.test_only && adapter_alone
    });
    for entry in keeping {
        assert_eq!(allocations(entry), (0, 0), "gets and updates of {}", (entry.describe)().name);
    }
}
