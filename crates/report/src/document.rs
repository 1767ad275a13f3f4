//! A report as data: its content, without its look.
//!
//! ```text
//! Run, rankings ─sections─→ Document ─terminal─→ text
//!                                    ├─markdown─→ Markdown
//!                                    └─page─────→ HTML
//! ```
//! [`crate::sections`] makes a document once. Renderers show it: each goes through the blocks in order, and none reads
//! the text of another. Invariants: every text in a document is safe to print, because [`Text`] escapes control
//! characters when it is made. Only renderers make markup of any kind. A document holds all entries of a list, and has
//! the number of those shown unasked.

use std::borrow::Cow;

use bakeoff_text::printable;

/// A report: its title, the summary at its top, and its sections in reading order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    /// What the report is about: the suite's title, or the two runs that are compared.
    pub(crate) title: Title,
    /// When it was measured; empty if unknown or if it has no single time.
    pub(crate) started: Text,
    /// Why the report is incomplete, such as `NOT FINISHED: …`; empty if it is complete.
    pub(crate) state: Text,
    /// The summary right below the title.
    pub(crate) lead: Vec<Block>,
    /// Everything else.
    pub(crate) sections: Vec<Section>,
}

/// A titled part of a report.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// Which section it is: renderers choose and place sections by it, never by a title.
    pub(crate) id: SectionId,
    /// Its title.
    pub(crate) title: Title,
    /// Its content, in reading order.
    pub(crate) blocks: Vec<Block>,
    /// Where it is shown.
    pub(crate) forms: Forms,
}

impl Section {
    /// A section that every form shows.
    pub(crate) fn new(id: SectionId, title: Title, blocks: Vec<Block>) -> Self {
        Self { id, title, blocks, forms: Forms::ALL }
    }

    /// A section with a title; `None` if it says nothing.
    pub(crate) fn titled(id: SectionId, title: &str, blocks: Vec<Block>) -> Option<Self> {
        (!blocks.is_empty()).then(|| Self::new(id, Title::Shown(Text::plain(title)), blocks))
    }

    /// A section without a title; `None` if it says nothing.
    pub(crate) fn untitled(id: SectionId, blocks: Vec<Block>) -> Option<Self> {
        (!blocks.is_empty()).then(|| Self::new(id, Title::None, blocks))
    }
}

/// A form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text on a terminal.
    Terminal,
    /// Markdown.
    Markdown,
    /// The page.
    Page,
}

/// The forms of a report that show a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forms {
    /// A terminal.
    pub(crate) terminal: bool,
    /// Markdown.
    pub(crate) markdown: bool,
    /// The page.
    pub(crate) page: bool,
}

impl Forms {
    /// None of them.
    pub(crate) const NONE: Self = Self { terminal: false, markdown: false, page: false };
    /// All of them.
    pub(crate) const ALL: Self = Self { terminal: true, markdown: true, page: true };
    /// Terminals alone.
    pub(crate) const TERMINAL: Self = Self { terminal: true, ..Self::NONE };
    /// The page alone.
    pub(crate) const PAGE: Self = Self { page: true, ..Self::NONE };
    /// Markdown alone.
    pub(crate) const MARKDOWN: Self = Self { markdown: true, ..Self::NONE };
    /// The forms that are read as text: terminals and Markdown.
    pub(crate) const TEXT: Self = Self { page: false, ..Self::ALL };

    /// Whether this form is among them.
    pub(crate) fn has(self, form: Form) -> bool {
        match form {
            Form::Terminal => self.terminal,
            Form::Markdown => self.markdown,
            Form::Page => self.page,
        }
    }
}

/// A title of a document or section.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Title {
    /// There is none: the content speaks for itself.
    #[default]
    None,
    /// A title that every form shows.
    Shown(Text),
    /// A title for forms in which everything needs one, such as Markdown and HTML. A terminal leaves it out, because
    /// the content shows the same.
    Implied(Text),
}

impl Title {
    /// The title's text; `None` if there is no title.
    pub(crate) fn text(&self) -> Option<&Text> {
        match self {
            Self::None => None,
            Self::Shown(text) | Self::Implied(text) => Some(text),
        }
    }
}

