//! The page's style: its colours, made from [`crate::colours`], and how it looks.

use std::fmt::Write;

use bakeoff_results::slots::COLOURS;

use crate::colours::{DARK, HEAT_ENDS, LIGHT, PRINT, Theme};

const LOOKS: &str = include_str!("../../web/page.css");

/// The whole style sheet, which every page that we write has.
///
/// A theme is chosen by the reader's system until the page's switch sets `data-theme`. Paper has a theme of its own.
pub(crate) fn style_sheet() -> String {
    let [light, dark, print] = [&LIGHT, &DARK, &PRINT].map(properties);
    let mut style = format!(
        ":root {{ {light} }}\n:root[data-theme=\"dark\"] {{ {dark} }}\n\
         @media (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) {{ {dark} }} }}\n\
         :root[data-theme=\"light\"] {{ color-scheme: light; }}\n:root[data-theme=\"dark\"] {{ color-scheme: dark; }}\n\
         @media print {{ :root, :root:not([data-theme=\"light\"]), :root[data-theme=\"dark\"] {{ {print} color-scheme: light; }} }}\n"
    );
    for colour in 0..COLOURS {
        let _ = writeln!(style, ".c{colour} {{ --c: var(--c{colour}); }}");
    }
    for step in 0..=HEAT_ENDS.len() {
        let _ = writeln!(style, ".h{step} {{ --h: var(--h{step}); }}");
    }
    style + LOOKS
}

/// A theme as custom properties.
fn properties(of: &Theme) -> String {
    let mut out = String::new();
    for (name, colour) in of.named() {
        let _ = write!(out, "--{name}: #{colour:06x}; ");
    }
    for (number, colour) in of.stores.iter().enumerate() {
        let _ = write!(out, "--c{number}: #{colour:06x}; ");
    }
    for (number, colour) in of.heat.iter().enumerate() {
        let _ = write!(out, "--h{number}: #{colour:06x}; ");
    }
    let _ = write!(out, "--tint: {}%;", of.tint_percent);
    out
}
