//! The answer: who is best overall and at what, in a few plain sentences, honest about ties.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::Durability;
use bakeoff_stats::{Better, Candidate, Interval, Place, RankOptions, Ranking, Verdict, rank};
use bakeoff_text::{HARD_SPACE, counted, listed, printable, ratio, ratio_range};

use crate::contender::Contenders;
use crate::figures::Measure;
use crate::format::workload_in_words;
use crate::matrix::measure_label;
use crate::rounds::{Rounds, over_workloads, with_enough_rounds};
use crate::verdict::{Column, Field, Size, Table};

/// The sentences that answer for one table, without line breaks.
pub(crate) struct Answer {
    /// The promise, in words.
    pub(crate) promise: String,
    /// Who leads over everything.
    pub(crate) overall: String,
    /// For each measure its name, and who is best in how many workloads.
    pub(crate) measures: Vec<(String, String)>,
}

/// Answers for one table.
pub(crate) fn answer(table: &Table, contenders: &Contenders) -> Answer {
    let measures = table.measures.iter();
    Answer {
        promise: promise(table.circumstances.durability),
        overall: overall_words(table, contenders),
        measures: measures.map(|measure| (measure_label(measure), tally_words(table, measure, contenders))).collect(),
    }
}

/// What stands above figures of stores that promise different things.
pub(crate) const UNEQUAL: &str =
    "UNEQUAL: each store promises what stands beside its name, so their figures are no fair comparison";

/// What a class of durability promises, after its name and a colon.
pub(crate) fn promise(durability: Option<Durability>) -> String {
    let Some(durability) = durability else {
        return UNEQUAL.to_owned();
    };
    let words = match durability {
        Durability::None => "an acknowledged write may be lost when the process dies",
        Durability::Process => "an acknowledged write survives the death of the process, not of the machine",
        Durability::Power => "an acknowledged write survives a power cut",
    };
    format!("durability {durability}: {words}")
}

/// The ranking over all timed workloads that every remaining store has figures for, and their number.
pub(crate) struct Overall {
    /// By geometric mean of the ratio to the best of each workload, round by round.
    pub(crate) ranking: Ranking,
    /// Timed workloads (each phase counts) that all of them have figures for.
    pub(crate) common: usize,
    /// Others that all of them have figures for, in too few rounds to be taken together with these.
    pub(crate) short: usize,
    /// All timed workloads.
    pub(crate) all: usize,
    /// Keys left out because they failed somewhere or have no figure at all.
    pub(crate) left_out: BTreeSet<String>,
    /// Keys left out because no round of theirs has a figure in every one of these workloads.
    pub(crate) incomplete: BTreeSet<String>,
}

impl Overall {
    /// Over which comparisons its means are, in words.
    pub(crate) fn comparisons(&self) -> String {
        let Self { common, short, all, .. } = self;
        match all {
            1 => "the only comparison".to_owned(),
            _ if common == all => format!("all {all} comparisons"),
            _ if *short == 0 => format!("the {common} of {all} comparisons that all of them have"),
            _ => format!("the {common} of {all} comparisons that all of them have in enough rounds"),
        }
    }
}

/// Ranks stores over all timed workloads. Stores that failed anywhere are left out; `None` if there is nothing in common.
pub(crate) fn overall(table: &Table) -> Option<Overall> {
    overall_of(table, is_time)
}

/// Ranks stores over all workloads of some measures, as [`overall`] does over all timed ones.
pub(crate) fn overall_of(table: &Table, which: impl Fn(&Measure) -> bool) -> Option<Overall> {
    let measures = table.measures.iter().filter(|measure| which(measure));
    overall_over(measures.flat_map(|measure| table.fields_of(measure).map(move |field| (measure, field))).collect())
}

/// A workload: the size of its records and what and how many they are.
pub(crate) type Workload = (Size, Column);

