//! Examples in docs/SUITES.md are accepted as shown.

use bakeoff_suite::{Overrides, Suite};

const DOCUMENT: &str = include_str!("../../../../docs/SUITES.md");

/// Blocks of a language in the document.
fn blocks(language: &str) -> Vec<&'static str> {
    let start = format!("```{language}\n");
    DOCUMENT.split(&start).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn its_examples_are_suites() {
    let suites = blocks("toml");
    assert_eq!(suites.len(), 10);
    for text in suites {
        Suite::parse("example.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    }
}

#[test]
fn its_mistakes_are_shown_as_they_are() {
    let (suite, shown) = (blocks("toml")[0], blocks("text"));
    let wrong = suite.replace("value-size =", "value-sizes =").replace("operations = 5_000", "operations = 0");
    assert_eq!(Suite::parse("session-cache.toml", &wrong).unwrap_err().to_string(), shown[0].trim_end());
    let overrides = Overrides::default().with("durability", ["powr"]);
    let errors = Suite::parse("session-cache.toml", suite).unwrap().with_overrides(&overrides).unwrap_err();
    assert_eq!(errors.to_string(), shown[1].trim_end());
}
