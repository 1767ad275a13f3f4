//! The lines that a pick shows open each store, in each language that is there: they are compiled and run with the settings of a run.
//! Lines in Rust are compiled into `rust_bindings`. With `BAKEOFF_TEST_INSTALL=1` the packages come from their registries first.

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bakeoff_protocol::{Durability, Settings};
use bakeoff_results::bindings::Binding;
use bakeoff_results::language::Language;
use common::{Place, driver, program, say_skipped};

/// The longest line, which a terminal of 80 columns shows with its indent.
const COLUMNS: usize = 78;

/// Packages for Rust that bakeoff is built with: their lines are compiled with the tests.
const COMPILED: [&str; 4] = ["rusqlite", "redb", "fjall", "the standard library"];

/// A store as it was opened.
struct Opened {
    store: String,
    level: Durability,
    settings: Settings,
}

/// Every store of a driver, opened at every level that it offers.
fn opened(place: &Place, driver: &Path) -> Vec<Opened> {
    let described = Command::new(driver).arg("describe").output().expect("the driver starts");
    let described: serde_json::Value = serde_json::from_slice(&described.stdout).expect("it describes itself");
    let stores = described["stores"].as_array().expect("stores").iter();
    let names = stores.filter(|store| store["test_only"] != true).map(|store| store["name"].to_string());
    let names: Vec<String> =
        names.filter(|name| Binding::all().any(|binding| has(binding, name.trim_matches('"')))).collect();
    let suite = common::tiny_suite(&names.join(", "), "").replace("rounds = 2", "rounds = 1");
    // Some stores have no batches.
    let suite = suite.replace("batch = \"all\"\n", "");
    place.write("tiny.toml", &suite);
    place.run(&["run", "tiny.toml", "--durability", "none,process,consistent,power"]).expect(0);
    let cells = place.cells().into_iter().map(|cell| Opened {
        store: cell["store"].as_str().expect("a store").to_owned(),
        level: serde_json::from_value(cell["durability"].clone()).expect("a level"),
        settings: serde_json::from_value(cell["opened"]["settings"].clone()).unwrap_or_default(),
    });
    let mut cells: Vec<Opened> = cells.collect();
    cells.sort_by(|a, b| (&a.store, a.level).cmp(&(&b.store, b.level)));
    cells.dedup_by(|a, b| (&a.store, a.level) == (&b.store, b.level));
    assert!(cells.len() > names.len(), "{} cells", cells.len());
    cells
}

fn has(binding: &Binding, store: &str) -> bool {
    binding.stores().iter().any(|known| known == store)
}

fn is_compiled(binding: &Binding) -> bool {
    binding.language == Language::Rust && COMPILED.contains(&binding.package.as_str())
}

/// Each binding of a store with its lines at its level.
fn lines(of: &Opened) -> Vec<(&'static Binding, Vec<String>)> {
    let languages = Binding::all().filter(|binding| has(binding, &of.store)).map(|binding| binding.language);
    let mut languages: Vec<Language> = languages.collect();
    languages.dedup();
    let found = languages.into_iter().filter_map(|language| Binding::find(&of.store, &[language], of.level));
    let code = |binding: &'static Binding| {
        let lines = binding.code(&of.store, of.level, &of.settings);
        (binding, lines.unwrap_or_else(|| panic!("{} at {}: {:?}", of.store, of.level.name(), of.settings)))
    };
    found.map(code).collect()
}

