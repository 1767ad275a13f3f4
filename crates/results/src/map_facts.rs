//! The question of a map and the course of its races, as `run.json` stores them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::goal::Goal;
use crate::map_axis::MapAxis;
use crate::pick_facts::Excluded;

/// A place on a map: the indices of its values on both axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MapPoint {
    /// The index on the horizontal axis.
    pub x: usize,
    /// The index on the vertical axis.
    pub y: usize,
}

impl MapPoint {
    /// The variant of the suite that races stores here.
    pub fn variant(self) -> String {
        format!("x{}-y{}", self.x, self.y)
    }
}

/// A store that was not raced at a place, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapLeftOut {
    /// The place.
    pub at: MapPoint,
    /// The store's name.
    pub store: String,
    /// The reason, for people.
    pub why: String,
}

/// The question of a map and the course of its races.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapFacts {
    /// The need as bakeoff understood it, without the quantities of the axes: keys and values, in the order of the
    /// questions.
    pub need: Vec<(String, String)>,
    /// The horizontal axis.
    pub x: MapAxis,
    /// The vertical axis.
    pub y: MapAxis,
    /// The goal.
    pub optimize: Goal,
    /// The time budget.
    pub budget_ns: u64,
    /// Whether the budget ended the map, rather than its results.
    pub out_of_time: bool,
    /// Stores that take part somewhere on the map.
    pub raced: Vec<String>,
    /// Stores that do not meet the requirements anywhere on the map.
    pub excluded: Vec<Excluded>,
    /// Places that cannot be measured here, for example because they are too large for the disk.
    pub impossible: Vec<MapPoint>,
    /// Stores that were not raced at a place because a round there would have taken too long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<MapLeftOut>,
}

impl MapFacts {
    /// The time budget.
    pub fn budget(&self) -> Duration {
        Duration::from_nanos(self.budget_ns)
    }

    /// Every place, row by row.
    pub fn points(&self) -> impl Iterator<Item = MapPoint> + Clone {
        let (width, height) = (self.x.values.len(), self.y.values.len());
        (0..height).flat_map(move |y| (0..width).map(move |x| MapPoint { x, y }))
    }

    /// A place, for people: `value size 64.0 KiB, 10,000 records`.
    pub fn describe(&self, at: MapPoint) -> String {
        format!("{}, {}", self.x.describe(at.x), self.y.describe(at.y))
    }
}
