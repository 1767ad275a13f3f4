//! Says in a shared file what a store has acknowledged, if the request asks for that.

use bakeoff_store::{Direction, Session, StoreError};
use bakeoff_tape::Acknowledged;

/// The session of a lane, which counts writes and commits as they are acknowledged. Without it, the replay loop has no code for that.
pub(crate) struct Acknowledging<'a> {
    session: &'a mut dyn Session,
    acknowledged: &'a Acknowledged,
    lane: u32,
    batched: bool,
    /// Writes and commits that returned, in all phases.
    count: u64,
}

impl<'a> Acknowledging<'a> {
    /// Goes on where the phase before has ended.
    pub(crate) fn new(
        session: &'a mut dyn Session,
        (acknowledged, lane): (&'a Acknowledged, u32),
        batched: bool,
    ) -> Self {
        Self { session, acknowledged, lane, batched, count: acknowledged.count(lane) }
    }

    /// A write has returned. In a batch only the commit acknowledges it.
    fn written(&mut self) -> Result<(), StoreError> {
        self.count += 1;
        if !self.batched {
            self.acknowledged.set_count(self.lane, self.count);
        }
        Ok(())
    }
}

impl Session for Acknowledging<'_> {
    fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.session.insert(key, value)?;
        self.written()
    }

    fn update(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.session.update(key, value)?;
        self.written()
    }

    fn upsert(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.session.upsert(key, value)?;
        self.written()
    }

    fn delete(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.session.delete(key)?;
        self.written()
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.session.commit()?;
        self.count += 1;
        self.acknowledged.set_count(self.lane, self.count);
        Ok(())
    }

    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.session.get(key, value)
    }

    fn exists(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.session.exists(key, value)
    }

    fn scan(
        &mut self,
        from: Option<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.session.scan(from, direction, visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes writes until it has had enough.
    struct Fails(u32);

    impl Session for Fails {
        fn insert(&mut self, key: &[u8], _: &[u8]) -> Result<(), StoreError> {
            self.delete(key)
        }

        fn update(&mut self, key: &[u8], _: &[u8]) -> Result<(), StoreError> {
            self.delete(key)
        }

        fn upsert(&mut self, key: &[u8], _: &[u8]) -> Result<(), StoreError> {
            self.delete(key)
        }

        fn get(&mut self, _: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
            value.push(1);
            Ok(true)
        }

        fn exists(&mut self, _: &[u8], _: &mut Vec<u8>) -> Result<bool, StoreError> {
            Ok(false)
        }

        fn delete(&mut self, _: &[u8]) -> Result<(), StoreError> {
            self.0 = self.0.checked_sub(1).ok_or_else(|| StoreError::Store("enough".to_owned()))?;
            Ok(())
        }

        fn scan(
            &mut self,
            _: Option<&[u8]>,
            _: Direction,
            visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
        ) -> Result<(), StoreError> {
            visit(b"key", b"value");
            Ok(())
        }

        fn commit(&mut self) -> Result<(), StoreError> {
            self.delete(b"")
        }
    }

    fn file() -> (tempfile::TempDir, Acknowledged) {
        let directory = tempfile::tempdir().unwrap();
        let acknowledged = Acknowledged::create(&directory.path().join("acknowledged"), 2).unwrap();
        (directory, acknowledged)
    }

    #[test]
    fn each_write_is_acknowledged_when_it_returns_without_an_error() {
        let (_directory, file) = file();
        file.set_count(1, 10);
        let mut store = Fails(4);
        let mut session = Acknowledging::new(&mut store, (&file, 1), false);
        session.insert(b"a", b"1").unwrap();
        assert_eq!(file.count(1), 11);
        session.update(b"a", b"2").unwrap();
        session.upsert(b"a", b"3").unwrap();
        assert_eq!(file.count(1), 13);
        session.delete(b"a").unwrap();
        session.insert(b"a", b"4").unwrap_err();
        assert_eq!((file.count(0), file.count(1)), (0, 14));
    }

    #[test]
    fn a_batch_is_acknowledged_by_its_commit() {
        let (_directory, file) = file();
        let mut store = Fails(6);
        let mut session = Acknowledging::new(&mut store, (&file, 0), true);
        for _ in 0..3 {
            session.insert(b"a", b"1").unwrap();
            assert_eq!(file.count(0), 0);
        }
        session.commit().unwrap();
        assert_eq!(file.count(0), 4);
        session.delete(b"a").unwrap();
        session.delete(b"b").unwrap();
        session.commit().unwrap_err();
        assert_eq!(file.count(0), 4);
    }

    #[test]
    fn reads_go_through_and_count_nothing() {
        let (_directory, file) = file();
        let mut store = Fails(0);
        let mut session = Acknowledging::new(&mut store, (&file, 0), false);
        let (mut value, mut entries) = (Vec::new(), 0);
        assert!(session.get(b"a", &mut value).unwrap() && !session.exists(b"a", &mut value).unwrap());
        session
            .scan(None, Direction::Any, &mut |_, _| {
                entries += 1;
                true
            })
            .unwrap();
        assert_eq!((value, entries, file.count(0)), (vec![1], 1, 0));
    }
}