/// A whole program of the lines, and its file.
fn whole(language: Language, lines: &[String]) -> (&'static str, String) {
    let is_head = |line: &&String| line.starts_with("#include") || line.starts_with("import ");
    let text = |lines: Vec<&String>| lines.iter().fold(String::new(), |text, line| text + line + "\n");
    let (head, body): (Vec<_>, Vec<_>) = lines.iter().partition(is_head);
    let (head, body, all) = (text(head), text(body), text(lines.iter().collect()));
    match language {
        Language::C => ("main.c", format!("{head}int main(void) {{\n{body}return 0;\n}}\n")),
        Language::Cpp => ("main.cc", format!("{head}int main() {{\n{body}return 0;\n}}\n")),
        Language::Rust => {
            let main = format!("fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}Ok(())\n}}\n");
            ("src/main.rs", format!("#![allow(unused)]\n{main}"))
        }
        Language::Python => ("main.py", all),
        Language::Node => {
            let wrapped = format!("(async () => {{\n{all}process.exit(0);\n}})()");
            ("main.js", format!("{wrapped}.catch(why => {{ console.error(why); process.exit(1); }});\n"))
        }
        Language::Go => ("main.go", format!("package main\n{head}func main() {{\n{body}}}\n")),
        Language::Java => {
            let main = format!("public static void main(String[] none) throws Exception {{\n{body}System.exit(0);\n}}");
            ("Main.java", format!("{head}class Main {{ {main} }}\n"))
        }
        other => panic!("{other:?} has no bindings of its own"),
    }
}

/// The command that compiles and runs a program in a directory.
fn runner(language: Language, binding: &Binding, jars: Option<&Path>) -> String {
    let compiled = |compiler: &str, file: &str| format!("{compiler} -o main {file} {} && ./main", binding.link);
    match language {
        Language::C => compiled("cc", "main.c"),
        Language::Cpp => compiled("c++", "main.cc"),
        Language::Python => "python3 main.py".to_owned(),
        Language::Node => "node main.js".to_owned(),
        Language::Go => "go run .".to_owned(),
        Language::Rust => "cargo run --quiet --offline".to_owned(),
        _ => {
            let flags = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jvm/flags");
            format!("java @{} -cp '{}/*' Main.java", flags.display(), jars.expect("jars").display())
        }
    }
}

/// The command that adds a package from its registry, if that was asked for.
fn installer(binding: &Binding) -> Option<String> {
    let before = match binding.language {
        Language::Python => "python3 -m venv venv && . venv/bin/activate",
        Language::Node => "npm init -y",
        Language::Go => "go mod init main",
        Language::Rust => "cargo init --name main .",
        _ => return None,
    };
    let is_asked = std::env::var_os("BAKEOFF_TEST_INSTALL").is_some();
    let install = if binding.install.is_empty() { "true" } else { &binding.install };
    is_asked.then(|| format!("{{ {before} && {install}; }} >install.log 2>&1 && "))
}

/// What a failure says if the package, or the language, is not there.
const NOT_THERE: [&str; 10] = [
    "No such file or directory",
    "ModuleNotFoundError",
    "Cannot find module",
    "no required module provides package",
    "cannot find main module",
    "go.mod file not found",
    "not found",
    "cannot find -l",
    "no compiler",
    "could not find `Cargo.toml`",
];

/// Compiles and runs the lines of a store. False if the package is not there.
fn runs(place: &Place, of: &Opened, (binding, lines): (&Binding, &[String]), jars: Option<&Path>) -> bool {
    let language = binding.language;
    let directory = place.path().join(format!("{}-{}-{}", of.store, of.level.name(), language.name()));
    std::fs::create_dir_all(directory.join("src")).expect("a directory of its own");
    let (file, text) = whole(language, lines);
    std::fs::write(directory.join(file), &text).expect("a program");
    let command = installer(binding).unwrap_or_default() + &runner(language, binding, jars);
    let Output { status, stderr, .. } =
        Command::new("sh").args(["-c", &command]).current_dir(&directory).output().expect("a shell starts");
    let stderr = String::from_utf8_lossy(&stderr);
    if status.success() {
        return true;
    }
    let is_missing =
        NOT_THERE.iter().any(|words| stderr.contains(words)) && std::env::var_os("BAKEOFF_TEST_INSTALL").is_none();
    assert!(is_missing, "{} at {}, {}:\n{text}\n{stderr}", of.store, of.level.name(), language.name());
    false
}

