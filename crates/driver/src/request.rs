//! Reading a request, and what can be checked of it without touching a file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use bakeoff_protocol::{AMOUNT_MAX, Crash, Mode, PROTOCOL_VERSION, PhaseRequest, Request, STEADY_WITHIN_MAX};
use bakeoff_tape::{Acknowledged, LANES_MAX};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::failure::Failure;

/// Reads a request and checks what can be checked without touching a file.
///
/// # Errors
/// Malformed JSON, an unknown protocol version, or what `docs/PROTOCOL.md` has a driver refuse.
pub fn parse_request(text: &str) -> Result<Request, Failure> {
    /// Read first, so that a request of another version is called that and not malformed.
    #[derive(serde::Deserialize)]
    struct Version {
        protocol: u32,
    }
    let malformed = |error: serde_json::Error| {
        Failure::bad_request(format!("the request is malformed: {error} (docs/PROTOCOL.md shows one)"))
    };
    let Once = serde_json::from_str(text).map_err(malformed)?;
    let version: Version = serde_json::from_str(text).map_err(malformed)?;
    if version.protocol != PROTOCOL_VERSION {
        return Err(Failure::bad_request(format!(
            "the request speaks protocol {}, this driver speaks {PROTOCOL_VERSION}: build both from the same version",
            version.protocol
        )));
    }
    let request: Request = serde_json::from_str(text).map_err(malformed)?;
    match wrong(&request).or_else(|| request.phases.iter().find_map(|phase| wrong_phase(phase, request.hints.threads)))
    {
        None => Ok(request),
        Some(what) => Err(Failure::bad_request(what)),
    }
}

/// JSON in which no object has the same key twice.
struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self, A::Error> {
        while let Some(Self) = values.next_element()? {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, Self)) = pairs.next_entry::<String, Self>()? {
            if let Some(twice) = keys.replace(key) {
                return Err(A::Error::custom(format_args!("the key `{twice}` comes twice")));
            }
        }
        Ok(self)
    }
}

/// Returns what is wrong with a request, apart from its phases.
fn wrong(request: &Request) -> Option<String> {
    let threads = request.hints.threads;
    if !(1..=LANES_MAX).contains(&threads) {
        return Some(format!("hints.threads is {threads}: give 1 to {LANES_MAX}"));
    }
    if let Some((name, amount)) = request.hints.amounts().into_iter().find(|(_, amount)| *amount > AMOUNT_MAX) {
        return Some(format!("hints.{name} is {amount}: give a whole number from 0 to {AMOUNT_MAX}"));
    }
    let recovers = request.crash == Some(Crash::Recover);
    let copies = request.compacted_copy.is_some();
    let rules = [
        (request.warm_up.is_some(), "the request is for a warm-up, which this driver does not do: leave out `warm_up`"),
        (
            request.profile.is_some(),
            "the request is for a profile, which this driver does not make: leave out `profile`",
        ),
        (request.round == 0, "round is 0: rounds are counted from 1"),
        (request.phases.is_empty() && !recovers, "the request has no phases"),
        (
            !request.phases.is_empty() && recovers && request.inventory.is_none(),
            "the request has phases, but a recovery without an inventory has none: leave them out",
        ),
        (request.inventory.is_some() && !recovers, "the request has inventory without a recovery: give both"),
        (
            request.inventory.is_some() && request.verify.is_some(),
            "the request has inventory with verify: leave one out, a driver that lists what it finds compares nothing",
        ),
        (copies && request.verify.is_none(), "the request has compacted_copy without verify: give both"),
        (copies && request.crash.is_some(), "the request has compacted_copy with crash: leave one out"),
    ];
    rules.into_iter().find(|(is_broken, _)| *is_broken).map(|(_, what)| what.to_owned())
}

