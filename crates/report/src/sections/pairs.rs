//! Two tables side by side: in each field the best of the one and of the other, and by how much they differ.

use std::collections::BTreeMap;

use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::verdict::Table as Rankings;
use bakeoff_results::winners::{Outcome, Pair};
use bakeoff_stats::{Place, Ranking};
use bakeoff_text::{format_count, format_size_range, ratio};

use crate::document::{Cell, Column, Table, Text};
use crate::labels::{doubt, figure};
use crate::sections::names::{short_names, store_called};

/// What stores are called on each side.
pub(crate) struct Sides<'a> {
    pub(crate) contenders: [&'a Contenders; 2],
    pub(crate) names: [BTreeMap<String, String>; 2],
}

impl<'a> Sides<'a> {
    /// The names of everyone in two tables.
    pub(crate) fn of(left: (&Rankings, &'a Contenders), right: (&Rankings, &'a Contenders)) -> Self {
        Self { contenders: [left.1, right.1], names: [short_names(left.0, left.1), short_names(right.0, right.1)] }
    }

    /// The first store of those in first place, the number of others, and the figure.
    fn best(&self, side: usize, measure: &Measure, ranking: &Ranking) -> [Text; 2] {
        let key = first(ranking);
        let name = store_called(self.contenders[side], key, self.short(side, key));
        let more = if ranking.tied.len() > 1 { format!(" +{}", ranking.tied.len() - 1) } else { String::new() };
        let doubt = doubt(ranking.verdict);
        let value = ranking.order.first().map_or_else(String::new, |place| figure(measure, place.centre));
        [name.and(&format!("{more}{doubt}")), Text::plain(&value)]
    }

    fn short<'s>(&'s self, side: usize, key: &'s String) -> &'s str {
        self.names[side].get(key).unwrap_or(key)
    }

    /// Every store of a field: its title, its figures on both sides, and how many times better it is on the right.
    fn each(&self, pair: &Pair<'_>) -> Vec<(String, [String; 2], Option<f64>)> {
        let shown = |place: Option<&Place>| place.map_or_else(String::new, |place| figure(&pair.place.0, place.centre));
        let stores = pair.stores().into_iter().map(|[left, right]| {
            let title = match (left, right) {
                (_, Some(place)) => self.contenders[1].title(&place.name),
                (Some(place), None) => self.contenders[0].title(&place.name),
                (None, None) => String::new(),
            };
            let gain = left.zip(right).and_then(|(left, right)| pair.gain_between(left, right));
            (title, [shown(left), shown(right)], gain)
        });
        stores.collect()
    }

    /// The meanings of the short names and signs in the rows of these pairs.
    pub(crate) fn legend(&self, pairs: &[Pair<'_>]) -> Vec<String> {
        let mut titles: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (side, ranking) in pairs.iter().flat_map(|pair| [(0, pair.left), (1, pair.right)]) {
            let key = first(ranking);
            let (short, title) = (self.short(side, key), self.contenders[side].title(key));
            let known = titles.entry(short).or_default();
            if short != title && !known.contains(&title) {
                known.push(title);
            }
        }
        titles.retain(|_, titles| !titles.is_empty());
        let words = titles.iter().map(|(short, titles)| format!("{short}: {}", titles.join(" and ")));
        let signs = [
            ("≠: another store is best", pairs.iter().any(|pair| pair.outcome() == Outcome::Changed)),
            (
                "+1: number of others tied with it",
                pairs.iter().any(|pair| pair.left.tied.len().max(pair.right.tied.len()) > 1),
            ),
        ];
        let signs = signs.into_iter().filter(|(_, is_used)| *is_used).map(|(words, _)| words.to_owned());
        words.chain(signs).collect()
    }
}

/// The first of the stores that share the first place.
fn first(ranking: &Ranking) -> &String {
    ranking.tied.first().unwrap_or(&ranking.best)
}

/// A table with a row for each pair, and with `full` one below it for every store that has a figure on some side. `factor` makes of how many
/// times better the right is what the last column shows; the last heading is its.
pub(crate) fn table(
    pairs: &[Pair<'_>],
    sides: &Sides<'_>,
    headings: [&str; 3],
    factor: fn(f64) -> f64,
    full: bool,
) -> Table {
    // Figures have separate columns, so that only long names are cut.
    let [left, right, last] = headings;
    let columns = [
        ("", false),
        ("records", false),
        (left, false),
        ("", true),
        (right, false),
        ("", true),
        (last, true),
        ("", false),
    ];
    let column = |(title, is_figure): (&str, bool)| if is_figure { Column::right(title) } else { Column::left(title) };
    let mut table = Table::new(0, columns.map(column).into());
    let shown = |gain: Option<f64>| gain.map_or_else(String::new, |gain| ratio(factor(gain)));
    let mut last = None;
    for pair in pairs {
        let (measure, size, column) = pair.place;
        if last != Some(measure) {
            table.group(measure.label());
            last = Some(measure);
        }
        let ([left, left_figure], [right, right_figure]) =
            (sides.best(0, measure, pair.left), sides.best(1, measure, pair.right));
        let place = [format_size_range(size.0, size.1), format!("{} {}", format_count(column.records), column.data)]
            .map(Cell::from);
        let best = [left, left_figure, right, right_figure].map(Cell::from);
        let judged =
            [shown(pair.gain()), if pair.outcome() == Outcome::Changed { "≠" } else { "" }.to_owned()].map(Cell::from);
        table.row_at(1, place.into_iter().chain(best).chain(judged).collect());
        for (title, [left, right], gain) in full.then(|| sides.each(pair)).into_iter().flatten() {
            let cells = [title, String::new(), String::new(), left, String::new(), right, shown(gain)];
            table.row_at(2, cells.map(Cell::from).into());
        }
    }
    table
}
