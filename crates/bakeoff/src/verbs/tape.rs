//! `bakeoff tape`: look into tapes and traces.

use std::io::{BufWriter, Write};

use anyhow::{Context, Result};

use crate::Outcome;
use crate::cli::{TapeArguments, TapeVerb};
use crate::pick::trace;

/// Runs the verb.
pub(crate) fn main(arguments: &TapeArguments) -> Result<Outcome> {
    match &arguments.verb {
        TapeVerb::Show { file, limit } => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            bakeoff_tape::show(file, &mut out, Some(*limit))?;
            out.flush().context("cannot print the tape")?;
            Ok(Outcome::Good)
        }
        TapeVerb::Summary { file } => {
            anstream::print!("{}", trace::words(&trace::read(file, None)?));
            Ok(Outcome::Good)
        }
    }
}
