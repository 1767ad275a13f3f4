//! A run compared with a publication: who won then, who wins now, by how much, and where the winner changed.

use std::borrow::Cow;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::caveats::caveat_beside_publication;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::published::{Published, placed};
use bakeoff_results::verdict::Table as Rankings;
use bakeoff_results::winners::{Changes, Pair, gains, matching, pairs};
use bakeoff_text::{counted, listed, ratio};

use crate::detail::Detail;
use crate::document::{Block, Cell, Column, Document, Section, SectionId, Table, Title};
use crate::error::ReportError;
use crate::published::{garbage, report};
use crate::sections::heading::unfinished;
use crate::sections::matrix::title;
use crate::sections::names::store;
use crate::sections::notes;
use crate::sections::pairs::{self, Sides};

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
    let theirs = placed::tables(published, |records| placed::scaled(records, scale));
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
    let (known, settings) = (report::notes(published), report::settings(published));
    sections.extend(report::list(SectionId::PublishedNotes, "To be known of their figures", known));
    sections.extend(report::list(SectionId::PublishedSettings, "How their stores were set", settings));
    let scaled_down = caveat_beside_publication(run).map(|caveat| notes::describe(&caveat).into());
    let lead = [Some(heading(published).into()), unfinished(run), scaled_down];
    Ok(Document {
        title: Title::Implied(format!("Beside {}", published.facts.title).into()),
        lead: lead.into_iter().flatten().map(Block::Note).collect(),
        sections,
        ..Document::default()
    })
}

/// A section for each of their tables that is comparable with a table of the run and shares a field with it.
fn matched(
    table: &Rankings,
    (ours, contenders, theirs): (&[Rankings], &Contenders, &[Rankings]),
    published: &Published,
    detail: Detail,
) -> Vec<Section> {
    let their_contenders = placed::contenders(published);
    let section = |other: &Rankings| {
        let (left, right) = ((other, &their_contenders), (table, contenders));
        let pairs = pairs(left, right);
        if pairs.is_empty() {
            return None;
        }
        let medium = other.circumstances.medium();
        let then = published.facts.hardware.get(medium).map_or(medium, String::as_str);
        let sides = Sides::of(left, right);
        let headings = ["best then", "best now", "better"];
        let mut blocks = vec![
            Block::Fact("then", then.into()),
            Block::paragraph(summary(&pairs)),
            Block::Table(pairs::table(&pairs, &sides, headings, |gain| gain, detail == Detail::Full)),
            Block::paragraph(sides.legend(&pairs).join(" · ")),
        ];
        // Of a publication that prints the best alone, a store has figures only where it was the best.
        if let Some(stores) = (!published.facts.only_best).then(|| each_store(&pairs, contenders)).flatten() {
            blocks.extend([Block::Gap, Block::Note(EACH_STORE.into()), Block::Table(stores)]);
        }
        Some(Section::new(SectionId::Against, Title::Shown(title(&table.circumstances, ours)), blocks))
    };
    let theirs = theirs.iter().map(|other| (&other.circumstances, other));
    matching(&table.circumstances, theirs).filter_map(section).collect()
}

/// The text above the table of [`each_store`].
const EACH_STORE: &str = "Each store: how many times better it is now than it was then, below 1 worse (geometric means over the fields in which it \
                          has a figure both times; it may have promised something else then: `How their stores were set`)";

/// Each store compared with itself, measure by measure; `None` where none took part both times.
fn each_store(pairs: &[Pair<'_>], contenders: &Contenders) -> Option<Table> {
    let mut measures: Vec<&Measure> = pairs.iter().map(|pair| &pair.place.0).collect();
    measures.dedup();
    let gains = gains(pairs);
    gains.first_key_value()?;
    let heads = measures.iter().map(|measure| Column::right(measure.label()));
    let mut table = Table::new(0, std::iter::once(Column::left("")).chain(heads).collect());
    for (key, of) in &gains {
        let cells = measures.iter().map(|measure| Cell::from(of.get(measure).copied().map_or_else(String::new, ratio)));
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

/// In how many fields the winner changed, and in how many nobody can say.
fn summary(pairs: &[Pair<'_>]) -> String {
    let changes = Changes::of(pairs);
    let fields = |number: usize, words: &str| (number > 0).then(|| format!("In {} {words}.", counted(number, "field")));
    let sentences = [
        changed(&changes),
        fields(changes.open, "the winner of then took no part here, so nothing shows whether it would still win"),
        fields(changes.alone, "only one store was measured, then or now, and wins nothing"),
    ];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// In how many fields the winner changed, measure by measure; `None` where that can be said of none.
fn changed(changes: &Changes) -> Option<String> {
    let part =
        |(measure, (changed, all)): (&&Measure, &(usize, usize))| format!("{changed} of {all} in {}", measure.label());
    let parts: Vec<String> = changes.by_measure.iter().map(part).collect();
    let (changed, all) = changes.total();
    (all > 0).then(|| format!("The winner changed in {changed} of {}: {}.", counted(all, "field"), listed(&parts)))
}
