//! What all cuts of a recording share, and how a driver is asked.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_powercut::{Mount, bind};
use bakeoff_protocol::{Crash, Request};
use bakeoff_tape::Pool;

use crate::cell::job::{CellJob, CutJob};
use crate::cell::log::Log;
use crate::drivers::process::{Answer, DriverStart, ask};
use crate::place::made_media::NewFileSystem;
use crate::power_cut::history::History;
use crate::power_cut::judge::Promises;
use crate::power_cut::more::More;
use crate::power_cut::stand::Stand;
use crate::surroundings::interrupt::Interrupt;

/// What all cuts of a recording share.
pub(super) struct Bench<'a> {
    pub(super) driver: &'a Path,
    pub(super) memory_bytes_max: Option<u64>,
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: &'a Interrupt,
    pub(super) file_system: &'a NewFileSystem,
    pub(super) history: History,
    pub(super) promises: Promises,
    /// What the driver is asked first, without a directory.
    pub(super) request: Request,
    pub(super) more: More,
    _boots: Mount,
}

impl<'a> Bench<'a> {
    /// What the cuts of a round share. A tape is written into `directory`.
    pub(super) fn new(
        job: &'a CellJob<'_>,
        cut: &CutJob<'a>,
        round: u32,
        directory: &Path,
        interrupt: &'a Interrupt,
    ) -> Result<Self> {
        let pool = Pool::open(&job.recording.pool)?;
        let request = job.request(round, PathBuf::new());
        let history = History::read(&request.phases, &pool, request.hints.threads)?;
        let batched = request.phases.iter().any(|phase| phase.batched);
        let mean = job.recording.hints.value_bytes_mean.clamp(1, pool.bytes()) as u32;
        let more = More::write(&history, &directory.join("more"), &pool, mean, batched)?;
        let promises = Promises {
            ordered: job.store.capabilities.scan_ordered,
            atomic: job.store.batch_is_atomic(job.cell.axes.durability),
        };
        Ok(Self {
            driver: &job.driver.path,
            memory_bytes_max: job.memory_bytes_max,
            deadline: job.deadline,
            interrupt,
            file_system: cut.file_system,
            history,
            promises,
            request: Request { verify: None, crash: None, warm_up: None, compacted_copy: None, ..request },
            more,
            _boots: another_boot_each_time()?,
        })
    }
}

/// Gives each process another id of this boot, as long as the mount is there. A power cut ends a boot, and stores rely on that: libmdbx uses
/// pages that were never flushed while the id is that of the boot that wrote them.
fn another_boot_each_time() -> Result<Mount> {
    let mut mounted = bind(Path::new("/proc/sys/kernel/random/uuid")).context("cannot mount a file a second time")?;
    let boot_id = Path::new("/proc/sys/kernel/random/boot_id");
    mounted.attach(boot_id).with_context(|| format!("cannot mount another file at {}", boot_id.display()))?;
    Ok(mounted)
}

impl Bench<'_> {
    /// Whether the user wants to stop, or the time of the run is over.
    pub(super) fn must_stop(&self) -> bool {
        self.interrupt.requested() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Runs a driver with a request until it ends or its time is over.
    pub(super) fn ask(&self, stand: &Stand, request: &Request, log: &Log, time_max: Duration) -> Result<Answer> {
        let start = DriverStart {
            temporary: Some(stand.memory()),
            memory_bytes_max: self.memory_bytes_max,
            ..DriverStart::new(self.driver, "run", log)
        };
        let input = serde_json::to_vec(request).context("cannot write the request as JSON")?;
        ask(&start, input, time_max, None, &|| !self.must_stop())
    }

    /// What the driver is asked after a cut, with its disk on a stand.
    pub(super) fn request_to_recover(&self, stand: &Stand) -> Request {
        Request {
            directory: stand.store(),
            crash: Some(Crash::Recover),
            inventory: Some(stand.inventory()),
            phases: vec![self.more.phase.clone()],
            ..self.request.clone()
        }
    }
}
