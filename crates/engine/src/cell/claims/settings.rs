//! The settings that a driver says are in force.

use bakeoff_protocol::{Setting, SettingKind, Settings, StoreDescription};
use serde_json::Value;

/// The mistake in them, as text. `None` if they are settings of the store and include all requested ones.
pub(crate) fn untrue(in_force: &Settings, asked: &Settings, store: &StoreDescription) -> Option<String> {
    let of_store = |name: &str| store.settings.iter().find(|setting| setting.name == name);
    let wrong = in_force.iter().find_map(|(name, value)| match of_store(name) {
        None => Some(format!("the driver reported the setting `{name}`, which it has not described")),
        Some(setting) if !is_of_kind(setting, value) => {
            Some(format!("the driver reported `{value}` for the setting `{name}`, which is none of its values"))
        }
        Some(_) => None,
    });
    let missing = || asked.keys().find(|name| !in_force.contains_key(*name));
    wrong.or_else(|| Some(format!("the driver did not report the setting `{}`, which it was asked for", missing()?)))
}

fn is_of_kind(setting: &Setting, value: &Value) -> bool {
    match &setting.kind {
        // Limits hold for the request: a library may take a little more.
        SettingKind::Bytes { .. } => value.is_u64(),
        SettingKind::Integer { .. } => value.is_i64(),
        SettingKind::Boolean => value.is_boolean(),
        SettingKind::Choice { words } => value.as_str().is_some_and(|word| words.iter().any(|known| known == word)),
    }
}
