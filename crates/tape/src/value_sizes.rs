//! Sizes of values: one range, or several with weights, as an application has that keeps records of different kinds.

use std::fmt;

use bakeoff_text::{UnitError, format_size_range, parse_size_range, shorten};
use serde::{Deserialize, Serialize};

use crate::SizeRange;

/// Parts of a mixture, at most.
const PARTS_MAX: usize = 8;

/// Weights are read in thousandths, up to this many ones.
const THOUSANDTHS: u64 = 1_000;
const WEIGHT_MAX: u64 = 1_000_000;

/// By how many thousandths of a percent percentages may miss 100, since people round them.
const ROUNDED_BY: u64 = 500;

const EXAMPLE: &str = "70% 200B, 30% 20KiB";

/// The word before the popular end.
const POPULAR: &str = "popular";

/// Which records are popular where sizes have weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Popular {
    /// Records of the smallest sizes.
    Small,
    /// Records of the largest.
    Large,
}

impl Popular {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Small, Self::Large];

    /// The name in suites and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }
}

/// A range of sizes and its weight among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SizePart {
    /// Its weight, above 0: its share of the records is this number over the sum of all weights.
    pub weight: u64,
    /// The sizes, bytes.
    #[serde(flatten)]
    pub range: SizeRange,
}

/// Sizes of values: a range, or up to eight with weights. A record keeps its range when its value is replaced.
///
/// Parts are in ascending order, and their weights have no common divisor. Parts of the same range are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Form", into = "Form")]
pub struct ValueSizes {
    /// At least one.
    parts: Vec<SizePart>,
    /// Which are popular; `None` where a record's size says nothing of that.
    popular: Option<Popular>,
}

/// In JSON one range is as if there were no others.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    One(SizeRange),
    Several(Vec<SizePart>),
    Popular { popular: Popular, parts: Vec<SizePart> },
}

impl From<ValueSizes> for Form {
    fn from(sizes: ValueSizes) -> Self {
        match (sizes.parts.as_slice(), sizes.popular) {
            ([only], _) => Self::One(only.range),
            (_, None) => Self::Several(sizes.parts),
            (_, Some(popular)) => Self::Popular { popular, parts: sizes.parts },
        }
    }
}

impl TryFrom<Form> for ValueSizes {
    type Error = String;

    fn try_from(form: Form) -> Result<Self, String> {
        let mixture = |parts| Self::mixture(parts).ok_or(format!("give 1 to {PARTS_MAX} sizes with weights above 0"));
        match form {
            Form::One(range) => Ok(range.into()),
            Form::Several(parts) => mixture(parts),
            Form::Popular { popular, parts } => Ok(mixture(parts)?.with_popular(Some(popular))),
        }
    }
}

impl From<SizeRange> for ValueSizes {
    fn from(range: SizeRange) -> Self {
        Self { parts: vec![SizePart { weight: 1, range }], popular: None }
    }
}

impl ValueSizes {
    /// Sizes with weights; `None` without any, with more than eight, or if a weight is 0 or, without the common divisor, above 10⁹.
    pub fn mixture(mut parts: Vec<SizePart>) -> Option<Self> {
        if !(1..=PARTS_MAX).contains(&parts.len()) || parts.iter().any(|part| part.weight == 0) {
            return None;
        }
        parts.sort_by_key(|part| (part.range.min, part.range.max));
        parts.dedup_by(|part, before| {
            let is_same = part.range == before.range;
            before.weight = before.weight.saturating_add(if is_same { part.weight } else { 0 });
            is_same
        });
        let divisor = parts.iter().fold(0, |divisor, part| common_divisor(part.weight, divisor));
        parts.iter_mut().for_each(|part| part.weight /= divisor);
        parts.iter().all(|part| part.weight <= WEIGHT_MAX * THOUSANDTHS).then_some(Self { parts, popular: None })
    }

    /// The same where records of these sizes are popular, if there are several parts.
    pub fn with_popular(mut self, popular: Option<Popular>) -> Self {
        self.popular = popular.filter(|_| self.is_mixed());
        self
    }

