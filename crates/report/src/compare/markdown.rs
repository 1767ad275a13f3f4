//! A comparison as Markdown, for a pull request or a note.

use std::io::Write;

use crate::compare::terminal::figures;
use crate::compare::{Change, Comparison, Line};
use crate::error::ReportError;
use crate::markdown::{bullets, escape, row};

/// Writes the comparison as Markdown: over all workloads, the workloads with a change, and what the runs differ in.
///
/// # Errors
/// `out` takes no more.
pub fn write_comparison_markdown(of: &Comparison, out: &mut dyn Write) -> Result<(), ReportError> {
    writeln!(out, "# {} → {}\n", escape(&of.labels[0]), escape(&of.labels[1]))?;
    writeln!(out, "**{}**\n\n{}\n", escape(&of.headline()), escape(&of.summary()))?;
    table(out, "Over everything", of.stores.iter())?;
    table(out, "Over all workloads", of.overall.iter())?;
    table(out, "Workloads with a change", of.lines.iter().filter(|line| line.change != Change::CannotTell))?;
    writeln!(out, "{}", escape(&of.explanation()))?;
    bullets(out, "Failed in the second run, not in the first", &of.newly_failed)?;
    bullets(out, "The runs differ in", &of.differences)?;
    bullets(out, "Warnings of the runs", &of.warnings)?;
    bullets(out, "Left out", &of.notes)
}

fn table<'a>(out: &mut dyn Write, title: &str, lines: impl Iterator<Item = &'a Line>) -> Result<(), ReportError> {
    let rows: Vec<String> = lines
        .map(|line| {
            let [ratio, interval] = figures(line);
            let mark = match line.change {
                Change::Better => "better",
                Change::Worse => "**worse**",
                Change::CannotTell => "cannot tell",
            };
            format!("{} {mark} |\n", row(&[&line.store, &line.measure, &line.workload, &ratio, &interval]).trim_end())
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "## {title}\n\n| store | measure | workloads | ratio | interval | |\n|---|---|---|--:|---|---|")?;
    writeln!(out, "{}", rows.concat())?;
    Ok(())
}