/// Who is fastest in each workload, over all operations on it; nothing where there is only one workload, of which [`overall`] tells.
pub(crate) fn by_workload(table: &Table) -> Vec<(Workload, Overall)> {
    let workloads: BTreeSet<Workload> = table.fields.keys().map(|(_, size, column)| (*size, column.clone())).collect();
    if workloads.len() < 2 {
        return Vec::new();
    }
    let of = |workload: Workload| {
        let is_in = |(measure, size, column): &&(Measure, Size, Column)| {
            is_time(measure) && (size, column) == (&workload.0, &workload.1)
        };
        let fields = table.fields.iter().filter(|(place, _)| is_in(place));
        let overall = overall_over(fields.map(|((measure, _, _), field)| (measure, field)).collect())?;
        Some((workload, overall))
    };
    workloads.into_iter().filter_map(of).collect()
}

/// A workload in words.
pub(crate) fn workload_words((size, column): &Workload) -> String {
    printable(&workload_in_words(*size, column.records, &column.data))
}

/// Ranks stores over some fields.
fn overall_over(fields: Vec<(&Measure, &Field)>) -> Option<Overall> {
    let failed: BTreeSet<String> = fields.iter().flat_map(|(_, field)| field.failed.iter().cloned()).collect();
    let entrants: BTreeSet<&String> =
        fields.iter().flat_map(|(_, field)| field.rounds.keys()).filter(|key| !failed.contains(*key)).collect();
    let common = fields.iter().filter(|(_, field)| entrants.iter().all(|key| field.rounds.contains_key(*key)));
    let scored: Vec<BTreeMap<&String, Rounds>> =
        common.filter_map(|(measure, field)| ratios_to_best(measure, field, &entrants)).collect();
    let common = scored.len();
    let scored = with_enough_rounds(scored, |field| field.values().map(Rounds::len).min().unwrap_or(0));
    let short = common - scored.len();
    let candidates: Vec<Candidate> =
        entrants.iter().map(|key| Candidate::new((*key).clone(), scores(&scored, key))).collect();
    let ranking = without_empty_ties(rank(&candidates, RankOptions::new(Better::Lower))?);
    let is_ranked = |key: &String| ranking.order.iter().any(|place| place.name == *key);
    let incomplete = entrants.iter().filter(|key| !is_ranked(key)).map(|key| (*key).clone()).collect();
    Some(Overall { ranking, common: scored.len(), short, all: fields.len(), left_out: failed, incomplete })
}

/// How many times worse than the best mean among the entrants each one's rounds are; `None` where the best is zero.
fn ratios_to_best<'a>(
    measure: &Measure,
    field: &'a Field,
    entrants: &BTreeSet<&'a String>,
) -> Option<BTreeMap<&'a String, Rounds>> {
    let costs_of = |key| Some(field.costs(measure, field.rounds.get(key)?));
    let costs: BTreeMap<&String, Rounds> = entrants.iter().filter_map(|key| Some((*key, costs_of(*key)?))).collect();
    let means = costs.values().filter_map(Rounds::mean);
    let best = means.min_by(f64::total_cmp).filter(|best| *best > 0.0)?;
    Some(costs.into_iter().map(|(key, costs)| (key, costs.map(|cost| cost / best))).collect())
}

/// One store's geometric mean over the workloads, for each round that all of them have.
fn scores(scored: &[BTreeMap<&String, Rounds>], key: &String) -> Vec<f64> {
    over_workloads(&scored.iter().filter_map(|field| field.get(key)).collect::<Vec<_>>())
}

/// Rounds that a tie takes: of fewer chance cannot be told from difference, so whatever they leave open is not proven.
const ROUNDS_TIE: usize = 3;

/// The ranking, with a tie only where it says that stores are alike. Few rounds, or rounds that scatter much, leave open whether a store
/// far behind is as good as the best; one that is behind another which is proven to be worse is not said to share the first place.
fn without_empty_ties(mut ranking: Ranking) -> Ranking {
    let best = &ranking.order[0];
    let first_worse = ranking.order.iter().position(|place| !place.tied_with_best).unwrap_or(ranking.order.len());
    let is_empty = |(index, place): (usize, &Place)| {
        let few = place.rounds.min(best.rounds) < ROUNDS_TIE;
        place.tied_with_best && place.mean != best.mean && (few || index > first_worse)
    };
    if ranking.verdict == Verdict::Tie && ranking.order.iter().enumerate().any(is_empty) {
        ranking.verdict = Verdict::Unproven;
    }
    if ranking.verdict == Verdict::Unproven {
        ranking.tied = vec![ranking.best.clone()];
    }
    ranking
}

