//! The command line. One file a verb in `verbs/`; what a run does is in `bakeoff-engine`.
//!
//! Exit status: 0 all went well, 1 a cell failed or became worse than it may, 2 usage or set-up, 3 a comparison is inconclusive,
//! 130 interrupted.

#[macro_use]
mod output;

mod announce;
mod cli;
#[cfg(test)]
mod documents;
mod export;
mod measure;
mod named;
mod new_tape;
mod options;
mod outcome;
mod pick;
mod planned;
mod resume;
mod show;
mod verbs;
mod version;

use std::io;
use std::panic;
use std::process::ExitCode;

use bakeoff_engine::explained;
use bakeoff_tape::TapeError;
use bakeoff_text::{printable, set_program};
use bakeoff_trace::TraceError;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::Verb;
use crate::outcome::Outcome;

fn main() -> ExitCode {
    let can_begin = output::check_open().and_then(|()| bakeoff_engine::soften_limits());
    if let Err(why) = can_begin {
        return complain(&explained(&why));
    }
    bakeoff_limits::with_stack(run_program)
        .unwrap_or_else(|why| complain(&format!("the stack (`ulimit -s`) is too small, and {why}")))
}

fn run_program() -> ExitCode {
    set_program(&called());
    let cli = match cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !bakeoff_trace::panics_are_errors() {
            usual(panic);
        }
    }));
    match run_verb(cli.verb) {
        Ok(outcome) => outcome.exit_code(),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if is_stopped(&error) => Outcome::Interrupted.exit_code(),
        Err(error) => complain(&explained(&error)),
    }
}

/// What the script `./bakeoff` does itself.
const SCRIPT_VERBS: [&str; 6] = ["missing", "build", "test", "bench", "fuzz", "matrix"];

/// What the user typed to start this program: the script, which passes that on, or the program.
fn called() -> String {
    let of_script = std::env::var("BAKEOFF_CALLED").ok().filter(|_| std::env::var_os("BAKEOFF_SCRIPT").is_some());
    let own = || std::env::args_os().next().and_then(|name| name.into_string().ok());
    of_script.or_else(own).filter(|called| !called.is_empty()).unwrap_or_else(|| "bakeoff".to_owned())
}

/// Reports why it is over, and gives the status for that. The reason may hold paths and text of files, which must not steer a terminal.
fn complain(why: &str) -> ExitCode {
    let why = bakeoff_text::printable_lines(why);
    tell!("{}bakeoff:{} {why}", cli::ERROR.render(), cli::ERROR.render_reset());
    ExitCode::from(2)
}

/// Prints help, a version, or what is wrong with the arguments.
fn refuse(error: &clap::Error) -> ExitCode {
    // `--value-size -1KiB` is taken for an option of that name.
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(negative) =
            std::env::args_os().filter_map(|word| word.into_string().ok()).find(|word| is_negative(word))
    {
        return complain(&format!(
            "`{}` is neither an option nor a valid value: numbers, sizes and times must not be negative",
            printable(&negative)
        ));
    }
    if let Some(ContextValue::String(verb)) = error.get(ContextKind::InvalidSubcommand)
        && SCRIPT_VERBS.contains(&verb.as_str())
    {
        return complain(&format!(
            "`{verb}` is a command of the script ./bakeoff in a clone of the repository, not of the program"
        ));
    }
    match error.print() {
        Ok(()) => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(why) => complain(&explained(&anyhow::Error::from(why).context("cannot print"))),
    }
}

/// Whether this begins like a negative number.
fn is_negative(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

fn run_verb(verb: Verb) -> anyhow::Result<Outcome> {
    match verb {
        Verb::Run(arguments) => verbs::run::main(arguments),
        Verb::Pick(arguments) => verbs::pick::main(&arguments),
        Verb::Map(arguments) => verbs::map::main(arguments),
        Verb::Report(arguments) => verbs::report::main(&arguments),
        Verb::Compare(arguments) => verbs::compare::main(&arguments),
        Verb::Stores(arguments) => verbs::stores::main(&arguments),
        Verb::Suites(arguments) => verbs::suites::main(&arguments),
        Verb::Doctor(arguments) => verbs::doctor::main(&arguments),
        Verb::Tape(arguments) => verbs::tape::main(&arguments),
        Verb::Request(arguments) => verbs::request::main(&arguments),
        Verb::CheckDriver(arguments) => verbs::check_driver::main(&arguments),
        Verb::Cut(arguments) => verbs::cut::main(&arguments),
        Verb::Clean(arguments) => verbs::clean::main(&arguments),
        Verb::Completions { shell } => verbs::documentation::completions(shell),
        Verb::Man { directory } => verbs::documentation::man(&directory),
        Verb::Splice(arguments) => verbs::splice::main(&arguments),
        Verb::PowerCutDisk { arguments } => bakeoff_engine::serve_disk(&arguments).map(|()| Outcome::Good),
        Verb::Guard => bakeoff_engine::guard(output::REPORTER).map(|()| Outcome::Good),
    }
}

/// Whether Ctrl-C ended the reading or making of a tape.
fn is_stopped(error: &anyhow::Error) -> bool {
    let of_trace = error.downcast_ref().is_some_and(|why| matches!(why, TraceError::Tape(TapeError::Stopped)));
    of_trace || matches!(error.downcast_ref(), Some(TapeError::Stopped))
}

/// `bakeoff report … | head` is not an error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let system = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    system.map(io::Error::kind).any(|kind| kind == io::ErrorKind::BrokenPipe)
}
