//! What the stores need from outside the crate: system libraries, found before the linker misses them, and the versions of the
//! stores written in Rust, which do not report one themselves.

use std::path::Path;
use std::{env, fs, process};

fn main() {
    let manifest = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    report_versions(&Path::new(&manifest).join("../../Cargo.lock"), &["redb"]);
}

/// Tells the compiler which version of each crate Cargo has locked, as `VERSION_OF_…`.
fn report_versions(lock: &Path, crates: &[&str]) {
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock).unwrap_or_else(|error| fail(&format!("{}: {error}", lock.display())));
    for name in crates.iter().filter(|name| env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase())).is_some()) {
        let entry = format!("name = \"{name}\"\nversion = \"");
        let version = text.split_once(&entry).and_then(|(_, rest)| rest.split_once('"')).map(|(version, _)| version);
        let version = version.unwrap_or_else(|| fail(&format!("{} has no version of `{name}`", lock.display())));
        println!("cargo::rustc-env=VERSION_OF_{}={version}", name.to_uppercase());
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}
