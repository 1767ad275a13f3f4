//! The machine of a run. Nothing private: no host name, user, address or serial number.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use procfs::{CpuInfo, Current, CurrentSI, KernelStats, LoadAverage, Meminfo};
use rustix::process::{Resource, getrlimit};
use serde::{Deserialize, Serialize};

use crate::sys;

/// Flags of x86 processors that show whether the time-stamp counter is reliable.
const CLOCK_FLAGS: [&str; 2] = ["constant_tsc", "nonstop_tsc"];

/// The machine as it is now. A part that could not be read is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The operating system's name and version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The kernel's release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The processor architecture this program was built for, e.g. `x86_64`.
    pub architecture: String,
    /// The processor's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_model: Option<String>,
    /// Logical CPUs of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus_logical: Option<u64>,
    /// CPUs that this process may use at the same time, after affinity and control groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus_usable: Option<u64>,
    /// Which of the flags `constant_tsc` and `nonstop_tsc` the processor has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_clock_flags: Option<Vec<String>>,
    /// Memory, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The lowest memory limit of this process's control groups; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit_bytes: Option<u64>,
    /// Swap space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap_bytes: Option<u64>,
    /// Swap space in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap_used_bytes: Option<u64>,
    /// The frequency governor of each policy (group of CPUs); empty if the machine offers no choice.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub governors: BTreeMap<String, String>,
    /// The kernel's clock source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// The clock sources that the kernel could use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_sources_available: Option<Vec<String>>,
    /// The hypervisor, if it identifies itself: its name or signature, e.g. `VMwareVMware`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<String>,
    /// When the kernel uses huge pages: `always`, `madvise` or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent_huge_pages: Option<String>,
    /// Tasks running or waiting for a disk, mean of the last minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_1m: Option<f64>,
    /// The same for the last five minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_5m: Option<f64>,
    /// CPUs in use at the time of reading, mean of a short interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus_busy: Option<f64>,
}

/// CPUs that the kernel runs, including those this process may not use.
pub fn cpus_online() -> Option<u64> {
    CpuInfo::current().ok().map(|cpu| cpu.num_cores() as u64).filter(|cpus| *cpus > 0)
}

impl Machine {
    /// Reads everything.
    pub fn read() -> Self {
        let machine = Self {
            os: sys::text("/etc/os-release").and_then(|text| os_name(&text)),
            kernel: sys::text("/proc/sys/kernel/osrelease"),
            architecture: std::env::consts::ARCH.to_owned(),
            cpus_usable: std::thread::available_parallelism().ok().map(|count| count.get() as u64),
            governors: governors(Path::new("/sys/devices/system/cpu/cpufreq")),
            clock_source: sys::text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            clock_sources_available: sys::clock_sources_available(),
            hypervisor: hypervisor(),
            transparent_huge_pages: sys::choice("/sys/kernel/mm/transparent_hugepage/enabled"),
            ..Self::read_memory()
        };
        machine.with_cpu().with_load()
    }

    fn with_cpu(self) -> Self {
        let Ok(cpu) = CpuInfo::current() else { return self };
        let flags = cpu.flags(0).map(|flags| flags.into_iter().filter(|flag| CLOCK_FLAGS.contains(flag)));
        Self {
            cpu_model: cpu.model_name(0).map(str::to_owned),
            cpus_logical: Some(cpu.num_cores() as u64).filter(|&count| count > 0),
            cpu_clock_flags: flags.map(|flags| flags.map(str::to_owned).collect()),
            ..self
        }
    }

    /// Reads the facts about memory, without the time that measuring load takes.
    pub fn read_memory() -> Self {
        let memory_limit_bytes = sys::text("/proc/self/cgroup").and_then(|text| memory_limit_bytes(&text));
        let machine = Self { memory_limit_bytes, ..Self::default() };
        let Ok(memory) = Meminfo::current() else { return machine };
        Self {
            memory_bytes: Some(memory.mem_total),
            swap_bytes: Some(memory.swap_total),
            swap_used_bytes: Some(memory.swap_total.saturating_sub(memory.swap_free)),
            ..machine
        }
    }

    fn with_load(self) -> Self {
        let Ok(load) = LoadAverage::current() else { return self };
        // The kernel reports two decimals. The library's f32 would add meaningless digits.
        let hundredths = |load: f32| (f64::from(load) * 100.0).round() / 100.0;
        Self {
            load_1m: Some(hundredths(load.one)),
            load_5m: Some(hundredths(load.five)),
            cpus_busy: cpus_busy(),
            ..self
        }
    }

    /// Memory available to this process, including the page cache of its files: the machine's, or the limit of a control group.
    pub fn memory_usable_bytes(&self) -> Option<u64> {
        [self.memory_bytes, self.memory_limit_bytes].into_iter().flatten().min()
    }
}

