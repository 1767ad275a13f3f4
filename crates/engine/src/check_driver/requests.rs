//! Requests that must be refused.

use bakeoff_protocol::{Crash, FailureKind, Profile, ProfileRequest, REFUSED_REQUESTS, Request, WarmUp};
use bakeoff_tape::Operation;
use serde_json::Value;

use crate::check_driver::bench::{Bench, Recorded, mixed, phase};
use crate::check_driver::judge::{finished, refused};
use crate::check_driver::verdict::{Checked, Stop};

/// What refuses a request.
const BAD: &[FailureKind] = &[FailureKind::BadRequest];

/// A request for a load, timed one operation at a time, as JSON.
fn sound(bench: &Bench<'_>) -> Checked<Value> {
    Ok(serde_json::to_value(bench.load()?)?)
}

/// Asks for each vector of a group, and expects a refusal.
pub(super) fn group(bench: &Bench<'_>, group: &str) -> Checked {
    let vectors: Value = serde_json::from_str(REFUSED_REQUESTS)?;
    for vector in vectors["refused"].as_array().into_iter().flatten().filter(|vector| vector["group"] == group) {
        let mut request = sound(bench)?;
        let store = store_of(&request);
        for change in vector["set"].as_array().into_iter().flatten() {
            if let Some(value) = place(&mut request, &change[0]) {
                *value = change[1].clone();
            }
        }
        for path in vector["remove"].as_array().into_iter().flatten() {
            remove(&mut request, path);
        }
        let text = vector["text"].as_str().map_or_else(|| request.to_string(), str::to_owned);
        let answer = bench.ask_text_to_refuse(&store, text)?;
        let case = format!(
            "{} ({})",
            vector["name"].as_str().unwrap_or_default(),
            vector["rule"].as_str().unwrap_or_default()
        );
        refused(&answer, BAD, &store, 0).map_err(|stop| stop.of_case(&case))?;
    }
    Ok(())
}

fn store_of(request: &Value) -> std::path::PathBuf {
    request["directory"].as_str().unwrap_or_default().into()
}

/// The value at a path of names and indexes, made where the last name is not there yet.
fn place<'a>(request: &'a mut Value, path: &Value) -> Option<&'a mut Value> {
    path.as_array()?.iter().try_fold(request, |value, part| match part.as_u64() {
        Some(index) => value.get_mut(usize::try_from(index).ok()?),
        None => Some(value.as_object_mut()?.entry(part.as_str()?).or_insert(Value::Null)),
    })
}

fn remove(request: &mut Value, path: &Value) {
    let Some((last, parents)) = path.as_array().and_then(|path| path.split_last()) else { return };
    let parent = place(request, &Value::from(parents.to_vec()));
    if let (Some(parent), Some(name)) = (parent.and_then(Value::as_object_mut), last.as_str()) {
        parent.remove(name);
    }
}

/// Asks for a load with one thing changed, which must be refused.
pub(super) fn changed(bench: &Bench<'_>, case: &str, change: &dyn Fn(&mut Request)) -> Checked {
    let mut request = bench.load()?;
    change(&mut request);
    let store = request.directory.clone();
    let there = std::fs::read_dir(&store).map_or(0, |entries| entries.count());
    let answer = bench.ask_text_to_refuse(&store, serde_json::to_string_pretty(&request)?)?;
    refused(&answer, BAD, &store, there).map_err(|stop| stop.of_case(case))
}

pub(super) fn unknown_store(bench: &Bench<'_>) -> Checked {
    for name in ["no-such-store", "", "../lmdb"] {
        changed(bench, &format!("the store {name:?}"), &|request| request.store = name.to_owned())?;
    }
    Ok(())
}

/// What the driver, or the store, does not say that it can.
pub(super) fn not_claimed(bench: &Bench<'_>) -> Checked {
    let none = "everything is offered";
    let mut asked = 0;
    let mut ask = |case: &str, is_offered: bool, change: &dyn Fn(&mut Request)| {
        asked += usize::from(!is_offered);
        if is_offered { Ok(()) } else { changed(bench, case, change) }
    };
    let driver = bench.driver;
    ask("crash, without `recovers`", driver.recovers, &|request| request.crash = Some(Crash::Die))?;
    ask("recovery, without `recovers`", driver.recovers, &|request| {
        (request.crash, request.phases) = (Some(Crash::Recover), Vec::new());
    })?;
    ask("warm_up, without `warms_up`", driver.warms_up, &|request| {
        let (pool, hints, phases) = (request.pool.clone(), request.hints.clone(), request.phases.clone());
        request.warm_up = Some(WarmUp { time_ns: None, operations: Some(1), pool, hints, phases });
    })?;
    for kind in Profile::ALL {
        ask(&format!("profile {kind}, which is not in `profiles`"), driver.profiles.contains(&kind), &|request| {
            request.profile = Some(ProfileRequest { kind, file: request.directory.with_file_name("profile") });
        })?;
    }
    ask("compacted_copy, which the store cannot make", bench.store.capabilities.compacted_copy, &|request| {
        request.compacted_copy = Some(request.directory.with_file_name("copy"));
    })?;
    if asked == 0 { Err(Stop::NotOffered(none.to_owned())) } else { Ok(()) }
}

