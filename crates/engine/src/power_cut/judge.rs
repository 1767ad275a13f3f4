//! What a driver found in a store after a power cut, compared with what the store held at some moment.

use bakeoff_protocol::CutVerdict;
use bakeoff_tape::InventoryEntry;

use crate::power_cut::history::{History, Lane, Value, Write};

/// What a store promises besides its level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promises {
    /// Entries come in key order.
    pub(crate) ordered: bool,
    /// A batch is applied as a whole or not at all.
    pub(crate) atomic: bool,
}

/// A verdict, and what it is about in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) verdict: CutVerdict,
    pub(crate) message: String,
}

impl Judged {
    pub(crate) fn new(verdict: CutVerdict, message: impl Into<String>) -> Self {
        Self { verdict, message: message.into() }
    }
}

/// Judges what was found of all lanes, of which so many writes were acknowledged. The worst of the lanes counts.
pub(crate) fn judge(
    history: &History,
    acknowledged: &[u64],
    found: &[InventoryEntry<'_>],
    promises: Promises,
) -> Judged {
    let found = match values_of(history, found, promises) {
        Ok(found) => found,
        Err(judged) => return judged,
    };
    let lanes = history.lanes.iter().enumerate();
    let judged = lanes.map(|(number, lane)| {
        let acknowledged = acknowledged.get(number).copied().unwrap_or(0) as usize;
        let of_lane = LaneFound { history, number, lane, found: &found, promises };
        let judged = of_lane.judge(acknowledged);
        match history.lanes.len() {
            1 => judged,
            _ => Judged { message: format!("lane {number}: {}", judged.message), ..judged },
        }
    });
    judged.max_by_key(|judged| judged.verdict).unwrap_or_else(|| Judged::new(CutVerdict::Kept, "nothing was written"))
}

/// The value of each key, in the order of their numbers.
fn values_of(
    history: &History,
    found: &[InventoryEntry<'_>],
    promises: Promises,
) -> Result<Vec<Option<Value>>, Judged> {
    let corrupt = |message: String| Err(Judged::new(CutVerdict::Corrupt, message));
    let mut values = vec![None; history.keys.len()];
    for (at, entry) in found.iter().enumerate() {
        let Some(number) = history.find(entry.key) else {
            return corrupt(format!("it has a key that was never written: {}", shown(entry.key)));
        };
        if values[number].replace((entry.value_bytes, entry.value_checksum)).is_some() {
            return corrupt(format!("it lists a key twice: {}", shown(entry.key)));
        }
        if promises.ordered && at > 0 && found[at - 1].key >= entry.key {
            return corrupt(format!(
                "its keys are not in order: {} follows {}",
                shown(entry.key),
                shown(found[at - 1].key)
            ));
        }
    }
    let written = history.lanes.iter().flat_map(|lane| &lane.writes);
    let mut is_known: Vec<bool> = values.iter().map(Option::is_none).collect();
    for write in written {
        if let Write::Put(number, value) = write {
            is_known[*number] |= *value == values[*number];
        }
    }
    match is_known.iter().position(|known| !known) {
        Some(number) => corrupt(format!("a key has a value that it never had: {}", shown(&history.keys[number].0))),
        None => Ok(values),
    }
}

/// A key for people: as text, or its bytes.
fn shown(key: &[u8]) -> String {
    match std::str::from_utf8(key) {
        Ok(text) if text.chars().all(|character| !character.is_control()) => format!("`{text}`"),
        _ => key.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// What was found of a lane.
struct LaneFound<'a> {
    history: &'a History,
    number: usize,
    lane: &'a Lane,
    found: &'a [Option<Value>],
    promises: Promises,
}

impl LaneFound<'_> {
    fn judge(&self, acknowledged: usize) -> Judged {
        let next = self.lane.next_boundary(acknowledged);
        let (mut whole, mut partial, mut nearest) = (Vec::new(), Vec::new(), (usize::MAX, 0));
        self.replay(|writes, state, differing| {
            nearest = nearest.min((differing, writes));
            if differing == 0 {
                whole.push(writes);
            } else if self.is_partial(writes, state, differing) {
                partial.push(writes);
            }
        });
        // A part of a batch is as good as none or all of it where batches are not atomic.
        let tolerated = if self.promises.atomic { &[][..] } else { &partial[..] };
        let is_there = |writes: usize| whole.contains(&writes) || tolerated.contains(&writes);
        let earlier = whole.iter().chain(tolerated).copied().filter(|writes| *writes < acknowledged).max();
        if is_there(acknowledged) {
            return Judged::new(CutVerdict::Kept, "every acknowledged write is there");
        }
        if whole.contains(&next) {
            return Judged::new(CutVerdict::OneMore, "every acknowledged write is there, and the one under way");
        }
        if let Some(earlier) = earlier {
            let message = format!("{} of {acknowledged} acknowledged writes are lost", acknowledged - earlier);
            return Judged::new(CutVerdict::Lost, message);
        }
        if let Some(writes) = partial.iter().copied().filter(|writes| *writes <= acknowledged).max() {
            let message =
                format!("a part of the batch after write {writes} is there, of {acknowledged} that were acknowledged");
            return Judged::new(CutVerdict::Torn, message);
        }
        let (differing, writes) = nearest;
        let message = format!(
            "no state that it ever had: {differing} keys differ from the nearest, after {writes} writes, and {acknowledged} were acknowledged"
        );
        Judged::new(CutVerdict::Mixed, message)
    }

    /// Calls `at` at each boundary with the number of writes, the state then, and how many keys differ from what was found.
    fn replay(&self, mut at: impl FnMut(usize, &[Option<Value>], usize)) {
        let mut state = vec![None; self.found.len()];
        let own = |number: &usize| self.history.keys[*number].1 == self.number;
        let mut differing = (0..self.found.len()).filter(own).filter(|number| self.found[*number].is_some()).count();
        let mut boundaries = self.lane.boundaries.iter().copied().peekable();
        for writes in 0..=self.lane.writes.len() {
            if boundaries.next_if_eq(&writes).is_some() {
                at(writes, &state, differing);
            }
            if let Some(Write::Put(number, value)) = self.lane.writes.get(writes) {
                differing -= usize::from(state[*number] != self.found[*number]);
                state[*number] = *value;
                differing += usize::from(state[*number] != self.found[*number]);
            }
        }
    }

    /// Whether what differs from a state is some of what the next batch writes.
    fn is_partial(&self, writes: usize, state: &[Option<Value>], differing: usize) -> bool {
        let batch = &self.lane.writes[writes..self.lane.next_boundary(writes)];
        let applied = batch.iter().enumerate().filter(|(at, write)| match write {
            Write::Put(number, value) => {
                let is_first = !batch[..*at].iter().any(|before| matches!(before, Write::Put(other, value) if other == number && *value == self.found[*number]));
                is_first && *value == self.found[*number] && *value != state[*number]
            }
            Write::Commit => false,
        });
        applied.count() == differing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&[u8]; 4] = [b"a", b"b", b"c", b"d"];
    const PROMISES: Promises = Promises { ordered: true, atomic: true };

    /// A lane that writes values, 0 for none, to keys in batches.
    fn history(batches: &[&[(usize, u64)]]) -> History {
        let mut history = History::new(1);
        for batch in batches {
            for (key, value) in *batch {
                let number = history.number(KEYS[*key], 0);
                history.lanes[0].push(Write::Put(number, (*value > 0).then_some((8, *value))), false);
            }
            history.lanes[0].push(Write::Commit, true);
        }
        history.lanes[0].end();
        history
    }

    fn entries(values: &[(usize, u64)]) -> Vec<InventoryEntry<'static>> {
        values
            .iter()
            .map(|(key, value)| InventoryEntry { key: KEYS[*key], value_bytes: 8, value_checksum: *value })
            .collect()
    }

    fn verdict(acknowledged: u64, found: &[(usize, u64)], promises: Promises) -> CutVerdict {
        let history = history(&[&[(0, 1), (1, 2)], &[(2, 3), (0, 4)], &[(1, 0), (3, 5)]]);
        judge(&history, &[acknowledged], &entries(found), promises).verdict
    }

    #[test]
    fn what_was_acknowledged_is_right_and_so_is_the_batch_under_way() {
        let (first, second) = ([(0, 1), (1, 2)], [(0, 4), (1, 2), (2, 3)]);
        assert_eq!(verdict(3, &first, PROMISES), CutVerdict::Kept);
        assert_eq!(verdict(3, &second, PROMISES), CutVerdict::OneMore);
        assert_eq!(verdict(6, &first, PROMISES), CutVerdict::Lost);
        assert_eq!(verdict(9, &[(0, 4), (2, 3), (3, 5)], PROMISES), CutVerdict::Kept);
        assert_eq!(verdict(9, &[], PROMISES), CutVerdict::Lost);
        assert_eq!(verdict(0, &second, PROMISES), CutVerdict::Mixed, "two batches cannot be under way");
    }

    #[test]
    fn a_part_of_a_batch_is_torn_unless_batches_are_not_atomic() {
        let half = [(0, 1), (1, 2), (2, 3)];
        assert_eq!(verdict(3, &half, PROMISES), CutVerdict::Torn);
        let not_atomic = Promises { atomic: false, ..PROMISES };
        assert_eq!(verdict(3, &half, not_atomic), CutVerdict::Kept);
        assert_eq!(verdict(6, &half, not_atomic), CutVerdict::Lost);
    }

    #[test]
    fn gaps_and_inventions_are_found() {
        assert_eq!(verdict(9, &[(0, 4), (1, 2), (3, 5)], PROMISES), CutVerdict::Mixed);
        assert_eq!(verdict(3, &[(0, 1), (1, 1)], PROMISES), CutVerdict::Corrupt, "another key's value");
        assert_eq!(verdict(3, &[(1, 2), (0, 1)], PROMISES), CutVerdict::Corrupt, "out of order");
        assert_eq!(verdict(3, &[(0, 1), (0, 1)], PROMISES), CutVerdict::Corrupt, "twice");
        let any_order = Promises { ordered: false, ..PROMISES };
        assert_eq!(verdict(3, &[(1, 2), (0, 1)], any_order), CutVerdict::Kept);
        let foreign = InventoryEntry { key: b"x", value_bytes: 8, value_checksum: 1 };
        let judged = judge(&history(&[&[(0, 1)]]), &[0], &[foreign], PROMISES);
        assert_eq!(judged, Judged::new(CutVerdict::Corrupt, "it has a key that was never written: `x`"));
    }

    #[test]
    fn each_lane_is_judged_alone_and_the_worst_counts() {
        let mut history = History::new(2);
        for (lane, key) in [(0, 0), (1, 1), (0, 2), (1, 3)] {
            let number = history.number(KEYS[key], lane);
            history.lanes[lane].push(Write::Put(number, Some((8, 1))), true);
        }
        history.lanes.iter_mut().for_each(Lane::end);
        let judge = |acknowledged: &[u64], keys: &[usize]| {
            let found: Vec<_> = keys.iter().map(|key| (*key, 1)).collect();
            judge(&history, acknowledged, &entries(&found), PROMISES).verdict
        };
        assert_eq!(judge(&[1, 1], &[0, 1]), CutVerdict::Kept);
        assert_eq!(judge(&[1, 1], &[0, 1, 3]), CutVerdict::OneMore);
        assert_eq!(judge(&[1, 1], &[0]), CutVerdict::Lost);
        assert_eq!(judge(&[1, 2], &[0, 3]), CutVerdict::Mixed);
    }
}
