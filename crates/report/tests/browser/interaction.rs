//! What is on the first screen and what each chooser, pointer and key does.

use bakeoff_protocol::{Axes, Durability};
use bakeoff_report::{TerminalOptions, render_terminal};
use bakeoff_results::analysis::Analysis;
use bakeoff_text::command_again;
use serde_json::json;

use crate::Page;
use crate::made_up::{everything, uneven};
use bakeoff_testing::made_up::{axes, edit, gets, good, operation, phase_result, run, stores};

#[test]
fn the_first_screen_answers() {
    let mut cells = gets(&axes("lmdb"), &[1_000, 1_010, 1_020]);
    cells.append(&mut gets(&axes("sqlite"), &[2_000, 2_020, 2_040]));
    let mut page = Page::open(&[run(cells, stores())]);
    let headline = page.text_of(".headline");
    assert!(
        headline.starts_with("LMDB is fastest of 2 stores: 2.00× (") && headline.ends_with(") faster than SQLite"),
        "{headline}"
    );
    assert!(page.text_of("section.answer").contains("in brackets where the true ratio lies, with 95 % confidence"));
    let others = page.text_of(".others");
    assert!(others.contains("Least disk space LMDB = SQLite tied"), "{others}");
    assert!(page.text_of(".promise").starts_with("durability process"));
    let row = page.text_of(".standings tbody tr");
    assert!(row.contains("get") && row.contains("wins 1 of 1"), "{row}");
    let facts = page.text_of(".facts");
    for words in ["2 cells measured in 3 rounds each", "6,000 answers checked and right", "Abacus", "ext4"] {
        assert!(facts.contains(words), "{facts}");
    }
    assert!(page.text_of(".warnings").contains("Only 3 rounds."));
    let bottom = page.browser.value("document.querySelector('.facts').getBoundingClientRect().bottom");
    assert!(bottom.as_f64().unwrap() < 900.0, "the first screen ends at {bottom}");
    page.is_quiet();
}

#[test]
fn many_answers_are_summed_up_on_the_first_screen() {
    let mut page = Page::open(&[everything()]);
    assert_eq!(page.text_of("#overview .headline"), "LMDB is fastest in 4 of 4");
    assert_eq!(page.count("#overview tbody tr"), 4, "two classes on one and on four threads");
    let row = page.text_of("#overview tbody tr:nth-child(3)");
    for words in ["durability power · 1 thread", "LMDB", "2.00× (", "SQLite"] {
        assert!(row.contains(words), "{words} is not in {row}");
    }
    let bottom = page.browser.value("document.querySelector('.facts').getBoundingClientRect().bottom");
    assert!(bottom.as_f64().unwrap() < 900.0, "the first screen ends at {bottom}");
    let leads = "[...document.querySelectorAll('#overview a')].every((link) => document.querySelector(link.hash)?.matches('.answer'))";
    assert_eq!(page.browser.value(leads), true, "each line leads to its answer in full");
    page.is_quiet();
}

#[test]
fn the_answer_needs_no_script() {
    let mut page = Page::open(&[everything()]);
    page.browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    page.browser.call("Page.reload", json!({}));
    // Reloading has only begun when the call returns. Without scripts the page cannot report when it is loaded, and
    // until then the browser answers about the old one.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let there = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let root = page.browser.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
        let found = page.browser.call("DOM.querySelector", json!({ "nodeId": root, "selector": "#failures" }));
        found["nodeId"].as_u64().is_some_and(|node| node > 0)
    });
    assert!(there, "the page has not loaded after ten seconds");
    page.browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
    assert!(page.text_of(".headline").contains("LMDB is fastest"));
    assert!(page.text_of("#failures").contains("wrong answer"));
}

