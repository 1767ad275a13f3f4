//! Hard conditions: which stores can meet the need at all, and what the others lack.

use anyhow::{Result, bail};
use bakeoff_protocol::{Durability, Platform, StoreDescription};
use bakeoff_results::bindings::Binding;
use bakeoff_results::lack::Lack;
use bakeoff_results::language::Language;
use bakeoff_results::pick_facts::Excluded;
use bakeoff_suite::SkipReason;
use bakeoff_text::{did_you_mean, printable};

use crate::pick::need::{MUSTS, Must, Need};

/// Licences that ask for little more than to be named.
const PERMISSIVE: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "OLDAP-2.8",
    "PostgreSQL",
    "Unlicense",
    "Zlib",
    "blessing",
];

/// Licences that ask for the source of the store itself, not of what uses it.
const WEAK_COPYLEFT: [&str; 8] = [
    "CDDL-1.0",
    "EPL-1.0",
    "EPL-2.0",
    "LGPL-2.1-only",
    "LGPL-2.1-or-later",
    "LGPL-3.0-only",
    "LGPL-3.0-or-later",
    "MPL-2.0",
];

/// Licences that ask for the source of what uses the store.
const COPYLEFT: [&str; 7] = [
    "AGPL-3.0-only",
    "AGPL-3.0-or-later",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "Sleepycat",
];

/// The languages of stores, including those of drivers that are not built.
const LANGUAGES: [&str; 4] = ["c", "c++", "java", "rust"];

/// Refuses languages and licences that no store can have; `place` is the place of a key's words.
pub fn check_languages_and_licenses(
    need: &Need,
    stores: &[StoreDescription],
    place: impl Fn(&str) -> String,
) -> Result<()> {
    let written_in: Vec<String> = stores.iter().map(|store| store.language.to_lowercase()).collect();
    let languages = LANGUAGES.into_iter().chain(written_in.iter().map(String::as_str));
    let known = ["permissive", "weak-copyleft"].into_iter().chain(PERMISSIVE).chain(WEAK_COPYLEFT).chain(COPYLEFT);
    let known = known.chain(stores.iter().flat_map(|store| licenses(&store.license)));
    check_known(&place("written-in"), &need.written_in, languages)?;
    check_known(&place("license"), &need.licenses, known)
}

fn check_known<'a>(place: &str, wanted: &[String], words: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut known: Vec<&str> = Vec::new();
    for word in words {
        if !known.contains(&word) {
            known.push(word);
        }
    }
    match wanted.iter().find(|word| !known.iter().any(|known| known.eq_ignore_ascii_case(word))) {
        None => Ok(()),
        Some(word) => {
            let near = did_you_mean(word, &known);
            bail!("{place}: unknown word `{}`{near}; use {}", printable(word), known.join(", "))
        }
    }
}

/// Stores whose lowest durability level is above the requested one, with that level.
#[derive(Default)]
pub struct PromisingMore {
    /// Among stores that meet the need.
    pub asked: Vec<(String, Durability)>,
    /// Among stores that would meet it with the other durability.
    pub otherwise: Vec<(String, Durability)>,
}

/// Which stores can meet the need.
pub struct Divided {
    /// Stores that can, by name.
    pub able: Vec<String>,
    /// Stores without the requested durability but with a higher one, which keeps the requested one too.
    pub promising_more: PromisingMore,
    /// Stores that cannot, with everything that they lack.
    pub excluded: Vec<Excluded>,
    /// Excluded stores that could with the other durability, which a pick asks for too.
    pub able_otherwise: Vec<String>,
}

