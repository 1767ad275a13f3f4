//! Which live record an operation falls on: the access kinds of a phase.

use std::hint::black_box;
use std::ops::Range;

use crate::model::{Model, Order};
use crate::random::{Permutation, Purpose, Stream, Zipf};
use crate::ranges::Ranges;
use crate::{Access, Operation};

/// Picks drawn at once where no record comes or goes.
const AHEAD: usize = 64;

/// What a picker needs to know about its lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share<'a> {
    pub(crate) seed: u64,
    pub(crate) phase: &'a str,
    pub(crate) lane: u32,
    /// Lanes of the tape.
    pub(crate) lanes: u32,
    /// The lane may touch only the records whose index is its number modulo the number of lanes.
    pub(crate) owned: bool,
    /// Indexes at the beginning of the phase are below this.
    pub(crate) index_end: u64,
    /// By how many records this lane may grow.
    pub(crate) grows: u64,
    /// Records are removed for good.
    pub(crate) removes: bool,
    /// Records are removed for good, or inserted out of order.
    pub(crate) scattered: bool,
    /// No record comes or goes.
    pub(crate) steady: bool,
}

impl Share<'_> {
    /// The lowest index of the lane, and the distance between its indexes.
    fn stride(&self) -> (u64, u64) {
        if self.owned { (u64::from(self.lane), u64::from(self.lanes)) } else { (0, 1) }
    }

    fn owns(&self, index: u64) -> bool {
        !self.owned || index % u64::from(self.lanes) == u64::from(self.lane)
    }
}

/// A record, and where the picker has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) index: u64,
    slot: u64,
}

/// Picks live records for one lane of one phase.
pub(crate) enum Picker<'a> {
    InOrder(Cursor<'a>),
    AtRandom(Box<Chooser>),
}

impl<'a> Picker<'a> {
    /// `by_key` is the order of keys, `inserted` that of inserting.
    pub(crate) fn new(access: Access, share: Share<'a>, model: &Model, by_key: &'a Order, inserted: &'a Order) -> Self {
        match access {
            Access::Sequential => Self::InOrder(Cursor::new(by_key, share, false)),
            Access::Insertion => Self::InOrder(Cursor::new(inserted, share, share.removes)),
            _ => Self::AtRandom(Box::new(Chooser::new(access, share, model))),
        }
    }

    /// A live record for an operation; `None` if the lane has none.
    #[inline]
    pub(crate) fn pick(&mut self, operation: Operation, model: &Model) -> Option<Pick> {
        match self {
            Self::InOrder(cursor) => cursor.next(operation, model),
            Self::AtRandom(chooser) => chooser.pick(model),
        }
    }

    /// A record was inserted.
    #[inline]
    pub(crate) fn inserted(&mut self, index: u64) {
        if let Self::AtRandom(chooser) = self {
            chooser.live.push(index);
        }
    }

    /// A picked record was removed for good.
    #[inline]
    pub(crate) fn removed(&mut self, picked: Pick) {
        if let Self::AtRandom(chooser) = self {
            // Only age needs the list to stay in order.
            chooser.live.remove(picked.slot, matches!(chooser.access, Access::Latest { .. }));
        }
    }
}

/// Goes through an order again and again, over what is alive.
pub(crate) struct Cursor<'a> {
    order: &'a Order,
    share: Share<'a>,
    place: u64,
    /// In the order of inserting, where records go for good: no record before this place is alive, or will be.
    oldest: Option<u64>,
}

impl<'a> Cursor<'a> {
    /// Lanes that own their records all begin at the lowest; lanes that share them begin evenly spread, so that they do
    /// not read the same records at the same time.
    fn new(order: &'a Order, share: Share<'a>, by_age: bool) -> Self {
        let place = if share.owned { 0 } else { share.index_end.min(order.len()) / u64::from(share.lanes) };
        Self { order, share, place: place * u64::from(share.lane), oldest: by_age.then_some(0) }
    }

    /// The next record; by age a delete takes the oldest.
    fn next(&mut self, operation: Operation, model: &Model) -> Option<Pick> {
        let Some(oldest) = self.oldest else {
            let (first, rest) = (self.place..self.order.len(), 0..self.place.min(self.order.len()));
            return self.go_on(first, rest, model);
        };
        // Of what is inserted later nothing is there yet.
        let end = self.order.len().min(model.index_end());
        let oldest = self.first(oldest..end, model)?;
        self.oldest = Some(oldest);
        if operation == Operation::Delete {
            return Some(self.picked(oldest));
        }
        let place = self.place.max(oldest);
        self.go_on(place..end, oldest..place.min(end), model)
    }

    /// The first record in one part of the order, or else in another.
    fn go_on(&mut self, first: Range<u64>, rest: Range<u64>, model: &Model) -> Option<Pick> {
        let place = self.first(first, model).or_else(|| self.first(rest, model))?;
        self.place = place + 1;
        Some(self.picked(place))
    }

    /// The first place in a part of the order that has a live record of the lane.
    fn first(&self, mut places: Range<u64>, model: &Model) -> Option<u64> {
        places.find(|place| {
            let index = self.order.index(*place);
            self.share.owns(index) && model.get(index).is_some()
        })
    }

    fn picked(&self, place: u64) -> Pick {
        Pick { index: self.order.index(place), slot: 0 }
    }
}

/// The live records of a lane, in slots without gaps.
enum Live {
    /// All of the lane's indexes, ascending: nothing was ever removed.
    Dense { first: u64, step: u64, count: u64 },
    /// Whichever are alive.
    Listed(Vec<u32>),
}

