//! The short answer of a run that compares stores: who is fastest, by how much, what a power cut leaves, and a line for each operation.

use bakeoff_protocol::Leaves;
use bakeoff_results::analysis::{Analysis, Ranked};
use bakeoff_results::brief::{FastestIn, in_order};
use bakeoff_results::cells_measured::CellsMeasured;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::overall::{Depends, Overall, next};
use bakeoff_results::power_cut::after_power_cut;
use bakeoff_results::verdict::Table as Rankings;
use bakeoff_stats::{Ranking, TIED_WITHIN, Verdict};
use bakeoff_text::{counted, digits, listed_at_most, ratio};

use crate::brief::parts::NAMES_MAX;
use crate::circumstances::varying;
use crate::document::{Block, Cell, Column, Document, Section, SectionId, Table, Text, Title};
use crate::labels::{TOO_FEW_ROUNDS, figure, from_one, interval, kept_together, undecided};
use crate::measured::scope;
use crate::sections::answer::{Promise, promise};
use crate::sections::heading::few_rounds;
use crate::sections::names::{short_names, store_called};

/// Names of tied stores in a field; more are counted.
const TIED_NAMES_MAX: usize = 2;

/// The answer and its table.
pub(super) fn document(of: &Analysis) -> Document {
    let contenders = &*of.contenders;
    let tables: Vec<Ranked> = of.ranked().collect();
    let (first, table, last) = match tables.as_slice() {
        [] => return empty(),
        [only] => (headline(*only, contenders), operations(*only, contenders), in_workloads(*only, contenders)),
        several => (headline_of_tables(of), conditions(several, contenders), None),
    };
    let unequal = tables.iter().any(|of| of.table.circumstances.durability().is_none());
    let lead = [
        unequal.then(unfair),
        Some(Block::paragraph(first)),
        Some(scope(of.run)).filter(|scope| !scope.is_empty()).map(Block::paragraph),
        tables.first().filter(|_| tables.len() == 1).map(|of| Block::paragraph(power_cut(of.table, contenders))),
        few_rounds(&CellsMeasured::of(of.run)).map(|few| Block::Note(few.into())),
    ];
    let table = Section::new(SectionId::Matrix, Title::None, vec![Block::Table(table)]);
    let last = Section::new(SectionId::Hint, Title::None, last.into_iter().map(Block::paragraph).collect());
    Document { lead: lead.into_iter().flatten().collect(), sections: vec![table, last], ..Document::default() }
}

fn empty() -> Document {
    let lead = vec![Block::paragraph("Nothing was measured.")];
    let sections = vec![Section::new(SectionId::Hint, Title::None, Vec::new())];
    Document { lead, sections, ..Document::default() }
}

fn unfair() -> Block {
    let Promise { class, meaning } = promise(None);
    Block::Note(format!("{class}: {meaning}").into())
}

/// Who is fastest, how sure that is, and who comes next.
fn headline(of: Ranked, contenders: &Contenders) -> String {
    let Some(whole) = of.whole() else {
        return "No store is fastest: no workload has figures of every store that never failed.".to_owned();
    };
    if let Some(depends) = of.depends() {
        return describe_depends(depends, contenders);
    }
    let ranking = &whole.ranking;
    let tied: Vec<String> = ranking.tied.iter().map(|key| contenders.title(key)).collect();
    let (first, stores) = (listed_at_most(&tied, NAMES_MAX), counted(ranking.order.len(), "store"));
    let ahead = ahead_of_next(ranking, contenders);
    let ahead_of = |before: &str| ahead.as_ref().map_or_else(String::new, |ahead| format!("{before}{ahead}"));
    let (is, it_is) = if tied.len() == 1 { ("is", ". It is ") } else { ("are", ". They are ") };
    match ranking.verdict {
        Verdict::Winner => format!("{first} is the fastest of {stores}{}.", ahead_of(": ")),
        Verdict::Tie => format!("{first} are the fastest of {stores}, tied within {TIED_WITHIN}×{}.", ahead_of(": ")),
        Verdict::Undecided => {
            let others = undecided(whole, contenders).unwrap_or_default();
            format!("{first} {is} first of {stores}, not proven against {others}{}.", ahead_of(it_is))
        }
        Verdict::Unproven => format!("{first} is first of {stores}: {TOO_FEW_ROUNDS} to prove it."),
        Verdict::Alone => format!("{first} was measured alone."),
    }
}

