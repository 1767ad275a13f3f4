//! Recording one phase: drawing its operations, lane after lane, and writing down what a right store answers.

use bakeoff_tree::{DrawnWalk, TreeValues};

use crate::arrivals::Arrivals;
use crate::format::flags;
use crate::key::{KEY_BYTES_MAX, KeyMaker};
use crate::model::{Model, Order, ScanPlan, Shuffle, Totals, Value};
use crate::pick::{Pick, Picker, Share};
use crate::places::{Cut, Places, Turn};
use crate::plan::{Kinds, LanePlan, PhasePlan};
use crate::progress::report_progress;
use crate::random::{Permutation, Purpose, Stream};
use crate::sizes::Sizes;
use crate::{
    Access, Batch, OnProgress, Operation, PhaseSpec, Pool, Progress, Record, Scan, TapeError, TapeWriter, Workload,
};

/// Operations between two reports of progress.
const PROGRESS_PERIOD: u64 = 1 << 16;

/// What recording a phase needs, beside the model and the tape.
pub(crate) struct PhaseJob<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) phase: &'a PhaseSpec,
    pub(crate) plan: &'a PhasePlan,
    pub(crate) pool: &'a Pool,
    /// How the pool is cut, if it is.
    pub(crate) cut: Option<&'a Cut>,
    /// All indexes of all phases are below this.
    pub(crate) index_end: u64,
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
        let goes_by_insertion = self.phase.access == Access::Insertion && self.picks();
        let inserted = if goes_by_insertion { &Order::by_insertion(model, self.plan.index_end) } else { &by_index };
        let total = self.plan.lanes.iter().map(|lane| lane.operations).sum();
        let mut begun = 0;
        for (number, lane) in (0..).zip(&self.plan.lanes) {
            if number > 0 {
                tape.next_lane()?;
            }
            let share = self.share(number, lane, index_end);
            let picker = self.picks().then(|| Picker::new(self.phase.access, share, model, by_key, inserted));
            let mut recorder = LaneRecorder::new(self, number, *lane, model, tape, by_key, picker);
            for done in 0..lane.operations {
                if done % PROGRESS_PERIOD == 0 {
                    report_progress(progress, Progress { what: &self.phase.name, done: begun + done, total })?;
                }
                recorder.one(done)?;
            }
            recorder.end()?;
            begun += lane.operations;
        }
        report_progress(progress, Progress { what: &self.phase.name, done: total, total })
    }

    fn share(&self, lane: u32, plan: &LanePlan, index_end: u64) -> Share<'_> {
        let removes = self.phase.has(Operation::Delete) && !self.phase.restore;
        let shuffles = plan.inserts > 0 && self.phase.access == Access::Uniform;
        Share {
            seed: self.workload.seed,
            phase: &self.phase.name,
            lane,
            lanes: self.workload.lanes,
            owned: self.phase.writes(),
            index_end,
            inserts: plan.inserts,
            scattered: removes || shuffles,
            steady: !removes && plan.inserts == 0,
        }
    }

    /// Whether any operation falls on a record that is there.
    fn picks(&self) -> bool {
        use Operation::{Delete, Get, Scan, Update, Upsert};
        [Delete, Get, Scan, Update, Upsert].into_iter().any(|operation| self.phase.has(operation))
    }

    fn needs_key_order(&self) -> bool {
        let whole = self.phase.has(Operation::ScanAll) && !self.phase.any_order;
        let sequential = self.phase.access == Access::Sequential && self.picks();
        whole || sequential || self.phase.has(Operation::Scan)
    }
}

/// Draws one lane.
struct LaneRecorder<'a> {
    job: &'a PhaseJob<'a>,
    plan: LanePlan,
    keys: KeyMaker,
    model: &'a mut Model,
    tape: &'a mut TapeWriter,
    order: &'a Order,
    picker: Option<Picker<'a>>,
    kinds: Kinds,
    value_sizes: Sizes,
    value_bytes: Stream,
    value_place: Stream,
    turn: Turn,
    places: Places,
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
    /// Writes since the last commit.
    uncommitted: u64,
    /// The last whole scan, and the state of the model it belongs to.
    whole_scan: Option<(u64, Scan)>,
    /// Of a directory tree.
    tree_values: Option<TreeValues>,
}

