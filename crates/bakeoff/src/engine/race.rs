//! A race: rounds of what was asked, without those that fall behind, then a few rounds of everything the answer might depend on.
//!
//! A store is dropped when it is worse than the best at a level that allows for looking after every round, or, when the time is short, when
//! it cost four times as much: in two rounds, or in one by the medians of its operations too, which other work on the machine cannot spoil. The
//! next best stays as long as there is time for it, to be proven worse. The time that is left goes to the variants of the suite, with the
//! stores that lead.

use std::time::Duration;

use anyhow::{Context, Result};
use bakeoff_protocol::Structure;
use bakeoff_results::cell_rounds::rounds_of;
use bakeoff_results::pick::{
    Excluded, Goal, PICK_ASKED, PICK_ASKED_PART, PICK_FAR_BEHIND, PickFacts, goal_so_far, pick_is_answered,
    pick_ranking, pick_typical_ranking,
};
use bakeoff_stats::{Place, Ranking, Verdict};
use bakeoff_suite::{Cell, WorkloadPlan};
use bakeoff_text::roughly;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::engine::estimate::{FLUSHES_OF_A_WRITE_MIN, estimates};
use crate::engine::progress::Display;
use crate::engine::run::{Ended, Run};
use crate::engine::schedule::{Costs, Step};
use crate::pick::suite::ROUNDS_MAX;

/// How sure it must be after any round that a store is worse than the best: errors of all looks together stay near 5 %.
const DROP_CONFIDENCE: f64 = 0.99;

/// Rounds that those who stay have at least.
const ROUNDS_MIN: u32 = 3;

/// Stores whose difference is known to be within this are as good as equal: more rounds would say nothing more.
const EQUAL_WITHIN: f64 = 1.05;

/// Rounds that each variant has, and has at most while nobody is ahead beyond doubt; and stores in it.
const VARIANT_ROUNDS: (u32, u32) = (3, 20);
const FINALISTS: usize = 4;

struct Racing {
    costs: Costs,
    display: Display,
    random: Xoshiro256PlusPlus,
    facts: PickFacts,
}

