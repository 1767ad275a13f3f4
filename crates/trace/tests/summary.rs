//! Traces with known figures, and wrong traces.

use bakeoff_tape::Operation;
use bakeoff_tape::SizeRange;
use bakeoff_trace::{Form, Law, Misfit, ReadOptions, Summary, Trace, TraceError, Turnover, exponent_of_tenth};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_distr::{Distribution, Exp, Zipf};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::ControlFlow;

fn summary(text: &str) -> Result<Summary, TraceError> {
    Summary::read(Trace::new(text.as_bytes(), &ReadOptions::default())?, &|_| ControlFlow::Continue(()))
}

fn refusal(text: &str) -> String {
    summary(text).expect_err(text).to_string()
}

#[test]
fn a_table_with_columns_in_any_order() {
    let text = "time,op,value_size,key\n0,PUT,100,a\n1.5,get,,\"b,c\"\n2,get,300,a\n\n4,delete,,a\n";
    let summary = summary(text).unwrap();
    assert_eq!((summary.operations, summary.keys), (4, 2));
    let mix = [(Operation::Upsert, 1), (Operation::Get, 2), (Operation::Delete, 1)];
    assert_eq!(summary.mix, mix.into_iter().collect());
    let values = summary.value_bytes.unwrap();
    assert_eq!((values.mean, values.p5, values.max), (200.0, 100, 300));
    assert_eq!((summary.key_bytes.mean, summary.key_bytes.max), (1.5, 3));
    let arrival = summary.arrival.unwrap();
    assert_eq!((arrival.duration_s, arrival.gap_s_mean), (4.0, 4.0 / 3.0));
}

#[test]
fn commits_are_batches_and_no_operations() {
    let batches = |rows: &str| {
        let summary = summary(&format!("op,key,value_size\n{rows}")).unwrap();
        (summary.operations, summary.commits, summary.batch())
    };
    let twice = "set,a,9\nset,b,9\nget,a,9\nset,c,9\nCOMMIT,,\ndelete,a,\nset,d,9\nset,e,9\ncommit,,\ncommit,,\n";
    assert_eq!(batches(twice), (7, 2, Some(3.0)), "a commit of nothing is none");
    assert_eq!(batches("set,a,9\nset,b,9\n"), (2, 0, None));
    assert_eq!(refusal("op,key,value_size\ncommit,,\n"), TraceError::Empty.to_string());
}

/// A cache loses records that no line removes.
#[test]
fn reads_that_a_tape_cannot_miss_are_counted() {
    let after_all = |rows: &str| {
        let summary = summary(&format!("op,key,value_size,op_count,hits\n{rows}")).unwrap();
        (summary.reads_missing, summary.omitted.reads_found_after_all)
    };
    assert_eq!(after_all("get,a,0,1,\nset,a,9,1,\nget,a,9,1,\nget,a,0,1,\ndelete,a,,1,\nget,a,0,1,\n"), (2, 1));
    assert_eq!(after_all("set,a,0,1,\nget,a,0,1,\n"), (0, 0), "an empty value");
    assert_eq!(after_all("get,a,9,5,3\nget,b,9,4,0\n"), (4, 2));
}

#[test]
fn twitters_lines_have_sizes_of_their_own() {
    let text = "0,q:q:1:8WTfjZU14ee,17,213,4,get,0\n0,yDqF:3q:1A,12,27,5,set,300\n1,yDqF:3q:1A,12,0,5,gets,0\n";
    let summary = summary(text).unwrap();
    assert_eq!((summary.operations, summary.keys), (3, 2));
    assert_eq!(summary.mix, [(Operation::Upsert, 1), (Operation::Get, 2)].into_iter().collect());
    assert_eq!((summary.key_bytes.max, summary.value_bytes.unwrap().mean), (17, 120.0));
}

