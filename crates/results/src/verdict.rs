//! Tables of rankings from results: one table for each of the circumstances, with one field for each measure, value
//! size, data type and number of records.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Axes, Mode};
use bakeoff_stats::{Better, Candidate, CommonScatter, RankOptions, Ranking, Rounds, Verdict, discovery_confidence};

use crate::cell_rounds::{CellRound, failed_cells, phase_order};
use crate::circumstances::Circumstances;
use crate::contender::{Contender, Contenders};
use crate::figures::{Family, Measure, peak_memory, resolution, space_efficiency, timings};

/// A column: data type and number of records.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column {
    /// The data type.
    pub data: String,
    /// Records loaded.
    pub records: u64,
}

/// Smallest and largest value size.
pub type Size = (u64, u64);

/// The position of a field in a table.
pub type Position = (Measure, Size, Column);

/// One field of a table.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// Figures of the rankable contenders, by key.
    pub rounds: BTreeMap<String, Rounds>,
    /// Keys of contenders that failed in this cell.
    pub failed: BTreeSet<String>,
    /// Keys of contenders that do not offer this.
    pub not_offered: BTreeSet<String>,
    /// Keys of contenders that were measured but are never ranked.
    pub unranked: BTreeSet<String>,
    /// How it was timed.
    pub mode: Option<Mode>,
    /// The verdict. `None` if nobody can be ranked.
    pub ranking: Option<Ranking>,
}

impl Field {
    /// The contenders with figures, compared with the best of them.
    fn compared(&self, measure: &Measure) -> Option<bakeoff_stats::Field> {
        let options = RankOptions { resolution: resolution(measure, self.mode), ..RankOptions::new(better(measure)) };
        let candidate = |(key, rounds): (&String, &Rounds)| Candidate::new(key.clone(), rounds.clone());
        bakeoff_stats::Field::new(self.rounds.iter().map(candidate), options)
    }

    /// Figures as costs (lower is better), none below the resolution.
    pub fn costs(&self, measure: &Measure, rounds: &Rounds) -> Rounds {
        let least = resolution(measure, self.mode);
        rounds.map(|figure| match better(measure) {
            Better::Lower => figure.max(least),
            Better::Higher => figure.recip(),
        })
    }
}

/// All figures under the same circumstances.
#[derive(Clone, Debug)]
pub struct Table {
    /// The circumstances.
    pub circumstances: Circumstances,
    /// Measures, in the order of the phases, then space and memory.
    pub measures: Vec<Measure>,
    /// The fields.
    pub fields: BTreeMap<Position, Field>,
    /// Keys of all contenders that took part.
    pub present: BTreeSet<String>,
    /// The correlation of neighbouring rounds of the same ratio of times, 0 if chance explains it. Intervals are
    /// widened for it.
    pub correlation: f64,
}

impl Table {
    /// Record sizes, ascending.
    pub fn sizes(&self) -> BTreeSet<Size> {
        self.fields.keys().map(|(_, size, _)| *size).collect()
    }

    /// Columns: data types, and in each the numbers of records, ascending.
    pub fn columns(&self) -> BTreeSet<Column> {
        self.fields.keys().map(|(_, _, column)| column.clone()).collect()
    }

    /// The fields of one measure.
    pub fn fields_of<'a>(&'a self, measure: &'a Measure) -> impl Iterator<Item = &'a Field> {
        self.places_of(measure).map(|(_, field)| field)
    }

    /// The fields of one measure, each with its place. They are contiguous among all fields, so the others are not
    /// visited.
    pub fn places_of<'a>(&'a self, measure: &'a Measure) -> impl Iterator<Item = (&'a Position, &'a Field)> {
        let first = (measure.clone(), (0, 0), Column { data: String::new(), records: 0 });
        self.fields.range(first..).take_while(move |((of, _, _), _)| of == measure)
    }
}

/// Compares everything that is comparable. Deterministic.
pub fn compare_all(cells: &[CellRound], contenders: &Contenders) -> Vec<Table> {
    let mut tables = gather(cells, contenders);
    rank_fields(&mut tables);
    tables
}

