//! Text from outside, made safe to show: no control characters, nothing that changes the direction of writing, not too long.

use std::fmt::{Display, Write};

/// The text with control characters, and those that change the direction of writing, shown as escapes.
///
/// Store titles, failure messages and whatever else comes from files go through this before a terminal sees them.
pub fn printable(text: &str) -> String {
    without_steering(text, &[])
}

/// The same for a text that may have several lines, and tabs in them.
pub fn printable_lines(text: &str) -> String {
    without_steering(text, &['\n', '\t'])
}

fn without_steering(text: &str, kept: &[char]) -> String {
    // Nearly every text is plain, and exports write millions of them.
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

/// At most so many characters of a text, without control characters, for messages.
pub fn shorten_to(text: &str, characters: usize) -> String {
    let visible = |character: char| if character.is_control() { '·' } else { character };
    let mut short: String = text.chars().take(characters).map(visible).collect();
    if text.chars().nth(characters).is_some() {
        short.push('…');
    }
    short
}

/// At most so many characters of a message that quotes a text from outside: its beginning, which
/// says what is wrong, and its end, which says where.
pub fn shorten_middle(message: &str, characters: usize) -> String {
    if message.chars().nth(characters).is_none() {
        return message.to_owned();
    }
    let head = characters * 3 / 8;
    let tail = message.char_indices().rev().nth(characters - head - 1).map_or(0, |(at, _)| at);
    format!("{}{}", shorten_to(message, head), &message[tail..])
}

/// Characters of an error's message that quotes what was read.
const ERROR_CHARACTERS_MAX: usize = 400;

/// What an error says, which may quote a file or a line from outside whole, in 400 characters at most.
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
