//! What can go wrong, and when.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bakeoff_store::{OpenRequest, StoreError};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How much longer each operation takes once the store is slow.
const SLOW: Duration = Duration::from_millis(100);
/// How long work in the background takes.
const BACKGROUND: Duration = Duration::from_secs(1);
/// Memory that is taken at a time until there is no more.
const GULP_BYTES: usize = 1 << 20;
/// Memory beyond what is in use that the store leaves itself to run out of.
const ROOM_BYTES: u64 = 64 << 20;

/// The ways to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Not at all.
    None,
    /// Values that are read have a bit turned over.
    WrongValue,
    /// Keys that are there are not found; a scan leaves out its first entry.
    MissingKey,
    /// Keys that are not there are found; a scan begins with an entry that is not there.
    PhantomKey,
    /// The process aborts.
    Crash,
    /// The thread panics.
    Panic,
    /// An operation never returns.
    Hang,
    /// Memory is taken until there is no more, within a limit the store sets itself.
    OutOfMemory,
    /// The device is said to be full.
    DiskFull,
    /// An error.
    Error,
    /// Every operation takes long.
    Slow,
    /// One operation takes long.
    Stall,
    /// One operation leaves work to a thread of its own.
    Background,
    /// The first record is not there when the store is opened again.
    LostOnReopen,
    /// The first record is not in a compacted copy.
    LostInCopy,
    /// The process ends, with status 0 and without a word.
    Exit,
}

impl Fault {
    /// All of them.
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

    /// The word for it in settings.
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

/// The fault that was asked for, and how far off it is.
pub(super) struct Faults {
    fault: Fault,
    at: u64,
    pause: Duration,
    operations: AtomicU64,
}

impl Faults {
    /// The fault that resolved settings ask for.
    pub(super) fn new(request: &OpenRequest<'_>) -> Result<Self, StoreError> {
        let name = request.word("fault")?;
        let fault = Fault::ALL.into_iter().find(|fault| fault.name() == name);
        let fault = fault.ok_or_else(|| StoreError::BadRequest(format!("unknown fault `{name}`")))?;
        let pause = Duration::from_nanos(request.integer("pause-ns")?);
        Ok(Self { fault, at: request.integer("at")?, pause, operations: AtomicU64::new(0) })
    }

    /// Counts an operation and lets it go wrong, if its time has come and its fault is one that spoils no answer.
    pub(super) fn operation(&self) -> Result<(), StoreError> {
        let before = self.operations.fetch_add(1, Ordering::Relaxed);
        if !self.pause.is_zero() {
            spin(self.pause);
        }
        // A stall is over for those that follow, and background work is left once.
        let over = matches!(self.fault, Fault::Stall | Fault::Background) && before > self.at;
        if before >= self.at && !over { strike(self.fault) } else { Ok(()) }
    }

    /// Whether the operation that was counted last is to be spoilt by this fault.
    pub(super) fn spoils(&self, fault: Fault) -> bool {
        self.fault == fault && self.operations.load(Ordering::Relaxed) > self.at
    }
}

/// Sleeping would take at least some ten microseconds.
fn spin(pause: Duration) {
    let start = Instant::now();
    while start.elapsed() < pause {
        std::hint::spin_loop();
    }
}

/// Does what the fault asks for. Those that spoil answers or what is left behind do nothing here.
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

/// Takes memory until there is no more. A limit of its own keeps the machine out of it.
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

/// Takes and touches memory until that fails, gives it back, and says how much it was.
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
