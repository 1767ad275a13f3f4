//! Recording one phase: drawing its operations, lane after lane, and writing down what a right store answers.

use bakeoff_tree::{DrawnWalk, TreeValues};

use crate::arrivals::Arrivals;
use crate::format::flags;
use crate::jumps::Jumps;
use crate::key::{KEY_BYTES_MAX, KeyMaker};
use crate::model::{Model, Order, ScanPlan, Shuffle, Totals, Value};
use crate::parts::Parts;
use crate::pick::{Pick, Pickers, Share};
use crate::places::{Places, Turn};
use crate::plan::{Kinds, LanePlan, PhasePlan};
use crate::progress::report_progress;
use crate::random::{Permutation, Purpose, Stream};
use crate::shared::SharedPlaces;
use crate::sizes::Sizes;
use crate::turnover::Turnovers;
use crate::{
    Access, Batch, OnProgress, Operation, PhaseSpec, Pool, Progress, Record, Scan, TapeError, TapeWriter, Workload,
};

/// Operations between two reports of progress.
const PROGRESS_PERIOD: u64 = 1 << 16;

/// What recording a phase needs, besides the model and the tape.
pub(crate) struct PhaseJob<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) phase: &'a PhaseSpec,
    pub(crate) plan: &'a PhasePlan,
    pub(crate) pool: &'a Pool,
    /// The sizes that values have.
    pub(crate) parts: &'a Parts,
    /// All indexes of all phases are below this.
    pub(crate) index_end: u64,
    /// For each lane whether it writes.
    pub(crate) writes: &'a [bool],
}

impl PhaseJob<'_> {
    /// Draws the phase's operations into `tape`.
    pub(crate) fn record(
        &self,
        model: &mut Model,
        tape: &mut TapeWriter,
        progress: OnProgress<'_>,
    ) -> Result<(), TapeError> {
        let index_end = model.index_end();
        model.reserve(self.plan.index_end);
        let by_index = Order::Index(self.plan.index_end);
        let by_key = if self.needs_key_order() { &Order::by_key(model, self.plan.index_end) } else { &by_index };
        let shuffles = (0..).zip(&self.plan.lanes).filter_map(|(number, lane)| self.shuffle(number, lane));
        model.shuffled(shuffles);
        let goes_by_insertion = self.phase.picks_by(Access::Insertion);
        let inserted = if goes_by_insertion { &Order::by_insertion(model, self.plan.index_end) } else { &by_index };
        let total = self.plan.lanes.iter().map(|lane| lane.operations).sum();
        let (lanes, records) = (self.workload.lanes, self.workload.records);
        let of_lane = |number| self.phase.of_lane(number, lanes, records);
        let writes: Vec<bool> = (0..lanes).map(|number| of_lane(number).writes()).collect();
        let mut begun = 0;
        for (number, lane) in (0..).zip(&self.plan.lanes) {
            if number > 0 {
                tape.next_lane()?;
            }
            let phase = &of_lane(number);
            let job = PhaseJob { phase, writes: &writes, ..*self };
            let share = job.share(number, lane, index_end);
            let pickers = Pickers::new(phase, share, model, by_key, inserted);
            let mut recorder = LaneRecorder::new(&job, number, lane, model, tape, by_key, pickers);
            for done in 0..lane.operations {
                if done % PROGRESS_PERIOD == 0 {
                    report_progress(progress, Progress { what: &self.phase.name, done: begun + done, total })?;
                }
                recorder.one(done)?;
            }
            recorder.end()?;
            begun += lane.operations;
        }
        if self.phase.turnovers > 0 {
            model.has_aged();
        }
        report_progress(progress, Progress { what: &self.phase.name, done: total, total })
    }

    fn share<'a>(&'a self, lane: u32, plan: &LanePlan, index_end: u64) -> Share<'a> {
        let removes = self.phase.has(Operation::Delete) && !self.phase.restore;
        let shuffles = plan.inserts > 0 && self.phase.access_to(Operation::Insert) == Access::Uniform;
        Share {
            seed: self.workload.seed,
            phase: &self.phase.name,
            lane,
            lanes: self.workload.lanes,
            writes: self.writes,
            shared: self.phase.shared,
            parts: self.parts,
            index_end,
            grows: plan.grows,
            removes,
            scattered: removes || shuffles,
            steady: !removes && plan.inserts == 0,
        }
    }

    /// Whether lanes meet records that others write.
    fn is_shared(&self) -> bool {
        self.phase.shared && self.workload.lanes > 1
    }

    /// The order in which a lane inserts its records, if it is not the order of their indexes.
    fn shuffle(&self, lane: u32, plan: &LanePlan) -> Option<Shuffle> {
        let shuffles = self.phase.access_to(Operation::Insert) == Access::Uniform && plan.inserts > 0;
        shuffles.then(|| Shuffle {
            first: plan.first_insert,
            step: u64::from(self.workload.lanes),
            count: plan.inserts,
            order: Permutation::new(
                plan.inserts,
                &mut Stream::new(self.workload.seed, &self.phase.name, lane, Purpose::InsertOrder),
            ),
        })
    }

    fn needs_key_order(&self) -> bool {
        let whole = self.phase.has(Operation::ScanAll) && !self.phase.any_order;
        let sequential = self.phase.picks_by(Access::Sequential);
        let of_keys = [Operation::Scan, Operation::ScanPrefix, Operation::First];
        whole || sequential || of_keys.into_iter().any(|operation| self.phase.has(operation))
    }
}

