//! `--scale`: the same suite with a part of its records, or with a smaller tree.

use crate::error::Problems;
use crate::node::{Node, Place, SuiteFile, Value};
use crate::units::{parse_count, shorten};

pub(crate) const FLAG: &str = "--scale";
const LEVELS: &str = "levels=";

/// Puts the flag into a suite as typed. Returns the part of the records that are left, where it is one.
pub(crate) fn apply(file: &mut SuiteFile, text: &str, problems: &mut Problems) -> Option<f64> {
    let text = text.trim();
    let place = Place::Flag { flag: FLAG, value: text.to_owned() };
    if file.root.get("tape").is_some() {
        problems.add(&place, "a tape is replayed as it is", "leave --scale out, or import a shorter trace");
        return None;
    }
    let tree = file.root.table_if_there("tree");
    if let Some(levels) = text.strip_prefix(LEVELS) {
        match tree {
            Some(tree) => {
                let levels = Node { place, value: Value::Text(levels.to_owned()) };
                tree.set("levels", levels.clone());
                set_in_variants(file, &levels);
            }
            None => problems.add(&place, "the suite has no tree", "give a part of its records, e.g. --scale 0.01"),
        }
        return None;
    }
    if tree.is_some() {
        problems.add(&place, "a tree has whole levels", "give their number, e.g. --scale levels=5");
        return None;
    }
    let Some(part) = text.parse().ok().filter(|part| *part > 0.0 && *part <= 1.0) else {
        let message = format!("`{}` is no part of the records", shorten(text));
        problems.add(&place, message, "give a number above 0, up to 1, e.g. --scale 0.01; for a tree levels=5");
        return None;
    };
    scale(&mut file.root, part, &place);
    for variant in file.root.list_if_there("variants").into_iter().flatten() {
        scale(variant, part, &place);
    }
    Some(part)
}

/// Parts that are larger than the one typed, the smallest first, of one digit each: 1, 2 or 5. None where what was typed is no part.
pub(crate) fn larger_parts(text: &str) -> Vec<String> {
    let Some(typed) = text.trim().parse().ok().filter(|part| *part > 0.0) else { return Vec::new() };
    let digits = |zeros: usize| ["1", "2", "5"].map(|digit| format!("0.{}{digit}", "0".repeat(zeros)));
    let parts = (0..6).rev().flat_map(digits).chain(std::iter::once("1".to_owned()));
    parts.filter(|part| part.parse::<f64>().is_ok_and(|part| part > typed)).collect()
}

/// The levels of variants that have their own.
fn set_in_variants(file: &mut SuiteFile, levels: &Node) {
    for variant in file.root.list_if_there("variants").into_iter().flatten() {
        if let Some(tree) = variant.table_if_there("tree").filter(|tree| tree.get("levels").is_some()) {
            tree.set("levels", levels.clone());
        }
    }
}

/// Records, operations and batches: a part of each, so that there are as many batches as before.
fn scale(suite: &mut Node, part: f64, place: &Place) {
    if let Some(axes) = suite.table_if_there("axes") {
        scale_key(axes, "records", part, place);
    }
    for phase in suite.list_if_there("phases").into_iter().flatten() {
        let is_pass =
            matches!(phase.get("operation"), Some(Node { value: Value::Text(word), .. }) if word == "scan-all");
        if !is_pass {
            scale_key(phase, "operations", part, place);
            scale_key(phase, "batch", part, place);
        }
    }
}

fn scale_key(table: &mut Node, key: &str, part: f64, place: &Place) {
    if let Some(scaled) = table.get(key).and_then(|node| scaled(node, part, place)) {
        table.set(key, scaled);
    }
}

/// `None` for what is no count: a word, or a mistake that is found later.
fn scaled(node: &Node, part: f64, place: &Place) -> Option<Node> {
    let value = match &node.value {
        Value::Integer(count) => scaled_count(u64::try_from(*count).ok()?, part)?,
        Value::Text(text) => scaled_count(parse_count(text).ok()?, part)?,
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| scaled(element, part, place)).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some(Node { place: place.clone(), value })
}

