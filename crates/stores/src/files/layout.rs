//! How the files of records are spread over directories.

/// Directories per directory: as many as two hexadecimal digits name.
const FAN_OUT: u64 = 256;

/// The number of levels of directories between the store's own and the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Levels of directories, each named by two hexadecimal digits of the XXH64 of the key.
    pub(crate) levels: usize,
}

impl Layout {
    /// The maximum number of directories on each level, outermost first.
    pub(crate) fn directories(self) -> impl Iterator<Item = u64> {
        (1..=self.levels).scan(1, |directories, _| {
            *directories *= FAN_OUT;
            Some(*directories)
        })
    }
}
