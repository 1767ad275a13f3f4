//! Labels of measures, figures and places, the same in every form of a report.

use bakeoff_results::comparison::Change;
use bakeoff_results::contender::Contenders;
use bakeoff_results::figures::Measure;
use bakeoff_results::overall::Overall;
use bakeoff_stats::{Interval, Place, Ranking, Verdict};
use bakeoff_text::{HARD_SPACE, bytes, counted, listed, percent, ratio, ratio_range, time};

/// A figure in the unit of its measure.
pub(crate) fn figure(measure: &Measure, value: f64) -> String {
    match measure {
        Measure::Time { .. } => time(value),
        Measure::Space => percent(value),
        Measure::Memory => bytes(value),
    }
}

/// The sign after the name of a first place that is no clear win.
pub(crate) fn doubt(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unproven | Verdict::Undecided => "?",
        Verdict::Alone => " alone",
        Verdict::Winner | Verdict::Tie => "",
    }
}

/// What a change of a cost is called.
pub(crate) fn change_label(change: Change) -> &'static str {
    match change {
        Change::Better => "better",
        Change::Worse => "worse",
        Change::Same => "same",
        Change::CannotTell => "cannot tell",
    }
}

/// The heading above the lead of the first place.
pub(crate) const AHEAD: &str = "ahead of the next, 95 % interval";

/// The text where an interval shows nothing.
pub(crate) const TOO_FEW_ROUNDS: &str = "too few rounds";

/// Words that are not to be torn apart at the end of a line, such as a name and its figure.
pub(crate) fn kept_together(text: &str) -> String {
    text.replace(' ', &HARD_SPACE.to_string())
}

/// Ratios beyond this, and below its inverse, say no more than that.
const RATIO_MAX: f64 = 1000.0;

/// The interval of a ratio, within what it shows: `1.21–2.04×`, `≥5.00×`, or `too_few`.
pub(crate) fn interval(of: Interval, too_few: &str) -> String {
    match of {
        _ if of.low > RATIO_MAX => format!("≥{RATIO_MAX}×"),
        _ if of.high < RATIO_MAX.recip() => format!("≤{}×", RATIO_MAX.recip()),
        _ if of.is_wide() && of.low > 1.0 => format!("≥{}", ratio(of.low)),
        _ if of.is_wide() && of.high < 1.0 => format!("≤{}", ratio(of.high)),
        _ if of.is_wide() => too_few.to_owned(),
        _ => ratio_range(of.low, of.high),
    }
}

/// A proven margin, whose lower end rounding may have put below 1.
pub(crate) fn from_one(margin: Interval) -> Interval {
    Interval { low: margin.low.max(1.0), ..margin }
}

/// The text where an interval over many comparisons shows nothing: it covers rounds, and workloads too.
pub(crate) fn too_few(of: &Overall) -> &'static str {
    if of.common > 1 { "too few rounds or workloads" } else { TOO_FEW_ROUNDS }
}

/// How many times worse the stores may be that are not distinguishable from the best; `None` if that is unknown too.
pub(crate) fn up_to(ranking: &Ranking) -> Option<String> {
    Some(format!("up to {}", ratio(ranking.undecided_up_to()?)))
}

/// The stores that are not distinguishable from the best, and how many times worse they may be: `SQLite, up to 1.60×`;
/// `None` if there are none.
pub(crate) fn undecided(of: &Overall, contenders: &Contenders) -> Option<String> {
    let open: Vec<&Place> = of.ranking.undecided().collect();
    let who = match open.as_slice() {
        [] => return None,
        [_] | [_, _] => listed(&open.iter().map(|place| contenders.title(&place.name)).collect::<Vec<_>>()),
        _ => counted(open.len(), "store"),
    };
    let unknown = || format!("{who} ({} to say)", too_few(of));
    Some(up_to(&of.ranking).map_or_else(unknown, |most| format!("{who}, {most}")))
}