/// Returns what is wrong with a phase.
fn wrong_phase(phase: &PhaseRequest, threads: u32) -> Option<String> {
    let PhaseRequest { mode, speed, steady_within, value_sizes, .. } = phase;
    let is_latency = *mode == Mode::Latency;
    let is_part = |part: f64| part > 0.0 && part <= STEADY_WITHIN_MAX && speed.is_none();
    let ends = value_sizes.iter().flat_map(|sizes| [sizes.value_bytes_min, sizes.value_bytes_max]).collect::<Vec<_>>();
    let is_ascending = ends.is_sorted() && value_sizes.is_sorted_by(|a, b| a.value_bytes_max < b.value_bytes_max);
    let rules = [
        (
            speed.is_some_and(|speed| !(speed > 0.0 && speed.is_finite() && is_latency)),
            format!("speed {speed:?} in mode {mode:?}: give a number above 0, and mode latency"),
        ),
        (
            steady_within.is_some_and(|part| !is_part(part)),
            format!(
                "steady_within {steady_within:?}, speed {speed:?}: give a part above 0, up to {STEADY_WITHIN_MAX}, and no speed"
            ),
        ),
        (phase.gate.is_some() && !phase.reopen, "gate without reopen: give both, or neither".to_owned()),
        (phase.ascending && threads > 1, format!("ascending with {threads} threads: keys ascend for one thread alone")),
        (!ends.is_empty() && !is_latency, format!("value_sizes in mode {mode:?}: give them in mode latency alone")),
        (
            !is_ascending || ends.iter().any(|bytes| *bytes > AMOUNT_MAX),
            format!("value_sizes {ends:?}: give ranges of 0 to {AMOUNT_MAX} bytes, each above the one before"),
        ),
    ];
    let broken = rules.into_iter().find(|(is_broken, _)| *is_broken);
    broken.map(|(_, what)| format!("phase `{}`: {what}", phase.name))
}

/// Refuses paths where a compacted copy or an inventory cannot be made: nothing is there, but the directory around it is, which is not
/// the store's.
pub(crate) fn check_new(request: &Request) -> Result<(), Failure> {
    let asked = [("compacted_copy", &request.compacted_copy), ("inventory", &request.inventory)];
    let asked = asked.into_iter().filter_map(|(key, path)| path.as_deref().map(|path| (key, path)));
    let mut refused = asked.filter(|(_, path)| !is_room(path, &request.directory));
    refused.next().map_or(Ok(()), |(key, path)| {
        Err(Failure::bad_request(format!(
            "{key} is {}: name what is not there yet, in a directory that is, outside of the store's",
            path.display()
        )))
    })
}

fn is_room(path: &Path, store: &Path) -> bool {
    let parent = path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    let is_inside = parent.is_some_and(|parent| parent.canonicalize().ok() == store.canonicalize().ok());
    path.symlink_metadata().is_err() && !is_inside && parent.is_some_and(Path::is_dir)
}

/// Maps the file in which to say what is acknowledged, if the request has one. It must be as the protocol says, and unused.
pub(crate) fn open_acknowledged(request: &Request) -> Result<Option<Acknowledged>, Failure> {
    let Some(path) = &request.acknowledged else { return Ok(None) };
    let file = Acknowledged::open(path, request.hints.threads);
    match file.map_err(|error| Failure::bad_request(error.to_string()))? {
        file if file.is_unused() => Ok(Some(file)),
        _ => Err(Failure::bad_request(format!(
            "acknowledged is {}, which has other bytes than zeros: give a new file to each process",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_protocol::{FailureKind, REFUSED_REQUESTS};
    use serde_json::Value;

    use super::{check_new, open_acknowledged, parse_request};

    /// The value at a path, made if it is not there.
    fn place<'a>(request: &'a mut Value, path: &[Value]) -> &'a mut Value {
        path.iter().fold(request, |value, part| match part.as_u64() {
            Some(index) => &mut value[usize::try_from(index).unwrap()],
            None => &mut value[part.as_str().unwrap()],
        })
    }

    #[test]
    fn every_rule_has_a_request_that_is_refused_for_it() {
        let vectors: Value = serde_json::from_str(REFUSED_REQUESTS).unwrap();
        let sound = &vectors["request"];
        parse_request(&sound.to_string()).unwrap();
        for vector in vectors["refused"].as_array().unwrap() {
            let mut request = sound.clone();
            for change in vector["set"].as_array().into_iter().flatten() {
                *place(&mut request, change[0].as_array().unwrap()) = change[1].clone();
            }
            for path in vector["remove"].as_array().into_iter().flatten() {
                let (last, parents) = path.as_array().unwrap().split_last().unwrap();
                let parent = place(&mut request, parents).as_object_mut().unwrap();
                parent.remove(last.as_str().unwrap()).unwrap();
            }
            let text = vector["text"].as_str().map_or_else(|| request.to_string(), str::to_owned);
            let check_files = |request| check_new(&request).and_then(|()| open_acknowledged(&request).map(drop));
            let refused = parse_request(&text).and_then(check_files);
            let failure = refused.expect_err(&vector.to_string());
            assert_eq!(failure.kind, FailureKind::BadRequest, "{vector}");
        }
    }
}
