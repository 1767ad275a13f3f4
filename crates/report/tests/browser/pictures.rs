//! Whether each picture shows the right numbers: marks are read back from the drawing through its own scales.

use crate::Page;
use crate::made_up::{STORES, everything, nought, rates, uneven};
use bakeoff_testing::made_up::{axes, gets, run, store, stores};

/// The numbers that the marks of a picture stand at: for each circle or bar its place, through the scales.
pub(crate) fn marks(page: &mut Page, picture: &str, marks: &str) -> Vec<(f64, f64)> {
    let values = page.browser.value(&format!(
        "(() => {{ const svg = document.querySelector('{picture} svg'); const [x, y] = [svg.scale('x'), svg.scale('y')]; \
         const at = (scale, place) => scale.invert ? scale.invert(place) : NaN; \
         return [...svg.querySelectorAll('{marks}')].map((mark) => {{ \
           const [, left, top] = /translate\\(([^,]+),([^)]+)\\)/.exec(mark.getAttribute('transform') ?? '') ?? []; \
           const [cx, cy] = [mark.getAttribute('cx') ?? left, mark.getAttribute('cy') ?? top]; \
           return [at(x, Number(cx)), at(y, Number(cy)) || 0]; }}); }})()"
    ));
    let pairs = values.as_array().unwrap().iter();
    pairs.map(|pair| (pair[0].as_f64().unwrap_or(f64::NAN), pair[1].as_f64().unwrap_or(f64::NAN))).collect()
}

pub(crate) fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.01
}

pub(crate) fn assert_marks(page: &mut Page, picture: &str, expected: &[(f64, f64)]) {
    let found = marks(page, picture, "[aria-label=dot]:not(.key) > *");
    assert_eq!(found.len(), expected.len(), "{picture}: {found:?}");
    for pair in expected {
        assert!(
            found.iter().any(|mark| near(mark.0, pair.0) && near(mark.1, pair.1)),
            "{pair:?} is not in {picture}: {found:?}"
        );
    }
}

#[test]
fn time_against_size_count_and_threads() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("document.querySelectorAll('.cell')[0].click()");
    let of = |places: [f64; 2], second: f64| {
        [1_000.0, 2_000.0, 8_000.0]
            .iter()
            .flat_map(|first| [(places[0], *first), (places[1], first * second)])
            .collect::<Vec<_>>()
    };
    assert_marks(&mut page, "#along-records", &of([1_000.0, 10_000.0], 3.0));
    assert_marks(&mut page, "#along-value_bytes", &of([562.0, 5_632.0], 2.0));
    let rates: Vec<(f64, f64)> =
        [1e6, 5e5, 1.25e5].iter().flat_map(|first| [(1.0, *first), (4.0, first * 4.0)]).collect();
    assert_marks(&mut page, "#along-threads", &rates);
    assert!(page.text_of("#along-threads").contains("All threads together."));
    page.choose("#choosers", "data", "text");
    assert_marks(&mut page, "#along-records", &of([1_000.0, 10_000.0], 3.0).map_second(5.0));
    page.is_quiet();
}

#[test]
fn a_picture_along_an_axis_with_one_place_is_not_shown() {
    let cell = |variant: &'static str, records: u64| {
        let axes = bakeoff_protocol::Axes { variant: Some(variant.to_owned()), records, ..axes("lmdb") };
        gets(&axes, &[1_000, 1_010]).into_iter().map(move |mut cell| {
            cell.end.cell.push_str(variant);
            cell.phases.iter_mut().for_each(|line| line.cell.push_str(variant));
            cell
        })
    };
    let shown = |cells: Vec<_>| {
        let mut page = Page::open(&[run(cells, stores())]);
        page.is_quiet();
        ["records", "variant"].map(|axis| page.count(&format!("#along-{axis}:not([hidden]) svg")))
    };
    assert_eq!(shown(cell("one", 1_000).chain(cell("two", 2_000)).collect()), [0, 0]);
    let all = cell("one", 1_000).chain(cell("one", 2_000)).chain(cell("two", 2_000));
    assert_eq!(shown(all.collect()), [1, 1]);
}

