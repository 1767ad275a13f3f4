//! A run's answer and matrices as Markdown, for a pull request or a note; and what all Markdown here shares.

use std::io::Write;

use bakeoff_text::{format_count, format_size_range, printable};

use crate::against::render_against;
use crate::answer::answer;
use crate::circumstances::varying;
use crate::contender::Contenders;
use crate::error::ReportError;
use crate::figures::Measure;
use crate::matrix::{figure, measure_label};
use crate::pairs::doubt;
use crate::published::Published;
use crate::run::Run;
use crate::sections::disk_usage::{self, DiskUsageRow};
use crate::sections::{self, phase_tables, slow_operations};
use crate::terminal::{AS_TEXT, TEXT_COLUMNS, amounts, answer_to_one_question, section_as_text, unfinished};
use crate::verdict::{Column, Field, Size, Table, compare_all};
use crate::{bars, disturbed, profiled};

/// Writes the run's answer, its matrices, its failures and warnings as Markdown, and where a publication is given, how it stands beside that.
///
/// # Errors
/// `out` takes no more; or the run cannot be set beside the publication.
pub fn write_markdown(run: &Run, against: Option<&Published>, out: &mut dyn Write) -> Result<(), ReportError> {
    let against = against.map(|published| Ok::<_, ReportError>((published, render_against(run, published, &AS_TEXT)?)));
    let against = against.transpose()?;
    let contenders = Contenders::new(&run.cells, &run.stores);
    let tables = compare_all(&run.cells, &contenders);
    let title = run.title();
    writeln!(out, "# {}\n\n{}\n", escape(title), escape(&amounts(run)))?;
    if let Some(words) = unfinished(run) {
        writeln!(out, "**{words}**\n")?;
    }
    if let Some(profile) = run.profile() {
        writeln!(out, "**{}**\n", escape(&profiled::words(run, profile)))?;
    }
    let asked = answer_to_one_question(run, TEXT_COLUMNS, false);
    match &asked {
        Some((answer, _)) => code(out, answer.trim_matches('\n'))?,
        None if run.profile().is_none() => comparisons(run, &tables, &contenders, out)?,
        None => {}
    }
    if let Some((published, beside)) = against {
        as_text(out, &sections::section(&format!("Beside {}", published.facts.title), &beside))?;
    }
    let failed = run.cells.iter().filter(|cell| !cell.is_ok()).map(|cell| {
        let (axes, why) = (&cell.end.axes, cell.end.failure.map_or("failed", |kind| kind.words()));
        let message = cell.end.failure_message.as_deref().unwrap_or_default();
        format!("{}, round {}: {why}. {message}", axes.store, cell.end.round)
    });
    if asked.is_none() {
        // Else it stands in the answer.
        bullets(out, "Failed", &failed.collect::<Vec<_>>())?;
    }
    let messages = run.list("warnings").iter().filter_map(|warning| warning.get("message")?.as_str());
    bullets(out, "Warnings", &messages.map(str::to_owned).chain(run.notes.iter().cloned()).collect::<Vec<_>>())
}

/// The answer and matrices of every table, and what else there is to be said of all.
fn comparisons(run: &Run, tables: &[Table], contenders: &Contenders, out: &mut dyn Write) -> Result<(), ReportError> {
    if let Some(bars) = bars::render(run, tables, contenders, TEXT_COLUMNS, false) {
        as_text(out, &sections::section("Rates, and how many times the baseline's", &bars))?;
        writeln!(out)?;
    }
    for table in tables {
        let answer = answer(table, contenders);
        writeln!(out, "## {}{}\n", escape(&answer.promise), escape(&varying(&table.circumstances, tables)))?;
        writeln!(out, "**Overall:** {}.\n", escape(&answer.overall))?;
        writeln!(out, "| measure | best |\n|---|---|")?;
        for (measure, words) in &answer.measures {
            writeln!(out, "{}", row(&[measure, words]))?;
        }
        writeln!(out)?;
        matrix(out, table, contenders)?;
    }
    as_text(out, &disturbed::section(tables, contenders, &AS_TEXT))?;
    let copies = disk_usage::has_copies(run).then(|| phase_tables::section::<DiskUsageRow>(run, contenders)).flatten();
    for section in [copies, slow_operations::section(&run.cells, contenders)].iter().flatten() {
        as_text(out, &section_as_text(section))?;
    }
    Ok(())
}

