//! Whether every path that `ARCHITECTURE.md` names exists.

use std::fs;
use std::path::Path;

/// Directories that hold no sources.
const NO_SOURCES: [&str; 3] = [".git", "target", "node_modules"];

/// Any one name, in paths such as `jvm/stores/NAME`.
const ANY: &str = "NAME";

#[test]
fn every_path_that_the_map_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut known = Vec::new();
    list(&root, "", &mut known);
    let named = paths(&page);
    assert!(named.len() > 50, "the page names {} paths", named.len());
    let missing: Vec<&str> = named.into_iter().filter(|path| !exists(path, &known)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
}

/// What looks like a path, in code or as the target of a link.
fn paths(page: &str) -> Vec<&str> {
    let texts = page.split("```").step_by(2);
    let code = texts.clone().flat_map(|text| text.split('`').skip(1).step_by(2));
    let links = texts.flat_map(|text| text.split("](").skip(1)).filter_map(|rest| rest.split([')', '#']).next());
    let endings = [".rs", ".md", ".toml", ".json", ".js"];
    // A run's own files are in no repository.
    let is_path = |text: &&str| {
        !text.contains([' ', '*', '$']) && (text.contains('/') || endings.iter().any(|ending| text.ends_with(ending)))
    };
    code.chain(links).filter(is_path).filter(|path| *path != "run.json" && !path.contains("://")).collect()
}

/// Whether there is such a path: from the root on if its first part is there, and else anywhere, as paths inside a crate are named.
fn exists(path: &str, known: &[String]) -> bool {
    let wanted: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let is_from_root = wanted.len() > 1 && known.iter().any(|known| known == wanted[0]);
    known.iter().any(|known| {
        let parts: Vec<&str> = known.split('/').collect();
        let fits = parts.len() == wanted.len() || (parts.len() > wanted.len() && !is_from_root);
        fits && parts.iter().rev().zip(wanted.iter().rev()).all(|(part, wanted)| part == wanted || *wanted == ANY)
    })
}

/// All files and directories below one, by their paths from the root.
fn list(directory: &Path, prefix: &str, known: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if NO_SOURCES.contains(&name.as_str()) {
            continue;
        }
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), &path, known);
        }
        known.push(path);
    }
}

#[test]
fn a_path_that_is_not_there_is_noticed() {
    let known = ["crates", "crates/results", "crates/results/race.rs", "jvm", "jvm/stores", "jvm/stores/xodus"]
        .map(str::to_owned);
    for there in ["crates/results", "race.rs", "results/", "jvm/stores/NAME"] {
        assert!(exists(there, &known), "{there}");
    }
    for missing in ["crates/race.rs", "pick.rs", "jvm/NAME/stores", "crates/results/race"] {
        assert!(!exists(missing, &known), "{missing}");
    }
    assert_eq!(paths("`a/b` and ``` c/d ``` [e](docs/E.md#f) `g h/i` `--a` `k.rs`"), ["a/b", "k.rs", "docs/E.md"]);
}