#[test]
fn every_chooser_changes_the_matrix() {
    let mut page = Page::open(&[everything()]);
    // Rows: get and scan in two sizes; columns: random and text with two counts each.
    let fields = page.fields();
    assert_eq!(fields.len(), 16);
    assert_eq!(fields[..4], ["LMDB 1.00 µs", "LMDB 3.00 µs", "LMDB 5.00 µs", "LMDB 15.0 µs"]);
    assert_eq!(fields[4..6], ["LMDB 2.00 µs", "LMDB 6.00 µs"]);
    assert_eq!(fields[8], "LMDB 500 ns");
    for (measure, first) in [
        ("p50", "LMDB 500 ns"),
        ("p99", "LMDB 1.00 µs"),
        ("max", "LMDB 101 µs"),
        ("ops/s", "LMDB 1.00 M/s"),
        ("CPU", "LMDB 2.00 µs"),
        ("bytes written", "LMDB 4.00 KiB"),
        ("memory in the phase", "LMDB 1.00 MiB"),
        ("peak memory", "LMDB 1.00 MiB"),
        ("space on disk", "all 3 tied 5.96 MiB"),
        ("space efficiency", "all 3 tied 80.0 %"),
    ] {
        page.choose("#choosers", "measure", measure);
        assert_eq!(page.fields()[0], first, "{measure}");
    }
    page.choose("#choosers", "measure", "mean time");
    page.choose("#choosers", "durability", "power");
    assert_eq!(page.fields()[..2], ["LMDB 7.00 µs", "LMDB 21.0 µs"]);
    let note = "times are those of an operation in its thread";
    assert!(!page.text_of("#detail-workload").contains(note));
    page.choose("#choosers", "threads", "4");
    assert!(page.text_of("#detail-workload").contains(note));
    assert!(page.text_of(".warnings").contains(note), "{}", page.text_of(".warnings"));
    page.choose("#choosers", "measure", "ops/s");
    // Four threads, each a seventh of a million a second.
    assert_eq!(page.fields()[0], "LMDB 571 k/s");
    page.is_quiet();
}

#[test]
fn a_large_matrix_is_written_over_and_its_columns_keep_their_widths() {
    let of = |records: u64| gets(&Axes { records, ..axes("lmdb") }, &[1_000 + records]);
    let mut page = Page::open(&[run((1..=501).flat_map(of).collect(), stores())]);
    assert_eq!(page.count(".large .cell"), 501);
    page.browser.value("document.querySelectorAll('.cell').forEach((each) => (each.dataset.kept = 'yes'))");
    page.choose("#choosers", "measure", "ops/s");
    assert_eq!(page.count(".cell[data-kept]"), 501, "the same fields are filled anew");
    let columns = "[...document.querySelectorAll('.matrix thead tr:last-child th')].map((each) => each.offsetWidth)";
    page.browser.value("document.getElementById('matrix').scrollIntoView({ behavior: 'instant' })");
    let before = page.browser.value(columns);
    page.browser.value("document.getElementById('matrix-table').scrollTo({ left: 1e6, behavior: 'instant' })");
    page.browser.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    assert_eq!(page.browser.value(columns), before, "nothing moves where it comes into sight");
    let last = page.browser.value("(() => { const field = [...document.querySelectorAll('.cell')].at(-1); return [field.innerText, field.scrollWidth <= field.clientWidth]; })()");
    assert_eq!(last, json!(["LMDB 666 k/s", true]));
    page.is_quiet();
}

#[test]
fn only_axes_that_vary_are_offered() {
    let mut page = Page::open(&[run(gets(&axes("lmdb"), &[1_000, 1_010]), stores())]);
    assert_eq!(page.count("#choosers select"), 2, "measure and operation");
    assert_eq!(page.fields(), ["LMDB 1.00 µs"]);
    assert!(page.text_of(".headline").contains("without a competitor"));
}

#[test]
fn stores_can_be_left_out_and_a_choice_is_a_link() {
    let mut page = Page::open(&[everything()]);
    page.choose("#choosers", "operation", "scan");
    page.browser.value(
        "[...document.querySelectorAll('#stores button')].find((button) => button.innerText === 'LMDB').click()",
    );
    assert_eq!(page.fields()[0], "SQLite* 2.00 µs", "best of those shown, which the verdict was not made for");
    let choice = page.browser.text("location.hash");
    assert!(choice.contains("operation=scan") && choice.contains("without=LMDB"), "{choice}");
    let file = page.file.clone();
    page.browser.open(&file, &choice);
    assert_eq!(page.fields()[0], "SQLite* 2.00 µs");
    assert!(page.text_of("#matrix-legend").contains("*: best of the stores shown"));
    assert!(page.text_of("#detail-workload").starts_with("scan · "));
    page.is_quiet();
}

