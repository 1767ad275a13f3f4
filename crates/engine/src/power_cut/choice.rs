//! Which cuts are made in a recording. All follow from a seed.

use bakeoff_powercut::{Cut, Flushes, Policy, Random, Recording};
use bakeoff_protocol::CutPlace;
use bakeoff_tape::consume::xxh64;

/// Atomic units of disks, bytes: of nearly all that are sold today, and the smallest that Linux knows.
const UNITS: [u64; 2] = [4096, 512];

/// Writes in the cache of a disk that ignores flushes.
const CACHED: u64 = 64;

/// Of so many cuts one each is made during creation, during recovery, and on a disk that ignores flushes.
const PART: u32 = 10;

/// Cuts in each recording of a recovery.
const CUTS_OF_A_RECOVERY: u32 = 2;

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Cuts the power once.
    Cut(CutPlace, Cut),
    /// Cuts the power, records how the store is recovered, and cuts that so often.
    Recovery(Cut, u32),
}

impl Task {
    /// The number of verdicts that it has.
    pub(super) fn cuts(&self) -> u32 {
        match self {
            Self::Cut(..) => 1,
            Self::Recovery(_, cuts) => *cuts,
        }
    }
}

/// The seed of a cell's round.
pub(super) fn seed_of(suite: u64, cell: &str, round: u32) -> u64 {
    xxh64(format!("{suite} {cell} {round}").as_bytes())
}

/// The task with the cut of this number, and which of the task's cuts that is.
pub(super) fn task_of(tasks: &[Task], index: u32) -> Option<(&Task, u32)> {
    let mut first = 0;
    tasks.iter().find_map(|task| {
        let number = index - first;
        first += task.cuts();
        (index < first).then_some((task, number))
    })
}

/// Chooses so many cuts after acknowledgements and at random, and some in other places.
pub(super) fn choose(recording: &Recording, cuts: u32, seed: u64) -> Vec<Task> {
    let mut random = Random::new(seed);
    let created = recording.created().unwrap_or(recording.len());
    let mut tasks = Vec::new();
    let moments: Vec<usize> = recording.moments().into_iter().map(|(position, _)| position).collect();
    let after = (cuts / 2).min(moments.len() as u32);
    for number in 0..after {
        let position = moments[number as usize * moments.len() / after as usize];
        let unit_bytes = UNITS[number as usize % UNITS.len()];
        let cut = Cut { position, policy: Policy::Nothing, unit_bytes, flushes: Flushes::Obeyed, seed: random.bits() };
        tasks.push(Task::Cut(CutPlace::AfterAcknowledgement, cut));
    }
    let mut draw = |number: u32, range: std::ops::Range<usize>| {
        Some(Cut {
            position: recording.draw(range, &mut random)?,
            policy: Policy::draw(&mut random),
            unit_bytes: UNITS[number as usize % UNITS.len()],
            flushes: Flushes::Obeyed,
            seed: random.bits(),
        })
    };
    let all = created..recording.len() + 1;
    tasks.extend((after..cuts).filter_map(|number| Some(Task::Cut(CutPlace::Random, draw(number, all.clone())?))));
    let some = cuts.div_ceil(PART);
    tasks.extend((0..some).filter_map(|number| Some(Task::Cut(CutPlace::Creation, draw(number, 0..created)?))));
    let recoveries = some.div_ceil(CUTS_OF_A_RECOVERY);
    tasks.extend(
        (0..recoveries).filter_map(|number| Some(Task::Recovery(draw(number, all.clone())?, CUTS_OF_A_RECOVERY))),
    );
    tasks.extend((0..some).filter_map(|number| {
        let flushes = Flushes::Ignored { cached: 1 + random_of(seed, number) as usize };
        // Anywhere, not only where much is pending.
        let position =
            created + (random_of(!seed, number) as usize * (recording.len() + 1 - created)) / CACHED as usize;
        let cut = Cut { position: position.min(recording.len()), flushes, ..draw(number, all.clone())? };
        Some(Task::Cut(CutPlace::IgnoredFlushes, cut))
    }));
    tasks
}

/// A number below [`CACHED`] that follows from a seed and a number.
fn random_of(seed: u64, number: u32) -> u64 {
    Random::new(seed.wrapping_add(u64::from(number))).below(CACHED)
}

/// The cuts in the recording of a recovery.
pub(super) fn choose_in_recovery(recording: &Recording, first: &Cut, cuts: u32) -> Vec<Cut> {
    let mut random = Random::new(first.seed);
    let draw = |_| {
        let position = recording.draw(0..recording.len() + 1, &mut random)?;
        Some(Cut { position, policy: Policy::draw(&mut random), seed: random.bits(), ..*first })
    };
    (0..cuts).filter_map(draw).collect()
}
