//! memcached's verbose log.

use super::*;

/// As `memcached -vv` prints it.
const LOG: &str = "slab class   1: chunk size        96 perslab   10922\nslab class   2: chunk size       120 perslab    8738\n\
                   <26 server listening (auto-negotiate)\n<28 new auto-negotiating client connection\n28: Client using the ascii protocol\n\
                   <28 set user:1 0 3600 20\n>28 STORED\n<28 get user:1 user:2\n<29 new auto-negotiating client connection\n\
                   29: Client using the ascii protocol\n>28 sending key user:1\n<29 add user:1 0 0 7\n>28 END\n>29 NOT_STORED\n\
                   <29 add user:2 0 0 7\n>29 STORED\n<28 incr hits 1\n>28 NOT_FOUND\n<28 delete user:2\n>28 DELETED\n<29 version\n\
                   >29 VERSION 1.6.21\n<29 set x 0 0 2000000\n>29 SERVER_ERROR object too large for cache\n<28 gets user:1\n";

#[test]
fn what_was_asked_is_known_by_its_answer() {
    use Operation::{Delete, Get, Insert, Upsert};
    let log = read(LOG).unwrap();
    let expected = [
        row(Upsert, "user:1", 20),
        row(Get, "user:1", None),
        row(Get, "user:2", 0),
        row(Get, "user:1", None),
        row(Insert, "user:2", 7),
        row(Get, "hits", 0),
        row(Delete, "user:2", None),
        row(Get, "user:1", None),
    ];
    assert_eq!(log.rows, expected);
    assert_eq!((log.omitted.without_record, log.omitted.unread), (8, 0));
    let why = read(LOG.to_owned() + "<28 flush_all\n").unwrap_err();
    assert!(why.contains("--ignore flush_all"), "{why}");
}

/// As version 1.4.7 prints it.
#[test]
fn the_binary_protocol_is_read_too() {
    let log = "<40 new auto-negotiating client connection\n40: Client using the binary protocol\n<40 Read binary protocol data:\n\
               <40    0x80 0x00 0x00 0x0a\n<40 GET views/show\n>40 Writing an error: Not found\n>40 Writing bin response:\n\
               >40    0x81 0x00 0x00 0x00\n<40 Read binary protocol data:\n<40 SET views/show Value len is 6\n>40 Writing bin response:\n\
               >40    0x81 0x01 0x00 0x00\n<40 Read binary protocol data:\n<40 GET views/show\n";
    let options = ReadOptions::from(Form::Memcached);
    let rows = read_with(log, &options).unwrap().rows;
    assert_eq!(
        rows,
        [
            row(Operation::Get, "views/show", 0),
            row(Operation::Upsert, "views/show", 6),
            row(Operation::Get, "views/show", None)
        ]
    );
}
