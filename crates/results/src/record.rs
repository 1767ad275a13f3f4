//! `run.json`: everything needed to understand a result on its own, and to resume an interrupted run. Documented in
//! docs/RESULTS.md.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use bakeoff_measure::{Machine, Medium};
use bakeoff_protocol::{PROTOCOL_VERSION, Profile, StoreDescription, is_blank};
use bakeoff_suite::RunOptions;
use bakeoff_tape::{PoolFacts, Role};
use bakeoff_text::shell_command;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::RunError;
use crate::lenient;
use crate::map_facts::MapFacts;
use crate::omission::Omission;
use crate::pick_facts::PickFacts;
use crate::rate_search::RateFacts;
use crate::read_note::ReadNote;
use crate::seal::{Seal, seal, seal_of};
use crate::side::SideRecord;
use bakeoff_files::{read_regular, replace_file};
use bakeoff_text::shorten_error;

/// The file's name in a run's directory.
pub const RUN_FILE: &str = "run.json";

/// The content of `run.json`. Any field may be absent, in files of older versions and in damaged files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// The version of the format; 0 if unknown.
    pub protocol: u64,
    /// The version of bakeoff, with the commit it was built from; empty if unknown.
    pub bakeoff_version: String,
    /// What the user calls the run, to find it again; `None` where nothing was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The command line as typed.
    pub command_line: CommandLine,
    /// The working directory. Relative paths start there.
    pub working_directory: PathBuf,
    /// The options of the run; `None` in runs of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<RunOptions>,
    /// When the run began, RFC 3339; empty if unknown.
    pub started: String,
    /// When it ended. `None` while it runs, and after an interruption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// The suite as read.
    pub suite: SuiteRecord,
    /// The seed of all random choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The requested number of rounds of each cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// The number of ended rounds of cells when the run ended or was interrupted. `None` in killed runs, and in runs of
    /// older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds_ended: Option<u64>,
    /// The machine it ran on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// Media by name.
    pub media: BTreeMap<String, Medium>,
    /// Background loads of some cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disturbances: Vec<DisturbanceRecord>,
    /// The drivers of the run.
    pub drivers: Vec<DriverRecord>,
    /// The stores of the run, as their drivers describe them.
    pub stores: Vec<StoreDescription>,
    /// Ids of the planned cells.
    pub cells: Vec<String>,
    /// Omissions of the plan.
    pub skipped: Vec<Omission>,
    /// Omissions for lack of time.
    pub given_up: Vec<Omission>,
    /// Conditions that make the figures unreliable.
    pub warnings: Vec<WarningRecord>,
    /// Value pools.
    pub pools: Vec<PoolRecord>,
    /// The comparison that this run is a side of, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<SideRecord>,
    /// The question, if this is a pick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pick: Option<PickFacts>,
    /// The question, if this is a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<MapFacts>,
    /// The question, if this is a search for the highest rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub find_rate: Option<RateFacts>,
    /// The kind of profile, if the run is profiled: its figures are not measurements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileRecord>,
}

/// A command line: its words, or one text in runs of older versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CommandLine {
    /// The words, the program first.
    Words(Vec<String>),
    /// As one text.
    Text(String),
}

impl Default for CommandLine {
    fn default() -> Self {
        Self::Words(Vec::new())
    }
}

impl CommandLine {
    /// The command for a shell. Empty if unknown.
    pub fn command(&self) -> String {
        match self {
            Self::Words(words) => shell_command(&words.iter().map(String::as_str).collect::<Vec<_>>()),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The suite as read, so that a changed file does not change a resumed run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteRecord {
    /// Its name.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// What it measures, in a sentence.
    pub summary: String,
    /// More about it.
    pub analysis: String,
    /// The measured variants. Empty if the suite has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantRecord>,
    /// The baseline variants.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub baseline: Vec<String>,
    /// The fraction of records that `--scale` left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// `--records` and `--value-size` as typed, if given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers_given: Vec<String>,
    /// Phases whose threads have roles. Variants with the same ones appear once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<PhaseRoles>,
    /// The phases of each variant; of a suite without variants, one entry. Empty in runs of older versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseOrder>,
    /// The text of the file.
    pub text: String,
}

impl SuiteRecord {
    /// The names of a variant's phases, in the order in which they run; `None` if that is not known.
    pub fn phases_of(&self, variant: Option<&str>) -> Option<&[String]> {
        let of_variant = self.phases.iter().find(|order| order.variant.as_deref() == variant);
        of_variant.map(|order| order.phases.as_slice())
    }
}

/// The phases of a variant, in the order in which they run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseOrder {
    /// The variant, where the suite has variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The names of its phases.
    pub phases: Vec<String>,
}

/// A phase whose threads have roles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseRoles {
    /// The first variant with these roles, if the suite has variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The phase's name.
    pub phase: String,
    /// The roles of its threads.
    pub roles: Vec<Role>,
}

/// A variant of the suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VariantRecord {
    /// Its name.
    pub name: String,
    /// What it measures, in a sentence.
    pub summary: String,
}

