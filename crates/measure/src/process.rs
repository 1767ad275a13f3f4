//! Resources that this process, and the machine around it, used between two moments.
//!
//! A snapshot reads a dozen files of `/proc` and `/sys`, which is not part of its own figures. It reads the affected counters first and
//! last. A difference runs from the last reading of the earlier snapshot to the first reading of the later one.

use std::fs;
use std::io::Read;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

use bakeoff_protocol::Resources;
use procfs::process::{Io, Process, Status};
use procfs::{CurrentSI, FromRead, KernelStats};

use crate::{DeviceCounters, DeviceId, sys};

/// Whether the last call of [`reset_peak_rss`] succeeded. It belongs to the process, as the peak does.
static PEAK_WAS_RESET: AtomicBool = AtomicBool::new(false);

/// Starts a new peak of the resident set at its current size. Call it just before the snapshot that begins a phase.
///
/// Returns whether the kernel allowed it. If not, figures that begin with a later snapshot have no peak.
pub fn reset_peak_rss() -> bool {
    let was_reset = fs::write("/proc/self/clear_refs", "5").is_ok();
    PEAK_WAS_RESET.store(was_reset, Ordering::Relaxed);
    was_reset
}

/// The current resident set in bytes: the baseline of memory figures.
pub fn rss_bytes() -> Option<u64> {
    kib(status()?.vmrss)
}

/// The counters of this process and this machine at one moment. A counter that could not be read is absent.
#[derive(Clone, Debug)]
pub struct Snapshot {
    first: Counters,
    memory: Memory,
    machine: MachineCounters,
    device: Option<DeviceCounters>,
    open_files: Option<u64>,
    threads: Option<u64>,
    last: Counters,
}

/// The counters that reading `/proc` changes.
#[derive(Clone, Debug)]
struct Counters {
    usage: Option<Usage>,
    io: Option<IoCounters>,
}

/// `getrusage`.
#[derive(Clone, Debug)]
pub(crate) struct Usage {
    user_ns: u64,
    system_ns: u64,
    pub(crate) switches_voluntary: u64,
    pub(crate) switches_involuntary: u64,
    pub(crate) faults_major: u64,
    pub(crate) faults_minor: u64,
}

/// `/proc/self/io`, all threads.
#[derive(Clone, Debug)]
pub(crate) struct IoCounters {
    counters: Io,
    /// Bytes of the file itself. The kernel counts them as a further read, but only after it has returned these counters.
    own_bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct Memory {
    peak: Option<u64>,
    peak_was_reset: bool,
    anonymous: Option<u64>,
    file: Option<u64>,
}

#[derive(Clone, Debug)]
struct MachineCounters {
    stall_cpu_ns: Option<u64>,
    stall_memory_ns: Option<u64>,
    stall_io_ns: Option<u64>,
    steal_ns: Option<u64>,
}

impl Snapshot {
    /// Reads everything, which takes a few hundred microseconds. `device` is the one whose traffic counts.
    pub fn take(device: Option<DeviceId>) -> Self {
        let first = Counters::read();
        let status = status();
        Self {
            first,
            memory: status.as_ref().map(Memory::from_status).unwrap_or_default(),
            machine: MachineCounters::read(),
            device: device.and_then(DeviceId::counters),
            open_files: open_files(),
            threads: status.map(|status| status.threads),
            last: Counters::read_to_begin(),
        }
    }

    /// Excludes this process's work so far from differences that begin with this snapshot. The machine's work stays included.
    pub fn begin_anew(&mut self) {
        self.last = Counters::read_to_begin();
    }