/// `2.10× (1.90–2.40×) ahead of Fjall`; `None` if nobody is proven to be behind.
fn ahead_of_next(ranking: &Ranking, contenders: &Contenders) -> Option<String> {
    let (next, margin) = next(ranking)?;
    let interval = interval(from_one(margin), TOO_FEW_ROUNDS);
    let margin = kept_together(&format!("{} ({interval})", ratio(margin.estimate)));
    Some(format!("{margin} ahead of {}", contenders.title(&next.name)))
}

fn describe_depends(of: &Depends, contenders: &Contenders) -> String {
    let (what, wins, all) = match of {
        Depends::OnOperation(winners) => {
            let wins: Vec<(String, usize)> = winners.iter().map(|(key, of)| (key.clone(), of.len())).collect();
            ("operation", wins, None)
        }
        Depends::OnWorkload(winners, all) => ("workload", winners.clone(), Some(*all)),
    };
    let each = |(key, wins): &(String, usize)| format!("{} in {wins}", contenders.title(key));
    let names = listed_at_most(&wins.iter().map(each).collect::<Vec<_>>(), NAMES_MAX);
    let of_all = all.map_or_else(String::new, |all| format!(" of {}", counted(all, "comparison")));
    format!("Which store is fastest depends on the {what}: {names}{of_all}.")
}

/// Under how many conditions each store is fastest.
fn headline_of_tables(of: &Analysis) -> String {
    let fastest = FastestIn::of_tables(of);
    let none = || "No store is fastest: no conditions have figures of several stores.".to_owned();
    fastest.map_or_else(none, |fastest| describe_fastest(&fastest, &of.contenders, "condition"))
}

/// In how many workloads each store is fastest; `None` where there is one, or one store.
fn in_workloads(of: Ranked, contenders: &Contenders) -> Option<String> {
    Some(describe_fastest(&FastestIn::of_workloads(of)?, contenders, "workload"))
}

/// `LMDB is fastest in 9 of 14 workloads, Fjall in 5`.
fn describe_fastest(of: &FastestIn, contenders: &Contenders, noun: &str) -> String {
    let all = counted(of.all, noun);
    let each = |(at, (key, wins)): (usize, &(String, usize))| match at {
        0 => format!("{} is fastest in {wins} of {all}", contenders.title(key)),
        _ => format!("{} in {wins}", contenders.title(key)),
    };
    let named: Vec<String> = of.wins.iter().enumerate().take(NAMES_MAX).map(each).collect();
    let rest: usize = of.wins.iter().skip(NAMES_MAX).map(|(_, wins)| wins).sum();
    let rest = (rest > 0).then(|| format!("others in {rest}"));
    let open = (of.open > 0).then(|| format!("tied or not proven in {}", of.open));
    match named.as_slice() {
        [] => format!("In none of {all} one store is proven to be fastest."),
        _ => format!("{}.", named.into_iter().chain(rest).chain(open).collect::<Vec<_>>().join(", ")),
    }
}

/// What a power cut leaves of the stores, at least. For stores that do not describe it, their durability level counts.
fn power_cut(table: &Rankings, contenders: &Contenders) -> String {
    let Promise { class, meaning } = promise(table.circumstances.durability());
    let groups = after_power_cut(table, contenders);
    let each = |(leaves, keys): &(Option<Leaves>, Vec<String>)| {
        let names: Vec<String> = keys.iter().map(|key| contenders.title(key)).collect();
        let who = match groups.len() {
            1 if keys.len() > 1 => "every store here".to_owned(),
            _ => listed_at_most(&names, NAMES_MAX),
        };
        let one = keys.len() == 1 || groups.len() == 1;
        let what = match leaves {
            Some(Leaves::Kept) if one => "keeps every acknowledged write",
            Some(Leaves::Kept) => "keep every acknowledged write",
            Some(Leaves::EarlierState) if one => "opens with an earlier state",
            Some(Leaves::EarlierState) => "open with an earlier state",
            Some(Leaves::PossiblyCorrupt) => "may be corrupt",
            None if one => "does not describe it",
            None => "do not describe it",
        };
        format!("{who} {what}")
    };
    match groups.as_slice() {
        [] => format!("{class}: {meaning}."),
        groups => format!("After a power cut {} ({class}).", groups.iter().map(each).collect::<Vec<_>>().join("; ")),
    }
}

