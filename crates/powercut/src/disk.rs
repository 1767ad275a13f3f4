//! The disk: a file of a file system that a process of its own serves, and which records what is written to it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bakeoff_tape::Acknowledged;
use rustix::fs::OFlags;
use rustix::process::{Signal, set_parent_process_death_signal};

use crate::base::Base;
use crate::fuse::{self, MODE, Served};
use crate::log::Log;
use crate::mount::{Mount, mount};
use crate::recording::Recording;

/// How long the server may take to end once nobody uses the disk.
const PATIENCE: Duration = Duration::from_secs(10);

/// A disk that records what is written to it.
pub struct Disk {
    base: Base,
    log: File,
    /// The file that the writer stores its acknowledgements in, mapped.
    acknowledged: (File, Acknowledged),
    server: Server,
    mount: Option<Mount>,
}

/// The process that serves a disk; killed when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Disk {
    /// Begins to serve a disk with this content, and counters for so many lanes. `server` is a program that hands its last four arguments
    /// to [`serve`]. It dies with the calling thread.
    ///
    /// # Errors
    /// The system has no FUSE or does not allow it, or the server cannot be started.
    pub fn start(mut server: Command, base: Base, lanes: u32, log_bytes_max: u64) -> io::Result<Self> {
        let (content, log, acknowledged) = (base.copy()?, crate::memory_file(0)?, crate::acknowledgements(lanes)?);
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse")?;
        let (number, mode) = (device.as_raw_fd().to_string(), format!("{MODE:o}"));
        let options = [
            ("source", Some("power-cut")),
            ("fd", Some(number.as_str())),
            ("rootmode", Some(mode.as_str())),
            ("user_id", Some("0")),
            ("group_id", Some("0")),
        ];
        let mount = mount("fuse", &options)?;
        for file in [&content, &log, &acknowledged.0] {
            server.arg(crate::path_for_others(file));
        }
        server.arg(log_bytes_max.to_string()).stdin(Stdio::from(device));
        // SAFETY: only system calls that are safe after fork are made, nothing is allocated.
        unsafe { server.pre_exec(leave) };
        let child = server.spawn()?;
        // The command has the device open too.
        drop(server);
        let disk = Self { base, log, acknowledged, server: Server(child), mount: Some(mount) };
        // It has opened the files once it answers.
        disk.open().map(drop)?;
        Ok(disk)
    }

    /// The disk as a file, for a loop device.
    ///
    /// # Errors
    /// The server has died.
    pub fn open(&self) -> io::Result<File> {
        let path = self.mount.as_ref().map(Mount::path).unwrap_or_default();
        OpenOptions::new().read(true).write(true).custom_flags(OFlags::DIRECT.bits() as i32).open(path)
    }

    /// The number of the server's process.
    pub fn server(&self) -> u32 {
        self.server.0.id()
    }

    /// What is acknowledged.
    pub fn acknowledged(&self) -> &Acknowledged {
        &self.acknowledged.1
    }

    /// Where a writer finds the file for its acknowledgements.
    pub fn acknowledged_path(&self) -> PathBuf {
        crate::path_for_others(&self.acknowledged.0)
    }

    /// Ends the server, when nobody uses the disk any more, and reads what was recorded.
    ///
    /// # Errors
    /// The server did not end well, or there was more to record than fits.
    pub fn end(mut self) -> io::Result<Recording> {
        drop(self.mount.take());
        let begin = Instant::now();
        let status = loop {
            match self.server.0.try_wait()? {
                Some(status) => break status,
                None if begin.elapsed() > PATIENCE => {
                    return Err(io::Error::other("the recorded disk is still in use: something holds its loop device"));
                }
                None => std::thread::sleep(Duration::from_micros(500)),
            }
        };
        if !status.success() {
            return Err(io::Error::other(format!("the process that served the recorded disk failed ({status})")));
        }
        Recording::read(self.base.clone(), &self.log, self.acknowledged().numbers().collect())
    }
}

/// The server dies with the thread that started it. It would keep the mounts of others otherwise.
fn leave() -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

/// Serves a disk until nobody uses it: the program of the process that [`Disk::start`] starts. `/dev/fuse` is its standard input.
///
/// # Errors
/// Something is not as [`Disk::start`] gives it, or the system fails.
pub fn serve(arguments: &[String]) -> io::Result<()> {
    let [content, log, acknowledged, log_bytes_max] = arguments else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a disk is served by bakeoff alone"));
    };
    let open = |path: &String| OpenOptions::new().read(true).write(true).open(path);
    let content = open(content)?;
    let acknowledged = Acknowledged::of_file(&open(acknowledged)?)?;
    let log = Log::new(open(log)?, log_bytes_max.parse().map_err(io::Error::other)?);
    let bytes = content.metadata()?.len();
    let stdin = io::stdin();
    fuse::serve(stdin.as_fd(), Served { content: &content, bytes, log, acknowledged: &acknowledged })
}