    /// Resources used since an earlier snapshot of the same process. `baseline_rss` is the value of [`rss_bytes`] with the empty store
    /// open. Without it the peak above it is absent.
    pub fn resources_since(&self, earlier: &Self, baseline_rss: Option<u64>) -> Resources {
        let peak = self.memory.peak.filter(|_| earlier.memory.peak_was_reset);
        let mut resources = Resources {
            rss_peak_bytes: peak,
            rss_peak_above_baseline_bytes: grown(peak, baseline_rss),
            rss_anonymous_bytes: self.memory.anonymous,
            rss_file_bytes: self.memory.file,
            device_read_bytes: grown(self.device.map(|to| to.read_bytes), earlier.device.map(|from| from.read_bytes)),
            device_write_bytes: grown(
                self.device.map(|to| to.write_bytes),
                earlier.device.map(|from| from.write_bytes),
            ),
            open_files: self.open_files,
            threads: self.threads,
            stall_cpu_ns: grown(self.machine.stall_cpu_ns, earlier.machine.stall_cpu_ns),
            stall_memory_ns: grown(self.machine.stall_memory_ns, earlier.machine.stall_memory_ns),
            stall_io_ns: grown(self.machine.stall_io_ns, earlier.machine.stall_io_ns),
            steal_ns: grown(self.machine.steal_ns, earlier.machine.steal_ns),
            ..Resources::default()
        };
        if let (Some(to), Some(from)) = (&self.first.usage, &earlier.last.usage) {
            to.add_since(from, &mut resources);
        }
        if let (Some(to), Some(from)) = (&self.first.io, &earlier.last.io) {
            to.add_since(from, &mut resources);
        }
        resources
    }
}

impl Counters {
    /// Counters that end an interval: the processor's first, since reading the others takes CPU time.
    fn read() -> Self {
        Self { usage: Usage::read(libc::RUSAGE_SELF), io: IoCounters::read() }
    }

    /// Counters that begin an interval: the processor's last.
    fn read_to_begin() -> Self {
        let io = IoCounters::read();
        Self { usage: Usage::read(libc::RUSAGE_SELF), io }
    }
}

impl Usage {
    /// User and system time.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.user_ns + self.system_ns
    }

    /// Of `RUSAGE_SELF`, all threads together, or of `RUSAGE_THREAD`.
    pub(crate) fn read(who: libc::c_int) -> Option<Self> {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a struct of the type that the call fills; all-zero bytes are a valid value of it.
        let usage = unsafe {
            let status = libc::getrusage(who, usage.as_mut_ptr());
            (status == 0).then(|| usage.assume_init())
        }?;
        Some(Self {
            user_ns: time_ns(usage.ru_utime)?,
            system_ns: time_ns(usage.ru_stime)?,
            switches_voluntary: u64::try_from(usage.ru_nvcsw).ok()?,
            switches_involuntary: u64::try_from(usage.ru_nivcsw).ok()?,
            faults_major: u64::try_from(usage.ru_majflt).ok()?,
            faults_minor: u64::try_from(usage.ru_minflt).ok()?,
        })
    }

    fn add_since(&self, from: &Self, resources: &mut Resources) {
        let grown = |to: u64, from: u64| Some(to.saturating_sub(from));
        resources.cpu_user_ns = grown(self.user_ns, from.user_ns);
        resources.cpu_system_ns = grown(self.system_ns, from.system_ns);
        resources.context_switches_voluntary = grown(self.switches_voluntary, from.switches_voluntary);
        resources.context_switches_involuntary = grown(self.switches_involuntary, from.switches_involuntary);
        resources.page_faults_major = grown(self.faults_major, from.faults_major);
        resources.page_faults_minor = grown(self.faults_minor, from.faults_minor);
    }
}

