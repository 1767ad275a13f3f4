//! Options of a run besides the text of its suite.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use bakeoff_protocol::Profile;
use serde::{Deserialize, Serialize};

use crate::assemble::overrides::Overrides;

/// Options of a run besides the text of its suite. `run.json` keeps them, so an interrupted run resumes with the same
/// plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Flags that override the suite.
    pub overrides: Overrides,
    /// The directory whose text files become values. `None` uses the built-in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<PathBuf>,
    /// The directory on the disk to measure. `None` means `out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Media by name: a directory each, or `new:FS:SIZE` for a file system that is created for the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub media: BTreeMap<String, PathBuf>,
    /// The directory for results.
    pub out: PathBuf,
    /// The time budget of the run, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ns: Option<u64>,
    /// The only driver program whose stores are measured. `None` measures all stores of all drivers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<PathBuf>,
    /// The kind of profile, if the run is profiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

impl RunOptions {
    /// The time budget of the run.
    pub fn budget(&self) -> Option<Duration> {
        self.budget_ns.map(Duration::from_nanos)
    }

    /// The same options with this budget, if there is one.
    pub fn within(self, budget: Option<Duration>) -> Self {
        Self { budget_ns: budget.map(|budget| u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX)), ..self }
    }
}
