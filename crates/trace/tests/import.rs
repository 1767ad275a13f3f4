//! Traces turned into tapes: replayed into a map, every answer on them must be right, and the final content must be
//! that of the last tape.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use bakeoff_tape::{Consumer, Data, Operation, Pool, Recording, TapeError, TapeReader, consume, open_import};
use bakeoff_trace::{ImportOptions, ImportOutcome, LaneFacts, TraceError, WARM_UP_DIRECTORY, import};
use proptest::prelude::*;

type Store = BTreeMap<Vec<u8>, Vec<u8>>;

/// A record without what only a tape needs.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    operation: Operation,
    key: Vec<u8>,
    found: bool,
    value_bytes: u32,
    due_ns: Option<u64>,
}

struct Import {
    directory: tempfile::TempDir,
    imported: ImportOutcome,
}

impl Import {
    fn of(text: &str, options: &ImportOptions) -> Result<Self, TraceError> {
        let directory = tempfile::tempdir().unwrap();
        let trace = directory.path().join("trace");
        std::fs::write(&trace, text).unwrap();
        Self::of_file(directory, &trace, options)
    }

    fn of_file(directory: tempfile::TempDir, trace: &Path, options: &ImportOptions) -> Result<Self, TraceError> {
        let into = directory.path().join("tape");
        std::fs::create_dir(&into).unwrap();
        let imported = import(trace, &into, options, &|_| ControlFlow::Continue(()))?;
        Ok(Self { directory, imported })
    }

    fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("tape")
    }

    /// Replays all phases, lane after lane, and gives the steps of each lane of the last one.
    fn replay(&self) -> Vec<Vec<Step>> {
        let (workload, recording) = open_import(&self.path()).unwrap();
        assert_eq!(workload, self.imported.workload);
        let pool = Pool::open(&recording.pool).unwrap();
        let mut store = Store::new();
        let mut lanes = Vec::new();
        for phase in &recording.phases {
            let tape = TapeReader::open(&phase.path).unwrap();
            let numbers = 0..tape.facts().lanes.len() as u32;
            lanes = numbers.map(|lane| replay(&tape, lane, &pool, &mut store)).collect();
            assert_eq!(tape.facts().lanes.len() as u32, workload.lanes);
            assert_eq!(store.len() as u64, phase.records_after);
            assert_eq!(bytes(&store), phase.data_bytes_after);
        }
        assert_verified(&TapeReader::open(&recording.verify).unwrap(), &store);
        lanes
    }
}

#[test]
fn reads_of_what_a_cache_lost_are_counted() {
    let text = "op,key,value_size\nget,a,0\nset,a,9\nget,a,0\nget,b,5\nget,b,0\nset,c,0\nget,c,0\n";
    let import = Import::of(text, &ImportOptions::default()).unwrap();
    assert_eq!((import.imported.reads_missing, import.imported.omitted.reads_found_after_all), (1, 2));
    let steps = import.replay();
    assert!(steps[0][2].found && steps[0][2].value_bytes == 9, "{steps:?}");
}

fn bytes(store: &Store) -> u64 {
    store.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum()
}

fn replay(tape: &TapeReader, lane: u32, pool: &Pool, store: &mut Store) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lane = tape.lane(lane).unwrap();
    while let Some(block) = lane.next_block().unwrap() {
        for record in block.records() {
            let value = || pool.slice(record.value_offset, record.value_bytes).unwrap().to_vec();
            let key = record.key.to_vec();
            match record.operation {
                Operation::Get => assert_eq!(store.get(&key), record.found().then(value).as_ref(), "{record:?}"),
                Operation::Insert => assert_eq!(store.insert(key.clone(), value()), None, "{record:?}"),
                Operation::Update => assert!(store.insert(key.clone(), value()).is_some(), "{record:?}"),
                Operation::Upsert => assert_eq!(store.insert(key.clone(), value()).is_some(), record.found()),
                Operation::Delete => assert_eq!(store.remove(&key).is_some(), record.found(), "{record:?}"),
                Operation::Commit => continue,
                other => panic!("{other:?}"),
            }
            let (operation, found, value_bytes, due_ns) =
                (record.operation, record.found(), record.value_bytes, record.due_ns);
            steps.push(Step { operation, key, found, value_bytes, due_ns });
        }
    }
    steps
}