/// Every section that a report may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SectionId {
    /// That stores have different durability, where no answer says it.
    Unequal,
    /// Rates as bars, set against a baseline.
    Bars,
    /// Who is best, in a few sentences: one for each table of rankings.
    Answer,
    /// Which stores failed, in a line.
    FailedInShort,
    /// The best store in each workload: one for each table of rankings.
    Matrix,
    /// Undisturbed and disturbed figures.
    Disturbance,
    /// Every store's full line in every workload.
    EveryStore,
    /// Latency by the size of values, where every store's full line is not shown.
    BySize,
    /// The commits of batched phases.
    Commits,
    /// How each store was set, where stores have different durability.
    SettingsInForce,
    /// What became of the memory given to each store.
    Memory,
    /// Bytes on disk: open, closed, copied.
    DiskUsage,
    /// Warm-up until the rate was steady.
    WarmUp,
    /// Cost with background work included.
    BackgroundWork,
    /// Time to close and to open again.
    Reopening,
    /// What power cuts left of stores.
    PowerCuts,
    /// What phases with cold caches began with.
    ColdStarts,
    /// Allocation and garbage collection on the JVM.
    Gc,
    /// What stores counted themselves.
    StoreCounters,
    /// Why slow operations were slow.
    SlowOperations,
    /// Failed rounds, with their logs.
    Failures,
    /// What the plan skipped.
    Skipped,
    /// What there was no time for.
    GivenUp,
    /// Warnings of the run.
    Warnings,
    /// What a reader of the figures must know.
    Notes,
    /// What the suite's author says about it.
    AboutSuite,
    /// Machine, media, versions, command line.
    Provenance,
    /// What names the run, on one line.
    Cited,
    /// How to see more.
    Hint,
    /// Why a profiled run is not ranked.
    Profiled,
    /// Flame graphs of a profiled run.
    FlameGraphs,
    /// The need of `bakeoff pick`.
    Asked,
    /// The answer of a pick.
    PickAnswer,
    /// Settings of the store that a pick chose.
    PickSettings,
    /// How a program opens the best store.
    PickCode,
    /// What each store of a pick costs.
    PickCosts,
    /// When the answer of a pick would change.
    PickChanges,
    /// The map that is offered after a pick.
    MapOffer,
    /// Stores that a pick left out, by reason.
    PickLeftOut,
    /// Which store is best where, as a map.
    Map,
    /// What a map says, in a few sentences.
    MapSaid,
    /// Stores that a map left out.
    MapLeftOut,
    /// The highest rates that keep a bound on latency.
    Rates,
    /// A run compared with a publication.
    Against,
    /// How a publication's stores were set.
    PublishedSettings,
    /// What a reader of a publication's figures must know.
    PublishedNotes,
    /// The machines of a publication.
    PublishedHardware,
    /// Garbage collection in a publication and in a run.
    Garbage,
    /// What got better and worse most between two runs.
    Headline,
    /// How many figures changed between two runs.
    Summary,
    /// Each store's time over everything, in two runs.
    OverEverything,
    /// Each store and measure over all workloads, in two runs.
    OverWorkloads,
    /// Every workload of two runs.
    EachWorkload,
    /// Workloads with a change.
    Changed,
    /// Workloads without a visible change.
    Unchanged,
    /// How to read the ratios of two runs.
    Explanation,
    /// Cells that failed in the second of two runs only.
    NewlyFailed,
    /// What two runs differ in.
    Differences,
}

/// A part of a section.
///
/// `depth` is the depth of a block below its section: 0 for the section's own statements, 1 for parts of one of them,
/// and so on. A terminal indents by it.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// A heading within a section.
    Heading {
        /// Its depth.
        depth: usize,
        /// The heading.
        text: Text,
    },
    /// Prose.
    Paragraph {
        /// Its depth.
        depth: usize,
        /// The prose.
        text: Text,
    },
    /// A statement of one line that a reader must not miss, such as a warning on all figures.
    Note(Text),
    /// A name and its value, alone: `then: an SSD of 2011`.
    Fact(&'static str, Text),
    /// Entries, one below the other.
    List(List),
    /// Names and values in two columns.
    Facts(Vec<Fact>),
    /// A table.
    Table(Table),
    /// Who is best in each workload.
    Matrix(Matrix),
    /// Who is best at each place of a plane.
    Map(Map),
    /// Lines to be copied as they are, such as a part of a suite's file.
    Code(Vec<String>),
    /// What to type on a terminal to see more. Other forms leave it out.
    Hint(Text),
    /// Separates the next block from the one before.
    Gap,
}

