//! What a report of a run says: its sections, in reading order. The lists below are the only ones.

pub(crate) mod answer;
pub(crate) mod background_work;
pub(crate) mod bars;
pub(crate) mod cold_starts;
pub(crate) mod commits;
pub(crate) mod disk_usage;
pub(crate) mod disturbance;
pub(crate) mod every_store;
pub(crate) mod failures;
pub(crate) mod flame_graphs;
pub(crate) mod gc;
pub(crate) mod heading;
pub(crate) mod left_out;
pub(crate) mod map;
pub(crate) mod matrix;
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod need;
pub(crate) mod notes;
pub(crate) mod pairs;
pub(crate) mod phase_tables;
pub(crate) mod pick;
pub(crate) mod power_cuts;
pub(crate) mod provenance;
pub(crate) mod rates;
pub(crate) mod reopening;
pub(crate) mod settings_in_force;
pub(crate) mod slow_operations;
pub(crate) mod store_counters;
pub(crate) mod warm_up;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::background_work::BackgroundWork;
use bakeoff_results::cold_starts::ColdStarts;
use bakeoff_results::commits::Commits;
use bakeoff_results::disk_usage::{StoredBytes, measures_space};
use bakeoff_results::gc::Gc;
use bakeoff_results::reopening::Reopening;
use bakeoff_results::warm_ups::WarmUps;

use crate::detail::Detail;
use crate::document::{Block, Document, Form, Forms, Section, SectionId};

/// The report of a run for a form: sections that the form does not show are not made.
pub(crate) fn report(of: &Analysis, detail: Detail, form: Form) -> Document {
    let mut all = Sections { form, made: Vec::new() };
    match asked(of) {
        Some(answer) if detail == Detail::Usual => one_answer(of, answer, &mut all),
        Some(answer) => {
            all.add(Forms::ALL, || answer.sections);
            measured(of, detail, &mut all);
        }
        _ if of.run.profile().is_some() => profiled(of, detail, &mut all),
        _ => measured(of, detail, &mut all),
    }
    all.add(Forms::MARKDOWN, || provenance::cited(of.run));
    Document { sections: all.made, ..heading::document(of.run) }
}

/// Sections in reading order.
struct Sections {
    form: Form,
    made: Vec<Section>,
}

impl Sections {
    /// Adds sections that these forms show.
    fn add<Made: IntoIterator<Item = Section>>(&mut self, forms: Forms, make: impl FnOnce() -> Made) {
        if forms.has(self.form) {
            self.made.extend(make().into_iter().map(|section| Section { forms, ..section }));
        }
    }
}

/// The answer of a run with one question, and its other figures.
struct Answer {
    sections: Vec<Section>,
    more: &'static str,
}

/// The answer of a pick, a map, or a search for the highest rates; `None` for a run that compares stores.
fn asked(of: &Analysis) -> Option<Answer> {
    if let Some(outcome) = of.pick() {
        return Some(Answer { sections: pick::sections(outcome), more: "for everything that was measured" });
    }
    if let Some(outcome) = of.map() {
        let sections = map::sections(outcome, &of.contenders);
        return Some(Answer { sections, more: "at every place that was sampled" });
    }
    let facts = of.run.find_rate()?;
    let sections = Vec::from_iter(rates::section(of.run, facts));
    Some(Answer { sections, more: "at every rate that was tried" })
}

/// A run with one question: its answer in place of the matrices.
fn one_answer(of: &Analysis, answer: Answer, all: &mut Sections) {
    let program = bakeoff_text::program();
    let hint = format!("`{program} report --full` shows every store's figures {}.", answer.more);
    all.add(Forms::ALL, || answer.sections);
    // A pick and a map have other lists.
    if of.run.find_rate().is_some() {
        all.add(Forms::ALL, || failures::section(of.run, &of.contenders));
        all.add(Forms::ALL, || left_out::sections(of.run));
    }
    all.add(Forms::TEXT, || notes::warnings(of.run));
    all.add(Forms::TEXT, || notes::section(of));
    all.add(Forms::PAGE, || every_store::by_size(of.run, &of.contenders));
    all.add(Forms::PAGE, || phase_tables::section::<Commits>(of.run, &of.contenders));
    all.add(Forms::PAGE, || phase_tables::section::<ColdStarts>(of.run, &of.contenders));
    all.add(Forms::PAGE, || phase_tables::section::<StoredBytes>(of.run, &of.contenders));
    all.add(Forms::TERMINAL, || Section::untitled(SectionId::Hint, vec![Block::Hint(hint.into())]));
}

