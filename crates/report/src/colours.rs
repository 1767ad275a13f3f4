//! The colours of stores on a terminal.

use anstyle::{Color, RgbColor, Style};
use bakeoff_results::slots::COLOURS;

/// The colours of slots on a terminal, of the same hues as on the page ([`bakeoff_results::slots`]): Okabe and Ito's, told apart with any kind of colour
/// vision. Their black, which a dark terminal swallows, is a grey.
const PALETTE: [(u8, u8, u8); COLOURS] = [
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
    (150, 150, 150),
];

/// How a store with this slot is written on a terminal.
pub(crate) fn style(slot: usize) -> Style {
    let (red, green, blue) = PALETTE[slot % COLOURS];
    let style = Style::new().fg_color(Some(Color::Rgb(RgbColor(red, green, blue))));
    // As marks do on the page, how the letters look tells those of the same colour apart.
    match slot / COLOURS {
        0 => style,
        1 => style.underline(),
        2 => style.italic(),
        _ => style.underline().italic(),
    }
}
