//! Values of several sizes with weights, end to end: in suites, in `run --value-size` and in `pick`.

mod common;

use common::{Place, unwrapped};

/// Seven records in ten are small, the rest is large.
const TWO_SIZES: &str = r#"
title = "Small objects and large ones"
[axes]
stores = ["sqlite", "flat-folder"]
value-size = "70% 1B..400KiB, 30% 400KiB..1MiB"
records = 100
[[phases]]
name = "load"
operation = "insert"
[[phases]]
name = "mixed"
mix = { get = 2, update = 1 }
operations = 300
access = "zipfian"
"#;

#[test]
fn a_suite_with_two_sizes_runs_and_its_answers_are_right() {
    let place = Place::new();
    let file = place.write("two-sizes.toml", TWO_SIZES);
    place.run(&["run", file.to_str().unwrap(), "--rounds", "1"]).expect(0);
    let cells = place.cells();
    assert!(cells.len() == 2 && cells.iter().all(|cell| cell["status"] == "ok"), "{cells:?}");
    for cell in &cells {
        assert_eq!(cell["value_mixture"], "70% 1B..400KiB, 30% 400KiB..1MiB");
        assert_eq!((cell["value_bytes_min"].as_u64(), cell["value_bytes_max"].as_u64()), (Some(1), Some(1 << 20)));
        // 70 of 200 KiB and 30 of 712 KiB on average, 34.5 MiB in all, give or take six standard deviations of the drawn sizes.
        let data_bytes = cell["data_bytes"].as_f64().unwrap() / 1024.0 / 1024.0;
        assert!((data_bytes - 34.5).abs() < 8.0, "{data_bytes} MiB");
    }
    for phase in place.lines().iter().filter(|line| line["line"] == "phase") {
        for of in phase["result"]["operations"].as_array().unwrap() {
            let sizes = of["by_size"].as_array().unwrap_or_else(|| panic!("{of}"));
            let all = |key: &str| sizes.iter().map(|of| of[key].as_u64().unwrap()).collect::<Vec<_>>();
            assert_eq!(all("value_bytes_max"), [400 << 10, 1 << 20]);
            assert_eq!(all("operations").iter().sum::<u64>(), of["operations"].as_u64().unwrap());
            if of["operation"] == "insert" {
                assert_eq!(all("operations"), [70, 30]);
            }
        }
    }
    let full = unwrapped(&place.run(&["report", "--full"]).expect(0).stdout);
    for table in ["load", "load 1B..400KiB", "load 400KiB..1MiB", "mixed: get 1B..400KiB", "mixed: update 400KiB..1MiB"]
    {
        assert!(full.contains(&format!("{table} · 1B..1MiB × 100")), "{table}: {full}");
    }
    place.run(&["report", "--csv", "out.csv", "--markdown", "out.md", "--html", "out.html"]).expect(0);
    for file in ["out.md", "out.html"] {
        let text = std::fs::read_to_string(place.path().join(file)).unwrap();
        assert!(text.contains("mixed: update 400KiB..1MiB"), "{file}");
    }
    let csv = std::fs::read_to_string(place.path().join("out.csv")).unwrap();
    // Of both stores: three kinds of operation, each of all sizes and of two.
    assert_eq!(csv.lines().count(), 1 + 2 * 3 * 3, "{csv}");
    assert!(full.contains("values of 70% 1B..400KiB, 30% 400KiB..1MiB × 100 records"), "{full}");
    assert!(full.contains("sha1 keys, values 70% 1B..400KiB, 30% 400KiB..1MiB"), "{full}");
}

#[test]
fn a_flag_takes_a_mixture_as_one_value() {
    let place = Place::new();
    let file = place.write("two-sizes.toml", TWO_SIZES);
    let run = ["run", file.to_str().unwrap(), "--stores", "sqlite", "--plan", "--value-size"];
    let plan = |sizes: &str| place.run(&[&run[..], &[sizes]].concat());
    let shown = plan("70% 200B, 30% 20KiB,1KiB").expect(0).stdout;
    assert!(shown.contains("200B..20KiB × 100") && shown.contains("values 70% 200B, 30% 20KiB"), "{shown}");
    assert!(shown.contains("1KiB × 100"), "{shown}");
    for (sizes, words) in [
        ("70%, 30% 20KiB", "`70%` has no size"),
        ("70% 200B, 31% 20KiB", "sum to 101%"),
        ("70% 200B, 0% 20KiB", "`0% 20KiB` has the weight `0`"),
        ("70% 200B, -30% 20KiB", "`-30% 20KiB` has the weight `-30`"),
    ] {
        plan(sizes).expect(2).says(&["--value-size", words]);
    }
}

