//! Where the bytes of a value pool come from: a generator, the built-in words, or a folder of texts.

use std::path::Path;

use crate::corpus::Corpus;
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
}

impl Source {
    pub(crate) fn new(data: Data, seed: u64, corpus: Option<&Path>) -> Result<Self, TapeError> {
        let stream = Stream::new(seed, "", 0, Purpose::Pool);
        Ok(match (data, corpus) {
            (Data::Random, _) => Self::Random(stream),
            (Data::Text, None) => Self::Words(Box::new(Words::new(stream))),
            (Data::Text, Some(directory)) => Self::Corpus(Corpus::open(directory)?),
        })
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<(), TapeError> {
        match self {
            Self::Random(stream) => stream.fill(bytes),
            Self::Words(words) => words.fill(bytes),
            Self::Corpus(corpus) => corpus.fill(bytes)?,
        }
        Ok(())
    }
}
