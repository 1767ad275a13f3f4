//! The steps: `./bakeoff test` runs the quick ones, `test all` runs all of them, `test long` runs others that take hours.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::drivers::{self, HEAVY, maven, other_javas};
use crate::fuzz;
use crate::test::inputs::Inputs;
use crate::test::metadata::Packages;
use crate::test::options::Extent;
use crate::test::scratch::Scratch;
use crate::test::step::{Ended, Files, Lane, Step};
use crate::test::suite::{Suite, suites};
use crate::test::{declared, page};
use crate::workspace::{Workspace, has, output_of};

/// How much more than usual `test long` does: kills of each store in each class, and random operations. Forty times is a thousand kills.
const SCALE: &str = "40";
/// The same for mutations of each fuzz target's seeds.
const SCALE_SEEDS: &str = "120";
/// The same for stores on the JVM, whose processes take long to start.
const SCALE_JVM: &str = "8";
/// Rounds of 110 power cuts for each of two stores: 10,120 cuts.
const SCALE_CUTS: &str = "46";
/// The variable that passes it to the tests.
const SCALE_VARIABLE: &str = "BAKEOFF_TEST_SCALE";
/// Inputs for each parser.
const FUZZ_RUNS: u64 = 1_000_000;

/// The test that takes minutes for a store's durability, which the quick tests leave out.
const DURABILITY: &str = "durability";
/// Experiments of an hour or two: what is said of equals, and whether the model of a trace picks what its replay picks.
const EXPERIMENTS: [&str; 2] = ["equals", "traces"];
/// The test that damages runs and kills them.
const DAMAGE: &str = "damage";
/// The test that cuts the power of disks.
const POWER_CUT: &str = "power_cut";
/// The test that checks every store of every driver.
const CHECK_DRIVER: &str = "check_driver";
/// Maven's tests.
const JVM_TESTS: &str = "jvm-tests";
/// How names of the heavy driver's steps begin: its build, and the tests that this leads to.
pub(super) const HEAVY_TESTS: &str = "heavy-";
/// The test that puts every store to the checks of `bakeoff-store`.
const CONFORMANCE: &str = "conformance";

/// What the steps are made from.
pub(crate) struct Plan {
    pub(crate) workspace: Workspace,
    pub(crate) packages: Packages,
    pub(crate) extent: Extent,
    /// What selects packages and stores.
    pub(crate) selection: Vec<String>,
    pub(crate) threads: usize,
    /// Versions of tools that decide what a step comes to.
    pub(crate) tools: String,
    /// Where tests make their directories, if that is not the system's place for them.
    pub(crate) scratch: Option<Scratch>,
}

impl Plan {
    fn inputs(&self) -> Inputs {
        Inputs::new(&self.workspace.root).fact(&self.tools).fact(&self.selection.join(" "))
    }

    /// All that Cargo compiles.
    fn sources(&self) -> Inputs {
        let paths =
            ["crates", "fuzz", "xtask", "suites", "published", "docs", "drivers.toml", "Cargo.toml", "Cargo.lock"];
        paths.into_iter().chain(["rust-toolchain.toml", "rustfmt.toml", ".cargo"]).fold(self.inputs(), Inputs::path)
    }

    fn java(&self) -> Inputs {
        self.inputs().path("jvm").path("crates/protocol/vectors").path("crates/tape/vectors").path("crates/tree/schema")
    }

    /// A test program as it runs here. The conformance of stores is checked on the disk too, by `test all`.
    fn placed(&self, suite: Suite) -> Suite {
        let on_disk = self.extent == Extent::All && suite.target == CONFORMANCE;
        match self.scratch.as_ref().filter(|_| !on_disk).and_then(|scratch| scratch.directory().to_str()) {
            Some(directory) => {
                let name = suite.name.clone();
                suite.with(name, &[("TMPDIR", directory)])
            }
            None => suite,
        }
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = self.workspace.cargo(arguments);
        cargo.args(&self.selection);
        cargo
    }
}

