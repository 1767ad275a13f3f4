//! The answer of a pick in words: the store, how sure that is, its settings, what it costs, who else, and when the answer would change.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{Durability, FailureKind};
use bakeoff_stats::{Interval, Place, Ranking, Verdict};
use bakeoff_text::{counted, listed, minutes_or_seconds, paragraph, printable, ratio, ratio_range};

use crate::pick::costs::cost_table;
use crate::pick::time::{CLEAR, enough, more_time};
use crate::results::CellRound;
use crate::run::Run;
use crate::sections::section;
use crate::terminal::unfinished;
use bakeoff_results::pick::{
    CLOSE, PICK_ASKED, PickFacts, Question, ROUNDS_PROOF, by_reason, is_ahead_by_far, is_late, is_tie_of_few_rounds,
    is_without_room, of_variant, pick_is_answered, proven_ranking, unknown_for_time,
};

/// No figures are given for what lies further from one than this.
const BEYOND: f64 = 1000.0;

/// Of a pick that somebody ended.
pub(super) const CUT_SHORT: &str =
    "It was stopped before it was done, so this is what was known by then: start another.";

/// A run of `bakeoff pick` with what is needed to speak of it.
pub(crate) struct Picked<'a> {
    pub(crate) run: &'a Run,
    pub(crate) facts: &'a PickFacts,
    pub(crate) titles: BTreeMap<&'a str, String>,
}

impl<'a> Picked<'a> {
    fn new(run: &'a Run, facts: &'a PickFacts) -> Self {
        let asked = facts.need.iter().find(|(key, _)| key == "durability").map(|(_, class)| class.as_str());
        let titles = run.stores.iter().map(|store| {
            let mut title = printable(&store.title);
            // One that promises more than was asked, as it offers nothing less.
            let mut cells = of_variant(&run.cells, PICK_ASKED).filter(|cell| cell.end.axes.store == store.name);
            let class = cells.next().map(|cell| cell.end.axes.durability);
            if let Some(class) = class.filter(|class| asked.is_some_and(|asked| asked != class.name())) {
                title += &format!(" ({class})");
            }
            (store.name.as_str(), title)
        });
        let titles = titles.collect();
        Self { run, facts, titles }
    }

    /// The store's name for people.
    pub(crate) fn title(&self, store: &str) -> String {
        self.titles.get(store).cloned().unwrap_or_else(|| printable(store))
    }

    fn titles(&self, stores: &[String]) -> String {
        listed(&stores.iter().map(|store| self.title(store)).collect::<Vec<_>>())
    }

    /// The rounds of a variant.
    pub(crate) fn cells<'v>(&'v self, variant: &'v str) -> impl Iterator<Item = &'v CellRound> {
        of_variant(&self.run.cells, variant)
    }

    /// Names of the stores of which a round of this variant failed: none of their rounds of it count.
    fn failed(&self, variant: &str) -> Vec<String> {
        let failed: BTreeSet<_> =
            self.cells(variant).filter(|cell| !cell.is_ok()).map(|cell| &cell.end.axes.store).collect();
        failed.into_iter().cloned().collect()
    }

    /// Whether somebody, and neither the figures nor the time, ended it.
    pub(super) fn is_cut_short(&self) -> bool {
        unfinished(self.run).is_some()
    }

    /// Names of the stores that were not done with a variant in their part of the time.
    pub(super) fn late(&self, variant: &str) -> Vec<String> {
        let late = self.cells(variant).filter(|cell| is_late(cell)).map(|cell| &cell.end.axes.store);
        late.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }

    /// Names of the stores for which there was no room on the disk, whoever took it: how good they are is not known.
    pub(super) fn without_room(&self) -> Vec<String> {
        let full = self.cells(PICK_ASKED).filter(|cell| is_without_room(cell)).map(|cell| &cell.end.axes.store);
        full.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }

