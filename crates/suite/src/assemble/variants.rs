//! `[[variants]]`: a suite that is measured several times, each time with some keys changed.

use bakeoff_text::shorten;

use crate::axes::StoreChoice;
use crate::error::Problems;
use crate::model::Variant;
use crate::node::{Entry, Node, SuiteFile, Value};
use crate::place::Place;
use crate::read::{self, Table, wrong_kind};

/// The maximum of variants in a suite.
const VARIANTS_MAX: usize = 300;

/// The flag that chooses variants.
pub(crate) const VARIANTS: &str = "variants";

const KNOWN: [&str; 10] =
    ["name", "summary", "like", AS_WRITTEN, "memory", "axes", "phases", "settings", "tree", "ending"];

/// The key of a variant that is meaningful only as written. A flag that changes one of its keys leaves the variant out.
const AS_WRITTEN: &str = "as-written";

/// Tables that a variant changes key by key. (Limits belong to a suite, not to a variant.)
const BY_KEY: [&str; 4] = ["axes", "settings", "tree", "limits"];

/// Keys that a variant replaces as a whole.
const WHOLE: [&str; 3] = ["memory", "phases", "ending"];

/// Every variant with its suite, not checked yet. Empty if the suite has no variants.
pub(crate) fn read(file: &SuiteFile, problems: &mut Problems) -> Vec<(Variant, SuiteFile)> {
    let Some(node) = file.root.get("variants") else { return Vec::new() };
    let Value::Array(elements) = &node.value else {
        wrong_kind(node, "variants", "a list of tables, each headed [[variants]]", problems);
        return Vec::new();
    };
    if elements.is_empty() || elements.len() > VARIANTS_MAX {
        let help = format!("give 1 to {VARIANTS_MAX} tables headed [[variants]], or none");
        problems.add(&node.place, format!("there are {} variants", elements.len()), help);
        return Vec::new();
    }
    let mut variants: Vec<(Variant, SuiteFile)> = Vec::new();
    for element in elements {
        let Some(variant) = read_one(element, problems) else { continue };
        if variants.iter().any(|(other, _)| other.name == variant.name) {
            let message = format!("there is another variant `{}`", variant.name);
            problems.add(&element.place, message, "give each variant a name of its own");
            continue;
        }
        variants.push((variant, merged(file, element)));
    }
    variants
}

fn read_one(element: &Node, problems: &mut Problems) -> Option<Variant> {
    let table = Table::new(element, "[[variants]]", &KNOWN, problems)?;
    let name = table.required("name", "name = \"equal\"", problems);
    let name = name.and_then(|node| read::name(node, "name of a variant", problems))?;
    for key in BY_KEY {
        if let Some(node) = table.get(key).filter(|node| !matches!(node.value, Value::Table(_))) {
            wrong_kind(node, key, &format!("a table headed [variants.{key}]"), problems);
            return None;
        }
    }
    let summary = table.read("summary", problems, read::text).unwrap_or_default();
    table.read(AS_WRITTEN, problems, read::boolean);
    Some(Variant { name, summary })
}

/// The suite with a variant applied.
fn merged(file: &SuiteFile, variant: &Node) -> SuiteFile {
    let mut file = file.clone();
    remove(&mut file.root, "variants");
    put_over(&mut file.root, variant);
    file
}

/// Puts axes, settings, tree and limits over those of `under`, key by key, and replaces memory, phases and ending.
fn put_over(under: &mut Node, own: &Node) {
    if let Some(stores) = own.get("axes").and_then(|axes| axes.get("stores")) {
        leave_out_settings(under, stores);
    }
    for key in BY_KEY {
        let Some(from) = own.get(key) else { continue };
        match under.table(key).filter(|_| matches!(from.value, Value::Table(_))) {
            Some(into) => merge(into, from, if key == "settings" { 2 } else { 1 }),
            // The check of each variant reports this mistake.
            None => under.set(key, from.clone()),
        }
    }
    for key in WHOLE {
        if let Some(node) = own.get(key) {
            under.set(key, node.clone());
        }
    }
}

