//! The table `[tree]`.

use bakeoff_tape::{POOL_BYTES_MAX, SizeRange, Tree, TreeValues, ValueForm, name_lengths, tree_entries};

use crate::error::Problems;
use crate::read::{self, Table};
use crate::units::{format_count, format_size, parse_size};
use crate::{RECORDS_MAX, VALUE_BYTES_MAX};

const KNOWN: [&str; 5] = ["fanout", "levels", "padding", "values", "name-size"];

/// Reads `[tree]`.
pub(crate) fn read(root: &Table<'_>, problems: &mut Problems) -> Option<Tree> {
    let table = Table::new(root.get("tree")?, "[tree]", &KNOWN, problems)?;
    let fanout = table.required("fanout", "fanout = 10", problems);
    let levels = table.required("levels", "levels = 5", problems);
    let fanout = fanout.and_then(|node| read::count(node, "fanout", (1, RECORDS_MAX), problems))?;
    let levels = levels.and_then(|node| read::count(node, "levels", (1, 255), problems))?;
    let padding = table.read("padding", problems, |node, what, problems| {
        read::quantity(node, what, (0, VALUE_BYTES_MAX - 8), parse_size, format_size, problems)
    });
    let forms = ValueForm::ALL.map(|form| (form.name(), form));
    let values = table.read("values", problems, |node, what, problems| read::word(node, what, &forms, problems));
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

fn fits(table: &Table<'_>, tree: Tree, problems: &mut Problems) -> bool {
    let Some(entries) = tree_entries(tree).filter(|&entries| entries <= RECORDS_MAX) else {
        let (levels, fanout) = (tree.levels, format_count(tree.fanout.into()));
        let message = format!("a tree of {levels} levels with {fanout} directories in each is too large");
        let help = format!("a workload has at most {} records", format_count(RECORDS_MAX));
        problems.add(&table.place, message, help);
        return false;
    };
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

/// The lengths of a tree's values, as an axis of one value.
pub(crate) fn value_sizes(tree: Option<Tree>) -> Vec<SizeRange> {
    let range = |tree: Tree| Some(TreeValues::new(tree).range(tree_entries(tree)?));
    tree.and_then(range).into_iter().collect()
}
