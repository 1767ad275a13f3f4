//! Compares two tables of rankings: for each common field, the best of both tables, their difference, and whether the
//! winner changed.

use std::collections::BTreeMap;

use bakeoff_stats::{Better, Place, Ranking, Verdict, geometric_mean};

use crate::circumstances::Circumstances;
use crate::contender::Contenders;
use crate::figures::Measure;
use crate::verdict::{Column, Position, Size, Table, better};

/// The same field in two tables.
pub struct Pair<'a> {
    /// The field on the right.
    pub place: &'a Position,
    /// The ranking on the left.
    pub left: &'a Ranking,
    /// The ranking on the right.
    pub right: &'a Ranking,
    contenders: [&'a Contenders; 2],
}

/// What happened to the winner on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// One of the best on the left is among the best on the right.
    Kept,
    /// Others are best on the right.
    Changed,
    /// None of the best on the left has a figure on the right, so nothing shows whether it would be best there.
    Open,
    /// One side measured only one store, which therefore won nothing.
    Alone,
}

/// The fields in which both tables rank somebody, in the order of the left one.
pub fn pairs<'a>(left: (&'a Table, &'a Contenders), right: (&'a Table, &'a Contenders)) -> Vec<Pair<'a>> {
    let ((left, left_contenders), (right, right_contenders)) = (left, right);
    let mut by_measure: BTreeMap<(&Measure, u64), Vec<&Position>> = BTreeMap::new();
    for place in right.fields.keys() {
        by_measure.entry((&place.0, place.2.records)).or_default().push(place);
    }
    let pair = |place: &'a Position| {
        let others = by_measure.get(&(&place.0, place.2.records))?;
        let is_same = |other: &&&Position| is_same_workload((place.1, &place.2), (other.1, &other.2));
        let (other, left) = (*others.iter().find(is_same)?, left.fields.get(place)?);
        let (left, right) = (left.ranking.as_ref()?, right.fields.get(other)?.ranking.as_ref()?);
        Some(Pair { place: other, left, right, contenders: [left_contenders, right_contenders] })
    };
    let of = |measure: &'a Measure| left.places_of(measure).map(|(place, _)| place);
    left.measures.iter().flat_map(of).filter_map(pair).collect()
}

/// Whether two fields have the same workload. A publication without a statement about its data matches any data;
/// without a statement about the length of values, it matches any length.
pub fn is_same_workload((left_size, left): (Size, &Column), (right_size, right): (Size, &Column)) -> bool {
    let same_size = left_size == right_size || (left.data.is_empty() && left_size == (0, 0));
    same_size && left.records == right.records && (left.data.is_empty() || left.data == right.data)
}

impl<'a> Pair<'a> {
    /// The factor by which the best on the right is better. `None` if a figure is zero.
    pub fn gain(&self) -> Option<f64> {
        self.gain_between(self.left.order.first()?, self.right.order.first()?)
    }

    /// The factor by which the place on the right is better. `None` if a figure is zero.
    pub fn gain_between(&self, left: &Place, right: &Place) -> Option<f64> {
        let (left, right) = (left.centre, right.centre);
        let (above, below) = match better(&self.place.0) {
            Better::Lower => (left, right),
            Better::Higher => (right, left),
        };
        (above > 0.0 && below > 0.0).then_some(above / below)
    }

    /// The places of every store, left and right: in the order of the right, then stores that are only on the left.
    pub fn stores(&self) -> Vec<[Option<&'a Place>; 2]> {
        let (left, right) = (self.left, self.right);
        let on_the_left = |of: &Place| left.order.iter().find(|place| self.is_same_store(&place.name, &of.name));
        let is_gone = |of: &&Place| right.order.iter().all(|place| !self.is_same_store(&of.name, &place.name));
        let on_the_right = right.order.iter().map(|place| [on_the_left(place), Some(place)]);
        on_the_right.chain(left.order.iter().filter(is_gone).map(|place| [Some(place), None])).collect()
    }

