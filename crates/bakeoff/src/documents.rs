//! Commands and flags in documents are ones that bakeoff takes: the parser of the command line reads each.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use bakeoff_tidy::{Code, Document, Files};
use clap::error::ErrorKind;
use clap::{Command, CommandFactory, Parser};

use crate::SCRIPT_VERBS;
use crate::cli::Cli;

/// Files and directories of programs whose flags documents name besides: builds, tests, comparisons, and the drivers.
const OTHER_PROGRAMS: [&str; 4] = ["bakeoff", "bench", "xtask/src", "jvm/launcher"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command of bakeoff's in a document, from its verb on.
struct Shown {
    words: Vec<String>,
    /// Whether it is part of a sentence, and may leave out what must be given.
    is_inline: bool,
}

impl Shown {
    /// Finds it in code: after `bakeoff` or `./bakeoff`, or within a line from a verb on if flags follow.
    fn find(code: &Code, verbs: &BTreeSet<String>) -> Option<Self> {
        let is_inline = code.block.is_none();
        let line = match code.block.as_deref() {
            Some("text") => code.text.strip_prefix("$ ")?,
            Some("" | "sh" | "console") => code.text.strip_prefix("$ ").unwrap_or(&code.text),
            Some(_) => return None,
            None => &code.text,
        };
        let mut words = shlex::split(line.strip_prefix("sudo ").unwrap_or(line))?;
        let end = words.iter().position(|word| ["|", ">", "<", "&&"].contains(&&**word)).unwrap_or(words.len());
        words.truncate(end);
        words.retain(|word| word != "…");
        match words.first()?.as_str() {
            "bakeoff" | "./bakeoff" => _ = words.remove(0),
            verb if is_inline && verbs.contains(verb) && line.contains(" --") => {}
            _ => return None,
        }
        (!words.is_empty()).then_some(Self { words, is_inline })
    }

    /// Why it is refused.
    fn refusal(&self, others: &BTreeSet<String>) -> Option<String> {
        let verb = self.words[0].as_str();
        if SCRIPT_VERBS.contains(&verb) {
            let unknown = self.words.iter().find(|word| word.starts_with("--") && !others.contains(*word));
            return unknown.map(|flag| format!("./bakeoff {verb} has no {flag}"));
        }
        let error = Cli::try_parse_from(["bakeoff"].into_iter().chain(self.words.iter().map(String::as_str))).err()?;
        let is_fine = match error.kind() {
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => true,
            // `--value-size` at the end is the name of a flag.
            ErrorKind::InvalidValue => self.is_inline && self.words.last().is_some_and(|word| word.starts_with("--")),
            ErrorKind::MissingRequiredArgument => self.is_inline,
            _ => false,
        };
        (!is_fine).then(|| error.to_string())
    }
}

/// Each line of code of a document, with the lines that `\` continues.
fn commands(document: &Document) -> Vec<Code> {
    let mut commands: Vec<Code> = Vec::new();
    for code in &document.code {
        match commands.last_mut().filter(|last| last.block.is_some() && last.text.ends_with('\\')) {
            Some(last) => {
                last.text.pop();
                last.text += &code.text;
            }
            None => commands.push(code.clone()),
        }
    }
    commands
}

fn flags_of(command: &Command, flags: &mut BTreeSet<String>) {
    flags.extend(command.get_arguments().filter_map(|argument| argument.get_long()).map(|long| format!("--{long}")));
    command.get_subcommands().for_each(|command| flags_of(command, flags));
}

/// Flags in the sources of other programs.
fn other_flags(files: &Files) -> BTreeSet<String> {
    let is_source = |path: &&str| OTHER_PROGRAMS.iter().any(|program| Path::new(path).starts_with(program));
    let texts = files.iter().filter(is_source).filter_map(|path| fs::read_to_string(root().join(path)).ok());
    texts.flat_map(|text| flags_in(&text).into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Words that begin with `--`.
fn flags_in(text: &str) -> Vec<&str> {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let words = text.split(|letter: char| !is_part(letter));
    words.filter(|word| word.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic))).collect()
}

/// What of a document bakeoff would refuse.
fn refusals(document: &Document, others: &BTreeSet<String>) -> (usize, Vec<String>) {
    let cli = Cli::command();
    let verbs: BTreeSet<String> = cli.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let mut flags = others.clone();
    flags_of(&cli, &mut flags);
    let (mut read, mut found) = (0, Vec::new());
    for code in commands(document) {
        let place = format!("{}:{}: {}", document.path.display(), code.line, code.text);
        if let Some(shown) = Shown::find(&code, &verbs) {
            read += 1;
            found.extend(shown.refusal(others).map(|why| format!("{place}\n{why}")));
        } else if code.block.is_none() && code.text.starts_with("--") {
            let unknown = flags_in(&code.text).into_iter().filter(|flag| !flags.contains(*flag) && *flag != "--help");
            found.extend(unknown.map(|flag| format!("{place}: there is no {flag}")));
        }
    }
    (read, found)
}

#[test]
fn commands_and_flags_in_documents_are_taken() {
    let files = Files::read(&root()).unwrap();
    let others = other_flags(&files);
    let (mut read, mut refused) = (0, Vec::new());
    for document in Document::read_all(&root(), &files).unwrap() {
        let (commands, found) = refusals(&document, &others);
        read += commands;
        refused.extend(found);
    }
    assert!(read > 150, "{read} commands");
    assert!(refused.is_empty(), "{} of {read} commands and flags:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn what_would_be_refused_is_noticed() {
    let others = BTreeSet::from(["--fresh".to_owned()]);
    let refused = |text: &str| refusals(&Document::new("A.md".into(), text.to_owned()), &others).1;
    for right in [
        "```sh\n./bakeoff run --stores sqlite   # a comment\n```\n",
        "```text\n$ bakeoff pick --records 10k \\\n  --budget 6m\nbakeoff says so\n```\n",
        "```\nbakeoff report RUN --json - | bench/authors/columns > a.csv\n```\n",
        "`bakeoff`, `bakeoff tape`, `tape import --value-size`, `--budget`, `./bakeoff test all --fresh`, `cargo --gone`\n",
    ] {
        assert_eq!(refused(right), Vec::<String>::new(), "{right}");
    }
    for wrong in [
        "```sh\nbakeoff run --store sqlite\n```\n",
        "```text\n$ bakeoff pick --records 10k \\\n  --gone 6m\n```\n",
        "`run --resume --tape app.tape`\n",
        "`--gone`\n",
        "`./bakeoff test --gone`\n",
        "`bakeoff gone`\n",
    ] {
        assert_eq!(refused(wrong).len(), 1, "{wrong}");
    }
}