#[test]
fn a_pick_asks_for_a_mixture() {
    let place = Place::new();
    let arguments =
        ["pick", "--full", "--records", "300", "--stores", "sqlite,lmdb", "--budget", "15s", "--value-size"];
    let pick = |sizes: &str| place.run(&[&arguments[..], &[sizes]].concat());
    let shown = pick("70% 200B, 30% 20KiB").expect(0).stdout;
    assert!(unwrapped(&shown).contains("70% 200B, 30% 20KiB"), "{shown}");
    assert!(unwrapped(&shown).contains("Values twice as long, 70% 400B, 30% 40KiB"), "{shown}");
    let cells = place.cells();
    let asked: Vec<_> = cells.iter().filter(|cell| cell["variant"] == "asked").collect();
    assert!(asked.len() >= 2 && asked.iter().all(|cell| cell["value_mixture"] == "70% 200B, 30% 20KiB"), "{asked:?}");
    pick("70% 200B, 31% 20KiB").expect(2).says(&["--value-size 70% 200B, 31% 20KiB", "sum to 101%"]);
}

#[test]
fn small_records_are_popular_in_a_suite_in_a_pick_and_in_a_trace() {
    let place = Place::new();
    let text = TWO_SIZES
        .replace("400KiB..1MiB\"", "400KiB..1MiB, popular small\"")
        .replace("operations = 300", "operations = 2_000");
    place.write("popular.toml", &text);
    place
        .run(&["run", "popular.toml", "--rounds", "1", "--value-size", "70% 200B, 30% 20KiB, popular small"])
        .expect(0);
    let cells = place.cells();
    assert!(cells.len() == 2 && cells.iter().all(|cell| cell["status"] == "ok"), "{cells:?}");
    assert!(cells.iter().all(|cell| cell["value_mixture"] == "70% 200B, 30% 20KiB, popular small"), "{cells:?}");
    let mixed = place.phases("mixed");
    for of in mixed.iter().flat_map(|line| line["result"]["operations"].as_array().unwrap()) {
        // The first 70 of 100 ranks have 93 % of the operations.
        let small = of["by_size"][0]["operations"].as_f64().unwrap() / of["operations"].as_f64().unwrap();
        assert!((0.89..0.97).contains(&small), "{of}");
    }
    let full = unwrapped(&place.run(&["report", "--full"]).expect(0).stdout);
    assert!(full.contains("values 70% 200B, 30% 20KiB, popular small"), "{full}");
    let mut random = 7_u64;
    let mut trace = "op,key,value_size\n".to_owned();
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let key = if random >> 40 & 3 == 0 { (random >> 33) % 500 } else { (random >> 33) % 20 };
        trace += &format!("get,{:06},{}\n", key * 137 % 500, if key < 20 { 100 } else { 5_000 });
    }
    place.write("popular.csv", &trace);
    let shown = unwrapped(&place.run(&["tape", "summary", "popular.csv"]).expect(0).stdout);
    assert!(shown.contains("--value-size '4% 100B, 96% 5000B, popular small'"), "{shown}");
    assert!(!shown.contains("only a tape"), "{shown}");
    let common = ["pick", "--full", "--stores", "sqlite,lmdb", "--budget", "4s"];
    let picked = place.run(&[&common[..], &["--trace", "popular.csv"]].concat());
    assert!(!picked.stderr.contains("replayed"), "{}", picked.stderr);
    assert!(unwrapped(&picked.stdout).contains("value-size 4% 100B, 96% 5000B, popular small"), "{}", picked.stdout);
    let uniform = ["--value-size", "1 1B, 1 2B, popular large", "--access", "uniform"];
    place.run(&[&common[..], &uniform].concat()).expect(2).says(&["--access uniform: value-size says which records"]);
}
