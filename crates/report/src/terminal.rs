//! The report for a person: the answer first, then the matrices, then what they rest on.

mod blocks;
mod matrix;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::Profile;
use bakeoff_stats::{Ranking, Verdict};
use bakeoff_text::{HARD_SPACE, Side, Text, TextTable, counted, format_count, paragraph, printable};
use serde_json::Value;

use crate::answer::{ahead_words, answer, by_workload, workload_words};
use crate::circumstances::varying;
use crate::contender::Contenders;
use crate::find_rate::render_rates;
use crate::measured::measured;
use crate::pick::render_pick;
use crate::run::Run;
use crate::sections::background_work::BackgroundWorkRow;
use crate::sections::disk_usage::{self, DiskUsageRow};
use crate::sections::gc::GcRow;
use crate::sections::reopening::ReopeningRow;
use crate::sections::warm_up::WarmUpRow;
use crate::sections::{self, memory, phase_tables, slow_operations, store_counters};
use crate::verdict::{Circumstances, Table, compare_all};
use crate::{bars, details, disturbed, profiled};
use bakeoff_results::pick::PickFacts;
use bakeoff_results::rate_search::RateFacts;

/// Narrower than this, tables make no sense.
pub(crate) const WIDTH_MIN: usize = 60;

/// Columns of what stands in other forms of a report as it does on a terminal.
pub(crate) const TEXT_COLUMNS: usize = 100;

/// Full lines are shown unasked if there are at most this many groups of them.
const DETAILS_UNASKED_MAX: usize = 8;

/// How to show a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Columns that no line exceeds (60 at least).
    pub width: usize,
    /// Whether stores have colours: true only for a terminal whose user did not set `NO_COLOR`.
    pub color: bool,
    /// Show every store's full line in every workload, and lists without limit.
    pub full: bool,
}

/// What stands in a page or in Markdown as it does on a terminal.
pub(crate) const AS_TEXT: TerminalOptions = TerminalOptions { width: TEXT_COLUMNS, color: false, full: false };

/// A run's report as text that ends with a line break.
pub fn render_terminal(run: &Run, options: &TerminalOptions) -> String {
    let width = options.width.max(WIDTH_MIN);
    if let Some((answer, more)) = answer_to_one_question(run, width, options.color).filter(|_| !options.full) {
        return short(run, &answer, width, more);
    }
    if let Some(profile) = run.profile() {
        return profiled(run, profile, &TerminalOptions { width, ..*options });
    }
    let contenders = Contenders::new(&run.cells, &run.stores);
    let tables = compare_all(&run.cells, &contenders);
    let mut out = heading(run, width);
    let bars = bars::render(run, &tables, &contenders, width, options.color);
    if let Some(bars) = &bars {
        out.push_str(&unequal_in_short(&tables, width));
        out.push_str(&failed_in_short(run, &contenders, width));
        out.push_str(bars);
    }
    if bars.is_none() || options.full {
        out.push_str(&answers_and_matrices(run, &tables, &contenders, &TerminalOptions { width, ..*options }));
    }
    out.push_str(&disturbed::section(&tables, &contenders, options));
    out.push_str(&every_store(run, &contenders, &TerminalOptions { width, ..*options }));
    out.push_str(&sections::as_set(run, &contenders, width));
    let mut made = vec![memory::section(run)];
    if disk_usage::has_copies(run) {
        made.push(phase_tables::section::<DiskUsageRow>(run, &contenders));
    }
    made.push(phase_tables::section::<WarmUpRow>(run, &contenders));
    made.push(phase_tables::section::<BackgroundWorkRow>(run, &contenders));
    if options.full || run.cells.iter().any(|cell| cell.end.axes.killed) {
        made.push(phase_tables::section::<ReopeningRow>(run, &contenders));
    }
    if options.full {
        made.push(phase_tables::section::<GcRow>(run, &contenders));
        made.push(store_counters::section(run, &contenders));
    }
    made.push(slow_operations::section(&run.cells, &contenders));
    made.iter().flatten().for_each(|each| blocks::section(each, &TerminalOptions { width, ..*options }, &mut out));
    out.push_str(&sections::failed(run, &contenders, width, options.full));
    out.push_str(&sections::left_out(run, width, options.full));
    out.push_str(&sections::warnings(run, width));
    out.push_str(&sections::notes(run, width));
    if let Some(analysis) = run.text(&["suite", "analysis"]) {
        out.push_str(&sections::section("About this suite", &prose(analysis, width)));
    }
    out.push_str(&sections::origin(run, width));
    out
}

