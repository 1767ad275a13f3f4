//! A driver process: the request in, events out, and an end in every case.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_limits::file_size_limit;
use bakeoff_measure::{out_of_memory_kills, room_bytes_if_full, room_files_if_full};
use bakeoff_protocol::{Crash, Event, FailureKind, Request};
use bakeoff_text::{counted, format_duration, shorten_error};

use crate::cell::claims::Refusal;
use crate::cell::claims::figures::refuse_figures;
use crate::cell::log::{Log, cause_of_death, jvm_start_failure, lacks_a_jar};
use crate::cell::output::{Next, Output};
use crate::drivers::process::{DriverProcess, DriverStart, Exit};
use crate::explain::explained;
use crate::place::cgroup::MemoryGroup;
use crate::place::names::TEMPORARY;
use crate::quote::beginning;
use crate::strays::Strays;
use crate::surroundings::interrupt::Interrupt;

/// How often the user's wish to stop is checked.
const POLL: Duration = Duration::from_millis(50);

/// How long a driver may take to exit after its last event, or after a line that is none.
const EXIT_TIME_MAX: Duration = Duration::from_secs(10);

/// How long it may take to exit after its output has ended, which comes a moment before the exit
/// itself.
const CLOSED_TIME_MAX: Duration = Duration::from_secs(1);

/// The part of the log that is searched for a driver's last message.
const LAST_WORDS_BYTES: u64 = 4 << 10;

/// Where the report of a JVM that died is: it takes some 100 KB.
const REPORT_BYTES: u64 = 256 << 10;

/// A longer time between two looks at a driver than it should be: this process itself was held up,
/// or the whole machine was.
const HELD_UP: Duration = Duration::from_secs(1);

/// What a driver has printed.
pub(crate) struct Printed {
    pub(crate) event: Event,
    /// When it was read.
    pub(crate) at: Instant,
    /// Whether this process was held up since the event before, so that `at` may be late.
    pub(crate) is_late: bool,
}

/// What hears of a driver while it runs.
pub(crate) trait Listener {
    /// The process has this number, and has not been asked for anything yet. Gives the number of
    /// another process that was started because of it.
    fn started(&mut self, process: u32) -> Option<u32>;

    /// An event, the last one included.
    ///
    /// # Errors
    /// It is not believed: the driver is killed, and the cell fails.
    fn heard(&mut self, printed: &Printed) -> Result<(), Refusal>;

    /// The process has ended, and this was the most that was resident in it, as the kernel counted.
    fn ended(&mut self, rss_peak_bytes: u64);
}

/// How a driver process ended.
pub(crate) enum Ending {
    /// With an event that says so.
    Event(Event),
    /// On request, after all phases.
    Died,
    /// Some other way, as seen from here.
    Failed { kind: FailureKind, message: String },
    /// The user stopped it, or the budget was over long before it was done.
    Interrupted,
}

impl Ending {
    /// The disturbance that should run during the cell has ended.
    pub(crate) fn disturbance(why: &anyhow::Error) -> Self {
        Self::Failed { kind: FailureKind::Disturbance, message: explained(why) }
    }

    /// The cell cannot be started.
    pub(crate) fn set_up(why: &anyhow::Error) -> Self {
        Self::Failed { kind: FailureKind::SetUp, message: explained(why) }
    }

    /// The same where the store's file system has no room left. Few stores pass on the system's error: one reports
    /// "Input/output error", one dies of a page that a mapped file had no room for, one waits for ever. A wrong answer
    /// stays a wrong answer.
    fn for_want_of_room(self, left: &Left) -> Self {
        let full = |message: String| (FailureKind::DiskFull, format!("{left}: {message}"));
        match self {
            Self::Event(Event::Failed {
                kind: FailureKind::StoreError | FailureKind::Panic | FailureKind::DiskFull,
                phase,
                message,
            }) => {
                let (kind, message) = full(message);
                Self::Event(Event::Failed { kind, phase, message })
            }
            Self::Failed { kind: FailureKind::Crash | FailureKind::Timeout, message } => {
                let (kind, message) = full(message);
                Self::Failed { kind, message }
            }
            other => other,
        }
    }

    /// The same, with what the driver has left behind, if anything.
    fn with_left_behind(self, left_behind: bool) -> Self {
        match self {
            Self::Failed { kind, message } if left_behind => {
                Self::Failed { kind, message: format!("{message}; processes that it had left behind were killed") }
            }
            other => other,
        }
    }

