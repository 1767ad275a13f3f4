//! Contests → the figures that the page draws: typical rounds with their range, places, percentile curves. The page's script only
//! chooses and draws.

use bakeoff_measure::recorded_ns;
use bakeoff_protocol::Mode;
use bakeoff_results::contender::Contenders;
use bakeoff_results::contests::measures::MEASURES;
use bakeoff_results::contests::{Contest, Contests, Entry, Event};
use bakeoff_results::figures::is_told;
use bakeoff_results::parallel::in_parallel;
use bakeoff_stats::{Ranking, Rounds, Verdict};
use serde::Serialize;

use crate::page::course::{Course, course};
use crate::page::figure::Figure;
use crate::page::published::Beside;

/// The shares of operations at which curves are drawn.
pub(crate) const CURVE_SHARES: [f64; 19] = [
    0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9975, 0.999, 0.9995, 0.99975, 0.9999, 0.99995, 0.99999,
    0.999999, 1.0,
];

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
    /// The verdict under each measure: the first letter of winner, tie, open, unproven, alone; empty where nobody is ranked.
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
    /// Under each measure: what is shown, low, high (`OfRounds`), and where it is ranked the ratio to the best, low, high, and 1 if it shares the
    /// first place; shorter where there is no interval or no rank, empty where there is no figure.
    figures: Vec<Vec<Figure>>,
    /// Measures that too few operations tell, by their places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    too_few: Vec<usize>,
    /// Latencies at [`CURVE_SHARES`] as far as there are operations enough, and the largest; all rounds together. Empty where
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
    course: Option<Course<'a>>,
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
        ..figures_of(event, at, contest, contenders)
    })
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
        entries,
        verdicts,
        failed: contest.failed.iter().map(|key| index(key)).collect(),
        not_offered: contest.not_offered.iter().map(|(key, reason)| (index(key), *reason)).collect(),
        published: Vec::new(),
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn entry_figures<'a>(store: usize, entry: &Entry<'a>) -> EntryFigures<'a> {
    let rounds = entry.rounds.iter().map(Rounds::len).max().unwrap_or(0);
    let told: Vec<Option<&Rounds>> = (0..MEASURES.len()).map(|measure| entry.told(measure)).collect();
    let figures = MEASURES
        .iter()
        .zip(&told)
        .map(|(of, told)| {
            told.map_or_else(Vec::new, |told| of.of_rounds.figures(told).into_iter().map(Figure).collect())
        })
        .collect();
    let too_few = (0..MEASURES.len()).filter(|measure| told[*measure].is_none()).collect();
    let histograms: Vec<&str> = entry.latencies.iter().map(|latency| latency.histogram.as_str()).collect();
    let (recorded, unreadable) = recorded_ns(&histograms);
    let (curve, timed) = curve(entry, &recorded).unzip();
    let course = entry.slowest_round.and_then(course);
    EntryFigures {
        store,
        cell: entry.cell,
        rounds,
        figures,
        too_few,
        curve: curve.unwrap_or_default(),
        timed,
        unreadable,
        course,
    }
}

/// Writes the entries' places under a measure behind their figures, and gives the verdict's letter.
fn place(ranking: &Ranking, measure: usize, contenders: &Contenders, entries: &mut [EntryFigures]) -> &'static str {
    for place in &ranking.order {
        let store = contenders.index(&place.name);
        if let (Some(entry), Some(ratio)) = (entries.iter_mut().find(|entry| entry.store == store), place.ratio_to_best)
            && entry.figures[measure].len() == 3
        {
            let first = if place.is_first() { 1.0 } else { 0.0 };
            entry.figures[measure].extend([ratio.estimate, ratio.low, ratio.high, first].map(Figure));
        }
    }
    match ranking.verdict {
        Verdict::Winner => "w",
        Verdict::Tie => "t",
        Verdict::Undecided => "o",
        Verdict::Unproven => "u",
        Verdict::Alone => "a",
    }
}

/// Latencies at [`CURVE_SHARES`] of all rounds together, as far as there are operations to tell them, then the largest;
/// and how many there are. `None` where operations were not timed one by one, or no histogram can be read.
fn curve(entry: &Entry, recorded: &[(u64, u64)]) -> Option<(Vec<u64>, u64)> {
    let count = recorded.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    let largest = entry.latencies.iter().map(|latency| latency.latency_ns_max).max().filter(|_| count > 0)?;
    let (mut below, mut next) = (0_u64, recorded.iter().peekable());
    let at = |share: &f64| {
        let wanted = (share * count as f64).ceil().max(1.0) as u64;
        while let Some((_, count)) = next.next_if(|(_, count)| below.saturating_add(*count) < wanted) {
            below += count;
        }
        next.peek().map_or(largest, |(ns, _)| (*ns).min(largest))
    };
    let mut curve: Vec<u64> = CURVE_SHARES.iter().take_while(|share| is_told(**share, &[count])).map(at).collect();
    curve.push(largest);
    Some((curve, count))
}
