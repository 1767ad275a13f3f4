//! What a map was asked and how it went, as `run.json` keeps it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::goal::Goal;
use crate::map_axis::MapAxis;
use crate::pick_facts::Excluded;

/// A place on a map, by the numbers of its values on both axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MapPoint {
    /// Along the horizontal axis.
    pub x: usize,
    /// Along the vertical axis.
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
    /// Why, for a person.
    pub why: String,
}

/// What a map was asked and how it went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapFacts {
    /// The need as it was understood, without what lies along the axes: key and value, in the order of the questions.
    pub need: Vec<(String, String)>,
    /// The horizontal axis.
    pub x: MapAxis,
    /// The vertical axis.
    pub y: MapAxis,
    /// What the store is to be best at.
    pub optimize: Goal,
    /// The time there was.
    pub budget_ns: u64,
    /// Whether the time, and not the figures, ended it.
    pub out_of_time: bool,
    /// Stores that take part somewhere.
    pub raced: Vec<String>,
    /// Stores that cannot do what is asked anywhere.
    pub excluded: Vec<Excluded>,
    /// Places at which nothing can be measured here, such as those that are too large for the disk.
    pub impossible: Vec<MapPoint>,
    /// Stores that were not raced at a place because a round would have taken too long there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<MapLeftOut>,
}

impl MapFacts {
    /// The time there was.
    pub fn budget(&self) -> Duration {
        Duration::from_nanos(self.budget_ns)
    }

    /// Every place, row by row.
    pub fn points(&self) -> impl Iterator<Item = MapPoint> + Clone {
        let (width, height) = (self.x.values.len(), self.y.values.len());
        (0..height).flat_map(move |y| (0..width).map(move |x| MapPoint { x, y }))
    }

    /// A place for people: `value size 64.0 KiB, 10,000 records`.
    pub fn describe(&self, at: MapPoint) -> String {
        format!("{}, {}", self.x.describe(at.x), self.y.describe(at.y))
    }
}
