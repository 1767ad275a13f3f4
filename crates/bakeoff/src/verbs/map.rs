//! `bakeoff map`: who is best where, over two quantities of a need.

use anyhow::{Result, bail};
use bakeoff_engine::pick::{Divided, Need, check_goal, check_percentile, map_suite, may_suit, need_at};
use bakeoff_engine::{
    Missing, Readers, Recipe, Setup, SuiteSource, make_run_directory, newest_results, run_record, shown,
};
use bakeoff_measure::Machine;
use bakeoff_need::{Typed, axis, check_together, read_need};
use bakeoff_results::map_axis::{MapAxis, MapQuantity};
use bakeoff_results::map_facts::{MapFacts, MapPoint};
use bakeoff_tape::SizeRange;
use bakeoff_text::{format_duration, listed};

use crate::announce::print_warnings;
use crate::cli::MapArguments;
use crate::measure::Measurement;
use crate::outcome::Outcome;
use crate::output::REPORTER;
use crate::pick::candidates::{Candidates, reasons, run_options};
use crate::pick::typed::typed;
use crate::resume::resume;
use crate::version::VERSION;

/// What the suite of a map is called in errors and results.
const NAME: &str = "map";

/// What holds for a map where nothing is said: a round is shorter than a pick's, since there are many.
const DEFAULTS: [(&str, &str); 2] = [("operations", "10k"), ("budget", "5m")];

/// Runs the verb.
pub(crate) fn main(arguments: MapArguments) -> Result<Outcome> {
    if let Some(run) = &arguments.resume {
        return go_on(run.as_ref(), &arguments);
    }
    let axes = [axis("--x", &arguments.x)?, axis("--y", &arguments.y)?];
    let (typed, need) = need(&arguments, &axes)?;
    let candidates = Candidates::find(&need, &typed, None, &easiest(&need, &axes))?;
    if candidates.divided.able.is_empty() {
        return candidates.none(&need);
    }
    let Candidates { stores, divided: Divided { able, promising_more, excluded, .. }, .. } = candidates;
    let mut facts = MapFacts {
        need: words(&need, &axes),
        optimize: need.optimize,
        budget_ns: u64::try_from(need.budget.as_nanos()).unwrap_or(u64::MAX),
        out_of_time: false,
        raced: able.clone(),
        excluded,
        impossible: Vec::new(),
        left_out: Vec::new(),
        x: axes[0].clone(),
        y: axes[1].clone(),
    };
    let all_batch = stores.iter().all(|store| store.capabilities.batch || !able.contains(&store.name));
    let text = map_suite(&need, ([&axes[0], &axes[1]], facts.points()), &able, &promising_more, all_batch)?;
    let source = SuiteSource { name: NAME.to_owned(), text };
    let setup = Setup::new(&run_options(&need, &arguments.pick.out, able.clone()), &source, true, REPORTER)?;
    setup.check_tools(Missing::Install)?;
    facts.impossible = impossible(&facts, &setup)?;
    let mut file = run_record(&setup, source, Machine::read(), VERSION);
    // Which cells there will be is found out on the way, and what is too large for the map is drawn.
    file.cells.clear();
    file.skipped.clear();
    // A need that is drawn from a trace has its figures.
    let readers = if arguments.pick.trace.is_some() { Readers::Owner } else { setup.readers() };
    let directory = make_run_directory(&arguments.pick.out, NAME, readers)?;
    print_map(&facts, &directory);
    print_warnings(&file, arguments.pick.full);
    let cannot: Vec<_> = facts.excluded.iter().map(|excluded| excluded.store.clone()).collect();
    file.map = Some(facts);
    file.write(directory.path())?;
    let may_join = |recipe: &Recipe| may_suit(&need.languages, recipe.platform);
    Measurement {
        setup: &setup,
        directory: &directory,
        file,
        budget: Some(need.budget),
        full: arguments.pick.full,
        further: None,
    }
    .show(&cannot, may_join)
}

/// Goes on with a map that was interrupted, or whose budget is over.
fn go_on(run: Option<&std::path::PathBuf>, arguments: &MapArguments) -> Result<Outcome> {
    let items = &arguments.pick.items.0;
    if let Some((item, _)) = items.iter().find(|(item, _)| item.key != "budget") {
        bail!("--{}: a map goes on as it was begun: leave it out, or begin another without --resume", item.key);
    }
    let budget = items.iter().find(|(item, _)| item.key == "budget").map(|(_, text)| text.as_str());
    let path = run.map_or_else(|| newest_results(&arguments.pick.out), |path| Ok(path.clone()))?;
    resume(&path, budget, arguments.pick.full)
}

