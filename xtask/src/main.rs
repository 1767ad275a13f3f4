//! The development commands of `./bakeoff`: building, installing, testing, measuring and fuzzing. `./bakeoff` builds
//! this program and starts it with the directories in the environment.
//!
//! Exit status 1: a test failed, or `is-built` answers no. 2: something is missing, or a build failed.

mod bench;
mod build;
mod drivers;
mod files;
mod fuzz;
mod matrix;
mod message;
mod packages;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};
use message::say;
use workspace::Workspace;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match Workspace::from_environment().and_then(|workspace| start(&workspace, &arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say!("{error:#}");
            ExitCode::from(2)
        }
    }
}

/// Executes the command in the first argument. False if the answer to a question is no, or a test failed.
fn start(workspace: &Workspace, arguments: &[&str]) -> Result<bool> {
    match arguments {
        ["build-all"] => build::build_all(workspace).map(|()| true),
        ["is-built"] => build::is_built(workspace),
        // `build` reports an unknown name.
        ["is-driver-built", rest @ ..] => {
            let built = drivers::find(rest.first().copied()).ok().filter(|driver| driver.is_built(workspace));
            if let (Some(driver), Some(name)) = (&built, rest.first()) {
                driver.report_built(name);
            }
            Ok(built.is_some())
        }
        ["build", rest @ ..] => drivers::find(rest.first().copied())?.build(workspace).map(|()| true),
        ["missing", rest @ ..] => {
            drivers::find(rest.first().copied())?.missing().iter().for_each(|package| println!("{package}"));
            Ok(true)
        }
        ["test", rest @ ..] => test::main(workspace, rest),
        ["bench", rest @ ..] => bench::main(workspace, rest),
        ["matrix"] => matrix::main(workspace),
        ["fuzz", rest @ ..] => fuzz::main(workspace, rest).map(|()| true),
        _ => bail!("start this with ./bakeoff: it passes what it does not do"),
    }
}
