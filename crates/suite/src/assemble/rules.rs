//! Rules for a single phase.

use bakeoff_tape::{Access, Batch, Consumer, KeyForm, Measure, Operation};
use bakeoff_tree::Tree;

use crate::assemble::phase::{CHOOSING, Phase};
use crate::axes::{Axes, has_form};
use crate::error::Problems;
use crate::node::SuiteFile;

/// Notes everything about the phase at `index` that is impossible or without effect.
pub(crate) fn check(
    phase: &Phase<'_>,
    index: usize,
    (axes, tree): (&Axes, Option<Tree>),
    file: &SuiteFile,
    problems: &mut Problems,
) {
    if phase.spec.mix.is_empty() {
        // Its operations could not be read, so no other rule can be checked.
        return;
    }
    if index == 0 {
        first(phase, problems);
    }
    cold(phase, problems);
    without_effect(phase, problems);
    rate(phase, problems);
    steady(phase, problems);
    inserts(phase, problems);
    access_of(phase, problems);
    restores(phase, problems);
    scans(phase, problems);
    prefixes(phase, problems);
    threads(phase, axes, file, problems);
    directories(phase, index, axes, problems);
    fields(phase, tree, problems);
}

fn first(phase: &Phase<'_>, problems: &mut Problems) {
    if !phase.only_inserts() {
        let help = "put a phase before it with name = \"load\" and operation = \"insert\"";
        let message = format!("the first {} does not only insert", phase.table.name);
        problems.add(phase.table.place(phase.operation_key()), message, help);
    } else if phase.spec.operations.is_some() {
        let help = "write operations = \"records\" or leave it out; the axis `records` says how many";
        problems.add(phase.table.place("operations"), "the first phase loads all records", help);
    }
    if phase.spec.restore {
        let message = "the first phase loads the records, which `restore` would remove again";
        problems.add(phase.table.place("restore"), message, "leave it out, or move it to a later phase");
    }
    if !phase.spec.roles.is_empty() {
        let message = "all threads load the records, so the first phase has no roles";
        problems.add(
            phase.table.place("roles"),
            message,
            "write operation = \"insert\", or move them to a later phase",
        );
    }
    if phase.spec.reopen {
        let key = if phase.spec.cold { "cache" } else { "reopen" };
        let message = "before the first phase there is no store to open again";
        problems.add(phase.table.place(key), message, "leave it out, or move it to a later phase");
    }
}

/// Notes cold caches of a phase for which the store is not closed: caches are dropped while it is.
fn cold(phase: &Phase<'_>, problems: &mut Problems) {
    if phase.spec.cold && !phase.spec.reopen {
        let message = "caches are dropped while the store is closed, but this phase does not open it again";
        problems.add(phase.table.place("reopen"), message, "leave `reopen` out, or write cache = \"warm\"");
    }
}

/// Notes keys without effect: the user expects an effect, so an error is better than silence.
fn without_effect(phase: &Phase<'_>, problems: &mut Problems) {
    use Operation::{Delete, Exists, First, Get, Insert, Scan, ScanAll, ScanPrefix, Update, Upsert, Walk};
    let needs: [(&str, &[Operation]); 13] = [
        ("missing", &[Get, Exists]),
        ("fields", &[Walk]),
        ("past-leaf", &[Walk]),
        ("restore", &[Insert, Delete]),
        ("read-first", &[Update, Upsert, Delete]),
        ("scan-entries", &[Scan, ScanPrefix]),
        ("scan-distribution", &[Scan, ScanPrefix]),
        ("prefix", &[ScanPrefix, First]),
        ("reverse", &[Scan, ScanAll, First]),
        ("order", &[Scan, ScanAll]),
        ("consumer", &[Scan, ScanAll, ScanPrefix, First]),
        ("batch", &[Insert, Update, Upsert, Delete]),
        ("access", &CHOOSING),
    ];
    for (key, operations) in needs {
        let Some(place) = phase.table.key_place(key) else { continue };
        if !operations.iter().any(|&operation| phase.does(operation)) {
            let names: Vec<_> = operations.iter().map(|operation| operation.name()).collect();
            let message = format!("`{key}` has no effect in {}", phase.table.name);
            problems.add(place, message, format!("leave it out; it is for {}", names.join(", ")));
        }
    }
}

