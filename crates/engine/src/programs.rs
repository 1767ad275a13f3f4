//! Programs of others that a run may need: found, installed by the script that started this one,
//! and run.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, set_parent_process_death_signal, waitid,
};

/// The variable in which the script passes its path.
const SCRIPT: &str = "BAKEOFF_SCRIPT";

/// The script `./bakeoff`, if it started us.
pub(crate) fn script() -> Option<OsString> {
    std::env::var_os(SCRIPT).filter(|script| !script.is_empty())
}

/// What happens if a program is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The script installs it, if it started us.
    Install,
    /// An error names it: a verb that only looks changes nothing.
    Tell,
}

/// Makes sure that a program is there, which `what` needs: the script installs what Debian calls
/// `package`, if it may.
///
/// # Errors
/// It is not there and was not installed; says how to.
pub(crate) fn need(program: &str, package: &str, what: &str, missing: Missing) -> Result<()> {
    if is_on_path(program) {
        return Ok(());
    }
    if let Some(script) = script() {
        if missing == Missing::Tell {
            bail!("{what} needs {program}, which a run installs first (apt-get install -y {package})");
        }
        // It prints what it does; a second look shows whether it helped.
        let mut install = Command::new(script);
        let why = format!("{program}, which {what} needs");
        install.args(["install", &why, package]).stdin(Stdio::inherit()).stdout(std::io::stderr());
        if install.status().is_ok_and(|status| status.success()) && is_on_path(program) {
            return Ok(());
        }
    }
    bail!("{what} needs {program}. Install it (Debian: apt-get install -y {package})")
}

/// Whether a program is there.
pub(crate) fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // The directory of mkfs is not on everybody's PATH.
    let places = std::env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(PathBuf::from));
    places.into_iter().any(|place| place.join(program).is_file())
}

/// Runs a command to its end; its output is part of the error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let words = format!("{command:?}").replace('"', "");
    let output = command.output().with_context(|| format!("cannot start `{words}`"))?;
    ended_well(&words, &output)
}

/// How often a command is checked for still being wanted.
const POLL: Duration = Duration::from_millis(20);

/// The same for a command that takes a while, until `go_on` says no.
pub(crate) fn run_while(command: &mut Command, go_on: &dyn Fn() -> bool) -> Result<()> {
    let words = format!("{command:?}").replace('"', "");
    let output = output_while(command, go_on).with_context(|| format!("cannot start `{words}`"))?;
    output.map_or_else(|| bail!("`{words}` was stopped"), |output| ended_well(&words, &output))
}

/// The output of a program with little output, at most a pipe full. `None` where `go_on` said no: then it was killed
/// with everything that it had started.
///
/// # Errors
/// It cannot be started.
fn output_while(command: &mut Command, go_on: &dyn Fn() -> bool) -> std::io::Result<Option<Output>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    while child.try_wait()?.is_none() {
        if !go_on() {
            kill(&mut child);
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
    child.wait_with_output().map(Some)
}

/// Whether a child has ended; its status is left for the one who waits for it, so that its number
/// belongs to nobody else until then.
pub(crate) fn has_exited(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

/// Kills a child and everything it has started in its process group.
fn kill(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

fn ended_well(words: &str, output: &Output) -> Result<()> {
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = bakeoff_text::printable(said.trim().lines().last().unwrap_or("it said nothing"));
    bail!("`{words}` failed ({}): {said}. Fix that, or leave out what needs it", output.status)
}

/// What we start must not outlive us, however we die.
pub(crate) fn dies_with_us(command: &mut Command) -> &mut Command {
    // SAFETY: only a system call that is safe after fork is made, nothing is allocated.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?)) }
}

/// For tests that this machine does not allow: says so, also where `./bakeoff test` gathers it.
#[cfg(test)]
pub(crate) fn say_skipped(test: &str, why: &anyhow::Error) {
    let line = format!("SKIPPED: {test}: {why:#}\n");
    print!("{line}");
    if let Some(path) = std::env::var_os("BAKEOFF_SKIPPED") {
        let file = std::fs::OpenOptions::new().append(true).open(path);
        file.and_then(|mut file| std::io::Write::write_all(&mut file, line.as_bytes())).unwrap();
    }
}
