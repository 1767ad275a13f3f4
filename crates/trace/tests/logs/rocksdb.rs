//! RocksDB's trace as text.

use super::*;

/// Made after `WriteTraceSequence`: key, type, column family, length of the value, microseconds.
const LOG: &str = "0x6B31 1 0 100 1700000000000000\n0x6B31 0 0 0 1700000000000007\n0x00ff 5 0 4 1700000000000010\n\
                   0x6B31 1 2 9 1700000000000020\n0x6B31 8 0 0 1700000000000030\n0x6B31 3 0 0 1700000000500000\n";

#[test]
fn operations_of_every_type_are_known() {
    use Operation::{Delete, Get, Update, Upsert};
    let log = read(LOG).unwrap();
    let expected = [
        row(Upsert, "k1", 100),
        row(Get, "k1", None),
        row(Update, b"\x00\xff", None),
        row(Upsert, "2:k1", 9),
        row(Get, "k1", None),
        row(Delete, "k1", None),
    ];
    assert_eq!(log.rows, expected);
    assert_eq!(log.times[5].unwrap() - log.times[0].unwrap(), 0.5);
    let ranges = LOG.to_owned() + "0x6B31 4 0 0 1700000000600000\n0x6B32 4 0 0 1700000000600000\n";
    let why = read(&ranges).unwrap_err();
    assert!(why.contains("2 lines next to 6 operations") && why.contains("--ignore rangedelete"), "{why}");
    let ignoring = read_with(&ranges, &ignoring(&["RangeDelete"])).unwrap();
    assert_eq!((ignoring.rows, ignoring.omitted.without_record), (expected.to_vec(), 2));
    let seeks = read(LOG.replace("0x6B31 8 ", "0x6B31 6 ")).unwrap();
    assert_eq!(seeks.rows[4], row(Operation::Scan, "k1", None));
    let long = read(LOG.replace(" 100 ", " 9999999999 ")).unwrap_err();
    assert!(long.contains("1 lines next to 5 operations"), "{long}");
    let late = read(LOG.replace("1700000000500000", "1600000000500000")).unwrap_err();
    assert!(late.contains("sort -s -n -k 5,5 FILE"), "{late}");
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(operations in prop::collection::vec((bytes(40), 0..4_usize, 0..1_000_u64), 1..100)) {
        let kinds = [(0, Operation::Get), (1, Operation::Upsert), (2, Operation::Delete), (9, Operation::Upsert)];
        let (mut log, mut expected) = (String::new(), Vec::new());
        for (number, (key, kind, length)) in operations.iter().enumerate() {
            let (code, operation) = kinds[*kind];
            let digits: String = key.iter().map(|byte| format!("{byte:02X}")).collect();
            let length = if operation == Operation::Upsert { *length } else { 0 };
            log += &format!("0x{digits} {code} 0 {length} {}\n", 1_700_000_000_000_000_u64 + number as u64);
            expected.push(row(operation, key, (operation == Operation::Upsert).then_some(length)));
        }
        prop_assert_eq!(read(&log).unwrap().rows, expected);
    }
}
