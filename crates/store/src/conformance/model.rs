//! Random operations and random scans, compared with a `BTreeMap`.

use std::collections::BTreeMap;
use std::ops::Bound;

use bakeoff_protocol::Capabilities;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::fixture::{EACH, Fixture, Outcome, Pair, get, in_session, scan};
use crate::store::{Direction, Session, SessionPlan};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<u8>, Vec<u8>),
    Upsert(Vec<u8>, Vec<u8>),
    Delete(Vec<u8>),
    Get(Vec<u8>),
    ScanFrom(Vec<u8>, bool, usize),
    ScanAll(bool),
    Commit,
}

/// The operations between opening and closing a session.
#[derive(Clone, Debug)]
struct Part {
    batched: bool,
    reopen: bool,
    steps: Vec<Step>,
}

/// Few different keys, so that operations meet often on one. They include bytes at both ends of the order.
fn key(bytes_min: u64) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop::sample::select(&b"\0\x01./aAb\x7f\x80\xff"[..]);
    vec(byte, bytes_min as usize..4)
}

/// Values below and above the length from which stores keep them separately from the key.
fn value() -> impl Strategy<Value = Vec<u8>> {
    (prop_oneof![0..40_usize, 100..300_usize, 1_900..2_200_usize, 4_000..9_000_usize], any::<u8>())
        .prop_map(|(length, byte)| vec![byte; length])
}

fn step(key_bytes_min: u64) -> impl Strategy<Value = Step> {
    let key = move || key(key_bytes_min);
    prop_oneof![
        4 => (key(), value()).prop_map(|(key, value)| Step::Write(key, value)),
        2 => (key(), value()).prop_map(|(key, value)| Step::Upsert(key, value)),
        2 => key().prop_map(Step::Delete),
        3 => key().prop_map(Step::Get),
        1 => (key(), any::<bool>(), 1..9_usize).prop_map(|(key, reverse, limit)| Step::ScanFrom(key, reverse, limit)),
        1 => any::<bool>().prop_map(Step::ScanAll),
        1 => Just(Step::Commit),
    ]
}

fn parts(key_bytes_min: u64) -> impl Strategy<Value = Vec<Part>> {
    let part = (any::<bool>(), any::<bool>(), vec(step(key_bytes_min), 1..30))
        .prop_map(|(batched, reopen, steps)| Part { batched, reopen, steps });
    vec(part, 1..5)
}

/// A runner that draws the same cases every time and writes no files.
fn runner(fixture: &Fixture) -> TestRunner {
    let config = Config { cases: fixture.cases(), failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config.clone(), prop::test_runner::TestRng::deterministic_rng(config.rng_algorithm))
}

pub(super) fn random_operations(fixture: &Fixture) -> Outcome {
    let description = fixture.description();
    let result = runner(fixture).run(&parts(description.key_bytes_min), |parts| {
        replay(&fixture.fresh_case(), &parts);
        Ok(())
    });
    result.map_or_else(|failure| Outcome::Failed(failure.to_string()), |()| Outcome::Ok)
}

fn replay(fixture: &Fixture, parts: &[Part]) {
    let capabilities = &fixture.description().capabilities;
    let mut model = Model::new();
    let mut store = fixture.open();
    for part in parts {
        let plan = SessionPlan { batched: part.batched && capabilities.batch, ascending: false };
        in_session(&*store, plan, |session| {
            for step in &part.steps {
                if plan.batched && !capabilities.batch_reads && reads(step) {
                    session.commit().unwrap();
                }
                take(step, session, &mut model, capabilities);
            }
            session.commit().unwrap();
        });
        if part.reopen {
            store.close().unwrap();
            store = fixture.open();
        }
    }
    store.close().unwrap();
    fixture.session(EACH, |session| assert_content(session, &model));
}

fn assert_content(session: &mut dyn Session, model: &Model) {
    let mut found = scan(session, None, Direction::Any, usize::MAX);
    found.sort();
    assert_eq!(found, range(model, None, false));
}