fn assert_verified(tape: &TapeReader, store: &Store) {
    let mut lane = tape.lane(0).unwrap();
    let block = lane.next_block().unwrap().unwrap();
    let record = block.records().next().unwrap();
    let scan = record.scan().unwrap();
    let each = |(key, value): (&Vec<u8>, &Vec<u8>)| consume::step(Consumer::Xxh64, 0, key, value);
    assert_eq!(scan.checksum, store.iter().map(each).fold(0, u64::wrapping_add));
    assert_eq!((scan.entries, scan.bytes, record.any_order()), (store.len() as u64, bytes(store), true));
}

/// The kinds of operation on each lane of the tape with the trace's operations.
fn kinds(imported: &Import) -> Vec<Vec<Operation>> {
    let (_, recording) = open_import(&imported.path()).unwrap();
    let tape = TapeReader::open(&recording.phases.last().unwrap().path).unwrap();
    let of_lane = |lane| {
        let (mut lane, mut kinds) = (tape.lane(lane).unwrap(), Vec::new());
        while let Some(block) = lane.next_block().unwrap() {
            kinds.extend(block.records().map(|record| record.operation));
        }
        kinds
    };
    (0..tape.facts().lanes.len() as u32).map(of_lane).collect()
}

#[test]
fn a_commit_ends_the_batch_of_its_thread() {
    use Operation::{Commit, Get, Insert, Upsert};
    let rows =
        "set,a,9,one\nset,b,9,two\ncommit,,,one\nset,c,9,two\nget,a,9,one\ncommit,,,two\ncommit,,,one\nset,d,9,one\n";
    let text = format!("op,key,value_size,thread\n{rows}");
    let import = Import::of(&text, &ImportOptions::default()).unwrap();
    assert_eq!(import.imported.lanes, LaneFacts::Threads(2));
    // A commit without a write is none, and an open batch is committed at the end.
    let set = Upsert;
    assert_eq!(kinds(&import), [vec![set, Commit, Get, set, Commit], vec![set, set, Commit]]);
    assert_eq!((import.imported.operations, import.imported.commits), (5, 3));
    assert_eq!(import.imported.workload.phases.last().unwrap().batch, bakeoff_tape::Batch::Writes(1));
    import.replay();
    // Without one each write is acknowledged alone.
    let alone = Import::of(&csv("insert,a,9\n"), &ImportOptions::default()).unwrap();
    assert_eq!((kinds(&alone), alone.imported.commits), (vec![vec![Insert]], 0));
    assert_eq!(alone.imported.workload.phases.last().unwrap().batch, bakeoff_tape::Batch::Each);
}

#[test]
fn commits_of_threads_that_share_keys_are_refused() {
    let shared = "op,key,value_size,thread\nset,a,9,one\nset,a,9,two\nset,b,9,one\ncommit,,,one\n";
    let dealt = ImportOptions { threads: Some(2), ..ImportOptions::default() };
    for (text, options) in [(shared, ImportOptions::default()), (&csv("set,a,9\nset,b,9\nget,a,9\ncommit,,\n"), dealt)]
    {
        let refused = Import::of(text, &options).err().unwrap().to_string();
        assert!(
            refused.starts_with("line 5: this commit ends a batch") && refused.contains("--threads 1"),
            "{refused}"
        );
    }
    let one = ImportOptions { threads: Some(1), ..ImportOptions::default() };
    let import = Import::of(shared, &one).unwrap();
    assert_eq!((import.imported.lanes, import.imported.commits), (LaneFacts::One, 1));
    import.replay();
}

