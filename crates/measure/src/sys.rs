//! Reads the small text files of `/proc` and `/sys`.

use std::fs;
use std::path::Path;

/// The content without surrounding blanks; `None` if it is empty or cannot be read. Bytes that are not UTF-8 are replaced.
pub(crate) fn text(path: impl AsRef<Path>) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The content as a number.
pub(crate) fn number(path: impl AsRef<Path>) -> Option<u64> {
    text(path)?.parse().ok()
}

/// The word in brackets in a file such as `always [madvise] never`; without brackets, the only word.
pub(crate) fn choice(path: impl AsRef<Path>) -> Option<String> {
    bracketed(&text(path)?)
}

fn bracketed(text: &str) -> Option<String> {
    match text.split_once('[') {
        Some((_, rest)) => Some(rest.split_once(']')?.0.to_owned()),
        None => Some(text.to_owned()).filter(|word| !word.contains(char::is_whitespace)),
    }
}

/// The clock sources that the kernel still trusts.
pub(crate) fn clock_sources_available() -> Option<Vec<String>> {
    let text = text("/sys/devices/system/clocksource/clocksource0/available_clocksource")?;
    Some(text.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_word_in_brackets() {
        assert_eq!(bracketed("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(bracketed("none").as_deref(), Some("none"));
        assert_eq!(bracketed("two words"), None);
        assert_eq!(bracketed("broken [word"), None);
    }

    #[test]
    fn what_cannot_be_read_is_absent() {
        assert_eq!(text("/proc/no-such-file"), None);
        assert_eq!(number("/proc/version"), None);
    }
}
