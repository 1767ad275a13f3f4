//! Levels and settings: what is described works, all else is refused.

use bakeoff_protocol::{Durability, FailureKind, Setting, SettingKind};
use bakeoff_tape::Operation;
use serde_json::Value;

use crate::cell::claims::settings::untrue;
use crate::check_driver::bench::{Bench, mixed, phase};
use crate::check_driver::judge::{finished, refused};
use crate::check_driver::verdict::{Checked, Stop};

const BAD: &[FailureKind] = &[FailureKind::BadRequest];

/// A level that is offered holds a load, reads, replacements and removals.
pub(super) fn level(bench: &Bench<'_>, level: Durability) -> Checked {
    if !bench.store.durability.contains_key(&level) {
        return Err(Stop::NotOffered(format!("it does not offer durability {level}")));
    }
    let writes = [(Operation::Update, 0.5), (Operation::Delete, 0.25), (Operation::Insert, 0.25)];
    let phases = vec![phase("get", Operation::Get, 300), mixed("write", writes, 60)];
    let recorded = bench.record(phases, 1)?;
    let mut request = bench.request(&recorded)?;
    request.durability = level;
    let answer = bench.ask(&request)?;
    finished(&answer, &request, &recorded, bench.store).map(drop)
}

/// Levels that are not offered are refused.
pub(super) fn other_levels(bench: &Bench<'_>) -> Checked {
    let mut others = Durability::ALL.into_iter().filter(|level| !bench.store.durability.contains_key(level)).peekable();
    if others.peek().is_none() {
        return Err(Stop::NotOffered("it offers every level".to_owned()));
    }
    others.try_for_each(|level| {
        let mut request = bench.load()?;
        request.durability = level;
        let answer = bench.ask_to_refuse(&request)?;
        refused(&answer, BAD, &request.directory, 0).map_err(|stop| stop.of_case(&format!("durability {level}")))
    })
}

/// Settings that there are not, and values outside the limits, are refused.
pub(super) fn refused_settings(bench: &Bench<'_>) -> Checked {
    let mut wrong = vec![("no-such-setting".to_owned(), Value::from(1))];
    for setting in &bench.store.settings {
        let values = match &setting.kind {
            SettingKind::Bytes { min, max } => {
                vec![
                    min.checked_sub(1).map(Value::from),
                    max.checked_add(1).map(Value::from),
                    Some(Value::from("64MiB")),
                ]
            }
            SettingKind::Integer { min, max } => {
                vec![min.checked_sub(1).map(Value::from), max.checked_add(1).map(Value::from), Some(Value::from("1"))]
            }
            SettingKind::Boolean => vec![Some(Value::from("yes")), Some(Value::from(1))],
            SettingKind::Choice { .. } => vec![Some(Value::from("no-such-word")), Some(Value::from(1))],
        };
        wrong.extend(values.into_iter().flatten().map(|value| (setting.name.clone(), value)));
    }
    wrong.into_iter().try_for_each(|(name, value)| {
        let mut request = bench.load()?;
        let case = format!("{name} = {value}");
        request.settings.insert(name, value);
        let answer = bench.ask_to_refuse(&request)?;
        refused(&answer, BAD, &request.directory, 0).map_err(|stop| stop.of_case(&case))
    })
}

/// `opened` has the settings in force: all that the request has, and none that is not described.
pub(super) fn settings_in_force(bench: &Bench<'_>) -> Checked {
    // What settings of a store for tests do is its own matter.
    let settings = bench.store.settings.iter().filter(|_| !bench.store.test_only);
    let given: Vec<_> = settings.filter_map(|setting| Some((setting, other_value(setting)?))).collect();
    // Each alone, and once none.
    let each = given.iter().map(Some).chain([None]);
    for chosen in each {
        let recorded = bench.record(Vec::new(), 1)?;
        let mut request = bench.request(&recorded)?;
        request.settings.extend(chosen.map(|(setting, value)| (setting.name.clone(), value.clone())));
        let answer = bench.ask(&request)?;
        let case = chosen.map_or("no settings".to_owned(), |(setting, value)| format!("{} = {value}", setting.name));
        let run = finished(&answer, &request, &recorded, bench.store).map_err(|stop| stop.of_case(&case))?;
        let is_in_force = |(name, value): &(&String, &Value)| run.settings.get(*name) == Some(*value);
        if let Some((name, value)) = request.settings.iter().find(|setting| !is_in_force(setting)) {
            let found = run.settings.get(name).map_or("none".to_owned(), Value::to_string);
            return Err(Stop::broken(format!("{case}: `opened` with {name} = {value}"), found));
        }
        if let Some(what) = untrue(&run.settings, &request.settings, bench.store) {
            return Err(Stop::broken(format!("{case}: the settings in force in `opened`"), what));
        }
    }
    Ok(())
}

/// Another value than the default, of a switch or a choice that weakens no level.
fn other_value(setting: &Setting) -> Option<Value> {
    match &setting.kind {
        SettingKind::Boolean => Some(Value::from(setting.default != Some(Value::from(true)))),
        SettingKind::Choice { words } => {
            let is_other = |word: &&String| {
                setting.default.as_ref().and_then(Value::as_str) != Some(word.as_str())
                    && !setting.promises.contains_key(*word)
                    && !setting.alone.contains(*word)
            };
            words.iter().find(is_other).map(|word| Value::from(word.as_str()))
        }
        SettingKind::Bytes { .. } | SettingKind::Integer { .. } => None,
    }
}
