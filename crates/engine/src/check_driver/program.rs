//! The driver's process: a verb and a text go in, lines come out, and it ends in every case.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_protocol::Event;
use bakeoff_tape::TapeError;
use bakeoff_text::printable;

use crate::cell::log::{Log, last_bytes};
use crate::drivers::discovery::DESCRIBE_TIME_MAX;
use crate::programs::{dies_with_us, give, has_exited, kill};
use crate::strays::Strays;
use crate::surroundings::interrupt::Interrupt;

/// How long a driver may take, except for `describe`. What is asked here takes well under a second, and starting a virtual machine a few.
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
    /// How it ended; `None` if it had to be killed.
    pub(super) status: Option<ExitStatus>,
    /// Why it had to be killed; empty if it ended before.
    killed_for: String,
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
            None => self.killed_for.clone(),
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
    let mut errors = Log::open(log, false)?;
    let mut command = Command::new(program);
    command.arg(verb).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors.for_driver()?).process_group(0);
    let strays = Strays::watch();
    let started = dies_with_us(command.env("TMPDIR", temporary)).spawn();
    let mut child = started.with_context(|| format!("cannot start the driver {}", program.display()))?;
    give(&mut child, input.to_vec());
    let (send, receive) = channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What cannot be read any more was not printed, and who waits no longer needs nothing.
            let _ = stdout.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
            let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
        });
    }
    let time_max = if verb == "describe" { DESCRIBE_TIME_MAX } else { TIME_MAX };
    let ended = wait(&mut child, time_max, &errors, interrupt);
    strays.kill();
    errors.cut();
    let (status, killed_for) = ended?;
    let output = receive.recv_timeout(REST_TIME_MAX).unwrap_or_default();
    let last = last_bytes(log, LAST_WORDS_BYTES);
    let last_words = printable(last.trim().lines().last().unwrap_or_default().trim());
    Ok(Answer { status, killed_for, output, last_words })
}

/// Waits for the driver, and kills what it has started. Its status is `None` if it had to be killed: the text says why.
fn wait(
    child: &mut Child,
    time_max: Duration,
    log: &Log,
    interrupt: &Interrupt,
) -> Result<(Option<ExitStatus>, String)> {
    let begin = Instant::now();
    let has_flooded = || log.overflow().is_some();
    while !has_exited(child) && !has_flooded() && !interrupt.requested() && begin.elapsed() < time_max {
        std::thread::sleep(POLL);
    }
    let in_time = has_exited(child);
    kill(child);
    if interrupt.requested() {
        bail!(TapeError::Stopped);
    }
    if has_flooded() {
        return Ok((None, "wrote more to its log (standard error) than docs/PROTOCOL.md allows".to_owned()));
    }
    if !in_time {
        return Ok((None, format!("did not end within {} s", time_max.as_secs())));
    }
    Ok((child.try_wait().context("cannot wait for the driver")?, String::new()))
}
