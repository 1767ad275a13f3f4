//! Axes as the page knows them: whatever tells workloads apart, found in the results themselves, so that an axis that is
//! added one day is on the page without a line here.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, Durability};
use bakeoff_text::{bytes, format_count, format_size_range};
use serde::Serialize;
use serde_json::Value;

/// What results say of a cell that is no axis of a workload: who takes part, and both ends of the axis `value_bytes`.
const NO_AXES: [&str; 6] = ["suite", "store", "settings", "value_bytes_min", "value_bytes_max", "unequal"];

/// The order in which axes are offered; those not named here come between `threads` and `data`.
const ORDER: [&str; 10] =
    ["run", "variant", "durability", "disturbance", "medium", "key", "threads", "data", "records", "value_bytes"];

/// The place in [`ORDER`] of axes that are not in it.
const ELSEWHERE: usize = 7;

/// An axis with every value that occurs, in order.
#[derive(Serialize)]
pub(crate) struct Axis {
    /// Its name, as results have it; `run` where several runs are shown together.
    pub(crate) name: String,
    /// Its values.
    pub(crate) values: Vec<Place>,
}

impl Axis {
    /// Its name for people.
    pub(crate) fn title(&self) -> String {
        match self.name.as_str() {
            "value_bytes" => "values of".to_owned(),
            name => name.replace('_', " "),
        }
    }
}

/// A value of an axis; the order of places is that of the axis.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Place {
    #[serde(skip)]
    order: (u64, u64),
    /// For people.
    pub(crate) label: String,
    /// Where to draw it; absent if it is a word. Of a range of sizes the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
}

impl Place {
    /// Where an axis has nothing: before everything else.
    fn none() -> Self {
        Self::word(0, "none")
    }

    fn word(order: u64, label: &str) -> Self {
        Self { order: (order, 0), label: label.to_owned(), number: None }
    }

    fn number(number: u64) -> Self {
        Self { order: (number, 0), label: format_count(number), number: Some(number) }
    }

    fn sizes(min: u64, max: u64) -> Self {
        let middle = min + max.saturating_sub(min) / 2;
        Self { order: (min, max), label: format_size_range(min, max), number: Some(middle) }
    }
}

/// Where a workload stands on every axis, by the axis's name.
pub(crate) type Workload = BTreeMap<String, Place>;

/// Where a cell's workload stands, in the run with this place and label.
pub(crate) fn workload(axes: &Axes, run: (usize, &str)) -> Workload {
    let mut places = Workload::new();
    places.insert("run".to_owned(), Place::word(run.0 as u64, run.1));
    places.insert("value_bytes".to_owned(), Place::sizes(axes.value_bytes_min, axes.value_bytes_max));
    let unequal = axes.unequal.then(|| Place::word(0, "as set"));
    let Ok(Value::Object(fields)) = serde_json::to_value(axes) else { return places };
    for (name, value) in fields.into_iter().filter(|(name, _)| !NO_AXES.contains(&name.as_str())) {
        let place = match (&value, value.as_u64()) {
            (_, Some(number)) if name.ends_with("_bytes") => {
                Place { label: bytes(number as f64), ..Place::number(number) }
            }
            (_, Some(number)) => Place::number(number),
            (Value::String(word), _) => Place::word(order_of(word), word),
            _ => Place::word(order_of(""), &value.to_string()),
        };
        places.insert(name, place);
    }
    // Where each store was set to a class of its own, the class is part of its name.
    places.extend(unequal.map(|place| ("durability".to_owned(), place)));
    places
}

/// Durability classes go from weak to strong, other words by themselves; all behind [`Place::none`].
fn order_of(word: &str) -> u64 {
    1 + Durability::ALL.iter().position(|class| class.name() == word).unwrap_or(0) as u64
}

/// All axes of these workloads, in the order in which they are offered. An axis that some workload does not have gets the
/// value "none".
pub(crate) fn axes_of(workloads: &BTreeSet<Workload>) -> Vec<Axis> {
    let names: BTreeSet<&String> = workloads.iter().flat_map(BTreeMap::keys).collect();
    let mut axes: Vec<Axis> = names
        .into_iter()
        .map(|name| {
            let values: BTreeSet<Place> = workloads.iter().map(|workload| place_on(workload, name)).collect();
            Axis { name: name.clone(), values: values.into_iter().collect() }
        })
        .collect();
    axes.sort_by_key(|axis| ORDER.iter().position(|name| *name == axis.name).map_or((ELSEWHERE, 0), |at| (at, 1)));
    axes
}

/// The indices of a workload's places on these axes.
pub(crate) fn indices(workload: &Workload, axes: &[Axis]) -> Vec<usize> {
    let index = |axis: &Axis| {
        let place = place_on(workload, &axis.name);
        axis.values.iter().position(|value| *value == place).unwrap_or(0)
    };
    axes.iter().map(index).collect()
}

fn place_on(workload: &Workload, name: &str) -> Place {
    workload.get(name).cloned().unwrap_or_else(Place::none)
}