/// A section as it stands in a page or in Markdown.
pub(crate) fn section_as_text(section: &crate::document::Section) -> String {
    let mut out = String::new();
    blocks::section(section, &AS_TEXT, &mut out);
    out
}

/// The answer of a run that was asked one question, and of what more there are figures; `None` where stores were compared.
pub(crate) fn answer_to_one_question(run: &Run, width: usize, color: bool) -> Option<(String, &'static str)> {
    if let Some(facts) = PickFacts::of(run) {
        return Some((render_pick(run, &facts, width, color), "for everything that was measured"));
    }
    let mut answer = render_rates(run, &RateFacts::of(run)?, width, color);
    answer.push_str(&sections::failed(run, &Contenders::new(&run.cells, &run.stores), width, false));
    answer.push_str(&sections::left_out(run, width, false));
    Some((answer, "at every rate that was tried"))
}

/// A run that was asked one question: its answer, in place of the matrices, and of what more there are figures.
fn short(run: &Run, answer: &str, width: usize, more: &str) -> String {
    let mut out = heading(run, width);
    out.push_str(answer);
    out.push_str(&sections::warnings(run, width));
    out.push_str(&sections::notes(run, width));
    let hint = format!("`bakeoff report --full` shows every store's figures {more}.");
    out.push_str(&format!("\n{}", paragraph(&hint, width, "", "")));
    out
}

/// Every store's figures, if they are asked for or are few.
fn every_store(run: &Run, contenders: &Contenders, options: &TerminalOptions) -> String {
    let width = options.width;
    if options.full || details::number(&run.cells, contenders) <= DETAILS_UNASKED_MAX {
        let lines = details::render(&run.cells, contenders, width, options.color);
        return sections::section("Every store", &lines);
    }
    let hint = "`bakeoff report --full` shows every store's rate, mean, interval and percentiles in every workload.";
    format!("\n{}", paragraph(hint, width, "", ""))
}

/// Flame graphs, and figures of which no rank is made, in place of the answer.
fn profiled(run: &Run, profile: Profile, options: &TerminalOptions) -> String {
    let (width, contenders) = (options.width, Contenders::new(&run.cells, &run.stores));
    let mut out = heading(run, width);
    out.push_str(&format!("\n{}", paragraph(&profiled::words(run, profile), width, "", "")));
    out.push_str(&failed_in_short(run, &contenders, width));
    out.push_str(&profiled::render(run, &contenders, width, options.full));
    out.push_str(&every_store(run, &contenders, options));
    out.push_str(&sections::failed(run, &contenders, width, options.full));
    out.push_str(&sections::left_out(run, width, options.full));
    out.push_str(&sections::warnings(run, width));
    out.push_str(&sections::notes(run, width));
    out.push_str(&sections::origin(run, width));
    out
}

/// For every table the answer in words, then the tables.
fn answers_and_matrices(run: &Run, tables: &[Table], contenders: &Contenders, options: &TerminalOptions) -> String {
    let width = options.width;
    let mut out: String = tables.iter().map(|table| answer_block(table, tables, contenders, options)).collect();
    out.push_str(&failed_in_short(run, contenders, width));
    for table in tables {
        out.push_str(&format!("\n{}\n", circumstances(&table.circumstances, tables, width)));
        out.push_str(&crate::matrix::render(table, contenders, crate::matrix::MEASURES_OF_RUNS, width, options.color));
    }
    out
}

/// That stores promise different things, where bars take the place of the answers that would say it.
fn unequal_in_short(tables: &[Table], width: usize) -> String {
    if tables.iter().all(|table| table.circumstances.durability.is_some()) {
        return String::new();
    }
    format!("\n{}", paragraph(crate::answer::UNEQUAL, width, "", ""))
}

/// Prose as it stands in a suite's file, its paragraphs broken anew: an empty line separates two.
fn prose(text: &str, width: usize) -> String {
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    let broken: Vec<_> = paragraphs.map(|lines| paragraph(&printable(&lines.join(" ")), width, "  ", "  ")).collect();
    broken.join("\n")
}

