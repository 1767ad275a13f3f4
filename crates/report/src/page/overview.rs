//! Many answers at a glance, before each of them in full: one line for each table, so that the first screen answers whatever was
//! varied.

use std::collections::BTreeMap;

use bakeoff_stats::Verdict;
use bakeoff_text::or_dash;

use crate::analysis::Analysis;
use crate::circumstances::varying;
use crate::contender::Contenders;
use crate::figures::Measure;
use crate::overall::{Overall, depends};
use crate::page::head::{ahead, first_words};
use crate::page::html::{store, stores, text};

/// A run with its label and its rankings.
pub(crate) type RunTables<'a> = (&'a str, Analysis<'a>);

/// The id of a table's answer in full.
pub(crate) fn id(run: usize, table: usize) -> String {
    format!("answer-{run}-{table}")
}

/// A line for each table of these runs; nothing if one answer is all there is.
pub(crate) fn overview(runs: &[RunTables], contenders: &Contenders) -> String {
    let mut all = Vec::new();
    for (place, (label, of_run)) in runs.iter().enumerate() {
        for (index, ranked) in of_run.ranked().enumerate() {
            let (table, tables) = (ranked.table, ranked.tables);
            let run = if runs.len() > 1 { format!("{label} · ") } else { String::new() };
            let words = format!(
                "{run}durability {}{}",
                table.circumstances.durability_words(),
                varying(&table.circumstances, tables)
            );
            let whole = ranked.whole();
            let depends = whole.is_some_and(|whole| depends(table, &whole.ranking).is_some());
            all.push((id(place, index), words, ranked, whole, depends));
        }
    }
    if all.len() < 2 {
        return String::new();
    }
    let rows: String = all
        .iter()
        .map(|(id, words, ranked, whole, depends)| {
            let of = |measure| {
                let place = ranked.table.measures.iter().position(|each| *each == measure)?;
                ranked.measures()[place].as_ref()
            };
            let ahead = whole.map_or_else(String::new, |whole| ahead(&whole.ranking, contenders, " "));
            let [fastest, space, memory] =
                [*whole, of(Measure::Space), of(Measure::Memory)].map(|of| first(of, contenders));
            let fastest = whole.filter(|_| *depends).map_or(fastest, |whole| either(whole, contenders));
            format!(
                "<tr><th scope=\"row\"><a href=\"#{id}\">{}</a></th><td>{fastest}</td><td>{ahead}</td><td>{space}</td>\
                 <td>{memory}</td></tr>",
                text(words)
            )
        })
        .collect();
    format!(
        "<section class=\"answer\" id=\"overview\"><h2 class=\"headline\">{}</h2><div class=\"scroll\"><table class=\"standings ranks\">\
         <thead><tr><th scope=\"col\">under</th><th scope=\"col\">fastest</th>\
         <th scope=\"col\">ahead of the next, 95 % interval</th><th scope=\"col\">least disk space</th>\
         <th scope=\"col\">least memory</th></tr></thead><tbody>{rows}</tbody></table></div></section>\n",
        headline(all.iter().map(|(_, _, _, whole, depends)| whole.filter(|_| !depends)), contenders)
    )
}

/// Those that share the first place since each of them wins something.
fn either(of: &Overall, contenders: &Contenders) -> String {
    let names: Vec<String> = of.ranking.tied.iter().map(|key| stores(std::slice::from_ref(key), contenders)).collect();
    format!("{} <span class=\"word\">depending on the work</span>", names.join(" or "))
}

fn first(of: Option<&Overall>, contenders: &Contenders) -> String {
    or_dash(of, |of| first_words(of, contenders))
}

/// In how many of all lines each store is fastest, or shares the first place.
fn headline<'a>(all: impl Iterator<Item = Option<&'a Overall>>, contenders: &Contenders) -> String {
    // By the store's index, which is the same whatever a variant sets.
    let mut places: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut number = 0;
    for whole in all {
        number += 1;
        let Some(ranking) = whole.map(|whole| &whole.ranking) else { continue };
        for key in &ranking.tied {
            let (wins, ties) = places.entry(contenders.index(key)).or_default();
            match ranking.verdict {
                Verdict::Winner => *wins += 1,
                Verdict::Tie => *ties += 1,
                Verdict::Unproven | Verdict::Alone => {}
            }
        }
    }
    let titles = contenders.titles();
    let mut places: Vec<(usize, usize, usize)> =
        places.into_iter().map(|(index, (wins, ties))| (wins, ties, index)).filter(|of| of.0 + of.1 > 0).collect();
    places.sort_by_key(|(wins, ties, index)| (usize::MAX - wins, usize::MAX - ties, *index));
    let words = places.iter().enumerate().filter_map(|(place, (wins, ties, index))| {
        let name = store(titles.iter().find(|each| each.index == *index)?);
        let of = if place == 0 { format!(" of {number}") } else { String::new() };
        Some(match (wins, ties) {
            (0, ties) => format!("{name} shares the first place in {ties}{of}"),
            (wins, 0) => format!("{name} is fastest in {wins}{of}"),
            (wins, ties) => format!("{name} is fastest in {wins}{of}, tied in {ties}"),
        })
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        return format!("In none of {number} is it proven who is fastest");
    }
    words.join("; ")
}
