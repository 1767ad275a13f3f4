//! A search for the highest rate that still holds: doubling or halving first, then bisection on the logarithmic scale.
//!
//! It has no state. The next rate follows from the rates tried, so an interrupted search resumes by asking again. Searches with the same
//! start try the same rates until their results differ.

use std::collections::BTreeMap;

/// A search ends when the bracket's ends are within this ratio, or next to each other.
const BRACKET_RATIO: f64 = 1.05;

/// Where a search starts, and its limits. All are at least 1, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bisection {
    /// The lowest rate to try.
    pub lowest: u64,
    /// The first rate to try.
    pub start: u64,
    /// The highest rate to try.
    pub highest: u64,
}

/// The result so far: the lowest rate that did not hold, and the highest rate below it that did. If a lower rate failed, a rate that held is
/// ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bracket {
    /// The highest rate that held below `failed`; `None` if there is none.
    pub held: Option<u64>,
    /// The lowest rate that did not hold; `None` if every rate held.
    pub failed: Option<u64>,
}

impl Bracket {
    /// The bracket of these rates, each with whether it held.
    pub fn of(tried: &BTreeMap<u64, bool>) -> Self {
        let failed = tried.iter().find(|(_, held)| !**held).map(|(rate, _)| *rate);
        let below = |rate: u64| failed.is_none_or(|failed| rate < failed);
        let held = tried.iter().rev().find(|(rate, held)| **held && below(**rate)).map(|(rate, _)| *rate);
        Self { held, failed }
    }

    /// Whether both ends are known and close enough.
    pub fn is_closed(self) -> bool {
        let Self { held: Some(held), failed: Some(failed) } = self else { return false };
        failed.saturating_sub(held) <= 1 || failed as f64 / held as f64 <= BRACKET_RATIO
    }
}

impl Bisection {
    /// The rate to try next. `None` when the search is over: the bracket is closed, or a limit is reached.
    pub fn next(self, tried: &BTreeMap<u64, bool>) -> Option<u64> {
        let bracket = Bracket::of(tried);
        match (bracket.held, bracket.failed) {
            (None, None) => Some(self.start),
            (Some(held), None) => (held < self.highest).then(|| held.saturating_mul(2).min(self.highest)),
            (None, Some(failed)) => (failed > self.lowest).then(|| (failed / 2).max(self.lowest)),
            _ if bracket.is_closed() => None,
            (Some(held), Some(failed)) => {
                let middle = (held as f64 * failed as f64).sqrt().round() as u64;
                Some(middle.clamp(held + 1, failed - 1))
            }
        }
    }

    /// The rates still to try if all rates up to `limit` hold.
    pub fn rest(self, tried: &BTreeMap<u64, bool>, limit: u64) -> Vec<u64> {
        let (mut tried, mut rest) = (tried.clone(), Vec::new());
        while let Some(rate) = self.next(&tried) {
            tried.insert(rate, rate <= limit);
            rest.push(rate);
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches where all rates up to `limit` hold. Returns the bracket and the number of rates tried.
    fn search(bisection: Bisection, limit: u64) -> (Bracket, usize) {
        let mut tried = BTreeMap::new();
        while let Some(rate) = bisection.next(&tried) {
            assert!((bisection.lowest..=bisection.highest).contains(&rate), "{rate} must not be tried");
            assert_eq!(tried.insert(rate, rate <= limit), None, "{rate} was tried before");
        }
        (Bracket::of(&tried), tried.len())
    }

    #[test]
    fn any_limit_in_reach_is_bracketed_within_five_percent_by_few_trials() {
        let bisection = Bisection { lowest: 1, start: 10_000, highest: 100_000_000 };
        for limit in [1, 2, 3, 19, 20, 21, 500, 9_999, 10_000, 10_001, 123_456, 99_999_998] {
            let (bracket, trials) = search(bisection, limit);
            let (held, failed) = (bracket.held.unwrap(), bracket.failed.unwrap());
            assert!(held <= limit && limit < failed && bracket.is_closed(), "{limit}: {bracket:?}");
            assert!(failed - held <= 1 || failed as f64 / held as f64 <= 1.05, "{limit}: {bracket:?}");
            assert!(trials <= 19, "{limit}: {trials} trials");
        }
    }

    #[test]
    fn a_limit_out_of_reach_ends_the_search_at_that_end() {
        let bisection = Bisection { lowest: 100, start: 1_000, highest: 5_000 };
        assert_eq!(search(bisection, 5_000), (Bracket { held: Some(5_000), failed: None }, 4));
        assert_eq!(search(bisection, 99), (Bracket { held: None, failed: Some(100) }, 5));
        let only = Bisection { lowest: 7, start: 7, highest: 7 };
        assert_eq!(search(only, 7).1 + search(only, 6).1, 2);
    }

    #[test]
    fn a_rate_that_held_above_one_that_failed_is_no_end_of_a_bracket() {
        let tried = BTreeMap::from([(50, true), (100, false), (200, true)]);
        assert_eq!(Bracket::of(&tried), Bracket { held: Some(50), failed: Some(100) });
        let tried = BTreeMap::from([(100, false), (200, true)]);
        assert_eq!(Bracket::of(&tried), Bracket { held: None, failed: Some(100) });
        assert_eq!(Bisection { lowest: 1, start: 200, highest: 1_000 }.next(&tried), Some(50));
    }

    #[test]
    fn the_rest_of_a_search_is_what_it_then_tries() {
        let bisection = Bisection { lowest: 1, start: 1_000, highest: 1_000_000 };
        assert_eq!(bisection.rest(&BTreeMap::new(), 900), [1_000, 500, 707, 841, 917, 878]);
        assert_eq!(bisection.rest(&BTreeMap::from([(1_000, false), (500, true)]), 900), [707, 841, 917, 878]);
        assert_eq!(bisection.rest(&BTreeMap::from([(1_000, false), (960, true)]), 980), []);
    }

    #[test]
    fn searches_that_go_the_same_way_try_the_same_rates() {
        let bisection = Bisection { lowest: 1, start: 1_000, highest: 1_000_000 };
        let tried = |limit: u64| {
            let mut tried = BTreeMap::new();
            while let Some(rate) = bisection.next(&tried) {
                tried.insert(rate, rate <= limit);
            }
            tried.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(tried(50_000), tried(50_001));
    }
}
