//! A model of English prose: common words as often as they occur, rarer ones made up, in sentences and paragraphs.
//!
//! It exists so that a pool compresses about as well as real text does without any text being shipped. A test holds it
//! to the ratios of English prose.

use crate::pieces::Pieces;
use crate::random::{Stream, Zipf};

/// Common words, most frequent first.
const WORDS: &str = include_str!("words.txt");

/// Syllables that rare words and names are made of.
const SYLLABLES: [&str; 48] = [
    "an", "ber", "con", "dal", "el", "fer", "gar", "hol", "in", "jor", "kel", "lan", "mor", "nes", "or", "per", "quin",
    "ros", "sel", "tor", "un", "ver", "wil", "yor", "zen", "bri", "cho", "dre", "flo", "gra", "lli", "mu", "na", "pli",
    "ri", "sti", "tra", "vi", "wo", "xi", "ck", "dge", "ment", "ness", "tion", "ly", "ous", "ing",
];

/// Of 1,000 words, how many are made up, names, numbers.
const MADE_UP: u64 = 40;
const NAMES: u64 = 20;
const NUMBERS: u64 = 12;
/// Of 1,000 common words, how many get an ending they may not have in English.
const ENDINGS: u64 = 70;

/// The text, written sentence by sentence.
pub(crate) struct Words {
    stream: Stream,
    words: Vec<&'static str>,
    ranks: Zipf,
    sentence: String,
    used: usize,
    sentences_left: u64,
}

impl Words {
    pub(crate) fn new(stream: Stream) -> Self {
        let words: Vec<_> = WORDS.split_ascii_whitespace().collect();
        let ranks = Zipf::new(words.len() as u64, words.len() as u64, 1.0);
        Self { stream, words, ranks, sentence: String::new(), used: 0, sentences_left: 5 }
    }

    /// Adds a made-up name.
    pub(crate) fn write_name(&mut self, out: &mut String) {
        self.sentence.clear();
        self.used = 0;
        self.write_syllables(2, 3);
        self.sentence[..1].make_ascii_uppercase();
        out.push_str(&self.sentence);
    }

    /// Adds `words` words with blanks between them.
    pub(crate) fn write_plain(&mut self, words: u64, out: &mut String) {
        self.sentence.clear();
        self.used = 0;
        for place in 0..words {
            if place > 0 {
                self.sentence.push(' ');
            }
            self.write_common();
        }
        out.push_str(&self.sentence);
    }

    fn write_sentence(&mut self) {
        self.sentence.clear();
        self.used = 0;
        let words = self.stream.within(4, 28);
        for place in 0..words {
            let begin = self.sentence.len();
            self.write_word();
            if place == 0 {
                self.sentence[begin..=begin].make_ascii_uppercase();
            }
            if place + 1 < words {
                self.sentence.push_str(if self.stream.below(14) == 0 { ", " } else { " " });
            }
        }
        self.sentence.push_str(match self.stream.below(20) {
            0 => "?",
            1 => "!",
            2 => "; ",
            _ => ".",
        });
        self.sentences_left -= 1;
        if self.sentences_left == 0 {
            self.sentence.push_str("\n\n");
            self.sentences_left = self.stream.within(2, 8);
        } else {
            self.sentence.push(' ');
        }
    }

    fn write_word(&mut self) {
        match self.stream.below(1000) {
            kind if kind < MADE_UP => self.write_syllables(2, 4),
            kind if kind < MADE_UP + NAMES => {
                let begin = self.sentence.len();
                self.write_syllables(2, 3);
                self.sentence[begin..=begin].make_ascii_uppercase();
            }
            kind if kind < MADE_UP + NAMES + NUMBERS => {
                let digits = self.stream.within(1, 4) as u32;
                self.sentence.push_str(&self.stream.below(10_u64.pow(digits)).to_string());
            }
            _ => self.write_common(),
        }
    }

    fn write_common(&mut self) {
        let rank = self.ranks.draw(&mut self.stream);
        let word = self.words[(rank - 1) as usize];
        self.sentence.push_str(word);
        if word.len() > 3 && self.stream.below(1000) < ENDINGS {
            self.sentence.push_str(["s", "ed", "ing", "ly", "er", "'s"][self.stream.below(6) as usize]);
        }
    }

    fn write_syllables(&mut self, min: u64, max: u64) {
        for _ in 0..self.stream.within(min, max) {
            self.sentence.push_str(SYLLABLES[self.stream.below(SYLLABLES.len() as u64) as usize]);
        }
    }
}

impl Pieces for Words {
    fn piece(&mut self) -> (&[u8], &mut usize) {
        (self.sentence.as_bytes(), &mut self.used)
    }

    fn next_piece(&mut self) {
        self.write_sentence();
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{Data, Pool, random::Purpose};

    #[test]
    fn compresses_like_english_prose() {
        let directory = tempfile::tempdir().unwrap();
        let facts = Pool::create(&directory.path().join("pool.bin"), Data::Text, 4 << 20, 1, None, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!((0.55..0.70).contains(&facts.snappy_ratio), "{facts:?}");
        assert!((0.55..0.70).contains(&facts.lz4_ratio), "{facts:?}");
        assert!((0.35..0.48).contains(&facts.zstd_ratio), "{facts:?}");
    }

    #[test]
    fn the_list_has_each_word_once() {
        let mut words: Vec<_> = WORDS.split_ascii_whitespace().collect();
        assert!((1000..2000).contains(&words.len()), "{}", words.len());
        words.sort_unstable();
        assert!(words.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn pieces_make_no_difference() {
        let text = |lengths: &[usize]| {
            let mut words = Words::new(Stream::new(3, "", 0, Purpose::Pool));
            let mut text = Vec::new();
            for length in lengths {
                let mut piece = vec![0; *length];
                words.fill(&mut piece);
                text.extend(piece);
            }
            text
        };
        assert_eq!(text(&[1000]), text(&[1, 300, 0, 699]));
        assert!(text(&[5000]).is_ascii());
    }
}
