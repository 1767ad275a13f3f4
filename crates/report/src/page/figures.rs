//! Contests → the figures that the page draws: typical rounds with their range, places, percentile curves. All statistics are made
//! here, so that the page only chooses and draws.

use std::collections::BTreeMap;

use bakeoff_measure::recorded_ns;
use bakeoff_protocol::Mode;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::is_told;
use bakeoff_results::verdict::rank_together;
use bakeoff_stats::{Candidate, Field, RankOptions, Ranking, Rounds, Verdict, median};
use serde::Serialize;

use crate::page::contests::{Contest, Contests, Entry, Event};
use crate::page::course::{Course, course};
use crate::page::figure::Figure;
use crate::page::measures::{MEASURES, OfRounds};

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
}

/// One store in a contest.
#[derive(Serialize)]
struct EntryFigures<'a> {
    /// Its place among the stores.
    store: usize,
    cell: &'a str,
    rounds: usize,
    /// Under each measure: what is shown, low, high ([`over_rounds`]), and where it is ranked the ratio to the best, low, high, and 1 if it shares the
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

/// The figures of all contests, in their order, made by as many threads as there are CPUs.
pub(crate) fn figures<'a>(contests: &'a Contests<'a>, contenders: &Contenders) -> Vec<ContestFigures<'a>> {
    let all: Vec<(&(Event, Vec<usize>), &Contest)> = contests.all.iter().collect();
    let compared: Vec<[Option<Field>; MEASURES.len()]> =
        in_parallel(&all, |(_, contest)| compared(contest, contenders));
    // Fields of one measure that stand in one table are read together.
    let mut families: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (index, ((_, at), _)) in all.iter().enumerate() {
        families.entry(contests.table_of(at)).or_default().push(index);
    }
    let mut rankings: Vec<[Option<Ranking>; MEASURES.len()]> = all.iter().map(|_| Default::default()).collect();
    for family in families.values() {
        for measure in 0..MEASURES.len() {
            let fields: Vec<Option<&Field>> = family.iter().map(|&index| compared[index][measure].as_ref()).collect();
            for (&index, ranking) in family.iter().zip(rank_together(&fields)) {
                rankings[index][measure] = ranking;
            }
        }
    }
    let work: Vec<_> = all.into_iter().zip(rankings).collect();
    in_parallel(&work, |((place, contest), rankings)| figures_of(place, contest, rankings, contenders))
}

/// What `of` makes of each, in order, by as many threads as there are CPUs.
fn in_parallel<T: Sync, R: Send>(all: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = all.len().div_ceil(threads).max(1);
    let of = &of;
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            all.chunks(part).map(|part| scope.spawn(move || part.iter().map(of).collect::<Vec<_>>())).collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn figures_of<'a>(
    (event, at): &'a (Event, Vec<usize>),
    contest: &'a Contest<'a>,
    rankings: &[Option<Ranking>],
    contenders: &Contenders,
) -> ContestFigures<'a> {
    let index = |key: &str| contenders.index(key);
    let mut entries: Vec<EntryFigures> =
        contest.entries.iter().map(|(key, entry)| entry_figures(index(key), entry)).collect();
    let verdicts = rankings
        .iter()
        .enumerate()
        .map(|(measure, ranking)| {
            ranking.as_ref().map_or("", |ranking| place(ranking, measure, contenders, &mut entries))
        })
        .collect();
    ContestFigures {
        phase: event.phase.as_deref(),
        operation: event.operation.as_deref(),
        per_entry: event.per_entry,
        asked_per_second: contest.asked_per_second.map(Figure),
        timed_whole: contest.mode == Some(Mode::Throughput),
        at,
        entries,
        verdicts,
        failed: contest.failed.iter().map(|key| index(key)).collect(),
        not_offered: contest.not_offered.iter().map(|(key, reason)| (index(key), *reason)).collect(),
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
        .map(|(of, told)| told.map_or_else(Vec::new, |told| over_rounds(of.of_rounds, told)))
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

/// The figure shown of all rounds, and where there are several, the lowest and the highest of them.
fn over_rounds(of: OfRounds, rounds: &Rounds) -> Vec<Figure> {
    let shown = match of {
        OfRounds::Centre => rounds.centre(),
        OfRounds::Median => median(&rounds.figures()),
        OfRounds::Largest => rounds.range().map(|(_, highest)| highest),
    };
    match (shown, rounds.range().filter(|_| rounds.len() > 1)) {
        (Some(shown), Some((low, high))) => [shown, low, high].map(Figure).to_vec(),
        (Some(shown), None) => vec![Figure(shown)],
        (None, _) => Vec::new(),
    }
}

/// The entries that may be ranked, compared under each measure.
fn compared(contest: &Contest, contenders: &Contenders) -> [Option<Field>; MEASURES.len()] {
    std::array::from_fn(|measure| {
        let of = &MEASURES[measure];
        let ranked = contest.entries.iter().filter(|(key, _)| contenders.get(key).is_none_or(|each| each.ranked));
        let candidates = ranked.filter_map(|(key, entry)| Some(Candidate::new(*key, entry.told(measure)?.clone())));
        let options = RankOptions { resolution: of.resolution(contest.mode), ..RankOptions::new(of.better()) };
        Field::new(candidates, options)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typical_round_lies_between_the_lowest_and_the_highest() {
        let shown = |of| over_rounds(of, &Rounds::from([100.0, 400.0, 100.0])).into_iter().map(|figure| figure.0);
        let centre: Vec<f64> = shown(OfRounds::Centre).collect();
        assert_eq!(centre[1..], [100.0, 400.0]);
        assert!(100.0 < centre[0] && centre[0] < 200.0, "{centre:?}");
        assert_eq!(shown(OfRounds::Median).collect::<Vec<_>>(), [100.0, 100.0, 400.0]);
        assert_eq!(shown(OfRounds::Largest).collect::<Vec<_>>(), [400.0, 100.0, 400.0]);
        assert_eq!(over_rounds(OfRounds::Centre, &Rounds::only(7.0)).len(), 1);
    }
}