    /// Reads `1KiB..10KiB`, or `70% 200B, 30% 20KiB`, whose weights are percent or numbers that need not sum to 100. The latter may end with
    /// `, popular small` or `, popular large`.
    ///
    /// # Errors
    /// A part has no size or weight, or an impossible one; percentages that do not sum to 100; more than eight parts.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        if !Self::is_mixture(text) {
            let range = parse_size_range(text)?;
            return Ok(SizeRange { min: *range.start(), max: *range.end() }.into());
        }
        let (text, popular) = popular(text)?;
        let parts = text.split(',').map(|part| Typed::parse(part.trim())).collect::<Result<Vec<_>, _>>()?;
        if parts.len() > PARTS_MAX {
            return Err(UnitError {
                what: format!("`{}` has {} sizes", shorten(text), parts.len()),
                remedy: format!("give at most {PARTS_MAX}, and ranges such as 1KiB..4KiB in place of some"),
            });
        }
        let percents = parts.iter().filter(|part| part.is_percent).count();
        let sum: u64 = parts.iter().map(|part| part.of.weight).sum();
        if percents > 0 && percents < parts.len() {
            return Err(UnitError {
                what: format!("`{}` has weights in percent and others", shorten(text)),
                remedy: format!("write % after each weight or after none: {EXAMPLE}"),
            });
        }
        if percents > 0 && sum.abs_diff(100 * THOUSANDTHS) >= ROUNDED_BY {
            return Err(UnitError {
                what: format!("the percentages of `{}` sum to {}%", shorten(text), thousandths(sum)),
                remedy: "make them 100%, or leave out the % signs: plain weights may have any sum".to_owned(),
            });
        }
        let parts: Vec<SizePart> = parts.into_iter().map(|part| part.of).collect();
        let sizes = Self::mixture(parts).ok_or_else(|| UnitError {
            what: format!("the weights of `{}` are too large", shorten(text)),
            remedy: format!("give numbers up to {WEIGHT_MAX}"),
        })?;
        match popular {
            Some(of) if !sizes.is_mixed() => Err(UnitError {
                what: format!("`{}` has one size, so popular records are not {}", shorten(text), of.name()),
                remedy: format!("leave it out, or write several sizes: {EXAMPLE}, popular {}", of.name()),
            }),
            _ => Ok(sizes.with_popular(popular)),
        }
    }

    /// Whether a text is meant as several sizes with weights, right or wrong.
    pub fn is_mixture(text: &str) -> bool {
        text.contains([',', '%'])
    }

    /// Whether a text is a part of a mixture: it begins with a weight, or with the word before the popular end.
    pub fn is_part(part: &str) -> bool {
        let part = part.trim();
        if part.starts_with(POPULAR) {
            return true;
        }
        let number = part.bytes().take_while(|byte| byte.is_ascii_digit() || b"._".contains(byte)).count();
        let (number, size) = part.split_at(number);
        let is_size = size.trim_start().starts_with(|first: char| first.is_ascii_digit() || first == '-');
        part.contains('%') || (!number.is_empty() && size.starts_with(char::is_whitespace) && is_size)
    }

    /// The parts, ascending; at least one.
    pub fn parts(&self) -> &[SizePart] {
        &self.parts
    }

    /// The distinguishable ranges of sizes, ascending: the parts, with overlapping ones joined. None if that leaves
    /// one. Two that share only an end are two, and that size belongs to the first.
    pub fn distinct(&self) -> Vec<SizeRange> {
        let mut ranges: Vec<SizeRange> = Vec::new();
        for SizePart { range, .. } in &self.parts {
            match ranges.last_mut().filter(|last| range.min < last.max || range.max == last.max) {
                Some(last) => last.max = last.max.max(range.max),
                None => ranges.push(*range),
            }
        }
        if ranges.len() > 1 { ranges } else { Vec::new() }
    }

    /// Which records are popular; `None` where a record's size says nothing of that.
    pub fn popular(&self) -> Option<Popular> {
        self.popular
    }

    /// Whether there are several parts.
    pub fn is_mixed(&self) -> bool {
        self.parts.len() > 1
    }

    /// The range from the smallest to the largest size, bytes.
    pub fn range(&self) -> SizeRange {
        let ends = |range: SizeRange, part: &SizePart| SizeRange {
            min: range.min.min(part.range.min),
            max: range.max.max(part.range.max),
        };
        self.parts.iter().fold(SizeRange { min: u64::MAX, max: 0 }, ends)
    }

    /// The largest size, bytes.
    pub fn max(&self) -> u64 {
        self.range().max
    }

    /// The sum of all weights.
    pub fn weight(&self) -> u64 {
        self.parts.iter().map(|part| part.weight).sum()
    }

    /// The mean size of values that are drawn evenly from each part, bytes.
    pub fn mean(&self) -> f64 {
        let middle = |range: SizeRange| range.min as f64 / 2.0 + range.max as f64 / 2.0;
        self.parts.iter().map(|part| part.weight as f64 * middle(part.range)).sum::<f64>() / self.weight() as f64
    }

    /// The same with other sizes: `change` is given each end of each part, bytes, and keeps their order.
    pub fn map(&self, change: impl Fn(u64) -> u64) -> Self {
        let changed = |part: &SizePart| SizePart {
            range: SizeRange { min: change(part.range.min), max: change(part.range.max) },
            ..*part
        };
        // The number of parts and their weights are unchanged.
        let mixture = Self::mixture(self.parts.iter().map(changed).collect());
        mixture.map_or_else(|| self.clone(), |sizes| sizes.with_popular(self.popular))
    }
}