trait MapSecond {
    fn map_second(self, factor: f64) -> Self;
}

impl MapSecond for Vec<(f64, f64)> {
    fn map_second(self, factor: f64) -> Self {
        self.into_iter().map(|(first, second)| (first, second * factor)).collect()
    }
}

#[test]
fn intervals_of_several_stores_stand_beside_each_other() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("document.querySelectorAll('.cell')[0].click()");
    for picture in ["#along-records", "#along-value_bytes"] {
        let middles = page.browser.value(&format!(
            "[...document.querySelectorAll('{picture} [aria-label=rule] line')].map((each) => each.getBoundingClientRect()).map((at) => at.x + at.width / 2)"
        ));
        let mut middles: Vec<f64> = middles.as_array().unwrap().iter().map(|middle| middle.as_f64().unwrap()).collect();
        middles.sort_by(f64::total_cmp);
        assert_eq!(middles.len(), 6, "three stores at two places in {picture}");
        assert!(middles.windows(2).all(|two| two[1] - two[0] > 4.5), "intervals are as wide as 4 pixels: {middles:?}");
        // Yet nearer to their own place than to the other.
        assert!(middles[2] - middles[0] < (middles[3] - middles[2]) / 2.0, "{middles:?}");
    }
}

#[test]
fn time_against_the_rate_asked_for() {
    let mut page = Page::open(&[rates()]);
    page.choose("#choosers", "variant", "fast");
    let words = page.text_of("#detail-workload");
    assert!(words.contains("Open loop: 10.0 k/s asked for; times count from when operations were due."), "{words}");
    assert_marks(&mut page, "#along-rate", &[(1e3, 1e3), (1e3, 2e3), (1e4, 4e3), (1e4, 8e3)]);
    page.choose("#choosers", "measure", "rate kept");
    assert_eq!(page.fields(), ["LMDB 100 %"]);
    assert_marks(&mut page, "#along-rate", &[(1e3, 1.0), (1e3, 1.0), (1e4, 1.0), (1e4, 0.5)]);
    page.choose("#choosers", "variant", "slow");
    assert_eq!(page.fields(), ["LMDB = SQLite 100 %"]);
    page.choose("#choosers", "variant", "closed");
    assert_eq!(page.fields(), ["n/a"], "a closed loop has no rate to keep");
    assert!(!page.text_of("#detail-workload").contains("Open loop"));
    page.is_quiet();
}

#[test]
fn stores_of_a_workload_with_their_intervals() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("document.querySelectorAll('.cell')[0].click()");
    let found = marks(&mut page, "#detail-chart", "[aria-label=dot]:not(.key) > *");
    let values: Vec<f64> = found.iter().map(|mark| mark.0).collect();
    for expected in [1_000.0, 2_000.0, 8_000.0] {
        assert!(values.iter().any(|value| near(*value, expected)), "{expected} is not in {values:?}");
    }
    assert_eq!(page.count("#detail-chart [aria-label=rule] line"), 3, "an interval each");
}

