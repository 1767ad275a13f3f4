//! Pieces of HTML that pages share. maud escapes every text because of its type; only [`Markup`] is taken for markup.

use bakeoff_results::contender::{Contender, Contenders};
use bakeoff_results::slots::{COLOURS, MARKS};
use bakeoff_text::printable_lines;
use maud::{Markup, PreEscaped, html};

/// A store's name with its colour and mark.
pub(crate) fn store(contender: &Contender) -> Markup {
    store_called(&contender.title, contender.slot)
}

/// A name with the colour and mark of a slot.
pub(crate) fn store_called(name: &str, slot: usize) -> Markup {
    html! { span class={ "store " (marks(slot)) } { (name) } }
}

/// The name of the store with this key; the key itself if the store is unknown.
pub(crate) fn store_of(key: &str, contenders: &Contenders) -> Markup {
    contenders.get(key).map_or_else(|| html! { (key) }, store)
}

/// The classes that give a slot its colour and mark.
pub(crate) fn marks(slot: usize) -> String {
    format!("c{} m{}", slot % COLOURS, slot / COLOURS % MARKS)
}

/// Stores in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn stores(keys: &[String], contenders: &Contenders) -> Markup {
    listed(&keys.iter().map(|key| store_of(key, contenders)).collect::<Vec<_>>())
}

/// Parts in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(parts: &[Markup]) -> Markup {
    match parts {
        [most @ .., last] if !most.is_empty() => html! { (joined(most, ", ")) " and " (last) },
        _ => joined(parts, ""),
    }
}

/// Parts with a separator between any two.
pub(crate) fn joined(parts: &[Markup], separator: &str) -> Markup {
    html! { @for (at, part) in parts.iter().enumerate() { @if at > 0 { (separator) } (part) } }
}

/// Whether it holds nothing.
pub(crate) fn is_empty(of: &Markup) -> bool {
    of.0.is_empty()
}

/// A part of the page that opens on demand; nothing if its body is empty.
pub(crate) fn folded(title: &str, body: Markup) -> Markup {
    html! { @if !is_empty(&body) { details { summary { (title) } (body) } } }
}

/// A frame in which a wide table is scrolled.
pub(crate) fn scrolled(table: Markup) -> Markup {
    html! { div.scroll { (table) } }
}

/// The head of a table with these titles.
pub(crate) fn table_head(titles: &[&str]) -> Markup {
    html! { thead { tr { @for title in titles { th scope="col" { (title) } } } } }
}

/// Text of several lines as it is, in a frame of its own that is scrolled.
pub(crate) fn lines(class: &str, text: &str) -> Markup {
    html! { pre class=(class) tabindex="0" { @for (at, line) in text.lines().enumerate() { @if at > 0 { "\n" } (line) } } }
}

/// The same, with escapes for control characters and for characters that change the direction of writing.
///
/// A page passes through here as a whole, so no text in it can be forgotten. Line breaks and tabs stay.
pub(crate) fn visible(of: &Markup) -> Markup {
    PreEscaped(printable_lines(&of.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        let evil = "<script>\"&\u{1b}[31m\u{202e}\0";
        let shown = visible(&html! { b title=(evil) { (evil) } }).0;
        let escaped = "&lt;script&gt;&quot;&amp;\\u{1b}[31m\\u{202e}\\u{0}";
        assert_eq!(shown, format!("<b title=\"{escaped}\">{escaped}</b>"));
        assert_eq!(lines("log", "a<b\r\nc\td").0, "<pre class=\"log\" tabindex=\"0\">a&lt;b\nc\td</pre>");
    }

    #[test]
    fn parts_in_a_sentence() {
        let parts = ["a", "b", "c"].map(|part| html! { (part) });
        let shown = [0, 1, 2, 3].map(|number| listed(&parts[..number]).0);
        assert_eq!(shown, ["", "a", "a and b", "a, b and c"]);
    }
}
