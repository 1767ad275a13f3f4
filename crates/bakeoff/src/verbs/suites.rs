//! `bakeoff suites`: the suites that come with bakeoff.

use anyhow::Result;

use crate::cli::SuitesArguments;
use crate::outcome::Outcome;
use crate::show::columns;
use bakeoff_engine::SuiteSource;

/// Runs the verb.
pub(crate) fn main(arguments: &SuitesArguments) -> Result<Outcome> {
    match &arguments.name {
        Some(name) => print_text!("{}", SuiteSource::find(name)?.text)?,
        None => {
            let program = bakeoff_text::program();
            for (name, suite) in bakeoff_suite::builtin::all() {
                let first = format!("{name:<18} ");
                print_text!("{}", bakeoff_text::paragraph(suite.summary(), columns(), &first, &" ".repeat(19)))?;
            }
            print_line!("\n`{program} suites NAME` prints one; `{program} run FILE` runs your own (docs/SUITES.md).")?;
        }
    }
    Ok(Outcome::Good)
}
