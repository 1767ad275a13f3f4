//! JSON lines.

use super::*;

#[test]
fn an_object_a_line_is_a_row() {
    let log = "{\"ts\":\"2026-11-28T04:00:00Z\",\"op\":\"get\",\"key\":\"user:1\",\"value_size\":333.0}\n\n\
               {\"op\": \"set\", \"key\": \"a\\u00e9\\n\", \"ts\":\"2026-11-28T04:00:00.5Z\", \"value_size\": 101, \"client\": {\"ip\": [1, 2]}}\n\
               {\"ts\":\"2026-11-28T04:00:01Z\",\"op\":\"delete\",\"key\":77,\"value_size\":null}\n\
               {\"ts\":\"2026-11-28T04:00:02Z\",\"op\":\"get\",\"key\":\"b\",\"value_size\":5,\"found\":false,\"op_count\":2}\n";
    let counted = log.replace("\"op_count\":2", "\"op_count\":1").replace(",\"value_size\":null", ",\"op_count\":1");
    let counted = counted.replace("333.0}", "333.0,\"op_count\":1}").replace("101,", "101,\"op_count\":1,");
    let read_back = read(&counted).unwrap();
    let expected = [
        row(Operation::Get, "user:1", 333),
        row(Operation::Upsert, "a\u{e9}\n", 101),
        row(Operation::Delete, "77", None),
        row(Operation::Get, "b", 0),
    ];
    assert_eq!(read_back.rows, expected);
    assert_eq!(read_back.times[3].unwrap() - read_back.times[0].unwrap(), 2.0);
    let why = read(log).unwrap_err();
    assert!(why.contains("line 1: op_count is ``"), "a name of a later object counts for all: {why}");
}

#[test]
fn names_obey_the_rules_of_columns() {
    let line = |rest: &str| format!("{{\"op\":\"get\",\"key\":\"a\",\"value_size\":1{rest}}}\n");
    for (log, words) in [
        (line(",\"batch_id\":7"), "no column `batch_id`, which could change what a row means"),
        (line("").replace("value_size", "value_sise"), "did you mean `value_size`?"),
        (line("").repeat(100) + &line(",\"op_cuont\":7"), "line 101: the names of its values"),
        (line("") + "{\"op\":\"get\"\n", "line 2: the line is"),
        (
            line("") + "{\"op\":\"get\",\"key\":[1],\"value_size\":1}\n",
            "line 2: an object is `key`, expected a name whose value is text",
        ),
        (
            line("") + "{\"op\":\"get\",\"key\":123456789012345678901234567890,\"value_size\":1}\n",
            "a number that is exact",
        ),
        (line("") + "{\"op\":\"fetch\",\"key\":\"a\",\"value_size\":1}\n", "line 2: op is `fetch`"),
    ] {
        let why = read(&log).unwrap_err();
        assert!(why.contains(words), "{words}: {why}");
    }
    assert_eq!(read_with(line(",\"batch_id\":7"), &ignoring(&["batch_id"])).unwrap().rows.len(), 1);
}

#[test]
fn other_messages_of_a_log_are_passed_over_and_counted() {
    let mut log = "{\"level\":\"info\",\"op\":\"get\",\"key\":\"a\",\"value_size\":1}\n".repeat(200);
    log += "{\"level\":\"info\",\"message\":\"started\",\"port\":8080}\nListening on 8080\n";
    let passed = read(&log).unwrap();
    assert_eq!((passed.rows.len(), passed.omitted.unread), (200, 2));
    let (origin, first) = passed.omitted.first_unread.unwrap();
    assert!(origin.to_string() == "line 201" && first.contains("\"message\":\"sta"), "{first}");
    assert_eq!(passed.omitted.columns, ["level", "message", "port"], "what is not read is named");
    log += "{\"message\":\"stopped\"}\n";
    let why = read(&log).unwrap_err();
    assert!(why.contains("3 lines next to 200 operations") && why.contains("--ignore without-op"), "{why}");
    let ignored = read_with(&log, &ignoring(&["without-op"])).unwrap();
    assert_eq!((ignored.rows.len(), ignored.omitted.unread, ignored.omitted.without_record), (200, 1, 2));
    let why = read(log + "{\"op\":\"get\",\"value_size\":1}\n").unwrap_err();
    assert!(why.contains("line 204: key is ``"), "an operation without a key is no other message: {why}");
}

/// As JSON has a text.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(rows in prop::collection::vec((0..3_usize, ".{1,30}", any::<u32>()), 1..100)) {
        let kinds = [("get", Operation::Get), ("set", Operation::Upsert), ("delete", Operation::Delete)];
        let (mut log, mut expected) = (String::new(), Vec::new());
        for (kind, key, length) in &rows {
            let (word, operation) = kinds[*kind];
            let length = u64::from(*length % (1 << 30));
            log += &format!("{{\"op\":\"{word}\",\"key\":{},\"value_size\":{length}}}\n", quoted(key));
            expected.push(row(operation, key, length));
        }
        prop_assert_eq!(read(&log).unwrap().rows, expected);
    }
}
