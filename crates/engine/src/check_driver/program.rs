//! The driver's process: a verb and a text go in, lines come out, and it ends in every case.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_protocol::Event;
use bakeoff_tape::TapeError;
use bakeoff_text::printable;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::cell::log::last_bytes;
use crate::programs::{dies_with_us, kill};
use crate::strays::Strays;
use crate::surroundings::interrupt::Interrupt;

/// How long a driver may take: what is asked here takes well under a second, and starting a virtual machine a few.
const TIME_MAX: Duration = Duration::from_secs(120);

/// The most that is read of what a driver prints.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;

/// How often it is asked whether a driver has ended.
const POLL: Duration = Duration::from_millis(2);

/// How long the rest of the output is waited for, which something that left the driver's process group may hold.
const REST_TIME_MAX: Duration = Duration::from_secs(5);

/// Where a driver's last words are looked for.
const LAST_WORDS_BYTES: u64 = 4 << 10;

/// What a driver answered.
pub(super) struct Answer {
    /// How it ended; `None` if it had to be killed, since its time was over.
    pub(super) status: Option<ExitStatus>,
    /// What it printed.
    pub(super) output: String,
    /// The last line of its standard error.
    pub(super) last_words: String,
}

impl Answer {
    /// Its lines as events.
    ///
    /// # Errors
    /// The first line that is none.
    pub(super) fn events(&self) -> Result<Vec<Event>, String> {
        let event = |line: &str| {
            let shown: String = line.chars().take(80).collect();
            serde_json::from_str(line).map_err(|why| format!("a line that is no event, {shown:?} ({why})"))
        };
        self.output.lines().map(event).collect()
    }

    /// How it ended, in words.
    pub(super) fn ending(&self) -> String {
        match self.status.map(|status| (status.code(), status.signal())) {
            None => format!("did not end within {} s", TIME_MAX.as_secs()),
            Some((Some(code), _)) => format!("ended with status {code}"),
            Some((None, signal)) => format!("was ended by signal {}", signal.unwrap_or_default()),
        }
    }
}

/// Runs the driver with a verb.
///
/// # Errors
/// It cannot be started, or the user wants to stop.
pub(super) fn run(
    program: &Path,
    verb: &str,
    input: &[u8],
    (temporary, log): (&Path, &Path),
    interrupt: &Interrupt,
) -> Result<Answer> {
    let errors = File::create(log).with_context(|| format!("cannot make {}", log.display()))?;
    let mut command = Command::new(program);
    command.arg(verb).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).process_group(0);
    let strays = Strays::watch();
    let started = dies_with_us(command.env("TMPDIR", temporary)).spawn();
    let mut child = started.with_context(|| format!("cannot start the driver {}", program.display()))?;
    let request = input.to_vec();
    if let Some(mut stdin) = child.stdin.take() {
        // In a thread, since a driver that does not read would hold us up.
        std::thread::spawn(move || drop(stdin.write_all(&request)));
    }
    let (send, receive) = channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What cannot be read any more was not printed, and who waits no longer needs nothing.
            let _ = stdout.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
            let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
        });
    }
    let status = wait(&mut child, interrupt);
    strays.kill();
    let status = status?;
    let output = receive.recv_timeout(REST_TIME_MAX).unwrap_or_default();
    let last = last_bytes(log, LAST_WORDS_BYTES);
    let last_words = printable(last.trim().lines().last().unwrap_or_default().trim());
    Ok(Answer { status, output, last_words })
}

/// Waits for the driver, and kills what it has started. Its status is `None` if its time was over.
fn wait(child: &mut Child, interrupt: &Interrupt) -> Result<Option<ExitStatus>> {
    let begin = Instant::now();
    // Its status is left for later, so that its number belongs to nobody else when its group is killed.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let pid = Pid::from_child(child);
    let has_ended = || !matches!(waitid(WaitId::Pid(pid), options), Ok(None));
    while !has_ended() && !interrupt.requested() && begin.elapsed() < TIME_MAX {
        std::thread::sleep(POLL);
    }
    let in_time = has_ended();
    kill(child);
    if interrupt.requested() {
        bail!(TapeError::Stopped);
    }
    Ok(if in_time { child.try_wait().context("cannot wait for the driver")? } else { None })
}
