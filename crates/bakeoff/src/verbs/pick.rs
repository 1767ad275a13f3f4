//! `bakeoff pick`: a need in a developer's words → a race of the stores that can do it → an answer with reasons.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::{Result, bail};
use bakeoff_engine::pick::{
    Divided, Need, PickSuite, Prospect, Stores, check_goal, check_languages_and_licenses, check_percentile, may_suit,
};
use bakeoff_engine::{
    Drivers, Missing, OwnDirectory, Readers, Recipe, Setup, SuiteSource, make_run_directory, run_record, shown,
};
use bakeoff_measure::Machine;
use bakeoff_need::{ITEMS, Typed, read_need};
use bakeoff_protocol::StoreDescription;
use bakeoff_results::lack::Lack;
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::{Excluded, PickFacts};
use bakeoff_suite::{Skip, WorkloadPlan};
use bakeoff_text::paragraph;
use bakeoff_trace::Summary;

use crate::announce::print_warnings;
use crate::cli::{PickArguments, TraceArguments};
use crate::measure::Measurement;
use crate::outcome::Outcome;
use crate::output::{REPORTER, columns};
use crate::pick::candidates::{Candidates, check_names, reasons, run_options};
use crate::pick::cuts::{cut_finalists, time_for_cuts};
use crate::pick::prospect::{advise, describe as describe_prospect};
use crate::pick::questions::{Checks, ask};
use crate::pick::replayed::tape_of;
use crate::pick::typed::typed;
use crate::version::VERSION;

/// What the suite of a pick is called in errors and results.
const NAME: &str = "pick";

/// Runs the verb.
pub(crate) fn main(arguments: &PickArguments) -> Result<Outcome> {
    let Asked { typed, built, summary } = typed_or_asked(arguments)?;
    let need = read_need(&typed)?;
    match tape_of(arguments, summary.as_ref(), &typed, &need)? {
        Some(tape) => {
            let replaying =
                PickArguments { trace: None, read: TraceArguments::default(), tape: Some(tape), ..arguments.clone() };
            let (typed, _) = crate::pick::typed::typed(&replaying)?;
            pick(&replaying, &read_need(&typed)?, &typed, None)
        }
        None => pick(arguments, &need, &typed, built),
    }
}

/// Races for a need, and cuts the power of the best stores if acknowledged writes must survive that.
fn pick(arguments: &PickArguments, need: &Need, typed: &Typed, built: Option<Drivers>) -> Result<Outcome> {
    let of_cuts = time_for_cuts(need);
    let need = &Need { budget: need.budget.saturating_sub(of_cuts.unwrap_or_default()), ..need.clone() };
    let candidates = Candidates::find(need, typed, built, need)?;
    if candidates.divided.able.is_empty() {
        return candidates.none(need);
    }
    let Planned { divided, suite, source, setup } = Planned::new(arguments, need, typed, candidates)?;
    setup.check_tools(Missing::Install)?;
    let facts = PickFacts {
        need: describe(need, arguments.tape.as_deref()),
        of_tape: arguments.tape.is_some(),
        given: arguments.tape.is_none().then(|| given(need)),
        operations: suite.operations,
        questions: suite.questions,
        ..facts(need, &setup, divided)?
    };
    let mut file = run_record(&setup, source, Machine::read(), VERSION);
    // A need that is drawn from a trace has its figures.
    let readers = if arguments.trace.is_some() { Readers::Owner } else { setup.readers() };
    let directory = make_run_directory(&arguments.out, NAME, readers)?;
    print_race(&facts, need, &directory);
    if let Some(time) = of_cuts {
        tell!("Then the power of the best is cut, for about {}", bakeoff_text::format_duration(time));
    }
    if let Some(prospect) = Prospect::of(&setup) {
        let text = describe_prospect(&prospect, need.budget) + &advise(&prospect, need.budget);
        tell!("{}", paragraph(&text, columns(), "", "  ").trim_end());
    }
    print_warnings(&file, arguments.full);
    let cannot: Vec<_> = facts.excluded.iter().map(|excluded| excluded.store.clone()).collect();
    file.pick = Some(facts);
    file.write(directory.path())?;
    let may_join = |recipe: &Recipe| may_suit(&need.languages, recipe.platform);
    let budget = Some(need.budget);
    let cut = |path: &Path| of_cuts.map_or(Outcome::Good, |time| cut_finalists(need, path, time, readers));
    Measurement { setup: &setup, directory: &directory, file, budget, full: arguments.full, further: Some(&cut) }
        .show(&cannot, may_join)
}

