//! Traces made of others: an export gives the same operations, and a part finds the records from before its beginning.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bakeoff_tape::{Operation, TapeReader, open_import};
use bakeoff_trace::{
    Cut, ImportOptions, Input, Merge, Privacy, ReadOptions, RewriteOptions, Rewritten, TableForm, Trace, TraceError,
    count_operations, import, rewrite,
};
use proptest::prelude::*;

/// A step of a tape: kind, key, whether it was found, length of the value, when it is due.
type Step = (Operation, Vec<u8>, bool, u32, Option<u64>);

/// Bytes that are written, for one who looks at them afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn import(&self, trace: &Path, name: &str) -> PathBuf {
        let into = self.0.path().join(name);
        std::fs::create_dir(&into).unwrap();
        import(trace, &into, &ImportOptions::default(), &|_| ControlFlow::Continue(())).unwrap();
        into
    }
}

fn open(path: &Path) -> Trace<Input<'static>> {
    Trace::open(path, &ReadOptions::default(), &|_| ControlFlow::Continue(())).unwrap()
}

fn write(paths: &[&Path], options: &RewriteOptions, form: TableForm) -> Result<(Vec<u8>, Rewritten), TraceError> {
    let out = Shared::default();
    let traces = paths.iter().map(|path| open(path)).collect();
    let written = rewrite(traces, options, (form, Box::new(out.clone())), &|_| ControlFlow::Continue(()))?;
    let bytes = out.0.lock().unwrap().clone();
    Ok((bytes, written))
}

fn text(paths: &[&Path], options: &RewriteOptions) -> String {
    String::from_utf8(write(paths, options, TableForm::Csv).unwrap().0).unwrap()
}

/// The tapes of an import, lane by lane, phase after phase.
fn steps(directory: &Path) -> Vec<Vec<Step>> {
    let (_, recording) = open_import(directory).unwrap();
    let mut lanes = Vec::new();
    for phase in &recording.phases {
        let tape = TapeReader::open(&phase.path).unwrap();
        for number in 0..tape.facts().lanes.len() as u32 {
            let (mut lane, mut steps) = (tape.lane(number).unwrap(), Vec::new());
            while let Some(block) = lane.next_block().unwrap() {
                steps.extend(block.records().map(|record| {
                    (record.operation, record.key.to_vec(), record.found(), record.value_bytes, record.due_ns)
                }));
            }
            lanes.push(steps);
        }
    }
    lanes
}

/// Lanes that have any, in an order that does not depend on their numbers.
fn in_order(mut lanes: Vec<Vec<Step>>) -> Vec<Vec<Step>> {
    lanes.retain(|lane| !lane.is_empty());
    lanes.sort_by_key(|lane| format!("{lane:?}"));
    lanes
}

/// The kind of a row that is a commit, where a trace has any.
const COMMIT: usize = 5;

/// A row of a trace: kind, key, length, thread, and the time after the one before in nanoseconds.
type Row = (usize, Vec<u8>, Option<u32>, u8, u64);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let key = prop_oneof![
        "[a-d]".prop_map(String::into_bytes),
        "[ -~]{1,4}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 1..4),
    ];
    let length = prop_oneof![Just(Some(0)), Just(Some(7)), (1..2000_u32).prop_map(Some)];
    prop::collection::vec((0..6_usize, key, length, 0..3_u8, 0..3_000_000_000_u64), 1..120)
}