/// What was measured, how much of it, and whether the run is finished.
fn heading(run: &Run, width: usize) -> String {
    let title = run.title();
    let started = run.text(&["started"]).unwrap_or("at an unknown time");
    let state = unfinished(run).map_or_else(String::new, |words| format!(" · {words}"));
    let mut out = paragraph(&printable(&format!("{title} · {started}{state}")), width, "", "  ");
    let measured = measured(&[run]);
    if !measured.is_empty() {
        out.push_str(&paragraph(&printable(&measured), width, "", ""));
    }
    out.push_str(&paragraph(&amounts(run), width, "", ""));
    if let Some(few) = few_rounds(run)
        .filter(|_| PickFacts::of(run).is_none() && RateFacts::of(run).is_none() && run.profile().is_none())
    {
        out.push_str(&paragraph(&few, width, "", "  "));
    }
    if let Some(note) = run.notes.first() {
        out.push_str(&paragraph(&printable(&format!("NOTE: {note}")), width, "", "  "));
    }
    out
}

/// What is said of a run that is not finished.
pub(crate) fn unfinished(run: &Run) -> Option<&'static str> {
    (run.is_told() && run.text(&["finished"]).is_none()).then(|| match PickFacts::of(run) {
        Some(_) => "STOPPED before it was done",
        None => "NOT FINISHED: `bakeoff run --resume` goes on",
    })
}

/// How much was measured and checked.
pub(crate) fn amounts(run: &Run) -> String {
    let entries = run.cells.iter().filter_map(|cell| cell.end.verified.as_ref());
    let entries = entries.fold(0_u64, |sum, verified| sum.saturating_add(verified.entries));
    format!(
        "{} · {} checked and right, {} compared after opening again",
        cells_measured(run),
        counted(answers_checked(run), "answer"),
        if entries == 1 { "1 entry".to_owned() } else { format!("{} entries", format_count(entries)) }
    )
}

/// Answers that were checked in rounds that did not fail: all of them were right.
pub(crate) fn answers_checked(run: &Run) -> u64 {
    let phases = run.cells.iter().filter(|cell| cell.is_ok()).flat_map(|cell| &cell.phases);
    phases.fold(0, |sum, phase| sum.saturating_add(phase.result.answers_checked))
}

/// `190 cells measured in 3 rounds each, 2 failed, 4 not measured yet`.
fn cells_measured(run: &Run) -> String {
    let (good, failed) = rounds_of_cells(run);
    let rounds = match (good.iter().min(), good.iter().max()) {
        (Some(least), Some(most)) if least != most => format!(" in {least} to {most} rounds"),
        (Some(all), _) if good.len() == 1 => format!(" in {}", counted(*all, "round")),
        (Some(all), _) => format!(" in {} each", counted(*all, "round")),
        _ => String::new(),
    };
    let mut words = format!("{} measured{rounds}", counted(good.len(), "cell"));
    if failed > 0 {
        words += &format!(", {} failed", format_count(failed as u64));
    }
    match run.list("cells").len().saturating_sub(good.len() + failed) {
        0 => {}
        left => words += &format!(", {} not measured", format_count(left as u64)),
    }
    words
}

/// That most cells have too few rounds for anything to be proven; nothing where they have enough.
pub(crate) fn few_rounds(run: &Run) -> Option<String> {
    let (rounds, _) = rounds_of_cells(run);
    let number = |most| rounds.iter().filter(|rounds| **rounds <= most).count();
    let (once, few, all) = (number(1), number(2), rounds.len());
    let words = match (once, few) {
        (_, 0) => return None,
        (0, few) => format!(
            "{few} of {} have only two rounds: differences between their stores are hardly ever proven",
            counted(all, "cell")
        ),
        (once, _) if once == all => {
            "Every cell was measured in one round only: figures are shown, and nothing is proven by them".to_owned()
        }
        (once, _) => format!("{once} of {} have only one round: nothing is proven by them", counted(all, "cell")),
    };
    // Whoever asked for three rounds got fewer for want of time.
    let asked = run.info.get("rounds").and_then(Value::as_u64).unwrap_or_default();
    let more = if asked < 3 { ", fewer stores or workloads, or --rounds 3" } else { ", or fewer stores or workloads" };
    Some(format!("{words}. For an answer give it more time (a longer --budget){more}."))
}