    /// The same, with the limit that the shell sets on the length of files, where a store failed: few stores name it.
    fn under_limits(self) -> Self {
        let Some(limit) = file_size_limit() else { return self };
        match self {
            Self::Event(Event::Failed { kind: kind @ FailureKind::StoreError, phase, message }) => {
                Self::Event(Event::Failed { kind, phase, message: format!("{message}; {limit}") })
            }
            Self::Failed { kind: kind @ FailureKind::Crash, message } => {
                Self::Failed { kind, message: format!("{message}; {limit}") }
            }
            other => other,
        }
    }
}

/// The room left on a full file system.
pub(crate) enum Left {
    Bytes(u64),
    Files(u64),
}

impl Left {
    /// `None` where there is room for two pieces of `piece_bytes` bytes, and for some files.
    pub(crate) fn if_full(directory: &Path, piece_bytes: u64) -> Option<Self> {
        let files = || room_files_if_full(directory).map(Self::Files);
        room_bytes_if_full(directory, piece_bytes).map(Self::Bytes).or_else(files)
    }
}

impl fmt::Display for Left {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => {
                let left = counted(*bytes, "byte");
                write!(formatter, "no space is left, the store's file system has {left} free")
            }
            Self::Files(files) => {
                let left = counted(*files, "file");
                write!(formatter, "no further files can be made, the store's file system has room for {left}")
            }
        }
    }
}

/// What a driver is run with.
pub(crate) struct Job<'a> {
    pub(crate) driver: &'a Path,
    pub(crate) request: &'a Request,
    pub(crate) log: &'a Path,
    pub(crate) timeout: Duration,
    /// What the limit comes from, for people.
    pub(crate) timeout_from: &'a str,
    /// When it is abandoned, if the run has a budget.
    pub(crate) deadline: Option<Instant>,
    /// Most private memory the driver may take.
    pub(crate) memory_bytes_max: Option<u64>,
    /// The control group that limits its memory, if the cell has a limit.
    pub(crate) group: Option<&'a MemoryGroup>,
    pub(crate) interrupt: &'a Interrupt,
}

/// Runs a driver to its end. If it cannot be started, the cell fails, as with any other end.
pub(crate) fn run(job: &Job<'_>, listener: &mut dyn Listener) -> Ending {
    start_and_follow(job, listener).unwrap_or_else(|why| Ending::set_up(&why))
}

fn start_and_follow(job: &Job<'_>, listener: &mut dyn Listener) -> Result<Ending> {
    let kills_before = out_of_memory_kills();
    // The second process of a recovery goes on in the log of the first.
    let mut log = Log::open(job.log, job.request.crash == Some(Crash::Recover))?;
    let mut strays = Strays::watch();
    let temporary = job.request.directory.with_file_name(TEMPORARY);
    let mut driver = DriverProcess::start(&DriverStart {
        // On the medium that is measured, and gone with the cell.
        temporary: Some(&temporary),
        memory_bytes_max: job.memory_bytes_max,
        group: job.group,
        ..DriverStart::new(job.driver, "run", &log)
    })?;
    strays.know(driver.id());
    listener.started(driver.id()).into_iter().for_each(|process| strays.know(process));
    let begin = Instant::now();
    driver.give(serde_json::to_vec(job.request).context("cannot write the request as JSON")?)?;
    let mut output = Output::of(driver.stdout())?;
    let (mut dying, mut left_behind) = (false, false);
    let has_ended = &mut || {
        // This process is then the parent of its children. A child that has its output open would keep bakeoff waiting.
        let has_ended = driver.has_exited();
        left_behind |= has_ended && strays.kill();
        has_ended
    };
    let ending = follow(job, begin, &output, &log, has_ended, &mut |printed| {
        dying |= printed.event == Event::Dying;
        listener.heard(printed)
    });
    // Before the process ends: its open but removed files are freed then.
    let left = Left::if_full(&job.request.directory, job.request.hints.value_bytes_max);
    let patience = match ending {
        // What a JVM prints when it dies is no event: its report and its death follow.
        Some(Followed::Last(_) | Followed::Rubbish(_)) => EXIT_TIME_MAX,
        Some(Followed::Stopped(_)) => Duration::ZERO,
        None => CLOSED_TIME_MAX,
    };
    let (by_itself, exit) = end(driver, patience, &mut output, &log);
    let status = exit.as_ref().map(|exit| exit.status);
    exit.iter().for_each(|exit| listener.ended(exit.rss_peak_bytes));
    strays.kill();
    let afterwards = output.end();
    let overflow = log.overflow();
    log.cut();
    let ending = match ending {
        _ if overflow.is_some() => bad_output(overflow.unwrap_or_default()),
        Some(Followed::Last(Event::Finished(_))) if afterwards.is_some() => {
            let what = afterwards.unwrap_or_default();
            bad_output(format!("the driver went on printing after `finished`, its last event: {what}"))
        }
        Some(Followed::Last(Event::Finished(_))) if !status.is_some_and(|status| status.success()) => {
            late_end(by_itself, status)
        }
        Some(Followed::Last(event)) => Ending::Event(event),
        // Its output was its own last message, or a library's, before it died.
        Some(Followed::Rubbish(_)) if by_itself && died(status) => silent_end(job, &log, status, kills_before),
        Some(Followed::Rubbish(what)) => no_event(&what),
        Some(Followed::Stopped(ending)) => ending,
        None if dying && job.request.crash == Some(Crash::Die) && was_killed(status) => Ending::Died,
        None if !by_itself => Ending::Failed {
            kind: FailureKind::Crash,
            message: "the driver closed its output without saying how the cell ended, and went on running".to_owned(),
        },
        None => silent_end(job, &log, status, kills_before).with_left_behind(left_behind),
    };
    let ending = match left {
        Some(left) => ending.for_want_of_room(&left),
        None => ending,
    };
    Ok(ending.under_limits())
}

