//! Tests of the effect of settings on SQLite: the plan of each statement, the table chosen, the pragmas in force.

use rusqlite::Connection;

use super::session::{FORWARD, FORWARD_FROM, REVERSE, REVERSE_FROM};
use super::*;

fn plan(table: &str, end: &str) -> String {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(&create_table(table)).unwrap();
    let sql = format!("EXPLAIN QUERY PLAN SELECT key, value FROM record {}", end.replace("?1", "x'00'"));
    let mut statement = connection.prepare(&sql).unwrap();
    let steps = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
    steps.map(Result::unwrap).collect::<Vec<_>>().join("; ")
}

#[test]
fn ordered_scans_step_through_a_tree_and_never_sort() {
    for table in ["rowid", "without-rowid"] {
        for end in [FORWARD, FORWARD_FROM, REVERSE, REVERSE_FROM] {
            let plan = plan(table, end);
            assert!(!plan.contains("TEMP B-TREE"), "{table}: {plan}");
            assert_eq!(plan.contains("SEARCH"), end.contains("WHERE"), "{table}: {plan}");
        }
    }
}

#[test]
fn a_scan_in_any_order_does_not_go_through_the_index() {
    assert_eq!(plan("rowid", ""), "SCAN record");
}

#[test]
fn the_table_follows_the_size_of_a_mean_row() {
    let table = |word, value_bytes_mean| {
        let hints = DataHints { key_bytes_max: 16, value_bytes_mean, ..DataHints::default() };
        kind_of_table(word, 4_096, &hints) == WITHOUT_ROWID
    };
    // 1/20 of a page is 204 bytes.
    assert!(table("auto", 188) && !table("auto", 189));
    assert!(table("without-rowid", 100_000) && !table("rowid", 1));
}

fn open_with(given: &[(&str, u64)], durability: Durability) -> Result<(tempfile::TempDir, Settings), StoreError> {
    let given = given.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
    let settings = bakeoff_store::resolve_settings(&describe(), &given)?;
    let parent = tempfile::tempdir()?;
    let hints = DataHints::default();
    let request = OpenRequest { directory: parent.path(), durability, settings: &settings, hints: &hints };
    open(&request)?.close()?;
    Ok((parent, settings))
}

#[test]
fn settings_at_their_limits_open_and_take_hold() {
    for page_bytes in [512, 65_536] {
        let given = [("page-size", page_bytes), ("cache", 0), ("mmap-size", 0x7fff_0000), ("wal-autocheckpoint", 0)];
        for durability in Durability::ALL {
            let (parent, _) = open_with(&given, durability).unwrap();
            let connection = Connection::open(parent.path().join("records.sqlite")).unwrap();
            assert_eq!(pragma_value(&connection, "page_size").unwrap(), page_bytes.to_string());
        }
    }
}

#[test]
fn a_page_size_that_is_no_power_of_two_is_refused_with_its_neighbours() {
    let error = open_with(&[("page-size", 5_000)], Durability::Process).unwrap_err();
    assert!(
        matches!(&error, StoreError::BadRequest(message) if message.contains("page-size` of store `sqlite` is 5000: give 4096 or 8192")),
        "{error}"
    );
}

#[test]
fn a_full_database_is_a_full_disk() {
    let (parent, settings) = open_with(&[], Durability::Process).unwrap();
    let hints = DataHints::default();
    let request =
        OpenRequest { directory: parent.path(), durability: Durability::Process, settings: &settings, hints: &hints };
    let mut configuration = Configuration::new(&request).unwrap();
    configuration.pragmas.push(("max_page_count", "8".to_owned()));
    let connection = configuration.connect().unwrap();
    let store = Sqlite { configuration, table: WITHOUT_ROWID, idle: Mutex::new(vec![connection]) };
    let result = store.session(&SessionPlan::default(), &mut |session| session.insert(b"key", &[1; 100_000]));
    assert!(matches!(result, Err(StoreError::DiskFull(_))), "{result:?}");
}

#[test]
fn a_database_locked_for_one_connection_admits_no_other_and_can_still_be_copied() {
    let given = Settings::from([("locking-mode".to_owned(), "exclusive".into())]);
    let settings = bakeoff_store::resolve_settings(&describe(), &given).unwrap();
    let parent = tempfile::tempdir().unwrap();
    let hints = |threads| DataHints { threads, ..DataHints::default() };
    let open_for = |hints: &DataHints| {
        open(&OpenRequest { directory: parent.path(), durability: Durability::Process, settings: &settings, hints })
    };
    let refused = open_for(&hints(2)).map(drop).unwrap_err();
    assert!(
        matches!(&refused, StoreError::BadRequest(message) if message.ends_with("or locking-mode = normal")),
        "{refused}"
    );
    let store = open_for(&hints(1)).unwrap();
    store.session(&SessionPlan::default(), &mut |session| session.insert(b"key", b"value")).unwrap();
    assert!(!parent.path().join("records.sqlite-shm").exists());
    let other = Connection::open(parent.path().join(FILE)).unwrap();
    let locked = other.query_row("SELECT count(*) FROM record", [], |row| row.get::<_, i64>(0)).unwrap_err();
    assert_eq!(locked.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy), "{locked}");
    let copy = tempfile::tempdir().unwrap();
    store.compacted_copy(copy.path()).unwrap();
    let copied = Connection::open(copy.path().join(FILE)).unwrap();
    assert_eq!(copied.query_row("SELECT count(*) FROM record", [], |row| row.get::<_, i64>(0)), Ok(1));
    store.close().unwrap();
}

#[test]
fn what_was_left_to_sqlite_is_told() {
    let parent = tempfile::tempdir().unwrap();
    let came_to = |durability, given: &[(&str, &str)], value_bytes_mean| {
        let directory = tempfile::tempdir_in(parent.path()).unwrap();
        let mut settings: Settings =
            describe().settings.into_iter().filter_map(|setting| Some((setting.name, setting.default?))).collect();
        settings.extend(given.iter().map(|&(name, word)| (name.to_owned(), word.into())));
        let hints = DataHints { value_bytes_mean, ..DataHints::default() };
        let store = open(&OpenRequest { directory: directory.path(), durability, settings: &settings, hints: &hints });
        let chosen = store.unwrap().chosen();
        ["table", "journal", "synchronous"]
            .map(|name| chosen.get(name).and_then(|word| word.as_str()).unwrap_or("").to_owned())
    };
    assert_eq!(came_to(Durability::Process, &[], 100), ["without-rowid", "wal", "off"]);
    assert_eq!(came_to(Durability::Consistent, &[], 100), ["without-rowid", "wal", "normal"]);
    let rollback_normal = [("journal", "delete"), ("synchronous", "normal")];
    assert_eq!(came_to(Durability::Process, &rollback_normal, 100), ["without-rowid", "delete", "normal"]);
    assert_eq!(came_to(Durability::Consistent, &rollback_normal, 100), ["without-rowid", "delete", "full"]);
    assert_eq!(came_to(Durability::Power, &[], 1_000), ["rowid", "wal", "full"]);
    assert_eq!(came_to(Durability::Power, &[("journal", "delete"), ("synchronous", "full")], 1_000)[2], "extra");
    assert_eq!(came_to(Durability::None, &[], 100), ["without-rowid", "", "off"]);
}
