//! The page of a run that was profiled, and the flame graph that it links.

use std::fs::{File, create_dir_all};

use bakeoff_flame::{FlameUnit, draw_flame_graph};
use bakeoff_protocol::{Profile, ProfileOutcome};
use serde_json::json;

use crate::Page;
use bakeoff_testing::made_up::{axes, edit, gets, run, stores};

const FOLDED: &str =
    "driver;main;replay;store_get 30\ndriver;main;replay;store_get;copy_to_user_[k] 10\ndriver;main;check 5\n";

#[test]
fn a_page_with_a_measurement_links_the_flame_graphs_of_the_same_cell() {
    let place = tempfile::tempdir().unwrap();
    let mut measured = run([gets(&axes("sqlite"), &[1_000]), gets(&axes("lmdb"), &[2_000])].concat(), stores());
    measured.directory = place.path().join("measured");
    let mut of = axes("sqlite");
    of.profile = Some(Profile::Cpu);
    let mut profiled = run(gets(&of, &[3_000]), stores());
    profiled.directory = place.path().join("profiled");
    create_dir_all(&profiled.directory).unwrap();
    create_dir_all(&measured.directory).unwrap();
    let graph = ProfileOutcome { flame_graph: Some("logs/a b.svg".to_owned()), samples: Some(45), trouble: None };
    profiled.cells[0].end.profiled = Some(graph);
    let mut page = Page::placed(&[measured.clone(), profiled], place.path());
    page.browser.value("document.querySelector('#detail-cells details').open = true");
    let links = "[...document.querySelectorAll('#detail-cells a')].map((a) => `${a.textContent} ${a.getAttribute('href')}`).sort().join('\\n')";
    let expected = [
        "cpu, round 1 ./profiled/logs/a%20b.svg",
        "logs/lmdb-1024-1000-random-1.log ./measured/logs/lmdb-1024-1000-random-1.log",
        "logs/sqlite-1024-1000-random-1.log ./measured/logs/sqlite-1024-1000-random-1.log",
    ];
    assert_eq!(page.browser.text(links), expected.join("\n"), "every log, and of one store a flame graph");
    page.is_quiet();
    let mut alone = Page::placed(&[measured], place.path());
    alone.browser.value("document.querySelector('#detail-cells details').open = true");
    assert!(!alone.text_of("#detail-cells").contains("flame graph"));
}

#[test]
fn a_profiled_run_links_flame_graphs_that_open_alone() {
    let place = tempfile::tempdir().unwrap();
    let mut axes = axes("sqlite");
    axes.profile = Some(Profile::Cpu);
    let mut run = run(gets(&axes, &[1_000]), stores());
    run.directory = place.path().join("a run");
    create_dir_all(run.directory.join("logs")).unwrap();
    edit(&mut run, |info| info["profile"] = json!({ "kind": "cpu" }));
    let graph = "logs/sqlite-1.svg";
    run.cells[0].end.profiled =
        Some(ProfileOutcome { flame_graph: Some(graph.to_owned()), samples: Some(45), trouble: None });
    let file = File::create(run.directory.join(graph)).unwrap();
    draw_flame_graph(FOLDED, ("SQLite · <get>", "round 1"), FlameUnit::Samples, file).unwrap();

    let mut page = Page::placed(&[run.clone()], &run.directory);
    assert!(page.text_of(".headline").contains("Profiled, not ranked"));
    assert!(page.text_of("section.answer").contains("The flame graphs lie beside this page"));
    let row = page.text_of(".flame-graphs tbody");
    for words in ["45 samples", "1.2.3", ".log", "bakeoff request sqlite-1024-1000-random --run"] {
        assert!(row.contains(words), "{words} is not in {row}");
    }
    assert_eq!(page.browser.value("document.getElementById('interactive').hidden"), true, "nothing to be ranked");
    assert!(!page.browser.text("document.body.innerText").contains("is fastest"));
    assert_eq!(
        page.browser.text("document.querySelector('.flame-graphs a').getAttribute('href')"),
        format!("./{graph}")
    );
    assert_eq!(page.count(".flame-graphs a[href^='./logs/'][href$='.log']"), 1);
    let address = page.browser.text("document.querySelector('.flame-graphs a').href");
    page.is_quiet();

    page.browser.go(&address, "document.querySelectorAll('#frames g').length > 0");
    let titles = page
        .browser
        .text("[...document.querySelectorAll('#frames title')].map((each) => each.textContent).join('\\n')");
    assert!(
        titles.contains("store_get (40 samples, 88.89%)") && titles.contains("copy_to_user (10 samples"),
        "{titles}"
    );
    // A frame that is chosen fills the width, and the search marks what it finds.
    page.browser.value(
        "[...document.querySelectorAll('#frames g')].find((each) => each.textContent.includes('store_get')).querySelector('rect') \
         .dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    );
    assert_eq!(page.browser.value("document.getElementById('unzoom').classList.contains('hide')"), false);
    page.is_quiet();
}
