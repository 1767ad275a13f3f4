//! Distributions of records, sizes and lengths as a suite writes them.

use std::collections::BTreeMap;

use bakeoff_tape::{Access, Operation, Shape};

use crate::error::Problems;
use crate::node::{Node, Value};
use crate::read::{self, Table, wrong_kind};

/// YCSB's default exponent.
const THETA_DEFAULT: f64 = 0.99;

/// The largest parameter of a distribution. Sums lose precision above it.
const PARAMETER_MAX: f64 = 1e12;

/// Reads the distribution of value sizes within their range.
pub(crate) fn value_shape(node: &Node, what: &str, problems: &mut Problems) -> Option<Shape> {
    shape(node, what, "; sizes with weights are written value-size = \"70% 200B, 30% 20KiB\"", problems)
}

/// Reads the distribution of scan lengths within their range.
pub(crate) fn scan_shape(node: &Node, what: &str, problems: &mut Problems) -> Option<Shape> {
    shape(node, what, "", problems)
}

/// Reads the distribution of sizes or lengths within their range. `more` names what the user may have meant instead.
fn shape(node: &Node, what: &str, more: &str, problems: &mut Problems) -> Option<Shape> {
    const EXAMPLE: &str = "shape = 0.2615, scale = 25.45";
    if let Value::Text(_) = &node.value {
        return read::choice(node, what, &[("uniform", Shape::Uniform)], problems);
    }
    let table = Table::new(node, &format!("`{what}`"), &["pareto"], problems)?;
    let example = format!("{what} = {{ pareto = {{ {EXAMPLE} }} }}{more}");
    let node = table.required("pareto", &example, problems)?;
    let table = Table::new(node, "`pareto`", &["shape", "scale"], problems)?;
    let shape = table.required("shape", EXAMPLE, problems).and_then(|node| read::number(node, "shape", problems));
    let scale = table.required("scale", EXAMPLE, problems).and_then(|node| read::number(node, "scale", problems));
    let (shape, scale) = (shape?, scale?);
    if !(0.0..=10.0).contains(&shape) {
        problems.add(table.place("shape"), format!("`shape` is {shape}"), "give 0 (exponential) to 10");
    }
    if !(scale > 0.0 && scale <= PARAMETER_MAX) {
        problems.add(table.place("scale"), format!("`scale` is {scale}"), "give a number above 0");
    }
    Some(Shape::Pareto { shape: shape.abs(), scale })
}

/// Reads which records operations access.
pub(crate) fn access(node: &Node, what: &str, problems: &mut Problems) -> Option<Access> {
    let words = [
        ("sequential", Access::Sequential),
        ("insertion", Access::Insertion),
        ("uniform", Access::Uniform),
        ("zipfian", Access::Zipfian { theta: THETA_DEFAULT }),
        ("latest", Access::Latest { theta: THETA_DEFAULT }),
    ];
    if let Value::Text(word) = &node.value {
        if word == "hot" {
            let help = "write access = { hot = { records = 0.2, operations = 0.8 } }";
            problems.add(&node.place, "`hot` does not say how hot", help);
            return None;
        }
        return read::choice(node, what, &words, problems);
    }
    let table = Table::new(node, "`access`", &["zipfian", "latest", "hot", "ranges"], problems)?;
    let Value::Table(entries) = &node.value else { return None };
    if entries.len() != 1 {
        problems.add(&node.place, "`access` must be one thing", "write, for example, access = { zipfian = 0.99 }");
        return None;
    }
    if let Some(node) = table.get("hot") {
        return hot(node, problems);
    }
    if let Some(node) = table.get("ranges") {
        return ranges(node, problems);
    }
    let zipfian = table.read("zipfian", problems, theta).map(|theta| Access::Zipfian { theta });
    zipfian.or_else(|| table.read("latest", problems, theta).map(|theta| Access::Latest { theta }))
}

