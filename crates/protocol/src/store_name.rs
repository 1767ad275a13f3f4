//! Names of stores, and titles of stores and suites.

/// The longest name of a store, in bytes.
const NAME_BYTES_MAX: usize = 40;

/// Words with a special meaning in lists of stores.
const RESERVED: [&str; 5] = ["all", "built", "jvm", "native", "none"];

/// Checks the name of a store: `[a-z0-9][a-z0-9-]{0,39}`, and not a word with a special meaning in lists of stores.
///
/// # Errors
/// What is wrong with the name and how to write it, as the end of a sentence about it.
pub fn check_store_name(name: &str) -> Result<(), String> {
    if RESERVED.contains(&name) {
        return Err(format!("is a word that means something where stores are named, as {} do", RESERVED.join(", ")));
    }
    let may_begin = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let begins = name.bytes().next().is_some_and(may_begin);
    if begins && name.len() <= NAME_BYTES_MAX && name.bytes().all(|byte| may_begin(byte) || byte == b'-') {
        return Ok(());
    }
    Err(format!("is no name of a store: use a-z, 0-9 and -, a letter or digit first, up to {NAME_BYTES_MAX} in all"))
}

/// The longest title of a store or suite, in characters: those of publications are long.
pub const TITLE_CHARACTERS_MAX: usize = 120;

/// How to write the title of a store or suite.
pub const TITLE_RULE: &str = "use one line with a letter or digit, of up to 120 characters";

/// Checks the title of a store or suite by [`TITLE_RULE`].
///
/// # Errors
/// What is wrong with it, as the end of a sentence about it.
pub fn check_title(title: &str) -> Result<(), String> {
    match title.chars().count() {
        _ if is_blank(title) => Err("is blank".to_owned()),
        _ if title.contains(char::is_control) => Err("has a line end or another control character".to_owned()),
        characters if characters > TITLE_CHARACTERS_MAX => Err(format!("has {characters} characters")),
        _ => Ok(()),
    }
}

/// Whether a title shows nothing, as spaces and marks without width do.
pub fn is_blank(title: &str) -> bool {
    !title.contains(char::is_alphanumeric)
}

/// By what titles are equal for people: letters of either case, and blanks around and between words, are alike.
pub fn title_key(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_a_line_that_can_be_seen() {
        let longest = "é".repeat(120);
        for title in ["LMDB", "1", "Berkeley DB (hash)", "数据库", longest.as_str()] {
            assert_eq!(check_title(title), Ok(()), "{title}");
        }
        let too_long = "x".repeat(121);
        for (title, wrong) in [
            ("", "is blank"),
            (" \t\u{a0}", "is blank"),
            ("\u{200b}\u{2060}", "is blank"),
            ("---", "is blank"),
            ("a\nb", "has a line end"),
            (too_long.as_str(), "has 121 characters"),
        ] {
            let why = check_title(title).unwrap_err();
            assert!(why.starts_with(wrong), "{title:?}: {why}");
        }
        assert!(TITLE_RULE.contains(&TITLE_CHARACTERS_MAX.to_string()));
        assert_eq!(title_key("  Flat \t FOLDER"), "flat folder");
    }

    #[test]
    fn names_are_short_and_plain() {
        let longest = "x".repeat(40);
        for name in ["lmdb", "a", "0", "sqlite-jdbc", "all-of-it", "x-", longest.as_str()] {
            assert_eq!(check_store_name(name), Ok(()), "{name}");
        }
        let too_long = "x".repeat(41);
        let wrong = [
            "", "-a", "Lmdb", "a,b", "a b", "a\n", "ä", "a/b", "a_b", "a.b", "..", "all", "built", "jvm", "none",
            "native",
        ];
        for name in wrong.into_iter().chain([too_long.as_str()]) {
            assert!(check_store_name(name).is_err(), "{name}");
        }
    }
}
