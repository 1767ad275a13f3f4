//! The lies of a driver: edits of what the true one prints, and what their cells fail with.

/// What no figure is above.
const FIGURE_MAX: u64 = 1 << 60;

/// A lie.
#[derive(Debug)]
pub(crate) struct Lie {
    /// What it is.
    pub(crate) what: String,
    /// The driver's script.
    pub(crate) script: String,
    /// The kind of failure of its cell.
    pub(crate) failure: &'static str,
    /// What the failure says, among others.
    pub(crate) words: String,
}

/// What `sed` makes of the events.
fn edit(edit: &str, failure: &'static str, words: &str) -> Lie {
    let script = format!("real | sed -u -e '{}'", edit.replace('\n', "' -e '"));
    Lie { what: edit.to_owned(), script, failure, words: words.to_owned() }
}

/// The edit of what the driver prints of a phase, which is bad output.
fn in_phase(phase: &str, change: &str, words: &str) -> Lie {
    edit(&format!(r#"/"event":"phase","phase":"{phase}"/{change}"#), "bad-output", words)
}

/// A script of its own.
fn script(script: &str, failure: &'static str, words: &str) -> Lie {
    Lie { what: script.to_owned(), script: script.to_owned(), failure, words: words.to_owned() }
}

/// Every lie.
pub(crate) fn lies() -> Vec<Lie> {
    [
        too_large(),
        no_figures(),
        order(),
        failures(),
        counts(),
        times(),
        histograms(),
        courses(),
        resources(),
        settings(),
        directories(),
        shared_files(),
        logs(),
        forms(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Which event has which figures.
const FIGURES: [(&str, &[&str]); 7] = [
    (r#"/"event":"opened"/"#, &["open_ns", "rss_baseline_bytes", "clock_pair_ns"]),
    (r#"/"event":"progress","phase":"get"/"#, &["operations", "operations_total"]),
    (r#"/"event":"phase","phase":"load"/"#, &["timed_ns", "wall_ns", "operations", "entries", "bytes"]),
    (
        r#"/"event":"phase","phase":"get"/"#,
        &[
            "timed_ns",
            "threads_timed_ns",
            "wall_ns",
            "bytes",
            "latency_ns_mean",
            "latency_ns_min",
            "latency_ns_p50",
            "latency_ns_p90",
            "latency_ns_p99",
            "latency_ns_p999",
            "latency_ns_max",
            "answers_checked",
            "answers_wrong",
            "cpu_user_ns",
            "cpu_system_ns",
            "rss_peak_bytes",
            "rss_anonymous_bytes",
            "process_read_bytes",
            "block_write_bytes",
            "page_faults_minor",
            "open_files",
            "stall_io_ns",
            "slice_ns",
        ],
    ),
    (r#"/"event":"phase","phase":"mix"/"#, &["reopen_ns", "wall_ns", "latency_ns_sum", "at_ns"]),
    (r#"/"event":"verified"/"#, &["reopen_ns", "entries"]),
    (r#"/"event":"finished"/"#, &["close_ns", "apparent_bytes", "allocated_bytes", "files", "page_cache_bytes"]),
];

/// A figure above all that can be: it was lost with its cell, and the run ended with 0.
fn too_large() -> Vec<Lie> {
    let figures = FIGURES.iter().flat_map(|(event, names)| names.iter().map(move |name| (event, name)));
    let lies = figures.map(|(event, name)| {
        let large = FIGURE_MAX + 1;
        let words = format!("a figure that cannot be true: {name} {large}");
        edit(&format!(r#"{event}s/"{name}":[0-9][0-9]*/"{name}":{large}/"#), "bad-output", &words)
    });
    lies.collect()
}

/// What is no figure at all.
fn no_figures() -> Vec<Lie> {
    let places = [
        (r#"/"event":"opened"/"#, "open_ns"),
        (r#"/"event":"phase","phase":"get"/"#, "wall_ns"),
        (r#"/"event":"phase","phase":"get"/"#, "latency_ns_p50"),
        (r#"/"event":"verified"/"#, "entries"),
        (r#"/"event":"finished"/"#, "close_ns"),
    ];
    let values = ["-1", "1.5", "1e3", "null", "\"1\"", "[]", "18446744073709551616", "NaN", "01"];
    let mut lies = Vec::new();
    for (event, name) in places {
        for value in values {
            let change = format!(r#"{event}s/"{name}":[0-9][0-9]*/"{name}":{value}/"#);
            lies.push(edit(&change, "bad-output", "not an event of docs/PROTOCOL.md"));
        }
        lies.push(edit(&format!(r#"{event}s/"{name}":[0-9][0-9]*,*//"#), "bad-output", "not an event"));
        lies.push(edit(&format!(r#"{event}s/"{name}":[0-9][0-9]*/&,&/"#), "bad-output", "duplicate field"));
    }
    lies
}

/// Events that come at the wrong time, twice, or not at all.
fn order() -> Vec<Lie> {
    vec![
        edit(r#"/"event":"opened"/p"#, "bad-output", "`opened` twice"),
        edit(r#"/"event":"opened"/d"#, "bad-output", "before `opened`"),
        edit("/\"event\":\"opened\"/d\n/\"event\":\"progress\"/d", "bad-output", "the phase `load` before `opened`"),
        edit(r#"/"event":"phase","phase":"load"/p"#, "bad-output", "the phase `load` when get was due"),
        edit(r#"/"event":"phase","phase":"load"/d"#, "bad-output", "the phase `get` when load was due"),
        edit(r#"/"event":"phase","phase":"scan"/d"#, "bad-output", "`verified` with 3 of 4 phases"),
        edit(r#"/"event":"phase","phase":"scan"/p"#, "bad-output", "the phase `scan` when no phase was due"),
        edit(r#"s/"event":"phase","phase":"get"/"event":"phase","phase":"got"/"#, "bad-output", "the phase `got`"),
        edit(r#"/"event":"verified"/p"#, "bad-output", "`verified` twice"),
        edit(r#"/"event":"verified"/d"#, "bad-output", "without verifying"),
        edit(r#"/"event":"finished"/p"#, "bad-output", "went on printing after `finished`"),
        edit(r#"/"event":"finished"/d"#, "crash", "without saying how the cell ended"),
        edit("/\"event\":\"verified\"/d\n/\"event\":\"finished\"/i {\"event\":\"dying\"}", "bad-output", "it is dying"),
        edit(r#"/"event":"phase","phase":"load"/i {"event":"dying"}"#, "bad-output", "it is dying"),
        edit(
            r#"/"event":"phase","phase":"load"/i {"event":"verified","reopen_ns":1,"entries":200}"#,
            "bad-output",
            "0 of 4",
        ),
        edit(r#"1i {"event":"finished","close_ns":1}"#, "bad-output", "went on printing"),
        edit(r#"/"event":"phase","phase":"get"/i {"event":"finished","close_ns":1}"#, "bad-output", "after `finished`"),
        script(r#"cat >/dev/null; echo '{"event":"finished","close_ns":1}'"#, "bad-output", "0 of 4 phases"),
        script(
            r#"real; echo '{"event":"failed","kind":"panic","message":"too late"}'"#,
            "bad-output",
            "after `finished`",
        ),
        script(r#"real; echo '{"event":"phase"}'"#, "bad-output", "after `finished`"),
        script("real; echo bye", "bad-output", "after `finished`, its last event: \"bye\""),
        script("real; exit 3", "crash", "finished, and then exited with status 3"),
        script("real; kill -SEGV $$", "crash", "finished, and then was killed by signal 11"),
        script("exit 0", "crash", "without saying how the cell ended"),
        script("kill -KILL $$", "crash", "signal 9"),
        script("real | head -n 3", "crash", "without saying how the cell ended"),
    ]
}

/// Kinds of failure that only the caller may use, and ones that do not exist.
fn failures() -> Vec<Lie> {
    let failed = |kind: &str, more: &str| {
        format!(r#"echo '{{"event":"failed","kind":"{kind}",{more}"message":"so it is"}}'; exit 1"#)
    };
    let callers = ["crash", "timeout", "bad-output", "disturbance", "medium", "set-up"];
    let of_callers = callers.map(|kind| {
        script(&failed(kind, ""), "bad-output", &format!("kind `{kind}`, which only its caller may use: so it is"))
    });
    let allowed =
        ["bad-request", "bad-tape", "store-error", "wrong-answer", "runtime", "disk-full", "out-of-memory", "panic"];
    let of_driver = allowed.map(|kind| script(&failed(kind, ""), kind, "so it is"));
    let others = [
        script(&failed("", ""), "bad-output", "unknown variant"),
        script(&failed("sabotage", ""), "bad-output", "unknown variant"),
        script(&failed("panic", r#""phase":"nap","#), "bad-output", "in the phase `nap`, which nobody asked for"),
        script(&failed("panic", r#""phase":"verify","#), "panic", "so it is"),
        script(&failed("panic", r#""phase":7,"#), "bad-output", "invalid type"),
    ];
    of_callers.into_iter().chain(of_driver).chain(others).collect()
}

/// Counts that are not those of the tapes.
fn counts() -> Vec<Lie> {
    let get = |change: &str, words: &str| in_phase("get", change, words);
    vec![
        edit(r#"/"phase":"get"/s/"answers_wrong":0/"answers_wrong":7/"#, "wrong-answer", "7 of 200"),
        get(r#"s/"answers_checked":200/"answers_checked":0/"#, "0 answers checked"),
        get(r#"s/"answers_checked":200/"answers_checked":201/"#, "201 answers checked"),
        get(r#"s/"operations":200,/"operations":199,/"#, "199 timed operations"),
        get(r#"s/"threads":1/"threads":2/"#, "2 threads"),
        get(r#"s/"threads":1/"threads":0/"#, "0 threads"),
        get(r#"s/"mode":"latency"/"mode":"throughput"/"#, "another mode"),
        get(r#"s/"mode":"latency"/"mode":"quickly"/"#, "unknown variant"),
        get(r#"s/"operation":"get"/"operation":"guess"/"#, "unknown kind, `guess`"),
        get(r#"s/"entries":200/"entries":1000000/"#, "1000000 entries of 200 operations"),
        get(r#"s/"answers_wrong":0/&,"reopen_ns":7/"#, "opening the store again, which nobody asked for"),
        get(r#"s/"answers_wrong":0/&,"open_loop":{"speed":1.0,"due_ns":1}/"#, "another `speed`"),
        get(r#"s/"answers_wrong":0/&,"warm_up":{"operations":0,"wall_ns":1,"interval_ns_means":[]}/"#, "a warm-up"),
        get(
            r#"s/"answers_wrong":0/&,"settled":{"settled_ns":1,"waited_ns":1,"cpu_ns":0,"process_write_bytes":0}/"#,
            "background work, which nobody asked for",
        ),
        get(
            r#"s/"rss_peak_above_baseline_bytes":[0-9]*/"rss_peak_above_baseline_bytes":99999999999/"#,
            "rss_peak_above_baseline_bytes 99999999999, while rss_peak_bytes",
        ),
        edit(
            r#"/"phase":"mix"/s/"operation":"update"/"operation":"get"/"#,
            "bad-output",
            "two results for the operation get",
        ),
        edit(r#"/"phase":"scan"/s/"operations":1/"operations":2/"#, "bad-output", "2 timed operations"),
        edit(r#"/"phase":"scan"/s/"operations":1,/&"timed_ns":1,/"#, "bad-output", "duplicate field"),
        edit(r#"/"event":"verified"/s/"entries":200/"entries":199/"#, "bad-output", "verified 199 entries"),
        edit(r#"/"event":"verified"/s/"entries":200/"entries":201/"#, "bad-output", "verified 201 entries"),
        edit(
            r#"/"event":"verified"/s/}/,"compacted_copy":{"copy_ns":1,"disk":{"apparent_bytes":1,"allocated_bytes":1,"files":1}}}/"#,
            "bad-output",
            "compacted copy",
        ),
        edit(r#"/"phase":"load"/s/"operation":"commit"/"operation":"insert"/"#, "bad-output", "two results"),
        // What is ranked by: a scan of entries that are not there, and more of them.
        in_phase(
            "scan",
            r#"s/"entries":200,/"entries":200000,/"#,
            "200000 entries of the kind scan-all where its tape has 200",
        ),
        in_phase(
            "scan",
            r#"s/"entries":200,/"entries":201,/"#,
            "201 entries of the kind scan-all where its tape has 200",
        ),
        in_phase("scan", r#"s/"bytes":\([0-9]*\),/"bytes":\1000,/"#, "000 bytes of the kind scan-all where"),
        in_phase("load", r#"s/"bytes":\([1-9][0-9]*\)/"bytes":\10/"#, "of the kind insert where"),
        get(r#"s/"bytes":[0-9]*,/"bytes":1,/"#, "1 bytes of the kind get where its tape has"),
        // Kinds that cost more.
        get(r#"s/"operation":"get"/"operation":"exists"/"#, "0 operations of the kind get where its tape has 200"),
        // Percentiles of what never was.
        get(
            r#"s/"operations":\[{/"operations":[{"operation":"delete","operations":0,"entries":0,"bytes":0,"timed_ns":0,"latency":{"latency_ns_mean":1,"latency_ns_min":1,"latency_ns_p50":1,"latency_ns_p90":1,"latency_ns_p99":1,"latency_ns_p999":1,"latency_ns_max":1,"histogram":"HISTEwAAAAAAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA\/8AAAAAAAAA=="}},{/"#,
            "a result for the operation delete, of which there was none",
        ),
        edit(
            r#"/"phase":"mix"/s/"operation":"update"/"operation":"upsert"/"#,
            "bad-output",
            "0 operations of the kind update where",
        ),
        edit(
            r#"/"phase":"scan"/s/"operation":"scan-all"/"operation":"scan"/"#,
            "bad-output",
            "1 operations of the kind scan where its tape has 0",
        ),
        // All commits folded into the inserts.
        edit(
            r#"/"phase":"load"/s/"operations":\[.*\],"answers/"operations":[{"operation":"insert","operations":201,"entries":201,"bytes":1}],"answers/"#,
            "bad-output",
            "201 operations of the kind insert where its tape has 200",
        ),
    ]
}

/// Times that contradict each other, or what the caller saw.
fn times() -> Vec<Lie> {
    let get = |change: &str, words: &str| in_phase("get", change, words);
    vec![
        get(r#"s/"timed_ns":[0-9]*/"timed_ns":0/g"#, "in 0 ns"),
        get(r#"s/"wall_ns":[0-9]*/"wall_ns":1/;s/"timed_ns":/"timed_ns":9999/g"#, "more than its threads ran"),
        get(r#"s/"timed_ns":[0-9]*,"threads_timed_ns"/"timed_ns":1,"threads_timed_ns"/"#, "timed_ns 1 of 1 threads"),
        get(r#"s/"threads_timed_ns":[0-9]*/"threads_timed_ns":1/"#, "threads_timed_ns is 1"),
        get(r#"s/"wall_ns":[0-9]*/"wall_ns":60000000000/"#, "in all, but its process had lived for only"),
        edit(r#"/"event":"opened"/s/"open_ns":[0-9]*/"open_ns":60000000000/"#, "bad-output", "lived for only"),
        edit(r#"/"phase":"mix"/s/"reopen_ns":[0-9]*/"reopen_ns":60000000000/"#, "bad-output", "lived for only"),
        edit(r#"/"event":"verified"/s/"reopen_ns":[0-9]*/"reopen_ns":60000000000/"#, "bad-output", "lived for only"),
        edit(r#"/"event":"finished"/s/"close_ns":[0-9]*/"close_ns":60000000000/"#, "bad-output", "lived for only"),
        script(
            r#"real | while IFS= read -r line; do case $line in *'"event":"phase","phase":"get"'*) sleep 7 ;; esac; printf '%s\n' "$line"; done"#,
            "bad-output",
            "went by since the event before",
        ),
    ]
}

/// Histograms that cannot be read, or that have other latencies than the figures next to them.
fn histograms() -> Vec<Lie> {
    let get = |change: &str, words: &str| in_phase("get", change, words);
    let histogram = |text: &str| format!(r#"s/"histogram":"[^"]*"/"histogram":"{text}"/"#);
    let no_latencies = "HISTEwAAAAAAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA\\/8AAAAAAAAA==";
    let mut lies = vec![
        get(&histogram(""), "a histogram of get that cannot be read"),
        get(&histogram("no base64!"), "a histogram of get that cannot be read"),
        get(&histogram("QUFBQQ=="), "a histogram of get that cannot be read"),
        get(&histogram(no_latencies), "0 latencies in it, of 200 operations"),
        get(r#"s/"histogram":"HISTE/"histogram":"HISTF/"#, "a histogram of get that cannot be read"),
        get(r#"s/"histogram":"\([^"]*\)[^"]\{8\}"/"histogram":"\1"/"#, "a histogram of get that cannot be read"),
        get(r#"s/"histogram":"[^"]*"/"histogram":null/"#, "invalid type"),
        get(r#"s/,"histogram":"[^"]*"//"#, "missing field `histogram`"),
        get(r#"s/"latency":{[^}]*}/"latency":null/"#, "no latency of get"),
        edit(
            r#"/"phase":"load"/s/"operation":"insert","operations":200/&,"latency":{"latency_ns_mean":1,"latency_ns_min":1,"latency_ns_p50":1,"latency_ns_p90":1,"latency_ns_p99":1,"latency_ns_p999":1,"latency_ns_max":1,"histogram":""}/"#,
            "bad-output",
            "latencies of insert, which was timed by blocks",
        ),
        // The histogram of one kind for another.
        edit(
            r#"/"phase":"mix"/s/"histogram":"[^"]*"\(.*\)"histogram":"\([^"]*\)"/"histogram":"\2"\1"histogram":"\2"/"#,
            "bad-output",
            "latencies in it, of",
        ),
    ];
    // Percentiles that rise, and are not those of the histogram.
    let figures = [
        ("mean", 1),
        ("min", 999_999_999),
        ("p50", 999_999_999),
        ("p90", 999_999_999),
        ("p99", 999_999_999),
        ("p999", 999_999_999),
        ("max", 1),
    ];
    lies.extend(
        figures.map(|(name, value)| {
            get(&format!(r#"s/"latency_ns_{name}":[0-9]*/"latency_ns_{name}":{value}/"#), "latenc")
        }),
    );
    let all_fast =
        ["p50", "p90", "p99", "p999"].map(|name| format!(r#"s/"latency_ns_{name}":[0-9]*/"latency_ns_{name}":1/"#));
    lies.push(get(&format!("{{{}}}", all_fast.join(";")), "while the histogram of the same latencies has"));
    lies
}

/// The course of a phase and its slowest operations.
fn courses() -> Vec<Lie> {
    let get = |change: &str, words: &str| in_phase("get", change, words);
    vec![
        get(r#"s/"slices":\[\[[0-9]*/"slices":[[7/"#, "over_time of"),
        get(r#"s/"slices":\[\[\([0-9]*\),[0-9]*/"slices":[[\1,1/"#, "over_time of"),
        get(
            r#"s/"slices":\[\[\([0-9]*,[0-9]*\),[0-9]*/"slices":[[\1,999999999/"#,
            "over_time whose largest latency is 999999999",
        ),
        get(r#"s/"slices":\[.*\]\],\{0,1\}\(.*\)"slow"/"slices":[]},"slow"/"#, "over_time of 0 operations"),
        get(r#"s/"slice_ns":[0-9]*/"slice_ns":0/"#, "slices of 0 ns"),
        get(r#"s/"slices":\[/"slices":[[0,0,0],[1,5,1],/"#, "over_time of 201 operations"),
        get(r#"s/"slices":\[/"slices":[[0,5,0],/"#, "slice 1 has a sum that its largest latency contradicts"),
        get(r#"s/"slow":{"operations":[0-9]*/"slow":{"operations":999/"#, "999 slow operations of 200"),
        get(
            r#"s/"causes":\[{"cause":"[a-z-]*","operations":[0-9]*/"causes":[{"cause":"disk","operations":99/"#,
            "slow operations, of which there are",
        ),
        get(r#"s/"causes":\[{"cause":"[a-z-]*"/"causes":[{"cause":"gremlins"/"#, "unknown variant"),
        get(r#"s/"latency_ns":[0-9]*/"latency_ns":99999999999/"#, "a slow operation of 99999999999 ns"),
        get(r#"s/"latency_ns":[0-9]*/"latency_ns":0/"#, "a slow operation of 0 ns"),
        get(r#"s/"slice_ns":[0-9]*/"slice_ns":600000000000/;s/"slices":\[/"slices":[[0,0,0],/"#, "unlike its phase"),
        get(r#"s/"slowest":\[{"operation":"get"/"slowest":[{"operation":"guess"/"#, "of the kind guess"),
        get(r#"s/"slowest":\[{"operation":"get"/"slowest":[{"operation":"update"/"#, "of the kind update"),
        get(r#"s/"at_ns":[0-9]*/"at_ns":600000000000/"#, "600000000000 ns after its beginning, and so after its end"),
        get(r#"s/"latency_ns_sum":[0-9]*/"latency_ns_sum":600000000000/"#, "slow operations of 600000000000 ns"),
        get(r#"s/"latency_ns_sum":[0-9]*/"latency_ns_sum":0/"#, "slow operations of 0 ns"),
        get(
            r#"s/"causes":\[/"causes":[{"cause":"stolen","operations":0,"latency_ns_sum":0},{"cause":"stolen","operations":0,"latency_ns_sum":0},/"#,
            "a cause of 0 slow operations",
        ),
        in_phase(
            "scan",
            r#"s/"answers_wrong":0/&,"over_time":{"slice_ns":1,"slices":[]}/"#,
            "`over_time`, which nobody asked for",
        ),
        get(
            r#"s/"latency":/"by_size":[{"value_bytes_min":1,"value_bytes_max":9,"operations":1,"latency":{"latency_ns_mean":1,"latency_ns_min":1,"latency_ns_p50":1,"latency_ns_p90":1,"latency_ns_p99":1,"latency_ns_p999":1,"latency_ns_max":1,"histogram":""}}],&/"#,
            "`by_size`, which nobody asked for",
        ),
    ]
}

/// Memory and processor's time that contradict each other, or are more than there is.
fn resources() -> Vec<Lie> {
    let get = |change: &str, words: &str| in_phase("get", change, words);
    let absurd = FIGURE_MAX / 2;
    let times = ["stall_cpu_ns", "stall_memory_ns", "stall_io_ns", "steal_ns", "gc_ns", "jit_compile_ns"].map(|name| {
        let others = format!(r#"s/"{name}":[0-9]*,\{{0,1\}}//;s/"resources":{{/&"{name}":{absurd},/;s/,}}/}}/g"#);
        get(&format!("{{{others}}}"), &format!("{name} {absurd} in"))
    });
    let lies = vec![
        get(r#"s/"rss_peak_bytes":[0-9]*/"rss_peak_bytes":1/"#, "rss_peak_bytes 1, while"),
        get(
            r#"s/"rss_peak_bytes":[0-9]*,"rss_peak_above_baseline_bytes":[0-9]*/"rss_peak_bytes":1,"rss_peak_above_baseline_bytes":0/"#,
            "rss_peak_bytes 1, while",
        ),
        get(r#"s/"rss_peak_bytes":[0-9]*,//"#, "without rss_peak_bytes"),
        get(r#"s/"rss_peak_above_baseline_bytes":/&9/"#, "rss_peak_above_baseline_bytes 9"),
        edit(
            r#"/"event":"opened"/s/"rss_baseline_bytes":[0-9]*,//"#,
            "bad-output",
            "without rss_peak_bytes and rss_baseline_bytes",
        ),
        edit(
            r#"/"event":"opened"/s/"rss_baseline_bytes":[0-9]*/"rss_baseline_bytes":1/"#,
            "bad-output",
            "and rss_baseline_bytes 1",
        ),
        get(&format!(r#"s/"cpu_user_ns":[0-9]*/"cpu_user_ns":{absurd}/"#), "ns of CPU time in"),
        get(r#"s/"cpu_system_ns":[0-9]*/"cpu_system_ns":10000000000000/"#, "ns of CPU time in"),
        edit(
            &format!(r#"/"event":"finished"/s/"page_cache_bytes":[0-9]*/"page_cache_bytes":{absurd}/"#),
            "bad-output",
            "of files that never had more than",
        ),
    ];
    lies.into_iter().chain(times).collect()
}

/// Settings that are none of the store's.
fn settings() -> Vec<Lie> {
    let opened = |change: &str, words: &str| edit(&format!(r#"/"event":"opened"/{change}"#), "bad-output", words);
    vec![
        opened(r#"s/"settings":{/"settings":{"turbo":true,/"#, "the setting `turbo`, which it has not described"),
        opened(r#"s/"settings":{/"settings":{"cache":1,/"#, "the setting `cache`, which it has not described"),
        opened(r#"s/"map-size":[0-9]*/"map-size":"large"/"#, "none of its values"),
        opened(r#"s/"map-size":[0-9]*/"map-size":-1/"#, "none of its values"),
        opened(r#"s/"map-size":[0-9]*/"map-size":{"map-size":{"map-size":1}}/"#, "none of its values"),
        opened(r#"s/"settings":{[^}]*}/"settings":null/"#, "invalid type"),
        opened(r#"s/"settings":{[^}]*}/"settings":[]/"#, "invalid type"),
        opened(r#"s/,"settings":{[^}]*}//"#, "missing field `settings`"),
        opened(r#"s/"version":"[^"]*"/"version":7/"#, "invalid type"),
    ]
}

/// Sizes of directories that are not theirs.
fn directories() -> Vec<Lie> {
    let finished = |change: &str, words: &str| edit(&format!(r#"/"event":"finished"/{change}"#), "bad-output", words);
    let after =
        r#"s/"disk_after_close":{"apparent_bytes":[0-9]*,"allocated_bytes":[0-9]*,"files":[0-9]*}/"disk_after_close":"#;
    let claims = |apparent: &str, allocated: &str, files: &str| {
        format!(r#"{after}{{"apparent_bytes":{apparent},"allocated_bytes":{allocated},"files":{files}}}/"#)
    };
    vec![
        finished(&claims("81920", "1", "2"), "directory"),
        finished(&claims("1", "1", "1"), "directory"),
        finished(&claims("81920", "81920000000", "2"), "directory"),
        finished(&claims("81920", "81920", "3000"), "the driver reported files 3000 of"),
        finished(
            r#"s/"disk_before_close":{"apparent_bytes":[0-9]*,"allocated_bytes":[0-9]*/"disk_before_close":{"apparent_bytes":81920,"allocated_bytes":81920000000/"#,
            "the driver reported allocated_bytes 81920000000 of the store's directory, which never had more than",
        ),
        script("real; rm -rf \"$directory\"", "bad-output", "directory"),
        script("real; rm -rf \"$directory\"; echo >\"$directory\"", "bad-output", "directory"),
        script("real; rm -rf \"$directory\"/*", "bad-output", "directory"),
        script("real; head -c 50000000 /dev/zero >\"$directory/hidden\"", "bad-output", "directory"),
    ]
}

/// What becomes of files that all drivers read: they spoiled the cells that followed.
fn shared_files() -> Vec<Lie> {
    let paths = r#"pool=${request#*\"pool\":\"}; pool=${pool%%\"*}; tape=${request#*\"tape\":\"}; tape=${tape%%\"*}"#;
    let changes = [
        "real; printf lies | dd of=\"$pool\" conv=notrunc status=none",
        "real; echo more >>\"$pool\"",
        "real; : >\"$pool\"",
        "real; rm \"$pool\"; mkfifo \"$pool\"",
        "real; cp \"$tape\" \"$pool\"",
        "printf lies | dd of=\"$tape\" bs=1 seek=100 conv=notrunc status=none; real",
    ];
    let lie = |change: &str| script(&format!("{paths}; {change}"), "bad-output", "was changed while the driver ran");
    // Anybody may have removed a file, so no store is at fault.
    let removals = ["real; rm \"$pool\"", "real; rm \"$tape\"", "rm -r \"${pool%/*}\"; real"];
    let removal = |change: &str| script(&format!("{paths}; {change}"), "medium", "was removed meanwhile");
    changes.map(lie).into_iter().chain(removals.map(removal)).collect()
}

/// What a driver puts in the place of its log: a FIFO was waited for, and all of a device read.
fn logs() -> Vec<Lie> {
    let others = ["mkfifo \"$log\"", "ln -s /dev/zero \"$log\"", "mkdir \"$log\"", "true"];
    let lie = |other: &str| {
        let replaced = format!("log=$(readlink /proc/self/fd/2); rm \"$log\"; {other}; echo last words >&2; exit 3");
        script(&replaced, "crash", "exited with status 3 without saying how the cell ended; its last words: last words")
    };
    others.map(lie).into()
}

/// What is no event.
fn forms() -> Vec<Lie> {
    let no_event = |text: &str| script(text, "bad-output", "not an event of docs/PROTOCOL.md");
    let deep = r#"printf '{"event":"opened","settings":'; head -c 9000 /dev/zero | tr '\0' '['; echo '}'"#;
    vec![
        no_event("echo hello"),
        no_event("echo"),
        no_event("echo '{}'"),
        no_event("echo '[]'"),
        no_event("echo null"),
        no_event("echo '\"opened\"'"),
        no_event("echo '{\"event\":\"applause\"}'"),
        no_event("echo '{\"event\":\"opened\"}'"),
        no_event("echo '{\"event\":7}'"),
        no_event("printf '\\377\\376\\n'"),
        no_event("printf '\\000\\n'"),
        no_event("real | tr '{' '['"),
        no_event("real | sed -u 's/^/ignore this: /'"),
        no_event("real | tr '\\n' ' '"),
        no_event(deep),
        no_event("printf '\\033[2J\\033[1;1H\\n'"),
    ]
}
