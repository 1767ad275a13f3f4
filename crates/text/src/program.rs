//! How the user called this program, for the commands that messages suggest.

use std::path::Path;
use std::sync::OnceLock;

use crate::shell::command;

static CALLED: OnceLock<String> = OnceLock::new();

/// Sets what the user typed: a name, or a path. A program that PATH finds there is shown by its name. Only the first call counts.
pub fn set_program(typed: &str) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_found = |typed: &Path, name: &str| std::env::split_paths(&path).any(|place| place.join(name) == typed);
    CALLED.get_or_init(|| shown(typed, is_found));
}

/// The beginning of a command: `bakeoff`, or `./bakeoff` if the user typed that.
pub fn program() -> &'static str {
    CALLED.get().map_or("bakeoff", String::as_str)
}

/// The command that repeats a cell of the run in a directory: it passes the cell's request to the store's driver.
pub fn command_again(cell: &str, directory: &str, driver: &str) -> String {
    let request = command(&["request", cell, "--run", directory]);
    format!("{} {request} | {}", program(), command(&[driver, "run"]))
}

fn shown(typed: &str, is_found: impl Fn(&Path, &str) -> bool) -> String {
    let name = Path::new(typed).file_name().and_then(|name| name.to_str());
    command(&[name.filter(|name| is_found(Path::new(typed), name)).unwrap_or(typed)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_shown_as_it_was_typed() {
        let is_found = |typed: &Path, name: &str| Path::new("/usr/bin").join(name) == typed;
        for (typed, expected) in [
            ("./bakeoff", "./bakeoff"),
            ("../my clone/bakeoff", "'../my clone/bakeoff'"),
            ("/home/me/bakeoff/bakeoff", "/home/me/bakeoff/bakeoff"),
            ("/usr/bin/bakeoff", "bakeoff"),
            ("bakeoff", "bakeoff"),
        ] {
            assert_eq!(shown(typed, is_found), expected);
        }
    }

    #[test]
    fn a_shell_takes_each_word_as_it_was_and_runs_nothing_else() {
        for evil in
            ["a b", "it's", "$(echo ran)", "`echo ran`", "; echo ran", "& echo ran", "\"\\", "a\nb", "*", "~", "!x"]
        {
            let words = command_again(evil, evil, "cat");
            let (request, driver) = words.rsplit_once(" | ").unwrap();
            assert_eq!(driver, "cat run");
            // `printf` repeats its format. `%s` shows the arguments.
            let shown = request.replacen("bakeoff request", "printf '%s|'", 1);
            let output = std::process::Command::new("sh").args(["-c", &shown]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{evil}|--run|{evil}|"), "{words}");
        }
        assert_eq!(command_again("0f", "results/a", "/b/d"), "bakeoff request 0f --run results/a | /b/d run");
    }
}
