//! Help in two lengths: `-h` is one screen with the usual options, and `--help` is everything. Texts are in `help_texts`.

use std::ffi::OsString;

use bakeoff_text::program;
use clap::{Arg, Command, CommandFactory, FromArgMatches};

use super::Cli;
use super::help_texts::{HELP, Help};

/// Columns that examples fit, as a terminal has them.
const EXAMPLE_COLUMNS: usize = 80;

/// Longer examples do not move the descriptions of the others.
const ALIGNED_MAX: usize = 40;

/// Examples that `-h` shows.
const BRIEF_EXAMPLES: usize = 3;

/// The parser of the command line, whose help names the program as the user does.
pub(crate) fn command() -> Command {
    adapted(Cli::command().bin_name(program()), "")
}

/// Parses a command line.
///
/// # Errors
/// It is wrong, or asks for help or the version.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// A command and those below it, with their help.
fn adapted(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = names.iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |below| adapted(below, path.trim_start()))
    });
    match HELP.iter().find(|help| help.command == path) {
        Some(help) => with_help(command, help),
        None => command,
    }
}

fn with_help(command: Command, help: &Help) -> Command {
    let shown = |all: &[(&str, &str)]| if all.is_empty() { String::new() } else { examples(all) + "\n" };
    let words = format!("{} {}", program(), help.command);
    // The list of commands leaves no room for examples.
    let few = if command.has_subcommands() { 0 } else { help.examples.len().min(BRIEF_EXAMPLES) };
    let brief = shown(&help.examples[..few]);
    let notes: String = help.notes.iter().map(|note| format!("{}\n\n", as_typed(note))).collect();
    let (long, more) =
        (format!("{}\n{notes}", shown(help.examples)), format!("All options: {} --help", words.trim_end()));
    // The list of options says so already, and all lines are needed for the commands.
    let more = if help.command.is_empty() { String::new() } else { more };
    let command = match help.usage {
        "" => command,
        usage => command.override_usage(format!("{words} {usage}")),
    };
    command
        .mut_args(|argument| described(argument, help))
        .after_help(brief + &more)
        .after_long_help(long.trim().to_owned())
}

/// An option with one line for `-h`, or hidden there.
fn described(argument: Arg, help: &Help) -> Arg {
    let long = argument.get_long_help().or(argument.get_help()).map(|text| as_typed(&text.to_string()));
    let argument = match long {
        Some(long) => argument.long_help(long),
        None => argument,
    };
    match help.brief.iter().find(|(id, _)| argument.get_id() == id) {
        Some((_, text)) => argument.help(*text),
        None => argument.hide_short_help(true),
    }
}

/// Text with the commands in it as the user types them.
fn as_typed(text: &str) -> String {
    text.replace("`bakeoff ", &format!("`{} ", program()))
}

/// Examples, each with its description: next to it, or below a long one.
fn examples(all: &[(&str, &str)]) -> String {
    let commands = all.iter().map(|(words, what)| (format!("  {} {words}", program()), *what));
    let aligned = commands.clone().map(|(command, _)| command.chars().count());
    let column = aligned.filter(|width| *width <= ALIGNED_MAX).max().unwrap_or(0) + 2;
    let lines = commands.map(|(command, what)| match what {
        "" => format!("\n{command}"),
        _ if column.max(command.chars().count() + 2) + what.chars().count() <= EXAMPLE_COLUMNS => {
            format!("\n{command:<width$}{what}", width = column.max(command.chars().count() + 2))
        }
        _ => format!("\n{command}\n      {what}"),
    });
    format!("Examples:{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_belongs_to_a_command_and_its_options() {
        let command = command();
        for help in HELP {
            let of = help.command.split_whitespace().try_fold(&command, |command, name| command.find_subcommand(name));
            let of = of.unwrap_or_else(|| panic!("{} is no command", help.command));
            for (id, _) in help.brief {
                assert!(of.get_arguments().any(|argument| argument.get_id() == id), "{} has no {id}", help.command);
            }
        }
    }

    #[test]
    fn the_parser_takes_every_example() {
        for (words, _) in HELP.iter().flat_map(|help| help.examples) {
            let line = format!("bakeoff {words}");
            let typed = shlex::split(&line).unwrap_or_default().into_iter().map(OsString::from);
            assert!(parse(typed).is_ok(), "{line}");
            assert!(line.chars().count() + 4 <= EXAMPLE_COLUMNS, "{line}");
        }
    }
}
