//! What a check comes to.

/// Why a check ends before its end.
pub(super) enum Stop {
    /// The store, or the driver, does not offer what the rule is about.
    NotOffered(String),
    /// The driver broke the rule.
    Broken { expected: String, found: String },
    /// The check itself cannot go on.
    Trouble(anyhow::Error),
}

impl Stop {
    pub(super) fn broken(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Broken { expected: expected.into(), found: found.into() }
    }

    /// The same, of one of several cases.
    pub(super) fn of_case(self, case: &str) -> Self {
        match self {
            Self::Broken { expected, found } => Self::Broken { expected: format!("{case}: {expected}"), found },
            other => other,
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Trouble(error.into())
    }
}

/// What a check comes to.
pub(super) type Checked<T = ()> = Result<T, Stop>;

/// How a rule was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was.
    Ok,
    /// It is about what the store, or the driver, does not offer: why.
    NotOffered(String),
    /// It was broken.
    Failed {
        /// What should have come, after the name of the case if the rule has several.
        expected: String,
        /// What came.
        found: String,
    },
}
