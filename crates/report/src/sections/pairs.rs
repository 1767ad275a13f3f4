//! Two tables side by side: in each field the best of the one and of the other, and by how much they differ.

use std::collections::BTreeMap;

use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::verdict::{Column as Workload, Position, Table as Rankings, better};
use bakeoff_stats::{Better, Place, Ranking, Verdict};
use bakeoff_text::{format_count, format_size_range, ratio};

use crate::document::{Cell, Column, Table, Text};
use crate::labels::{doubt, figure};
use crate::sections::names::{short_names, store_called};

/// The same field of two tables.
pub(crate) struct Pair<'a> {
    pub(crate) place: &'a Position,
    pub(crate) left: &'a Ranking,
    pub(crate) right: &'a Ranking,
}

/// The fields in which both tables rank somebody, in the order of the left one.
pub(crate) fn pairs<'a>(left: &'a Rankings, right: &'a Rankings) -> Vec<Pair<'a>> {
    let mut by_measure: BTreeMap<(&Measure, u64), Vec<&Position>> = BTreeMap::new();
    for place in right.fields.keys() {
        by_measure.entry((&place.0, place.2.records)).or_default().push(place);
    }
    let pair = |place: &'a Position| {
        let others = by_measure.get(&(&place.0, place.2.records))?;
        let (other, left) = (*others.iter().find(|other| is_same(place, other))?, left.fields.get(place)?);
        Some(Pair { place: other, left: left.ranking.as_ref()?, right: right.fields.get(other)?.ranking.as_ref()? })
    };
    let of = |measure: &'a Measure| left.places_of(measure).map(|(place, _)| place);
    left.measures.iter().flat_map(of).filter_map(pair).collect()
}

/// Whether two fields have the same place; a publication that does not say what its data is has it in any, and one that does not say how
/// long values are either has them of any length.
fn is_same(left: &Position, right: &Position) -> bool {
    let (Workload { data, records }, other) = (&left.2, &right.2);
    let same_size = left.1 == right.1 || (data.is_empty() && left.1 == (0, 0));
    same_size && (&left.0, records) == (&right.0, &other.records) && (data.is_empty() || *data == other.data)
}

impl Pair<'_> {
    /// How many times better the best on the right is; `None` where a figure is zero.
    pub(crate) fn gain(&self) -> Option<f64> {
        self.gain_between(self.left.order.first()?, self.right.order.first()?)
    }

    /// How many times better the store with this key on the right is there than on the left; `None` where it has no figure on one side, or one
    /// is zero.
    pub(crate) fn gain_of(&self, key: &str) -> Option<f64> {
        self.gain_between(self.on_the_left(key)?, self.right.order.iter().find(|place| place.name == key)?)
    }

    fn on_the_left(&self, key: &str) -> Option<&Place> {
        self.left.order.iter().find(|place| store(&place.name) == store(key))
    }

    fn gain_between(&self, left: &Place, right: &Place) -> Option<f64> {
        let (left, right) = (left.centre, right.centre);
        let (above, below) = match better(&self.place.0) {
            Better::Lower => (left, right),
            Better::Higher => (right, left),
        };
        (above > 0.0 && below > 0.0).then_some(above / below)
    }

    /// Whether several stores were compared on both sides: where one was measured alone, it won nothing.
    pub(crate) fn is_contested(&self) -> bool {
        [self.left, self.right].iter().all(|side| side.verdict != Verdict::Alone)
    }

    /// Whether one of the best on the left has a figure on the right: where none has, nothing shows whether it would be best there too.
    pub(crate) fn is_answered(&self) -> bool {
        self.right.order.iter().any(|place| self.is_best_on_the_left(&place.name))
    }

    /// Whether one of the best on the left lost its place on the right, of several on both sides.
    pub(crate) fn is_changed(&self) -> bool {
        self.is_contested() && self.is_answered() && !self.right.tied.iter().any(|key| self.is_best_on_the_left(key))
    }

    fn is_best_on_the_left(&self, key: &str) -> bool {
        self.left.tied.iter().any(|left| store(left) == store(key))
    }
}

/// The store's name in a contender's key.
pub(crate) fn store(key: &str) -> &str {
    key.split(' ').next().unwrap_or(key)
}

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

    /// The first of those that share the first place and how many more; and the figure.
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
        let right = pair.right.order.iter().map(|place| {
            let left = pair.on_the_left(&place.name);
            let gain = left.and_then(|left| pair.gain_between(left, place));
            (self.contenders[1].title(&place.name), [shown(left), shown(Some(place))], gain)
        });
        let is_gone = |place: &&Place| pair.right.order.iter().all(|right| store(&right.name) != store(&place.name));
        let gone = pair.left.order.iter().filter(is_gone);
        let gone = gone.map(|place| (self.contenders[0].title(&place.name), [shown(Some(place)), String::new()], None));
        right.chain(gone).collect()
    }

    /// What the short names and signs in the rows of these pairs stand for.
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
            ("≠: another store is best", pairs.iter().any(Pair::is_changed)),
            (
                "+1: so many more are tied with it",
                pairs.iter().any(|pair| pair.left.tied.len().max(pair.right.tied.len()) > 1),
            ),
        ];
        let signs = signs.into_iter().filter(|(_, is_used)| *is_used).map(|(words, _)| words.to_owned());
        words.chain(signs).collect()
    }
}

/// The first of those that share the first place.
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
    // Figures have columns of their own, so that of long names only the names are cut.
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
        let judged = [shown(pair.gain()), if pair.is_changed() { "≠" } else { "" }.to_owned()].map(Cell::from);
        table.row_at(1, place.into_iter().chain(best).chain(judged).collect());
        for (title, [left, right], gain) in full.then(|| sides.each(pair)).into_iter().flatten() {
            let cells = [title, String::new(), String::new(), left, String::new(), right, shown(gain)];
            table.row_at(2, cells.map(Cell::from).into());
        }
    }
    table
}