impl Run<'_> {
    /// Runs a pick's suite as a race, and keeps how it went in `run.json`.
    pub(crate) fn race(mut self, facts: PickFacts) -> Result<Ended> {
        let workloads = &self.setup.plan.workloads;
        let guesses = workloads.iter().map(|workload| estimates(self.setup, workload, FLUSHES_OF_A_WRITE_MIN));
        let costs = Costs::new(guesses.collect());
        let random = Xoshiro256PlusPlus::seed_from_u64(self.setup.suite.seed());
        let mut racing = Racing { costs, display: Display::new(self.setup.reporter), random, facts };
        self.race_asked(&mut racing)?;
        let leaders = racing.facts.finalists.clone();
        if !leaders.is_empty() && !self.interrupt.requested() {
            self.race_variants(&mut racing, &leaders)?;
        }
        racing.display.finish();
        let is_answered = pick_is_answered(&rounds_of(self.results.lines()), &racing.facts);
        let asked = self.asked()?;
        racing.facts.proof_ns_expected = (racing.costs.predict(asked) * f64::from(ROUNDS_MIN)) as u64;
        self.file.pick = Some(racing.facts);
        // An answer is what was wanted: that some store failed on the way is part of it.
        let failed = usize::from(!is_answered);
        Ok(Ended { failed, ..self.end(Vec::new())? })
    }

    /// The time left of a part of the budget.
    fn left_of(&self, part: f64) -> Duration {
        let budget = self.budget_to_measure().unwrap_or(Duration::MAX / 2);
        budget.mul_f64(part).saturating_sub(self.begin.elapsed())
    }

    /// How long a step will take, as far as is known.
    fn expected(&self, step: &Step, racing: &Racing) -> Duration {
        let expected: f64 = step.cells.iter().map(|&cell| racing.costs.predict_cell(step.workload, cell)).sum();
        Duration::from_nanos(expected as u64)
    }

    /// Whether a step is expected to end within a part of the budget.
    fn fits(&self, step: &Step, racing: &Racing, part: f64) -> bool {
        self.expected(step, racing) <= self.left_of(part)
    }

    /// The workload that is what was asked.
    fn asked(&self) -> Result<usize> {
        let is_asked = |workload: &WorkloadPlan| workload.variant.as_deref() == Some(PICK_ASKED);
        self.setup.plan.workloads.iter().position(is_asked).context("nothing that was asked is in the plan")
    }

    /// Races what was asked, and keeps those that lead, best first; none if nothing was measured.
    fn race_asked(&mut self, racing: &mut Racing) -> Result<()> {
        let setup = self.setup;
        let workload = self.asked()?;
        let asked = &setup.plan.workloads[workload];
        let cells = &asked.cells;
        let mut alive: Vec<usize> = (0..cells.len()).collect();
        let mut worse: Vec<String> = Vec::new();
        self.leave_out_too_slow(&mut alive, workload, racing);
        for round in 1..=ROUNDS_MAX {
            if round > 1 && !self.fit_round(&mut alive, (workload, round), racing) {
                racing.facts.out_of_time = true;
                break;
            }
            alive.shuffle(&mut racing.random);
            if round == 1 {
                // Of nobody anything is known yet, and what leaves many files has taken the time of all the others to remove.
                alive.sort_by_key(|&cell| {
                    let store = &cells[cell].axes.store;
                    (promises_more(asked, store), self.leaves_many_files(store))
                });
            }
            let step = Step { workload, round, cells: alive.clone() };
            if !self.step(&step, &[], &mut racing.costs, &mut racing.display)? {
                racing.facts.out_of_time = true;
                break;
            }
            alive.retain(|&cell| !self.results.has_failed(&cells[cell].id));
            // Among all, those that were dropped too, as the answer will rank them.
            let goal = goal_so_far(&rounds_of(self.results.lines()), racing.facts.optimize);
            let Some(ranking) = self.ranking(PICK_ASKED, goal, None) else { break };
            // The rounds that a proof takes would not fit for all, and the rest after them.
            let missing = ROUNDS_MIN.saturating_sub(round) as usize;
            let short =
                missing > 0 && !self.fits(&Step { cells: alive.repeat(missing), ..step }, racing, PICK_ASKED_PART);
            let still = names(&alive, cells);
            let far = if short { self.far_behind(&still, &ranking, round) } else { Vec::new() };
            let back = caught_up(&worse, &ranking);
            worse.retain(|name| !back.contains(name));
            racing.facts.dropped.retain(|each| !back.contains(&each.store));
            alive.extend((0..cells.len()).filter(|&cell| back.contains(&cells[cell].axes.store)));
            let still = names(&alive, cells);
            let behind = behind(&still, &ranking, (round, &far), |store| promises_more(asked, store));
            alive.retain(|&cell| behind.iter().all(|each| each.store != cells[cell].axes.store));
            worse.extend(behind.iter().map(|each| each.store.clone()));
            racing.facts.dropped.extend(behind);
            if round >= ROUNDS_MIN && (alive.len() <= 1 || as_good_as_equal(&ranking, &alive, cells)) {
                break;
            }
        }
        racing.facts.finalists = self.leaders(racing);
        Ok(())
    }

    /// Leaves out those of which a round would not be done in its part of the time, as each write has to be flushed that nobody asked to be.
    fn leave_out_too_slow(&self, alive: &mut Vec<usize>, workload: usize, racing: &mut Racing) {
        let asked = &self.setup.plan.workloads[workload];
        alive.retain(|&cell| {
            let axes = &asked.cells[cell].axes;
            let expected = Duration::from_nanos(racing.costs.predict_cell(workload, cell) as u64);
            let is_too_slow = promises_more(asked, &axes.store) && expected > self.setup.suite.timeout();
            if is_too_slow {
                let parts = self.budget.map_or(1.0, |budget| budget.div_duration_f64(self.setup.suite.timeout()));
                let why = format!(
                    "it offers no class below {}, in which a round would take about {}, more than its part of the time: a budget of {} would do",
                    axes.durability,
                    roughly(expected),
                    roughly(expected.mul_f64(parts))
                );
                racing.facts.dropped.push(Excluded { store: axes.store.clone(), why });
            }
            !is_too_slow
        });
    }

    fn leaves_many_files(&self, store: &str) -> bool {
        self.setup.stores.iter().any(|each| each.name == store && each.structure == Structure::Files)
    }

    /// Whether one more round of what was asked fits the time. The rounds that a proof takes may have all of it, and if that is too
    /// little for everyone, those that are furthest behind are left out: of two one that is far behind, while it has no more than two rounds.
    fn fit_round(&self, alive: &mut Vec<usize>, (workload, round): (usize, u32), racing: &mut Racing) -> bool {
        let cells = &self.setup.plan.workloads[workload].cells;
        let part = if round <= ROUNDS_MIN { 1.0 } else { PICK_ASKED_PART };
        let fits = |alive: &[usize], racing: &Racing| {
            self.fits(&Step { workload, round, cells: alive.to_vec() }, racing, part)
        };
        while !fits(alive, racing) {
            if round > ROUNDS_MIN || alive.len() <= 1 {
                return false;
            }
            let among = names(alive, cells);
            let goal = goal_so_far(&rounds_of(self.results.lines()), racing.facts.optimize);
            let Some(ranking) = self.ranking(PICK_ASKED, goal, Some(&among)) else { return false };
            let Some(last) = ranking.order.last() else { return false };
            if alive.len() == 2 && !self.far_behind(&among, &ranking, round - 1).contains(&last.name) {
                return false;
            }
            let why = format!("{}, and no time for more", cost_words(last, &ranking, round - 1));
            alive.retain(|&cell| cells[cell].axes.store != last.name);
            racing.facts.dropped.push(Excluded { store: last.name.clone(), why });
        }
        true
    }

    /// Which of some stores are far behind what is best of a ranking of what was asked, after a round: of the first by what their operations
    /// typically took too.
    fn far_behind(&self, among: &[String], ranking: &Ranking, round: u32) -> Vec<String> {
        let typical = pick_typical_ranking(&rounds_of(self.results.lines()), PICK_ASKED, Some(among));
        let is_typical = |store: &str| typical.as_ref().is_some_and(|typical| is_far_behind(store, typical));
        let is_far = |store: &&String| is_far_behind(store, ranking) && (round > 1 || is_typical(store));
        among.iter().filter(is_far).cloned().collect()
    }

    /// The ranking by the rounds so far of all stores in a variant, or of those of these names.
    fn ranking(&self, variant: &str, goal: Goal, among: Option<&[String]>) -> Option<Ranking> {
        pick_ranking(&rounds_of(self.results.lines()), variant, goal, DROP_CONFIDENCE, among)
    }

    /// The stores that the variants are measured with. What was dropped after its first round is not among them, but for the next best.
    fn leaders(&self, racing: &Racing) -> Vec<String> {
        let ranking = self.ranking(PICK_ASKED, racing.facts.optimize, None);
        let order = ranking.map(|ranking| ranking.order).unwrap_or_default().into_iter().enumerate();
        let leading = order.filter(|(index, place)| *index < 2 || place.rounds > 1);
        leading.take(FINALISTS).map(|(_, place)| place.name).collect()
    }

    /// Measures every variant with the stores that lead, a round of each after the other, as far as the time goes.
    fn race_variants(&mut self, racing: &mut Racing, leaders: &[String]) -> Result<()> {
        if let [only] = racing.facts.raced.as_slice() {
            let only = only.clone();
            for question in &mut racing.facts.questions {
                // With the other durability there may be stores that had no part in the race.
                if self.cells_of(&question.variant).all(|cell| cell.axes.store == only) {
                    question.not_measured.get_or_insert("as no other store was asked".to_owned());
                }
            }
        }
        self.leave_out_variants(racing, leaders);
        for round in 1..=VARIANT_ROUNDS.1 {
            for question in 0..racing.facts.questions.len() {
                let settled = round > VARIANT_ROUNDS.0 && self.is_settled(racing, question);
                if settled || racing.facts.questions[question].not_measured.is_some() {
                    continue;
                }
                let Ok(step) = self.variant_step(racing, question, round, leaders) else { continue };
                let why = if !self.fits(&step, racing, 1.0) {
                    Some(no_time(self.expected(&step, racing)))
                } else {
                    (!self.step(&step, &[], &mut racing.costs, &mut racing.display)?)
                        .then(|| "the time ended before it was done".to_owned())
                };
                if round == 1 {
                    racing.facts.questions[question].not_measured = why;
                }
            }
        }
        Ok(())
    }

    /// Leaves out the variants that have no time for as many rounds as tell something, the most expensive ones first: what is known of a few is
    /// worth more than a round of each. The cheapest stays.
    fn leave_out_variants(&self, racing: &mut Racing, leaders: &[String]) {
        let mut expected: Vec<(usize, Duration)> = Vec::new();
        for question in 0..racing.facts.questions.len() {
            if racing.facts.questions[question].not_measured.is_some() {
                continue;
            }
            match self.variant_step(racing, question, 1, leaders) {
                Ok(step) => expected.push((question, self.expected(&step, racing))),
                Err(why) => racing.facts.questions[question].not_measured = Some(why),
            }
        }
        expected.sort_by_key(|(_, round)| *round);
        let mut left = self.left_of(1.0);
        for (place, (question, round)) in expected.into_iter().enumerate() {
            let wanted = round * VARIANT_ROUNDS.0;
            if wanted <= left || place == 0 {
                left = left.saturating_sub(wanted);
            } else {
                racing.facts.questions[question].not_measured = Some(no_time(round));
            }
        }
    }

    /// The cells of a variant of the plan.
    fn cells_of(&self, variant: &str) -> impl Iterator<Item = &Cell> {
        let workloads = self.setup.plan.workloads.iter();
        workloads.filter(move |workload| workload.variant.as_deref() == Some(variant)).flat_map(|each| &each.cells)
    }

    /// Whether more rounds of a variant would say nothing more.
    fn is_settled(&self, racing: &Racing, question: usize) -> bool {
        let ranking = self.ranking(&racing.facts.questions[question].variant, racing.facts.optimize, None);
        ranking.is_none_or(|ranking| matches!(ranking.verdict, Verdict::Winner | Verdict::Alone))
    }

    /// The round of a variant, or why there is none.
    fn variant_step(
        &self,
        racing: &mut Racing,
        question: usize,
        round: u32,
        leaders: &[String],
    ) -> Result<Step, String> {
        let variant = racing.facts.questions[question].variant.as_str();
        let mut workloads = self.setup.plan.workloads.iter();
        let Some(workload) = workloads.position(|workload| workload.variant.as_deref() == Some(variant)) else {
            return Err("no store can do it, or it is too large for the disk".to_owned());
        };
        // Those that lead, those that cannot do what was asked and can do this, and those that promised this where less was asked.
        let class = self.setup.plan.workloads[workload].durability;
        let asked_class = self.asked().ok().map(|asked| self.setup.plan.workloads[asked].durability);
        let promised = |store: &String| {
            let mut asked = self.cells_of(PICK_ASKED).filter(|cell| cell.axes.store == *store);
            asked_class != Some(class) && asked.any(|cell| cell.axes.durability == class)
        };
        let takes_part =
            |store: &String| leaders.contains(store) || !racing.facts.raced.contains(store) || promised(store);
        let cells = self.setup.plan.workloads[workload].cells.iter().enumerate();
        let mut cells: Vec<_> =
            cells.filter(|(_, cell)| takes_part(&cell.axes.store)).map(|(index, _)| index).collect();
        if cells.is_empty() {
            return Err("none of those that lead can do it".to_owned());
        }
        let is_of_best =
            |cell: &usize| leaders.first() == Some(&self.setup.plan.workloads[workload].cells[*cell].axes.store);
        if cells.iter().all(is_of_best) {
            return Err(match leaders.len() {
                1 => "no other store was measured to be compared with".to_owned(),
                _ => "none but the first of those that lead can do it".to_owned(),
            });
        }
        cells.shuffle(&mut racing.random);
        Ok(Step { workload, round, cells })
    }
}

