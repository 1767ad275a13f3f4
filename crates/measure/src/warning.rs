//! Circumstances that distort figures: what each is, its effect, and the remedy.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use bakeoff_text::{approximate_size, percent};
use serde::{Deserialize, Serialize};

use crate::{Machine, Medium};

/// The share of one CPU's time that a hypervisor may take without a warning.
const STEAL_SHARE_MAX: f64 = 0.01;

/// The share of the median latency that two clock readings may take, in percent.
const CLOCK_PERCENT_MAX: u64 = 20;

/// The share of memory that may be swapped out, in percent. Pages of idle programs, swapped out long ago, do no harm.
const SWAP_PERCENT_MAX: u64 = 1;

/// Fewer rounds give no useful interval.
const ROUNDS_MIN: u32 = 3;

/// The share of CPUs that may be busy when a run starts.
const LOAD_SHARE_MAX: f64 = 0.5;

/// A circumstance with the figures that show it. Its text has three parts: what it is, its effect, the remedy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Warning {
    /// A program was built without optimisation.
    DebugBuild {
        /// The program.
        program: String,
    },
    /// The environment sets options of a JVM.
    JvmOptions {
        /// The driver that runs on it.
        driver: String,
        /// The variables with their values.
        options: BTreeMap<String, String>,
    },
    /// The files are in memory.
    Tmpfs {
        /// The directory.
        directory: PathBuf,
        /// The file system's type.
        file_system: String,
    },
    /// Data fits into memory.
    DataSmallerThanMemory {
        /// The smallest and the largest amount of data that fits, counting data kept at the same time.
        data_bytes: (u64, u64),
        /// Memory of the machine or of the control group.
        memory_bytes: u64,
    },
    /// A memory limit exceeds all data kept under it.
    LimitAboveData {
        /// The limit.
        limit_bytes: u64,
        /// The largest amount of data under it.
        data_bytes: u64,
    },
    /// The processor's frequency follows the load.
    FrequencyScaling {
        /// The governors in force other than `performance`.
        governors: Vec<String>,
    },
    /// The hypervisor gave CPU time to others.
    Steal {
        /// How much, for all CPUs together.
        steal_ns: u64,
        /// In this time.
        wall_ns: u64,
    },
    /// Memory has been swapped out.
    SwapInUse {
        /// How much.
        swap_used_bytes: u64,
    },
    /// The clock is not the time-stamp counter.
    ClockSlow {
        /// The clock in use.
        clock: String,
        /// The time of two readings.
        clock_pair_ns: u64,
    },
    /// Operations are hardly slower than the clock.
    ClockOverhead {
        /// The operation, with further details that identify it.
        operation: String,
        /// The time of two readings.
        clock_pair_ns: u64,
        /// The operation's median latency.
        latency_ns_p50: u64,
    },
    /// Phases were measured before their rate was steady, or the rate changed during them.
    NotSteady {
        /// Phases, each with its store, and how the rate changed.
        phases: Vec<String>,
    },
    /// Stores kept all data in memory while they were measured, and wrote at most a log.
    InWriteBuffer {
        /// Stores, each with its workload.
        cells: Vec<String>,
    },
    /// There are too few rounds to distinguish noise from a difference.
    FewRounds {
        /// The number of rounds requested or remaining.
        rounds: u32,
    },
    /// The machine is busy with other work.
    LoadHigh {
        /// Tasks running or waiting for a disk, mean of the last minute.
        load_1m: f64,
        /// CPUs available.
        cpus: u64,
    },
}

/// The warnings before a run whose workloads keep these amounts of keys and values at the same time, in bytes.
pub fn before_run(machine: &Machine, medium: &Medium, data_bytes: &[u64]) -> Vec<Warning> {
    let warnings = [
        Warning::tmpfs(medium),
        Warning::data_smaller_than_memory(machine, data_bytes),
        Warning::frequency_scaling(machine),
        Warning::swap_in_use(machine),
        Warning::load_high(machine),
    ];
    warnings.into_iter().flatten().collect()
}

impl Warning {
    /// If `build`, as the driver describes itself, is not `release`.
    pub fn debug_build(program: &str, build: &str) -> Option<Self> {
        (build != "release").then(|| Self::DebugBuild { program: program.to_owned() })
    }

    /// If the environment has variables that the JVM of a driver obeys.
    pub fn jvm_options(driver: &str, options: &BTreeMap<String, String>) -> Option<Self> {
        (!options.is_empty()).then(|| Self::JvmOptions { driver: driver.to_owned(), options: options.clone() })
    }

    /// If the medium is memory.
    pub fn tmpfs(medium: &Medium) -> Option<Self> {
        let file_system = medium.file_system.clone().filter(|_| medium.is_memory())?;
        Some(Self::Tmpfs { directory: medium.directory.clone(), file_system })
    }

    /// If the data of some workload fits into memory.
    pub fn data_smaller_than_memory(machine: &Machine, data_bytes: &[u64]) -> Option<Self> {
        let memory_bytes = machine.memory_usable_bytes()?;
        let fits = || data_bytes.iter().copied().filter(|data| *data < memory_bytes);
        Some(Self::DataSmallerThanMemory { data_bytes: (fits().min()?, fits().max()?), memory_bytes })
    }

