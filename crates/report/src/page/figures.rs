//! Contests → the figures that the page draws: typical rounds with their range, places, percentile curves. The page's script only
//! chooses and draws.

use bakeoff_limits::in_parallel;
use bakeoff_protocol::Mode;
use bakeoff_results::contender::Contenders;
use bakeoff_results::contests::course::Course;
use bakeoff_results::contests::curve::Curve;
use bakeoff_results::contests::measures::MEASURES;
use bakeoff_results::contests::trade_offs::TradeOff;
use bakeoff_results::contests::{Contest, Contests, Entry, Event};
use bakeoff_stats::{Place, Ranking, Rounds, Standing, Verdict};
use serde::Serialize;

use crate::page::course::CourseFigures;
use crate::page::figure::Figure;
use crate::page::published::Beside;

/// A contest, as the page has it.
#[derive(Serialize)]
pub(crate) struct ContestFigures<'a> {
    phase: Option<&'a str>,
    operation: Option<&'a str>,
    per_entry: bool,
    /// Operations a second that were due in an open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_per_second: Option<Figure>,
    /// Whether its operations were timed together, so that nothing is known of single ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timed_whole: bool,
    /// Indices of places on the axes.
    at: &'a [usize],
    /// Who was measured.
    entries: Vec<EntryFigures<'a>>,
    /// Under each measure the entries with a figure, by their places, the best first.
    orders: Vec<Vec<usize>>,
    /// Two measures by their places, and the stores that no other one beats in both.
    fronts: Vec<(usize, usize, Vec<usize>)>,
    /// The verdict under each measure: the first [`letter`] of winner, tie, open, unproven, alone; empty where nobody is ranked.
    verdicts: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_offered: Vec<(usize, &'a str)>,
    /// What was published of it, by the indices of the figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    published: Vec<usize>,
}

/// One store in a contest.
#[derive(Serialize)]
struct EntryFigures<'a> {
    /// Its place among the stores.
    store: usize,
    cell: &'a str,
    rounds: usize,
    /// Under each measure: what is shown, low, high (`OfRounds`). Where it is ranked, the ratio to the best, low, high, and its
    /// [`standing`] follow. A list is shorter where there is no interval or no rank, and empty where there is no figure.
    figures: Vec<Vec<Figure>>,
    /// How many times worse than the best it is where no interval says so: the measure by its place, and the ratio of typical rounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unproven: Vec<(usize, Figure)>,
    /// Measures that too few operations tell, by their places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    too_few: Vec<usize>,
    /// Latencies at those of the payload's shares that have enough operations, and the largest; all rounds together. Empty where
    /// operations were not timed one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    curve: Vec<u64>,
    /// How many latencies the curve is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed: Option<u64>,
    /// Rounds whose histogram cannot be read, and is missing in the curve.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: usize,
    /// How latency went over the time of the round with the slowest operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    course: Option<CourseFigures<'a>>,
}

/// The figures of all contests, in the order of what took place and of `places`: where each place of theirs is on the axes.
pub(crate) fn figures<'a>(
    contests: &'a Contests<'a>,
    places: &'a [Vec<usize>],
    contenders: &Contenders,
    beside: Option<&Beside>,
) -> Vec<ContestFigures<'a>> {
    let mut all: Vec<(&Event, &[usize], usize, &Contest)> = contests
        .all
        .iter()
        .map(|((event, place), contest)| (event, places[*place].as_slice(), *place, contest))
        .collect();
    all.sort_by_key(|(event, at, ..)| (*event, *at));
    in_parallel(&all, |(event, at, place, contest)| ContestFigures {
        published: beside.map_or_else(Vec::new, |beside| beside.of(event, *place)),
        fronts: fronts(contests, event, *place, contenders),
        ..figures_of(event, at, contest, contenders)
    })
}

fn fronts(
    contests: &Contests,
    event: &Event,
    place: usize,
    contenders: &Contenders,
) -> Vec<(usize, usize, Vec<usize>)> {
    let trade_offs = contests.trade_offs(event, place, contenders).into_iter();
    let front = |TradeOff { measures: [across, up], front }: TradeOff| {
        (across, up, front.into_iter().map(|key| contenders.index(key)).collect())
    };
    trade_offs.map(front).collect()
}

