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
}