    /// Names of the stores that were to race and of which no round was measured.
    pub(super) fn unmeasured(&self) -> Vec<String> {
        let measured: BTreeSet<_> = self.cells(PICK_ASKED).map(|cell| &cell.end.axes.store).collect();
        self.facts.raced.iter().filter(|name| !measured.contains(name)).cloned().collect()
    }

    /// The ranking of a variant.
    fn ranking(&self, variant: &str) -> Option<Ranking> {
        proven_ranking(&self.run.cells, variant, self.facts)
    }
}

/// The answer of a pick as text that ends with a line break; lines have at most `width` columns.
pub fn render_pick(run: &Run, facts: &PickFacts, width: usize, color: bool) -> String {
    let picked = Picked::new(run, facts);
    let ranking = picked.ranking(PICK_ASKED);
    let mut out = section("What was asked", &need(facts, width));
    let Some(ranking) = ranking else {
        out.push_str(&section("Answer", &paragraph(&nothing(&picked), width, "  ", "  ")));
        out.push_str(&left_out(&picked, width));
        return out;
    };
    out.push_str(&section("Answer", &answer(&picked, &ranking, width)));
    if pick_is_answered(&run.cells, facts) && !is_alone_by_chance(&picked, &ranking) {
        out.push_str(&section("Settings", &settings(&picked, &ranking.best, width)));
    }
    out.push_str(&section("What it costs", &cost_table(&picked, &ranking, width, color)));
    out.push_str(&changes(&picked, &ranking, width));
    out.push_str(&left_out(&picked, width));
    out
}

fn need(facts: &PickFacts, width: usize) -> String {
    let words: Vec<_> = facts.need.iter().map(|(key, value)| format!("{key} {value}").replace(' ', "\u{a0}")).collect();
    paragraph(&printable(&words.join(" · ")), width, "  ", "  ")
}

fn nothing(picked: &Picked<'_>) -> String {
    let budget = minutes_or_seconds(picked.facts.budget().as_secs());
    let mut failed = picked.run.cells.iter().filter(|cell| !cell.is_ok()).peekable();
    if failed.peek().is_none() && picked.is_cut_short() {
        return format!("None: no round of a store was measured. {CUT_SHORT}");
    }
    if failed.peek().is_none() {
        return format!("None: {budget} is too short for a single round of one store.{}", enough(picked));
    }
    if failed.clone().all(is_without_room) {
        return "None: the disk was full for every store. Make room, or name another disk with --dir.".to_owned();
    }
    if failed.all(|cell| cell.end.failure == Some(FailureKind::Timeout)) {
        let others = no_time_for(picked);
        return format!(
            "None: {budget} is too short, as no store was done in its part of it.{others}{}",
            enough(picked)
        );
    }
    "None: every store that was measured failed. The reasons stand below, the logs beside the results.".to_owned()
}

/// Which stores had no time at all, as a further sentence.
fn no_time_for(picked: &Picked<'_>) -> String {
    match picked.unmeasured().as_slice() {
        [] => String::new(),
        names if picked.is_cut_short() => format!(" Nothing was measured of {}.", picked.titles(names)),
        names => format!(" There was no time for {}.", picked.titles(names)),
    }
}

/// Which stores were not done in time, as a further sentence.
fn late_words(picked: &Picked<'_>) -> String {
    let late = picked.late(PICK_ASKED);
    if late.is_empty() {
        return String::new();
    }
    let (were, their, they_are) = if late.len() == 1 { ("was", "its", "it is") } else { ("were", "their", "they are") };
    format!(
        " {} {were} not done in {their} part of the time, so how good {they_are} is not known.",
        picked.titles(&late)
    )
}

/// Which stores the disk had no room for, as a further sentence.
fn no_room_for(picked: &Picked<'_>) -> String {
    match picked.without_room().as_slice() {
        [] => String::new(),
        names => format!(
            " The disk was full when {} {} measured, so how good {} is not known: make room, or name another disk with --dir.",
            picked.titles(names),
            if names.len() == 1 { "was" } else { "were" },
            if names.len() == 1 { "it is" } else { "they are" },
        ),
    }
}

