//! The built-in suites, parsed.

use crate::model::Suite;
use crate::texts::SUITES;
pub use crate::texts::find;

/// Every suite with its name, in the order of listings.
pub fn all() -> impl Iterator<Item = (&'static str, Suite)> {
    // A test parses each, so none is missing here.
    SUITES.into_iter().filter_map(|(name, text)| Some((name, Suite::parse(name, text).ok()?)))
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
