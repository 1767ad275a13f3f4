//! The direction of the arrows between crates.

use crate::workspace::Package;

/// The floors of the workspace, lowest first. A crate may use crates of lower floors only, in its tests too.
pub const FLOORS: &[&[&str]] = &[
    &[
        "bakeoff-files",
        "bakeoff-flame",
        "bakeoff-limits",
        "bakeoff-protocol",
        "bakeoff-stats",
        "bakeoff-text",
        "bakeoff-tidy",
        "bakeoff-tree",
    ],
    &["bakeoff-measure", "bakeoff-tape"],
    &["bakeoff-powercut", "bakeoff-store", "bakeoff-suite", "bakeoff-trace"],
    &["bakeoff-results", "bakeoff-stores"],
    &["bakeoff-testing"],
    &["bakeoff-driver", "bakeoff-engine", "bakeoff-report"],
    &["bakeoff-need"],
    &["bakeoff"],
    &["bakeoff-fuzz", "xtask"],
];

/// What breaks the order of the floors, one line each.
pub fn floor_violations(packages: &[Package]) -> Vec<String> {
    let floor_of = |name: &str| FLOORS.iter().position(|floor| floor.contains(&name));
    let mut violations = Vec::new();
    for package in packages {
        let Some(floor) = floor_of(&package.name) else {
            violations.push(format!("{} is on no floor: add it to FLOORS in crates/tidy/src/floors.rs", package.name));
            continue;
        };
        let dependencies = package.dependencies.iter().filter_map(|used| Some((&used.name, floor_of(&used.name)?)));
        for (name, _) in dependencies.filter(|(_, below)| *below >= floor) {
            violations.push(format!("{} uses {name}, which is not on a lower floor", package.name));
        }
    }
    violations
}
