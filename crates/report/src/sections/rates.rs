//! The highest rates as a table: for each workload a row a store, best first, then what a bracket does not say.

use std::collections::BTreeMap;

use bakeoff_results::rate_results::{RateEnd, RateFailed, RateResult, rate_results};
use bakeoff_results::rate_search::{FailedAt, RateFacts};
use bakeoff_results::rate_search_time::Left;
use bakeoff_results::run::Run;
use bakeoff_stats::Bracket;
use bakeoff_text::{counted, digits, format_count, or_dash, printable, rate, time};

use crate::document::{Block, Cell, Column, Section, SectionId, Table};

/// The note where a highest rate is that of a short phase.
const SHORT: &str = "Rates at which the phase lasts less than a second rest on little: one pause of the machine decides, and what a store puts off \
                     is not due yet. Give the phase more operations.";

/// The rates found; `None` without a search.
pub(crate) fn section(run: &Run, facts: &RateFacts) -> Option<Section> {
    let titles = run.stores().iter().map(|store| (store.name.as_str(), printable(&store.title))).collect();
    let rates = Rates { run, facts, titles, rounds: run.record.rounds_wanted() };
    let mut blocks: Vec<Block> = rate_results(run, facts).iter().flat_map(|of| rates.workload(of)).collect();
    blocks.extend([Block::Gap, Block::paragraph_at(1, rates.meaning())]);
    Section::titled(SectionId::Rates, &format!("Highest rate with {}", facts.label()), blocks)
}

/// A run's searches with helpers to describe them.
struct Rates<'a> {
    run: &'a Run,
    facts: &'a RateFacts,
    titles: BTreeMap<&'a str, String>,
    /// The rounds that the two rates of an answer were to have.
    rounds: u32,
}

impl Rates<'_> {
    fn title(&self, of: &RateResult) -> String {
        self.titles.get(of.search.store.as_str()).cloned().unwrap_or_else(|| printable(&of.search.store))
    }

    fn workload(&self, results: &[RateResult]) -> Vec<Block> {
        let Some(RateResult { search: first, .. }) = results.first() else { return Vec::new() };
        let heading = format!("{} · phase {}, {}", first.workload, first.phase, counted(first.operations, "operation"));
        let percentile = &self.facts.bound.percentile;
        let fails = format!("{percentile} there");
        let heads = ["closed loop", "holds at", percentile, "lasting", "fails at", &fails, "rates tried"];
        let mut table = Table::new(1, std::iter::once(Column::left("store")).chain(heads.map(Column::right)).collect());
        for result in results {
            table.row(self.row(result).map(Cell::from).into());
        }
        let notes = results.iter().filter_map(|result| self.note(result));
        let short = results.iter().any(|result| result.is_short);
        let notes: Vec<String> = notes.chain(short.then(|| SHORT.to_owned())).collect();
        let notes = (!notes.is_empty()).then(|| Block::list(notes));
        [Block::heading(1, heading), Block::Table(table)].into_iter().chain(notes).collect()
    }

    fn row(&self, of: &RateResult) -> [String; 8] {
        let RateResult { search, bracket, .. } = of;
        let rate_at = |at: Option<u64>| or_dash(at, |at| rate(at as f64));
        [
            self.title(of),
            or_dash(search.closed_loop(&self.run.cells), |closed| rate(closed.per_second)),
            rate_at(bracket.held),
            of.held_ns.map_or_else(String::new, time),
            bracket.held.map_or_else(String::new, |held| lasts(search.operations, held)),
            rate_at(bracket.failed),
            match of.failed {
                Some(RateFailed::FellBehind) => "fell behind".to_owned(),
                Some(RateFailed::Latency(ns)) => time(ns),
                None => String::new(),
            },
            format_count(search.probes.len() as u64),
        ]
    }

    /// Why there is no closed bracket, and how there might be one.
    fn note(&self, of: &RateResult) -> Option<String> {
        let lasting = |rate: u64| lasts(of.search.operations, rate);
        let note = match of.end {
            RateEnd::Failed(at) => {
                let at = match at {
                    FailedAt::Rate(at) => format!("at {}", rate(at as f64)),
                    FailedAt::ClosedLoop => "in the closed loop".to_owned(),
                };
                format!("a cell failed {at}, which ended the search: see below.")
            }
            RateEnd::OutOfTime(left) => format!("the time ended. {}{}", known(of.bracket), self.rest(left)),
            RateEnd::HighestHeld(held) => format!(
                "held at the highest rate tried, {}, at which the phase lasts {}. Give it more operations to try higher ones.",
                rate(held as f64),
                lasting(held)
            ),
            RateEnd::LowestFailed(failed) => format!(
                "fails even at the lowest rate tried, {}, at which the phase lasts {}. Give it fewer operations to try \
                 lower ones, or a larger bound.",
                rate(failed as f64),
                lasting(failed)
            ),
            RateEnd::Found => String::new(),
            RateEnd::Unfinished => format!("not finished, `{} run --resume` goes on.", bakeoff_text::program()),
        };
        let unsure = match of.end {
            RateEnd::Failed(_) | RateEnd::OutOfTime(_) => None,
            _ => self.unsure(of),
        };
        let notes: Vec<String> = Some(note).filter(|note| !note.is_empty()).into_iter().chain(unsure).collect();
        (!notes.is_empty()).then(|| format!("{}: {}", self.title(of), notes.join(" ")))
    }

    /// How few rounds the ends of a search rest on, where the time did not suffice for all.
    fn unsure(&self, of: &RateResult) -> Option<String> {
        let end = |(at, rounds): &(u64, u32)| format!("{} on {}", rate(*at as f64), counted(*rounds, "round"));
        let ends: Vec<String> = of.unsure.iter().map(end).collect();
        let wanted = counted(self.rounds, "round");
        (!ends.is_empty()).then(|| {
            format!("The time was too short for the {wanted} that each end may take: it found {}.", ends.join(", "))
        })
    }

    /// What a search that was cut short still wants.
    fn rest(&self, left: Option<Left>) -> String {
        let Some(left) = left else {
            return " Its closed loop was not measured either, so its time cannot be predicted: give more --budget."
                .to_owned();
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

/// The highest rate before its search is over.
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

/// How long a schedule takes at a rate: `1.23 s`.
fn lasts(operations: u64, per_second: u64) -> String {
    format!("{} s", digits(operations as f64 / per_second.max(1) as f64))
}
