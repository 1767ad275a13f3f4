//! A run beside a publication: who won then, who wins now, by how much, and where the winner changed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::cell_rounds::CellRound;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::verdict::Table as Rankings;
use bakeoff_stats::geometric_mean;
use bakeoff_text::{counted, digits, listed, ratio};

use crate::detail::Detail;
use crate::document::{Block, Cell, Column, Document, Section, SectionId, Table, Title};
use crate::error::ReportError;
use crate::published::{Published, garbage, report};
use crate::sections::heading::unfinished;
use crate::sections::matrix::title;
use crate::sections::names::store;
use crate::sections::pairs::{self, Pair, Sides, pairs};

/// The run's figures next to those of a publication. Fields are matched by measure, phase, value sizes, data and records, and by variant
/// where the publication has some.
///
/// # Errors
/// The two have no field in common, or the run was profiled.
pub(crate) fn against(of: &Analysis, published: &Published, detail: Detail) -> Result<Document, ReportError> {
    let run = of.run;
    run.must_be_measured()?;
    let scale = run.record.suite.scale;
    let ours: Cow<'_, [Rankings]> = match published.facts.space_of_values {
        true => of.tables_of_values_alone().into(),
        false => of.tables().into(),
    };
    let theirs = report::tables(published, |records| scaled(records, scale));
    let sides = (&*ours, &*of.contenders, theirs.as_slice());
    let mut sections: Vec<Section> = ours.iter().flat_map(|table| matched(table, sides, published, detail)).collect();
    if sections.is_empty() {
        let why = "they share no phase, value sizes, data and records (run the suite of the same name)";
        return Err(ReportError::NothingInCommon {
            directory: run.directory.clone(),
            name: published.name.clone(),
            why,
        });
    }
    sections.extend(garbage::section(run, published));
    let (notes, settings) = (report::notes(published), report::settings(published));
    sections.extend(report::list(SectionId::PublishedNotes, "To be known of their figures", notes));
    sections.extend(report::list(SectionId::PublishedSettings, "How their stores were set", settings));
    let scaled_down = scale.map(|scale| scaled_down(scale, &run.cells).into());
    let lead = [Some(heading(published).into()), unfinished(run), scaled_down];
    Ok(Document {
        title: Title::Implied(format!("Beside {}", published.facts.title).into()),
        lead: lead.into_iter().flatten().map(Block::Note).collect(),
        sections,
        ..Document::default()
    })
}

/// A section for each table of theirs that may be set next to one of ours, and has a field in common with it.
fn matched(
    table: &Rankings,
    (ours, contenders, theirs): (&[Rankings], &Contenders, &[Rankings]),
    published: &Published,
    detail: Detail,
) -> Vec<Section> {
    let their_contenders = report::contenders(published);
    let named = Named {
        variant: theirs.iter().any(|other| other.circumstances.variant() == table.circumstances.variant()),
        medium: theirs.iter().any(|other| other.circumstances.medium() == table.circumstances.medium()),
    };
    let section = |other: &Rankings| {
        let pairs = pairs(other, table);
        if pairs.is_empty() {
            return None;
        }
        let medium = other.circumstances.medium();
        let then = published.facts.hardware.get(medium).map_or(medium, String::as_str);
        let sides = Sides::of((other, &their_contenders), (table, contenders));
        let headings = ["best then", "best now", "better"];
        let mut blocks = vec![
            Block::Fact("then", then.into()),
            Block::Table(pairs::table(&pairs, &sides, headings, |gain| gain, detail == Detail::Full)),
            Block::paragraph(sides.legend(&pairs).join(" · ")),
            Block::paragraph(summary(&pairs)),
        ];
        // Of a publication that prints the best alone, a store has figures only where it was the best.
        if let Some(stores) = (!published.facts.only_best).then(|| each_store(&pairs, contenders)).flatten() {
            blocks.extend([Block::Gap, Block::Note(EACH_STORE.into()), Block::Table(stores)]);
        }
        Some(Section::new(SectionId::Against, Title::Shown(title(&table.circumstances, ours)), blocks))
    };
    theirs.iter().filter(|other| may_be_matched(table, other, &named)).filter_map(section).collect()
}

/// What stands above the table of [`each_store`].
const EACH_STORE: &str = "Each store: how many times better it is now than it was then, below 1 worse (geometric means over the fields in which it \
                          has a figure both times; it may have promised something else then: `How their stores were set`)";

