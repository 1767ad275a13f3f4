//! Trade-offs between two measures: the stores that no other store beats in both.

use bakeoff_stats::Better;

use super::{Contest, Contests, Entry, Event};
use crate::contender::Contenders;
use crate::contests::measures::MEASURES;

/// A pair of measures in a contest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeOff<'a> {
    /// The two measures, as indices into [`MEASURES`].
    pub measures: [usize; 2],
    /// Keys of the stores that no other store beats in both, from the best in the first measure to the best in the
    /// second. Of stores with two equal figures, only one appears.
    pub front: Vec<&'a str>,
}

impl<'a> Contests<'a> {
    /// All pairs of measures of a contest for which some ranked store has both figures. Whole-cell measures are paired
    /// with those of each phase, and with each other in the contest of the whole cell.
    pub fn trade_offs(&self, event: &Event<'a>, place: usize, contenders: &Contenders) -> Vec<TradeOff<'a>> {
        let (Some(contest), Some(whole)) = (self.all.get(&(*event, place)), self.all.get(&(Event::WHOLE, place)))
        else {
            return Vec::new();
        };
        let of = |measure: usize| if MEASURES[measure].per_phase { contest } else { whole };
        let is_here = |of: &[usize; 2]| of.iter().any(|at| MEASURES[*at].per_phase) == event.phase.is_some();
        let pairs = (0..MEASURES.len()).flat_map(|across| (across..MEASURES.len()).map(move |up| [across, up]));
        let trade_off = |measures: [usize; 2]| {
            let front = front(measures, measures.map(of), contenders);
            (!front.is_empty()).then_some(TradeOff { measures, front })
        };
        pairs.filter(is_here).filter_map(trade_off).collect()
    }
}

/// The stores that no other store beats under both measures.
fn front<'a>(measures: [usize; 2], contests: [&Contest<'a>; 2], contenders: &Contenders) -> Vec<&'a str> {
    // Lower is better in both.
    let figure = |at: usize, key: &str| {
        let shown = contests[at].entries.get(key).and_then(|entry| entry.typical(measures[at]))?;
        Some(if MEASURES[measures[at]].better() == Better::Lower { shown } else { -shown })
    };
    let ranked = contests[0].entries.keys().filter(|key| contenders.get(key).is_none_or(|each| each.ranked));
    let mut all: Vec<(f64, f64, &str)> =
        ranked.filter_map(|key| Some((figure(0, key)?, figure(1, key)?, *key))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    all.retain(|(_, up, _)| {
        let is_better = *up < least;
        least = least.min(*up);
        is_better
    });
    all.into_iter().map(|(.., key)| key).collect()
}

impl<'a> Contest<'a> {
    /// Keys of all contenders with a figure under a measure, ranked or not, best typical round first.
    pub fn order(&self, measure: usize) -> Vec<&'a str> {
        let typical = |(key, entry): (&&'a str, &Entry)| Some((entry.typical(measure)?, *key));
        let mut all: Vec<(f64, &str)> = self.entries.iter().filter_map(typical).collect();
        match MEASURES[measure].better() {
            Better::Lower => all.sort_by(|a, b| a.0.total_cmp(&b.0)),
            Better::Higher => all.sort_by(|a, b| b.0.total_cmp(&a.0)),
        }
        all.into_iter().map(|(_, key)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str) -> usize {
        MEASURES.iter().position(|measure| measure.name == name).unwrap()
    }

    fn contest(figures: &[(&'static str, &str, f64)]) -> Contest<'static> {
        let mut contest = Contest::default();
        for (store, name, figure) in figures {
            contest.entries.entry(store).or_default().shown[measure(name)] = vec![*figure];
        }
        contest
    }

    #[test]
    fn the_front_has_those_that_no_other_beats_in_both() {
        let time = "time_ns_mean";
        let memory = "rss_peak_above_baseline_bytes";
        let get = Event { place: 0, phase: Some("get"), operation: None, per_entry: false };
        let times = [("a", time, 1.0), ("b", time, 2.0), ("c", time, 3.0), ("d", time, 3.0), ("e", time, 0.5)];
        let bytes = [("a", memory, 30.0), ("b", memory, 40.0), ("c", memory, 10.0), ("d", memory, 10.0)];
        let contests = [((get, 0), contest(&times)), ((Event::WHOLE, 0), contest(&bytes))];
        let contests = Contests { all: contests.into(), ..Contests::default() };
        let contenders = Contenders::default();
        let front = |event, pair: [usize; 2]| {
            let all = contests.trade_offs(event, 0, &contenders);
            all.into_iter().find(|of| of.measures == pair).map(|of| of.front)
        };
        let (time, memory) = (measure(time), measure(memory));
        assert_eq!(front(&get, [time, memory]).unwrap(), ["a", "c"]);
        assert_eq!(front(&get, [time, time]).unwrap(), ["e"]);
        assert_eq!(front(&Event::WHOLE, [memory, memory]).unwrap(), ["c"]);
        assert_eq!(front(&Event::WHOLE, [time, memory]), None);
        assert_eq!(front(&get, [time, measure("per_second")]), None);
        assert_eq!(contests.all[&(get, 0)].order(time), ["e", "a", "b", "c", "d"]);
    }
}
