//! Which bakeoff this is.

/// This version, and the commit it was built from where `./bakeoff` built it, who knows.
pub(crate) const VERSION: &str = match option_env!("BAKEOFF_VERSION") {
    Some(with_commit) => with_commit,
    None => env!("CARGO_PKG_VERSION"),
};
