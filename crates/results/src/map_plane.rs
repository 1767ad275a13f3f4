//! The plane of a map: what its samples show about the places between them, and where the next sample is most useful.
//!
//! Everything here follows from the samples alone. A place is judged by the nearest sample in each of its four
//! quadrants, which include their borders. If the same store won all four, it probably wins the place too. That is
//! correct wherever a straight line separates two winners: one quadrant of the place is always on the place's own side
//! of the line.

use std::collections::{BTreeMap, BTreeSet};

use crate::map_axis::MAP_STEPS;
use crate::map_facts::MapPoint;

/// A store whose cost is this multiple of the best in all samples around a place is not raced there.
pub const MAP_BEHIND: f64 = 3.0;

/// A place closer than this many steps to a sample is not sampled if its surroundings agree, or if they did not
/// separate the first stores.
const EXPLORED_WITHIN: f64 = 3.0;
const OPEN_WITHIN: f64 = 2.0;

/// The value of a sample between different winners, next to a sample without a single winner, and between equal
/// winners.
const WORTH_CONTESTED: f64 = 4.0;
const WORTH_OPEN: f64 = 1.5;
const WORTH_AGREED: f64 = 1.0;

/// The outcome of a race at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapVerdict {
    /// One store is best, with proof, or is the only store that can do it.
    Won(String),
    /// These are equally good, with proof.
    Tied(Vec<String>),
    /// The rounds do not separate these.
    Undecided(Vec<String>),
    /// No store has a figure.
    Nobody,
}

/// A place at which stores were raced.
#[derive(Clone, Debug, PartialEq)]
pub struct MapSample {
    /// Who won.
    pub verdict: MapVerdict,
    /// The cost of each measured store as a multiple of the best.
    pub times_best: BTreeMap<String, f64>,
    /// Stores whose round took too long, or would have: how good they are here is unknown.
    pub unknown: Vec<String>,
}

/// The state of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapField {
    /// It was sampled.
    Sampled(MapVerdict),
    /// Not sampled: this store won the nearest samples on all sides.
    Likely(String),
    /// Not sampled: the nearest samples on all sides disagree, or did not separate the first stores.
    Open,
    /// Not sampled, and not between samples.
    Unknown,
    /// It cannot be measured here.
    Impossible,
}

impl MapField {
    /// The name of the state in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sampled(MapVerdict::Won(_)) => "won",
            Self::Sampled(MapVerdict::Tied(_)) => "tied",
            Self::Sampled(MapVerdict::Undecided(_)) => "undecided",
            Self::Sampled(MapVerdict::Nobody) => "failed",
            Self::Likely(_) => "likely",
            Self::Open => "open",
            Self::Unknown => "unknown",
            Self::Impossible => "impossible",
        }
    }

    /// The best stores there, if known.
    pub fn best(&self) -> &[String] {
        match self {
            Self::Sampled(MapVerdict::Won(store)) | Self::Likely(store) => std::slice::from_ref(store),
            Self::Sampled(MapVerdict::Tied(stores) | MapVerdict::Undecided(stores)) => stores,
            Self::Sampled(MapVerdict::Nobody) | Self::Open | Self::Unknown | Self::Impossible => &[],
        }
    }
}

/// The samples of a map.
#[derive(Clone, Debug, Default)]
pub struct Plane {
    width: usize,
    height: usize,
    impossible: BTreeSet<MapPoint>,
    samples: BTreeMap<MapPoint, MapSample>,
    /// The outcome of each sample in view of the others.
    verdicts: BTreeMap<MapPoint, MapVerdict>,
}

impl Plane {
    /// A plane of this many places along its axes, without samples.
    pub fn new(width: usize, height: usize, impossible: impl IntoIterator<Item = MapPoint>) -> Self {
        Self { width, height, impossible: impossible.into_iter().collect(), ..Self::default() }
    }

    /// Adds a sample, or replaces an earlier one.
    pub fn add(&mut self, at: MapPoint, sample: MapSample) {
        self.samples.insert(at, sample);
        self.verdicts = self.samples.iter().map(|(at, sample)| (*at, self.among_others(*at, sample))).collect();
    }

