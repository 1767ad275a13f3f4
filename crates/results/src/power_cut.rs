//! What remains of the compared stores after a power cut.

use bakeoff_protocol::Leaves;

use crate::contender::Contenders;
use crate::verdict::Table;

/// What remains, at least, of a table's ranked stores after a power cut, each with the keys of the stores it applies
/// to. `None` stands for stores without a description of it. Empty if no store has one.
pub fn after_power_cut(table: &Table, contenders: &Contenders) -> Vec<(Option<Leaves>, Vec<String>)> {
    let ranked = table.present.iter().filter_map(|key| contenders.get(key)).filter(|contender| contender.ranked);
    let left: Vec<(Option<Leaves>, &String)> = ranked
        .map(|contender| {
            let level = table.circumstances.durability().or(contender.class);
            let after = level.and_then(|level| contender.after.get(&level));
            (after.map(|after| after.power_cut), &contender.key)
        })
        .collect();
    if left.iter().all(|(leaves, _)| leaves.is_none()) {
        return Vec::new();
    }
    [Some(Leaves::Kept), Some(Leaves::EarlierState), Some(Leaves::PossiblyCorrupt), None]
        .into_iter()
        .map(|wanted| {
            let keys = left.iter().filter(|(leaves, _)| *leaves == wanted).map(|(_, key)| (*key).clone());
            (wanted, keys.collect::<Vec<_>>())
        })
        .filter(|(_, keys)| !keys.is_empty())
        .collect()
}