/// Draws one lane.
struct LaneRecorder<'a> {
    job: &'a PhaseJob<'a>,
    lane: u32,
    plan: &'a LanePlan,
    keys: KeyMaker,
    model: &'a mut Model,
    tape: &'a mut TapeWriter,
    order: &'a Order,
    pickers: Pickers<'a>,
    kinds: Kinds,
    values: Values,
    aging: Option<Aging>,
    scan_lengths: Sizes,
    scan_entries: Stream,
    missing: Stream,
    missing_key: Stream,
    walk: Stream,
    insert_order: Option<Shuffle>,
    arrivals: Option<Arrivals>,
    /// When the operation is due that is drawn next.
    due_ns: Option<u64>,
    inserted: u64,
    /// Indexes of inserted records that do not stay, in their order.
    to_remove: Vec<u64>,
    /// Writes since the last commit.
    uncommitted: u64,
    /// The last whole scan, and the state of the model it belongs to.
    whole_scan: Option<(u64, Scan)>,
    /// Over records that were deleted, for scans that begin before them.
    jumps: Jumps,
    /// Of a directory tree.
    tree_values: Option<TreeValues>,
}

impl<'a> LaneRecorder<'a> {
    fn new(
        job: &'a PhaseJob<'a>,
        lane: u32,
        plan: &'a LanePlan,
        model: &'a mut Model,
        tape: &'a mut TapeWriter,
        order: &'a Order,
        pickers: Pickers<'a>,
    ) -> Self {
        let stream = |purpose| Stream::new(job.workload.seed, &job.phase.name, lane, purpose);
        Self {
            plan,
            keys: model.keys(),
            model,
            tape,
            order,
            pickers,
            kinds: Kinds::new(job.workload, job.phase, lane, plan.turns.clone()),
            values: Values::new(job.parts, stream(Purpose::ValueBytes), stream(Purpose::ValuePlace)),
            aging: Aging::of(job, (lane, plan)),
            scan_lengths: Sizes::new(job.phase.scan_entries, job.phase.scan_shape),
            scan_entries: stream(Purpose::ScanEntries),
            missing: stream(Purpose::Missing),
            missing_key: stream(Purpose::MissingKey),
            walk: stream(Purpose::Walk),
            insert_order: job.shuffle(lane, plan),
            arrivals: Arrivals::new(job.workload, job.phase, lane),
            due_ns: None,
            inserted: 0,
            to_remove: Vec::new(),
            uncommitted: 0,
            whole_scan: None,
            jumps: Jumps::default(),
            tree_values: job.workload.directory_tree().map(TreeValues::new),
            job,
            lane,
        }
    }

