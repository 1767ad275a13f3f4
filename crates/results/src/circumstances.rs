//! Circumstances: the conditions that comparable figures share, and their labels.

use bakeoff_protocol::{
    AXES, Axes, Axis, AxisValue, DISTURBANCE, DURABILITY, Durability, MEDIUM, Part, Role, THREADS, VARIANT, shown_axes,
};
use bakeoff_text::{bytes, format_count, format_size_range, printable};

/// A value for each axis that distinguishes tables of a report, in the order of display. Only figures with the same
/// circumstances are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Circumstances(Vec<AxisValue>);

/// The axes that distinguish tables, in the order of display.
pub fn table_axes() -> impl Iterator<Item = &'static Axis> {
    shown_axes().iter().copied().filter(|axis| axis.part == Part::Table)
}

impl Circumstances {
    /// The circumstances of a cell.
    pub fn of(cell: &Axes) -> Self {
        Self(table_axes().map(|axis| axis.shared(cell)).collect())
    }

    /// Every axis with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Axis, &AxisValue)> {
        table_axes().zip(&self.0)
    }

    /// The value of an axis. `None` if the axis does not distinguish tables.
    pub fn get(&self, axis: &Axis) -> Option<&AxisValue> {
        self.iter().find(|(of, _)| of.name == axis.name).map(|(_, value)| value)
    }

    /// The same circumstances with the usual value of an axis.
    pub fn without(mut self, axis: &Axis) -> Self {
        let usual = axis.value(&Axes::default());
        if let Some((_, value)) = table_axes().zip(&mut self.0).find(|(of, _)| of.name == axis.name) {
            *value = usual;
        }
        self
    }

    fn text(&self, axis: &Axis) -> Option<&str> {
        match self.get(axis) {
            Some(AxisValue::Text(text)) => text.as_deref(),
            _ => None,
        }
    }

    /// The suite's variant, if it has several.
    pub fn variant(&self) -> Option<&str> {
        self.text(&VARIANT)
    }

    /// The durability level. `None` if a suite or publication set each store differently.
    pub fn durability(&self) -> Option<Durability> {
        match self.get(&DURABILITY) {
            Some(AxisValue::Class(class)) => *class,
            _ => None,
        }
    }

    /// The durability level, for people.
    pub fn durability_label(&self) -> &'static str {
        self.durability().map_or(DURABILITY.none, Durability::name)
    }

    /// The background load, if any.
    pub fn disturbance(&self) -> Option<&str> {
        self.text(&DISTURBANCE)
    }

    /// The medium's name.
    pub fn medium(&self) -> &str {
        self.text(&MEDIUM).unwrap_or_default()
    }

    /// The number of threads.
    pub fn threads(&self) -> u64 {
        match self.get(&THREADS) {
            Some(AxisValue::Count(Some(threads))) => *threads,
            _ => 1,
        }
    }
}

/// Whether two cells differ at most in the store and its settings.
pub fn is_same_but_contender(one: &Axes, other: &Axes) -> bool {
    let decides = |axis: &&Axis| axis.role != Role::Contender;
    AXES.iter().filter(decides).all(|axis| axis.value(one) == axis.value(other))
}

/// The value of an axis without its name, for people: `64 MiB`. Empty if there is none.
pub fn value_label(value: &AxisValue) -> String {
    match value {
        AxisValue::Flag(flag) => flag.to_string(),
        AxisValue::Class(class) => class.map_or_else(String::new, |class| class.name().to_owned()),
        AxisValue::Text(text) => text.as_deref().map_or_else(String::new, printable),
        AxisValue::Count(number) => number.map_or_else(String::new, format_count),
        AxisValue::Bytes(size) => size.map_or_else(String::new, |size| bytes(size as f64)),
        AxisValue::Sizes(min, max) => format_size_range(*min, *max),
    }
}
