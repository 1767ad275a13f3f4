//! A walk inside the clock: it looks up a path component by component, and reads from each value the id with which the
//! next key begins.

use bakeoff_store::{Session, StoreError};
use bakeoff_tree::Walk;

use crate::answers::Visit;

/// A thread's buffers for walks.
pub(crate) struct WalkBuffers {
    /// A lookup's key.
    pub(crate) key: Vec<u8>,
    /// The value found.
    pub(crate) value: Vec<u8>,
}

/// Does a walk along a tape's path; says whether its last lookup found something.
pub(crate) fn walk(
    plan: Option<Walk>,
    mut path: &[u8],
    session: &mut dyn Session,
    buffers: &mut WalkBuffers,
    seen: &mut Visit,
) -> Result<bool, StoreError> {
    let Some(plan) = plan else {
        return Err(StoreError::BadRequest("a walk through values of an unknown codec".to_owned()));
    };
    let mut parent = 0_u64;
    while let Some((&length, rest)) = path.split_first() {
        let Some((name, rest)) = rest.split_at_checked(usize::from(length)) else {
            return Err(StoreError::BadRequest("a walk whose path is cut short".to_owned()));
        };
        path = rest;
        buffers.key.clear();
        buffers.key.extend_from_slice(&parent.to_be_bytes());
        buffers.key.extend_from_slice(name);
        buffers.value.clear();
        if !session.get(&buffers.key, &mut buffers.value)? {
            return Ok(false);
        }
        let Some(id) = plan.read(&buffers.value, &mut seen.state) else {
            // A value that cannot be read is a wrong answer, not an error: something is there, and it is not counted.
            return Ok(true);
        };
        parent = id;
        seen.entries += 1;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Reporter;
    use crate::{Buffers, LaneJob, replay_lane};
    use bakeoff_measure::Clock;
    use bakeoff_protocol::Mode;
    use bakeoff_store::Direction;
    use bakeoff_tape::{Pool, TapeReader};
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    /// A map that damages what it returns.
    struct Damaging<F> {
        entries: BTreeMap<Vec<u8>, Vec<u8>>,
        damage: F,
    }

    impl<F: FnMut(&mut Vec<u8>)> Session for Damaging<F> {
        fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
            self.entries.insert(key.to_vec(), value.to_vec());
            Ok(())
        }

        fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
            self.insert(key, value)
        }

        fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
            self.insert(key, value)
        }

        fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
            let found = self.entries.get(key).inspect(|found| value.extend_from_slice(found)).is_some();
            if found {
                (self.damage)(value);
            }
            Ok(found)
        }

        fn delete(&mut self, _: &[u8]) -> Result<(), StoreError> {
            Ok(())
        }

        fn scan(
            &mut self,
            _: Option<&[u8]>,
            _: Direction,
            _: &mut dyn FnMut(&[u8], &[u8]) -> bool,
        ) -> Result<(), StoreError> {
            Ok(())
        }

        fn commit(&mut self) -> Result<(), StoreError> {
            Ok(())
        }
    }

    /// Replays the committed tape of serialised values: answers checked, wrong ones, and the first of them.
    fn replay(damage: impl FnMut(&mut Vec<u8>)) -> (u64, u64, Option<String>) {
        let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tape/vectors");
        let pool = Pool::open(&vectors.join("serialised.bin")).unwrap();
        let tape = TapeReader::open(&vectors.join("serialised.tape")).unwrap();
        let clock = Clock::new();
        let (reporter, stop) = (Reporter::new(|_| {}), AtomicBool::new(false));
        let job = LaneJob {
            pool: &pool,
            clock: &clock,
            mode: Mode::Latency,
            speed: None,
            value_sizes: &[],
            steady: None,
            check: true,
            watch: false,
            operations: 1,
            alone: true,
            device: None,
            reporter: &reporter,
            stop: &stop,
        };
        let mut session = Damaging { entries: BTreeMap::new(), damage };
        let needs = tape.check().unwrap()[0];
        assert!(needs.walks);
        let mut buffers = Buffers::new(needs, 1000).unwrap();
        let outcome = replay_lane(&job, &mut tape.lane(0).unwrap(), &mut session, &mut buffers).unwrap();
        (outcome.answers_checked, outcome.answers_wrong, outcome.first_wrong)
    }

    #[test]
    fn right_values_are_found_right() {
        assert_eq!(replay(|_| ()), (15, 0, None));
    }

    #[test]
    fn values_that_cannot_be_read_are_wrong_answers() {
        let (checked, wrong, first) = replay(Vec::clear);
        // Where the second lookup finds nothing by rights, the first cannot be read.
        assert_eq!((checked, wrong), (15, 13), "{first:?}");
        assert!(first.unwrap().contains("cannot be read as long"));
        let (_, wrong, _) = replay(|value| value.truncate(7));
        assert_eq!(wrong, 15);
    }

    #[test]
    fn a_changed_id_is_a_wrong_answer() {
        let (_, wrong, first) = replay(|value| value.iter_mut().for_each(|byte| *byte ^= 0x20));
        // All but one: where a component must be missing, a wrong id finds nothing too.
        assert_eq!(wrong, 14, "{first:?}");
    }
}