/// The steps to begin with. Builds lead to the tests that they build.
///
/// # Errors
/// A list in the repository cannot be read.
pub(crate) fn steps(plan: &Arc<Plan>) -> Result<Vec<Step>> {
    let mut steps = vec![build(plan)];
    if plan.extent == Extent::Long {
        steps.extend(fuzzing(plan)?);
        steps.push(jvm_build(plan)?);
        steps.extend(jvm_tests(plan));
        return Ok(steps);
    }
    steps.extend([format(plan), scripts(plan)?, page_lint(plan), unused_dependencies(plan), lints(plan)]);
    if plan.extent == Extent::All {
        steps.extend([libraries(plan), documentation(plan), deny(plan)]);
        steps.extend([heavy_build(plan)?, heavy_lints(plan), drivers_apart(plan), jvm_build(plan)?]);
        steps.extend(jvm_tests(plan));
    }
    Ok(steps)
}

/// The names of the steps that only `test long` has.
pub(crate) fn long_names(root: &Path) -> Result<Vec<String>> {
    let fuzzing = fuzz::targets(root)?.into_iter().map(|target| format!("fuzz-{target}"));
    let scaled =
        ["kills", "kills-jvm", "conformance-long", "seeds-long", "damage-long", "power-cut-long", "check-driver-long"];
    let jvm = other_javas().into_iter().map(|java| jvm_tests_name(&java));
    Ok(fuzzing.chain(scaled.into_iter().chain(EXPERIMENTS).map(str::to_owned)).chain(jvm).collect())
}

fn format(plan: &Arc<Plan>) -> Step {
    let cargo = plan.workspace.cargo(&["fmt", "--all", "--check"]);
    // cargo fmt does not see the modules that the table of stores declares.
    let mut stores = Command::new("rustfmt");
    stores.arg("--check").args(rust_files(&plan.workspace.root.join("crates/stores/src")));
    Step::commands("format", vec![cargo, stores]).reading(plan.sources().key())
}

/// The Rust files of a directory, without those below it.
fn rust_files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
}

/// Every shell script, found by its first line.
fn scripts(plan: &Arc<Plan>) -> Result<Step> {
    let root = plan.workspace.root.clone();
    let scripts = shell_scripts(&root);
    ensure!(scripts.iter().any(|script| script == "bakeoff"), "no shell scripts are found in {}", root.display());
    let key = scripts.iter().fold(plan.inputs(), |inputs, script| inputs.path(script)).path("bench/common.sh").key();
    let work = move |files: &mut Files| {
        if has("shellcheck") {
            files.run(Command::new("shellcheck").arg("-x").args(&scripts).current_dir(&root))?;
        } else {
            files.skip("shell scripts: shellcheck is not there (apt-get install shellcheck)")?;
        }
        Ok(Ended::default())
    };
    Ok(Step::new("scripts", Box::new(work)).reading(key))
}

/// The files that begin as a shell script does, by their paths below the root.
fn shell_scripts(root: &Path) -> Vec<String> {
    let files = crate::files::files_below(root);
    let is_script = |path: &PathBuf| {
        let mut first = [0; 19];
        let read = std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut first));
        path.extension().is_none() && read.is_ok() && &first == b"#!/usr/bin/env bash"
    };
    let names = files.iter().filter(|path| is_script(path)).filter_map(|path| path.strip_prefix(root).ok()?.to_str());
    names.map(str::to_owned).collect()
}

fn page_lint(plan: &Arc<Plan>) -> Step {
    let key = plan
        .inputs()
        .fact(page::LINTER)
        .path(&format!("{}/js", page::WEB))
        .path(&format!("{}/scripts.rs", page::WEB))
        .path(&format!("{}/biome.json", page::WEB))
        .key();
    let workspace = plan.workspace.clone();
    let work = move |files: &mut Files| page::lint(&workspace, files).map(|()| Ended::default());
    Step::new("page-lint", Box::new(work)).reading(key)
}

fn libraries(plan: &Arc<Plan>) -> Step {
    let key = plan.inputs().path(&format!("{}/vendor", page::WEB)).key();
    let workspace = plan.workspace.clone();
    let work = move |files: &mut Files| page::compare_libraries(&workspace, files).map(|()| Ended::default());
    Step::new("libraries", Box::new(work)).reading(key)
}

