//! The content of a correct store: for every record ever inserted, the place of its value in the pool.
//!
//! This takes eight bytes a record. Key order and lists of live records, where a phase needs them, take four more each.
//! Keys are made again from indexes whenever they are needed.

use crate::consume::Fold;
use crate::jumps::Jumps;
use crate::key::{KEY_BYTES_MAX, KeyMaker};
use crate::random::Permutation;
use crate::{Consumer, Pool, Scan};

/// Records that can be inserted, at most, over all phases of a workload.
pub(crate) const RECORDS_MAX: u64 = u32::MAX as u64 - 1;

/// A value: a slice of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

/// Marks a missing record. No value is that long.
const ABSENT: Value = Value { offset: u32::MAX, bytes: u32::MAX };

/// Marks a deleted record.
const DELETED: Value = Value { offset: u32::MAX - 1, bytes: u32::MAX };

/// What the workload has done to the store so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Records alive.
    pub(crate) records: u64,
    /// Bytes of keys and values alive.
    pub(crate) data_bytes: u64,
    /// The most records alive at a time.
    pub(crate) records_max: u64,
    /// The most bytes alive at a time.
    pub(crate) data_bytes_max: u64,
    /// Inserts so far.
    pub(crate) inserts: u64,
    /// Writes of values so far.
    pub(crate) writes: u64,
    /// Bytes of keys and values written so far.
    pub(crate) written_bytes: u64,
    /// Bytes of values alone.
    pub(crate) written_value_bytes: u64,
    /// Changes so far: equal numbers mean equal content.
    pub(crate) changes: u64,
}

/// The content of a right store.
pub(crate) struct Model {
    keys: KeyMaker,
    values: Vec<Value>,
    totals: Totals,
    shuffles: Vec<Shuffle>,
    /// Where the store is aged: the values that records have in the end, by index.
    lasting: Vec<Value>,
}

/// Records that a lane inserts out of the order of their indexes.
pub(crate) struct Shuffle {
    pub(crate) first: u64,
    /// Between its indexes.
    pub(crate) step: u64,
    pub(crate) count: u64,
    pub(crate) order: Permutation,
}

impl Shuffle {
    /// The index of the record that is inserted after `place` others.
    #[inline]
    pub(crate) fn index(&self, place: u64) -> u64 {
        self.first + self.order.apply(place, self.count) * self.step
    }
}

impl Model {
    pub(crate) fn new(keys: KeyMaker) -> Self {
        Self { keys, values: Vec::new(), totals: Totals::default(), shuffles: Vec::new(), lasting: Vec::new() }
    }

    /// Remembers the order in which records are inserted, if it is not the order of their indexes.
    pub(crate) fn shuffled(&mut self, shuffles: impl Iterator<Item = Shuffle>) {
        self.shuffles.extend(shuffles);
    }

    pub(crate) fn keys(&self) -> KeyMaker {
        self.keys
    }

    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// One more than the highest index that was ever inserted.
    pub(crate) fn index_end(&self) -> u64 {
        self.values.len() as u64
    }

    /// Keeps room for indexes below `index_end`, so that growing does not need twice the memory.
    pub(crate) fn reserve(&mut self, index_end: u64) {
        self.values.reserve_exact((index_end as usize).saturating_sub(self.values.len()));
    }

    #[inline]
    pub(crate) fn get(&self, index: u64) -> Option<Value> {
        self.values.get(index as usize).copied().filter(|value| value.bytes != ABSENT.bytes)
    }

    /// Reads a record's line for no other reason than to have it at hand.
    #[inline]
    pub(crate) fn touch(&self, index: u64) -> u32 {
        self.values.get(index as usize).map_or(0, |value| value.offset)
    }

    /// Gives the record a value, whether or not it is there.
    #[inline]
    pub(crate) fn put(&mut self, index: u64, value: Value) {
        let place = index as usize;
        if place >= self.values.len() {
            self.values.resize(place + 1, ABSENT);
        }
        let before = std::mem::replace(&mut self.values[place], value);
        let entry_bytes = (self.keys.bytes_of(index) + value.bytes as usize) as u64;
        if before.bytes == ABSENT.bytes {
            self.totals.records += 1;
            self.totals.inserts += 1;
            self.totals.data_bytes += entry_bytes;
        } else {
            self.totals.data_bytes += u64::from(value.bytes);
            self.totals.data_bytes -= u64::from(before.bytes);
        }
        self.totals.writes += 1;
        self.totals.written_bytes += entry_bytes;
        self.totals.written_value_bytes += u64::from(value.bytes);
        self.totals.changes += 1;
        self.totals.records_max = self.totals.records_max.max(self.totals.records);
        self.totals.data_bytes_max = self.totals.data_bytes_max.max(self.totals.data_bytes);
    }

