//! A run beside a publication: who won then, who wins now, by how much, and where the winner changed.

use std::collections::BTreeMap;

use bakeoff_stats::{Better, Ranking, Verdict};

use crate::contender::Contenders;
use crate::figures::Measure;
use crate::format::{count, listed, printable, ratio, size_range};
use crate::matrix::{Names, figure, measure_label};
use crate::published::Published;
use crate::run::{ReportError, Run};
use crate::table::{Side, Text, TextTable, paragraph};
use crate::terminal::{TerminalOptions, WIDTH_MIN, circumstances};
use crate::verdict::{Column, Size, Table, better, compare_all};
use crate::{published_report, sections};

/// Where a figure stands in a table.
type Place = (Measure, Size, Column);

/// One of their fields and ours.
struct Pair<'a> {
    place: &'a Place,
    theirs: &'a Ranking,
    ours: &'a Ranking,
}

/// The run's figures beside those of a publication, as text that ends with a line break. Fields are matched by measure,
/// phase, value sizes, data and records, and by variant where the publication has some.
///
/// # Errors
/// The two have no field in common.
pub fn render_against(run: &Run, published: &Published, options: &TerminalOptions) -> Result<String, ReportError> {
    let width = options.width.max(WIDTH_MIN);
    let contenders = Contenders::new(&run.cells, &run.stores);
    let their_contenders = published_report::contenders(published);
    let (ours, theirs) = (compare_all(&run.cells, &contenders), published_report::tables(published));
    let mut out = paragraph(&heading(published), width, "", "  ");
    let mut matched = 0;
    for table in &ours {
        for other in theirs.iter().filter(|other| may_be_matched(table, other)) {
            let pairs = pairs(table, other);
            if pairs.is_empty() {
                continue;
            }
            matched += pairs.len();
            let hardware = published.facts.hardware.get(&other.circumstances.medium);
            let then = hardware.map_or(other.circumstances.medium.as_str(), String::as_str);
            out.push_str(&format!("\n{}\n", circumstances(&table.circumstances, &ours, width)));
            out.push_str(&paragraph(&format!("then: {then}"), width, "", "      "));
            let names = [Names::of(other, &their_contenders), Names::of(table, &contenders)];
            let sides = Sides { contenders: [&their_contenders, &contenders], names };
            out.push_str(&lay_out(&pairs, &sides).render(width, options.color));
            out.push_str(&paragraph(&sides.legend(), width, "", ""));
            out.push_str(&paragraph(&summary(&pairs), width, "", ""));
        }
    }
    if matched == 0 {
        let why = "they share no phase, value sizes, data and records (run the suite of the same name)";
        return Err(ReportError::NothingInCommon {
            directory: run.directory.clone(),
            name: published.name.clone(),
            why,
        });
    }
    out.push_str(&sections::section("To be known of their figures", &published_report::notes(published, width)));
    out.push_str(&sections::section("How their stores were set", &published_report::stores(published, width)));
    Ok(out)
}

fn heading(published: &Published) -> String {
    let facts = &published.facts;
    printable(&format!(
        "Then and now: {} ({}) against this run. Other machines, other versions: a factor above 1 says how many times better the best of \
         now is than the best of then, whatever the reason. `=` and `?` as in the report of a run.",
        facts.title, facts.year
    ))
}

/// Variants and disturbances must be the same where the publication tells them apart.
fn may_be_matched(ours: &Table, theirs: &Table) -> bool {
    let (ours, theirs) = (&ours.circumstances, &theirs.circumstances);
    let variant = theirs.variant.as_ref().is_none_or(|variant| {
        // A section of a paper may be two variants of a suite: `baseline` is `baseline-sequential` and `baseline-random`.
        ours.variant.as_ref().is_some_and(|ours| ours == variant || ours.starts_with(&format!("{variant}-")))
    });
    variant && ours.disturbance == theirs.disturbance && ours.threads == theirs.threads
}

fn pairs<'a>(ours: &'a Table, theirs: &'a Table) -> Vec<Pair<'a>> {
    let pair = |place: &'a Place| {
        let (theirs, ours) = (theirs.fields.get(place)?, ours.fields.get(place)?);
        Some(Pair { place, theirs: theirs.ranking.as_ref()?, ours: ours.ranking.as_ref()? })
    };
    let of = |measure: &'a Measure| theirs.fields.keys().filter(move |(other, _, _)| other == measure);
    theirs.measures.iter().flat_map(of).filter_map(pair).collect()
}