/// That there was no time for the rounds of a variant, and how much it would take.
fn no_time(round: Duration) -> String {
    let rounds = VARIANT_ROUNDS.0;
    format!("there was too little time left: {rounds} rounds take about {}", roughly(round * rounds))
}

/// The stores of some cells.
fn names(some: &[usize], cells: &[Cell]) -> Vec<String> {
    some.iter().map(|&cell| cells[cell].axes.store.clone()).collect()
}

/// Which of those `still` in the race are behind, with the reason, the best of them first. Those that are `far` are at once, and so are those that
/// promise more than was asked and are far, as more rounds of these would take the time of the others; but one stays that the best can be
/// proven against.
fn behind(
    still: &[String],
    ranking: &Ranking,
    (round, far): (u32, &[String]),
    promises_more: impl Fn(&str) -> bool,
) -> Vec<Excluded> {
    let mut behind = Vec::new();
    let mut stayed = 0;
    for place in ranking.order.iter().filter(|place| still.contains(&place.name)) {
        let worse = place.ratio_to_best.is_some() && !place.tied_with_best;
        let is_far = far.contains(&place.name) || promises_more(&place.name) && is_far_behind(&place.name, ranking);
        let is_behind = worse || is_far && stayed > 1;
        stayed += usize::from(!is_behind);
        if is_behind {
            behind.push(Excluded { store: place.name.clone(), why: cost_words(place, ranking, round) });
        }
    }
    behind
}

