//! Redis's `MONITOR`.

use super::*;

/// As `redis-cli monitor` prints it. Values are of our own making.
const LOG: &str = r#"OK
1700000000.000001 [0 127.0.0.1:60866] "hello" "3"
1700000000.107412 [0 127.0.0.1:60866] "SET" "session:1" "{\"user\":\"\xc3\xa9\"}" "EX" "3600"
1700000000.107900 [0 127.0.0.1:60866] "get" "session:1"
1700000000.108000 [0 [::1]:60870] "SETEX" "session:2" "3600" "a\\b"
1700000001.363765 [0 unix:/tmp/redis.sock] "mget" "session:1" "session:2" "none"
1700000001.363800 [1 127.0.0.1:60866] "hset" "user:7" "name" "Ada" "mail" "ada@example.org"
1700000001.363801 [1 127.0.0.1:60866] "hget" "user:7" "name"
1700000001.363900 [0 127.0.0.1:60866] "eval" "return redis.call('set','x','7')" "0"
1700000001.363910 [0 lua] "set" "x" "7"
1700000001.400000 [0 127.0.0.1:60866] "incr" "hits"
1700000001.400001 [0 127.0.0.1:60866] "set" "lock" "1" "nx" "px" "30000"
1700000001.400002 [0 127.0.0.1:60866] "del" "session:1" "\x00\xff\"key\""
1700000001.500000 [0 127.0.0.1:60866] "PING"
1700000001.500001 [0 127.0.0.1:60866] "getdel" "x"
"#;

#[test]
fn commands_on_keys_are_operations_on_records() {
    use Operation::{Delete, Get, Insert, Update, Upsert};
    let log = read(LOG).unwrap();
    let expected = [
        row(Upsert, "session:1", 13),
        row(Get, "session:1", None),
        row(Upsert, "session:2", 3),
        row(Get, "session:1", None),
        row(Get, "session:2", None),
        row(Get, "none", None),
        row(Upsert, "1:user:7\0name", 3),
        row(Upsert, "1:user:7\0mail", 15),
        row(Get, "1:user:7\0name", None),
        row(Upsert, "x", 1),
        row(Update, "hits", None),
        row(Insert, "lock", 1),
        row(Delete, "session:1", None),
        row(Delete, b"\x00\xff\"key\"", None),
        row(Get, "x", None),
        row(Delete, "x", None),
    ];
    assert_eq!(log.rows, expected);
    assert_eq!((log.omitted.without_record, log.omitted.unread), (4, 0), "OK, HELLO, EVAL and PING");
    assert!((log.times[15].unwrap() - log.times[0].unwrap() - 1.392589).abs() < 1e-6, "{:?}", log.times);
    assert_eq!(read(LOG.replace("\n1700", "\n+1700")).unwrap().rows, expected, "as telnet shows it");
    let old = "1339518083.107412 \"set\" \"x\" \"66\"\n1339518083.107413 (db 3) \"get\" \"x\"\n";
    assert_eq!(read(old).unwrap().rows, [row(Upsert, "x", 2), row(Get, "3:x", None)], "as Redis 2.4 prints it");
}

#[test]
fn commands_that_no_operation_is_like_are_counted_and_named() {
    let line = |command: &str| format!("1700000000.000001 [0 127.0.0.1:60866] {command}\n");
    let log = line("\"get\" \"a\"").repeat(200) + &line("\"lpush\" \"q\" \"1\"") + &line("\"get\" \"a");
    let omitted = read(&log).unwrap().omitted;
    assert_eq!(omitted.unread, 2, "a list, and a line that was cut off");
    assert!(omitted.first_unread.unwrap().0.to_string() == "line 201");
    let log = log + &line("\"EXPIRE\" \"a\" \"60\"").repeat(5);
    let why = read(&log).unwrap_err();
    assert!(why.contains("7 lines next to 200 operations") && why.contains("The first is line 201"), "{why}");
    assert!(why.contains("--ignore expire,lpush leaves them out"), "{why}");
    let ignoring_get = read_with(&log, &ignoring(&["expire", "LPUSH"])).unwrap();
    assert_eq!(
        (ignoring_get.rows.len(), ignoring_get.omitted.unread, ignoring_get.omitted.without_record),
        (200, 1, 6)
    );
}

#[test]
fn only_keys_of_a_prefix_are_taken() {
    let options = ReadOptions { key_prefix: b"session:".to_vec(), ..ReadOptions::default() };
    let log = read_with(LOG, &options).unwrap();
    assert_eq!(log.rows.iter().map(|row| &row.1[..]).collect::<Vec<_>>(), [b"1", b"1", b"2", b"1", b"2", b"1"]);
    assert_eq!(log.omitted.other_keys, 10);
}

#[test]
fn times_have_one_unit() {
    let options = ReadOptions { time_unit: Some(bakeoff_trace::TimeUnit::Milliseconds), ..ReadOptions::default() };
    assert!(read_with(LOG, &options).unwrap_err().contains("of the form redis have their unit"));
    let late = LOG.replace("1700000001.5", "1600000001.5");
    assert!(read(&late).unwrap_err().contains("no less than 1700000001.400002, which came before"));
}

/// As Redis writes an argument.
fn quoted(bytes: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'\\' | b'"' => format!("\\{}", char::from(*byte)),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        7 => "\\a".to_owned(),
        8 => "\\b".to_owned(),
        b' '..=b'~' => char::from(*byte).to_string(),
        other => format!("\\x{other:02x}"),
    };
    format!("\"{}\"", bytes.iter().map(byte).collect::<String>())
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(commands in prop::collection::vec((0..4_usize, bytes(40), bytes(300)), 1..100)) {
        let (mut log, mut expected) = (String::new(), Vec::new());
        for (number, (kind, key, value)) in commands.iter().enumerate() {
            let (key_text, value_text) = (quoted(key), quoted(value));
            let (command, rows) = match kind {
                0 => (format!("\"GET\" {key_text}"), vec![row(Operation::Get, key, None)]),
                1 => (format!("\"set\" {key_text} {value_text}"), vec![row(Operation::Upsert, key, value.len() as u64)]),
                2 => (format!("\"del\" {key_text} {value_text}"), [key, value].map(|key| row(Operation::Delete, key, None)).to_vec()),
                _ => {
                    let field = [key, &[0][..], value].concat();
                    (format!("\"hset\" {key_text} {value_text} {key_text}"), vec![row(Operation::Upsert, field, key.len() as u64)])
                }
            };
            log += &format!("17000000{:02}.{number:06} [0 127.0.0.1:50000] {command}\n", number / 10);
            expected.extend(rows);
        }
        let read = read(&log).unwrap();
        prop_assert_eq!(read.rows, expected);
        prop_assert_eq!(read.omitted.unread, 0);
    }
}
