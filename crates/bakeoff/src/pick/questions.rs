//! The need, asked for question by question on a terminal.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, bail};
use bakeoff_engine::pick::Need;
use bakeoff_need::{ITEMS, Typed, read_need};
use bakeoff_text::paragraph;

use crate::output::columns;

/// Asks every question; an empty answer takes the default, a wrong one, or one that `check` refuses, is asked for again.
///
/// # Errors
/// The answers end before the questions do.
pub(crate) fn ask(input: &mut dyn BufRead, out: &mut dyn Write, check: impl Fn(&Need) -> Result<()>) -> Result<Typed> {
    let cannot_ask = "cannot ask on this terminal";
    writeln!(out, "Which store fits? Enter takes what stands in brackets.").context(cannot_ask)?;
    let mut typed = Typed::default();
    for item in &ITEMS {
        loop {
            write!(out, "\n{}\n  e.g. {}\n{} [{}]: ", item.question, item.examples, item.key, item.default)
                .and_then(|()| out.flush())
                .context(cannot_ask)?;
            let mut line = String::new();
            if input.read_line(&mut line).context("cannot read the answer")? == 0 {
                bail!("the answers ended before the questions: give flags instead, `bakeoff pick --help` shows them");
            }
            if line.trim().is_empty() {
                break;
            }
            let mut tried = typed.clone();
            tried.set(item, item.key.to_owned(), &line);
            match read_need(&tried).and_then(|need| check(&need)) {
                Ok(()) => {
                    typed = tried;
                    break;
                }
                Err(why) => {
                    write!(out, "{}", paragraph(&format!("{why:#}"), columns(), "  ", "  ")).context(cannot_ask)?;
                }
            }
        }
    }
    Ok(typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_answers_are_asked_for_again_and_empty_ones_take_the_default() {
        let answers = "lots\n40k\n20k\n\n\n\n\nget=1,scna=2\nget=1,scan=2\n".to_owned() + &"\n".repeat(ITEMS.len() - 6);
        let mut shown = Vec::new();
        let few = |need: &Need| if need.records < 30_000 { Ok(()) } else { bail!("too many for the test") };
        let typed = ask(&mut answers.as_bytes(), &mut shown, few).unwrap();
        let need = read_need(&typed).unwrap();
        assert_eq!((need.records, need.value_bytes.max()), (20_000, 1024));
        assert_eq!(need.operations, bakeoff_engine::pick::OPERATIONS_USUAL);
        assert_eq!(need.mix, [("get".to_owned(), 1.0), ("scan".to_owned(), 2.0)]);
        let shown = String::from_utf8(shown).unwrap();
        assert!(
            shown.contains("`lots`")
                && shown.contains("too many for the test")
                && shown.contains("did you mean `scan`?"),
            "{shown}"
        );
    }

    #[test]
    fn answers_that_end_are_an_error() {
        assert!(ask(&mut "10\n".as_bytes(), &mut Vec::new(), |_| Ok(())).is_err());
    }
}