#[test]
fn a_link_shows_the_same_scatter_and_bars() {
    let mut page = Page::open(&[everything()]);
    let whole = page.browser.text("location.hash");
    let drawn = "document.querySelector('#scatter svg').textContent";
    page.choose("#scatter", "across", "p99");
    page.choose("#scatter", "up", "ops/s");
    page.choose("#relative", "durability", "power");
    page.browser.value("document.querySelectorAll('#relative input')[1].click()");
    let (scatter, bars) = (page.browser.text(drawn), page.text_of("#relative"));
    assert!(bars.contains("12 of 16 contests"), "{bars}");
    let choice = page.browser.text("location.hash");
    let file = page.file.clone();
    let mut other = Page::open(&[everything()]);
    other.browser.open(&file, &choice);
    assert_eq!((other.browser.text(drawn), other.text_of("#relative")), (scatter, bars));
    let chosen =
        "[...document.querySelectorAll('#scatter select')].map((each) => each.selectedOptions[0].label).join()";
    assert_eq!(other.browser.text(chosen), "p99,ops/s");
    // A link to a part of the page leaves the choice, one to another choice puts everything as it says.
    other.browser.value("document.querySelector('header a[href=\"#charts\"]').click()");
    other.browser.value("new Promise((done) => setTimeout(done, 300))");
    assert!(other.text_of("#relative").contains("12 of 16 contests"));
    other.browser.value(&format!("location.hash = {whole:?}; new Promise((done) => setTimeout(done, 1500))"));
    assert!(other.text_of("#relative").contains("28 of 64 contests"), "{}", other.text_of("#relative"));
    assert_eq!(other.browser.text(chosen), "mean time,peak memory");
    other.is_quiet();
}

#[test]
fn a_field_shows_every_store_to_pointer_and_keyboard() {
    let mut page = Page::open(&[everything()]);
    assert_eq!(page.browser.value("document.getElementById('pop').hidden"), true);
    page.browser.value("document.querySelector('.cell').focus()");
    let shown = page.text_of("#pop");
    for words in ["LMDB\t1.00 µs", "SQLite\t2.00 µs", "Flat folder\t8.00 µs", "2.00×", "8.00×", "(wins)"] {
        assert!(shown.contains(words), "{words} is not in {shown}");
    }
    page.browser.press("Tab");
    assert!(page.text_of("#pop").contains("LMDB\t3.00 µs"), "the next field");
    page.browser.press("Enter");
    assert!(
        page.text_of("#detail-workload").contains("100B..1KiB × 10,000 random"),
        "{}",
        page.text_of("#detail-workload")
    );
    let focus = "document.activeElement.classList.contains('chosen')";
    assert_eq!(page.browser.value(focus), true, "the focus stays");
    page.browser.press("Escape");
    assert_eq!(page.browser.value("document.getElementById('pop').hidden"), true);
    page.is_quiet();
}

#[test]
fn one_workload_in_full() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("document.querySelectorAll('.cell')[0].click()");
    let rows = page.text_of("#detail-table");
    let lmdb = rows.lines().find(|row| row.contains("SQLite")).map(|_| rows.clone()).unwrap();
    for figure in ["1.00×", "2.00×", "8.00×", "1.00 µs", "500 ns", "101 µs", "1.00 M/s", "5.96 MiB"] {
        assert!(lmdb.contains(figure), "{figure} is not in {lmdb}");
    }
    page.browser.value("document.querySelector('#detail-cells details').open = true");
    let cells = page.text_of("#detail-cells");
    for words in ["bakeoff request lmdb-100-1000-random-process-1 --run results/made-up", "1.2.3", ".log"] {
        assert!(cells.contains(words), "{words} is not in {cells}");
    }
    page.choose("#choosers", "operation", "scan");
    assert!(page.text_of("#detail-cells").contains("Flat folder: n/a, it has no order"));
}

