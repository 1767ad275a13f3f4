//! A checksum at the end of each line of `results.jsonl`, and of `run.json`: a change after they were written is found.
//!
//! The last member of the object is `"xxh64"`, with the XXH64 of all text before its comma, in 16 hexadecimal digits. Text of older versions has none.

use xxhash_rust::xxh64::xxh64;

/// What follows the sealed text, before the digits.
const MEMBER: &str = ",\"xxh64\":\"";

/// What follows the digits.
const END: &str = "\"}";

/// Seals the text of a JSON object, which has some member and ends in `}` and whatever space.
pub(crate) fn seal(text: &mut Vec<u8>) {
    let Some(end) = text.iter().rposition(|byte| *byte == b'}') else { return };
    let sealed = text[..end].trim_ascii_end().len();
    let rest = text.split_off(end + 1);
    text.truncate(sealed);
    let digits = format!("{MEMBER}{:016x}{END}", xxh64(text, 0));
    text.extend_from_slice(digits.as_bytes());
    text.extend_from_slice(&rest);
}

/// Whether a text is as it was sealed, or was never sealed.
pub(crate) fn is_intact(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let Some(digits_end) = text.len().checked_sub(END.len()) else { return true };
    let Some(digits) = digits_end.checked_sub(16) else { return true };
    let Some(member) = digits.checked_sub(MEMBER.len()) else { return true };
    if &text[member..digits] != MEMBER.as_bytes() || &text[digits_end..] != END.as_bytes() {
        return true;
    }
    format!("{:016x}", xxh64(&text[..member], 0)).as_bytes() == &text[digits..digits_end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_is_json_and_any_change_of_it_is_found() {
        let mut text = b"{\"a\":1,\n\"b\":\"}\"\n}\n".to_vec();
        assert!(is_intact(&text), "never sealed");
        seal(&mut text);
        let read: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!((&read["a"], &read["b"]), (&1.into(), &"}".into()));
        assert!(is_intact(&text) && text.ends_with(b"\"}\n"));
        let sealed = text.len() - END.len() - 1 - 16 - MEMBER.len();
        for place in 0..sealed {
            let mut changed = text.clone();
            changed[place] ^= 1;
            assert!(!is_intact(&changed), "byte {place}");
        }
        assert!([&b""[..], b"{}", b"}", b"\"}"].into_iter().all(is_intact));
    }

    #[test]
    fn sealing_again_what_was_read_gives_the_same() {
        let mut text = b"{\"a\":1}".to_vec();
        seal(&mut text);
        assert_eq!(text, format!("{{\"a\":1{MEMBER}{:016x}{END}", xxh64(b"{\"a\":1", 0)).as_bytes());
    }
}
