//! Which writes are flushed: `strace` shows the system calls from one acknowledgement to the next.
//!
//! Where acknowledged writes survive a power cut, each acknowledgement must follow a successful flush in the store's directory. Every file
//! that the acknowledging thread has written to must have been flushed since, by whichever thread. A directory
//! with a new name must be flushed too, from opening on. For stores with a file per record, so must a directory that lost a name. Where the
//! store declares flushes although a power cut may undo the last writes, each acknowledgement must follow any flush. Elsewhere writes must
//! not be flushed at all, except by the stores of [`super::Exceptions`].
//!
//! Full logs are followed by others. So, where writes survive a power cut, more is written than any log holds. What is flushed for an
//! acknowledgement must have a name that was flushed before. Other new files whose content is also elsewhere may wait.

use std::path::Path;
use std::process::Stdio;

use bakeoff_protocol::Durability;

use super::history::BATCH;
use super::orders::{Orders, Task};
use super::outcome::Outcome;
use super::subject::Subject;
use super::watch::Watch;

/// The number of acknowledgements examined.
const ACKNOWLEDGEMENTS: u64 = 200;
/// The same with settings other than the defaults.
const ACKNOWLEDGEMENTS_SHORT: u64 = 60;
/// Acknowledgements before a store is closed and opened again.
const ACKNOWLEDGEMENTS_BEFORE: u64 = 20;
/// Acknowledgements until a store has started another log: about 15 MB. LevelDB's logs take 4 MiB, those of Berkeley DB 10.
const ACKNOWLEDGEMENTS_LONG: u64 = 900;
/// The calls that flush, or that show what is flushed.
const CALLS: &str = "trace=write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,syncfs,sync,msync,sync_file_range,openat,rename,\
                     renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,io_uring_setup,io_setup";

/// Writes under `strace` and counts flushes.
pub(super) fn flushes(subject: &Subject, durability: Durability, batched: bool) -> Outcome {
    if batched && !subject.description.capabilities.batch {
        return Outcome::NotOffered("no batches");
    }
    let acknowledgements = if subject.given.is_empty() { ACKNOWLEDGEMENTS } else { ACKNOWLEDGEMENTS_SHORT };
    judge(subject, durability, watch(subject, durability, batched, 0, acknowledgements))
}

/// The same for a store that was closed and opened again.
pub(super) fn flushes_after_reopening(subject: &Subject, durability: Durability) -> Outcome {
    if !subject.description.survives_power_cut(durability) {
        return Outcome::NotOffered("a power cut may undo the last writes");
    }
    let batched = subject.description.capabilities.batch;
    let watch = watch(subject, durability, batched, ACKNOWLEDGEMENTS_BEFORE, ACKNOWLEDGEMENTS_SHORT);
    judge(subject, durability, watch)
}

/// Writes more than a log holds under `strace`, and checks that what is flushed has a name.
pub(super) fn flushes_as_logs_grow(subject: &Subject, durability: Durability) -> Outcome {
    if !subject.description.survives_power_cut(durability) {
        return Outcome::NotOffered("a power cut may undo the last writes");
    }
    let batched = subject.description.capabilities.batch;
    let small = subject.with_small_logs();
    match watch(small.as_ref().unwrap_or(subject), durability, batched, 0, ACKNOWLEDGEMENTS_LONG) {
        Err(outcome) => outcome,
        Ok(watch) => match (watch.unwritten.as_ref().or(watch.nameless.as_ref()), watch.flushed) {
            (Some(left), _) => Outcome::Failed(left.clone()),
            (None, 0) => Outcome::Failed("no acknowledgement came after a flush".to_owned()),
            (None, _) => Outcome::Ok(format!("{} acknowledged, {} files made", watch.acknowledged, watch.files_made)),
        },
    }
}

