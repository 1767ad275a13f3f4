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
    let commit = || row(Operation::Commit, "", None);
    let expected = [
        row(Insert, "n/1", 8),
        commit(),
        row(Upsert, "n/2", 3),
        commit(),
        row(Update, "n/1", 3),
        commit(),
        row(Get, "n/2", None),
        row(Get, "n/1", None),
        row(Get, "n'3", None),
        row(Update, "n/2", None),
        commit(),
        row(Upsert, "tags:7", 3),
        row(Upsert, "tags:8", 1),
        commit(),
        row(Get, "tags:7", None),
        row(Delete, "n/1", None),
        commit(),
    ];
    assert_eq!(log.rows, expected);
    assert_eq!((log.omitted.without_record, log.omitted.unread), (3, 0));
}

/// The keys of the batches in which a log writes.
fn batches(log: &str) -> Vec<String> {
    let (mut batches, mut open) = (Vec::new(), String::new());
    for (operation, key, _) in read_with(log, &Form::Sql.into()).unwrap().rows {
        match operation {
            Operation::Commit => batches.push(std::mem::take(&mut open)),
            _ => open += &String::from_utf8(key).unwrap(),
        }
    }
    assert!(open.is_empty(), "{open} is in no batch");
    batches
}

#[test]
fn a_transaction_is_a_batch_and_a_statement_outside_of_any_too() {
    let put = |key: char| format!("INSERT INTO t VALUES('{key}', 1);\n");
    let log = |statements: &str| -> String {
        let statement = |word: &str| match word {
            "" => String::new(),
            key if key.len() == 1 => put(key.chars().next().unwrap()),
            other => format!("{other};\n"),
        };
        statements.split(", ").map(statement).collect()
    };
    for (statements, expected) in [
        ("a, begin, b, c, COMMIT, d", &["a", "bc", "d"][..]),
        ("BEGIN IMMEDIATE, a, b, END TRANSACTION, begin, commit, c", &["ab", "c"]),
        ("begin, a, SAVEPOINT s, b, RELEASE s, c, commit, d", &["abc", "d"]),
        ("savepoint s, a, savepoint t, b, release T, c, release savepoint s, d", &["abc", "d"]),
        ("begin, rollback, a, b", &["a", "b"]),
        ("a, begin, b, c", &["a", "bc"]),
    ] {
        assert_eq!(batches(&log(statements)), expected, "{statements}");
    }
    // bakeoff cannot undo writes, so a rollback counts as unread.
    let many: String = (0..200).map(|_| put('a')).collect();
    for undo in ["ROLLBACK", "ROLLBACK TO s", "rollback transaction to savepoint s"] {
        let undone = log(&format!("begin, a, b, {undo}, c, commit"));
        let read = read_with(many.clone() + &undone, &Form::Sql.into()).unwrap();
        assert_eq!(read.omitted.unread, 1, "{undo}");
        let why = read_with(&undone, &Form::Sql.into()).unwrap_err();
        assert!(why.contains("--ignore rollback leaves them out"), "{why}");
        assert_eq!(
            read_with(&undone, &ReadOptions { form: Some(Form::Sql), ..ignoring(&["rollback"]) })
                .unwrap()
                .omitted
                .unread,
            0
        );
    }
    let alone =
        read_with(log("a, begin, b, c, commit"), &ReadOptions { form: Some(Form::Sql), ..ignoring(&["commit"]) });
    let alone = alone.unwrap();
    assert_eq!(alone.rows.len(), 3, "commits do not matter");
    assert_eq!(alone.omitted.without_record, 2);
}