fn overall_words(table: &Table, contenders: &Contenders) -> String {
    let Some(whole) = overall(table) else {
        return "no workload has figures of every store that never failed: see the rows".to_owned();
    };
    let of = whole.comparisons();
    let Overall { ranking, left_out, incomplete, .. } = whole;
    let title = |key: &String| contenders.title(key);
    let tied: Vec<String> = ranking.tied.iter().map(title).collect();
    let head = match ranking.verdict {
        Verdict::Winner => format!("{} is fastest", tied.concat()),
        Verdict::Tie => depends_words(table, &ranking, title, str::to_owned)
            .unwrap_or_else(|| format!("{} are fastest and cannot be told apart", listed(&tied))),
        Verdict::Unproven => format!("{} is first by its figures; too few rounds to prove it", title(&ranking.best)),
        Verdict::Alone => format!("{} has no competitor", title(&ranking.best)),
    };
    let proven = ranking.verdict != Verdict::Unproven;
    let interval = |place: &Place| match place.ratio_to_best {
        Some(of) if proven && place.name != ranking.best => format!(" ({})", ratio_range(of.low, of.high)),
        _ => String::new(),
    };
    let best = ranking.order[0].mean;
    let figures = |place: &Place| format!("{} {}{}", title(&place.name), ratio(place.mean / best), interval(place));
    let places: Vec<String> = ranking.order.iter().map(|place| kept_together(&figures(place))).collect();
    let mut words = format!(
        "{head}. Mean time, the best being 1: {} (geometric mean over {of}, round by round)",
        places.join(", ")
    );
    for (why, keys) in [(" because of failures", &left_out), (", since no round of theirs is whole", &incomplete)] {
        if !keys.is_empty() {
            let names: Vec<String> = keys.iter().map(title).collect();
            words.push_str(&format!(". Not in it{why}: {}", listed(&names)));
        }
    }
    words
}

/// Who wins what of those that share the first place, if they are tied and more than one of them wins something: then it depends on the
/// operation, or else on the workload, which is best, and they are not alike.
///
/// `name` and `label` write a store's key and an operation for where they will stand.
pub(crate) fn depends_words(
    table: &Table,
    ranking: &Ranking,
    name: impl Fn(&String) -> String,
    label: impl Fn(&str) -> String,
) -> Option<String> {
    if ranking.verdict != Verdict::Tie {
        return None;
    }
    let mut all = Tally::default();
    let mut operations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut each_has_one = true;
    for measure in table.measures.iter().filter(|measure| is_time(measure)) {
        let mut tally = Tally::of(table, measure);
        tally.wins.retain(|key, _| ranking.tied.contains(key));
        all.fields += tally.fields;
        each_has_one &= tally.wins.len() < 2;
        for (key, wins) in tally.wins {
            operations.entry(key.clone()).or_default().push(label(&measure_label(measure)));
            *all.wins.entry(key).or_default() += wins;
        }
    }
    if all.wins.len() < 2 {
        return None;
    }
    let by_operation = |key: &String| format!("{} for {}", name(key), listed(&operations[key]));
    let by_workload = |(key, wins): &(&String, &usize)| format!("{} in {wins}", name(key));
    let winners = most_first(&all.wins);
    Some(if each_has_one {
        let words: Vec<String> = winners.iter().map(|(key, _)| by_operation(key)).collect();
        format!("Which is fastest depends on the operation: {}", words.join("; "))
    } else {
        let words: Vec<String> = winners.iter().map(by_workload).collect();
        format!("Which is fastest depends on the workload: {} of {} comparisons", listed(&words), all.fields)
    })
}

/// A name and its figure, not to be torn apart at the end of a line.
fn kept_together(words: &str) -> String {
    words.replace(' ', &HARD_SPACE.to_string())
}

