//! Every suite that comes with bakeoff runs, scaled down to a hundredth or less: on stores of the native driver alone.

mod common;

use common::{Place, doctor_says_possible};

/// Options of some suites besides the stores. With them they take seconds, and mount nothing that tests do not need.
const OPTIONS: [(&str, &[&str]); 5] = [
    ("hines-2023", &["--records", "300", "--value-size", "100B..1KiB"]),
    ("cunningham-2024", &["--records", "300", "--value-size", "100B..1KiB", "--disturbance", "none"]),
    ("lmdbjava-2016", &["--records", "300", "--value-size", "100B"]),
    ("ozone-2020", &["--threads", "1"]),
    ("power-cut", &["--medium", "disk=new:ext4"]),
];

/// The suite with its counts divided, but for batches and what a scan reads.
fn scaled(text: &str) -> String {
    let divided = |line: &str| {
        let (key, value) = line.split_once(" = ")?;
        let least = match key {
            "records" => 300,
            "operations" => 20,
            "cuts" => 5,
            "levels" => return Some("levels = 3".to_owned()),
            _ => return None,
        };
        let last: u64 = value.trim_matches(['[', ']']).rsplit(", ").next()?.replace('_', "").parse().ok()?;
        Some(format!("{key} = {}", (last / 500).max(least)))
    };
    text.lines().map(|line| divided(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
}

#[test]
fn every_suite_runs_small_and_answers_are_right() {
    let listed = Place::new().run(&["suites"]).expect(0).stdout;
    // A suite's name begins its first line; the lines below are indented.
    let names = listed.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 29 && names.contains(&"steady-state"), "{names:?}");
    for name in names {
        let text = Place::new().run(&["suites", name]).expect(0).stdout;
        // In memory nothing can be dropped from the page cache.
        let place = if text.contains("cache = \"cold\"") { Place::on_disk() } else { Place::new() };
        if text.contains("ending = \"cut\"") && !doctor_says_possible(&place, "power cuts", name) {
            continue;
        }
        let file = place.write(&format!("{name}.toml"), &scaled(&text));
        let file = file.to_str().expect("a path in UTF-8");
        let own = ["power", "process"].into_iter().find(|level| text.contains(&format!("durability = \"{level}\"")));
        let durability = own.unwrap_or("consistent");
        let mut run = vec!["run", file, "--stores", "sqlite,lmdb", "--rounds", "1", "--durability", durability];
        run.extend(OPTIONS.iter().filter(|(suite, _)| *suite == name).flat_map(|(_, options)| *options));
        place.run(&run).expect(0);
        let cells = place.cells();
        let limited = text.contains("memory-limit = [") && doctor_says_possible(&place, "memory-limit", name);
        let least = if limited { 4 } else { 2 };
        assert!(cells.len() >= least && cells.iter().all(|cell| cell["status"] == "ok"), "{name}: {cells:?}");
    }
}
