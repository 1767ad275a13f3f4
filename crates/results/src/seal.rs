//! A checksum at the end of each line of `results.jsonl` and of `run.json`. It reveals later changes.
//!
//! The last member of the object is `"xxh64"`, with the XXH64 of all text before its comma, in 16 hexadecimal digits.
//! Text of older versions has none.

use xxhash_rust::xxh64::xxh64;

/// The text between the sealed text and the digits.
const MEMBER: &str = ",\"xxh64\":\"";

/// The text after the digits.
const END: &str = "\"}";

/// The number of digits.
const DIGITS: usize = 16;

/// Seals the text of a JSON object. It must have a member and end in `}` and optional white space.
pub(crate) fn seal(text: &mut Vec<u8>) {
    let Some(end) = text.iter().rposition(|byte| *byte == b'}') else { return };
    let sealed = text[..end].trim_ascii_end().len();
    let rest = text.split_off(end + 1);
    text.truncate(sealed);
    let digits = format!("{MEMBER}{:016x}{END}", xxh64(text, 0));
    text.extend_from_slice(digits.as_bytes());
    text.extend_from_slice(&rest);
}

/// The state of a text's seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seal {
    /// The text is not sealed.
    None,
    /// The text has not changed.
    Intact,
    /// The text was changed after sealing.
    Broken,
}

/// Checks the seal of a text.
pub(crate) fn seal_of(text: &[u8]) -> Seal {
    match sealed(text.trim_ascii_end()) {
        Some((text, digits)) if format!("{:016x}", xxh64(text, 0)).as_bytes() == digits => Seal::Intact,
        Some(_) => Seal::Broken,
        // A seal in another form: a program has read the text and written it again.
        None if has_member(text) => Seal::Broken,
        None => Seal::None,
    }
}

/// The digits of a text's seal, if it has one.
pub(crate) fn digits_of(text: &[u8]) -> Option<&[u8]> {
    sealed(text.trim_ascii_end()).map(|(_, digits)| digits)
}

/// The sealed part of a text, and the digits of its seal.
fn sealed(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_suffix(END.as_bytes())?;
    let (text, digits) = text.split_at_checked(text.len().checked_sub(DIGITS)?)?;
    Some((text.strip_suffix(MEMBER.as_bytes())?, digits))
}

/// Whether a text is an object with the seal's member.
fn has_member(text: &[u8]) -> bool {
    let may_have = text.windows(5).any(|word| word == b"xxh64");
    may_have && serde_json::from_slice::<serde_json::Value>(text).is_ok_and(|value| value.get("xxh64").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_text_is_json_and_any_change_of_it_is_found() {
        let mut text = b"{\"a\":1,\n\"b\":\"}\"\n}\n".to_vec();
        assert_eq!(seal_of(&text), Seal::None);
        seal(&mut text);
        let read: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!((&read["a"], &read["b"]), (&1.into(), &"}".into()));
        assert!(seal_of(&text) == Seal::Intact && text.ends_with(b"\"}\n"));
        let sealed = text.len() - END.len() - 1 - DIGITS - MEMBER.len();
        for place in 0..sealed {
            let mut changed = text.clone();
            changed[place] ^= 1;
            assert_eq!(seal_of(&changed), Seal::Broken, "byte {place}");
        }
        assert!([&b""[..], b"{}", b"}", b"\"}"].into_iter().all(|text| seal_of(text) == Seal::None));
        let written_again = serde_json::to_vec_pretty(&read).unwrap();
        assert_eq!(seal_of(&written_again), Seal::Broken, "written again by another program");
    }

    #[test]
    fn sealing_again_what_was_read_gives_the_same() {
        let mut text = b"{\"a\":1}".to_vec();
        seal(&mut text);
        assert_eq!(text, format!("{{\"a\":1{MEMBER}{:016x}{END}", xxh64(b"{\"a\":1", 0)).as_bytes());
    }
}
