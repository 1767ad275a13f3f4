//! Text → HTML. Everything that comes from a file passes through here, so that nothing in it is ever taken for markup.

use std::fmt::Write;

use bakeoff_text::printable;

use crate::contender::{Contender, Contenders};
use crate::slots::{COLOURS, MARKS};

/// The text, to stand between tags or in a quoted attribute.
pub(crate) fn text(raw: &str) -> String {
    let mut safe = String::with_capacity(raw.len());
    for character in printable(raw).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A text of several lines, to stand in a `pre`.
pub(crate) fn lines(raw: &str) -> String {
    raw.lines().map(text).collect::<Vec<_>>().join("\n")
}

/// A store's name with its colour and mark.
pub(crate) fn store(contender: &Contender) -> String {
    format!("<span class=\"store {}\">{}</span>", marks(contender.slot), text(&contender.title))
}

/// The classes that give a store its colour and mark.
pub(crate) fn marks(slot: usize) -> String {
    format!("c{} m{}", slot % COLOURS, slot / COLOURS % MARKS)
}

/// Stores in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn stores(keys: &[String], contenders: &Contenders) -> String {
    let names: Vec<String> = keys.iter().map(|key| contenders.get(key).map_or_else(|| text(key), store)).collect();
    bakeoff_text::listed(&names)
}

/// A template with `{{name}}` in the place of each slot's content. What is put in is not looked through again.
pub(crate) fn fill(template: &str, slots: &[(&str, &str)]) -> String {
    let mut page =
        String::with_capacity(template.len() + slots.iter().map(|(_, content)| content.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
        match slots.iter().find(|(slot, _)| *slot == name) {
            Some((_, content)) => page.push_str(content),
            None => {
                let _ = write!(page, "{{{{{name}}}}}");
            }
        }
        rest = behind;
    }
    page.push_str(rest);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        assert_eq!(text("<script>\"'&"), "&lt;script&gt;&quot;&#39;&amp;");
        assert_eq!(text("a\u{1b}[31m\u{202e}b\0"), "a\\u{1b}[31m\\u{202e}b\\u{0}");
        assert_eq!(lines("a<b\r\nc\td"), "a&lt;b\nc\\td");
    }

    #[test]
    fn slots_are_filled_once() {
        let filled = fill("<p>{{a}}-{{b}}-{{c}}</p>{{a}}", &[("a", "{{b}}"), ("b", "2")]);
        assert_eq!(filled, "<p>{{b}}-2-{{c}}</p>{{b}}");
        assert_eq!(fill("no end {{a", &[("a", "1")]), "no end 1");
    }
}