    /// Records the operation after `done` others.
    #[inline]
    fn one(&mut self, done: u64) -> Result<(), TapeError> {
        self.due_ns = self.arrivals.as_mut().map(Arrivals::next_ns);
        match self.kinds.draw() {
            Operation::Get => self.get(done),
            Operation::Insert => self.insert(),
            operation @ (Operation::Update | Operation::Upsert) => self.replace(operation, done),
            Operation::Delete => self.delete(done),
            Operation::Scan => self.scan(done),
            Operation::ScanAll => self.scan_all(),
            Operation::Walk => self.walk(),
            Operation::Exists => self.exists(done),
            operation @ (Operation::ScanPrefix | Operation::First) => self.scan_prefix(operation, done),
            Operation::Commit => self.commit(),
        }
    }

    #[inline]
    fn pick(&mut self, operation: Operation, done: u64) -> Result<Pick, TapeError> {
        let picked = self.pickers.pick(operation, self.model);
        picked.ok_or_else(|| self.nothing_left(operation, done))
    }

    #[cold]
    fn nothing_left(&self, operation: Operation, done: u64) -> TapeError {
        let phase = &self.job.phase.name;
        let expected = "no record is left for it to fall on: load more records, use fewer operations or lanes, or set \
                        restore = true for deletes";
        TapeError::workload(format!("phase `{phase}`: operation {done}"), operation.name(), expected)
    }

    /// A new value for the record with this index.
    #[inline]
    fn draw_value(&mut self, index: u64) -> Value {
        if let Some(values) = &self.tree_values {
            let (begin, end) = (values.offset(index), values.offset(index + 1));
            return Value { offset: begin as u32, bytes: (end - begin) as u32 };
        }
        match self.model.get(index) {
            Some(before) if self.job.is_shared() => self.values.draw_shared(self.job.pool, before),
            before => self.values.draw(self.job, index, before),
        }
    }

    /// Whether another lane may replace the value of this record at the same time.
    #[inline]
    fn is_written_by_another(&self, index: u64) -> bool {
        let owner = || (index % u64::from(self.job.workload.lanes)) as u32;
        let is_by_another = |owner| owner != self.lane && self.job.writes[owner as usize];
        self.job.is_shared() && is_by_another(owner())
    }

    /// The value that is written to the record with this index.
    #[inline]
    fn next_value(&mut self, index: u64) -> Value {
        match &mut self.aging {
            None => self.draw_value(index),
            Some(Aging { older, turns: None }) => {
                let lasting = self.values.draw(self.job, index, None);
                self.model.put_off(index, lasting);
                older.draw_other(self.job, index, [None, Some(lasting)])
            }
            Some(Aging { older, turns: Some(turns) }) => match self.model.lasting(index) {
                Some(lasting) if turns.is_last() => lasting,
                lasting => older.draw_other(self.job, index, [self.model.get(index), lasting]),
            },
        }
    }

    /// Writes a value to the model and to the tape.
    #[inline]
    fn put(&mut self, operation: Operation, flags: u8, index: u64) -> Result<(), TapeError> {
        let value = self.next_value(index);
        self.model.put(index, value);
        self.push(operation, flags, index, Some(value))
    }

    #[inline]
    fn push(&mut self, operation: Operation, flags: u8, index: u64, value: Option<Value>) -> Result<(), TapeError> {
        let mut buffer = [0; KEY_BYTES_MAX];
        let key = self.keys.make(index, &mut buffer);
        let Value { offset, bytes } = value.unwrap_or(Value { offset: 0, bytes: 0 });
        let value_offset = u64::from(offset);
        self.write(Record { operation, flags, key, value_bytes: bytes, value_offset, due_ns: None, scan: None })
    }

    /// Writes a record to the tape. The first record of an operation is due when the operation is.
    #[inline]
    fn write(&mut self, record: Record<'_>) -> Result<(), TapeError> {
        let due_ns = self.due_ns.take();
        self.tape.push(&Record { due_ns, ..record })
    }

    #[inline]
    fn get(&mut self, done: u64) -> Result<(), TapeError> {
        if self.asks_missing() {
            return self.ask_missing(Operation::Get);
        }
        let index = self.pick(Operation::Get, done)?.index;
        self.get_record(index)
    }

