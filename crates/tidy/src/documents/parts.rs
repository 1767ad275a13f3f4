//! Pieces of a document, with their places.

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its line, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
}

/// Code within a line, or a line of a block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Its line, from 1.
    pub line: usize,
    /// The code.
    pub text: String,
    /// The language of the block; `None` within a line.
    pub block: Option<String>,
}
