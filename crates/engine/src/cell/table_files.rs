//! Whether a store's data has left its write buffer: what its table files hold, as seen from outside.

use std::path::Path;

/// The bytes of the table files in a directory, which `table_files` of its store's description names; `None` if it names none. Files that
/// vanish while we look count nothing.
pub(crate) fn table_bytes(directory: &Path, table_files: &[String]) -> Option<u64> {
    (!table_files.is_empty()).then(|| below(directory, table_files, false))
}

/// The table files of a directory and of the directories below it. With `all`, each of its files is one.
fn below(directory: &Path, table_files: &[String], all: bool) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    let bytes = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(metadata) = entry.metadata() else { return 0 };
        if metadata.is_dir() {
            let named = || table_files.iter().any(|of| of.strip_suffix('/') == Some(&name));
            return below(&entry.path(), table_files, all || named());
        }
        let is_table = all || table_files.iter().any(|end| name.ends_with(end.as_str()));
        if is_table && metadata.is_file() { metadata.len() } else { 0 }
    };
    entries.flatten().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_by_the_end_of_their_name_and_by_their_directory() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("keyspaces/1/tables/level");
        std::fs::create_dir_all(&deep).unwrap();
        let files = [
            ("5.log", 100),
            ("5.sst", 7),
            ("sst", 100),
            ("keyspaces/1/tables/9", 20),
            ("keyspaces/1/tables/level/3", 40),
        ];
        for (name, bytes) in files {
            std::fs::write(place.path().join(name), vec![0; bytes]).unwrap();
        }
        let of =
            |names: &[&str]| table_bytes(place.path(), &names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!([of(&[".sst"]), of(&["tables/"]), of(&["tables/", ".sst"])], [Some(7), Some(60), Some(67)]);
        assert_eq!([of(&[".ldb"]), of(&[])], [Some(0), None]);
    }
}
