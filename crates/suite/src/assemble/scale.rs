//! `--scale`: the same suite with a fraction of its records, or with a smaller tree.

use bakeoff_text::{format_count, parse_count, shorten};

use crate::error::Problems;
use crate::node::{Node, SuiteFile, Value};
use crate::place::Place;

/// The flag.
pub(crate) const SCALE: &str = "scale";
const LEVELS: &str = "levels=";

/// The minimum that must remain of at least this many records. With fewer records a phase shows little, and parts of it
/// less.
const RECORDS_MIN: u64 = 10;

/// Applies the flag to a suite as typed. `least_levels` is the depth of its shallowest tree. Returns the fraction of
/// records that remain, if the flag gives one.
pub(crate) fn apply(
    file: &mut SuiteFile,
    text: &str,
    least_levels: Option<u32>,
    problems: &mut Problems,
) -> Option<f64> {
    let text = text.trim();
    let place = Place::Flag { flag: SCALE, value: text.to_owned() };
    if file.root.get("tape").is_some() {
        problems.add(&place, "a tape is replayed as it is", "leave --scale out, or import a shorter trace");
        return None;
    }
    let tree = file.root.table_if_there("tree");
    if let Some(levels) = text.strip_prefix(LEVELS) {
        let is_outside =
            |least: &u32| parse_count(levels).is_ok_and(|levels| !(1..=u64::from(*least)).contains(&levels));
        match (tree, least_levels.filter(is_outside)) {
            (Some(_), Some(least)) => {
                problems.add(&place, format!("the suite's tree has {least} levels"), format!("give 1 to {least}"));
            }
            (Some(tree), None) => {
                let levels = Node { place, value: Value::Text(levels.to_owned()) };
                tree.set("levels", levels.clone());
                set_in_variants(file, &levels);
            }
            (None, _) => {
                problems.add(&place, "the suite has no tree", "give a part of its records, e.g. --scale 0.01");
            }
        }
        return None;
    }
    if tree.is_some() {
        problems.add(&place, "a tree has whole levels", "give their number, e.g. --scale levels=5");
        return None;
    }
    let Some(part) = text.parse().ok().filter(|part| *part > 0.0 && *part <= 1.0) else {
        let message = format!("`{}` is not a fraction of the records", shorten(text));
        problems.add(&place, message, "give a number above 0, up to 1, e.g. --scale 0.01; for a tree levels=5");
        return None;
    };
    scale(&mut file.root, part, &place, problems);
    for variant in file.root.list_if_there("variants").into_iter().flatten() {
        scale(variant, part, &place, problems);
    }
    Some(part)
}

/// Fractions above the typed one, smallest first, with one digit each: 1, 2 or 5. Empty if the typed text is not a
/// fraction.
pub(crate) fn larger_parts(text: &str) -> Vec<String> {
    let Some(typed) = text.trim().parse().ok().filter(|part| *part > 0.0) else { return Vec::new() };
    let digits = |zeros: usize| ["1", "2", "5"].map(|digit| format!("0.{}{digit}", "0".repeat(zeros)));
    let parts = (0..6).rev().flat_map(digits).chain(std::iter::once("1".to_owned()));
    parts.filter(|part| part.parse::<f64>().is_ok_and(|part| part > typed)).collect()
}

/// Sets the levels of variants that have their own.
fn set_in_variants(file: &mut SuiteFile, levels: &Node) {
    for variant in file.root.list_if_there("variants").into_iter().flatten() {
        if let Some(tree) = variant.table_if_there("tree").filter(|tree| tree.get("levels").is_some()) {
            tree.set("levels", levels.clone());
        }
    }
}

