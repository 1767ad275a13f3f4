//! How true the model of a trace is: an experiment for `./bakeoff test long`.
//!
//! `pick --trace` makes a workload that is like the trace; `pick --tape` replays the trace itself. For traces of different behaviour both pick
//! a store, and the replay measures what the choice of the first costs. A table of what was found is printed, for `docs/lab`.

mod common;

use bakeoff_results::analysis::Analysis;
use bakeoff_results::pick_outcome::{PickAnswer, PickOutcome};
use bakeoff_results::run::Run;
use bakeoff_stats::{Place as Rank, Ranking, Standing};
use bakeoff_testing::application_trace::Application;
use bakeoff_testing::applications::APPLICATIONS;
use common::Place;

/// Stores of the light driver that offer the level and keep many records in few files.
const STORES: &str = "sqlite,lmdb,fjall,leveldb,berkeley-db,wiredtiger";

/// Time for each pick, unless the variable says otherwise.
const BUDGET: &str = "60s";
const BUDGET_VARIABLE: &str = "BAKEOFF_TEST_PICK_BUDGET";

/// The variable that names some of the traces; without it all are tried.
const NAMES_VARIABLE: &str = "BAKEOFF_TEST_TRACES";

/// Rounds of the replay that a regret takes; a store with fewer is replayed once more, against the best alone.
const ROUNDS_MIN: usize = 3;

/// What is promised: of twelve traces at most one has another answer; the regret in the median and at most.
const DIFFERENT_MAX: (usize, usize) = (1, 12);
const REGRET_MEDIAN_MAX: f64 = 0.05;
const REGRET_MAX: f64 = 0.20;

/// What one of the two ways answered.
struct Answer {
    run: Run,
    ranking: Option<Ranking>,
}

impl Answer {
    /// The answer of the newest pick in this directory of results.
    fn read(place: &Place, out: &str) -> Self {
        let entries = std::fs::read_dir(place.path().join(out)).expect("results").flatten();
        let newest = entries.map(|entry| entry.path()).filter(|path| path.join("run.json").exists()).max();
        let run = Run::read(&newest.expect("a run")).expect("a run that can be read");
        let ranking = Self::outcome(&Analysis::new(&run)).asked().cloned();
        Self { run, ranking }
    }

    fn outcome<'a, 'r>(analysis: &'a Analysis<'r>) -> &'a PickOutcome<'r> {
        analysis.pick().expect("a pick")
    }

    /// Whether it says anything.
    fn is_answer(&self) -> bool {
        let analysis = Analysis::new(&self.run);
        let outcome = Self::outcome(&analysis);
        let answer = self.ranking.as_ref().map(|ranking| outcome.answer(ranking));
        let is_sure = |answer| {
            use PickAnswer::{AheadByFar, Alone, Tie, Undecided, Winner};
            matches!(answer, AheadByFar | Alone | Tie | Undecided | Winner)
        };
        answer.is_some_and(is_sure)
    }

    /// The stores that it names: the best, and all that are as good or not told apart from it.
    fn named(&self) -> Vec<&Rank> {
        let all = self.ranking.iter().flat_map(|ranking| &ranking.order);
        all.filter(|rank| matches!(rank.standing, Standing::Best | Standing::Tied | Standing::Undecided)).collect()
    }

    fn best(&self) -> &str {
        self.ranking.as_ref().map_or("", |ranking| &ranking.best)
    }

    fn has(&self, store: &str) -> bool {
        self.named().iter().any(|rank| rank.name == store)
    }

    fn place(&self, store: &str) -> Option<&Rank> {
        self.ranking.iter().flat_map(|ranking| &ranking.order).find(|rank| rank.name == store)
    }

    /// Whether it replayed a tape.
    fn is_replayed(&self) -> bool {
        let analysis = Analysis::new(&self.run);
        Self::outcome(&analysis).facts.of_tape
    }

    /// The stores that it names, as a cell of the table.
    fn cell(&self) -> String {
        let name = |rank: &&Rank| match rank.standing {
            Standing::Undecided => format!("({})", rank.name),
            _ => rank.name.clone(),
        };
        let names: Vec<String> = self.named().iter().map(name).collect();
        if names.is_empty() || !self.is_answer() { format!("no answer: {}", self.best()) } else { names.join(", ") }
    }
}

