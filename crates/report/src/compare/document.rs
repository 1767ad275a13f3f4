//! A comparison as a document.

use bakeoff_results::comparison::{Change, Line};
use bakeoff_stats::TIED_WITHIN;
use bakeoff_text::{counted, percent, ratio};

use crate::compare::ComparisonReport;
use crate::detail::Detail;
use crate::document::{Block, Cell, Column, Document, Forms, Section, SectionId, SpanKind, Table, Text, Title};
use crate::labels::{TOO_FEW_ROUNDS, change_label, interval};

/// The comparison: over everything first, then over all workloads, then every workload with a change. A terminal with
/// the full detail shows all workloads.
pub(crate) fn document(of: &ComparisonReport, detail: Detail) -> Document {
    let [a, b] = &of.labels;
    let mut sections = vec![
        said(SectionId::Headline, Text::default().and_span(&of.headline(NAMED_MAX), SpanKind::Strong)),
        said(SectionId::Summary, Text::plain(&of.summary())),
        lines(SectionId::OverEverything, "Over everything", of, of.found.stores.iter()),
        lines(SectionId::OverWorkloads, "Over all workloads", of, of.found.overall.iter()),
    ];
    sections.extend(workloads(of, detail));
    if detail == Detail::Usual && of.found.lines.iter().any(|line| !line.change.is_proven()) {
        // It belongs to the table that it follows.
        if let Some(last) = sections.iter_mut().rfind(|section| section.forms.terminal) {
            last.blocks.push(Block::Hint("`--full` shows every workload.".into()));
        }
    }
    sections.push(said(SectionId::Explanation, Text::plain(&of.explanation())));
    let lists = [
        (SectionId::NewlyFailed, "Failed in B, not in A", &of.newly_failed),
        (SectionId::Differences, "The runs differ in (A → B)", &of.differences),
        (SectionId::Warnings, "Warnings of the runs", &of.warnings),
        (SectionId::Notes, "Left out", &of.notes),
    ];
    let list = |(id, title, lines): (SectionId, &str, &Vec<String>)| {
        let list = (!lines.is_empty()).then(|| Block::list(lines.iter().map(String::as_str)));
        Section::titled(id, title, list.into_iter().collect())
    };
    sections.extend(lists.into_iter().filter_map(list));
    let cited = list((SectionId::Cited, "Cite these runs", &of.citations));
    let forms = Forms { terminal: detail == Detail::Full, ..Forms::ALL };
    sections.extend(cited.map(|section| Section { forms, ..section }));
    let lead = vec![Block::Fact("A", a.as_str().into()), Block::Fact("B", b.as_str().into())];
    Document { title: Title::Implied(Text::plain(&format!("{a} → {b}"))), lead, sections, ..Document::default() }
}

/// The tables of single workloads: changed ones everywhere, unchanged ones on the page and on a terminal with the full
/// detail.
fn workloads(of: &ComparisonReport, detail: Detail) -> Vec<Section> {
    let (changed, same): (Vec<&Line>, Vec<&Line>) = of.found.lines.iter().partition(|line| line.change.is_proven());
    let full = detail == Detail::Full;
    let on_terminal = |shown: bool, forms: Forms| Forms { terminal: shown, ..forms };
    let of_all = lines(SectionId::EachWorkload, "Each workload", of, of.found.lines.iter());
    let of_changed = lines(SectionId::Changed, "Workloads with a change", of, changed.iter().copied());
    let of_same = lines(SectionId::Unchanged, "Workloads in which no change is proven", of, same.into_iter());
    let forms = [
        (of_all, on_terminal(full && !of.found.lines.is_empty(), Forms::NONE)),
        (of_changed, on_terminal(!full && !changed.is_empty(), Forms { markdown: !changed.is_empty(), ..Forms::ALL })),
        (of_same, Forms::PAGE),
    ];
    forms.into_iter().map(|(section, forms)| Section { forms, ..section }).collect()
}

fn said(id: SectionId, text: Text) -> Section {
    Section::new(id, Title::None, vec![Block::paragraph(text)])
}

