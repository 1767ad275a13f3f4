//! Commands to paste into a POSIX shell. Every word is quoted, so paths with blanks work, and no text from a file runs as a command.

use unicode_width::UnicodeWidthStr;

/// The words as one command.
pub fn command(words: &[&str]) -> String {
    // No command takes a word with a NUL; without this, quoting would fail.
    let quoter = shlex::Quoter::new().allow_nul(true);
    quoter.join(words.iter().copied()).unwrap_or_default()
}

/// A command broken into lines of at most `width` columns, between words. Each line but the last ends with a backslash, so that all can be
/// pasted together.
pub fn command_lines(command: &str, width: usize, first: &str, later: &str) -> String {
    let (mut lines, mut line) = (Vec::new(), first.to_owned());
    let mut is_empty = true;
    for word in split(command) {
        if !is_empty && line.width() + word.width() + " \\".len() + 1 > width {
            lines.push(std::mem::replace(&mut line, later.to_owned()) + " \\\n");
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.concat() + &line + "\n"
}

/// The words of a command, with their quotes.
fn split(command: &str) -> Vec<&str> {
    let (mut quote, mut escaped) = (None, false);
    let is_between = move |character: char| {
        let literal = std::mem::take(&mut escaped);
        match (quote, character) {
            _ if literal => return false,
            (Some('"') | None, '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            _ => {}
        }
        quote.is_none() && character == ' '
    };
    command.split(is_between).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{command, command_lines};

    #[test]
    fn a_broken_command_can_be_pasted() {
        let evil = ["printf", "%s|", "a  b", "it's \"so\"", "$HOME \\", "x\\ y", "plain", "--long=option of words"];
        let whole = command(&evil);
        for width in [10, 20, 30, 200] {
            let lines = command_lines(&whole, width, "", "    ");
            assert_eq!(lines.lines().count() == 1, width == 200, "{lines}");
            let fits = |line: &str| line.len() <= width || line.trim_end_matches(" \\").trim_start().len() + 6 > width;
            assert!(lines.lines().all(fits), "{width}: {lines}");
            let output = std::process::Command::new("sh").args(["-c", &lines]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), evil[2..].join("|") + "|", "{lines}");
        }
    }
}
