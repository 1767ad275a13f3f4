//! Time in the answer of a pick: where it was too short, and how much would be enough.

use bakeoff_results::pick_budget::{EnoughTime, Instead, MoreTime};
use bakeoff_stats::{Interval, Ranking};
use bakeoff_text::{counted, minutes_or_seconds, ratio, roughly};

use crate::sections::pick::picked::{CUT_SHORT, Picked, surely};

/// How much time would be enough, as a further sentence.
pub(crate) fn enough(picked: &Picked<'_>) -> String {
    let budget = budget(picked);
    match picked.outcome.enough_time() {
        EnoughTime::CutShort => String::new(),
        EnoughTime::More => " Give more with --budget.".to_owned(),
        EnoughTime::AtLeast(rounds) => format!(
            " Three rounds of all stores take about {} or more: how much more is not known of those that were not measured to the end. Give more \
             than {budget} with --budget.",
            roughly(rounds)
        ),
        EnoughTime::MoreThanBudget => format!(" Give more than {budget} with --budget."),
        EnoughTime::About(rounds) => {
            format!(
                " Three rounds of all stores need a budget of {} or more, by a first guess: --budget.",
                roughly(rounds)
            )
        }
    }
}

/// What would be needed to distinguish the best from the next, where the time was too short for it.
pub(crate) fn more_time(picked: &Picked<'_>, ranking: &Ranking) -> Option<String> {
    let budget = budget(picked);
    let known = |of: Interval| format!("the second takes {} of the first ({})", ratio(of.estimate), surely(of));
    let two = |are_first: bool| if are_first { "the first two" } else { "the two" };
    Some(match picked.outcome.more_time(ranking)? {
        MoreTime::CutShort => CUT_SHORT.to_owned(),
        MoreTime::ForUnknown => enough(picked).trim_start().to_owned(),
        MoreTime::ForProof => format!("For a proof:{}", enough(picked)),
        MoreTime::ForAnything => format!("The time, {budget}, was too short to tell anything.{}", enough(picked)),
        MoreTime::ForRounds { store, rounds } => format!(
            "{budget} was too short to tell anything: {} had {}.{}",
            picked.title(&store),
            counted(rounds, "round"),
            enough(picked)
        ),
        MoreTime::TooClose(interval) => format!(
            "{budget} could not distinguish them, and no sensible time would: {}, too close to matter.",
            known(interval)
        ),
        MoreTime::Twice(interval) => format!(
            "{budget} could not distinguish them: all that is known is that {}. So few rounds do not show how many it would take: give \
             twice the time, {}, or more with --budget.",
            known(interval),
            minutes_or_seconds(picked.facts().budget().as_secs() * 2)
        ),
        MoreTime::Quieter(interval) => format!(
            "{budget} could not distinguish them: all that is known is that {}. Their rounds differ too much for more time to help: \
             a quieter machine would.",
            known(interval)
        ),
        MoreTime::Rounds { rounds, budget: needed, are_first_two } => format!(
            "{budget} was too short to tell {} apart. A difference of this size takes about {rounds} rounds, and they a budget of about {}: \
             --budget.",
            two(are_first_two),
            roughly(needed)
        ),
        MoreTime::TooManyRounds { rounds, most, instead, are_first_two } => format!(
            "{budget} could not tell {} apart. A difference of this size takes about {rounds} rounds, more than the {most} that a race has{}",
            two(are_first_two),
            describe_instead(instead)
        ),
    })
}

/// What helps where a race has too few rounds, as the end of a sentence.
fn describe_instead(instead: Instead) -> String {
    match instead {
        Instead::OtherCosts => ": choose between them by what else they cost.".to_owned(),
        Instead::Budget(budget) => {
            format!("; those would narrow the interval down, and take a budget of about {}: --budget.", roughly(budget))
        }
        Instead::Quieter => ": their rounds differ too much here. A quieter machine would help; else choose between them by what else they cost."
            .to_owned(),
    }
}

/// The time there was.
fn budget(picked: &Picked<'_>) -> String {
    minutes_or_seconds(picked.facts().budget().as_secs())
}
