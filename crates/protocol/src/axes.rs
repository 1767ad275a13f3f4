//! The axes of a cell, and the table of all axes: the name of each, its role, and how it is shown.
//!
//! To add an axis: a field of [`Axes`] with its usual value, which JSON omits, and a row in [`AXES`]. Results, exports, headings and the
//! page follow from the row.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::axis_value::{AxisValue, Mention, Part, Role};
use crate::durability::Durability;
use crate::request::{Compression, Profile, Settings};

/// The medium of tapes and values, and of stores unless another is named.
pub const DEFAULT_MEDIUM: &str = "default";

/// A cell's value on every axis. The cell's id is a hash of this, the workload and the tapes' settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axes {
    /// The suite's name.
    pub suite: String,
    /// The store's name.
    pub store: String,
    /// The settings from the suite, without the store's defaults.
    #[serde(default)]
    pub settings: Settings,
    /// The durability level.
    pub durability: Durability,
    /// The data type: `random`, `text`, `json` or `half`.
    pub data: String,
    /// Key form: `sha1`, `decimal`, `integer`, `directory`.
    pub key: String,
    /// Smallest value, bytes.
    pub value_bytes_min: u64,
    /// Largest value, bytes.
    pub value_bytes_max: u64,
    /// Sizes of values with their weights, such as `70% 200B, 30% 20KiB`; absent if values have one range of sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_mixture: Option<String>,
    /// Records loaded.
    pub records: u64,
    /// Threads.
    pub threads: u32,
    /// The medium's name: `default`, or a name from `--medium`.
    pub medium: String,
    /// The suite's variant, if it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The load at the same time, such as `video`; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<String>,
    /// The suite gives some stores another durability level, as a published comparison did. Cells are compared despite that, and every
    /// report shows each one's level.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unequal: bool,
    /// The memory that every store gets for its caches and buffers, if the suite sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The memory limit of the driver's process, including the page cache of its files; absent if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit_bytes: Option<u64>,
    /// Whether stores may compress.
    #[serde(default, skip_serializing_if = "Compression::is_default")]
    pub compression: Compression,
    /// How many times all data was replaced before the measured phases; absent for a fresh store. The load is still measured.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub age: u32,
    /// The rate of the open loop in operations per second, during a search for the highest one; absent if the suite alone sets the pace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_second: Option<u64>,
    /// The process that ran the phases was killed, and another one opened the store.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub killed: bool,
    /// The power of the disk was cut, many times in a recording of what was written to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// What was profiled; absent if nothing was. Profiled cells are never ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The usual values, which labels omit.
impl Default for Axes {
    fn default() -> Self {
        Self {
            suite: String::new(),
            store: String::new(),
            settings: Settings::new(),
            durability: Durability::default(),
            data: "random".to_owned(),
            key: "sha1".to_owned(),
            value_bytes_min: 0,
            value_bytes_max: 0,
            value_mixture: None,
            records: 0,
            threads: 1,
            medium: DEFAULT_MEDIUM.to_owned(),
            variant: None,
            disturbance: None,
            unequal: false,
            memory_bytes: None,
            memory_limit_bytes: None,
            compression: Compression::Default,
            age: 0,
            rate_per_second: None,
            killed: false,
            cut: false,
            profile: None,
        }
    }
}

/// An axis.
#[derive(Debug)]
pub struct Axis {
    /// Its name.
    pub name: &'static str,
    /// Its keys in the JSON of results, which are also its columns in exports: the name, or two for a range.
    pub columns: &'static [&'static str],
    /// Its role.
    pub role: Role,
    /// How a report separates its values.
    pub part: Part,
    /// Its position among the axes shown to people, ascending; `None` if it is part of a contender's name or is not shown.
    pub order: Option<u32>,
    /// Whether a cell's id depends on it, apart from the tapes, the store and its settings. The order in the id is the order of the table.
    pub identifies: bool,
    /// The plural for a summary: `media`.
    pub plural: &'static str,
    /// A value in a heading, in place of `{}`: `medium {}`.
    pub label: &'static str,
    /// The label of the count 1, if it has another form.
    pub label_of_one: Option<&'static str>,
    /// The label of an absent value; empty if a heading omits it.
    pub label_of_none: &'static str,
    /// The entry for an absent value in a list of values; empty if the list omits it.
    pub none: &'static str,
    /// When a full line of figures names it.
    pub mention: Mention,
    /// Whether headings of tables show it even if all tables have the same value.
    pub always_heads: bool,
    title: Option<&'static str>,
    value: fn(&Axes) -> AxisValue,
    shared: Option<fn(&Axes) -> AxisValue>,
}

