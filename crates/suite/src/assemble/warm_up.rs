//! `warm-up`: how long drivers with a just-in-time compiler warm up.

use std::time::Duration;

use bakeoff_text::{parse_count, parse_duration, shorten};

use crate::error::Problems;
use crate::model::WarmUpLimit;
use crate::node::{Node, Value};
use crate::read::{self, Table};

/// The longest warm-up: most time limits of cells are shorter.
const TIME_MAX: Duration = Duration::from_secs(3_600);
const OPERATIONS_MAX: u64 = 1_000_000_000_000;
/// Enough to compile the hottest code fully. The results have the compile time (`jit_compile_ns`).
const DEFAULT: WarmUpLimit = WarmUpLimit::Time(Duration::from_secs(3));

/// Reads `warm-up`.
pub(crate) fn read(root: &Table<'_>, problems: &mut Problems) -> WarmUpLimit {
    root.read("warm-up", problems, limit).unwrap_or(DEFAULT)
}

fn limit(node: &Node, what: &str, problems: &mut Problems) -> Option<WarmUpLimit> {
    if let Value::Text(typed) = &node.value
        && parse_count(typed).is_err()
    {
        match parse_duration(typed) {
            Ok(time) if time <= TIME_MAX => return Some(or_none(WarmUpLimit::Time(time))),
            _ => {
                let message = format!("`{what}` is {}, which is neither a time up to 1h nor a count", shorten(typed));
                problems.add(
                    &node.place,
                    message,
                    "give a time such as \"3s\", a count of operations such as \"100k\", or 0",
                );
                return None;
            }
        }
    }
    read::count(node, what, (0, OPERATIONS_MAX), problems).map(WarmUpLimit::Operations).map(or_none)
}

fn or_none(limit: WarmUpLimit) -> WarmUpLimit {
    match limit {
        WarmUpLimit::Operations(0) | WarmUpLimit::Time(Duration::ZERO) => WarmUpLimit::None,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Suite;

    fn parse(line: &str) -> Result<WarmUpLimit, String> {
        let text = format!(
            "{line}\n[axes]\nstores = [\"null\"]\nvalue-size = \"1B\"\nrecords = 1\n[[phases]]\nname = \"load\"\noperation = \"insert\"\n"
        );
        Suite::parse("suite.toml", &text).map(|suite| suite.warm_up()).map_err(|errors| errors.to_string())
    }

    #[test]
    fn is_a_time_or_a_count() {
        assert_eq!(parse(""), Ok(DEFAULT));
        assert_eq!(parse("warm-up = \"1m30s\""), Ok(WarmUpLimit::Time(Duration::from_secs(90))));
        assert_eq!(parse("warm-up = \"500ms\""), Ok(WarmUpLimit::Time(Duration::from_millis(500))));
        assert_eq!(parse("warm-up = \"2M\""), Ok(WarmUpLimit::Operations(2_000_000)));
        assert_eq!(parse("warm-up = 5_000"), Ok(WarmUpLimit::Operations(5_000)));
        assert_eq!(parse("warm-up = 0"), Ok(WarmUpLimit::None));
        assert_eq!(parse("warm-up = \"0s\""), Ok(WarmUpLimit::None));
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        for line in ["warm-up = \"soon\"", "warm-up = \"2h\"", "warm-up = true", "warm-up = -1"] {
            let error = parse(line).unwrap_err();
            assert!(error.contains("warm-up") && error.contains("suite.toml:1:"), "{error}");
        }
    }
}
