//! How sentences are written: short, and without worn idioms.

use std::sync::LazyLock;

use regex::Regex;

use super::parts::Part;

/// Columns of a line at most.
pub(super) const COLUMNS: usize = 100;

/// Words of a sentence at most.
const WORDS: usize = 30;

/// What is easier to read in other words.
static IDIOMS: LazyLock<Regex> = LazyLock::new(|| {
    let idioms = [
        r"(?:is|are) told",
        r"tells? (?:it|them|that|what|how|which)",
        "by (?:itself|themselves)",
        "the like of",
        "whoever|whatever|however long",
        "for want of|of ours",
        "(?:comes?|came) to its end",
        "all the same|notwithstanding|as far as",
        "what (?:is|was|are) (?:not )?(?:there|asked|done|kept|left|said|known)",
        "those that|one that",
        "beside|stands? in",
        "mend(?:ed|s|ing)?",
        r"having (?:it|them) \w+ed",
        "so many|meanwhile|things to mind",
        "give[ns]? up|handed? over|had rather",
    ];
    Regex::new(&format!(r"(?i)\b(?:{})\b", idioms.join("|"))).expect("a right pattern")
});

/// The end of a sentence, if a capital, a digit, a quotation or code follows.
static END: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[.!?:]\s+").expect("a right pattern"));

/// A word: it begins with a letter.
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z][\w'’-]*").expect("a right pattern"));

/// Sentences of a part that are too long, and idioms in it.
pub(super) fn violations(part: &Part) -> Vec<Part> {
    let found = sentences(&part.text).flat_map(|sentence| {
        let words = WORD.find_iter(sentence).count();
        let long = (words > WORDS).then(|| format!("a sentence of {words} words, {WORDS} at most: {sentence}"));
        let idiom = IDIOMS.find(sentence).map(|idiom| format!("write \"{}\" otherwise: {sentence}", idiom.as_str()));
        [long, idiom]
    });
    found.flatten().map(|text| Part { line: part.line, text }).collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let begins = |rest: &str| {
        let begins_code = rest.starts_with("code");
        begins_code || rest.starts_with(|letter: char| !letter.is_lowercase())
    };
    let ends = END.find_iter(text).map(|end| end.end()).filter(move |end| begins(&text[*end..]));
    let mut start = 0;
    ends.chain([text.len()]).map(move |end| {
        let sentence = text[start..end].trim();
        start = end;
        sentence
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_before_a_capital_a_digit_or_code() {
        let text = "One. two (e.g. three): code is four! 5 is a number? Yes.";
        assert_eq!(
            sentences(text).collect::<Vec<_>>(),
            ["One. two (e.g. three):", "code is four!", "5 is a number?", "Yes."]
        );
    }
}