#[test]
fn ycsbs_log_has_values_in_brackets() {
    let text = "***************** properties *****************\nINSERT usertable user1 [ field0=abcd field1=efg]\n\
                READ usertable user1 [ <all fields>]\nSCAN usertable user1 10 [ <all fields>]\nUPDATE usertable user2 [ field7=xy]\n\
                [OVERALL], RunTime(ms), 12\n";
    let summary = summary(text).unwrap();
    assert_eq!((summary.operations, summary.keys), (4, 2));
    let values = summary.value_bytes.unwrap();
    assert_eq!(
        (values.mean, values.max),
        (7.0, 7),
        "an update names the fields that it replaces, not all of the record"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let head = "op,key,value_size\n";
    let table = |rows: &str| refusal(&format!("{head}{rows}"));
    assert!(table("get,a,1\nfetch,a,1\n").contains("line 3: op is `fetch`, expected one of get"));
    assert!(table("get,a,-1\n").contains("line 2: value_size is `-1`, expected a whole number"));
    assert!(table("set,a,99999999999999999999\n").contains("line 2: value_size"));
    assert!(table("set,a,2000000000\n").contains("at most 1073741824"));
    assert!(table("get,,1\n").contains("line 2: key is ``"));
    assert!(table("get,a\n").contains("line 2: the number of columns is `2`, expected 3"));
    assert!(refusal("op,key\nget,a\n").contains("a column named value_size"));
    assert!(refusal("op,key,value_size,time\nget,a,1,5\nget,a,1,4\n").contains("line 3: time is `4`"));
    assert!(refusal("op,key,value_size,time\nget,a,1,inf\n").contains("line 2: time is `inf`"));
    assert!(refusal("op,key,value_size,time\nget,a,1,0\nget,a,1,1e300\n").contains("line 3: time is `1000"));
    assert!(
        refusal("op,key,value_size,time\nget,a,1,1e300\n").contains("line 2: time is `1000"),
        "of one operation too"
    );
    let blank = refusal("op,key,value_size,thread\nget,a,1,main\nget,a,1, \n");
    assert!(blank.contains("line 3: thread is ``, expected the name of a thread in every line"), "{blank}");
    let milliseconds = refusal("op,key,value_size,time\nget,a,1,1764000000000\n");
    assert!(milliseconds.contains("expected seconds, no more than 100000000000"), "{milliseconds}");
    assert!(refusal("op,key,value_size,time\nget,a,1,5\nget,a,1,\n").contains("a time in every one, or in none"));
    assert!(refusal("hello world\n").contains("no known trace"));
    assert!(refusal("\nop,key,value_size\nget,a,1\n").contains("line 1: `` is the beginning of no known trace"));
    assert!(refusal("op,key,value_size,OP\nget,a,1,set\n").contains("expected one column named op"));
    assert!(refusal("").contains("no operation") && refusal(head).contains("no operation"));
    assert!(refusal("\u{1b}[31m,\n").contains("\\x1b"), "nothing steers a terminal");
}

fn csv_of(keys: impl Iterator<Item = u64>) -> String {
    keys.fold("op,key,value_size\n".to_owned(), |text, key| text + &format!("get,k{key},1\n"))
}

fn law(text: &str) -> Law {
    summary(text).unwrap().popularity.unwrap().law
}

#[test]
fn the_exponent_is_found_again_where_most_keys_are_rare() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for theta in [0.6, 0.99] {
        let zipf = Zipf::new(20_000.0, theta).unwrap();
        let text = csv_of((0..200_000).map(|_| zipf.sample(&mut random) as u64));
        let found = law(&text);
        assert!(matches!(found, Law::Zipf { theta: found } if (found - theta).abs() < 0.1), "{found:?} for {theta}");
    }
}

#[test]
fn a_popular_part_is_found_again() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for (popular, part) in [(200, 0.9), (400, 0.8), (20, 0.95)] {
        let text = csv_of((0..200_000).map(|_| match random.next_u64() as f64 / u64::MAX as f64 {
            drawn if drawn < part => random.next_u64() % popular,
            _ => popular + random.next_u64() % (2_000 - popular),
        }));
        let found = summary(&text).unwrap().popularity.unwrap();
        let Law::Hot { records, operations } = found.law else { panic!("{found:?} for {popular}") };
        let expected = popular as f64 / 2_000.0;
        assert!((records / expected - 1.0).abs() < 0.05, "{found:?} for {popular}");
        assert!((operations - part).abs() < 0.02 && found.difference < 0.05, "{found:?} for {popular}");
    }
}

/// The keys that came often are alike, and few; all others came once.
#[test]
fn alike_among_the_popular_is_not_alike() {
    for popular in [5, 20] {
        let text = csv_of((0..19_000).map(|number| number % popular).chain(1_000..2_000));
        let Law::Hot { records, operations } = law(&text) else { panic!("{:?}", law(&text)) };
        assert!((records - popular as f64 / (1_000 + popular) as f64).abs() < 1e-9, "{records} for {popular}");
        assert!((operations - 0.95).abs() < 1e-9, "{operations}");
    }
}

