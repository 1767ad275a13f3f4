//! Two processes: checks what a store declares as `multi_process`. While one process has the store open and has written to it, a second one
//! opens it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use bakeoff_protocol::Durability;

use super::orders::{Orders, READY, Task, steps_found};
use super::outcome::Outcome;
use super::subject::Subject;

/// Steps that the first process writes, half of them before the second starts.
const STEPS: u64 = 40;
/// How long the first process waits for the second to be refused. If the second should get in, it has more time.
const PATIENCE: Duration = Duration::from_secs(2);
const PATIENCE_IF_SHARED: Duration = Duration::from_secs(120);

/// What happened to the second process while the first had the store open.
enum Second {
    /// It opened the store. The result is whether it found the first one's writes.
    GotIn(Result<u64, String>),
    Refused,
    /// It waited for the first one to close.
    Waited(Child),
}

/// Opens the store twice.
pub(super) fn share(subject: &Subject, durability: Durability) -> Outcome {
    let directory = subject.directory();
    let start = |task| {
        let directory = directory.path().to_owned();
        let orders = Orders { directory, durability, seed: 3, batched: false, task };
        let mut command = subject.command(&orders);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut first = start(Task::WriteInHalves { to: STEPS });
    let half = (STEPS / 2).to_string();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines().map_while(Result::ok);
    if !lines.any(|line| line == half) {
        let ended = first.wait_with_output().unwrap();
        return Outcome::Failed(format!("the first process cannot write: {}", trimmed(&ended.stderr)));
    }
    let patience = if subject.description.capabilities.multi_process {
        PATIENCE_IF_SHARED
    } else {
        PATIENCE * subject.slowness().min(5)
    };
    let second = follow(start(Task::Check { from: STEPS / 2 }), patience);
    first.stdin.take().unwrap().write_all(b"\n").unwrap();
    let done = lines.last();
    let ended = first.wait_with_output().unwrap();
    if !ended.status.success() {
        return Outcome::Failed(format!("the first process: {} after {done:?}", trimmed(&ended.stderr)));
    }
    let harmless = subject.description.capabilities.multi_process || !matches!(second, Second::GotIn(_));
    match (judge(subject, second), look(start(Task::Check { from: STEPS }))) {
        (failed @ Outcome::Failed(_), _) => failed,
        (outcome, afterwards) if !harmless || matches!(afterwards, Second::GotIn(Ok(STEPS))) => outcome,
        (_, Second::GotIn(wrong)) => Outcome::Failed(format!("afterwards: {wrong:?}")),
        (_, Second::Refused | Second::Waited(_)) => Outcome::Failed("afterwards it cannot be opened".to_owned()),
    }
}

fn judge(subject: &Subject, second: Second) -> Outcome {
    let documented = subject.description.unlocked;
    match (subject.description.capabilities.multi_process, second) {
        (true, Second::GotIn(Ok(_))) => Outcome::Ok("the second sees what the first has written".to_owned()),
        (true, Second::GotIn(Err(why))) => Outcome::Failed(format!("the second gets in: {why}")),
        (true, Second::Refused | Second::Waited(_)) => Outcome::Failed("the second is kept out".to_owned()),
        (false, Second::Refused) => Outcome::NotOffered("the second is refused"),
        (false, Second::Waited(child)) => match look(child) {
            Second::GotIn(_) => Outcome::NotOffered("the second waits until the first has closed"),
            _ => Outcome::NotOffered("the second is refused"),
        },
        (false, Second::GotIn(_)) if documented => {
            Outcome::NotOffered("and the second is not kept out, as the store says")
        }
        (false, Second::GotIn(_)) => Outcome::Failed("the second gets in, and nothing says that it may not".to_owned()),
    }
}

/// Waits for the second process to open the store.
fn follow(mut child: Child, patience: Duration) -> Second {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > patience {
            return Second::Waited(child);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    look(child)
}

/// The findings of a checking process when it ends.
fn look(child: Child) -> Second {
    let output = child.wait_with_output().unwrap();
    if !trimmed(&output.stdout).starts_with(READY) {
        return Second::Refused;
    }
    Second::GotIn(steps_found(&output.stdout).ok_or_else(|| trimmed(&output.stderr)))
}

fn trimmed(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim().to_owned()
}