impl Axis {
    const fn new(name: &'static [&'static str; 1], role: Role, part: Part, value: fn(&Axes) -> AxisValue) -> Self {
        Self {
            name: name[0],
            columns: name,
            role,
            part,
            order: None,
            identifies: false,
            plural: "",
            label: "",
            label_of_one: None,
            label_of_none: "",
            none: "",
            mention: Mention::Unusual,
            title: None,
            always_heads: false,
            value,
            shared: None,
        }
    }

    const fn order(self, order: u32) -> Self {
        Self { order: Some(order), ..self }
    }

    const fn identifies(self) -> Self {
        Self { identifies: true, ..self }
    }

    const fn labels(self, plural: &'static str, label: &'static str, label_of_none: &'static str) -> Self {
        Self { plural, label, label_of_none, ..self }
    }

    const fn mention(self, mention: Mention) -> Self {
        Self { mention, ..self }
    }

    const fn always_heads(self) -> Self {
        Self { always_heads: true, ..self }
    }

    /// A cell's value.
    pub fn value(&self, axes: &Axes) -> AxisValue {
        (self.value)(axes)
    }

    /// The value that a cell shares with the cells it is compared with.
    pub fn shared(&self, axes: &Axes) -> AxisValue {
        self.shared.unwrap_or(self.value)(axes)
    }

    /// Whether a cell's value is the usual one, which labels omit.
    pub fn is_usual(&self, axes: &Axes) -> bool {
        self.value(axes) == self.value(&Axes::default())
    }

    /// A value in a heading: `4 threads`; empty if a heading omits it. `format` formats the value alone.
    pub fn label(&self, value: &AxisValue, format: impl FnOnce(&AxisValue) -> String) -> String {
        match (value, self.label_of_one) {
            (value, _) if value.is_absent() => self.label_of_none.to_owned(),
            (AxisValue::Count(Some(1)), Some(label)) => label.replace("{}", &format(value)),
            _ => self.label.replace("{}", &format(value)),
        }
    }

    /// Its name for people.
    pub fn title(&self) -> String {
        self.title.map_or_else(|| self.name.replace('_', " "), str::to_owned)
    }
}

/// Every axis, in the order of the keys in results.
pub static AXES: [Axis; 22] =
    [
        Axis::new(&["suite"], Role::Condition, Part::Neither, |of| AxisValue::text(&of.suite)),
        Axis::new(&["store"], Role::Contender, Part::Neither, |of| AxisValue::text(&of.store)),
        Axis::new(&["settings"], Role::Contender, Part::Neither, |of| {
            AxisValue::text(Value::from_iter(of.settings.clone()).to_string())
        }),
        DURABILITY,
        Axis::new(&["data"], Role::Workload, Part::Field, |of| AxisValue::text(&of.data)).order(13),
        Axis::new(&["key"], Role::Workload, Part::Table, |of| AxisValue::text(&of.key))
            .order(5)
            .labels("keys", "{} keys", "")
            .mention(Mention::Always),
        VALUE_BYTES,
        Axis::new(&["value_mixture"], Role::Workload, Part::Table, |of| AxisValue::Text(of.value_mixture.clone()))
            .order(17)
            .labels("", "values {}", "")
            .always_heads(),
        Axis::new(&["records"], Role::Workload, Part::Field, |of| AxisValue::Count(Some(of.records))).order(14),
        THREADS,
        MEDIUM,
        VARIANT,
        DISTURBANCE,
        Axis::new(&["unequal"], Role::Condition, Part::Neither, |of| AxisValue::Flag(of.unequal)),
        Axis::new(&["memory_bytes"], Role::Condition, Part::Table, |of| AxisValue::Bytes(of.memory_bytes))
            .order(8)
            .labels("memory for each store", "{} for each store", "no memory given"),
        Axis::new(&["memory_limit_bytes"], Role::Condition, Part::Table, |of| AxisValue::Bytes(of.memory_limit_bytes))
            .order(9)
            .identifies()
            .labels("memory at most", "at most {} of memory", "no memory limit"),
        COMPRESSION,
        AGE,
        Axis::new(&["rate_per_second"], Role::Workload, Part::Table, |of| AxisValue::Count(of.rate_per_second))
            .order(12)
            .labels("", "at {}/s", "")
            .always_heads()
            .mention(Mention::Never),
        Axis::new(&["killed"], Role::Workload, Part::Neither, |of| AxisValue::Flag(of.killed)).order(7).identifies(),
        Axis::new(&["cut"], Role::Workload, Part::Neither, |of| AxisValue::Flag(of.cut)).order(18).identifies(),
        Axis::new(&["profile"], Role::Condition, Part::Neither, |of| {
            AxisValue::Text(of.profile.map(|profile| profile.name().to_owned()))
        })
        .order(11)
        .identifies(),
    ];

