//! How the records of a trace come and go: how many were alive at one time, and which of them were removed.

use bakeoff_tape::Operation;

use crate::event::Event;

/// A removed record counts as the oldest if its age differs from the oldest's by at most this part of the records
/// alive, or this many.
const AGE_PART: u64 = 10;
const AGE_LEAST: u64 = 8;

/// Operations on records of known age, at least, that tell whether the newest are the most popular.
const TOUCHED_MIN: u64 = 100;

/// How the records of a trace came and went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turnover {
    /// Records that were there before the trace began: it read, replaced or removed them.
    pub before: u64,
    /// The most that were alive at one time.
    pub records_max: u64,
    /// Alive at the end.
    pub after: u64,
    /// Inserts that made a record.
    pub inserted: u64,
    /// Other writes that made a record.
    pub set: u64,
    /// Writes that replaced a value, by `update` or otherwise.
    pub updated: u64,
    /// The same, by any other write.
    pub replaced: u64,
    /// Records that were removed.
    pub deleted: u64,
    /// Of these, records that the trace made.
    pub deleted_of_known_age: u64,
    /// Of these, records that were about the oldest alive.
    pub deleted_oldest: u64,
    /// Records that were made, those with a key above the one made before.
    pub ascending: u64,
    /// Operations on records that stayed, if it is known whether these are of the newest tenth of live records.
    pub touched_of_known_age: u64,
    /// Of these, those on the newest tenth.
    pub touched_newest: u64,
}

impl Turnover {
    /// Records that the trace made.
    pub fn made(&self) -> u64 {
        self.inserted + self.set
    }

    /// Whether nine of ten records that were removed were the oldest.
    pub fn removes_the_oldest(&self) -> bool {
        is_nine_of_ten(self.deleted_oldest, self.deleted_of_known_age)
    }

    /// Whether nine of ten records were made with a key above the one before.
    pub fn makes_ascending_keys(&self) -> bool {
        is_nine_of_ten(self.ascending, self.made().saturating_sub(1))
    }

    /// The part of the operations on records that stayed which fell on the newest tenth of those alive; `None` where too few tell.
    pub fn newest_tenth(&self) -> Option<f64> {
        let part = self.touched_newest as f64 / self.touched_of_known_age as f64;
        (self.touched_of_known_age >= TOUCHED_MIN).then_some(part)
    }

    /// What writes did on a store that begins with the most records alive at one time. They made a record, replaced one by `update`, replaced one
    /// otherwise, or removed one.
    ///
    /// Records that the trace made beyond those it removed have filled the store. Where it removes records, the store
    /// begins with the filled ones, and they are no operations. Of other writes than inserts only as many make records
    /// as are removed: the rest replaces.
    pub fn on_a_full_store(&self) -> [(Operation, u64); 4] {
        let filled = self.records_max.saturating_sub(self.before).min(self.deleted);
        let kept = self.made().saturating_sub(filled);
        let made = kept.min(self.inserted.max(self.deleted));
        let missing = self.deleted.saturating_sub(made);
        // A trace that ends about as full as it ever was keeps that size.
        let inserts = if missing <= self.records_max / 10 && made > 0 { made + missing } else { made };
        [
            (Operation::Insert, inserts),
            (Operation::Update, self.updated),
            (Operation::Upsert, self.replaced + kept - made),
            (Operation::Delete, self.deleted),
        ]
    }
}

fn is_nine_of_ten(part: u64, of: u64) -> bool {
    of > 0 && part.saturating_mul(10) >= of.saturating_mul(9)
}

/// When a record was made: 0 if it is not there, 1 if it was before the trace, otherwise one more than how many were made up to it.
pub(crate) type Birth = u32;

const ABSENT: Birth = 0;
const BEFORE: Birth = 1;

/// Counts records as they come and go.
#[derive(Default)]
pub(crate) struct Lives {
    counts: Turnover,
    /// By how much there are more than before the trace, now and at most.
    now: i64,
    most: i64,
    /// The key of the record made last.
    last_made: Vec<u8>,
}

impl Lives {
    /// Takes an operation on a key, and gives the key's birth after it. `known` is its birth before, `None` if it was never met. `found` says
    /// whether the key was there, if the trace does.
    pub(crate) fn take(&mut self, event: &Event<'_>, found: Option<bool>, known: Option<Birth>) -> Birth {
        let there = known.unwrap_or_else(|| {
            // First met. What reads, replaces or removes it found it there, unless the trace says that nothing was found.
            let found = found.unwrap_or(match event.operation {
                Operation::Update => true,
                Operation::Insert | Operation::Upsert | Operation::Commit => false,
                Operation::Delete => event.value_bytes.is_some_and(|bytes| bytes > 0),
                _ => event.value_bytes != Some(0),
            });
            self.counts.before += u64::from(found);
            if found { BEFORE } else { ABSENT }
        });
        if there != ABSENT && event.operation != Operation::Delete {
            self.touch(there);
        }
        match (event.operation, there) {
            (Operation::Delete, ABSENT) => {}
            (Operation::Delete, birth) => return self.remove(birth),
            (operation, ABSENT) if operation.writes_value() => return self.make(event),
            (Operation::Update, _) => self.counts.updated += 1,
            (operation, _) => self.counts.replaced += u64::from(operation.writes_value()),
        }
        there
    }

    /// Takes a record that was there before the trace, unless its key was met.
    pub(crate) fn load(&mut self, known: Option<Birth>) -> Birth {
        known.unwrap_or_else(|| {
            self.counts.before += 1;
            BEFORE
        })
    }

    /// Takes an operation on a record of this birth, which stays.
    fn touch(&mut self, birth: Birth) {
        let newest = self.counts.before.saturating_add_signed(self.now) / 10;
        // Which of the records that were there before are the newest is not known.
        if self.counts.made() >= newest {
            let newer = self.counts.made() + 1 - u64::from(birth);
            self.counts.touched_of_known_age += 1;
            self.counts.touched_newest += u64::from(birth > BEFORE && newer < newest);
        }
    }

    fn make(&mut self, event: &Event<'_>) -> Birth {
        self.counts.ascending += u64::from(self.counts.made() > 0 && *event.key > *self.last_made);
        self.last_made.clear();
        self.last_made.extend_from_slice(event.key);
        match event.operation {
            Operation::Insert => self.counts.inserted += 1,
            _ => self.counts.set += 1,
        }
        self.now += 1;
        self.most = self.most.max(self.now);
        Birth::try_from(self.counts.made() + 1).unwrap_or(Birth::MAX)
    }

    fn remove(&mut self, birth: Birth) -> Birth {
        let alive = self.counts.before.saturating_add_signed(self.now);
        self.now -= 1;
        self.counts.deleted += 1;
        if birth > BEFORE {
            // It and those made after it would be all there are.
            let not_older = self.counts.made() + 2 - u64::from(birth);
            self.counts.deleted_of_known_age += 1;
            let near = (alive / AGE_PART).max(AGE_LEAST.min(alive / 2));
            self.counts.deleted_oldest += u64::from(not_older.abs_diff(alive) <= near);
        }
        ABSENT
    }

    pub(crate) fn finish(self) -> Turnover {
        let alive = |more| self.counts.before.saturating_add_signed(more);
        Turnover { records_max: alive(self.most), after: alive(self.now), ..self.counts }
    }
}
