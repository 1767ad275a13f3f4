//! A run with what was made of its results, each of it once: tables of rankings, and rankings over whole tables.

use std::cell::OnceCell;

use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;
use bakeoff_results::verdict::{Table, compare_all};

use crate::overall::{Overall, Workload, by_workload, overall, overall_of};

/// How much a report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What most readers need.
    Usual,
    /// Everything that was measured.
    Full,
}

/// A run, who takes part, and its rankings.
pub(crate) struct Analysis<'a> {
    /// The run.
    pub(crate) run: &'a Run,
    /// Who takes part, here and in whatever is shown with it.
    pub(crate) contenders: &'a Contenders,
    ranked: OnceCell<(Vec<Table>, Vec<Standings>)>,
}

/// Rankings over a whole table, each made when it is first asked for.
#[derive(Default)]
pub(crate) struct Standings {
    whole: OnceCell<Option<Overall>>,
    measures: OnceCell<Vec<Option<Overall>>>,
    workloads: OnceCell<Vec<(Workload, Overall)>>,
}

impl<'a> Analysis<'a> {
    /// A run of which nothing is ranked yet.
    pub(crate) fn new(run: &'a Run, contenders: &'a Contenders) -> Self {
        Self { run, contenders, ranked: OnceCell::new() }
    }

    fn ranked_once(&self) -> &(Vec<Table>, Vec<Standings>) {
        self.ranked.get_or_init(|| {
            let tables = compare_all(&self.run.cells, self.contenders);
            let standings = tables.iter().map(|_| Standings::default()).collect();
            (tables, standings)
        })
    }

    /// Every table of rankings.
    pub(crate) fn tables(&self) -> &[Table] {
        &self.ranked_once().0
    }

    /// Every table with its standings.
    pub(crate) fn ranked(&self) -> impl Iterator<Item = Ranked<'_>> {
        let (tables, standings) = self.ranked_once();
        tables.iter().zip(standings).map(|(table, standings)| Ranked { table, tables, standings })
    }
}

/// A table with rankings over all of it.
#[derive(Clone, Copy)]
pub(crate) struct Ranked<'a> {
    /// The table.
    pub(crate) table: &'a Table,
    /// All tables of the run, this one included.
    pub(crate) tables: &'a [Table],
    standings: &'a Standings,
}

impl<'a> Ranked<'a> {
    /// The ranking over all timed workloads; `None` if the stores have none in common.
    pub(crate) fn whole(&self) -> Option<&'a Overall> {
        self.standings.whole.get_or_init(|| overall(self.table)).as_ref()
    }

    /// The ranking over all workloads of each measure, in the order of the table's measures.
    pub(crate) fn measures(&self) -> &'a [Option<Overall>] {
        let of = || self.table.measures.iter().map(|measure| overall_of(self.table, |each| each == measure)).collect();
        self.standings.measures.get_or_init(of)
    }

    /// The ranking in each workload over all operations; none if there is only one workload, which [`Self::whole`] ranks.
    pub(crate) fn workloads(&self) -> &'a [(Workload, Overall)] {
        self.standings.workloads.get_or_init(|| by_workload(self.table))
    }
}
