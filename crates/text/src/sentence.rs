//! Parts of sentences: counts with their nouns, lists of names, a dash for an absent figure.

use crate::exact::format_count;

/// A count with its noun: `1 round`, `3 rounds`.
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {noun}{}", format_count(number), if number == 1 { "" } else { "s" })
}

/// Names in a sentence: `a`, `a and b`, `a, b and c`.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// At most `most` of the names in a sentence, and the number of the others: `a, b and 3 more`.
pub fn listed_at_most(names: &[String], most: usize) -> String {
    match names.get(..most).filter(|named| named.len() < names.len()) {
        Some(named) => format!("{} and {} more", named.join(", "), names.len() - most),
        None => listed(names),
    }
}

/// A figure, or a dash if there is none.
pub fn or_dash<T>(figure: Option<T>, show: impl FnOnce(T) -> String) -> String {
    figure.map_or_else(|| "–".to_owned(), show)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_sentence() {
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([2, 3, 9].map(|most| listed_at_most(&names, most)), ["a, b and 1 more", "a, b and c", "a, b and c"]);
        assert_eq!((counted(1_u64, "round"), counted(1_000_u64, "round")), ("1 round".into(), "1,000 rounds".into()));
    }
}