    /// What happened to the winner on the left.
    pub fn outcome(&self) -> Outcome {
        let was_best = |key: &String| self.left.tied.iter().any(|left| self.is_same_store(left, key));
        if [self.left, self.right].iter().any(|side| side.verdict == Verdict::Alone) {
            Outcome::Alone
        } else if !self.right.order.iter().any(|place| was_best(&place.name)) {
            Outcome::Open
        } else if self.right.tied.iter().any(was_best) {
            Outcome::Kept
        } else {
            Outcome::Changed
        }
    }

    fn is_same_store(&self, left: &str, right: &str) -> bool {
        self.contenders[0].store(left) == self.contenders[1].store(right)
    }
}

/// The number of fields in which the winner changed, and of fields without a decision.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes<'a> {
    /// For each measure: the number of fields in which the winner changed, and the number of decided fields.
    pub by_measure: BTreeMap<&'a Measure, (usize, usize)>,
    /// The number of undecided fields.
    pub open: usize,
    /// The number of fields with only one store on some side.
    pub alone: usize,
}

impl<'a> Changes<'a> {
    /// Counts over some fields.
    pub fn of(pairs: &[Pair<'a>]) -> Self {
        let mut changes = Self::default();
        for pair in pairs {
            match pair.outcome() {
                Outcome::Alone => changes.alone += 1,
                Outcome::Open => changes.open += 1,
                outcome => {
                    let (changed, all) = changes.by_measure.entry(&pair.place.0).or_default();
                    *changed += usize::from(outcome == Outcome::Changed);
                    *all += 1;
                }
            }
        }
        changes
    }

    /// The number of fields in which the winner changed, and the number of decided fields.
    pub fn total(&self) -> (usize, usize) {
        self.by_measure.values().fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    }
}

/// The factor by which each store on the right is better than on the left, by its key on the right. For each measure it
/// is the geometric mean over the fields with a figure on both sides.
pub fn gains<'a>(pairs: &[Pair<'a>]) -> BTreeMap<&'a str, BTreeMap<&'a Measure, f64>> {
    let mut gains: BTreeMap<&str, BTreeMap<&Measure, Vec<f64>>> = BTreeMap::new();
    for pair in pairs {
        for (left, right) in pair.stores().into_iter().filter_map(|[left, right]| left.zip(right)) {
            if let Some(gain) = pair.gain_between(left, right) {
                gains.entry(&right.name).or_default().entry(&pair.place.0).or_default().push(gain);
            }
        }
    }
    let mean = |(measure, gains): (&'a Measure, Vec<f64>)| Some((measure, geometric_mean(&gains)?));
    gains.into_iter().map(|(key, of)| (key, of.into_iter().filter_map(mean).collect())).collect()
}

/// The parts of a publication that may be compared with a run: the same background load and threads, and the same
/// variant if the publication distinguishes variants. The medium must match only if the run's medium has the name of
/// one of the publication's machines. `theirs` is everything that the publication has.
pub fn matching<'a, T>(
    ours: &Circumstances,
    theirs: impl Iterator<Item = (&'a Circumstances, T)> + Clone,
) -> impl Iterator<Item = T> {
    let has_variant = theirs.clone().any(|(theirs, _)| theirs.variant() == ours.variant());
    let has_medium = theirs.clone().any(|(theirs, _)| theirs.medium() == ours.medium());
    let is_match = move |theirs: &Circumstances| {
        let variant = theirs.variant().is_none_or(|variant| {
            // A section of a paper may correspond to two variants of a suite: `baseline` is `baseline-sequential` and
            // `baseline-random`.
            let is_part = |ours: &str| !has_variant && ours.starts_with(&format!("{variant}-"));
            ours.variant().is_some_and(|ours| ours == variant || is_part(ours))
        });
        let medium = !has_medium || ours.medium() == theirs.medium();
        variant && medium && ours.disturbance() == theirs.disturbance() && ours.threads() == theirs.threads()
    };
    theirs.filter(move |(theirs, _)| is_match(theirs)).map(|(_, of)| of)
}

#[cfg(test)]
mod tests {
    use bakeoff_protocol::Axes;

    use super::*;
    use crate::contender::Title;
    use crate::verdict::{LoneFigure, tables_of};

    const GET: &str = "get";

    fn axes(variant: Option<&str>) -> Axes {
        Axes { variant: variant.map(str::to_owned), ..Axes::default() }
    }

    /// A table with a field for each list of stores and their times. Each store's key includes its settings.
    fn table(of: &Axes, settings: &str, fields: &[&[(&str, f64)]]) -> (Table, Contenders) {
        let mut figures = Vec::new();
        let mut named = BTreeMap::new();
        for (records, field) in (1..).zip(fields) {
            for (store, value) in *field {
                let key = format!("{store}{settings}");
                named.insert(key.clone(), ((*store).to_owned(), Title::new(&store.to_uppercase(), ""), None));
                let measure = Measure::Time { phase: GET.to_owned(), operation: None };
                let column = Column { data: "random".to_owned(), records };
                let circumstances = Circumstances::of(of);
                figures.push(LoneFigure { circumstances, place: (measure, (10, 10), column), key, value: *value });
            }
        }
        (tables_of(figures, false).remove(0), Contenders::named(named))
    }

    fn outcomes(left: &[&[(&str, f64)]], right: &[&[(&str, f64)]]) -> Vec<Outcome> {
        let (left, right) = (table(&axes(None), " a=1", left), table(&axes(None), "", right));
        pairs((&left.0, &left.1), (&right.0, &right.1)).iter().map(Pair::outcome).collect()
    }

    #[test]
    fn a_winner_keeps_its_place_or_loses_it_or_takes_no_part() {
        let then: &[(&str, f64)] = &[("lmdb", 1.0), ("Berkeley DB", 2.0)];
        let left = [then; 4];
        let right: [&[(&str, f64)]; 4] = [
            &[("lmdb", 5.0), ("Berkeley DB", 6.0)],
            &[("lmdb", 5.0), ("Berkeley DB", 4.0)],
            &[("Berkeley Other", 1.0), ("Berkeley DB", 4.0)],
            &[("lmdb", 5.0)],
        ];
        assert_eq!(outcomes(&left, &right), [Outcome::Kept, Outcome::Changed, Outcome::Open, Outcome::Alone]);
        assert_eq!(outcomes(&[&[("lmdb", 1.0)]], &[then]), [Outcome::Alone]);
    }

    #[test]
    fn changes_are_counted_and_each_store_is_set_next_to_itself() {
        let left: [&[(&str, f64)]; 3] =
            [&[("a", 1.0), ("b", 2.0)], &[("a", 1.0), ("b", 2.0)], &[("a", 1.0), ("c", 2.0)]];
        let right: [&[(&str, f64)]; 3] =
            [&[("a", 4.0), ("b", 1.0)], &[("a", 1.0), ("b", 4.0)], &[("b", 1.0), ("d", 1.0)]];
        let (left, right) = (table(&axes(None), "", &left), table(&axes(None), " x=2", &right));
        let pairs = pairs((&left.0, &left.1), (&right.0, &right.1));
        let changes = Changes::of(&pairs);
        assert_eq!((changes.total(), changes.open, changes.alone), ((1, 2), 1, 0));
        let gains: Vec<(&str, Vec<f64>)> =
            gains(&pairs).into_iter().map(|(key, of)| (key, of.into_values().collect())).collect();
        assert_eq!(gains, [("a x=2", vec![0.5]), ("b x=2", vec![1.0])]);
        let gone: Vec<&str> = pairs[2]
            .stores()
            .iter()
            .filter_map(|[left, right]| Some(&*left.filter(|_| right.is_none())?.name))
            .collect();
        assert_eq!(gone, ["a", "c"]);
    }

    #[test]
    fn a_section_of_a_paper_may_be_several_variants() {
        let of = |variant: Option<&str>| table(&axes(variant), "", &[&[("a", 1.0)]]).0;
        let theirs = [of(Some("baseline")), of(Some("baseline-random")), of(None)];
        let matched = |ours: &str, theirs: &[Table]| -> Vec<Option<String>> {
            let theirs = theirs.iter().map(|table| (&table.circumstances, table.circumstances.variant()));
            matching(&of(Some(ours)).circumstances, theirs).map(|variant| variant.map(str::to_owned)).collect()
        };
        assert_eq!(matched("baseline-sequential", &theirs), [Some("baseline".to_owned()), None]);
        assert_eq!(matched("baseline-random", &theirs), [Some("baseline-random".to_owned()), None]);
        assert_eq!(matched("other", &theirs), [None]);
    }
}
