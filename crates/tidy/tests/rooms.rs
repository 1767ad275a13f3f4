//! No circles between files of a crate, no dependency of a crate on one of the same or a higher floor, no verb that uses another, and a
//! short script.

use std::path::{Path, PathBuf};

use bakeoff_tidy::{Files, file_circles, floor_violations, packages};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut found = String::new();
    for package in packages(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap() {
        for circle in package.roots().flat_map(|root| file_circles(root).unwrap()) {
            found += &format!("{}:\n{circle}\n", package.name);
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

#[test]
fn no_verb_uses_another() {
    let files = Files::read(&root()).unwrap();
    let verbs: Vec<_> =
        files.iter().filter(|path| path.starts_with("crates/bakeoff/src/verbs/") && path.ends_with(".rs")).collect();
    assert!(verbs.len() > 10, "{verbs:?}");
    for verb in verbs {
        let code = std::fs::read_to_string(root().join(verb)).unwrap();
        assert!(!code.contains("verbs::"), "{verb} uses another verb: move what both need out of verbs");
    }
}

#[test]
fn the_script_stays_short() {
    let script = std::fs::read_to_string(root().join("bakeoff")).unwrap();
    let lines = script.lines().count();
    assert!(lines <= 150, "./bakeoff has {lines} lines, and may have 150: move what builds and tests to xtask");
}