    /// If a memory limit exceeds the data of every workload under it.
    pub fn limit_above_data(limit_bytes: u64, data_bytes: u64) -> Option<Self> {
        (data_bytes < limit_bytes).then_some(Self::LimitAboveData { limit_bytes, data_bytes })
    }

    /// If any governor is not `performance`.
    pub fn frequency_scaling(machine: &Machine) -> Option<Self> {
        let others = machine.governors.values().filter(|governor| *governor != "performance");
        let governors: Vec<String> = others.cloned().collect::<BTreeSet<_>>().into_iter().collect();
        (!governors.is_empty()).then_some(Self::FrequencyScaling { governors })
    }

    /// If more than 1 % of the machine's memory is swapped out.
    pub fn swap_in_use(machine: &Machine) -> Option<Self> {
        let limit = machine.memory_bytes? / 100 * SWAP_PERCENT_MAX;
        let swap_used_bytes = machine.swap_used_bytes.filter(|&used| used > limit)?;
        Some(Self::SwapInUse { swap_used_bytes })
    }

    /// If more than half the CPUs were busy in the last minute, and still are. Work that has just ended, such as a build, does no harm.
    pub fn load_high(machine: &Machine) -> Option<Self> {
        let cpus = machine.cpus_logical?;
        machine.cpus_busy.is_none_or(|busy| busy > cpus as f64 * LOAD_SHARE_MAX).then_some(())?;
        let load_1m = machine.load_1m.filter(|&load| load > cpus as f64 * LOAD_SHARE_MAX)?;
        Some(Self::LoadHigh { load_1m, cpus })
    }

    /// If more than 1 % of one CPU's time was given to others; never if `steal_ns` is absent.
    pub fn steal(steal_ns: Option<u64>, wall_ns: u64) -> Option<Self> {
        let steal_ns = steal_ns.filter(|&steal| share(steal, wall_ns) > STEAL_SHARE_MAX)?;
        Some(Self::Steal { steal_ns, wall_ns })
    }

    /// If the clock is not the time-stamp counter.
    pub fn clock_slow(clock: &str, clock_pair_ns: u64) -> Option<Self> {
        (clock != "tsc").then(|| Self::ClockSlow { clock: clock.to_owned(), clock_pair_ns })
    }

    /// If two readings take more than a fifth of an operation's median latency.
    pub fn clock_overhead(operation: &str, clock_pair_ns: u64, latency_ns_p50: u64) -> Option<Self> {
        let too_much = clock_pair_ns.saturating_mul(100) > latency_ns_p50.saturating_mul(CLOCK_PERCENT_MAX);
        too_much.then(|| Self::ClockOverhead { operation: operation.to_owned(), clock_pair_ns, latency_ns_p50 })
    }

    /// If some phases, each named with its store, were measured although their rate was not steady, or it is unknown whether it was.
    pub fn not_steady(phases: BTreeSet<String>) -> Option<Self> {
        (!phases.is_empty()).then(|| Self::NotSteady { phases: phases.into_iter().collect() })
    }

    /// If the data of some stores, each named with its workload, never left the memory in which they collect writes.
    pub fn in_write_buffer(cells: BTreeSet<String>) -> Option<Self> {
        (!cells.is_empty()).then(|| Self::InWriteBuffer { cells: cells.into_iter().collect() })
    }

    /// If there are fewer than three rounds.
    pub fn few_rounds(rounds: u32) -> Option<Self> {
        (rounds < ROUNDS_MIN).then_some(Self::FewRounds { rounds })
    }

