//! A subject of the checks: a store with some settings.

use std::fmt;

use bakeoff_protocol::{Durability, Setting, SettingKind, Settings, StoreDescription};
use serde_json::Value;

use super::scale::scale;
use crate::store::Entry;

/// A store, and a setting with the value that makes its logs short.
pub type SmallLogs<'a> = (&'a str, &'a str, u64);

/// A store with some settings.
pub struct Subject {
    pub(super) entry: Entry,
    /// Settings that differ from the defaults.
    pub(super) given: Settings,
    /// Its position among the store's subjects, which determines the level of each check.
    turn: usize,
    /// The setting that makes its logs short.
    small_logs: Settings,
    /// The store's description. The checks use this one, so a test of the checks may change it.
    pub description: StoreDescription,
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.description.name)?;
        self.given.iter().try_for_each(|(name, value)| write!(formatter, " {name}={value}"))
    }
}

impl Subject {
    /// A store with these settings, and defaults for the others.
    pub fn new(entry: Entry, given: Settings) -> Self {
        Self { entry, given, turn: 0, small_logs: Settings::new(), description: (entry.describe)() }
    }

    /// Whether the check at this position runs at this level, which the store offers. With the defaults it runs at every level. With any
    /// other value it runs at one, which differs from value to value and from check to check.
    pub(super) fn checks_in(&self, class: Durability, place: usize) -> bool {
        let classes = self.description.durability.keys();
        self.given.is_empty() || scale() > 1 || classes.clone().nth((self.turn + place) % classes.len()) == Some(&class)
    }

    /// The settings, with short logs unless they set the same setting.
    pub(super) fn with_small_logs(&self) -> Settings {
        let mut settings = self.small_logs.clone();
        settings.extend(self.given.clone());
        settings
    }

    /// Each store with its defaults, then with every other value of each setting that is a choice, and the minimum of each number.
    pub(super) fn all(entries: &[Entry], small_logs: &[SmallLogs<'_>]) -> Vec<Self> {
        let mut subjects = Vec::new();
        for &entry in entries {
            let description = (entry.describe)();
            // The settings of stores that test bakeoff itself select faults.
            let others = if description.test_only { Vec::new() } else { other_settings(&description) };
            let all = std::iter::once(Settings::new()).chain(others).enumerate();
            let small_logs = small_logs.iter().filter(|(store, ..)| *store == description.name);
            let small_logs: Settings =
                small_logs.map(|(_, setting, bytes)| ((*setting).to_owned(), (*bytes).into())).collect();
            subjects.extend(all.map(|(turn, given)| Self {
                turn,
                small_logs: small_logs.clone(),
                ..Self::new(entry, given)
            }));
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
            // Without a default they follow from the data, which would not fit the minimum.
            SettingKind::Bytes { .. } | SettingKind::Integer { .. } if setting.default.is_none() => Vec::new(),
            SettingKind::Bytes { min, .. } => vec![least(setting, *min).into()],
            SettingKind::Integer { min, .. } => vec![(*min).into()],
        };
        let others = words.into_iter().filter(|word| setting.default.as_ref() != Some(word));
        choices.extend(others.map(|word| Settings::from([(setting.name.clone(), word)])));
    }
    choices
}

/// The smallest number allowed for a setting.
fn least(setting: &Setting, min: u64) -> u64 {
    setting.step.map_or(min, |step| step.around(min).1)
}

#[cfg(test)]
mod tests {
    use bakeoff_protocol::Leaves;

    use super::*;
    use crate::describe::{Description, after};
    use crate::setting;

    /// A store with two levels and four values other than its defaults.
    fn describe() -> StoreDescription {
        let words = ["a", "b", "c", "d", "e"];
        Description::new("sample", "Sample")
            .durability(
                Durability::None,
                "nothing is flushed",
                after(Leaves::EarlierState, Leaves::EarlierState),
                "https://example.org",
            )
            .durability(Durability::Power, "all is flushed", after(Leaves::Kept, Leaves::Kept), "https://example.org")
            .setting(setting::choice("word", &words, "a", "A word.", "https://example.org"))
            .build()
    }

    #[test]
    fn words_run_each_check_in_one_class_and_together_in_all() {
        let entry = Entry { describe, open: |_| unreachable!("no check runs") };
        let subjects = Subject::all(&[entry], &[]);
        let classes: Vec<Durability> = subjects[0].description.durability.keys().copied().collect();
        assert!(classes.len() > 1 && subjects.len() > classes.len(), "{classes:?}, {} subjects", subjects.len());
        for place in 0..18 {
            let of = |subject: &Subject| -> Vec<Durability> {
                classes.iter().copied().filter(|class| subject.checks_in(*class, place)).collect()
            };
            assert_eq!(of(&subjects[0]), classes, "the defaults");
            assert!(subjects[1..].iter().all(|subject| of(subject).len() == 1));
            let mut together: Vec<Durability> = subjects[1..].iter().flat_map(of).collect();
            together.sort();
            together.dedup();
            assert_eq!(together, classes);
        }
    }
}