#[test]
fn records_are_as_large_as_the_keys_have_them() {
    let mut text = "op,key,value_size\n".to_owned();
    (0..19_000).for_each(|number| text += &format!("get,hot{:03},10\n", number % 20));
    (0..1_000).for_each(|number| text += &format!("set,cold{number:04},100000\n"));
    let found = summary(&text).unwrap();
    assert_eq!(found.working_set_bytes, 20 * (6 + 10) + 1_000 * (8 + 100_000));
    assert_eq!(found.record_key_bytes.mean, (20.0 * 6.0 + 1_000.0 * 8.0) / 1_020.0);
    let records = found.record_value_bytes.unwrap();
    let mean = (20.0 * 10.0 + 1_000.0 * 100_000.0) / 1_020.0;
    assert!((records.sizes.mean - mean).abs() < 1e-6, "{records:?}");
    assert_eq!(records.range, SizeRange { min: 98_039, max: 98_039 });
    assert!((records.differs - 0.04).abs() < 0.001, "20 records are 98,029 bytes too large, 1,000 are 1,961 too small");
}

#[test]
fn the_last_length_above_0_counts() {
    let text = "op,key,value_size\nset,a,100\nset,a,300\ndelete,a,0\nget,b,0\nget,c,\nset,d,200\nget,d,\n";
    let found = summary(text).unwrap();
    assert_eq!(found.record_value_bytes.unwrap().sizes.mean, 250.0);
    let all = 4 + 300 + 250 + 200;
    assert_eq!(
        found.working_set_bytes,
        (all * 2 + 1) / 3,
        "b was never there, c is taken for a mean one, d came after a was gone"
    );
    assert_eq!(summary("op,key,value_size\nget,a,\n").unwrap().working_set_bytes, 1);
}

#[test]
fn a_range_is_told_from_two_sizes() {
    let csv = |bytes: &dyn Fn(u64) -> u64| {
        let rows = (0..1_000).map(|number| format!("set,k{number},{}\n", bytes(number)));
        summary(&format!("op,key,value_size\n{}", rows.collect::<String>())).unwrap().record_value_bytes.unwrap()
    };
    let even = csv(&|number| 100 + number);
    assert!(even.differs < 0.06, "it begins with the lowest twentieth: {even:?}");
    assert_eq!(csv(&|_| 70).differs, 0.0);
    let two = csv(&|number| if number % 2 == 0 { 10 } else { 100_000 });
    assert_eq!(two.range, SizeRange { min: 10, max: 100_000 });
    assert!((two.differs - 0.5).abs() < 0.01, "{two:?}");
}

#[test]
fn the_exponent_of_popularity_is_found_again() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for theta in [0.6, 0.99, 1.3] {
        let zipf = Zipf::new(2_000.0, theta).unwrap();
        let text = csv_of((0..200_000).map(|_| zipf.sample(&mut random) as u64));
        let found = summary(&text).unwrap().popularity.unwrap();
        let Law::Zipf { theta: likeliest } = found.law else { panic!("{found:?} for {theta}") };
        assert!((likeliest - theta).abs() < 0.05 && found.difference < 0.05, "{found:?} for {theta}");
    }
    let text = csv_of((0..200_000).map(|number| number % 1000));
    assert_eq!(law(&text), Law::Uniform);
    for (keys, operations) in [(300, 5_000), (2_000, 10_000), (20_000, 100_000)] {
        let text = csv_of((0..operations).map(|_| random.next_u64() % keys));
        assert_eq!(law(&text), Law::Uniform, "{keys} keys that are alike, {operations} times");
    }
}

#[test]
fn rare_keys_that_are_alike_are_uniform_and_not_unknown() {
    assert_eq!(law(&csv_of((0..150_000).map(|number| number % 50_000))), Law::Uniform, "each came three times");
    assert_eq!(law(&csv_of(0..1000)), Law::Uniform, "each came once");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for (keys, operations) in [(50_000, 100_000), (50_000, 20_000), (1_000_000, 30_000)] {
        let text = csv_of((0..operations).map(|_| random.next_u64() % keys));
        assert_eq!(law(&text), Law::Uniform, "{keys} keys that are alike, {operations} times");
    }
    // With so few keys, popular ones need not stand out.
    assert_eq!(summary(&csv_of(0..12)).unwrap().popularity, None);
    assert_eq!(summary(&csv_of((0..90).map(|number| number % 9))).unwrap().popularity, None);
}