/// Who is best in each workload: a row a measure and size, a column a data type and number of records.
fn matrix(out: &mut dyn Write, table: &Table, contenders: &Contenders) -> Result<(), ReportError> {
    let columns: Vec<Column> = table.columns().into_iter().collect();
    let heads: Vec<String> =
        columns.iter().map(|column| format!("{} {}", column.data, format_count(column.records))).collect();
    let mut cells = vec!["measure", "values"];
    cells.extend(heads.iter().map(String::as_str));
    writeln!(out, "{}\n|{}", row(&cells), "---|".repeat(cells.len()))?;
    for measure in &table.measures {
        for size in table.sizes() {
            if let Some(line) = line(table, measure, size, &columns, contenders) {
                writeln!(out, "{line}")?;
            }
        }
    }
    writeln!(
        out,
        "\nA = B: tied, cannot be told apart (95 % confidence). ?: first by its figure, not proven. alone: no other was measured.\n"
    )?;
    Ok(())
}

fn line(table: &Table, measure: &Measure, size: Size, columns: &[Column], contenders: &Contenders) -> Option<String> {
    let fields: Vec<Option<&Field>> =
        columns.iter().map(|column| table.fields.get(&(measure.clone(), size, column.clone()))).collect();
    fields.iter().any(Option::is_some).then(|| {
        let mut cells = vec![measure_label(measure), format_size_range(size.0, size.1)];
        let words = |field: &Option<&Field>| field.map_or_else(String::new, |field| best(measure, field, contenders));
        cells.extend(fields.iter().map(words));
        row(&cells.iter().map(String::as_str).collect::<Vec<_>>())
    })
}

fn best(measure: &Measure, field: &Field, contenders: &Contenders) -> String {
    let Some(ranking) = &field.ranking else {
        return if field.failed.is_empty() { "n/a" } else { "failed" }.to_owned();
    };
    let names: Vec<String> = ranking.tied.iter().map(|key| contenders.title(key)).collect();
    let doubt = doubt(ranking.verdict);
    let value = ranking.order.first().map_or_else(String::new, |place| figure(measure, place.mean));
    format!("{}{doubt} {value}", names.join(" = "))
}

/// A text that Markdown, and HTML inside it, take for a text.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' | '$' => safe.extend(['\\', character]),
            other => safe.push(other),
        }
    }
    safe
}

/// A row of a table.
pub(crate) fn row(cells: &[impl AsRef<str>]) -> String {
    let cells: String = cells.iter().map(|cell| format!(" {} |", escape(cell.as_ref()))).collect();
    format!("|{cells}")
}

/// A section as on a terminal, its title first; nothing if it is empty.
fn as_text(out: &mut dyn Write, section: &str) -> Result<(), ReportError> {
    if let Some((title, body)) = section.trim_matches('\n').split_once('\n') {
        writeln!(out, "\n## {}\n", escape(title))?;
        code(out, body)?;
    }
    Ok(())
}

/// A text as it stands.
fn code(out: &mut dyn Write, text: &str) -> Result<(), ReportError> {
    // Names in it may be foreign.
    Ok(writeln!(out, "```text\n{}\n```", text.replace("```", "`\u{200b}`\u{200b}`"))?)
}

/// A section with a list; nothing if it is empty.
pub(crate) fn bullets(out: &mut dyn Write, title: &str, lines: &[String]) -> Result<(), ReportError> {
    if !lines.is_empty() {
        writeln!(out, "\n## {title}\n")?;
    }
    for line in lines {
        writeln!(out, "- {}", escape(line))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        let evil = "<img src=x> [a](javascript:b) `c` *d* | e \u{1b}[1m\n# f";
        assert_eq!(escape(evil), "&lt;img src=x> \\[a\\](javascript:b) \\`c\\` \\*d\\* \\| e \\\\u{1b}\\[1m\\\\n\\# f");
        assert_eq!(row(&["a|b", "c"]), "| a\\|b | c |");
    }
}
