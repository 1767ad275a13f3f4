//! The language of a program that is to use a store.

use bakeoff_protocol::Platform;
use serde::{Deserialize, Serialize};

/// A language, or all of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// Rust.
    Rust,
    /// C.
    C,
    /// C++.
    #[serde(rename = "c++")]
    Cpp,
    /// Go.
    Go,
    /// Python.
    Python,
    /// JavaScript or TypeScript on Node.js.
    Node,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// Scala.
    Scala,
    /// Any that calls libraries in C, C++ or Rust.
    Native,
    /// Any on the Java virtual machine.
    Jvm,
}

impl Language {
    /// Every language, in the order of lists.
    pub const ALL: [Self; 11] = [
        Self::Rust,
        Self::C,
        Self::Cpp,
        Self::Go,
        Self::Python,
        Self::Node,
        Self::Java,
        Self::Kotlin,
        Self::Scala,
        Self::Native,
        Self::Jvm,
    ];

    /// Its word in a need.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::C => "c",
            Self::Cpp => "c++",
            Self::Go => "go",
            Self::Python => "python",
            Self::Node => "node",
            Self::Java => "java",
            Self::Kotlin => "kotlin",
            Self::Scala => "scala",
            Self::Native => "native",
            Self::Jvm => "jvm",
        }
    }

    /// The languages whose packages its programs use, the best first; `None` for any.
    pub fn packages(self) -> Option<&'static [Self]> {
        Some(match self {
            Self::Rust => &[Self::Rust],
            Self::C => &[Self::C],
            Self::Cpp => &[Self::Cpp, Self::C],
            Self::Go => &[Self::Go],
            Self::Python => &[Self::Python],
            Self::Node => &[Self::Node],
            Self::Java | Self::Kotlin | Self::Scala | Self::Jvm => &[Self::Java],
            Self::Native => return None,
        })
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Go => "Go",
            Self::Python => "Python",
            Self::Node => "Node.js",
            Self::Java => "Java",
            Self::Kotlin => "Kotlin",
            Self::Scala => "Scala",
            Self::Native => "native programs",
            Self::Jvm => "the JVM",
        }
    }

    /// The platform whose libraries it uses.
    pub fn platform(self) -> Platform {
        match self {
            Self::Java | Self::Kotlin | Self::Scala | Self::Jvm => Platform::Jvm,
            Self::Rust | Self::C | Self::Cpp | Self::Go | Self::Python | Self::Node | Self::Native => Platform::Native,
        }
    }
}
