//! The guard of media made for a run: a process that outlives the run, however that ends, and
//! removes what it left.
//!
//! It is this program with a hidden verb, outside the run's namespace of mounts. It has its own session, so that it
//! survives the end of the run's terminal or process group. It waits until a pipe closes whose other end only the run
//! has.

use std::ffi::{CStr, OsStr};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::setsid;
use rustix::thread::set_name;

use crate::place::names;
use crate::place::scratch::remove_all_of;
use crate::reporter::Reporter;

/// The hidden verb.
const VERB: &str = "guard";

/// Its name among processes: another than bakeoff's, by which one may kill a run.
const NAME: &CStr = c"made-media";

/// How long after the run's end its processes may hold its directories: a driver that was about to begin, mkfs.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often that is checked.
const POLL: Duration = Duration::from_millis(20);

/// The process that guards the files that a run makes, and the pipe that closes when the run ends.
pub(crate) struct Guard(Child);

impl Guard {
    /// Begins to guard the tapes and made media in `base` of this process's run.
    pub(crate) fn start(base: &Path, run: &str) -> Result<Self> {
        let base = base.canonicalize().with_context(|| format!("cannot resolve {}", base.display()))?;
        // By this name it is the same program, even if another has replaced its file since.
        let mut command = Command::new("/proc/self/exe");
        command
            .arg0(OsStr::from_bytes(NAME.to_bytes()))
            .arg(VERB)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        // SAFETY: only a system call that is safe after fork is made, nothing is allocated.
        unsafe { command.pre_exec(|| Ok(setsid().map(drop)?)) };
        let mut child =
            command.spawn().context("cannot start the process that removes made media if the run is killed")?;
        let words = [base.as_os_str().as_bytes(), names::of_run(run).as_bytes(), b""].join(&0);
        let told = child.stdin.as_mut().map_or(Ok(()), |pipe| pipe.write_all(&words));
        let guard = Self(child);
        told.context("cannot tell the process that removes made media what to guard").map(|()| guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // The closed pipe ends it, after a last look.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Runs the verb: waits for the run's end, and removes its leftovers.
pub fn guard(reporter: Reporter) -> Result<()> {
    // Under another name it does the same.
    let _ = set_name(NAME);
    let mut words = Vec::new();
    std::io::stdin().lock().read_to_end(&mut words).context("cannot read what to guard")?;
    // Nothing is made before all of it is written.
    if let [base, name, b""] = words.split(|byte| *byte == 0).collect::<Vec<_>>()[..] {
        let (base, name) = (Path::new(OsStr::from_bytes(base)), String::from_utf8_lossy(name));
        let begin = Instant::now();
        while !remove_all_of(base, &name, reporter) && begin.elapsed() < PATIENCE {
            std::thread::sleep(POLL);
        }
    }
    Ok(())
}
