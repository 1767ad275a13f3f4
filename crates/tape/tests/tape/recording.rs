//! Recordings as a whole: repeatable, used again only if whole, refused in words if impossible.

use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_tape::{
    Access, Batch, Consumer, Data, KeyForm, Operation, PhaseSpec, Pool, Recording, SizeRange, TapeReader, Workload,
    estimate, lend_pool, record, show,
};
use bakeoff_tree::Tree;

use crate::common::{phase, read_lane, recorded, workload};
use crate::replay::check_recording;

fn varied() -> Workload {
    let mixed = [(Operation::Get, 1.0), (Operation::Update, 1.0), (Operation::Insert, 0.5), (Operation::Delete, 0.5)];
    let zipfian = PhaseSpec {
        access: Access::Zipfian { theta: 0.99 },
        batch: Batch::Writes(7),
        missing: 0.1,
        ..phase("zipfian", &mixed)
    };
    let scans = PhaseSpec { consumer: Consumer::Crc32, reverse: true, ..phase("scan", &[(Operation::Scan, 1.0)]) };
    let restored = PhaseSpec { restore: true, ..phase("remove", &[(Operation::Delete, 1.0)]) };
    Workload { data: Data::Text, ..workload(KeyForm::Sha1, 400, vec![zipfian, scans, restored]) }
}

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    let name = |entry: &std::fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut files: Vec<_> = entries.map(|entry| (name(&entry), std::fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn the_same_workload_gives_the_same_bytes() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    recorded(&varied(), a.path()).unwrap();
    recorded(&varied(), b.path()).unwrap();
    assert_eq!(files(a.path()), files(b.path()));
    assert_eq!(
        files(a.path()).iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        [
            "01-load.tape",
            "02-zipfian.tape",
            "03-scan.tape",
            "04-remove.tape",
            "pool.bin",
            "pool.json",
            "recording.json",
            "verify.tape"
        ]
    );
}

#[test]
fn a_lane_that_was_rewound_is_read_from_its_beginning_wherever_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let gets = PhaseSpec { operations: Some(100_000), ..phase("gets", &[(Operation::Get, 1.0)]) };
    let recording = recorded(&workload(KeyForm::Sha1, 400, vec![gets]), directory.path()).unwrap();
    let path = &recording.phases[1].path;
    assert!(std::fs::metadata(path).unwrap().len() > 4 << 20, "several times what is in memory at a time");
    let tape = TapeReader::open(path).unwrap();
    let whole = read_lane(&mut tape.lane(0).unwrap(), usize::MAX);
    assert_eq!(whole.len(), 100_000);
    for blocks in [0, 1, 50, usize::MAX] {
        let mut lane = tape.lane(0).unwrap();
        read_lane(&mut lane, blocks);
        lane.rewind();
        assert_eq!(lane.operations_in_all(), 100_000);
        assert_eq!(read_lane(&mut lane, usize::MAX), whole, "after {blocks} blocks");
    }
}

#[test]
fn the_first_block_alone_ends_well_and_leaves_the_lane_where_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let gets = PhaseSpec { operations: Some(5_000), ..phase("gets", &[(Operation::Get, 1.0)]) };
    let recording = recorded(&workload(KeyForm::Sha1, 400, vec![gets]), directory.path()).unwrap();
    let tape = TapeReader::open(&recording.phases[1].path).unwrap();
    let mut lane = tape.lane(0).unwrap();
    let first = read_lane(&mut lane, 1);
    let mut alone = lane.first_block().unwrap();
    assert_eq!(alone.operations_in_all(), first.len() as u64);
    assert_eq!(read_lane(&mut alone, usize::MAX), first);
    assert_eq!(read_lane(&mut lane, usize::MAX).len() + first.len(), 5_000);
}

#[test]
fn another_seed_gives_other_bytes() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    recorded(&varied(), a.path()).unwrap();
    recorded(&Workload { seed: 43, ..varied() }, b.path()).unwrap();
    for ((name, a), (_, b)) in files(a.path()).into_iter().zip(files(b.path())) {
        assert_ne!(a, b, "{name}");
    }
}

/// The recording, and how many operations were drawn for it.
fn recorded_and_counted(workload: &Workload, directory: &Path, corpus: Option<&Path>) -> (Recording, u64) {
    let mut drawn = 0;
    let recording = record(workload, directory, corpus, &mut |progress| {
        drawn += u64::from(progress.what != "pool" && progress.done == progress.total);
        ControlFlow::Continue(())
    });
    (recording.unwrap(), drawn)
}

