//! Which live record an operation falls on: the access kinds of a phase.

use std::collections::VecDeque;
use std::hint::black_box;
use std::ops::Range;

use crate::model::{Model, Order};
use crate::parts::Parts;
use crate::random::{Permutation, Purpose, Stream, Zipf};
use crate::ranges::Ranges;
use crate::{Access, Operation, PhaseSpec};

/// Picks drawn at once where no record comes or goes.
const AHEAD: usize = 64;

/// What a picker needs to know about its lane.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a> {
    pub(crate) seed: u64,
    pub(crate) phase: &'a str,
    pub(crate) lane: u32,
    /// Lanes of the tape.
    pub(crate) lanes: u32,
    /// For each lane whether it writes. A lane that writes touches only the records whose index is its number modulo
    /// the number of lanes. Lanes that only read share theirs.
    pub(crate) writes: &'a [bool],
    /// Lanes that only read share the records of the others too.
    pub(crate) shared: bool,
    /// The sizes of values, which may determine which records are popular.
    pub(crate) parts: &'a Parts,
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
    /// Whether its records are its own, and not shared with others.
    fn is_alone(&self) -> bool {
        self.writes[self.lane as usize]
    }

    /// The lowest index of the lane, and the distance between its indexes; of all lanes where it shares them.
    fn stride(&self) -> (u64, u64) {
        if self.is_alone() { (u64::from(self.lane), u64::from(self.lanes)) } else { (0, 1) }
    }

    #[inline]
    fn owns(&self, index: u64) -> bool {
        if self.lanes == 1 {
            return true;
        }
        let owner = (index % u64::from(self.lanes)) as u32;
        // What another lane inserts may not be there yet.
        let is_shared = || !self.writes[owner as usize] || self.shared && index < self.index_end;
        owner == self.lane || !self.is_alone() && is_shared()
    }

    /// The lane that determines which records are popular: lanes that share records share their popularity.
    fn popular_lane(&self) -> u32 {
        if self.is_alone() { self.lane } else { self.writes.iter().take_while(|writes| **writes).count() as u32 }
    }
}

/// A record, and where the picker has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) index: u64,
    slot: u64,
}

/// Picks live records for one lane of one phase: all kinds of operation alike, or some of them otherwise.
pub(crate) struct Pickers<'a> {
    /// For all kinds without their own picker.
    usual: Option<Picker<'a>>,
    own: Vec<(Operation, Picker<'a>)>,
}

impl<'a> Pickers<'a> {
    /// `by_key` is the order of keys, `inserted` the order of inserts.
    pub(crate) fn new(
        phase: &PhaseSpec,
        share: Share<'a>,
        model: &Model,
        by_key: &'a Order,
        inserted: &'a Order,
    ) -> Self {
        let is_own = |kind: &Operation| phase.access_of.contains_key(kind);
        let several = phase.picking().any(|kind| is_own(&kind));
        let picker = |access, kind| match access {
            Access::Sequential => Picker::InOrder(Cursor::new(by_key, share, false)),
            Access::Insertion => Picker::InOrder(Cursor::new(inserted, share, share.removes)),
            _ => Picker::AtRandom(Box::new(Chooser::new((access, kind), share, several, model))),
        };
        let own = phase.picking().filter(is_own).map(|kind| (kind, picker(phase.access_to(kind), Some(kind))));
        let own: Vec<_> = own.collect();
        let usual = phase.picking().any(|kind| !is_own(&kind)).then(|| picker(phase.access, None));
        Self { usual, own }
    }

    /// A live record for an operation; `None` if the lane has none.
    #[inline]
    pub(crate) fn pick(&mut self, operation: Operation, model: &Model) -> Option<Pick> {
        let own = self.own.iter_mut().find(|(kind, _)| *kind == operation).map(|(_, picker)| picker);
        match own.or(self.usual.as_mut())? {
            Picker::InOrder(cursor) => cursor.next(operation, model),
            Picker::AtRandom(chooser) => chooser.pick(model),
        }
    }

    /// A record was inserted, which has this place in the order of inserting.
    #[inline]
    pub(crate) fn inserted(&mut self, index: u64, place: u64) {
        for picker in self.all() {
            match picker {
                Picker::InOrder(cursor) => cursor.end = place + 1,
                Picker::AtRandom(chooser) => chooser.inserted(index),
            }
        }
    }

    /// A picked record was removed for good.
    #[inline]
    pub(crate) fn removed(&mut self, picked: Pick) {
        for picker in self.all() {
            if let Picker::AtRandom(chooser) = picker {
                chooser.removed(picked);
            }
        }
    }

    #[inline]
    fn all(&mut self) -> impl Iterator<Item = &mut Picker<'a>> {
        self.usual.iter_mut().chain(self.own.iter_mut().map(|(_, picker)| picker))
    }
}

