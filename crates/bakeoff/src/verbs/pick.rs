//! `bakeoff pick`: a need in a developer's words → a race of the stores that can do it → an answer with reasons.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::{Context, Result, bail};
use bakeoff_engine::pick::{
    Divided, Need, PickSuite, Stores, check_languages_and_licenses, check_percentile, divide, may_suit,
};
use bakeoff_engine::{
    Drivers, Missing, OwnDirectory, Recipe, Setup, SuiteSource, drivers_for, lost, make_run_directory, not_built,
    run_record, shown, store_names,
};
use bakeoff_measure::Machine;
use bakeoff_protocol::StoreDescription;
use bakeoff_results::pick::PICK_ASKED;
use bakeoff_results::pick_facts::{Excluded, PickFacts, by_reason};
use bakeoff_suite::{Overrides, RunOptions, Skip, StoreChoice, WorkloadPlan};
use bakeoff_text::paragraph;

use crate::announce::print_warnings;
use crate::cli::{COLUMNS, PickArguments};
use crate::measure::Measurement;
use crate::options::tell_left_out;
use crate::outcome::Outcome;
use crate::output::REPORTER;
use crate::pick::items::ITEMS;
use crate::pick::need::read_need;
use crate::pick::questions::ask;
use crate::pick::typed::Typed;
use crate::version::VERSION;

/// What the suite of a pick is called in errors and results.
const NAME: &str = "pick";

/// Runs the verb.
pub(crate) fn main(arguments: &PickArguments) -> Result<Outcome> {
    let (typed, built) = typed(arguments)?;
    let need = read_need(&typed)?;
    let found = || match &need.stores {
        Stores::Named(names) => Drivers::discover_for(names),
        Stores::Built | Stores::All => Drivers::discover(),
    };
    let drivers = drivers(built.map_or_else(found, Ok)?, &need, &typed.get("stores").place)?;
    let stores = stores(&need, &drivers)?;
    check_languages_and_licenses(&need, &stores, |key| typed.get(key).place)?;
    let platform = |store: &str| drivers.of_store(store).map(|driver| driver.description.platform).unwrap_or_default();
    let divided = divide(&need, &stores, platform, |store| drivers.missing(store));
    if divided.able.is_empty() {
        // That is the answer, and no mistake of whoever asked.
        let (reasons, further) = (reasons(&divided.excluded), further(&need, &drivers)?);
        print_line!("None: no store can do all that is needed:{reasons}{further}")?;
        return Ok(Outcome::SomeFailed);
    }
    let suite = suite(arguments, &need, &stores, &divided, &typed.get("optimize").place)?;
    let source = SuiteSource { name: NAME.to_owned(), text: suite.text };
    let setup = Setup::new(&options(arguments, &need, &divided), &source, true, REPORTER)?;
    setup.check_tools(Missing::Install)?;
    let facts = PickFacts {
        need: describe(&need, arguments.tape.as_deref()),
        questions: suite.questions,
        ..facts(&need, &setup, divided)?
    };
    let mut file = run_record(&setup, source, Machine::read(), VERSION);
    let directory = make_run_directory(&arguments.out, NAME, setup.readers())?;
    print_race(&facts, &need, &directory);
    print_warnings(&file);
    let cannot: Vec<_> = facts.excluded.iter().map(|excluded| excluded.store.clone()).collect();
    file.pick = Some(facts);
    file.write(directory.path())?;
    let may_join = |recipe: &Recipe| may_suit(&need.languages, recipe.platform);
    Measurement { setup: &setup, directory: &directory, file, budget: Some(need.budget), full: false }
        .show(&cannot, may_join)
}

/// What was typed: in flags and files, or else as answers to questions, for which drivers were looked for.
fn typed(arguments: &PickArguments) -> Result<(Typed, Option<Drivers>)> {
    let typed = Typed::read(arguments)?;
    if !typed.is_empty() || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok((typed, None));
    }
    let built = Drivers::discover()?;
    let check = |need: &Need| {
        if let Stores::Named(names) = &need.stores {
            check_names(names, &built, "stores")?;
        }
        check_languages_and_licenses(need, &built.stores(), str::to_owned)
    };
    let typed = ask(&mut std::io::stdin().lock(), &mut std::io::stderr(), check)?;
    Ok((typed, Some(built)))
}

/// Those that can do what is needed, and those that could with the other durability, which is asked too.
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
    if let Some(tape) = &arguments.tape {
        return PickSuite::replaying(need, &in_suite, &divided.promising_more, tape);
    }
    check_percentile(need, place)?;
    let all_batch = stores.iter().all(|store| store.capabilities.batch || !in_suite.contains(&store.name));
    PickSuite::new(need, &in_suite, &divided.promising_more, all_batch)
}

/// What is asked of the run beside its suite.
fn options(arguments: &PickArguments, need: &Need, divided: &Divided) -> RunOptions {
    let mut overrides = Overrides::default();
    // Who named stores is not shown which others there are.
    if !matches!(need.stores, Stores::Built) {
        overrides.set("stores", in_suite(divided));
    }
    let options = RunOptions { overrides, dir: need.dir.clone(), out: arguments.out.clone(), ..RunOptions::default() };
    options.within(Some(need.budget))
}

