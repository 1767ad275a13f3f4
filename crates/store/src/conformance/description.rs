//! Whether a description has all that bakeoff needs, with sources.

use bakeoff_protocol::{AfterFailure, Durability, MemoryShare, Setting, SettingKind, Settings, StoreDescription};

use crate::settings::resolve_settings;

/// The flaws of a description, one sentence each.
pub(super) fn flaws(description: &StoreDescription) -> Vec<String> {
    let mut flaws = [missing_texts(description), bad_levels(description), bad_settings(description)].concat();
    flaws.extend(bad_compression(description));
    flaws.extend(bad_memory(description));
    flaws
}

fn missing_texts(description: &StoreDescription) -> Vec<String> {
    let texts = [
        ("title", &description.title),
        ("summary", &description.summary),
        ("version", &description.version),
        ("license", &description.license),
        ("language", &description.language),
        ("files", &description.files),
    ];
    let missing = texts.into_iter().filter(|(_, text)| text.is_empty());
    let mut flaws: Vec<String> = missing.map(|(name, _)| format!("it has no {name}")).collect();
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if description.name.is_empty() || !description.name.bytes().all(is_plain) {
        flaws.push(format!("its name `{}` is not made of lower-case letters, digits and `-`", description.name));
    }
    flaws
}

fn bad_levels(description: &StoreDescription) -> Vec<String> {
    let mut flaws = Vec::new();
    if description.durability.is_empty() {
        flaws.push("it offers no durability level".to_owned());
    }
    for level in Durability::ALL {
        let Some(support) = description.durability.get(&level) else {
            if !description.not_offered.contains_key(&level) {
                flaws.push(format!("it neither offers level {level} nor gives a reason in `not_offered`"));
            }
            continue;
        };
        if !is_source(description, &support.source) {
            flaws.push(format!("the source of level {level} is no address: `{}`", support.source));
        }
        match support.after {
            None => flaws.push(format!("level {level} does not describe what failures leave (`after`)")),
            Some(after) if !level.is_kept(after) => {
                let AfterFailure { process_death, power_cut } = after;
                flaws.push(format!(
                    "level {level} promises more than its failures leave: {process_death} after the death of the process, {power_cut} after a power cut"
                ));
            }
            Some(_) => {}
        }
    }
    flaws
}

fn bad_settings(description: &StoreDescription) -> Vec<String> {
    let mut flaws = Vec::new();
    for Setting { name, default, help, source, .. } in &description.settings {
        if !is_source(description, source) {
            flaws.push(format!("the source of setting `{name}` is no address: `{source}`"));
        }
        if default.is_none() && !help.contains("by default") {
            flaws.push(format!("setting `{name}` has no default, and its help has no value \"by default\""));
        }
    }
    let given_again = resolve_settings(description, &Settings::new())
        .and_then(|defaults| Ok((resolve_settings(description, &defaults)?, defaults)));
    match given_again {
        Ok((again, defaults)) if again == defaults => {}
        Ok(_) => flaws.push("its defaults change when they are given".to_owned()),
        Err(error) => flaws.push(format!("a default is not a value that may be given: {error}")),
    }
    flaws
}

fn bad_compression(description: &StoreDescription) -> Vec<String> {
    let uncompressed = |setting: &Setting| Some((setting.name.clone(), setting.uncompressed.clone()?));
    let settings: Settings = description.settings.iter().filter_map(uncompressed).collect();
    let mut flaws = Vec::new();
    if let Err(error) = resolve_settings(description, &settings) {
        flaws.push(format!("it does not take what compresses nothing (`uncompressed`): {error}"));
    }
    if let Some(reason) = &description.always_compresses {
        if !settings.is_empty() {
            flaws.push("it always compresses, and a setting has a value that compresses nothing".to_owned());
        }
        if !is_source(description, &reason.source) {
            flaws.push(format!("the source of why it always compresses is no address: `{}`", reason.source));
        }
    }
    flaws
}

