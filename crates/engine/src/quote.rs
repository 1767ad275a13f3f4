//! How much of a driver's text messages quote: little, for text of any length.

use bakeoff_text::shorten_to;

/// Characters of a line that a message quotes.
const LINE_CHARACTERS_MAX: usize = 60;

/// The beginning of a line, in quotation marks.
pub(crate) fn beginning(line: &str) -> String {
    format!("{:?}", shorten_to(line.trim_end(), LINE_CHARACTERS_MAX))
}
