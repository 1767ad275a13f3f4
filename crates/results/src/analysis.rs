//! A run with everything derived from its results, each computed once: tables of rankings, and rankings over whole
//! tables.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use bakeoff_stats::Ranking;

use crate::cell_rounds::CellRound;
use crate::circumstances::Circumstances;
use crate::contender::Contenders;
use crate::figures::{Family, Measure, of_values_alone};
use crate::flush_share::{FlushShare, flush_shares};
use crate::map_outcome::MapOutcome;
use crate::overall::{Depends, Overall, Tally, Workload, by_workload, depends, overall, overall_of};
use crate::pick_outcome::PickOutcome;
use crate::run::Run;
use crate::verdict::{Table, compare_all, gather, rank_family};

/// From this correlation of neighbouring rounds on, rounds carry less evidence than their number suggests.
const CORRELATION_MIN: f64 = 0.25;

/// A run, its contenders and its rankings. A command makes one per run. Everything that it shows or writes borrows it,
/// so nothing is ranked twice.
pub struct Analysis<'a> {
    /// The run.
    pub run: &'a Run,
    /// The contenders of this run and of all runs shown with it.
    pub contenders: Rc<Contenders>,
    ranked: OnceCell<(Vec<Table>, Vec<Standings>)>,
    flush_shares: OnceCell<BTreeMap<Circumstances, FlushShare>>,
    pick: Option<PickOutcome<'a>>,
    map: Option<MapOutcome<'a>>,
}

/// Rankings over a whole table, computed on first use.
#[derive(Default)]
struct Standings {
    whole: OnceCell<Option<Overall>>,
    depends: OnceCell<Option<Depends>>,
    measures: OnceCell<Vec<Option<Overall>>>,
    workloads: OnceCell<Vec<(Workload, Overall)>>,
}

impl<'a> Analysis<'a> {
    /// A run that is shown alone. Nothing is ranked yet.
    pub fn new(run: &'a Run) -> Self {
        Self::among(run, Rc::new(Contenders::new(&run.cells, run.stores())))
    }

    /// Runs that are shown together: a store has the same title and colour in all of them.
    pub fn of_all(runs: &'a [Run]) -> Vec<Self> {
        let all: Vec<_> = runs.iter().map(|run| (run.cells.as_slice(), run.stores())).collect();
        let contenders = Rc::new(Contenders::of_all(&all));
        runs.iter().map(|run| Self::among(run, Rc::clone(&contenders))).collect()
    }

    fn among(run: &'a Run, contenders: Rc<Contenders>) -> Self {
        let pick = run.pick().map(|facts| PickOutcome::new(run, facts));
        Self {
            run,
            contenders,
            ranked: OnceCell::new(),
            flush_shares: OnceCell::new(),
            pick,
            map: MapOutcome::new(run),
        }
    }

    fn ranked_once(&self) -> &(Vec<Table>, Vec<Standings>) {
        self.ranked.get_or_init(|| {
            let tables = compare_all(&self.run.cells, &self.contenders);
            let standings = tables.iter().map(|_| Standings::default()).collect();
            (tables, standings)
        })
    }

    /// The share of flushes in write time under these circumstances. `None` if it is not most of the time.
    pub fn flush_share(&self, of: &Circumstances) -> Option<&FlushShare> {
        self.flush_shares.get_or_init(|| flush_shares(self.run)).get(of)
    }

    /// The correlation of neighbouring rounds, in the table where it is largest. `None` below 0.25, and for runs
    /// without tables.
    pub fn correlation(&self) -> Option<f64> {
        if self.pick().is_some() || self.run.record.map.is_some() || self.run.record.profile.is_some() {
            return None;
        }
        let most = self.tables().iter().map(|table| table.correlation).fold(0.0, f64::max);
        (most >= CORRELATION_MIN).then_some(most)
    }

    /// The outcome of a pick. `None` if this is not a pick.
    pub fn pick(&self) -> Option<&PickOutcome<'a>> {
        self.pick.as_ref()
    }

    /// The outcome of a map. `None` if this is not a map.
    pub fn map(&self) -> Option<&MapOutcome<'a>> {
        self.map.as_ref()
    }

    /// Whether a pick or a map told anything; `None` of other runs.
    pub fn is_answered(&self) -> Option<bool> {
        self.pick().map(PickOutcome::is_answered).or_else(|| self.map().map(MapOutcome::is_answered))
    }

    /// Every table of rankings.
    pub fn tables(&self) -> &[Table] {
        &self.ranked_once().0
    }

    /// The same tables with a space efficiency that counts values without keys, as some papers do. Only that is ranked
    /// again.
    pub fn tables_of_values_alone(&self) -> Vec<Table> {
        let cells: Vec<CellRound> = self.run.cells.iter().map(of_values_alone).collect();
        let mut tables = gather(&cells, &self.contenders);
        for (table, known) in tables.iter_mut().zip(self.tables()) {
            rank_family(table, Family::Space);
            for (place, field) in table.fields.iter_mut().filter(|(place, _)| place.0.family() != Family::Space) {
                field.ranking = known.fields.get(place).and_then(|known| known.ranking.clone());
            }
        }
        tables
    }

    /// Every table with its standings.
    pub fn ranked(&self) -> impl Iterator<Item = Ranked<'_>> {
        let (tables, standings) = self.ranked_once();
        tables.iter().zip(standings).map(|(table, standings)| Ranked { table, tables, standings })
    }
}

/// A table with the rankings over all of it.
#[derive(Clone, Copy)]
pub struct Ranked<'a> {
    /// The table.
    pub table: &'a Table,
    /// All tables of the run, this one included.
    pub tables: &'a [Table],
    standings: &'a Standings,
}

impl<'a> Ranked<'a> {
    /// The ranking over all timed workloads; `None` if the stores have none in common.
    pub fn whole(&self) -> Option<&'a Overall> {
        self.standings.whole.get_or_init(|| overall(self.table)).as_ref()
    }

    /// The order of [`Self::whole`].
    pub fn whole_ranking(self) -> Option<&'a Ranking> {
        self.whole().map(|whole| &whole.ranking)
    }

    /// What the first place of [`Self::whole`] depends on. `None` if one store, or several tied ones, are first at
    /// everything.
    pub fn depends(&self) -> Option<&'a Depends> {
        let of = || depends(self.table, &self.whole()?.ranking);
        self.standings.depends.get_or_init(of).as_ref()
    }

    /// The ranking over all timed workloads, if its answer holds for everything.
    pub fn answer(&self) -> Option<&'a Overall> {
        self.whole().filter(|_| self.depends().is_none())
    }

    /// The ranking over all workloads of each measure, in the order of the table's measures.
    pub fn measures(&self) -> &'a [Option<Overall>] {
        let of = || self.table.measures.iter().map(|measure| overall_of(self.table, |each| each == measure)).collect();
        self.standings.measures.get_or_init(of)
    }

    /// The ranking over all workloads of one measure.
    pub fn measure(&self, wanted: &Measure) -> Option<&'a Overall> {
        let at = self.table.measures.iter().position(|measure| measure == wanted)?;
        self.measures()[at].as_ref()
    }

    /// How often each store is best at a measure.
    pub fn tally(&self, measure: &Measure) -> Tally {
        Tally::of(self.table, measure)
    }

    /// The ranking within each workload, over all operations. Empty with a single workload, which [`Self::whole`]
    /// ranks.
    pub fn workloads(&self) -> &'a [(Workload, Overall)] {
        self.standings.workloads.get_or_init(|| by_workload(self.table))
    }
}