/// Picks live records in one way.
enum Picker<'a> {
    InOrder(Cursor<'a>),
    AtRandom(Box<Chooser<'a>>),
}

/// Goes through an order again and again, over live records.
struct Cursor<'a> {
    order: &'a Order,
    share: Share<'a>,
    place: u64,
    /// In the order of inserting: behind what the lane has inserted so far, where nothing is there yet.
    end: u64,
    /// In the order of inserting, where records go for good: no record before this place is alive, or will be.
    oldest: Option<u64>,
}

impl<'a> Cursor<'a> {
    /// Lanes that own their records all begin at the lowest; lanes that share them begin evenly spread, so that they do
    /// not read the same records at the same time.
    fn new(order: &'a Order, share: Share<'a>, by_age: bool) -> Self {
        let place = if share.is_alone() { 0 } else { share.index_end.min(order.len()) / u64::from(share.lanes) };
        let (place, end) = (place * u64::from(share.lane), share.index_end.min(order.len()));
        Self { order, share, place, end, oldest: by_age.then_some(0) }
    }

    /// The next record; by age a delete takes the oldest.
    #[inline]
    fn next(&mut self, operation: Operation, model: &Model) -> Option<Pick> {
        let Some(oldest) = self.oldest else {
            let (first, rest) = (self.place..self.order.len(), 0..self.place.min(self.order.len()));
            return self.go_on(first, rest, model);
        };
        let end = self.end;
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
    #[inline]
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
    /// All records that are alive. When one is removed, the last one takes its slot.
    Listed(Vec<u32>),
    /// The same, from the oldest to the newest.
    ByAge(VecDeque<u32>),
}

impl Live {
    /// The live records of a lane, by group. `by_age` keeps them in their order.
    fn groups(
        share: &Share<'_>,
        by_age: bool,
        model: &Model,
        (count, group): (usize, impl Fn(u64) -> usize),
    ) -> Vec<Self> {
        let (first, step) = share.stride();
        let indexes = || (first..share.index_end).step_by(step as usize);
        let is_there = |index: &u64| share.owns(*index) && model.get(*index).is_some();
        if count == 1 && !share.scattered && indexes().all(|index| is_there(&index)) {
            return vec![Self::Dense { first, step, count: indexes().count() as u64 }];
        }
        let mut counts = vec![0; count];
        indexes().filter(is_there).for_each(|index| counts[group(index)] += 1);
        let room = if count == 1 { share.grows as usize } else { 0 };
        let mut lists: Vec<_> = counts.into_iter().map(|count: usize| Vec::with_capacity(count + room)).collect();
        indexes().filter(is_there).for_each(|index| lists[group(index)].push(index as u32));
        let of_list = |list: Vec<u32>| if by_age { Self::ByAge(list.into()) } else { Self::Listed(list) };
        lists.into_iter().map(of_list).collect()
    }

    #[inline]
    fn len(&self) -> u64 {
        match self {
            Self::Dense { count, .. } => *count,
            Self::Listed(list) => list.len() as u64,
            Self::ByAge(list) => list.len() as u64,
        }
    }

    #[inline]
    fn index(&self, slot: u64) -> u64 {
        match self {
            Self::Dense { first, step, .. } => first + slot * step,
            Self::Listed(list) => u64::from(list[slot as usize]),
            Self::ByAge(list) => u64::from(list[slot as usize]),
        }
    }

    #[inline]
    fn push(&mut self, index: u64) {
        match self {
            Self::Dense { count, .. } => *count += 1,
            Self::Listed(list) => list.push(index as u32),
            Self::ByAge(list) => list.push_back(index as u32),
        }
    }

    /// Removes a record, which has this slot unless another picker of a lane by age has picked it. Gives the record
    /// that has the slot now, if any.
    fn remove(&mut self, Pick { index, slot }: Pick) -> Option<u64> {
        let slot = slot as usize;
        match self {
            // Only a lane that removes nothing is dense.
            Self::Dense { .. } => None,
            Self::Listed(list) => {
                list.swap_remove(slot);
                list.get(slot).map(|moved| u64::from(*moved))
            }
            Self::ByAge(list) => {
                let is_it = |of: &u32| u64::from(*of) == index;
                let slot = if list.get(slot).is_some_and(is_it) { Some(slot) } else { list.iter().position(is_it) };
                slot.and_then(|slot| list.remove(slot)).and(None)
            }
        }
    }
}

/// The slot of each record of a lane, where a picker may remove it that does not own the slots: four bytes a record.
struct Slots {
    first: u64,
    step: u64,
    slots: Vec<u32>,
}

impl Slots {
    fn new((first, step): (u64, u64), groups: &[Group]) -> Self {
        let mut slots = Self { first, step, slots: Vec::new() };
        for Group { live, .. } in groups {
            (0..live.len()).for_each(|slot| slots.set(live.index(slot), slot));
        }
        slots
    }

    fn place(&self, index: u64) -> usize {
        ((index - self.first) / self.step) as usize
    }

    fn get(&self, index: u64) -> u64 {
        u64::from(self.slots[self.place(index)])
    }