/// The directory is there and empty.
pub(super) fn directory(bench: &Bench<'_>) -> Checked {
    changed(bench, "a directory with a file in it", &|request| {
        // That it cannot be written shows at once: the directory is empty then.
        let _ = std::fs::write(request.directory.join("someone's data"), "kept");
    })?;
    changed(bench, "a directory that is not there", &|request| request.directory.push("gone"))
}

/// Keys that a driver does not know are ignored.
pub(super) fn unknown_keys(bench: &Bench<'_>) -> Checked {
    let recorded: Recorded = bench.record(vec![phase("get", Operation::Get, 100)], 1)?;
    let request = bench.request(&recorded)?;
    let mut json = serde_json::to_value(&request)?;
    json["of_a_newer_version"] = Value::from(7);
    json["hints"]["of_a_newer_version"] = Value::from(vec![1]);
    json["phases"][0]["of_a_newer_version"] = Value::Object(serde_json::Map::new());
    let answer = bench.ask_text(&request.directory, &json.to_string())?;
    finished(&answer, &request, &recorded, bench.store).map(drop)
}

/// A tape of a phase has a lane for each thread.
pub(super) fn lanes(bench: &Bench<'_>) -> Checked {
    let recorded = bench.record(Vec::new(), 2)?;
    for threads in [1, 3] {
        let mut request = bench.request(&recorded)?;
        request.hints.threads = threads;
        let answer = bench.ask_to_refuse(&request)?;
        let case = format!("a tape of 2 lanes with hints.threads {threads}");
        refused(&answer, BAD, &request.directory, 0).map_err(|stop| stop.of_case(&case))?;
    }
    Ok(())
}

/// Texts that are not JSON in UTF-8 with each key once.
pub(super) fn text(bench: &Bench<'_>) -> Checked {
    group(bench, "text")?;
    type Change = fn(&str) -> Vec<u8>;
    let cases: [(&str, Change); 3] = [
        ("a key twice", |text| text.replacen('{', "{\"cell\":\"0\",", 1).into()),
        ("an unknown key twice", |text| text.replacen('{', "{\"new\":{\"a\":1,\"a\":1},", 1).into()),
        ("a text that is not UTF-8", |text| {
            let mut bytes = text.replacen('{', "{\"new\":\"?\",", 1).into_bytes();
            bytes.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xff);
            bytes
        }),
    ];
    for (case, change) in cases {
        let request = bench.load()?;
        let answer = bench.ask_text_to_refuse(&request.directory, change(&serde_json::to_string(&request)?))?;
        refused(&answer, BAD, &request.directory, 0).map_err(|stop| stop.of_case(case))?;
    }
    Ok(())
}

/// `ascending` on phases that do more than insert in key order.
pub(super) fn ascending(bench: &Bench<'_>) -> Checked {
    let mixed = mixed("mix", [(Operation::Insert, 0.5), (Operation::Get, 0.5)], 100);
    let recorded = bench.record(vec![phase("get", Operation::Get, 100), mixed], 1)?;
    for (number, case) in ["a load in the order of hashes", "gets", "inserts and gets"].into_iter().enumerate() {
        let mut request = bench.request(&recorded)?;
        request.phases[number].ascending = true;
        let answer = bench.ask_to_refuse(&request)?;
        let case = format!("{case} with `ascending`");
        refused(&answer, BAD, &request.directory, 0).map_err(|stop| stop.of_case(&case))?;
    }
    Ok(())
}

/// Paths where no compacted copy can be made.
pub(super) fn copy(bench: &Bench<'_>) -> Checked {
    group(bench, "copy")?;
    changed(bench, "compacted_copy inside the store's directory", &|request| {
        request.compacted_copy = Some(request.directory.join("copy"));
    })?;
    changed(bench, "compacted_copy in a directory that is not there", &|request| {
        request.compacted_copy = Some(request.directory.with_file_name("gone").join("copy"));
    })
}
