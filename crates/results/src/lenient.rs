//! Reads JSON that another version wrote or that is damaged. Unreadable parts are left out, everything else is kept.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads the parts of a value that fit the type. Unreadable fields of objects and unreadable entries of lists are left
/// out.
///
/// The type must be readable from an empty object, so its fields need defaults.
pub(crate) fn read<T: DeserializeOwned + Default>(value: Value) -> T {
    let reads = |value: Value| serde_json::from_value::<T>(value).is_ok();
    sound(value, &reads).and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// The readable parts of a value. `None` if there are none.
fn sound(value: Value, reads: &dyn Fn(Value) -> bool) -> Option<Value> {
    if reads(value.clone()) {
        return Some(value);
    }
    let kept = match value {
        Value::Array(entries) => {
            let alone = |entry: Value| reads(json!([entry]));
            Value::Array(entries.into_iter().filter_map(|entry| sound(entry, &alone)).collect())
        }
        Value::Object(fields) => {
            let field = |(name, field): (String, Value)| {
                let alone = |field: Value| reads(json!({ name.as_str(): field }));
                let field = sound(field, &alone)?;
                Some((name, field))
            };
            Value::Object(fields.into_iter().filter_map(field).collect())
        }
        _ => return None,
    };
    reads(kept.clone()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Whole {
        name: String,
        counts: Vec<u32>,
        parts: BTreeMap<String, Part>,
        strict: Option<Strict>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Part {
        first: Option<u32>,
        second: Option<u32>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Strict {
        first: u32,
        second: u32,
    }

    #[test]
    fn only_what_is_damaged_is_left_out() {
        let damaged = json!({
            "name": 5,
            "counts": [1, "two", 3],
            "parts": { "a": { "first": 1, "second": "x" }, "b": 7 },
            "strict": { "first": 1 },
            "unknown": true,
        });
        let part = Part { first: Some(1), second: None };
        let expected =
            Whole { counts: vec![1, 3], parts: BTreeMap::from([("a".to_owned(), part)]), ..Whole::default() };
        assert_eq!(read::<Whole>(damaged), expected);
    }

    #[test]
    fn what_is_no_object_has_nothing() {
        for value in [json!(null), json!(1), json!("text")] {
            assert_eq!(read::<Whole>(value), Whole::default());
        }
        let whole = json!({ "name": "a", "strict": { "first": 1, "second": 2 } });
        let strict = Some(Strict { first: 1, second: 2 });
        assert_eq!(read::<Whole>(whole), Whole { name: "a".to_owned(), strict, ..Whole::default() });
    }
}