#[test]
fn percentile_curves_from_the_histograms() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("document.querySelectorAll('.cell')[0].click()");
    let ends = page.browser.value(
        "(() => { const svg = document.querySelector('#percentiles svg'); const [x, y] = [svg.scale('x'), svg.scale('y')]; \
         return [...svg.querySelectorAll('[aria-label=line] path')].map((path) => { \
           const places = [...path.getAttribute('d').matchAll(/([\\d.]+),([\\d.]+)/g)].map(([, px, py]) => [x.invert(+px), y.invert(+py)]); \
           return [places[0], places.find(([px]) => Math.abs(px - 1) < 0.01), places.at(-1)]; }); })()",
    );
    let ends = ends.as_array().unwrap();
    assert_eq!(ends.len(), 3, "a line a store");
    let value = |line: usize, place: usize, part: usize| ends[line][place][part].as_f64().unwrap();
    for (line, factor) in [(0, 8.0), (1, 1.0), (2, 2.0)] {
        assert!(near(value(line, 0, 1), 495.0 * factor), "smallest: {ends:?}");
        assert!(near(value(line, 1, 1), 1_010.0 * factor), "nine of ten: {ends:?}");
        // Fifteen of three thousand are slower than p99.5, of the next one there are not ten.
        assert!(near(value(line, 2, 0), 200_f64.log10()), "the last percentile that is shown: {ends:?}");
        assert!(near(value(line, 2, 1), 1_010.0 * factor), "{ends:?}");
    }
    let rings = marks(&mut page, "#percentiles", ".slowest-of-all > *");
    assert_eq!(rings.len(), 3, "the slowest operation of each store: {rings:?}");
    for factor in [1.0, 2.0, 8.0] {
        let there = rings.iter().any(|(x, y)| near(*x, 3_000_f64.log10()) && near(*y, 101_000.0 * factor));
        assert!(there, "101 µs × {factor}, one in three thousand, is not in {rings:?}");
    }
}

#[test]
fn histograms_that_cannot_be_read_are_counted() {
    let mut run = uneven();
    run.cells[0].phases[0].result.operations[0].latency.as_mut().unwrap().histogram = "no histogram".to_owned();
    let mut page = Page::open(&[run]);
    let words = page.text_of("#percentiles");
    assert!(words.contains("1 histogram(s) cannot be read and are left out."), "{words}");
    page.is_quiet();
}

#[test]
fn latency_over_the_time_of_a_phase_and_why_operations_were_slow() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("document.querySelectorAll('.cell')[0].click()");
    let rings = marks(&mut page, "#course", ".slow > *");
    // Of the third round, whose slowest operation is the slowest: its latencies are a hundredth above those of the second.
    let expected = [1_010.0, 2_020.0, 8_080.0];
    for factor in expected {
        for times in [25.0, 75.0] {
            let there = rings.iter().any(|(share, ns)| near(*share, 0.5) && near(*ns, factor * times));
            assert!(there, "{factor} × {times} is not in {rings:?}");
        }
    }
    let means = page.browser.value(
        "(() => { const svg = document.querySelector('#course svg'); const y = svg.scale('y'); \
         return [...svg.querySelectorAll('[aria-label=line] path')].map((path) => y.invert(+path.getAttribute('d').match(/,([\\d.]+)/)[1])); })()",
    );
    let means: Vec<f64> = means.as_array().unwrap().iter().map(|mean| mean.as_f64().unwrap()).collect();
    assert!(means.len() == 3 && expected.iter().all(|of| means.iter().any(|mean| near(*mean, *of))), "{means:?}");
    let words = page.text_of("#course");
    assert!(words.contains("a waiting for the disk") && words.contains("b page faults"), "{words}");
    // In words too, for those without a pointer and for paper: of LMDB 75 and 25 times 1,010 ns, half-way.
    page.browser.value("document.querySelector('#course .slowest').open = true");
    let table = page.text_of("#course .slowest tbody");
    assert!(table.contains("disk 75 %, page faults 25 %"), "{table}");
    assert!(table.contains("75.8 µs at 50 %: waiting for the disk; 25.3 µs at 50 %: page faults"), "{table}");
    let letters = page
        .browser
        .text("[...document.querySelectorAll('#course .cause text')].map((each) => each.textContent).sort().join('')");
    assert_eq!(letters, "aaabbb");
    page.is_quiet();
}

