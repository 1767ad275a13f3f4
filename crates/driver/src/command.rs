//! The driver's command line: two verbs for programs, and a few words for people who come by.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::ExitCode;

use bakeoff_protocol::{DriverDescription, Event, PROTOCOL_VERSION, Platform, Request};
use bakeoff_store::Entry;

use crate::emit::Emitter;
use crate::failure::Failure;
use crate::request::parse_request;
use crate::run::run;
use crate::twins;

/// The longest request a driver reads.
const REQUEST_BYTES_MAX: u64 = 16 << 20;

/// Runs the driver called `name` over `stores` with the arguments of this process.
///
/// Exit status: 0 all went well, 1 the cell failed (the last event says why), 2 usage.
pub fn main(name: &str, stores: &[Entry]) -> ExitCode {
    // A word that is no text is no verb.
    let mut arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("describe"), None) => describe(name, stores),
        (Some("run"), None) => bakeoff_limits::with_stack(|| run_request(stores)).unwrap_or_else(|why| {
            eprintln!("{name}: {why}");
            ExitCode::FAILURE
        }),
        (Some("--version"), None) => print(name, &format!("{name} {}", env!("CARGO_PKG_VERSION"))),
        _ => {
            eprintln!(
                "{name}: opens stores and replays tapes for bakeoff\n\n\
                 usage: {name} describe    print the stores and what they can do, as JSON\n       \
                 {name} run         read a request from standard input, write events to standard output\n\n\
                 example: bakeoff request CELL | {name} run"
            );
            ExitCode::from(2)
        }
    }
}

fn describe(name: &str, stores: &[Entry]) -> ExitCode {
    let descriptions = stores.iter().map(|entry| (entry.describe)());
    let description = DriverDescription {
        protocol: PROTOCOL_VERSION,
        driver: name.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        platform: Platform::Native,
        build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        stores: if twins::is_asked() { twins::with_twins(descriptions) } else { descriptions.collect() },
        warms_up: false,
        recovers: true,
        power_cuts: true,
        profiles: Vec::new(),
        missing: BTreeMap::new(),
    };
    match serde_json::to_string_pretty(&description) {
        Ok(text) => print(name, &text),
        Err(error) => {
            eprintln!("{name}: cannot write the description: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line, or the error if it cannot. A closed pipe is no error: its reader has enough.
fn print(name: &str, text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("{name}: cannot print: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn run_request(stores: &[Entry]) -> ExitCode {
    let emitter = Emitter::new();
    match read_request().and_then(|request| run(&of_original(request, stores), stores, &emitter)) {
        Ok(finished) => {
            emitter.emit(&Event::Finished(finished));
            if emitter.has_lost() {
                eprintln!("cannot write events to standard output: what was measured is lost");
                return ExitCode::FAILURE;
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let words = format!("{}: {}\n", failure.kind.label(), failure.message);
            emitter.emit(&Event::Failed { kind: failure.kind, phase: failure.phase, message: failure.message });
            // The event has reported it. A log on a full disk takes no more, and that is no reason to panic.
            let _ = std::io::stderr().write_all(words.as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// The request, for the store that opens a twin.
fn of_original(request: Request, stores: &[Entry]) -> Request {
    let descriptions = stores.iter().map(|entry| (entry.describe)());
    match twins::is_asked().then(|| twins::original(&request.store, descriptions)).flatten() {
        Some(store) => Request { store, ..request },
        None => request,
    }
}

fn read_request() -> Result<Request, Failure> {
    let mut text = String::new();
    std::io::stdin()
        .take(REQUEST_BYTES_MAX)
        .read_to_string(&mut text)
        .map_err(|error| Failure::bad_request(format!("cannot read the request from standard input: {error}")))?;
    parse_request(&text)
}