fn reads(step: &Step) -> bool {
    matches!(step, Step::Get(_) | Step::ScanFrom(..) | Step::ScanAll(_))
}

fn take(step: &Step, session: &mut dyn Session, model: &mut Model, capabilities: &Capabilities) {
    match step {
        Step::Write(key, value) => {
            let written = if model.contains_key(key) { session.update(key, value) } else { session.insert(key, value) };
            written.unwrap();
            model.insert(key.clone(), value.clone());
        }
        Step::Upsert(key, value) => {
            session.upsert(key, value).unwrap();
            model.insert(key.clone(), value.clone());
        }
        Step::Delete(key) => {
            session.delete(key).unwrap();
            model.remove(key);
        }
        Step::Get(key) => {
            assert_eq!(get(session, key).as_ref(), model.get(key));
            assert_eq!(session.exists(key, &mut Vec::new()).unwrap(), model.contains_key(key), "exists {key:?}");
        }
        Step::ScanFrom(key, reverse, limit) if capabilities.scan_from => {
            let mut expected = range(model, Some(key), *reverse);
            expected.truncate(*limit);
            assert_eq!(scan(session, Some(key), direction(*reverse), *limit), expected);
        }
        Step::ScanFrom(..) => {}
        Step::ScanAll(reverse) if capabilities.scan_ordered => {
            assert_eq!(scan(session, None, direction(*reverse), usize::MAX), range(model, None, *reverse));
        }
        Step::ScanAll(_) => assert_content(session, model),
        Step::Commit => session.commit().unwrap(),
    }
}

fn direction(reverse: bool) -> Direction {
    if reverse { Direction::Reverse } else { Direction::Forward }
}

/// The expected result of a scan.
fn range(model: &Model, from: Option<&[u8]>, reverse: bool) -> Vec<Pair> {
    let end = from.map_or(Bound::Unbounded, Bound::Included);
    let owned = |(key, value): (&Vec<u8>, &Vec<u8>)| (key.clone(), value.clone());
    if reverse {
        model.range::<[u8], _>((Bound::Unbounded, end)).rev().map(owned).collect()
    } else {
        model.range::<[u8], _>((end, Bound::Unbounded)).map(owned).collect()
    }
}

pub(super) fn scans_from_any_key(fixture: &Fixture) -> Outcome {
    let description = fixture.description();
    if !description.capabilities.scan_from {
        fixture.session(EACH, |session| {
            let refused = session.scan(Some(b"key"), Direction::Forward, &mut |_, _| true);
            assert!(refused.is_err(), "a scan from a key is not offered, so it is refused");
        });
        return Outcome::NotOffered("no scans from a key");
    }
    let keys = vec(key(description.key_bytes_min), 0..120);
    let result = runner(fixture).run(&(keys, vec(key(description.key_bytes_min), 1..20), 1..12_usize), |drawn| {
        let (keys, froms, limit) = drawn;
        let model: Model = keys.into_iter().map(|key| (key.clone(), [&key[..], b" value"].concat())).collect();
        compare_scans(&fixture.fresh_case(), &model, &froms, limit);
        Ok(())
    });
    result.map_or_else(|failure| Outcome::Failed(failure.to_string()), |()| Outcome::Ok)
}

fn compare_scans(fixture: &Fixture, model: &Model, froms: &[Vec<u8>], limit: usize) {
    let plan = SessionPlan { batched: fixture.description().capabilities.batch, ascending: false };
    fixture.session(plan, |session| {
        model.iter().rev().for_each(|(key, value)| session.insert(key, value).unwrap());
        session.commit().unwrap();
        for (from, reverse) in froms.iter().flat_map(|from| [(from, false), (from, true)]) {
            let mut expected = range(model, Some(from), reverse);
            let whole = scan(session, Some(from), direction(reverse), usize::MAX);
            assert_eq!(whole, expected, "from {from:?}, reverse {reverse}");
            expected.truncate(limit);
            assert_eq!(scan(session, Some(from), direction(reverse), limit), expected);
        }
    });
}
