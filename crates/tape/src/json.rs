//! A model of JSON records, as web services keep them: orders with a customer, items, an address and some text, each on a line.
//!
//! Names of fields come again in every record, and many values come from short lists. So they compress about as well as records of
//! real services do; a test holds them to that.

use std::fmt::Write;

use crate::pieces::Pieces;
use crate::random::{Purpose, Stream};
use crate::words::Words;

const STATUS: [&str; 6] = ["paid", "paid", "shipped", "delivered", "open", "cancelled"];
const CURRENCIES: [&str; 4] = ["EUR", "USD", "CHF", "GBP"];
const COUNTRIES: [&str; 8] = ["DE", "US", "CH", "GB", "FR", "IT", "JP", "BR"];
const CHANNELS: [&str; 3] = ["web", "app", "phone"];

/// 1 January 2026 in milliseconds since 1970: the first records are from then.
const YEAR_BEGIN_MS: u64 = 1_767_225_600_000;

/// Records, one after the other.
pub(crate) struct Json {
    stream: Stream,
    words: Words,
    record: String,
    used: usize,
    /// The number of the next record.
    number: u64,
    /// When the last one was made, milliseconds since 1970.
    time_ms: u64,
}

impl Json {
    pub(crate) fn new(seed: u64) -> Self {
        let stream = |of: &str| Stream::new(seed, of, 0, Purpose::Pool);
        Self {
            stream: stream("json"),
            words: Words::new(stream("json-words")),
            record: String::new(),
            used: 0,
            number: 1_000_000,
            time_ms: YEAR_BEGIN_MS,
        }
    }

    fn write_record(&mut self) {
        self.record.clear();
        self.used = 0;
        self.number += 1;
        self.time_ms += self.stream.below(60_000);
        let (high, low) = (self.stream.next(), self.stream.next());
        let uuid = format_args!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48 & 0xfff,
            low & 0xffff_ffff_ffff
        )
        .to_string();
        let number = self.number;
        self.push(format_args!("{{\"id\":\"{uuid}\",\"number\":{number},\"created_at\":"));
        self.push_time();
        let status = self.one_of(&STATUS);
        let channel = self.one_of(&CHANNELS);
        self.push(format_args!(",\"status\":\"{status}\",\"channel\":\"{channel}\",\"customer\":{{\"id\":"));
        let customer = self.stream.below(200_000);
        let (first, last) = (self.name(), self.name());
        let user = format!("{}.{}", first.to_lowercase(), last.to_lowercase());
        self.push(format_args!(
            "{customer},\"name\":\"{first} {last}\",\"email\":\"{user}@example.com\",\"address\":{{"
        ));
        let (street, city, country) = (self.name(), self.name(), self.one_of(&COUNTRIES));
        let (house, code) = (self.stream.within(1, 199), self.stream.within(10_000, 99_999));
        self.push(format_args!(
            "\"street\":\"{street} {house}\",\"code\":\"{code}\",\"city\":\"{city}\",\"country\":\"{country}\"}}}},\"items\":["
        ));
        let mut total = 0;
        for item in 0..self.stream.within(1, 4) {
            let (product, quantity, cents) =
                (self.stream.below(50_000), self.stream.within(1, 3), self.stream.within(99, 19_999));
            total += quantity * cents;
            let comma = if item == 0 { "" } else { "," };
            self.push(format_args!("{comma}{{\"product\":\"P-{product:05}\",\"quantity\":{quantity},\"price\":"));
            self.push_amount(cents);
            self.push(format_args!("}}"));
        }
        let currency = self.one_of(&CURRENCIES);
        self.push(format_args!("],\"currency\":\"{currency}\",\"total\":"));
        self.push_amount(total);
        let (gift, paid) = (self.stream.below(20) == 0, self.stream.below(8) != 0);
        self.push(format_args!(",\"gift\":{gift},\"paid\":{paid},\"note\":"));
        if self.stream.below(3) == 0 {
            self.push(format_args!("\""));
            let words = self.stream.within(4, 24);
            self.words.write_plain(words, &mut self.record);
            self.push(format_args!("\"}}\n"));
        } else {
            self.push(format_args!("null}}\n"));
        }
    }

    fn one_of(&mut self, list: &[&'static str]) -> &'static str {
        list[self.stream.below(list.len() as u64) as usize]
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        self.words.write_name(&mut name);
        name
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.record.write_fmt(text);
    }

    fn push_amount(&mut self, cents: u64) {
        self.push(format_args!("{}.{:02}", cents / 100, cents % 100));
    }

    /// The time as RFC 3339 has it. Days after 2026 are counted in months of 28 days: it is a text that compresses like a time.
    fn push_time(&mut self) {
        let (ms, s) = (self.time_ms % 1000, self.time_ms / 1000 % 86_400);
        let day = (self.time_ms - YEAR_BEGIN_MS) / 86_400_000;
        let (year, month, day) = (2026 + day / 336, day / 28 % 12 + 1, day % 28 + 1);
        let (hour, minute, second) = (s / 3600, s / 60 % 60, s % 60);
        self.push(format_args!("\"{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z\""));
    }
}

impl Pieces for Json {
    fn piece(&mut self) -> (&[u8], &mut usize) {
        (self.record.as_bytes(), &mut self.used)
    }

    fn next_piece(&mut self) {
        self.write_record();
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{Data, Pool};

    fn filled(seed: u64, lengths: &[usize]) -> Vec<u8> {
        let mut json = Json::new(seed);
        let mut all = Vec::new();
        for &length in lengths {
            let mut piece = vec![0; length];
            json.fill(&mut piece);
            all.extend(piece);
        }
        all
    }

    #[test]
    fn every_line_is_a_record() {
        let text = String::from_utf8(filled(1, &[1 << 20])).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let (last, whole) = lines.split_last().unwrap();
        assert!(!last.is_empty());
        for line in whole {
            let record: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}"));
            assert!(record["total"].as_f64().unwrap() > 0.0 && record["items"][0]["quantity"].is_u64(), "{line}");
        }
        let mean = whole.iter().map(|line| line.len()).sum::<usize>() / whole.len();
        assert!((350..550).contains(&mean), "{mean} bytes");
    }

    #[test]
    fn the_seed_alone_decides() {
        assert_eq!(filled(3, &[5000]), filled(3, &[1, 300, 0, 4699]));
        assert_ne!(filled(3, &[5000]), filled(4, &[5000]));
    }

    #[test]
    fn it_compresses_as_records_of_services_do() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pool.bin");
        let facts = Pool::create(&path, Data::Json, 4 << 20, 1, None, &mut |_| ControlFlow::Continue(())).unwrap();
        println!("{facts:?}");
        assert!((0.30..0.50).contains(&facts.snappy_ratio), "{facts:?}");
        assert!((0.30..0.50).contains(&facts.lz4_ratio), "{facts:?}");
        assert!((0.18..0.32).contains(&facts.zstd_ratio), "{facts:?}");
    }
}
