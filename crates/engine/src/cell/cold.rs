//! Cold caches: while a store is closed before a phase, its files are dropped from the page cache.
//!
//! The caller does it, so that drivers in any language have it alike, and none has to be believed. A driver reads a pipe with a name
//! to its end between closing and opening; opening it waits for the other end, which is opened here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use bakeoff_limits::spawn;
use bakeoff_measure::drop_page_cache;
use bakeoff_protocol::{DroppedCache, FailureKind, PhaseRequest, Request};
use bakeoff_tape::PhaseSpec;
use bakeoff_text::format_size;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};

use crate::cell::claims::Refusal;
use crate::place::names::TEMPORARY;

/// The result of each gate that a driver reached, by its phase.
type Passed = BTreeMap<String, Result<DroppedCache, String>>;

/// The gates of a round, and who opens them.
pub(crate) struct Gates {
    passed: Arc<Mutex<Passed>>,
    is_over: Arc<AtomicBool>,
    gates: Vec<PathBuf>,
    keeper: Option<JoinHandle<()>>,
}

impl Gates {
    /// Puts a gate before each phase of a request that is to begin cold, as `specs` says.
    ///
    /// # Errors
    /// A gate cannot be made, or no thread started.
    pub(crate) fn put<'a>(specs: impl IntoIterator<Item = &'a PhaseSpec>, request: &mut Request) -> Result<Self> {
        let mut gates = Vec::new();
        for (spec, phase) in specs.into_iter().zip(&mut request.phases).filter(|(spec, _)| spec.cold) {
            let gate = request.directory.with_file_name(TEMPORARY).join(format!("gate-{}", spec.name));
            mknodat(CWD, &gate, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
                .with_context(|| format!("cannot make the pipe {}", gate.display()))?;
            gates.push((spec.name.clone(), gate.clone()));
            phase.gate = Some(gate);
        }
        Self::keep(&request.directory, gates)
    }

    /// Keeps gates, each of a phase, while the store is in a directory.
    fn keep(directory: &Path, gates: Vec<(String, PathBuf)>) -> Result<Self> {
        let (passed, is_over) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let paths = gates.iter().map(|(_, gate)| gate.clone()).collect();
        let (directory, to, end) = (directory.to_owned(), Arc::clone(&passed), Arc::clone(&is_over));
        let keeper = (!gates.is_empty()).then(|| spawn(move || keep(&directory, gates, &to, &end))).transpose()?;
        Ok(Self { passed, is_over, gates: paths, keeper })
    }

    /// The result of dropping the cache before a phase that a driver reports as measured; `None` where it has no gate.
    ///
    /// # Errors
    /// The driver did not reach the gate, or the store's files stayed in memory: the cell fails.
    pub(crate) fn passed(&self, phase: &PhaseRequest) -> Result<Option<DroppedCache>, Refusal> {
        let Some(gate) = &phase.gate else { return Ok(None) };
        let name = &phase.name;
        match self.passed.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
            Some(Ok(dropped)) if dropped.is_cold() => Ok(Some(*dropped)),
            Some(Ok(dropped)) => {
                let what = format!(
                    "{} of {} of the closed store's files stayed in the page cache before the phase `{name}`: the store may still have them \
                     mapped, or the file system keeps them: leave `cache` out, or use another medium",
                    format_size(dropped.resident_after_bytes),
                    format_size(dropped.resident_before_bytes)
                );
                Err((FailureKind::Medium, what))
            }
            Some(Err(why)) => {
                let what =
                    format!("the store's files cannot be dropped from the page cache before the phase `{name}`: {why}");
                Err((FailureKind::Medium, what))
            }
            None => {
                let what = format!(
                    "the driver did not read the `gate` {} to its end between closing and opening the store before the phase `{name}`",
                    gate.display()
                );
                Err((FailureKind::BadOutput, what))
            }
        }
    }
}

impl Drop for Gates {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The keeper may wait at a gate for a driver that is no more, or be on its way to it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let _held: Vec<_> = self.gates.iter().map(|gate| open(gate, flags, Mode::empty())).collect();
        drop(self.keeper.take().map(JoinHandle::join));
    }
}

/// Waits at each gate for the driver, drops the cache, and lets it pass.
fn keep(directory: &Path, gates: Vec<(String, PathBuf)>, passed: &Mutex<Passed>, is_over: &AtomicBool) {
    for (phase, gate) in gates {
        let Ok(_opened) = open(&gate, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) else { return };
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let dropped = drop_page_cache(directory).map_err(|why| why.to_string());
        passed.lock().unwrap_or_else(PoisonError::into_inner).insert(phase, dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store of one file below a directory, gates, and phases that have them.
    fn gates(store: &Path, at: &Path) -> (Gates, [PhaseRequest; 2]) {
        std::fs::write(store.join("data"), vec![1; 1 << 20]).unwrap();
        let phase = |name: &str| {
            let gate = at.join(name);
            mknodat(CWD, &gate, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            PhaseRequest {
                gate: Some(gate),
                ..PhaseRequest::new(name, PathBuf::new(), bakeoff_protocol::Mode::Latency)
            }
        };
        let phases = ["one", "two"].map(phase);
        let named = phases.iter().map(|phase| (phase.name.clone(), phase.gate.clone().unwrap())).collect();
        (Gates::keep(store, named).unwrap(), phases)
    }

    #[test]
    fn who_reads_a_gate_to_its_end_finds_the_cache_dropped() {
        let on_disk = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let (store, at) = (on_disk.path().join("store"), on_disk.path());
        std::fs::create_dir(&store).unwrap();
        let (gates, phases) = gates(&store, at);
        assert!(matches!(gates.passed(&phases[0]), Err((FailureKind::BadOutput, _))), "nobody came");
        assert_eq!(std::fs::read(phases[0].gate.as_ref().unwrap()).unwrap(), b"");
        let dropped = gates.passed(&phases[0]).unwrap().unwrap();
        assert!(dropped.resident_before_bytes >= 1 << 20 && dropped.is_cold(), "{dropped:?}");
        assert!(matches!(gates.passed(&phases[1]), Err((FailureKind::BadOutput, _))), "nobody came");
        // It ends although no driver reaches the second gate.
        drop(gates);
    }

    #[test]
    fn files_that_stay_in_memory_fail_the_cell() {
        let Ok(in_memory) = tempfile::tempdir_in("/dev/shm") else { return };
        let (gates, phases) = gates(in_memory.path(), in_memory.path());
        std::fs::read(phases[0].gate.as_ref().unwrap()).unwrap();
        let (kind, what) = gates.passed(&phases[0]).unwrap_err();
        assert!(
            kind == FailureKind::Medium && what.contains("1MiB of 1MiB of the closed store's files stayed"),
            "{what}"
        );
    }
}