#[test]
fn statements_about_more_are_counted_and_named() {
    for (statement, name) in [
        ("SELECT count(*) FROM notes;", "other-select"),
        ("SELECT v FROM notes WHERE title='t';", "other-select"),
        ("SELECT v FROM notes WHERE k=? ;", "other-select"),
        ("SELECT v FROM notes WHERE k='a' AND v='b';", "other-select"),
        ("DELETE FROM notes;", "other-delete"),
        ("UPDATE notes SET v='b';", "other-update"),
        ("INSERT INTO notes SELECT * FROM old;", "other-insert"),
        // Its key is a number that SQLite gives.
        ("INSERT INTO notes(title, v) VALUES('t', 'b');", "other-insert"),
        ("REPLACE INTO tags(name) VALUES('b');", "other-replace"),
    ] {
        let why = read(LOG.to_owned() + statement + "\n").unwrap_err();
        assert!(why.contains(&format!("--ignore {name} leaves them out")), "{statement}: {why}");
    }
    let operations = |name: &str| {
        let log = LOG.to_owned() + "SELECT count(*) FROM notes;\n";
        let ignored = read_with(log, &ignoring(&[name])).unwrap();
        ignored.rows.iter().filter(|row| row.0 != Operation::Commit).count()
    };
    assert_eq!([operations("other-select"), operations("select")], [11, 7], "without the others, without all");
    let why = read(LOG.to_owned() + "SELECT v FROM notes WHERE k=\n").unwrap_err();
    assert!(why.contains("1 lines next to 11 operations"), "a statement that was cut off: {why}");
}

#[test]
fn expressions_are_of_unknown_length() {
    let log = "INSERT INTO kv(k, v) VALUES ('a', json('[1, (2)]')), ('b', 'xy') RETURNING k, v;\n\
               UPDATE kv SET v = upper(v, 'x'), w='y' WHERE k='a' RETURNING v;\nSELECT t.v FROM kv AS t WHERE t.k='a';\n\
               SELECT v FROM kv x WHERE x.k='b' LIMIT 1;\n";
    let expected = [
        row(Operation::Insert, "a", None),
        row(Operation::Insert, "b", 2),
        row(Operation::Commit, "", None),
        row(Operation::Update, "a", None),
        row(Operation::Commit, "", None),
        row(Operation::Get, "a", None),
        row(Operation::Get, "b", None),
    ];
    assert_eq!(read(log).unwrap().rows, expected);
    for other in ["INSERT INTO kv(k, v) VALUES (hex(1), 'x');", "SELECT a.v FROM kv a JOIN kv b WHERE a.k='a';"] {
        let why = read(log.to_owned() + other + "\n").unwrap_err();
        assert!(why.contains("1 lines next to 5 operations"), "{other}: {why}");
    }
}

#[test]
fn a_key_may_have_several_columns() {
    use Operation::{Delete, Get, Insert, Update};
    let table = "CREATE TABLE item(user TEXT NOT NULL, id INTEGER, v TEXT, PRIMARY KEY(user, \"id\" DESC));\n";
    let log = "INSERT INTO item VALUES('a',1,'hello'),('a',2,'you');\nINSERT INTO item(v,id,user) VALUES('b',1,'b');\n\
               SELECT v FROM item WHERE id=2 AND item.user='a';\nUPDATE item SET v='bye' WHERE (user='a' AND id=1);\n\
               DELETE FROM item WHERE user='a' AND id=1;\n";
    let rows = |log: &str| -> Vec<Row> {
        let rows = read_with(log, &Form::Sql.into()).unwrap().rows;
        rows.into_iter().filter(|row| row.0 != Operation::Commit).collect()
    };
    let expected = [
        row(Insert, "a\x001", 5),
        row(Insert, "a\x002", 3),
        row(Insert, "b\x001", 1),
        row(Get, "a\x002", None),
        row(Update, "a\x001", 3),
        row(Delete, "a\x001", None),
    ];
    assert_eq!(rows(&(table.to_owned() + log)), expected);
    for part in ["user='a'", "id=1", "user='a' AND v='b'", "user='a' AND id=1 AND v='b'"] {
        let why = read(format!("{table}{log}SELECT v FROM item WHERE {part};\n")).unwrap_err();
        assert!(why.contains("1 lines next to 6 operations") && why.contains("--ignore other-select"), "{part}: {why}");
    }
    // Without the table the column that is named first is the key, and no other is.
    let why = read("INSERT INTO notes(title, v) VALUES('t','b');\nSELECT v FROM notes WHERE id=1;\n").unwrap_err();
    assert!(why.contains("1 lines next to 1 operations") && why.contains("WHERE id=1"), "{why}");
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
            let is_write = read.0 != Operation::Get;
            expected.push(read);
            expected.extend(is_write.then(|| row(Operation::Commit, "", None)));
        }
        let read = read_with(&log, &Form::Sql.into()).unwrap();
        prop_assert_eq!(read.rows, expected);
        prop_assert_eq!(read.omitted.unread, 0);
    }
}
