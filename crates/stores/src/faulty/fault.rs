//! The faults of the faulty store, and when they strike.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bakeoff_store::{OpenRequest, StoreError};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The delay of each operation once the store is slow.
const SLOW: Duration = Duration::from_millis(100);
/// The duration of background work.
const BACKGROUND: Duration = Duration::from_secs(1);
/// Memory allocated at a time until none is left.
const GULP_BYTES: usize = 1 << 20;
/// Memory beyond current use that the store may allocate before its own limit.
const ROOM_BYTES: u64 = 64 << 20;

/// The faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// No fault.
    None,
    /// Values that are read have a flipped bit.
    WrongValue,
    /// Existing keys are not found; a scan omits its first entry.
    MissingKey,
    /// Missing keys are found; a scan begins with an entry that does not exist.
    PhantomKey,
    /// The process aborts.
    Crash,
    /// The thread panics.
    Panic,
    /// An operation never returns.
    Hang,
    /// Memory is allocated until none is left, within a limit that the store sets itself.
    OutOfMemory,
    /// The device is reported as full.
    DiskFull,
    /// An error.
    Error,
    /// Every operation takes long.
    Slow,
    /// One operation takes long.
    Stall,
    /// One operation leaves work to a background thread.
    Background,
    /// The first record is missing when the store is opened again.
    LostOnReopen,
    /// The first record is missing in a compacted copy.
    LostInCopy,
    /// The process ends with status 0 and without a message.
    Exit,
}

impl Fault {
    /// All faults.
    pub(super) const ALL: [Self; 16] = [
        Self::None,
        Self::WrongValue,
        Self::MissingKey,
        Self::PhantomKey,
        Self::Crash,
        Self::Panic,
        Self::Hang,
        Self::OutOfMemory,
        Self::DiskFull,
        Self::Error,
        Self::Slow,
        Self::Stall,
        Self::Background,
        Self::LostOnReopen,
        Self::LostInCopy,
        Self::Exit,
    ];

    /// The name in settings.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::WrongValue => "wrong-value",
            Self::MissingKey => "missing-key",
            Self::PhantomKey => "phantom-key",
            Self::Crash => "crash",
            Self::Panic => "panic",
            Self::Hang => "hang",
            Self::OutOfMemory => "out-of-memory",
            Self::DiskFull => "disk-full",
            Self::Error => "error",
            Self::Slow => "slow",
            Self::Stall => "stall",
            Self::Background => "background",
            Self::LostOnReopen => "lost-on-reopen",
            Self::LostInCopy => "lost-in-copy",
            Self::Exit => "exit",
        }
    }
}

/// The requested fault, and when it strikes.
pub(super) struct Faults {
    fault: Fault,
    at: u64,
    pause: Duration,
    operations: AtomicU64,
}

impl Faults {
    /// The fault in the resolved settings.
    pub(super) fn new(request: &OpenRequest<'_>) -> Result<Self, StoreError> {
        let name = request.word("fault")?;
        let fault = Fault::ALL.into_iter().find(|fault| fault.name() == name);
        let fault = fault.ok_or_else(|| StoreError::BadRequest(format!("unknown fault `{name}`")))?;
        let pause = Duration::from_nanos(request.integer("pause-ns")?);
        Ok(Self { fault, at: request.integer("at")?, pause, operations: AtomicU64::new(0) })
    }

    /// Counts an operation, and fails it if the fault strikes now. Faults that spoil answers do nothing here.
    pub(super) fn operation(&self) -> Result<(), StoreError> {
        let before = self.operations.fetch_add(1, Ordering::Relaxed);
        if !self.pause.is_zero() {
            spin(self.pause);
        }
        // A stall affects only one operation, and background work is started once.
        let over = matches!(self.fault, Fault::Stall | Fault::Background) && before > self.at;
        if before >= self.at && !over { strike(self.fault) } else { Ok(()) }
    }

    /// Whether this fault spoils the last counted operation.
    pub(super) fn spoils(&self, fault: Fault) -> bool {
        self.fault == fault && self.operations.load(Ordering::Relaxed) > self.at
    }
}

/// Sleeping would take at least about 10 µs.
fn spin(pause: Duration) {
    let start = Instant::now();
    while start.elapsed() < pause {
        std::hint::spin_loop();
    }
}

/// Performs the fault. Faults that spoil answers or content do nothing here.
fn strike(fault: Fault) -> Result<(), StoreError> {
    match fault {
        Fault::Crash => std::process::abort(),
        Fault::Panic => panic!("the store `faulty` was asked to panic"),
        Fault::Exit => std::process::exit(0),
        Fault::Hang => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        Fault::Slow | Fault::Stall => {
            std::thread::sleep(SLOW);
            Ok(())
        }
        Fault::Background => {
            std::thread::spawn(|| spin(BACKGROUND));
            Ok(())
        }
        Fault::OutOfMemory => run_out_of_memory(),
        Fault::DiskFull => Err(StoreError::DiskFull("the store `faulty` was asked to find no space".to_owned())),
        Fault::Error => Err(StoreError::Store("the store `faulty` was asked to fail".to_owned())),
        Fault::None
        | Fault::WrongValue
        | Fault::MissingKey
        | Fault::PhantomKey
        | Fault::LostOnReopen
        | Fault::LostInCopy => Ok(()),
    }
}

/// Allocates memory until none is left. The store's own limit protects the machine.
fn run_out_of_memory() -> Result<(), StoreError> {
    let given = getrlimit(Resource::As);
    let room = address_space_bytes()?.saturating_add(ROOM_BYTES);
    let current = Some(given.current.map_or(room, |limit| limit.min(room)));
    let limited = Rlimit { current, maximum: given.maximum };
    setrlimit(Resource::As, limited).map_err(|errno| StoreError::from(std::io::Error::from(errno)))?;
    let taken_bytes = hoard();
    setrlimit(Resource::As, given).map_err(|errno| StoreError::from(std::io::Error::from(errno)))?;
    let message = format!("the store `faulty` was asked to run out of memory and did after {taken_bytes} bytes");
    Err(StoreError::OutOfMemory(message))
}

/// Allocates and touches memory until that fails, frees it, and returns the amount.
fn hoard() -> usize {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    loop {
        let mut gulp = Vec::new();
        if gulp.try_reserve_exact(GULP_BYTES).is_err() || hoard.try_reserve(1).is_err() {
            return hoard.len() * GULP_BYTES;
        }
        gulp.resize(GULP_BYTES, 1);
        hoard.push(std::hint::black_box(gulp));
    }
}

/// Address space in use, in bytes.
fn address_space_bytes() -> Result<u64, StoreError> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages: Option<u64> = text.split_ascii_whitespace().next().and_then(|word| word.parse().ok());
    let pages = pages.ok_or_else(|| StoreError::Store(format!("/proc/self/statm begins with no number: {text:?}")))?;
    Ok(pages.saturating_mul(rustix::param::page_size() as u64))
}