impl Block {
    /// Prose at the section's depth.
    pub(crate) fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph { depth: 0, text: text.into() }
    }

    /// Prose at a depth.
    pub(crate) fn paragraph_at(depth: usize, text: impl Into<Text>) -> Self {
        Self::Paragraph { depth, text: text.into() }
    }

    /// A heading at a depth.
    pub(crate) fn heading(depth: usize, text: impl Into<Text>) -> Self {
        Self::Heading { depth, text: text.into() }
    }

    /// Lines to be copied as they are.
    pub(crate) fn code(lines: impl IntoIterator<Item = String>) -> Self {
        Self::Code(lines.into_iter().map(|line| printable(&line)).collect())
    }

    /// A list of single texts, all shown.
    pub(crate) fn list(items: impl IntoIterator<Item = impl Into<Text>>) -> Self {
        Self::List(List { items: items.into_iter().map(Item::text).collect(), fold: None })
    }
}

/// A text with marked stores and judgements. Control characters are escaped when it is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    /// Its parts, in order.
    pub(crate) spans: Vec<Span>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    /// Its text.
    pub(crate) text: String,
    /// Its kind.
    pub(crate) kind: SpanKind,
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// Nothing in particular.
    Plain,
    /// A store's name. The number is its slot: its colour and mark ([`bakeoff_results::slots`]).
    Store(usize),
    /// What matters most.
    Strong,
    /// What a reader may type, such as a command.
    Code,
    /// A judgement in favour.
    Good,
    /// A judgement against.
    Bad,
}

impl Text {
    /// A text without stores.
    pub(crate) fn plain(text: &str) -> Self {
        Self::default().and(text)
    }

    /// A store's name with the colour and mark of its slot.
    pub(crate) fn store(title: &str, slot: usize) -> Self {
        Self::default().and_store(title, slot)
    }

    /// The same with more text at its end.
    pub(crate) fn and(self, text: &str) -> Self {
        self.and_span(text, SpanKind::Plain)
    }

    /// The same with a store's name at its end.
    pub(crate) fn and_store(self, title: &str, slot: usize) -> Self {
        self.and_span(title, SpanKind::Store(slot))
    }

    /// The same with a part of any kind at its end.
    pub(crate) fn and_span(mut self, text: &str, kind: SpanKind) -> Self {
        if !text.is_empty() {
            self.spans.push(Span { text: printable(text), kind });
        }
        self
    }

    /// The same with another text at its end.
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// All its parts as one string, for forms that mark only code: between backticks.
    pub(crate) fn to_plain(&self) -> String {
        let plain = |span: &Span| match span.kind {
            SpanKind::Code => format!("`{}`", span.text),
            _ => span.text.clone(),
        };
        self.spans.iter().map(plain).collect()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::plain(&text)
    }
}

/// Entries, one below the other.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// All entries.
    pub(crate) items: Vec<Item>,
    /// How many are shown unasked; `None` for all.
    pub(crate) fold: Option<Fold>,
}

/// An entry of a list, part by part.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its parts, each a line on a terminal.
    pub(crate) parts: Vec<Part>,
}

impl Item {
    /// An entry of one text.
    pub(crate) fn text(text: impl Into<Text>) -> Self {
        Self { parts: vec![Part::Text(text.into())] }
    }
}

/// A part of an entry, or the value of a fact.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A text.
    Text(Text),
    /// A command to paste into a shell, and its purpose: `again`. The name is empty where the fact names it.
    Command(&'static str, String),
}

/// A name and its value.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// Its name.
    pub(crate) name: String,
    /// Its value.
    pub(crate) value: Part,
}

impl Fact {
    /// A fact with a text as its value.
    pub(crate) fn new(name: &str, value: impl Into<Text>) -> Self {
        Self { name: printable(name), value: Part::Text(value.into()) }
    }
}

/// That only the first entries are shown unasked.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    /// How many are shown.
    pub(crate) shown: usize,
    /// The folded entries, such as `3 more` or `2 more workloads`.
    pub(crate) rest: String,
    /// How a terminal shows the rest.
    pub(crate) hint: Cow<'static, str>,
}

