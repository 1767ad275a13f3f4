//! Parsers on arbitrary input: one function per parser, called by libFuzzer's targets and by the tests.
//!
//! A function returns for every input. It panics if the parser panics, or if accepted input breaks a guarantee of the
//! parser.

mod results;
mod tape;

use std::ops::ControlFlow;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use bakeoff_protocol::{FailureKind, Request, StoreDescription};
use bakeoff_suite::{PlanMedium, Suite, plan};
use bakeoff_trace::{Form, ReadOptions, Summary, Trace};

pub use results::results;
pub use tape::{mended, tape};

/// Suites with more combinations are parsed but not planned: planning a hundred thousand cells takes a while.
const WORKLOADS_MAX: usize = 64;

static STORES: LazyLock<Vec<StoreDescription>> =
    LazyLock::new(|| bakeoff_stores::native().iter().map(|entry| (entry.describe)()).collect());

/// Reads `input` as a suite and plans it for the native stores.
///
/// # Panics
/// If a refusal has no message, or a cell no id.
pub fn suite(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let planned = Suite::parse("fuzz.toml", text).and_then(|suite| {
        if workloads(&suite) > WORKLOADS_MAX {
            return Ok(());
        }
        let medium = PlanMedium { directory: PathBuf::from("/"), free_bytes: Some(1 << 40), ..PlanMedium::default() };
        let media: BTreeMap<_, _> = suite.media().iter().map(|name| (name.clone(), medium.clone())).collect();
        let plan = plan(&suite, &STORES, &media)?;
        assert!(plan.workloads.iter().flat_map(|workload| &workload.cells).all(|cell| cell.id.len() == 16));
        Ok(())
    });
    if let Err(errors) = planned {
        assert!(!errors.to_string().is_empty());
    }
}

fn workloads(suite: &Suite) -> usize {
    let axes = [suite.media().len(), suite.durability().len(), suite.keys().len(), suite.data().len()];
    let more = [suite.value_bytes().len(), suite.records().len(), suite.threads().len()];
    axes.into_iter().chain(more).product()
}

/// Reads `input` as a request, and its settings as those of every native store.
///
/// # Panics
/// If an accepted request is refused, or read differently, after it was written out again.
pub fn request(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match bakeoff_driver::parse_request(text) {
        Err(failure) => assert_eq!(failure.kind, FailureKind::BadRequest, "{}", failure.message),
        Ok(request) => {
            for store in &*STORES {
                let _ = bakeoff_store::resolve_settings(store, &request.settings);
            }
            reads_the_same(request);
        }
    }
}

/// Reads `input` as a trace of every form.
///
/// # Panics
/// If a refusal has no message, or if operations get lost or appear on the way.
pub fn trace(input: &[u8]) {
    let forms = Form::ALL.map(|(_, form)| Some(form)).into_iter().chain([None]);
    for form in forms {
        let options = ReadOptions { form, ..ReadOptions::default() };
        match Trace::new(input, &options).and_then(|trace| Summary::read(trace, &|_| ControlFlow::Continue(()))) {
            Err(why) => assert!(!why.to_string().is_empty()),
            Ok(summary) => {
                assert_eq!(summary.mix.values().sum::<u64>(), summary.operations);
                assert!(summary.keys >= 1 && summary.operations >= 1);
            }
        }
    }
}

/// Settings are left out: the last digit of a decimal fraction may change on the way through text.
fn reads_the_same(mut request: Request) {
    request.settings.clear();
    let text = serde_json::to_string(&request).expect("a request can be written");
    let again = bakeoff_driver::parse_request(&text).expect("what was taken once is taken again");
    assert_eq!(again, request);
}
