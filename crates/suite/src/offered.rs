//! Whether a store can do a phase.

use bakeoff_protocol::Capabilities;
use bakeoff_tape::{Batch, Operation, PhaseSpec};

/// Whether a store with these capabilities can do the phase; what it cannot is left out and shown as n/a.
///
/// # Errors
/// What the store does not offer, in words that follow the store's name.
pub fn offered(phase: &PhaseSpec, capabilities: &Capabilities) -> Result<(), String> {
    let does = |operation| phase.mix.contains_key(&operation);
    let reads = phase.read_first || phase.mix.keys().any(|operation| !operation.writes());
    let any_order = capabilities.scan_any_order || capabilities.scan_ordered;
    let lacks = |what: &str| Err(format!("does not offer {what}"));
    if does(Operation::Scan) && !capabilities.scan_from {
        lacks("scans from a key")
    } else if does(Operation::ScanAll) && !phase.any_order && !capabilities.scan_ordered {
        lacks("scans in key order")
    } else if does(Operation::ScanAll) && phase.any_order && !any_order {
        lacks("scans")
    } else if phase.batch != Batch::Each && !capabilities.batch {
        lacks("batches of writes")
    } else if phase.batch != Batch::Each && reads && !capabilities.batch_reads {
        lacks("reads of what its open batch wrote")
    } else {
        Ok(())
    }
}
