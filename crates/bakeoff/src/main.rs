//! The command line. One file a verb in `verbs/`; what `run` does lies in `engine/`.
//!
//! Exit status: 0 all went well, 1 a cell failed or became worse than it may, 2 usage or set-up, 130 interrupted.

/// Says something on standard error. Where nobody takes it, nothing is lost but the words.
macro_rules! tell {
    ($($words:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut anstream::stderr(), format_args!("{}\n", format_args!($($words)*)));
    }};
}

mod cli;
mod drivers;
mod engine;
mod files;
mod pick;
mod recipes;
mod tools;
mod verbs;

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use bakeoff_tape::TapeError;
use bakeoff_trace::TraceError;
use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::{Cli, Verb};

/// This version, and the commit it was built from where `./bakeoff` built it, who knows.
pub(crate) const VERSION: &str = match option_env!("BAKEOFF_VERSION") {
    Some(with_commit) => with_commit,
    None => env!("CARGO_PKG_VERSION"),
};

/// The exit status of a program that a signal ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// How a verb ended when it ended without an error.
pub(crate) enum Outcome {
    /// All went well.
    Good,
    /// It worked, but some cell failed, or became worse than it may.
    SomeFailed,
    /// Ctrl-C.
    Interrupted,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(words) => return say_and_end(&words),
    };
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if unprinted(panic.payload()).is_none() && !bakeoff_trace::panics_are_errors() {
            usual(panic);
        }
    }));
    match panic::catch_unwind(AssertUnwindSafe(|| run_verb(cli.verb))) {
        Ok(code) => code,
        Err(panic) => match unprinted(&*panic) {
            Some(why) if why.contains("Broken pipe") => ExitCode::SUCCESS,
            Some(why) => complain(&format!("cannot print: {why}")),
            None => panic::resume_unwind(panic),
        },
    }
}

/// Says why it is over, and gives the status for that. Paths and words of files stand in it, which must not steer a terminal.
fn complain(why: &str) -> ExitCode {
    let why = bakeoff_report::printable_lines(why);
    tell!("{}bakeoff:{} {why}", cli::ERROR.render(), cli::ERROR.render_reset());
    ExitCode::from(2)
}

/// Help, a version, or what is wrong with the arguments.
fn say_and_end(words: &clap::Error) -> ExitCode {
    // `--value-size -1KiB` is taken for an option of that name.
    if words.kind() == ErrorKind::UnknownArgument
        && let Some(negative) = std::env::args().find(|word| is_negative(word))
    {
        return complain(&format!(
            "`{}` is no option, and as a number it is below zero, which no number, size or time here is",
            bakeoff_report::printable(&negative)
        ));
    }
    match words.print() {
        Ok(()) => ExitCode::from(u8::try_from(words.exit_code()).unwrap_or(2)),
        Err(why) if why.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(why) => complain(&format!("cannot print: {why}")),
    }
}

/// Whether this begins as a number below zero does.
fn is_negative(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Why something could not be printed, which `println!` tells by a panic: it ends the program like any other error, with everything
/// cleared away.
fn unprinted(panic: &(dyn Any + Send)) -> Option<&str> {
    panic.downcast_ref::<String>()?.strip_prefix("failed printing to stdout: ")
}

fn run_verb(verb: Verb) -> ExitCode {
    let outcome = match verb {
        Verb::Run(arguments) => verbs::run::main(arguments),
        Verb::Pick(arguments) => verbs::pick::main(&arguments),
        Verb::Report(arguments) => verbs::report::main(&arguments),
        Verb::Compare(arguments) => verbs::compare::main(&arguments),
        Verb::Stores(arguments) => verbs::stores::main(&arguments),
        Verb::Suites(arguments) => verbs::suites::main(&arguments),
        Verb::Doctor(arguments) => verbs::doctor::main(&arguments),
        Verb::Tape(arguments) => verbs::tape::main(&arguments),
        Verb::Request(arguments) => verbs::request::main(&arguments),
        Verb::Clean(arguments) => verbs::clean::main(&arguments),
        Verb::Guard => engine::guard::main(),
    };
    match outcome {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::SomeFailed) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if is_stopped(&error) => ExitCode::from(INTERRUPTED),
        Err(error) => complain(&format!("{error:#}")),
    }
}

/// Whether Ctrl-C ended the reading or making of a tape.
fn is_stopped(error: &anyhow::Error) -> bool {
    let of_trace = error.downcast_ref().is_some_and(|why| matches!(why, TraceError::Tape(TapeError::Stopped)));
    of_trace || matches!(error.downcast_ref(), Some(TapeError::Stopped))
}

/// `bakeoff report … | head` is not an error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
        // Libraries wrap it without naming it as their source.
        || format!("{error:#}").contains("Broken pipe")
}
