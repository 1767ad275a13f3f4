//! What power cuts left of stores: the truth table of a run that cut them.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_protocol::{BadCut, CellEnd, CutCount, CutPlace, CutVerdict, Durability, PowerCuts};

use crate::contender::Contenders;
use crate::run::Run;

/// How often verdicts were found in cuts of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cuts(BTreeMap<CutVerdict, u64>);

impl Cuts {
    fn add(&mut self, count: &CutCount) {
        *self.0.entry(count.verdict).or_default() += count.cuts;
    }

    /// Cuts that say something of the store: all but those after which the file system could not be mounted.
    pub fn of_the_store(&self) -> u64 {
        self.0.iter().filter(|(verdict, _)| verdict.is_of_the_store()).map(|(_, cuts)| cuts).sum()
    }

    /// How often a verdict was found.
    pub fn of(&self, verdict: CutVerdict) -> u64 {
        self.0.get(&verdict).copied().unwrap_or(0)
    }

    /// How often the store did not keep a level's promise. At levels without a promise about power cuts, how often not every
    /// acknowledged write was there.
    pub fn broken(&self, level: Durability) -> u64 {
        self.found().filter(|(verdict, _)| is_broken(level, *verdict)).map(|(_, cuts)| cuts).sum()
    }

    /// Every verdict that says something of the store, and how often it was found.
    pub fn found(&self) -> impl Iterator<Item = (CutVerdict, u64)> {
        self.0.iter().map(|(verdict, cuts)| (*verdict, *cuts)).filter(|(verdict, _)| verdict.is_of_the_store())
    }
}

/// Whether a verdict breaks a level's promise, or at a level without one: shows why there is none.
pub fn is_broken(level: Durability, verdict: CutVerdict) -> bool {
    match level {
        _ if !verdict.is_of_the_store() => false,
        Durability::Consistent => !verdict.is_a_state(),
        _ => !verdict.is_kept(),
    }
}

/// A disk: its file system, and what it writes as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CutDisk {
    /// The file system's name.
    pub file_system: String,
    /// Bytes.
    pub unit_bytes: u64,
}

/// A store at a level, and what power cuts left of it on each disk.
#[derive(Clone, Debug)]
pub struct CutRow {
    /// The contender's key.
    pub key: String,
    /// The level.
    pub level: Durability,
    /// The suite's variant, if it has several.
    pub variant: Option<String>,
    /// Cuts that the promise is about.
    pub disks: BTreeMap<CutDisk, Cuts>,
    /// Cuts directly after an acknowledgement. Those whose acknowledged writes are not there were not durable when given.
    pub when_given: Cuts,
    /// Cuts before the store was created.
    pub creation: Cuts,
    /// Cuts of a disk that ignores flushes.
    pub ignored_flushes: Cuts,
    /// The number of recordings.
    pub recordings: u64,
    /// The first cuts that broke something, each with its cell and round.
    pub bad: Vec<(String, u32, BadCut)>,
}

impl CutRow {
    /// All cuts that the promise is about.
    pub fn all(&self) -> Cuts {
        let mut all = Cuts::default();
        for (verdict, cuts) in self.disks.values().flat_map(|cuts| cuts.0.iter()) {
            *all.0.entry(*verdict).or_default() += cuts;
        }
        all
    }

    fn add(&mut self, end: &CellEnd, cuts: &PowerCuts) {
        self.recordings += 1;
        for count in &cuts.counts {
            let disk = || CutDisk { file_system: cuts.file_system.clone(), unit_bytes: count.unit_bytes };
            match count.place {
                place if place.counts() => self.disks.entry(disk()).or_default().add(count),
                CutPlace::Creation => self.creation.add(count),
                _ => self.ignored_flushes.add(count),
            }
            if count.place == CutPlace::AfterAcknowledgement {
                self.when_given.add(count);
            }
        }
        let broken = cuts.cuts.iter().filter(|cut| cut.place.counts() && is_broken(self.level, cut.verdict));
        self.bad.extend(broken.map(|cut| (end.cell.clone(), end.round, cut.clone())));
    }
}

/// Every store and level whose disk lost its power, in the order of levels, strictest first, and of titles.
pub fn cut_rows(run: &Run, contenders: &Contenders) -> Vec<CutRow> {
    let mut rows: BTreeMap<(Durability, Option<&str>, String), CutRow> = BTreeMap::new();
    for cell in run.counted() {
        let (Some(cuts), Some(contender)) = (&cell.end.power_cuts, contenders.of(&cell.end.axes)) else { continue };
        let level = cell.end.axes.durability;
        let place = (level, cell.end.axes.variant.as_deref(), contender.title.clone());
        let row = rows.entry(place).or_insert_with(|| CutRow {
            key: contender.key.clone(),
            level,
            variant: cell.end.axes.variant.clone(),
            disks: BTreeMap::new(),
            when_given: Cuts::default(),
            creation: Cuts::default(),
            ignored_flushes: Cuts::default(),
            recordings: 0,
            bad: Vec::new(),
        });
        row.add(&cell.end, cuts);
    }
    let mut rows: Vec<CutRow> = rows.into_values().collect();
    // Stable: within a level the order of titles stays.
    rows.sort_by_key(|row| std::cmp::Reverse(row.level));
    rows
}

/// Every disk of these rows.
pub fn disks(rows: &[CutRow]) -> BTreeSet<&CutDisk> {
    rows.iter().flat_map(|row| row.disks.keys()).collect()
}

/// The largest share of bad cuts that `cuts` good ones leave possible, with 95 % confidence: three divided by their number.
pub fn bound(cuts: u64) -> Option<f64> {
    (cuts > 0).then(|| (3.0 / cuts as f64).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(place: CutPlace, unit_bytes: u64, verdict: CutVerdict, cuts: u64) -> CutCount {
        CutCount { place, unit_bytes, verdict, cuts }
    }

    #[test]
    fn each_level_is_held_to_its_promise() {
        let mut cuts = Cuts::default();
        for verdict in CutVerdict::ALL {
            cuts.add(&count(CutPlace::Random, 512, verdict, 1));
        }
        assert_eq!((cuts.broken(Durability::Power), cuts.broken(Durability::Consistent)), (9, 8));
        assert_eq!(cuts.of_the_store(), 11, "an unmountable file system says nothing of the store");
        assert_eq!(cuts.of(CutVerdict::Lost), 1);
    }

    #[test]
    fn no_bad_cut_in_many_bounds_their_share() {
        assert_eq!(bound(0), None);
        assert_eq!(bound(300), Some(0.01));
        assert_eq!(bound(2), Some(1.0));
    }
}
