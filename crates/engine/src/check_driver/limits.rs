//! The shortest and longest keys and values that a store says it takes, and longer ones.

use bakeoff_protocol::{DataHints, FailureKind, Mode, PROTOCOL_VERSION, PhaseRequest, Request};
use bakeoff_tape::{Consumer, Operation, RECORD_KEY_BYTES_MAX, consume, flags};

use crate::check_driver::bench::{Bench, OwnedRecord, write_tape};
use crate::check_driver::judge::{failed, in_order};
use crate::check_driver::verdict::{Checked, Stop};

/// The longest value that is tried: any longer one takes time, and shows little more.
const VALUE_BYTES_MAX: u64 = 4 << 20;

/// A request to write a record of these lengths, to read it, and to compare it after opening again.
fn request(bench: &Bench<'_>, key_bytes: u64, value_bytes: u64) -> Checked<Request> {
    let directory = bench.place()?;
    let beside = |name: &str| directory.with_file_name(name);
    let pool: Vec<u8> = (0..value_bytes.max(16)).map(|index| (index % 251) as u8).collect();
    let of_pool = (pool.len() as u64, consume::xxh64(&pool));
    let key: Vec<u8> = (0..key_bytes).map(|index| b'a' + (index % 23) as u8).collect();
    let value_bytes = u32::try_from(value_bytes)?;
    let record = |operation, flags| OwnedRecord {
        operation,
        flags,
        key: key.clone(),
        value_bytes,
        value_offset: 0,
        due_ns: None,
        scan: None,
    };
    let mut fold = consume::Fold::new(Consumer::Xxh64, true);
    fold.add(&key, &pool[..value_bytes as usize]);
    let everything = OwnedRecord {
        key: Vec::new(),
        value_bytes: 0,
        scan: Some(fold.finish(0)),
        ..record(Operation::ScanAll, flags::ANY_ORDER)
    };
    let tapes =
        [("load", record(Operation::Insert, 0)), ("get", record(Operation::Get, flags::FOUND)), ("verify", everything)];
    for (name, record) in tapes {
        write_tape(&beside(&format!("{name}.tape")), of_pool, &[vec![record]])?;
    }
    std::fs::write(beside("pool.bin"), &pool)?;
    let data_bytes = key_bytes + u64::from(value_bytes);
    let phase = |name: &str| PhaseRequest::new(name, beside(&format!("{name}.tape")), Mode::Latency);
    Ok(Request {
        protocol: PROTOCOL_VERSION,
        cell: "0123456789abcdef".to_owned(),
        round: 1,
        store: bench.store.name.clone(),
        durability: bench.level(),
        settings: Default::default(),
        pool: beside("pool.bin"),
        hints: DataHints {
            records_max: 1,
            records_inserted: 1,
            key_bytes_max: key_bytes,
            value_bytes_mean: value_bytes.into(),
            value_bytes_max: value_bytes.into(),
            data_bytes_max: data_bytes,
            written_bytes: data_bytes,
            integer_keys: false,
            threads: 1,
        },
        phases: vec![phase("load"), phase("get")],
        verify: bench.can_list().then(|| beside("verify.tape")),
        directory,
        warm_up: None,
        compacted_copy: None,
        crash: None,
        acknowledged: None,
        inventory: None,
        profile: None,
    })
}

/// A record of lengths that the store says it takes.
fn taken(bench: &Bench<'_>, key_bytes: u64, value_bytes: u64) -> Checked {
    let request = request(bench, key_bytes, value_bytes)?;
    let case = format!("a key of {key_bytes} bytes and a value of {value_bytes}");
    let answer = bench.ask(&request)?;
    let run = in_order(&answer, &request).map_err(|stop| stop.of_case(&case))?;
    let is_listed = request.verify.is_some() && bench.store.capabilities.keeps_data;
    if run.verified.map(|verified| verified.entries) != is_listed.then_some(1) {
        return Err(Stop::broken(case, "another number of verified entries than 1"));
    }
    Ok(())
}

/// A record that is too long is an error in words, if it is not taken after all and found again.
fn too_long(bench: &Bench<'_>, key_bytes: u64, value_bytes: u64) -> Checked {
    let request = request(bench, key_bytes, value_bytes)?;
    let answer = bench.ask(&request)?;
    if in_order(&answer, &request).is_ok() {
        return Ok(());
    }
    let case = format!("a key of {key_bytes} bytes and a value of {value_bytes}, which is too long");
    failed(&answer, &[FailureKind::StoreError, FailureKind::BadRequest]).map(drop).map_err(|stop| stop.of_case(&case))
}

/// A length of keys that every store takes which is tried with values.
fn some_key(bench: &Bench<'_>) -> u64 {
    bench.store.key_bytes_min.max(8)
}

pub(super) fn keys(bench: &Bench<'_>) -> Checked {
    let most = bench.store.key_bytes_max.unwrap_or(u64::MAX).min(RECORD_KEY_BYTES_MAX);
    taken(bench, bench.store.key_bytes_min, 40)?;
    taken(bench, most, 40)
}

pub(super) fn longer_keys(bench: &Bench<'_>) -> Checked {
    match bench.store.key_bytes_max.filter(|most| *most < RECORD_KEY_BYTES_MAX) {
        Some(most) => too_long(bench, most + 1, 40),
        None => Err(Stop::NotOffered("it takes every key that a tape can hold".to_owned())),
    }
}

pub(super) fn values(bench: &Bench<'_>) -> Checked {
    let most = bench.store.value_bytes_max.unwrap_or(u64::MAX).min(VALUE_BYTES_MAX);
    taken(bench, some_key(bench), 0)?;
    taken(bench, some_key(bench), most)
}

pub(super) fn longer_values(bench: &Bench<'_>) -> Checked {
    match bench.store.value_bytes_max.filter(|most| *most < VALUE_BYTES_MAX) {
        Some(most) => too_long(bench, some_key(bench), most + 1),
        None => Err(Stop::NotOffered("it takes values longer than 4 MiB".to_owned())),
    }
}
