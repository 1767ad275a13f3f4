//! No circles between files of a crate, and no dependency of a crate on one of the same or a higher floor.

use std::path::Path;

use bakeoff_tidy::{file_circles, floor_violations, packages};

/// How many files of a crate are tied in circles at most. These numbers only go down; a crate without a number has none.
const TIED_MAX: &[(&str, usize)] = &[
    // Sorted by name.
];

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut found = String::new();
    for package in packages(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap() {
        let circles: Vec<_> = package.roots().flat_map(|root| file_circles(root).unwrap()).collect();
        let tied: usize = circles.iter().map(|circle| circle.files.len()).sum();
        let tied_max = TIED_MAX.iter().find(|(name, _)| *name == package.name).map_or(0, |(_, tied_max)| *tied_max);
        if tied > tied_max {
            found += &format!("{}: {tied} files are tied in circles, and {tied_max} may be\n", package.name);
            circles.iter().for_each(|circle| found += &format!("{circle}\n"));
        }
    }
    assert!(found.is_empty(), "move what both files need to a file that both use:\n{found}");
}

#[test]
fn crates_use_crates_of_lower_floors() {
    let packages = packages(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let violations = floor_violations(&packages);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}