/// Whether one store of several alone was measured, the time being over before the others, the race killed, or the disk full: that is no
/// answer.
fn is_alone_by_chance(picked: &Picked<'_>, ranking: &Ranking) -> bool {
    let is_ended = picked.facts.out_of_time || picked.is_cut_short() || !picked.without_room().is_empty();
    ranking.verdict == Verdict::Alone && !picked.facts.is_of_one_store() && is_ended
}

/// Whom the best is set against: the first that is tied with it, who need not be the next where rounds scatter; else the next.
pub(super) fn rival(ranking: &Ranking) -> Option<&Place> {
    let mut others = ranking.order.iter().skip(1);
    match ranking.verdict {
        Verdict::Tie => others.find(|place| ranking.tied.contains(&place.name)),
        _ => others.next(),
    }
}

/// The rival for a sentence.
fn rival_words(picked: &Picked<'_>, ranking: &Ranking, rival: &Place) -> String {
    let relation = if rival.name == ranking.order[1].name { "the next" } else { "tied with it" };
    format!("{}, {relation},", picked.title(&rival.name))
}

/// The store and how sure that is.
fn answer(picked: &Picked<'_>, ranking: &Ranking, width: usize) -> String {
    let goal = picked.facts.optimize;
    let best = &ranking.order[0];
    let rounds = counted(best.rounds, "round");
    let figure = format!("{} {}", goal.words(), goal.show(best.mean)).replace(' ', "\u{a0}");
    let title = picked.title(&best.name);
    let mut text = match ranking.verdict {
        Verdict::Alone if is_alone_by_chance(picked, ranking) => {
            let more = if picked.facts.out_of_time { enough(picked) } else { String::new() };
            format!(
                "None: nothing can be told, since {title} alone was measured to the end, {figure} over {rounds}.{more}"
            )
        }
        Verdict::Alone => {
            let more = if picked.run.cells.iter().any(is_late) { enough(picked) } else { String::new() };
            let why = match picked.facts.is_of_one_store() {
                true => "no other store that can do this was asked",
                false => "no other store that can do this was measured to the end",
            };
            format!("{title}, {figure} over {rounds}: {why}.{more}")
        }
        _ if !picked.without_room().is_empty() || !unknown_for_time(&picked.run.cells, picked.facts).is_empty() => {
            format!("None: {title} leads what was measured, {figure} over {rounds}, but that is no answer.")
        }
        _ if is_ahead_by_far(ranking, picked.facts) => {
            format!("{title}, by far though not proven: its {figure} over {rounds} is the best.")
        }
        Verdict::Winner => format!("{title}: its {figure} over {rounds} is the best."),
        Verdict::Tie => {
            let others: Vec<_> = ranking.tied.iter().filter(|store| **store != best.name).cloned().collect();
            let others = picked.titles(&others);
            match is_tie_of_few_rounds(ranking) {
                false => format!("{title}, but {others} cannot be told apart from it: {figure} over {rounds}."),
                true => format!(
                    "None yet: {title} leads, {figure} over {rounds}, but {others} cannot be told apart from it so soon."
                ),
            }
        }
        Verdict::Unproven => {
            format!("{title} leads, {figure} over {rounds}, but not every store had the two rounds that a proof takes.")
        }
    };
    if let Some(next) = rival(ranking) {
        let times =
            next.ratio_to_best.map_or_else(|| ratio(next.mean / best.mean), |interval| ratio(interval.estimate));
        let sure = match next.ratio_to_best {
            None if is_ahead_by_far(ranking, picked.facts) => {
                format!("by {}, after which it was dropped", counted(next.rounds, "round"))
            }
            None => "not proven".to_owned(),
            Some(interval) => surely(interval),
        };
        text += &format!(" {} {} {times} ({sure}).", rival_words(picked, ranking, next), goal.takes());
    }
    text += &no_time_for(picked);
    text += &late_words(picked);
    text += &no_room_for(picked);
    let mut out = paragraph(&text, width, "  ", "  ");
    if let Some(more) = more_time(picked, ranking) {
        out.push_str(&paragraph(&more, width, "  ", "  "));
    }
    out
}

