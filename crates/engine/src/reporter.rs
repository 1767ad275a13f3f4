//! Where the engine reports what a person should know while it works.

/// Takes lines for a person. The program that uses the engine decides where they go.
#[derive(Clone, Copy, Debug)]
pub struct Reporter(fn(&str));

impl Reporter {
    /// Reports through a function that takes one line at a time.
    pub const fn new(take: fn(&str)) -> Self {
        Self(take)
    }

    /// Reports a line, or several.
    pub fn report(self, line: &str) {
        (self.0)(line);
    }
}
