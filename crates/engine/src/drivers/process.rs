//! A driver's process: started with its limits, and ended with everything it has started. Every verb of a driver is run
//! from here.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bakeoff_limits::{Shortage, spawn};
use bakeoff_protocol::Event;
use bakeoff_text::{printable, shorten_error};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getrlimit, kill_process_group, set_parent_process_death_signal, setrlimit,
};

use crate::cell::log::Log;
use crate::place::cgroup::MemoryGroup;
use crate::programs::has_exited;
use crate::quote::beginning;
use crate::strays::Strays;

/// The most that is read of what a driver prints for a verb other than `run`.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;

/// How often the end of a driver is checked.
const POLL: Duration = Duration::from_millis(2);

/// How long the rest of the output is waited for, which something that left the driver's process
/// group may hold.
const REST_TIME_MAX: Duration = Duration::from_secs(5);

/// The part of the log that is searched for a driver's last message.
const LAST_WORDS_BYTES: u64 = 4 << 10;

/// How a driver is started.
pub(crate) struct DriverStart<'a> {
    pub(crate) program: &'a Path,
    pub(crate) verb: &'a str,
    /// Its standard error.
    pub(crate) log: &'a Log,
    /// Where it unpacks things and keeps temporary files; where the system has them if not given.
    pub(crate) temporary: Option<&'a Path>,
    /// Most private memory it may take.
    pub(crate) memory_bytes_max: Option<u64>,
    /// The control group that limits its memory.
    pub(crate) group: Option<&'a MemoryGroup>,
}

impl<'a> DriverStart<'a> {
    /// A start without limits on memory.
    pub(crate) fn new(program: &'a Path, verb: &'a str, log: &'a Log) -> Self {
        Self { program, verb, log, temporary: None, memory_bytes_max: None, group: None }
    }
}

/// A driver that runs, in a process group that ends with it.
pub(crate) struct DriverProcess {
    child: Child,
    has_ended: bool,
}

impl DriverProcess {
    /// Starts a driver. It dies with this thread, and leaves no core file.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn start(start: &DriverStart<'_>) -> Result<Self> {
        let mut command = Command::new(start.program);
        command.arg(start.verb).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(start.log.for_driver()?);
        command.process_group(0);
        command.envs(start.temporary.map(|temporary| ("TMPDIR", temporary)));
        let memory = start.memory_bytes_max;
        let door = start.group.map(MemoryGroup::door).transpose()?;
        // SAFETY: only system calls that are safe after fork are made, nothing is allocated.
        unsafe {
            command.pre_exec(move || {
                // The driver must not outlive us, however we die.
                set_parent_process_death_signal(Some(Signal::KILL))?;
                if let Some(door) = &door {
                    // Before the program begins, so that none of its memory belongs to another
                    // group.
                    rustix::io::write(door, b"0")?;
                }
                setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
                // A file that grows beyond `ulimit -f` is an error of the write then, which a store reports, and not the driver's death.
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                if let Some(bytes) = memory {
                    // Nobody without privileges may go beyond what the shell allows.
                    let bytes = getrlimit(Resource::Data).maximum.map_or(bytes, |maximum| maximum.min(bytes));
                    setrlimit(Resource::Data, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
                }
                Ok(())
            });
        }
        let started = command.spawn().map_err(|why| match Shortage::of(&why) {
            Some(shortage) => shortage.into(),
            None => anyhow::Error::from(why),
        });
        let started = started.with_context(|| format!("cannot start the driver {}", start.program.display()));
        Ok(Self { child: started?, has_ended: false })
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its standard output.
    pub(crate) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Writes its standard input, in a thread, since a driver that does not read would block this one. If it dies
    /// before it has read everything, its exit shows that.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn give(&mut self, text: Vec<u8>) -> Result<(), Shortage> {
        let Some(mut stdin) = self.child.stdin.take() else { return Ok(()) };
        spawn(move || drop(stdin.write_all(&text))).map(drop)
    }

    /// Whether it has ended. Its number belongs to nobody else before [`Self::end`].
    pub(crate) fn has_exited(&self) -> bool {
        has_exited(&self.child)
    }

    /// Kills it, and every process of its group that it has left behind: that would disturb what follows. Gives how it
    /// ended.
    pub(crate) fn end(mut self) -> Option<Exit> {
        self.kill()
    }

    fn kill(&mut self) -> Option<Exit> {
        self.has_ended = true;
        let group = Pid::from_child(&self.child);
        // Before the process is waited for, so that its number cannot belong to anyone else.
        let _ = kill_process_group(group, Signal::KILL);
        Exit::of(group.as_raw_nonzero().get())
    }
}

