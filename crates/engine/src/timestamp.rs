//! The time, as results and names of directories have it.

/// The time now, to the second, as RFC 3339 has it.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