fn bad_memory(description: &StoreDescription) -> Option<String> {
    let Some(memory) = &description.memory else {
        return Some(
            "it does not divide memory among its settings (`memory`, without shares if it has none)".to_owned(),
        );
    };
    let is_of_bytes = |share: &MemoryShare| {
        let setting = description.settings.iter().find(|setting| setting.name == share.setting);
        setting.is_some_and(|setting| matches!(setting.kind, SettingKind::Bytes { .. }))
    };
    let percent: u32 = memory.shares.iter().map(|share| share.percent).sum();
    if !is_source(description, &memory.source) {
        Some(format!("the source of how it divides memory is no address: `{}`", memory.source))
    } else if let Some(share) = memory.shares.iter().find(|share| !is_of_bytes(share)) {
        Some(format!("`{}` has a share of memory and is no setting of a number of bytes", share.setting))
    } else if !memory.shares.is_empty() && !(80..=100).contains(&percent) {
        Some(format!("its shares of memory are {percent} % together: give 80 to 100"))
    } else {
        None
    }
}

/// Sources are addresses, except those of stores that test bakeoff.
fn is_source(description: &StoreDescription, source: &str) -> bool {
    source.starts_with("http") || description.test_only
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_protocol::Leaves::{Kept, PossiblyCorrupt};

    use crate::describe::{Description, after, share};
    use crate::setting;

    #[test]
    fn each_flaw_is_found() {
        let bare = flaws(&Description::new("Bare Store", "").build()).join("\n");
        let nothing = [
            "no title",
            "no summary",
            "no version",
            "no license",
            "no language",
            "no files",
            "its name `Bare Store`",
            "no durability level",
            "neither offers level none",
            "does not divide memory",
        ];
        nothing.into_iter().for_each(|flaw| assert!(bare.contains(flaw), "{flaw}:\n{bare}"));
        let wrong = Description::new("wrong", "Wrong")
            .durability(Durability::None, "", after(PossiblyCorrupt, PossiblyCorrupt), "somewhere")
            .durability(Durability::Consistent, "", after(Kept, PossiblyCorrupt), "https://example.org")
            .setting(setting::bytes("cache", 1..=2, Some(3), "Memory.", "a book"))
            .setting(setting::integer("depth", 1..=2, None, "How deep.", "https://example.org"))
            .setting(setting::boolean("packed", true, "Pack.", "https://example.org").uncompressed("none"))
            .always_compresses("it is made so", "a talk")
            .memory("", "https://example.org", &[share("cache", 50, 1)])
            .build();
        let wrong = flaws(&wrong).join("\n");
        let flaws = [
            "the source of level none",
            "level consistent promises more than its failures leave: kept after the death of the process, possibly corrupt",
            "the source of setting `cache`",
            "setting `depth` has no default",
            "a default is not a value that may be given",
            "50 % together",
            "it does not take what compresses nothing",
            "it always compresses, and a setting has a value",
            "the source of why it always compresses",
        ];
        flaws.into_iter().for_each(|flaw| assert!(wrong.contains(flaw), "{flaw}:\n{wrong}"));
    }

    #[test]
    fn a_level_says_what_failures_leave() {
        let mut description = Description::new("old", "Old")
            .durability(Durability::Power, "", after(Kept, Kept), "https://example.org")
            .build();
        let flaw = "level power does not describe what failures leave";
        assert!(!bad_levels(&description).concat().contains(flaw));
        description.durability.values_mut().for_each(|support| support.after = None);
        assert!(bad_levels(&description).concat().contains(flaw));
    }

    #[test]
    fn a_share_is_of_a_setting_of_bytes() {
        let description =
            Description::new("wrong", "Wrong").memory("", "https://example.org", &[share("cache", 100, 1)]);
        assert!(bad_memory(&description.build()).unwrap().contains("`cache`"));
    }
}