fn figures_of<'a>(
    event: &Event<'a>,
    at: &'a [usize],
    contest: &'a Contest<'a>,
    contenders: &Contenders,
) -> ContestFigures<'a> {
    let index = |key: &str| contenders.index(key);
    let mut entries: Vec<EntryFigures> =
        contest.entries.iter().map(|(key, entry)| entry_figures(index(key), entry)).collect();
    let verdicts = contest
        .rankings
        .iter()
        .enumerate()
        .map(|(measure, ranking)| {
            ranking.as_ref().map_or("", |ranking| place(ranking, measure, contenders, &mut entries))
        })
        .collect();
    ContestFigures {
        phase: event.phase,
        operation: event.operation,
        per_entry: event.per_entry,
        asked_per_second: contest.asked_per_second.map(Figure),
        timed_whole: contest.mode == Some(Mode::Throughput),
        at,
        orders: (0..MEASURES.len()).map(|measure| order(contest, measure)).collect(),
        fronts: Vec::new(),
        entries,
        verdicts,
        failed: contest.failed.iter().map(|key| index(key)).collect(),
        not_offered: contest.not_offered.iter().map(|(key, reason)| (index(key), *reason)).collect(),
        published: Vec::new(),
    }
}

/// The places of the entries with a figure under a measure, the best first.
fn order(contest: &Contest, measure: usize) -> Vec<usize> {
    let place = |key| contest.entries.keys().position(|each| *each == key);
    contest.order(measure).into_iter().filter_map(place).collect()
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn entry_figures<'a>(store: usize, entry: &Entry<'a>) -> EntryFigures<'a> {
    let rounds = entry.rounds.iter().map(Rounds::len).max().unwrap_or(0);
    let figures = entry.shown.iter().map(|shown| shown.iter().copied().map(Figure).collect()).collect();
    let too_few = (0..MEASURES.len()).filter(|measure| entry.told(*measure).is_none()).collect();
    let Curve { latencies_ns: curve, timed, unreadable } = entry.curve();
    let timed = (!curve.is_empty()).then_some(timed);
    let course = entry.slowest_round.and_then(Course::of).map(CourseFigures::of);
    let cell = entry.cell;
    EntryFigures { store, cell, rounds, figures, unproven: Vec::new(), too_few, curve, timed, unreadable, course }
}

/// Writes the entries' places under a measure behind their figures, and gives the verdict's letter.
fn place(ranking: &Ranking, measure: usize, contenders: &Contenders, entries: &mut [EntryFigures]) -> &'static str {
    for place in &ranking.order {
        let store = contenders.index(&place.name);
        let Some(entry) = entries.iter_mut().find(|entry| entry.store == store) else { continue };
        match place.ratio_to_best {
            Some(ratio) if entry.figures[measure].len() == 3 => {
                let ratio = [ratio.estimate, ratio.low, ratio.high];
                entry.figures[measure].extend(ratio.map(Figure));
                entry.figures[measure].push(Figure(standing(place.standing)));
            }
            _ => entry.unproven.extend(times_the_best(place, ranking, measure).map(|times| (measure, Figure(times)))),
        }
    }
    letter(ranking.verdict)
}

/// A verdict as a letter.
pub(crate) fn letter(of: Verdict) -> &'static str {
    match of {
        Verdict::Winner => "w",
        Verdict::Tie => "t",
        Verdict::Undecided => "o",
        Verdict::Unproven => "u",
        Verdict::Alone => "a",
    }
}

/// How a store stands against the best, as a number: 0 is worse, 1 shares the first place, 2 is not told apart from the best.
pub(crate) fn standing(of: Standing) -> f64 {
    match of {
        Standing::Worse => 0.0,
        Standing::Best | Standing::Tied => 1.0,
        Standing::Undecided | Standing::Unknown => 2.0,
    }
}

/// How many times worse than the best a store is by its typical round; `None` where that is zero.
fn times_the_best(place: &Place, ranking: &Ranking, measure: usize) -> Option<f64> {
    let best = ranking.order.first()?.centre;
    let times = if MEASURES[measure].lower_is_better { place.centre / best } else { best / place.centre };
    Some(times).filter(|times| times.is_finite() && *times > 0.0)
}