impl Fold {
    /// All of `all` entries but the first `shown` are folded; `None` if there are no others.
    pub(crate) fn after(shown: usize, all: usize, hint: impl Into<Cow<'static, str>>) -> Option<Self> {
        (all > shown).then(|| Self { shown, rest: format!("{} more", all - shown), hint: hint.into() })
    }
}

/// A table: columns, and rows in groups.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Its depth below its section.
    pub(crate) depth: usize,
    /// Its columns, with the names of the rows first. A table without titles of columns has no head.
    pub(crate) columns: Vec<Column>,
    /// Its rows.
    pub(crate) groups: Vec<RowGroup>,
    /// How many rows are shown unasked; `None` for all.
    pub(crate) fold: Option<Fold>,
    /// Columns that must be shown. Of the others, a terminal shows the ones that fit, and counts the rest. `None` for
    /// all.
    pub(crate) columns_fixed: Option<usize>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(depth: usize, columns: Vec<Column>) -> Self {
        Self { depth, columns, groups: Vec::new(), fold: None, columns_fixed: None }
    }

    /// Begins a group of rows under a heading.
    pub(crate) fn group(&mut self, heading: impl Into<Text>) {
        self.groups.push(RowGroup { heading: Some(heading.into()), rows: Vec::new() });
    }

    /// Adds a row to the last group.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.row_at(0, cells);
    }

    /// Adds a row to the last group, its name at a level.
    pub(crate) fn row_at(&mut self, level: usize, cells: Vec<Cell>) {
        if self.groups.is_empty() {
            self.groups.push(RowGroup { heading: None, rows: Vec::new() });
        }
        if let Some(group) = self.groups.last_mut() {
            group.rows.push(Row { level, cells });
        }
    }

    /// All rows of all groups.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The text above it.
    pub(crate) title: Text,
    /// The side of its text.
    pub(crate) side: Side,
}

impl Column {
    /// A column of names or sentences.
    pub(crate) fn left(title: impl Into<Text>) -> Self {
        Self { title: title.into(), side: Side::Left }
    }

    /// A column of figures.
    pub(crate) fn right(title: impl Into<Text>) -> Self {
        Self { title: title.into(), side: Side::Right }
    }
}

/// The side of a column's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Names and sentences.
    Left,
    /// Figures.
    Right,
}

/// Rows that belong together, and their common heading.
#[derive(Clone, Debug)]
pub(crate) struct RowGroup {
    /// The heading; `None` for the only group of a table.
    pub(crate) heading: Option<Text>,
    /// The rows.
    pub(crate) rows: Vec<Row>,
}

/// A row. Cells that are missing at its end are empty.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The depth of its name: 1 for a part of the group's heading, 2 for a part of the row above.
    pub(crate) level: usize,
    /// Its cells, the name first.
    pub(crate) cells: Vec<Cell>,
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// A text or a formatted figure.
    Text(Text),
    /// A bar of this length, 0 to 1.
    Bar(f64),
    /// A ratio and its interval in the colour of a store, to be drawn on a logarithmic scale; `None` if there is no
    /// interval. Forms that cannot draw leave the column out: other columns have the same figures.
    Strip {
        /// Low end, estimate and high end.
        ratio: Option<[f64; 3]>,
        /// The store's slot.
        slot: usize,
    },
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// Who is best in each workload: a row for each measure and size of values, a column for each data type and number of records.
///
/// How stores are named depends on the room: a renderer takes a title, a short name or a code of [`Matrix::stores`].
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// Every store that takes part, in the order of its key. Fields name them by their place here.
    pub(crate) stores: Vec<MatrixStore>,
    /// The columns.
    pub(crate) columns: Vec<MatrixColumn>,
    /// The rows, by measure.
    pub(crate) measures: Vec<MatrixMeasure>,
    /// What the measures are.
    pub(crate) meaning: Text,
}

/// A store of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct MatrixStore {
    /// Its title.
    pub(crate) title: String,
    /// A shorter name that is still unique, with the durability class if the title has it.
    pub(crate) short: String,
    /// Its colour and mark; `None` if the store is unknown.
    pub(crate) slot: Option<usize>,
}

/// A column of a matrix. A text is empty where a publication does not say it.
#[derive(Clone, Debug)]
pub(crate) struct MatrixColumn {
    /// The data type.
    pub(crate) data: String,
    /// The number of records.
    pub(crate) records: String,
}