/// Whether a store is in a higher class than the others of its workload, as it offers no lower one.
fn promises_more(asked: &WorkloadPlan, store: &str) -> bool {
    asked.cells.iter().any(|cell| cell.axes.store == store && cell.axes.durability > asked.durability)
}

/// Which of those that were dropped as worse are so no more, since later rounds of the best were: they go on, as the answer must not call tied what is
/// out of the race. Of a single round it is not known, and two that scatter are no proof, but no reason to go on with what is far behind either.
fn caught_up(worse: &[String], ranking: &Ranking) -> Vec<String> {
    let is_level =
        |place: &&Place| place.ratio_to_best.is_some() && place.tied_with_best && !is_far_behind(&place.name, ranking);
    let level = ranking.order.iter().filter(is_level).map(|place| &place.name);
    level.filter(|name| worse.contains(name)).cloned().collect()
}

/// How much more a store costs than the best.
fn cost_words(place: &Place, ranking: &Ranking, round: u32) -> String {
    format!("{:.1} × the cost of the best after round {round}", place.mean / ranking.order[0].mean)
}

/// Whether a store is far behind the best of a ranking.
fn is_far_behind(store: &str, ranking: &Ranking) -> bool {
    let place = ranking.order.iter().find(|place| place.name == store);
    place.is_some_and(|place| place.mean > PICK_FAR_BEHIND * ranking.order[0].mean)
}

