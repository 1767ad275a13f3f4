//! The way to the first record that exists, past deleted ones before it.
//!
//! A queue's head has all earlier records before it. Passing them one by one for each operation would take time that
//! grows with the square of the number of operations.

/// For each place in an order of records, a place from which on a record may not be deleted. Deleted records stay
/// deleted for as long as this is used.
#[derive(Default)]
pub(crate) struct Jumps {
    /// The place from which to look on; the place itself if no later one is known. Made on first use.
    next: Vec<u32>,
}

impl Jumps {
    /// The first place from `from` on that is not deleted, or `places`, which are fewer than 2³².
    pub(crate) fn over(&mut self, from: u64, places: u64, is_deleted: impl Fn(u64) -> bool) -> u64 {
        if self.next.is_empty() {
            self.next = (0..=places).map(|place| place as u32).collect();
        }
        let mut at = from;
        while at < places {
            match u64::from(self.next[at as usize]) {
                next if next > at => at = next,
                _ if is_deleted(at) => at += 1,
                _ => break,
            }
        }
        // The next search from these places jumps there at once.
        let mut passed = from;
        while passed < at {
            let next = u64::from(self.next[passed as usize]).max(passed + 1);
            self.next[passed as usize] = at as u32;
            passed = next;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn what_was_passed_once_is_not_looked_at_again() {
        let looks = Cell::new(0);
        let mut jumps = Jumps::default();
        let mut head = |deleted: u64| {
            jumps.over(0, 10_000, |place| {
                looks.set(looks.get() + 1);
                place < deleted
            })
        };
        for deleted in 0..=10_000 {
            assert_eq!(head(deleted), deleted);
        }
        assert!(looks.get() < 20_100, "{} looks", looks.get());
    }

    #[test]
    fn ways_that_begin_elsewhere_meet() {
        let mut deleted = [false; 100];
        let mut jumps = Jumps::default();
        for step in 0..100_usize {
            deleted[step * 37 % 100] = true;
            for from in 0..=100 {
                let expected = (from..100).find(|place| !deleted[*place as usize]).unwrap_or(100);
                assert_eq!(jumps.over(from, 100, |place| deleted[place as usize]), expected);
            }
        }
    }
}
