//! `kill -9` at random moments. Every acknowledged write must be there, batches must be whole or absent, and nothing else may be there. At
//! a level where acknowledged writes may be lost with the process, batches must be whole if the store declares them atomic.
//!
//! The kills of a store follow one another in the same directory, so a recovered store is killed again. Most of them hit a process that
//! writes, some hit a process that opens the store. The number of acknowledgements before a kill comes from increasing ranges, so that logs are
//! rotated and merged too. Stores with long logs get short ones for that. Where every write waits for the disk, too little is written for
//! it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use bakeoff_protocol::Durability;

use super::history::{BATCH, draw};
use super::orders::{Orders, READY, Task, steps_found};
use super::outcome::Outcome;
use super::subject::Subject;

/// Ranges for the number of acknowledgements before a kill, one for each kill of a writer.
const ACKNOWLEDGED: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 1_000, 3_000, 10_000];
/// The same for writes that wait for the disk.
const ACKNOWLEDGED_SLOW: [u64; 10] = [1, 2, 3, 5, 8, 12, 20, 30, 50, 80];
/// Repetitions of all ranges at a level where acknowledged writes may be lost with the process. A store with torn batches (SQLite without a
/// log) tears one in twenty.
const ROUNDS_LOSING: usize = 6;
/// The factor on repetitions; `./bakeoff test long` sets it.
const SCALE: &str = "BAKEOFF_TEST_SCALE";
/// The maximum lifetime of a process after the awaited acknowledgement.
const LIVES_ON_NS: u64 = 2_000_000;
/// The maximum lifetime of a process that opens the store.
const OPENS_NS: u64 = 20_000_000;
/// Longer than any history, so a writer is always killed.
const ENDLESS: u64 = u64::MAX;

/// The kills so far of the store in a directory.
struct Ordeal<'a> {
    subject: &'a Subject,
    directory: &'a Path,
    durability: Durability,
    batched: bool,
    seed: u64,
    /// Steps in the store.
    steps: u64,
    kills: u64,
    acknowledged: u64,
}

/// Kills processes that write to the store, and checks the content after each.
pub(super) fn survives(subject: &Subject, durability: Durability, batched: bool) -> Outcome {
    if batched && !subject.description.capabilities.batch {
        return Outcome::NotOffered("no batches");
    }
    let atomic = batched && subject.description.batch_is_atomic(durability);
    let survives = subject.description.survives_process_death(durability);
    if !survives && !atomic {
        return Outcome::NotOffered(if batched { "a batch is not atomic" } else { "nothing is promised" });
    }
    let by_default = subject.given.is_empty();
    let small = subject.with_small_logs().filter(|_| by_default);
    let subject = small.as_ref().unwrap_or(subject);
    let directory = subject.directory();
    let seed = draw(u64::from(batched), durability as u64);
    let (directory, steps) = (directory.path(), 0);
    let mut ordeal = Ordeal { subject, directory, durability, batched, seed, steps, kills: 0, acknowledged: 0 };
    let flushes = subject.description.flushes_writes(durability, &subject.given);
    let ranges = if flushes { ACKNOWLEDGED_SLOW } else { ACKNOWLEDGED };
    // Where starting a process is slow, fewer kills must suffice, and with settings other than the defaults one.
    let (first, step, rounds) = match (by_default, subject.slowness()) {
        (true, 1) if !survives => (0, 1, ROUNDS_LOSING),
        (true, 1) => (0, 1, 1),
        (true, _) => (2, 5, 1),
        (false, _) => (7, ranges.len(), 1),
    };
    let ranges = ranges.into_iter().skip(first).step_by(step);
    for range in std::iter::repeat_n(ranges, rounds * scale()).flatten() {
        // A batch is ten steps.
        let range = if batched { range.div_ceil(BATCH / 2) } else { range };
        if let Err(why) = ordeal.kill_writer(range).and_then(|()| ordeal.kill_opener()) {
            return Outcome::Failed(format!("kill {}: {why}", ordeal.kills));
        }
    }
    let what = if batched { "batches" } else { "writes" };
    let there = match survives {
        false => "acknowledged, none there in part",
        true if batched && !atomic => "acknowledged and all there (a batch is not atomic)",
        true => "acknowledged and all there",
    };
    Outcome::Ok(format!("{} kills, {} {what} {there}", ordeal.kills, ordeal.acknowledged))
}

fn scale() -> usize {
    std::env::var(SCALE).map_or(1, |text| text.parse().unwrap_or_else(|error| panic!("{SCALE} is `{text}`: {error}")))
}

impl Ordeal<'_> {
    /// A number that depends on the number of kills so far.
    fn draw(&self, below: u64) -> u64 {
        draw(self.seed, u64::MAX - self.kills) % below
    }

    fn start(&self, task: Task) -> Child {
        let Self { subject, durability, batched, seed, .. } = *self;
        let orders = Orders { directory: self.directory.to_owned(), durability, seed, batched, task };
        let mut command = subject.command(&orders);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Kills a writer after one to `range` acknowledgements, and compares.
    fn kill_writer(&mut self, range: u64) -> Result<(), String> {
        let wanted = 1 + self.draw(range);
        let mut child = self.start(Task::Write { from: self.steps, to: ENDLESS });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        // The first line reports that the store is open.
        let seen = lines.by_ref().take(1 + wanted as usize).last();
        std::thread::sleep(Duration::from_nanos(self.draw(LIVES_ON_NS)));
        child.kill().unwrap();
        let last = lines.last().or(seen);
        let output = child.wait_with_output().unwrap();
        let steps = match last {
            Some(line) if line == READY => self.steps,
            Some(line) => line.parse().map_err(|_| format!("the writer said `{line}`"))?,
            None => return Err(format!("the writer ended on its own: {}", String::from_utf8_lossy(&output.stderr))),
        };
        self.kills += 1;
        self.acknowledged += (steps - self.steps) / if self.batched { BATCH } else { 1 };
        self.steps = steps;
        // Every other time the recovering process is killed too.
        if self.draw(2) == 0 { self.kill_opener() } else { self.compare() }
    }

    /// Kills a process that opens the store, and compares.
    fn kill_opener(&mut self) -> Result<(), String> {
        let mut child = self.start(Task::Open);
        std::thread::sleep(Duration::from_nanos(self.draw(OPENS_NS)) * self.subject.slowness());
        child.kill().unwrap();
        child.wait().unwrap();
        self.kills += 1;
        self.compare()
    }

    /// Opens the store and compares its content with the expected one.
    fn compare(&mut self) -> Result<(), String> {
        let output = self.start(Task::Check { from: self.steps }).wait_with_output().unwrap();
        let complained = || format!("after {} steps: {}", self.steps, String::from_utf8_lossy(&output.stderr).trim());
        self.steps = steps_found(&output.stdout).ok_or_else(complained)?;
        Ok(())
    }
}