/// Divides stores by the need; `missing` gives why a store cannot be opened here.
pub fn divide<'a>(
    need: &Need,
    stores: &[StoreDescription],
    platform: impl Fn(&str) -> Platform,
    missing: impl Fn(&str) -> Option<&'a str>,
) -> Divided {
    let otherwise = Need { durability: need.durability.neighbour(), ..need.clone() };
    let mut divided = Divided {
        able: Vec::new(),
        promising_more: PromisingMore::default(),
        excluded: Vec::new(),
        able_otherwise: Vec::new(),
    };
    for store in stores {
        let lacking = |need: &Need| {
            let mut lacks = lacks(need, store, platform(&store.name));
            lacks.extend(missing(&store.name).map(|why| Lack::CannotBeOpened { why: why.to_owned() }));
            lacks
        };
        let more = |need: &Need| {
            let class = class_of(need, store).filter(|class| *class != need.durability);
            class.map(|class| (store.name.clone(), class))
        };
        let is_able_otherwise = lacking(&otherwise).is_empty();
        if is_able_otherwise {
            divided.promising_more.otherwise.extend(more(&otherwise));
        }
        let lacks = lacking(need);
        if lacks.is_empty() {
            divided.able.push(store.name.clone());
            divided.promising_more.asked.extend(more(need));
            continue;
        }
        divided.excluded.push(Excluded::lacking(store.name.clone(), lacks));
        if is_able_otherwise {
            divided.able_otherwise.push(store.name.clone());
        }
    }
    divided
}

/// Whether a program in one of these languages uses libraries of this platform: other drivers need not be built.
pub fn may_suit(languages: &[Language], platform: Platform) -> bool {
    languages.is_empty() || languages.iter().any(|language| language.platform() == platform)
}

/// Whether records could not be loaded one by one: not where each may wait for the disk.
pub(crate) fn loads_in_batches(durability: Durability) -> bool {
    durability.includes(Durability::Consistent)
}

/// The level at which a store would be used: the requested one, or the next that keeps as much. None if it has neither.
fn class_of(need: &Need, store: &StoreDescription) -> Option<Durability> {
    store.durability.keys().copied().filter(|level| level.includes(need.durability)).min()
}

/// What a store lacks; nothing if it can do everything.
fn lacks(need: &Need, store: &StoreDescription, platform: Platform) -> Vec<Lack> {
    let mut lacks = Vec::new();
    let class = class_of(need, store).unwrap_or_else(|| {
        lacks.push(Lack::Skipped(SkipReason::durability_not_offered(store, need.durability)));
        need.durability
    });
    let can = &store.capabilities;
    for (word, must) in MUSTS.iter().filter(|(_, must)| need.must.contains(must) && !offers(store, *must, class)) {
        let elsewhere = match must {
            Must::Transactions => can.atomic_batch,
            Must::ParallelWrites => can.parallel_writers,
            Must::Ordered | Must::MultiProcess => false,
        };
        // The library may have it in a mode that it is not opened in.
        let as_driven = matches!(must, Must::Transactions | Must::MultiProcess);
        lacks.push(Lack::Feature { name: (*word).to_owned(), level: elsewhere.then_some(class), as_driven });
    }
    if need.does("scan") && !can.scan_from && !need.must.contains(&Must::Ordered) {
        lacks.push(Lack::Scans);
    } else if need.does("scan-prefix") && !can.scan_prefix {
        lacks.push(Lack::PrefixScans);
    } else if need.does("first") && !can.scan_prefix {
        lacks.push(Lack::FirstEntries);
    }
    if need.does("exists") && !can.exists {
        lacks.push(Lack::ExistenceChecks);
    }
    if need.batch > 1 && !can.batch {
        lacks.push(Lack::Batches);
    } else if need.batch > 1 && need.reads() && !can.batch_reads {
        lacks.push(Lack::BatchReads);
    } else if !can.batch && loads_in_batches(class) {
        lacks.push(Lack::BatchesToLoad { level: class });
    }
    let (least, most) = (store.key_bytes_min, store.key_bytes_max.unwrap_or(u64::MAX));
    let keys = [need.key_bytes.min, need.key_bytes.max, need.key_bytes_longest.max(need.key_bytes.max)];
    if let Some(bytes) = keys.into_iter().find(|bytes| !(least..=most).contains(bytes)) {
        lacks.push(Lack::Keys { bytes });
    }
    if let Some(bytes_max) = store.value_bytes_max.filter(|most| need.value_bytes.max() > *most) {
        lacks.push(Lack::Values { bytes_max });
    }
    if !may_suit(&need.languages, platform) {
        lacks.push(Lack::Platform(platform));
    } else if !Binding::may_use(&store.name, &need.languages) {
        lacks.push(Lack::Package { languages: need.languages.clone() });
    }
    if !need.written_in.is_empty() && !need.written_in.contains(&store.language.to_lowercase()) {
        lacks.push(Lack::Language { language: store.language.clone() });
    }
    if !need.licenses.is_empty() && !allow(&need.licenses, &store.license) {
        lacks.push(Lack::License { license: store.license.clone() });
    }
    lacks
}