#[test]
fn heads_sort_the_figures_of_a_workload() {
    let cells = [gets(&axes("lmdb"), &[1_000, 1_010]), gets(&axes("sqlite"), &[2_000, 2_010])].concat();
    let mut page = Page::open(&[run(cells, stores())]);
    let first = "document.querySelector('#detail-table tbody th').innerText";
    assert_eq!(page.browser.text(first), "LMDB");
    let head = "document.querySelector('#detail-table [data-by=time_ns_mean]')";
    page.browser.value(&format!("{head}.click()"));
    assert_eq!(page.browser.text(first), "SQLite", "the other way round");
    assert_eq!(page.browser.text(&format!("{head}.parentNode.getAttribute('aria-sort')")), "descending");
    page.browser.value("document.querySelector('#detail-table [data-by=per_second]').click()");
    assert_eq!(page.browser.text(first), "LMDB", "the highest rate first");
    assert_eq!(page.browser.text("document.activeElement.dataset.by"), "per_second", "the focus stays");
    let wide =
        "(() => { const all = document.getElementById('detail-table'); return all.scrollWidth <= all.clientWidth; })()";
    assert_eq!(page.browser.value(wide), true, "no column is cut off");
    page.is_quiet();
}

#[test]
fn a_rate_in_a_phase_that_mixes_operations_says_what_it_counts() {
    let mixed = || phase_result("mix", vec![operation("get", 1_000), operation("update", 4_000)]);
    let cells = (1..=2).map(|round| good(&axes("lmdb"), round, vec![mixed()]));
    let mut page = Page::open(&[run(cells.collect(), stores())]);
    let words = page.text_of("#detail-workload");
    assert!(words.contains("ops/s counts these over the time of all."), "{words}");
    page.is_quiet();
}

#[test]
fn the_page_shows_the_figures_that_the_terminal_shows() {
    let run = uneven();
    let options = TerminalOptions { width: 100, color: false, full: true };
    let terminal = render_terminal(&Analysis::new(&run), &options);
    // Rate, mean, range, percentiles, largest.
    let line = terminal.lines().find(|line| line.contains("LMDB") && line.contains("k/s")).unwrap().to_owned();
    let mut page = Page::open(&[run]);
    page.browser.value("document.querySelector('.cell').click()");
    let table = page.text_of("#detail-table tbody tr");
    for (measure, figure) in
        [("ops/s", "707 k/s"), ("mean time", "1.41 µs"), ("p50", "500 ns"), ("p99", "1.00 µs"), ("max", "400 µs")]
    {
        page.choose("#choosers", "measure", measure);
        assert_eq!(page.fields(), [format!("LMDB {figure}")], "{measure}");
        for shown in [&line, &table] {
            assert!(shown.contains(figure), "{measure} {figure} is not in {shown}");
        }
    }
    page.browser.value("document.querySelector('.cell').focus()");
    let pop = page.text_of("#pop");
    assert!(pop.contains("lowest–highest round") && pop.contains("400 µs\t100–400 µs"), "{pop}");
    let hint = page.text_of("#matrix-hint");
    assert!(
        hint.contains(
            "Shown is the largest of all rounds; who is best, and by how much, comes from the ratios within rounds"
        ),
        "{hint}"
    );
    page.is_quiet();
}

#[test]
fn an_interval_beside_a_ratio_is_written_as_on_a_terminal() {
    let mut cells = gets(&axes("lmdb"), &[10_000, 10_001, 10_002, 10_003, 10_004]);
    cells.append(&mut gets(&axes("sqlite"), &[10_041, 10_040, 10_043, 10_042, 10_044]));
    let run = run(cells, stores());
    let terminal = render_terminal(&Analysis::new(&run), &TerminalOptions { width: 100, color: false, full: true });
    let mut page = Page::open(&[run]);
    let interval = page.text_of("#detail-table tbody tr:nth-child(2) td:nth-child(2) .interval");
    assert!(interval.starts_with("1.00") && interval.len() > "1.00–1.00×".len(), "{interval} has a digit more");
    assert!(terminal.contains(&format!("1.00× ({interval})")), "{interval} is not in {terminal}");
    page.is_quiet();
}

