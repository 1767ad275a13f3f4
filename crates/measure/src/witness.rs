//! What a thread and the machine did while one operation took long.
//!
//! A witness is looked at now and then, and after an operation that took long; the difference tells whether the thread computed,
//! waited for a processor, or waited for something else, and what. One look takes a few microseconds, outside timed regions.

use std::cell::Cell;
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;

use bakeoff_protocol::{Activity, Cause};
use rustix::time::ClockId;

use crate::clock::kernel_ns;
use crate::device::{DeviceId, DeviceRequests, requests_from};
use crate::process::{Usage, stall_ns, ticks_ns};

/// A fault that is served from memory takes about half a microsecond (a page is cleared or mapped); with fewer than would fill half of the
/// time in which an operation's thread ran, faults are not its cause.
const FAULT_NS: u64 = 500;

/// How exactly a disk says how long its requests took: what it was done with before and after is rounded down to milliseconds each.
const REQUESTS_NS: u64 = 2_000_000;

/// How exactly it says for how long it had any: a tick of the kernel's timer, on most machines.
const TICK_NS: u64 = 4_000_000;

/// Whether the kernel counts how long each thread waits for block devices: 1 if it does.
const DELAY_ACCOUNTING: &str = "/proc/sys/kernel/task_delayacct";

/// How exactly it tells that: in hundredths of a second, each told when it is full, whenever it began.
const DELAY_NS: u64 = 10_000_000;

/// Reads the counters of the thread that made it.
pub struct Witness {
    schedule: Option<File>,
    delays: Option<File>,
    pressure: Option<File>,
    disk: Option<File>,
    /// The files are those of one thread.
    _this_thread: PhantomData<Cell<()>>,
}

/// Counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    now_ns: u64,
    thread_cpu_ns: u64,
    process_cpu_ns: u64,
    runqueue_ns: Option<u64>,
    delay_io_ns: Option<u64>,
    stall_io_ns: Option<u64>,
    disk: Option<DeviceRequests>,
    faults_minor: u64,
    faults_major: u64,
    switches_voluntary: u64,
    switches_involuntary: u64,
}

impl Witness {
    /// For the calling thread, and the disk that its files are on, if there is one.
    pub fn new(disk: Option<DeviceId>) -> Self {
        let open = |path| File::open(path).ok();
        let (schedule, pressure) = (open("/proc/thread-self/schedstat"), open("/proc/pressure/io"));
        let disk = disk.and_then(|disk| File::open(disk.sys_path().join("stat")).ok());
        // Elsewhere it stays at zero, and the file takes longer to read than all others.
        let delays = std::fs::read_to_string(DELAY_ACCOUNTING).is_ok_and(|switch| switch.trim() == "1");
        let delays = delays.then(|| open("/proc/thread-self/stat")).flatten();
        Self { schedule, delays, pressure, disk, _this_thread: PhantomData }
    }

    /// The counters now.
    pub fn look(&self) -> Moment {
        let usage = Usage::read(libc::RUSAGE_THREAD);
        let count = |field: fn(&Usage) -> u64| usage.as_ref().map_or(0, field);
        Moment {
            now_ns: kernel_ns(ClockId::Monotonic),
            thread_cpu_ns: kernel_ns(ClockId::ThreadCPUTime),
            process_cpu_ns: kernel_ns(ClockId::ProcessCPUTime),
            // `<time on a CPU> <time waiting for one> <timeslices>`, nanoseconds.
            runqueue_ns: told::<_, 256>(self.schedule.as_ref(), |text| {
                text.split_ascii_whitespace().nth(1)?.parse().ok()
            }),
            delay_io_ns: told::<_, 1024>(self.delays.as_ref(), delay_io_ns),
            stall_io_ns: told::<_, 256>(self.pressure.as_ref(), stall_ns),
            disk: told::<_, 256>(self.disk.as_ref(), requests_from),
            faults_minor: count(|usage| usage.faults_minor),
            faults_major: count(|usage| usage.faults_major),
            switches_voluntary: count(|usage| usage.switches_voluntary),
            switches_involuntary: count(|usage| usage.switches_involuntary),
        }
    }
}

