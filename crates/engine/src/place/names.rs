//! Names of the directories that a run makes. They show later whose they are and what they are for.

/// The beginning of the names of all scratch directories.
pub(crate) const SCRATCH: &str = "bakeoff-scratch-";

/// The directory next to a store's where its driver puts temporary files.
pub(crate) const TEMPORARY: &str = "temporary";

/// The end of the name of the directory of tapes. A medium's ends in `-` and its name.
const TAPES: &str = ".tapes";

/// The text after [`SCRATCH`] in the name of a directory for trying flushes; names of runs begin with a time.
const FLUSHES: &str = "flush-";

/// In the names of the directories that hold images.
const MADE: &str = "-made-";

/// How the names of all scratch directories of a run of this process begin; `run` is a name that no
/// other run has.
pub(crate) fn of_run(run: &str) -> String {
    format!("{SCRATCH}{run}-{}", std::process::id())
}

/// How the names of the scratch directories of a run begin, whichever process it had.
pub(crate) fn of_any_process(run: &str) -> String {
    format!("{SCRATCH}{run}-")
}

/// The directory of a run's stores on a medium.
pub(crate) fn medium(run: &str, medium: &str) -> String {
    format!("{}-{medium}", of_run(run))
}

/// The directory of a run's tapes.
pub(crate) fn tapes(run: &str) -> String {
    of_run(run) + TAPES
}

/// The directory of a medium that is made for a run.
pub(crate) fn made_medium(run: &str, medium: &str) -> String {
    format!("{}{MADE}{medium}", of_run(run))
}

/// The directory for trying flushes.
pub(crate) fn flushes() -> String {
    format!("{SCRATCH}{FLUSHES}{}", std::process::id())
}

/// Whether the text after [`SCRATCH`] in a name belongs to a place for stores, and not to tapes, to a medium made for
/// the run, or to flushes.
pub(crate) fn is_of_stores(rest: &str) -> bool {
    !rest.ends_with(TAPES) && !rest.contains(MADE) && !rest.starts_with(FLUSHES)
}

/// Whether the text after [`of_run`] in a name belongs to tapes or to a medium made for the run.
pub(crate) fn is_of_tapes_or_made(rest: &str) -> bool {
    rest == TAPES || rest.starts_with(MADE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stores_are_of_stores() {
        let rest = |name: &str| name.strip_prefix(SCRATCH).expect("a scratch directory").to_owned();
        assert!(is_of_stores(&rest(&medium("20260102-030405-quick", "default"))));
        for other in [flushes(), tapes("20260102-030405-quick"), made_medium("20260102-030405-quick", "disk")] {
            assert!(!is_of_stores(&rest(&other)), "{other}");
        }
    }
}
