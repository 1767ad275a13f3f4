//! `bakeoff compare --run`: both sides are measured in turn.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engine::{FinishedRun, OwnDirectory, SuiteSource, TurnSide, execute_in_turn, make_run_directory, shown};
use bakeoff_results::record::RunRecord;
use bakeoff_results::side::{Side, SideRecord};
use bakeoff_suite::RunOptions;

use crate::announce::print_start;
use crate::cli::CompareArguments;
use crate::options::{parse_budget, suite_source};
use crate::planned::Planned;

/// By how much a figure may be worse before its cell is measured again, where `--fail-on` does not say it.
const WORSE_DEFAULT: f64 = 0.05;

/// Two runs that were measured in turn.
pub(crate) struct Measured {
    /// Their directories.
    pub(crate) runs: [PathBuf; 2],
    /// By the user.
    pub(crate) interrupted: bool,
    finished: [FinishedRun; 2],
}

impl Measured {
    /// Removes what the runs needed.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub(crate) fn remove(self) -> Result<()> {
        self.finished.into_iter().try_for_each(FinishedRun::remove)
    }
}

/// Measures both sides.
pub(crate) fn measure(arguments: &CompareArguments) -> Result<Measured> {
    let budget = arguments.budget.as_deref().map(parse_budget).transpose()?;
    let [a, b] = sides(arguments)?;
    let (plan_a, plan_b) = (a.plan(arguments)?, b.plan(arguments)?);
    let directories = [(Side::A, &plan_a), (Side::B, &plan_b)].map(|(side, plan)| {
        let name = format!("{}-{}", plan.setup.suite.name(), side.name().to_lowercase());
        make_run_directory(&arguments.out, &name, plan.setup.readers())
    });
    let [directory_a, directory_b] = directories;
    let (directory_a, directory_b) = (directory_a?, directory_b?);
    let comparison = directory_a.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let side = |plan: &Planned, directory: &OwnDirectory, side| {
        let file = RunRecord { side: Some(SideRecord { side, comparison: comparison.clone() }), ..plan.file() };
        file.write(directory.path()).map(|()| file)
    };
    let files = [side(&plan_a, &directory_a, Side::A)?, side(&plan_b, &directory_b, Side::B)?];
    print_start(&plan_a.setup, &files[0], directory_a.path(), budget, arguments.full);
    tell!("Measured in turn with {}, so everything twice", shown(directory_b.path()));
    let [file_a, file_b] = files;
    let part = arguments.fail_on.unwrap_or(WORSE_DEFAULT);
    let sides = [
        TurnSide { setup: &plan_a.setup, directory: &directory_a, file: file_a },
        TurnSide { setup: &plan_b.setup, directory: &directory_b, file: file_b },
    ];
    let finished = execute_in_turn(sides, part, budget)?;
    let interrupted = finished.iter().any(|run| run.ended.interrupted);
    let runs = [directory_a.path().to_owned(), directory_b.path().to_owned()];
    tell!("{} {} and {}", if interrupted { "Stopped. Kept in" } else { "Results:" }, shown(&runs[0]), shown(&runs[1]));
    Ok(Measured { runs, interrupted, finished })
}

/// What makes a side differ from the other.
enum Different {
    /// The driver program.
    Driver(PathBuf),
    /// The directory that stores are in.
    Directory(PathBuf),
    /// The suite.
    Suite(SuiteSource),
}

impl Different {
    /// What a path names.
    fn of(path: &Path) -> Result<Self> {
        if path.is_dir() {
            return Ok(Self::Directory(path.to_owned()));
        }
        let is_program = path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0);
        let is_suite = path.extension().is_some_and(|extension| extension == "toml");
        if is_program && !is_suite {
            return Ok(Self::Driver(path.canonicalize()?));
        }
        let name = path.to_str();
        let name =
            name.with_context(|| format!("{} is no suite: names of suites are UTF-8. Rename it", shown(path)))?;
        let source = SuiteSource::find(name);
        Ok(Self::Suite(source.with_context(|| format!("{name} is no driver program, suite or directory"))?))
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Driver(_) => "a driver program",
            Self::Directory(_) => "a directory",
            Self::Suite(_) => "a suite",
        }
    }

    /// Plans this side.
    fn plan(self, arguments: &CompareArguments) -> Result<Planned> {
        let mut options = RunOptions {
            overrides: arguments.suite.overrides.0.clone(),
            corpus: arguments.suite.corpus.clone(),
            dir: arguments.dir.clone(),
            out: arguments.out.clone(),
            ..RunOptions::default()
        };
        let source = match self {
            Self::Driver(path) => {
                options.driver = Some(path);
                suite_source(&arguments.suite)?
            }
            Self::Directory(path) => {
                options.dir = Some(path);
                suite_source(&arguments.suite)?
            }
            Self::Suite(source) => source,
        };
        Planned::new(&options, source)
    }
}

/// The two sides, of the same kind.
fn sides(arguments: &CompareArguments) -> Result<[Different; 2]> {
    let (a, b) = (Different::of(&arguments.a)?, Different::of(&arguments.b)?);
    if a.kind() != b.kind() {
        bail!(
            "{} is {} and {} is {}: give two of a kind",
            arguments.a.display(),
            a.kind(),
            arguments.b.display(),
            b.kind()
        );
    }
    if matches!(a, Different::Suite(_)) && (arguments.suite.is_named() || arguments.suite.tape.is_some()) {
        bail!("A and B are suites themselves: leave out the third one");
    }
    if matches!(a, Different::Directory(_)) && arguments.dir.is_some() {
        bail!("--dir is for sides that share a directory: A and B are directories themselves");
    }
    Ok([a, b])
}
