//! `bench/authors/columns`: the columns that the scripts of Hines 2023's authors read, made of the JSON export.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use bakeoff_protocol::{Axes, FailureKind, Profile};
use bakeoff_report::write_json;
use bakeoff_results::analysis::Analysis;
use bakeoff_results::run::Run;
use serde_json::json;

use bakeoff_testing::made_up::{axes, edit, failed, gets, good, operation, phase_result, run, stores};

/// What the script makes of a run; `None` where `jq` is missing.
fn columns(run: &Run) -> Option<Output> {
    if Command::new("jq").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("skip: jq is not installed");
        return None;
    }
    let mut json = Vec::new();
    write_json(&Analysis::new(run), &mut json).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/authors/columns");
    let [input, output] = [Stdio::piped, Stdio::piped];
    let mut child = Command::new(script).stdin(input()).stdout(output()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&json).unwrap();
    Some(child.wait_with_output().unwrap())
}

#[test]
fn they_hold_all_rounds_of_a_cell() {
    let place = axes("sqlite");
    let round = |round, mean_ns| good(&place, round, vec![phase_result("insert", vec![operation("insert", mean_ns)])]);
    let mut cells = vec![round(1, 4_000), round(2, 6_000)];
    cells.push(failed(good(&axes("lmdb"), 1, Vec::new()), FailureKind::Crash, "it broke"));
    let mut run = run(cells, stores());
    edit(&mut run, |info| info["machine"]["cpu_model"] = json!("Abacus, 7 rods"));
    let Some(output) = columns(&run) else { return };
    let expected = "\
hardware,store,op,size,records,data type,measurements,sum,min,max,avg
Abacus 7 rods process,SQLite3,insert,1KiB to 10KiB,1000,incompressible,2000,10000000,2000,600000,5000
Abacus 7 rods process,SQLite3,memory,1KiB to 10KiB,1000,incompressible,2,4096,2048,2048,2048
Abacus 7 rods process,SQLite3,space,1KiB to 10KiB,1000,incompressible,2,158,79,79,79
";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn no_text_of_a_run_is_a_formula_or_steers_a_terminal() {
    let formula = Axes { store: "+sqlite".to_owned(), medium: "\u{1b}[31mred\u{202e}".to_owned(), ..axes("sqlite") };
    let mut odd = run(gets(&formula, &[1_000]), stores());
    edit(&mut odd, |info| info["machine"]["cpu_model"] = "=1+1".into());
    let Some(output) = columns(&odd) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("'=1+1") && !text.contains(",+sqlite"), "{text:?}");
    assert!(text.contains("[31mred") && !text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}

#[test]
fn what_they_are_not_of_is_refused() {
    let mut whole = phase_result("get", vec![operation("get", 1_000)]);
    whole.operations[0].latency = None;
    let walks = phase_result("walk", vec![operation("walk", 1_000)]);
    let mut profiled = gets(&axes("lmdb"), &[1_000]);
    profiled.iter_mut().for_each(|cell| cell.end.axes.profile = Some(Profile::Cpu));
    let none = "insert, update, get or remove";
    let of = |phase| vec![good(&axes("lmdb"), 1, vec![phase])];
    for (cells, why) in [(of(whole), none), (of(walks), none), (Vec::new(), none), (profiled, "was profiled")] {
        let Some(output) = columns(&run(cells, stores())) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why) && output.stdout.is_empty(), "{said}");
    }
}