/// A text, or `None` if it is empty.
pub fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// A driver of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriverRecord {
    /// Its name.
    pub driver: String,
    /// Its version.
    pub version: String,
    /// How it was built.
    pub build: String,
    /// Where it is.
    pub path: PathBuf,
    /// The stores of the run that it replays.
    pub stores: Vec<String>,
    /// Options of its virtual machine from environment variables. No request has them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// A warning as it is kept and shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WarningRecord {
    /// Its subject, for programs.
    pub code: String,
    /// The warning, for people.
    pub message: String,
    /// The advice, for people. Absent if the message has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// A value pool and its compressibility: compressed size divided by original size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolRecord {
    /// The kind of data.
    pub data: String,
    /// The format of a directory tree's values, if they are serialised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    /// Its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its XXH64: 16 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// With Snappy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snappy_ratio: Option<f64>,
    /// With LZ4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lz4_ratio: Option<f64>,
    /// With Zstandard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zstd_ratio: Option<f64>,
}

impl PoolRecord {
    /// The record of a pool with this kind of data.
    pub fn new(data: &str, values: Option<String>, facts: &PoolFacts) -> Self {
        Self {
            data: data.to_owned(),
            values,
            bytes: Some(facts.bytes),
            checksum: Some(facts.checksum.clone()),
            snappy_ratio: Some(facts.snappy_ratio),
            lz4_ratio: Some(facts.lz4_ratio),
            zstd_ratio: Some(facts.zstd_ratio),
        }
    }
}

/// A background load of some cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DisturbanceRecord {
    /// Its name.
    pub name: String,
    /// The command, without its directories.
    pub command: String,
    /// The first line of the program's version output.
    pub version: String,
}

/// How a run was profiled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileRecord {
    /// What was profiled.
    pub kind: Profile,
    /// The program that sampled drivers from outside, with its version. Absent if all drivers profile themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler: Option<String>,
    /// Whether a profile of CPU time includes the kernel's work for a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_frames: Option<bool>,
}

/// The version of the format without the level `consistent`.
const OLDER_LEVELS_PROTOCOL: u64 = 1;

/// The maximum length of `run.json`, bytes: enough for a plan of a hundred thousand cells.
const RUN_BYTES_MAX: u64 = 64 << 20;