fn is_time(measure: &Measure) -> bool {
    matches!(measure, Measure::Time { .. })
}

/// How often each store was best at something.
#[derive(Default)]
struct Tally {
    wins: BTreeMap<String, usize>,
    shared: BTreeMap<String, usize>,
    first: BTreeMap<String, usize>,
    /// Fields in which several are first by the same figure.
    first_shared: usize,
    alone: BTreeMap<String, usize>,
    ties: usize,
    nobody: usize,
    fields: usize,
}

impl Tally {
    fn of(table: &Table, measure: &Measure) -> Self {
        let mut tally = Self::default();
        table.fields_of(measure).for_each(|field| tally.count(field));
        tally
    }

    fn count(&mut self, field: &Field) {
        self.fields += 1;
        match &field.ranking {
            Some(ranking) => self.add(ranking),
            None => self.nobody += 1,
        }
    }

    fn add(&mut self, ranking: &Ranking) {
        let by_verdict = match ranking.verdict {
            Verdict::Winner => &mut self.wins,
            Verdict::Unproven => &mut self.first,
            Verdict::Alone => &mut self.alone,
            Verdict::Tie => &mut self.shared,
        };
        for key in &ranking.tied {
            *by_verdict.entry(key.clone()).or_default() += 1;
        }
        self.ties += usize::from(ranking.verdict == Verdict::Tie);
        self.first_shared += usize::from(ranking.verdict == Verdict::Unproven && ranking.tied.len() > 1);
    }
}

fn tally_words(table: &Table, measure: &Measure, contenders: &Contenders) -> String {
    let tally = Tally::of(table, measure);
    let mut parts = Vec::new();
    if !tally.wins.is_empty() {
        parts.push(format!("best: {}", numbered(&tally.wins, contenders)));
    }
    if tally.ties > 0 {
        parts.push(format!("{}: {}", counted(tally.ties, "tie"), numbered(&tally.shared, contenders)));
    }
    if !tally.first.is_empty() {
        let shared = if tally.first_shared > 0 { format!(", {} shared", tally.first_shared) } else { String::new() };
        parts.push(format!("first, not proven: {}{shared}", numbered(&tally.first, contenders)));
    }
    if !tally.alone.is_empty() {
        parts.push(format!("no competitor: {}", numbered(&tally.alone, contenders)));
    }
    if tally.nobody > 0 {
        parts.push(format!("nobody: {}", tally.nobody));
    }
    let only = table.fields_of(measure).filter_map(|field| field.ranking.as_ref()).filter(|_| tally.fields == 1);
    parts.extend(only.filter_map(|ranking| ahead_words(ranking, contenders)));
    format!("{} (of {})", parts.join("; "), counted(tally.fields, "workload"))
}

/// Who comes behind those that share the first place, if it is proven that somebody does.
pub(crate) fn next(ranking: &Ranking) -> Option<(&Place, Interval)> {
    let next = ranking.order.iter().find(|place| !place.tied_with_best && ranking.verdict != Verdict::Unproven)?;
    Some((next, next.ratio_to_best?))
}

/// How far those in the first place are ahead of the next one: `1.57× (1.21–2.04×) ahead of Fjall`.
pub(crate) fn ahead_words(ranking: &Ranking, contenders: &Contenders) -> Option<String> {
    let (next, margin) = next(ranking)?;
    let interval = ratio_range(margin.low.max(1.0), margin.high);
    Some(kept_together(&format!("{} ({interval}) ahead of {}", ratio(margin.estimate), contenders.title(&next.name))))
}

fn most_first(counts: &BTreeMap<String, usize>) -> Vec<(&String, &usize)> {
    let mut sorted: Vec<(&String, &usize)> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    sorted
}

/// `LMDB 12, SQLite 3`, most first.
fn numbered(counts: &BTreeMap<String, usize>, contenders: &Contenders) -> String {
    let words: Vec<String> = most_first(counts)
        .iter()
        .map(|(key, count)| kept_together(&format!("{} {count}", contenders.title(key))))
        .collect();
    words.join(", ")
}
