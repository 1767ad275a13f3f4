//! `bakeoff check-driver`: whether a driver, in any language, keeps the rules of `docs/PROTOCOL.md` and `docs/TAPE.md`.

use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_engine::check_driver::{DriverToCheck, RuleResult, Verdict, check_driver, rules};
use bakeoff_text::{counted, printable, shell_command};

use crate::cli::CheckDriverArguments;
use crate::outcome::Outcome;

/// Columns that a rule's name takes.
const NAME_COLUMNS: usize = 22;

/// Runs the verb.
pub(crate) fn main(arguments: &CheckDriverArguments) -> Result<Outcome> {
    if arguments.list {
        for (name, says) in rules() {
            print_line!("{name:NAME_COLUMNS$} {says}")?;
        }
        return Ok(Outcome::Good);
    }
    let program = arguments
        .program
        .as_deref()
        .with_context(|| format!("name the driver's program: {} check-driver PROGRAM", bakeoff_text::program()))?;
    let directory = arguments.dir.clone().unwrap_or_else(std::env::temp_dir);
    let asked = DriverToCheck {
        program,
        store: arguments.store.as_deref(),
        rules: &arguments.rule,
        directory: &directory,
        keep: arguments.keep.as_deref(),
    };
    let mut seen = Seen::default();
    let given_up = check_driver(&asked, &mut |result| seen.show(program, result))?;
    let Seen { ok, failed, not_offered, .. } = seen;
    print_line!("\n{ok} ok, {} FAILED, {not_offered} n/a", failed.len())?;
    if ok + not_offered > 0 {
        failed.iter().try_for_each(|failure| print_line!("\n{failure}"))?;
    }
    if let Some(given_up) = given_up {
        let untried = counted(given_up.untried, "rule");
        print_line!("The check was stopped, as the driver does not answer: {untried} not tried")?;
    }
    if let Some(keep) = &arguments.keep {
        print_line!("requests, tapes and logs are in {}", printable(&keep.display().to_string()))?;
    }
    Ok(if failed.is_empty() { Outcome::Good } else { Outcome::SomeFailed })
}

/// What was shown so far.
#[derive(Default)]
struct Seen {
    ok: u32,
    /// What was shown of each failed rule. It is shown again below the counts, since hundreds of lines may follow it.
    failed: Vec<String>,
    not_offered: u32,
    store: Option<String>,
}

impl Seen {
    fn show(&mut self, program: &Path, result: &RuleResult<'_>) -> Result<()> {
        if result.store != self.store.as_deref() {
            self.store = result.store.map(str::to_owned);
            print_line!("\n{}", printable(result.store.unwrap_or_default()))?;
        }
        let name = result.rule;
        match &result.verdict {
            Verdict::Ok => {
                self.ok += 1;
                print_line!("ok      {name}")
            }
            Verdict::NotOffered(why) => {
                self.not_offered += 1;
                print_line!("n/a     {name:NAME_COLUMNS$} {}", printable(why))
            }
            Verdict::Failed { expected, found } => {
                let program = program.display().to_string();
                let mut words = vec!["check-driver", program.as_str()];
                words.extend(result.store);
                words.extend(["--rule", name, "--keep", "kept"]);
                let shown = format!(
                    "FAILED  {name}\n          expected: {}\n          came:     {}\n          again:    {} {}",
                    printable(expected),
                    printable(found),
                    bakeoff_text::program(),
                    shell_command(&words)
                );
                print_line!("{shown}")?;
                self.failed.push(shown);
                Ok(())
            }
        }
    }
}