#[test]
fn bars_of_space_and_memory_and_over_many_workloads() {
    let mut page = Page::open(&[everything()]);
    let costs = page.text_of("#costs");
    for words in ["5.96 MiB", "1.00 MiB", "2.00 MiB", "8.00 MiB"] {
        assert!(costs.contains(words), "{words} is not in {costs}");
    }
    page.choose("#choosers", "operation", "get");
    // Where the flat folder failed or does not scan nothing is in common: 32 gets less the 4 in which it failed.
    let relative = page.text_of("#relative");
    for words in ["28 of 64 contests", "1.00×", "2.00×", "8.00×"] {
        assert!(relative.contains(words), "{words} is not in {relative}");
    }
    page.choose("#relative", "durability", "power");
    assert!(page.text_of("#relative").contains("12 of 32 contests"), "{}", page.text_of("#relative"));
    page.browser.value("document.querySelectorAll('#relative input')[1].click()");
    assert!(page.text_of("#relative").contains("12 of 16 contests"), "{}", page.text_of("#relative"));
    page.is_quiet();
}

#[test]
fn two_measures_and_the_front() {
    let mut page = Page::open(&[everything()]);
    page.browser.value("document.querySelectorAll('.cell')[0].click()");
    let mib = 1_048_576.0;
    assert_marks(&mut page, "#scatter", &[(1_000.0, mib), (2_000.0, 2.0 * mib), (8_000.0, 8.0 * mib)]);
    let points = "document.querySelector('#scatter .front path').getAttribute('d').split('L').length";
    assert_eq!(page.browser.value(points), 1, "one store beats all others in both");
    page.choose("#scatter", "up", "ops/s");
    assert_marks(&mut page, "#scatter", &[(1_000.0, 1e6), (2_000.0, 5e5), (8_000.0, 1.25e5)]);
    page.is_quiet();
}

#[test]
fn a_time_in_which_no_operation_ended_is_a_gap() {
    let mut run = everything();
    for phase in run.cells.iter_mut().flat_map(|cell| &mut cell.phases) {
        phase.result.over_time.as_mut().unwrap().slices[3..7].fill((0, 0, 0));
    }
    let mut page = Page::open(&[run]);
    let parts = "[...document.querySelectorAll('#course [aria-label=line] path')].map((path) => path.getAttribute('d').split('M').length - 1).join()";
    assert_eq!(page.browser.text(parts), "2,2,2", "a line before the gap and one behind it");
    page.is_quiet();
}

#[test]
fn a_round_far_below_its_figure_is_shown_and_told_so() {
    let cells = [gets(&axes("lmdb"), &[1_000, 1_000, 10]), gets(&axes("sqlite"), &[2_000, 2_000, 2_010])].concat();
    let mut page = Page::open(&[run(cells, stores())]);
    let range = page.text_of("#detail-table tbody tr:nth-child(1) td:nth-child(3) .interval");
    assert_eq!(range, "0.0100–1.00 µs");
    let edge = page.browser.value(
        "(() => { const svg = document.querySelector('#detail-chart svg'), x = svg.scale('x'); \
         const low = Math.min(...[...svg.querySelectorAll('[aria-label=rule] line')].map((each) => +each.getAttribute('x1'))); \
         return Math.abs(low - x.range[0]) < 1 && [...svg.querySelectorAll('text')].some((each) => each.textContent.startsWith('<')); })()",
    );
    assert_eq!(edge, true, "the range reaches the edge, which says that it is below");
    page.is_quiet();
}

#[test]
fn two_stores_have_their_colours_in_every_picture() {
    let two = STORES[..2].iter().flat_map(|(store, factor)| gets(&axes(store), &[1_000 * factor, 1_010 * factor]));
    let mut page = Page::open(&[run(two.collect(), stores())]);
    let seen = "[...new Set([...document.querySelectorAll('#detail-chart [aria-label=dot] > *, #relative [aria-label=dot] > *')]\
                .map((mark) => getComputedStyle(mark).fill))].sort().join('; ')";
    let wanted = "[...document.querySelectorAll('#detail-table .figures:first-child .store')].map((name) => getComputedStyle(name, '::before').backgroundColor)\
                  .sort().join('; ')";
    let (seen, wanted) = (page.browser.text(seen), page.browser.text(wanted));
    assert_eq!(seen, wanted, "as beside their names");
    assert!(wanted.contains("; ") && !wanted.contains("rgb(0, 0, 0)"), "{wanted}");
    page.is_quiet();
}

