//! A command-line flag that overrides part of a suite.

/// A flag and its help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name, without dashes.
    pub name: &'static str,
    /// The placeholder for its value in the help.
    pub value_name: &'static str,
    /// The help.
    pub help: &'static str,
    /// Whether it takes several values, separated by commas.
    pub is_list: bool,
}

impl Flag {
    /// A flag that takes several values.
    pub(crate) const fn list(name: &'static str, value_name: &'static str, help: &'static str) -> Self {
        Self { name, value_name, help, is_list: true }
    }

    /// A flag that takes one value.
    pub(crate) const fn one(name: &'static str, value_name: &'static str, help: &'static str) -> Self {
        Self { name, value_name, help, is_list: false }
    }
}
