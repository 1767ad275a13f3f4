//! The flags of `bakeoff pick` that say what is needed, made from the items of a need.

use bakeoff_need::{ITEMS, Item, YES};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

/// The items of a need that were given, with what was typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemArguments(pub(crate) Vec<(&'static Item, String)>);

impl Args for ItemArguments {
    fn augment_args(command: Command) -> Command {
        command.args(ITEMS.iter().map(|item| {
            let default = item.default_label.unwrap_or(item.default);
            let help = format!("{} [default: {default}]", item.help);
            let argument = Arg::new(item.key).long(item.key).value_name(item.value_name).help(help);
            let argument = if item.is_switch { argument.num_args(0..=1).default_missing_value(YES) } else { argument };
            if item.is_of_a_tape { argument.conflicts_with("tape") } else { argument }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ItemArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut items = Self::default();
        items.update_from_arg_matches(matches)?;
        Ok(items)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let given = ITEMS.iter().filter(|item| matches.value_source(item.key) == Some(ValueSource::CommandLine));
        self.0.extend(given.filter_map(|item| Some((item, matches.get_one::<String>(item.key)?.clone()))));
        Ok(())
    }
}
