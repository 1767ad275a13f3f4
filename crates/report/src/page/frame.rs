//! What every page is put into: a document that needs no other file, and scripts that run only if their hash is in its policy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::page::html::visible;
use crate::page::style::style_sheet;

/// The switch between light and dark, which every page has.
pub(crate) const THEME: &str = include_str!("../../web/js/theme.js");

/// A page without its frame.
pub(crate) struct Frame<'a> {
    /// Its title, without the program's name.
    pub(crate) title: &'a str,
    /// All that is read.
    pub(crate) body: Markup,
    /// Script elements that hold data. No browser runs them.
    pub(crate) data: Markup,
    /// Libraries, each a script of its own.
    pub(crate) libraries: &'a [&'a str],
    /// The page's script, a module.
    pub(crate) script: &'a str,
}

impl Frame<'_> {
    /// The whole file.
    pub(crate) fn into_html(self) -> String {
        let scripts = [self.libraries, &[self.script]].concat();
        let title = visible(&html! { (self.title) " · bakeoff" });
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy(&scripts));
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (title) }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(style_sheet())) }
                }
                body {
                    (visible(&self.body))
                    (self.data)
                    @for library in self.libraries { script { (PreEscaped(library)) } "\n" }
                    script type="module" { (PreEscaped(self.script)) }
                }
            }
        };
        page.into_string()
    }
}

/// The button that switches between light and dark.
pub(crate) fn theme_button() -> Markup {
    html! { button type="button" id="theme" aria-label="Light or dark" { "◐" } }
}

/// Only these scripts run, and nothing is ever asked of a network.
fn policy(scripts: &[&str]) -> String {
    let hashes: Vec<String> =
        scripts.iter().map(|script| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)))).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}
