//! The questions of a pick, answered on a real pseudo-terminal.

mod common;

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use common::pseudo_terminal::{COLUMNS, terminal};
use common::{Place, unwrapped};
use vt100::Parser;

/// Rows of the terminal, so that nothing leaves it.
const ROWS: u16 = 200;

/// Types each answer once the screen shows what comes before it, and returns the last screen and the status.
fn talk(place: &Place, arguments: &[&str], answers: &[(&str, &str)]) -> (String, Option<i32>) {
    let (mut ours, theirs) = terminal();
    let mut command = Command::new("setsid");
    // What is never asked ends the test, and not its patience.
    command
        .args(["--ctty", "--wait", "timeout", "--foreground", "100"])
        .arg(place.command(arguments).get_program())
        .args(arguments);
    command.current_dir(place.path()).env("TERM", "xterm-256color").env_remove("BAKEOFF_SCRIPT");
    command.stdin(theirs.try_clone().expect("one more handle")).stdout(Stdio::null()).stderr(theirs);
    let mut child = command.spawn().expect("bakeoff starts");
    drop(command);
    let (mut parser, mut bytes, mut seen) = (Parser::new(ROWS, COLUMNS, 0), [0; 4096], 0);
    let mut answers = answers.iter();
    let mut next = answers.next();
    while let Ok(length @ 1..) = ours.read(&mut bytes) {
        parser.process(&bytes[..length]);
        let screen = unwrapped(&parser.screen().contents());
        // What was on the screen before the last answer is no sign that the next is awaited.
        while let Some((awaited, answer)) =
            next.filter(|(awaited, _)| screen.get(seen..).is_some_and(|new| new.contains(awaited)))
        {
            seen = screen.rfind(awaited).unwrap_or(0) + awaited.len();
            ours.write_all(format!("{answer}\n").as_bytes()).expect("it can be typed");
            next = answers.next();
        }
    }
    let status = child.wait().expect("it ends");
    let screen = parser.screen().rows(0, COLUMNS).collect::<Vec<_>>().join("\n");
    assert!(next.is_none(), "{next:?} was never asked:\n{screen}");
    (screen, status.code())
}

#[test]
fn six_questions_are_answered_in_words_that_people_type() {
    let place = Place::new();
    let answers = [
        ("1/6", "pyhton"),
        ("did you mean `python`", "python"),
        ("2/6", "?"),
        ("several with weights", "10-100 B json"),
        ("3/6", "b"),
        ("[10B..100B]", ""),
        ("3/6", "5e2"),
        ("4/6", "95%"),
        ("5/6", "everything"),
        ("6/6", ""),
        ("Enter: start", "20min"),
        ("20m can suffice", "sqlite,lmdb,flat-folder"),
        ("three rounds of 3 stores", "12 s"),
        ("12s", ""),
    ];
    let (screen, status) = talk(&place, &["pick"], &answers);
    assert!(status == Some(0) || status == Some(1), "the time may be too short: {status:?}\n{screen}");
    assert!(unwrapped(&screen).contains("Racing sqlite, lmdb, flat-folder within 12s"), "{screen}");
    let facts = place.run_file();
    let need = facts["pick"]["need"].as_array().expect("a need").clone();
    let said = |key: &str| need.iter().find(|pair| pair[0] == key).and_then(|pair| pair[1].as_str().map(str::to_owned));
    for (key, expected) in [
        ("language", "python"),
        ("value-size", "10B..100B"),
        ("data", "json"),
        ("records", "5e2"),
        ("mix", "get=95,update=3.75,insert=1.25"),
        ("durability", "none"),
    ] {
        assert_eq!(said(key).as_deref(), Some(expected), "{key}: {need:?}");
    }
}

#[test]
fn a_budget_that_cannot_suffice_is_named_before_the_race() {
    let place = Place::new();
    let answers = [("1/6", "s"), ("Enter: start", "2s"), ("2s is too short for a proof", "b"), ("6/6", "\u{3}")];
    let (screen, _) = talk(&place, &["pick"], &answers);
    assert!(unwrapped(&screen).contains("Enter: start with") && screen.contains("n: start with 2s"), "{screen}");
    assert!(place.runs().is_empty(), "nothing is made before the start");
    let flags = ["pick", "--records", "50k", "--stores", "sqlite,lmdb,redb", "--budget", "1s"];
    let told = unwrapped(&place.run(&flags).stderr);
    assert!(told.contains("1s is too short for a proof. Give --budget"), "{told}");
}