#[test]
fn commits_that_each_end_one_write_make_no_batches() {
    use Operation::{Get, Insert, Upsert};
    let statements = "INSERT INTO t VALUES('a','123');\nSELECT v FROM t WHERE k='a';\nBEGIN;\nINSERT INTO t VALUES('b','123');\nCOMMIT;\n";
    let import = Import::of(statements, &ImportOptions::default()).unwrap();
    assert_eq!((kinds(&import), import.imported.commits), (vec![vec![Insert, Get, Insert]], 0));
    assert_eq!(import.imported.workload.phases.last().unwrap().batch, bakeoff_tape::Batch::Each);
    let (_, recording) = open_import(&import.path()).unwrap();
    assert_eq!(recording.phases.last().unwrap().counts.timed_operations, 3);
    import.replay();
    // One transaction of two, and each write waits for a commit.
    let batches = statements.replace("COMMIT", "UPDATE t SET v='x' WHERE k='a';\nCOMMIT");
    let import = Import::of(&batches, &ImportOptions::default()).unwrap();
    let kinds_of = [Insert, Operation::Commit, Get, Insert, Operation::Update, Operation::Commit];
    assert_eq!((kinds(&import), import.imported.commits), (vec![kinds_of.to_vec()], 2));
    import.replay();
    // Keys can be dealt to threads, and threads may share them.
    let dealt = ImportOptions { threads: Some(2), ..ImportOptions::default() };
    let import = Import::of(&csv("set,a,9\ncommit,,\nset,b,9\ncommit,,\n"), &dealt).unwrap();
    assert_eq!(kinds(&import).concat(), [Upsert, Upsert]);
    let shared = "op,key,value_size,thread\nset,a,9,one\ncommit,,,one\nset,a,9,two\ncommit,,,two\n";
    let import = Import::of(shared, &ImportOptions::default()).unwrap();
    assert_eq!((import.imported.lanes, kinds(&import).concat()), (LaneFacts::Dealt(2), vec![Upsert, Upsert]));
    import.replay();
}

fn csv(rows: &str) -> String {
    format!("op,key,value_size\n{rows}")
}

fn lane(text: &str) -> Vec<(Operation, bool, u32)> {
    let lanes = Import::of(text, &ImportOptions::default()).unwrap().replay();
    assert_eq!(lanes.len(), 1);
    lanes[0].iter().map(|step| (step.operation, step.found, step.value_bytes)).collect()
}

fn refusal(text: &str, options: &ImportOptions) -> String {
    match Import::of(text, options) {
        Ok(_) => panic!("imported: {text}"),
        Err(why) => why.to_string(),
    }
}

#[test]
fn an_update_of_unknown_length_leaves_a_value_as_long_as_it_was() {
    use Operation::{Get, Insert, Update};
    let log = "***************** properties *****************\n\"recordcount\"=\"1\"\n\
               INSERT usertable user1 [ field0=0123456789 field1=0123456789 ]\n\
               UPDATE usertable user1 [ field1=9876543210 ]\nREAD usertable user1 [ <all fields>]\n";
    let options = ImportOptions { value_bytes: Some(1), ..ImportOptions::default() };
    let lanes = Import::of(log, &options).unwrap().replay();
    let steps: Vec<_> = lanes[0].iter().map(|step| (step.operation, step.found, step.value_bytes)).collect();
    assert_eq!(steps, [(Insert, false, 20), (Update, true, 20), (Get, true, 20)]);
}

#[test]
fn what_is_asked_for_before_it_is_written_was_there() {
    use Operation::{Delete, Get, Insert, Update, Upsert};
    let import = Import::of(
        &csv("get,a,10\nupdate,b,20\ndelete,c,5\nset,d,7\ndelete,e,\nget,f,0\ninsert,g,1\n"),
        &ImportOptions::default(),
    )
    .unwrap();
    assert_eq!((import.imported.operations, import.imported.loaded), (7, 3));
    let steps: Vec<_> = import.replay()[0].iter().map(|step| (step.operation, step.found, step.value_bytes)).collect();
    let expected = [
        (Get, true, 10),
        (Update, true, 20),
        (Delete, true, 0),
        (Upsert, false, 7),
        (Delete, false, 0),
        (Get, false, 0),
        (Insert, false, 1),
    ];
    assert_eq!(steps, expected);
    let workload = &import.imported.workload;
    assert_eq!((workload.records, workload.phases.len(), workload.key_name()), (4, 2, "raw".to_owned()));
    assert_eq!(
        (workload.key_bytes_range().min, workload.value_bytes.range().min, workload.value_bytes.max()),
        (1, 1, 20)
    );
}

