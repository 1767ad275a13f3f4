//! The need, asked for question by question on a terminal. Six questions come first, and others follow if the user wants them.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, bail};
use bakeoff_engine::pick::{Need, Prospect, Sufficiency};
use bakeoff_need::{FIRST, ITEMS, Item, Typed, read_need};
use bakeoff_text::{format_duration, paragraph, parse_duration};

use crate::output::columns;
use crate::pick::prospect::describe;

/// Where text after the number of a question begins.
const INDENT: &str = "      ";

/// What can be found out about a need while it is asked for.
pub(crate) trait Checks {
    /// Refuses what no store or machine knows.
    fn check(&self, need: &Need) -> Result<()>;

    /// What the race would take; `None` if nothing can be measured.
    fn prospect(&self, typed: &Typed, need: &Need) -> Result<Option<Prospect>>;
}

/// Where to go after an answer.
enum Next {
    Forward,
    Again,
    Back,
    /// On to all other questions.
    More,
    /// To the end, with the default for every other question.
    Rest,
}

/// Asks until the user starts the race. A wrong answer is asked for again, with the reason.
///
/// # Errors
/// The answers end before that.
pub(crate) fn ask(input: &mut dyn BufRead, out: &mut dyn Write, checks: &dyn Checks) -> Result<Typed> {
    let items = FIRST.iter().filter_map(|key| ITEMS.iter().find(|item| item.key == *key)).collect();
    let mut questions = Questions { input, out, checks, items, at: 0, typed: Typed::default() };
    questions.say("", "Which store fits? Enter takes the answer in brackets.")?;
    questions.say("", "?: explain · b: back · s: take all remaining defaults · m: more questions")?;
    loop {
        let next = match questions.items.get(questions.at).copied() {
            Some(item) => questions.question(item)?,
            None => match questions.last()? {
                Some(next) => next,
                None => return Ok(questions.typed),
            },
        };
        questions.go(&next);
    }
}

/// A conversation, and what came of it so far.
struct Questions<'a> {
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
    checks: &'a dyn Checks,
    items: Vec<&'static Item>,
    at: usize,
    typed: Typed,
}

impl Questions<'_> {
    fn say(&mut self, first: &str, text: &str) -> Result<()> {
        write!(self.out, "{}", paragraph(text, columns(), first, INDENT)).context("cannot ask on this terminal")
    }

    /// The answer to the last question, without blanks around it.
    fn answer(&mut self, prompt: &str) -> Result<String> {
        write!(self.out, "{INDENT}{prompt}").and_then(|()| self.out.flush()).context("cannot ask on this terminal")?;
        let mut line = String::new();
        if self.input.read_line(&mut line).context("cannot read the answer")? == 0 {
            let program = bakeoff_text::program();
            bail!("the answers ended before the questions: give flags instead, `{program} pick --help` shows them");
        }
        Ok(line.trim().to_owned())
    }

    fn go(&mut self, next: &Next) {
        match next {
            Next::Forward => self.at += 1,
            Next::Again => {}
            Next::Back => self.at = self.at.saturating_sub(1),
            Next::More => {
                let others = ITEMS.iter().filter(|item| !FIRST.contains(&item.key));
                self.items.truncate(FIRST.len());
                self.items.extend(others);
            }
            Next::Rest => {
                self.items[self.at..].iter().for_each(|item| take_usual(item, &mut self.typed));
                self.at = self.items.len();
            }
        }
    }

    /// Asks for an item.
    fn question(&mut self, item: &'static Item) -> Result<Next> {
        let number = format!("{:<6}", format!("{}/{} ", self.at + 1, self.items.len()));
        self.say(&number, &format!("{} e.g. {}", item.question, item.examples))?;
        let usual = match self.typed.is_said(item.key) {
            true => self.typed.get(item.key).text,
            false => item.usual.unwrap_or(item.default).to_owned(),
        };
        let answer = self.answer(&format!("[{usual}] "))?;
        match answer.to_lowercase().as_str() {
            "" => {
                take_usual(item, &mut self.typed);
                Ok(Next::Forward)
            }
            "b" | "back" => Ok(Next::Back),
            "m" | "more" => Ok(Next::More),
            "s" | "start" => Ok(Next::Rest),
            "?" | "h" | "help" => {
                self.say(INDENT, &format!("{}.", item.help))?;
                Ok(Next::Again)
            }
            _ => self.take(item, &answer).map(|is_right| if is_right { Next::Forward } else { Next::Again }),
        }
    }

    /// Takes an answer, or shows why it is wrong.
    fn take(&mut self, item: &'static Item, answer: &str) -> Result<bool> {
        let mut tried = self.typed.clone();
        tried.set(item, item.key.to_owned(), answer);
        match read_need(&tried).and_then(|need| self.checks.check(&need)) {
            Ok(()) => {
                self.typed = tried;
                Ok(true)
            }
            Err(why) => {
                self.say(INDENT, &format!("{why:#}"))?;
                Ok(false)
            }
        }
    }

    /// The last step: whether the time can suffice, and the start. `None` is the start.
    fn last(&mut self) -> Result<Option<Next>> {
        let need = read_need(&self.typed)?;
        let prospect = match self.checks.prospect(&self.typed, &need) {
            Ok(prospect) => prospect,
            Err(why) => {
                self.say(INDENT, &format!("{why:#}"))?;
                None
            }
        };
        if let Some(prospect) = &prospect {
            self.say(INDENT, &describe(prospect, need.budget))?;
        }
        let short = prospect.filter(|prospect| prospect.of_budget(need.budget) == Sufficiency::TooShort);
        let longer = short.map(|prospect| format_duration(prospect.enough()));
        let start = match &longer {
            Some(longer) => format!("Enter: start with {longer} · n: start with {}", format_duration(need.budget)),
            None => "Enter: start".to_owned(),
        };
        self.say(
            INDENT,
            &format!(
                "{start} · m: more questions · b: back · or give a time, such as 10m, or stores, such as sqlite,lmdb"
            ),
        )?;
        let answer = self.answer("> ")?;
        let item = |key: &str| ITEMS.iter().find(|item| item.key == key);
        match answer.to_lowercase().as_str() {
            "" => {
                if let (Some(longer), Some(item)) = (&longer, item("budget")) {
                    self.typed.set(item, item.key.to_owned(), longer);
                }
                return Ok(None);
            }
            "n" | "no" | "s" | "start" => return Ok(None),
            "b" | "back" => return Ok(Some(Next::Back)),
            "m" | "more" => return Ok(Some(Next::More)),
            "?" | "h" | "help" => {
                let what = "A race takes rounds of each store until one is proven best, or the time is over. Fewer stores take less time.";
                self.say(INDENT, what)?;
            }
            _ => {
                let key = if parse_duration(&answer).is_ok() { "budget" } else { "stores" };
                if let Some(item) = item(key) {
                    self.take(item, &answer)?;
                }
            }
        }
        Ok(Some(Next::Again))
    }
}

