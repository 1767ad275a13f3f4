//! Processes that a program has started and left behind: they would disturb the cells that follow.
//!
//! Killing a process group ends what stayed in it. Processes that left it (`setsid`, a daemon) are found because this
//! process asks the kernel to be the parent of all orphans below it. Every child that this process did not start is
//! such an orphan.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};

/// How long the search for orphans goes on. Some make new ones faster than they are killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// The children of this process before a program was started.
pub(crate) struct Strays {
    ours: BTreeSet<i32>,
}

impl Strays {
    /// To be called before the program is started. What has been started until then is ours.
    pub(crate) fn watch() -> Self {
        // Where the kernel refuses, orphans go to the parent of all, and only the process group is
        // killed.
        let _ = set_child_subreaper(Some(getpid()));
        Self { ours: children().into_iter().collect() }
    }

    /// Another child that this process has started since.
    pub(crate) fn know(&mut self, process: u32) {
        self.ours.extend(i32::try_from(process));
    }

    /// Kills what the program has left, after the program itself has ended. Whether anything of it
    /// still ran.
    pub(crate) fn kill(&self) -> bool {
        let (begin, mut ran) = (Instant::now(), false);
        while begin.elapsed() < PATIENCE {
            // Killing one makes its children ours in turn.
            let strays: Vec<_> = children().into_iter().filter(|child| !self.ours.contains(child)).collect();
            if strays.is_empty() {
                break;
            }
            ran |= strays.iter().any(|stray| entry_of(*stray).is_some_and(|entry| entry.runs));
            for stray in strays.into_iter().filter_map(Pid::from_raw) {
                // It is a child until it is waited for, so its number is nobody else's.
                let _ = kill_process(stray, Signal::KILL);
                let _ = waitpid(Some(stray), WaitOptions::NOHANG);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        ran
    }
}

/// The children of this process.
fn children() -> Vec<i32> {
    let parent = getpid().as_raw_nonzero().get();
    processes().filter(|(_, entry)| entry.parent == parent).map(|(process, _)| process).collect()
}

/// A process and all below it.
pub(crate) fn family(of: i32) -> Vec<i32> {
    let all: Vec<_> = processes().collect();
    let mut family = vec![of];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        family.extend(all.iter().filter(|(_, entry)| entry.parent == parent).map(|(process, _)| process));
        at += 1;
    }
    family
}

/// What the kernel lists of a process.
struct Entry {
    parent: i32,
    /// It has not ended.
    runs: bool,
}

fn processes() -> impl Iterator<Item = (i32, Entry)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter_map(|process| Some((process, entry_of(process)?)))
}

/// `None` if the process is gone.
fn entry_of(process: i32) -> Option<Entry> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may hold anything, a parenthesis too.
    let mut after_name = stat[stat.rfind(')')? + 1..].split_whitespace();
    let runs = !matches!(after_name.next()?, "Z" | "X");
    Some(Entry { parent: after_name.next()?.parse().ok()?, runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_found_and_one_of_ours_is_known() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = i32::try_from(child.id()).unwrap();
        assert!(children().contains(&process));
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(entry_of(process).is_some_and(|entry| entry.parent == own && entry.runs));
        assert!(family(own).contains(&process) && family(process) == [process]);
        assert!(Strays::watch().ours.contains(&process));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(entry_of(process).is_none());
    }
}
