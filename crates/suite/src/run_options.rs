//! What is asked of a run beside the text of its suite.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use bakeoff_protocol::Profile;
use serde::{Deserialize, Serialize};

use crate::assemble::overrides::Overrides;

/// What is asked of a run beside the text of its suite. `run.json` keeps it, so a run that was cut short is planned again from the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// Flags that take the place of what the suite says.
    pub overrides: Overrides,
    /// The directory whose text files values are made of; `None` for the built-in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<PathBuf>,
    /// The directory on the disk to measure; `None` for `out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Media by name: a directory each, or `new:FS:SIZE` for a file system that is made for the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub media: BTreeMap<String, PathBuf>,
    /// The directory in which results are made.
    pub out: PathBuf,
    /// How long the run may take, nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ns: Option<u64>,
    /// The driver program whose stores alone are measured; `None` for all stores of all drivers there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<PathBuf>,
    /// What is profiled, if something is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

impl RunOptions {
    /// How long the run may take.
    pub fn budget(&self) -> Option<Duration> {
        self.budget_ns.map(Duration::from_nanos)
    }

    /// The same with a budget, if there is one.
    pub fn within(self, budget: Option<Duration>) -> Self {
        Self { budget_ns: budget.map(|budget| u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX)), ..self }
    }
}