impl Matrix {
    /// All fields that there are.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &MatrixField> {
        self.measures.iter().flat_map(|measure| &measure.rows).flat_map(|row| &row.fields).flatten()
    }
}

/// The rows of a measure.
#[derive(Clone, Debug)]
pub(crate) struct MatrixMeasure {
    /// Its name.
    pub(crate) name: String,
    /// A row for each size of values.
    pub(crate) rows: Vec<MatrixRow>,
}

/// A row of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct MatrixRow {
    /// The sizes of values.
    pub(crate) sizes: String,
    /// Whether sizes are known. A publication may say neither them nor the data; both are then left out.
    pub(crate) has_sizes: bool,
    /// A field for each column; `None` where nothing was to be measured.
    pub(crate) fields: Vec<Option<MatrixField>>,
}

/// A field of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MatrixField {
    /// Some stores were ranked.
    Ranked {
        /// The stores that share the first place, by their place in [`Matrix::stores`].
        first: Vec<usize>,
        /// How many were ranked.
        ranked: usize,
        /// What the ranking says.
        verdict: bakeoff_stats::Verdict,
        /// The figure of the first one; empty if there is none.
        figure: String,
    },
    /// Every store failed.
    Failed,
    /// The measured stores are never ranked.
    NotRanked,
    /// No store offers it, or it could not be read.
    NotOffered,
}

/// Who is best at each place of a plane.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    /// The horizontal axis, from left to right.
    pub(crate) x: MapSide,
    /// The vertical axis, from top to bottom.
    pub(crate) y: MapSide,
    /// The stores that it names. Fields name them by their place here.
    pub(crate) stores: Vec<MapStore>,
    /// A row for each value of the vertical axis, a field for each of the horizontal one.
    pub(crate) rows: Vec<Vec<MapField>>,
}

/// An axis of a map.
#[derive(Clone, Debug)]
pub(crate) struct MapSide {
    /// Its label.
    pub(crate) label: String,
    /// Its values, in five characters each at most.
    pub(crate) ticks: Vec<String>,
}

/// A store of a map.
#[derive(Clone, Debug)]
pub(crate) struct MapStore {
    /// Its title.
    pub(crate) title: String,
    /// Its letter, a capital.
    pub(crate) letter: char,
    /// Its colour and mark.
    pub(crate) slot: usize,
    /// Samples that it won.
    pub(crate) wins: usize,
}

/// A place of a map.
#[derive(Clone, Debug)]
pub(crate) struct MapField {
    /// What the samples show of it.
    pub(crate) state: MapState,
    /// Where it is: `value size 64.0 KiB, 10,000 records`.
    pub(crate) place: String,
    /// The same, in a sentence.
    pub(crate) said: Text,
    /// The stores that were measured there, best first: what each costs and how far it is from the best.
    pub(crate) order: Vec<Text>,
}

/// What the samples show of a place of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapState {
    /// Sampled: this store won.
    Won(usize),
    /// Sampled: the first ones are tied.
    Tied,
    /// Sampled: the first ones are not distinguishable.
    Undecided,
    /// Sampled: no store has a figure.
    Failed,
    /// Between samples that this store won.
    Likely(usize),
    /// Between samples that do not agree.
    Open,
    /// Not between samples.
    Unknown,
    /// Not measurable here.
    Impossible,
}

impl MapState {
    /// All signs except letters with their meanings, in the order of a legend.
    pub(crate) const SIGNS: [(Self, char, &'static str); 6] = [
        (Self::Tied, '=', "sampled, the first ones tied"),
        (Self::Undecided, '?', "sampled, the first ones not told apart"),
        (Self::Failed, '!', "sampled, no store has a figure"),
        (Self::Open, '·', "not sampled, between samples that differ"),
        (Self::Unknown, ' ', "blank: not sampled, and not between samples"),
        (Self::Impossible, '×', "cannot be measured here"),
    ];

    /// Its sign: a capital letter where it was sampled, a small one where it was not.
    pub(crate) fn sign(self, stores: &[MapStore]) -> char {
        let letter = |store: usize| stores.get(store).map_or('?', |store| store.letter);
        match self {
            Self::Won(store) => letter(store),
            Self::Likely(store) => letter(store).to_ascii_lowercase(),
            _ => Self::SIGNS.iter().find(|(state, ..)| *state == self).map_or(' ', |(_, sign, _)| *sign),
        }
    }
}