impl Moment {
    /// What went on since an earlier moment, in which one operation took `latency_ns` and nearly all of the time. `alone`: no other
    /// thread of the process replays, so that what other threads computed, the store's own did.
    pub fn since(&self, earlier: &Self, latency_ns: u64, alone: bool) -> Activity {
        let grown = |to: u64, from: u64| to.saturating_sub(from);
        let both = |to: Option<u64>, from: Option<u64>| Some(to?.saturating_sub(from?).min(latency_ns));
        let thread_cpu_ns = grown(self.thread_cpu_ns, earlier.thread_cpu_ns);
        let away_ns = grown(self.now_ns, earlier.now_ns).saturating_sub(thread_cpu_ns).min(latency_ns);
        let runqueue_ns = both(self.runqueue_ns, earlier.runqueue_ns);
        let requests = self.disk.zip(earlier.disk);
        let others_ns = grown(self.process_cpu_ns, earlier.process_cpu_ns).saturating_sub(thread_cpu_ns);
        Activity {
            blocked_ns: away_ns.saturating_sub(runqueue_ns.unwrap_or(0)),
            runqueue_ns,
            delay_io_ns: both(self.delay_io_ns, earlier.delay_io_ns),
            stall_io_ns: both(self.stall_io_ns, earlier.stall_io_ns),
            disk_requests: requests.map(|(to, from)| grown(to.count, from.count)),
            // Those of others beside it took no time of their own.
            disk_requests_ns: requests
                .map(|(to, from)| grown(to.ns, from.ns).min(grown(to.busy_ns, from.busy_ns) + TICK_NS)),
            background_cpu_ns: alone.then_some(others_ns),
            page_faults_minor: grown(self.faults_minor, earlier.faults_minor),
            page_faults_major: grown(self.faults_major, earlier.faults_major),
            context_switches_voluntary: grown(self.switches_voluntary, earlier.switches_voluntary),
            context_switches_involuntary: grown(self.switches_involuntary, earlier.switches_involuntary),
        }
    }
}

/// Where the largest part of an operation's time went, as far as that can be told from what went on meanwhile: it ran, stood in line for a
/// processor, or slept.
pub fn cause(latency_ns: u64, meanwhile: &Activity) -> Cause {
    let (slept_ns, in_line_ns) = (meanwhile.blocked_ns, meanwhile.runqueue_ns.unwrap_or(0));
    let ran_ns = latency_ns.saturating_sub(slept_ns).saturating_sub(in_line_ns);
    if ran_ns >= slept_ns.max(in_line_ns) {
        let faults_ns = meanwhile.page_faults_minor.saturating_mul(FAULT_NS);
        return if faults_ns > ran_ns / 2 { Cause::PageFaults } else { Cause::Computing };
    }
    if in_line_ns >= slept_ns {
        return Cause::Preempted;
    }
    if meanwhile.context_switches_voluntary == 0 {
        // It was not running, yet did not give up the processor, and for most of that time did not stand in line for one either. Where nothing tells how
        // long it stood in line, that it was switched away is all there is to go by.
        let stood_in_line = meanwhile.runqueue_ns.is_none() && meanwhile.context_switches_involuntary > 0;
        return if stood_in_line { Cause::Preempted } else { Cause::Stolen };
    }
    let half_ns = meanwhile.blocked_ns / 2;
    // The first may have been nearly full before.
    let waited_itself = meanwhile.delay_io_ns.is_some_and(|delay| delay.saturating_sub(DELAY_NS) > half_ns);
    if waited_itself || meanwhile.page_faults_major > 0 || meanwhile.stall_io_ns.is_some_and(|stall| stall > half_ns) {
        return Cause::Disk;
    }
    // Before the disk's requests, which may be anybody's: what is written in the background does not keep a thread from working.
    if meanwhile.background_cpu_ns.is_some_and(|cpu| cpu > half_ns) {
        return Cause::Background;
    }
    if disk_was_busy(meanwhile, half_ns) { Cause::Disk } else { Cause::Waiting }
}

/// Whether the disk was busy for so long while a thread slept.
///
/// Pressure is counted in ticks of the kernel's timer, weighted by what processors do besides: waits shorter than that leave no trace in it. The disk
/// counts its requests one by one.
fn disk_was_busy(meanwhile: &Activity, ns: u64) -> bool {
    let requests_ns = meanwhile.disk_requests_ns.unwrap_or(0).saturating_add(REQUESTS_NS);
    meanwhile.disk_requests.is_some_and(|requests| requests > 0) && requests_ns > ns
}

/// The thread's wait for block devices, the 42nd field of its `stat`: clock ticks. The second, its name in brackets, may hold anything.
fn delay_io_ns(stat: &str) -> Option<u64> {
    let ticks = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(39)?;
    ticks_ns(ticks.parse().ok()?)
}

