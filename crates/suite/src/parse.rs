//! From the text of a suite and its flags to a checked suite.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use bakeoff_files::open_regular;
use bakeoff_tape::{Import, OpenLoop, Workload};
use bakeoff_tree::{Tree, tree_entries};

use crate::assemble::overrides::Overrides;
use crate::assemble::scale::{self, SCALE};
use crate::assemble::variants::{self, VARIANTS};
use crate::assemble::{check, check_baseline, read_file, settings};
use crate::axes::StoreChoice;
use crate::error::{Problems, SuiteErrors};
use crate::limits::SUITE_BYTES_MAX;
use crate::model::Suite;
use crate::node::too_long;
use crate::place::Place;

impl Suite {
    /// Reads a suite from TOML. `file_name` is the file's name in errors. The suite's name is made from it.
    ///
    /// # Errors
    /// Every mistake in the suite, each with its line.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, SuiteErrors> {
        let suite = check(read_file(file_name, text)?)?;
        check_baseline(&suite)?;
        Ok(suite)
    }

    /// Reads a suite with these flags in place of its own values.
    ///
    /// # Errors
    /// As [`Suite::parse`] and [`Suite::with_overrides`].
    pub fn parse_with(file_name: &str, text: &str, overrides: &Overrides) -> Result<Self, SuiteErrors> {
        let mut file = read_file(file_name, text)?;
        // `stores` comes first: settings may be those of a store that only the flag names.
        overrides.only("stores").apply(&mut file);
        let suite = check(file)?;
        check_baseline(&suite)?;
        suite.with_overrides(overrides)
    }

    /// Reads a suite from a file.
    ///
    /// # Errors
    /// The file cannot be read, or what [`Suite::parse`] finds.
    pub fn load(path: &Path) -> Result<Self, SuiteErrors> {
        Self::parse(&path.to_string_lossy(), &read_text(path)?)
    }

    /// This suite with flags in place of its own values, checked again.
    ///
    /// # Errors
    /// A flag is wrong, alone or combined with the suite.
    pub fn with_overrides(&self, overrides: &Overrides) -> Result<Self, SuiteErrors> {
        let suite = self.try_overrides(overrides).map_err(|errors| {
            let larger = overrides.text(SCALE).map(|text| scale::larger_parts(&text)).unwrap_or_default();
            let is_enough = |part: &String| self.try_overrides(&overrides.clone().with(SCALE, [part])).is_ok();
            match larger.into_iter().find(is_enough) {
                Some(part) => errors.with_help_for(SCALE, &format!("give a larger part: {part} is enough")),
                None => errors,
            }
        })?;
        suite.check_durability_flag(overrides)?;
        Ok(suite)
    }

    fn try_overrides(&self, overrides: &Overrides) -> Result<Self, SuiteErrors> {
        let mut file = self.file.clone();
        let mut left_out = self.left_out.clone();
        match overrides.get(VARIANTS) {
            Some(wanted) => {
                let mut problems = Problems::default();
                variants::choose(&mut file, wanted, &mut problems);
                if !problems.is_empty() {
                    return Err(file.errors(problems));
                }
            }
            None => left_out.extend(variants::leave_out_changed(&mut file, |variant| overrides.changes(variant))),
        }
        overrides.apply(&mut file);
        let given = ["records", "value-size"];
        let given = given.into_iter().filter_map(|flag| Some(format!("--{flag} {}", overrides.text(flag)?)));
        let numbers_given = self.numbers_given.iter().cloned().chain(given).collect();
        let Some(text) = overrides.text(SCALE) else { return Ok(Self { numbers_given, left_out, ..check(file)? }) };
        let mut problems = Problems::default();
        let trees = self.measured_trees(overrides.get(VARIANTS));
        let least_levels = trees.iter().map(|tree| tree.levels).min();
        let scale = scale::apply(&mut file, &text, least_levels, &mut problems);
        if !problems.is_empty() {
            return Err(file.errors(problems));
        }
        let suite = Self { numbers_given, left_out, ..check(file)? };
        let entries = |trees: Vec<Tree>| trees.into_iter().filter_map(tree_entries).sum::<u64>() as f64;
        let scale = scale.unwrap_or_else(|| entries(suite.measured_trees(None)) / entries(trees));
        if scale == 1.0 {
            return Ok(suite);
        }
        let summary = format!("{} Scaled down: --scale {}.", suite.summary, text.trim()).trim_start().to_owned();
        Ok(Self { summary, scale: Some(scale), ..suite })
    }

    /// The trees of all that is measured with these variants, or with all variants.
    fn measured_trees(&self, variants: Option<&[String]>) -> Vec<Tree> {
        let is_wanted = |suite: &&Self| match (variants, &suite.variant) {
            (Some(wanted), Some(variant)) => variants::is_chosen(wanted, &variant.name),
            _ => true,
        };
        self.measured().iter().filter(is_wanted).filter_map(|suite| suite.tree).collect()
    }

    /// Refuses `--durability` if every store has its own level: the flag would have no effect.
    fn check_durability_flag(&self, overrides: &Overrides) -> Result<(), SuiteErrors> {
        let Some(classes) = overrides.text("durability") else { return Ok(()) };
        let all_have_their_own = |suite: &Self| match suite.stores() {
            StoreChoice::All => false,
            StoreChoice::Named(names) => names.iter().all(|name| settings::durability(&suite.file, name).is_some()),
        };
        if !self.measured().iter().all(all_have_their_own) {
            return Ok(());
        }
        let mut problems = Problems::default();
        problems.add(
            &Place::Flag { flag: "durability", value: classes },
            "this changes nothing: the suite sets the level of each of these stores",
            "leave it out, or measure a variant with the same level for all stores",
        );
        Err(self.file.errors(problems))
    }

    /// This suite with the content of its tape.
    ///
    /// # Errors
    /// The suite uses the tape's own times, and the tape has none.
    pub fn replaying(mut self, workload: &Workload) -> Result<Self, SuiteErrors> {
        let timed = workload.import.as_ref().is_some_and(Import::is_timed);
        let mut replayed = workload.clone();
        if let (Some(speed), Some(last)) = (self.speed, replayed.phases.last_mut()) {
            last.open_loop = Some(OpenLoop::Recorded { speed });
        }
        if let (Some(node), Some(_), false) = (self.file.root.get("speed"), self.speed, timed) {
            let mut problems = Problems::default();
            let help = "leave `speed` out, or import a trace with a time in every line";
            problems.add(&node.place, "the tape has no times", help);
            return Err(self.file.errors(problems));
        }
        for suite in &mut self.variants {
            suite.replayed = Some(replayed.clone());
        }
        self.replayed = Some(replayed);
        Ok(self)
    }

    /// Surprising effects of flags on variants. Each appears once, after the names of the variants it applies to.
    /// `takes_part` reports whether a variant has cells of a store.
    pub fn notes(&self, takes_part: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let Ok(typed) = read_file(&self.file.name, &self.file.text) else { return Vec::new() };
        let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
        for suite in &self.variants {
            let Some(name) = suite.variant.as_ref().map(|variant| variant.name.as_str()) else { continue };
            let told = variants::settings_of_others(&typed, name, suite.stores(), |store| takes_part(name, store));
            let Some(what) = told else { continue };
            match notes.iter_mut().find(|(known, _)| *known == what) {
                Some((_, names)) => names.push(name),
                None => notes.push((what, vec![name])),
            }
        }
        let left_out = |(name, flag): &(String, &str)| {
            format!("{name}: left out, since --{flag} changes what it measures; --variants {name} measures it anyway")
        };
        let notes = notes.into_iter().map(|(what, names)| format!("{}: {what}", names.join(", ")));
        self.left_out.iter().map(left_out).chain(notes).collect()
    }
}

/// Reads the text of a suite file.
///
/// # Errors
/// The file cannot be read, is longer than [`SUITE_BYTES_MAX`], or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, SuiteErrors> {
    let name = path.to_string_lossy();
    let mut bytes = Vec::new();
    open_regular(path, File::options().read(true))
        .and_then(|file| file.take(SUITE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(|why| match why.kind() {
            ErrorKind::InvalidInput => {
                let remedy = "give a text file: docs/SUITES.md shows those of suites, docs/PICK.md those of needs";
                SuiteErrors::of_file(&name, why.to_string(), remedy)
            }
            _ => {
                let message = format!("cannot be read: {why}");
                SuiteErrors::of_file(&name, message, "check the path and its permissions")
            }
        })?;
    if bytes.len() as u64 > SUITE_BYTES_MAX {
        return Err(too_long(&name));
    }
    String::from_utf8(bytes).map_err(|error| {
        let message = format!("is not text: byte {} is not UTF-8", error.utf8_error().valid_up_to());
        SuiteErrors::of_file(&name, message, "check that this is the right file, saved as UTF-8")
    })
}