/// Reads which records operations of these kinds access.
pub(crate) fn access_of(
    node: &Node,
    what: &str,
    kinds: &[Operation],
    problems: &mut Problems,
) -> Option<BTreeMap<Operation, Access>> {
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    let table = Table::new(node, what, &names, problems)?;
    let read = |kind: &Operation| Some((*kind, table.read(kind.name(), problems, access)?));
    let read: BTreeMap<_, _> = kinds.iter().filter_map(read).collect();
    if let Value::Table(entries) = &node.value
        && entries.is_empty()
    {
        problems.add(&node.place, format!("`{what}` is empty"), "write, for example, { delete = \"insertion\" }");
    }
    Some(read)
}

fn theta(node: &Node, what: &str, problems: &mut Problems) -> Option<f64> {
    let theta = read::number(node, what, problems)?;
    if theta > 0.0 && theta <= 10.0 {
        return Some(theta);
    }
    problems.add(
        &node.place,
        format!("the exponent of `{what}` is {theta}"),
        "give one above 0, up to 10; YCSB has 0.99",
    );
    None
}

fn hot(node: &Node, problems: &mut Problems) -> Option<Access> {
    let table = Table::new(node, "`hot`", &["records", "operations"], problems)?;
    let records = table.required("records", "records = 0.2", problems);
    let operations = table.required("operations", "operations = 0.8", problems);
    let records = records.and_then(|node| hot_part(node, "records", problems));
    let operations = operations.and_then(|node| hot_part(node, "operations", problems));
    Some(Access::Hot { records: records?, operations: operations? })
}

fn hot_part(node: &Node, what: &str, problems: &mut Problems) -> Option<f64> {
    let part = read::number(node, what, problems)?;
    if part > 0.0 && part <= 1.0 {
        return Some(part);
    }
    problems.add(&node.place, format!("the hot part of the {what} is {part}"), "give a number above 0, up to 1");
    None
}

fn ranges(node: &Node, problems: &mut Problems) -> Option<Access> {
    let table = Table::new(node, "`ranges`", &["count", "weights", "records"], problems)?;
    let count = table.required("count", "count = 30", problems);
    let weights = table.required("weights", "weights = [14.18, -2.917, 0.0164, -0.08082]", problems);
    let records = table.required("records", "records = [0.002312, 0.3467]", problems);
    let count = count.and_then(|node| read::count(node, "count", (1, 10_000), problems));
    let range = weights.and_then(|node| numbers::<4>(node, "weights", problems));
    let key = records.and_then(|node| numbers::<2>(node, "records", problems));
    let (count, range, key) = (count?, range?, key?);
    let sound = range.iter().all(|number| number.abs() <= PARAMETER_MAX);
    if !(sound && range[0] >= 0.0 && range[2] >= 0.0 && range[0] + range[2] > 0.0 && range[1].max(range[3]) <= 0.0) {
        let help =
            "give [a, b, c, d] of a·e^(b·x) + c·e^(d·x): a and c at least 0 and one of them above, b and d at most 0";
        problems.add(table.place("weights"), "these `weights` do not fall with the rank", help);
    }
    if !(key[0] > 0.0 && key[0] <= 1.0 && key[1] > 0.0 && key[1] <= 10.0) {
        let help = "give [a, b] of a·x^b: a above 0, up to 1, and b above 0, up to 10";
        problems.add(table.place("records"), "these `records` are no part that grows with the rank", help);
    }
    Some(Access::Ranges { ranges: count as u32, range, key })
}

/// Reads a list of exactly `N` numbers.
fn numbers<const N: usize>(node: &Node, what: &str, problems: &mut Problems) -> Option<[f64; N]> {
    let Value::Array(elements) = &node.value else {
        wrong_kind(node, what, &format!("a list of {N} numbers"), problems);
        return None;
    };
    let before = problems.len();
    let numbers: Vec<f64> = elements.iter().filter_map(|element| read::number(element, what, problems)).collect();
    if problems.len() == before && elements.len() != N {
        problems.add(&node.place, format!("`{what}` has {} numbers", elements.len()), format!("give {N}"));
    }
    numbers.try_into().ok()
}