    fn exists(&mut self, done: u64) -> Result<(), TapeError> {
        if self.asks_missing() {
            return self.ask_missing(Operation::Exists);
        }
        let index = self.pick(Operation::Exists, done)?.index;
        self.push(Operation::Exists, flags::FOUND, index, None)
    }

    /// Whether the next requested key has never existed.
    #[inline]
    fn asks_missing(&mut self) -> bool {
        self.job.phase.missing > 0.0 && self.missing.unit() < self.job.phase.missing
    }

    /// Reads a record that is there.
    #[inline]
    fn get_record(&mut self, index: u64) -> Result<(), TapeError> {
        let value = self.model.get(index);
        match value.filter(|_| self.is_written_by_another(index)) {
            // Not its current value: that exposes a driver that compares with this one alone.
            Some(value) => {
                let other = self.values.draw_shared(self.job.pool, value);
                self.push(Operation::Get, flags::FOUND | flags::SHARED, index, Some(other))
            }
            None => self.push(Operation::Get, flags::FOUND, index, value),
        }
    }

    fn ask_missing(&mut self, operation: Operation) -> Result<(), TapeError> {
        let mut buffer = [0; KEY_BYTES_MAX];
        let key = self.keys.missing(self.missing_key.next() >> 1, self.job.index_end, &mut buffer);
        self.write(Record { key, ..bare(operation, 0) })
    }

    #[inline]
    fn insert(&mut self) -> Result<(), TapeError> {
        let place = self.plan.first_insert + self.inserted * u64::from(self.job.workload.lanes);
        let index = self.insert_order.as_ref().map_or(place, |shuffle| shuffle.index(self.inserted));
        self.inserted += 1;
        self.put(Operation::Insert, 0, index)?;
        if self.job.phase.restore {
            self.to_remove.push(index);
            // With the last insert it is part of the last batch.
            let is_full = self.to_remove.len() as u64 == self.job.workload.growth_max();
            if is_full || self.inserted == self.plan.inserts {
                self.remove_inserted()?;
            }
        } else {
            self.pickers.inserted(index, place);
        }
        self.wrote()
    }

    /// Removes inserted records that do not stay.
    fn remove_inserted(&mut self) -> Result<(), TapeError> {
        for index in std::mem::take(&mut self.to_remove) {
            self.model.delete(index);
            self.push(Operation::Delete, flags::FOUND | flags::UNTIMED, index, None)?;
        }
        Ok(())
    }

    #[inline]
    fn replace(&mut self, operation: Operation, done: u64) -> Result<(), TapeError> {
        let turned = self.aging.as_mut().and_then(|aging| aging.turns.as_mut()).map(Turnovers::next);
        let index = match turned {
            Some(index) => index,
            None => self.pick(operation, done)?.index,
        };
        if self.job.phase.read_first {
            self.get_record(index)?;
        }
        self.put(operation, flags::FOUND, index)?;
        self.wrote()
    }

    fn delete(&mut self, done: u64) -> Result<(), TapeError> {
        let picked = self.pick(Operation::Delete, done)?;
        if self.job.phase.read_first {
            self.get_record(picked.index)?;
        }
        self.model.delete(picked.index);
        self.push(Operation::Delete, flags::FOUND, picked.index, None)?;
        if self.job.phase.restore {
            self.put(Operation::Insert, flags::UNTIMED, picked.index)?;
        } else {
            self.pickers.removed(picked);
        }
        self.wrote()
    }

