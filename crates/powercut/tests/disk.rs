//! The disk with real file systems on it, and what is left of it after kills.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bakeoff_powercut::{
    Base, Cut, Disk, Flushes, LOG_BYTES_MAX, LoopDevice, Mount, Policy, Random, Recording, memory_file, mount,
};

const DISK_BYTES: u64 = 512 << 20;

/// Names of options, with their values.
type MountOptions = &'static [(&'static str, Option<&'static str>)];

/// How file systems are made, and how they are mounted.
const FILE_SYSTEMS: [(&str, &[&str], MountOptions); 3] = [
    ("ext4", &["mkfs.ext4", "-q", "-F", "-b", "4096"], &[]),
    ("xfs", &["mkfs.xfs", "-q", "-f"], &[("nouuid", None)]),
    ("btrfs", &["mkfs.btrfs", "-q", "-f"], &[]),
];

/// Not a test: the server of the tests' disks, as a process of its own.
#[test]
fn server() {
    let arguments: Vec<_> = std::env::args().collect();
    if std::env::var_os("SERVE_DISK").is_some() {
        std::process::exit(i32::from(bakeoff_powercut::serve(&arguments[arguments.len() - 4..]).is_err()));
    }
}

fn server_command() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "server", "--nocapture"]).env("SERVE_DISK", "1").stdout(Stdio::null());
    command
}

/// Makes a file system on a disk in memory; `None`, and says so, where that is not possible.
fn formatted(command: &[&str]) -> Option<Base> {
    let image = memory_file(DISK_BYTES).unwrap();
    let stdin = image.try_clone().unwrap();
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let made = Command::new(command[0])
        .args(&command[1..])
        .arg("/proc/self/fd/0")
        .env("PATH", path)
        .stdin(stdin)
        .stdout(Stdio::null())
        .status();
    match made {
        Ok(status) if status.success() => Some(Base::read(&image).unwrap()),
        other => skip(&format!("{}: {other:?}", command[0])),
    }
}

fn skip<T>(why: &str) -> Option<T> {
    let line = format!("SKIPPED: a disk whose power is cut: {why}\n");
    print!("{line}");
    if let Some(path) = std::env::var_os("BAKEOFF_SKIPPED") {
        OpenOptions::new().append(true).open(path).unwrap().write_all(line.as_bytes()).unwrap();
    }
    None
}

fn start(base: Base) -> Option<Disk> {
    match Disk::start(server_command(), base, 1, LOG_BYTES_MAX) {
        Ok(disk) => Some(disk),
        Err(why) if matches!(why.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound) => {
            skip(&why.to_string())
        }
        Err(why) => panic!("{why}"),
    }
}

fn mounted(kind: &str, file: &File, direct: bool, options: &[(&str, Option<&str>)]) -> io::Result<Mount> {
    let device = LoopDevice::attach(file, direct)?;
    let source = device.path().display().to_string();
    mount(kind, &[&[("source", Some(source.as_str()))][..], options].concat())
}

/// Writes files of pages, each flushed and acknowledged, with one that is never flushed.
fn record(kind: &str, command: &[&str], options: &[(&str, Option<&str>)]) -> Option<Recording> {
    let disk = start(formatted(command)?)?;
    let file = disk.open().unwrap();
    let mount = mounted(kind, &file, true, options).unwrap();
    drop(file);
    let directory = mount.path();
    fs::write(directory.join("created"), b"").unwrap();
    File::open(&directory).unwrap().sync_all().unwrap();
    disk.acknowledged().set_open();
    let mut flushed = File::create(directory.join("flushed")).unwrap();
    File::open(&directory).unwrap().sync_all().unwrap();
    let mut unflushed = File::create(directory.join("unflushed")).unwrap();
    for number in 0..40_u8 {
        unflushed.write_all(&[number; 8192]).unwrap();
        flushed.write_all(&[number; 6000]).unwrap();
        flushed.sync_data().unwrap();
        disk.acknowledged().set_count(0, u64::from(number) + 1);
    }
    drop((flushed, unflushed));
    mount.end().unwrap();
    Some(disk.end().unwrap())
}

/// What a cut leaves: how many pieces of the flushed file are there at most and whole, and the length of the other file.
fn after(recording: &Recording, cut: &Cut, kind: &str, options: &[(&str, Option<&str>)]) -> (u64, usize) {
    let image = recording.image(cut).unwrap();
    let mount = mounted(kind, &image, false, options).unwrap_or_else(|why| panic!("{kind}, {cut:?}: {why}"));
    let read = |name: &str| fs::read(mount.path().join(name)).unwrap_or_default();
    let (flushed, unflushed) = (read("flushed"), read("unflushed"));
    mount.end().unwrap();
    let whole = flushed.chunks(6000).enumerate().take_while(|(at, piece)| **piece == [*at as u8; 6000]);
    (
        whole.count() as u64,
        unflushed.chunks(8192).enumerate().take_while(|(at, piece)| **piece == [*at as u8; 8192]).count(),
    )
}