fn unused_dependencies(plan: &Arc<Plan>) -> Step {
    let shared = Arc::clone(plan);
    let work =
        move |_: &mut Files| declared::check(&shared.workspace.root, &shared.packages).map(|()| Ended::default());
    Step::new("dependencies", Box::new(work))
}

/// Licences and sources of dependencies, and advisories where their database can be fetched.
fn deny(plan: &Arc<Plan>) -> Step {
    let workspace = plan.workspace.clone();
    let work = move |files: &mut Files| {
        // Not optimised: it runs for seconds, and its own release profile takes minutes to compile.
        let install = &mut workspace.cargo(&["install", "--locked", "--quiet", "--debug", "cargo-deny"]);
        install.env("CARGO_PROFILE_DEV_DEBUG", "false");
        if !has("cargo-deny") && files.run(install).is_err() {
            files
                .skip("licences and advisories: cargo-deny cannot be installed (cargo install --locked cargo-deny)")?;
            return Ok(Ended::default());
        }
        files.run(&mut workspace.cargo(&["deny", "--locked", "check", "licenses", "bans", "sources"]))?;
        match files.run(&mut workspace.cargo(&["deny", "fetch", "db"])) {
            Ok(()) => {
                files.run(&mut workspace.cargo(&["deny", "--locked", "check", "--disable-fetch", "advisories"]))?
            }
            Err(_) => files.skip("advisories: their database cannot be fetched")?,
        }
        Ok(Ended::default())
    };
    Step::new("deny", Box::new(work)).lane(Lane::Cargo).after(&["build"])
}

fn lints(plan: &Arc<Plan>) -> Step {
    let cargo = plan.cargo(&["clippy", "--release", "--locked", "--all-targets", "--keep-going", "--quiet"]);
    Step::commands("lints", vec![denying_warnings(cargo)])
        .reading(plan.sources().key())
        .lane(Lane::Cargo)
        .after(&["build"])
}

fn denying_warnings(mut cargo: Command) -> Command {
    cargo.args(["--", "-D", "warnings"]);
    cargo
}

fn documentation(plan: &Arc<Plan>) -> Step {
    let mut cargo = plan.cargo(&["doc", "--release", "--locked", "--no-deps", "--quiet"]);
    cargo.env("RUSTDOCFLAGS", "-D warnings");
    let examples = plan.cargo(&["test", "--release", "--locked", "--doc", "--quiet"]);
    Step::commands("documentation", vec![cargo, examples])
        .reading(plan.sources().key())
        .lane(Lane::Cargo)
        .after(&["build"])
}

/// Builds programs, tests and benchmarks, which then are steps of their own.
fn build(plan: &Arc<Plan>) -> Step {
    let shared = Arc::clone(plan);
    let cargo = plan.cargo(&["build", "--release", "--locked", "--all-targets"]);
    let work = move |files: &mut Files| {
        let suites = built(&shared, cargo, files)?;
        Ok(Ended {
            next: suites.into_iter().flat_map(|suite| light_steps(&shared, suite)).collect(),
            ..Ended::default()
        })
    };
    Step::new("build", Box::new(work)).lane(Lane::Cargo)
}

/// Runs a build of Cargo's and finds the test programs that it has built.
fn built(plan: &Plan, mut cargo: Command, files: &mut Files) -> Result<Vec<Suite>> {
    cargo.args(["--quiet", "--message-format", "json-render-diagnostics"]);
    let output = cargo.stderr(files.log.try_clone()?).output().context("cannot start cargo")?;
    ensure!(output.status.success(), "the build failed");
    suites(&plan.workspace, &plan.packages, &String::from_utf8_lossy(&output.stdout))
}

