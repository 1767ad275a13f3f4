//! What is measured: a suite, and what is changed in it.

use std::path::PathBuf;

use bakeoff_suite::Overrides;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};

/// Where results go unless another place is named.
pub(crate) const DEFAULT_RESULTS: &str = "bakeoff-results";

/// The suite that is measured unless another is named.
const DEFAULT_SUITE: &str = "quick";

/// What may be changed in a suite from the command line.
#[derive(Args, Clone, Default)]
pub(crate) struct SuiteArguments {
    /// A suite by name (`bakeoff suites` lists them) or a suite file
    #[arg(default_value = DEFAULT_SUITE, value_name = "SUITE|FILE")]
    pub(crate) suite: String,
    /// Instead of a suite, replay a tape that `bakeoff tape import` made of a trace
    #[arg(long, value_name = "DIR", conflicts_with = "suite")]
    pub(crate) tape: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overrides: OverrideArguments,
    /// Take text values from the text files in this directory instead of the built-in words
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: Option<PathBuf>,
}

impl SuiteArguments {
    /// Whether a suite other than the default one is asked for.
    pub(crate) fn is_named(&self) -> bool {
        self.suite != DEFAULT_SUITE
    }

    /// Whether anything is asked for but the default suite as it is.
    pub(crate) fn is_given(&self) -> bool {
        self.is_named() || self.tape.is_some() || self.corpus.is_some() || !self.overrides.0.is_empty()
    }
}

/// The flags that take the place of what a suite says, as the suite's crate declares them.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverrideArguments(pub(crate) Overrides);

/// The group of these flags, for flags that do not go with them.
pub(crate) const OVERRIDES: &str = "OverrideArguments";

impl Args for OverrideArguments {
    fn augment_args(command: Command) -> Command {
        let argument = |flag: &bakeoff_suite::Flag| {
            let argument = Arg::new(flag.name).long(flag.name).value_name(flag.value_name).help(flag.help);
            if flag.is_list { argument.value_delimiter(',').action(ArgAction::Append) } else { argument }
        };
        let names = Overrides::flags().map(|flag| flag.name);
        command.args(Overrides::flags().map(argument)).group(ArgGroup::new(OVERRIDES).multiple(true).args(names))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }

    fn group_id() -> Option<clap::Id> {
        Some(OVERRIDES.into())
    }
}

impl FromArgMatches for OverrideArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut overrides = Self::default();
        overrides.update_from_arg_matches(matches)?;
        Ok(overrides)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for flag in Overrides::flags().filter(|flag| matches.value_source(flag.name) == Some(ValueSource::CommandLine))
        {
            let values = matches.get_many::<String>(flag.name).into_iter().flatten().cloned().collect();
            self.0.set(flag.name, values);
        }
        Ok(())
    }
}
