//! Texts that would be markup, scripts or formulas, and results that are damaged, of other versions, or none at all.

use std::fs;

use bakeoff_protocol::FailureKind;
use bakeoff_report::write_csv;
use bakeoff_results::read_note::ReadNote;
use bakeoff_results::run::Run;
use serde_json::json;

use crate::Page;
use bakeoff_testing::made_up::{axes, edit, failed, gets, good, info, run, store, stores, text};

const EVIL: [&str; 5] = [
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=1</script>",
    "<!--<script>",
    "<img src=x onerror=\"window.hacked=1\">",
    "'\"><svg onload=window.hacked=1>{{script}}\u{1b}[31m\u{202e}",
];

#[test]
fn nothing_from_a_file_is_taken_for_markup() {
    let described: Vec<_> = EVIL.iter().map(|evil| store(evil, evil)).collect();
    let mut cells = Vec::new();
    for evil in EVIL {
        let mut axes = axes(evil);
        axes.medium = evil.to_owned();
        axes.settings.insert(evil.to_owned(), evil.into());
        let mut rounds = gets(&axes, &[1_000, 1_010]);
        rounds.push(failed(good(&axes, 3, Vec::new()), FailureKind::StoreError, evil));
        axes.medium = "default".to_owned();
        rounds.append(&mut gets(&axes, &[1_000, 1_010]));
        rounds.iter_mut().for_each(|round| round.end.not_offered = vec![(evil.to_owned(), evil.to_owned())]);
        cells.append(&mut rounds);
    }
    let mut run = run(cells, described);
    let directory = tempfile::tempdir().unwrap();
    run.directory = directory.path().join("<b>&'\"");
    fs::create_dir(&run.directory).unwrap();
    for key in ["title", "summary", "analysis", "text"] {
        edit(&mut run, |info| info["suite"][key] = EVIL.concat().into());
    }
    edit(&mut run, |info| info["machine"][EVIL[0]] = EVIL[1].into());
    edit(&mut run, |info| info["warnings"] = json!([{ "code": EVIL[0], "message": EVIL[3] }]));
    run.notes = EVIL.map(|evil| ReadNote::ResultsAlone(evil.to_owned())).to_vec();
    let mut page = Page::open(&[run]);
    assert_eq!(page.browser.value("window.hacked === undefined"), true);
    assert_eq!(page.count("body img, body svg[onload]"), 0);
    assert!(page.text_of("h1").starts_with(EVIL[0]));
    assert!(page.browser.text("document.body.innerText").contains("\\u{1b}[31m\\u{202e}"));
    page.browser.value("document.querySelectorAll('details').forEach((details) => (details.open = true))");
    page.browser.value("document.querySelectorAll('.cell').forEach((cell) => cell.focus())");
    assert_eq!(page.browser.value("window.hacked === undefined"), true);
    page.is_quiet();
}

#[test]
fn a_script_that_gets_in_does_not_run() {
    let mut page = Page::open(&[run(gets(&axes("lmdb"), &[1_000]), stores())]);
    page.browser.value(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' }))",
    );
    assert_eq!(page.browser.value("window.hacked === undefined"), true);
    let refused = page.browser.value("fetch('https://example.org/').then(() => false, () => true)");
    assert_eq!(refused, true);
    assert!(page.browser.complaints().console.iter().any(|line| line.contains("Content Security Policy")));
}

#[test]
fn a_log_is_shown_from_its_end_and_only_from_inside_the_run() {
    let place = tempfile::tempdir().unwrap();
    let (directory, secret) = (place.path().join("run"), place.path().join("secret"));
    fs::create_dir_all(directory.join("logs")).unwrap();
    fs::write(&secret, "not for the page").unwrap();
    let inside = failed(good(&axes("lmdb"), 1, Vec::new()), FailureKind::Crash, "gone");
    let log = format!("{}{}<b>last words\u{7}", "early words ", "x".repeat(8192));
    fs::write(directory.join(&inside.end.log), log).unwrap();
    let mut outside = failed(good(&axes("sqlite"), 1, Vec::new()), FailureKind::Crash, "gone");
    outside.end.log = "../secret".to_owned();
    let mut linked = failed(good(&axes("flat-folder"), 1, Vec::new()), FailureKind::Crash, "gone");
    linked.end.log = "logs/link".to_owned();
    std::os::unix::fs::symlink(&secret, directory.join("logs/link")).unwrap();
    let mut made_up = run(vec![inside, outside, linked], stores());
    made_up.directory = directory;
    let mut page = Page::open(&[made_up]);
    let failures = page.text_of("#failures");
    assert!(failures.contains("<b>last words\\u{7}") && !failures.contains("early words"), "{failures}");
    assert!(!page.browser.text("document.body.textContent").contains("not for the page"));
    page.is_quiet();
}

