//! Two threads at once, each writing keys of its own, as tapes have it.

use bakeoff_stores::{Direction, Session};

use crate::fixture::{BATCHED, EACH, Fixture, Outcome, get, in_session, scan};

const KEYS: u32 = 120;

pub(crate) fn two_threads(fixture: &Fixture) -> Outcome {
    let store = fixture.open();
    std::thread::scope(|scope| {
        for lane in [0, 1] {
            let store = &*store;
            scope.spawn(move || in_session(store, EACH, |session| write_and_read(session, lane, true)));
        }
    });
    in_session(&*store, EACH, assert_content);
    store.close().unwrap();
    fixture.session(EACH, assert_content);
    Outcome::Ok
}

pub(crate) fn two_threads_in_batches(fixture: &Fixture) -> Outcome {
    if !fixture.description().capabilities.batch {
        return Outcome::NotOffered("no batches");
    }
    let store = fixture.open();
    std::thread::scope(|scope| {
        for lane in [0, 1] {
            let store = &*store;
            scope.spawn(move || {
                in_session(store, BATCHED, |session| {
                    write_and_read(session, lane, fixture.description().capabilities.batch_reads);
                    session.commit().unwrap();
                });
            });
        }
    });
    store.close().unwrap();
    fixture.session(EACH, assert_content);
    Outcome::Ok
}

fn key(lane: u32, index: u32) -> Vec<u8> {
    format!("{:08}", index * 2 + lane).into_bytes()
}

fn value(lane: u32, index: u32) -> Vec<u8> {
    vec![(lane * 100 + index) as u8; (index * 13 % 500) as usize]
}

/// Inserts, updates and removes; a commit every tenth key counts in batches only.
fn write_and_read(session: &mut dyn Session, lane: u32, reads: bool) {
    let expect = |session: &mut dyn Session, key: &[u8], expected: Option<&[u8]>| {
        if reads {
            assert_eq!(get(session, key).as_deref(), expected);
        }
    };
    for index in 0..KEYS {
        let key = key(lane, index);
        session.insert(&key, b"first").unwrap();
        expect(session, &key, Some(b"first"));
        session.update(&key, &value(lane, index)).unwrap();
        expect(session, &key, Some(&value(lane, index)));
        if index % 4 == 3 {
            session.delete(&key).unwrap();
            expect(session, &key, None);
        }
        if index % 10 == 9 {
            session.commit().unwrap();
        }
    }
}

fn assert_content(session: &mut dyn Session) {
    let mut found = scan(session, None, Direction::Any, usize::MAX);
    found.sort();
    let kept = (0..KEYS).filter(|index| index % 4 != 3);
    let expected: Vec<_> = kept.flat_map(|index| [0, 1].map(|lane| (key(lane, index), value(lane, index)))).collect();
    assert_eq!(found, expected);
}