    /// The outcome of a sample. A win is open if a store might have won about which nothing is known there.
    fn among_others(&self, at: MapPoint, sample: &MapSample) -> MapVerdict {
        let MapVerdict::Won(store) = &sample.verdict else { return sample.verdict.clone() };
        let unknown: Vec<String> = sample.unknown.iter().filter(|unknown| self.may_win(at, unknown)).cloned().collect();
        if unknown.is_empty() {
            return sample.verdict.clone();
        }
        MapVerdict::Undecided(std::iter::once(store.clone()).chain(unknown).collect())
    }

    /// The outcome of the sample at a place. `None` if there is none.
    pub fn verdict(&self, at: MapPoint) -> Option<&MapVerdict> {
        self.verdicts.get(&at)
    }

    /// All samples.
    pub fn samples(&self) -> impl Iterator<Item = (MapPoint, &MapSample)> {
        self.samples.iter().map(|(at, sample)| (*at, sample))
    }

    /// The sample at a place.
    pub fn sample(&self, at: MapPoint) -> Option<&MapSample> {
        self.samples.get(&at)
    }

    /// The state of a place.
    pub fn field(&self, at: MapPoint) -> MapField {
        if let Some(verdict) = self.verdict(at) {
            return MapField::Sampled(verdict.clone());
        }
        if self.impossible.contains(&at) {
            return MapField::Impossible;
        }
        let around = self.around(at, |_| true);
        let Some(around) = around.into_iter().collect::<Option<Vec<_>>>() else { return MapField::Unknown };
        let winners: BTreeSet<Option<&str>> = around.iter().map(|point| self.winner(*point)).collect();
        match winners.first() {
            Some(Some(winner)) if winners.len() == 1 => MapField::Likely((*winner).to_owned()),
            _ => MapField::Open,
        }
    }

    /// The nearest wanted sample in each quadrant, borders included.
    fn around(&self, at: MapPoint, is_wanted: impl Fn(&MapSample) -> bool) -> [Option<MapPoint>; 4] {
        let mut nearest: [Option<(f64, MapPoint)>; 4] = [None; 4];
        for (point, _) in self.samples.iter().filter(|(point, sample)| **point != at && is_wanted(sample)) {
            let distance = self.distance(at, *point);
            let is_in = [
                point.x >= at.x && point.y >= at.y,
                point.x <= at.x && point.y >= at.y,
                point.x <= at.x && point.y <= at.y,
                point.x >= at.x && point.y <= at.y,
            ];
            for (quadrant, _) in nearest.iter_mut().zip(is_in).filter(|(_, is_in)| *is_in) {
                if quadrant.is_none_or(|(known, _)| distance < known) {
                    *quadrant = Some((distance, *point));
                }
            }
        }
        nearest.map(|quadrant| quadrant.map(|(_, point)| point))
    }

    /// The distance of two places in steps. A whole axis counts as [`MAP_STEPS`].
    fn distance(&self, a: MapPoint, b: MapPoint) -> f64 {
        let along = |a: usize, b: usize, places: usize| {
            a.abs_diff(b) as f64 * MAP_STEPS as f64 / places.saturating_sub(1).max(1) as f64
        };
        along(a.x, b.x, self.width).hypot(along(a.y, b.y, self.height))
    }

    /// Whether a place belongs to the first samples, which race all stores: the corners, the middles of the sides, and
    /// the centre.
    pub fn is_first(&self, at: MapPoint) -> bool {
        let is_end_or_middle = |place: usize, places: usize| [0, (places - 1) / 2, places - 1].contains(&place);
        is_end_or_middle(at.x, self.width) && is_end_or_middle(at.y, self.height)
    }

    /// Whether a store need not be raced at a place: on all sides, the nearest samples that measured it show it clearly
    /// behind.
    pub fn is_beaten_around(&self, at: MapPoint, store: &str) -> bool {
        let times = |point: &MapPoint| self.samples.get(point)?.times_best.get(store);
        let is_behind =
            |point: &Option<MapPoint>| point.as_ref().and_then(times).is_some_and(|times| *times >= MAP_BEHIND);
        !self.is_first(at) && self.around(at, |sample| sample.times_best.contains_key(store)).iter().all(is_behind)
    }

