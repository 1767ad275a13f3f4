//! The known word nearest to a misspelt one.

/// Longer words are not treated as misspelt.
const CHARACTERS_MAX: usize = 64;

/// The word of `known` that `word` most likely means; `None` if none is near.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    if word.chars().nth(CHARACTERS_MAX).is_some() {
        return None;
    }
    let allowed = (word.chars().count() / 3).max(1);
    // A word's beginning is near it, regardless of how much is missing. Among equals, the word with the fewest missing characters wins.
    let distance = |candidate: &str| {
        let edits = strsim::damerau_levenshtein(&word, &candidate.to_lowercase());
        (if candidate.starts_with(&word) && word.len() > 2 { edits.min(allowed) } else { edits }, edits)
    };
    let ((best, _), candidate) =
        known.map(|candidate| (distance(candidate), candidate)).min_by_key(|&(distance, _)| distance)?;
    (best <= allowed).then_some(candidate)
}

/// ` (did you mean `x`?)` with the word of `known` nearest to `word`, or nothing if none is near.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known.iter().copied()).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_a_mistake_in_it_has_a_near_one() {
        let known = ["records", "rounds", "value-size"];
        assert_eq!(did_you_mean("recrods", &known), " (did you mean `records`?)");
        assert_eq!(nearest("val", known.into_iter()), Some("value-size"));
        assert_eq!(nearest("threads", known.into_iter()), None);
        assert_eq!(nearest(&"records".repeat(100), known.into_iter()), None);
    }

    #[test]
    fn what_misses_a_letter_is_nearer_than_what_misses_more() {
        assert_eq!(nearest("sqlit", ["sqlite-jdbc", "sqlite"].into_iter()), Some("sqlite"));
        assert_eq!(nearest("berk", ["sqlite", "berkeley-db"].into_iter()), Some("berkeley-db"));
        assert_eq!(nearest("xyz", ["sqlite", "berkeley-db"].into_iter()), None);
    }
}
