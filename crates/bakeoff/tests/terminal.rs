//! What a person sees on a terminal while a run goes on: a real pseudo-terminal, read as a terminal reads it.

mod common;

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use common::pseudo_terminal::{COLUMNS, ROWS, terminal};
use common::{Place, tiny_suite};
use rustix::termios::{LocalModes, tcgetattr};
use vt100::Parser;

/// Every different screen that a command shows on its standard error, until it ends. Once a screen has `awaited`, Ctrl-C is typed.
fn screens(place: &Place, arguments: &[&str], awaited: Option<&str>) -> Vec<String> {
    let (mut ours, theirs) = terminal();
    let program = place.command(arguments);
    // In a session of its own, whose terminal this is: what is typed there reaches it as a signal.
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait"]).arg(program.get_program()).args(arguments).current_dir(place.path());
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("BAKEOFF_SCRIPT");
    command.stdin(theirs.try_clone().expect("one more handle")).stdout(Stdio::null()).stderr(theirs);
    let mut child = command.spawn().expect("bakeoff starts");
    // Its copy of the other end must go, or reading never ends.
    drop(command);
    let mut screens: Vec<String> = Vec::new();
    let (mut parser, mut bytes, mut typed) = (Parser::new(ROWS, COLUMNS, 0), [0; 4096], false);
    while let Ok(length @ 1..) = ours.read(&mut bytes) {
        parser.process(&bytes[..length]);
        // Row by row: otherwise a full row would seem to continue on the next one.
        let screen = parser.screen().rows(0, COLUMNS).collect::<Vec<_>>().join("\n");
        if !typed && awaited.is_some_and(|words| screen.contains(words)) {
            ours.write_all(b"\x03").expect("it can be typed");
            typed = true;
        }
        if screens.last() != Some(&screen) {
            screens.push(screen);
        }
    }
    let status = child.wait().expect("it ends");
    let modes = tcgetattr(&ours).expect("its modes").local_modes;
    assert!(modes.contains(LocalModes::ECHOCTL | LocalModes::ECHO), "the terminal is as it was: {modes:?}");
    assert_eq!((status.code(), typed), (Some(if typed { 130 } else { 0 }), awaited.is_some()), "{screens:#?}");
    screens
}

#[test]
fn a_narrow_terminal_shows_the_time_left_and_every_leader() {
    let place = Place::new();
    let suite = tiny_suite(r#""sqlite", "lmdb", "flat-folder""#, "");
    place.write("tiny.toml", &suite);
    let screens = screens(&place, &["run", "tiny.toml", "--records", "1000", "--rounds", "4"], None);
    let all = || screens.iter().flat_map(|screen| screen.lines());
    assert!(all().any(|line| line.contains(" % ") && line.contains(" left · ")), "{screens:#?}");
    for phase in ["load", "get", "scan"] {
        let leads =
            |line: &str| line.starts_with(&format!("{phase} 10B..100B × 1,000 random: ")) && line.contains("(then ");
        assert!(all().any(leads), "{phase}: {screens:#?}");
    }
    // What was shown for the time being is gone.
    let last = screens.last().expect("a screen");
    assert!(!last.contains(" % ") && !last.contains("(then "), "{last}");
}

#[test]
fn a_run_that_is_stopped_leaves_a_clean_screen() {
    let place = Place::new();
    place.write("tiny.toml", &tiny_suite(r#""sqlite", "lmdb""#, ""));
    let screens = screens(&place, &["run", "tiny.toml", "--records", "1000", "--rounds", "100"], Some("(then "));
    let last = screens.last().expect("a screen");
    assert!(last.contains("Stopped. What was measured is kept"), "{last}");
    assert!(!last.contains(" % ") && !last.contains("(then "), "{last}");
}

#[test]
fn leaders_that_have_no_room_are_counted() {
    let place = Place::new();
    let phase = |number| format!("[[phases]]\nname = \"get-{number}\"\noperation = \"get\"\noperations = 10\n");
    place.write("tiny.toml", &tiny_suite(r#""lmdb""#, &(1..=12).map(phase).collect::<String>()));
    let screens = screens(&place, &["run", "tiny.toml", "--rounds", "20"], None);
    assert!(screens.iter().any(|screen| screen.contains("and 4 phases more")), "{screens:#?}");
}