/// What a small file that is read again and again tells: its first `BYTES`, or all of it if it is shorter.
fn told<T, const BYTES: usize>(file: Option<&File>, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let mut bytes = [0; BYTES];
    let length = file?.read_at(&mut bytes, 0).ok()?;
    parse(std::str::from_utf8(&bytes[..length]).ok()?)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::{Duration, Instant};

    use super::*;

    /// What a witness says of some work: its cause, and what went on. Other tests run in threads of this process: what those
    /// compute counts only where it is asked for.
    fn told(others: bool, work: impl FnOnce()) -> (Cause, Activity) {
        let witness = Witness::new(None);
        let (earlier, begin) = (witness.look(), Instant::now());
        work();
        let latency_ns = begin.elapsed().as_nanos() as u64;
        let meanwhile = witness.look().since(&earlier, latency_ns, others);
        (cause(latency_ns, &meanwhile), meanwhile)
    }

    #[test]
    fn sleep_is_waiting_and_is_no_work() {
        let (cause, meanwhile) = told(false, || std::thread::sleep(Duration::from_millis(50)));
        assert!(meanwhile.blocked_ns > 25_000_000, "{meanwhile:?}");
        assert!(meanwhile.context_switches_voluntary > 0, "{meanwhile:?}");
        // Somebody else may have kept the disk busy meanwhile.
        assert!(matches!(cause, Cause::Waiting | Cause::Disk), "{cause:?} {meanwhile:?}");
    }

    #[test]
    fn waiting_for_a_thread_that_works_is_no_work_of_ones_own() {
        let work = || {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(50) {
                std::hint::black_box(0);
            }
        };
        let (cause, meanwhile) = told(true, || std::thread::spawn(work).join().unwrap());
        assert!(meanwhile.background_cpu_ns.unwrap() > 1_000_000, "{meanwhile:?}");
        assert!(!matches!(cause, Cause::Computing | Cause::PageFaults), "{cause:?} {meanwhile:?}");
    }

    #[test]
    fn a_flush_is_waiting_for_the_disk_however_short() {
        let directory = tempfile::tempdir().unwrap();
        let Some(disk) = DeviceId::of(directory.path()) else { return };
        let witness = Witness::new(Some(disk));
        let mut file = File::create(directory.path().join("file")).unwrap();
        let causes: Vec<_> = (0..20)
            .map(|_| {
                file.write_all(&[1; 8192]).unwrap();
                let (earlier, begin) = (witness.look(), Instant::now());
                file.sync_all().unwrap();
                let latency_ns = begin.elapsed().as_nanos() as u64;
                cause(latency_ns, &witness.look().since(&earlier, latency_ns, true))
            })
            .collect();
        // The disk's counters may lag behind one of them.
        let unexplained = causes.iter().filter(|cause| **cause == Cause::Waiting).count();
        assert!(unexplained <= 2, "{causes:?}");
    }

    #[test]
    fn a_thread_tells_how_long_it_waited_for_block_devices() {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (name, fields) = (stat.find('(').unwrap(), stat.rfind(')').unwrap());
        let fields: Vec<_> = stat[fields + 1..].split_ascii_whitespace().collect();
        assert!(fields.len() >= 40 && name > 0, "{stat}");
        // The 42nd in proc(5) with two before the state, and a name that would be taken for more fields.
        let odd = format!("1 (a) b ( c) {} 7 {}", fields[..39].join(" "), fields[40..].join(" "));
        assert_eq!(delay_io_ns(&odd), Some(70_000_000));
        assert_eq!(delay_io_ns("1 (cut) S 2 3"), None);
        let on = std::fs::read_to_string(DELAY_ACCOUNTING).is_ok_and(|switch| switch.trim() == "1");
        assert_eq!(Witness::new(None).look().delay_io_ns.is_some(), on);
    }

    #[test]
    fn fresh_memory_faults_pages_in() {
        let (_, meanwhile) = told(false, || drop(std::hint::black_box(vec![1_u8; 64 << 20])));
        assert!(meanwhile.page_faults_minor > 16, "{meanwhile:?}");
    }

    /// Seen on a virtual machine: that the thread was switched away once says nothing of the time after it.
    #[test]
    fn one_short_stand_in_line_does_not_make_a_long_absence_a_preemption() {
        let seen = Activity {
            blocked_ns: 12_751_950,
            runqueue_ns: Some(50_996),
            context_switches_involuntary: 1,
            ..Activity::default()
        };
        assert_eq!(cause(12_952_509, &seen), Cause::Stolen);
        // Where the kernel does not tell how long it stood in line, the switch does.
        assert_eq!(cause(12_952_509, &Activity { runqueue_ns: None, ..seen }), Cause::Preempted);
    }

    #[test]
    fn many_requests_at_once_take_no_longer_than_the_disk_was_busy() {
        let moment = |now_ns, disk| Moment { now_ns, disk: Some(disk), ..Moment::default() };
        let disk = |count, ns, busy_ns| DeviceRequests { count, ns, busy_ns };
        let earlier = moment(0, disk(10, 50_000_000, 70_000_000));
        // Twenty requests of 5 ms each, most of them at the same time.
        let now = moment(150_000_000, disk(30, 150_000_000, 80_000_000));
        let seen = Activity { context_switches_voluntary: 1, ..now.since(&earlier, 150_000_000, true) };
        assert_eq!((seen.disk_requests, seen.disk_requests_ns), (Some(20), Some(14_000_000)));
        assert_eq!(cause(150_000_000, &seen), Cause::Waiting);
        // A request that began before the operation did not take more of it than there is.
        let one = moment(10_000_000, disk(11, 950_000_000, 80_000_000));
        let seen = Activity { context_switches_voluntary: 1, ..one.since(&earlier, 10_000_000, true) };
        assert_eq!(cause(10_000_000, &seen), Cause::Disk);
    }

    #[test]
    fn the_larger_part_is_the_cause() {
        let told = |blocked, runqueue, meanwhile: Activity| {
            cause(1_000_000, &Activity { blocked_ns: blocked, runqueue_ns: runqueue, ..meanwhile })
        };
        let nothing = Activity::default();
        let switched = Activity { context_switches_voluntary: 1, ..nothing };
        assert_eq!(told(0, Some(0), nothing), Cause::Computing);
        assert_eq!(told(0, None, Activity { page_faults_minor: 1_100, ..nothing }), Cause::PageFaults);
        assert_eq!(told(100_000, Some(800_000), switched), Cause::Preempted);
        // None of the three has more than half.
        assert_eq!(told(450_000, Some(300_000), switched), Cause::Waiting);
        assert_eq!(told(300_000, Some(450_000), switched), Cause::Preempted);
        assert_eq!(told(300_000, Some(300_000), switched), Cause::Computing);
        assert_eq!(told(900_000, Some(0), nothing), Cause::Stolen);
        assert_eq!(told(900_000, None, Activity { context_switches_involuntary: 1, ..nothing }), Cause::Preempted);
        assert_eq!(told(900_000, Some(0), switched), Cause::Waiting);
        assert_eq!(told(900_000, Some(0), Activity { stall_io_ns: Some(800_000), ..switched }), Cause::Disk);
        assert_eq!(told(900_000, Some(0), Activity { page_faults_major: 1, ..switched }), Cause::Disk);
        let delayed = |blocked_ns, delay| {
            let seen = Activity { blocked_ns, delay_io_ns: Some(delay), ..switched };
            cause(blocked_ns + blocked_ns / 8, &seen)
        };
        assert_eq!(
            [0, 50_000_000, 60_000_000].map(|ns| delayed(80_000_000, ns)),
            [Cause::Waiting, Cause::Waiting, Cause::Disk]
        );
        // A hundredth that was full then, most of which may lie before it.
        assert_eq!(delayed(15_000_000, 10_000_000), Cause::Waiting);
        let requests = |count, ns| Activity { disk_requests: Some(count), disk_requests_ns: Some(ns), ..switched };
        assert_eq!(told(900_000, Some(0), requests(1, 0)), Cause::Disk);
        assert_eq!(told(900_000, Some(0), requests(0, 0)), Cause::Waiting);
        // One short request in a long sleep is not what it slept for.
        assert_eq!(cause(90_000_000, &Activity { blocked_ns: 80_000_000, ..requests(3, 1_000_000) }), Cause::Waiting);
        let background = Activity { background_cpu_ns: Some(800_000), ..switched };
        assert_eq!(told(900_000, Some(0), background), Cause::Background);
        assert_eq!(
            told(
                900_000,
                Some(0),
                Activity { disk_requests: Some(9), disk_requests_ns: Some(9_000_000), ..background }
            ),
            Cause::Background,
            "the disk may be busy with what is written in the background"
        );
        assert_eq!(told(900_000, Some(0), Activity { stall_io_ns: Some(800_000), ..background }), Cause::Disk);
    }
}
