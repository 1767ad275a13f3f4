//! The page of a pick: the answer first, then the race and the changes as pictures, and costs that fit a phone.

use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::{Excluded, PickFacts};
use bakeoff_results::run::Run;
use bakeoff_testing::picks::{facts, picked, question, rounds};
use serde_json::json;

use crate::Page;
use crate::saved::press;

/// LMDB takes half the time of SQLite, except with the change `other`. Flat folder left after two rounds.
fn pick() -> Run {
    let mut cells = [
        rounds("lmdb", PICK_ASKED, &[1_000, 1_010, 990]),
        rounds("sqlite", PICK_ASKED, &[2_000, 2_020, 1_980]),
        rounds("flat-folder", PICK_ASKED, &[9_000, 9_090]),
        rounds("lmdb", "same", &[1_000, 1_010, 990]),
        rounds("sqlite", "same", &[3_000, 3_030, 2_970]),
        rounds("lmdb", "other", &[4_000, 4_040, 3_960]),
        rounds("sqlite", "other", &[1_000, 1_010, 990]),
    ]
    .concat();
    cells.sort_by_key(|cell| cell.end.round);
    let left = Excluded::dropped("flat-folder".to_owned(), "9.0 × the cost of the best after round 2".to_owned());
    let questions = vec![question("same", None), question("other", None), question("late", Some("no time"))];
    picked(cells, &PickFacts { dropped: vec![left], questions, ..facts() })
}

/// Every text of a picture.
fn words_in(page: &mut Page, picture: &str) -> String {
    page.browser
        .text(&format!("[...document.querySelectorAll('{picture} text')].map((each) => each.textContent).join('\\n')"))
}

#[test]
fn the_answer_of_a_pick_is_first_and_says_by_how_much() {
    let mut page = Page::open(&[pick()]);
    let headline = page.text_of(".asked .headline");
    assert_eq!(headline, "LMDB is best: 2.00× (2.00–2.00×) ahead of SQLite");
    assert_eq!(page.text_of(".asked .others"), "mean time of an operation 1.00 µs");
    let order = page.browser.value("[...document.querySelectorAll('.asked :is(.headline, #race-0, #changes-0, table, pre)')].map((each) => each.id || each.localName)");
    assert_eq!(order, json!(["p", "race-0", "changes-0", "table"]));
    let above = page
        .browser
        .value("document.querySelector('.asked .headline').getBoundingClientRect().bottom < innerHeight / 2");
    assert_eq!(above, true, "the answer is on the first screen");
    page.is_quiet();
}

#[test]
fn the_race_shows_every_round_and_who_left_it_when_and_why() {
    let mut page = Page::open(&[pick()]);
    assert_eq!(page.count("#race-0 svg .round > *"), 8, "rounds");
    assert_eq!(page.count("#race-0 svg .gone > *"), 1, "one left");
    let gone = page.text_of("#race-0 ul.gone");
    assert_eq!(gone, "✕ Flat folder 9.0 × the cost of the best after round 2");
    let words = words_in(&mut page, "#race-0 svg");
    for name in ["LMDB", "SQLite", "Flat folder", "1×", "5×", "time of the race"] {
        assert!(words.contains(name), "{name}: {words}");
    }
    // A store that left has its mark before the end of the stores that stayed.
    let lasts = page
        .browser
        .value("[...document.querySelectorAll('#race-0 .round > *')].map((each) => each.getBoundingClientRect().x)");
    let lasts: Vec<f64> = serde_json::from_value(lasts).unwrap();
    let gone =
        page.browser.value("document.querySelector('#race-0 .gone > *').getBoundingClientRect().x").as_f64().unwrap();
    assert!(gone + 10.0 < lasts.iter().copied().fold(0.0, f64::max), "{gone}: {lasts:?}");
    page.is_quiet();
}

