//! The clock of timed regions.
//!
//! A reading is ordered on both sides: earlier work has finished, and later work has not begun.
//!
//! The table shows two readings around nothing, and two around a load that misses every cache, on an EPYC (Zen 4) virtual machine:
//!
//! | reading | pair | the load |
//! |---|---|---|
//! | `rdtsc` | 19 ns | 10 ns: it finished after the second reading |
//! | `lfence; rdtsc` | 37 ns | 150 ns: it may begin before the first reading is done |
//! | `rdtscp` | 37 ns | 150 ns: the same |
//! | `lfence; rdtsc; lfence` | 46 ns | 170 ns |
//! | `rdtscp; lfence` | 46 ns | 170 ns |
//! | `clock_gettime` | 47 ns | as `lfence; rdtsc`, which it contains |
//!
//! So a bare `rdtsc` (the raw reading of the quanta crate) is unsuitable for operations of 30 ns. The choice is `lfence; rdtsc; lfence`. It
//! needs no feature bit, and is never intercepted where `rdtsc` is not. The counter advances in steps of 10 ns on that machine, as on other
//! recent AMD processors. Single latencies are multiples of that step.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::sys;

/// How long the counter is compared with `CLOCK_MONOTONIC`. Both ends are exact to about 50 ns: 5 parts per million.
const CALIBRATION: Duration = Duration::from_millis(10);

/// Readings tried for each end of the calibration. The narrowest one is kept, so an interrupt does not matter.
const ANCHOR_TRIES: u32 = 32;

/// Plausible counter frequencies, in ticks per second.
const PLAUSIBLE_HZ: std::ops::RangeInclusive<f64> = 1e8..=1e11;

/// Nanoseconds per tick are stored as a fraction of 2^32.
const FRACTION_BITS: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    #[cfg(target_arch = "x86_64")]
    Tsc,
    Monotonic,
}

/// The fastest reliable clock: the time-stamp counter if it is invariant and the kernel trusts it, else `CLOCK_MONOTONIC`.
#[derive(Clone, Debug)]
pub struct Clock {
    source: Source,
    /// Nanoseconds per tick, times 2^32.
    tick_ns_scaled: u64,
    pair_ns: u64,
}

impl Clock {
    /// Chooses and calibrates a clock. Takes about 10 ms: call it once, outside timed regions.
    pub fn new() -> Self {
        let monotonic = Self::with(Source::Monotonic, 1 << FRACTION_BITS);
        #[cfg(target_arch = "x86_64")]
        if let Some(scale) = tsc_is_trustworthy().then(calibrate_tsc).flatten() {
            let tsc = Self::with(Source::Tsc, scale);
            // A counter that a hypervisor intercepts takes microseconds per reading. Then the kernel's clock is better.
            if tsc.pair_ns <= 2 * monotonic.pair_ns {
                return tsc;
            }
        }
        monotonic
    }

    fn with(source: Source, tick_ns_scaled: u64) -> Self {
        let clock = Self { source, tick_ns_scaled, pair_ns: 0 };
        Self { pair_ns: clock.measure_pair_ns(), ..clock }
    }

