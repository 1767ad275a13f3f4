//! Disturbances that run during a cell: a program that starts before the driver, must live until the driver has ended,
//! and is stopped then.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bakeoff_results::record::DisturbanceRecord;
use bakeoff_suite::Disturbance;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::programs::{Missing, dies_with_us, need, run_while};
use crate::surroundings::progress::Display;

/// How long it runs before the driver starts, so that it is in full swing.
pub(crate) const AHEAD: Duration = Duration::from_millis(500);

/// How long it may take to stop when asked to, before it is killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The video is made on the spot: four seconds of moving, noisy pictures, played again and again.
const VIDEO_FILE: &str = "video.avi";

/// What making it takes where nothing else goes on, about.
pub(crate) const VIDEO_MADE_IN: Duration = Duration::from_secs(4);

/// How it is made.
const VIDEO: [&str; 14] = [
    "-nostdin",
    "-loglevel",
    "error",
    "-f",
    "lavfi",
    "-i",
    "testsrc2=size=1920x1080:rate=30,noise=alls=12:allf=t",
    "-t",
    "4",
    "-c:v",
    "mpeg4",
    "-q:v",
    "5",
    "-y",
];

/// Sees to it that its program is there.
pub(crate) fn check(disturbance: Disturbance, missing: Missing) -> Result<()> {
    let Some(program) = program(disturbance) else { return Ok(()) };
    need(program, program, &format!("the disturbance `{disturbance}`"), missing)
}

/// The facts about it; `None` for none.
pub(crate) fn facts(disturbance: Disturbance) -> Option<DisturbanceRecord> {
    let program = program(disturbance)?;
    let flag = if program == "ffmpeg" { "-version" } else { "--version" };
    let said = Command::new(program).arg(flag).stdin(Stdio::null()).output().ok()?.stdout;
    let version = String::from_utf8_lossy(&said).lines().next().unwrap_or_default().to_owned();
    let command =
        [vec![program.to_owned()], arguments(disturbance, "DIR", &format!("DIR/{VIDEO_FILE}"))].concat().join(" ");
    Some(DisturbanceRecord { name: disturbance.name().to_owned(), command, version })
}

fn program(disturbance: Disturbance) -> Option<&'static str> {
    match disturbance {
        Disturbance::None => None,
        Disturbance::Video => Some("ffmpeg"),
        Disturbance::Cpu | Disturbance::Memory | Disturbance::Disk => Some("stress-ng"),
    }
}

