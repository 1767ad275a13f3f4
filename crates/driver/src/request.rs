//! Reading a request, and what can be checked of it without touching a file.

use bakeoff_protocol::{Crash, Mode, PROTOCOL_VERSION, Request, STEADY_WITHIN_MAX};
use bakeoff_tape::LANES_MAX;

use crate::failure::Failure;

/// Reads a request and checks what can be checked without touching a file.
///
/// # Errors
/// Malformed JSON, an unknown protocol version, no phases, more threads than a driver starts.
pub fn parse_request(text: &str) -> Result<Request, Failure> {
    /// Read first, so that a request of another version is called that and not malformed.
    #[derive(serde::Deserialize)]
    struct Version {
        protocol: u32,
    }
    let malformed = |error: serde_json::Error| {
        Failure::bad_request(format!("the request is malformed: {error} (docs/PROTOCOL.md shows one)"))
    };
    let version: Version = serde_json::from_str(text).map_err(malformed)?;
    if version.protocol != PROTOCOL_VERSION {
        return Err(Failure::bad_request(format!(
            "the request speaks protocol {}, this driver speaks {PROTOCOL_VERSION}: build both from the same version",
            version.protocol
        )));
    }
    let request: Request = serde_json::from_str(text).map_err(malformed)?;
    if request.phases.is_empty() && request.crash != Some(Crash::Recover) {
        return Err(Failure::bad_request("the request has no phases".to_owned()));
    }
    for phase in &request.phases {
        let sound = phase.speed.is_none_or(|speed| speed > 0.0 && speed.is_finite() && phase.mode == Mode::Latency);
        if !sound {
            return Err(Failure::bad_request(format!(
                "phase `{}`: speed {:?} in mode {:?}: give a number above 0, and mode latency",
                phase.name, phase.speed, phase.mode
            )));
        }
    }
    for phase in &request.phases {
        let sound = |part: f64| part > 0.0 && part <= STEADY_WITHIN_MAX && phase.speed.is_none();
        if phase.steady_within.is_some_and(|part| !sound(part)) {
            return Err(Failure::bad_request(format!(
                "phase `{}`: steady_within {:?}, speed {:?}: give a part above 0, up to {STEADY_WITHIN_MAX}, and no speed",
                phase.name, phase.steady_within, phase.speed
            )));
        }
    }
    if !(1..=LANES_MAX).contains(&request.hints.threads) {
        return Err(Failure::bad_request(format!("hints.threads is {}: give 1 to {LANES_MAX}", request.hints.threads)));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use bakeoff_protocol::{FailureKind, REFUSED_REQUESTS};
    use serde_json::Value;

    use super::parse_request;

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
            let failure = parse_request(&text).expect_err(&vector.to_string());
            assert_eq!(failure.kind, FailureKind::BadRequest, "{vector}");
        }
    }
}