/// As it is read: percentages where they are exact to a thousandth, else weights.
impl fmt::Display for ValueSizes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |part: &SizePart| format_size_range(part.range.min, part.range.max);
        if let [only] = self.parts.as_slice() {
            return out.write_str(&size(only));
        }
        let (sum, whole) = (self.weight(), 100 * THOUSANDTHS);
        let in_percent = self.parts.iter().all(|part| (part.weight * whole).is_multiple_of(sum));
        let in_ones = self.parts.iter().all(|part| part.weight <= WEIGHT_MAX);
        for (number, part) in self.parts.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            match (in_percent, in_ones) {
                (true, _) => write!(out, "{comma}{}% {}", thousandths(part.weight * whole / sum), size(part))?,
                (false, true) => write!(out, "{comma}{} {}", part.weight, size(part))?,
                (false, false) => write!(out, "{comma}{} {}", thousandths(part.weight), size(part))?,
            }
        }
        self.popular.map_or(Ok(()), |popular| write!(out, ", {POPULAR} {}", popular.name()))
    }
}

/// The sizes of a mixture, and which are popular, as typed.
fn popular(text: &str) -> Result<(&str, Option<Popular>), UnitError> {
    let Some((sizes, last)) = text.rsplit_once(',') else { return Ok((text, None)) };
    let Some(word) = last.trim().strip_prefix(POPULAR) else { return Ok((text, None)) };
    match Popular::ALL.into_iter().find(|of| of.name() == word.trim()) {
        Some(popular) => Ok((sizes, Some(popular))),
        None => Err(UnitError {
            what: format!("`{}` does not say which records are popular", shorten(last.trim())),
            remedy: format!("end with {POPULAR} small or {POPULAR} large: {EXAMPLE}, {POPULAR} small"),
        }),
    }
}

/// A part as typed, its weight in thousandths.
struct Typed {
    of: SizePart,
    is_percent: bool,
}

impl Typed {
    fn parse(text: &str) -> Result<Self, UnitError> {
        if text.is_empty() {
            return Err(UnitError {
                what: "a size is missing at a comma".to_owned(),
                remedy: format!("write {EXAMPLE}"),
            });
        }
        let end = text.find(|letter: char| !(letter.is_ascii_digit() || "._+-".contains(letter)));
        let (number, rest) = text.split_at(end.unwrap_or(text.len()));
        let (is_percent, size) = match rest.trim_start().strip_prefix('%') {
            Some(size) => (true, size.trim()),
            None => (false, rest.trim()),
        };
        let is_parted = is_percent || rest.starts_with(char::is_whitespace);
        if !is_parted || (!is_percent && !size.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')) {
            return Err(no_weight(text));
        }
        if size.is_empty() {
            let what = format!("`{}` has no size", shorten(text));
            return Err(UnitError { what, remedy: format!("write one after each weight: {EXAMPLE}") });
        }
        let weight = weight(number).ok_or_else(|| UnitError {
            what: format!("`{}` has the weight `{}`", shorten(text), shorten(number)),
            remedy: format!("give a number above 0, up to {WEIGHT_MAX}, with at most three decimals"),
        })?;
        let range = parse_size_range(size)?;
        Ok(Self { of: SizePart { weight, range: SizeRange { min: *range.start(), max: *range.end() } }, is_percent })
    }
}