    /// Counts a write of the phase's own towards its batch.
    #[inline]
    fn wrote(&mut self) -> Result<(), TapeError> {
        self.uncommitted += 1;
        if self.job.phase.batch == Batch::Writes(self.uncommitted) { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), TapeError> {
        self.uncommitted = 0;
        self.write(bare(Operation::Commit, 0))
    }

    /// Ends the lane, and with it the last batch.
    fn end(mut self) -> Result<(), TapeError> {
        if self.uncommitted > 0 && self.job.phase.batch != Batch::Each { self.commit() } else { Ok(()) }
    }

    fn scan(&mut self, done: u64) -> Result<(), TapeError> {
        let phase = self.job.phase;
        let index = self.pick(Operation::Scan, done)?.index;
        let limit = self.scan_lengths.draw(&mut self.scan_entries);
        let plan = ScanPlan {
            from: self.order.place(index, self.keys),
            limit: Some(limit),
            reverse: phase.reverse,
            any_order: false,
            consumer: phase.consumer,
        };
        let scan = self.model.scan(self.job.pool, self.order, &plan).encode();
        let flags = if phase.reverse { flags::REVERSE } else { 0 };
        let mut buffer = [0; KEY_BYTES_MAX];
        let key = self.keys.make(index, &mut buffer);
        self.write(Record { key, scan: Some(&scan), ..bare(Operation::Scan, flags) })
    }

    /// The entries whose keys begin as a record's key does, or the first of them, or of all.
    fn scan_prefix(&mut self, operation: Operation, done: u64) -> Result<(), TapeError> {
        let phase = self.job.phase;
        let mut buffer = [0; KEY_BYTES_MAX];
        let prefix: &[u8] = match phase.prefix_bytes {
            0 => &[],
            bytes => {
                let index = self.pick(operation, done)?.index;
                let key = self.keys.make(index, &mut buffer);
                &key[..key.len().min(bytes as usize)]
            }
        };
        let limit = match operation {
            Operation::First => 1,
            _ => self.scan_lengths.draw(&mut self.scan_entries),
        };
        let (order, pool) = (self.order, self.job.pool);
        let scan = match phase.reverse {
            false => self.model.scan_prefix(pool, (order, &mut self.jumps), prefix, (limit, phase.consumer)).encode(),
            true => {
                // Where keys ascend, records that do not exist yet are behind all others.
                let end = if self.keys.ascending() { self.model.index_end() } else { order.len() };
                let (from, limit, consumer) = (end.wrapping_sub(1), Some(limit), phase.consumer);
                self.model
                    .scan(pool, order, &ScanPlan { from, limit, reverse: true, any_order: false, consumer })
                    .encode()
            }
        };
        let flags = if phase.reverse { flags::REVERSE } else { 0 };
        self.write(Record { key: prefix, scan: Some(&scan), ..bare(operation, flags) })
    }

    fn scan_all(&mut self) -> Result<(), TapeError> {
        let phase = self.job.phase;
        let changes = self.model.totals().changes;
        let scan = match self.whole_scan {
            Some((of, scan)) if of == changes => scan,
            _ => whole_scan(self.model, self.job.pool, self.order, phase),
        };
        self.whole_scan = Some((changes, scan));
        let reverse = if phase.reverse { flags::REVERSE } else { 0 };
        let any_order = if phase.any_order { flags::ANY_ORDER } else { 0 };
        self.write(Record { scan: Some(&scan.encode()), ..bare(Operation::ScanAll, reverse | any_order) })
    }

    /// A walk from the root to a random leaf, or a step further, where nothing is.
    fn walk(&mut self) -> Result<(), TapeError> {
        let Some(tree) = self.job.workload.tree else { return Ok(()) };
        let (phase, stream, model) = (self.job.phase, &mut self.walk, &*self.model);
        let reads = (phase.all_fields, phase.past_leaf);
        let DrawnWalk { path, walk, found, state } =
            tree.draw_walk(reads, |bound| stream.below(bound), |index| model.get(index).is_some());
        let flags = if found { flags::FOUND } else { 0 };
        self.write(Record {
            key: &path,
            value_bytes: walk.encode(),
            value_offset: state,
            ..bare(Operation::Walk, flags)
        })
    }
}

/// Draws values.
struct Values {
    bytes: Stream,
    place: Stream,
    /// The places of the values of each part.
    lying: Vec<Lying>,
}

/// The places of a part's values in the pool: slices of its cut, or one after the other.
#[derive(Clone, Default)]
struct Lying {
    turn: Turn,
    places: Places,
}

impl Values {
    fn new(parts: &Parts, bytes: Stream, place: Stream) -> Self {
        Self { bytes, place, lying: vec![Lying::default(); parts.count()] }
    }