/// A run that was profiled: flame graphs, and figures that are not ranked, in place of the answer.
fn profiled(of: &Analysis, detail: Detail, all: &mut Sections) {
    let (run, contenders) = (of.run, &*of.contenders);
    all.add(Forms::TEXT, || flame_graphs::not_ranked(run));
    all.add(Forms::TERMINAL, || failures::in_short(run, contenders));
    all.add(Forms::TERMINAL, || flame_graphs::section(run, contenders));
    all.add(Forms::TERMINAL, || every_store::section(run, contenders, detail));
    all.add(Forms::TEXT, || failures::section(run, contenders));
    all.add(Forms::TERMINAL, || left_out::sections(run));
    all.add(Forms::TEXT, || notes::warnings(run));
    all.add(Forms::TEXT, || notes::section(of));
    all.add(Forms::TERMINAL, || provenance::section(run));
}

/// A run that compares stores. The page shows answers, warnings and provenance in a different shape, and figures by
/// script.
fn measured(of: &Analysis, detail: Detail, all: &mut Sections) {
    let (run, contenders, tables) = (of.run, &*of.contenders, of.tables());
    let full = detail == Detail::Full;
    let bars = bars::section(run, tables, contenders);
    // On a terminal, bars replace the answers, unless the full report is wanted.
    let in_place = bars.is_some() && !full;
    all.add(Forms::ALL, || power_cuts::section(run, contenders));
    let answers = if in_place { Forms::MARKDOWN } else { Forms::TEXT };
    if bars.is_some() {
        all.add(Forms::TERMINAL, || answer::unequal(tables));
        all.add(Forms::TERMINAL, || failures::in_short(run, contenders));
    }
    all.add(Forms::TEXT, || bars);
    all.add(answers, || answer::sections(of));
    if !in_place {
        all.add(Forms::TERMINAL, || failures::in_short(run, contenders));
    }
    all.add(answers, || matrix::sections(tables, contenders));
    all.add(Forms::ALL, || disturbance::section(tables, contenders, detail));
    all.add(Forms::TERMINAL, || every_store::section(run, contenders, detail));
    all.add(Forms { terminal: false, ..Forms::ALL }, || every_store::by_size(run, contenders));
    all.add(Forms::ALL, || phase_tables::section::<Commits>(run, contenders));
    all.add(Forms::TERMINAL, || settings_in_force::section(run, contenders));
    all.add(Forms::TERMINAL, || memory::section(run));
    // A terminal shows it unasked only where a suite asks for it.
    let space = Forms { terminal: full || measures_space(run), ..Forms::ALL };
    all.add(space, || phase_tables::section::<StoredBytes>(run, contenders));
    all.add(Forms::TERMINAL, || phase_tables::section::<WarmUps>(run, contenders));
    all.add(Forms::TERMINAL, || phase_tables::section::<BackgroundWork>(run, contenders));
    all.add(Forms::ALL, || phase_tables::section::<ColdStarts>(run, contenders));
    if full || run.cells.iter().any(|cell| cell.end.axes.killed) {
        all.add(Forms::TERMINAL, || phase_tables::section::<Reopening>(run, contenders));
    }
    if full {
        all.add(Forms::TERMINAL, || phase_tables::section::<Gc>(run, contenders));
        all.add(Forms::TERMINAL, || store_counters::section(run, contenders));
    }
    all.add(Forms::TEXT, || slow_operations::section(run, contenders));
    all.add(Forms::TEXT, || failures::section(run, contenders));
    all.add(Forms::TERMINAL, || left_out::sections(run));
    all.add(Forms::TEXT, || notes::warnings(run));
    all.add(Forms::TEXT, || notes::section(of));
    all.add(Forms::TERMINAL, || notes::about_suite(run));
    all.add(Forms::TERMINAL, || provenance::section(run));
}