#[test]
fn a_command_to_be_pasted_runs_nothing_else() {
    let mut run = run(gets(&axes("lmdb"), &[1_000]), stores());
    run.directory = "my results/$(touch hacked); it's".into();
    edit(&mut run, |info| {
        info["drivers"] = json!([{ "path": "/b/a driver;touch hacked", "stores": ["lmdb"] }]);
    });
    let expected =
        command_again(&run.cells[0].end.cell, "my results/$(touch hacked); it's", "/b/a driver;touch hacked");
    assert!(expected.ends_with("| '/b/a driver;touch hacked' run"), "{expected}");
    let mut page = Page::open(&[run]);
    page.browser.value("document.querySelector('#detail-cells details').open = true");
    assert_eq!(page.text_of("#detail-cells tbody td:last-child"), expected);
}

#[test]
fn a_failed_store_is_named_and_ranked_nowhere() {
    let mut page = Page::open(&[everything()]);
    page.choose("#choosers", "durability", "power");
    page.browser.value("document.querySelectorAll('.cell')[5].click()");
    let words = page.text_of("#detail-cells");
    assert!(words.contains("Flat folder: failed"), "{words}");
    assert!(!page.text_of("#detail-table").contains("Flat folder"));
    assert!(page.text_of(".warnings").contains("4 rounds of Flat folder failed"), "{}", page.text_of(".warnings"));
    assert!(page.text_of("#failures").contains("found nothing, but the key is there"));
}

#[test]
fn it_fits_a_telephone() {
    let mut page = Page::sized(&[everything()], 390, 844);
    assert_eq!(page.browser.value("document.documentElement.scrollWidth"), 390);
    assert!(page.text_of(".headline").contains("LMDB is fastest"));
    let cut = "[...document.querySelectorAll('.answer .scroll')].filter((each) => each.scrollWidth > each.clientWidth).length";
    assert_eq!(page.browser.value(cut), 0, "no part of an answer has to be scrolled to");
    page.is_quiet();
}

#[test]
fn light_and_dark() {
    let mut page = Page::open(&[everything()]);
    let paper = "getComputedStyle(document.body).backgroundColor";
    let light = page.browser.text(paper);
    page.browser.value("document.getElementById('theme').click()");
    let dark = page.browser.text(paper);
    assert_ne!(light, dark);
    page.browser.value("document.getElementById('theme').click()");
    assert_eq!(page.browser.text(paper), light);
    let prefers = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    let file = page.file.clone();
    page.browser.open(&file, "#again");
    page.browser.call("Emulation.setEmulatedMedia", prefers);
    assert_eq!(page.browser.text(paper), dark);
    page.browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    assert_eq!(page.browser.text(paper), "rgb(255, 255, 255)");
}

#[test]
fn several_runs_in_one_page() {
    let mut other = everything();
    other.directory = "results/other".into();
    edit(&mut other, |info| info["machine"]["cpu_model"] = "Slide rule".into());
    edit(&mut other, |info| {
        info["drivers"] =
            json!([{ "path": "/b/driver", "stores": ["sqlite"] }, { "path": "/b/other", "stores": ["flat-folder"] }])
    });
    other.cells.retain(|cell| cell.end.axes.store != "lmdb");
    let mut page = Page::open(&[everything(), other]);
    assert_eq!(page.count(".about .facts"), 2);
    assert!(page.browser.text("document.body.innerText").contains("Slide rule"));
    assert_eq!(page.fields()[0], "LMDB 1.00 µs");
    page.choose("#choosers", "run", "other (Slide rule)");
    assert_eq!(page.fields()[0], "SQLite 2.00 µs");
    assert_eq!(page.count("#along-run svg"), 1);
    page.browser.value("document.querySelector('#detail-cells details').open = true");
    let cells = page.text_of("#detail-cells");
    assert!(cells.contains("--run results/other | /b/driver run") && cells.contains("| /b/other run"), "{cells}");
    let ids = "(() => { const ids = [...document.querySelectorAll('[id]')].map((each) => each.id); return ids.length - new Set(ids).size; })()";
    assert_eq!(page.browser.value(ids), 0, "no two elements have the same id");
    assert_eq!(page.count("#failures-1"), 1);
    page.is_quiet();
}