    /// Remembers the value that a record is to have once the store was aged.
    pub(crate) fn put_off(&mut self, index: u64, value: Value) {
        let place = index as usize;
        if place >= self.lasting.len() {
            self.lasting.resize(place + 1, ABSENT);
        }
        self.lasting[place] = value;
    }

    /// The value that a record is to have once the store was aged.
    pub(crate) fn lasting(&self, index: u64) -> Option<Value> {
        self.lasting.get(index as usize).copied().filter(|value| *value != ABSENT)
    }

    /// Forgets the values put off: they are in the store now.
    pub(crate) fn has_aged(&mut self) {
        self.lasting = Vec::new();
    }

    /// Removes a record, if it is there.
    #[inline]
    pub(crate) fn delete(&mut self, index: u64) {
        if let Some(value) = self.get(index) {
            self.values[index as usize] = DELETED;
            self.totals.records -= 1;
            self.totals.data_bytes -= (self.keys.bytes_of(index) + value.bytes as usize) as u64;
            self.totals.changes += 1;
        }
    }

    /// Whether the record was there and was deleted.
    fn is_deleted(&self, index: u64) -> bool {
        self.values.get(index as usize) == Some(&DELETED)
    }

    /// What a scan delivers of the records whose keys begin with `prefix`, up to a limit.
    pub(crate) fn scan_prefix(
        &self,
        pool: &Pool,
        (order, jumps): (&Order, &mut Jumps),
        prefix: &[u8],
        (limit, consumer): (u64, Consumer),
    ) -> Scan {
        let mut fold = Fold::new(consumer, false);
        let mut buffer = [0; KEY_BYTES_MAX];
        let (mut place, mut entries) = (order.first_not_below(prefix, self.keys), 0);
        while entries < limit {
            place = jumps.over(place, order.len(), |place| self.is_deleted(order.index(place)));
            if place == order.len() {
                break;
            }
            let index = order.index(place);
            let key = self.keys.make(index, &mut buffer);
            if !key.starts_with(prefix) {
                break;
            }
            if let Some(bytes) = self.get(index).and_then(|value| pool_slice(pool, value)) {
                fold.add(key, bytes);
                entries += 1;
            }
            place += 1;
        }
        fold.finish(limit)
    }

    /// What a scan delivers that visits records in `order`, from a place in it; dead ones do not count.
    pub(crate) fn scan(&self, pool: &Pool, order: &Order, scan: &ScanPlan) -> Scan {
        let mut fold = Fold::new(scan.consumer, scan.any_order);
        let most = scan.limit.unwrap_or(u64::MAX);
        let end = order.len();
        let mut entries = 0;
        let mut place = if scan.reverse { scan.from + 1 } else { scan.from };
        let mut buffer = [0; KEY_BYTES_MAX];
        while entries < most && if scan.reverse { place > 0 } else { place < end } {
            place -= u64::from(scan.reverse);
            let index = order.index(place);
            if let Some((value, bytes)) = self.get(index).and_then(|value| Some((value, pool_slice(pool, value)?))) {
                debug_assert_eq!(value.bytes as usize, bytes.len());
                fold.add(self.keys.make(index, &mut buffer), bytes);
                entries += 1;
            }
            place += u64::from(!scan.reverse);
        }
        fold.finish(scan.limit.unwrap_or(0))
    }
}

#[inline]
fn pool_slice(pool: &Pool, value: Value) -> Option<&[u8]> {
    pool.slice(u64::from(value.offset), value.bytes)
}

/// A scan to be answered.
pub(crate) struct ScanPlan {
    /// The place in the order of keys where it begins.
    pub(crate) from: u64,
    /// Entries at most; `None` for a whole scan.
    pub(crate) limit: Option<u64>,
    pub(crate) reverse: bool,
    pub(crate) any_order: bool,
    pub(crate) consumer: Consumer,
}

/// Indexes in the order of their keys, or of being inserted.
pub(crate) enum Order {
    /// The order of the indexes below this.
    Index(u64),
    /// Another: by key, of the indexes that are alive or will be.
    Sorted(Vec<u32>),
}

impl Order {
    /// The key order of the records that are alive, and of those still to be inserted, with indexes from the model's
    /// end up to `index_end`.
    pub(crate) fn by_key(model: &Model, index_end: u64) -> Self {
        if model.keys.ascending() {
            return Self::Index(index_end);
        }
        let there = |index: &u64| *index >= model.index_end() || model.get(*index).is_some();
        let expected = (model.totals.records + index_end - model.index_end()) as usize;
        let mut sorted = Vec::with_capacity(expected);
        // One half of the key space after the other, so that the numbers sorted take no more memory than the result.
        let mut part = Vec::with_capacity(expected / 2 + expected / 64 + 64);
        for half in 0..2 {
            part.clear();
            part.extend((0..index_end).filter(there).filter_map(|index| {
                let prefix = model.keys.order_prefix(index);
                (prefix >> 63 == half).then_some(prefix << 1 >> 32 << 32 | index)
            }));
            part.sort_unstable();
            settle_ties(&mut part, model.keys);
            sorted.extend(part.iter().map(|packed| *packed as u32));
        }
        Self::Sorted(sorted)
    }