/// A race that is planned.
struct Planned {
    divided: Divided,
    suite: PickSuite,
    source: SuiteSource,
    setup: Setup,
}

impl Planned {
    fn new(arguments: &PickArguments, need: &Need, typed: &Typed, candidates: Candidates) -> Result<Self> {
        let Candidates { stores, divided, .. } = candidates;
        let suite = suite(arguments, need, &stores, &divided, &typed.get("optimize").place)?;
        let source = SuiteSource { name: NAME.to_owned(), text: suite.text.clone() };
        let setup = Setup::new(&run_options(need, &arguments.out, in_suite(&divided)), &source, true, REPORTER)?;
        Ok(Self { divided, suite, source, setup })
    }
}

/// A need while questions about it are open.
struct OnTerminal<'a> {
    arguments: &'a PickArguments,
    built: &'a Drivers,
}

impl Checks for OnTerminal<'_> {
    fn check(&self, need: &Need) -> Result<()> {
        if let Stores::Named(names) = &need.stores {
            check_names(names, self.built, "stores")?;
        }
        check_languages_and_licenses(need, &self.built.stores(), str::to_owned)
    }

    fn prospect(&self, typed: &Typed, need: &Need) -> Result<Option<Prospect>> {
        let candidates = Candidates::find(need, typed, Some(self.built.clone()), need)?;
        if candidates.divided.able.is_empty() {
            bail!("No store can do all that is needed:{}", reasons(&candidates.divided.excluded));
        }
        Ok(Prospect::of(&Planned::new(self.arguments, need, typed, candidates)?.setup))
    }
}

/// The need.
struct Asked {
    typed: Typed,
    /// The drivers, where they were looked for.
    built: Option<Drivers>,
    /// Of the trace, where there is one.
    summary: Option<Summary>,
}

/// What was typed: in flags and files, or else as answers to questions, for which drivers were looked for.
fn typed_or_asked(arguments: &PickArguments) -> Result<Asked> {
    let (typed, summary) = typed(arguments)?;
    if !typed.is_empty() || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(Asked { typed, built: None, summary });
    }
    let built = Drivers::discover()?;
    let checks = OnTerminal { arguments, built: &built };
    let typed = ask(&mut std::io::stdin().lock(), &mut std::io::stderr(), &checks)?;
    Ok(Asked { typed, built: Some(built), summary: None })
}

/// The stores that can do what is needed, and stores that could at the other durability, which is measured too.
fn in_suite(divided: &Divided) -> Vec<String> {
    [divided.able.clone(), divided.able_otherwise.clone()].concat()
}

/// The suite that asks the need; `place` is where it was said what to be best at.
fn suite(
    arguments: &PickArguments,
    need: &Need,
    stores: &[StoreDescription],
    divided: &Divided,
    place: &str,
) -> Result<PickSuite> {
    let in_suite = in_suite(divided);
    check_goal(need, place)?;
    if let Some(tape) = &arguments.tape {
        return PickSuite::replaying(need, &in_suite, &divided.promising_more, tape);
    }
    check_percentile(need, place)?;
    let all_batch = stores.iter().all(|store| store.capabilities.batch || !in_suite.contains(&store.name));
    PickSuite::new(need, &in_suite, &divided.promising_more, all_batch)
}

