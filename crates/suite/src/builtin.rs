//! The suites that come with bakeoff. To add one: a file in `suites/` and a line here.

use crate::error::{SuiteErrors, did_you_mean};
use crate::suite::Suite;

/// Name and text of every suite.
const SUITES: [(&str, &str); 5] = [
    ("quick", include_str!("../../../suites/quick.toml")),
    ("hines-2023", include_str!("../../../suites/hines-2023.toml")),
    ("leveldb-2011", include_str!("../../../suites/leveldb-2011.toml")),
    ("cunningham-2024", include_str!("../../../suites/cunningham-2024.toml")),
    ("lmdbjava-2016", include_str!("../../../suites/lmdbjava-2016.toml")),
];

/// Every suite with its name, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = (&'static str, Suite)> {
    // A test parses each, so none is ever left out here.
    SUITES.into_iter().filter_map(|(name, text)| Some((name, Suite::parse(name, text).ok()?)))
}

/// The text of the suite with this name.
///
/// # Errors
/// There is none; the nearest name and all names are told.
pub fn find(name: &str) -> Result<&'static str, SuiteErrors> {
    let found = SUITES.into_iter().find(|(known, _)| *known == name).map(|(_, text)| text);
    found.ok_or_else(|| {
        let names = SUITES.map(|(known, _)| known);
        let message = format!("there is no suite of this name{}", did_you_mean(name, &names));
        let help = format!("use {}, or the path of a suite file ending in .toml", names.join(", "));
        SuiteErrors::of_file(name, message, help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_is_valid_and_explained() {
        for (name, text) in SUITES {
            let suite = Suite::parse(name, text).unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(suite.name(), name);
            assert!(!suite.summary().is_empty() && !suite.analysis().is_empty(), "{name} explains itself");
        }
        assert_eq!(all().count(), SUITES.len());
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let message = find("quik").unwrap_err().to_string();
        assert!(message.contains("did you mean `quick`?"), "{message}");
    }
}
