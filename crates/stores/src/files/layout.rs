//! How the files of records are spread over directories.

/// Levels of directories between the store's own and the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Levels of directories, each named by two hexadecimal digits of the XXH64 of the key.
    pub(crate) levels: usize,
}
