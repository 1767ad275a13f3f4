//! The outcome of a map: the races at its places, and the plane made of their samples.

use std::collections::{BTreeMap, HashMap};

use bakeoff_stats::Ranking;

use crate::cell_rounds::CellRound;
use crate::map_axis::MAP_STEPS;
use crate::map_facts::{MapFacts, MapPoint};
use crate::map_plane::{MapField, MapVerdict, Plane};
use crate::map_race::MapRace;
use crate::run::Run;

/// The stores that have no place in a ranking, by the reason.
pub type UnrankedStores = BTreeMap<Unranked, Vec<String>>;

/// A map with everything derived from its rounds.
pub struct MapOutcome<'a> {
    /// The run.
    pub run: &'a Run,
    /// The question, and the course of the races.
    pub facts: &'a MapFacts,
    /// The samples.
    pub plane: Plane,
    races: BTreeMap<MapPoint, MapRace<'a>>,
}

impl<'a> MapOutcome<'a> {
    /// The map of a run. `None` if the run is not a map, or its axes are invalid.
    pub fn new(run: &'a Run) -> Option<Self> {
        let facts = run.record.map.as_ref()?;
        let is_axis = |values: &[f64]| (1..=MAP_STEPS + 1).contains(&values.len());
        if !is_axis(&facts.x.values) || !is_axis(&facts.y.values) {
            return None;
        }
        let races = races(&run.cells, facts);
        let mut plane = empty_plane(facts);
        for (at, race) in &races {
            add_sample(&mut plane, facts, *at, race);
        }
        Some(Self { run, facts, plane, races })
    }

    /// The ranking at a place, without stores that were far behind after one round.
    pub fn ranking(&self, at: MapPoint) -> Option<Ranking> {
        self.races.get(&at)?.proven(self.facts.optimize).map(|(ranking, _)| ranking)
    }

    /// The same ranking, and the stores that it does not have; `None` where nothing was raced.
    pub fn standings(&self, at: MapPoint) -> Option<(Option<Ranking>, UnrankedStores)> {
        let race = self.races.get(&at)?;
        let (ranking, behind) = race.proven(self.facts.optimize).unzip();
        let (raced, late, failed, behind) = (race.stores(), race.late(), race.failed(), behind.unwrap_or_default());
        let mut unranked = UnrankedStores::new();
        for store in &self.facts.raced {
            let is_ranked = ranking.iter().flat_map(|ranking| &ranking.order).any(|place| place.name == *store);
            let left_out = || self.facts.left_out.iter().any(|each| each.at == at && each.store == *store);
            let why = match raced.contains(&store.as_str()) {
                _ if is_ranked => continue,
                true if behind.contains(store) => Unranked::FarBehind,
                true if late.contains(store) => Unranked::Late,
                true if failed.contains(store) => Unranked::Failed,
                true => Unranked::NoFigure,
                false if left_out() => Unranked::TooSlow,
                false => Unranked::NotRaced,
            };
            unranked.entry(why).or_default().push(store.clone());
        }
        Some((ranking, unranked))
    }

    /// The stores that won or tied somewhere, each with the number of samples it won alone, most first.
    pub fn winners(&self) -> Vec<(String, usize)> {
        let mut wins: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, _) in self.plane.samples() {
            match self.plane.verdict(at) {
                Some(MapVerdict::Won(store)) => *wins.entry(store).or_default() += 1,
                Some(MapVerdict::Tied(stores) | MapVerdict::Undecided(stores)) => {
                    for store in stores {
                        wins.entry(store).or_default();
                    }
                }
                _ => {}
            }
        }
        let mut wins: Vec<(String, usize)> = wins.into_iter().map(|(store, wins)| (store.to_owned(), wins)).collect();
        wins.sort_by(|(a, wins_a), (b, wins_b)| wins_b.cmp(wins_a).then_with(|| a.cmp(b)));
        wins
    }

    /// Whether some place has figures.
    pub fn is_answered(&self) -> bool {
        self.plane.samples().any(|(_, sample)| sample.verdict != MapVerdict::Nobody)
    }

    /// The number of places in each state.
    pub fn counts(&self) -> MapCounts {
        let mut counts = MapCounts::default();
        for at in self.facts.points() {
            let count = match self.plane.field(at) {
                MapField::Sampled(MapVerdict::Won(_)) => &mut counts.won,
                MapField::Sampled(_) => &mut counts.not_parted,
                MapField::Likely(_) => &mut counts.likely,
                MapField::Open => &mut counts.open,
                MapField::Unknown => &mut counts.unknown,
                MapField::Impossible => &mut counts.impossible,
            };
            *count += 1;
        }
        counts
    }
}

/// Why the ranking at a place does not have a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unranked {
    /// One round showed it to be far behind.
    FarBehind,
    /// A round was not done in its time.
    Late,
    /// A round failed.
    Failed,
    /// What the map compares was not measured of it.
    NoFigure,
    /// It was not raced, as a round would have taken too long.
    TooSlow,
    /// It was not raced: it is clearly behind in the samples around, or cannot do it.
    NotRaced,
}

/// How many places of a map are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCounts {
    /// Sampled, and won by one store.
    pub won: usize,
    /// Sampled, and the first stores are tied or undecided.
    pub not_parted: usize,
    /// Between samples that the same store won.
    pub likely: usize,
    /// Between samples with different outcomes.
    pub open: usize,
    /// Not between samples.
    pub unknown: usize,
    /// Not measurable here.
    pub impossible: usize,
}

/// The plane of a map without samples.
pub fn empty_plane(facts: &MapFacts) -> Plane {
    Plane::new(facts.x.values.len(), facts.y.values.len(), facts.impossible.iter().copied())
}

/// Adds the outcome of a race to the plane.
pub fn add_sample(plane: &mut Plane, facts: &MapFacts, at: MapPoint, race: &MapRace<'_>) {
    let Some(mut sample) = race.sample(facts.optimize) else { return };
    let left_out = facts.left_out.iter().filter(|each| each.at == at).map(|each| each.store.clone());
    sample.unknown.extend(left_out);
    plane.add(at, sample);
}

/// The races of a map by place.
pub fn races<'a>(cells: &'a [CellRound], facts: &MapFacts) -> BTreeMap<MapPoint, MapRace<'a>> {
    let of_variant: HashMap<String, MapPoint> = facts.points().map(|at| (at.variant(), at)).collect();
    let mut rounds: BTreeMap<MapPoint, Vec<&CellRound>> = BTreeMap::new();
    for cell in cells {
        let at = cell.end.axes.variant.as_ref().and_then(|variant| of_variant.get(variant));
        if let Some(at) = at {
            rounds.entry(*at).or_default().push(cell);
        }
    }
    rounds.into_iter().map(|(at, cells)| (at, MapRace::new(cells))).collect()
}
