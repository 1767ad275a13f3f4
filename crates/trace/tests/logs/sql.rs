//! Statements of SQL.

use super::*;

/// As `.trace` of SQLite 3.40 prints it.
const LOG: &str = "CREATE TABLE notes(title TEXT, k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID;\n\
                   INSERT INTO notes VALUES('It''s','n/1','aaaa');\nINSERT OR REPLACE INTO notes(k,title,v) VALUES('n/2', NULL, x'00ff10');\n\
                   BEGIN;\nUPDATE notes SET v='bb', title='t' WHERE k='n/1';\nCOMMIT;\nSELECT v, (SELECT 1) FROM \"notes\" WHERE k=\n  'n/2';\n\
                   select * from main.notes where k in ('n/1', 'n''3') limit 2;\nUPDATE notes SET v = v || 'x' WHERE k='n/2';\n\
                   INSERT INTO tags(id, name) VALUES (7,'a\nb'),(8,'c') ON CONFLICT(id) DO UPDATE SET name=excluded.name;\n\
                   SELECT name FROM tags WHERE id=7\nDELETE FROM notes WHERE k='n/1';\n-- trigger\n";

#[test]
fn statements_about_a_row_by_its_key_are_operations() {
    use Operation::{Delete, Get, Insert, Update, Upsert};
    let log = read(LOG).unwrap();
    let expected = [
        row(Insert, "n/1", 8),
        row(Upsert, "n/2", 3),
        row(Update, "n/1", 3),
        row(Get, "n/2", None),
        row(Get, "n/1", None),
        row(Get, "n'3", None),
        row(Update, "n/2", None),
        row(Upsert, "tags:7", 3),
        row(Upsert, "tags:8", 1),
        row(Get, "tags:7", None),
        row(Delete, "n/1", None),
    ];
    assert_eq!(log.rows, expected);
    assert_eq!((log.omitted.without_record, log.omitted.unread), (4, 0));
}

#[test]
fn statements_about_more_are_counted_and_named() {
    for (statement, name) in [
        ("SELECT count(*) FROM notes;", "select"),
        ("SELECT v FROM notes WHERE title='t';", "select"),
        ("SELECT v FROM notes WHERE k=? ;", "select"),
        ("SELECT v FROM notes WHERE k='a' AND v='b';", "select"),
        ("DELETE FROM notes;", "delete"),
        ("UPDATE notes SET v='b';", "update"),
        ("INSERT INTO notes SELECT * FROM old;", "insert"),
    ] {
        let why = read(LOG.to_owned() + statement + "\n").unwrap_err();
        assert!(why.contains(&format!("--ignore {name} leaves them out")), "{statement}: {why}");
    }
    let ignored = read_with(LOG.to_owned() + "SELECT count(*) FROM notes;\n", &ignoring(&["select"])).unwrap();
    assert_eq!(ignored.rows.len(), 7, "all others");
    let why = read(LOG.to_owned() + "SELECT v FROM notes WHERE k=\n").unwrap_err();
    assert!(why.contains("1 lines next to 11 operations"), "a statement that was cut off: {why}");
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(rows in prop::collection::vec((0..4_usize, "[^\0]{1,30}", "[^\0]{0,300}"), 1..60)) {
        let (mut log, mut expected) = (String::new(), Vec::new());
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        for (kind, key, value) in &rows {
            let (key_text, value_text) = (quoted(key), quoted(value));
            let (statement, read) = match kind {
                0 => (format!("SELECT v FROM t WHERE k={key_text};"), row(Operation::Get, key, None)),
                1 => (format!("INSERT INTO t VALUES({key_text},{value_text});"), row(Operation::Insert, key, value.len() as u64)),
                2 => (format!("UPDATE t SET v={value_text} WHERE k={key_text};"), row(Operation::Update, key, value.len() as u64)),
                _ => (format!("DELETE FROM t WHERE k={key_text};"), row(Operation::Delete, key, None)),
            };
            log += &(statement + "\n");
            expected.push(read);
        }
        let read = read_with(&log, &Form::Sql.into()).unwrap();
        prop_assert_eq!(read.rows, expected);
        prop_assert_eq!(read.omitted.unread, 0);
    }
}
