//! The package of a store for the language of a program, and the lines that open it as it was measured. `bindings.toml` has them, so that
//! no code knows a store.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bakeoff_protocol::{Durability, Settings};
use serde::Deserialize;

use crate::language::Language;

static BINDINGS: LazyLock<Vec<Binding>> = LazyLock::new(|| {
    // A test reads it, so it is never empty here.
    toml::from_str::<File>(include_str!("bindings.toml")).map(|file| file.binding).unwrap_or_default()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    binding: Vec<Binding>,
}

/// A package for some stores and a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    stores: Vec<String>,
    /// The language of programs that use it.
    pub language: Language,
    /// Its name in its registry, or in Debian.
    pub package: String,
    /// The command that adds it to a program, or Maven's coordinates; empty if nothing is to be added.
    pub install: String,
    /// What programs in C and C++ are linked with.
    #[serde(default)]
    pub link: String,
    /// The levels that it is for; empty for all.
    #[serde(default)]
    at: Vec<Durability>,
    code: String,
    /// What takes the place of a value of a setting, of `durability` or of `store`.
    #[serde(default)]
    words: BTreeMap<String, BTreeMap<String, String>>,
}

impl Binding {
    /// Every binding.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        BINDINGS.iter()
    }

    /// The binding of a store for the first of these languages that has one, at a level. Without a language it is the first there is.
    pub fn find(store: &str, languages: &[Language], level: Durability) -> Option<&'static Self> {
        let fits = |binding: &&Self| binding.is_for(store) && (binding.at.is_empty() || binding.at.contains(&level));
        let known = languages.iter().filter_map(|language| language.packages());
        let known: Vec<Language> = known.flatten().copied().collect();
        let of = |language: Language| BINDINGS.iter().filter(fits).find(|binding| binding.language == language);
        let any = languages.is_empty() || languages.iter().any(|language| language.packages().is_none());
        known.into_iter().find_map(of).or_else(|| BINDINGS.iter().find(fits).filter(|_| any))
    }

    /// Whether programs in one of these languages can use a store: some package is known, or nothing is known of the store.
    pub fn may_use(store: &str, languages: &[Language]) -> bool {
        let is_used_by = |language: &Language| {
            language.packages().is_none_or(|packages| {
                BINDINGS.iter().any(|binding| binding.is_for(store) && packages.contains(&binding.language))
            })
        };
        let is_known = BINDINGS.iter().any(|binding| binding.is_for(store));
        !is_known || languages.is_empty() || languages.iter().any(is_used_by)
    }

    /// The stores that it is for.
    pub fn stores(&self) -> &[String] {
        &self.stores
    }

    fn is_for(&self, store: &str) -> bool {
        self.stores.iter().any(|known| known == store)
    }

    /// The lines that open the store with these settings. `None` if one is not there that they need.
    pub fn code(&self, store: &str, level: Durability, settings: &Settings) -> Option<Vec<String>> {
        let filled = self.code.lines().map(|line| self.filled(line, store, level, settings));
        let text = filled.collect::<Option<Vec<_>>>()?.join("\n");
        Some(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
    }

    /// A line with the value for each `«name»`.
    fn filled(&self, line: &str, store: &str, level: Durability, settings: &Settings) -> Option<String> {
        let mut parts = line.split('«');
        let mut filled = parts.next()?.to_owned();
        for part in parts {
            let (name, rest) = part.split_once('»')?;
            filled += &self.value(name, store, level, settings)?;
            filled += rest;
        }
        Some(filled)
    }

    fn value(&self, name: &str, store: &str, level: Durability, settings: &Settings) -> Option<String> {
        if let Some((name, divisor)) = name.split_once('/') {
            return Some((settings.get(name)?.as_u64()? / divisor.parse::<u64>().ok()?).to_string());
        }
        let value = match name.split('.').next()? {
            "durability" => level.name().to_owned(),
            "store" => store.to_owned(),
            name => {
                let value = settings.get(name)?;
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            }
        };
        match self.words.get(name) {
            Some(words) => words.get(&value).cloned(),
            None => Some(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let values = [("journal", "wal".into()), ("synchronous", "full".into()), ("cache", (64 << 20).into())];
        values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn every_binding_is_read_and_belongs_to_one_language() {
        assert!(Binding::all().count() > 30);
        for binding in Binding::all() {
            for (store, level) in
                binding.stores.iter().flat_map(|store| binding.at.iter().map(move |level| (store, *level)))
            {
                let same = |other: &&Binding| {
                    other.is_for(store) && other.language == binding.language && other.at.contains(&level)
                };
                assert_eq!(Binding::all().filter(same).count(), 1, "{store} at {level:?}");
            }
        }
    }

    #[test]
    fn lines_have_the_settings_that_were_measured() {
        let found = Binding::find("sqlite", &[Language::Python], Durability::Power).unwrap();
        let code = found.code("sqlite", Durability::Power, &settings()).unwrap().join("\n");
        assert!(code.contains("journal_mode = wal") && code.contains("synchronous = full"), "{code}");
        assert!(code.contains("cache_size = -65536"), "{code}");
        assert_eq!(found.code("sqlite", Durability::Power, &Settings::new()), None, "nothing is made up");
    }

    #[test]
    fn a_language_uses_the_packages_of_those_it_is_made_for() {
        let language =
            |store: &str, of: &[Language]| Binding::find(store, of, Durability::Power).map(|binding| binding.language);
        assert_eq!(language("sqlite", &[Language::Cpp]), Some(Language::C));
        assert_eq!(language("sqlite-jdbc", &[Language::Kotlin]), Some(Language::Java));
        assert_eq!(language("redb", &[Language::Python]), None);
        assert_eq!(language("redb", &[Language::Python, Language::Native]), Some(Language::Rust));
        assert!(!Binding::may_use("redb", &[Language::Python]) && Binding::may_use("redb", &[Language::Native]));
        assert!(Binding::may_use("a-store-of-ones-own", &[Language::Python]) && Binding::may_use("sqlite", &[]));
    }
}
