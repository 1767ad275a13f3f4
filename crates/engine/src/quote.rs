//! What messages quote of the text of a driver: little, whatever its length.

use bakeoff_text::{shorten_middle, shorten_to};

/// Characters of a line that a message quotes.
const LINE_CHARACTERS_MAX: usize = 60;

/// Characters of an error's message about a line, which may quote the line.
const ERROR_CHARACTERS_MAX: usize = 400;

/// The beginning of a line, in quotation marks.
pub(crate) fn beginning(line: &str) -> String {
    format!("{:?}", shorten_to(line.trim_end(), LINE_CHARACTERS_MAX))
}

/// Why a text is not the JSON that it should be.
pub(crate) fn not_json(why: &serde_json::Error) -> String {
    shorten_middle(&why.to_string(), ERROR_CHARACTERS_MAX)
}