/// Whether all that are left are known to lie within a few percent of the best.
fn as_good_as_equal(ranking: &Ranking, alive: &[usize], cells: &[Cell]) -> bool {
    alive.iter().all(|&cell| {
        let place = ranking.order.iter().find(|place| place.name == cells[cell].axes.store);
        place.and_then(|place| place.ratio_to_best).is_some_and(|ratio| ratio.high <= EQUAL_WITHIN)
    })
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{Better, Candidate, RankOptions, rank};

    use super::*;

    fn of_one_round(costs: &[(&str, f64)]) -> Ranking {
        let candidates: Vec<_> = costs.iter().map(|(name, cost)| Candidate::new(*name, [*cost])).collect();
        rank(&candidates, RankOptions::new(Better::Lower)).unwrap()
    }

    #[test]
    fn what_was_dropped_as_worse_goes_on_when_later_rounds_of_the_best_bring_it_level() {
        let ranking = |best: &[f64]| {
            let candidates = [
                Candidate::new("a", best.to_vec()),
                Candidate::new("b", vec![1.4, 1.41, 1.39, 1.4]),
                Candidate::new("c", vec![9.0]),
            ];
            rank(&candidates, RankOptions { confidence: DROP_CONFIDENCE, ..RankOptions::new(Better::Lower) }).unwrap()
        };
        let steady = ranking(&[1.0, 1.01, 0.99, 1.0]);
        let still = ["a", "b", "c"].map(str::to_owned);
        let worse: Vec<_> = behind(&still, &steady, (4, &[]), |_| false).into_iter().map(|each| each.store).collect();
        assert_eq!(worse, ["b"]);
        assert!(caught_up(&worse, &steady).is_empty());
        let scattered = ranking(&[1.0, 1.01, 0.99, 1.0, 3.0, 0.5, 2.5, 0.6]);
        assert_eq!(caught_up(&["b", "c"].map(str::to_owned), &scattered), ["b"]);
        let candidates = [Candidate::new("a", vec![1.0, 1.1, 0.9]), Candidate::new("d", vec![8.0, 5.0])];
        let far = rank(&candidates, RankOptions { confidence: DROP_CONFIDENCE, ..RankOptions::new(Better::Lower) });
        let far = far.unwrap();
        assert!(far.order[1].tied_with_best && caught_up(&["d".to_owned()], &far).is_empty());
    }

    #[test]
    fn the_next_best_stays_to_be_proven_worse_however_far_it_is_behind() {
        let still = ["a", "b", "c", "d"].map(str::to_owned);
        let dropped = |ranking: &Ranking, far: &[&str]| -> Vec<String> {
            let far: Vec<_> = far.iter().map(|&name| name.to_owned()).collect();
            behind(&still, ranking, (1, &far), |_| false).into_iter().map(|each| each.store).collect()
        };
        let far = of_one_round(&[("a", 1.0), ("b", 15.6), ("c", 20.0), ("d", 30.0)]);
        assert_eq!(dropped(&far, &["b", "c", "d"]), ["c", "d"]);
        assert!(dropped(&far, &[]).is_empty(), "there is time for all");
        let near = of_one_round(&[("a", 1.0), ("b", 1.5), ("c", 20.0), ("d", 30.0)]);
        assert_eq!(dropped(&near, &["c", "d"]), ["c", "d"]);
        assert_eq!(dropped(&near, &["d"]), ["d"]);
        let promising = |name: &str| ["b", "d"].contains(&name);
        let behind: Vec<_> = behind(&still, &far, (1, &[]), promising).into_iter().map(|each| each.store).collect();
        assert_eq!(behind, ["d"], "of those that promise more one stays, if it is the next best");
    }
}