/// The steps that a test program of the light build leads to.
fn light_steps(plan: &Arc<Plan>, suite: Suite) -> Vec<Step> {
    let is = |name: &str| suite.name == name;
    match plan.extent {
        Extent::Long => {
            let scaled = |name: &str, scale: &str| suite.clone().with(name, &[(SCALE_VARIABLE, scale)]);
            if is("stores:durability") {
                vec![run(plan, scaled("kills", SCALE)), jvm_durability(plan, scaled("kills-jvm", SCALE_JVM))]
            } else if is("stores:conformance") {
                vec![run(plan, scaled("conformance-long", SCALE))]
            } else if is("fuzz:seeds") {
                vec![run(plan, scaled("seeds-long", SCALE_SEEDS))]
            } else if suite.target == DAMAGE {
                vec![run(plan, scaled("damage-long", SCALE))]
            } else if suite.target == POWER_CUT {
                vec![run(plan, scaled("power-cut-long", SCALE_CUTS))]
            } else if suite.target == CHECK_DRIVER {
                let all = [(SCALE_VARIABLE, SCALE), ("BAKEOFF_DRIVERS_BUILT", "all")];
                vec![run(plan, suite.with("check-driver-long", &all)).after(&["jvm-build"])]
            } else if EXPERIMENTS.contains(&suite.target.as_str()) {
                let name = suite.target.clone();
                vec![run(plan, suite.with(name, &[]))]
            } else {
                Vec::new()
            }
        }
        Extent::Quick | Extent::All if EXPERIMENTS.contains(&suite.target.as_str()) => Vec::new(),
        Extent::Quick if suite.is_bench || suite.target == DURABILITY => Vec::new(),
        Extent::All if suite.target == DURABILITY => {
            let jvm = jvm_durability(plan, suite.clone().with("jvm-durability", &[]));
            vec![run(plan, suite), jvm]
        }
        // All drivers are built by then, and a test holds them against drivers.toml.
        Extent::All if suite.name.starts_with("bakeoff:") && !suite.is_bench => {
            let name = suite.name.clone();
            vec![run(plan, suite.with(name, &[("BAKEOFF_DRIVERS_BUILT", "all")])).after(&["heavy-build", "jvm-build"])]
        }
        Extent::Quick | Extent::All => vec![run(plan, suite)],
    }
}

/// A step that runs a test program.
fn run(plan: &Arc<Plan>, suite: Suite) -> Step {
    let suite = plan.placed(suite);
    let mut inputs = plan.inputs().fact(&suite.facts());
    let mut alone = false;
    if let Some(package) = plan.packages.by_id(&suite.package_id) {
        inputs = inputs.tests_of(&plan.packages, package);
        alone = package.tests().alone.contains(&suite.target);
    }
    let (name, threads) = (suite.name.clone(), if alone { 1 } else { plan.threads });
    let work = move |files: &mut Files| Ok(Ended { tests: suite.run(threads, files)?, ..Ended::default() });
    Step { alone, ..Step::new(name, Box::new(work)).reading(inputs.key()).after(&["build"]) }
}

/// The durability of the stores on the JVM, by the tests of those in Rust.
fn jvm_durability(plan: &Arc<Plan>, suite: Suite) -> Step {
    let name = suite.name.clone();
    let suite = suite.with(name, &[("BAKEOFF_JVM_BUILT", &plan.workspace.own.display().to_string())]);
    let step = run(plan, suite);
    let key = plan.java().fact(step.inputs.as_deref().unwrap_or_default()).key();
    step.reading(key).after(&["jvm-build"])
}

fn heavy_build(plan: &Arc<Plan>) -> Result<Step> {
    let (shared, driver) = (Arc::clone(plan), drivers::find(Some("heavy"))?);
    let mut cargo = plan.workspace.cargo(&["build", "--release", "--locked", "--all-targets"]);
    cargo.args(HEAVY);
    let work = move |files: &mut Files| {
        let start = Instant::now();
        let suites = built(&shared, cargo, files)?;
        driver.stamp_built(&shared.workspace, start)?;
        let suites = suites.into_iter().filter(|suite| !suite.is_bench);
        let named = suites.map(|suite| {
            let name = format!("{HEAVY_TESTS}{}", suite.name);
            run(&shared, suite.with(name, &[]))
        });
        Ok(Ended { next: named.collect(), ..Ended::default() })
    };
    Ok(Step::new("heavy-build", Box::new(work)).lane(Lane::Cargo).after(&["build"]))
}

fn heavy_lints(plan: &Arc<Plan>) -> Step {
    let mut cargo =
        plan.workspace.cargo(&["clippy", "--release", "--locked", "--all-targets", "--keep-going", "--quiet"]);
    cargo.args(HEAVY);
    let step = Step::commands("heavy-lints", vec![denying_warnings(cargo)]).reading(plan.sources().key());
    step.lane(Lane::Cargo).after(&["heavy-build"])
}

