//! External requirements of the stores: system libraries, checked here before the linker fails, and the versions of libraries that do not
//! report their own.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use toml::de::{DeTable, DeValue};

fn main() {
    report_versions(Path::new(&variable("CARGO_MANIFEST_DIR")));
    if has_feature("leveldb") {
        need_header("leveldb", "leveldb/db.h", "libleveldb-dev g++", true);
        build_shim(cc::Build::new().cpp(true).std("c++17"), "src/leveldb/shim.cc", "leveldb");
    }
    if has_feature("berkeley-db") {
        need_header("berkeley-db", "db.h", "libdb5.3-dev", false);
        build_shim(cc::Build::new().std("gnu11"), "src/berkeley_db/shim.c", "db-5.3");
    }
    if has_feature("rocksdb") {
        // The crate that compiles RocksDB names the directory of its headers. It also links the library, after this crate.
        let include = Path::new(&variable("DEP_ROCKSDB_CARGO_MANIFEST_DIR")).join("rocksdb/include");
        compile_shim(cc::Build::new().cpp(true).std("c++20").include(include), "src/rocksdb/shim.cc");
    }
    if has_feature("wiredtiger") {
        need_header("wiredtiger", "wiredtiger.h", "libwiredtiger-dev", false);
        build_shim(cc::Build::new().std("gnu11"), "src/wiredtiger/shim.c", "wiredtiger");
    }
    if has_feature("kyoto-cabinet") {
        need_header("kyoto-cabinet", "kclangc.h", "libkyotocabinet-dev", false);
    }
}

/// Compiles a thin layer over a library. Links the library after it, since the layer needs it.
fn build_shim(compiler: &mut cc::Build, shim: &str, library: &str) {
    compile_shim(compiler, shim);
    println!("cargo::rustc-link-lib={library}");
}

fn compile_shim(compiler: &mut cc::Build, shim: &str) {
    println!("cargo::rerun-if-changed={shim}");
    let built = compiler.file(shim).try_compile(&shim.replace(['/', '.'], "_"));
    built.unwrap_or_else(|error| fail(&format!("{shim} does not compile: {error}")));
}

/// Checks that a header exists. If not, names the packages that have it, and how to build without them.
fn need_header(store: &str, header: &str, packages: &str, cpp: bool) {
    let probe = PathBuf::from(variable("OUT_DIR")).join(format!("{store}.{}", if cpp { "cc" } else { "c" }));
    let written = fs::write(&probe, format!("#include <{header}>\n"));
    written.unwrap_or_else(|error| fail(&format!("{}: {error}", probe.display())));
    if let Err(error) = cc::Build::new().cpp(cpp).cargo_metadata(false).file(&probe).try_expand() {
        fail(&format!(
            "the store `{store}` needs the header {header}, and the compiler does not find it. On Debian and Ubuntu run: \
             apt-get install {packages}. To build without this store, see [features] in crates/stores/Cargo.toml. ({error})"
        ));
    }
}

/// Sets `VERSION_OF_NAME` for the compiler to the locked version of each library NAME that this crate uses.
fn report_versions(directory: &Path) {
    // The lock file of the workspace, or of the crate alone when it is a package.
    let locks = ["../../Cargo.lock", "Cargo.lock"].map(|lock| directory.join(lock));
    let lock = locks.iter().find(|lock| lock.exists()).unwrap_or(&locks[0]);
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock).unwrap_or_else(|error| fail(&format!("{}: {error}", lock.display())));
    let locked = DeTable::parse(&text).unwrap_or_else(|error| fail(&format!("{}: {error}", lock.display())));
    let packages =
        || locked.get_ref().get("package").and_then(|packages| packages.get_ref().as_array()).into_iter().flatten();
    let texts =
        |package: &DeValue<'_>, key| package.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
    let own = packages().find(|package| texts(package.get_ref(), "name").as_deref() == Some("bakeoff-stores"));
    let used = own.and_then(|own| own.get_ref().get("dependencies")).and_then(|used| used.get_ref().as_array());
    // A name, followed by the version if there are several of that name.
    for used in used.into_iter().flatten().filter_map(|used| used.get_ref().as_str()) {
        let (name, version) = used.split_once(' ').map_or((used, None), |(name, rest)| (name, rest.split(' ').next()));
        let is_used = |package: &&DeValue<'_>| {
            texts(package, "name").as_deref() == Some(name)
                && version.is_none_or(|version| texts(package, "version").as_deref() == Some(version))
        };
        let package = packages().map(|package| package.get_ref()).find(is_used);
        if let Some(version) = package.and_then(|package| texts(package, "version")) {
            println!("cargo::rustc-env=VERSION_OF_{}={version}", name.to_uppercase().replace('-', "_"));
        }
    }
}

fn has_feature(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase().replace('-', "_"))).is_some()
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| fail(&format!("{name}: {error}")))
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}
