//! Names of stores.

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

#[cfg(test)]
mod tests {
    use super::check_store_name;

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
