//! Commands to be pasted into a POSIX shell: every word is quoted, so that a path with blanks works and no text from a file is ever
//! run as a command of its own.

/// The words as one command.
fn command(words: &[&str]) -> String {
    // A word with a NUL, which no command can be given, would be an error otherwise.
    let quoter = shlex::Quoter::new().allow_nul(true);
    quoter.join(words.iter().copied()).unwrap_or_default()
}

/// The command that does a cell of the run in a directory again: its request, given to the store's driver.
pub fn command_again(bakeoff: &str, cell: &str, directory: &str, driver: &str) -> String {
    format!("{} | {}", command(&[bakeoff, "request", cell, "--run", directory]), command(&[driver, "run"]))
}

#[cfg(test)]
mod tests {
    use super::command_again;

    #[test]
    fn a_shell_takes_each_word_as_it_was_and_runs_nothing_else() {
        for evil in
            ["a b", "it's", "$(echo ran)", "`echo ran`", "; echo ran", "& echo ran", "\"\\", "a\nb", "*", "~", "!x"]
        {
            let words = command_again("printf", evil, evil, "cat");
            let (request, driver) = words.rsplit_once(" | ").unwrap();
            assert_eq!(driver, "cat run");
            // `printf` repeats its format, here the word `request`, which takes none of the arguments: `%s` in its place shows them.
            let shown = request.replacen("request", "'%s|'", 1);
            let output = std::process::Command::new("sh").args(["-c", &shown]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{evil}|--run|{evil}|"), "{words}");
        }
        assert_eq!(
            command_again("bakeoff", "0f", "results/a", "/b/d"),
            "bakeoff request 0f --run results/a | /b/d run"
        );
    }
}