/// The maximum probability that a table names a winner among equals, and the maximum share of false winners among those
/// it names.
pub const FALSE_WINNERS: f64 = 0.05;

/// A figure that somebody else measured.
pub struct LoneFigure {
    /// Its circumstances.
    pub circumstances: Circumstances,
    /// The field it belongs to.
    pub place: Position,
    /// The key of the contender.
    pub key: String,
    /// The figure.
    pub value: f64,
}

/// Ranked tables of lone figures. Each figure counts as one round, so no first place is proven. `only_best` declares
/// that a lone figure in its field was the best of several.
pub fn tables_of(figures: impl IntoIterator<Item = LoneFigure>, only_best: bool) -> Vec<Table> {
    let mut tables: BTreeMap<Circumstances, Table> = BTreeMap::new();
    for LoneFigure { circumstances, place, key, value } in figures {
        let table = tables.entry(circumstances.clone()).or_insert_with(|| new_table(circumstances));
        if !table.measures.contains(&place.0) {
            table.measures.push(place.0.clone());
        }
        table.present.insert(key.clone());
        table.fields.entry(place).or_default().rounds.entry(key).or_insert_with(|| Rounds::only(value));
    }
    let mut tables: Vec<Table> = tables.into_values().collect();
    rank_fields(&mut tables);
    if only_best {
        let fields = tables.iter_mut().flat_map(|table| table.fields.values_mut());
        fields.filter_map(|field| field.ranking.as_mut()).for_each(|ranking| ranking.verdict = Verdict::Unproven);
    }
    tables
}

/// Ranks every field by its rounds.
fn rank_fields(tables: &mut [Table]) {
    for table in tables {
        Family::ALL.into_iter().for_each(|family| rank_family(table, family));
    }
}

/// Ranks the fields of a family of measures. They share their scatter and one confidence level. Among equals, at most
/// [`FALSE_WINNERS`] of such tables name a winner.
pub(crate) fn rank_family(table: &mut Table, family: Family) {
    let fields = table.fields.iter_mut().filter(|((measure, _, _), _)| measure.family() == family);
    let (compared, fields): (Vec<_>, Vec<_>) =
        fields.map(|((measure, _, _), field)| (field.compared(measure), field)).unzip();
    let ranked = rank_together(&compared.iter().map(Option::as_ref).collect::<Vec<_>>());
    for (ranking, field) in ranked.rankings.into_iter().zip(fields) {
        field.ranking = ranking;
    }
    if family == Family::Time {
        table.correlation = ranked.correlation;
    }
}

/// Rankings that form one family.
pub(crate) struct RankedTogether {
    /// One ranking per field.
    pub(crate) rankings: Vec<Option<Ranking>>,
    /// The correlation of neighbouring rounds, 0 to 1.
    pub(crate) correlation: f64,
}

/// The rankings of fields that form one family, with one level for all of them.
pub(crate) fn rank_together(fields: &[Option<&bakeoff_stats::Field>]) -> RankedTogether {
    let all = || fields.iter().copied().flatten();
    let scatter = CommonScatter::of(all().flat_map(bakeoff_stats::Field::ratios));
    let contested = all().filter(|field| field.names().count() > 1);
    let confidence = discovery_confidence(contested.map(|field| field.winner_p_value(&scatter)), FALSE_WINNERS);
    let rankings = fields.iter().map(|field| Some((*field)?.rank(&scatter, confidence))).collect();
    RankedTogether { rankings, correlation: scatter.correlation() }
}

/// The figures of all cells that never failed, not ranked yet. The table with the most stores comes first.
pub fn gather<R: Borrow<CellRound>>(cells: &[R], contenders: &Contenders) -> Vec<Table> {
    let failed = failed_cells(cells);
    let order = phase_order(cells);
    let mut tables: BTreeMap<Circumstances, Table> = BTreeMap::new();
    for cell in cells.iter().map(Borrow::borrow) {
        let Some(contender) = contenders.of(&cell.end.axes) else { continue };
        let circumstances = Circumstances::of(&cell.end.axes);
        let table = tables.entry(circumstances.clone()).or_insert_with(|| new_table(circumstances));
        table.present.insert(contender.key.clone());
        Gathering { table, contender, axes: &cell.end.axes }.add(cell, failed.contains(cell.end.cell.as_str()));
    }
    let mut tables: Vec<Table> = tables.into_values().collect();
    for table in &mut tables {
        mark_failed_everywhere(table);
        sort_measures(table, &order);
    }
    // Stores that lack a requested property have their own table, which comes after the others.
    tables.sort_by_key(|table| Reverse(table.present.len()));
    tables
}