#[test]
fn what_is_there_and_whole_is_used_again() {
    let directory = tempfile::tempdir().unwrap();
    let (first, drawn) = recorded_and_counted(&varied(), directory.path(), None);
    assert!(drawn > 0);
    let (second, drawn) = recorded_and_counted(&varied(), directory.path(), None);
    assert_eq!((second, drawn), (first.clone(), 0));
    for file in ["pool.bin", "verify.tape", "02-zipfian.tape", "recording.json"] {
        let path = directory.path().join(file);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let (again, drawn) = recorded_and_counted(&varied(), directory.path(), None);
        assert_eq!(again, first, "{file}");
        assert!(drawn > 0, "a damaged {file} is not used");
    }
    let (_, drawn) = recorded_and_counted(&Workload { seed: 1, ..varied() }, directory.path(), None);
    assert!(drawn > 0);
}

#[test]
fn a_corpus_that_changes_is_read_again() {
    let (directory, texts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(texts.path().join("a.txt"), "It was a bright cold day in April. ").unwrap();
    let (first, _) = recorded_and_counted(&varied(), directory.path(), Some(texts.path()));
    assert!(first.pool_facts.zstd_ratio < 0.05, "one sentence again and again: {:?}", first.pool_facts);
    assert_eq!(recorded_and_counted(&varied(), directory.path(), Some(texts.path())).1, 0);
    std::fs::write(texts.path().join("b.txt"), "The clocks were striking thirteen. ").unwrap();
    let (second, drawn) = recorded_and_counted(&varied(), directory.path(), Some(texts.path()));
    assert!(drawn > 0);
    assert_ne!(first.pool_facts, second.pool_facts);
    let empty = tempfile::tempdir().unwrap();
    let error = record(&varied(), directory.path(), Some(empty.path()), &mut |_| ControlFlow::Continue(()))
        .unwrap_err()
        .to_string();
    assert!(error.contains("no text files in this folder"), "{error}");
}

#[test]
fn random_values_do_not_compress_and_text_does() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pool.bin");
    let random = Pool::create(&path, Data::Random, 1 << 20, 1, None, &mut |_| ControlFlow::Continue(())).unwrap();
    for ratio in [random.snappy_ratio, random.lz4_ratio, random.zstd_ratio] {
        assert!((1.0..1.01).contains(&ratio), "{random:?}");
    }
    let pool = Pool::open(&path).unwrap();
    assert_eq!((pool.bytes(), format!("{:016x}", pool.checksum())), (1 << 20, random.checksum));
    assert_eq!(pool.slice(1 << 20, 0), Some(&[][..]));
    assert_eq!(pool.slice(1 << 20, 1), None);
    assert_eq!(pool.slice(u64::MAX, 1), None);
}

#[test]
fn a_tree_holds_its_own_ids() {
    let tree = Tree { fanout: 4, levels: 4, padding_bytes: 13, ..Tree::default() };
    let walk = phase("walk", &[(Operation::Walk, 1.0)]);
    let load = PhaseSpec { access: Access::Insertion, batch: Batch::All, ..phase("load", &[(Operation::Insert, 1.0)]) };
    let workload = Workload {
        key: KeyForm::Directory,
        records: 340,
        tree: Some(tree),
        import: None,
        data: Data::Text,
        phases: vec![load, walk],
        ..workload(KeyForm::Directory, 340, vec![])
    };
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(&workload, directory.path()).unwrap();
    check_recording(&workload, &recording);
    assert!(
        !recording.phases[0].ascending,
        "a directory comes before all that is below it, its own keys after those of its parent"
    );
    assert_eq!(recording.pool_facts.bytes, 340 * 21);
    assert_eq!(recording.hints.value_bytes_max, 21);
    let pool = Pool::open(&recording.pool).unwrap();
    for index in 0..340 {
        assert_eq!(pool.slice(index * 21, 8).unwrap(), (index + 1).to_le_bytes());
    }
}

/// The error for a workload that was changed into an impossible one.
fn refusal(change: impl FnOnce(&mut Workload)) -> String {
    let mut workload = varied();
    change(&mut workload);
    let directory = tempfile::tempdir().unwrap();
    recorded(&workload, directory.path()).unwrap_err().to_string()
}

