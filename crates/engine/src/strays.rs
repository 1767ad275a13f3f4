//! Processes that a program has started and left behind: they would disturb the cells that follow.
//!
//! Killing a process group ends what stayed in it. What left it (`setsid`, a daemon) is found
//! because this process asks the kernel to be the parent of all orphans below it. Every child that
//! is not one of ours is such an orphan.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};

/// How long orphans are looked for. Some make new ones faster than they are killed.
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

    /// Another child of ours, started since.
    pub(crate) fn know(&mut self, process: u32) {
        self.ours.extend(i32::try_from(process));
    }

    /// Kills what the program has left, after the program itself has ended.
    pub(crate) fn kill(&self) {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            // Killing one makes its children ours in turn.
            let strays: Vec<_> = children().into_iter().filter(|child| !self.ours.contains(child)).collect();
            if strays.is_empty() {
                return;
            }
            for stray in strays.into_iter().filter_map(Pid::from_raw) {
                // It is a child until it is waited for, so its number is nobody else's.
                let _ = kill_process(stray, Signal::KILL);
                let _ = waitpid(Some(stray), WaitOptions::NOHANG);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The children of this process.
fn children() -> Vec<i32> {
    let parent = getpid().as_raw_nonzero().get();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    processes.filter(|process| parent_of(*process) == Some(parent)).collect()
}

/// The parent of a process; `None` if it is gone.
fn parent_of(process: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may hold anything, a parenthesis too.
    let after_name = &stat[stat.rfind(')')? + 1..];
    after_name.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_found_and_one_of_ours_is_known() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = i32::try_from(child.id()).unwrap();
        assert!(children().contains(&process));
        assert_eq!(parent_of(process), i32::try_from(std::process::id()).ok());
        assert!(Strays::watch().ours.contains(&process));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
