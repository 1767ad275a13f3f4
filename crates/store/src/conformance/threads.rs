//! Several threads at the same time. As on tapes, each writes its own keys and reads all keys.

use super::fixture::{BATCHED, EACH, Fixture, Outcome, Pair, get, in_session, scan};
use crate::store::{Direction, Session, SessionPlan};

/// Numbers of threads.
const LANES: [u32; 4] = [1, 2, 4, 8];
/// The keys that all threads write together.
const KEYS: u32 = 120;
/// Keys that exist before and that no thread writes.
const COMMON: u32 = 20;

pub(super) fn threads(fixture: &Fixture) -> Outcome {
    replay_all(fixture, EACH)
}

pub(super) fn threads_in_batches(fixture: &Fixture) -> Outcome {
    if !fixture.description().capabilities.batch {
        return Outcome::NotOffered("no batches");
    }
    replay_all(fixture, BATCHED)
}

fn replay_all(fixture: &Fixture, plan: SessionPlan) -> Outcome {
    if fixture.threads_max() == 1 {
        return Outcome::NotOffered("for one thread alone with this word");
    }
    LANES.iter().for_each(|&lanes| replay(&fixture.fresh(), plan, lanes));
    Outcome::Ok
}

fn replay(fixture: &Fixture, plan: SessionPlan, lanes: u32) {
    let store = fixture.open();
    in_session(&*store, EACH, |session| {
        (0..COMMON).for_each(|index| session.insert(&common_key(index), &common_key(index)).unwrap());
    });
    let reads = !plan.batched || fixture.description().capabilities.batch_reads;
    std::thread::scope(|scope| {
        for lane in 0..lanes {
            let store = &*store;
            scope.spawn(move || {
                in_session(store, plan, |session| {
                    write_and_read(session, (lane, lanes), reads);
                    session.commit().unwrap();
                });
            });
        }
    });
    let expected = content();
    in_session(&*store, EACH, |session| assert_content(session, &expected));
    store.close().unwrap();
    fixture.session(EACH, |session| assert_content(session, &expected));
}

fn key(index: u32) -> Vec<u8> {
    format!("{index:08}").into_bytes()
}

fn common_key(index: u32) -> Vec<u8> {
    format!("common {index:08}").into_bytes()
}

fn value(index: u32) -> Vec<u8> {
    vec![index as u8; (index * 13 % 500) as usize]
}

/// Inserts, updates and removes the keys of a lane. Commits after every fifth key, which matters only in batches.
fn write_and_read(session: &mut dyn Session, (lane, lanes): (u32, u32), reads: bool) {
    let expect = |session: &mut dyn Session, key: &[u8], expected: Option<&[u8]>| {
        if reads {
            assert_eq!(get(session, key).as_deref(), expected);
        }
    };
    for index in (lane..KEYS).step_by(lanes as usize) {
        let (key, common) = (key(index), common_key(index % COMMON));
        session.insert(&key, b"first").unwrap();
        expect(session, &key, Some(b"first"));
        session.update(&key, &value(index)).unwrap();
        expect(session, &key, Some(&value(index)));
        expect(session, &common, Some(&common));
        if index % 4 == 3 {
            session.delete(&key).unwrap();
            expect(session, &key, None);
        }
        if index % 5 == 4 {
            session.commit().unwrap();
        }
    }
}

/// The content after all threads, independent of their number.
fn content() -> Vec<Pair> {
    let written = (0..KEYS).filter(|index| index % 4 != 3).map(|index| (key(index), value(index)));
    written.chain((0..COMMON).map(|index| (common_key(index), common_key(index)))).collect()
}

fn assert_content(session: &mut dyn Session, expected: &[Pair]) {
    let mut found = scan(session, None, Direction::Any, usize::MAX);
    found.sort();
    assert_eq!(found, expected);
}
