//! A comparison as a page that needs nothing else; its only script is the switch between light and dark.

use std::io::Write;

use crate::compare::document::figures;
use crate::compare::{Change, Comparison, Line};
use crate::error::ReportError;
use crate::page::html::{fill, marks, text};
use crate::page::style::style_sheet;
use crate::page::{THEME, policy};

const TEMPLATE: &str = include_str!("../../web/compare.html");

/// How far a scale may reach on both sides of 1, and the ticks on each side.
const SCALES: [(f64, [f64; 2]); 6] = [
    (1.2, [1.1, 1.2]),
    (2.0, [1.4, 2.0]),
    (4.0, [2.0, 4.0]),
    (16.0, [4.0, 16.0]),
    (100.0, [10.0, 100.0]),
    (10_000.0, [100.0, 10_000.0]),
];

/// Writes the comparison as one HTML file.
///
/// # Errors
/// `out` takes no more.
pub fn write_comparison_html(of: &Comparison, out: &mut dyn Write) -> Result<(), ReportError> {
    let (changed, same): (Vec<&Line>, Vec<&Line>) = of.lines.iter().partition(|line| line.change != Change::CannotTell);
    let page = fill(
        TEMPLATE,
        &[
            ("policy", &policy(&[THEME])),
            ("style", &style_sheet()),
            ("script", THEME),
            ("a", &text(&of.labels[0])),
            ("b", &text(&of.labels[1])),
            ("headline", &text(&of.headline())),
            ("summary", &text(&of.summary())),
            ("explanation", &text(&of.explanation())),
            ("stores", &table(&of.stores.iter().collect::<Vec<_>>())),
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
    let scale = scale_for(lines);
    let rows: String = lines.iter().map(|line| row(line, scale.0)).collect();
    format!(
        "<div class=\"scroll\"><table class=\"standings changes\"><thead><tr><th scope=\"col\">store</th><th scope=\"col\">measure</th>\
         <th scope=\"col\">workloads</th><th scope=\"col\">B / A</th><th scope=\"col\">interval</th><th scope=\"col\"></th>\
         <th scope=\"col\" class=\"scale\">{}</th></tr></thead><tbody>{rows}</tbody></table></div>",
        ticks(scale)
    )
}

/// The shortest scale on which every ratio has its place; ends of intervals may lie beyond it.
fn scale_for(lines: &[&Line]) -> (f64, [f64; 2]) {
    let furthest =
        lines.iter().filter_map(|line| line.ratio).map(|of| of.estimate.max(of.estimate.recip())).fold(1.0, f64::max);
    let (largest, ticks) = SCALES[SCALES.len() - 1];
    SCALES.into_iter().find(|(end, _)| *end >= furthest).unwrap_or((largest.max(furthest), ticks))
}

/// Where a ratio is on a scale that reaches so far, in hundredths from its left.
fn place(ratio: f64, end: f64) -> f64 {
    ((ratio.ln() / end.ln() + 1.0) * 50.0).clamp(0.0, 100.0)
}

fn ticks((end, ticks): (f64, [f64; 2])) -> String {
    let tick = |ratio: f64, words: String| format!("<span style=\"left:{:.1}%\">{words}</span>", place(ratio, end));
    let below = ticks.iter().rev().map(|times| tick(times.recip(), format!("1/{times}×")));
    let above = ticks.iter().map(|times| tick(*times, format!("{times}×")));
    let all: String = below.chain([tick(1.0, "1×".to_owned())]).chain(above).collect();
    format!("<div class=\"ticks\">{all}</div>")
}

fn row(line: &Line, end: f64) -> String {
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
        strip(line, &marks, end)
    )
}

/// The interval and the ratio on a logarithmic scale with 1 in the middle.
fn strip(line: &Line, marks: &str, end: f64) -> String {
    let Some(ratio) = line.ratio else { return String::new() };
    let [low, middle, high] = [ratio.low, ratio.estimate, ratio.high].map(|value| place(value, end));
    format!(
        "<div class=\"strip middle\"><i class=\"range {marks}\" style=\"left:{low:.1}%;width:{:.1}%\"></i>\
         <i class=\"dot {marks}\" style=\"left:{middle:.1}%\"></i></div>",
        high - low
    )
}
