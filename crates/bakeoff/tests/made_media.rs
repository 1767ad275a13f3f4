//! File systems made for a run are gone after it, also when it is killed.

mod common;

use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use common::{Place, say_skipped, tiny_suite, with_program};
use rustix::process::{Pid, Signal, kill_process};

/// A store that loads for a second and reads for another.
fn slow_suite() -> String {
    let suite = tiny_suite(r#""faulty""#, "\n[settings.faulty]\npause-ns = 5_000_000\n");
    suite.replace("durability =", "media = [\"disk\"]\ndurability =")
}

/// Who still has something of a place: mounts that any process sees, and loop devices.
fn traces(place: &Place) -> Vec<PathBuf> {
    let here = place.path().canonicalize().unwrap().display().to_string();
    let entries = |directory: &str, file: &'static str| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(move |entry| entry.path().join(file)).collect::<Vec<_>>()
    };
    let files = [entries("/proc", "mountinfo"), entries("/sys/block", "loop/backing_file")].concat();
    let speaks_of_it = |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains(&here));
    files.into_iter().filter(speaks_of_it).chain(place.leftovers()).collect()
}

/// Starts a run on a new file system, with programs of the place's own before others.
fn start(place: &Place, file_system: &str) -> Child {
    place.write("tiny.toml", &slow_suite());
    let path = format!("{}:{}", place.path().join("bin").display(), std::env::var("PATH").unwrap());
    let medium = format!("disk=new:{file_system}:512MiB");
    let mut command = place.command(&["run", "tiny.toml", "--medium", &medium, "--rounds", "1"]);
    // Not piped: who reads a pipe to its end would wait for all who have it.
    let log = std::fs::File::create(place.path().join("said")).unwrap();
    command.env("PATH", path).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

/// Waits until `begun` is so; false, and that is said, where such a file system cannot be made.
fn has_begun(place: &Place, run: &mut Child, begun: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !begun() {
        if let Some(status) = run.try_wait().unwrap() {
            let told = std::fs::read_to_string(place.path().join("said")).unwrap();
            // As where a container has root and no right to mount.
            assert!(status.code() == Some(2) && told.contains("mount"), "{told}");
            say_skipped("a killed run with a file system of its own", &told);
            return false;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the file system is made");
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Kills a run, and asserts that it leaves nothing.
fn kill(place: &Place, mut run: Child, when: &str) {
    assert!(run.try_wait().unwrap().is_none(), "it is still running {when}");
    run.kill().unwrap();
    run.wait().unwrap();
    assert_nothing_is_left(place, when);
}

/// Soon after its end, however that came, there is nothing of a run but its results.
fn assert_nothing_is_left(place: &Place, when: &str) {
    let begin = Instant::now();
    loop {
        let left = traces(place);
        if left.is_empty() {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "ended {when}: {left:?} are left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_killed_while_its_media_are_used_leaves_nothing_of_them() {
    // Side by side, since each waits most of the time.
    std::thread::scope(|scope| {
        for file_system in ["ext4", "tmpfs", "xfs", "btrfs", "ntfs"] {
            scope.spawn(move || a_killed_run_leaves_nothing_of(file_system));
        }
    });
}

fn a_killed_run_leaves_nothing_of(file_system: &str) {
    for (when, wait_ms) in [("once it is mounted", 0), ("while filling", 600), ("while measuring", 1600)] {
        let place = Place::on_disk();
        let mut run = start(&place, file_system);
        let process = PathBuf::from(format!("/proc/{}/mountinfo", run.id()));
        if !has_begun(&place, &mut run, || traces(&place).contains(&process)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(wait_ms));
        kill(&place, run, when);
        if wait_ms > 1000 {
            place.run(&["run", "--resume"]).expect(0);
            assert_eq!(traces(&place), Vec::<PathBuf>::new());
        }
    }
}

#[test]
fn a_run_killed_while_its_media_are_made_leaves_nothing_of_them() {
    // The image of an NTFS has a name until it is mounted.
    for (file_system, maker) in [("ext4", "mkfs.ext4"), ("ntfs", "mkfs.ntfs")] {
        let place = Place::on_disk();
        let made = place.path().join("made");
        with_program(&place, maker, &format!("echo > {}; exec sleep 600", made.display()));
        let mut run = start(&place, file_system);
        if has_begun(&place, &mut run, || made.exists()) {
            assert_eq!(place.leftovers().len(), 1, "the directory that it is made in");
            kill(&place, run, "in mkfs");
        }
    }
}

#[test]
fn a_run_that_ends_at_the_second_ctrl_c_leaves_nothing_of_its_media() {
    let place = Place::on_disk();
    let made = place.path().join("made");
    with_program(&place, "mkfs.ext4", &format!("echo > {}; exec sleep 600", made.display()));
    let mut run = start(&place, "ext4");
    if !has_begun(&place, &mut run, || made.exists()) {
        return;
    }
    for _ in 0..2 {
        kill_process(Pid::from_child(&run), Signal::INT).unwrap();
        // Two at once would ask once.
        std::thread::sleep(Duration::from_millis(700));
    }
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_nothing_is_left(&place, "in mkfs");
}

#[test]
fn a_new_file_system_larger_than_the_room_for_its_image_is_refused_by_the_plan_too() {
    let place = Place::on_disk();
    place.write("tiny.toml", &slow_suite());
    let plan = |size: &str| place.run(&["run", "tiny.toml", "--plan", "--medium", &format!("disk=new:ext4:{size}")]);
    let largest = || {
        let refused = plan("10000TiB").expect(2).stderr;
        assert!(refused.contains("a new ext4 of 10000TiB does not fit "), "{refused}");
        refused.trim().rsplit("give at most new:ext4:").next().unwrap().to_owned()
    };
    // Less fits if another program writes to the disk at the same time.
    let mut tries = (0..20).map(|_| plan(&largest()));
    let planned = tries.find(|planned| planned.status == Some(0)).expect("what was told to fit does").stdout;
    let planned = planned.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(planned.contains("; images of new file systems grow to "), "{planned}");
    assert_eq!(place.leftovers(), Vec::<PathBuf>::new());
}
