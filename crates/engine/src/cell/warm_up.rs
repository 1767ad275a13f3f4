//! The warm-up of drivers whose code is compiled while it runs: a small workload of the same kind.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_tape::{Operation, PhaseSpec, Recording, Workload};
use bakeoff_tree::{Tree, TreeValues, tree_entries};

/// Records of the small workload, at most: enough that every kind of operation is done often, few enough for many passes.
const RECORDS: u64 = 10_000;

/// Bytes of its values, about, at most: each pass writes them all.
const VALUE_BYTES: u64 = 64 << 20;

/// This many records are never too many, regardless of the length of values.
const RECORDS_OF_LONG_VALUES: u64 = 100;

/// The tapes of the small workload: the workload's own if it is small, else others next to them.
pub(crate) fn record(
    workload: &Workload,
    recording: &Recording,
    directory: &Path,
    corpus: Option<&Path>,
) -> Result<Recording> {
    let small = small(workload);
    if small == *workload {
        return Ok(recording.clone());
    }
    let own = directory.join("warm-up");
    if small.pool_bytes == workload.pool_bytes {
        bakeoff_tape::lend_pool(directory, &own)?;
    }
    bakeoff_tape::record(&small, &own, corpus, &mut |_| ControlFlow::Continue(()))
        .context("cannot record the tapes of the warm-up")
}

/// The same workload with fewer records, and with fewer operations where they change how many there are.
fn small(workload: &Workload) -> Workload {
    let fitting = VALUE_BYTES / workload.value_bytes_mean().max(1);
    let most = fitting.clamp(RECORDS_OF_LONG_VALUES, RECORDS).max(u64::from(workload.lanes));
    if workload.records <= most {
        return workload.clone();
    }
    let tree = workload.tree.map(|tree| small_tree(tree, most));
    let records = tree.and_then(tree_entries).unwrap_or(most);
    let pool_bytes = tree.map_or(workload.pool_bytes, |tree| TreeValues::new(tree).offset(records));
    let operations = |phase: &PhaseSpec| {
        let resizes = [Operation::Insert, Operation::Delete].iter().any(|kind| phase.mix.contains_key(kind));
        let part = |count: u64| u64::try_from(u128::from(count) * u128::from(records) / u128::from(workload.records));
        phase.operations.map(|count| if resizes { part(count).unwrap_or(1).max(1) } else { count.min(most) })
    };
    let phases =
        workload.phases.iter().map(|phase| PhaseSpec { operations: operations(phase), ..phase.clone() }).collect();
    Workload { records, tree, pool_bytes, phases, ..workload.clone() }
}

fn small_tree(tree: Tree, most: u64) -> Tree {
    let fits = |levels: &u32| tree_entries(Tree { levels: *levels, ..tree }).is_some_and(|entries| entries <= most);
    Tree { levels: (1..=tree.levels).take_while(fits).last().unwrap_or(1), ..tree }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_suite::Suite;
    use bakeoff_tape::{Data, KeyForm};

    fn workload(records: u64) -> Workload {
        let suite = r#"
            [axes]
            stores = ["null"]
            value-size = "100B"
            records = "1M"
            [[phases]]
            name = "load"
            operation = "insert"
            [[phases]]
            name = "get"
            operation = "get"
            operations = "1M"
            [[phases]]
            name = "remove"
            operation = "delete"
            operations = 500_000
        "#;
        let suite = Suite::parse("test", suite).unwrap();
        Workload {
            seed: 1,
            key: KeyForm::Sha1,
            key_bytes: None,
            key_bytes_max: None,
            records,
            value_bytes: suite.value_bytes()[0].clone(),
            value_shape: suite.value_shape(),
            data: Data::Random,
            pool_bytes: 1 << 20,
            lanes: 1,
            tree: None,
            import: None,
            phases: suite.phases().to_vec(),
        }
    }

    #[test]
    fn a_small_workload_is_its_own_warm_up() {
        let workload = workload(RECORDS);
        assert_eq!(small(&workload), workload);
    }

    #[test]
    fn a_large_one_is_cut_to_size_and_can_still_be_recorded() {
        let small = small(&workload(1_000_000));
        assert_eq!(small.records, RECORDS);
        let operations: Vec<_> = small.phases.iter().map(|phase| phase.operations).collect();
        assert_eq!(operations, [None, Some(RECORDS), Some(5_000)]);
        let directory = tempfile::tempdir().unwrap();
        let recording =
            bakeoff_tape::record(&small, directory.path(), None, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(recording.phases[2].records_after, 5_000);
    }

    #[test]
    fn of_long_values_there_are_fewer() {
        let with = |value_bytes| small(&Workload { value_bytes, ..workload(1_000_000) }).records;
        let of = |min, max| with(bakeoff_tape::SizeRange { min, max }.into());
        assert_eq!([of(1, 1024), of(10 << 10, 100 << 10), of(1 << 20, 1 << 20)], [RECORDS, 1191, 100]);
    }

    #[test]
    fn a_tree_loses_levels() {
        let tree = Tree { fanout: 5, levels: 10, padding_bytes: 50, ..Tree::default() };
        assert_eq!(small_tree(tree, RECORDS), Tree { levels: 5, ..tree });
        assert_eq!(small_tree(Tree { fanout: 20_000, ..tree }, RECORDS).levels, 1);
    }
}