/// How following a driver's output ended.
enum Followed {
    /// With its last event.
    Last(Event),
    /// Text that is no event, as an error.
    Rubbish(String),
    /// The driver is not to go on.
    Stopped(Ending),
}

/// Handles events until the last one, the time limit, unreadable output or the user's wish. `None` when output just
/// ends, or when nothing more comes from a driver for which `has_ended` is true.
fn follow(
    job: &Job<'_>,
    begin: Instant,
    output: &Output,
    log: &Log,
    has_ended: &mut dyn FnMut() -> bool,
    on_event: &mut dyn FnMut(&Printed) -> Result<(), Refusal>,
) -> Option<Followed> {
    let (mut looked, mut is_late) = (Instant::now(), false);
    let mut ended: Option<Instant> = None;
    loop {
        if job.interrupt.requested() || job.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Followed::Stopped(Ending::Interrupted));
        }
        if begin.elapsed() >= job.timeout {
            let message = format!(
                "not done after {}, the time limit of a cell ({})",
                format_duration(job.timeout),
                job.timeout_from
            );
            return Some(Followed::Stopped(Ending::Failed { kind: FailureKind::Timeout, message }));
        }
        if let Some(what) = log.overflow() {
            return Some(Followed::Stopped(bad_output(what)));
        }
        if ended.is_none() && has_ended() {
            ended = Some(Instant::now());
        }
        let next = output.next(POLL);
        is_late |= looked.elapsed() > HELD_UP;
        looked = Instant::now();
        let line = match next {
            Next::Line(line) => line,
            Next::Unreadable(what) => return Some(Followed::Rubbish(what)),
            // Its output was read long ago, and another process has its output open.
            Next::Nothing if ended.is_some_and(|ended| ended.elapsed() > CLOSED_TIME_MAX) => return None,
            Next::Nothing => continue,
            Next::End => return None,
        };
        let event: Event = match serde_json::from_str(&line.text) {
            Ok(event) => event,
            Err(why) => {
                return Some(Followed::Rubbish(format!("{} ({})", beginning(&line.text), shorten_error(&why))));
            }
        };
        let printed = Printed { event, at: line.at, is_late: std::mem::take(&mut is_late) };
        let believed = refuse_figures(&line.text).and_then(|()| on_event(&printed));
        if let Err((kind, message)) = believed {
            return Some(Followed::Stopped(Ending::Failed { kind, message }));
        }
        if matches!(printed.event, Event::Finished(_) | Event::Failed { .. }) {
            return Some(Followed::Last(printed.event));
        }
    }
}

fn no_event(what: &str) -> Ending {
    bad_output(format!("the driver printed what is not an event of docs/PROTOCOL.md: {what}"))
}

fn bad_output(message: String) -> Ending {
    Ending::Failed { kind: FailureKind::BadOutput, message }
}