    /// A value of the record with this index, that is to take the place of another.
    #[inline]
    fn draw(&mut self, job: &PhaseJob<'_>, index: u64, before: Option<Value>) -> Value {
        let (number, part) = job.parts.of_record(index);
        let (stream, Lying { turn, places }) = (&mut self.place, &mut self.lying[number]);
        if let Some(cut) = &part.cut {
            let value = turn.take(cut, stream);
            // If a store replaced a value with the same value, nobody could see it.
            return if before == Some(value) { turn.take(cut, stream) } else { value };
        }
        let bytes = part.sizes.draw(&mut self.bytes) as u32;
        let offset = places.place(bytes, job.workload.pool_bytes, |bound| stream.below(bound));
        Value { offset, bytes }
    }

    /// A value of the same length as the one it replaces, from another of its possible places.
    fn draw_shared(&mut self, pool: &Pool, before: Value) -> Value {
        let places = SharedPlaces::of(before.offset.into(), before.bytes, pool.bytes());
        // Values of no bytes are never elsewhere: at the very end one could be out of reach of 32 bits.
        if before.bytes == 0 || places.count < 2 {
            return before;
        }
        let drawn = places.place(self.place.below(places.count - 1));
        let other = if drawn == u64::from(before.offset) { places.place(places.count - 1) } else { drawn };
        Value { offset: other as u32, bytes: before.bytes }
    }

    /// A value of the record with this index, that is to take the place of one, and to be replaced by the other.
    fn draw_other(&mut self, job: &PhaseJob<'_>, index: u64, [before, after]: [Option<Value>; 2]) -> Value {
        let mut draws = (0..DRAWS_MAX).map(|_| self.draw(job, index, before));
        let first = draws.next();
        let is_other = |value: &Value| Some(*value) != before && Some(*value) != after;
        first.filter(is_other).or_else(|| draws.find(is_other)).or(first).unwrap_or(Value { offset: 0, bytes: 0 })
    }
}

/// How often a value is drawn until it is another: few may be cut from a pool.
const DRAWS_MAX: usize = 16;

/// How a lane ages its part of the store: the load and all turnovers but the last write values that will be replaced.
struct Aging {
    older: Values,
    /// The order in which records are replaced; `None` in the load.
    turns: Option<Turnovers>,
}

impl Aging {
    /// For a phase that ages a store, or for the load of a store that will be aged.
    fn of(job: &PhaseJob<'_>, (lane, plan): (u32, &LanePlan)) -> Option<Self> {
        let (workload, phase) = (job.workload, job.phase);
        let is_load = workload.age() > 0 && workload.phases.first().is_some_and(|load| load.name == phase.name);
        if phase.turnovers == 0 && !is_load {
            return None;
        }
        let stream = |purpose| Stream::new(workload.seed, &phase.name, lane, purpose);
        let older = Values::new(job.parts, stream(Purpose::OlderBytes), stream(Purpose::OlderPlace));
        let turns = (phase.turnovers > 0).then(|| {
            let records = plan.operations / u64::from(phase.turnovers);
            let places = (u64::from(lane), u64::from(workload.lanes));
            Turnovers::new(records, phase.turnovers, places, stream(Purpose::Turnover))
        });
        Some(Self { older, turns })
    }
}

/// A record without key, value or scan.
fn bare(operation: Operation, flags: u8) -> Record<'static> {
    Record { operation, flags, key: &[], value_bytes: 0, value_offset: 0, due_ns: None, scan: None }
}

/// What a scan of everything delivers now.
fn whole_scan(model: &Model, pool: &Pool, order: &Order, phase: &PhaseSpec) -> Scan {
    let plan = ScanPlan {
        from: if phase.reverse { order.len().wrapping_sub(1) } else { 0 },
        limit: None,
        reverse: phase.reverse,
        any_order: phase.any_order,
        consumer: phase.consumer,
    };
    model.scan(pool, order, &plan)
}

/// Whether a phase only inserts, with keys that ascend, into a store that is empty.
pub(crate) fn ascending(workload: &Workload, phase: &PhaseSpec, keys: KeyMaker, before: Totals) -> bool {
    let in_order = keys.ascending() && phase.access_to(Operation::Insert) != Access::Uniform && workload.lanes == 1;
    phase.does_only(Operation::Insert) && !phase.restore && in_order && before.records == 0
}
