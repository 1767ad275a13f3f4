//! The faulty store produces each of its faults, after the requested number of operations.
//!
//! Faults that end or stop a process happen in a child: this same program, with the fault in a variable.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use bakeoff_store::{DataHints, Direction, Durability, OpenRequest, Session, SessionPlan, Settings, Store, StoreError};

const CHILD: &str = "FAULTY_STORE_FAULT";
const SIGABRT: i32 = 6;

fn open(directory: &std::path::Path, fault: &str, at: u64) -> Box<dyn Store> {
    let entry = bakeoff_stores::find("faulty").unwrap();
    let given = Settings::from([("fault".to_owned(), fault.into()), ("at".to_owned(), at.into())]);
    let settings = bakeoff_store::resolve_settings(&(entry.describe)(), &given).unwrap();
    let hints = DataHints::default();
    let request = OpenRequest { directory, durability: Durability::Process, settings: &settings, hints: &hints };
    (entry.open)(&request).unwrap()
}

/// Works in a session of a store that fails after three operations; two of them have inserted records.
fn with_fault(fault: &str, mut work: impl FnMut(&mut dyn Session) -> Result<(), StoreError>) -> Result<(), StoreError> {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), fault, 3);
    store.session(&SessionPlan::default(), &mut |session| {
        session.insert(b"a", b"value of a")?;
        session.insert(b"b", b"value of b")?;
        assert_eq!(get(session, b"a").as_deref(), Some(&b"value of a"[..]), "the third operation is still right");
        work(session)
    })
}

fn get(session: &mut dyn Session, key: &[u8]) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    session.get(key, &mut value).unwrap().then_some(value)
}

fn keys(session: &mut dyn Session) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    session
        .scan(None, Direction::Forward, &mut |key, _| {
            keys.push(key.to_vec());
            true
        })
        .unwrap();
    keys
}

#[test]
fn wrong_value() {
    with_fault("wrong-value", |session| {
        let value = get(session, b"a").unwrap();
        assert!(value != b"value of a" && value.len() == 10, "{value:?}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn missing_key() {
    with_fault("missing-key", |session| {
        assert_eq!(get(session, b"a"), None);
        assert_eq!(keys(session), [b"b"]);
        Ok(())
    })
    .unwrap();
}

#[test]
fn phantom_key() {
    with_fault("phantom-key", |session| {
        assert!(get(session, b"never inserted").is_some());
        assert_eq!(keys(session).len(), 3);
        Ok(())
    })
    .unwrap();
}

#[test]
fn errors() {
    let strike = |fault| with_fault(fault, |session| session.update(b"a", b""));
    assert!(matches!(strike("error"), Err(StoreError::Store(_))));
    assert!(matches!(strike("disk-full"), Err(StoreError::DiskFull(_))));
    assert!(matches!(strike("none"), Ok(())));
}

#[test]
fn slow() {
    let start = Instant::now();
    with_fault("slow", |session| session.delete(b"a")).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(100));
}

#[test]
fn lost_on_reopen() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path(), "lost-on-reopen", 0);
    let fill = &mut |session: &mut dyn Session| {
        session.insert(b"a", b"1")?;
        session.insert(b"b", b"2")
    };
    store.session(&SessionPlan::default(), fill).unwrap();
    store.close().unwrap();
    let store = open(directory.path(), "none", 0);
    let look = &mut |session: &mut dyn Session| {
        assert_eq!(keys(session), [b"b"]);
        Ok(())
    };
    store.session(&SessionPlan::default(), look).unwrap();
}

#[test]
fn pause_is_spent_in_every_operation() {
    let directory = tempfile::tempdir().unwrap();
    let entry = bakeoff_stores::find("faulty").unwrap();
    let given = Settings::from([("pause-ns".to_owned(), 1_000_000.into())]);
    let settings = bakeoff_store::resolve_settings(&(entry.describe)(), &given).unwrap();
    let (hints, directory) = (DataHints::default(), directory.path());
    let request = OpenRequest { directory, durability: Durability::None, settings: &settings, hints: &hints };
    let store = (entry.open)(&request).unwrap();
    let start = Instant::now();
    store
        .session(&SessionPlan::default(), &mut |session| (0..5_u8).try_for_each(|key| session.upsert(&[key], b"")))
        .unwrap();
    assert!(start.elapsed() >= Duration::from_millis(5));
}

fn child(fault: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "in_a_child", "--nocapture"]).env(CHILD, fault);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run_child(fault: &str) -> (Output, String) {
    let output = child(fault).output().unwrap();
    let words = [&output.stdout[..], &output.stderr].concat();
    (output, String::from_utf8_lossy(&words).into_owned())
}

/// Produces the fault in the variable, if there is one.
#[test]
fn in_a_child() {
    let Ok(fault) = std::env::var(CHILD) else { return };
    let result = with_fault(&fault, |session| session.delete(b"a"));
    println!("after the fault: {result:?}");
}

#[test]
fn crash_aborts() {
    let (output, _) = run_child("crash");
    assert_eq!(output.status.signal(), Some(SIGABRT));
}

#[test]
fn exit_is_silent_and_looks_like_success() {
    let (output, words) = run_child("exit");
    assert!(output.status.success() && !words.contains("after the fault"), "{words}");
}

#[test]
fn panic_unwinds() {
    let (output, words) = run_child("panic");
    assert!(!output.status.success() && words.contains("asked to panic"), "{words}");
}

#[test]
fn out_of_memory_is_an_error_and_gives_the_memory_back() {
    let (output, words) = run_child("out-of-memory");
    assert!(output.status.success() && words.contains("after the fault: Err(OutOfMemory("), "{words}");
}

#[test]
fn hang_never_returns() {
    let mut child = child("hang").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None, "it is still at it");
    child.kill().unwrap();
    child.wait().unwrap();
}
