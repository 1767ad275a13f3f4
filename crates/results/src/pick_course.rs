//! The course of a pick's race: how each store stood after each of its rounds, and why it left.

use std::collections::BTreeMap;

use bakeoff_stats::{Better, Interval, RankOptions, Rounds};

use crate::pick::{CONFIDENCE, PICK_ASKED, costs, of_variant, rank_among};
use crate::pick_outcome::PickOutcome;

/// A store in the race.
#[derive(Debug)]
pub struct Runner<'a> {
    /// Its name.
    pub store: String,
    /// How it stood after each of its rounds.
    pub steps: Vec<Step>,
    /// Why it left before the end, if it did.
    pub left: Option<&'a str>,
}

/// How a store stood after a round.
#[derive(Debug, PartialEq)]
pub struct Step {
    /// The round, from 1.
    pub round: u32,
    /// The time of all rounds until the end of this one. Breaks between them do not count.
    pub elapsed_ns: u64,
    /// Its cost over its rounds so far, as a multiple of the best one's.
    pub times_the_best: f64,
    /// The interval of this multiple at the confidence of an answer. `None` for the best, and if nothing is known.
    pub known: Option<Interval>,
}

impl<'a> PickOutcome<'a> {
    /// The stores of the race that never failed in it, by name.
    pub fn course(&self) -> Vec<Runner<'a>> {
        let goal = self.facts.optimize;
        let options = RankOptions { resolution: goal.resolution(), ..RankOptions::new(Better::Lower) };
        let all = costs(&self.run.cells, PICK_ASKED, |cell| goal.cost(cell));
        let ends = self.round_ends();
        let last = ends.keys().map(|(_, round)| *round).max().unwrap_or(0);
        let mut steps: BTreeMap<String, Vec<Step>> = BTreeMap::new();
        for round in 1..=last {
            let until = |rounds: &Rounds| rounds.iter().filter(|(at, _)| *at <= round).collect::<Rounds>();
            let so_far = all.iter().map(|(store, rounds)| (store.clone(), until(rounds)));
            let so_far = so_far.filter(|(_, rounds)| !rounds.is_empty()).collect();
            let Some(ranking) = rank_among(so_far, options, CONFIDENCE, None) else { continue };
            for place in &ranking.order {
                // A store that has left has no more rounds.
                let Some(elapsed_ns) = ends.get(&(place.name.as_str(), round)).copied() else { continue };
                let known = place.ratio_to_best.filter(|_| place.name != ranking.best);
                let step = Step { round, elapsed_ns, times_the_best: ranking.times_the_best(place), known };
                steps.entry(place.name.clone()).or_default().push(step);
            }
        }
        let left = |store: &str| self.facts.dropped.iter().find(|each| each.store == store);
        let runner = |(store, steps): (String, Vec<Step>)| {
            let left = left(&store).map(|each| each.why.as_str());
            Runner { store, steps, left }
        };
        steps.into_iter().map(runner).collect()
    }

    /// When each round of each store ended, in the time of all rounds.
    fn round_ends(&self) -> BTreeMap<(&'a str, u32), u64> {
        let mut elapsed_ns: u64 = 0;
        let mut ends = BTreeMap::new();
        for cell in of_variant(&self.run.cells, PICK_ASKED) {
            elapsed_ns = elapsed_ns.saturating_add(cell.end.process_ns);
            ends.insert((cell.end.axes.store.as_str(), cell.end.round), elapsed_ns);
        }
        ends
    }
}