fn csv(rows: &[Row], has_times: bool, has_threads: bool, has_commits: bool) -> Vec<u8> {
    let mut table = csv::WriterBuilder::new().from_writer(Vec::new());
    let mut head = vec!["op", "key", "value_size"];
    head.extend(has_times.then_some("time"));
    head.extend(has_threads.then_some("thread"));
    table.write_record(&head).unwrap();
    let mut time_ns = 0_u64;
    for (kind, key, length, thread, gap_ns) in rows {
        // Where there are commits, each thread has its own keys.
        let shares = u64::from(*thread) * u64::from(!has_commits);
        let thread = (shares + u64::from(key[0])).wrapping_rem(3).to_string();
        let kind = ["get", "set", "insert", "update", "delete", if has_commits { "commit" } else { "get" }][*kind];
        let key = if kind == "commit" { Vec::new() } else { key.clone() };
        let mut fields =
            vec![kind.as_bytes().to_vec(), key, length.map_or(String::new(), |length| length.to_string()).into()];
        time_ns += gap_ns;
        let time = format!("{}.{:09}", time_ns / 1_000_000_000, time_ns % 1_000_000_000);
        fields.extend(has_times.then(|| time.into_bytes()));
        fields.extend(has_threads.then(|| thread.into_bytes()));
        table.write_record(&fields).unwrap();
    }
    // Blanks around a field that needs no quotation marks would not be its own.
    table.into_inner().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_exported_gives_the_same_operations(rows in rows(), has_times: bool, has_threads: bool, has_commits: bool) {
        let rows: Vec<_> = rows.into_iter().filter(|row| row.1.trim_ascii() == row.1).collect();
        let operations = rows.iter().filter(|row| !has_commits || row.0 != COMMIT).count() as u64;
        prop_assume!(operations > 0);
        let files = Files::new();
        let tape = files.import(&files.write("app.csv", csv(&rows, has_times, has_threads, has_commits)), "app");
        for (form, name) in [(TableForm::Csv, "again.csv"), (TableForm::Parquet, "again.parquet")] {
            let (bytes, written) = write(&[&tape], &RewriteOptions::default(), form).unwrap();
            prop_assert_eq!(written.operations, operations);
            let again = files.import(&files.write(name, bytes), &format!("of-{name}"));
            prop_assert_eq!(in_order(steps(&again)), in_order(steps(&tape)));
        }
        // So does the trace itself.
        let (bytes, _) = write(&[&files.0.path().join("app.csv")], &RewriteOptions::default(), TableForm::Csv).unwrap();
        let again = files.import(&files.write("trace.csv", bytes), "of-trace");
        let (of_trace, whole) = (in_order(steps(&again)), in_order(steps(&tape)));
        if !has_threads {
            prop_assert_eq!(of_trace, whole);
        } else {
            // Keys that threads share were dealt to lanes, and a trace says what threads did.
            prop_assert_eq!(of_trace.concat().len(), whole.concat().len());
        }
    }

    #[test]
    fn parts_of_a_trace_have_the_answers_of_the_whole(rows in rows(), cut in 1..119_u64) {
        let rows: Vec<_> = rows.into_iter().filter(|row| row.1.trim_ascii() == row.1).collect();
        prop_assume!(rows.len() as u64 > cut);
        let files = Files::new();
        let trace = files.write("app.csv", csv(&rows, true, false, false));
        let whole = steps(&files.import(&trace, "whole")).pop().unwrap();
        for (name, cut, expected) in [
            ("first", Cut { take: Some(cut), ..Cut::default() }, &whole[..cut as usize]),
            ("last", Cut { skip: cut, ..Cut::default() }, &whole[cut as usize..]),
        ] {
            let options = RewriteOptions { cut, ..RewriteOptions::default() };
            let (bytes, _) = write(&[&trace], &options, TableForm::Csv).unwrap();
            let part = steps(&files.import(&files.write(&format!("{name}.csv"), bytes), name)).pop().unwrap();
            let first_ns = expected[0].4.unwrap();
            let answers: Vec<Step> = expected
                .iter()
                .map(|(operation, key, found, bytes, due)| {
                    (*operation, key.clone(), *found, *bytes, due.map(|due_ns| due_ns - first_ns))
                })
                .collect();
            prop_assert_eq!(part, answers);
        }
    }

    #[test]
    fn masked_traces_do_the_same_on_other_keys(rows in rows(), salt in "[a-z]{1,8}") {
        let rows: Vec<_> = rows.into_iter().filter(|row| row.1.trim_ascii() == row.1).collect();
        prop_assume!(!rows.is_empty());
        let files = Files::new();
        let tape = files.import(&files.write("app.csv", csv(&rows, true, false, false)), "app");
        let options = RewriteOptions { privacy: Privacy::Salt(salt.into_bytes()), ..RewriteOptions::default() };
        let (bytes, _) = write(&[&tape], &options, TableForm::Csv).unwrap();
        let masked = steps(&files.import(&files.write("masked.csv", bytes), "masked"));
        let plain = steps(&tape);
        let shape = |steps: &[Vec<Step>]| {
            let step = |(kind, key, found, bytes, due): &Step| (*kind, key.len(), *found, *bytes, *due);
            steps.iter().map(|lane| lane.iter().map(step).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        prop_assert_eq!(shape(&masked), shape(&plain));
        let keys = |steps: &[Vec<Step>]| steps.iter().flatten().map(|step| step.1.clone()).collect::<BTreeSet<_>>().len();
        prop_assert_eq!(keys(&masked), keys(&plain));
    }
}

#[test]
fn a_window_begins_with_what_is_there() {
    let files = Files::new();
    let trace = "op,key,value_size,time\nset,a,1,10\nset,b,2,11\nget,old,9,12\ndelete,a,,13\nset,b,3,14\nget,b,3,15\nget,a,0,16\nget,late,5,17\nget,b,3,20\n";
    let trace = files.write("app.csv", trace);
    let window = |from, to| RewriteOptions {
        cut: Cut { window_s: Some((from, to)), ..Cut::default() },
        ..RewriteOptions::default()
    };
    let expected =
        "op,key,value_size,time\nload,b,3,\nload,old,9,\nget,b,3,15\nget,a,0,16\nload,late,5,\nget,late,5,17\n";
    assert_eq!(text(&[&trace], &window(5.0, 10.0)), expected);
    let why = write(&[&trace], &window(60.0, 70.0), TableForm::Csv).unwrap_err().to_string();
    assert!(why.contains("no operation is left"), "{why}");
    let untimed = files.write("untimed.csv", "op,key,value_size\nget,a,1\n");
    assert!(write(&[&untimed], &window(0.0, 1.0), TableForm::Csv).unwrap_err().to_string().contains("no time"));
    let unknown = files.write("unknown.csv", "op,key,value_size\nget,a,\n");
    let why = write(&[&unknown], &RewriteOptions::default(), TableForm::Csv).unwrap_err().to_string();
    assert!(why.contains("--value-size"), "{why}");
}

#[test]
fn several_become_one_by_time_or_in_turn() {
    let files = Files::new();
    let one = files.write("one.csv", "op,key,value_size,time\nload,x,1,\nset,a,1,0\nget,a,1,3\nget,a,1,4\n");
    let other = files.write("other.csv", "op,key,value_size,time\nset,b,2,1\nset,a,5,2\nload,x,1,\n");
    let merged = |merge, apart| text(&[&one, &other], &RewriteOptions { merge, apart, ..RewriteOptions::default() });
    assert_eq!(
        merged(Merge::ByTime, false),
        "op,key,value_size,time\nload,x,1,\nupsert,a,1,0\nupsert,b,2,1\nupsert,a,5,2\nget,a,5,3\nget,a,5,4\n"
    );
    assert_eq!(
        merged(Merge::ByTime, true),
        "op,key,value_size,time\nload,1:x,1,\nupsert,1:a,1,0\nupsert,2:b,2,1\nupsert,2:a,5,2\nload,2:x,1,\nget,1:a,1,3\nget,1:a,1,4\n"
    );
    assert_eq!(
        merged(Merge::InTurn, true),
        "op,key,value_size,thread\nload,1:x,1,\nupsert,1:a,1,0\nupsert,2:b,2,1\nget,1:a,1,0\nupsert,2:a,5,1\nget,1:a,1,0\nload,2:x,1,\n"
    );
    let untimed = files.write("untimed.csv", "op,key,value_size\nget,a,1\n");
    let why = write(&[&one, &untimed], &RewriteOptions::default(), TableForm::Csv).unwrap_err().to_string();
    assert!(why.contains("line 2: no time"), "{why}");
    let wrong = files.write("wrong.csv", "op,key,value_size,time\nget,a,x,1\n");
    let why = write(&[&one, &wrong], &RewriteOptions::default(), TableForm::Csv).unwrap_err().to_string();
    assert!(why.contains("in trace 2: line 2: value_size is `x`"), "{why}");
}

/// Rows with commits: as text, and on an imported tape.
fn with_commits(files: &Files, name: &str, text: &str) -> [PathBuf; 2] {
    let trace = files.write(&format!("{name}.csv"), text);
    let tape = files.import(&trace, name);
    [trace, tape]
}

#[test]
fn batches_stay_what_they_were() {
    let files = Files::new();
    // A batch that the trace leaves open is committed, and a commit of nothing is none.
    let text = "op,key,value_size,time,thread\ncommit,,,0,2\nset,a,9,1,1\nset,b,9,2,2\nget,old,5,2,1\ncommit,,,3,1\nset,c,9,3.3333333333,2\n\
                commit,,,4,2\ncommit,,,4,2\nset,d,9,5.123456789,1\nget,b,9,6.1111111119,2\n";
    for path in with_commits(&files, "app", text) {
        for (form, name) in [(TableForm::Csv, "csv"), (TableForm::Parquet, "parquet")] {
            let (bytes, written) = write(&[&path], &RewriteOptions::default(), form).unwrap();
            assert_eq!((written.operations, written.commits), (6, 3));
            let name = format!("{}.{name}", path.file_name().unwrap().to_string_lossy());
            let again = files.import(&files.write(&name, bytes), &format!("of-{name}"));
            assert_eq!(in_order(steps(&again)), in_order(steps(&files.0.path().join("app"))));
        }
    }
    let alone = files.write("alone.csv", "op,key,value_size\nset,a,9\n");
    assert_eq!(text_of(&alone, Cut::default()), "op,key,value_size\nupsert,a,9\n");
}

fn text_of(path: &Path, cut: Cut) -> String {
    text(&[path], &RewriteOptions { cut, ..RewriteOptions::default() })
}

#[test]
fn a_part_has_the_batches_of_what_it_keeps() {
    let files = Files::new();
    let rows = "op,key,value_size,time\nset,a,1,0\nset,b,1,1\ncommit,,,2\nset,c,1,3\nset,d,1,4\ncommit,,,5\nset,e,1,6\ncommit,,,7\n";
    for path in with_commits(&files, "app", rows) {
        let cut = |skip, take| text_of(&path, Cut { skip, take, window_s: None });
        let head = "op,key,value_size,time\n";
        let two = "upsert,a,1,0\nupsert,b,1,1\ncommit,,,2\n";
        assert_eq!(cut(0, Some(1)), format!("{head}upsert,a,1,0\ncommit,,,0\n"), "before any commit");
        assert_eq!(cut(0, Some(2)), format!("{head}{two}"));
        assert_eq!(cut(0, Some(3)), format!("{head}{two}upsert,c,1,3\ncommit,,,3\n"));
        let before = "load,a,1,\nload,b,1,\nload,c,1,\n";
        let rest = "upsert,d,1,4\ncommit,,,5\nupsert,e,1,6\ncommit,,,7\n";
        let rest_kept = text_of(&path, Cut { skip: 3, ..Cut::default() });
        let rest_kept = rest_kept.replace("insert,", "upsert,");
        assert_eq!(rest_kept, format!("{head}{before}{rest}"));
        let window = text_of(&path, Cut { window_s: Some((0.0, 0.5)), ..Cut::default() });
        assert_eq!(window, format!("{head}upsert,a,1,0\ncommit,,,0\n"));
        let window = text_of(&path, Cut { window_s: Some((4.0, 4.5)), ..Cut::default() });
        assert_eq!(window, format!("{head}{before}upsert,d,1,4\ncommit,,,4\n"));
        let counted = count_operations(open(&path), &|_| ControlFlow::Continue(())).unwrap();
        assert_eq!(counted, 5);
    }
    // What comes behind the part says only whether there are commits.
    let first = Cut { take: Some(1), ..Cut::default() };
    let each = files.write("each.csv", "op,key,value_size\nset,a,1\nset,b,1\nset,c,1\nset,d,x\ncommit,,\n");
    assert_eq!(text_of(&each, first), "op,key,value_size\nupsert,a,1\n");
    let statements = "BEGIN;\nINSERT INTO t VALUES('a','1');\nINSERT INTO t VALUES('b','1');\nCOMMIT;\n";
    let statements = files.write("statements.sql", statements);
    assert_eq!(text_of(&statements, first), "op,key,value_size\ninsert,a,1\ncommit,,\n");
}

#[test]
fn batches_of_several_stay_apart_or_are_refused() {
    let files = Files::new();
    let one =
        files.write("one.csv", "op,key,value_size,time\nset,a,1,0\nset,b,1,2\ncommit,,,4\nset,c,1,6\ncommit,,,7\n");
    let other = files.write("other.csv", "op,key,value_size,time\nset,a,2,1\ncommit,,,3\nset,b,2,5\ncommit,,,8\n");
    let merged = |paths: &[&Path], merge| {
        write(paths, &RewriteOptions { merge, apart: true, ..RewriteOptions::default() }, TableForm::Csv)
    };
    let (bytes, _) = merged(&[&one, &other], Merge::InTurn).unwrap();
    let expected = "op,key,value_size,thread\nupsert,1:a,1,0\nupsert,2:a,2,1\ncommit,,,1\nupsert,1:b,1,0\ncommit,,,0\n\
                    upsert,2:b,2,1\ncommit,,,1\nupsert,1:c,1,0\ncommit,,,0\n";
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), expected);
    assert_eq!(files.import(&files.write("both.csv", bytes), "both"), files.0.path().join("both"));
    let why = merged(&[&one, &other], Merge::ByTime).unwrap_err().to_string();
    assert!(why.contains("in trace 2: line 3: this commit") && why.contains("--by turns"), "{why}");
    let without = files.write("without.csv", "op,key,value_size,time\nset,a,1,0\n");
    let why = merged(&[&one, &without], Merge::InTurn).unwrap_err().to_string();
    assert!(why.contains("--ignore commit"), "{why}");
    let reads = files.write("reads.csv", "op,key,value_size,time\nget,a,1,0\n");
    assert!(merged(&[&one, &reads], Merge::InTurn).is_ok(), "reads are in no batch");
}

#[test]
fn a_table_that_cannot_be_written_is_an_error() {
    let files = Files::new();
    let trace = files.write("app.csv", "op,key,value_size\nset,a,1\n");
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for form in [TableForm::Csv, TableForm::Parquet] {
        let progress = |_: bakeoff_tape::Progress<'_>| ControlFlow::Continue(());
        let why =
            rewrite(vec![open(&trace)], &RewriteOptions::default(), (form, Box::new(Full)), &progress).unwrap_err();
        assert!(why.to_string().contains("cannot write the table"), "{why}");
    }
}
