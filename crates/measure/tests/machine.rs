//! The machine and media of these tests.

use std::path::Path;

use bakeoff_measure::{DeviceId, Machine, Medium, nofile_limit};

#[test]
fn this_machine_is_known() {
    let machine = Machine::read();
    assert_eq!(machine.architecture, std::env::consts::ARCH);
    assert!(machine.kernel.as_ref().unwrap().contains('.'), "{:?}", machine.kernel);
    assert!(machine.cpus_logical.unwrap() >= machine.cpus_usable.unwrap());
    assert!(machine.memory_bytes.unwrap() > 64 << 20);
    assert!(machine.memory_usable_bytes().unwrap() <= machine.memory_bytes.unwrap());
    assert!(machine.swap_used_bytes.unwrap() <= machine.swap_bytes.unwrap());
    assert!(machine.load_1m.unwrap() >= 0.0);
}

#[test]
fn a_machine_survives_json() {
    let machine = Machine::read();
    let json = serde_json::to_string(&machine).unwrap();
    assert_eq!(serde_json::from_str::<Machine>(&json).unwrap(), machine);
    assert!(!json.contains("null"), "unknown parts must be absent: {json}");
    assert_eq!(serde_json::to_string(&Machine::default()).unwrap(), "{\"architecture\":\"\"}");
}

#[test]
fn no_host_name_is_told() {
    let json = serde_json::to_string(&Machine::read()).unwrap();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let words: Vec<&str> = json.split(|letter: char| !letter.is_alphanumeric() && letter != '-').collect();
    assert!(!words.contains(&host.trim()), "{json}");
}

#[test]
fn the_directory_of_the_sources_lies_on_something() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let medium = Medium::read(sources);
    assert_eq!(medium.directory, sources.canonicalize().unwrap());
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    if medium.file_system.is_none() {
        // In a chroot that is not a mount point the kernel does not show the mount below it.
        assert!(!mounts.lines().any(|line| line.split(' ').nth(4) == Some("/")), "{mounts}");
        return;
    }
    assert!(sources.canonicalize().unwrap().starts_with(medium.mount_point.as_ref().unwrap()));
    assert!(!medium.mount_options.is_empty());
    assert!(medium.free_bytes.unwrap() <= medium.total_bytes.unwrap());
    assert_eq!(medium.device, DeviceId::of(sources));
    assert_eq!(medium.device_name.is_some(), medium.device.is_some());
    let json = serde_json::to_string(&medium).unwrap();
    assert_eq!(serde_json::from_str::<Medium>(&json).unwrap(), medium);
}

#[test]
fn shared_memory_is_memory() {
    let medium = Medium::read(Path::new("/dev/shm"));
    assert_eq!(medium.file_system.as_deref(), Some("tmpfs"));
    assert_eq!(medium.mount_point.as_deref(), Some(Path::new("/dev/shm")));
    assert!(medium.is_memory());
    assert_eq!((medium.device, medium.device_name, medium.rotational), (None, None, None));
    assert!(medium.total_bytes.unwrap() > 0);
}

#[test]
fn a_directory_yet_to_be_made_is_judged_by_what_will_hold_it() {
    let medium = Medium::read(Path::new("/dev/shm/no-such/directory/yet"));
    assert_eq!(medium.directory, Path::new("/dev/shm"));
    assert!(medium.is_memory());
}

#[test]
fn the_limit_of_open_files_is_that_of_the_shell() {
    let output = std::process::Command::new("sh").args(["-c", "ulimit -Sn; ulimit -Hn"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let limits: Vec<Option<u64>> = text.lines().map(|line| line.parse().ok()).collect();
    assert_eq!(limits, [nofile_limit().soft, nofile_limit().hard]);
}