fn offers(store: &StoreDescription, must: Must, class: Durability) -> bool {
    let can = &store.capabilities;
    match must {
        Must::Ordered => can.scan_from && can.scan_ordered,
        Must::Transactions => store.batch_is_atomic(class),
        Must::MultiProcess => can.multi_process,
        Must::ParallelWrites => store.writes_in_parallel(class),
    }
}

/// Whether licences that are wanted leave a choice in an SPDX expression: of `OR` one side is enough, of `AND` each must be wanted, and brackets
/// come first.
fn allow(wanted: &[String], expression: &str) -> bool {
    let expression = expression.trim();
    let (sides, parts) = (split(expression, " OR "), split(expression, " AND "));
    if sides.len() > 1 {
        return sides.into_iter().any(|side| allow(wanted, side));
    }
    if parts.len() > 1 {
        return parts.into_iter().all(|part| allow(wanted, part));
    }
    match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => allow(wanted, inner),
        None => wanted.iter().any(|word| is_license(word, expression)),
    }
}

/// The parts of an SPDX expression between the operators outside brackets.
fn split<'a>(expression: &'a str, operator: &str) -> Vec<&'a str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (place, character) in expression.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && expression[place..].starts_with(operator) => {
                parts.push(&expression[from..place]);
                from = place + operator.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[from..]);
    parts
}

/// The licences that an SPDX expression names.
fn licenses(expression: &str) -> impl Iterator<Item = &str> {
    let names = expression.split(" OR ").flat_map(|side| side.split(" AND "));
    names.map(|license| license.trim_matches(['(', ')', ' ']))
}

fn is_license(wanted: &str, license: &str) -> bool {
    match wanted.to_lowercase().as_str() {
        "permissive" => PERMISSIVE.contains(&license),
        "weak-copyleft" => PERMISSIVE.contains(&license) || WEAK_COPYLEFT.contains(&license),
        _ => license.eq_ignore_ascii_case(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_wanted_is_built() {
        use Language::{C, Java, Jvm, Native};
        use Platform as On;
        assert!(may_suit(&[], On::Jvm) && may_suit(&[Jvm], On::Jvm) && may_suit(&[Native, Java], On::Jvm));
        assert!(!may_suit(&[C], On::Jvm) && !may_suit(&[Native], On::Jvm) && !may_suit(&[Jvm], On::Native));
    }

    #[test]
    fn licences_are_read_as_expressions() {
        let allows = |wanted: &[&str], expression| {
            allow(&wanted.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), expression)
        };
        assert!(allows(&["permissive"], "GPL-2.0 OR MIT"));
        assert!(!allows(&["permissive"], "GPL-2.0 AND MIT"));
        assert!(allows(&["permissive"], "blessing") && !allows(&["permissive"], "Sleepycat"));
        assert!(allows(&["weak-copyleft"], "MPL-2.0 OR EPL-1.0") && allows(&["mit"], "MIT OR Apache-2.0"));
        assert!(allows(&["Permissive"], "MIT") && allows(&["Weak-Copyleft"], "MPL-2.0"), "in whatever case");
        let both = "Apache-2.0 AND OLDAP-2.8";
        assert!(allows(&["Apache-2.0", "OLDAP-2.8"], both), "each part is wanted by one of them");
        assert!(!allows(&["Apache-2.0"], both) && !allows(&["Apache-2.0", "MIT"], both));
        assert!(allows(&["GPL-3.0-only", "permissive"], "GPL-3.0-only AND MIT"));
        let nested = "(MIT OR Apache-2.0) AND (Sleepycat OR (ISC AND Zlib))";
        assert!(!allows(&["MIT"], nested) && !allows(&["Sleepycat"], nested) && !allows(&["MIT", "ISC"], nested));
        assert!(allows(&["MIT", "Sleepycat"], nested) && allows(&["Apache-2.0", "ISC", "Zlib"], nested));
    }
}
