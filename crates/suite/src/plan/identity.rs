//! The ids of cells and workloads.

use bakeoff_protocol::{AXES, Axes, Durability, Settings};
use bakeoff_tape::Workload;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use sha1::{Digest, Sha1};

/// Everything that defines a cell. A change here changes every cell's id.
#[derive(Serialize)]
struct Identity<'a> {
    workload: &'a Workload,
    durability: Durability,
    store: &'a str,
    settings: &'a Settings,
    #[serde(flatten)]
    further: Further<'a>,
}

/// The other axes that define a cell, in the order of the table of axes. An axis at its usual value is absent.
struct Further<'a>(&'a Axes);

impl Serialize for Further<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for axis in AXES.iter().filter(|axis| axis.identifies) {
            if let Some(value) = axis.value(self.0).to_json() {
                map.serialize_entry(axis.name, &value)?;
            }
        }
        map.end()
    }
}

/// A cell's id: the hash of everything that defines it.
pub(crate) fn cell_id(workload: &Workload, axes: &Axes, settings: &Settings) -> String {
    let identity =
        Identity { workload, durability: axes.durability, store: &axes.store, settings, further: Further(axes) };
    hash(&identity)
}

/// A workload's id: the hash of everything that its cells share.
pub(crate) fn workload_id(workload: &Workload, of_a_cell: &Axes) -> String {
    let in_common = Axes { store: String::new(), settings: Settings::new(), ..of_a_cell.clone() };
    hash(&(workload, in_common))
}

/// 16 hex digits.
fn hash(identity: &impl Serialize) -> String {
    // JSON of these types cannot fail: all keys are text, and fields are in declaration order.
    let json = serde_json::to_vec(identity).unwrap_or_default();
    Sha1::digest(json).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
