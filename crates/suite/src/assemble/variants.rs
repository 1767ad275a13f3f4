//! `[[variants]]`: a suite that is measured several times, each time with parts of it changed.

use bakeoff_text::shorten;

use crate::axes::StoreChoice;
use crate::error::Problems;
use crate::model::Variant;
use crate::node::{Entry, Node, SuiteFile, Value};
use crate::place::Place;
use crate::read::{self, Table, wrong_kind};

/// The most variants of a suite.
const VARIANTS_MAX: usize = 300;

/// The flag that names the variants to measure.
pub(crate) const VARIANTS: &str = "variants";

const KNOWN: [&str; 10] =
    ["name", "summary", "like", AS_WRITTEN, "memory", "axes", "phases", "settings", "tree", "ending"];

/// Of a variant that means nothing with other records or memory: a flag that changes what the variant says leaves it out.
const AS_WRITTEN: &str = "as-written";

/// Tables of which single keys are changed. (Limits are a suite's, not a variant's.)
const BY_KEY: [&str; 4] = ["axes", "settings", "tree", "limits"];

/// What is replaced as a whole.
const WHOLE: [&str; 3] = ["memory", "phases", "ending"];

/// Every variant with the suite as it is under it, not yet checked; none if the suite has no variants.
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

/// The suite under a variant.
fn merged(file: &SuiteFile, variant: &Node) -> SuiteFile {
    let mut file = file.clone();
    remove(&mut file.root, "variants");
    put_over(&mut file.root, variant);
    file
}

/// Puts axes, settings, tree and limits in the place of those of `under`, key by key, and memory, phases and ending as a whole.
fn put_over(under: &mut Node, own: &Node) {
    if let Some(stores) = own.get("axes").and_then(|axes| axes.get("stores")) {
        leave_out_settings(under, stores);
    }
    for key in BY_KEY {
        let Some(from) = own.get(key) else { continue };
        match under.table(key).filter(|_| matches!(from.value, Value::Table(_))) {
            Some(into) => merge(into, from, if key == "settings" { 2 } else { 1 }),
            // Told where every variant's mistakes are.
            None => under.set(key, from.clone()),
        }
    }
    for key in WHOLE {
        if let Some(node) = own.get(key) {
            under.set(key, node.clone());
        }
    }
}

/// Leaves out settings of stores that are not among these: they would be taken for a mistake.
fn leave_out_settings(of: &mut Node, stores: &Node) {
    if let Some(Node { value: Value::Table(entries), .. }) = of.table_if_there("settings") {
        entries.retain(|entry| names(stores, &entry.key));
    }
}

/// Has what a suite says of axes, memory and phases hold for the variants of the one that it is like, as flags do.
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

/// Writes out the variants that are `like` one above them, so that nothing else has to know of it.
pub(crate) fn write_out(file: &mut SuiteFile, problems: &mut Problems) {
    let Some(variants) = file.root.list_if_there("variants").filter(|list| list.len() <= VARIANTS_MAX) else { return };
    for index in 0..variants.len() {
        let (above, variant) = variants.split_at_mut(index);
        let Some(variant) = variant.first_mut() else { return };
        let Some(like) = variant.get("like").cloned() else { continue };
        let Some(name) = read::text(&like, "like", problems) else { continue };
        let Some(model) = above.iter().find(|other| name_of(other) == name) else {
            let known: Vec<&str> = above.iter().map(name_of).collect();
            let message = format!("no variant `{}` stands above this one", shorten(&name));
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

/// Makes of what is `like` something all of that, with its own keys put over it.
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

/// Puts what `from` holds into `into`; tables are merged down to a depth, below that they are replaced.
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

/// What a variant says of stores that only a flag has put into it, and that take part: its settings are those of others. `file` is the suite without flags,
/// its variants written out; nothing where a variant gives no settings, or some to each.
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
        format!("{new} measured without its settings, which are for {of} alone: what its name says may not hold there")
    };
    (!new.is_empty() && !of.is_empty()).then(told)
}

/// Takes an axis out of every variant, so that what is said of it elsewhere holds for all of them.
pub(crate) fn forget_axis(file: &mut SuiteFile, axis: &str) {
    for variant in file.root.list_if_there("variants").into_iter().flatten() {
        if let Some(axes) = variant.table_if_there("axes") {
            remove(axes, axis);
        }
    }
}

/// Has every variant take the suite's value of a key.
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

/// Takes out the variants that are measured as they are written or not at all, and that a flag changes. `changed` finds that flag: `--records`. The names
/// of those taken out, with their flags.
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
    // What is left may be the suite itself, and needs no name to be told from others then.
    if !left_out.is_empty() && variants.iter().all(changes_nothing) && variants.len() < 2 {
        remove(&mut file.root, "variants");
    }
    left_out
}

/// Whether a variant of this name is among those wanted, as typed.
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
