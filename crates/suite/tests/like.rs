//! Suites that begin as one of those that come with bakeoff.

use bakeoff_suite::{Suite, builtin};

fn parsed(text: &str) -> Suite {
    Suite::parse("mine.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn refused(text: &str) -> String {
    Suite::parse("mine.toml", text).expect_err(text).to_string()
}

const MINE: &str = r#"
like = "hines-2023"
title = "Mine"
rounds = 5

[axes]
value-size = "2KiB..20KiB"
records = 1_000

[limits]
timeout = "10m"
"#;

#[test]
fn keys_of_tables_take_the_place_of_those_of_the_suite_that_it_is_like() {
    let (mine, hines) = (parsed(MINE), Suite::parse("hines-2023", builtin::find("hines-2023").unwrap()).unwrap());
    assert_eq!((mine.title(), mine.summary(), mine.analysis()), ("Mine", "", ""));
    assert_eq!((mine.rounds(), mine.timeout().as_secs()), (5, 600));
    assert_eq!((mine.records(), mine.value_bytes().len()), (&[1_000][..], 1));
    assert_eq!((mine.stores(), mine.data(), mine.db_bytes_max()), (hines.stores(), hines.data(), hines.db_bytes_max()));
    assert_eq!((mine.phases(), mine.measured().len()), (hines.phases(), hines.measured().len()));
}

#[test]
fn lists_of_tables_are_replaced_as_a_whole_and_variants_may_be_like_those_of_the_model() {
    let load = "\n[[phases]]\nname = \"fill\"\noperation = \"insert\"\n";
    assert_eq!(parsed(&format!("{MINE}{load}")).phases().len(), 1);
    let own = parsed(&format!("{MINE}\n[[variants]]\nname = \"alone\"\n"));
    assert_eq!(own.measured().len(), 1);
    // Of stores that are left out, settings are too, where the suite has them itself.
    let fewer = parsed(&MINE.replace("[axes]", "[axes]\nstores = [\"sqlite\"]").replace("hines-2023", "lmdbjava-2016"));
    assert!(!fewer.measured().is_empty());
}

#[test]
fn mistakes_are_shown_where_they_stand_or_where_the_other_suite_is_named() {
    let unknown = refused(&MINE.replace("hines-2023", "hines-2032"));
    assert!(unknown.contains("did you mean `hines-2023`?") && unknown.contains("mine.toml:2"), "{unknown}");
    let file = refused(&MINE.replace("hines-2023", "other.toml"));
    assert!(file.contains("make a copy"), "{file}");
    assert!(refused(&MINE.replace("\"hines-2023\"", "5")).contains("like"));
    let own = refused(&MINE.replace("2KiB..20KiB", "20KiB..2KiB"));
    assert!(own.contains("mine.toml:7"), "{own}");
    // More records than the model's other words allow: nothing of the model's own lines is shown.
    let together = refused(&MINE.replace("records = 1_000", "records = 1_000\nthreads = 64\nkey = \"decimal:1\""));
    assert!(together.contains("mine.toml"), "{together}");
}
