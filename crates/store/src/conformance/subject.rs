//! What is checked: a store with some settings.

use std::fmt;

use bakeoff_protocol::{Setting, SettingKind, Settings, StoreDescription};
use serde_json::Value;

use crate::store::Entry;

/// A store with some settings.
pub struct Subject {
    pub(super) entry: Entry,
    /// Settings other than the defaults.
    pub(super) given: Settings,
    /// What the store reports about itself. The checks hold it to this, so a test of the checks may change it.
    pub description: StoreDescription,
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.description.name)?;
        self.given.iter().try_for_each(|(name, value)| write!(formatter, " {name}={value}"))
    }
}

impl Subject {
    /// A store with these settings; the others have their defaults.
    pub fn new(entry: Entry, given: Settings) -> Self {
        Self { entry, given, description: (entry.describe)() }
    }

    /// Each store: with its defaults, then with every other word of each setting that is a choice, and the least of
    /// each that is a number.
    pub(super) fn all(entries: &[Entry]) -> Vec<Self> {
        let mut subjects = Vec::new();
        for &entry in entries {
            let description = (entry.describe)();
            // The words of stores that test bakeoff itself are ways to go wrong.
            let others = if description.test_only { Vec::new() } else { other_settings(&description) };
            subjects.extend(std::iter::once(Settings::new()).chain(others).map(|given| Self::new(entry, given)));
        }
        subjects
    }
}

fn other_settings(description: &StoreDescription) -> Vec<Settings> {
    let mut choices = Vec::new();
    for setting in &description.settings {
        let words: Vec<Value> = match &setting.kind {
            SettingKind::Choice { words } => words.iter().map(|word| word.as_str().into()).collect(),
            SettingKind::Boolean => vec![true.into(), false.into()],
            // Without a default they follow from the data, which would not fit the least.
            SettingKind::Bytes { .. } | SettingKind::Integer { .. } if setting.default.is_none() => Vec::new(),
            SettingKind::Bytes { min, .. } => vec![least(setting, *min).into()],
            SettingKind::Integer { min, .. } => vec![(*min).into()],
        };
        let others = words.into_iter().filter(|word| setting.default.as_ref() != Some(word));
        choices.extend(others.map(|word| Settings::from([(setting.name.clone(), word)])));
    }
    choices
}

/// The least number that a setting takes.
fn least(setting: &Setting, min: u64) -> u64 {
    setting.step.map_or(min, |step| step.around(min).1)
}