/// An interval as a part of a sentence. Of two rounds it may be wide beyond all sense, and then its ends have no figures.
pub(super) fn surely(interval: Interval) -> String {
    let Interval { low, high, .. } = interval;
    let range = match (low < 1.0 / BEYOND, high > BEYOND) {
        (false, false) => ratio_range(low, high),
        (true, false) => format!("less than {} to {}", ratio(1.0 / BEYOND), ratio(high)),
        (false, true) => format!("{} to more than {}", ratio(low), ratio(BEYOND)),
        (true, true) => format!("less than {} to more than {}", ratio(1.0 / BEYOND), ratio(BEYOND)),
    };
    format!("{range} with 95\u{a0}% confidence")
}

/// The settings in force of the best store, as a suite takes them, and how it keeps its promise.
fn settings(picked: &Picked<'_>, best: &str, width: usize) -> String {
    let asked = picked.cells(PICK_ASKED).filter(|cell| cell.end.axes.store == best && cell.is_ok());
    let Some(cell) = asked.last() else { return String::new() };
    let durability: Durability = cell.end.axes.durability;
    let store = picked.run.stores.iter().find(|store| store.name == best);
    let how = store.and_then(|store| store.durability.get(&durability)).map_or("", |support| support.how.as_str());
    let version = cell.end.opened.as_ref().map_or("", |opened| opened.version.as_str());
    let mut out = paragraph(
        &printable(&format!("{} {version}, in class {durability}: {how}.", picked.title(best))),
        width,
        "  ",
        "  ",
    );
    let in_force: Vec<_> = cell.end.opened.iter().flat_map(|opened| &opened.settings).collect();
    if in_force.is_empty() {
        out.push_str("  It has no settings but these.\n");
        return out;
    }
    out.push_str(&format!("\n  [settings.{best}]\n"));
    for (name, value) in in_force {
        out.push_str(&format!("  {name} = {}\n", printable(&value.to_string())));
    }
    let where_to = format!(
        "To be pasted into a suite of bakeoff; `bakeoff stores {best}` has the page of the store's documentation for each."
    );
    out.push_str(&paragraph(&printable(&where_to), width, "  ", "  "));
    out
}

/// Whether the answer would be another if something else were asked.
fn changes(picked: &Picked<'_>, asked: &Ranking, width: usize) -> String {
    let lines: String = picked
        .facts
        .questions
        .iter()
        .map(|question| {
            let text = format!("{}: {}", question.words, change(picked, asked, question));
            paragraph(&printable(&text), width, "  ", "    ")
        })
        .collect();
    let lines = lines + &not_asked(picked, asked, width);
    if lines.is_empty() { lines } else { section("When the answer would change", &lines) }
}

/// Which of those that were measured the changes were not tried on, and why: an answer to a change is one among the others alone.
fn not_asked(picked: &Picked<'_>, asked: &Ranking, width: usize) -> String {
    let measured = picked.facts.questions.iter().filter(|question| question.not_measured.is_none());
    let tried: BTreeSet<&str> = measured
        .flat_map(|question| picked.cells(&question.variant))
        .map(|cell| cell.end.axes.store.as_str())
        .collect();
    if tried.is_empty() {
        return String::new();
    }
    // Those that were dropped after a round have no place in the order.
    let dropped = picked.facts.dropped.iter().map(|each| &each.store);
    let dropped = dropped.filter(|name| asked.order.iter().all(|place| place.name != **name));
    let others = asked.order.iter().map(|place| &place.name).chain(dropped).cloned();
    let others = others.filter(|name| !tried.contains(name.as_str()));
    let (chosen, others): (Vec<_>, Vec<_>) = others.partition(|name| picked.facts.finalists.contains(name));
    let (level, behind): (Vec<_>, Vec<_>) = others.into_iter().partition(|name| asked.tied.contains(name));
    let finalists = picked.facts.finalists.len();
    let reasons = [
        (chosen, ", of which those measured are beyond them".to_owned()),
        (level, format!(", which no figure tells from the first, since {finalists} others were before them")),
        (behind, ", being further behind".to_owned()),
    ];
    let lines = reasons.into_iter().filter(|(names, _)| !names.is_empty()).map(|(names, why)| {
        let text = format!("Not tried with any of these changes{why}: {}.", picked.titles(&names));
        paragraph(&text, width, "  ", "  ")
    });
    lines.collect()
}

