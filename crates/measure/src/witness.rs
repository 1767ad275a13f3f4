//! What a thread and the machine did during a slow operation.
//!
//! A witness is read regularly, and after each slow operation. The difference shows whether the thread ran, waited for a processor, or
//! waited for something else, and for what. A reading takes a few microseconds, outside timed regions.

use std::cell::Cell;
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;

use bakeoff_protocol::{Activity, Cause};
use rustix::time::ClockId;

use crate::clock::kernel_ns;
use crate::device::{DeviceId, DeviceRequests, requests_from};
use crate::process::{Usage, stall_ns, ticks_ns};

/// A page fault served from memory takes about 0.5 µs, to clear or map a page. Faults are the cause only if they fill more than half of the
/// time in which an operation's thread ran.
const FAULT_NS: u64 = 500;

/// The precision of the duration of a disk's requests: the totals before and after are both rounded down to milliseconds.
const REQUESTS_NS: u64 = 2_000_000;

/// The precision of the time in which a disk had requests: a tick of the kernel's timer, on most machines.
const TICK_NS: u64 = 4_000_000;

/// Whether the kernel counts how long each thread waits for block devices: 1 if it does.
const DELAY_ACCOUNTING: &str = "/proc/sys/kernel/task_delayacct";

/// The precision of that time: hundredths of a second, each counted when it is complete.
const DELAY_NS: u64 = 10_000_000;

/// Reads the counters of the thread that created it.
pub struct Witness {
    schedule: Option<File>,
    delays: Option<File>,
    pressure: Option<File>,
    disk: Option<File>,
    /// The files belong to one thread.
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
    /// For the calling thread, and the disk of its files, if there is one.
    pub fn new(disk: Option<DeviceId>) -> Self {
        let open = |path| File::open(path).ok();
        let (schedule, pressure) = (open("/proc/thread-self/schedstat"), open("/proc/pressure/io"));
        let disk = disk.and_then(|disk| File::open(disk.sys_path().join("stat")).ok());
        // Without delay accounting the counter stays at zero, and the file takes longer to read than all others.
        let delays = std::fs::read_to_string(DELAY_ACCOUNTING).is_ok_and(|switch| switch.trim() == "1");
        let delays = delays.then(|| open("/proc/thread-self/stat")).flatten();
        Self { schedule, delays, pressure, disk, _this_thread: PhantomData }
    }

    /// The current counters.
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
    /// The activity since an earlier moment, during which one operation took `latency_ns`, nearly all of the time. With `alone`, no other
    /// thread of the process replays, so CPU time of other threads is the store's own.
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
            // Concurrent requests of others took no additional time.
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

/// The largest part of an operation's time, judged by its activity: the thread ran, was queued for a processor, or slept.
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
        // The thread was not running, but did not release the processor, and was not queued for one most of that time. If the queueing time
        // is unknown, only the involuntary switch is evidence.
        let stood_in_line = meanwhile.runqueue_ns.is_none() && meanwhile.context_switches_involuntary > 0;
        return if stood_in_line { Cause::Preempted } else { Cause::Stolen };
    }
    let half_ns = meanwhile.blocked_ns / 2;
    // The first hundredth may have been nearly complete before.
    let waited_itself = meanwhile.delay_io_ns.is_some_and(|delay| delay.saturating_sub(DELAY_NS) > half_ns);
    if waited_itself || meanwhile.page_faults_major > 0 || meanwhile.stall_io_ns.is_some_and(|stall| stall > half_ns) {
        return Cause::Disk;
    }
    // Checked before the disk's requests, which may be anyone's: background writes do not keep a thread from working.
    if meanwhile.background_cpu_ns.is_some_and(|cpu| cpu > half_ns) {
        return Cause::Background;
    }
    if disk_was_busy(meanwhile, half_ns) { Cause::Disk } else { Cause::Waiting }
}

/// Whether the disk was busy for this long while a thread slept.
///
/// Pressure is counted in ticks of the kernel's timer, weighted by other activity of the processors. Shorter waits leave no trace in it.
/// The disk counts its requests individually.
fn disk_was_busy(meanwhile: &Activity, ns: u64) -> bool {
    let requests_ns = meanwhile.disk_requests_ns.unwrap_or(0).saturating_add(REQUESTS_NS);
    meanwhile.disk_requests.is_some_and(|requests| requests > 0) && requests_ns > ns
}

/// The thread's wait for block devices, the 42nd field of its `stat`, in clock ticks. The second field, its name in brackets, may contain
/// anything.
fn delay_io_ns(stat: &str) -> Option<u64> {
    let ticks = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(39)?;
    ticks_ns(ticks.parse().ok()?)
}

/// Parses the first `BYTES` of a small file that is read repeatedly.
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

    /// The verdict of a witness on some work: the cause and the activity. Other tests run in threads of this process, so their CPU time
    /// counts only if `others` is set.
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
        // Another process may have kept the disk busy.
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
        // The 42nd in proc(5) with two before the state, and a name that looks like further fields.
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

    /// Observed on a virtual machine: a single switch of the thread does not explain the time after it.
    #[test]
    fn one_short_stand_in_line_does_not_make_a_long_absence_a_preemption() {
        let seen = Activity {
            blocked_ns: 12_751_950,
            runqueue_ns: Some(50_996),
            context_switches_involuntary: 1,
            ..Activity::default()
        };
        assert_eq!(cause(12_952_509, &seen), Cause::Stolen);
        // If the kernel does not report the queueing time, the switch is the evidence.
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
        // A request that began before the operation counts at most for the operation's time.
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
        // A hundredth completed during it, but most of it may be earlier.
        assert_eq!(delayed(15_000_000, 10_000_000), Cause::Waiting);
        let requests = |count, ns| Activity { disk_requests: Some(count), disk_requests_ns: Some(ns), ..switched };
        assert_eq!(told(900_000, Some(0), requests(1, 0)), Cause::Disk);
        assert_eq!(told(900_000, Some(0), requests(0, 0)), Cause::Waiting);
        // One short request during a long sleep is not the reason for the sleep.
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