/// Scales records, operations and batches alike, so the number of batches stays.
fn scale(suite: &mut Node, part: f64, place: &Place, problems: &mut Problems) {
    if let Some(axes) = suite.table_if_there("axes") {
        check_records(axes, part, place, problems);
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

/// Notes numbers of records that become too small to be meaningful.
fn check_records(axes: &Node, part: f64, place: &Place, problems: &mut Problems) {
    let Some(node) = axes.get("records") else { return };
    let counts = match &node.value {
        Value::Array(elements) => elements.iter().collect(),
        _ => vec![node],
    };
    let is_too_few = |count: &u64| {
        let left = part_of(*count, part);
        left < *count && (left == 1 || left < RECORDS_MIN && *count >= RECORDS_MIN)
    };
    if let Some(count) = counts.into_iter().filter_map(count_of).filter(is_too_few).min() {
        let (left, count) = (part_of(count, part), format_count(count));
        problems.add(place, format!("of {count} records it leaves {left}, which is too few"), "give a larger part");
    }
}

fn scale_key(table: &mut Node, key: &str, part: f64, place: &Place) {
    if let Some(scaled) = table.get(key).and_then(|node| scaled(node, part, place)) {
        table.set(key, scaled);
    }
}

/// `None` if the value is not a count: a word, or a mistake that is found later.
fn scaled(node: &Node, part: f64, place: &Place) -> Option<Node> {
    let value = match &node.value {
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| scaled(element, part, place)).collect::<Option<_>>()?)
        }
        _ => Value::Integer(i64::try_from(part_of(count_of(node)?, part)).ok()?),
    };
    Some(Node { place: place.clone(), value })
}

/// `None` if the value is not a count, or 0.
fn count_of(node: &Node) -> Option<u64> {
    let count = match &node.value {
        Value::Integer(count) => u64::try_from(*count).ok(),
        Value::Text(text) => parse_count(text).ok(),
        _ => None,
    };
    count.filter(|count| *count > 0)
}

/// The part of a count that remains, at least 1.
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
        let overrides = Overrides::default().with("scale", [scale]);
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
        let larger = scaled("levels=11", tree).unwrap_err();
        assert!(larger.contains("--scale levels=11: the suite's tree has 10 levels"), "{larger}");
        assert!(scaled("levels=0", tree).unwrap_err().contains("give 1 to 10"));
        let own =
            format!("{tree}[[variants]]\nname = \"low\"\n[variants.tree]\nlevels = 4\n[[variants]]\nname = \"high\"\n");
        assert!(scaled("levels=5", &own).unwrap_err().contains("the suite's tree has 4 levels"));
        // 2 * (5 + 25 + 125) of 780 and 12,207,030.
        assert_eq!(scaled("levels=3", &own).unwrap().scale(), Some(310.0 / 12_207_810.0));
        assert!(scaled("levels=many", tree).unwrap_err().contains("--scale levels=many"));
    }

    /// The report's heading was "scaled down to 100 %".
    #[test]
    fn what_is_as_large_as_the_suite_is_not_scaled_down() {
        let tree = "[axes]\nstores = \"null\"\n[tree]\nfanout = 5\nlevels = 4\n[[phases]]\nname = \"load\"\noperation = \"insert\"\n";
        for (scale, suite) in [("1", SUITE), ("1.0", SUITE), ("levels=4", tree)] {
            let whole = scaled(scale, suite).unwrap();
            assert_eq!((whole.scale(), whole.summary()), (None, ""), "{scale}");
        }
    }

    /// One record remained, and one read of it.
    #[test]
    fn a_part_that_leaves_too_few_records_is_refused_with_one_that_does_not() {
        let one = SUITE.replace("[\"1M\", 10_000]", "1_000");
        let error = scaled("0.000001", &one).unwrap_err();
        assert!(error.contains("of 1,000 records it leaves 1, which is too few"), "{error}");
        assert!(error.ends_with("give a larger part: 0.01 is enough"), "{error}");
        assert!(scaled("0.0099", &one).is_ok(), "10, rounded");
        // A suite with few records keeps them.
        assert!(scaled("0.5", &SUITE.replace("[\"1M\", 10_000]", "4")).is_ok());
        assert!(scaled("0.2", &SUITE.replace("[\"1M\", 10_000]", "[1, 4]")).unwrap_err().contains("of 4 records"));
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
        assert!(error.contains("--scale 0.00001") && error.contains("of 10,000 records it leaves 1"), "{error}");
        // 0.002 of the variant's 2,000 records are 4.
        assert!(error.ends_with("give a larger part: 0.005 is enough"), "{error}");
        for name in ["hines-2023", "cunningham-2024", "queue"] {
            let text = crate::builtin::find(name).unwrap();
            let error = scaled("0.0001", text).unwrap_err();
            let (_, enough) = error.split_once("give a larger part: ").unwrap();
            scaled(enough.split_once(' ').unwrap().0, text).unwrap();
        }
    }
}
