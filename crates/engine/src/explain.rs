//! Errors for people: what is wrong, where, and what to do about it.

use std::fmt;

use bakeoff_limits::remedy_among;

/// A context with its own remedy: none is added to it.
#[derive(Debug)]
pub struct Advised(pub String);

impl fmt::Display for Advised {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// An error with its causes, and a remedy where the system refused something and no context has one.
pub fn explained(error: &anyhow::Error) -> String {
    let remedy = if error.is::<Advised>() { String::new() } else { remedy_among(error.chain()) };
    format!("{error:#}{remedy}")
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;

    use super::*;

    #[test]
    fn what_the_system_refuses_has_a_remedy_unless_a_context_has_one() {
        let refused = || Err::<(), _>(io::Error::from_raw_os_error(libc::ENOENT));
        let why = refused().context("cannot read x").context("cannot begin").unwrap_err();
        assert_eq!(
            explained(&why),
            "cannot begin: cannot read x: No such file or directory (os error 2). Give a path that is there, or make its directory first"
        );
        let why = refused().with_context(|| Advised("make x first".to_owned())).context("cannot begin").unwrap_err();
        assert_eq!(explained(&why), "cannot begin: make x first: No such file or directory (os error 2)");
        assert_eq!(explained(&anyhow::anyhow!("no number: give one")), "no number: give one");
    }
}