/// For every cell that never failed its rounds; and the number of cells that did.
fn rounds_of_cells(run: &Run) -> (Vec<u32>, usize) {
    let mut rounds = BTreeMap::new();
    for cell in &run.cells {
        let entry = rounds.entry(cell.end.cell.as_str()).or_insert((0_u32, false));
        *entry = (entry.0 + 1, entry.1 || !cell.is_ok());
    }
    let failed = rounds.values().filter(|(_, failed)| *failed).count();
    (rounds.into_values().filter(|(_, failed)| !failed).map(|(rounds, _)| rounds).collect(), failed)
}

fn answer_block(table: &Table, tables: &[Table], contenders: &Contenders, options: &TerminalOptions) -> String {
    let width = options.width;
    let answer = answer(table, contenders);
    let varying = varying(&table.circumstances, tables);
    let mut out = String::from("\n");
    out.push_str(&paragraph(&format!("{}{varying}", upper_first(&answer.promise)), width, "", "  "));
    let column = answer.measures.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("overall".len());
    let later = " ".repeat(column + 4);
    let overall = ("overall".to_owned(), answer.overall);
    for (name, words) in std::iter::once(&overall).chain(&answer.measures) {
        out.push_str(&paragraph(words, width, &format!("  {name:<column$}  "), &later));
    }
    out + &fastest(table, contenders, options)
}

/// Workloads whose fastest store is told unasked.
const WORKLOADS_UNASKED: usize = 12;

/// Who is fastest in each workload, over all operations on it, and how far ahead; nothing where there is only one workload.
fn fastest(table: &Table, contenders: &Contenders, options: &TerminalOptions) -> String {
    let all = by_workload(table);
    if all.is_empty() {
        return String::new();
    }
    let shown = if options.full { all.len() } else { all.len().min(WORKLOADS_UNASKED) };
    let mut lines = TextTable::new(vec![Side::Left; 3]);
    lines.row(["fastest in", "", "ahead of the next, 95 % interval"].map(Text::plain).to_vec());
    for (workload, overall) in &all[..shown] {
        let ahead = ahead_words(&overall.ranking, contenders).unwrap_or_default().replace(HARD_SPACE, " ");
        lines.row(vec![
            Text::plain(workload_words(workload)),
            first_text(&overall.ranking, contenders),
            Text::plain(ahead),
        ]);
    }
    let more = all.len() - shown;
    let more = if more > 0 { format!("  and {}: `--full`\n", counted(more, "more workload")) } else { String::new() };
    let lines = lines.render(options.width - 2, options.color);
    let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    format!("\n{lines}{more}")
}

/// Who shares the first place, and whether that is proven.
fn first_text(ranking: &Ranking, contenders: &Contenders) -> Text {
    let mut names = Text::default();
    for (index, key) in ranking.tied.iter().enumerate() {
        let style = contenders.get(key).map_or_else(anstyle::Style::new, |each| crate::colours::style(each.slot));
        names = names.and(if index > 0 { " = " } else { "" }, anstyle::Style::new()).and(contenders.title(key), style);
    }
    names.and(if ranking.verdict == Verdict::Unproven { ", not proven" } else { "" }, anstyle::Style::new())
}

/// A line among the answers that names the stores that failed.
fn failed_in_short(run: &Run, contenders: &Contenders, width: usize) -> String {
    let failed: BTreeSet<String> = run
        .cells
        .iter()
        .filter(|cell| !cell.is_ok())
        .filter_map(|cell| contenders.of(&cell.end.axes))
        .map(|contender| contender.title.clone())
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    let failed: Vec<String> = failed.into_iter().collect();
    let words = format!("FAILED somewhere, and not ranked there: {}. See below.", bakeoff_text::listed(&failed));
    format!("\n{}", paragraph(&words, width, "", ""))
}

/// What a table's figures have in common: the promise, and whatever else differs between tables.
pub(crate) fn circumstances(of: &Circumstances, tables: &[Table], width: usize) -> String {
    let durability = of.durability_words();
    let line = format!("Best in each workload · durability {durability}{}", varying(of, tables));
    paragraph(&line, width, "", "  ").trim_end().to_owned()
}

fn upper_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