/// Runs all lines that are not compiled with the tests, and reports missing packages.
fn try_all(all: &[Opened], jars: impl Fn(&str) -> Option<PathBuf>) -> usize {
    let (place, mut ran, mut missing) = (Place::new(), 0, Vec::new());
    for of in all {
        for (binding, lines) in lines(of) {
            let long = lines.iter().find(|line| line.chars().count() > COLUMNS);
            assert!(long.is_none(), "{} in {}: {long:?}", of.store, binding.language.name());
            let what = format!("{} for {}", binding.package, binding.language.name());
            let jars = jars(&of.store);
            if let Some(jars) = &jars {
                let (_, jar) = binding.install.split_once(':').expect("coordinates");
                assert!(
                    jars.join(format!("{}.jar", jar.replace(':', "-"))).exists(),
                    "{} is not measured",
                    binding.install
                );
            }
            if is_compiled(binding) || missing.contains(&what) {
                continue;
            }
            match runs(&place, of, (binding, &lines), jars.as_deref()) {
                true => ran += 1,
                false => missing.push(what),
            }
        }
    }
    if !missing.is_empty() {
        say_skipped("lines that open stores", &format!("not there: {}", missing.join(", ")));
    }
    ran
}

#[test]
fn lines_for_native_programs_open_each_store() {
    let place = Place::new();
    let all = opened(&place, &driver());
    // SQLite for Python, and files in C, are everywhere where bakeoff is built.
    assert!(try_all(&all, |_| None) >= 12);
}

#[test]
fn lines_for_the_jvm_open_each_store() {
    if !common::jvm_is_built() {
        return;
    }
    let driver = program().with_file_name("bakeoff-driver-jvm");
    let files = driver.with_file_name("bakeoff-driver-jvm.d");
    let module = |store: &str| {
        let list = std::fs::read_to_string(files.join("stores")).expect("the list of stores");
        let line = list.lines().find(|line| line.split(' ').next() == Some(store))?.to_owned();
        Some(files.join(line.split(' ').nth(1)?).join("lib"))
    };
    assert!(try_all(&opened(&Place::new(), &driver), module) >= 20);
}

/// The lines in Rust, as a part of a test.
fn in_rust(all: &[Opened]) -> String {
    let mut text = "// Made by the test `lines_in_rust_are_those_that_are_compiled` of `bindings`: BAKEOFF_UPDATE=1 makes it again.\n".to_owned();
    let mut names = Vec::new();
    for of in all {
        for (_, lines) in lines(of).into_iter().filter(|(binding, _)| is_compiled(binding)) {
            let name = format!("{}_{}", of.store, of.level.name()).replace('-', "_");
            let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
            write!(text, "\nfn {name}() -> Result<(), Box<dyn std::error::Error>> {{\n{body}    Ok(())\n}}\n")
                .expect("text");
            names.push(name);
        }
    }
    let list: String = names.iter().map(|name| format!("    (\"{name}\", {name}),\n")).collect();
    text + &format!(
        "\nconst ALL: [(&str, fn() -> Result<(), Box<dyn std::error::Error>>); {}] = [\n{list}];\n",
        names.len()
    )
}

#[test]
fn lines_in_rust_are_those_that_are_compiled() {
    let place = Place::new();
    let all = opened(&place, &driver());
    let (made, path) = (in_rust(&all), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bindings/rust.rs"));
    if std::env::var_os("BAKEOFF_UPDATE").is_some() {
        std::fs::write(&path, &made).expect("the file can be written");
    }
    let compiled = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(made == compiled, "other lines than are compiled: BAKEOFF_UPDATE=1 makes the file again\n{made}");
    for store in Binding::all().filter(|binding| is_compiled(binding)).flat_map(Binding::stores) {
        assert!(all.iter().any(|of| of.store == *store), "{store} was not opened");
    }
}