/// Takes what Enter stands for, unless there is an answer.
fn take_usual(item: &'static Item, typed: &mut Typed) {
    if let Some(usual) = item.usual.filter(|_| !typed.is_said(item.key)) {
        typed.set(item, item.key.to_owned(), usual);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Refuses many records, and knows nothing of time.
    struct Few;

    impl Checks for Few {
        fn check(&self, need: &Need) -> Result<()> {
            if need.records < 30_000_000 { Ok(()) } else { bail!("too many for the test") }
        }

        fn prospect(&self, _: &Typed, _: &Need) -> Result<Option<Prospect>> {
            Ok(None)
        }
    }

    fn asked(answers: &str) -> (Need, String) {
        let mut shown = Vec::new();
        let typed = ask(&mut answers.as_bytes(), &mut shown, &Few);
        let typed = typed.unwrap_or_else(|why| panic!("{why:#}: {}", String::from_utf8_lossy(&shown)));
        (read_need(&typed).unwrap(), String::from_utf8(shown).unwrap())
    }

    #[test]
    fn enter_takes_every_default() {
        let (need, shown) = asked("\n\n\n\n\n\n\n");
        let expected = [("get".to_owned(), 80.0), ("update".to_owned(), 15.0), ("insert".to_owned(), 5.0)];
        assert_eq!((need.records, need.value_bytes.max(), need.mix), (100_000, 1024, expected.to_vec()));
        assert!(shown.contains("1/6 ") && shown.contains("6/6 ") && !shown.contains("7/"), "{shown}");
        assert_eq!(need.languages, [bakeoff_results::language::Language::Rust]);
        let (all_at_once, _) = asked("s\n\n");
        assert_eq!(format!("{:?}", all_at_once.words), format!("{:?}", need.words));
    }

    #[test]
    fn answers_are_what_people_type() {
        let (need, _) = asked("python\n1-5 KiB json\n1e6\n95%\nnothing\nhere\n5min\n\n");
        let word = |key: &str| need.words.iter().find(|(known, _)| known == key).map(|(_, text)| text.as_str());
        assert_eq!(word("language"), Some("python"));
        assert_eq!((word("value-size"), word("data")), (Some("1KiB..5KiB"), Some("json")));
        assert_eq!((word("mix"), word("durability")), (Some("get=95,update=3.75,insert=1.25"), Some("power")));
        assert_eq!((need.records, need.budget.as_secs(), need.dir), (1_000_000, 300, None));
    }

    #[test]
    fn wrong_answers_are_asked_for_again_with_the_reason() {
        let (need, shown) = asked("cobol\nc\n\nlots\n40M\n20k\nscna=2,get=1\nscan=2,get=1\n\n\n\n");
        assert_eq!((need.records, need.mix[0].clone()), (20_000, ("scan".to_owned(), 2.0)));
        for words in ["unknown word `cobol`", "`lots`", "too many for the test", "did you mean `scan`?"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
    }

    #[test]
    fn there_is_a_way_back_and_an_explanation() {
        let (need, shown) = asked("b\nc\n2KiB\nb\n?\n3KiB\n\n\n\n\nb\nb\nnothing\n\n\n");
        assert_eq!((need.value_bytes.max(), need.durability.name()), (3072, "power"));
        assert!(shown.contains("several with weights") && shown.contains("[2KiB] "), "{shown}");
    }

    #[test]
    fn more_questions_follow_and_can_be_left() {
        let (need, shown) = asked("\n\n\n\n\n\nm\n24\ns\n\n");
        assert_eq!(need.key_bytes.max, 24);
        assert!(shown.contains(&format!("7/{} ", ITEMS.len())), "{shown}");
    }

    #[test]
    fn answers_that_end_are_an_error() {
        assert!(ask(&mut "c\n".as_bytes(), &mut Vec::new(), &Few).is_err());
    }
}