fn no_weight(text: &str) -> UnitError {
    UnitError {
        what: format!("`{}` has no weight and size", shorten(text)),
        remedy: format!("write both for each part, as in {EXAMPLE}"),
    }
}

/// A weight above 0, in thousandths.
fn weight(number: &str) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.replace('_', "");
    if !is_number(&whole) || !is_number(fraction) || fraction.len() > 3 {
        return None;
    }
    let whole = whole.parse::<u64>().ok().filter(|whole| *whole <= WEIGHT_MAX)?;
    let weight = whole * THOUSANDTHS + format!("{fraction:0<3}").parse::<u64>().ok()?;
    (1..=WEIGHT_MAX * THOUSANDTHS).contains(&weight).then_some(weight)
}

/// A number of thousandths as a decimal number.
fn thousandths(number: u64) -> String {
    let text = format!("{}.{:03}", number / THOUSANDTHS, number % THOUSANDTHS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        ValueSizes::parse(text).unwrap().to_string()
    }

    #[test]
    fn weights_are_normalised_and_parts_are_put_in_order() {
        assert_eq!(shown("70% 200B, 30% 20KiB"), "70% 200B, 30% 20KiB");
        assert_eq!(shown("30 20KiB,70 200"), "70% 200B, 30% 20KiB");
        assert_eq!(shown("0.7 1..400KiB, 0.3 400KiB..1MiB"), "70% 1B..400KiB, 30% 400KiB..1MiB");
        assert_eq!(shown("12.5% 1 KiB , 87.5% 1kB"), "87.5% 1000B, 12.5% 1KiB");
        assert_eq!(shown("1 1B, 1 2B, 1 3B"), "1 1B, 1 2B, 1 3B");
        assert_eq!(shown("33.3% 1B, 33.3% 2B, 33.3% 3B"), "1 1B, 1 2B, 1 3B");
        assert_eq!(shown("1KiB..4KiB"), "1KiB..4KiB");
        assert_eq!(shown("100% 7B"), "7B");
        assert_eq!(shown("20% 7B, 50% 9B, 30% 7B"), "50% 7B, 50% 9B");
        assert_eq!(shown("30 20KiB,70 200,popular  small"), "70% 200B, 30% 20KiB, popular small");
    }

    #[test]
    fn what_cannot_be_says_what_and_how_to_write_it() {
        for (text, what) in [
            ("70%, 30% 20KiB", "`70%` has no size"),
            ("70% 200B, 20KiB", "`20KiB` has no weight and size"),
            ("100B, 1KiB", "`100B` has no weight and size"),
            ("70% 200B, 1 KiB", "`1 KiB` has no weight and size"),
            ("70% 200B,", "a size is missing at a comma"),
            ("0% 200B, 100% 1KiB", "`0% 200B` has the weight `0`"),
            ("-5% 200B, 105% 1KiB", "`-5% 200B` has the weight `-5`"),
            ("% 200B, 100% 1KiB", "`% 200B` has the weight ``"),
            ("0.0001 200B, 1 1KiB", "`0.0001 200B` has the weight `0.0001`"),
            ("1000001 200B, 1 1KiB", "`1000001 200B` has the weight `1000001`"),
            ("70% 200B, 31% 1KiB", "the percentages of `70% 200B, 31% 1KiB` sum to 101%"),
            ("70% 200B, 30 1KiB", "`70% 200B, 30 1KiB` has weights in percent and others"),
            ("50% 200B, 50% 1KiX", "`1KiX` has the unknown unit `KiX`"),
            ("50% 200B, 50% 4KiB..1KiB", "the range `4KiB..1KiB` runs backwards"),
            ("70% 200B, 30% 1KiB, popular tiny", "`popular tiny` does not say which records are popular"),
            ("70% 200B, popular large, 30% 1KiB", "`popular large` has no weight and size"),
            ("100% 200B, popular large", "`100% 200B` has one size, so popular records are not large"),
            ("1 1,1 2,1 3,1 4,1 5,1 6,1 7,1 8,1 9", "`1 1,1 2,1 3,1 4,1 5,1 6,1 7,1 8,1 9` has 9 sizes"),
        ] {
            let error = ValueSizes::parse(text).unwrap_err();
            assert_eq!(error.what, what, "{text}");
            assert!(!error.remedy.is_empty());
        }
    }

    #[test]
    fn json_of_one_range_is_that_of_a_range() {
        let one = ValueSizes::from(SizeRange { min: 1, max: 9 });
        assert_eq!(serde_json::to_string(&one).unwrap(), r#"{"min":1,"max":9}"#);
        let mixed = ValueSizes::parse("70% 200B, 30% 1KiB..2KiB").unwrap();
        let json = serde_json::to_string(&mixed).unwrap();
        assert_eq!(json, r#"[{"weight":7,"min":200,"max":200},{"weight":3,"min":1024,"max":2048}]"#);
        assert_eq!(serde_json::from_str::<ValueSizes>(&json).unwrap(), mixed);
        let popular = ValueSizes::parse("70% 200B, 30% 1KiB..2KiB, popular large").unwrap();
        let json = serde_json::to_string(&popular).unwrap();
        assert!(json.starts_with(r#"{"popular":"large","parts":[{"weight":7,"#), "{json}");
        assert_eq!(serde_json::from_str::<ValueSizes>(&json).unwrap(), popular);
        assert_eq!(popular.map(|bytes| bytes * 2).to_string(), "70% 400B, 30% 2KiB..4KiB, popular large");
        assert!(serde_json::from_str::<ValueSizes>("[]").is_err());
        assert!(serde_json::from_str::<ValueSizes>(r#"[{"weight":0,"min":1,"max":1}]"#).is_err());
    }

    #[test]
    fn ends_and_means_are_of_all_parts() {
        let sizes = ValueSizes::parse("3 100B..300B, 1 1000B").unwrap();
        assert_eq!((sizes.range(), sizes.max()), (SizeRange { min: 100, max: 1000 }, 1000));
        assert!((sizes.mean() - 400.0).abs() < 1e-9);
        assert_eq!(sizes.map(|bytes| bytes * 2).to_string(), "75% 200B..600B, 25% 2000B");
        assert_eq!(ValueSizes::parse("1 2B, 1 3B").unwrap().map(|bytes| bytes / 2).to_string(), "1B");
    }

    #[test]
    fn sizes_of_parts_that_overlap_are_not_told_apart() {
        let of = |text: &str| {
            let ranges = ValueSizes::parse(text).unwrap().distinct();
            ranges.iter().map(|range| format_size_range(range.min, range.max)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("1KiB..4KiB"), "");
        assert_eq!(of("7 200B, 3 20KiB"), "200B 20KiB");
        assert_eq!(of("7 1B..400KiB, 3 400KiB..1MiB"), "1B..400KiB 400KiB..1MiB");
        assert_eq!(of("1 1B..9B, 1 5B..20B, 1 30B"), "1B..20B 30B");
        assert_eq!(of("1 1B..9B, 1 3B..4B"), "");
        assert_eq!(of("1 5B..9B, 1 9B"), "");
        assert_eq!(of("1 5B, 1 5B..9B"), "5B 5B..9B");
        assert_eq!(of("1 0B, 1 1B"), "0B 1B");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_the_same(
            parts in prop::collection::vec((1..=WEIGHT_MAX * THOUSANDTHS, 0..1_u64 << 30, 0..1_u64 << 20), 1..=PARTS_MAX)
        ) {
            let part = |(weight, min, more)| SizePart { weight, range: SizeRange { min, max: min + more } };
            let sizes = ValueSizes::mixture(parts.into_iter().map(part).collect()).unwrap();
            prop_assert_eq!(ValueSizes::parse(&sizes.to_string()).unwrap(), sizes);
        }

        #[test]
        fn percentages_of_any_sum_but_100_are_refused(first in 1..200_u64, second in 1..200_u64) {
            let read = ValueSizes::parse(&format!("{first}% 1B, {second}% 2B"));
            prop_assert_eq!(read.is_ok(), first + second == 100);
            let sizes = ValueSizes::parse(&format!("{first} 1B, {second} 2B")).unwrap();
            let weights: Vec<u64> = sizes.parts().iter().map(|part| part.weight).collect();
            prop_assert_eq!(weights[0] * second, weights[1] * first);
        }

        #[test]
        fn no_text_is_a_panic(text in "[0-9%., KiBM_+-]{0,40}") {
            if let Ok(sizes) = ValueSizes::parse(&text) {
                prop_assert!(sizes.range().min <= sizes.max());
                prop_assert!((sizes.range().min as f64..=sizes.max() as f64).contains(&sizes.mean()));
            }
        }
    }
}
