//! Checks of a single behaviour each.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::fixture::{BATCHED, EACH, Fixture, Outcome, Pair, TAPE_KEY_BYTES_MAX, get, in_session, scan};
use crate::store::{Direction, SessionPlan};

const NO_BATCH: Outcome = Outcome::NotOffered("no batches");

pub(super) fn create_read_update_delete(fixture: &Fixture) -> Outcome {
    fixture.session(EACH, |session| {
        session.insert(b"key", b"first").unwrap();
        session.insert(b"keys", b"other").unwrap();
        assert_eq!(get(session, b"key").as_deref(), Some(&b"first"[..]));
        session.update(b"key", b"a longer second value").unwrap();
        assert_eq!(get(session, b"key").as_deref(), Some(&b"a longer second value"[..]));
        session.update(b"key", b"3").unwrap();
        assert_eq!(get(session, b"key").as_deref(), Some(&b"3"[..]));
        session.delete(b"key").unwrap();
        assert_eq!(get(session, b"key"), None);
        assert_eq!(get(session, b"keys").as_deref(), Some(&b"other"[..]));
        session.insert(b"key", b"again").unwrap();
        assert_eq!(get(session, b"key").as_deref(), Some(&b"again"[..]));
    });
    Outcome::Ok
}

/// Keys that a file system, a C string, a query or a number parser might misread.
pub(super) fn odd_keys(fixture: &Fixture) -> Outcome {
    let long = [b"../".repeat(100), b"x".to_vec()].concat();
    let odd: [&[u8]; 32] = [
        b"",
        b"\0",
        b"\0\0",
        b"a\0",
        b"a\0b",
        b"a",
        b"A",
        b"Key",
        b"key",
        b".",
        b"..",
        b"../x",
        b"../../x",
        b"/",
        b"/etc/passwd",
        b"a/b",
        b"a/",
        b"a//b",
        b"~",
        b"~1",
        b"%",
        b"%00",
        b"%empty",
        b"%2e",
        b"con",
        b" ",
        b"'; DROP TABLE record; --",
        b"\xff",
        b"\xff\xfe",
        b"\xc3\xa9",
        b"0",
        &long,
    ];
    let description = fixture.description();
    let fits = |key: &&[u8]| {
        key.len() as u64 >= description.key_bytes_min
            && description.key_bytes_max.is_none_or(|max| key.len() as u64 <= max)
    };
    let keys: Vec<&[u8]> = odd.into_iter().filter(fits).collect();
    let value = |key: &[u8]| [key, b" is the key"].concat();
    fixture.session(EACH, |session| {
        for key in &keys {
            assert_eq!(get(session, key), None, "{key:?} is there before it is written");
            session.insert(key, &value(key)).unwrap();
        }
        keys.iter().for_each(|key| assert_eq!(get(session, key), Some(value(key)), "{key:?}"));
        assert_eq!(scan(session, None, Direction::Any, usize::MAX).len(), keys.len());
    });
    fixture.assert_contained();
    fixture.session(EACH, |session| {
        for key in &keys {
            assert_eq!(get(session, key), Some(value(key)), "{key:?} after reopening");
            session.update(key, b"new").unwrap();
            assert_eq!(get(session, key).as_deref(), Some(&b"new"[..]));
            session.delete(key).unwrap();
            assert_eq!(get(session, key), None, "{key:?} was removed");
        }
        assert_eq!(scan(session, None, Direction::Any, usize::MAX), []);
    });
    fixture.assert_contained();
    Outcome::Ok
}

/// The empty key, if it is allowed.
pub(super) fn empty_key(fixture: &Fixture) -> Outcome {
    if fixture.description().key_bytes_min > 0 {
        return Outcome::NotOffered("no empty keys");
    }
    fixture.session(EACH, |session| {
        session.insert(b"", b"of the empty key").unwrap();
        session.insert(b"\0", b"of another").unwrap();
    });
    fixture.session(EACH, |session| {
        assert_eq!(get(session, b"").as_deref(), Some(&b"of the empty key"[..]), "after reopening");
        session.delete(b"").unwrap();
        assert_eq!(get(session, b""), None);
        assert_eq!(get(session, b"\0").as_deref(), Some(&b"of another"[..]));
    });
    Outcome::Ok
}

/// The longest keys tried: the limits of a store above this are not tested.
const KEY_BYTES_TRIED: u64 = 16 << 20;

