//! The values of axes, and the roles of axes.

use serde_json::Value;

use crate::durability::Durability;

/// The role of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The store and settings that replay the tapes.
    Contender,
    /// The content of the tapes.
    Workload,
    /// How they are replayed: the medium, the durability, the load at the same time.
    Condition,
}

/// How a report separates cells with different values of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// In different tables: their figures are never compared.
    Table,
    /// In different fields of a table.
    Field,
    /// Not at all, or the separation follows from other axes.
    Neither,
}

/// The value of an axis, of the same kind in all cells. An absent value is `None` and sorts first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AxisValue {
    /// A yes or no; `false` counts as absent.
    Flag(bool),
    /// A durability level.
    Class(Option<Durability>),
    /// A name, or the JSON of settings.
    Text(Option<String>),
    /// A count.
    Count(Option<u64>),
    /// A size in bytes.
    Bytes(Option<u64>),
    /// Smallest and largest size in bytes.
    Sizes(u64, u64),
}

impl AxisValue {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(Some(text.into()))
    }

    /// Whether there is no value.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Flag(false) | Self::Class(None) | Self::Text(None) | Self::Count(None) | Self::Bytes(None))
    }

    /// The value as in the JSON of results; `None` if the key is omitted. Sizes have two keys there and are a list here.
    pub fn to_json(&self) -> Option<Value> {
        match self {
            Self::Flag(flag) => flag.then(|| true.into()),
            Self::Class(class) => Some((*class)?.name().into()),
            Self::Text(text) => Some(text.as_deref()?.into()),
            Self::Count(number) | Self::Bytes(number) => Some((*number)?.into()),
            Self::Sizes(min, max) => Some(vec![*min, *max].into()),
        }
    }
}

/// When a full line of figures names the value of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// Usual or not.
    Always,
    /// Only if it is not the usual one.
    Unusual,
    /// Never: the line shows it elsewhere.
    Never,
}
