//! A planned suite, and the record of its run before it starts.

use anyhow::Result;
use bakeoff_engine::{Missing, Setup, SuiteSource, run_record};
use bakeoff_measure::Machine;
use bakeoff_results::record::RunRecord;
use bakeoff_suite::RunOptions;

use crate::announce::nothing_left;
use crate::options::tell_left_out;
use crate::output::REPORTER;
use crate::version::VERSION;

/// What a verb of its own measures besides `run` and `pick`, planned.
pub(crate) struct Planned {
    pub(crate) setup: Setup,
    source: SuiteSource,
}

impl Planned {
    /// Plans, and makes sure that something is left to measure and that it can be.
    ///
    /// # Errors
    /// It cannot be planned or measured here.
    pub(crate) fn new(options: &RunOptions, source: SuiteSource) -> Result<Self> {
        let setup = Setup::new(options, &source, true, REPORTER)?;
        tell_left_out(&setup.drivers)?;
        if setup.plan.workloads.is_empty() {
            return Err(nothing_left(&setup));
        }
        setup.check_tools(Missing::Install)?;
        Ok(Self { setup, source })
    }

    /// The record of the run before it starts.
    pub(crate) fn file(&self) -> RunRecord {
        run_record(&self.setup, self.source.clone(), Machine::read(), VERSION)
    }
}