/// A row for each operation: who is best, who comes next, and how many times the best's each store takes. Of one store its figures.
fn operations(of: Ranked, contenders: &Contenders) -> Table {
    let order = in_order(of, contenders);
    let short = short_names(of.table, contenders);
    let measures = of.table.measures.iter().zip(of.measures());
    let label = |measure: &Measure| match measure {
        Measure::Space => "disk".to_owned(),
        Measure::Memory => "memory".to_owned(),
        Measure::Time { .. } => measure.label(),
    };
    if let [only] = order.as_slice() {
        let mut table = Table::new(0, vec![Column::left(""), Column::left(contenders.title(only))]);
        measures.for_each(|(measure, _)| table.row(vec![label(measure).into(), figures(of.table, measure).into()]));
        return table;
    }
    let name = |key: &String| store_called(contenders, key, short.get(key).unwrap_or(key));
    let heads = ["", "best", "ahead of next"].map(Column::left).into_iter();
    let mut table = Table::new(0, heads.chain(order.iter().map(|key| Column::right(name(key)))).collect());
    table.columns_fixed = Some(3);
    for (measure, overall) in measures {
        let mut row = vec![Cell::from(label(measure))];
        match overall {
            Some(overall) => {
                row.extend([Cell::from(best(&overall.ranking, name)), Cell::from(ahead(overall, name))]);
                row.extend(order.iter().map(|key| Cell::from(times(&overall.ranking, key))));
            }
            None => row.extend(["–", ""].map(Cell::from)),
        }
        table.row(row);
    }
    table
}

/// The figures of a measure over all workloads, the lowest and the highest, of the store that is best in each.
fn figures(table: &Rankings, measure: &Measure) -> String {
    let rankings = table.fields_of(measure).filter_map(|field| field.ranking.as_ref());
    let mut centres: Vec<f64> = rankings.filter_map(|ranking| Some(ranking.order.first()?.centre)).collect();
    centres.sort_by(f64::total_cmp);
    match centres.as_slice() {
        [] => "–".to_owned(),
        [low, .., high] if figure(measure, *low) != figure(measure, *high) => {
            format!("{} to {}", figure(measure, *low), figure(measure, *high))
        }
        [only, ..] => figure(measure, *only),
    }
}

/// Who is first; `?` where that is not proven.
fn best(ranking: &Ranking, name: impl Fn(&String) -> Text) -> Text {
    if ranking.tied.len() > TIED_NAMES_MAX {
        return Text::plain(&format!("{} tied", ranking.tied.len()));
    }
    let names = ranking.tied.iter().enumerate();
    let names = names.fold(Text::default(), |all, (at, key)| all.and(if at > 0 { " = " } else { "" }).join(name(key)));
    match ranking.verdict {
        Verdict::Unproven | Verdict::Undecided => names.and("?"),
        Verdict::Winner | Verdict::Tie | Verdict::Alone => names,
    }
}

/// How far the first are ahead of the next, or who may be as good.
fn ahead(of: &Overall, name: impl Fn(&String) -> Text) -> Text {
    let open: Vec<&String> = of.ranking.undecided().map(|place| &place.name).collect();
    match (of.ranking.verdict, open.as_slice(), next(&of.ranking)) {
        (Verdict::Unproven, ..) => TOO_FEW_ROUNDS.into(),
        (Verdict::Alone, ..) => "no competitor".into(),
        (_, [only], _) => name(only).and(" may be as good"),
        (_, [_, _, ..], _) => format!("{} may be as good", open.len()).into(),
        (_, [], Some((next, margin))) => Text::plain(&format!("{} ", ratio(margin.estimate))).join(name(&next.name)),
        (_, [], None) => Text::default(),
    }
}

/// How many times the best's a store takes.
fn times(ranking: &Ranking, key: &String) -> String {
    let place = ranking.order.iter().find(|place| place.name == *key);
    place.map_or_else(|| "–".to_owned(), |place| digits(ranking.times_the_best(place)))
}

/// A row for each of the conditions that a run measured under: who is fastest there.
fn conditions(all: &[Ranked], contenders: &Contenders) -> Table {
    let mut table = Table::new(0, ["durability", "fastest", "ahead of next"].map(Column::left).into());
    for of in all {
        let circumstances = &of.table.circumstances;
        let label = format!("{}{}", circumstances.durability_label(), varying(circumstances, of.tables));
        let short = short_names(of.table, contenders);
        let name = |key: &String| store_called(contenders, key, short.get(key).unwrap_or(key));
        let fields = of
            .whole()
            .map_or_else(|| ["–".into(), Text::default()], |whole| [best(&whole.ranking, name), ahead(whole, name)]);
        table.row(std::iter::once(Text::plain(&label)).chain(fields).map(Cell::from).collect());
    }
    table
}
