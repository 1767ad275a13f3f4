//! Which code counts as a use, tried on small crates.

use bakeoff_tidy::file_circles;

/// The circles of a crate with these files, each as the names of its steps.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, code) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, code).unwrap();
    }
    let circles = file_circles(&directory.path().join("lib.rs")).unwrap();
    let step = |(file, names): &(std::path::PathBuf, std::collections::BTreeSet<String>)| {
        format!("{} {}", file.display(), names.iter().map(String::as_str).collect::<Vec<_>>().join(","))
    };
    circles.iter().map(|circle| circle.steps.iter().map(step).collect::<Vec<_>>().join(" > ")).collect()
}

/// A file that uses `a.rs`.
const B: (&str, &str) = ("b.rs", "use crate::a::A; pub struct B(A);");

fn circles_of_a(a: &str) -> Vec<String> {
    circles(&[("lib.rs", "mod a; mod b; pub use b::B; mod c; pub(crate) use c::*;"), ("a.rs", a), B, ("c.rs", "")])
}

#[test]
fn a_use_is_found_however_it_is_written() {
    for a in [
        "use crate::b::B; pub struct A;",
        "use super::b; pub struct A(b::B);",
        "use crate::{b::{self}}; pub struct A(b::B);",
        "use crate::b as other; pub struct A(other::B);",
        "pub struct A(crate::B);",
        "use crate::*; pub struct A(B);",
        "pub struct A; fn f() { let _ = vec![1, crate::B::new()]; }",
        "pub struct A; fn f() { use crate::b; b::make(); }",
        "pub struct A; impl Drop for A { fn drop(&mut self) { let _: Option<super::B> = None; } }",
        "pub struct A { #[serde(default = \"crate::b::make\")] b: u8 }",
        "pub struct A; macro_rules! make { () => { $crate::B } }",
    ] {
        assert_eq!(circles_of_a(a).len(), 1, "{a}");
    }
}

#[test]
fn other_names_and_tests_are_no_uses() {
    for a in [
        "pub struct A; struct B; fn f(_: B) {}",
        "pub struct A; // crate::b::B",
        "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
        "pub struct A; #[cfg(test)] use crate::b::B;",
        "pub struct A; fn f() { let _ = other::b::B; }",
        "pub struct A; fn f() { let _ = ::b::B; }",
        "pub(crate) struct A { pub(in crate::b) b: u8 }",
    ] {
        assert!(circles_of_a(a).is_empty(), "{a}");
    }
}

#[test]
fn a_parent_may_use_its_child_but_not_both_each_other() {
    let door = ("lib.rs", "mod child; pub use child::Child;");
    assert!(circles(&[door, ("child.rs", "pub struct Child;")]).is_empty());
    let both = "mod child; use child::Child; pub struct Parent(Child);";
    assert_eq!(
        circles(&[("lib.rs", both), ("child.rs", "pub struct Child(super::Parent);")]),
        ["lib.rs Child > child.rs Parent"]
    );
    let files = [("lib.rs", "mod child; pub struct Parent;"), ("child.rs", "pub struct Child(super::Parent);")];
    assert!(circles(&files).is_empty());
}

#[test]
fn a_name_that_was_passed_on_belongs_to_the_file_that_defines_it() {
    let files = [
        ("lib.rs", "mod tree; mod user;"),
        ("tree/mod.rs", "mod leaf; mod branch; pub(crate) use leaf::Leaf; pub(crate) use branch::Branch;"),
        ("tree/leaf.rs", "pub(crate) struct Leaf;"),
        ("tree/branch.rs", "use super::Leaf; use crate::tree; pub(crate) struct Branch(Leaf, tree::Leaf);"),
        ("user.rs", "use crate::tree::{Branch, Leaf};"),
    ];
    assert!(circles(&files).is_empty());
}

#[test]
fn macros_are_used_by_name() {
    let files = [
        ("lib.rs", "#[macro_use] mod say; mod user;"),
        ("say.rs", "use crate::user::User; macro_rules! say { () => {} }"),
        ("user.rs", "pub struct User; fn f() { say!(); }"),
    ];
    assert_eq!(circles(&files), ["say.rs User > user.rs say"]);
}

#[test]
fn a_macro_may_declare_modules_by_their_names() {
    let files = [
        ("lib.rs", "macro_rules! list { ($($store:ident,)*) => { $(mod $store;)* } } list! { one, other, }"),
        ("one.rs", "use crate::other::Other; pub struct One;"),
        ("other.rs", "use crate::one::One; pub struct Other;"),
    ];
    assert_eq!(circles(&files), ["one.rs Other > other.rs One"]);
}
