//! What a profiled run shows in place of an answer: why nobody is ranked, and where the flame graphs are.

use bakeoff_protocol::{CellEnd, ProfileOutcome};
use bakeoff_results::contender::Contenders;
use bakeoff_results::run::Run;

use crate::document::{Block, Fold, Item, List, Section, SectionId, SpanKind, Text};
use crate::format::describe_round;
use crate::profiles::{describe, profiled, weight};

/// Flame graphs that are listed unasked.
const SHOWN: usize = 12;

/// Why there is no answer; `None` for a run that was measured.
pub(crate) fn not_ranked(run: &Run) -> Option<Section> {
    let why = describe(run, run.profile()?);
    Section::untitled(SectionId::Profiled, vec![Block::paragraph(Text::default().and_span(&why, SpanKind::Strong))])
}

/// The flame graphs, and why some are missing; `None` if there are none.
pub(crate) fn section(run: &Run, contenders: &Contenders) -> Option<Section> {
    let item = |(end, profiled): (&CellEnd, &ProfileOutcome)| {
        let title = contenders.of(&end.axes).map_or_else(|| end.axes.store.clone(), |each| each.title.clone());
        let graph = profiled.flame_graph.as_ref().map(|file| run.directory.join(file).display().to_string());
        let graph = graph.unwrap_or_else(|| "no flame graph".to_owned());
        let name = format!("{title} · {}", describe_round(end));
        let parts = [Some(name), weight(end, profiled), Some(graph), profiled.trouble.clone()];
        Item::text(parts.into_iter().flatten().collect::<Vec<_>>().join(": "))
    };
    let items: Vec<Item> = profiled(run).map(item).collect();
    let fold = Fold::after(SHOWN, items.len(), "`--full` lists all, and so does the page");
    let list = (!items.is_empty()).then_some(Block::List(List { items, fold }));
    Section::titled(SectionId::FlameGraphs, "Flame graphs (open them in a browser)", list.into_iter().collect())
}