    /// Whether a store that could not be measured at a place might have won it: the nearest sample that measured it
    /// does not show it clearly behind. True also for a store that was measured nowhere.
    pub fn may_win(&self, at: MapPoint, store: &str) -> bool {
        let measured = self.samples.iter().filter(|(point, _)| **point != at);
        let times =
            measured.filter_map(|(point, sample)| Some((self.distance(at, *point), sample.times_best.get(store)?)));
        let nearest = times.min_by(|(a, _), (b, _)| a.total_cmp(b));
        nearest.is_none_or(|(_, times)| *times < MAP_BEHIND)
    }

    /// The next place to sample among the places that `may_be` allows, given the cost of a sample. `None` if no further
    /// sample is useful.
    ///
    /// The corners, the middles of the sides and the centre come first, cheapest first. After that, a place is more
    /// useful the further it is from any sample, and less useful the more it costs. Places between different winners
    /// count four times as much. Where all sides agree, places near a sample are not sampled.
    pub fn next(&self, may_be: impl Fn(MapPoint) -> bool, cost: impl Fn(MapPoint) -> f64) -> Option<MapPoint> {
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| MapPoint { x, y }));
        let is_left = |at: &MapPoint| !self.samples.contains_key(at) && !self.impossible.contains(at) && may_be(*at);
        let left: Vec<MapPoint> = all.filter(is_left).collect();
        let first = left.iter().filter(|at| self.is_first(**at));
        if let Some(first) = first.min_by(|a, b| cost(**a).total_cmp(&cost(**b))) {
            return Some(*first);
        }
        let worth = |at: &MapPoint| Some((self.worth(*at)? / cost(*at).max(f64::MIN_POSITIVE).sqrt(), *at));
        let best = left.iter().filter_map(worth).max_by(|(a, at), (b, other)| a.total_cmp(b).then(other.cmp(at)));
        best.map(|(_, at)| at)
    }

    /// The usefulness of a sample at a place. `None` if it has none.
    fn worth(&self, at: MapPoint) -> Option<f64> {
        let distances = self.samples.keys().map(|point| self.distance(at, *point));
        let Some(distance) = distances.min_by(f64::total_cmp) else { return Some(1.0) };
        let around: Vec<MapPoint> = self.around(at, |_| true).into_iter().flatten().collect();
        let winners: BTreeSet<&str> = around.iter().filter_map(|point| self.winner(*point)).collect();
        let open: BTreeSet<&[String]> = around.iter().filter_map(|point| self.level(*point)).collect();
        let is_nearest = |point: &MapPoint| self.distance(at, *point) <= distance + f64::EPSILON;
        let is_next_to_open = around.iter().any(|point| self.level(*point).is_some() && is_nearest(point));
        let worth = match (winners.len(), open.len()) {
            (2.., _) if !is_next_to_open => WORTH_CONTESTED,
            (0, 0 | 1) | (1, 0) if distance < EXPLORED_WITHIN => return None,
            (0, 0 | 1) | (1, 0) => WORTH_AGREED,
            _ if distance < OPEN_WITHIN => return None,
            _ => WORTH_OPEN,
        };
        Some(distance * worth)
    }

    /// The store that won the sample at a place.
    fn winner(&self, at: MapPoint) -> Option<&str> {
        match self.verdict(at)? {
            MapVerdict::Won(store) => Some(store),
            _ => None,
        }
    }

    /// The stores that the sample at a place did not separate.
    fn level(&self, at: MapPoint) -> Option<&[String]> {
        match self.verdict(at)? {
            MapVerdict::Tied(stores) | MapVerdict::Undecided(stores) => Some(stores),
            MapVerdict::Won(_) | MapVerdict::Nobody => None,
        }
    }
}

#[cfg(test)]
mod tests;