#[test]
fn impossible_workloads_are_refused_in_words() {
    let with_phase = |change: fn(&mut PhaseSpec)| refusal(|workload| change(&mut workload.phases[1]));
    for (error, words) in [
        (refusal(|w| w.lanes = 0), "lanes: 0 is impossible: use 1 to 4096"),
        (refusal(|w| w.phases.clear()), "phases: none is impossible"),
        (refusal(|w| w.phases[2].name = "load".to_owned()), "two named `load`"),
        (refusal(|w| w.value_bytes = SizeRange { min: 5, max: 4 }.into()), "value_bytes: 5 to 4"),
        (
            refusal(|w| w.pool_bytes = 99),
            "pool_bytes: 99 is impossible: 1 byte to 4 GiB, and at least the longest value",
        ),
        (refusal(|w| w.pool_bytes = (4 << 30) + 1), "pool_bytes"),
        (refusal(|w| w.key = KeyForm::Directory), "directory without a tree"),
        (refusal(|w| w.records = 1 << 32), "phase `load`: records inserted so far: 4294967296"),
        (with_phase(|p| p.name = "../x".to_owned()), "lower-case letters"),
        (with_phase(|p| p.mix.clear()), "give weights of at least 0"),
        (with_phase(|p| _ = p.mix.insert(Operation::Get, f64::NAN)), "give weights of at least 0"),
        (with_phase(|p| _ = p.mix.insert(Operation::Commit, 1.0)), "commits come from `batch`"),
        (with_phase(|p| _ = p.mix.insert(Operation::Walk, 1.0)), "only with key = \"directory\""),
        (with_phase(|p| p.missing = 1.5), "missing: 1.5 is impossible: use 0 to 1"),
        (with_phase(|p| p.batch = Batch::Writes(0)), "batch: 0"),
        (with_phase(|p| p.access = Access::Zipfian { theta: -1.0 }), "theta: -1"),
        (with_phase(|p| p.access = Access::Hot { records: 0.0, operations: 0.5 }), "hot records: 0"),
        (
            refusal(|w| {
                w.lanes = 2;
                w.phases[1].mix.insert(Operation::Scan, 1.0);
            }),
            "what a scan or walk finds while other threads write is not known",
        ),
        (
            refusal(|w| {
                w.key = KeyForm::Directory;
                w.tree = Some(Tree { fanout: 2, levels: 3, ..Tree::default() });
            }),
            "the number of entries of the tree",
        ),
        (
            refusal(|w| {
                w.phases.swap(0, 1);
            }),
            "no record is left for it to fall on",
        ),
    ] {
        assert!(error.contains(words), "`{error}` does not say `{words}`");
    }
}

#[test]
fn failing_leaves_no_half_written_tape() {
    let directory = tempfile::tempdir().unwrap();
    let mut workload = varied();
    workload.phases.swap(0, 1);
    recorded(&workload, directory.path()).unwrap_err();
    let names: Vec<_> = files(directory.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["pool.bin", "pool.json"]);
}

#[test]
fn a_pool_is_lent_to_workloads_that_need_the_same_and_to_no_others() {
    let parent = tempfile::tempdir().unwrap();
    let place = |name: &str| parent.path().join(name);
    let inode = |name: &str| std::fs::metadata(place(name).join("pool.bin")).map(|facts| facts.ino()).unwrap();
    recorded(&varied(), &place("first")).unwrap();
    for (name, workload, same) in [
        ("fewer", Workload { records: varied().records / 2, ..varied() }, true),
        ("seed", Workload { seed: 99, ..varied() }, false),
        ("longer", Workload { pool_bytes: varied().pool_bytes + 1, ..varied() }, false),
    ] {
        lend_pool(&place("first"), &place(name)).unwrap();
        let recording = recorded(&workload, &place(name)).unwrap();
        check_recording(&workload, &recording);
        assert_eq!(inode(name) == inode("first"), same, "{name}");
    }
    // A lender stays as it was, even if a borrower could not use its pool.
    check_recording(&varied(), &recorded(&varied(), &place("first")).unwrap());
    // A pool that is not whole is not used.
    lend_pool(&place("first"), &place("cut")).unwrap();
    std::fs::remove_file(place("cut").join("pool.bin")).unwrap();
    std::fs::write(place("cut").join("pool.bin"), b"cut short").unwrap();
    check_recording(&varied(), &recorded(&varied(), &place("cut")).unwrap());
}