#[test]
fn a_figure_of_nought_is_drawn_and_takes_part_in_the_front() {
    let mut page = Page::open(&[nought()]);
    page.choose("#choosers", "measure", "bytes written");
    assert_eq!(page.count("#detail-chart [aria-label=dot]:not(.key) > *"), 2);
    let relative = page.text_of("#relative");
    assert!(relative.contains("over 0 of 1 contests") && relative.contains("none is zero"), "{relative}");
    page.choose("#scatter", "across", "bytes written");
    assert_eq!(page.count("#scatter [aria-label=dot]:not(.key) > *"), 2);
    let points = "document.querySelector('#scatter .front path').getAttribute('d').split('L').length";
    assert_eq!(
        page.browser.value(points),
        1,
        "LMDB, which writes nothing and takes no memory more, beats SQLite in both"
    );
    assert!(page.text_of("#scatter").contains("LMDB"));
    page.is_quiet();
}

#[test]
fn names_and_labels_do_not_lie_on_each_other() {
    let names: Vec<String> = (0..27).map(|number| format!("store-{number:02}")).collect();
    let described = names.iter().map(|name| store(name, &format!("Store {name} of a long name"))).collect();
    let cells = names.iter().flat_map(|name| gets(&axes(name), &[1_000, 1_010])).collect();
    let mut many = Page::open(&[run(cells, described)]);
    for picture in ["#scatter", "#percentiles"] {
        assert_eq!(overlaps(&mut many, &format!("{picture} [aria-label=text] text")), "", "in {picture}");
    }
    let mut telephone = Page::sized(&[sizes()], 390, 844);
    assert_eq!(overlaps(&mut telephone, "#along-value_bytes [aria-label='x-axis tick label'] text"), "");
    assert_eq!(telephone.count("#along-value_bytes [aria-label='x-axis tick label'] text"), 4, "and none is left out");
}

/// Gets of two stores in four sizes.
fn sizes() -> bakeoff_results::run::Run {
    let mut cells = Vec::new();
    for (min, max) in [(1, 100), (100, 1024), (1024, 10_240), (10_240, 102_400)] {
        for name in ["lmdb", "sqlite"] {
            let axes = bakeoff_protocol::Axes { value_bytes_min: min, value_bytes_max: max, ..axes(name) };
            cells.extend(gets(&axes, &[1_000, 1_010]));
        }
    }
    run(cells, stores())
}

/// Which of the texts that a selector names overlap.
fn overlaps(page: &mut Page, texts: &str) -> String {
    page.browser.text(&format!(
        "(() => {{ const all = [...document.querySelectorAll({texts:?})].filter((each) => each.textContent).map((each) => [each.textContent, each.getBoundingClientRect()]); \
         return all.flatMap(([one, a], index) => all.slice(0, index).filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom - 3 && b.top < a.bottom - 3).map(([other]) => `${{one}} on ${{other}}`)).join('; '); }})()"
    ))
}

#[test]
fn figures_between_two_round_ones_have_ticks_around_them() {
    let cells = [("lmdb", 2_100), ("sqlite", 2_900)].map(|(name, ns)| gets(&axes(name), &[ns, ns + 10, ns + 20]));
    let mut page = Page::open(&[run(cells.concat(), stores())]);
    let ticks = "[...document.querySelectorAll(\"#scatter [aria-label='x-axis tick label'] text\")].map((each) => each.textContent).join()";
    assert_eq!(page.browser.text(ticks), "2 µs,2.2 µs,2.4 µs,2.6 µs,2.8 µs,3 µs,3.2 µs");
    page.is_quiet();
}