impl IoCounters {
    /// Bytes passed to write calls.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.counters.wchar
    }

    /// In a single read call, so that its own bytes are known exactly.
    pub(crate) fn read() -> Option<Self> {
        let mut buffer = [0u8; 1024];
        let length = fs::File::open("/proc/self/io").ok()?.read(&mut buffer).ok()?;
        let counters = Io::from_read(&buffer[..length]).ok()?;
        Some(Self { counters, own_bytes: length as u64 })
    }

    fn add_since(&self, from: &Self, resources: &mut Resources) {
        let (to, own_bytes, from) = (&self.counters, from.own_bytes, &from.counters);
        let cancelled = to.cancelled_write_bytes.saturating_sub(from.cancelled_write_bytes);
        resources.process_read_bytes = Some(to.rchar.saturating_sub(from.rchar + own_bytes));
        resources.process_write_bytes = Some(to.wchar.saturating_sub(from.wchar));
        resources.read_calls = Some(to.syscr.saturating_sub(from.syscr + 1));
        resources.write_calls = Some(to.syscw.saturating_sub(from.syscw));
        resources.block_read_bytes = Some(to.read_bytes.saturating_sub(from.read_bytes));
        resources.block_write_bytes = Some(to.write_bytes.saturating_sub(from.write_bytes).saturating_sub(cancelled));
    }
}

impl Memory {
    fn from_status(status: &Status) -> Self {
        let anonymous = kib(status.rssanon).zip(kib(status.rssshmem)).map(|(private, shared)| private + shared);
        Self {
            peak: kib(status.vmhwm),
            peak_was_reset: PEAK_WAS_RESET.load(Ordering::Relaxed),
            anonymous,
            file: kib(status.rssfile),
        }
    }
}

impl MachineCounters {
    fn read() -> Self {
        let stall = |resource: &str| stall_ns(&sys::text(format!("/proc/pressure/{resource}"))?);
        Self {
            stall_cpu_ns: stall("cpu"),
            stall_memory_ns: stall("memory"),
            stall_io_ns: stall("io"),
            steal_ns: KernelStats::current().ok().and_then(|stats| ticks_ns(stats.total.steal?)),
        }
    }
}

/// The total of the line `some avg10=… avg60=… avg300=… total=<microseconds>`.
pub(crate) fn stall_ns(pressure: &str) -> Option<u64> {
    let line = pressure.lines().find(|line| line.starts_with("some "))?;
    let total = line.split_whitespace().find_map(|field| field.strip_prefix("total="))?;
    total.parse::<u64>().ok()?.checked_mul(1_000)
}

fn status() -> Option<Status> {
    Process::myself().ok()?.status().ok()
}

/// Without the descriptor of the listing itself.
fn open_files() -> Option<u64> {
    let listed = fs::read_dir("/proc/self/fd").ok()?.count() as u64;
    listed.checked_sub(1)
}

fn grown(to: Option<u64>, from: Option<u64>) -> Option<u64> {
    Some(to?.saturating_sub(from?))
}

pub(crate) fn kib(amount: Option<u64>) -> Option<u64> {
    amount?.checked_mul(1_024)
}

pub(crate) fn ticks_ns(ticks: u64) -> Option<u64> {
    ticks.checked_mul(1_000_000_000 / procfs::ticks_per_second())
}

fn time_ns(time: libc::timeval) -> Option<u64> {
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let microseconds = u64::try_from(time.tv_usec).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(microseconds.checked_mul(1_000)?)
}

/// Ends this process as a crash would: nothing is flushed or closed, and no event is sent.
pub fn die() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    // The signal may arrive a moment later.
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stall_time_is_the_total_of_some() {
        let text = "some avg10=1.77 avg60=0.65 avg300=0.28 total=4646730\nfull avg10=0.00 avg60=0.00 total=9";
        assert_eq!(stall_ns(text), Some(4_646_730_000));
        assert_eq!(stall_ns("full avg10=0.00 total=9"), None, "older kernels have no such line for CPUs alone");
        assert_eq!(stall_ns("some total=x"), None);
    }

    #[test]
    fn a_difference_needs_both_ends() {
        assert_eq!(grown(Some(7), Some(5)), Some(2));
        assert_eq!(grown(Some(5), Some(7)), Some(0));
        assert_eq!(grown(None, Some(5)), None);
        assert_eq!(grown(Some(5), None), None);
    }
}
