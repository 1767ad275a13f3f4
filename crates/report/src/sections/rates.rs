//! The highest rates as a table: for each workload a row a store, best first, then what a bracket does not say.

use std::collections::BTreeMap;

use bakeoff_results::rate_search::{RateFacts, RateSearch};
use bakeoff_results::rate_search_time::Left;
use bakeoff_results::run::Run;
use bakeoff_stats::Bracket;
use bakeoff_text::{counted, digits, format_count, or_dash, printable, rate, time};

use crate::document::{Block, Cell, Column, Section, SectionId, Table};

/// Below this length of a phase, seconds, what holds and what fails is said to be shaky.
const SHORT_S: f64 = 1.0;

/// What is said then.
const SHORT: &str = "Rates at which the phase lasts less than a second rest on little: one pause of the machine decides, and what a store puts off \
                     is not due yet. Give the phase more operations.";

/// What was found; `None` if nothing was looked for.
pub(crate) fn section(run: &Run, facts: &RateFacts) -> Option<Section> {
    let rates = Rates { run, facts, titles: titles(run), rounds: rounds(run) };
    let mut workloads: Vec<&RateSearch> = Vec::new();
    for search in &facts.searches {
        if !workloads.iter().any(|of| of.is_of_same_workload(search)) {
            workloads.push(search);
        }
    }
    let mut blocks: Vec<Block> = workloads.into_iter().flat_map(|first| rates.workload(first)).collect();
    blocks.extend([Block::Gap, Block::paragraph_at(1, rates.meaning())]);
    Section::titled(SectionId::Rates, &format!("Highest rate with {}", facts.label()), blocks)
}

fn titles(run: &Run) -> BTreeMap<&str, String> {
    run.stores().iter().map(|store| (store.name.as_str(), printable(&store.title))).collect()
}

/// The rounds that the two rates of an answer were to have.
fn rounds(run: &Run) -> u32 {
    run.record.rounds.unwrap_or(1)
}

/// A run's searches with what is needed to speak of them.
struct Rates<'a> {
    run: &'a Run,
    facts: &'a RateFacts,
    titles: BTreeMap<&'a str, String>,
    rounds: u32,
}

