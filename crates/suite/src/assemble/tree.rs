//! The table `[tree]`.

use bakeoff_tape::{KeyForm, POOL_BYTES_MAX, SizeRange, ValueSizes};
use bakeoff_text::{format_size, parse_size};
use bakeoff_tree::{Tree, TreeValues, ValueForm, name_lengths, tree_entries};

use crate::axes::{Key, has_form};
use crate::error::Problems;
use crate::limits::{RECORDS_MAX, VALUE_BYTES_MAX};
use crate::read::{self, Table};

const KNOWN: [&str; 5] = ["fanout", "levels", "padding", "values", "name-size"];

/// Axes that the tree determines, each with its description for messages.
pub(crate) const OF_THE_TREE: [(&str, &str); 2] =
    [("records", "how many records there are"), ("value-size", "how long values are")];

const LEVELS_MAX: u32 = 255;

/// Reads `[tree]`.
pub(crate) fn read(root: &Table<'_>, problems: &mut Problems) -> Option<Tree> {
    let table = Table::new(root.get("tree")?, "[tree]", &KNOWN, problems)?;
    let fanout = table.required("fanout", "fanout = 10", problems);
    let levels = table.required("levels", "levels = 5", problems);
    let fanout = fanout.and_then(|node| read::count(node, "fanout", (1, RECORDS_MAX), problems))?;
    let levels = levels.and_then(|node| read::count(node, "levels", (1, levels_max(fanout)), problems))?;
    let padding = table.read("padding", problems, |node, what, problems| {
        read::quantity(node, what, (0, VALUE_BYTES_MAX - 8), parse_size, format_size, problems)
    });
    let forms = ValueForm::ALL.map(|form| (form.name(), form));
    let values = table.read("values", problems, |node, what, problems| read::choice(node, what, &forms, problems));
    let padding_bytes = padding.unwrap_or(0) as u32;
    let values = values.unwrap_or_default();
    if padding_bytes > 0 && values != ValueForm::Long {
        let message = format!("values in {} have their own length", values.name());
        problems.add(table.place("padding"), message, "leave `padding` out, or write values = \"long\"");
    }
    let tree = Tree { fanout: fanout as u32, levels: levels as u32, padding_bytes, values, name_bytes: 0 };
    let tree = Tree { name_bytes: name_bytes(&table, tree, problems), ..tree };
    fits(&table, tree, problems).then_some(tree)
}

fn name_bytes(table: &Table<'_>, tree: Tree, problems: &mut Problems) -> u32 {
    let (least, most) = name_lengths(tree);
    let given = table.read("name-size", problems, |node, what, problems| {
        read::quantity(node, what, (least.into(), most.into()), parse_size, format_size, problems)
    });
    given.map_or(0, |bytes| bytes as u32)
}

/// The levels of the deepest tree whose entries fit a workload.
fn levels_max(fanout: u64) -> u64 {
    let tree =
        |levels| Tree { fanout: fanout as u32, levels, padding_bytes: 0, values: ValueForm::default(), name_bytes: 0 };
    let has_room = |&levels: &u32| tree_entries(tree(levels)).is_some_and(|entries| entries <= RECORDS_MAX);
    (1..=LEVELS_MAX).take_while(has_room).count() as u64
}

fn fits(table: &Table<'_>, tree: Tree, problems: &mut Problems) -> bool {
    let entries = tree_entries(tree).unwrap_or(u64::MAX);
    let pool_bytes = TreeValues::new(tree).offset(entries);
    if pool_bytes > POOL_BYTES_MAX {
        let message = format!("the values of this tree take {}", format_size(pool_bytes));
        let help =
            format!("they fit a pool of at most {}: use less padding or a smaller tree", format_size(POOL_BYTES_MAX));
        problems.add(&table.place, message, help);
        return false;
    }
    true
}

/// The lengths of a tree's values, as an axis with one value.
pub(crate) fn value_sizes(tree: Option<Tree>) -> Vec<ValueSizes> {
    let range = |tree: Tree| {
        let (min, max) = TreeValues::new(tree).range(tree_entries(tree)?);
        Some(SizeRange { min, max }.into())
    };
    tree.and_then(range).into_iter().collect()
}

/// Notes directory keys without `[tree]`, `[tree]` without directory keys, and directory keys among other keys.
pub(crate) fn check_keys(root: &Table<'_>, table: &Table<'_>, keys: &[Key], problems: &mut Problems) {
    let has_directory = has_form(keys, KeyForm::Directory);
    if let (Some(node), false) = (root.get("tree"), has_directory) {
        let help = "write key = \"directory\" in [axes], or leave [tree] out";
        problems.add(&node.place, "[tree] is only for directory keys", help);
    }
    if !has_directory {
        return;
    }
    if root.get("tree").is_none() {
        let help = "add [tree] with fanout and levels";
        problems.add(table.place("key"), "directory keys need a tree", help);
    }
    if keys.len() > 1 {
        let help = "write another suite for the other keys";
        problems.add(table.place("key"), "directory keys cannot be compared with other keys", help);
    }
    for (key, what) in OF_THE_TREE {
        if table.get(key).is_some() {
            let message = format!("`{key}` does not go with directory keys: the tree determines {what}");
            problems.add(table.place(key), message, format!("leave `{key}` out, or use another key"));
        }
    }
}