/// The need, without what lies along the axes, checked at the corners of the plane.
fn need(arguments: &MapArguments, axes: &[MapAxis; 2]) -> Result<(Typed, Need)> {
    let [x, y] = axes;
    if x.quantity == y.quantity {
        bail!("--x and --y: both are {}; give two quantities that differ", x.quantity.name());
    }
    if arguments.pick.tape.is_some() {
        bail!("--tape: a tape is replayed as it is, and a map varies it: give the trace with --trace");
    }
    for (flag, axis) in [("--x", x), ("--y", y)] {
        let key = key_of(axis.quantity);
        if let Some((item, text)) = arguments.pick.items.0.iter().find(|(item, _)| Some(item.key) == key) {
            bail!("--{} {text}: {flag} {} varies it: leave it out", item.key, axis.quantity.name());
        }
    }
    let (mut typed, _) = typed(&arguments.pick)?;
    for (key, text) in DEFAULTS {
        typed.set_default(key, text);
    }
    let need = read_need(&typed)?;
    let (right, top) = (x.values.len() - 1, y.values.len() - 1);
    for at in [(0, 0), (right, 0), (0, top), (right, top)] {
        let there = need_at(&need, [x, y], MapPoint { x: at.0, y: at.1 });
        check_together(&there, &typed)?;
        let optimize = typed.get("optimize").place;
        check_goal(&there, &optimize)?;
        check_percentile(&there, &optimize)?;
    }
    Ok((typed, need))
}

/// The item of a need that says what a quantity says, where one does so alone.
fn key_of(quantity: MapQuantity) -> Option<&'static str> {
    Some(match quantity {
        MapQuantity::ValueSize => "value-size",
        MapQuantity::Records => "records",
        MapQuantity::Threads => "threads",
        MapQuantity::Memory => "memory",
        MapQuantity::Skew => "access",
        MapQuantity::Reads => return None,
    })
}

/// The need for people, without what the axes vary.
fn words(need: &Need, axes: &[MapAxis; 2]) -> Vec<(String, String)> {
    let is_varied = |key: &str| axes.iter().any(|axis| key_of(axis.quantity) == Some(key));
    need.words.iter().filter(|(key, _)| !is_varied(key)).cloned().collect()
}

/// The need where most stores can do it: which of them cannot do it elsewhere is planned place by place.
fn easiest(need: &Need, axes: &[MapAxis; 2]) -> Need {
    let sizes = axes.iter().find(|axis| axis.quantity == MapQuantity::ValueSize);
    let bytes = sizes.map(|axis| axis.value(0) as u64);
    let value_bytes =
        bytes.map_or_else(|| need.value_bytes.clone(), |bytes| SizeRange { min: bytes, max: bytes }.into());
    Need { value_bytes, ..need.clone() }
}

/// The places at which nothing can be measured here.
///
/// # Errors
/// These are all.
fn impossible(facts: &MapFacts, setup: &Setup) -> Result<Vec<MapPoint>> {
    let planned: std::collections::BTreeSet<&str> =
        setup.plan.workloads.iter().filter_map(|workload| workload.variant.as_deref()).collect();
    if planned.is_empty() {
        let skipped: String = setup.plan.skipped.iter().take(3).map(|skip| format!("\n  {skip}")).collect();
        bail!("nothing of this map can be measured here:{skipped}");
    }
    Ok(facts.points().filter(|at| !planned.contains(&*at.variant())).collect())
}

/// What is mapped, with which stores, for how long and where the results are.
fn print_map(facts: &MapFacts, directory: &bakeoff_engine::OwnDirectory) {
    let range = |axis: &MapAxis| {
        let [from, to] = [axis.values.first(), axis.values.last()].map(|end| end.copied().unwrap_or_default());
        format!("{} {} to {}", axis.quantity.label(), axis.quantity.show(from), axis.quantity.show(to))
    };
    let (stores, budget) = (listed(&facts.raced), format_duration(facts.budget()));
    tell!(
        "Mapping {} by {}: {stores}, within {budget} → {}",
        range(&facts.x),
        range(&facts.y),
        shown(directory.path())
    );
    if !facts.excluded.is_empty() {
        tell!("Left out:{}", reasons(&facts.excluded));
    }
}
