//! Documents show what bakeoff prints of the runs in `docs/runs`, and nothing else.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Finished, Place};

/// What stands before a block with a command's output.
const MARK: &str = "<!-- spliced: ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Documents in which something is spliced.
fn documents() -> Vec<String> {
    let of = |directory: &str| {
        let entries = fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| format!("{directory}/{}", name.to_string_lossy())).collect::<Vec<_>>()
    };
    let all = [of("."), of("docs"), of("docs/results")].concat();
    let documents = all.into_iter().filter(|path| path.ends_with(".md"));
    documents.filter(|path| fs::read_to_string(root().join(path)).unwrap().contains(MARK)).collect()
}

#[test]
fn documents_show_what_bakeoff_prints() {
    let documents = documents();
    assert!(["./README.md", "docs/PICK.md"].iter().all(|path| documents.iter().any(|of| of == path)), "{documents:?}");
    let place = Place::new();
    let mut command = place.command(&["splice", "--check"]);
    let checked = Finished::of(command.args(&documents).current_dir(root()).output().unwrap());
    assert_eq!(checked.status, Some(0), "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn a_stale_document_is_noticed_and_renewed() {
    let place = Place::new();
    let of =
        |shown: &str| format!("Before.\n\n{MARK}bakeoff suites | head -1; echo … -->\n```text\n{shown}```\n\nAfter.\n");
    let document = place.write("document.md", &of("$ ./bakeoff suites\nold\nlines\n"));
    let stale = place.run(&["splice", "--check", "document.md"]).expect(1);
    assert!(
        stale.stderr.contains("document.md shows what bakeoff does not print: run `bakeoff splice"),
        "{}",
        stale.stderr
    );
    assert_eq!(fs::read_to_string(&document).unwrap(), of("$ ./bakeoff suites\nold\nlines\n"), "only checked");
    place.run(&["splice", "document.md"]).expect(0);
    let printed = place.run(&["suites"]).expect(0).stdout;
    let first = printed.lines().next().unwrap();
    assert_eq!(fs::read_to_string(&document).unwrap(), of(&format!("$ ./bakeoff suites\n{first}\n…\n")));
    place.run(&["splice", "--check", "document.md"]).expect(0);
}

#[test]
fn a_command_that_fails_is_no_output() {
    let place = Place::new();
    for (text, why) in [
        (format!("{MARK}bakeoff report nowhere -->\n```text\nold\n```\n"), "`bakeoff report nowhere` failed"),
        (format!("{MARK}bakeoff suites -->\nno block\n"), "no block of code follows the mark of `bakeoff suites`"),
    ] {
        let document = place.write("document.md", &text);
        let failed = place.run(&["splice", "document.md"]).expect(2);
        assert!(failed.stderr.contains(why), "{}", failed.stderr);
        assert_eq!(fs::read_to_string(&document).unwrap(), text);
    }
}