/// The record of the race before it begins.
fn facts(need: &Need, setup: &Setup, divided: Divided) -> Result<PickFacts> {
    let Divided { able, excluded, .. } = divided;
    let is_asked = |workload: &&WorkloadPlan| workload.variant.as_deref() == Some(PICK_ASKED);
    let Some(asked) = setup.plan.workloads.iter().find(is_asked) else {
        // The need itself comes first in the suite. If it cannot be measured, changes of it cannot either, and need no line.
        let is_of_a_store = |skip: &&Skip| skip.store.as_ref().is_some_and(|store| able.contains(store));
        let of_all = setup.plan.skipped.iter().filter(|skip| !is_of_a_store(skip)).take(1);
        let reasons = of_all.chain(setup.plan.skipped.iter().filter(is_of_a_store));
        let skipped: String = reasons.map(|skip| format!("\n  {skip}")).collect();
        bail!(
            "nothing of what is needed can be measured here:{skipped}\nAsk for less, or for another --stores or --dir"
        );
    };
    let in_race: Vec<&str> = asked.cells.iter().map(|cell| cell.axes.store.as_str()).collect();
    Ok(PickFacts {
        need: Vec::new(),
        durability: Some(need.durability),
        languages: need.languages.clone(),
        of_tape: false,
        given: None,
        operations: None,
        optimize: need.optimize,
        budget_ns: u64::try_from(need.budget.as_nanos()).unwrap_or(u64::MAX),
        out_of_time: false,
        raced: in_race.iter().map(|&store| store.to_owned()).collect(),
        excluded: with_skipped(excluded, &able, &in_race, setup),
        dropped: Vec::new(),
        finalists: Vec::new(),
        power_cuts: Vec::new(),
        questions: Vec::new(),
        proof_ns_expected: 0,
    })
}

/// Which stores race, for how long and where, and which are left out.
fn print_race(facts: &PickFacts, need: &Need, directory: &OwnDirectory) {
    let (raced, budget) = (facts.raced.join(", "), bakeoff_text::format_duration(need.budget));
    tell!("Racing {raced} within {budget} → {}", shown(directory.path()));
    if let Some(operations) = facts.operations.filter(|operations| operations.cut.is_some()) {
        tell!("{}", paragraph(&operations.describe(), columns(), "", "").trim_end());
    }
    if !facts.excluded.is_empty() {
        tell!("Left out:{}", reasons(&facts.excluded));
    }
}

/// The need for people. A tape is replayed as it is, so only what it lacks is shown.
fn describe(need: &Need, tape: Option<&Path>) -> Vec<(String, String)> {
    let Some(tape) = tape else { return need.words.clone() };
    // Nor is anything drawn, so the seed does not count.
    let is_apart = |key: &str| key != "seed" && ITEMS.iter().any(|item| item.key == key && !item.is_of_a_tape);
    let of_tape = ("tape".to_owned(), tape.display().to_string());
    let beside = need.words.iter().filter(|(key, _)| is_apart(key)).cloned();
    std::iter::once(of_tape).chain(beside).collect()
}

/// What is not the default, as a map takes it: its budget is another.
fn given(need: &Need) -> Vec<(String, String)> {
    let is_default = |key: &str, text: &str| ITEMS.iter().any(|item| item.key == key && item.default == text);
    let words = need.words.iter().filter(|(key, text)| !is_default(key, text) && key != "budget");
    words.cloned().collect()
}

/// The stores that cannot, and stores that the plan left out of the need itself.
fn with_skipped(mut excluded: Vec<Excluded>, able: &[String], in_race: &[&str], setup: &Setup) -> Vec<Excluded> {
    for store in able.iter().filter(|store| !in_race.contains(&store.as_str())) {
        let skip = setup.plan.skipped.iter().find(|skip| skip.store.as_ref() == Some(store));
        let by_plan = || Excluded::dropped(store.clone(), "the plan leaves it out".to_owned());
        let skipped = skip.map(|skip| Excluded::lacking(store.clone(), vec![Lack::Skipped(skip.why.clone())]));
        excluded.push(skipped.unwrap_or_else(by_plan));
    }
    excluded
}