/// How long CPUs are watched to count the busy ones: the kernel counts in hundredths of a second.
const MOMENT: Duration = Duration::from_millis(200);

/// The number of busy CPUs while this thread sleeps, to one decimal.
fn cpus_busy() -> Option<f64> {
    let idle_ticks = |stats: &KernelStats| stats.total.idle + stats.total.iowait.unwrap_or(0);
    let (before, begin) = (KernelStats::current().ok()?, Instant::now());
    std::thread::sleep(MOMENT);
    let after = KernelStats::current().ok()?;
    let idle = idle_ticks(&after).saturating_sub(idle_ticks(&before)) as f64 / procfs::ticks_per_second() as f64;
    let cpus = before.cpu_time.len() as f64;
    Some(((cpus - idle / begin.elapsed().as_secs_f64()).max(0.0) * 10.0).round() / 10.0)
}

/// The limit of open files of a process. Absent means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLimit {
    /// The limit in force.
    pub soft: Option<u64>,
    /// The limit to which the process may raise it.
    pub hard: Option<u64>,
}

/// The limit of open files of this process.
pub fn nofile_limit() -> FileLimit {
    let limit = getrlimit(Resource::Nofile);
    FileLimit { soft: limit.current, hard: limit.maximum }
}

fn os_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned())
}

fn governors(directory: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let governor = sys::text(entry.path().join("scaling_governor"))?;
            Some((entry.file_name().to_string_lossy().into_owned(), governor))
        })
        .collect()
}

/// The lowest limit from this process's control group up to the root, in both versions of control groups.
fn memory_limit_bytes(own_groups: &str) -> Option<u64> {
    let limits = own_groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            controllers if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let relative = PathBuf::from(path.trim_start_matches('/'));
        relative.ancestors().filter_map(|group| sys::number(Path::new(root).join(group).join(file))).min()
    });
    // Version 1 writes "unlimited" as the largest multiple of a page that fits a long.
    limits.min().filter(|&limit| limit < (i64::MAX as u64) / 2)
}

/// The signature of the hypervisor (leaf 4000_0000), if the processor reports one (leaf 1, ECX bit 31).
#[cfg(target_arch = "x86_64")]
fn hypervisor() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    if __cpuid(1).ecx & (1 << 31) == 0 {
        return None;
    }
    let leaf = __cpuid(0x4000_0000);
    let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].into_iter().flat_map(u32::to_le_bytes).collect();
    let name: String = bytes.into_iter().filter(u8::is_ascii_graphic).map(char::from).collect();
    Some(match name.as_str() {
        "" => "unknown".to_owned(),
        "KVMKVMKVM" => "KVM".to_owned(),
        _ => name,
    })
}

/// On other processors the device tree names it.
#[cfg(not(target_arch = "x86_64"))]
fn hypervisor() -> Option<String> {
    sys::text("/proc/device-tree/hypervisor/compatible").or_else(|| sys::text("/sys/hypervisor/type"))
}

/// The memory that programs can still allocate without swapping, as the kernel estimates it.
pub fn memory_available_bytes() -> Option<u64> {
    Meminfo::current().ok()?.mem_available
}

/// The number of processes that the kernel killed for lack of memory since it started; `None` if it does not count them.
pub fn out_of_memory_kills() -> Option<i64> {
    procfs::vmstat().ok()?.get("oom_kill").copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_name_from_os_release() {
        let text = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nID=debian\n";
        assert_eq!(os_name(text).as_deref(), Some("Debian GNU/Linux 13 (trixie)"));
        assert_eq!(os_name("ID=x\n"), None);
    }

    #[test]
    fn reads_the_governor_of_each_policy() {
        let directory = tempfile::tempdir().unwrap();
        for (policy, governor) in [("policy0", "performance\n"), ("policy4", "schedutil\n")] {
            fs::create_dir(directory.path().join(policy)).unwrap();
            fs::write(directory.path().join(policy).join("scaling_governor"), governor).unwrap();
        }
        fs::create_dir(directory.path().join("boost")).unwrap();
        let expected = [("policy0", "performance"), ("policy4", "schedutil")];
        assert_eq!(governors(directory.path()), expected.map(|(a, b)| (a.to_owned(), b.to_owned())).into());
        assert!(governors(Path::new("/no/such/directory")).is_empty());
    }

    #[test]
    fn a_control_group_that_is_not_there_gives_no_limit() {
        assert_eq!(memory_limit_bytes("0::/no-such-group\n1:cpu:/no-such-group\n"), None);
        assert_eq!(memory_limit_bytes("rubbish\n"), None);
    }

    #[test]
    fn usable_memory_is_the_lower_of_both() {
        let machine = Machine { memory_bytes: Some(8), memory_limit_bytes: Some(5), ..Machine::default() };
        assert_eq!(machine.memory_usable_bytes(), Some(5));
        assert_eq!(Machine::default().memory_usable_bytes(), None);
    }
}