/// How a driver's process ended.
pub(crate) struct Exit {
    pub(crate) status: ExitStatus,
    /// The largest resident memory of one process since its last reset: of the driver, of processes
    /// that it waited for, or of this process when it started the driver.
    pub(crate) rss_peak_bytes: u64,
}

impl Exit {
    /// Waits for a child. `None` if there is no such child.
    fn of(child: i32) -> Option<Self> {
        let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
        loop {
            // SAFETY: both point to what the call fills, and all-zero bytes are a valid `rusage`.
            let (ended, usage) = unsafe {
                let ended = libc::wait4(child, &raw mut status, 0, usage.as_mut_ptr());
                (ended, usage.assume_init())
            };
            if ended == child {
                let rss_peak_bytes = u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1_024);
                return Some(Self { status: ExitStatus::from_raw(status), rss_peak_bytes });
            }
            if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
                return None;
            }
        }
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        if !self.has_ended {
            self.kill();
        }
    }
}

/// What a driver answered to a verb.
pub(crate) struct Answer {
    /// How it ended; `None` if it had to be killed.
    pub(crate) status: Option<ExitStatus>,
    /// Why it had to be killed; empty if it ended before.
    killed_for: String,
    /// Whether the time limit was the reason.
    pub(crate) is_late: bool,
    /// Its standard output.
    pub(crate) output: Vec<u8>,
    /// The end of its standard error.
    pub(crate) log: String,
}

impl Answer {
    /// Its standard output, as text.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.output)
    }

    /// Its lines as events.
    ///
    /// # Errors
    /// The first line that is none.
    pub(crate) fn events(&self) -> Result<Vec<Event>, String> {
        let event = |line: &str| {
            let told = |why| format!("a line that is no event, {} ({})", beginning(line), shorten_error(&why));
            serde_json::from_str(line).map_err(told)
        };
        self.text().lines().map(event).collect()
    }

    /// How it ended, in words.
    pub(crate) fn ending(&self) -> String {
        match self.status.map(|status| (status.code(), status.signal())) {
            None => self.killed_for.clone(),
            Some((Some(code), _)) => format!("ended with status {code}"),
            Some((None, signal)) => format!("was ended by signal {}", signal.unwrap_or_default()),
        }
    }

    /// The last line of its standard error.
    pub(crate) fn last_words(&self) -> String {
        printable(self.log.trim().lines().last().unwrap_or_default().trim())
    }
}

/// Runs a driver with a verb and an input until it ends, `time_max` is over, or `go_on` says no. Processes that left
/// its group are killed where `strays` knows the earlier ones.
///
/// # Errors
/// It cannot be started.
pub(crate) fn ask(
    start: &DriverStart<'_>,
    input: Vec<u8>,
    time_max: Duration,
    strays: Option<&Strays>,
    go_on: &dyn Fn() -> bool,
) -> Result<Answer> {
    let mut process = DriverProcess::start(start)?;
    process.give(input)?;
    let output = Arc::new(Mutex::new(Vec::new()));
    let reader = process.stdout().map(|stdout| {
        let output = Arc::clone(&output);
        spawn(move || read_all(stdout.take(OUTPUT_BYTES_MAX), &output))
    });
    let reader = reader.transpose()?;
    let begin = Instant::now();
    let has_flooded = || start.log.overflow().is_some();
    while !process.has_exited() && !has_flooded() && go_on() && begin.elapsed() < time_max {
        std::thread::sleep(POLL);
    }
    let is_over = process.has_exited();
    let status = process.end().map(|exit| exit.status).filter(|_| is_over && !has_flooded());
    strays.into_iter().for_each(|strays| _ = strays.kill());
    let killed_for = match status {
        Some(_) => String::new(),
        None if has_flooded() => "wrote more to its log (standard error) than docs/PROTOCOL.md allows".to_owned(),
        None => format!("did not end within {} s", time_max.as_secs()),
    };
    let begin = Instant::now();
    while reader.as_ref().is_some_and(|reader| !reader.is_finished()) && begin.elapsed() < REST_TIME_MAX {
        std::thread::sleep(POLL);
    }
    let output = std::mem::take(&mut *output.lock().unwrap_or_else(PoisonError::into_inner));
    let is_late = !is_over && !has_flooded() && go_on();
    Ok(Answer { status, killed_for, is_late, output, log: start.log.last_bytes(LAST_WORDS_BYTES) })
}

/// Reads to the end, and hands over what came at once: somebody else may hold the pipe open.
fn read_all(mut from: impl Read, output: &Mutex<Vec<u8>>) {
    let mut piece = vec![0; 64 << 10];
    // What cannot be read any more was not printed.
    while let Ok(bytes @ 1..) = from.read(&mut piece) {
        output.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&piece[..bytes]);
    }
}
