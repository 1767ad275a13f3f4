//! Counters of the process grow when they should, by the right amount, and not by the measuring itself.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use bakeoff_measure::{DeviceId, Snapshot};
use bakeoff_protocol::Resources;
use rustix::time::{ClockId, clock_gettime};

/// The counters belong to the whole process, so these tests run in sequence.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn resources_of(work: impl FnOnce()) -> Resources {
    let start = Snapshot::take(None);
    work();
    Snapshot::take(None).resources_since(&start, None)
}

#[test]
fn looking_costs_nothing() {
    let _alone = alone();
    let resources = resources_of(|| ());
    assert_eq!(resources.process_read_bytes, Some(0));
    assert_eq!(resources.read_calls, Some(0));
}

#[test]
fn reads_and_writes_are_counted_to_the_byte() {
    let _alone = alone();
    let mut file = tempfile::tempfile().unwrap();
    let path = tempfile::NamedTempFile::new().unwrap();
    fs::write(path.path(), [7; 5_000]).unwrap();
    let mut reader = File::open(path.path()).unwrap();
    let mut buffer = [0; 1_000];
    let resources = resources_of(|| {
        for _ in 0..5 {
            reader.read_exact(&mut buffer).unwrap();
        }
        for _ in 0..100 {
            file.write_all(&[1; 4_096]).unwrap();
        }
    });
    assert_eq!(resources.process_read_bytes, Some(5_000));
    assert_eq!(resources.read_calls, Some(5));
    // The test harness reports finished tests at the same time, so there may be a few more writes.
    let (bytes, calls) = (resources.process_write_bytes.unwrap(), resources.write_calls.unwrap());
    assert!((409_600..411_000).contains(&bytes), "{bytes} bytes");
    assert!((100..120).contains(&calls), "{calls} calls");
}

#[test]
fn flushed_bytes_reach_the_block_layer() {
    let _alone = alone();
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some(device) = DeviceId::of(directory.path()) else { return };
    let start = Snapshot::take(Some(device));
    let mut file = File::create(directory.path().join("flushed")).unwrap();
    file.write_all(&vec![9; 1 << 20]).unwrap();
    file.sync_all().unwrap();
    let resources = Snapshot::take(Some(device)).resources_since(&start, None);
    assert!(resources.block_write_bytes.unwrap() >= 1 << 20);
    assert!(resources.device_write_bytes.unwrap() >= 1 << 20);
    assert!(resources.device_read_bytes.is_some());
}

#[test]
fn without_a_device_its_traffic_is_absent() {
    let _alone = alone();
    let resources = resources_of(|| ());
    assert_eq!((resources.device_read_bytes, resources.device_write_bytes), (None, None));
}

/// CPU time that the calling thread has used.
fn thread_cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap()
}

fn cpu_time(resources: &Resources) -> Duration {
    Duration::from_nanos(resources.cpu_user_ns.unwrap() + resources.cpu_system_ns.unwrap())
}

#[test]
fn cpu_time_of_other_threads_counts_and_sleeping_costs_none() {
    let _alone = alone();
    let busy = Duration::from_millis(60);
    let at_work = resources_of(|| {
        let thread = thread::spawn(move || {
            while thread_cpu_time() < busy {
                black_box((0..1_000u64).sum::<u64>());
            }
        });
        thread.join().unwrap();
    });
    // The kernel counts in whole microseconds, each part rounded down.
    let counted = cpu_time(&at_work) + Duration::from_micros(10);
    assert!(counted >= busy, "{counted:?} of {busy:?}");
    let asleep = cpu_time(&resources_of(|| thread::sleep(busy)));
    assert!(asleep < busy / 2, "{asleep:?} while asleep");
}

#[test]
fn sleeping_is_a_voluntary_switch() {
    let _alone = alone();
    let resources = resources_of(|| {
        for _ in 0..50 {
            thread::sleep(Duration::from_micros(100));
        }
    });
    assert!(resources.context_switches_voluntary.unwrap() >= 50);
    assert!(resources.context_switches_involuntary.is_some());
}

#[test]
fn open_files_and_threads_are_those_at_the_end() {
    let _alone = alone();
    let before = Snapshot::take(None);
    let files: Vec<File> = (0..20).map(|_| tempfile::tempfile().unwrap()).collect();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let waiting = thread::spawn(move || stopped.recv().is_err());
    let with = Snapshot::take(None).resources_since(&before, None);
    drop((files, stop));
    assert!(waiting.join().unwrap());
    let without = Snapshot::take(None).resources_since(&before, None);
    // Threads of other tests wait or end at the same time; they hold no files.
    assert_eq!(with.open_files.unwrap(), without.open_files.unwrap() + 20);
    assert!(with.threads.unwrap() >= 2);
}

#[test]
fn stalls_and_steal_are_there_where_the_kernel_gives_them() {
    let _alone = alone();
    let resources = resources_of(|| ());
    assert_eq!(resources.stall_io_ns.is_some(), fs::read("/proc/pressure/io").is_ok());
    assert_eq!(resources.stall_cpu_ns.is_some(), fs::read("/proc/pressure/cpu").is_ok());
    assert_eq!(resources.stall_memory_ns.is_some(), fs::read("/proc/pressure/memory").is_ok());
    assert!(resources.steal_ns.is_some());
}
