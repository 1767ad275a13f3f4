//! The words that traces have for operations.

use bakeoff_tape::Operation;

/// The words for operations, those of memcached and of YCSB included.
const WORDS: [(&str, Operation); 31] = [
    ("get", Operation::Get),
    ("gets", Operation::Get),
    ("get_lease", Operation::Get),
    ("read", Operation::Get),
    ("exists", Operation::Get),
    ("contains", Operation::Get),
    ("insert", Operation::Insert),
    ("add", Operation::Insert),
    ("create", Operation::Insert),
    ("update", Operation::Update),
    ("replace", Operation::Update),
    ("cas", Operation::Update),
    ("append", Operation::Update),
    ("prepend", Operation::Update),
    ("incr", Operation::Update),
    ("decr", Operation::Update),
    ("set", Operation::Upsert),
    ("set_lease", Operation::Upsert),
    ("put", Operation::Upsert),
    ("upsert", Operation::Upsert),
    ("write", Operation::Upsert),
    ("store", Operation::Upsert),
    ("delete", Operation::Delete),
    ("remove", Operation::Delete),
    ("del", Operation::Delete),
    ("erase", Operation::Delete),
    ("scan", Operation::Scan),
    ("range", Operation::Scan),
    ("seek", Operation::Scan),
    ("iterate", Operation::Scan),
    ("commit", Operation::Commit),
];

/// The kind of operation that a word names, in upper or lower case.
pub(crate) fn operation(word: &[u8]) -> Option<Operation> {
    WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map(|(_, kind)| *kind)
}

/// Every word, for messages.
pub(crate) fn operation_names() -> [&'static str; WORDS.len()] {
    WORDS.map(|(name, _)| name)
}