/// The longest key that a store declares is written and found. The next longer one must be refused, if it can be tried.
pub(super) fn longest_keys(fixture: &Fixture) -> Outcome {
    let declared = fixture.description().key_bytes_max;
    // With every value of every setting the longest keys would take minutes, and libraries that panic would fill the table with messages.
    let tried = if fixture.has_defaults() { KEY_BYTES_TRIED } else { TAPE_KEY_BYTES_MAX };
    let length = declared.map_or(tried, |most| most.min(tried));
    write_and_find_keys_of(fixture, length as usize);
    match declared {
        Some(most) if most > length || !fixture.has_defaults() => {
            Outcome::OkSoFar(format!("{length} bytes tried of {most}"))
        }
        Some(most) => {
            assert!(
                refuses_key_of(&fixture.fresh(), most as usize + 1),
                "a key of {} bytes is taken, {most} are said to be the most",
                most + 1
            );
            Outcome::OkSoFar(format!("{most} bytes, and one more is refused"))
        }
        None => Outcome::OkSoFar(format!("{length} bytes tried")),
    }
}

/// Whether a key of this length is refused, by an error or a panic, and not stored or changed.
fn refuses_key_of(fixture: &Fixture, length: usize) -> bool {
    let key = vec![b'a'; length];
    // A panic of a library also counts as a refusal. The files are not examined, and this directory is not used again.
    let written = catch_unwind(AssertUnwindSafe(|| {
        let mut written = true;
        fixture.session(EACH, |session| written = session.insert(&key, b"too long").is_ok());
        written
    }));
    !written.unwrap_or(false)
}

fn write_and_find_keys_of(fixture: &Fixture, length: usize) {
    let mut keys = vec![vec![b'a'; length], vec![0xff; length], vec![b'a'; length - 1], vec![0xff; length - 1]];
    let mut last_differs = vec![b'a'; length];
    last_differs[length - 1] = b'.';
    keys.push(last_differs);
    fixture.session(EACH, |session| {
        for (index, key) in keys.iter().enumerate() {
            session.insert(key, &[index as u8]).unwrap();
            session.upsert(key, &[index as u8, 1]).unwrap();
        }
    });
    fixture.session(EACH, |session| {
        for (index, key) in keys.iter().enumerate() {
            assert_eq!(get(session, key), Some(vec![index as u8, 1]), "key {index}");
        }
        let mut found =
            scan(session, None, Direction::Any, usize::MAX).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
        found.sort();
        keys.sort();
        assert!(found == keys, "a scan finds the longest keys");
    });
}