/// Leaves out settings of stores that are not among `stores`: they would count as mistakes.
fn leave_out_settings(of: &mut Node, stores: &Node) {
    if let Some(Node { value: Value::Table(entries), .. }) = of.table_if_there("settings") {
        entries.retain(|entry| names(stores, &entry.key));
    }
}

/// Makes the suite's axes, memory and phases hold for the variants of its model, as flags do.
pub(crate) fn hold_for_variants(model: &mut SuiteFile, own: &Node) {
    if let Some(Node { value: Value::Table(axes), .. }) = own.get("axes") {
        axes.iter().for_each(|axis| forget_axis(model, &axis.key));
    }
    let stores = own.get("axes").and_then(|axes| axes.get("stores"));
    for variant in model.root.list_if_there("variants").into_iter().flatten() {
        if let Some(stores) = stores {
            leave_out_settings(variant, stores);
        }
        for key in ["memory", "phases"].into_iter().filter(|key| own.get(key).is_some()) {
            remove(variant, key);
        }
    }
}

/// Replaces `like` in variants by the keys of that earlier variant, so that no other code has to know about `like`.
pub(crate) fn write_out(file: &mut SuiteFile, problems: &mut Problems) {
    let Some(variants) = file.root.list_if_there("variants").filter(|list| list.len() <= VARIANTS_MAX) else { return };
    for index in 0..variants.len() {
        let (above, variant) = variants.split_at_mut(index);
        let Some(variant) = variant.first_mut() else { return };
        let Some(like) = variant.get("like").cloned() else { continue };
        let Some(name) = read::text(&like, "like", problems) else { continue };
        let Some(model) = above.iter().find(|other| name_of(other) == name) else {
            let known: Vec<&str> = above.iter().map(name_of).collect();
            let message = format!("no variant `{}` is above this one", shorten(&name));
            problems.add_unknown(&like.place, &name, &known, message, "name one that does".to_owned());
            continue;
        };
        let mut whole = model.clone();
        for key in ["name", "summary"] {
            remove(&mut whole, key);
        }
        begin_with(whole, variant);
    }
}

/// Copies all of `model` under the keys of `own`.
pub(crate) fn begin_with(mut model: Node, own: &mut Node) {
    put_over(&mut model, own);
    let Value::Table(entries) = &own.value else { return };
    for Entry { key, node, .. } in entries {
        let is_over = BY_KEY.contains(&key.as_str()) || WHOLE.contains(&key.as_str());
        if key != "like" && !is_over {
            model.set(key, node.clone());
        }
    }
    own.value = model.value;
}

/// Puts the contents of `from` into `into`. Tables are merged down to `depth`, and replaced below it.
fn merge(into: &mut Node, from: &Node, depth: usize) {
    let Value::Table(entries) = &from.value else { return };
    for Entry { key, node, .. } in entries {
        match into.table_if_there(key).filter(|_| depth > 1) {
            Some(inner) => merge(inner, node, depth - 1),
            None => into.set(key, node.clone()),
        }
    }
}

/// Whether an axis `stores` has this store.
fn names(stores: &Node, store: &str) -> bool {
    let is = |node: &Node| matches!(&node.value, Value::Text(name) if name == store || name == "all");
    match &stores.value {
        Value::Array(elements) => elements.iter().any(is),
        _ => is(stores),
    }
}

pub(crate) fn remove(table: &mut Node, key: &str) {
    if let Value::Table(entries) = &mut table.value {
        entries.retain(|entry| entry.key != key);
    }
}

