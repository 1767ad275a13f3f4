//! From the settings in a request to the settings that open a store: checks names, types and limits, and adds defaults.

use bakeoff_protocol::{Setting, SettingKind, Settings, StoreDescription};
use serde_json::Value;

use crate::error::StoreError;

/// Checks the settings given for a store and adds its defaults.
///
/// Settings without a default that were not given stay absent. A number of bytes must already be an integer.
///
/// # Errors
/// [`StoreError::BadRequest`] for an unknown name (with the nearest known one), a value of the wrong type, or one outside its limits (with
/// the limits).
pub fn resolve_settings(description: &StoreDescription, given: &Settings) -> Result<Settings, StoreError> {
    for (name, value) in given {
        let setting = description.settings.iter().find(|setting| setting.name == *name);
        let setting = setting.ok_or_else(|| unknown_setting(description, name))?;
        check(setting, value).map_err(|wrong| {
            StoreError::BadRequest(format!("setting `{name}` of store `{}` is {value}: {wrong}", description.name))
        })?;
    }
    let defaults = description.settings.iter().filter_map(|setting| Some((&setting.name, setting.default.as_ref()?)));
    let mut resolved: Settings = defaults.map(|(name, value)| (name.clone(), value.clone())).collect();
    resolved.extend(given.clone());
    Ok(resolved)
}

fn unknown_setting(description: &StoreDescription, name: &str) -> StoreError {
    let names: Vec<&str> = description.settings.iter().map(|setting| setting.name.as_str()).collect();
    let remedy = match nearest(name, &names) {
        _ if names.is_empty() => "it takes none; leave the setting out".to_owned(),
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it takes {}", names.join(", ")),
    };
    StoreError::BadRequest(format!("store `{}` has no setting `{name}`: {remedy}", description.name))
}

/// The word nearest to `word`, if any is near.
fn nearest<'a>(word: &str, words: &[&'a str]) -> Option<&'a str> {
    const LIKE: f64 = 0.7;
    let likeness = |candidate: &str| strsim::jaro_winkler(word, candidate);
    let best = words.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= LIKE).then_some(best)
}

/// What is wrong with the value, and how to fix it.
fn check(setting: &Setting, value: &Value) -> Result<(), String> {
    match &setting.kind {
        SettingKind::Bytes { min, max } => match value.as_u64() {
            Some(bytes) if (*min..=*max).contains(&bytes) => check_step(setting, bytes),
            _ => Err(format!("give a whole number of bytes from {min} to {max}")),
        },
        SettingKind::Integer { min, max } => match value.as_i64() {
            Some(number) if (*min..=*max).contains(&number) => Ok(()),
            _ => Err(format!("give a whole number from {min} to {max}")),
        },
        SettingKind::Boolean if value.is_boolean() => Ok(()),
        SettingKind::Boolean => Err("give true or false".to_owned()),
        SettingKind::Choice { words } => match value.as_str() {
            Some(word) if words.iter().any(|known| known == word) => Ok(()),
            other => Err(describe_choice(other.unwrap_or_default(), words)),
        },
    }
}

fn check_step(setting: &Setting, bytes: u64) -> Result<(), String> {
    let Some(step) = setting.step.filter(|step| !step.takes(bytes)) else { return Ok(()) };
    let (below, above) = step.around(bytes);
    Err(format!("give {below} or {above}"))
}

fn describe_choice(word: &str, words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match nearest(word, &words) {
        Some(near) => format!("did you mean \"{near}\"? It is one of {}", words.join(", ")),
        None => format!("give one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_protocol::Step;

    use super::*;
    use crate::describe::Description;
    use crate::setting;

    const SOURCE: &str = "https://example.org";

    fn resolve(given: &[(&str, Value)]) -> Result<Settings, String> {
        let description = Description::new("example", "Example")
            .setting(setting::bytes("page-size", 512..=65_536, Some(4_096), "", SOURCE).stepping(Step::PowerOfTwo))
            .setting(setting::bytes("map-size", 0..=1 << 40, None, "", SOURCE))
            .setting(setting::integer("checkpoint", 0..=i64::from(i32::MAX), Some(1_000), "", SOURCE))
            .setting(setting::choice("table", &["auto", "without-rowid", "rowid"], "auto", "", SOURCE))
            .setting(setting::boolean("statistics", false, "", SOURCE))
            .build();
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        resolve_settings(&description, &given).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_filled_in_around_what_is_given() {
        let settings = resolve(&[("page-size", 512.into())]).unwrap();
        let expected: [(&str, Value); 4] = [
            ("checkpoint", 1_000.into()),
            ("page-size", 512.into()),
            ("statistics", false.into()),
            ("table", "auto".into()),
        ];
        assert_eq!(settings, expected.map(|(name, value)| (name.to_owned(), value)).into_iter().collect());
        assert_eq!(resolve(&[("map-size", 1.into())]).unwrap()["map-size"], 1);
    }

    #[test]
    fn an_unknown_setting_names_the_nearest() {
        let error = resolve(&[("page_size", 512.into())]).unwrap_err();
        assert_eq!(error, "store `example` has no setting `page_size`: did you mean `page-size`?");
        let error = resolve(&[("zzz", 1.into())]).unwrap_err();
        assert_eq!(
            error,
            "store `example` has no setting `zzz`: it takes page-size, map-size, checkpoint, table, statistics"
        );
        let none = Description::new("plain", "Plain").build();
        let error = resolve_settings(&none, &Settings::from([("cache".to_owned(), 1.into())])).unwrap_err();
        assert_eq!(error.to_string(), "store `plain` has no setting `cache`: it takes none; leave the setting out");
    }

    #[test]
    fn a_wrong_value_names_the_limits() {
        for (given, expected) in [
            (("page-size", Value::from(511)), "is 511: give a whole number of bytes from 512 to 65536"),
            (("page-size", "4KiB".into()), "is \"4KiB\": give a whole number of bytes from 512 to 65536"),
            (("page-size", 5_000.into()), "is 5000: give 4096 or 8192"),
            (("checkpoint", (-1).into()), "is -1: give a whole number from 0 to 2147483647"),
            (("checkpoint", 1.5.into()), "is 1.5: give a whole number from 0 to 2147483647"),
            (
                ("table", "row-id".into()),
                "is \"row-id\": did you mean \"rowid\"? It is one of auto, without-rowid, rowid",
            ),
            (("table", 1.into()), "is 1: give one of auto, without-rowid, rowid"),
            (("statistics", 1.into()), "is 1: give true or false"),
        ] {
            let error = resolve(&[given]).unwrap_err();
            assert!(error.ends_with(expected), "{error}");
        }
    }
}
