//! What a driver says of itself.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use bakeoff_protocol::{
    DriverDescription, Durability, PROTOCOL_VERSION, Setting, SettingKind, StoreDescription, check_store_name,
    check_title,
};
use bakeoff_text::{printable, shorten, shorten_error};

use crate::check_driver::bench::Bench;
use crate::check_driver::program::run;
use crate::check_driver::verdict::{Checked, Stop};
use crate::drivers::discovery::DESCRIBE_TIME_MAX;
use crate::place::names::TEMPORARY;
use crate::surroundings::interrupt::Interrupt;

/// The driver's description, without which nothing can be asked of it.
///
/// # Errors
/// It does not start, or what it prints is none.
pub(super) fn read(program: &Path, directory: &Path, interrupt: &Interrupt) -> Result<DriverDescription> {
    let temporary = directory.join(TEMPORARY);
    std::fs::create_dir(&temporary)?;
    let asked = ("describe", &b""[..], DESCRIBE_TIME_MAX);
    let answer = run(program, asked, (&temporary, &directory.join("describe.log")), (interrupt, &|| true))?;
    let said = || match answer.last_words().as_str() {
        "" => format!("`{} describe` {}", program.display(), answer.ending()),
        words => format!("`{} describe` {}; its last words: {words}", program.display(), answer.ending()),
    };
    let description: DriverDescription = serde_json::from_slice(&answer.output).map_err(|error| {
        let why = shorten_error(&error);
        anyhow!(
            "{} and printed no description: {why}. Give a driver, or have it print what docs/PROTOCOL.md shows",
            said()
        )
    })?;
    if description.protocol != PROTOCOL_VERSION {
        bail!(
            "the driver speaks protocol {}, and this program {PROTOCOL_VERSION}: have it speak that, or use another bakeoff",
            description.protocol
        );
    }
    Ok(description)
}

/// `describe` ends with 0 and prints one JSON object.
pub(super) fn describe(bench: &Bench<'_>) -> Checked {
    let answer = bench.ask_verb("describe")?;
    let expected = "exit status 0 and one JSON object";
    if !answer.status.is_some_and(|status| status.success()) {
        return Err(Stop::broken(expected, format!("the driver {}", answer.ending())));
    }
    let read: Result<serde_json::Value, _> = serde_json::from_slice(&answer.output);
    let described = read.map_err(|why| Stop::broken(expected, why.to_string()))?;
    no_nulls("", &described)
        .map_or(Ok(()), |place| Err(Stop::broken("absent members are left out", format!("{place} is null"))))
}

/// Where a null stands.
fn no_nulls(place: &str, value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match value {
        Value::Null => Some(place.to_owned()),
        Value::Array(values) => {
            values.iter().enumerate().find_map(|(index, each)| no_nulls(&format!("{place}[{index}]"), each))
        }
        Value::Object(fields) => fields.iter().find_map(|(name, each)| no_nulls(&format!("{place}.{name}"), each)),
        _ => None,
    }
}

/// A verb that there is not ends with 2 and prints nothing on standard output.
pub(super) fn wrong_verb(bench: &Bench<'_>) -> Checked {
    for verb in ["no-such-verb", "--no-such-option"] {
        let answer = bench.ask_verb(verb)?;
        if answer.status.and_then(|status| status.code()) != Some(2) || !answer.output.is_empty() {
            let found = format!("the driver {} and printed {} bytes", answer.ending(), answer.output.len());
            return Err(Stop::broken("exit status 2 and nothing on standard output", found).of_case(verb));
        }
    }
    Ok(())
}

/// Names are such as can be typed, and unique.
pub(super) fn names(bench: &Bench<'_>) -> Checked {
    let mut seen = BTreeSet::new();
    for StoreDescription { name, .. } in &bench.driver.stores {
        let expected = "names as [a-z0-9][a-z0-9-]{0,39}, unique, and no reserved words";
        check_store_name(name).map_err(|why| Stop::broken(expected, format!("the store {name:?}, which {why}")))?;
        if !seen.insert(name) {
            return Err(Stop::broken(expected, format!("two stores {name:?}")));
        }
    }
    Ok(())
}

/// What people read is there.
pub(super) fn texts(bench: &Bench<'_>) -> Checked {
    let StoreDescription { title, summary, version, license, language, files, .. } = bench.store;
    let texts =
        [("summary", summary), ("version", version), ("license", license), ("language", language), ("files", files)];
    if let Err(wrong) = check_title(title) {
        return Err(Stop::broken(
            "title: one line of text that can be seen",
            format!("{:?}, which {wrong}", shorten(title)),
        ));
    }
    match texts.into_iter().find(|(_, text)| text.trim().is_empty() || printable(text) != **text) {
        None => Ok(()),
        Some((name, text)) => Err(Stop::broken(format!("{name}: one line of text"), format!("{text:?}"))),
    }
}

/// Each level says how it is reached and where that is documented, or why it is not offered.
pub(super) fn levels(bench: &Bench<'_>) -> Checked {
    let store = bench.store;
    if store.durability.is_empty() {
        return Err(Stop::broken("a durability level", "none"));
    }
    for (level, support) in &store.durability {
        if support.how.trim().is_empty() || support.source.trim().is_empty() {
            return Err(Stop::broken(format!("durability {level}: `how` and `source`"), "an empty text"));
        }
        if let Some(after) = support.after.filter(|after| !level.is_kept(*after)) {
            let found = format!("process_death {}, power_cut {}", after.process_death, after.power_cut);
            return Err(Stop::broken(
                format!("durability {level}: an `after` that keeps what the level promises"),
                found,
            ));
        }
    }
    for level in Durability::ALL.into_iter().filter(|level| !store.durability.contains_key(level)) {
        let why = store.not_offered.get(&level);
        if !why.is_some_and(|why| !why.why.trim().is_empty() && !why.source.trim().is_empty()) {
            return Err(Stop::broken(format!("not_offered.{level}: `why` and `source`, as it is not offered"), "none"));
        }
    }
    Ok(())
}

/// Settings have names, help, sources and defaults within their limits; limits do not cross.
pub(super) fn settings(bench: &Bench<'_>) -> Checked {
    let store = bench.store;
    let mut seen = BTreeSet::new();
    for setting in &store.settings {
        let Setting { name, help, source, .. } = setting;
        if name.is_empty() || !seen.insert(name) || help.trim().is_empty() || source.trim().is_empty() {
            return Err(Stop::broken(
                "settings with a unique name, `help` and `source`",
                format!("the setting {name:?}"),
            ));
        }
        if let Some(default) = setting.default.as_ref().filter(|default| !takes(setting, default)) {
            return Err(Stop::broken(format!("{name}: a default that it takes"), default.to_string()));
        }
    }
    if store.key_bytes_max.is_some_and(|most| most < store.key_bytes_min) {
        let found = format!("{} and {:?}", store.key_bytes_min, store.key_bytes_max);
        return Err(Stop::broken("key_bytes_min up to key_bytes_max", found));
    }
    Ok(())
}

/// Whether a setting takes a value, according to its type and limits.
fn takes(setting: &Setting, value: &serde_json::Value) -> bool {
    match &setting.kind {
        SettingKind::Bytes { min, max } => value.as_u64().is_some_and(|bytes| (min..=max).contains(&&bytes)),
        SettingKind::Integer { min, max } => value.as_i64().is_some_and(|number| (min..=max).contains(&&number)),
        SettingKind::Boolean => value.is_boolean(),
        SettingKind::Choice { words } => value.as_str().is_some_and(|word| words.iter().any(|each| each == word)),
    }
}