/// What is known of the race before it begins.
fn facts(need: &Need, setup: &Setup, divided: Divided) -> Result<PickFacts> {
    let Divided { able, excluded, .. } = divided;
    let is_asked = |workload: &&WorkloadPlan| workload.variant.as_deref() == Some(PICK_ASKED);
    let Some(asked) = setup.plan.workloads.iter().find(is_asked) else {
        // What was asked is the first thing in the suite: that what differs from it cannot be measured either is not worth a line.
        let is_of_a_store = |skip: &&Skip| skip.store.as_ref().is_some_and(|store| able.contains(store));
        let of_all = setup.plan.skipped.iter().filter(|skip| !is_of_a_store(skip)).take(1);
        let reasons = of_all.chain(setup.plan.skipped.iter().filter(is_of_a_store));
        let skipped: String = reasons.map(|skip| format!("\n  {skip}")).collect();
        bail!("nothing of what is needed can be measured here:{skipped}");
    };
    let in_race: Vec<&str> = asked.cells.iter().map(|cell| cell.axes.store.as_str()).collect();
    Ok(PickFacts {
        need: Vec::new(),
        optimize: need.optimize,
        budget_ns: u64::try_from(need.budget.as_nanos()).unwrap_or(u64::MAX),
        out_of_time: false,
        raced: in_race.iter().map(|&store| store.to_owned()).collect(),
        excluded: with_skipped(excluded, &able, &in_race, setup),
        dropped: Vec::new(),
        finalists: Vec::new(),
        questions: Vec::new(),
        proof_ns_expected: 0,
    })
}

/// Which stores race, for how long and where, and which are left out.
fn print_race(facts: &PickFacts, need: &Need, directory: &OwnDirectory) {
    let (raced, budget) = (facts.raced.join(", "), bakeoff_text::format_duration(need.budget));
    tell!("Racing {raced} within {budget} → {}", shown(directory.path()));
    if !facts.excluded.is_empty() {
        tell!("Left out:{}", reasons(&facts.excluded));
    }
}

/// The drivers of the stores that may take part; `place` is where they were asked for.
fn drivers(built: Drivers, need: &Need, place: &str) -> Result<Drivers> {
    let drivers = match &need.stores {
        Stores::Built => built,
        Stores::All => {
            drivers_for(built, &StoreChoice::All, |recipe| may_suit(&need.languages, recipe.platform), true, REPORTER)?
        }
        Stores::Named(names) => {
            check_names(names, &built, place)?;
            drivers_for(built, &StoreChoice::Named(names.clone()), |_| true, true, REPORTER)?
        }
    };
    tell_left_out(&drivers)?;
    Ok(drivers)
}

/// The stores that may take part, as their drivers describe them.
fn stores(need: &Need, drivers: &Drivers) -> Result<Vec<StoreDescription>> {
    let all = drivers.stores();
    let Stores::Named(names) = &need.stores else {
        return Ok(all.into_iter().filter(|store| !store.test_only).collect());
    };
    let of_name = |name: &String| all.iter().find(|store| store.name == *name).cloned();
    let lost = lost(drivers)?;
    let names = names.iter().filter(|name| !lost.contains_key(*name));
    names.map(|name| of_name(name).with_context(|| format!("no driver offers `{name}`"))).collect()
}

/// Refuses a name that no driver has, built or not, before one is built.
fn check_names(names: &[String], built: &Drivers, place: &str) -> Result<()> {
    let all = store_names(built)?;
    let known: Vec<_> = all.known.iter().map(String::as_str).collect();
    match names.iter().find(|name| !all.known.contains(name) && !all.hidden.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let near = bakeoff_suite::did_you_mean(name, &known);
            let name = bakeoff_text::printable(name);
            bail!("{place}: unknown store `{name}`{near}; drivers offer {}", known.join(", "))
        }
    }
}

/// What was asked, for people: of a tape, which is replayed as it is, only what it does not say itself.
fn describe(need: &Need, tape: Option<&Path>) -> Vec<(String, String)> {
    let Some(tape) = tape else { return need.words.clone() };
    // Nor is anything drawn, so the seed does not count.
    let is_apart = |key: &str| key != "seed" && ITEMS.iter().any(|item| item.key == key && !item.is_of_a_tape);
    let of_tape = ("tape".to_owned(), tape.display().to_string());
    let beside = need.words.iter().filter(|(key, _)| is_apart(key)).cloned();
    std::iter::once(of_tape).chain(beside).collect()
}

/// Those that cannot, with those that the plan left out of what was asked.
fn with_skipped(mut excluded: Vec<Excluded>, able: &[String], in_race: &[&str], setup: &Setup) -> Vec<Excluded> {
    for store in able.iter().filter(|store| !in_race.contains(&store.as_str())) {
        let skip = setup.plan.skipped.iter().find(|skip| skip.store.as_ref() == Some(store));
        let why = skip.map_or_else(|| "the plan leaves it out".to_owned(), |skip| skip.why.to_string());
        excluded.push(Excluded { store: store.clone(), why });
    }
    excluded
}

fn reasons(excluded: &[Excluded]) -> String {
    let lines = by_reason(excluded);
    let lines = lines.iter().map(|(stores, why)| paragraph(&format!("{stores}: {why}"), COLUMNS, "  ", "    "));
    lines.map(|lines| format!("\n{}", lines.trim_end())).collect()
}

/// Which stores that might do were not asked, since they are not built: none where others were named, or all asked for.
fn further(need: &Need, drivers: &Drivers) -> Result<String> {
    if !matches!(need.stores, Stores::Built) {
        return Ok(String::new());
    }
    let recipes = not_built(drivers)?;
    Ok(recipes
        .iter()
        .filter(|recipe| may_suit(&need.languages, recipe.platform))
        .map(|recipe| format!("\nNot built, and so not asked: {}; --stores builds them", recipe.store_list()))
        .collect())
}
