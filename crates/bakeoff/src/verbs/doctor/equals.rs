//! `bakeoff doctor --aa`: measures stores under several names, and says which differences can be told apart here and now.

use std::os::unix::fs::symlink;

use anyhow::{Context, Result};
use bakeoff_engine::{Drivers, Readers, SuiteSource, execute, make_run_directory, shown};
use bakeoff_protocol::TWINS_PROGRAM;
use bakeoff_results::analysis::Analysis;
use bakeoff_results::equals::{Equals, EqualsOfMeasure};
use bakeoff_results::run::Run;
use bakeoff_suite::RunOptions;
use bakeoff_text::{Side, Text, TextTable, counted};

use crate::announce::print_start;
use crate::cli::DoctorArguments;
use crate::outcome::Outcome;
use crate::planned::Planned;
use crate::show::columns;

/// The suite that measures equals.
const SUITE: &str = include_str!("aa.toml");

/// A store whose driver describes twins.
const STORE: &str = "lmdb";

/// Numbers of rounds for which the table says what can be told apart.
const ROUNDS: [usize; 3] = [3, 10, 30];

/// Measures equals, and prints what can be told apart.
pub(super) fn main(arguments: &DoctorArguments, drivers: &Drivers) -> Result<Outcome> {
    let driver =
        drivers.of_store(STORE).with_context(|| format!("no driver here has {STORE}: build with ./bakeoff"))?;
    let directory = make_run_directory(&arguments.out, "aa", Readers::All)?;
    // It stays with the results, so that a run that was cut short can go on.
    let twins = directory.path().canonicalize()?.join(TWINS_PROGRAM);
    symlink(driver.path.canonicalize()?, &twins).with_context(|| format!("cannot make {}", twins.display()))?;
    let options = RunOptions {
        dir: Some(arguments.dir.clone()),
        out: arguments.out.clone(),
        driver: Some(twins),
        ..RunOptions::default()
    };
    let source = SuiteSource { name: "aa".to_owned(), text: SUITE.to_owned() };
    let planned = Planned::new(&options, source)?;
    let file = planned.file();
    print_start(&planned.setup, &file, directory.path(), None, false);
    let measured = execute(&planned.setup, &directory, file, None)?;
    let (interrupted, failed) = (measured.ended.interrupted, measured.ended.failed > 0);
    measured.remove()?;
    if interrupted {
        tell!("Stopped. What was measured is kept in {}", shown(directory.path()));
        return Ok(Outcome::Interrupted);
    }
    let run = Run::read(directory.path())?;
    let equals = Equals::of(&Analysis::new(&run))
        .with_context(|| format!("too few cells were measured: see `{} report`", bakeoff_text::program()))?;
    print(&equals)?;
    print_line!("\nResults: {}", shown(directory.path()))?;
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Good })
}

fn print(equals: &Equals) -> Result<()> {
    print_line!("\nEquals (A/A): differences that can be told apart here and now")?;
    print_text!("{}", table(&equals.measures))?;
    let Equals { rankings, false_rankings, .. } = *equals;
    let among = counted(rankings, "ranking");
    let whole = equals.is_whole_false.map(|is_false| if is_false { ", and so does the overall one" } else { "" });
    let text = format!(
        "{false_rankings} of {among} of equals call one of them worse{}. Chance does that in 5 of 100.",
        whole.unwrap_or_default()
    );
    print_text!("{}", bakeoff_text::paragraph(&text, columns(), "", ""))?;
    if equals.measures.iter().any(|each| each.known_within > BUSY) {
        print_text!("{}", bakeoff_text::paragraph(ADVICE, columns(), "", ""))?;
    }
    Ok(())
}

/// Ratios that are known no better than this after three rounds: somebody else uses the machine.
const BUSY: f64 = 1.5;

/// What helps then.
const ADVICE: &str = "This machine is busy. Stop other programs, or give --rounds 10 or more.";

/// A row for each measure.
fn table(measures: &[EqualsOfMeasure]) -> String {
    let mut table = TextTable::new(std::iter::once(Side::Left).chain(ROUNDS.map(|_| Side::Right)).collect());
    let head = ROUNDS.map(|rounds| Text::plain(counted(rounds, "round")));
    table.row(std::iter::once(Text::plain("  operation")).chain(head).collect());
    for each in measures {
        let figure = |rounds| Text::plain(bakeoff_text::percent(each.known_within_after(rounds) - 1.0));
        let name = Text::plain(format!("  {}", each.measure.label()));
        table.row(std::iter::once(name).chain(ROUNDS.map(figure)).collect());
    }
    table.render(columns(), false)
}
