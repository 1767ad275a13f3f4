//! How documents are written: short sentences, short lines, links and files that are there, and no document longer than it may be.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use bakeoff_tidy::{Document, Files};

/// Documents with a limit: how many lines they have at most, and how many words outside of code.
const LIMITS: [(&str, usize, usize); 3] =
    [("README.md", 100, 500), ("ARCHITECTURE.md", 299, usize::MAX), ("docs/METHODOLOGY.md", usize::MAX, 3_000)];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents() -> (Vec<Document>, Files) {
    let files = Files::read(&root()).unwrap();
    let documents = Document::read_all(&root(), &files).unwrap();
    assert!(documents.len() > 30, "{} documents", documents.len());
    (documents, files)
}

fn document<'a>(all: &'a [Document], path: &str) -> &'a Document {
    all.iter().find(|document| document.path == Path::new(path)).unwrap_or_else(|| panic!("there is no {path}"))
}

#[test]
fn every_document_keeps_the_rules() {
    let (documents, files) = documents();
    let violations: Vec<_> = documents.iter().flat_map(|document| document.violations(&documents, &files)).collect();
    assert!(violations.is_empty(), "{} rules broken:\n{}", violations.len(), violations.join("\n"));
}

#[test]
fn documents_keep_their_length() {
    let (documents, _) = documents();
    for (path, most_lines, most_words) in LIMITS {
        let document = document(&documents, path);
        let lines = document.text.lines().count();
        let words = document.text.split("```").step_by(2).flat_map(str::split_whitespace).count();
        assert!(lines <= most_lines && words <= most_words, "{path}: {lines} lines, {words} words outside of code");
    }
}

#[test]
fn subjects_of_commits_are_short_and_name_their_area() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root()).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Commits that have landed stay as they are.
    let range =
        if git(&["rev-parse", "--verify", "--quiet", "origin/main"]).is_some() { "origin/main..HEAD" } else { "-1" };
    let Some(subjects) = git(&["log", "--no-merges", "--format=%s", range]) else {
        return say_skipped("subjects of commits", "there is no history here");
    };
    let wrong: Vec<&str> = subjects.lines().filter(|subject| !is_subject(subject)).collect();
    assert!(wrong.is_empty(), "write `area: change` in at most 72 characters: {wrong:#?}");
}

/// Says that something was not checked, in the list that `./bakeoff test` shows at its end too.
fn say_skipped(tests: &str, why: &str) {
    let skipped = format!("SKIPPED: {tests}: {why}\n");
    print!("{skipped}");
    if let Some(path) = std::env::var_os("BAKEOFF_SKIPPED") {
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(skipped.as_bytes())).unwrap();
    }
}

fn is_subject(subject: &str) -> bool {
    let area = subject.split_once(": ").map(|(area, _)| area);
    let is_area = |area: &str| area.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_,./ ".contains(letter));
    subject.chars().count() <= 72 && area.is_some_and(|area| !area.is_empty() && is_area(area))
}

#[test]
fn what_is_no_subject_is_noticed() {
    assert!(is_subject("docs, tests: what follows the crates"));
    assert!(!is_subject("Read once more"));
    assert!(!is_subject(&format!("docs: {}", "a".repeat(67))));
}

#[test]
fn each_broken_rule_is_noticed() {
    let files = Files::read(&root()).unwrap();
    let violations = |text: &str| {
        let page = Document::new("docs/BIAS.md".into(), text.to_owned());
        let all = [page, Document::new("README.md".into(), "## Stores\n".to_owned())];
        all[0].violations(&all, &files)
    };
    let long = "one word after another ".repeat(8);
    let exempt = format!("| {long} |\n|---|\n| {long} |\n\n```\n{long} beside\n```\n\n> {long}\n> whatever\n");
    for right in [
        "# A title\n\nA short sentence. [This title](#a-title), and [a file](../README.md#stores).\n",
        &exempt,
        "`crates/tidy/src/lib.rs` and `jvm/stores/NAME`.\n",
    ] {
        assert_eq!(violations(right), Vec::<String>::new(), "{right}");
    }
    for (wrong, said) in [
        (format!("- An item: {long}\n"), "docs/BIAS.md:1: a sentence of 34 words"),
        (format!("One.\n\n{}\n", "x".repeat(101)), "docs/BIAS.md:3: 101 columns"),
        ("This stands beside that.\n".to_owned(), "write \"beside\" otherwise"),
        ("[Gone](GONE.md)\n".to_owned(), "the link to GONE.md leads nowhere"),
        ("| table |\n|---|\n| [gone](#gone) |\n".to_owned(), "docs/BIAS.md:3: the link to #gone"),
        ("See `crates/gone.rs`.\n".to_owned(), "there is no crates/gone.rs"),
        ("```console\n$ bench/gone/run\n```\n".to_owned(), "docs/BIAS.md:2: there is no bench/gone/run"),
    ] {
        let found = violations(&wrong);
        assert!(found.iter().any(|violation| violation.contains(said)), "{said}:\n{found:#?}");
    }
}
