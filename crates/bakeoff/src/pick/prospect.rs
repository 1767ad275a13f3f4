//! Whether the budget of a pick can suffice, in words.

use std::time::Duration;

use bakeoff_engine::pick::{Prospect, Sufficiency};
use bakeoff_text::{counted, format_duration, roughly};

/// What three rounds take here now, and whether the budget is enough for them.
pub(crate) fn describe(prospect: &Prospect, budget: Duration) -> String {
    let busy = if prospect.is_busy() { ", on this busy machine" } else { "" };
    let rounds = roughly(prospect.rounds);
    let shown = format_duration(budget);
    let verdict = match prospect.of_budget(budget) {
        Sufficiency::Enough => format!("{shown} can suffice."),
        Sufficiency::AnswerOnly => {
            format!("{shown} can suffice for an answer, and hardly for when it would change.")
        }
        Sufficiency::TooShort => format!("{shown} is too short for a proof."),
    };
    format!("By a first guess three rounds of {} take {rounds}{busy}. {verdict}", counted(prospect.stores, "store"))
}

/// How to ask for enough time or less work in flags; nothing where the budget is enough for an answer.
pub(crate) fn advise(prospect: &Prospect, budget: Duration) -> String {
    match prospect.of_budget(budget) {
        Sufficiency::TooShort => {
            format!(" Give --budget {}, or fewer stores with --stores.", format_duration(prospect.enough()))
        }
        Sufficiency::Enough | Sufficiency::AnswerOnly => String::new(),
    }
}