impl Live {
    fn new(share: &Share<'_>, model: &Model) -> Self {
        let (first, step) = share.stride();
        let indexes = || (first..share.index_end).step_by(step as usize);
        if share.scattered || !indexes().all(|index| model.get(index).is_some()) {
            let alive = || indexes().filter(|index| model.get(*index).is_some());
            let mut list = Vec::with_capacity(alive().count() + share.grows as usize);
            list.extend(alive().map(|index| index as u32));
            return Self::Listed(list);
        }
        Self::Dense { first, step, count: indexes().count() as u64 }
    }

    #[inline]
    fn len(&self) -> u64 {
        match self {
            Self::Dense { count, .. } => *count,
            Self::Listed(list) => list.len() as u64,
        }
    }

    #[inline]
    fn index(&self, slot: u64) -> u64 {
        match self {
            Self::Dense { first, step, .. } => first + slot * step,
            Self::Listed(list) => u64::from(list[slot as usize]),
        }
    }

    #[inline]
    fn push(&mut self, index: u64) {
        match self {
            Self::Dense { count, .. } => *count += 1,
            Self::Listed(list) => list.push(index as u32),
        }
    }

    fn remove(&mut self, slot: u64, in_order: bool) {
        if let Self::Listed(list) = self {
            if in_order {
                list.remove(slot as usize);
            } else {
                list.swap_remove(slot as usize);
            }
        }
    }
}

/// Picks at random.
pub(crate) struct Chooser {
    access: Access,
    live: Live,
    key: Stream,
    part: Stream,
    /// For popularity that falls with the rank.
    ranks: Option<Zipf>,
    ranges: Option<Ranges>,
    scatter: Permutation,
    steady: bool,
    /// Picks made beforehand, the next one last.
    ahead: Vec<Pick>,
}

impl Chooser {
    fn new(access: Access, share: Share<'_>, model: &Model) -> Self {
        let live = Live::new(&share, model);
        let ranks = match access {
            Access::Zipfian { theta } | Access::Latest { theta } => {
                Some(Zipf::new(live.len(), live.len() + share.grows, theta))
            }
            _ => None,
        };
        let ranges = match access {
            Access::Ranges { ranges, range, key } => {
                // All lanes agree on which ranges are popular.
                let mut popular = Stream::new(share.seed, share.phase, 0, Purpose::Popularity);
                Some(Ranges::new(ranges, range, key, &mut popular))
            }
            _ => None,
        };
        let stream = |purpose| Stream::new(share.seed, share.phase, share.lane, purpose);
        // Lanes that share records share what is popular.
        let popular_lane = if share.owned { share.lane } else { 0 };
        let mut popular = Stream::new(share.seed, share.phase, popular_lane, Purpose::Popularity);
        Self {
            access,
            key: stream(Purpose::Key),
            part: stream(Purpose::KeyPart),
            ranks,
            ranges,
            scatter: Permutation::new(live.len() + share.grows, &mut popular),
            live,
            steady: share.steady,
            ahead: Vec::with_capacity(AHEAD),
        }
    }

    #[inline]
    fn pick(&mut self, model: &Model) -> Option<Pick> {
        if !self.steady {
            let count = self.live.len();
            return (count > 0).then(|| self.draw(count)).map(|place| self.picked(place, count));
        }
        if self.ahead.is_empty() {
            self.look_ahead(model);
        }
        self.ahead.pop()
    }

    /// Draws many picks at once, a stage after the other, and reads where their values lie, so that one wait for the processor's
    /// tables and for memory serves them all.
    fn look_ahead(&mut self, model: &Model) {
        let count = self.live.len();
        if count == 0 {
            return;
        }
        let mut places = [0; AHEAD];
        places.iter_mut().for_each(|place| *place = self.draw(count));
        let picks = places.map(|place| self.picked(place, count));
        self.ahead.extend(picks.iter().rev());
        black_box(self.ahead.iter().fold(0, |sum, picked| sum ^ model.touch(picked.index)));
    }

    /// A place among `count` live records by popularity, age or chance.
    #[inline]
    fn draw(&mut self, count: u64) -> u64 {
        match self.access {
            Access::Zipfian { .. } | Access::Latest { .. } => self.draw_rank(count),
            Access::Hot { records, operations } => self.draw_hot(count, records, operations),
            Access::Ranges { .. } => match &self.ranges {
                Some(ranges) => ranges.draw(count, &mut self.part, &mut self.key),
                None => self.key.below(count),
            },
            Access::Uniform | Access::Sequential | Access::Insertion => self.key.below(count),
        }
    }

    /// The record at a place.
    #[inline]
    fn picked(&self, place: u64, count: u64) -> Pick {
        let slot = match self.access {
            Access::Zipfian { .. } | Access::Hot { .. } => self.scatter.apply(place, count),
            Access::Latest { .. } => count - 1 - place,
            Access::Ranges { .. } | Access::Uniform | Access::Sequential | Access::Insertion => place,
        };
        Pick { index: self.live.index(slot), slot }
    }

    /// A Zipfian rank from 0.
    #[inline]
    fn draw_rank(&mut self, count: u64) -> u64 {
        let Some(ranks) = &mut self.ranks else { return 0 };
        ranks.resize(count);
        ranks.draw(&mut self.key) - 1
    }

    /// A rank below the number of hot records with the probability of a hot operation, else one above.
    #[inline]
    fn draw_hot(&mut self, count: u64, records: f64, operations: f64) -> u64 {
        let hot = (libm::round(count as f64 * records) as u64).clamp(1, count);
        if self.part.unit() < operations || hot == count {
            self.key.below(hot)
        } else {
            hot + self.key.below(count - hot)
        }
    }
}