#[test]
fn estimates_are_near_what_comes_out() {
    for key in [KeyForm::Sha1, KeyForm::Integer] {
        let workload = Workload { key, records: 20_000, ..varied() };
        let directory = tempfile::tempdir().unwrap();
        let recording = recorded(&workload, directory.path()).unwrap();
        let estimate = estimate(&workload);
        let tape_bytes =
            recording.phases.iter().map(|phase| TapeReader::open(&phase.path).unwrap().facts().file_bytes).sum();
        let operations = recording.phases.iter().map(|phase| phase.operations).sum();
        for (what, estimated, actual) in [
            ("data", estimate.data_bytes_max, recording.hints.data_bytes_max),
            ("written", estimate.written_bytes, recording.hints.written_bytes),
            ("tapes", estimate.tape_bytes, tape_bytes),
            ("operations", estimate.operations, operations),
            ("pool", estimate.pool_bytes, recording.pool_facts.bytes),
        ] {
            let ratio = estimated as f64 / actual as f64;
            assert!((0.97..1.03).contains(&ratio), "{what}: {estimated} estimated, {actual} came out");
        }
    }
}

#[test]
fn hints_say_what_was_done() {
    let directory = tempfile::tempdir().unwrap();
    let restored = PhaseSpec { restore: true, operations: Some(10), ..phase("remove", &[(Operation::Delete, 1.0)]) };
    let workload = Workload {
        value_bytes: SizeRange { min: 8, max: 8 }.into(),
        ..workload(KeyForm::Integer, 100, vec![restored])
    };
    let hints = recorded(&workload, directory.path()).unwrap().hints;
    assert_eq!((hints.records_max, hints.records_inserted), (100, 110));
    assert_eq!((hints.key_bytes_max, hints.value_bytes_mean, hints.value_bytes_max), (4, 8, 8));
    assert_eq!((hints.data_bytes_max, hints.written_bytes, hints.integer_keys), (1200, 1320, true));
}

#[test]
fn inserted_records_are_removed_again_where_their_number_stays() {
    let directory = tempfile::tempdir().unwrap();
    let inserts = PhaseSpec { restore: true, operations: Some(250), ..phase("insert", &[(Operation::Insert, 1.0)]) };
    let gets = PhaseSpec { operations: Some(300), ..phase("get", &[(Operation::Get, 1.0)]) };
    let workload = workload(KeyForm::Sha1, 20, vec![inserts, gets]);
    let recording = recorded(&workload, directory.path()).unwrap();
    // A store of 20 grows to 100, loses 80 again, and so on; the last ten inserts are removed after them.
    assert_eq!((recording.hints.records_max, recording.hints.records_inserted), (100, 270));
    assert_eq!(recording.phases[1].records_after, 20);
    let mut shown = Vec::new();
    show(&recording.phases[1].path, &mut shown, None).unwrap();
    let shown = String::from_utf8(shown).unwrap();
    let lines: Vec<&str> =
        shown.lines().filter(|line| line.contains("insert \"") || line.contains("delete \"")).collect();
    assert_eq!(lines.len(), 500);
    for part in lines.chunks(160) {
        let (inserts, deletes) = part.split_at(part.len() / 2);
        for (insert, delete) in inserts.iter().zip(deletes) {
            let key = |line: &str| line.split('"').nth(1).unwrap().to_owned();
            assert_eq!(key(insert), key(delete));
            assert!(insert.contains("insert") && delete.contains("delete") && delete.contains("untimed"), "{delete}");
        }
    }
}

#[test]
fn tapes_can_be_shown() {
    let directory = tempfile::tempdir().unwrap();
    let recording = recorded(&varied(), directory.path()).unwrap();
    let shown = |path: &Path, limit| {
        let mut out = Vec::new();
        show(path, &mut out, limit).unwrap();
        String::from_utf8(out).unwrap()
    };
    let text = shown(&recording.phases[0].path, Some(3));
    assert!(text.contains(&recording.phases[0].tape_checksum), "{text}");
    assert!(text.contains("\"phase\": \"load\"") && text.contains("\"seed\": 42"), "{text}");
    assert!(text.contains("0  insert \"05fe405753166f125559e7c9ac558654\" = "), "{text}");
    assert!(text.ends_with("… 397 more\n"), "{text}");
    assert_eq!(shown(&recording.phases[2].path, None).matches("scan \"").count(), 400);
    assert!(shown(&recording.verify, None).contains("scan-all Xxh64 → "));
}