/// The durability level. Where a suite gives stores different levels, cells are compared despite that.
pub const DURABILITY: Axis = Axis {
    none: "as set",
    shared: Some(|of| AxisValue::Class((!of.unequal).then_some(of.durability))),
    ..Axis::new(&["durability"], Role::Condition, Part::Table, |of| AxisValue::Class(Some(of.durability)))
        .order(2)
        .labels("durability", "durability {}", "durability as set")
        .always_heads()
        .mention(Mention::Always)
};

/// Smallest and largest value.
const VALUE_BYTES: Axis = Axis {
    columns: &["value_bytes_min", "value_bytes_max"],
    title: Some("value size"),
    ..Axis::new(&["value_bytes"], Role::Workload, Part::Field, |of| {
        AxisValue::Sizes(of.value_bytes_min, of.value_bytes_max)
    })
    .order(15)
};

/// Threads.
pub const THREADS: Axis = Axis {
    label_of_one: Some("{} thread"),
    ..Axis::new(&["threads"], Role::Workload, Part::Table, |of| AxisValue::Count(Some(of.threads.into())))
        .order(6)
        .labels("threads", "{} threads", "")
};

/// The medium's name.
pub const MEDIUM: Axis = Axis::new(&["medium"], Role::Condition, Part::Table, |of| AxisValue::text(&of.medium))
    .order(4)
    .identifies()
    .labels("media", "medium {}", "")
    .mention(Mention::Always);

/// The suite's variant.
pub const VARIANT: Axis =
    Axis::new(&["variant"], Role::Workload, Part::Table, |of| AxisValue::Text(of.variant.clone()))
        .order(1)
        .identifies()
        .labels("variants", "variant {}", "")
        .always_heads()
        .mention(Mention::Never);

/// The load at the same time.
pub const DISTURBANCE: Axis = Axis {
    none: "none",
    ..Axis::new(&["disturbance"], Role::Condition, Part::Table, |of| AxisValue::Text(of.disturbance.clone()))
        .order(3)
        .identifies()
        .labels("disturbance", "disturbed by {}", "undisturbed")
};

/// Whether stores may compress.
const COMPRESSION: Axis = Axis {
    none: "default",
    ..Axis::new(&["compression"], Role::Condition, Part::Table, |of| {
        AxisValue::Text((!of.compression.is_default()).then(|| of.compression.name().to_owned()))
    })
    .order(10)
    .identifies()
    .labels("compression", "compression {}", "compression as by default")
};

/// How often all data was replaced before.
const AGE: Axis = Axis {
    label_of_one: Some("aged by 1 turnover"),
    ..Axis::new(&["age"], Role::Workload, Part::Table, |of| AxisValue::Count((of.age > 0).then_some(of.age.into())))
        .order(16)
        .labels("age", "aged by {} turnovers", "fresh")
};

/// The axes shown to people, in their order.
pub fn shown_axes() -> &'static [&'static Axis] {
    static SHOWN: LazyLock<Vec<&Axis>> = LazyLock::new(|| {
        let mut axes: Vec<&Axis> = AXES.iter().filter(|axis| axis.order.is_some()).collect();
        axes.sort_by_key(|axis| axis.order);
        axes
    });
    &SHOWN
}

impl Axes {
    /// The values of all axes with this role, in the order of the table. Cells with equal values for [`Role::Workload`] replay the same
    /// tapes.
    pub fn values(&self, role: Role) -> Vec<AxisValue> {
        AXES.iter().filter(|axis| axis.role == role).map(|axis| axis.value(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_key_of_the_results_in_their_order() {
        let settings = Settings::from([("cache".to_owned(), 1.into())]);
        let axes = Axes {
            settings,
            value_mixture: Some("1 1B, 2 2B".to_owned()),
            variant: Some("v".to_owned()),
            disturbance: Some("cpu".to_owned()),
            unequal: true,
            memory_bytes: Some(1),
            memory_limit_bytes: Some(2),
            compression: Compression::None,
            age: 2,
            rate_per_second: Some(3),
            killed: true,
            cut: true,
            profile: Some(Profile::Cpu),
            ..Axes::default()
        };
        let json = serde_json::to_string(&axes).unwrap();
        let places: Vec<_> =
            AXES.iter().flat_map(|axis| axis.columns).map(|key| json.find(&format!("\"{key}\":"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {json}");
        let keys = serde_json::to_value(&axes).unwrap().as_object().unwrap().len();
        assert_eq!(keys, AXES.iter().map(|axis| axis.columns.len()).sum::<usize>(), "{json}");
        assert!(AXES.iter().filter(|axis| axis.part == Part::Table).all(|axis| axis.order.is_some()));
    }
}
