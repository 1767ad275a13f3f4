//! Properties for any input: nothing panics, and written suites can be read back.

use crate::common::{SUITE, plan_with};
use bakeoff_suite::{Overrides, Suite};
use proptest::prelude::*;

/// Parses, and plans if parsing succeeds. Errors must have a message, and their lines must be in the text.
fn survive(text: &str) {
    match Suite::parse("fuzz.toml", text) {
        Ok(suite) => {
            let _ = plan_with(&suite, Some(1 << 30)).map_err(|errors| assert!(!errors.to_string().is_empty()));
        }
        Err(errors) => {
            assert!(!errors.errors().is_empty() && !errors.to_string().is_empty());
            for error in errors.errors() {
                assert!(error.line().is_none_or(|line| line <= text.lines().count().max(1)), "{error}");
            }
        }
    }
}

/// Pieces of suites, right and wrong.
fn piece() -> impl Strategy<Value = String> {
    let lines: Vec<_> = SUITE.lines().map(|line| format!("{line}\n")).collect();
    let values = [
        "-1",
        "0",
        "1e308",
        "nan",
        "inf",
        "9223372036854775807",
        "\"\"",
        "[]",
        "{}",
        "\"1B..\"",
        "\"é\\t\\u0000\"",
        "\"4G\"",
        "\"70% 1B, 30% 2B\"",
        "\"7 1B, 3 \"",
    ];
    let keys = [
        "seed",
        "rounds",
        "operations",
        "records",
        "value-size",
        "mix.get",
        "access.hot.records",
        "batch",
        "missing",
        "fanout",
        "levels",
    ];
    let assignment = (prop::sample::select(keys.to_vec()), prop::sample::select(values.to_vec()));
    prop_oneof![
        5 => prop::sample::select(lines),
        2 => assignment.prop_map(|(key, value)| format!("{key} = {value}\n")),
        1 => Just("[tree]\n".to_owned()),
        1 => "\\PC{0,12}\n",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_survived(text in "\\PC*") {
        survive(&text);
    }

    #[test]
    fn any_pieces_of_suites_are_survived(pieces in prop::collection::vec(piece(), 0..40)) {
        survive(&pieces.concat());
    }

    #[test]
    fn a_suite_with_a_stretch_replaced_is_survived(start in 0..SUITE.len(), length in 0..20usize, text in "\\PC{0,6}|[0-9.eE_-]{0,20}") {
        let end = (start + length).min(SUITE.len());
        survive(&format!("{}{text}{}", &SUITE[..start], &SUITE[end..]));
    }

    #[test]
    fn a_suite_with_a_piece_put_in_is_survived(line in 0..SUITE.lines().count(), piece in piece()) {
        let mut lines: Vec<_> = SUITE.lines().collect();
        lines.insert(line, piece.trim_end());
        survive(&lines.join("\n"));
    }

    #[test]
    fn any_flag_is_survived(texts in prop::collection::vec("\\PC{0,8}|[0-9]{0,20}[kMG]?(i?B)?", 10)) {
        let flags = [
            Overrides::default().with("stores", [&texts[0]]),
            Overrides::default().with("durability", [&texts[1]]).with("data", [&texts[2]]),
            Overrides::default().with("records", [&texts[3]]),
            Overrides::default().with("value-size", [&texts[4]]),
            Overrides::default().with("threads", [&texts[5]]),
            Overrides::default().with("rounds", [&texts[6]]).with("seed", [&texts[7]]),
            Overrides::default().with("max-db-size", [&texts[8]]).with("timeout", [&texts[9]]),
        ];
        let suite = Suite::parse("base.toml", SUITE).unwrap();
        for overrides in flags {
            match suite.with_overrides(&overrides) {
                Ok(changed) => drop(plan_with(&changed, Some(1 << 30))),
                Err(errors) => prop_assert!(errors.to_string().starts_with("--"), "{errors}"),
            }
        }
    }
}
