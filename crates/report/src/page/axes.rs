//! Axes as the page knows them: all that distinguishes workloads. They come from the results themselves, so a new axis is on
//! the page without a line here.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{self as protocol, Axes, AxisValue, Part, shown_axes};
use bakeoff_results::circumstances::value_label;
use bakeoff_results::contests;
use bakeoff_text::{format_count, format_size_range};
use serde::Serialize;

/// An axis with every value that occurs, in order.
#[derive(Serialize)]
pub(crate) struct Axis {
    /// Its name, as results have it; `run` where several runs are shown together.
    pub(crate) name: String,
    /// Its name for people.
    pub(crate) title: String,
    /// Whether its values are different fields of one table, so that one answer sums them up.
    pub(crate) of_field: bool,
    /// The index of the value at which the page begins: the middle of sizes, the largest number of records, else the first.
    begin: usize,
    /// Its values.
    pub(crate) values: Vec<Place>,
}

impl Axis {
    /// The axis of this name, with these values in order.
    fn new(name: &str, values: Vec<Place>) -> Self {
        let axis = shown_axis(name);
        let of_field = axis.is_some_and(|axis| axis.part == Part::Field);
        let last = values.len().saturating_sub(1);
        let begin = match axis.map(|axis| axis.value(&Axes::default())) {
            Some(AxisValue::Sizes(..)) => last / 2,
            Some(AxisValue::Count(_)) if of_field => last,
            _ => 0,
        };
        let title = axis.map_or_else(|| name.to_owned(), protocol::Axis::title);
        Self { name: name.to_owned(), title, of_field, begin, values }
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
    /// Where this axis has nothing: before everything else.
    fn none(axis: Option<&protocol::Axis>) -> Self {
        Self::word(0, axis.map(|axis| axis.none).filter(|none| !none.is_empty()).unwrap_or("none"))
    }

    fn word(order: u64, label: &str) -> Self {
        Self { order: (order, 0), label: label.to_owned(), number: None }
    }

    pub(crate) fn of(axis: &protocol::Axis, value: &AxisValue) -> Self {
        match value {
            // Where each store was set to a class of its own, the class is part of its name.
            value if value.is_absent() => Self::none(Some(axis)),
            AxisValue::Count(Some(number)) => Self::number(*number),
            AxisValue::Bytes(Some(number)) => Self { label: value_label(value), ..Self::number(*number) },
            AxisValue::Sizes(min, max) => Self::sizes(*min, *max),
            // Durability levels go from weak to strong, other words alphabetically; all come after [`Self::none`].
            AxisValue::Class(Some(class)) => Self::word(1 + *class as u64, class.name()),
            AxisValue::Text(Some(text)) => Self::word(1, text),
            other => Self::word(1, &value_label(other)),
        }
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
type Workload = BTreeMap<String, Place>;

/// Where a cell's workload stands, in the run with this place and label.
fn workload(axes: &Axes, run: (usize, &str)) -> Workload {
    let mut places = Workload::new();
    places.insert("run".to_owned(), Place::word(run.0 as u64, run.1));
    for axis in shown_axes().iter().filter(|axis| !axis.value(axes).is_absent()) {
        places.insert(axis.name.to_owned(), Place::of(axis, &axis.shared(axes)));
    }
    places
}

/// All axes of these places, of runs with these labels, and the indices of each place on them.
pub(crate) fn on_axes(places: &[contests::Place], labels: &[String]) -> (Vec<Axis>, Vec<Vec<usize>>) {
    let workloads: Vec<Workload> =
        places.iter().map(|of| workload(of.axes, (of.run, labels[of.run].as_str()))).collect();
    let axes = axes_of(&workloads.iter().cloned().collect());
    let at = workloads.iter().map(|workload| indices(workload, &axes)).collect();
    (axes, at)
}

/// All axes of these workloads, in the order in which they are offered. An axis that some workload does not have gets the
/// value "none".
fn axes_of(workloads: &BTreeSet<Workload>) -> Vec<Axis> {
    let names: BTreeSet<&String> = workloads.iter().flat_map(BTreeMap::keys).collect();
    let mut axes: Vec<Axis> = names
        .into_iter()
        .map(|name| {
            let values: BTreeSet<Place> = workloads.iter().map(|workload| place_on(workload, name)).collect();
            Axis::new(name, values.into_iter().collect())
        })
        .collect();
    axes.sort_by_key(|axis| shown_axes().iter().position(|shown| shown.name == axis.name).map_or(0, |at| at + 1));
    axes
}

/// The indices of a workload's places on these axes.
fn indices(workload: &Workload, axes: &[Axis]) -> Vec<usize> {
    let index = |axis: &Axis| {
        let place = place_on(workload, &axis.name);
        axis.values.iter().position(|value| *value == place).unwrap_or(0)
    };
    axes.iter().map(index).collect()
}

fn place_on(workload: &Workload, name: &str) -> Place {
    workload.get(name).cloned().unwrap_or_else(|| Place::none(shown_axis(name)))
}

/// The axis of this name that people see.
fn shown_axis(name: &str) -> Option<&'static protocol::Axis> {
    shown_axes().iter().copied().find(|axis| axis.name == name)
}