fn change(picked: &Picked<'_>, asked: &Ranking, question: &Question) -> String {
    if let Some(why) = &question.not_measured {
        return format!("not measured, {why}");
    }
    let failed = picked.failed(&question.variant);
    let Some(ranking) = picked.ranking(&question.variant) else {
        return match failed.as_slice() {
            [] => "not measured".to_owned(),
            all => format!("not known: {} failed at it, as said below", picked.titles(all)),
        };
    };
    let (best, title) = (&asked.best, picked.title(&ranking.best));
    let Some(place) = ranking.order.iter().find(|place| place.name == *best) else {
        let own = || picked.cells(&question.variant).filter(|cell| cell.end.axes.store == *best);
        // How good it is at it is not known.
        let unknown = match own().any(|cell| cell.end.failure == Some(FailureKind::Timeout)) {
            true => Some("was not done in its part of the time"),
            false => (!failed.contains(best) && own().next().is_some()).then_some("had too few rounds to tell"),
        };
        if let Some(why) = unknown {
            return format!("not known, {title} leads what was measured: {} {why}", picked.title(best));
        }
        let why = if failed.contains(best) { "failed at it, as said below" } else { "cannot do this" };
        let best = picked.title(best);
        return match too_few_rounds(&ranking) {
            Some(rounds) => format!("yes, {best} {why}; {title} leads, not proven by {}", counted(rounds, "round")),
            None => format!("yes, {}: {best} {why}", picked.titles(&ranking.tied)),
        };
    };
    let Some(next) = rival(&ranking) else {
        return unrivalled(picked, question, &failed, best);
    };
    let times = next.ratio_to_best.map_or_else(|| ratio(next.mean / ranking.order[0].mean), surely);
    let next = format!("{} {} {times}", rival_words(picked, &ranking, next), picked.facts.optimize.takes());
    let next = match picked.late(&question.variant).as_slice() {
        [] => next,
        late => format!("{next}; not known of {}, not done in time", picked.titles(late)),
    };
    if let Some(rounds) = too_few_rounds(&ranking) {
        return format!("not proven by {}: {title} leads; {next}", counted(rounds, "round"));
    }
    match ranking.verdict {
        Verdict::Tie if place.tied_with_best => {
            let most = place.ratio_to_best.map_or(f64::INFINITY, |ratio| ratio.high);
            let at_most = match place.name == ranking.best || most > CLEAR {
                true => String::new(),
                false => format!(", {} {} {} at most", picked.title(best), picked.facts.optimize.takes(), ratio(most)),
            };
            format!("not that it shows: {} are tied{at_most}", picked.titles(&ranking.tied))
        }
        _ if ranking.best == *best => format!("no, {title}: {next}"),
        _ => {
            let (leading, own) = (picked.titles(&ranking.tied), picked.title(best));
            let takes = picked.facts.optimize.takes();
            let lead = if ranking.tied.len() == 1 { "leads" } else { "lead" };
            let times = place.ratio_to_best.map_or_else(String::new, surely);
            match place.ratio_to_best.is_some_and(|ratio| ratio.high < CLOSE) {
                true => format!("hardly: {leading} {lead}, but {own} {takes} {times}, too close to matter"),
                false => format!("yes, {leading}: {own} {takes} {times}"),
            }
        }
    }
}