/// The native driver still has its stores after the heavy one was built in the same directory.
fn drivers_apart(plan: &Arc<Plan>) -> Step {
    let program = plan.workspace.program("bakeoff-driver-native");
    let work = move |_: &mut Files| {
        let described =
            output_of(Command::new(&program).arg("describe")).context("the native driver does not describe itself")?;
        let described: serde_json::Value = serde_json::from_str(&described)?;
        let stores = described["stores"].as_array().context("it has no stores")?;
        ensure!(stores.iter().any(|store| store["name"] == "sqlite"), "it has lost its stores to the heavy driver");
        Ok(Ended::default())
    };
    Step::new("drivers-apart", Box::new(work)).after(&["build", "heavy-build"])
}

fn jvm_build(plan: &Arc<Plan>) -> Result<Step> {
    let (shared, driver) = (Arc::clone(plan), drivers::find(Some("jvm"))?);
    let work = move |files: &mut Files| {
        let start = Instant::now();
        if !driver.is_built(&shared.workspace) {
            driver.commands(&shared.workspace, None).iter_mut().try_for_each(|command| files.run(command))?;
            driver.stamp_built(&shared.workspace, start)?;
        }
        Ok(Ended::default())
    };
    Ok(Step::new("jvm-build", Box::new(work)).lane(Lane::Maven))
}

/// Maven's tests: on another Java than the end-to-end tests have, if one is installed; `test long` has them on one of each version.
fn jvm_tests(plan: &Arc<Plan>) -> Vec<Step> {
    let on = |name: String, java: Option<&Path>| {
        let argument = java.map(|java| format!("-Djvm={}", java.display()));
        let arguments: Vec<&str> = ["verify"].into_iter().chain(argument.as_deref()).collect();
        let key = plan.java().fact(&arguments.join(" ")).key();
        Step::commands(name, vec![maven(&plan.workspace, &arguments)])
            .reading(key)
            .lane(Lane::Maven)
            .after(&["jvm-build"])
    };
    let others = other_javas();
    if plan.extent == Extent::All {
        return vec![on(JVM_TESTS.to_owned(), others.last().map(PathBuf::as_path))];
    }
    let named = others.iter().map(|java| on(jvm_tests_name(java), Some(java)));
    std::iter::once(on(JVM_TESTS.to_owned(), None)).chain(named).collect()
}

/// The name of Maven's tests on the Java of a program such as `/usr/lib/jvm/NAME/bin/java`.
fn jvm_tests_name(java: &Path) -> String {
    let home = java.ancestors().nth(2).and_then(|home| home.file_name()?.to_str());
    format!("{JVM_TESTS}-{}", home.unwrap_or_default())
}

/// libFuzzer over each parser.
fn fuzzing(plan: &Arc<Plan>) -> Result<Vec<Step>> {
    let missing = fuzz::missing();
    let step = |target: String| {
        let shared = Arc::clone(plan);
        let name = format!("fuzz-{target}");
        let work = move |files: &mut Files| {
            match missing {
                Some(missing) => files.skip(&format!("fuzzing of {target}: {missing}"))?,
                None => files.run(&mut fuzz::command(&shared.workspace, &target, FUZZ_RUNS)?)?,
            }
            Ok(Ended::default())
        };
        Step::new(name, Box::new(work)).reading(plan.sources().key()).lane(Lane::Fuzz)
    };
    Ok(fuzz::targets(&plan.workspace.root)?.into_iter().map(step).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_scripts_are_found_by_their_first_line() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        let scripts = shell_scripts(&root);
        for script in ["bakeoff", ".ci/run", "jvm/launcher/assemble", "bench/fidelity/run"] {
            assert!(scripts.iter().any(|found| found == script), "{script} is not in {scripts:?}");
        }
    }

    #[test]
    fn the_long_steps_have_names_before_they_run() {
        let names = long_names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        assert!(names.contains(&"kills".to_owned()) && names.contains(&"fuzz-tape".to_owned()), "{names:?}");
    }
}