#[test]
fn keys_that_were_made_to_have_the_same_xxh64_count_as_two() {
    let key = |first: &[u8; 8], second: &[u8; 8]| [first, &[b'A'; 24][..], second, &[b'B'; 24]].concat();
    let one = key(b"\x9f\xe0\x1f\x4d\xd9\x17\xb3\xc7", b"\xce\x62\xf0\x07\x43\x84\xd5\xd2");
    let other = key(b"\x9f\xe0\x1f\x4d\xd9\x17\xb3\x47", b"\xce\x62\xf0\x47\x15\x84\x8d\x04");
    let row = |key: &[u8]| [b"get,", key, b",1\n"].concat();
    let text = [&b"op,key,value_size\n"[..], &row(&one), &row(&other), &row(&one)].concat();
    let trace = Trace::new(&text[..], &ReadOptions::default()).unwrap();
    assert_eq!(Summary::read(trace, &|_| ControlFlow::Continue(())).unwrap().keys, 2);
}

#[test]
fn independent_arrivals_vary_by_their_mean() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let gaps = Exp::new(100.0).unwrap();
    let (mut time, mut text) = (0.0, "op,key,value_size,time\n".to_owned());
    for _ in 0..50_000 {
        text += &format!("get,a,1,{time}\n");
        time += gaps.sample(&mut random);
    }
    let arrival = summary(&text).unwrap().arrival.unwrap();
    assert!((arrival.gap_s_mean - 0.01).abs() < 0.000_5 && (arrival.variation - 1.0).abs() < 0.05, "{arrival:?}");
}

proptest! {
    #[test]
    fn no_bytes_are_too_strange(bytes: Vec<u8>, form in prop::sample::select(vec![None, Some(Form::Csv), Some(Form::Parquet), Some(Form::Twitter), Some(Form::Ycsb)])) {
        let options = ReadOptions { form, ..ReadOptions::default() };
        if let Err(why) = Trace::new(&bytes[..], &options).and_then(|trace| Summary::read(trace, &|_| ControlFlow::Continue(()))) {
            prop_assert!(!why.to_string().is_empty());
        }
    }

    #[test]
    fn no_rows_are_too_strange(rows in "(get|set|GET|x|\"|,|[0-9]{0,12}|\n|-|\\.|e){0,60}") {
        let text = format!("op,key,value_size,time,key_size\n{rows}");
        if let Ok(summary) = summary(&text) {
            prop_assert_eq!(summary.mix.values().sum::<u64>(), summary.operations);
        }
    }
}

#[test]
fn empty_values_that_are_written_are_lengths_and_those_that_are_read_are_none() {
    let of = |rows: &str| {
        let text = format!("op,key,value_size\n{rows}");
        Summary::read(Trace::new(text.as_bytes(), &ReadOptions::default()).unwrap(), &|_| ControlFlow::Continue(()))
            .unwrap()
    };
    let empty = of("set,a,0\nset,b,0\nget,a,0\n").record_value_bytes.unwrap();
    assert_eq!((empty.range.min, empty.range.max, empty.sizes.max), (0, 0, 0));
    assert!(empty.differs == 0.0);
    assert!(of("get,a,0\nget,b,0\ndelete,a,0\n").record_value_bytes.is_none());
    let both = of("set,a,10\nget,a,0\ndelete,a,0\n").record_value_bytes.unwrap();
    assert_eq!(both.sizes.max, 10, "that it was gone later says nothing of how long it was");
}

/// A queue of `alive` records. Each added record removes the oldest, `added` times in all.
fn queue(alive: u64, added: u64) -> String {
    let mut text = "op,key,value_size\n".to_owned();
    for number in 0..added {
        text += &format!("set,log/{number:016},1024\n");
        if let Some(oldest) = number.checked_sub(alive) {
            text += &format!("delete,log/{oldest:016},\n");
        }
    }
    text
}

/// All 3,100 keys that a queue of 100 ever had were taken for its records.
#[test]
fn records_are_those_alive_at_one_time() {
    let summary = summary(&queue(100, 3_100)).unwrap();
    let Turnover { before, records_max, after, inserted, set, deleted, .. } = summary.turnover;
    assert_eq!((summary.keys, before, records_max, after), (3_100, 0, 101, 100));
    assert_eq!((inserted, set, deleted), (0, 3_100, 3_000));
    assert!(summary.turnover.removes_the_oldest() && summary.turnover.makes_ascending_keys());
    let steady =
        [(Operation::Insert, 3_000), (Operation::Update, 0), (Operation::Upsert, 0), (Operation::Delete, 3_000)];
    assert_eq!(summary.turnover.on_a_full_store(), steady, "what filled the queue is no part of what it does");
    assert_eq!(summary.working_set_bytes, 101 * (20 + 1024));
}