/// Waits for the driver, and kills it when patience ends or it writes too much. Whether it ended without being killed,
/// and how.
fn end(driver: DriverProcess, patience: Duration, output: &mut Output, log: &Log) -> (bool, Option<Exit>) {
    let begin = Instant::now();
    let may_go_on = |output: &Output| !output.is_closed() && log.overflow().is_none();
    while begin.elapsed() < patience && !driver.has_exited() && may_go_on(output) {
        output.throw_away();
        std::thread::sleep(Duration::from_millis(1));
    }
    (driver.has_exited(), driver.end())
}

/// The process reported that it was done, and then failed: its other reports may be wrong too.
fn late_end(by_itself: bool, status: Option<ExitStatus>) -> Ending {
    let (kind, how) = match by_itself {
        false => (FailureKind::Timeout, format!("did not end within {}", format_duration(EXIT_TIME_MAX))),
        true => (FailureKind::Crash, how_it_ended(status)),
    };
    Ending::Failed { kind, message: format!("the driver said that the cell was finished, and then {how}") }
}

/// What a process that is no more did last, in words.
fn how_it_ended(status: Option<ExitStatus>) -> String {
    match (status.and_then(|status| status.signal()), status.and_then(|status| status.code())) {
        (Some(number), _) => format!("was killed by signal {number}{}", signal_name(number)),
        (None, Some(code)) => format!("exited with status {code}"),
        (None, None) => "ended in a way that the system does not tell".to_owned(),
    }
}

/// Whether a signal ended a process, other than SIGPIPE because nobody reads on after text that is no event.
fn died(status: Option<ExitStatus>) -> bool {
    status.and_then(|status| status.signal()).is_some_and(|number| number != 13)
}

/// Whether a process that is no more was ended by SIGKILL.
fn was_killed(status: Option<ExitStatus>) -> bool {
    status.and_then(|status| status.signal()) == Some(9)
}

/// The process ended without a last event: by a signal, by the kernel, or on exit.
///
/// The log is read from the open file: a driver may have put a FIFO in its place.
fn silent_end(job: &Job<'_>, log: &Log, status: Option<ExitStatus>, kills_before: Option<i64>) -> Ending {
    let (log, last) = (log.last_bytes(REPORT_BYTES), log.last_bytes(LAST_WORDS_BYTES));
    let signal = status.and_then(|status| status.signal());
    // Messages of Rust, of C++, and of a JVM. A JVM that cannot have its heap, or its own memory, prints that at its
    // beginning.
    let words = ["memory allocation of", "out of memory", "Terminating due to java.lang.OutOfMemoryError"];
    let of_jvm = ["There is insufficient memory for the Java Runtime", "Could not reserve enough space for"];
    let out_of_memory =
        words.iter().any(|words| last.contains(words)) || of_jvm.iter().any(|words| log.contains(words));
    // Another process may have been killed instead, but hardly at the same time.
    let killed_by_kernel = was_killed(status) && kills_before < out_of_memory_kills();
    let beyond_limit = job.group.is_some_and(MemoryGroup::ran_out);
    let (kind, what) = match (signal, out_of_memory) {
        _ if beyond_limit => (
            FailureKind::OutOfMemory,
            "the driver was killed, since the cell needs more than its memory-limit: give it more, or the store less (memory)".to_owned(),
        ),
        (_, true) => (FailureKind::OutOfMemory, "the driver ran out of memory".to_owned()),
        _ if killed_by_kernel => {
            (FailureKind::OutOfMemory, "the driver was killed by the kernel, since memory ran out".to_owned())
        }
        (Some(_), false) => (FailureKind::Crash, format!("the driver {}", how_it_ended(status))),
        (None, false) if lacks_a_jar(&log) => {
            (FailureKind::Runtime, "a jar of the driver is damaged or gone: build the driver again (./bakeoff build jvm)".to_owned())
        }
        (None, false) => {
            (FailureKind::Crash, format!("the driver {} without saying how the cell ended", how_it_ended(status)))
        }
    };
    let cause = jvm_start_failure(&log).unwrap_or_else(|| cause_of_death(&log).to_owned());
    let message = if cause.is_empty() { what } else { format!("{what}; its last words: {cause}") };
    Ending::Failed { kind, message }
}

fn signal_name(number: i32) -> &'static str {
    match number {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS: a mapped file could not be read or written, as on a full disk)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL: by somebody, since bakeoff did not, and the kernel has killed nobody for lack of memory)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}
