//! The race of a pick and what its changes show, as the page's script gets them.

use bakeoff_results::contender::Contenders;
use bakeoff_results::pick_change::Effect;
use bakeoff_results::pick_course::{Runner, Step};
use bakeoff_results::pick_facts::Question;
use bakeoff_stats::Ranking;
use serde::Serialize;

use crate::page::figure::Figure;
use crate::page::labelled::RankedRun;
use crate::page::pick::contender;
use crate::sections::pick::changes::describe_change;
use crate::sections::pick::picked::Picked;

/// The pictures of a pick.
#[derive(Serialize)]
pub(crate) struct PickFigures<'a> {
    /// The place of its run.
    run: usize,
    /// The best store, by its place among the stores.
    best: usize,
    /// What it was best by.
    goal: &'static str,
    race: Vec<RunnerFigures<'a>>,
    changes: Vec<ChangeFigures<'a>>,
}

/// A store in the race.
#[derive(Serialize)]
struct RunnerFigures<'a> {
    store: usize,
    /// After each of its rounds: the round, nanoseconds of the race until then, and the multiple of the best cost with
    /// its interval. Unknown intervals are missing.
    steps: Vec<Vec<Figure>>,
    /// Why it left.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<&'a str>,
}

/// What another question does to the answer.
#[derive(Serialize)]
struct ChangeFigures<'a> {
    words: &'a str,
    /// `same`, `other` or `unknown`.
    effect: &'static str,
    /// The best other store.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<usize>,
    /// How many times the answer's cost it takes: estimate, low, high.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<[Figure; 3]>,
    /// The same as a sentence.
    said: String,
}

/// The pictures of those runs that are picks with a figure.
pub(crate) fn picks<'a>(runs: &'a [RankedRun], contenders: &Contenders) -> Vec<PickFigures<'a>> {
    let figures = |(run, (_, of)): (usize, &'a RankedRun)| {
        let outcome = of.pick()?;
        let ranking = outcome.asked()?;
        let picked = Picked::new(outcome);
        let index = |name: &str| contender(outcome, name, contenders).map_or(0, |of| of.index);
        let runner = |of: Runner<'a>| RunnerFigures {
            store: index(&of.store),
            steps: of.steps.iter().map(step).collect(),
            left: of.left,
        };
        Some(PickFigures {
            run,
            best: index(&ranking.best),
            goal: outcome.facts.optimize.label(),
            race: outcome.course().into_iter().map(runner).collect(),
            changes: outcome.facts.questions.iter().map(|of| change(&picked, ranking, of, index)).collect(),
        })
    };
    runs.iter().enumerate().filter_map(figures).collect()
}

fn step(of: &Step) -> Vec<Figure> {
    let known = of.known.iter().flat_map(|of| [of.low, of.high]);
    [f64::from(of.round), of.elapsed_ns as f64, of.times_the_best].into_iter().chain(known).map(Figure).collect()
}

fn change<'a>(
    picked: &Picked<'_>,
    ranking: &Ranking,
    question: &'a Question,
    index: impl Fn(&str) -> usize,
) -> ChangeFigures<'a> {
    let change = picked.outcome.change(ranking, question);
    let effect = match change.effect() {
        Effect::Same => "same",
        Effect::Other(_) => "other",
        Effect::Unknown => "unknown",
    };
    let margin = change.margin(&ranking.best);
    ChangeFigures {
        words: &question.words,
        effect,
        store: margin.map(|(store, _)| index(store)),
        times: margin.map(|(_, of)| [of.estimate, of.low, of.high].map(Figure)),
        said: describe_change(picked, &ranking.best, &change),
    }
}
