//! A comparison as a page that needs nothing else, not even a script.

use std::io::Write;

use crate::compare::terminal::figures;
use crate::compare::{Change, Comparison, Line};
use crate::page::STYLE;
use crate::page::html::{fill, marks, text};
use crate::run::ReportError;

const TEMPLATE: &str = include_str!("../../web/compare.html");

/// How far the scale reaches on both sides of 1.
const SCALE: f64 = 4.0;

/// Writes the comparison as one HTML file.
///
/// # Errors
/// `out` takes no more.
pub fn write_comparison_html(of: &Comparison, out: &mut dyn Write) -> Result<(), ReportError> {
    let (changed, same): (Vec<&Line>, Vec<&Line>) = of.lines.iter().partition(|line| line.change != Change::CannotTell);
    let page = fill(
        TEMPLATE,
        &[
            ("style", STYLE),
            ("a", &text(&of.labels[0])),
            ("b", &text(&of.labels[1])),
            ("summary", &text(&of.summary())),
            ("explanation", &text(&of.explanation())),
            ("overall", &table(&of.overall.iter().collect::<Vec<_>>())),
            ("changed", &table(&changed)),
            ("same", &table(&same)),
            ("failed", &bullets("Failed in B, not in A", &of.newly_failed)),
            ("differences", &bullets("The runs differ in (A → B)", &of.differences)),
            ("notes", &(bullets("Warnings of the runs", &of.warnings) + &bullets("Left out", &of.notes))),
        ],
    );
    out.write_all(page.as_bytes())?;
    Ok(())
}

fn bullets(title: &str, lines: &[String]) -> String {
    let items: String = lines.iter().map(|line| format!("<li>{}</li>", text(line))).collect();
    if items.is_empty() { items } else { format!("<h2>{title}</h2><ul>{items}</ul>") }
}

fn table(lines: &[&Line]) -> String {
    if lines.is_empty() {
        return "<p class=\"hint\">None.</p>".to_owned();
    }
    let rows: String = lines.iter().map(|line| row(line)).collect();
    format!(
        "<div class=\"scroll\"><table class=\"standings\"><thead><tr><th scope=\"col\">store</th><th scope=\"col\">measure</th>\
         <th scope=\"col\">workloads</th><th scope=\"col\">B / A</th><th scope=\"col\">interval</th><th scope=\"col\"></th>\
         <th scope=\"col\" class=\"scale\"><div class=\"ticks\"><span style=\"left:0%\">¼×</span><span style=\"left:25%\">½×</span>\
         <span style=\"left:50%\">1×</span><span style=\"left:75%\">2×</span><span style=\"left:100%\">4×</span></div></th>\
         </tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

fn row(line: &Line) -> String {
    let [ratio, interval] = figures(line);
    let class = match line.change {
        Change::Better => "good",
        Change::Worse => "bad",
        Change::CannotTell => "interval",
    };
    let marks = marks(line.slot);
    format!(
        "<tr><th scope=\"row\"><span class=\"store {marks}\">{}</span></th><td>{}</td><td>{}</td><td>{ratio}</td>\
         <td class=\"interval\">{interval}</td><td class=\"{class}\">{}</td><td class=\"scale\">{}</td></tr>",
        text(&line.store),
        text(&line.measure),
        text(&line.workload),
        line.change.word(),
        strip(line, &marks)
    )
}

/// The interval and the ratio on a logarithmic scale with 1 in the middle.
fn strip(line: &Line, marks: &str) -> String {
    let Some(ratio) = line.ratio else { return String::new() };
    let at = |value: f64| ((value.ln() / SCALE.ln() + 1.0) * 50.0).clamp(0.0, 100.0);
    let (low, middle, high) = (at(ratio.low), at(ratio.estimate), at(ratio.high));
    format!(
        "<div class=\"strip middle\"><i class=\"range {marks}\" style=\"left:{low:.1}%;width:{:.1}%\"></i>\
         <i class=\"dot {marks}\" style=\"left:{middle:.1}%\"></i></div>",
        high - low
    )
}
