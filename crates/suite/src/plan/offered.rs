//! Whether a store can do a phase, or a whole workload.

use bakeoff_protocol::{Capabilities, Durability, StoreDescription};
use bakeoff_tape::{Batch, Operation, PhaseSpec, SizeRange, Workload};

use crate::plan::skip::SkipReason;
use crate::plan::stores::ConfiguredStore;

/// Checks that a store with these capabilities can do the phase. A phase that it cannot do is skipped and shown as n/a.
///
/// # Errors
/// What the store does not offer, as the rest of a sentence that begins with the store's name.
pub fn offered(phase: &PhaseSpec, capabilities: &Capabilities) -> Result<(), String> {
    let does = |operation| phase.mix.contains_key(&operation);
    let reads = phase.read_first || phase.mix.keys().any(|operation| !operation.writes());
    let any_order = capabilities.scan_any_order || capabilities.scan_ordered;
    let lacks = |what: &str| Err(format!("does not offer {what}"));
    if does(Operation::Scan) && !capabilities.scan_from {
        lacks("scans from a key")
    } else if (does(Operation::ScanPrefix) || does(Operation::First)) && !capabilities.scan_prefix {
        lacks("scans of a prefix")
    } else if does(Operation::Exists) && !capabilities.exists {
        lacks("existence checks")
    } else if does(Operation::ScanAll) && !phase.any_order && !capabilities.scan_ordered {
        lacks("scans in key order")
    } else if does(Operation::ScanAll) && phase.any_order && !any_order {
        lacks("scans")
    } else if phase.batch != Batch::Each && !capabilities.batch {
        lacks("batches of writes")
    } else if phase.batch != Batch::Each && reads && !capabilities.batch_reads {
        lacks("reads of the writes in its open batch")
    } else {
        Ok(())
    }
}

/// Why a store has no cell of a workload, after the values of the axes on which this depends.
pub(crate) fn unfit(
    configured: &ConfiguredStore<'_>,
    workload: &Workload,
    durability: Durability,
) -> Option<(String, SkipReason)> {
    let store = configured.store;
    if !store.durability.contains_key(&durability) {
        return Some((durability.to_string(), SkipReason::durability_not_offered(store, durability)));
    }
    if let Some((setting, value, most)) = store.gives_up(durability, &configured.settings) {
        let why = SkipReason::SettingPromisesLess { setting: setting.to_owned(), value: value.to_owned(), most };
        return Some((durability.to_string(), why));
    }
    if let Some((setting, value)) = store.is_alone(&configured.settings).filter(|_| workload.lanes > 1) {
        let why = SkipReason::SettingForOneThread { setting: setting.to_owned(), value: value.to_owned() };
        return Some((format!("{} threads", workload.lanes), why));
    }
    let key = workload.key;
    let SizeRange { min, max: key_bytes } = workload.key_bytes_range();
    if let Some(key_bytes_max) = store.key_bytes_max.filter(|&most| key_bytes > most) {
        let why = SkipReason::KeyTooLong { key, key_bytes, key_bytes_max };
        return Some((format!("{} keys", key.name()), why));
    }
    if min < store.key_bytes_min {
        let why = SkipReason::KeyTooShort { key, key_bytes: min, key_bytes_min: store.key_bytes_min };
        return Some((format!("{} keys", key.name()), why));
    }
    let value_bytes = workload.value_bytes.max();
    if let Some(value_bytes_max) = store.value_bytes_max.filter(|&most| value_bytes > most) {
        let why = SkipReason::ValueTooLong { value_bytes, value_bytes_max };
        return Some((workload.value_bytes.to_string(), why));
    }
    phases_unfit(store, &workload.phases).map(|why| (String::new(), why))
}

fn phases_unfit(store: &StoreDescription, phases: &[PhaseSpec]) -> Option<SkipReason> {
    let writes = |phase: &PhaseSpec| phase.mix.keys().any(|operation| operation.writes());
    for phase in phases.iter().filter(|phase| writes(phase)) {
        if let Err(why) = offered(phase, &store.capabilities) {
            return Some(SkipReason::PhaseNotOffered { phase: phase.name.clone(), why });
        }
    }
    let after = phases.get(1..).unwrap_or_default();
    let none = !after.is_empty() && after.iter().all(|phase| offered(phase, &store.capabilities).is_err());
    none.then_some(SkipReason::NothingOffered)
}