#[test]
fn what_was_there_before_a_trace_is_counted_from_its_beginning() {
    let text = "op,key,value_size\nset,a,1\ndelete,a,\nget,b,5\nget,c,0\nupdate,d,5\ndelete,e,7\ndelete,f,\nset,b,3\n";
    let turnover = summary(text).unwrap().turnover;
    // b, d and e; c and f were not there.
    assert_eq!((turnover.before, turnover.records_max, turnover.after), (3, 4, 2));
    assert_eq!((turnover.set, turnover.updated, turnover.replaced, turnover.deleted), (1, 1, 1, 2));
}

#[test]
fn what_a_trace_does_on_a_full_store() {
    let done = |turnover: Turnover| turnover.on_a_full_store().map(|(_, count)| count);
    let all = Turnover { records_max: 1_000, after: 1_000, ..Turnover::default() };
    assert_eq!(done(Turnover { inserted: 1_000, ..all }), [1_000, 0, 0, 0], "a log that grows goes on to grow");
    assert_eq!(done(Turnover { set: 1_000, updated: 5, ..all }), [0, 5, 1_000, 0], "a cache is written again");
    let filled_and_drained = Turnover { inserted: 1_000, deleted: 1_000, after: 0, ..all };
    assert_eq!(done(filled_and_drained), [0, 0, 0, 1_000]);
    let grown = Turnover { before: 900, set: 500, deleted: 400, replaced: 7, ..all };
    assert_eq!(done(grown), [400, 0, 7, 400]);
}

#[test]
fn the_newest_are_found_to_be_the_most_popular() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    for theta in [0.4, 0.99] {
        let mut text = "op,key,value_size\n".to_owned();
        (0..1_000).for_each(|key| text += &format!("load,{key:06},10\n"));
        for key in 1_000..2_000_u64 {
            text += &format!("insert,{key:06},10\n");
            for _ in 0..9 {
                let age = Zipf::new((key + 1) as f64, theta).unwrap().sample(&mut random) as u64;
                text += &format!("get,{:06},10\n", key + 1 - age);
            }
        }
        let turnover = summary(&text).unwrap().turnover;
        assert!(turnover.makes_ascending_keys());
        let found = exponent_of_tenth(turnover.records_max, turnover.newest_tenth().unwrap());
        assert!((found - theta).abs() < 0.05, "{found} for {theta}");
    }
    // Of records that were there before it is not known how old they are.
    let loaded: String = (0..500).map(|key| format!("get,{key:06},10\n")).collect();
    assert_eq!(summary(&format!("op,key,value_size\n{loaded}")).unwrap().turnover.newest_tenth(), None);
}

#[test]
fn what_figures_do_not_represent_is_found() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let keys = |keys: &mut dyn Iterator<Item = u64>, bytes: &dyn Fn(u64) -> u64| {
        let rows: String = keys.map(|key| format!("get,{key:06},{}\n", bytes(key))).collect();
        summary(&format!("op,key,value_size\n{rows}")).unwrap().misfits()
    };
    let even = |_: u64| 10;
    assert_eq!(keys(&mut (0..20_000).map(|_| random.next_u64() % 500), &even), []);
    assert_eq!(keys(&mut (0..4_000).map(|_| random.next_u64() % 1_000), &even), [], "chance is no law");
    let forwards = keys(&mut (0..20_000).map(|number| number * 3 % 500), &even);
    assert!(matches!(forwards[..], [Misfit::InOrder { part }] if part > 0.99), "{forwards:?}");
    let backwards = keys(&mut (0..20_000).map(|number| 499 - number * 3 % 500), &even);
    assert!(matches!(backwards[..], [Misfit::InOrder { part }] if part > 0.99), "{backwards:?}");
    // Nine keys are too few to report a law.
    let few =
        |random: &mut Xoshiro256PlusPlus| if !random.next_u64().is_multiple_of(10) { 0 } else { random.next_u64() % 9 };
    let sizes = keys(&mut (0..2_000).map(|_| few(&mut random)), &|key| if key == 0 { 10 } else { 1_000 });
    assert!(matches!(sizes[..], [Misfit::PopularSizes { .. }]), "{sizes:?}");
    for (every, expected) in [(10, true), (30, false)] {
        let row = |number: u64| match number % every {
            0 => format!("delete,none{number},\n"),
            _ => format!("get,{:06},10\n", random.next_u64() % 500),
        };
        let rows: String = (0..3_000).map(row).collect();
        let found = summary(&format!("op,key,value_size\n{rows}")).unwrap().misfits();
        assert_eq!(matches!(found[..], [Misfit::RemovesNothing { .. }]), expected, "one of {every}: {found:?}");
    }
    // Making records goes in their order and is no walk, even if they are not marked as new.
    for making in ["insert", "upsert"] {
        let rows: String = (0..3_000).map(|key| format!("{making},{key:06},10\ndelete,{key:06},\n")).collect();
        assert_eq!(summary(&format!("op,key,value_size\n{rows}")).unwrap().misfits(), [], "{making}");
    }
}

