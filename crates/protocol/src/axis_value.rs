//! The values that axes have, and what axes are for.

use serde_json::Value;

use crate::durability::Durability;

/// What an axis decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Who replays the tapes.
    Contender,
    /// What is on the tapes.
    Workload,
    /// How they are replayed: where, how safely, and what else goes on.
    Condition,
}

/// What cells with different values of an axis have to do with each other in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Their figures are never compared: they are in different tables.
    Table,
    /// They are in different fields of a table.
    Field,
    /// It makes no difference, or follows from other axes.
    Neither,
}

/// The value of an axis, the same kind for all cells; `None` where there is none, which comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AxisValue {
    /// Whether something is so; `false` is as good as none.
    Flag(bool),
    /// A durability level.
    Class(Option<Durability>),
    /// A name, or the JSON of settings.
    Text(Option<String>),
    /// A number of something.
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

    /// Whether there is nothing to say of it.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Flag(false) | Self::Class(None) | Self::Text(None) | Self::Count(None) | Self::Bytes(None))
    }

    /// As in the JSON of results; `None` where the key is left out. Sizes have two keys there, so they are a list here.
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

/// When a line of figures that is shown in full names the value of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// Usual or not.
    Always,
    /// If it is not the usual one.
    Unusual,
    /// Never: the line has it in another place.
    Never,
}