/// The fewest rounds of a store, where they are too few: for a proof, or for a tie that is more than their scatter.
fn too_few_rounds(ranking: &Ranking) -> Option<usize> {
    let rounds = ranking.order.iter().map(|place| place.rounds).min().unwrap_or(0);
    let few = rounds < ROUNDS_PROOF && ranking.verdict == Verdict::Tie;
    (few || ranking.verdict == Verdict::Unproven).then_some(rounds)
}

/// What a change says of which the best alone has figures. Only where the others cannot do it, or failed whatever time they had, is it the answer.
fn unrivalled(picked: &Picked<'_>, question: &Question, failed: &[String], best: &str) -> String {
    let title = picked.title(best);
    let late = picked.late(&question.variant);
    let has_others = picked.cells(&question.variant).any(|cell| cell.end.axes.store != best);
    match failed {
        _ if !late.is_empty() => format!("not known: {} not done in time", picked.titles(&late)),
        [] if has_others => "not known: no other has a figure".to_owned(),
        [] if picked.facts.raced.len() == 1 => "not known: no other was asked".to_owned(),
        [] if picked.facts.finalists.len() == 1 => "not known: no other was tried".to_owned(),
        [] => format!("no, {title}: no other that leads can do this"),
        others => format!("no, {title}: {} failed at it, as said below", picked.titles(others)),
    }
}

/// Stores that were not measured, or not to the end, or failed, and why.
fn left_out(picked: &Picked<'_>, width: usize) -> String {
    let item = |store: &str, why: &str| {
        let text = format!("{}: {why}", picked.title(store));
        paragraph(&printable(&text), width, "  ", "    ")
    };
    let list = |title: &str, body: String| if body.is_empty() { body } else { section(title, &body) };
    let dropped = picked.facts.dropped.iter().map(|each| item(&each.store, &each.why)).collect();
    let (late, failed): (Vec<_>, Vec<_>) =
        failures(picked).into_iter().partition(|(_, kind, _)| *kind == Some(FailureKind::Timeout));
    let [late, failed] = [late, failed].map(|some| some.iter().map(|(store, _, why)| item(store, why)).collect());
    let is_asked_otherwise = |store: &str| {
        let questions = picked.facts.questions.iter();
        questions.flat_map(|question| picked.cells(&question.variant)).any(|cell| cell.end.axes.store == store)
    };
    let (otherwise, excluded): (Vec<_>, Vec<_>) =
        picked.facts.excluded.iter().cloned().partition(|each| is_asked_otherwise(&each.store));
    let [otherwise, excluded] = [otherwise, excluded]
        .map(|some| by_reason(&some).iter().map(|(stores, why)| item(stores, why)).collect::<String>());
    let mut out = list("Out of the race for what was asked", dropped);
    out.push_str(&list("Not done within their part of the time", late));
    out.push_str(&list("Failed", failed));
    out.push_str(&list("Not with this durability, so asked with the other one only", otherwise));
    out.push_str(&list("Cannot do this", excluded));
    out
}

/// Every store that failed, with the question at which it did, and why, in the order in which they were asked.
fn failures(picked: &Picked<'_>) -> Vec<(String, Option<FailureKind>, String)> {
    let others = picked.facts.questions.iter().map(|question| (question.variant.as_str(), question.words.as_str()));
    let mut failures = Vec::new();
    for (variant, words) in [(PICK_ASKED, "what was asked")].into_iter().chain(others) {
        for store in picked.failed(variant) {
            let mut rounds = picked.cells(variant).filter(|cell| cell.end.axes.store == store);
            let Some(cell) = rounds.find(|cell| !cell.is_ok()) else { continue };
            let kind = cell.end.failure.map_or("failed", FailureKind::words);
            let message = cell.end.failure_message.as_deref().unwrap_or("the log beside the results says more");
            failures.push((store, cell.end.failure, format!("at “{words}”, {kind}: {message}")));
        }
    }
    failures
}
