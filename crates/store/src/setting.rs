//! Settings of a description: one function for each type of value.
//!
//! Each takes the name, the limits, the default, one sentence of help, and the page of the documentation behind the default. Without a
//! default the store derives the value from [`crate::OpenRequest::hints`], and the help must mention the value "by default". The methods of
//! [`Setting`], such as [`Setting::stepping`], add more.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use bakeoff_protocol::{Setting, SettingKind};
use serde_json::Value;

/// A number of bytes.
#[must_use]
pub fn bytes(name: &str, limits: RangeInclusive<u64>, default: Option<u64>, help: &str, source: &str) -> Setting {
    let (min, max) = limits.into_inner();
    of_kind(name, SettingKind::Bytes { min, max }, default.map(Value::from), help, source)
}

/// An integer.
#[must_use]
pub fn integer(name: &str, limits: RangeInclusive<i64>, default: Option<i64>, help: &str, source: &str) -> Setting {
    let (min, max) = limits.into_inner();
    of_kind(name, SettingKind::Integer { min, max }, default.map(Value::from), help, source)
}

/// True or false.
#[must_use]
pub fn boolean(name: &str, default: bool, help: &str, source: &str) -> Setting {
    of_kind(name, SettingKind::Boolean, Some(default.into()), help, source)
}

/// One of a few words.
#[must_use]
pub fn choice(name: &str, words: &[&str], default: &str, help: &str, source: &str) -> Setting {
    let words = words.iter().map(|&word| word.to_owned()).collect();
    of_kind(name, SettingKind::Choice { words }, Some(default.into()), help, source)
}

fn of_kind(name: &str, kind: SettingKind, default: Option<Value>, help: &str, source: &str) -> Setting {
    Setting {
        name: name.to_owned(),
        kind,
        step: None,
        memory: false,
        default,
        room: None,
        flushing: Vec::new(),
        promises: BTreeMap::new(),
        alone: Vec::new(),
        uncompressed: None,
        help: help.to_owned(),
        source: source.to_owned(),
    }
}