/// Each store beside itself, measure by measure; `None` where none took part both times.
fn each_store(pairs: &[Pair<'_>], contenders: &Contenders) -> Option<Table> {
    let mut measures: Vec<&Measure> = pairs.iter().map(|pair| &pair.place.0).collect();
    measures.dedup();
    let mut gains: BTreeMap<&str, BTreeMap<&Measure, Vec<f64>>> = BTreeMap::new();
    for pair in pairs {
        for key in pair.right.order.iter().map(|place| place.name.as_str()) {
            if let Some(gain) = pair.gain_of(key) {
                gains.entry(key).or_default().entry(&pair.place.0).or_default().push(gain);
            }
        }
    }
    gains.first_key_value()?;
    let heads = measures.iter().map(|measure| Column::right(measure.label()));
    let mut table = Table::new(0, std::iter::once(Column::left("")).chain(heads).collect());
    for (key, of) in &gains {
        let mean = |measure: &&Measure| of.get(measure).and_then(|gains| geometric_mean(gains));
        let cells = measures.iter().map(|measure| Cell::from(mean(measure).map_or_else(String::new, ratio)));
        table.row(std::iter::once(Cell::from(store(contenders, key))).chain(cells).collect());
    }
    Some(table)
}

fn heading(published: &Published) -> String {
    let facts = &published.facts;
    format!(
        "Then and now: {} ({}) against this run. Other machines, other versions: `better` says how many times better the best of now is \
         than the best of then (below 1 it is worse), whatever the reason. `?` as in the report of a run.",
        facts.title, facts.year
    )
}

/// What a run that was scaled down stands beside. A walk goes through every level of a tree, of which there are fewer then.
fn scaled_down(scale: f64, cells: &[CellRound]) -> String {
    let mut results = cells.iter().flat_map(|cell| &cell.phases).flat_map(|line| &line.result.operations);
    let walks = match results.any(|of| of.operation == "walk") {
        true => " A walk is of fewer lookups than theirs, so its factors are of different work.",
        false => "",
    };
    format!(
        "This run was scaled down: fields stand beside those of the publication that had {} times its records.{walks}",
        digits(1.0 / scale)
    )
}

/// How many records a run has that was scaled down, as the suite rounds them.
fn scaled(records: u64, scale: Option<f64>) -> u64 {
    scale.map_or(records, |scale| ((records as f64 * scale).round() as u64).max(1))
}

/// What of ours a publication has by its full name.
struct Named {
    variant: bool,
    /// The name of one of its machines, such as `ssd`.
    medium: bool,
}

/// Variants and disturbances must be the same where the publication tells them apart, and media where ours is called as one of its machines.
fn may_be_matched(ours: &Rankings, theirs: &Rankings, named: &Named) -> bool {
    let (ours, theirs) = (&ours.circumstances, &theirs.circumstances);
    if named.medium && ours.medium() != theirs.medium() {
        return false;
    }
    let variant = theirs.variant().is_none_or(|variant| {
        // A section of a paper may be two variants of a suite: `baseline` is `baseline-sequential` and `baseline-random`.
        let part = |ours: &str| !named.variant && ours.starts_with(&format!("{variant}-"));
        ours.variant().is_some_and(|ours| ours == variant || part(ours))
    });
    variant && ours.disturbance() == theirs.disturbance() && ours.threads() == theirs.threads()
}

/// In how many fields the winner changed, and in how many nobody can say.
fn summary(pairs: &[Pair<'_>]) -> String {
    let (contested, alone): (Vec<_>, Vec<_>) = pairs.iter().partition(|pair| pair.is_contested());
    let (answered, open): (Vec<_>, Vec<_>) = contested.into_iter().partition(|pair| pair.is_answered());
    let fields =
        |of: &[&Pair<'_>], words: &str| (!of.is_empty()).then(|| format!("In {} {words}.", counted(of.len(), "field")));
    let sentences = [
        (!answered.is_empty()).then(|| changes(&answered)),
        fields(&open, "the winner of then took no part here, so nothing shows whether it would still win"),
        fields(&alone, "only one store was measured, then or now, and wins nothing"),
    ];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// In how many of these the winner changed, measure by measure.
fn changes(pairs: &[&Pair<'_>]) -> String {
    let changed = pairs.iter().filter(|pair| pair.is_changed()).count();
    let mut by_measure: BTreeMap<&Measure, (usize, usize)> = BTreeMap::new();
    for pair in pairs {
        let entry = by_measure.entry(&pair.place.0).or_default();
        *entry = (entry.0 + usize::from(pair.is_changed()), entry.1 + 1);
    }
    let parts: Vec<String> = by_measure
        .iter()
        .map(|(measure, (changed, all))| format!("{changed} of {all} in {}", measure.label()))
        .collect();
    format!("The winner changed in {changed} of {}: {}.", counted(pairs.len(), "field"), listed(&parts))
}
