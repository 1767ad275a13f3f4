//! The table of rules.

use bakeoff_protocol::Durability;

use crate::check_driver::bench::Bench;
use crate::check_driver::verdict::Checked;
use crate::check_driver::{answers, description, limits, power_cuts, recovery, requests, settings, sound, tapes};

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The driver as a whole: tried with one store.
    Driver,
    /// Each store.
    Store,
}

/// One rule.
pub(super) struct Rule {
    pub(super) name: &'static str,
    /// What a driver does that keeps it, in one sentence.
    pub(super) says: &'static str,
    pub(super) scope: Scope,
    pub(super) check: fn(&Bench<'_>) -> Checked,
}

const fn driver(name: &'static str, says: &'static str, check: fn(&Bench<'_>) -> Checked) -> Rule {
    Rule { name, says, scope: Scope::Driver, check }
}

const fn store(name: &'static str, says: &'static str, check: fn(&Bench<'_>) -> Checked) -> Rule {
    Rule { name, says, scope: Scope::Store, check }
}

/// Every rule, in the order in which they are tried.
pub(super) const RULES: &[Rule] = &[
    driver("describe", "`describe` ends with 0 and prints one JSON object without null.", description::describe),
    driver("describe-names", "Store names can be typed, are unique, and are no reserved words.", description::names),
    driver("wrong-verb", "A wrong verb ends with 2 and prints nothing on standard output.", description::wrong_verb),
    driver("request-text", "A request that is not one JSON object, with each key once, is refused.", requests::text),
    driver("request-version", "Another protocol is refused.", |bench| requests::group(bench, "version")),
    driver("request-missing", "A request without a key that must be there is refused.", |bench| {
        requests::group(bench, "missing")
    }),
    driver("request-types", "A value of another type is refused.", |bench| requests::group(bench, "types")),
    driver("request-amounts", "An amount that is no whole number, or out of bounds, is refused.", |bench| {
        requests::group(bench, "amounts")
    }),
    driver("request-words", "An unknown durability, mode, `crash` or kind of profile is refused.", |bench| {
        requests::group(bench, "words")
    }),
    driver("request-phases", "No phases, or a phase that contradicts itself, is refused.", |bench| {
        requests::group(bench, "phases")
    }),
    driver("request-null", "A null is refused, also of an optional key.", |bench| requests::group(bench, "null")),
    driver("request-warm-up", "A warm-up without an end or phases is refused.", |bench| {
        requests::group(bench, "warm-up")
    }),
    driver(
        "request-power-cuts",
        "`acknowledged` and `inventory` are refused where they cannot be, if the driver knows them.",
        power_cuts::refused,
    ),
    driver("request-store", "A store that is not described is refused.", requests::unknown_store),
    driver(
        "request-directory",
        "A directory that is not empty, or not there, is refused and left.",
        requests::directory,
    ),
    driver("request-lanes", "A tape with other lanes than `hints.threads` is refused.", requests::lanes),
    driver("request-ascending", "A phase is `ascending` only if it inserts in key order alone.", requests::ascending),
    driver("request-unknown-keys", "Keys that the driver does not know are ignored.", requests::unknown_keys),
    driver("tape-gone", "A tape or pool that is gone, or is no tape, is refused.", tapes::gone),
    driver("tape-cut", "A tape or pool that is cut short, or added to, is refused.", tapes::cut),
    driver("tape-flipped", "A tape or pool with one other bit is refused.", tapes::flipped),
    driver("tape-header", "A tape whose header breaks a rule is refused.", |bench| tapes::group(bench, "header")),
    driver("tape-blocks", "A tape whose blocks break a rule is refused.", |bench| tapes::group(bench, "blocks")),
    driver("tape-records", "A tape whose records break a rule is refused.", |bench| tapes::group(bench, "records")),
    driver("tape-flags", "A flag where it may not be, or an unknown one, is refused.", |bench| {
        tapes::group(bench, "flags")
    }),
    driver("tape-values", "A value outside the pool, or where there is none, is refused.", |bench| {
        tapes::group(bench, "values")
    }),
    driver("tape-walks", "A walk that breaks a rule is refused.", |bench| tapes::group(bench, "walks")),
    store("texts", "Title, summary, version, licence, language and files are one line of text.", description::texts),
    store(
        "levels",
        "Each level has its source, and each other one the reason why it is not offered.",
        description::levels,
    ),
    store("settings", "Settings have help, a source, and a default that they take.", description::settings),
    store("settings-refused", "Unknown settings and values outside limits are refused.", settings::refused_settings),
    store("settings-in-force", "`opened` has the settings in force.", settings::settings_in_force),
    store("not-claimed", "What driver or store does not say that it can do is refused.", requests::not_claimed),
    store("request-copy", "A compacted copy is refused where none can be made.", requests::copy),
    store("durability-none", "Level none holds a load, reads and writes.", |bench| {
        settings::level(bench, Durability::None)
    }),
    store("durability-process", "Level process holds a load, reads and writes.", |bench| {
        settings::level(bench, Durability::Process)
    }),
    store("durability-consistent", "Level consistent holds a load, reads and writes.", |bench| {
        settings::level(bench, Durability::Consistent)
    }),
    store("durability-power", "Level power holds a load, reads and writes.", |bench| {
        settings::level(bench, Durability::Power)
    }),
    store("durability-refused", "A level that is not offered is refused.", settings::other_levels),
    store("reads", "Gets are timed and counted as the tape says, found or not.", sound::reads),
    store("files-kept", "Tapes and the pool are only read.", sound::files_kept),
    store("writes", "Inserts, updates, upserts and deletes are counted, and their content is verified.", sound::writes),
    store("insert-refuses", "An insert of a key that is there is a store error, where claimed.", sound::insert_refuses),
    store("scan-forward", "Scans from a key deliver what the tape says, with every consumer.", sound::scans_forward),
    store("scan-reverse", "Scans from a key run backwards.", sound::scans_reverse),
    store("scan-ordered", "Scans of everything run in key order.", sound::scans_ordered),
    store("scan-any-order", "Scans of everything run in any order.", sound::scans_any_order),
    store("scan-prefix", "Scans of a prefix and first entries deliver what the tape says.", sound::prefixes),
    store("exists", "Existence checks find keys that are there, and no others.", sound::existence_checks),
    store("scan-refused", "A scan that is not offered fails with bad-request or store-error.", sound::other_scans),
    store("batches", "Writes are acknowledged in batches.", sound::batches),
    store("batch-reads", "A session reads what it wrote in its own open batch.", sound::batch_reads),
    store("threads", "Two threads replay a tape of two lanes, with any `parallel_*`.", sound::threads),
    store("beside-writes", "Gets and scans are compared while another thread replaces values.", sound::beside_writes),
    store("open-loop", "`speed` is kept, or refused.", sound::open_loop),
    store("steady-within", "`steady_within` is done, or refused.", sound::steady),
    store("settle", "`settle` is done, or left out.", sound::settle),
    store("reopen", "`reopen` closes the store and opens it again.", sound::reopen),
    store("gate", "`gate` is read to its end while the store is closed.", sound::gate),
    store("compacted-copy", "A compacted copy is made and compared, where claimed.", sound::compacted_copy),
    store("profile", "A profile is written, or the reason why not, where claimed.", sound::profile),
    store("keys", "The shortest and the longest key that it claims are taken.", limits::keys),
    store("keys-too-long", "A longer key is an error in words.", limits::longer_keys),
    store("values", "An empty value and the longest that it claims, up to 4 MiB, are taken.", limits::values),
    store("values-too-long", "A longer value is an error in words.", limits::longer_values),
    store("wrong-gets", "A wrong answer of a get is found.", answers::gets),
    store("wrong-scans", "A wrong answer of a scan is found.", answers::scans),
    store("wrong-whole-scans", "A wrong answer of a scan of everything is found.", answers::whole_scans),
    store("wrong-content", "Wrong content after opening again is found.", answers::content),
    store(
        "recovery",
        "After SIGKILL a second process finds every acknowledged write, where claimed.",
        recovery::recovery,
    ),
    store(
        "acknowledged",
        "The slot of each lane counts its writes and commits, where claimed.",
        power_cuts::acknowledged,
    ),
    store(
        "inventory",
        "After a kill while it writes, a second process lists what was acknowledged, where claimed.",
        power_cuts::inventory,
    ),
];
