//! Suites that start from a built-in suite.

use bakeoff_suite::{Overrides, StoreChoice, Suite, builtin};

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
fn lists_of_tables_are_replaced_as_a_whole() {
    let load = "\n[[phases]]\nname = \"fill\"\noperation = \"insert\"\n";
    assert_eq!(parsed(&format!("{MINE}{load}")).phases().len(), 1);
    let own = parsed(&format!("{MINE}\n[[variants]]\nname = \"alone\"\n"));
    assert_eq!(own.measured().len(), 1);
}

#[test]
fn axes_and_phases_hold_for_the_variants_of_the_model_too() {
    // The variant `paper` has settings for each of six stores.
    let one = parsed(&MINE.replace("[axes]", "[axes]\nstores = [\"sqlite\"]"));
    assert_eq!(one.measured().len(), 2);
    for variant in one.measured() {
        assert_eq!(variant.stores(), &StoreChoice::Named(vec!["sqlite".to_owned()]));
    }
    // Variants of lmdbjava-2016 have their own stores, sizes, records and phases.
    let load = "\n[[phases]]\nname = \"fill\"\noperation = \"insert\"\n";
    let mine = MINE.replace("[axes]", "[axes]\nstores = [\"mapdb\"]").replace("hines-2023", "lmdbjava-2016");
    let java = parsed(&format!("{mine}{load}"));
    assert!(java.measured().len() > 10);
    for variant in java.measured() {
        assert_eq!((variant.records(), variant.value_bytes().len(), variant.phases().len()), (&[1_000][..], 1, 1));
        assert_eq!(variant.stores(), &StoreChoice::Named(vec!["mapdb".to_owned()]));
    }
}

#[test]
fn flags_change_what_the_other_suite_gave_as_what_is_typed() {
    let flags = Overrides::default().with("records", ["2000"]).with("variants", ["paper"]);
    let flagged = parsed(MINE).with_overrides(&flags).unwrap();
    assert_eq!((flagged.measured().len(), flagged.measured()[0].records()), (1, &[2_000][..]));
    let scaled = Overrides::default().with("scale", ["0.1"]);
    assert_eq!(parsed(MINE).with_overrides(&scaled).unwrap().records(), [100]);
    // A suite that is itself `like` another.
    assert_eq!(parsed("like = \"cunningham-2024\"\n").phases(), parsed(MINE).phases());
}

#[test]
fn mistakes_are_shown_where_they_stand_or_where_the_other_suite_is_named() {
    let unknown = refused(&MINE.replace("hines-2023", "hines-2032"));
    assert!(unknown.contains("did you mean `hines-2023`?") && unknown.contains("mine.toml:2"), "{unknown}");
    let file = refused(&MINE.replace("hines-2023", "other.toml"));
    assert!(file.contains("to start from another file, copy it"), "{file}");
    let number = refused(&MINE.replace("\"hines-2023\"", "5"));
    assert!(number.contains("mine.toml:2") && number.contains("`like` is an integer"), "{number}");
    let itself = Suite::parse("hines-2023", MINE).unwrap_err().to_string();
    assert!(itself.contains("cannot be like itself"), "{itself}");
    let own = refused(&MINE.replace("2KiB..20KiB", "20KiB..2KiB"));
    assert!(own.contains("mine.toml:7"), "{own}");
    // The model's variant `paper` gives each store a level.
    let together = refused(&MINE.replace("records = 1_000", "records = 1_000\ndurability = [\"process\", \"power\"]"));
    assert!(together.contains("mine.toml:2") || together.contains("mine.toml:9"), "{together}");
    assert!(!together.contains("[variants"), "{together}");
    let threads = refused(&MINE.replace("records = 1_000", "records = 1_000\nthreads = 0"));
    assert!(threads.contains("mine.toml:9"), "{threads}");
    let baseline =
        refused(&format!("{}\n[[variants]]\nname = \"alone\"\n", MINE.replace("hines-2023", "leveldb-2011")));
    assert!(baseline.contains("mine.toml:2") && !baseline.contains("leveldb-2011.toml"), "{baseline}");
}
