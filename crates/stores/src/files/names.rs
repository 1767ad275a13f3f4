//! Keys as file names, and the reverse.
//!
//! Lower-case letters, digits, `-` and `_` stay as they are. Every other byte is `%` and two lower-case hexadecimal digits. So a name has
//! no `.`, `/` or NUL, is unique even if case is ignored, and decodes to exactly one key. The empty key is `%empty`, which no other key
//! yields: `em` is not hexadecimal.
//!
//! A name longer than [`COMPONENT_BYTES_MAX`] is split into directories whose names end with [`MARK`]. No encoded byte yields a mark, so a
//! directory never collides with a file. Names that begin with a mark are free for temporary files.

/// The longest key with a name: its path stays well below Linux's limit of 4,096 bytes.
pub(crate) const KEY_BYTES_MAX: usize = 1_024;
/// The longest component of a name, without its mark.
const COMPONENT_BYTES_MAX: usize = 200;
/// Ends the name of a directory with the rest of a long name, and begins the name of a temporary file.
pub(crate) const MARK: u8 = b'~';

const EMPTY: &[u8] = b"%empty";
const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

/// Appends the path of a key's file to `path`, relative to the records' directory.
pub(crate) fn encode(key: &[u8], path: &mut Vec<u8>) {
    if key.is_empty() {
        path.extend_from_slice(EMPTY);
        return;
    }
    let mut start = path.len();
    for &byte in key {
        let plain = is_plain(byte);
        let width = if plain { 1 } else { 3 };
        if path.len() - start + width > COMPONENT_BYTES_MAX {
            path.extend_from_slice(&[MARK, b'/']);
            start = path.len();
        }
        if plain {
            path.push(byte);
        } else {
            path.push(b'%');
            push_hexadecimal(byte, path);
        }
    }
}

/// Appends two lower-case hexadecimal digits.
pub(crate) fn push_hexadecimal(byte: u8, path: &mut Vec<u8>) {
    path.extend_from_slice(&[HEXADECIMAL[usize::from(byte >> 4)], HEXADECIMAL[usize::from(byte & 0xf)]]);
}

/// Appends the key of a name to `key`. The name is the file's, after those of its marked directories, without slashes and marks. Returns
/// false, and leaves `key` unchanged, if [`encode`] yields no such name.
pub(crate) fn decode(name: &[u8], key: &mut Vec<u8>) -> bool {
    let start = key.len();
    if name == EMPTY {
        return true;
    }
    let mut rest = name;
    while let [first, after @ ..] = rest {
        let (byte, after) = match (*first, after) {
            (b'%', [high, low, after @ ..]) => (escaped(*high, *low), after),
            (byte, after) => (is_plain(byte).then_some(byte), after),
        };
        let Some(byte) = byte else {
            key.truncate(start);
            return false;
        };
        key.push(byte);
        rest = after;
    }
    !name.is_empty()
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_')
}

/// The byte of two digits, unless it would be written unescaped.
fn escaped(high: u8, low: u8) -> Option<u8> {
    let byte = (digit(high)? << 4) | digit(low)?;
    (!is_plain(byte)).then_some(byte)
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn encoded(key: &[u8]) -> Vec<u8> {
        let mut path = Vec::new();
        encode(key, &mut path);
        path
    }

    /// A path as a listing sees it: the names of marked directories, then the file's.
    fn flattened(path: &[u8]) -> Vec<u8> {
        let components: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
        let strip = |component: &[u8]| component.strip_suffix(&[MARK]).unwrap_or(component).to_vec();
        components.into_iter().flat_map(strip).collect()
    }

    fn assert_safe(path: &[u8]) {
        let components: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
        let (file, directories) = components.split_last().unwrap();
        assert!(!file.contains(&MARK) && !file.is_empty(), "file {file:?}");
        for directory in directories {
            assert_eq!(directory.last(), Some(&MARK), "directory {directory:?}");
            assert_ne!(directory.first(), Some(&MARK), "directory {directory:?}");
        }
        for component in components {
            assert!(component.len() <= COMPONENT_BYTES_MAX + 1, "too long: {component:?}");
            let harmless = |byte: &u8| is_plain(*byte) || matches!(*byte, b'%' | MARK);
            assert!(component.iter().all(harmless), "not plain: {component:?}");
        }
    }

    #[test]
    fn known_names() {
        assert_eq!(encoded(b""), b"%empty");
        assert_eq!(encoded(b"."), b"%2e");
        assert_eq!(encoded(b"../x"), b"%2e%2e%2fx");
        assert_eq!(encoded(b"\0"), b"%00");
        assert_eq!(encoded(b"%empty"), b"%25empty");
        assert_eq!(encoded(b"Ab-_~"), b"%41b-_%7e");
    }

    #[test]
    fn names_that_no_key_becomes_are_refused() {
        for name in [&b""[..], b".", b"..", b"A", b"%4", b"%", b"%4A", b"%61", b"a~", b"~0", b"%emptyx", b"a b"] {
            let mut key = b"kept".to_vec();
            assert!(!decode(name, &mut key), "{name:?} was read as a key");
            assert_eq!(key, b"kept");
        }
    }

    #[test]
    fn the_longest_key_fits_a_path() {
        assert!(encoded(&[0xff; KEY_BYTES_MAX]).len() < 3_500);
        assert_safe(&encoded(&[0xff; KEY_BYTES_MAX]));
        assert_safe(&encoded(&[b'a'; KEY_BYTES_MAX]));
    }

    /// Bytes with a high share of special ones for file systems.
    fn key() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![any::<u8>(), prop::sample::select(&b"./%~aA0\0-_e2"[..])];
        prop_oneof![vec(byte.clone(), 0..6), vec(byte.clone(), 60..210), vec(byte, 0..=KEY_BYTES_MAX)]
    }

    proptest! {
        #[test]
        fn a_name_is_safe_and_read_back(key in key()) {
            let path = encoded(&key);
            assert_safe(&path);
            let mut decoded = Vec::new();
            prop_assert!(decode(&flattened(&path), &mut decoded));
            prop_assert_eq!(decoded, key);
        }

        #[test]
        fn different_keys_have_different_names_whatever_the_case(one in key(), flip in any::<prop::sample::Index>(), bit in 0..8u32) {
            let mut other = one.clone();
            match other.len() {
                0 => other.push(b'.'),
                length => other[flip.index(length)] ^= 1 << bit,
            }
            prop_assert_ne!(encoded(&one).to_ascii_lowercase(), encoded(&other).to_ascii_lowercase());
        }

        #[test]
        fn no_file_is_another_keys_directory(one in key(), more in vec(any::<u8>(), 1..300)) {
            let longer = [&one[..], &more].concat();
            let directory = [encoded(&one), vec![b'/']].concat();
            prop_assert!(!encoded(&longer).starts_with(&directory));
        }

        #[test]
        fn a_name_that_is_read_is_the_one_that_is_written(name in vec(prop::sample::select(&b"%0123456789abcdefz~./emptyA"[..]), 0..12)) {
            let mut key = Vec::new();
            if decode(&name, &mut key) {
                prop_assert_eq!(encoded(&key), name);
            }
        }
    }
}
