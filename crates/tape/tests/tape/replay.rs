//! A store that cannot be wrong: a sorted map. Tapes are replayed on it, and every answer compared.

use std::collections::BTreeMap;

use bakeoff_tape::{Consumer, Operation, Pool, Recording, Scan, Workload};

use crate::common::{Owned, read};

const FOUND: u8 = 1;
const REVERSE: u8 = 2;
const UNTIMED: u8 = 4;
const ANY_ORDER: u8 = 16;
const SHARED: u8 = 32;

#[derive(Default)]
pub(crate) struct Naive {
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Naive {
    fn data_bytes(&self) -> u64 {
        self.entries.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum()
    }

    /// Replays lanes in turn, an operation of each: answers must not depend on how lanes interleave.
    pub(crate) fn replay(&mut self, lanes: &[Vec<Owned>], pool: &Pool) {
        let longest = lanes.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..longest {
            for record in lanes.iter().filter_map(|lane| lane.get(number)) {
                self.one(record, pool);
            }
        }
    }

    fn one(&mut self, record: &Owned, pool: &Pool) {
        let value = || pool.slice(record.value_offset, record.value_bytes).unwrap().to_vec();
        let found = record.flags & FOUND != 0;
        let key = &record.key;
        match record.operation {
            Operation::Insert => assert_eq!(self.entries.insert(key.clone(), value()), None, "insert {key:?}"),
            Operation::Update => assert!(self.entries.insert(key.clone(), value()).is_some(), "update {key:?}"),
            Operation::Upsert => assert_eq!(self.entries.insert(key.clone(), value()).is_some(), found),
            Operation::Get if record.flags & SHARED != 0 => {
                let held = &self.entries[key];
                let places = pool.bytes() - u64::from(record.value_bytes) + 1;
                let step = (places / 4).max(1);
                let mut at = (record.value_offset % step..places).step_by(step as usize);
                let is_one = at.any(|place| pool.slice(place, record.value_bytes) == Some(held.as_slice()));
                assert!(found && is_one, "get {key:?}: none of its values");
            }
            Operation::Get => assert_eq!(self.entries.get(key).cloned(), found.then(value), "get {key:?}"),
            Operation::Delete => assert_eq!(self.entries.remove(key).is_some(), found, "delete {key:?}"),
            Operation::Exists => assert_eq!(self.entries.contains_key(key), found, "exists {key:?}"),
            Operation::Scan | Operation::ScanAll | Operation::ScanPrefix | Operation::First => self.scan(record),
            Operation::Walk => self.walk(record, found),
            Operation::Commit => assert!(key.is_empty()),
        }
    }

    fn scan(&self, record: &Owned) {
        let expected = record.scan().unwrap();
        let whole = record.operation == Operation::ScanAll;
        let limit = if whole { usize::MAX } else { expected.limit as usize };
        let prefix = record.operation.has_prefix().then_some(&record.key);
        let begins = |key: &Vec<u8>| prefix.is_none_or(|prefix| key.starts_with(prefix));
        let from = |key: &Vec<u8>| whole || begins(key) && *key >= record.key;
        let to = |key: &Vec<u8>| whole || prefix.is_some() && begins(key) || *key <= record.key;
        let entries: Vec<_> = if record.flags & REVERSE == 0 {
            self.entries.iter().filter(|(key, _)| from(key)).take(limit).collect()
        } else {
            self.entries.iter().rev().filter(|(key, _)| to(key)).take(limit).collect()
        };
        let bytes = entries.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>() as u64;
        let checksum = checksum(expected.consumer, record.flags & ANY_ORDER != 0, &entries);
        assert_eq!(Scan { entries: entries.len() as u64, bytes, checksum, ..expected }, expected, "{record:?}");
    }

    fn walk(&self, record: &Owned, found: bool) {
        let walk = record.record().walk().unwrap();
        let (mut path, mut parent, mut state, mut components) = (record.key.as_slice(), Some(0_u64), 0, 0);
        let mut found_here = 0;
        while let Some((length, rest)) = path.split_first() {
            let (name, rest) = rest.split_at(usize::from(*length));
            let key = |parent: u64| [parent.to_be_bytes().as_slice(), name].concat();
            let value = parent.and_then(|parent| self.entries.get(&key(parent)));
            parent = value.map(|value| {
                let id = bakeoff_tree::read(walk.codec, value, walk.all_fields.then_some(&mut state)).unwrap();
                state = if walk.all_fields { state } else { id };
                found_here += 1;
                id
            });
            (path, components) = (rest, components + 1);
        }
        assert_eq!(components, walk.components);
        assert_eq!(parent.is_some(), found, "walk {record:?}");
        if found || walk.past_leaf {
            assert_eq!((state, found_here), (record.value_offset, walk.found()), "walk {record:?}");
        } else {
            assert_eq!(record.value_offset, 0, "walk {record:?}");
        }
    }
}

/// The consumers as the specification words them, implemented again.
fn checksum(consumer: Consumer, any_order: bool, entries: &[(&Vec<u8>, &Vec<u8>)]) -> u64 {
    use xxhash_rust::xxh64::xxh64;
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let head = |bytes: &[u8]| word(&bytes[..bytes.len().min(8)]);
    let tail = |bytes: &[u8]| word(&bytes[bytes.len().saturating_sub(8)..]);
    let next = |state: u64, key: &[u8], value: &[u8]| match consumer {
        Consumer::Count | Consumer::Copy => state,
        Consumer::Touch => {
            let e = head(key)
                .wrapping_add(tail(key).wrapping_mul(3))
                .wrapping_add(head(value).wrapping_add(tail(value).wrapping_mul(5)).rotate_left(32))
                .wrapping_add(key.len() as u64)
                .wrapping_add((value.len() as u64) << 20);
            (state.rotate_left(5) ^ e).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        }
        Consumer::Keys => {
            let lengths = (key.len() as u64).wrapping_add((value.len() as u64) << 20);
            let e = head(key).wrapping_add(tail(key).wrapping_mul(3)).wrapping_add(lengths);
            (state.rotate_left(5) ^ e).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        }
        Consumer::Crc32 => {
            let mut hasher = crc32fast::Hasher::new_with_initial(state as u32);
            hasher.update(&[key, value].concat());
            u64::from(hasher.finalize())
        }
        Consumer::Xxh64 => xxh64(value, xxh64(key, state)),
    };
    match (consumer, any_order) {
        (Consumer::Copy, _) => {
            let copied: Vec<u8> = entries.iter().flat_map(|(key, value)| [key.as_slice(), value].concat()).collect();
            xxh64(&copied, 0)
        }
        (_, true) => entries.iter().fold(0, |sum, (key, value)| sum.wrapping_add(next(0, key, value))),
        (_, false) => entries.iter().fold(0, |state, (key, value)| next(state, key, value)),
    }
}

/// Replays a whole recording and compares everything it says with what comes out.
pub(crate) fn check_recording(workload: &Workload, recording: &Recording) {
    let pool = Pool::open(&recording.pool).unwrap();
    let mut naive = Naive::default();
    let (mut written_bytes, mut data_bytes_max) = (0, 0);
    for (spec, tape) in workload.phases.iter().zip(&recording.phases) {
        let lanes = read(&tape.path);
        let empty = naive.entries.is_empty();
        naive.replay(&lanes, &pool);
        assert_eq!(lanes.len(), workload.lanes as usize);
        assert_eq!(tape.operations, lanes.iter().map(|lane| lane.len() as u64).sum::<u64>());
        let drawn = lanes.iter().flatten().filter(|record| is_drawn(record));
        let changes =
            |record: &&Owned| matches!(record.operation, Operation::Update | Operation::Upsert | Operation::Delete);
        let read_first = if spec.read_first { drawn.clone().filter(changes).count() } else { 0 };
        assert_eq!((drawn.count() - read_first) as u64, spec.drawn(workload.records), "{}", spec.name);
        assert_eq!(tape.records_after, naive.entries.len() as u64, "{}", spec.name);
        assert_eq!(tape.data_bytes_after, naive.data_bytes(), "{}", spec.name);
        assert_eq!(tape.written_bytes, lanes.iter().flatten().map(written).sum::<u64>(), "{}", spec.name);
        assert!(!tape.ascending || (empty && lanes.len() == 1 && only_ascending_inserts(&lanes[0])), "{}", spec.name);
        check_batches(spec.batch, &lanes);
        written_bytes += tape.written_bytes;
        data_bytes_max = tape.data_bytes_after.max(data_bytes_max);
    }
    naive.replay(&read(&recording.verify), &pool);
    assert_eq!(recording.hints.written_bytes, written_bytes);
    assert!(recording.hints.data_bytes_max >= data_bytes_max);
}

fn is_drawn(record: &Owned) -> bool {
    record.operation != Operation::Commit && record.flags & UNTIMED == 0
}

fn written(record: &Owned) -> u64 {
    match record.operation {
        Operation::Insert | Operation::Update | Operation::Upsert => {
            record.key.len() as u64 + u64::from(record.value_bytes)
        }
        _ => 0,
    }
}

fn only_ascending_inserts(lane: &[Owned]) -> bool {
    let keys: Vec<_> = lane.iter().filter(|record| record.operation != Operation::Commit).collect();
    keys.iter().all(|record| record.operation == Operation::Insert) && keys.is_sorted_by(|a, b| a.key < b.key)
}

/// Commits come after the number of writes in a batch, and after the last write.
fn check_batches(batch: bakeoff_tape::Batch, lanes: &[Vec<Owned>]) {
    use bakeoff_tape::Batch::{All, Each, Writes};
    for lane in lanes {
        let batches: Vec<Vec<&Owned>> = lane
            .split_inclusive(|record| record.operation == Operation::Commit)
            .map(|batch| batch.iter().filter(|record| record.operation.writes()).collect())
            .collect();
        let sizes: Vec<u64> =
            batches.iter().map(|batch| batch.iter().filter(|record| is_drawn(record)).count() as u64).collect();
        let commits = lane.iter().filter(|record| record.operation == Operation::Commit).count();
        let writes: u64 = sizes.iter().sum();
        match batch {
            Each => assert_eq!(commits, 0),
            All => assert_eq!(commits, usize::from(writes > 0)),
            Writes(count) => {
                assert_eq!(commits as u64, writes.div_ceil(count));
                assert!(sizes.iter().take(commits.saturating_sub(1)).all(|size| *size == count));
            }
        }
        let after = lane.iter().rev().take_while(|record| record.operation != Operation::Commit);
        assert!(batch == Each || !after.into_iter().any(|record| record.operation.writes()));
    }
}
