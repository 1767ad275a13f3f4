//! Disk usage with holes, several names, links, and files that vanish.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bakeoff_measure::disk_usage;

/// In the build directory: some file systems in memory count no blocks for directories.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

#[test]
fn a_sparse_file_is_longer_than_what_it_takes() {
    let directory = directory();
    File::create(directory.path().join("sparse")).unwrap().set_len(100 << 20).unwrap();
    let usage = disk_usage(directory.path()).unwrap();
    assert_eq!(usage.apparent_bytes, 100 << 20);
    assert!(usage.allocated_bytes < 1 << 20, "{} bytes", usage.allocated_bytes);
    assert_eq!(usage.files, 1);
}

#[test]
fn a_small_file_takes_more_than_its_length_and_directories_count() {
    let directory = directory();
    let empty = disk_usage(directory.path()).unwrap();
    assert_eq!((empty.apparent_bytes, empty.files), (0, 0));
    let deep = directory.path().join("a/b/c");
    fs::create_dir_all(&deep).unwrap();
    let with_directories = disk_usage(directory.path()).unwrap();
    assert!(with_directories.allocated_bytes >= empty.allocated_bytes);
    let file = deep.join("small");
    fs::write(&file, [1; 3_000]).unwrap();
    File::open(&file).unwrap().sync_all().unwrap();
    let usage = disk_usage(directory.path()).unwrap();
    assert_eq!((usage.apparent_bytes, usage.files), (3_000, 1));
    assert!(usage.allocated_bytes > with_directories.allocated_bytes);
}

#[test]
fn agrees_with_du() {
    let directory = directory();
    for number in 0..50 {
        let inner = directory.path().join(format!("{}", number % 5));
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join(format!("{number}")), vec![1; number * 700]).unwrap();
    }
    fs::hard_link(directory.path().join("4/49"), directory.path().join("again")).unwrap();
    // The number of reserved blocks may change when they are written.
    sync_file_system(directory.path());
    let output = std::process::Command::new("du").args(["-s", "-B1"]).arg(directory.path()).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let du_bytes: u64 = listed.split_whitespace().next().unwrap().parse().unwrap();
    assert_eq!(disk_usage(directory.path()).unwrap().allocated_bytes, du_bytes);
}

fn sync_file_system(directory: &Path) {
    rustix::fs::syncfs(File::open(directory).unwrap()).unwrap();
}

#[test]
fn a_file_with_two_names_counts_once_and_links_are_not_followed() {
    let directory = directory();
    let elsewhere = self::directory();
    fs::write(elsewhere.path().join("large"), vec![1; 1 << 20]).unwrap();
    fs::write(directory.path().join("file"), [1; 1_000]).unwrap();
    fs::hard_link(directory.path().join("file"), directory.path().join("same")).unwrap();
    symlink(elsewhere.path(), directory.path().join("to-a-directory")).unwrap();
    symlink(elsewhere.path().join("large"), directory.path().join("to-a-file")).unwrap();
    symlink(directory.path(), directory.path().join("round-and-round")).unwrap();
    let usage = disk_usage(directory.path()).unwrap();
    assert_eq!((usage.apparent_bytes, usage.files), (1_000, 1));
}

#[test]
fn files_that_vanish_meanwhile_are_no_error() {
    let directory = directory();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for number in 0..40 {
                    let inner = directory.path().join(format!("inner-{number}"));
                    fs::create_dir_all(&inner).unwrap();
                    fs::write(inner.join("file"), b"x").unwrap();
                }
                for number in 0..40 {
                    fs::remove_dir_all(directory.path().join(format!("inner-{number}"))).unwrap();
                }
            }
        });
        let results: Vec<_> = (0..200).map(|_| disk_usage(directory.path())).collect();
        stop.store(true, Ordering::Relaxed);
        for result in results {
            assert!(result.unwrap().files <= 40);
        }
    });
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    assert_eq!(disk_usage(Path::new("/no/such/directory")).unwrap_err().kind(), ErrorKind::NotFound);
}