impl<'a> LaneRecorder<'a> {
    fn new(
        job: &'a PhaseJob<'a>,
        lane: u32,
        plan: LanePlan,
        model: &'a mut Model,
        tape: &'a mut TapeWriter,
        order: &'a Order,
        picker: Option<Picker<'a>>,
    ) -> Self {
        let stream = |purpose| Stream::new(job.workload.seed, &job.phase.name, lane, purpose);
        let shuffled = job.phase.access == Access::Uniform && plan.inserts > 0;
        Self {
            plan,
            keys: model.keys(),
            model,
            tape,
            order,
            picker,
            kinds: Kinds::new(job.workload, job.phase, lane),
            value_sizes: Sizes::new(job.workload.value_bytes, job.workload.value_shape),
            value_bytes: stream(Purpose::ValueBytes),
            value_place: stream(Purpose::ValuePlace),
            turn: Turn::default(),
            places: Places::default(),
            scan_lengths: Sizes::new(job.phase.scan_entries, job.phase.scan_shape),
            scan_entries: stream(Purpose::ScanEntries),
            missing: stream(Purpose::Missing),
            missing_key: stream(Purpose::MissingKey),
            walk: stream(Purpose::Walk),
            insert_order: shuffled.then(|| Shuffle {
                first: plan.first_insert,
                step: u64::from(job.workload.lanes),
                count: plan.inserts,
                order: Permutation::new(plan.inserts, &mut stream(Purpose::InsertOrder)),
            }),
            arrivals: Arrivals::new(job.workload, job.phase, lane),
            due_ns: None,
            inserted: 0,
            uncommitted: 0,
            whole_scan: None,
            tree_values: job.workload.directory_tree().map(TreeValues::new),
            job,
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
            Operation::Commit => self.commit(),
        }
    }

    #[inline]
    fn pick(&mut self, operation: Operation, done: u64) -> Result<Pick, TapeError> {
        let picked = self.picker.as_mut().and_then(|picker| picker.pick(self.model));
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
        let stream = &mut self.value_place;
        if let Some(cut) = self.job.cut {
            let value = self.turn.take(cut, stream);
            // Nobody could see whether a store has replaced a value by itself.
            return if self.model.get(index) == Some(value) { self.turn.take(cut, stream) } else { value };
        }
        let bytes = self.value_sizes.draw(&mut self.value_bytes) as u32;
        let offset = self.places.place(bytes, self.job.workload.pool_bytes, |bound| stream.below(bound));
        Value { offset, bytes }
    }

    /// Writes a value to the model and to the tape.
    #[inline]
    fn put(&mut self, operation: Operation, flags: u8, index: u64) -> Result<(), TapeError> {
        let value = self.draw_value(index);
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

    /// Writes a record to the tape. The first of those that an operation comes to is due when the operation is.
    #[inline]
    fn write(&mut self, record: Record<'_>) -> Result<(), TapeError> {
        let due_ns = self.due_ns.take();
        self.tape.push(&Record { due_ns, ..record })
    }

    #[inline]
    fn get(&mut self, done: u64) -> Result<(), TapeError> {
        if self.job.phase.missing > 0.0 && self.missing.unit() < self.job.phase.missing {
            return self.get_missing();
        }
        let index = self.pick(Operation::Get, done)?.index;
        self.get_record(index)
    }

    /// Reads a record that is there.
    #[inline]
    fn get_record(&mut self, index: u64) -> Result<(), TapeError> {
        self.push(Operation::Get, flags::FOUND, index, self.model.get(index))
    }

    fn get_missing(&mut self) -> Result<(), TapeError> {
        let mut buffer = [0; KEY_BYTES_MAX];
        let key = self.keys.missing(self.missing_key.next() >> 1, self.job.index_end, &mut buffer);
        self.write(Record { key, ..bare(Operation::Get, 0) })
    }

    #[inline]
    fn insert(&mut self) -> Result<(), TapeError> {
        let index = match &self.insert_order {
            Some(shuffle) => shuffle.index(self.inserted),
            None => self.plan.first_insert + self.inserted * u64::from(self.job.workload.lanes),
        };
        self.inserted += 1;
        self.put(Operation::Insert, 0, index)?;
        if self.job.phase.restore {
            self.model.delete(index);
            self.push(Operation::Delete, flags::FOUND | flags::UNTIMED, index, None)?;
        } else if let Some(picker) = &mut self.picker {
            picker.inserted(index);
        }
        self.wrote()
    }

    #[inline]
    fn replace(&mut self, operation: Operation, done: u64) -> Result<(), TapeError> {
        let index = self.pick(operation, done)?.index;
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
        } else if let Some(picker) = &mut self.picker {
            picker.removed(picked);
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
        if let Some(shuffle) = self.insert_order.take() {
            self.model.shuffled(shuffle);
        }
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
    let only_inserts = Operation::ALL.into_iter().all(|kind| phase.has(kind) == (kind == Operation::Insert));
    let in_order = keys.ascending() && phase.access != Access::Uniform && workload.lanes == 1;
    only_inserts && in_order && before.records == 0
}