#[test]
fn a_trace_of_an_empty_store_loads_nothing() {
    let import = Import::of(&csv("insert,a,1\nget,a,1\ndelete,a,1\nget,a,1\n"), &ImportOptions::default()).unwrap();
    assert_eq!(import.imported.workload.phases.len(), 1);
    assert!(!import.replay()[0][3].found);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_trace() {
    assert_eq!(lane(&format!("\u{feff}{}", csv("insert,a,1\nget,a,1\n"))), lane(&csv("insert,a,1\nget,a,1\n")));
}

#[test]
fn operations_that_cannot_be_are_written_either_way() {
    use Operation::{Delete, Insert, Upsert};
    let steps = lane(&csv("insert,a,1\ninsert,a,2\ndelete,a,\nupdate,a,3\n"));
    assert_eq!(steps, [(Insert, false, 1), (Upsert, true, 2), (Delete, true, 0), (Upsert, false, 3)]);
}

#[test]
fn sizes_that_are_not_told_are_asked_for() {
    let text = "READ usertable user1 [ <all fields>]\nUPDATE usertable user1 [ field0=abc]\n";
    let why = refusal(text, &ImportOptions::default());
    assert!(why.contains("line 1: value_size") && why.contains("--value-size"), "{why}");
    let options = ImportOptions { value_bytes: Some(100), ..ImportOptions::default() };
    let steps = &Import::of(text, &options).unwrap().replay()[0];
    assert_eq!((steps[0].value_bytes, steps[1].value_bytes), (100, 100), "the update replaces one field");
}

#[test]
fn times_count_from_the_first() {
    let steps =
        &Import::of("time,op,key,value_size\n5,set,a,1\n5.5,get,a,1\n", &ImportOptions::default()).unwrap().replay()[0];
    assert_eq!((steps[0].due_ns, steps[1].due_ns), (Some(0), Some(500_000_000)));
    let refused = |rows: &str| refusal(&format!("time,op,key,value_size\n{rows}"), &ImportOptions::default());
    assert!(refused("5,set,a,1\n4,get,a,1\n").contains("line 3: time is `4`, expected no less than 5"));
    assert!(refused("5,set,a,1\n,get,a,1\n").contains("line 3: time is ``, expected a time in every one, or in none"));
}

#[test]
fn threads_keep_the_keys_that_nobody_else_writes() {
    let head = "op,key,value_size,thread\n";
    let text = format!("{head}set,a,1,main\nget,shared,9,main\nset,b,1,worker\nget,shared,9,worker\nget,b,1,worker\n");
    let import = Import::of(&text, &ImportOptions::default()).unwrap();
    assert_eq!(import.imported.lanes, LaneFacts::Threads(2));
    let lanes = import.replay();
    assert_eq!((lanes[0].len(), lanes[1].len()), (2, 3));
}

#[test]
fn keys_that_several_threads_write_are_dealt() {
    let rows: String =
        (0..2000).map(|n| format!("set,key{},1,{}\nget,key{},1,{}\n", n % 100, n % 4, n % 100, n % 3)).collect();
    let import = Import::of(&format!("op,key,value_size,thread\n{rows}"), &ImportOptions::default()).unwrap();
    assert_eq!(import.imported.lanes, LaneFacts::Dealt(4));
    let lanes = import.replay();
    assert!(lanes.len() == 4 && lanes.iter().all(|lane| lane.len() > 400), "{:?}", lanes.iter().map(Vec::len));
    let rows: String = (0..300).map(|n| format!("get,a,1,{n}\n")).collect();
    let text = format!("op,key,value_size,thread\n{rows}");
    let why = refusal(&text, &ImportOptions::default());
    assert!(why.contains("line 258: more than 256 different threads") && why.contains("--threads"), "{why}");
    let options = ImportOptions { threads: Some(3), ..ImportOptions::default() };
    assert_eq!(Import::of(&text, &options).unwrap().replay().len(), 3);
}

#[test]
fn anonymous_keys_cannot_be_read_and_stay_apart() {
    let rows: String = (0..500).map(|n| format!("set,customer-{n},5\n")).collect();
    let long = "k".repeat(77);
    let text = csv(&format!("{rows}set,{long},5\n"));
    let options = ImportOptions { anonymize: true, ..ImportOptions::default() };
    let import = Import::of(&text, &options).unwrap();
    let steps = &import.replay()[0];
    let keys: std::collections::BTreeSet<_> = steps.iter().map(|step| step.key.clone()).collect();
    assert_eq!(keys.len(), 501);
    let lengths: Vec<_> = steps.iter().map(|step| step.key.len()).collect();
    assert_eq!((lengths[0], lengths[10], lengths[499], lengths[500]), (10, 11, 12, 77), "they stay as long");
    assert!(keys.iter().flatten().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-'));
    for file in std::fs::read_dir(import.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(8).any(|window| window == b"customer"));
    }
    let other = Import::of(&text, &options).unwrap().replay();
    assert_ne!(other[0][0].key, steps[0].key, "nobody can make the same keys");
}

#[test]
fn keys_are_as_long_as_the_trace_says() {
    let steps =
        &Import::of("op,key,value_size,key_size\nset,a,1,30\nset,abc,1,3\nset,0xfeff,1,2\n", &ImportOptions::default())
            .unwrap()
            .replay()[0];
    assert!(steps[0].key.len() == 30 && steps[0].key.starts_with(b"a") && steps[1].key == b"abc");
    assert_eq!(steps[2].key, [0xfe, 0xff], "hexadecimal digits of as many bytes");
}

#[test]
fn long_values_have_a_long_pool() {
    let import = Import::of(&csv("set,a,10000000\nset,b,1\nget,a,\n"), &ImportOptions::default()).unwrap();
    assert_eq!(import.imported.workload.pool_bytes, 160_000_000);
    import.replay();
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let refused = |rows: &str| refusal(&csv(rows), &ImportOptions::default());
    assert!(refused("get,a,1\nscan,a,1\n").contains("line 3: op is `scan`, expected an operation on one key"));
    assert!(refused("get,a,1\nset,b,\n").contains("line 3: value_size is ``, expected a length"));
    assert!(refused("get,a,1\nset,b,-4\n").contains("line 3: value_size is `-4`"));
    assert!(refused("").contains("no operation"));
    assert!(refusal("PAR1 and nothing", &ImportOptions::default()).contains("as Parquet"));
}

#[test]
fn the_same_trace_gives_the_same_tapes() {
    let text = csv(&(0..3000).map(|n| format!("set,k{},{}\nget,k{},9\n", n % 77, n % 50, n % 91)).collect::<String>());
    let identity = |seed| {
        let import = Import::of(&text, &ImportOptions { seed, ..ImportOptions::default() }).unwrap();
        import.imported.workload.import.unwrap().identity
    };
    assert_eq!(identity(1), identity(1));
    assert_ne!(identity(1), identity(2));
}

#[test]
fn the_beginning_is_imported_once_more_by_itself() {
    let rows = |count: u32| csv(&(0..count).map(|n| format!("get,{},1\n", n % 7)).collect::<String>());
    let options = ImportOptions { warm_up_operations: Some(20), threads: Some(2), ..ImportOptions::default() };
    let import = Import::of(&rows(50), &options).unwrap();
    let (whole, recording) = open_import(&import.path()).unwrap();
    let (workload, warm_up) = open_import(&import.path().join(WARM_UP_DIRECTORY)).unwrap();
    let operations = |recording: &Recording| recording.phases.last().unwrap().operations;
    assert_eq!((operations(&recording), operations(&warm_up)), (50, 20));
    assert_eq!((whole.lanes, workload.lanes), (2, 2));
    let short = Import::of(&rows(20), &options).unwrap();
    assert!(!short.path().join(WARM_UP_DIRECTORY).exists(), "a short trace is its own beginning");
    let options = ImportOptions { warm_up_operations: None, ..options };
    let beginning = Import::of(&rows(20), &options).unwrap();
    assert_eq!(workload.import, beginning.imported.workload.import, "as if there had been no more");
}

#[test]
fn an_import_stops_whatever_it_does_at_the_moment() {
    let mut rows: String = (0..70_000).map(|n| format!("set,{},1\n", n % 90)).collect();
    rows.extend((0..9).map(|n| format!("set,large-{n},{}\n", 8 << 20)));
    let trace = csv(&rows);
    let options = ImportOptions { threads: Some(2), ..ImportOptions::default() };
    let stages =
        ["reading the trace", "pool", "dealing the operations to threads", "adding up what must be there in the end"];
    for stage in stages {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace");
        std::fs::write(&path, &trace).unwrap();
        let stopped = import(&path, directory.path(), &options, &|progress| {
            assert!(progress.done <= progress.total, "{progress:?}");
            if progress.what == stage { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, Err(TraceError::Tape(TapeError::Stopped))), "{stage}: {stopped:?}");
    }
}

/// `replay` checks every answer; this is about the lane of each.
#[test]
fn lanes_are_found_out_while_the_trace_is_read() {
    let rows: String = (0..6000).map(|n| format!("set,{},1,t{}\n", n % 90, n % 3)).collect();
    let import = Import::of(&format!("op,key,value_size,thread\n{rows}"), &ImportOptions::default()).unwrap();
    assert_eq!(import.imported.lanes, LaneFacts::Threads(3));
    for (number, lane) in import.replay().iter().enumerate() {
        assert_eq!(lane.len(), 2000);
        let of_thread = |step: &Step| String::from_utf8_lossy(&step.key).parse::<usize>().unwrap() % 3 == number;
        assert!(lane.iter().all(of_thread), "lane {number}");
    }
    // The very last line makes two threads use one key.
    let text = format!("op,key,value_size,thread\n{rows}get,0,1,t1\n");
    let import = Import::of(&text, &ImportOptions::default()).unwrap();
    assert_eq!(import.imported.lanes, LaneFacts::Dealt(3));
    assert_eq!(import.replay().iter().map(Vec::len).sum::<usize>(), 6001);
    let files: Vec<_> = std::fs::read_dir(import.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files.len(), 4, "nothing half-done is left: {files:?}");
}

#[test]
fn keys_are_replayed_as_they_are_however_strange() {
    let long = "k".repeat(65_535);
    let keys = ["../../etc/passwd", "/", ".", "a\0b", "two\nlines", "a,b", "say \"x\"", " a ", "\u{1b}[2J", "é", &long];
    let rows: String = keys.iter().map(|key| format!("set,\"{}\",3\n", key.replace('"', "\"\""))).collect();
    let import = Import::of(&csv(&rows), &ImportOptions::default()).unwrap();
    let replayed: Vec<_> = import.replay()[0].iter().map(|step| step.key.clone()).collect();
    assert_eq!(replayed, keys.map(|key| key.as_bytes().to_vec()), "bytes, lengths and order");
    assert_eq!(std::fs::read_dir(import.directory.path()).unwrap().count(), 2, "no key names a file");
    let why = refusal(&csv(&format!("set,{long}k,3\n")), &ImportOptions::default());
    assert!(why.contains("line 2: key is") && why.contains("1 to 65535 bytes"), "{why}");
}

#[test]
fn blanks_around_a_field_are_not_part_of_it_unless_quoted() {
    let text = "op, key, value_size\nset, a, 5\nget,a ,5\nset,\" a\",7\nget, \" a\" , 7 \n";
    let import = Import::of(text, &ImportOptions::default()).unwrap();
    let steps: Vec<_> =
        import.replay()[0].iter().map(|step| (step.key.clone(), step.found, step.value_bytes)).collect();
    let (plain, quoted) = (b"a".to_vec(), b" a".to_vec());
    assert_eq!(steps, [(plain.clone(), false, 5), (plain, true, 5), (quoted.clone(), false, 7), (quoted, true, 7)]);
}

#[test]
fn a_trace_comes_through_a_pipe_and_compressed() {
    let text = csv(&(0..5000).map(|n| format!("set,k{n},{}\n", n % 50)).collect::<String>());
    let identity = |import: Import| import.imported.workload.import.unwrap().identity;
    let expected = identity(Import::of(&text, &ImportOptions::default()).unwrap());
    let directory = tempfile::tempdir().unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    for (name, bytes) in [("gz", gzip.clone()), ("zst", zstd::encode_all(text.as_bytes(), 1).unwrap())] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let into = tempfile::tempdir().unwrap();
        assert_eq!(identity(Import::of_file(into, &path, &ImportOptions::default()).unwrap()), expected, "{name}");
    }
    let (reader, mut writer) = std::io::pipe().unwrap();
    let sender = std::thread::spawn(move || writer.write_all(text.as_bytes()));
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
    let import = Import::of_file(tempfile::tempdir().unwrap(), Path::new(&path), &ImportOptions::default());
    assert_eq!(identity(import.unwrap()), expected, "through a pipe");
    drop(reader);
    sender.join().unwrap().unwrap();
    std::fs::write(directory.path().join("cut.gz"), &gzip[..gzip.len() / 2]).unwrap();
    let cut =
        Import::of_file(tempfile::tempdir().unwrap(), &directory.path().join("cut.gz"), &ImportOptions::default());
    assert!(matches!(cut, Err(TraceError::Damaged { .. })), "a cut file is no short trace");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_answer_is_right(
        rows in prop::collection::vec((0..5_usize, 0..12_u8, prop::option::of(0..40_u32), 0..3_u8), 1..300),
        with_threads: bool,
        threads in prop::option::of(1..5_u32),
    ) {
        let words = ["get", "insert", "update", "set", "delete"];
        let mut text = if with_threads { "op,key,value_size,thread\n" } else { "op,key,value_size\n" }.to_owned();
        for (word, key, bytes, thread) in &rows {
            let bytes = bytes.map_or_else(String::new, |bytes| bytes.to_string());
            text += &format!("{},k{key},{bytes}", words[*word]);
            text += &if with_threads { format!(",{thread}\n") } else { "\n".to_owned() };
        }
        let options = ImportOptions { threads, value_bytes: Some(6), data: Data::Random, ..ImportOptions::default() };
        let import = Import::of(&text, &options).unwrap();
        let lanes = import.replay();
        prop_assert_eq!(lanes.iter().map(Vec::len).sum::<usize>(), rows.len());
    }
}

#[test]
fn rows_of_what_was_there_before_are_loaded() {
    let text = "op,key,value_size,time,thread\nload,a,10,,\nload,z,0,,\nget,a,10,5,t\nload,b,30,,\nget,c,0,6,t\ndelete,b,,7,t\n";
    let import = Import::of(text, &ImportOptions::default()).unwrap();
    assert_eq!((import.imported.operations, import.imported.loaded, import.imported.reads_missing), (3, 3, 1));
    let steps = &import.replay()[0];
    let found: Vec<_> = steps.iter().map(|step| (step.found, step.value_bytes, step.due_ns)).collect();
    assert_eq!(found, [(true, 10, Some(0)), (false, 0, Some(1_000_000_000)), (true, 0, Some(2_000_000_000))]);
    assert_eq!(import.imported.workload.records, 3);
    let why = refusal(&text.replace("load,b", "load,a"), &ImportOptions::default());
    assert!(why.contains("line 5: key is `a`, expected a key that no row above has"), "{why}");
    assert!(refusal("op,key,value_size\nload,a,1\n", &ImportOptions::default()).contains("no operation"));
}
