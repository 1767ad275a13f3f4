//! Memory stays flat: recording and reading take no more of it for more operations, and at most 16 bytes a record.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bakeoff_tape::{Data, KeyForm, Operation, PhaseSpec, Shape, SizeRange, TapeReader, ValueSizes, Workload, record};

/// The system's allocator, with a count of the bytes in use and of the most that ever were.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(used, Ordering::Relaxed);
        // SAFETY: the caller's promises are the ones that the system's allocator needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most heap in use while `work` ran, above what was in use before.
fn peak(work: impl FnOnce()) -> usize {
    let before = USED.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed) - before
}

fn phase(name: &str, kinds: &[Operation], operations: u64) -> PhaseSpec {
    let mix = kinds.iter().map(|kind| (*kind, 1.0));
    PhaseSpec { scan_entries: SizeRange { min: 1, max: 4 }, ..PhaseSpec::new(name, mix, Some(operations)) }
}

fn workload(records: u64, second: PhaseSpec) -> Workload {
    Workload {
        seed: 1,
        key: KeyForm::Sha1,
        key_bytes: None,
        key_bytes_max: None,
        records,
        value_bytes: SizeRange { min: 1, max: 100 }.into(),
        value_shape: Shape::Uniform,
        data: Data::Random,
        pool_bytes: 1 << 16,
        lanes: 1,
        tree: None,
        import: None,
        phases: vec![phase("load", &[Operation::Insert], records), second],
    }
}

/// Peak of recording, and of reading the second tape.
fn peaks(workload: &Workload) -> (usize, usize) {
    let directory = tempfile::tempdir().unwrap();
    let recording =
        peak(|| drop(record(workload, directory.path(), None, &mut |_| ControlFlow::Continue(())).unwrap()));
    let reading = peak(|| {
        TapeReader::open(&directory.path().join("02-second.tape")).unwrap().check().unwrap();
    });
    (recording, reading)
}

// One test, as the counts are of the whole process.
#[test]
fn memory_follows_records_and_not_operations() {
    let (short, short_read) = peaks(&workload(1000, phase("second", &[Operation::Get], 20_000)));
    let (long, long_read) = peaks(&workload(1000, phase("second", &[Operation::Get], 2_000_000)));
    assert!(long.abs_diff(short) < 16 << 10, "{short} bytes for 20,000 operations, {long} for 2,000,000");
    assert!(long_read.abs_diff(short_read) < 16 << 10, "{short_read} bytes to read, then {long_read}");
    assert!(long_read < 256 << 10, "{long_read} bytes to read a tape");

    // The worst case: key order for scans, and a list of the live for deletes.
    let kinds = [Operation::Scan, Operation::Delete];
    let records = 400_000;
    let value_bytes = ValueSizes::parse("70% 10B, 30% 100B").unwrap();
    let mixed =
        |records| Workload { value_bytes: value_bytes.clone(), ..workload(records, phase("second", &kinds, 1000)) };
    let (few, _) = peaks(&mixed(1000));
    let (many, _) = peaks(&mixed(records));
    let each = (many - few) as f64 / (records - 1000) as f64;
    assert!(each <= 16.5, "{each} bytes a record");
}