impl RunRecord {
    /// Reads as much of a run's file as possible, with a note for each part left out.
    ///
    /// # Errors
    /// The file does not exist, is not bakeoff's, or cannot be read.
    pub fn read(directory: &Path) -> Result<(Self, Vec<ReadNote>), RunError> {
        let not_a_run = |why: String| RunError::NotARun { directory: directory.to_owned(), why };
        let path = directory.join(RUN_FILE);
        let text = read_regular(&path, RUN_BYTES_MAX).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                not_a_run("there is no run.json in it".to_owned())
            }
            _ => RunError::Read { path, source },
        })?;
        let value: Value =
            serde_json::from_slice(&text).map_err(|why| not_a_run(format!("its run.json is no JSON ({why})")))?;
        if value.get("bakeoff_version").is_none() && value.get("protocol").is_none() {
            return Err(not_a_run("its run.json has neither `bakeoff_version` nor `protocol`".to_owned()));
        }
        let (record, mut notes) = Self::from_json(value);
        match seal_of(&text) {
            Seal::Intact => {}
            Seal::Broken => notes.push(ReadNote::RecordChanged),
            Seal::None => notes.push(ReadNote::RecordUnsealed),
        }
        Ok((record, notes))
    }

    /// The readable parts of the content of a `run.json`, with a note for each part left out.
    pub fn from_json(value: Value) -> (Self, Vec<ReadNote>) {
        let number = |list: Option<&Value>| list.and_then(Value::as_array).map_or(0, Vec::len);
        let stores = number(value.get("stores"));
        let searches = number(value.get("find_rate").and_then(|facts| facts.get("searches")));
        let record: Self = lenient::read(value);
        let searches_read = record.find_rate.as_ref().map_or(0, |facts| facts.searches.len());
        let unread = [
            (stores.saturating_sub(record.stores.len()), ReadNote::StoresUnread as fn(usize) -> ReadNote),
            (searches.saturating_sub(searches_read), ReadNote::SearchesUnread),
        ];
        let unread = unread.into_iter().filter(|(number, _)| *number > 0);
        let mut notes: Vec<ReadNote> = unread.map(|(number, note)| note(number)).collect();
        if record.has_older_levels() {
            notes.push(ReadNote::OlderLevels);
        } else if record.protocol != 0 && record.protocol != u64::from(PROTOCOL_VERSION) {
            notes.push(ReadNote::OtherFormat(record.protocol));
        }
        (record, notes)
    }

    /// Whether its durability levels are those before `consistent`: `process` then said nothing about power cuts.
    pub fn has_older_levels(&self) -> bool {
        self.protocol == OLDER_LEVELS_PROTOCOL
    }

    /// Reads the file of a run to resume.
    ///
    /// # Errors
    /// It cannot be read, another version of the format wrote it, or it is damaged.
    pub fn read_whole(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join(RUN_FILE);
        let text = match read_regular(&path, RUN_BYTES_MAX) {
            Ok(text) => text,
            Err(source) => return Err(RunError::Read { path, source }),
        };
        let protocol = serde_json::from_slice::<Value>(&text).ok().and_then(|value| value.get("protocol")?.as_u64());
        if let Some(protocol) = protocol.filter(|version| *version != u64::from(PROTOCOL_VERSION)) {
            return Err(RunError::OtherVersion { path, protocol });
        }
        serde_json::from_slice(&text).map_err(|why| RunError::Damaged { path, why: shorten_error(&why) })
    }

    /// Whether the runs are the two sides of one comparison, measured in turn.
    pub fn is_in_turn_with(&self, other: &Self) -> bool {
        let sides = self.side.as_ref().zip(other.side.as_ref());
        sides.is_some_and(|(one, other)| one.comparison == other.comparison && one.side != other.side)
    }

    /// The options of the run, for planning it again.
    ///
    /// # Errors
    /// An older version wrote the file without them.
    pub fn options(&self) -> Result<&RunOptions, RunError> {
        let without = || RunError::WithoutOptions { version: self.bakeoff_version.clone() };
        self.options.as_ref().ok_or_else(without)
    }

    /// Writes the file. It replaces the old one in one step.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), RunError> {
        let path = directory.join(RUN_FILE);
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = text.and_then(|mut text| {
            seal(&mut text);
            text.push(b'\n');
            replace_file(&path, &text)
        });
        written.map_err(|source| RunError::Write { path, source })
    }

    /// The requested number of rounds of each cell; one if unknown.
    pub fn rounds_wanted(&self) -> u32 {
        self.rounds.unwrap_or(1)
    }

    /// Everything that was not measured: skipped by the plan, or for lack of time.
    pub fn omissions(&self) -> impl Iterator<Item = &Omission> {
        self.skipped.iter().chain(&self.given_up)
    }

    /// The name of the run for people.
    pub fn title(&self) -> &str {
        let names = [self.suite.title.as_str(), self.suite.name.as_str()];
        names.into_iter().find(|name| !is_blank(name)).unwrap_or("bakeoff")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_of_version_1_is_read_with_a_note_on_its_durability_levels() {
        let store = json!({ "how": "MDB_NOSYNC", "source": "https://example.org" });
        let support: bakeoff_protocol::DurabilitySupport = serde_json::from_value(store).unwrap();
        assert_eq!((support.after, support.flushes), (None, false));
        let (record, notes) = RunRecord::from_json(json!({ "protocol": 1 }));
        assert!(record.has_older_levels());
        assert_eq!(notes, [ReadNote::OlderLevels]);
        let (record, notes) = RunRecord::from_json(json!({ "protocol": PROTOCOL_VERSION }));
        assert!(!record.has_older_levels() && notes.is_empty(), "{notes:?}");
        let (record, notes) = RunRecord::from_json(json!({ "protocol": 99 }));
        assert!(!record.has_older_levels() && notes == [ReadNote::OtherFormat(99)], "{notes:?}");
    }

    #[test]
    fn searches_without_the_id_of_their_workload_are_left_out_with_a_note() {
        let search = json!({
            "store": "lmdb", "workload_id": "0123", "workload": "small", "phase": "get", "operations": 10,
            "lowest_per_second": 1, "start_per_second": 5, "highest_per_second": 9, "probes": {}, "cut_short": false,
        });
        let mut facts = json!({ "bound": { "percentile": "p99", "below_ns": 1_000 }, "searches": [search] });
        let (record, notes) = RunRecord::from_json(json!({ "find_rate": facts }));
        assert!(record.find_rate.is_some() && notes.is_empty(), "{notes:?}");
        facts["searches"][0].as_object_mut().unwrap().remove("workload_id");
        let (record, notes) = RunRecord::from_json(json!({ "find_rate": facts }));
        assert_eq!((record.find_rate, notes), (None, vec![ReadNote::SearchesUnread(1)]));
    }
}
