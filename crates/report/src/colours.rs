//! Every colour of a report, once: the page's style, terminals and workbooks take theirs from here.
//!
//! Colours are written `0xrrggbb`. Those of stores come from Okabe and Ito's palette, darker on light paper and lighter on dark
//! paper. Any two differ by a CIEDE2000 of at least 10, for eyes without red or green cones too. Each has a contrast of at least 3 to
//! its background. Fields of the heatmap carry text, so theirs have 4.5 to it. A test keeps it so. A slot's number gives the colour and a mark
//! ([`bakeoff_results::slots`]). Text next to a mark has the colour of text.

#[cfg(test)]
mod vision;

use anstyle::{Color, RgbColor, Style};
use bakeoff_results::slots::COLOURS;
use bakeoff_stats::TIED_WITHIN;

/// The colours of the page on one kind of paper.
#[derive(Clone, Copy)]
pub(crate) struct Theme {
    /// Behind everything.
    pub(crate) paper: u32,
    /// Behind answers and pictures.
    pub(crate) card: u32,
    /// Text.
    pub(crate) ink: u32,
    /// Text that matters less.
    pub(crate) soft: u32,
    /// Lines between rows.
    pub(crate) line: u32,
    /// Behind code, and fields without a store.
    pub(crate) faint: u32,
    /// Links.
    pub(crate) link: u32,
    /// Judgements against, failures.
    pub(crate) bad: u32,
    /// Judgements in favour.
    pub(crate) good: u32,
    /// Stores.
    pub(crate) stores: [u32; COLOURS],
    /// How much of a store's colour a field of the matrix has, in percent.
    pub(crate) tint_percent: u32,
    /// Fields of the heatmap, from the best on: see [`HEAT_ENDS`].
    pub(crate) heat: [u32; HEAT_ENDS.len() + 1],
}

/// How many times worse than the best a field of the heatmap may be, for each of its colours but the last. The first is
/// the colour of ties.
pub(crate) const HEAT_ENDS: [f64; 5] = [TIED_WITHIN, 2.0, 4.0, 10.0, 100.0];

impl Theme {
    /// All colours except the stores', each with its name in the page's style.
    pub(crate) fn named(&self) -> [(&'static str, u32); 9] {
        [
            ("paper", self.paper),
            ("card", self.card),
            ("ink", self.ink),
            ("soft", self.soft),
            ("line", self.line),
            ("faint", self.faint),
            ("link", self.link),
            ("bad", self.bad),
            ("good", self.good),
        ]
    }
}

/// Light paper on a screen. Workbooks have these colours too.
pub(crate) const LIGHT: Theme = Theme {
    paper: 0xfbfaf8,
    card: 0xffffff,
    ink: 0x1d1d1f,
    soft: 0x62636a,
    line: 0xdddcd8,
    faint: 0xf1f0ec,
    link: 0x0b5cad,
    bad: 0xb3261e,
    good: 0x006b4c,
    stores: [0xcd8200, 0x3a9ad5, 0x00855f, 0x4f3d00, 0x004eae, 0xb35108, 0xb5558b, 0x55255c],
    tint_percent: 17,
    heat: [0xa9dccb, 0xf4f1d8, 0xf3dca0, 0xefbd74, 0xe0955c, 0xc97458],
};

/// Dark paper on a screen.
pub(crate) const DARK: Theme = Theme {
    paper: 0x16171a,
    card: 0x1d1f23,
    ink: 0xe7e6e3,
    soft: 0xa0a1a8,
    line: 0x35373d,
    faint: 0x24262b,
    link: 0x86bdf0,
    bad: 0xff8a80,
    good: 0x2fc094,
    stores: [0xe39e21, 0x75cbfa, 0x2fc094, 0xf7e853, 0x459cf9, 0xc97147, 0xdb8cb8, 0x855ca3],
    tint_percent: 24,
    heat: [0x0f5c4a, 0x2c2e30, 0x3f3a1f, 0x5e4a12, 0x8a5a10, 0xb0443c],
};

/// Paper in a printer.
pub(crate) const PRINT: Theme = Theme {
    paper: 0xffffff,
    card: 0xffffff,
    ink: 0x000000,
    soft: 0x444444,
    line: 0xbbbbbb,
    faint: 0xf4f4f4,
    link: 0x000000,
    bad: 0x990000,
    good: 0x006b4c,
    ..LIGHT
};

/// Stores on a terminal, in the same hues as on the page. Black, which a dark terminal swallows, is a grey here.
const TERMINAL: [u32; COLOURS] = [0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0072b2, 0xd55e00, 0xcc79a7, 0x969696];

/// How a terminal writes the name of a store with this slot.
pub(crate) fn style(slot: usize) -> Style {
    let [_, red, green, blue] = TERMINAL[slot % COLOURS].to_be_bytes();
    let style = Style::new().fg_color(Some(Color::Rgb(RgbColor(red, green, blue))));
    // As marks do on the page, the style of letters distinguishes stores of the same colour.
    match slot / COLOURS {
        0 => style,
        1 => style.underline(),
        2 => style.italic(),
        _ => style.underline().italic(),
    }
}