#[test]
fn a_choice_of_a_run_shows_what_it_has() {
    let mut other = everything();
    other.directory = "results/other".into();
    other.cells.retain(|cell| cell.end.axes.threads == 4 && cell.end.axes.data == "text");
    other.cells.iter_mut().flat_map(|cell| &mut cell.phases).for_each(|phase| phase.axes.medium = "slow".to_owned());
    other.cells.iter_mut().for_each(|cell| cell.end.axes.medium = "slow".to_owned());
    let mut page = Page::open(&[everything(), other]);
    page.choose("#choosers", "operation", "scan");
    page.choose("#choosers", "run", "other");
    let chosen =
        "[...document.querySelectorAll('#choosers select')].map((each) => each.selectedOptions[0].label).join()";
    let chosen = page.browser.text(chosen);
    assert!(
        ["scan", "other", "slow", "4", "text"].iter().all(|part| chosen.split(',').any(|each| each == *part)),
        "{chosen}"
    );
    assert!(page.fields().len() > 1, "the matrix is not empty");
    assert!(page.count("#percentiles svg") == 1 && page.count("#detail-chart svg") == 1);
    page.choose("#choosers", "run", "made-up");
    assert!(page.count("#percentiles svg") == 1);
    page.is_quiet();
}

#[test]
fn equal_marks_on_the_first_screen_are_all_seen() {
    let mut cells = gets(&axes("lmdb"), &[1_000, 1_010, 1_020]);
    cells.append(&mut gets(&axes("sqlite"), &[1_000, 1_010, 1_020]));
    let mut page = Page::open(&[run(cells, stores())]);
    let tops = "(() => { const dots = [...document.querySelectorAll('.strip')[0].querySelectorAll('.dot')].map((each) => each.getBoundingClientRect()); \
                return dots.length === 2 && Math.abs(dots[0].top - dots[1].top) > 4; })()";
    assert_eq!(page.browser.value(tops), true);
    page.is_quiet();
}

#[test]
fn the_page_opens_where_its_first_answer_is() {
    let mut cells = Vec::new();
    for (disturbance, durability, mean_ns) in [
        (Some("cpu"), Durability::None, 4_000),
        (None, Durability::Process, 2_000),
        (Some("cpu"), Durability::Process, 8_000),
        (None, Durability::None, 1_000),
    ] {
        let axes = Axes { disturbance: disturbance.map(str::to_owned), durability, ..axes("lmdb") };
        cells.extend(gets(&axes, &[mean_ns, mean_ns + 10]).into_iter().map(|mut cell| {
            let id = format!("{}-{durability}-{disturbance:?}", cell.end.cell);
            cell.phases.iter_mut().for_each(|line| line.cell.clone_from(&id));
            cell.end.cell = id;
            cell
        }));
    }
    let mut page = Page::open(&[run(cells, stores())]);
    assert!(page.text_of("#overview tbody th").starts_with("durability none · undisturbed"));
    assert_eq!(
        page.text_of("#matrix-place"),
        "Here: durability none · disturbance none · medium default · key sha1 · threads 1."
    );
    assert_eq!(page.fields(), ["LMDB 1.00 µs"]);
    let offered = "[...document.querySelectorAll('#choosers label')].find((each) => each.firstChild.textContent === 'disturbance')\
                   .querySelector('select').textContent";
    assert_eq!(page.browser.text(offered), "nonecpu", "undisturbed first");
    page.is_quiet();
}
