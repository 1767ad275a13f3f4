//! The answer: who is best overall and at what, in a few plain sentences, honest about ties.

use bakeoff_protocol::{Durability, Leaves};
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::flush_share::FlushShare;
use bakeoff_results::power_cut::after_power_cut;
use bakeoff_results::verdict::Table as Rankings;
use bakeoff_stats::{Place, Ranking, TIED_WITHIN, Verdict};
use bakeoff_text::{counted, listed, percent, printable, ratio, time};

use crate::circumstances::varying;
use crate::document::{Block, Cell, Column, Fact, Fold, Section, SectionId, Table, Text, Title};
use crate::format::describe_workload;
use crate::labels::{AHEAD, TOO_FEW_ROUNDS, from_one, interval, kept_together, too_few, undecided};
use crate::sections::names::store;
use bakeoff_results::analysis::{Analysis, Ranked};
use bakeoff_results::overall::{Depends, Overall, Workload, most_first, next};

/// The number of workloads with their fastest store shown by default.
const WORKLOADS_UNASKED: usize = 12;

/// The durability of stores, for a heading.
pub(crate) struct Promise {
    /// The level: `durability power`, or that the stores' levels differ.
    pub(crate) class: String,
    /// What that means.
    pub(crate) meaning: &'static str,
}

/// The meaning of a durability level; of `None` that stores have different levels.
pub(crate) fn promise(durability: Option<Durability>) -> Promise {
    let Some(durability) = durability else {
        let meaning = "each store has the durability next to its name, so their figures are no fair comparison";
        return Promise { class: "UNEQUAL".to_owned(), meaning };
    };
    let meaning = match durability {
        Durability::None => "an acknowledged write may be lost when the process dies",
        Durability::Process => {
            "an acknowledged write survives the death of the process; after a power cut the store may be corrupt"
        }
        Durability::Consistent => {
            "an acknowledged write survives the death of the process; after a power cut the store opens with an earlier state"
        }
        Durability::Power => "an acknowledged write survives a power cut",
    };
    Promise { class: format!("durability {durability}"), meaning }
}

/// That stores have different durability, for a report without an answer that says it; `None` where all have the same.
pub(crate) fn unequal(tables: &[Rankings]) -> Option<Section> {
    if tables.iter().all(|table| table.circumstances.durability().is_some()) {
        return None;
    }
    let Promise { class, meaning } = promise(None);
    Section::untitled(SectionId::Unequal, vec![Block::paragraph(format!("{class}: {meaning}"))])
}

/// The text before what a power cut leaves of each store.
pub(crate) const AFTER_POWER_CUT: &str = "after a power cut";

/// The text before the share of flushes in the time of writes.
const FLUSHES: &str = "flushes";

/// What a power cut leaves of each ranked store, at least: `LMDB and SQLite: an earlier state; Fjall: kept`. `None` if no store describes it.
pub(crate) fn describe_power_cut(table: &Rankings, contenders: &Contenders) -> Option<String> {
    let groups = after_power_cut(table, contenders);
    let label =
        |leaves: &Option<Leaves>| leaves.map_or_else(|| "not described".to_owned(), |leaves| leaves.to_string());
    match groups.as_slice() {
        [] => None,
        [(leaves, keys)] if keys.len() > 1 => Some(format!("{}, each store", label(leaves))),
        groups => {
            let titles = |keys: &[String]| listed(&keys.iter().map(|key| contenders.title(key)).collect::<Vec<_>>());
            let each = groups.iter().map(|(leaves, keys)| format!("{}: {}", titles(keys), label(leaves)));
            Some(each.collect::<Vec<_>>().join("; "))
        }
    }
}

/// How much of the time of writes is a flush: `97 % of the time of a write in LMDB and redb (3.40 ms each); SQLite waits for none`.
pub(crate) fn describe_flushes(of: &FlushShare, titles: impl Fn(&[String]) -> String) -> String {
    let FlushShare { flush_ns, share, flushing, others } = of;
    let stores = if of.is_of_all() { "every store".to_owned() } else { titles(flushing) };
    let rest = match others.as_slice() {
        [] => "; reads, space and memory decide".to_owned(),
        [_] => format!("; {} waits for none", titles(others)),
        _ => format!("; {} wait for none", titles(others)),
    };
    format!("{} of the time of a write in {stores} ({} each){rest}", percent(*share), time(*flush_ns))
}