/// What stores are called then and now.
struct Sides<'a> {
    contenders: [&'a Contenders; 2],
    names: [Names; 2],
}

impl Sides<'_> {
    /// The first of those that share the first place, how many more, and the figure.
    fn best(&self, side: usize, measure: &Measure, ranking: &Ranking) -> Text {
        let key = ranking.tied.first().unwrap_or(&ranking.best);
        let name = self.names[side].short.get(key).unwrap_or(key);
        let style = self.contenders[side].get(key).map_or_else(anstyle::Style::new, |contender| contender.style);
        let more = if ranking.tied.len() > 1 { format!(" +{}", ranking.tied.len() - 1) } else { String::new() };
        let doubt = if ranking.verdict == Verdict::Unproven { "?" } else { "" };
        let value = ranking.order.first().map_or_else(String::new, |place| figure(measure, place.mean));
        Text::default().and(name, style).and(format!("{more}{doubt} {value}"), anstyle::Style::new())
    }

    /// What the short names stand for.
    fn legend(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        for (contenders, names) in self.contenders.iter().zip(&self.names) {
            for (key, short) in &names.short {
                let title = contenders.title(key);
                let line = format!("{short}: {title}");
                if *short != title && !words.contains(&line) {
                    words.push(line);
                }
            }
        }
        words.push("≠: another store is best".to_owned());
        words.push("+1: another one is tied with it".to_owned());
        words.join(" · ")
    }
}

fn lay_out(pairs: &[Pair<'_>], sides: &Sides<'_>) -> TextTable {
    let mut table = TextTable::new(vec![Side::Left, Side::Left, Side::Left, Side::Left, Side::Right, Side::Left]);
    table.row(["", "records", "best then", "best now", "factor", ""].map(Text::plain).to_vec());
    let mut last = None;
    for pair in pairs {
        let (measure, size, column) = pair.place;
        if last != Some(measure) {
            table.rule();
            table.row(vec![Text::plain(measure_label(measure))]);
            last = Some(measure);
        }
        table.row(vec![
            Text::plain(format!("  {}", size_range(size.0, size.1))),
            Text::plain(format!("{} {}", count(column.records), printable(&column.data))),
            sides.best(0, measure, pair.theirs),
            sides.best(1, measure, pair.ours),
            Text::plain(factor(pair).map_or_else(String::new, ratio)),
            Text::plain(if is_changed(pair) { "≠" } else { "" }),
        ]);
    }
    table
}

/// How many times better the best of now is; `None` where a figure is zero.
fn factor(pair: &Pair<'_>) -> Option<f64> {
    let (then, now) = (pair.theirs.order.first()?.mean, pair.ours.order.first()?.mean);
    let (better_one, worse) = match better(&pair.place.0) {
        Better::Lower => (then, now),
        Better::Higher => (now, then),
    };
    (worse > 0.0 && better_one > 0.0).then_some(better_one / worse)
}

/// Whether none of the best of then is among the best of now.
fn is_changed(pair: &Pair<'_>) -> bool {
    let store = |key: &str| key.split(' ').next().unwrap_or(key).to_owned();
    !pair.ours.tied.iter().any(|now| pair.theirs.tied.iter().any(|then| store(then) == store(now)))
}

fn summary(pairs: &[Pair<'_>]) -> String {
    let changed = pairs.iter().filter(|pair| is_changed(pair)).count();
    let mut by_measure: BTreeMap<&Measure, (usize, usize)> = BTreeMap::new();
    for pair in pairs {
        let entry = by_measure.entry(&pair.place.0).or_default();
        *entry = (entry.0 + usize::from(is_changed(pair)), entry.1 + 1);
    }
    let parts: Vec<String> = by_measure
        .iter()
        .map(|(measure, (changed, all))| format!("{changed} of {all} in {}", measure_label(measure)))
        .collect();
    format!("The winner changed in {changed} of {} fields: {}.", pairs.len(), listed(&parts))
}