fn inserts(phase: &Phase<'_>, problems: &mut Problems) {
    let own = phase.spec.access_of.get(&Operation::Insert);
    let (key, access) = own.map_or(("access", phase.spec.access), |access| ("access-of", *access));
    let chooses = !matches!(access, Access::Sequential | Access::Insertion | Access::Uniform);
    if (phase.only_inserts() || own.is_some()) && chooses {
        let help = "use sequential, insertion or uniform";
        problems.add(phase.table.place(key), "inserts take new keys, so none of them can be popular", help);
    }
}

fn access_of(phase: &Phase<'_>, problems: &mut Problems) {
    let place = phase.table.place("access-of");
    for kind in phase.spec.access_of.keys().filter(|kind| !phase.does(**kind)) {
        let message = format!("`access-of` names {}, which {} does not do", kind.name(), phase.table.name);
        problems.add(place, message, "leave it out, or add it to the mix");
    }
    let own = |kind: &Operation| phase.spec.access_of.contains_key(kind);
    if let (Some(place), true) = (phase.table.key_place("access"), phase.spec.mix.keys().all(own)) {
        let message = format!("`access` has no effect in {}: `access-of` names every kind", phase.table.name);
        problems.add(place, message, "leave one of them out");
    }
}

fn rate(phase: &Phase<'_>, problems: &mut Problems) {
    if phase.spec.open_loop.is_some() && phase.spec.measure == Measure::Throughput {
        let help = "use measure = \"latency\", or leave `rate` out";
        problems.add(phase.table.place("rate"), "a rate is given, so there is no throughput to measure", help);
    }
}

fn steady(phase: &Phase<'_>, problems: &mut Problems) {
    let Some(place) = phase.table.key_place("steady-within") else { return };
    if phase.spec.open_loop.is_some() {
        let help = "leave `steady-within` out, or `rate`";
        problems.add(place, "a rate is given, so it cannot become steady", help);
    }
    if phase.spec.batch == Batch::All {
        let help = "leave `steady-within` out, or give batch a number";
        problems.add(place, "with one commit at the end, the cost of the warm-up's writes would count later", help);
    }
}

fn restores(phase: &Phase<'_>, problems: &mut Problems) {
    if !phase.spec.restore {
        return;
    }
    if phase.spec.measure == Measure::Throughput {
        let help = "use measure = \"latency\"";
        let message = "a throughput cannot leave out the operations that restore records";
        problems.add(phase.table.place("measure"), message, help);
    }
    if phase.spec.batch != Batch::Each {
        let help = "use batch = \"each\"";
        let message = "in a batch, its writes would include the cost of restoring records";
        problems.add(phase.table.place("batch"), message, help);
    }
}

fn scans(phase: &Phase<'_>, problems: &mut Problems) {
    if !phase.spec.any_order {
        return;
    }
    let place = phase.table.place("order");
    if phase.does(Operation::Scan) {
        let help = "use order = \"key\", or operation = \"scan-all\"";
        problems.add(place, "a scan from a key needs an order", help);
    }
    if phase.spec.reverse {
        let help = "leave `reverse` out, or use order = \"key\"";
        problems.add(phase.table.place("reverse"), "`any` order cannot be reversed", help);
    }
    if phase.spec.consumer == Consumer::Copy {
        let help = "use touch, crc32 or xxh64, or order = \"key\"";
        problems.add(phase.table.place("consumer"), "copies in `any` order cannot be compared", help);
    }
}

fn prefixes(phase: &Phase<'_>, problems: &mut Problems) {
    let has_prefix = phase.table.get("prefix").is_some();
    if phase.does(Operation::ScanPrefix) && !has_prefix {
        let message = format!("{} does not say how much its keys have in common", phase.table.name);
        let help = "add, for example, prefix = \"8B\", which is the beginning of keys that a scan goes through";
        problems.add(phase.table.place(phase.operation_key()), message, help);
    }
    if has_prefix && phase.spec.reverse {
        let help = "leave one of them out: without a prefix it is the last entry of all";
        problems.add(phase.table.place("reverse"), "a scan of a prefix cannot go backwards", help);
    }
}

