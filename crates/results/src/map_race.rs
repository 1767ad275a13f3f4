//! The race at one place of a map: the participants of its next round, and the outcome of its rounds.

use std::collections::BTreeMap;

use bakeoff_stats::{Place, Ranking, Verdict};

use crate::cell_rounds::CellRound;
use crate::goal::Goal;
use crate::map_plane::{MapSample, MapVerdict};
use crate::pick::{CONFIDENCE, ROUNDS_PROOF, is_late, rank_costs};
use crate::race::{DROP_CONFIDENCE, behind, far_behind, is_far_behind, is_told};

/// The maximum of rounds at a place while the first stores are undecided: at once, and if time is left at the end.
pub const MAP_ROUNDS: (u32, u32) = (5, 15);

/// The rounds of a place.
#[derive(Clone, Debug, Default)]
pub struct MapRace<'a> {
    cells: Vec<&'a CellRound>,
}

impl<'a> MapRace<'a> {
    /// A race of these rounds.
    pub fn new(cells: Vec<&'a CellRound>) -> Self {
        Self { cells }
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The number of rounds of the store with the most.
    pub fn rounds(&self) -> u32 {
        self.cells.iter().map(|cell| cell.end.round).max().unwrap_or(0)
    }

    /// Names of the stores that were raced.
    pub fn stores(&self) -> Vec<&'a str> {
        let mut stores: Vec<&str> = self.cells.iter().map(|cell| cell.end.axes.store.as_str()).collect();
        stores.sort_unstable();
        stores.dedup();
        stores
    }

    /// Names of the stores with a round that timed out: how good they are is unknown.
    pub fn late(&self) -> Vec<String> {
        self.stores_with(is_late)
    }

    /// Names of the stores with a round that failed for another reason.
    pub fn failed(&self) -> Vec<String> {
        self.stores_with(|cell| !cell.is_ok() && !is_late(cell))
    }

    fn stores_with(&self, is_one: impl Fn(&CellRound) -> bool) -> Vec<String> {
        let all = self.cells.iter().filter(|cell| is_one(cell));
        let mut stores: Vec<String> = all.map(|cell| cell.end.axes.store.clone()).collect();
        stores.sort_unstable();
        stores.dedup();
        stores
    }

    /// The number of the next round and its participants among `entered`. `None` if more rounds, up to `most`, would
    /// not help.
    ///
    /// It follows from the rounds alone, so an interrupted race continues where it stopped.
    pub fn next(&self, entered: &[String], goal: Goal, most: u32) -> Option<(u32, Vec<String>)> {
        let last = self.rounds();
        let of_last = if last <= 1 { entered.to_vec() } else { self.before(last).survivors(entered, goal) };
        let missing: Vec<String> = of_last.into_iter().filter(|store| !self.has(store, last.max(1))).collect();
        if !missing.is_empty() {
            return Some((last.max(1), missing));
        }
        let survivors = self.survivors(entered, goal);
        let is_decided = last >= ROUNDS_PROOF as u32 && is_told(self.ranking(goal, CONFIDENCE).as_ref());
        (survivors.len() > 1 && last < most && !is_decided).then_some((last + 1, survivors))
    }

    /// Whether several stores may be the best here, and further rounds may tell.
    pub fn is_open(&self, goal: Goal) -> bool {
        let verdict = self.sample(goal).map(|sample| sample.verdict);
        let is_undecided = matches!(verdict, Some(MapVerdict::Undecided(stores)) if stores.len() > 1);
        is_undecided && self.rounds() < MAP_ROUNDS.1
    }

    /// The rounds before this one.
    fn before(&self, round: u32) -> Self {
        Self { cells: self.cells.iter().filter(|cell| cell.end.round < round).copied().collect() }
    }

    /// Whether a store had this round, or is out of the race because a round failed.
    fn has(&self, store: &str, round: u32) -> bool {
        let mut own = self.cells.iter().filter(|cell| cell.end.axes.store == store);
        own.any(|cell| cell.end.round == round || !cell.is_ok())
    }

    /// The stores that are still in the race after these rounds.
    fn survivors(&self, entered: &[String], goal: Goal) -> Vec<String> {
        let Some(ranking) = self.ranking(goal, DROP_CONFIDENCE) else { return Vec::new() };
        let round = self.rounds();
        let has_figures = |store: &&String| ranking.order.iter().any(|place| place.name == **store);
        // A dropped store does not return.
        let is_in = |store: &&String| round < 2 || self.has(store, round);
        let still: Vec<String> = entered.iter().filter(has_figures).filter(is_in).cloned().collect();
        let far = far_behind(&self.cells, &still, &ranking, (round, goal));
        let out = behind(&still, &ranking, (round, &far), |_| false);
        still.into_iter().filter(|store| out.iter().all(|each| each.store != *store)).collect()
    }

    /// The ranking of all stores with figures.
    fn ranking(&self, goal: Goal, confidence: f64) -> Option<Ranking> {
        rank_costs(&self.cells, |cell| goal.cost(cell), goal.resolution(), confidence)
    }

    /// The ranking for the sample, and the stores that it leaves out: one round showed them to be far behind, and nothing
    /// more is known of them.
    pub fn proven(&self, goal: Goal) -> Option<(Ranking, Vec<String>)> {
        let all = self.ranking(goal, CONFIDENCE)?;
        let is_behind = |place: &&Place| place.rounds < 2 && is_far_behind(&place.name, &all);
        let behind: Vec<String> = all.order.iter().filter(is_behind).map(|place| place.name.clone()).collect();
        if behind.is_empty() {
            return Some((all, behind));
        }
        let told = self.cells.iter().filter(|cell| !behind.contains(&cell.end.axes.store)).copied().collect();
        Some((Self { cells: told }.ranking(goal, CONFIDENCE)?, behind))
    }

    /// The outcome of the rounds. `None` if there are none.
    pub fn sample(&self, goal: Goal) -> Option<MapSample> {
        if self.is_empty() {
            return None;
        }
        let Some(all) = self.ranking(goal, CONFIDENCE) else {
            return Some(MapSample { verdict: MapVerdict::Nobody, times_best: BTreeMap::new(), unknown: self.late() });
        };
        let times_best = all.order.iter().map(|place| (place.name.clone(), all.times_the_best(place))).collect();
        let verdict = self.proven(goal).map_or(MapVerdict::Nobody, |(ranking, _)| verdict(&ranking));
        Some(MapSample { verdict, times_best, unknown: self.late() })
    }
}

/// The verdict on a place from its ranking.
fn verdict(ranking: &Ranking) -> MapVerdict {
    match ranking.verdict {
        Verdict::Winner | Verdict::Alone => MapVerdict::Won(ranking.best.clone()),
        Verdict::Tie => MapVerdict::Tied(ranking.tied.clone()),
        Verdict::Undecided | Verdict::Unproven => {
            let open = ranking.order.iter().filter(|place| !place.is_worse());
            MapVerdict::Undecided(open.map(|place| place.name.clone()).collect())
        }
    }
}