    /// A reading in ticks of this clock. Only differences have a meaning.
    ///
    /// The match is on a constant value, so its branch is predicted well.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc => tsc_ordered(),
            Source::Monotonic => monotonic_ns(),
        }
    }

    /// Nanoseconds between two readings, rounded; 0 if `to` is before `from`.
    #[inline(always)]
    pub fn ns(&self, from: u64, to: u64) -> u64 {
        let half = 1u128 << (FRACTION_BITS - 1);
        let scaled = u128::from(to.saturating_sub(from)) * u128::from(self.tick_ns_scaled) + half;
        u64::try_from(scaled >> FRACTION_BITS).unwrap_or(u64::MAX)
    }

    /// Ticks in a number of nanoseconds, to compare readings without [`Clock::ns`].
    pub fn ticks(&self, ns: u64) -> u64 {
        u64::try_from((u128::from(ns) << FRACTION_BITS) / u128::from(self.tick_ns_scaled.max(1))).unwrap_or(u64::MAX)
    }

    /// `tsc` or `monotonic`.
    pub fn name(&self) -> &'static str {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Tsc => "tsc",
            Source::Monotonic => "monotonic",
        }
    }

    /// The time of two successive readings in nanoseconds: the median over blocks of readings, measured by [`Clock::new`].
    pub fn pair_ns(&self) -> u64 {
        self.pair_ns
    }

    /// Measured in blocks, because a counter with steps of 10 ns cannot resolve a single pair.
    fn measure_pair_ns(&self) -> u64 {
        const BLOCKS: usize = 31;
        const PAIRS: u64 = 64;
        let mut costs = [0u64; BLOCKS];
        for cost in &mut costs {
            let start = self.now();
            for _ in 0..PAIRS {
                black_box(self.now());
                black_box(self.now());
            }
            *cost = (self.ns(start, self.now()) + PAIRS / 2) / PAIRS;
        }
        costs.sort_unstable();
        costs[BLOCKS / 2]
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

/// `CLOCK_MONOTONIC` in nanoseconds.
#[inline]
fn monotonic_ns() -> u64 {
    kernel_ns(ClockId::Monotonic)
}

/// A clock of the kernel in nanoseconds. It must count from boot or from the start of a thread, so that it is never negative and lasts for
/// centuries.
#[inline]
pub(crate) fn kernel_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// The first fence waits for earlier work. The second prevents later work from starting early.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn tsc_ordered() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: `lfence` is part of SSE2, which every x86-64 processor has; `rdtsc` only reads a counter.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Whether the counter has a constant rate and is the same on all CPUs.
///
/// The processor reports the rate (leaf 8000_0007, EDX bit 8). The kernel checks that all CPUs agree, and removes an unreliable counter
/// from its list of clock sources.
#[cfg(target_arch = "x86_64")]
fn tsc_is_trustworthy() -> bool {
    use std::arch::x86_64::__cpuid;
    let invariant = __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
    let listed = sys::clock_sources_available().is_none_or(|sources| sources.iter().any(|source| source == "tsc"));
    invariant && listed
}

/// Nanoseconds per tick, times 2^32; `None` if the rate is implausible.
#[cfg(target_arch = "x86_64")]
fn calibrate_tsc() -> Option<u64> {
    let (start_ticks, start_ns) = anchor();
    thread::sleep(CALIBRATION);
    let (end_ticks, end_ns) = anchor();
    let ticks = end_ticks.checked_sub(start_ticks)? as f64;
    let elapsed_ns = end_ns.checked_sub(start_ns)? as f64;
    if !PLAUSIBLE_HZ.contains(&(ticks * 1e9 / elapsed_ns)) {
        return None;
    }
    Some((elapsed_ns / ticks * f64::from(FRACTION_BITS).exp2()).round() as u64)
}

/// The counter and `CLOCK_MONOTONIC` at the same moment.
#[cfg(target_arch = "x86_64")]
fn anchor() -> (u64, u64) {
    let mut width = u64::MAX;
    let mut anchor = (0, 0);
    for _ in 0..ANCHOR_TRIES {
        let before = tsc_ordered();
        let monotonic = monotonic_ns();
        let after = tsc_ordered();
        let this_width = after.saturating_sub(before);
        if this_width < width {
            width = this_width;
            anchor = (before + this_width / 2, monotonic);
        }
    }
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monotonic() -> Clock {
        Clock::with(Source::Monotonic, 1 << FRACTION_BITS)
    }

    fn agrees_with_monotonic(clock: &Clock) {
        let (start, start_ns) = (clock.now(), monotonic_ns());
        thread::sleep(Duration::from_millis(50));
        let (end, end_ns) = (clock.now(), monotonic_ns());
        let (ours, kernels) = (clock.ns(start, end) as f64, (end_ns - start_ns) as f64);
        // The four readings are not simultaneous: on a busy machine the thread may be preempted between them.
        assert!((ours / kernels - 1.0).abs() < 0.01, "{ours} ns against {kernels} ns of CLOCK_MONOTONIC");
    }

    #[test]
    fn agrees_with_clock_monotonic_within_one_percent() {
        agrees_with_monotonic(&Clock::new());
        agrees_with_monotonic(&monotonic());
    }

    #[test]
    fn never_runs_backwards() {
        for clock in [Clock::new(), monotonic()] {
            let mut last = clock.now();
            for _ in 0..200_000 {
                let now = clock.now();
                assert!(now >= last, "{}: {now} after {last}", clock.name());
                last = now;
            }
        }
    }

    #[test]
    fn pair_cost_is_what_a_loop_of_pairs_takes() {
        for clock in [Clock::new(), monotonic()] {
            let start = monotonic_ns();
            for _ in 0..100_000 {
                black_box(clock.now());
                black_box(clock.now());
            }
            let pair_ns = (monotonic_ns() - start) / 100_000;
            assert!(clock.pair_ns() > 0);
            // Other work on the machine can only slow the loop down, possibly by much.
            assert!(clock.pair_ns() <= 2 * pair_ns, "{} ns against {pair_ns} ns", clock.pair_ns());
        }
    }

    /// Dependent divisions: over a hundred nanoseconds that out-of-order execution cannot shorten.
    #[inline(always)]
    fn chain(seed: u64) -> u64 {
        const HIGH: u64 = 1 << 63;
        (0..40).fold(black_box(seed) | HIGH, |dividend, _| (dividend / black_box(3)) | HIGH)
    }

    /// The time of a chain alone: the fastest of many rows, since other work on the machine only slows them down.
    fn chain_ns(clock: &Clock) -> u64 {
        const CHAINS: u64 = 100;
        let rows = (0..200).map(|_| {
            let start = clock.now();
            black_box((0..CHAINS).fold(1, |seed, _| chain(seed)));
            clock.ns(start, clock.now()) / CHAINS
        });
        rows.min().unwrap()
    }

    #[test]
    fn work_between_two_readings_has_finished_at_the_second() {
        for clock in [Clock::new(), monotonic()] {
            let mut latencies: Vec<u64> = (0..20_000)
                .map(|seed| {
                    let start = clock.now();
                    black_box(chain(seed));
                    clock.ns(start, clock.now())
                })
                .collect();
            latencies.sort_unstable();
            let (median_ns, alone_ns) = (latencies[latencies.len() / 2], chain_ns(&clock));
            // Without the fences this is 100 ns of 174 ns.
            assert!(median_ns * 10 >= alone_ns * 8, "{}: {median_ns} ns of {alone_ns} ns", clock.name());
        }
    }

    #[test]
    fn ns_rounds_to_the_nearest_and_saturates() {
        let clock = Clock { source: Source::Monotonic, tick_ns_scaled: 3 << (FRACTION_BITS - 1), pair_ns: 0 };
        assert_eq!(clock.ns(10, 12), 3);
        assert_eq!(clock.ns(10, 13), 5, "4.5 rounds up");
        assert_eq!(clock.ns(13, 10), 0);
        assert_eq!(clock.ns(0, u64::MAX), u64::MAX);
    }
}
