//! What power cuts need of a machine, and the file systems whose disks can lose their power.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use bakeoff_powercut::{LoopDevice, Mount, memory_file, mount};
use bakeoff_suite::DEFAULT_MEDIUM;
use rustix::process::geteuid;

use crate::explain::explained;
use crate::place::made_media::NewFileSystem;
use crate::programs::Missing;

/// The hidden verb of the process that serves a disk.
const VERB: &str = "power-cut-disk";

/// Bytes of a disk, unless the medium has a size. All of these file systems fit it.
pub(crate) const DISK_BYTES: u64 = 512 << 20;

/// The directory of a store on a disk.
pub(super) const STORE: &str = "store";

/// A mount option, and its value if it has one.
pub(super) type Options = &'static [(&'static str, Option<&'static str>)];

/// File systems, each with its mount options, and those with which it writes back often.
const FILE_SYSTEMS: [(&str, Options, Options); 3] = [
    ("ext4", &[], &[("commit", Some("1"))]),
    // Images of one file system are mounted at the same time.
    ("xfs", &[("nouuid", None)], &[("nouuid", None)]),
    ("btrfs", &[], &[("commit", Some("1"))]),
];

/// The mount options of a file system that can be cut.
pub(super) fn options(name: &str, pressure: bool) -> Options {
    let known = FILE_SYSTEMS.iter().find(|(known, ..)| *known == name);
    known.map_or(&[], |(_, usual, pressed)| if pressure { pressed } else { usual })
}

/// Checks that disks can be made, mounted and cut here.
///
/// # Errors
/// What is missing.
pub(crate) fn check(file_system: &NewFileSystem, missing: Missing) -> Result<()> {
    file_system.check(missing)?;
    check_devices()
}

/// The file system of the disks whose power a pick cuts.
pub const PICK_FILE_SYSTEM: &str = "ext4";

/// Whether the power of disks with [`PICK_FILE_SYSTEM`] can be cut here.
pub fn can_cut_power() -> bool {
    let file_system = NewFileSystem { name: PICK_FILE_SYSTEM, bytes: DISK_BYTES };
    check_here().is_ok() && file_system.check(Missing::Tell).is_ok()
}

/// Whether the power of disks can be cut here, in words.
pub fn power_cut_possibility() -> String {
    if let Err(why) = check_devices() {
        return format!("not possible: {}", explained(&why));
    }
    let names = FILE_SYSTEMS.map(|(name, ..)| NewFileSystem { name, bytes: DISK_BYTES });
    let checked = names.iter().map(|file_system| (file_system.name, file_system.check(Missing::Tell)));
    let (there, missing): (Vec<_>, Vec<_>) = checked.partition(|(_, checked)| checked.is_ok());
    let there: Vec<_> = there.into_iter().map(|(name, _)| name.to_owned()).collect();
    let missing = missing.into_iter().filter_map(|(_, checked)| checked.err());
    let missing: Vec<_> = missing.map(|why| format!("; {}", explained(&why))).collect();
    if there.is_empty() {
        return format!("not possible{}", missing.concat());
    }
    format!("possible on {}{}", bakeoff_text::listed(&there), missing.concat())
}

/// Checks what cuts need besides programs.
///
/// # Errors
/// What is missing.
pub(super) fn check_here() -> Result<()> {
    if !geteuid().is_root() {
        bail!("cutting the power of a disk needs root");
    }
    check_devices()
}

/// Checks the devices that any cut needs, for who may mount.
fn check_devices() -> Result<()> {
    for device in ["/dev/fuse", "/dev/loop-control"] {
        let opened = OpenOptions::new().read(true).write(true).open(device);
        opened.with_context(|| format!("cutting the power of a disk needs {device}: give it to this container, or load its module (modprobe fuse, modprobe loop)"))?;
    }
    mount("tmpfs", &[("size", Some("4k"))])
        .context("cutting the power of a disk needs the right to mount (CAP_SYS_ADMIN), and Linux 5.2 or later")?;
    let image = memory_file(1 << 20).context("cannot make a disk in memory")?;
    LoopDevice::attach(&image, false).context("cutting the power of a disk needs loop devices (/dev/loop0, …)")?;
    Ok(())
}

/// A disk in memory with an empty file system, and in it the directory of a store.
///
/// # Errors
/// It cannot be made or mounted.
pub(super) fn formatted(file_system: &NewFileSystem) -> Result<File> {
    let image = memory_file(file_system.bytes).context("cannot make a disk in memory")?;
    file_system.format(&image)?;
    let what = || format!("cannot use a new {}", file_system.name);
    let mounted = mount_image(file_system.name, &image, false, options(file_system.name, false))?.with_context(what)?;
    std::fs::create_dir(mounted.path().join(STORE)).with_context(what)?;
    mounted.end().with_context(what)?;
    Ok(image)
}

/// Mounts a disk that is a file; `Ok(Err(_))` if the kernel cannot mount its file system.
pub(super) fn mount_image(name: &str, image: &File, direct: bool, options: Options) -> Result<std::io::Result<Mount>> {
    let device = LoopDevice::attach(image, direct).context("cannot make a loop device")?;
    let source = device.path().display().to_string();
    Ok(mount(name, &[&[("source", Some(source.as_str()))][..], options].concat()))
}

/// The program that serves a disk.
pub(super) fn server() -> Command {
    // By this name it is the same program, even if another has taken its place meanwhile.
    let mut command = Command::new(Path::new("/proc/self/exe"));
    command.arg(VERB).current_dir("/").stdout(std::process::Stdio::null());
    command
}

/// Runs the verb: serves a disk until nobody uses it.
///
/// # Errors
/// The arguments are not those of a run's server, or the disk cannot be served.
pub fn serve_disk(arguments: &[String]) -> Result<()> {
    bakeoff_powercut::serve(arguments).context("cannot serve a disk")
}

/// Refuses a medium that cannot be cut.
///
/// # Errors
/// It is a directory, or another file system: what to give instead.
pub(crate) fn check_medium(medium: &str, made: Option<&NewFileSystem>) -> Result<()> {
    if made.is_some_and(|made| FILE_SYSTEMS.iter().any(|(name, ..)| *name == made.name)) {
        return Ok(());
    }
    let medium = if medium == DEFAULT_MEDIUM { "disk" } else { medium };
    let choices: Vec<_> = FILE_SYSTEMS.iter().map(|(name, ..)| format!("new:{name}")).collect();
    bail!(
        "the power of a disk is cut only if the disk is made for the run: give --medium {medium}={}",
        choices.join(" or ")
    )
}
