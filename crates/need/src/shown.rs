//! What a trace or a tape shows of an item of a need: a value, and its text for a command line.

use std::collections::BTreeMap;
use std::fmt;

use bakeoff_engine::pick::Access;
use bakeoff_tape::{Data, KeyForm, Operation, SizeRange, ValueSizes};
use bakeoff_text::format_size_range;

/// The value of an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shown {
    /// A number of something.
    Count(u64),
    /// A length, bytes.
    Bytes(u64),
    /// A part of a whole.
    Part(f64),
    /// Lengths of keys.
    KeySizes(SizeRange),
    /// How keys are made.
    KeyForm(KeyForm),
    /// Lengths of values.
    ValueSizes(ValueSizes),
    /// What values are made of.
    Data(Data),
    /// Kinds of operation by weight.
    Mix(Vec<(Operation, u64)>),
    /// Which records operations choose, and which single kinds choose.
    Accesses(Access, BTreeMap<&'static str, Access>),
}

impl Shown {
    /// The same without what holds only together with other items: accesses of single kinds of operation, and which records are popular.
    pub(crate) fn alone(self) -> Self {
        match self {
            Self::Accesses(usual, _) => Self::Accesses(usual, BTreeMap::new()),
            Self::ValueSizes(sizes) => Self::ValueSizes(sizes.with_popular(None)),
            other => other,
        }
    }
}

/// As a flag takes it.
impl fmt::Display for Shown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(number) => write!(out, "{number}"),
            Self::Bytes(bytes) => write!(out, "{bytes}B"),
            Self::Part(part) => write!(out, "{part}"),
            Self::KeySizes(SizeRange { min, max }) => out.write_str(&format_size_range(*min, *max)),
            Self::KeyForm(form) => out.write_str(form.name()),
            Self::ValueSizes(sizes) => write!(out, "{sizes}"),
            Self::Data(data) => out.write_str(data.name()),
            Self::Mix(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(|(kind, weight)| format!("{}={weight}", kind.name())).collect();
                out.write_str(&kinds.join(","))
            }
            Self::Accesses(usual, own) => {
                out.write_str(&access(usual))?;
                own.iter().try_for_each(|(kind, how)| write!(out, ",{kind}={}", access(how)))
            }
        }
    }
}

fn access(of: &Access) -> String {
    match of {
        Access::Named(word) => (*word).to_owned(),
        Access::Skewed(exponents) => {
            let skewed: Vec<_> = exponents.iter().map(|(word, exponent)| format!("{word}:{exponent:.2}")).collect();
            skewed.join(",")
        }
        Access::Hot { hot } => format!("hot:{}/{}", hot.records, hot.operations),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_engine::pick::{Hot, Need};

    use super::*;
    use crate::items::ITEMS;
    use crate::word::Word;

    #[test]
    fn an_option_asks_for_what_was_shown() {
        let mixed = ValueSizes::parse("70% 200B, 30% 20KiB, popular small").unwrap();
        let zipfian = Access::Skewed(BTreeMap::from([("zipfian", 0.8)]));
        let expiring = BTreeMap::from([("delete", Access::Named("insertion"))]);
        let hot = Access::Hot { hot: Hot { records: 0.0123, operations: 0.9 } };
        let all = [
            ("records", Shown::Count(12_345)),
            ("longest-key", Shown::Bytes(600)),
            ("missing", Shown::Part(0.000_012_3)),
            ("key-size", Shown::KeySizes(SizeRange { min: 8, max: 40 })),
            ("key-form", Shown::KeyForm(KeyForm::Decimal)),
            ("value-size", Shown::ValueSizes(mixed)),
            ("data", Shown::Data(Data::Json)),
            ("mix", Shown::Mix(vec![(Operation::Get, 95), (Operation::Delete, 5)])),
            ("access", Shown::Accesses(zipfian, expiring)),
            ("access", Shown::Accesses(hot, BTreeMap::new())),
        ];
        for (key, shown) in all {
            let item = ITEMS.iter().find(|item| item.key == key).unwrap();
            let read = |word: &Word| {
                let mut need = Need::default();
                (item.read)(word, &mut need).unwrap_or_else(|why| panic!("{key}: {why:#}"));
                format!("{need:?}")
            };
            let word = Word::shown(key.to_owned(), shown);
            assert_eq!(read(&word), read(&Word { shown: None, ..word.clone() }), "{}", word.text);
            assert_ne!(read(&word), format!("{:?}", Need::default()), "{}", word.text);
        }
    }
}