fn threads(phase: &Phase<'_>, axes: &Axes, file: &SuiteFile, problems: &mut Problems) {
    let of_roles = phase.spec.threads_of_roles();
    if let Some(at) = axes.threads.iter().position(|threads| threads % of_roles != 0) {
        let message = format!(
            "the roles of {} have {of_roles} threads, and {} is no multiple of that",
            phase.table.name, axes.threads[at]
        );
        let help = format!("use threads = {of_roles} or a multiple, or leave `threads` out");
        problems.add(&file.blame(&["threads"], &file.axis_place("threads", at)), message, help);
    }
    if phase.spec.shared {
        shared(phase, problems);
    }
    let is_unknown = |each: Operation| each == Operation::Walk || each.scans() && !phase.spec.shared;
    let reads_others = Operation::ALL.into_iter().find(|&each| is_unknown(each) && phase.does(each));
    let (Some(reader), true) = (reads_others, phase.writes()) else { return };
    if axes.threads.iter().any(|&threads| threads > 1) {
        let message = format!(
            "{} mixes {} with writes, so right answers are unknown with several threads",
            phase.table.name,
            reader.name()
        );
        let help = match reader.scans() {
            true => "make them phases of their own, use threads = [1], or shared = true with updates and upserts alone",
            false => "make them phases of their own, or use threads = [1]",
        };
        problems.add(&file.blame(&["threads"], phase.table.place(phase.operation_key())), message, help);
    }
}

/// What threads may do next to others that read or scan the same records.
fn shared(phase: &Phase<'_>, problems: &mut Problems) {
    let scans = Operation::ALL.into_iter().any(|each| each.scans() && phase.does(each));
    let has_readers = phase.spec.roles.iter().any(|role| !role.mix.keys().any(|kind| kind.writes()));
    if !phase.writes() || !(scans || has_readers) {
        let message = format!("`shared` has no effect in {}", phase.table.name);
        let help =
            "leave it out; it is for scans next to writes, and for `roles` of which some only read and others write";
        problems.add(phase.table.place("shared"), message, help);
    }
    let moving = [(Operation::Delete, true), (Operation::Insert, scans)];
    for (kind, _) in moving.into_iter().filter(|(kind, is_unknown)| *is_unknown && phase.does(*kind)) {
        let message =
            format!("{} has {}, and nobody knows which records other threads find then", phase.table.name, kind.name());
        let help = "use updates and upserts, or leave `shared` out";
        problems.add(phase.table.place(phase.operation_key()), message, help);
    }
    if scans && phase.spec.consumer.compares_values() {
        let message = "what is in the values that other threads write is not known, so scans cannot compare it";
        problems.add(phase.table.place("consumer"), message, "use keys or count, or leave `consumer` out");
    }
}

fn directories(phase: &Phase<'_>, index: usize, axes: &Axes, problems: &mut Problems) {
    let place = phase.table.place(phase.operation_key());
    if !has_form(&axes.keys, KeyForm::Directory) {
        if phase.does(Operation::Walk) {
            let help = "add key = \"directory\" to [axes] and a [tree], or use get";
            problems.add(place, "a walk needs a directory tree", help);
        }
        return;
    }
    let grows = index > 0 && (phase.does(Operation::Insert) || phase.spec.restore);
    if grows || phase.does(Operation::Update) || phase.does(Operation::Upsert) {
        let message = format!("{} writes into a directory tree, whose entries are fixed", phase.table.name);
        problems.add(place, message, "use get, walk, scan, scan-all, or delete without restore");
    }
}

fn fields(phase: &Phase<'_>, tree: Option<Tree>, problems: &mut Problems) {
    let Some(values) = tree.map(|tree| tree.values).filter(|values| phase.spec.all_fields && !values.has_fields())
    else {
        return;
    };
    let message = format!("values in {} have no field but the id", values.name());
    problems.add(phase.table.place("fields"), message, "write fields = \"one\", or values = \"flatbuffers\" in [tree]");
}