#[test]
fn sizes_of_popular_records_are_found_again() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut read = |bytes: fn(u64) -> u64| {
        let popular = |random: &mut Xoshiro256PlusPlus| match random.next_u64() % 3 {
            0 => random.next_u64() % 500,
            _ => random.next_u64() % 20,
        };
        // The keys of popular records are among the others.
        let keys = (0..20_000).map(|_| popular(&mut random)).map(|key| (key, key * 137 % 500));
        let rows: String = keys.map(|(key, name)| format!("get,{name:06},{}\n", bytes(key))).collect();
        summary(&format!("op,key,value_size\n{rows}")).unwrap()
    };
    for (bytes, expected) in [
        ((|key| if key < 20 { 10 } else { 100 }) as fn(u64) -> u64, "4% 10B, 96% 100B, popular small"),
        (|key| if key < 20 { 5_000 } else { 100 }, "96% 100B, 4% 5000B, popular large"),
    ] {
        let found = read(bytes);
        assert_eq!(found.sizes_by_popularity.as_ref().map(ToString::to_string).as_deref(), Some(expected));
        assert_eq!(found.misfits(), []);
    }
    let even = read(|key| if key % 2 == 0 { 10 } else { 100 });
    assert_eq!((even.sizes_by_popularity.clone(), even.misfits()), (None, Vec::new()));
}

#[test]
fn random_removals_and_keys_in_random_order_are_no_queue() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut alive = Vec::new();
    let mut text = "op,key,value_size\n".to_owned();
    for _ in 0..3_000 {
        let key = random.next_u64();
        text += &format!("insert,{key:016x},10\n");
        alive.push(key);
        if alive.len() > 100 {
            let removed = alive.swap_remove(random.next_u64() as usize % alive.len());
            text += &format!("delete,{removed:016x},\n");
        }
    }
    let turnover = summary(&text).unwrap().turnover;
    assert_eq!((turnover.records_max, turnover.after, turnover.deleted), (101, 100, 2_900));
    assert!(!turnover.removes_the_oldest() && !turnover.makes_ascending_keys(), "{turnover:?}");
    assert!(turnover.deleted_oldest < 600, "{turnover:?}");
}

proptest! {
    /// One pass counts the same as a set of keys.
    #[test]
    fn records_alive_are_those_of_a_set(operations in proptest::collection::vec((0_u8..3, 0_u8..20), 1..300)) {
        let mut alive = std::collections::BTreeSet::new();
        let (mut most, mut removed) = (0, 0);
        let mut text = "op,key,value_size\n".to_owned();
        for (kind, key) in operations {
            // A read with length 0 finds nothing where the key was never written, so nothing was there before.
            let (word, bytes) = [("insert", "5"), ("delete", ""), ("get", "0")][usize::from(kind)];
            text += &format!("{word},k{key},{bytes}\n");
            match kind {
                0 => drop(alive.insert(key)),
                1 => removed += u64::from(alive.remove(&key)),
                _ => {}
            }
            most = most.max(alive.len() as u64);
        }
        let turnover = summary(&text).unwrap().turnover;
        prop_assert_eq!((turnover.before, turnover.records_max), (0, most));
        prop_assert_eq!((turnover.after, turnover.deleted), (alive.len() as u64, removed));
    }
}

#[test]
fn rows_of_what_was_there_before_are_records_and_no_operations() {
    let summary =
        summary("op,key,value_size,time\nload,a,10,\nload,b,30,\nload,c,20,\nget,a,10,1\nset,d,5,2\n").unwrap();
    assert_eq!((summary.operations, summary.keys, summary.turnover.before), (2, 4, 3));
    assert_eq!((summary.turnover.records_max, summary.turnover.after), (4, 4));
    assert_eq!(summary.record_value_bytes.unwrap().sizes.mean, 16.25);
    assert_eq!(summary.arrival.unwrap().duration_s, 1.0);
}
