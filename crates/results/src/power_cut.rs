//! What a power cut leaves of the stores that are compared.

use bakeoff_protocol::Leaves;

use crate::contender::Contenders;
use crate::verdict::Table;

/// What a power cut leaves of the ranked stores of a table, at least, with the keys of those of which it leaves that. `None` for stores that do not
/// describe it; empty if none does.
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
