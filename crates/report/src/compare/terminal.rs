//! A comparison as text.

use anstyle::{AnsiColor, Style};
use bakeoff_text::{Side, Text, TextTable, counted, digits, paragraph, ratio};

use crate::compare::{Change, Comparison, Line};
use crate::sections::section;
use crate::terminal::{TerminalOptions, WIDTH_MIN};

/// The comparison as text that ends with a line break: over all workloads first, then every workload in which something
/// changed, or with `full` every one.
pub fn render_comparison(of: &Comparison, options: &TerminalOptions) -> String {
    let width = options.width.max(WIDTH_MIN);
    let mut out = paragraph(&format!("A: {}", of.labels[0]), width, "", "   ");
    out.push_str(&paragraph(&format!("B: {}", of.labels[1]), width, "", "   "));
    for words in [of.headline(), of.summary()] {
        out.push_str(&format!("\n{}", paragraph(&words, width, "", "")));
    }
    out.push_str(&format!("\nOver everything\n{}", table(&of.stores, options, width)));
    out.push_str(&format!("\nOver all workloads\n{}", table(&of.overall, options, width)));
    let lines: Vec<Line> =
        of.lines.iter().filter(|line| options.full || line.change != Change::CannotTell).cloned().collect();
    let title = if options.full { "Each workload" } else { "Workloads with a change" };
    if !lines.is_empty() {
        out.push_str(&format!("\n{title}\n{}", table(&lines, options, width)));
    }
    if !options.full && lines.len() < of.lines.len() {
        out.push_str(&paragraph("`--full` shows every workload.", width, "", ""));
    }
    out.push_str(&format!("\n{}", paragraph(&of.explanation(), width, "", "")));
    let bullets = |lines: &[String]| lines.iter().map(|line| paragraph(line, width, "  ", "    ")).collect::<String>();
    out.push_str(&section("Failed in B, not in A", &bullets(&of.newly_failed)));
    out.push_str(&section("The runs differ in (A → B)", &bullets(&of.differences)));
    out.push_str(&section("Warnings of the runs", &bullets(&of.warnings)));
    out.push_str(&section("Left out", &bullets(&of.notes)));
    out
}

fn table(lines: &[Line], options: &TerminalOptions, width: usize) -> String {
    let mut table = TextTable::new(vec![Side::Left, Side::Left, Side::Left, Side::Right, Side::Left, Side::Left]);
    table.row(["store", "measure", "workloads", "B / A", "interval", ""].map(Text::plain).to_vec());
    for line in lines {
        let [estimate, interval] = figures(line);
        let mut cells: Vec<Text> =
            [&line.store, &line.measure, &line.workload, &estimate, &interval].map(Text::plain).to_vec();
        cells.push(Text::default().and(line.change.word(), style(line.change)));
        table.row(cells);
    }
    table.render(width, options.color)
}

/// The ratio and its interval, in words.
pub(crate) fn figures(line: &Line) -> [String; 2] {
    match line.ratio {
        Some(of) => [ratio(of.estimate), interval_words(of.low, of.high)],
        None => ["–".to_owned(), "too few rounds".to_owned()],
    }
}

/// Ratios beyond this, and below its inverse, say no more than that, and would take the room of the workload's words.
const RATIO_MAX: f64 = 1000.0;

/// An interval, as far as it tells more than that a ratio is very large or very small.
fn interval_words(low: f64, high: f64) -> String {
    if low > RATIO_MAX {
        return "≥1000×".to_owned();
    }
    if high < RATIO_MAX.recip() {
        return "≤0.001×".to_owned();
    }
    let low = if low < RATIO_MAX.recip() { "≤0.001".to_owned() } else { digits(low) };
    let high = if high > RATIO_MAX { "≥1000".to_owned() } else { digits(high) };
    format!("{low}–{high}×")
}

/// Changes that are named in the headline.
const NAMED_MAX: usize = 3;

/// How far a ratio is from 1, whichever way.
fn size(line: &Line) -> f64 {
    line.ratio.map_or(0.0, |of| of.estimate.ln().abs())
}

fn style(change: Change) -> Style {
    match change {
        Change::Better => AnsiColor::Green.on_default(),
        Change::Worse => AnsiColor::Red.on_default().bold(),
        Change::CannotTell => Style::new(),
    }
}

impl Comparison {
    /// What got worse and better most, in a sentence or two: stores over everything first, then single measures and workloads of others.
    pub(crate) fn headline(&self) -> String {
        let words = [Change::Worse, Change::Better].map(|change| self.most(change));
        let words: Vec<String> = words.into_iter().flatten().collect();
        if words.is_empty() { "Nothing is proven to be better or worse in B.".to_owned() } else { words.join(" ") }
    }

    /// The lines that changed most in this direction, the widest first; each store once.
    fn most(&self, change: Change) -> Option<String> {
        let mut named: Vec<&Line> = Vec::new();
        for table in [&self.stores, &self.overall, &self.lines] {
            let mut changed: Vec<&Line> = table.iter().filter(|line| line.change == change).collect();
            changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
            for line in changed {
                if named.iter().all(|before| before.store != line.store) {
                    named.push(line);
                }
            }
        }
        let words = |line: &&Line| {
            let [ratio, interval] = figures(line);
            format!("{}, {} ({}), {ratio} ({interval})", line.store, line.measure, line.workload)
        };
        let more = named.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!("; {}", counted(more, "more store")) } else { String::new() };
        let words: Vec<String> = named.iter().take(NAMED_MAX).map(words).collect();
        let how = if change == Change::Worse { "Worse in B" } else { "Better in B" };
        (!words.is_empty()).then(|| format!("{how}: {}{more}.", words.join("; ")))
    }

    /// How many figures changed, in a sentence.
    pub(crate) fn summary(&self) -> String {
        let among = |lines: &[Line]| {
            let number = |change: Change| lines.iter().filter(|line| line.change == change).count();
            let [better, worse, open] = [Change::Better, Change::Worse, Change::CannotTell].map(number);
            format!("{better} better in B, {worse} worse, {open} cannot be told apart")
        };
        format!(
            "{}: {}. Over all workloads, {}: {}. Over everything, {}: {}.",
            counted(self.lines.len(), "figure"),
            among(&self.lines),
            counted(self.overall.len(), "line"),
            among(&self.overall),
            counted(self.stores.len(), "store"),
            among(&self.stores)
        )
    }

    /// How to read the ratios.
    pub(crate) fn explanation(&self) -> String {
        "Ratios are costs of B by costs of A (time, bytes on disk, bytes of memory): above 1 is worse. Over everything, and over all workloads, \
         they are geometric means, round by round. Intervals are made so wide that of all lines of a table that are called better or worse one \
         in twenty is neither, at most, and that between equal runs nothing is called worse in 19 of 20 comparisons; more rounds make \
         them narrower."
            .to_owned()
    }
}
