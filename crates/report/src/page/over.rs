//! How stores compare over all workloads, as the page's script gets it.

use bakeoff_results::contender::Contenders;
use bakeoff_results::contests::over_workloads::{Over, OverPlace, OverWorkloads};
use serde::Serialize;

use crate::page::axes::Axis;
use crate::page::figure::Figure;
use crate::page::figures::{letter, standing};

/// The workloads of a run under the same circumstances.
#[derive(Serialize)]
pub(crate) struct OverFigures {
    /// Indices of their places on the axes; `null` on those of a field, along which workloads differ.
    at: Vec<Option<usize>>,
    /// Under each measure; `null` where stores have nothing in common.
    measures: Vec<Option<OverMeasure>>,
}

/// A ranking over them.
#[derive(Serialize)]
struct OverMeasure {
    /// The verdict's [`letter`]; empty where typical rounds were compared.
    verdict: &'static str,
    /// How many workloads all stores have figures of.
    common: usize,
    all: usize,
    /// The best first: its place among the stores, how many times worse than the best it is, and where that is known, low, high and
    /// its [`standing`].
    order: Vec<Vec<Figure>>,
}

/// Those of all contests, at these places on these axes.
pub(crate) fn over(
    all: Vec<OverWorkloads>,
    axes: &[Axis],
    places: &[Vec<usize>],
    contenders: &Contenders,
) -> Vec<OverFigures> {
    let figures = |of: OverWorkloads| OverFigures {
        at: axes.iter().zip(&places[of.place]).map(|(axis, at)| (!axis.of_field).then_some(*at)).collect(),
        measures: of.measures.into_iter().map(|of| of.map(|of| over_measure(&of, contenders))).collect(),
    };
    all.into_iter().map(figures).collect()
}

fn over_measure(of: &Over, contenders: &Contenders) -> OverMeasure {
    let place = |of: &OverPlace| {
        let known = of.known.map(|(ratio, of)| [ratio.low, ratio.high, standing(of)]);
        let figures = [contenders.index(&of.key) as f64, of.times].into_iter().chain(known.into_iter().flatten());
        figures.map(Figure).collect()
    };
    let (verdict, order) = (of.verdict.map_or("", letter), of.order.iter().map(place).collect());
    OverMeasure { verdict, common: of.common, all: of.all, order }
}