/// The same for a table with stores in several settings.
pub(crate) fn describe_flushes_of(table: &Rankings, of: &Analysis) -> Option<String> {
    let share = of.flush_share(&table.circumstances)?;
    let contenders = of.contenders.titles();
    let title = |name: &String| {
        contenders.iter().find(|each| each.store == *name).map_or_else(|| printable(name), |each| each.title.clone())
    };
    Some(describe_flushes(share, |names| listed(&names.iter().map(title).collect::<Vec<_>>())))
}

/// A section for each table.
pub(crate) fn sections(of: &Analysis) -> Vec<Section> {
    of.ranked().map(|ranked| section(ranked, of)).collect()
}

fn section(of: Ranked, analysis: &Analysis) -> Section {
    let contenders = &*analysis.contenders;
    let Promise { class, meaning } = promise(of.table.circumstances.durability());
    let varying = varying(&of.table.circumstances, of.tables);
    let title = Text::plain(&format!("{}: {meaning}{varying}", upper_first(&class)));
    let measures = of.table.measures.iter();
    let facts = measures.map(|measure| Fact::new(&measure.label(), describe_tally(of, measure, contenders)));
    let overall = Fact::new("overall", describe_overall(of, contenders));
    let power_cut = describe_power_cut(of.table, contenders).map(|left| Fact::new(AFTER_POWER_CUT, left));
    let flushes = describe_flushes_of(of.table, analysis).map(|share| Fact::new(FLUSHES, share));
    let mut blocks = vec![Block::Facts([overall].into_iter().chain(power_cut).chain(flushes).chain(facts).collect())];
    if !of.workloads().is_empty() {
        let ahead = |ranking: &Ranking| describe_lead(ranking, contenders).unwrap_or_default().into();
        let (rows, fold) = fastest(of, |overall| [first_place(overall, contenders), ahead(&overall.ranking)]);
        let mut table = Table::new(1, ["fastest in", "", AHEAD].map(Column::left).into());
        rows.into_iter().for_each(|(workload, words)| {
            table.row(std::iter::once(Text::plain(&workload)).chain(words).map(Cell::from).collect());
        });
        table.fold = fold;
        blocks.extend([Block::Gap, Block::Table(table)]);
    }
    Section::new(SectionId::Answer, Title::Shown(title), blocks)
}

/// Who is fastest in each workload, over all operations on it, and how far ahead: a row each, with the words of a form for both.
pub(crate) fn fastest<C>(of: Ranked, words: impl Fn(&Overall) -> [C; 2]) -> (Vec<(String, [C; 2])>, Option<Fold>) {
    let all = of.workloads();
    let rows = all.iter().map(|(workload, overall)| (workload_label(workload), words(overall))).collect();
    let rest = counted(all.len().saturating_sub(WORKLOADS_UNASKED), "more workload");
    (rows, Fold::after(WORKLOADS_UNASKED, all.len(), "`--full`").map(|fold| Fold { rest, ..fold }))
}

/// Who shares the first place, and whether that is proven.
fn first_place(of: &Overall, contenders: &Contenders) -> Text {
    let Overall { ranking, .. } = of;
    let mut names = Text::default();
    for (index, key) in ranking.tied.iter().enumerate() {
        names = names.and(if index > 0 { " = " } else { "" }).join(store(contenders, key));
    }
    match ranking.verdict {
        Verdict::Unproven => names.and(", not proven"),
        Verdict::Undecided => names.and(&undecided(of, contenders).map_or_else(String::new, |who| format!(" ? {who}"))),
        Verdict::Winner | Verdict::Tie | Verdict::Alone => names,
    }
}

/// A workload's label.
fn workload_label((size, column): &Workload) -> String {
    printable(&describe_workload(*size, column.records, &column.data))
}

/// Over which comparisons means over everything are.
pub(crate) fn describe_comparisons(of: &Overall) -> String {
    let Overall { common, short, all, .. } = of;
    match all {
        1 => "the only comparison".to_owned(),
        _ if common == all => format!("all {all} comparisons"),
        _ if *short == 0 => format!("the {common} of {all} comparisons that all of them have"),
        _ => format!("the {common} of {all} comparisons that all of them have in enough rounds"),
    }
}

