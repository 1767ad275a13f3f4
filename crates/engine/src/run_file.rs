//! `run.json`: everything a result needs to be understood alone, and a killed run to be finished.

#![allow(missing_docs, reason = "keys of the file are documented in docs/RESULTS.md")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_measure::{Machine, Medium};
use bakeoff_protocol::{PROTOCOL_VERSION, StoreDescription};
use bakeoff_results::pick_facts::PickFacts;
use bakeoff_results::rate_search::RateFacts;
use bakeoff_suite::RunOptions;
use bakeoff_tape::PoolFacts;
use serde::{Deserialize, Serialize};

use crate::place::own_directory::replace_file;
use crate::surroundings::disturbance::DisturbanceFacts;
use crate::surroundings::profile::ProfileFacts;

/// The file's name in a run's directory.
pub const RUN_FILE: &str = "run.json";

/// What `run.json` holds. Documented in docs/RESULTS.md.
#[derive(Clone, Serialize, Deserialize)]
pub struct RunFile {
    pub protocol: u32,
    pub bakeoff_version: String,
    /// The command line as typed, program first.
    pub command_line: Vec<String>,
    /// The directory it was typed in: relative paths in it start there.
    pub working_directory: PathBuf,
    /// What was asked of the run beside its suite; absent in files of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<RunOptions>,
    pub started: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    pub suite: SuiteText,
    pub seed: u64,
    pub rounds: u32,
    pub machine: Machine,
    pub media: BTreeMap<String, Medium>,
    /// What went on beside some cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbances: Vec<DisturbanceFacts>,
    pub drivers: Vec<DriverFacts>,
    pub stores: Vec<StoreDescription>,
    pub cells: Vec<String>,
    pub skipped: Vec<WhatWhy>,
    #[serde(default)]
    pub given_up: Vec<WhatWhy>,
    #[serde(default)]
    pub warnings: Vec<WarningFacts>,
    #[serde(default)]
    pub pools: Vec<PoolEntry>,
    /// What was asked, if this was a pick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pick: Option<PickFacts>,
    /// What was looked for, if this was a search for the highest rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find_rate: Option<RateFacts>,
    /// What was profiled, if something was: such a run's figures are no measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileFacts>,
}

/// The suite as it was read, so that a changed file cannot change a run that is finished later.
#[derive(Clone, Serialize, Deserialize)]
pub struct SuiteText {
    pub name: String,
    pub title: String,
    pub summary: String,
    pub analysis: String,
    /// Variants that are measured; none where the suite has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantText>,
    /// Variants that the others are set against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baseline: Vec<String>,
    /// The part of the records that `--scale` left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// `--records` and `--value-size` as typed, where they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers_given: Vec<String>,
    pub text: String,
}

/// A variant of the suite.
#[derive(Clone, Serialize, Deserialize)]
pub struct VariantText {
    pub name: String,
    pub summary: String,
}

/// Something that was left out, and why.
#[derive(Clone, Serialize, Deserialize)]
pub struct WhatWhy {
    pub what: String,
    pub why: String,
}

/// A driver that took part.
#[derive(Clone, Serialize, Deserialize)]
pub struct DriverFacts {
    pub driver: String,
    pub version: String,
    pub build: String,
    pub path: PathBuf,
    /// The stores of the run that it replays.
    #[serde(default)]
    pub stores: Vec<String>,
    /// What the environment tells its virtual machine, which no request says: variables with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// A warning as it is kept and shown.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct WarningFacts {
    pub code: String,
    pub message: String,
}

/// A value pool and how far it can be compressed.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct PoolEntry {
    pub data: String,
    /// The form of a directory tree's values, where they are serialised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    #[serde(flatten)]
    pub facts: PoolFacts,
}

impl RunFile {
    /// Reads the file of a run that is to be finished.
    pub fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(RUN_FILE);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let protocol =
            serde_json::from_str::<serde_json::Value>(&text).ok().and_then(|value| value["protocol"].as_u64());
        if let Some(other) = protocol.filter(|version| *version != u64::from(PROTOCOL_VERSION)) {
            bail!("{} was written by another version (protocol {other}, this is {PROTOCOL_VERSION})", path.display());
        }
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    /// What was asked of the run beside its suite.
    ///
    /// # Errors
    /// An older version wrote the file, and did not keep it.
    pub fn options(&self) -> Result<&RunOptions> {
        self.options.as_ref().with_context(|| {
            format!(
                "the run was begun by bakeoff {}, which did not record its options: start a new run, or go on with that version",
                self.bakeoff_version
            )
        })
    }

    /// Writes it, replacing what was there in one step.
    pub fn write(&self, directory: &Path) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(self).context("cannot write run.json as JSON")?;
        text.push(b'\n');
        replace_file(&directory.join(RUN_FILE), &text)
    }
}

/// The time now, as results and names of directories have it.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