pub(super) fn values(fixture: &Fixture) -> Outcome {
    let large: Vec<u8> = (0..1 << 20).map(|index: u32| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fixture.session(EACH, |session| {
        session.insert(b"empty", b"").unwrap();
        session.insert(b"large", &large).unwrap();
        session.insert(b"zeros", &[0; 5_000]).unwrap();
        session.insert(b"shrinks", &large).unwrap();
        session.update(b"shrinks", b"").unwrap();
        session.insert(b"grows", b"").unwrap();
        session.update(b"grows", &large).unwrap();
    });
    fixture.session(EACH, |session| {
        assert_eq!(get(session, b"empty").as_deref(), Some(&b""[..]));
        assert!(get(session, b"large").as_ref() == Some(&large));
        assert_eq!(get(session, b"zeros"), Some(vec![0; 5_000]));
        assert_eq!(get(session, b"shrinks").as_deref(), Some(&b""[..]));
        assert!(get(session, b"grows").as_ref() == Some(&large));
        let bytes: usize = scan(session, None, Direction::Any, usize::MAX).iter().map(|(_, value)| value.len()).sum();
        assert_eq!(bytes, 2 * large.len() + 5_000);
    });
    Outcome::Ok
}

/// Removing a missing key does nothing. Inserting an existing one is an error, or a write if the store declares it. Updating a missing one
/// may do nothing, write it, or be an error. None of them affects other keys.
pub(super) fn missing_and_present(fixture: &Fixture) -> Outcome {
    fixture.session(EACH, |session| {
        assert_eq!(get(session, b"missing"), None);
        session.delete(b"missing").unwrap();
        session.insert(b"present", b"kept").unwrap();
        if fixture.description().capabilities.insert_refuses {
            session.insert(b"present", b"other").unwrap_err();
        } else {
            session.insert(b"present", b"other").unwrap();
            assert_eq!(get(session, b"present").as_deref(), Some(&b"other"[..]));
            session.insert(b"present", b"kept").unwrap();
        }
        assert_eq!(get(session, b"present").as_deref(), Some(&b"kept"[..]));
        let updated = session.update(b"missing", b"value").is_ok();
        let value = get(session, b"missing");
        assert!(value.is_none() || updated && value.as_deref() == Some(b"value"), "{value:?} after an update");
        session.delete(b"missing").unwrap();
        session.delete(b"missing").unwrap();
        session.insert(b"missing", b"no more").unwrap();
        assert_eq!(get(session, b"missing").as_deref(), Some(&b"no more"[..]));
        assert_eq!(get(session, b"present").as_deref(), Some(&b"kept"[..]));
    });
    Outcome::Ok
}

pub(super) fn upsert(fixture: &Fixture) -> Outcome {
    fixture.session(EACH, |session| {
        for value in [&b"first"[..], b"second", b"", b"fourth"] {
            session.upsert(b"key", value).unwrap();
            assert_eq!(get(session, b"key").as_deref(), Some(value));
        }
        assert_eq!(scan(session, None, Direction::Any, usize::MAX), [(b"key".to_vec(), b"fourth".to_vec())]);
    });
    Outcome::Ok
}

pub(super) fn batch(fixture: &Fixture) -> Outcome {
    let reads = fixture.description().capabilities.batch_reads;
    if !fixture.description().capabilities.batch {
        let store = fixture.open();
        let refused = store.session(&BATCHED, &mut |_| Ok(()));
        assert!(refused.is_err(), "a batch is not offered, so a session with one is refused");
        return NO_BATCH;
    }
    let store = fixture.open();
    in_session(&*store, BATCHED, |session| {
        session.commit().unwrap();
        for index in 0..250_u8 {
            session.insert(&[b'k', index], &[index]).unwrap();
            if reads {
                assert_eq!(get(session, &[b'k', index]), Some(vec![index]), "a batch sees its own writes");
            } else {
                session.get(&[b'k', index], &mut Vec::new()).unwrap_err();
                session.scan(None, Direction::Any, &mut |_, _| true).unwrap_err();
            }
            if index % 50 == 49 {
                session.commit().unwrap();
            }
        }
        session.delete(&[b'k', 0]).unwrap();
        session.update(&[b'k', 1], b"updated").unwrap();
        if reads {
            assert_eq!(get(session, &[b'k', 0]), None);
            assert_eq!(scan(session, None, Direction::Any, usize::MAX).len(), 249, "a scan sees the batch");
        }
        session.commit().unwrap();
        session.commit().unwrap();
        assert_eq!(get(session, &[b'k', 0]), None, "between batches there is nothing to be seen too early");
    });
    in_session(&*store, EACH, |session| {
        assert_eq!(get(session, &[b'k', 1]).as_deref(), Some(&b"updated"[..]));
        session.insert(b"alone", b"").unwrap();
        session.commit().unwrap();
    });
    store.close().unwrap();
    fixture.session(EACH, |session| assert_eq!(scan(session, None, Direction::Any, usize::MAX).len(), 250));
    if reads { Outcome::Ok } else { Outcome::NotOffered("no reads inside a batch") }
}

/// A session that ends inside a batch leaves the store usable.
pub(super) fn unfinished_batch(fixture: &Fixture) -> Outcome {
    if !fixture.description().capabilities.batch {
        return NO_BATCH;
    }
    let store = fixture.open();
    in_session(&*store, BATCHED, |session| {
        session.insert(b"acknowledged", b"1").unwrap();
        session.commit().unwrap();
        session.insert(b"unfinished", b"2").unwrap();
    });
    in_session(&*store, BATCHED, |session| {
        session.upsert(b"later", b"3").unwrap();
        session.commit().unwrap();
    });
    store.close().unwrap();
    fixture.session(EACH, |session| {
        assert_eq!(get(session, b"acknowledged").as_deref(), Some(&b"1"[..]));
        assert_eq!(get(session, b"later").as_deref(), Some(&b"3"[..]));
        if fixture.batch_is_atomic() {
            assert_eq!(get(session, b"unfinished"), None, "a batch that is not committed is dropped as a whole");
        }
    });
    Outcome::Ok
}

pub(super) fn ascending(fixture: &Fixture) -> Outcome {
    let batched = fixture.description().capabilities.batch;
    let keys = || (0..300_u32).map(u32::to_be_bytes);
    fixture.session(SessionPlan { batched, ascending: true }, |session| {
        keys().for_each(|key| session.insert(&key, &key).unwrap());
        session.commit().unwrap();
    });
    fixture.session(EACH, |session| {
        keys().for_each(|key| assert_eq!(get(session, &key), Some(key.to_vec())));
        session.insert(b"\0", b"below the others").unwrap();
        assert_eq!(scan(session, None, Direction::Any, usize::MAX).len(), 301);
    });
    Outcome::Ok
}

/// Entries whose keys differ in length and share prefixes, and whose values differ in length.
fn sample() -> BTreeMap<Vec<u8>, Vec<u8>> {
    let key = |index: u32| match index % 3 {
        0 => index.to_be_bytes().to_vec(),
        1 => format!("key {index}").into_bytes(),
        _ => vec![index as u8; 1 + index as usize % 40],
    };
    (0..200).map(|index| (key(index), vec![index as u8; index as usize * 7 % 900])).collect()
}

fn fill(fixture: &Fixture) -> Vec<Pair> {
    let sample = sample();
    let mut shuffled: Vec<_> = sample.iter().collect();
    shuffled.sort_by_key(|(key, _)| xxhash_rust::xxh64::xxh64(key, 0));
    fixture.session(EACH, |session| shuffled.iter().for_each(|(key, value)| session.insert(key, value).unwrap()));
    sample.into_iter().collect()
}

pub(super) fn scan_any_order(fixture: &Fixture) -> Outcome {
    if !fixture.description().capabilities.scan_any_order {
        return Outcome::NotOffered("no scans");
    }
    let expected = fill(fixture);
    fixture.session(EACH, |session| {
        let mut found = scan(session, None, Direction::Any, usize::MAX);
        found.sort();
        assert_eq!(found, expected);
        assert_eq!(scan(session, None, Direction::Any, 7).len(), 7);
    });
    Outcome::Ok
}

pub(super) fn scan_ordered(fixture: &Fixture) -> Outcome {
    if !fixture.description().capabilities.scan_ordered {
        return Outcome::NotOffered("no order");
    }
    let expected = fill(fixture);
    let backwards: Vec<Pair> = expected.iter().rev().cloned().collect();
    fixture.session(EACH, |session| {
        assert_eq!(scan(session, None, Direction::Forward, usize::MAX), expected);
        assert_eq!(scan(session, None, Direction::Reverse, usize::MAX), backwards);
        assert_eq!(scan(session, None, Direction::Forward, 7), expected[..7]);
        assert_eq!(scan(session, None, Direction::Reverse, 7), backwards[..7]);
    });
    Outcome::Ok
}

pub(super) fn reopen(fixture: &Fixture) -> Outcome {
    let expected = fill(fixture);
    fixture.session(EACH, |session| {
        for (key, value) in &expected {
            assert_eq!(get(session, key).as_ref(), Some(value));
        }
        expected.iter().step_by(2).for_each(|(key, _)| session.delete(key).unwrap());
    });
    fixture.session(EACH, |session| {
        let mut found = scan(session, None, Direction::Any, usize::MAX);
        found.sort();
        let left: Vec<Pair> = expected.iter().skip(1).step_by(2).cloned().collect();
        assert_eq!(found, left);
    });
    Outcome::Ok
}

/// The copy opens as the store does, and has the same entries without the space of deleted ones.
///
/// Many MiB are deleted so that the result is clear: libmdbx makes files, including copies, in steps of 16 MiB.
pub(super) fn compacted_copy(fixture: &Fixture) -> Outcome {
    if !fixture.description().capabilities.compacted_copy {
        return Outcome::NotOffered("no compacted copy");
    }
    let expected = fill(fixture);
    let large = vec![b'x'; 1 << 20];
    let copy = fixture.fresh();
    let store = fixture.open();
    in_session(&*store, EACH, |session| {
        (0..40_u8).for_each(|number| session.insert(&[b'~', number], &large).unwrap());
        (0..40_u8).for_each(|number| session.delete(&[b'~', number]).unwrap());
    });
    store.compacted_copy(copy.directory()).unwrap();
    store.close().unwrap();
    let files = std::fs::read_dir(copy.directory()).unwrap();
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().blocks() * 512).sum();
    copy.session(EACH, |session| {
        let mut found = scan(session, None, Direction::Any, usize::MAX);
        found.sort();
        assert_eq!(found, expected);
        session.insert(b"a copy can be written to", b"").unwrap();
    });
    assert!(bytes < 20 << 20, "the copy takes {bytes} bytes, half of what was deleted");
    Outcome::Ok
}