/// A section with a row for each line.
fn lines<'a>(id: SectionId, title: &str, of: &ComparisonReport, lines: impl Iterator<Item = &'a Line>) -> Section {
    let heads = [
        ("store", false),
        ("measure", false),
        ("workloads", false),
        ("B / A", true),
        ("interval", false),
        ("", false),
        ("", false),
    ];
    let head = |(title, is_figure): (&str, bool)| if is_figure { Column::right(title) } else { Column::left(title) };
    let mut table = Table::new(0, heads.map(head).into());
    for line in lines {
        let [estimate, interval] = figures(line);
        let ratio = line.ratio.map(|of| [of.low, of.estimate, of.high]);
        let labels = of.labels_of(line);
        table.row(vec![
            Cell::from(Text::store(&labels.store, labels.slot)),
            Cell::from(labels.measure),
            Cell::from(labels.workload),
            Cell::from(estimate),
            Cell::from(interval),
            Cell::from(Text::default().and_span(change_label(line.change), kind(line.change))),
            Cell::Strip { ratio, slot: labels.slot },
        ]);
    }
    Section::new(id, Title::Shown(title.into()), vec![Block::Table(table)])
}

/// What a change is worth.
pub(crate) fn kind(change: Change) -> SpanKind {
    match change {
        Change::Better => SpanKind::Good,
        Change::Worse => SpanKind::Bad,
        Change::Same | Change::CannotTell => SpanKind::Plain,
    }
}

/// The ratio and its interval.
pub(crate) fn figures(line: &Line) -> [String; 2] {
    match line.ratio {
        Some(of) => [ratio(of.estimate), interval(of, TOO_FEW_ROUNDS)],
        None => ["–".to_owned(), TOO_FEW_ROUNDS.to_owned()],
    }
}

/// Changes that are named in the headline.
const NAMED_MAX: usize = 3;

/// How many of these lines changed, and how.
fn among(lines: &[Line]) -> String {
    let number = |change: Change| lines.iter().filter(|line| line.change == change).count();
    let [better, worse, same, open] = [Change::Better, Change::Worse, Change::Same, Change::CannotTell].map(number);
    format!("{better} better in B, {worse} worse, {same} the same, {open} not told apart")
}

impl ComparisonReport {
    /// What got worse and better most, in a sentence or two: stores over everything first, then single measures and workloads of others.
    ///
    /// `named_max` changes are named for each.
    pub(crate) fn headline(&self, named_max: usize) -> String {
        let parts = [Change::Worse, Change::Better].map(|change| self.most(change, named_max));
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "Nothing is proven to be better or worse in B.".to_owned() } else { parts.join(" ") }
    }

    /// The lines that changed most in this direction, the widest first; each store once.
    fn most(&self, change: Change, named_max: usize) -> Option<String> {
        let named = self.found.most_changed(change);
        let words = |line: &&Line| {
            let [ratio, interval] = figures(line);
            let labels = self.labels_of(line);
            format!("{}, {} ({}), {ratio} ({interval})", labels.store, labels.measure, labels.workload)
        };
        let more = named.len().saturating_sub(named_max);
        let more = if more > 0 { format!("; {}", counted(more, "more store")) } else { String::new() };
        let words: Vec<String> = named.iter().take(named_max).map(words).collect();
        let how = if change == Change::Worse { "Worse in B" } else { "Better in B" };
        (!words.is_empty()).then(|| format!("{how}: {}{more}.", words.join("; ")))
    }

    /// How many figures of single workloads changed.
    pub(crate) fn count_changes(&self) -> String {
        format!("{}: {}.", counted(self.found.lines.len(), "figure"), among(&self.found.lines))
    }

    /// How many figures changed, in a few sentences.
    pub(crate) fn summary(&self) -> String {
        format!(
            "{} Over all workloads, {}: {}. Over everything, {}: {}.",
            self.count_changes(),
            counted(self.found.overall.len(), "line"),
            among(&self.found.overall),
            counted(self.found.stores.len(), "store"),
            among(&self.found.stores)
        )
    }

    /// How to read the ratios.
    pub(crate) fn explanation(&self) -> String {
        let rounds = match self.found.session_deviation {
            None => {
                "Both sides were measured in turn and are compared round by round. More rounds make intervals narrower."
                    .to_owned()
            }
            Some(deviation) => format!(
                "Two runs are two sessions: intervals of times allow for sessions that differ by {} (one standard deviation). More rounds \
                 hardly narrow them; `{} compare --run`, which measures both in turn, does.",
                percent(deviation),
                bakeoff_text::program()
            ),
        };
        format!(
            "Ratios are costs of B by costs of A (time, bytes on disk, bytes of memory): above 1 is worse. Over everything, and over all \
             workloads, they are geometric means, round by round. The same is within {TIED_WITHIN}×. {rounds} Of the lines of a table that \
             are called better or worse one in twenty is neither, at most."
        )
    }
}