/// The warning that a store named only by a flag is measured without the settings that a variant gives other stores.
/// `file` is the suite without flags, its variants written out. `None` where the variant gives no settings, or gives
/// each store some.
pub(crate) fn settings_of_others(
    file: &SuiteFile,
    variant: &str,
    stores: &StoreChoice,
    takes_part: impl Fn(&str) -> bool,
) -> Option<String> {
    let Value::Array(variants) = &file.root.get("variants")?.value else { return None };
    let variant = variants.iter().find(|node| name_of(node) == variant)?;
    let Value::Table(settings) = &variant.get("settings")?.value else { return None };
    let typed = |node: &Node| node.get("axes").and_then(|axes| axes.get("stores")).cloned();
    let typed = typed(variant).or_else(|| typed(&file.root))?;
    let is_new =
        |name: &&String| !names(&typed, name) && !settings.iter().any(|entry| entry.key == **name) && takes_part(name);
    let new = match stores {
        StoreChoice::Named(chosen) => chosen.iter().filter(is_new).map(String::as_str).collect(),
        StoreChoice::All if names(&typed, "all") => Vec::new(),
        StoreChoice::All => vec!["the other stores"],
    };
    let of: Vec<&str> = settings.iter().map(|entry| entry.key.as_str()).collect();
    let told = || {
        let (new, of) = (new.join(", "), of.join(", "));
        format!("{new} measured without its settings, which are only for {of}: the variant's name may not apply there")
    };
    (!new.is_empty() && !of.is_empty()).then(told)
}

/// Removes an axis from every variant, so that its values elsewhere hold for all of them.
pub(crate) fn forget_axis(file: &mut SuiteFile, axis: &str) {
    for variant in file.root.list_if_there("variants").into_iter().flatten() {
        if let Some(axes) = variant.table_if_there("axes") {
            remove(axes, axis);
        }
    }
}

/// Removes a key from every variant, so that the suite's value holds.
pub(crate) fn forget(file: &mut SuiteFile, key: &str) {
    for variant in file.root.list_if_there("variants").into_iter().flatten() {
        remove(variant, key);
    }
}

/// Keeps only the variants with these names.
pub(crate) fn choose(file: &mut SuiteFile, wanted: &[String], problems: &mut Problems) {
    let place = Place::Flag { flag: VARIANTS, value: wanted.join(",") };
    let Some(variants) = file.root.list_if_there("variants") else {
        problems.add(&place, "the suite has no variants", "leave --variants out");
        return;
    };
    let known: Vec<&str> = variants.iter().map(name_of).collect();
    for word in wanted.iter().map(|word| word.trim()).filter(|word| !known.contains(word)) {
        let message = format!("unknown variant `{}`", shorten(word));
        problems.add_unknown(&place, word, &known, message, format!("the suite has {}", known.join(", ")));
    }
    variants.retain(|variant| is_chosen(wanted, name_of(variant)));
}

/// Removes `as-written` variants that a flag changes. `changed` finds that flag, such as `--records`. Returns the names
/// of the removed variants with their flags.
pub(crate) fn leave_out_changed(
    file: &mut SuiteFile,
    changed: impl Fn(&Node) -> Option<&'static str>,
) -> Vec<(String, &'static str)> {
    let Some(variants) = file.root.list_if_there("variants") else { return Vec::new() };
    let is_as_written =
        |node: &Node| node.get(AS_WRITTEN).is_some_and(|node| matches!(node.value, Value::Boolean(true)));
    let mut left_out = Vec::new();
    variants.retain(|variant| {
        let flag = is_as_written(variant).then(|| changed(variant)).flatten();
        left_out.extend(flag.map(|flag| (name_of(variant).to_owned(), flag)));
        flag.is_none()
    });
    // If the only remaining variant changes nothing, the suite needs no variants.
    if !left_out.is_empty() && variants.iter().all(changes_nothing) && variants.len() < 2 {
        remove(&mut file.root, "variants");
    }
    left_out
}

/// Whether this variant is among those typed.
pub(crate) fn is_chosen(wanted: &[String], name: &str) -> bool {
    wanted.iter().any(|word| word.trim() == name)
}

fn changes_nothing(variant: &Node) -> bool {
    BY_KEY.iter().chain(&WHOLE).all(|key| variant.get(key).is_none())
}

fn name_of(variant: &Node) -> &str {
    match variant.get("name").map(|name| &name.value) {
        Some(Value::Text(name)) => name,
        _ => "",
    }
}