/// What was found for one trace.
struct Found {
    name: &'static str,
    model: Answer,
    replay: Answer,
    regret: f64,
}

impl Found {
    /// Whether both answer, and each names what the other calls the best, alone or in a tie.
    fn agrees(&self) -> bool {
        let is_same = self.replay.has(self.model.best()) || self.model.has(self.replay.best());
        self.model.is_answer() && self.replay.is_answer() && is_same
    }

    fn row(&self) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {:.1} % |",
            self.name,
            if self.model.is_replayed() { "replays" } else { "draws" },
            self.model.cell(),
            self.replay.cell(),
            if self.agrees() { "yes" } else { "no" },
            self.regret * 100.0
        )
    }
}

fn budget() -> String {
    std::env::var(BUDGET_VARIABLE).unwrap_or_else(|_| BUDGET.to_owned())
}

/// Picks among these stores with results in a directory of this name.
fn pick(place: &Place, out: &str, source: [&str; 2], stores: &str) -> Answer {
    let budget = budget();
    let arguments = ["pick", source[0], source[1], "--stores", stores, "--durability", "process", "--budget", &budget];
    let finished = place.run(&[&arguments[..], &["--out", out]].concat());
    assert!(matches!(finished.status, Some(0 | 1)), "{finished:?}");
    Answer::read(place, out)
}

/// Tries one trace in both ways.
fn compare(application: &Application) -> Found {
    let place = Place::on_disk();
    place.write("app.csv", &application.trace());
    place.run(&["tape", "import", "app.csv"]).expect(0);
    let model = pick(&place, "model", ["--trace", "app.csv"], STORES);
    let replay = pick(&place, "replay", ["--tape", "app.tape"], STORES);
    let regret = regret(&place, model.best(), &replay);
    Found { name: application.name, model, replay, regret }
}

/// How much longer, as a fraction, the replay takes with the store that the model chose than with the replay's own best store.
fn regret(place: &Place, chosen: &str, replay: &Answer) -> f64 {
    if chosen == replay.best() {
        return 0.0;
    }
    let of = |answer: &Answer| {
        let rank = answer.place(chosen).filter(|rank| rank.rounds >= ROUNDS_MIN)?;
        // Relative to the best of that race, which may be the chosen one.
        let ratio = rank.ratio_to_best.map(|ratio| ratio.estimate);
        let best = answer.place(replay.best())?;
        Some(if rank.name == answer.best() { 1.0 } else { ratio.unwrap_or(rank.centre / best.centre) })
    };
    let ratio = of(replay).or_else(|| {
        let both = [chosen, replay.best()].join(",");
        of(&pick(place, "both", ["--tape", "app.tape"], &both))
    });
    ratio.expect("the chosen store is replayed") - 1.0
}

fn applications() -> Vec<&'static Application> {
    let names = std::env::var(NAMES_VARIABLE).ok();
    let is_tried = |application: &&Application| {
        names.as_ref().is_none_or(|names| names.split(',').any(|name| name == application.name))
    };
    APPLICATIONS.iter().filter(is_tried).collect()
}

#[test]
fn the_model_of_a_trace_picks_what_its_replay_picks() {
    let applications = applications();
    println!("| trace | `--trace` | it names | the replay names | agree | regret |\n|---|---|---|---|---|---|");
    let mut found = Vec::new();
    for application in &applications {
        let one = compare(application);
        println!("{}", one.row());
        found.push(one);
    }
    let different: Vec<&str> = found.iter().filter(|one| !one.agrees()).map(|one| one.name).collect();
    let mut regrets: Vec<f64> = found.iter().map(|one| one.regret).collect();
    regrets.sort_by(f64::total_cmp);
    let (median, most) = (regrets[regrets.len() / 2], regrets[regrets.len() - 1]);
    let agreeing = found.len() - different.len();
    println!(
        "\n{agreeing} of {} agree; regret {:.1} % in the median, {:.1} % at most",
        found.len(),
        median * 100.0,
        most * 100.0
    );
    let (wrong, of) = DIFFERENT_MAX;
    assert!(different.len() * of <= found.len() * wrong, "{different:?} have other answers");
    assert!(median <= REGRET_MEDIAN_MAX && most <= REGRET_MAX, "{regrets:?}");
}