fn scaled_count(count: u64, part: f64) -> Option<Value> {
    if count == 0 {
        return None;
    }
    i64::try_from(part_of(count, part)).ok().map(Value::Integer)
}

/// The part of a count that `--scale` leaves, at least 1.
fn part_of(count: u64, part: f64) -> u64 {
    ((count as f64 * part).round() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use crate::{Overrides, Suite};

    const SUITE: &str = r#"
        [axes]
        stores = ["null"]
        value-size = "100B"
        records = ["1M", 10_000]
        [[phases]]
        name = "load"
        operation = "insert"
        batch = 1_000
        [[phases]]
        name = "get"
        operation = "get"
        operations = 50_000
        [[phases]]
        name = "again"
        operation = "get"
        operations = "records"
        [[phases]]
        name = "scan"
        operation = "scan-all"
        operations = 5
        [[variants]]
        name = "small"
        [variants.axes]
        records = 2_000
        [[variants]]
        name = "large"
    "#;

    fn scaled(scale: &str, suite: &str) -> Result<Suite, String> {
        let overrides = Overrides { scale: Some(scale.to_owned()), ..Overrides::default() };
        let suite = Suite::parse("test.toml", suite).unwrap();
        suite.with_overrides(&overrides).map_err(|errors| errors.to_string())
    }

    #[test]
    fn records_operations_and_batches_are_scaled_in_every_variant_and_passes_are_not() {
        let suite = scaled("0.01", SUITE).unwrap();
        let records: Vec<_> = suite.measured().iter().map(Suite::records).collect();
        assert_eq!(records, [&[20][..], &[10_000, 100][..]]);
        let operations: Vec<_> = suite.phases().iter().map(|phase| phase.operations).collect();
        assert_eq!(operations, [None, Some(500), None, Some(5)]);
        assert_eq!(suite.phases()[0].batch, bakeoff_tape::Batch::Writes(10));
        assert_eq!(suite.scale(), Some(0.01));
        assert!(suite.summary().ends_with("Scaled down: --scale 0.01."), "{}", suite.summary());
    }

    #[test]
    fn a_tree_loses_levels() {
        let tree = "[axes]\nstores = \"null\"\n[tree]\nfanout = 5\nlevels = 10\n[[phases]]\nname = \"load\"\noperation = \"insert\"\n";
        let suite = scaled("levels=3", tree).unwrap();
        assert_eq!(suite.tree().map(|tree| tree.levels), Some(3));
        // 5 + 25 + 125 of 12,207,030 entries.
        assert_eq!(suite.scale(), Some(155.0 / 12_207_030.0));
        assert!(scaled("0.5", tree).unwrap_err().contains("levels=5"));
        assert!(scaled("levels=many", tree).unwrap_err().contains("--scale levels=many"));
    }

    #[test]
    fn what_cannot_be_scaled_by_is_refused_with_an_example() {
        for scale in ["0", "-1", "2", "NaN", "a tenth", ""] {
            let error = scaled(scale, SUITE).unwrap_err();
            assert!(error.contains("--scale") && error.contains("0.01"), "{error}");
        }
        assert!(scaled("levels=3", SUITE).unwrap_err().contains("no tree"));
    }

    #[test]
    fn a_part_that_is_too_small_is_refused_with_one_that_is_not() {
        let error = scaled("0.00001", SUITE.replace("1M", "20_000").as_str()).unwrap_err();
        assert!(error.contains("--scale 0.00001") && error.contains("same value twice"), "{error}");
        // 0.00005 leaves 1 and, rounded, 1 too.
        assert!(error.ends_with("give a larger part: 0.0001 is enough"), "{error}");
        for name in ["hines-2023", "cunningham-2024", "queue"] {
            let text = crate::builtin::find(name).unwrap();
            let error = scaled("0.0001", text).unwrap_err();
            let (_, enough) = error.split_once("give a larger part: ").unwrap();
            scaled(enough.split_once(' ').unwrap().0, text).unwrap();
        }
    }
}