    /// The order of inserts, past and future, up to `index_end`.
    pub(crate) fn by_insertion(model: &Model, index_end: u64) -> Self {
        if model.shuffles.is_empty() {
            return Self::Index(index_end);
        }
        let mut order: Vec<_> = (0..index_end).map(|index| index as u32).collect();
        for shuffle in &model.shuffles {
            let places = order[shuffle.first as usize..].iter_mut().step_by(shuffle.step as usize);
            places.zip(0..shuffle.count).for_each(|(index, place)| *index = shuffle.index(place) as u32);
        }
        Self::Sorted(order)
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Index(end) => *end,
            Self::Sorted(sorted) => sorted.len() as u64,
        }
    }

    /// The index at a place below `len`.
    #[inline]
    pub(crate) fn index(&self, place: u64) -> u64 {
        match self {
            Self::Index(_) => place,
            Self::Sorted(sorted) => u64::from(sorted[place as usize]),
        }
    }

    /// The first place whose key is not below this one, or the number of places.
    fn first_not_below(&self, key: &[u8], keys: KeyMaker) -> u64 {
        let (mut low, mut high) = (0, self.len());
        let mut buffer = [0; KEY_BYTES_MAX];
        while low < high {
            let middle = low.midpoint(high);
            match keys.make(self.index(middle), &mut buffer) < key {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The place of an index that is in the order.
    pub(crate) fn place(&self, index: u64, keys: KeyMaker) -> u64 {
        match self {
            Self::Index(_) => index,
            Self::Sorted(sorted) => {
                let prefix = keys.order_prefix(index);
                let first = sorted.partition_point(|other| keys.order_prefix(u64::from(*other)) < prefix);
                let further = sorted[first..].iter().position(|other| u64::from(*other) == index);
                (first + further.unwrap_or(0)) as u64
            }
        }
    }
}

/// Sorts indexes whose keys begin with the same 32 bits by their whole keys.
fn settle_ties(packed: &mut [u64], keys: KeyMaker) {
    for run in packed.chunk_by_mut(|a, b| a >> 32 == b >> 32).filter(|run| run.len() > 1) {
        run.sort_by_cached_key(|packed| {
            let mut buffer = [0; KEY_BYTES_MAX];
            keys.make(*packed & u64::from(u32::MAX), &mut buffer);
            buffer
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyForm;
    use bakeoff_tree::Tree;

    #[test]
    fn totals_follow_the_content() {
        let mut model = Model::new(KeyMaker::new(KeyForm::Integer, None));
        model.put(3, Value { offset: 0, bytes: 10 });
        model.put(0, Value { offset: 5, bytes: 0 });
        model.put(3, Value { offset: 1, bytes: 6 });
        assert_eq!((model.get(0).unwrap().bytes, model.get(1), model.get(9)), (0, None, None));
        model.delete(0);
        model.delete(0);
        let totals = model.totals();
        assert_eq!((totals.records, totals.records_max, totals.inserts, totals.writes), (1, 2, 2, 3));
        assert_eq!((totals.data_bytes, totals.data_bytes_max, totals.written_bytes), (10, 18, 28));
    }

    #[test]
    fn keys_are_put_in_order_and_found_again() {
        let trees =
            [(850, 2), (4, 10), (800_000, 1)].map(|(fanout, levels)| Tree { fanout, levels, ..Tree::default() });
        put_in_order_and_found_again(KeyMaker::new(KeyForm::Sha1, None));
        trees.into_iter().for_each(|tree| put_in_order_and_found_again(KeyMaker::new(KeyForm::Directory, Some(tree))));
    }

    fn put_in_order_and_found_again(keys: KeyMaker) {
        let mut model = Model::new(keys);
        // With 600,000 records, some agree in the 33 bits that the first sort uses.
        for index in (0..600_000).filter(|index| index % 3 != 0) {
            model.put(index, Value { offset: 0, bytes: 1 });
        }
        let order = Order::by_key(&model, 601_000);
        let key = |place| keys.make(order.index(place), &mut [0; KEY_BYTES_MAX]).to_vec();
        assert_eq!(order.len(), model.totals().records + 601_000 - model.index_end());
        assert!((1..order.len()).all(|place| key(place - 1) < key(place)));
        assert!((0..order.len()).step_by(97).all(|place| order.place(order.index(place), keys) == place));
    }

    #[test]
    fn ties_are_settled_by_the_whole_key() {
        let keys = KeyMaker::new(KeyForm::Sha1, None);
        let mut packed: Vec<u64> = (0..100).collect();
        settle_ties(&mut packed, keys);
        assert!(packed.is_sorted_by_key(|index| keys.make(*index, &mut [0; KEY_BYTES_MAX]).to_vec()));
    }
}