/// The arguments; its files are in `directory`.
fn arguments(disturbance: Disturbance, directory: &str, video: &str) -> Vec<String> {
    let words: &[&str] = match disturbance {
        Disturbance::None => &[],
        Disturbance::Video => {
            &["-nostdin", "-loglevel", "error", "-re", "-stream_loop", "-1", "-i", video, "-f", "null", "-"]
        }
        Disturbance::Cpu => &["--quiet", "--cpu", "0"],
        Disturbance::Memory => &["--quiet", "--vm", "1", "--vm-bytes", "25%"],
        Disturbance::Disk => &["--quiet", "--hdd", "1", "--hdd-bytes", "256M", "--temp-path", directory],
    };
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Makes what a disturbance needs before the first cell with it, while `go_on` says so. Each cell reports a failure
/// when it finds the file missing.
pub(crate) fn prepare(disturbance: Disturbance, shared: &Path, display: &mut Display, go_on: &dyn Fn() -> bool) {
    if disturbance == Disturbance::Video {
        display.doing("making the video that is played during a cell");
        let _ = video(shared, go_on);
    }
}

/// The video in a directory that all cells share; nothing of it is left to be written to the disk while a store is measured.
fn video(shared: &Path, go_on: &dyn Fn() -> bool) -> Result<PathBuf> {
    let video = shared.join(VIDEO_FILE);
    if video.exists() {
        return Ok(video);
    }
    // It has another name until it is whole, with the same ending, by which ffmpeg knows the format.
    let unfinished = shared.join(format!("unfinished-{VIDEO_FILE}"));
    run_while(dies_with_us(Command::new("ffmpeg").args(VIDEO).arg(&unfinished)), go_on)
        .context("cannot make the video")?;
    let written = File::open(&unfinished).and_then(|file| file.sync_all());
    written
        .and_then(|()| std::fs::rename(&unfinished, &video))
        .with_context(|| format!("cannot keep {}", video.display()))?;
    Ok(video)
}

/// A disturbance that goes on. Stopped when dropped.
pub(crate) struct Running {
    disturbance: Disturbance,
    child: Child,
    log: PathBuf,
}

impl Running {
    /// Starts it in `scratch`, a bakeoff directory on the measured medium. The files that all cells need are in
    /// `shared`. `None` for none.
    pub(crate) fn start(disturbance: Disturbance, scratch: &Path, shared: &Path) -> Result<Option<Self>> {
        let Some(program) = program(disturbance) else { return Ok(None) };
        let directory = scratch.join("disturbance");
        std::fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let log = directory.join("log");
        let output = File::create(&log).with_context(|| format!("cannot make {}", log.display()))?;
        let errors = output.try_clone().context("cannot open a log twice")?;
        let mut command = Command::new(program);
        let video = if disturbance == Disturbance::Video { video(shared, &|| true)? } else { PathBuf::new() };
        command.args(arguments(disturbance, &directory.to_string_lossy(), &video.to_string_lossy()));
        command.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0);
        let child = dies_with_us(&mut command).spawn().with_context(|| format!("cannot start {program}"))?;
        std::thread::sleep(AHEAD);
        let mut running = Self { disturbance, child, log };
        running.check_alive()?;
        Ok(Some(running))
    }

    /// Whether it lives; since only we can reap it, it then lived all the time.
    ///
    /// # Errors
    /// It has ended; its last line is shown.
    pub(crate) fn check_alive(&mut self) -> Result<()> {
        let Some(status) = self.child.try_wait().context("cannot ask after the disturbance")? else { return Ok(()) };
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let said = bakeoff_text::printable(said.trim().lines().last().unwrap_or("it said nothing"));
        bail!(
            "the disturbance `{}` ended by itself ({status}): {said}. Fix that, or measure with --disturbance none",
            self.disturbance
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) else { return };
        let begin = Instant::now();
        let _ = kill_process_group(group, Signal::TERM);
        while begin.elapsed() < PATIENCE && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // The rest of the group: also what the program started.
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::say_skipped;

    #[test]
    fn each_goes_on_until_it_is_stopped() {
        let place = tempfile::tempdir().unwrap();
        for disturbance in Disturbance::ALL {
            if let Err(why) = check(disturbance, Missing::Tell) {
                say_skipped(&format!("the disturbance {disturbance}"), &why);
                continue;
            }
            let medium = place.path().join("medium");
            let running = Running::start(disturbance, &medium, place.path()).unwrap();
            assert!(!medium.join("disturbance/video.avi").exists(), "nothing is written to what is measured");
            assert_eq!(running.is_none(), disturbance.is_none());
            assert_eq!(facts(disturbance).is_none(), disturbance.is_none());
            let Some(mut running) = running else { continue };
            running.check_alive().unwrap();
            let id = running.child.id();
            drop(running);
            assert!(!Path::new(&format!("/proc/{id}")).exists(), "{disturbance}");
        }
    }

    #[test]
    fn one_that_ends_by_itself_is_noticed() {
        let place = tempfile::tempdir().unwrap();
        let child = Command::new("sh").args(["-c", "exit 3"]).process_group(0).spawn().unwrap();
        let log = place.path().join("log");
        std::fs::write(&log, "no such codec\n").unwrap();
        let mut running = Running { disturbance: Disturbance::Video, child, log };
        running.child.wait().unwrap();
        let error = running.check_alive().unwrap_err().to_string();
        assert!(error.contains("`video` ended by itself") && error.contains("no such codec"), "{error}");
    }
}