#[test]
fn damaged_and_foreign_results_show_what_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let mut results = text(&gets(&axes("lmdb"), &[1_000, 1_010]));
    results.push_str("{\"line\":\"picture\"}\nnot json\n{\"line\":\"phase\",\"cel");
    fs::write(directory.path().join("results.jsonl"), results).unwrap();
    let mut info = info(&stores());
    info["protocol"] = 7.into();
    info["machine"] = "a string where an object was".into();
    info["warnings"] = json!({ "not": "a list" });
    fs::write(directory.path().join("run.json"), info.to_string()).unwrap();
    let mut page = Page::open(&[Run::read(directory.path()).unwrap()]);
    assert_eq!(page.fields(), ["LMDB 1.00 µs"]);
    let notes = page.text_of(".warnings");
    for words in ["version 7", "2 line(s)", "torn"] {
        assert!(notes.contains(words), "{words} is not in {notes}");
    }
    page.is_quiet();
}

#[test]
fn a_browser_that_cannot_draw_it_says_so() {
    let mut page = Page::open(&[run(gets(&axes("lmdb"), &[1_000]), stores())]);
    assert_eq!(page.browser.value("document.getElementById('trouble').hidden"), true);
    let before = json!({ "source": "delete window.DecompressionStream" });
    page.browser.call("Page.addScriptToEvaluateOnNewDocument", before);
    page.browser.call("Page.reload", json!({}));
    let told = "new Promise((done) => { const look = () => document.getElementById('trouble')?.hidden === false ? \
                done(document.getElementById('trouble').innerText) : setTimeout(look, 20); look(); })";
    let told = page.browser.text(told);
    assert!(told.contains("cannot be shown in this browser (") && told.contains("DecompressionStream"), "{told}");
    assert!(page.text_of(".headline").contains("without a competitor"));
}

#[test]
fn a_run_without_results_says_so() {
    let mut page = Page::open(&[run(Vec::new(), Vec::new())]);
    assert!(page.text_of(".headline").contains("Nothing was measured"));
    assert_eq!(page.browser.value("document.getElementById('interactive').hidden"), true);
    page.is_quiet();
}

#[test]
fn raw_data_is_saved_as_it_was_exported() {
    let mut cells = gets(&axes("=1+1"), &[1_000, 2_000]);
    cells.push(failed(good(&axes("sqlite"), 1, Vec::new()), FailureKind::DiskFull, "line one\n\"two\", three"));
    cells[0].end.axes.variant = Some("1000".to_owned());
    let run = run(cells, stores());
    let mut csv = Vec::new();
    write_csv(&run, &mut csv).unwrap();
    let mut page = Page::open(&[run]);
    let directory = page.browser.downloads();
    let saved = page.save(&directory, "made-up.csv");
    assert_eq!(String::from_utf8(saved).unwrap(), String::from_utf8(csv).unwrap());
    let rows: serde_json::Value = serde_json::from_slice(&page.save(&directory, "made-up.json")).unwrap();
    assert_eq!((&rows[0]["store"], &rows[1]["latency_ns_mean"]), (&"=1+1".into(), &2_000.into()));
    assert_eq!(rows[2]["failure_message"], "line one\n\"two\", three");
    assert_eq!((&rows[0]["variant"], &rows[0]["records"]), (&"1000".into(), &1_000.into()), "texts stay texts");
    assert_eq!(rows[2].get("latency_ns_mean"), None, "what is absent stays absent");
}

#[test]
fn figures_that_cannot_be_true_are_left_out_and_the_page_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let good = text(&gets(&axes("lmdb"), &[1_000, 1_010, 1_020]));
    let absurd = text(&gets(&axes("sqlite"), &[1])).replace("\"timed_ns\":1000", "\"timed_ns\":18446744073709551615");
    fs::write(directory.path().join("run.json"), info(&stores()).to_string()).unwrap();
    fs::write(directory.path().join("results.jsonl"), good + &absurd).unwrap();
    let mut page = Page::open(&[Run::read(directory.path()).unwrap()]);
    let warnings = page.text_of(".warnings");
    assert!(
        warnings.contains("1 line(s) of results.jsonl have figures that cannot be true and are left out"),
        "{warnings}"
    );
    assert_eq!(page.fields(), ["LMDB 1.01 µs"]);
    page.is_quiet();
}
