//! The page of a run that was profiled, and the flame graph that it links.

use std::fs::{File, create_dir_all};

use bakeoff_protocol::{Profile, Profiled};
use bakeoff_report::{FlameUnit, draw_flame_graph};
use serde_json::json;

use crate::Page;
use crate::common::{axes, gets, run, stores};

const FOLDED: &str =
    "driver;main;replay;store_get 30\ndriver;main;replay;store_get;copy_to_user_[k] 10\ndriver;main;check 5\n";

#[test]
fn a_profiled_run_links_flame_graphs_that_open_alone() {
    let place = tempfile::tempdir().unwrap();
    let mut axes = axes("sqlite");
    axes.profile = Some(Profile::Cpu);
    let mut run = run(gets(&axes, &[1_000]), stores());
    run.directory = place.path().join("a run");
    create_dir_all(run.directory.join("logs")).unwrap();
    run.info["profile"] = json!({ "kind": "cpu" });
    let graph = "logs/sqlite-1.svg";
    run.cells[0].end.profiled =
        Some(Profiled { flame_graph: Some(graph.to_owned()), samples: Some(45), trouble: None });
    let file = File::create(run.directory.join(graph)).unwrap();
    draw_flame_graph(FOLDED, ("SQLite · <get>", "round 1"), FlameUnit::Samples, file).unwrap();

    let mut page = Page::placed(&[run.clone()], &run.directory);
    assert!(page.text_of(".headline").contains("Profiled, not ranked"));
    assert!(page.text_of(".flame-graphs tbody").contains("45 samples"));
    assert_eq!(page.browser.value("document.getElementById('interactive').hidden"), true, "nothing to be ranked");
    assert!(!page.browser.text("document.body.innerText").contains("is fastest"));
    assert_eq!(
        page.browser.text("document.querySelector('.flame-graphs a').getAttribute('href')"),
        format!("./{graph}")
    );
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
