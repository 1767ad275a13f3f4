//! Foreign text made safe to show: no control characters, no changes of writing direction, limited length.

use std::fmt::{Display, Write};

/// The text with control characters and marks of direction shown as escapes.
///
/// Store titles, failure messages and other text from files pass through this before a terminal shows them.
pub fn printable(text: &str) -> String {
    without_steering(text, &[])
}

/// As [`printable`], but keeps line ends and tabs.
pub fn printable_lines(text: &str) -> String {
    without_steering(text, &['\n', '\t'])
}

fn without_steering(text: &str, kept: &[char]) -> String {
    // A fast path: nearly all text is plain, and exports write millions of texts.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_steering(character) && !kept.contains(&character) {
            let _ = write!(shown, "{}", character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters, line and paragraph separators, marks of direction, invisible joiners.
fn is_steering(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// At most 40 characters of a text, without control characters, for messages.
pub fn shorten(text: &str) -> String {
    shorten_to(text, 40)
}

/// At most `characters` of a text, without control characters, for messages.
pub fn shorten_to(text: &str, characters: usize) -> String {
    let visible = |character: char| if character.is_control() { '·' } else { character };
    let mut short: String = text.chars().take(characters).map(visible).collect();
    if text.chars().nth(characters).is_some() {
        short.push('…');
    }
    short
}

/// At most `characters` of a message that quotes foreign text. Keeps the beginning, which names the problem, and the end, which names the
/// place.
pub fn shorten_middle(message: &str, characters: usize) -> String {
    if message.chars().nth(characters).is_none() {
        return message.to_owned();
    }
    let head = characters * 3 / 8;
    let tail = message.char_indices().rev().nth(characters - head - 1).map_or(0, |(at, _)| at);
    format!("{}{}", shorten_to(message, head), &message[tail..])
}

/// The limit for an error message that quotes its input.
const ERROR_CHARACTERS_MAX: usize = 400;

/// The error's message in at most 400 characters, since it may quote a whole file or line.
pub fn shorten_error(error: &impl Display) -> String {
    shorten_middle(&error.to_string(), ERROR_CHARACTERS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_its_beginning_and_its_end() {
        let message = format!("unknown kind `{}`, expected `cell` at line 1", "é".repeat(1_000));
        let short = shorten_middle(&message, 80);
        assert_eq!(short.chars().count(), 81);
        assert!(short.starts_with("unknown kind `éé") && short.contains("é…é"), "{short}");
        assert!(short.ends_with("é`, expected `cell` at line 1"), "{short}");
        assert_eq!(shorten_middle("no more than that", 17), "no more than that");
    }

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(printable("\x1b[31mred\x07\r\n"), "\\u{1b}[31mred\\u{7}\\r\\n");
        assert_eq!(printable("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
        assert_eq!(printable("Straße 百 µs"), "Straße 百 µs");
    }
}