/// Watches a process until this many acknowledgements. Another process has written `before` of them to the store.
fn watch(
    subject: &Subject,
    durability: Durability,
    batched: bool,
    before: u64,
    acknowledgements: u64,
) -> Result<Watch, Outcome> {
    let parent = subject.directory();
    let directory = parent.path().join("store");
    std::fs::create_dir(&directory).unwrap();
    let steps = |acknowledgements: u64| acknowledgements * if batched { BATCH } else { 1 };
    let orders = |task: Task| Orders { directory: directory.clone(), durability, seed: 7, batched, task };
    if before > 0 {
        let first = subject.command(&orders(Task::Write { from: 0, to: steps(before) })).stdin(Stdio::null()).output();
        let first = first.unwrap();
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    }
    let task = Task::Write { from: steps(before), to: steps(before + acknowledgements) };
    let mut watch = Watch::new(directory.clone(), subject);
    watch.known.extend(std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()));
    let log = trace(subject, &orders(task), &parent.path().join("trace"))?;
    log.lines().for_each(|line| watch.see(line));
    match &watch.unseen {
        Some(unseen) => Err(Outcome::Skipped(format!("{unseen}, whose flushes strace does not show"))),
        None if watch.acknowledged as u64 != acknowledgements => {
            let seen = watch.acknowledged;
            Err(Outcome::Failed(format!("{seen} of {acknowledgements} acknowledgements are in the trace")))
        }
        None => Ok(watch),
    }
}

/// The log of a child's system calls.
fn trace(subject: &Subject, orders: &Orders, log: &Path) -> Result<String, Outcome> {
    let child = subject.command(orders);
    let mut command = std::process::Command::new("strace");
    // `-y` shows paths. `-s` shows enough of each write to recognise an acknowledgement, together with its file descriptor.
    command.args(["-f", "-qq", "-y", "-s", "200", "-e", CALLS, "-e", "signal=none", "-o"]).arg(log).arg("--");
    command.arg(child.get_program()).args(child.get_args()).stdin(Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Outcome::Skipped("strace is not installed (apt-get install strace)".to_owned()),
        _ => Outcome::Skipped(format!("strace cannot be started: {error}")),
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let why = said.trim().to_owned();
        let forbidden = why.contains("ptrace") || why.contains("PTRACE");
        return Err(if forbidden { Outcome::Skipped(why) } else { Outcome::Failed(why) });
    }
    Ok(std::fs::read_to_string(log).unwrap())
}

fn judge(subject: &Subject, durability: Durability, watch: Result<Watch, Outcome>) -> Outcome {
    let watch = match watch {
        Ok(watch) => watch,
        Err(outcome) => return outcome,
    };
    let all = watch.acknowledged;
    let flushed = watch.flushed;
    let seen = format!("{flushed} of {all} acknowledged after a flush{}", watch.kinds());
    if !subject.description.survives_power_cut(durability) {
        let name = &subject.description.name;
        if subject.description.flushes_writes(durability, &subject.given) {
            return if flushed == all { Outcome::Ok(seen) } else { Outcome::Failed(seen) };
        }
        let is_given = |setting: &str, word: &str| subject.given.get(setting).is_some_and(|given| given == word);
        let flushing = subject
            .exceptions
            .flushing_words
            .iter()
            .find(|(store, setting, word, _)| store == name && is_given(setting, word));
        if let Some((.., why)) = flushing.filter(|_| flushed > 0) {
            return Outcome::Ok(format!("{seen}: {why}"));
        }
        let allowed = subject.exceptions.now_and_then.iter().find(|(store, ..)| store == name);
        return match allowed {
            _ if flushed == 0 => Outcome::Ok(seen),
            Some((_, most, why)) if flushed <= *most => Outcome::Ok(format!("{seen}: {why}")),
            _ => Outcome::Failed(seen),
        };
    }
    if flushed < all {
        return Outcome::Failed(seen);
    }
    match (&watch.unwritten, &watch.left_unflushed) {
        (Some(left), _) => Outcome::Failed(left.clone()),
        (None, Some(left)) => Outcome::Failed(format!("{left} before its directory was flushed")),
        (None, None) => Outcome::Ok(seen),
    }
}
