//! Help, completions and manual pages, as a person gets them on a terminal of 80 columns.

mod common;

use std::os::unix::process::CommandExt;
use std::process::Command;

use common::{Finished, Place, unwrapped};

const ROWS: usize = 24;
const COLUMNS: usize = 80;

const COMMANDS: [&str; 21] = [
    "",
    "run",
    "pick",
    "map",
    "report",
    "compare",
    "stores",
    "suites",
    "doctor",
    "tape",
    "request",
    "check-driver",
    "cut",
    "clean",
    "tape show",
    "tape summary",
    "tape import",
    "tape export",
    "tape anonymize",
    "tape cut",
    "tape merge",
];

/// What a command prints, called by this name.
fn called(name: &str, command: &str, last: &str) -> String {
    let mut program = Command::new(common::program());
    program.arg0(name).args(command.split_whitespace()).arg(last).env("COLUMNS", COLUMNS.to_string());
    Finished::of(program.env_remove("BAKEOFF_SCRIPT").output().expect("bakeoff starts")).expect(0).stdout
}

#[test]
fn brief_help_fits_one_screen() {
    for command in COMMANDS {
        let help = called("./bakeoff", command, "-h");
        assert!(help.lines().count() <= ROWS, "{command}: {} lines\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= COLUMNS), "{command}\n{help}");
        let mut hints = help.lines().filter(|line| line.starts_with("All options: "));
        assert!(hints.all(|line| line == format!("All options: ./bakeoff {command} --help")), "{help}");
    }
}

#[test]
fn whole_help_has_every_option_and_example() {
    for (command, words) in [
        ("", ["run --resume", "Exit status: 0 all good", "bakeoff completions bash"]),
        ("pick", ["--longest-key <SIZE>", "--writers <COUNT>", "pick --need need.toml"]),
        ("run", ["--find-rate <BOUND>", "--compression <WORD,…>", "run open-loop --find-rate"]),
        ("tape import", ["--time-zone <ZONE>", "trace_analyzer", "YCSB does not log sizes"]),
    ] {
        let help = called("bakeoff", command, "--help");
        assert!(words.iter().all(|word| unwrapped(&help).contains(word)), "{command}: {words:?}\n{help}");
    }
}

#[test]
fn help_and_hints_name_the_program_as_it_was_called() {
    for (name, shown) in [("./bakeoff", "./bakeoff"), ("bakeoff", "bakeoff"), ("../a b/bakeoff", "'../a b/bakeoff'")] {
        let help = called(name, "pick", "--help");
        assert!(help.contains(&format!("  {shown} pick --tape app.tape")), "{help}");
        assert!(unwrapped(&help).contains(&format!("`{shown} tape summary --help`")), "{help}");
        assert!(called(name, "stores", "sqlite").contains("power"));
        assert!(called(name, "", "suites").contains(&format!("`{shown} suites NAME` prints one")));
    }
}

#[test]
fn commands_of_the_script_are_explained() {
    let place = Place::new();
    for verb in ["build", "test", "bench", "fuzz"] {
        place.run(&[verb, "rocksdb"]).expect(2).says(&[&format!("`{verb}` is a command of the script ./bakeoff")]);
    }
}

#[test]
fn the_script_explains_its_commands_without_a_build() {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bakeoff");
    let place = Place::new();
    for verb in ["build", "test", "bench", "fuzz"] {
        for flag in ["-h", "--help"] {
            let mut command = Command::new(&script);
            // Nothing is built there, and nothing is afterwards.
            command.args([verb, flag]).env("CARGO_TARGET_DIR", place.path().join("target"));
            let help = Finished::of(command.output().expect("the script starts")).expect(0).stdout;
            assert!(help.starts_with(&format!("usage: ./bakeoff {verb}")) && help.lines().count() <= ROWS, "{help}");
        }
    }
    assert!(!place.path().join("target").exists(), "help begins no build");
}

#[test]
fn completions_and_manual_pages_come_from_the_parser() {
    let place = Place::new();
    let completions = place.run(&["completions", "bash"]).expect(0).stdout;
    let ask = "COMP_WORDS=(bakeoff pick --val); COMP_CWORD=2; _bakeoff bakeoff --val pick; echo \"${COMPREPLY[*]}\"";
    let bash = Command::new("bash").args(["-c", &format!("{completions}\n{ask}")]).output().expect("bash starts");
    assert_eq!(
        String::from_utf8_lossy(&bash.stdout).trim(),
        "--value-size",
        "{}",
        String::from_utf8_lossy(&bash.stderr)
    );
    for shell in ["zsh", "fish"] {
        assert!(place.run(&["completions", shell]).expect(0).stdout.contains("value-size"));
    }
    place.run(&["man", "nowhere"]).expect(2).says(&["nowhere"]);
    std::fs::create_dir(place.path().join("pages")).expect("a directory");
    place.run(&["man", "pages"]).expect(0);
    for (page, word) in
        [("bakeoff", "bakeoff\\-pick"), ("bakeoff-pick", "\\-\\-value\\-size"), ("bakeoff-tape-cut", "first")]
    {
        let text = std::fs::read_to_string(place.path().join("pages").join(format!("{page}.1"))).expect("a page");
        assert!(text.contains(word), "{page}: {text}");
    }
}