#[test]
fn changes_are_left_of_one_where_another_store_is_best() {
    let mut page = Page::open(&[pick()]);
    let words = words_in(&mut page, "#changes-0 svg");
    for said in [
        "If same",
        "stays · SQLite 3.00×",
        "If other",
        "SQLite instead, 4.00× ahead",
        "If late",
        "not measured, no time",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    let places = page.browser.value(
        "(() => { const one = [...document.querySelectorAll('#changes-0 svg text')].find((each) => each.textContent === '1×').getBoundingClientRect(); \
         return [...document.querySelectorAll('#changes-0 .change > *')].map((each) => each.getBoundingClientRect().x > one.x + one.width / 2); })()",
    );
    assert_eq!(places, json!([true, false]));
    let in_words = page.browser.text("[...document.querySelectorAll('.asked details')].find((each) => each.firstChild.textContent.endsWith('in words')).textContent");
    assert!(in_words.contains("If other: yes, SQLite: LMDB takes"), "{in_words}");
    page.is_quiet();
}

#[test]
fn on_a_phone_no_figure_of_a_pick_has_to_be_scrolled_to() {
    let mut page = Page::sized(&[pick()], 390, 844);
    let wide = page.browser.value("[document.documentElement.scrollWidth <= innerWidth, document.querySelector('.asked .scroll').scrollWidth <= document.querySelector('.asked .scroll').clientWidth]");
    assert_eq!(wide, json!([true, true]));
    let heads = page.browser.value("[...document.querySelector('.asked tbody tr').querySelectorAll('td')].map((each) => getComputedStyle(each, '::before').content)");
    assert!(heads.as_array().unwrap().iter().all(|head| head.as_str().is_some_and(|head| head.len() > 3)), "{heads}");
    let outside = page.browser.value(
        "[...document.querySelectorAll('.asked svg text')].filter((each) => { const box = each.getBoundingClientRect(); return box.width && (box.left < 0 || box.right > innerWidth); }).map((each) => each.textContent)",
    );
    assert_eq!(outside, json!([]), "texts that are cut off");
    page.is_quiet();
}

#[test]
fn marks_of_an_answer_that_is_opened_do_not_hide_each_other() {
    let mut page = Page::open(&[pick()]);
    let shown = page.browser.value("document.querySelector('.answer .strip').checkVisibility()");
    assert_eq!(shown, false, "the fastest over all phases is no second answer to the question");
    let tops = "(() => { const all = [...document.querySelectorAll('.answer .strip')].filter((strip) => strip.checkVisibility()); \
                return all.map((strip) => [...strip.querySelectorAll('.dot')].map((each) => each.getBoundingClientRect())) \
                  .every((dots) => dots.every((one, at) => dots.slice(at + 1).every((other) => Math.abs(one.left - other.left) + Math.abs(one.top - other.top) > 4))) && all.length; })()";
    page.browser
        .value("[...document.querySelectorAll('details')].find((each) => each.querySelector('.answer')).open = true");
    page.browser.wait_for("document.querySelector('.answer .strip').style.height");
    let strips = page.browser.value(tops);
    assert!(strips.as_u64().is_some_and(|strips| strips > 2), "{strips}");
    page.is_quiet();
}

#[test]
fn pictures_of_a_pick_are_saved_with_their_run_and_what_they_say() {
    let mut page = Page::open(&[pick()]);
    let downloads = page.browser.downloads();
    for (picture, name, said) in [
        ("#race-0", "made-up-The-race.svg", "Flat folder: 9.0 × the cost of the best after round 2."),
        ("#changes-0", "made-up-When-the-answer-changes.svg", "If other: yes, SQLite: LMDB takes"),
    ] {
        press(&mut page, picture, "SVG");
        let saved = String::from_utf8(page.saved(&downloads, name)).unwrap();
        // Long texts are broken into lines.
        let words = saved.replace("</text>", " ");
        let words: String = words.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text)).collect();
        for said in [said, "bakeoff 0.1.0", "run made-up"] {
            assert!(words.contains(said), "{said} is not in {words}");
        }
    }
    page.is_quiet();
}