#[test]
fn a_flushed_file_survives_every_cut_and_an_unflushed_one_does_not() {
    for (kind, command, options) in FILE_SYSTEMS {
        let Some(recording) = record(kind, command, options) else { continue };
        let created = recording.created().unwrap();
        let moments = recording.moments();
        assert_eq!(moments.len(), 40, "{kind}");
        let mut random = Random::new(7);
        let begin = Instant::now();
        let (mut torn, mut lost) = (0, 0);
        let places = moments.iter().map(|(at, _)| (*at, Policy::Nothing)).collect::<Vec<_>>();
        let drawn = (0..40).map(|_| {
            let at = recording.draw(created..recording.len() + 1, &mut random).unwrap();
            (at, Policy::draw(&mut random))
        });
        let places: Vec<_> = places.into_iter().chain(drawn.collect::<Vec<_>>()).collect();
        for (position, policy) in &places {
            let cut = Cut {
                position: *position,
                policy: *policy,
                unit_bytes: 4096,
                flushes: Flushes::Obeyed,
                seed: random.bits(),
            };
            let acknowledged = recording.acknowledged(*position)[1];
            let (flushed, unflushed) = after(&recording, &cut, kind, options);
            assert!(flushed >= acknowledged, "{kind}, {cut:?}: {flushed} of {acknowledged}");
            lost += usize::from((unflushed as u64) < acknowledged);
            let lie = Cut { flushes: Flushes::Ignored { cached: 40 }, policy: Policy::Nothing, ..cut };
            if lie.position > created + 60 {
                torn += usize::from(mounted_or_lost(&recording, &lie, kind, options) < acknowledged);
            }
        }
        println!(
            "{kind}: {} cuts in {:?}, {} events, {} bytes",
            places.len(),
            begin.elapsed(),
            recording.len(),
            recording.log_bytes()
        );
        assert!(lost > 0, "{kind}: no cut lost what was not flushed");
        assert!(torn > 0, "{kind}: a disk that ignores flushes lost nothing");
    }
}

fn mounted_or_lost(recording: &Recording, cut: &Cut, kind: &str, options: &[(&str, Option<&str>)]) -> u64 {
    let image = recording.image(cut).unwrap();
    let Ok(mount) = mounted(kind, &image, false, options) else { return 0 };
    let read = fs::read(mount.path().join("flushed")).unwrap_or_default();
    read.chunks(6000).enumerate().take_while(|(at, piece)| **piece == [*at as u8; 6000]).count() as u64
}

/// Not a test: a process with a disk and a file system on it, which is written to until it is killed.
#[test]
fn victim() {
    if std::env::var_os("USE_DISK").is_none() {
        return;
    }
    let (kind, command, _) = FILE_SYSTEMS[0];
    let Some(disk) = formatted(command).and_then(start) else { return };
    let file = disk.open().unwrap();
    let device = LoopDevice::attach(&file, true).unwrap();
    let source = device.path().display().to_string();
    let mount = mount(kind, &[("source", Some(source.as_str()))]).unwrap();
    drop(file);
    println!("ready {} {} {}", disk.server(), source, sequence(&source));
    drop(device);
    let mut file = File::create(mount.path().join("file")).unwrap();
    loop {
        file.write_all(&[1; 100_000]).and_then(|()| file.sync_data()).unwrap_or_else(|_| std::process::exit(0));
    }
}

/// What the kernel counts up with each use of a device.
fn sequence(device: &str) -> String {
    let name = device.trim_start_matches("/dev/");
    fs::read_to_string(format!("/sys/block/{name}/diskseq")).unwrap_or_default().trim().to_owned()
}

/// What a victim said of itself: its server, its loop device, and the number of that device's use.
struct Ready {
    server: i32,
    device: String,
    sequence: String,
}

impl Ready {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split("ready ").nth(1)?.split_whitespace();
        Some(Self {
            server: words.next()?.parse().ok()?,
            device: words.next()?.to_owned(),
            sequence: words.next()?.to_owned(),
        })
    }

    /// Whether its device still has its file.
    fn is_attached(&self) -> bool {
        let name = self.device.trim_start_matches("/dev/");
        let is_used = std::path::Path::new(&format!("/sys/block/{name}/loop/backing_file")).exists();
        is_used && sequence(&self.device) == self.sequence
    }
}

/// Processes that were started with a mark in their environment.
fn processes(mark: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    entries.filter(|path| fs::read_to_string(path.join("environ")).is_ok_and(|words| words.contains(mark))).collect()
}

#[test]
fn kills_leave_nothing() {
    if formatted(FILE_SYSTEMS[0].1).and_then(start).is_none() {
        return;
    }
    let mut random = Random::new(11);
    let mark = format!("DISK_TEST={}", std::process::id());
    for round in 0..12 {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "victim", "--nocapture"]).env("USE_DISK", "1").env("DISK_TEST", &mark[10..]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0).spawn().unwrap();
        let is_early = round % 3 == 2;
        let mut ready = None;
        if !is_early {
            let lines = io::BufReader::new(child.stdout.take().unwrap()).lines();
            ready = lines.map_while(Result::ok).find_map(|line| Ready::read(&line));
            assert!(ready.as_ref().is_some_and(Ready::is_attached), "round {round}: the victim was not ready");
        }
        std::thread::sleep(Duration::from_micros(random.below(if is_early { 300_000 } else { 40_000 })));
        if let (0 | 1, Some(ready)) = (round % 4, &ready) {
            kill(ready.server);
        }
        if round % 4 > 0 || ready.is_none() {
            kill(child.id() as i32);
        }
        wait(&mut child);
        let begin = Instant::now();
        let is_left = || ready.as_ref().is_some_and(Ready::is_attached) || !processes(&mark).is_empty();
        while is_left() {
            assert!(begin.elapsed() < Duration::from_secs(10), "round {round}: {:?} are left", processes(&mark));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn kill(process: i32) {
    let process = rustix::process::Pid::from_raw(process).unwrap();
    let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
}

fn wait(child: &mut Child) {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(10), "the victim does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}