    fn set(&mut self, index: u64, slot: u64) {
        let place = self.place(index);
        if place >= self.slots.len() {
            self.slots.resize(place + 1, 0);
        }
        self.slots[place] = slot as u32;
    }
}

/// Picks at random.
struct Chooser<'a> {
    access: Access,
    /// The live records, the most popular ones first where sizes of values say which these are: a group for each part of the sizes.
    groups: Vec<Group>,
    parts: &'a Parts,
    /// Where other pickers remove records too.
    slots: Option<Slots>,
    key: Stream,
    part: Stream,
    /// For popularity that falls with the rank.
    ranks: Option<Zipf>,
    ranges: Option<Ranges>,
    steady: bool,
    /// Picks made beforehand, the next one last.
    ahead: Vec<Pick>,
}

/// Live records, and which rank each has among them.
struct Group {
    live: Live,
    scatter: Permutation,
}

impl<'a> Chooser<'a> {
    /// For all kinds of operation, or for one, which draws from its own streams.
    fn new((access, kind): (Access, Option<Operation>), share: Share<'a>, several: bool, model: &Model) -> Self {
        let by_age = matches!(access, Access::Latest { .. });
        let count = if access.has_popular_records() { share.parts.groups() } else { 1 };
        let group = |index| if count == 1 { 0 } else { share.parts.group_of(index) };
        let lives = Live::groups(&share, by_age, model, (count, group));
        let records: u64 = lives.iter().map(Live::len).sum();
        let ranks = match access {
            Access::Zipfian { theta } | Access::Latest { theta } => {
                Some(Zipf::new(records, records + share.grows, theta))
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
        // No phase is called so.
        let draws = kind.map_or_else(|| share.phase.to_owned(), |kind| format!("{} {}", share.phase, kind.name()));
        let stream = |purpose| Stream::new(share.seed, &draws, share.lane, purpose);
        let mut popular = Stream::new(share.seed, share.phase, share.popular_lane(), Purpose::Popularity);
        let group = |live: Live| Group { scatter: Permutation::new(live.len() + share.grows, &mut popular), live };
        let groups: Vec<Group> = lives.into_iter().map(group).collect();
        let slots = (several && share.removes && !by_age).then(|| Slots::new(share.stride(), &groups));
        Self {
            access,
            groups,
            parts: share.parts,
            slots,
            key: stream(Purpose::Key),
            part: stream(Purpose::KeyPart),
            ranks,
            ranges,
            steady: share.steady,
            ahead: Vec::with_capacity(AHEAD),
        }
    }

    /// How many records are alive.
    #[inline]
    fn count(&self) -> u64 {
        match self.groups.as_slice() {
            [only] => only.live.len(),
            groups => groups.iter().map(|group| group.live.len()).sum(),
        }
    }

    #[inline]
    fn inserted(&mut self, index: u64) {
        let group = self.group(index);
        let slot = group.len();
        group.push(index);
        self.slots.iter_mut().for_each(|slots| slots.set(index, slot));
    }

    /// A record was removed that this or another picker has picked.
    fn removed(&mut self, picked: Pick) {
        let slot = self.slots.as_ref().map_or(picked.slot, |slots| slots.get(picked.index));
        let moved = self.group(picked.index).remove(Pick { slot, ..picked });
        if let (Some(slots), Some(moved)) = (&mut self.slots, moved) {
            slots.set(moved, slot);
        }
    }

    /// The live records among which one is or will be.
    fn group(&mut self, index: u64) -> &mut Live {
        let number = if self.groups.len() == 1 { 0 } else { self.parts.group_of(index) };
        &mut self.groups[number].live
    }

    #[inline]
    fn pick(&mut self, model: &Model) -> Option<Pick> {
        if !self.steady {
            let count = self.count();
            return (count > 0).then(|| self.draw(count)).map(|place| self.picked(place));
        }
        if self.ahead.is_empty() {
            self.look_ahead(model);
        }
        self.ahead.pop()
    }

    /// Draws many picks at once, a stage after the other, and reads the places of their values. So one wait for the
    /// processor's tables and for memory serves them all.
    fn look_ahead(&mut self, model: &Model) {
        let count = self.count();
        if count == 0 {
            return;
        }
        let mut places = [0; AHEAD];
        places.iter_mut().for_each(|place| *place = self.draw(count));
        let picks = places.map(|place| self.picked(place));
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
    fn picked(&self, mut place: u64) -> Pick {
        let mut at = 0;
        while at + 1 < self.groups.len() && place >= self.groups[at].live.len() {
            place -= self.groups[at].live.len();
            at += 1;
        }
        let Group { live, scatter } = &self.groups[at];
        let slot = match self.access {
            Access::Zipfian { .. } | Access::Hot { .. } => scatter.apply(place, live.len()),
            Access::Latest { .. } => live.len() - 1 - place,
            Access::Ranges { .. } | Access::Uniform | Access::Sequential | Access::Insertion => place,
        };
        Pick { index: live.index(slot), slot }
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
