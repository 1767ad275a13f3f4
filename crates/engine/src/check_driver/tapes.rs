//! Tapes that must be refused.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_protocol::{FailureKind, Request};
use bakeoff_tape::{REFUSED_TAPES, VECTORS_POOL};
use serde_json::Value;

use crate::check_driver::bench::Bench;
use crate::check_driver::judge::refused;
use crate::check_driver::verdict::Checked;

const BAD: &[FailureKind] = &[FailureKind::BadTape];

/// Every bit of a tape is guarded. This many places of a tape are tried.
const PLACES: usize = 24;

/// Asks for each vector of a group, and expects a refusal.
pub(super) fn group(bench: &Bench<'_>, group: &str) -> Checked {
    let pool = bench.directory().join("pool.bin");
    std::fs::write(&pool, VECTORS_POOL)?;
    let vectors: Value = serde_json::from_str(REFUSED_TAPES)?;
    for vector in vectors.as_array().into_iter().flatten().filter(|vector| vector["group"] == group) {
        let text = |name: &str| vector[name].as_str().unwrap_or_default();
        let tape = bench.directory().join(format!("{}.tape", text("name")));
        std::fs::write(&tape, bytes_of(text("tape"))?)?;
        let change = |request: &mut Request| {
            (request.pool, request.verify) = (pool.clone(), None);
            request.phases[0].tape = tape.clone();
        };
        with(bench, &format!("{} ({})", text("name"), text("rule")), &change)?;
    }
    Ok(())
}

fn bytes_of(hex: &str) -> Result<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
    pairs.map(byte).collect::<Result<_>>().context("a vector is no hexadecimal")
}

/// Asks for a load with something else for a file, which must be refused.
fn with(bench: &Bench<'_>, case: &str, change: &dyn Fn(&mut Request)) -> Checked {
    let mut request = bench.load()?;
    change(&mut request);
    let answer = bench.ask_to_refuse(&request)?;
    refused(&answer, BAD, &request.directory, 0).map_err(|stop| stop.of_case(case))
}

/// Files that are not there, or are something else.
pub(super) fn gone(bench: &Bench<'_>) -> Checked {
    let (gone, text) = (bench.directory().join("gone"), bench.directory().join("text"));
    std::fs::write(&text, "not what it should be")?;
    let directory = bench.directory().to_owned();
    for (what, path) in
        [("that is gone", &gone), ("that is a directory", &directory), ("that is something else", &text)]
    {
        with(bench, &format!("a tape {what}"), &|request| request.phases[0].tape.clone_from(path))?;
        with(bench, &format!("a pool {what}"), &|request| request.pool.clone_from(path))?;
        if bench.can_list() {
            with(bench, &format!("a tape to verify {what}"), &|request| request.verify = Some(path.clone()))?;
        }
    }
    Ok(())
}

/// One bit that is another, anywhere in a tape, in the tape to verify, or in the pool.
pub(super) fn flipped(bench: &Bench<'_>) -> Checked {
    let whole = std::fs::read(&bench.load()?.phases[0].tape)?;
    for place in 0..PLACES {
        let at = place * (whole.len() - 1) / (PLACES - 1);
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (place % 8);
        let tape = written(bench.directory(), "flipped.tape", &bytes)?;
        with(bench, &format!("bit {} of byte {at}", place % 8), &|request| request.phases[0].tape.clone_from(&tape))?;
    }
    let request = bench.load()?;
    let flip = |path: &Path, name: &str| {
        let mut bytes = std::fs::read(path)?;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        written(bench.directory(), name, &bytes)
    };
    let pool = flip(&request.pool, "flipped.pool")?;
    with(bench, "a bit of the pool", &|request| request.pool.clone_from(&pool))?;
    if let Some(verify) = &request.verify {
        let tape = flip(verify, "flipped-verify.tape")?;
        with(bench, "a bit of the tape to verify", &|request| request.verify = Some(tape.clone()))?;
    }
    Ok(())
}

/// Tapes and pools that end early, or go on after their end.
pub(super) fn cut(bench: &Bench<'_>) -> Checked {
    let request = bench.load()?;
    let (tape, pool) = (std::fs::read(&request.phases[0].tape)?, std::fs::read(&request.pool)?);
    for length in [0, 7, 71, 72, tape.len() / 2, tape.len() - 1, tape.len() + 1] {
        let mut bytes = tape.clone();
        bytes.resize(length, 0);
        let path = written(bench.directory(), "cut.tape", &bytes)?;
        with(bench, &format!("a tape of {length} bytes for {}", tape.len()), &|request| {
            request.phases[0].tape.clone_from(&path);
        })?;
    }
    for length in [0, pool.len() - 1, pool.len() + 1] {
        let mut bytes = pool.clone();
        bytes.resize(length, 0);
        let path = written(bench.directory(), "cut.pool", &bytes)?;
        with(bench, &format!("a pool of {length} bytes for {}", pool.len()), &|request| {
            request.pool.clone_from(&path)
        })?;
    }
    Ok(())
}

fn written(directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = directory.join(name);
    std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
