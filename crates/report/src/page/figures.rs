//! Contests → the figures that the page draws: means with their intervals, places, percentile curves. All statistics are made
//! here, so that the page only chooses and draws.

use bakeoff_measure::recorded_ns;
use bakeoff_protocol::Mode;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::is_told;
use bakeoff_stats::{Better, Candidate, RankOptions, Verdict, bootstrap_mean_interval, mean, median, rank};
use serde::Serialize;

use crate::page::contests::{Contest, Contests, Entry, Event};
use crate::page::course::{Course, course};
use crate::page::figure::Figure;
use crate::page::measures::{MEASURES, OfRounds};

/// Confidence of intervals.
const CONFIDENCE: f64 = 0.95;

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
    /// The verdict under each measure: the first letter of winner, tie, unproven, alone; empty where nobody is ranked.
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
    /// Under each measure: what is shown, low, high ([`over_rounds`]), and where it is ranked the ratio to the best, low, high, and 1 if it is tied with
    /// it; shorter where there is no interval or no rank, empty where there is no figure.
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
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = all.len().div_ceil(threads).max(1);
    let work = |((event, at), contest): &(&'a (Event, Vec<usize>), &'a Contest<'a>)| {
        figures_of(event, at, contest, contenders)
    };
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            all.chunks(part).map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<_>>())).collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn figures_of<'a>(
    event: &'a Event,
    at: &'a [usize],
    contest: &'a Contest<'a>,
    contenders: &Contenders,
) -> ContestFigures<'a> {
    let index = |key: &str| contenders.index(key);
    let mut entries: Vec<EntryFigures> =
        contest.entries.iter().map(|(key, entry)| entry_figures(index(key), entry)).collect();
    let verdicts = (0..MEASURES.len()).map(|measure| place(contest, measure, contenders, &mut entries)).collect();
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
    let rounds = entry.rounds.iter().map(Vec::len).max().unwrap_or(0);
    let told: Vec<Option<&[f64]>> = (0..MEASURES.len()).map(|measure| entry.told(measure)).collect();
    let figures =
        MEASURES.iter().zip(&told).map(|(of, told)| over_rounds(of.of_rounds, told.unwrap_or_default())).collect();
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

/// The figure shown of all rounds, and where there are several, between what it lies: means and rates in their interval,
/// percentiles and maxima among those of the rounds.
fn over_rounds(of: OfRounds, rounds: &[f64]) -> Vec<Figure> {
    let spread = |shown: f64| {
        let ends = rounds.iter().copied().reduce(f64::min).zip(rounds.iter().copied().reduce(f64::max));
        (shown, ends.filter(|_| rounds.len() > 1))
    };
    let with_interval = |values: &[f64]| {
        let ends = bootstrap_mean_interval(values, CONFIDENCE, 1).map(|of| (of.low, of.high));
        mean(values).map(|mean| (mean, ends))
    };
    let shown = match of {
        OfRounds::Mean => with_interval(rounds),
        // The time of an operation has an interval; that of the rate is its reciprocal.
        OfRounds::Rate => with_interval(&rounds.iter().map(|rate| rate.recip()).collect::<Vec<_>>())
            .map(|(time, ends)| (time.recip(), ends.map(|(low, high)| (high.recip(), low.recip())))),
        OfRounds::Median => median(rounds).map(spread),
        OfRounds::Largest => rounds.iter().copied().reduce(f64::max).map(spread),
    };
    match shown {
        Some((shown, Some((low, high)))) => [shown, low, high].map(Figure).to_vec(),
        Some((shown, None)) => vec![Figure(shown)],
        None => Vec::new(),
    }
}

/// Ranks the entries under a measure, writes their places beside their figures, and gives the verdict's letter.
fn place(contest: &Contest, measure: usize, contenders: &Contenders, entries: &mut [EntryFigures]) -> &'static str {
    let ranked = contest.entries.iter().filter(|(key, _)| contenders.get(key).is_none_or(|each| each.ranked));
    let of = &MEASURES[measure];
    // As rates are shown: by the time that all rounds took.
    let (better, figure): (Better, fn(&f64) -> f64) = if of.of_rounds == OfRounds::Rate {
        (Better::Lower, |rate| rate.recip())
    } else {
        (of.better(), |figure| *figure)
    };
    let rounds = |entry: &Entry| entry.told(measure).unwrap_or_default().iter().map(figure).collect::<Vec<_>>();
    let candidates: Vec<Candidate> = ranked.map(|(key, entry)| Candidate::new(*key, rounds(entry))).collect();
    let options = RankOptions { resolution: of.resolution(contest.mode), ..RankOptions::new(better) };
    let Some(ranking) = rank(&candidates, options) else { return "" };
    for place in &ranking.order {
        let store = contenders.index(&place.name);
        if let (Some(entry), Some(ratio)) = (entries.iter_mut().find(|entry| entry.store == store), place.ratio_to_best)
            && entry.figures[measure].len() == 3
        {
            let tied = if place.tied_with_best { 1.0 } else { 0.0 };
            entry.figures[measure].extend([ratio.estimate, ratio.low, ratio.high, tied].map(Figure));
        }
    }
    match ranking.verdict {
        Verdict::Winner => "w",
        Verdict::Tie => "t",
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

    fn shown(of: OfRounds, rounds: &[f64]) -> Vec<f64> {
        over_rounds(of, rounds).into_iter().map(|figure| figure.0).collect()
    }

    #[test]
    fn a_rate_lies_in_its_interval_however_much_rounds_scatter() {
        let [rate, low, high] = shown(OfRounds::Rate, &[50_000.0, 33_000.0, 4_400.0])[..] else {
            panic!("no interval")
        };
        assert!(0.0 < low && low < rate && rate < high && high.is_finite(), "{low} {rate} {high}");
        let [time, shortest, longest] = shown(OfRounds::Mean, &[1.0 / 50_000.0, 1.0 / 33_000.0, 1.0 / 4_400.0])[..]
        else {
            panic!("no interval")
        };
        for (of_rate, of_time) in [(rate, time), (low, longest), (high, shortest)] {
            assert!((of_rate * of_time - 1.0).abs() < 1e-9, "{of_rate} is no reciprocal of {of_time}");
        }
    }
}
