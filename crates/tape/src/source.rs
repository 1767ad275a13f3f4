//! Where the bytes of a value pool come from: a generator, the built-in words and JSON records, or a folder of texts.

use std::path::Path;

use crate::corpus::Corpus;
use crate::json::Json;
use crate::pieces::Pieces;
use crate::random::{Purpose, Stream};
use crate::words::Words;
use crate::{Data, TapeError};

/// An endless source of bytes.
pub(crate) enum Source {
    /// Incompressible.
    Random(Stream),
    /// Text from the built-in words.
    Words(Box<Words>),
    /// Text from files.
    Corpus(Corpus),
    /// JSON records.
    Json(Box<Json>),
    /// Runs of incompressible and of equal bytes.
    Half(Half),
}

/// Incompressible bytes in each turn, and equal ones after them: with what Snappy or LZ4 writes to say so, a half. Turns are
/// short, so that a value of 100 bytes compresses like one of a megabyte, wherever in the pool it begins.
const TURN: [usize; 2] = [20, 30];

/// Where in its turn the generator is.
pub(crate) struct Half {
    stream: Stream,
    /// One turn.
    turn: [u8; TURN[0] + TURN[1]],
    used: usize,
}

impl Half {
    fn new(stream: Stream) -> Self {
        Self { stream, turn: [0; TURN[0] + TURN[1]], used: TURN[0] + TURN[1] }
    }
}

impl Pieces for Half {
    fn piece(&mut self) -> (&[u8], &mut usize) {
        (&self.turn, &mut self.used)
    }

    fn next_piece(&mut self) {
        self.stream.fill(&mut self.turn[..TURN[0]]);
        let last = self.turn[TURN[0] - 1];
        self.turn[TURN[0]..].fill(last);
        self.used = 0;
    }
}

impl Source {
    pub(crate) fn new(data: Data, seed: u64, corpus: Option<&Path>) -> Result<Self, TapeError> {
        let stream = Stream::new(seed, "", 0, Purpose::Pool);
        Ok(match (data, corpus) {
            (Data::Random, _) => Self::Random(stream),
            (Data::Half, _) => Self::Half(Half::new(stream)),
            (Data::Json, _) => Self::Json(Box::new(Json::new(seed))),
            (Data::Text, None) => Self::Words(Box::new(Words::new(stream))),
            (Data::Text, Some(directory)) => Self::Corpus(Corpus::open(directory)?),
        })
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), TapeError> {
        match self {
            Self::Random(stream) => stream.fill(bytes),
            Self::Words(words) => words.fill(bytes),
            Self::Json(json) => json.fill(bytes),
            Self::Half(half) => half.fill(bytes),
            Self::Corpus(corpus) => corpus.fill(bytes)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::Pool;

    #[test]
    fn half_is_about_a_half_for_fast_compressors_and_for_short_values() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pool.bin");
        let facts = Pool::create(&path, Data::Half, 4 << 20, 1, None, &mut |_| ControlFlow::Continue(())).unwrap();
        for ratio in [facts.snappy_ratio, facts.lz4_ratio] {
            assert!((0.44..0.56).contains(&ratio), "{facts:?}");
        }
        // Zstandard writes equal parts more briefly: it comes near the 20 bytes of 50 that cannot be compressed.
        assert!((0.40..0.44).contains(&facts.zstd_ratio), "{facts:?}");
        let pool = Pool::open(&path).unwrap();
        let compressed = |offset| {
            let value = pool.slice(offset, 100).unwrap();
            snap::raw::Encoder::new().compress_vec(value).unwrap().len()
        };
        let all: Vec<usize> = (0..100_000).step_by(37).map(compressed).collect();
        let mean = all.iter().sum::<usize>() as f64 / all.len() as f64;
        assert!((48.0..60.0).contains(&mean), "{mean} bytes of 100");
        let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
        assert!((35..=70).contains(least) && (35..=70).contains(most), "{least} to {most} bytes of 100");
    }

    #[test]
    fn half_does_not_depend_on_the_pieces_it_is_written_in() {
        let filled = |lengths: &[usize]| {
            let mut source = Half::new(Stream::new(3, "", 0, Purpose::Pool));
            let mut all = Vec::new();
            for &length in lengths {
                let mut piece = vec![0; length];
                source.fill(&mut piece);
                all.extend(piece);
            }
            all
        };
        assert_eq!(filled(&[1000]), filled(&[1, 300, 0, 699]));
    }
}
