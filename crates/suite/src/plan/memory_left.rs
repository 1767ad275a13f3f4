//! Memory that stores of a plan leave unused.

use bakeoff_protocol::{Settings, StoreDescription};
use bakeoff_text::approximate_size;

use crate::plan::cells::Plan;

/// The memory that each store leaves unused because its settings cannot take more. One sentence per store and number of
/// threads.
pub fn memory_left(plan: &Plan, stores: &[StoreDescription]) -> Vec<String> {
    let mut sentences = Vec::new();
    for cell in plan.workloads.iter().flat_map(|workload| &workload.cells) {
        let split = stores.iter().find(|store| store.name == cell.axes.store).and_then(|store| store.memory.as_ref());
        let (Some(split), Some(memory_bytes)) = (split, cell.axes.memory_bytes) else { continue };
        let taken_bytes = split.taken_bytes(&cell.settings, cell.axes.threads);
        if split.shares.is_empty() || !is_less(taken_bytes, memory_bytes) {
            continue;
        }
        let sentence = format!(
            "{} uses {} of its {}: {}, as the suite sets them or at their maximum",
            cell.axes.store,
            approximate_size(taken_bytes),
            approximate_size(memory_bytes),
            settings_label(split.shares.iter().map(|share| share.setting.as_str()), &cell.settings)
        );
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences
}

/// Whether more is unused than rounding explains.
fn is_less(taken_bytes: u64, memory_bytes: u64) -> bool {
    taken_bytes < memory_bytes - memory_bytes / 100
}

fn settings_label<'a>(names: impl Iterator<Item = &'a str>, settings: &Settings) -> String {
    let label = |name: &str| Some(format!("`{name}` {}", approximate_size(settings.get(name)?.as_u64()?)));
    names.filter_map(label).collect::<Vec<_>>().join(", ")
}