impl Rates<'_> {
    fn bracket(&self, search: &RateSearch) -> Bracket {
        Bracket::of(&search.tried(&self.facts.bound, &self.run.cells))
    }

    fn title(&self, search: &RateSearch) -> String {
        self.titles.get(search.store.as_str()).cloned().unwrap_or_else(|| printable(&search.store))
    }

    fn workload(&self, one: &RateSearch) -> Vec<Block> {
        let of_workload = self.facts.searches.iter().filter(|search| one.is_of_same_workload(search));
        let mut rows: Vec<(&RateSearch, Bracket)> = of_workload.map(|search| (search, self.bracket(search))).collect();
        rows.sort_by_key(|(_, bracket)| std::cmp::Reverse((bracket.held, bracket.failed)));
        let Some((first, _)) = rows.first() else { return Vec::new() };
        let heading = format!("{} · phase {}, {}", first.workload, first.phase, counted(first.operations, "operation"));
        let percentile = &self.facts.bound.percentile;
        let fails = format!("{percentile} there");
        let heads = ["closed loop", "holds at", percentile, "lasting", "fails at", &fails, "rates tried"];
        let mut table = Table::new(1, std::iter::once(Column::left("store")).chain(heads.map(Column::right)).collect());
        for (search, bracket) in &rows {
            table.row(self.row(search, *bracket).map(Cell::from).into());
        }
        let notes = rows.iter().filter_map(|(search, bracket)| self.note(search, *bracket));
        let short = rows.iter().any(|(search, bracket)| is_short(search, *bracket));
        let notes: Vec<String> = notes.chain(short.then(|| SHORT.to_owned())).collect();
        let notes = (!notes.is_empty()).then(|| Block::list(notes));
        [Block::heading(1, heading), Block::Table(table)].into_iter().chain(notes).collect()
    }

    fn row(&self, search: &RateSearch, bracket: Bracket) -> [String; 8] {
        let at = |rate: Option<u64>| search.at(rate?, &self.facts.bound, &self.run.cells);
        let rate_at = |at: Option<u64>| or_dash(at, |at| rate(at as f64));
        let latency = |at: Option<f64>| at.map_or_else(String::new, time);
        let failed = match at(bracket.failed) {
            Some(ns) if ns < self.facts.bound.below_ns as f64 => "fell behind".to_owned(),
            other => latency(other),
        };
        [
            self.title(search),
            or_dash(search.closed_loop(&self.run.cells), |closed| rate(closed.per_second)),
            rate_at(bracket.held),
            latency(at(bracket.held)),
            bracket.held.map_or_else(String::new, |held| lasts(search.operations, held)),
            rate_at(bracket.failed),
            failed,
            format_count(search.probes.len() as u64),
        ]
    }

    /// Why there is no closed bracket, and how there might be one.
    fn note(&self, search: &RateSearch, bracket: Bracket) -> Option<String> {
        let title = self.title(search);
        let lasting = |rate: u64| lasts(search.operations, rate);
        if let Some(at) = search.failed_at(&self.run.cells) {
            return Some(format!("{title}: a cell failed {at}, which ended the search: see below."));
        }
        if search.cut_short && self.run.record.finished.is_some() {
            return Some(format!("{title}: the time ended. {}{}", known(bracket), self.rest(search)));
        }
        let unsure = self.unsure(search, bracket);
        let note = match bracket {
            Bracket { held: Some(held), failed: None } if held >= search.highest_per_second => Some(format!(
                "{title}: held at the highest rate tried, {}, at which the phase lasts {}. Give it more operations to try higher ones.",
                rate(held as f64),
                lasting(held)
            )),
            Bracket { held: None, failed: Some(failed) } if failed <= search.lowest_per_second => Some(format!(
                "{title}: fails even at the lowest rate tried, {}, at which the phase lasts {}. Give it fewer operations to try \
                 lower ones, or a larger bound.",
                rate(failed as f64),
                lasting(failed)
            )),
            bracket if bracket.is_closed() => None,
            _ => Some(format!("{title}: not finished, `bakeoff run --resume` goes on.")),
        };
        match (note, unsure) {
            (None, Some(unsure)) => Some(format!("{title}: {unsure}")),
            (note, unsure) => Some(note? + &unsure.map_or_else(String::new, |unsure| format!(" {unsure}"))),
        }
    }

    /// How few rounds the ends of a search rest on, where the time did not suffice for all.
    fn unsure(&self, search: &RateSearch, bracket: Bracket) -> Option<String> {
        let cells = &self.run.cells;
        search.unsure_end(&self.facts.bound, cells, self.rounds)?;
        let at = |rate: u64| {
            let rounds = search.rounds_at(rate, &self.facts.bound, cells) as usize;
            format!("{} on {}", bakeoff_text::rate(rate as f64), counted(rounds, "round"))
        };
        let ends: Vec<String> = [bracket.held, bracket.failed].into_iter().flatten().map(at).collect();
        let wanted = counted(self.rounds, "round");
        Some(format!("The time was too short for the {wanted} that each end may take: it found {}.", ends.join(", ")))
    }

    /// What a search that was cut short still wants.
    fn rest(&self, search: &RateSearch) -> String {
        let cells = &self.run.cells;
        let Some(left) = search.left(&self.facts.bound, cells, self.rounds) else {
            return " Its closed loop was not measured either, so nothing tells how long it would take: give more --budget.".to_owned();
        };
        format!(
            " Coming within 5 %, with up to {} at both ends, would take {} more: give more --budget.",
            counted(self.rounds, "round"),
            seconds(left)
        )
    }

    fn meaning(&self) -> String {
        let ends = match self.rounds {
            1 => String::new(),
            rounds => format!(", the two rates of the answer up to {rounds}"),
        };
        let (percentile, below) = (&self.facts.bound.percentile, time(self.facts.bound.below_ns as f64));
        format!(
            "A rate holds if {percentile}, counted from when each operation was due, is below {below} and the store keeps up with the \
             schedule, in most of its rounds: one where that holds, two or more where it does not{ends}. The two rates are where the search ended, and no interval of confidence: repeat it, with another --seed, \
             before you rely on a small difference."
        )
    }
}

/// What is known of the highest rate before its search is over.
fn known(bracket: Bracket) -> String {
    match (bracket.held.map(|held| rate(held as f64)), bracket.failed.map(|failed| rate(failed as f64))) {
        (Some(held), Some(failed)) => {
            format!("So far its highest rate lies between {held}, which holds, and {failed}, which does not.")
        }
        (Some(held), None) => format!("So far its highest rate is at least {held}, which holds."),
        (None, Some(failed)) => format!("So far its highest rate is below {failed}, which does not hold."),
        (None, None) => "Whether any rate holds is not known yet.".to_owned(),
    }
}

/// A time that is expected, for a person: `about 14 s`, or `7 to 60 s` where it is known no better.
fn seconds(left: Left) -> String {
    let [least, most] = [left.least_ns, left.most_ns].map(|ns| format_count((ns / 1e9).ceil() as u64));
    if least == most { format!("about {most} s") } else { format!("{least} to {most} s") }
}

/// Whether the highest rate that holds is that of a short phase.
fn is_short(search: &RateSearch, bracket: Bracket) -> bool {
    bracket.held.is_some_and(|held| (search.operations as f64) < SHORT_S * held as f64)
}

/// How long a schedule takes at a rate: `1.23 s`.
fn lasts(operations: u64, per_second: u64) -> String {
    format!("{} s", digits(operations as f64 / per_second.max(1) as f64))
}