fn describe_overall(of: Ranked, contenders: &Contenders) -> String {
    let Some(whole) = of.whole() else {
        return "no workload has figures of every store that never failed: see the rows".to_owned();
    };
    let Overall { ranking, left_out, incomplete, .. } = whole;
    let title = |key: &String| contenders.title(key);
    let tied: Vec<String> = ranking.tied.iter().map(title).collect();
    let head = match ranking.verdict {
        Verdict::Winner => format!("{} is fastest of {}", tied.concat(), counted(ranking.order.len(), "store")),
        Verdict::Tie => of.depends().map_or_else(
            || format!("{} are fastest, within {TIED_WITHIN}×", listed(&tied)),
            |depends| describe_depends(depends, contenders).to_plain(),
        ),
        Verdict::Undecided => of.depends().map_or_else(
            || {
                let is = if tied.len() == 1 { "is" } else { "are" };
                let others = undecided(whole, contenders).unwrap_or_default();
                format!("{} {is} first by figures, and not told apart from {others}", listed(&tied))
            },
            |depends| describe_depends(depends, contenders).to_plain(),
        ),
        Verdict::Unproven => format!("{} is first by its figures; too few rounds to prove it", title(&ranking.best)),
        Verdict::Alone => format!("{} has no competitor", title(&ranking.best)),
    };
    let proven = ranking.verdict != Verdict::Unproven;
    let interval_of = |place: &Place| match place.ratio_to_best {
        Some(of) if proven && place.name != ranking.best => format!(" ({})", interval(of, too_few(whole))),
        _ => String::new(),
    };
    let times = |place: &Place| ratio(ranking.times_the_best(place));
    let figures = |place: &Place| format!("{} {}{}", title(&place.name), times(place), interval_of(place));
    let places: Vec<String> = ranking.order.iter().map(|place| kept_together(&figures(place))).collect();
    let first_in = match whole.common {
        1 => String::new(),
        _ => format!("; {} is first in {}", title(&ranking.best), whole.best_in),
    };
    let mut answer = format!(
        "{head}. Time, the best being 1: {} (geometric mean over {}{first_in})",
        places.join(", "),
        describe_comparisons(whole)
    );
    for (why, keys) in [(" because of failures", left_out), (", since no round of theirs is whole", incomplete)] {
        if !keys.is_empty() {
            let names: Vec<String> = keys.iter().map(title).collect();
            answer.push_str(&format!(". Not in it{why}: {}", listed(&names)));
        }
    }
    answer
}

/// The axes that decide which store is fastest.
pub(crate) fn describe_depends(of: &Depends, contenders: &Contenders) -> Text {
    match of {
        Depends::OnOperation(winners) => {
            let each = |(key, measures): &(String, Vec<Measure>)| {
                store(contenders, key)
                    .and(&format!(" for {}", listed(&measures.iter().map(Measure::label).collect::<Vec<_>>())))
            };
            Text::plain("Which is fastest depends on the operation: ").join(joined(
                winners.iter().map(each),
                "; ",
                "; ",
            ))
        }
        Depends::OnWorkload(winners, all) => {
            let each = |(key, wins): &(String, usize)| store(contenders, key).and(&format!(" in {wins}"));
            Text::plain("Which is fastest depends on the workload: ")
                .join(joined(winners.iter().map(each), ", ", " and "))
                .and(&format!(" of {all} comparisons"))
        }
    }
}

/// Texts with a separator between any two, and another one before the last.
fn joined(texts: impl ExactSizeIterator<Item = Text>, separator: &str, last: &str) -> Text {
    let number = texts.len();
    texts.enumerate().fold(Text::default(), |all, (at, text)| {
        let between = if at == 0 {
            ""
        } else if at + 1 == number {
            last
        } else {
            separator
        };
        all.and(between).join(text)
    })
}

/// How many workloads each store wins at a measure.
fn describe_tally(of: Ranked, measure: &Measure, contenders: &Contenders) -> String {
    let tally = of.tally(measure);
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
    let only = of.table.fields_of(measure).filter_map(|field| field.ranking.as_ref()).filter(|_| tally.fields == 1);
    parts.extend(only.filter_map(|ranking| describe_lead(ranking, contenders)));
    format!("{} (of {})", parts.join("; "), counted(tally.fields, "workload"))
}

/// How far those in the first place are ahead of the next one: `1.57× (1.21–2.04×) ahead of Fjall`.
fn describe_lead(ranking: &Ranking, contenders: &Contenders) -> Option<String> {
    let (next, margin) = next(ranking)?;
    let interval = interval(from_one(margin), TOO_FEW_ROUNDS);
    Some(kept_together(&format!("{} ({interval}) ahead of {}", ratio(margin.estimate), contenders.title(&next.name))))
}

/// `LMDB 12, SQLite 3`, most first.
fn numbered(counts: &std::collections::BTreeMap<String, usize>, contenders: &Contenders) -> String {
    let each = |(key, count): &(&String, &usize)| kept_together(&format!("{} {count}", contenders.title(key)));
    most_first(counts).iter().map(each).collect::<Vec<_>>().join(", ")
}

pub(crate) fn upper_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