/// A table without fields.
fn new_table(circumstances: Circumstances) -> Table {
    Table { circumstances, measures: Vec::new(), fields: BTreeMap::new(), present: BTreeSet::new(), correlation: 0.0 }
}

/// Marks a cell that failed before it measured a phase as failed in all phases that others measured.
fn mark_failed_everywhere(table: &mut Table) {
    let mut failed: BTreeMap<(Size, Column), BTreeSet<String>> = BTreeMap::new();
    for ((_, size, column), field) in &table.fields {
        failed.entry((*size, column.clone())).or_default().extend(field.failed.iter().cloned());
    }
    for (size, column) in failed.keys() {
        for measure in &table.measures {
            table.fields.entry((measure.clone(), *size, column.clone())).or_default();
        }
    }
    for ((_, size, column), field) in &mut table.fields {
        if let Some(keys) = failed.get(&(*size, column.clone())) {
            field.failed.extend(keys.iter().cloned());
        }
    }
}

/// Phases in order of execution, kinds of operation by name, then space and memory.
fn sort_measures(table: &mut Table, order: &[&str]) {
    let place = |phase: &String| order.iter().position(|name| name == phase).unwrap_or(order.len());
    table.measures.sort_by_key(|measure| match measure {
        Measure::Time { phase, .. } => (0, place(phase), measure.clone()),
        Measure::Space => (1, 0, measure.clone()),
        Measure::Memory => (2, 0, measure.clone()),
    });
}

/// One cell's figures, being added to a table.
struct Gathering<'t, 'a> {
    table: &'t mut Table,
    contender: &'a Contender,
    axes: &'a Axes,
}

impl Gathering<'_, '_> {
    fn add(mut self, cell: &CellRound, failed: bool) {
        if failed {
            let key = self.contender.key.clone();
            self.field(Measure::Space).failed.insert(key);
            return;
        }
        for phase in &cell.phases {
            for timing in timings(&phase.result) {
                let operation = timing.mixed.then(|| timing.operation.to_owned());
                let measure = Measure::Time { phase: phase.result.phase.clone(), operation };
                self.figure(measure, cell, Some(timing.mean_ns), Some(phase.result.mode));
            }
        }
        for (phase, _) in &cell.end.not_offered {
            let key = self.contender.key.clone();
            self.field(Measure::Time { phase: phase.clone(), operation: None }).not_offered.insert(key);
        }
        self.figure(Measure::Space, cell, space_efficiency(cell), None);
        self.figure(Measure::Memory, cell, peak_memory(cell), None);
    }

    fn figure(&mut self, measure: Measure, cell: &CellRound, value: Option<f64>, mode: Option<Mode>) {
        let contender = self.contender;
        let ranked = contender.ranked && self.axes.profile.is_none();
        let field = self.field(measure);
        field.mode = field.mode.or(mode);
        match value {
            Some(value) if ranked => field.rounds.entry(contender.key.clone()).or_default().add(cell.end.round, value),
            Some(_) => {
                field.unranked.insert(contender.key.clone());
            }
            None => {}
        }
    }

    fn field(&mut self, measure: Measure) -> &mut Field {
        if !self.table.measures.contains(&measure) {
            self.table.measures.push(measure.clone());
        }
        let size = (self.axes.value_bytes_min, self.axes.value_bytes_max);
        let column = Column { data: self.axes.data.clone(), records: self.axes.records };
        self.table.fields.entry((measure, size, column)).or_default()
    }
}

/// Which direction of a measure is better.
pub fn better(measure: &Measure) -> Better {
    if *measure == Measure::Space { Better::Higher } else { Better::Lower }
}