    /// The stable name of this kind of warning: the same as `code` in its JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Self::DebugBuild { .. } => "debug-build",
            Self::JvmOptions { .. } => "jvm-options",
            Self::Tmpfs { .. } => "tmpfs",
            Self::DataSmallerThanMemory { .. } => "data-smaller-than-memory",
            Self::LimitAboveData { .. } => "limit-above-data",
            Self::FrequencyScaling { .. } => "frequency-scaling",
            Self::Steal { .. } => "steal",
            Self::SwapInUse { .. } => "swap-in-use",
            Self::ClockSlow { .. } => "clock-slow",
            Self::ClockOverhead { .. } => "clock-overhead",
            Self::NotSteady { .. } => "not-steady",
            Self::InWriteBuffer { .. } => "in-write-buffer",
            Self::FewRounds { .. } => "few-rounds",
            Self::LoadHigh { .. } => "load-high",
        }
    }

    /// What it is, with the figures.
    fn what(&self) -> String {
        match self {
            Self::DebugBuild { program } => format!("{program} is a debug build"),
            Self::JvmOptions { driver, options } => {
                let options: Vec<_> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!("the environment gives {driver} the options {}", options.join(", "))
            }
            Self::Tmpfs { directory, file_system } => {
                format!("{} is on {file_system}, which is memory", directory.display())
            }
            Self::DataSmallerThanMemory { data_bytes: (least, most), memory_bytes } => {
                let data = if least == most {
                    approximate_size(*most)
                } else {
                    format!("{} to {}", approximate_size(*least), approximate_size(*most))
                };
                format!("the data ({data}) fits into memory ({})", approximate_size(*memory_bytes))
            }
            Self::LimitAboveData { limit_bytes, data_bytes } => {
                format!(
                    "the limit of {} of memory is above the data ({})",
                    approximate_size(*limit_bytes),
                    approximate_size(*data_bytes)
                )
            }
            Self::FrequencyScaling { governors } => format!("the frequency governor is {}", governors.join(", ")),
            Self::Steal { steal_ns, wall_ns } => {
                format!("the hypervisor gave {} of one CPU's time to others", percent(share(*steal_ns, *wall_ns)))
            }
            Self::SwapInUse { swap_used_bytes } => format!("{} are swapped out", approximate_size(*swap_used_bytes)),
            Self::ClockSlow { clock, clock_pair_ns } => {
                format!("the clock is {clock} and not the time-stamp counter (two readings: {clock_pair_ns} ns)")
            }
            Self::ClockOverhead { operation, clock_pair_ns, latency_ns_p50 } => {
                format!("{operation} takes {latency_ns_p50} ns (median) and two clock readings {clock_pair_ns} ns")
            }
            Self::NotSteady { phases } => {
                format!(
                    "the rate was not steady before measuring, changed since, or it is unknown whether it was: {}",
                    first_few(phases)
                )
            }
            Self::InWriteBuffer { cells } => {
                format!("while it was measured, all data was still in the write buffer of {}", first_few(cells))
            }
            Self::FewRounds { rounds: 1 } => "there is only 1 round".to_owned(),
            Self::FewRounds { rounds } => format!("there are only {rounds} rounds"),
            Self::LoadHigh { load_1m, cpus } => format!("the machine is busy: load {load_1m:.2} on {cpus} CPUs"),
        }
    }

    /// Its effect on the figures.
    fn effect(&self) -> &'static str {
        match self {
            Self::DebugBuild { .. } => "its figures are several times too slow, not equally for all stores",
            Self::JvmOptions { .. } => "its stores are measured with them, and _JAVA_OPTIONS overrides a suite's heap",
            Self::Tmpfs { .. } => "the figures say nothing about a disk, and flushing costs nothing",
            Self::DataSmallerThanMemory { .. } => "reads come from the page cache and not from the disk",
            Self::LimitAboveData { .. } => "data that should be read from the disk may all be in memory",
            Self::FrequencyScaling { .. } => "speed follows the load, so short phases look slower than long ones",
            Self::Steal { .. } => "latencies, above all the high percentiles, include a neighbour's work",
            Self::SwapInUse { .. } => "some operations may wait for memory to be read back",
            Self::ClockSlow { .. } => "short operations look slower than they are",
            Self::ClockOverhead { .. } => {
                "the clock is a good part of the figure, and differences between stores shrink"
            }
            Self::NotSteady { .. } => "a longer phase would give other figures",
            Self::InWriteBuffer { .. } => {
                "reads come from memory alone, and no figure includes the cost of flushing and compacting"
            }
            Self::FewRounds { .. } => "differences may be due to chance",
            Self::LoadHigh { .. } => "stores share CPUs and disk with other work, and figures scatter",
        }
    }

    /// The remedy.
    fn advice(&self) -> &'static str {
        match self {
            Self::DebugBuild { .. } => "build it with --release",
            Self::JvmOptions { .. } => "keep them if you want to measure with them; otherwise unset them",
            Self::Tmpfs { .. } => "choose a directory on the disk in question with --dir",
            Self::DataSmallerThanMemory { .. } => {
                "that is right if your own data fits too; otherwise measure more records, or limit memory \
                 (bakeoff run --memory-limit)"
            }
            Self::LimitAboveData { .. } => "measure more records (a larger --scale), or set a lower --memory-limit",
            Self::FrequencyScaling { .. } => "run `cpupower frequency-set -g performance` as root",
            Self::Steal { .. } => "repeat the run at a quieter time or on a dedicated machine",
            Self::SwapInUse { .. } => "close other programs, or run `swapoff -a && swapon -a` as root",
            Self::ClockSlow { .. } => {
                "compare short operations in throughput mode; `bakeoff doctor` shows the clock sources"
            }
            Self::ClockOverhead { .. } => "measure it in throughput mode",
            Self::NotSteady { .. } => "give the phase more operations, or more of them to steady-within",
            Self::InWriteBuffer { .. } => {
                "that is right if your own data stays as small; otherwise measure more records, or give the store a smaller write buffer"
            }
            Self::FewRounds { .. } => "use --rounds 3 or more",
            Self::LoadHigh { .. } => "stop other work and run again",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}; {}", self.what(), self.effect(), self.advice())
    }
}

/// At most five of them, and the number of others.
fn first_few(names: &[String]) -> String {
    const MOST: usize = 5;
    let few = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{few} and {} more", names.len() - MOST) } else { few }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
