//! Every fuzz target over its seeds and a thousand mutations of each: no replacement for libFuzzer, but run every time.

use std::fs;
use std::path::PathBuf;

/// Mutations of each seed; `BAKEOFF_TEST_SCALE` is how many times as many, which `./bakeoff test long` sets.
const MUTATIONS: u64 = 1_000;

/// Words that parsers look out for.
const WORDS: [&[u8]; 12] = [
    b"\"",
    b"{",
    b"[[",
    b"=",
    b"\n",
    b"..",
    b"-1",
    b"0",
    b"18446744073709551615",
    b"1e999",
    b"\xff",
    "µ\u{202e}".as_bytes(),
];

#[test]
fn suites() {
    over_seeds("suite", bakeoff_fuzz::suite);
}

#[test]
fn tapes() {
    over_seeds("tape", bakeoff_fuzz::tape);
}

#[test]
fn requests() {
    over_seeds("request", bakeoff_fuzz::request);
}

#[test]
fn results() {
    over_seeds("results", bakeoff_fuzz::results);
}

#[test]
fn traces() {
    over_seeds("trace", bakeoff_fuzz::trace);
}

/// The second implementation of the format's checksums agrees with the first one.
#[test]
fn whole_tapes_need_no_mending() {
    for tape in ["mixed", "batch", "restore", "scan"] {
        let tape = seeds_directory("tape").join(format!("two-lanes-{tape}.tape"));
        let bytes = fs::read(&tape).expect("a seed can be read");
        assert!(bakeoff_fuzz::mended(&bytes) == bytes, "correcting checksums changed a sound tape, {}", tape.display());
    }
}

fn over_seeds(target: &str, function: fn(&[u8])) {
    let seeds = seeds(target);
    let scale =
        std::env::var("BAKEOFF_TEST_SCALE").map_or(1, |scale| scale.parse().expect("BAKEOFF_TEST_SCALE is a number"));
    for (number, seed) in seeds.iter().enumerate() {
        function(seed);
        let mut random = Random(number as u64 + 1);
        for _ in 0..MUTATIONS * scale {
            let mut input = seed.clone();
            for _ in 0..=random.below(4) {
                mutate(&mut input, &seeds, &mut random);
            }
            function(&input);
        }
    }
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let directory = seeds_directory(target);
    let entries = fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a seed").path()).collect();
    assert!(!paths.is_empty(), "{} has no seeds", directory.display());
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed can be read")).collect()
}

fn seeds_directory(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target)
}

/// SplitMix64: small, and the same in every version.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit.max(1) as u64).expect("below a usize")
    }

    /// A range of a slice's indices.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let begin = self.below(length + 1);
        begin..begin + self.below((length - begin).min(64) + 1)
    }
}

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let place = random.range(input.len());
    match random.below(6) {
        0 => {
            if let Some(byte) = input.get_mut(place.start) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            input.drain(place);
        }
        2 => {
            let copy = input[place.clone()].to_vec();
            input.splice(place.end..place.end, copy);
        }
        3 => {
            input.splice(place, WORDS[random.below(WORDS.len())].iter().copied());
        }
        4 => {
            let other = &seeds[random.below(seeds.len())];
            let piece = other[random.range(other.len())].to_vec();
            input.splice(place, piece);
        }
        _ => input.truncate(place.end),
    }
}
