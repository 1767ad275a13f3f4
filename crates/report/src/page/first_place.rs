//! The first place of a ranking: who has it, and how far ahead of the next.

use bakeoff_results::contender::Contenders;
use bakeoff_stats::{Interval, Ranking, Verdict};
use bakeoff_text::ratio;
use maud::{Markup, html};

use crate::labels::{TOO_FEW_ROUNDS, from_one, interval, undecided};
use crate::page::html::{joined, store_of, stores};
use bakeoff_results::overall::{Overall, next};

/// Who shares the first place, briefly.
pub(crate) fn first_place(of: &Overall, contenders: &Contenders) -> Markup {
    let Ranking { tied, order, verdict, .. } = &of.ranking;
    match verdict {
        Verdict::Tie if tied.len() > 2 && tied.len() == order.len() => html! { "all " (tied.len()) " tied" },
        Verdict::Tie => {
            let names: Vec<Markup> = tied.iter().map(|key| store_of(key, contenders)).collect();
            html! { (joined(&names, " = ")) " " span.word { "tied" } }
        }
        Verdict::Undecided => html! {
            (stores(tied, contenders)) " "
            span.word { "not told apart from " (undecided(of, contenders).unwrap_or_default()) }
        },
        Verdict::Unproven => html! { (stores(tied, contenders)) " " span.word { "not proven" } },
        Verdict::Winner | Verdict::Alone => stores(tied, contenders),
    }
}

/// How far those in the first place are ahead of the next one: empty if nobody is behind them, or if it is not proven who is next.
pub(crate) fn ahead(ranking: &Ranking, contenders: &Contenders, relation: &str) -> Markup {
    html! {
        @if let Some((next, margin)) = next(ranking) {
            (describe_margin(margin)) (relation) (store_of(&next.name, contenders))
        }
    }
}

/// A margin with its interval.
pub(crate) fn describe_margin(margin: Interval) -> Markup {
    html! {
        b.figure { (ratio(margin.estimate)) } " "
        span.interval { "(" (interval(from_one(margin), TOO_FEW_ROUNDS)) ")" }
    }
}
