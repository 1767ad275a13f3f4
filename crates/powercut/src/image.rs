//! Images of what a power cut leaves on a disk.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::cut::{Cut, Flushes, Policy};
use crate::fuse::zero;
use crate::random::Random;
use crate::recording::{Recorded, Recording};

const PAGE_BYTES: u64 = 4096;

impl Recording {
    /// Makes the disk as a cut leaves it, as a file in memory. The same cut gives the same disk.
    ///
    /// # Errors
    /// There is no memory.
    pub fn image(&self, cut: &Cut) -> io::Result<File> {
        let file = self.base().copy()?;
        let pending = self.undecided(cut);
        self.apply_all(&file, 0..pending.start)?;
        let mut random = Random::new(cut.seed);
        let unit = cut.unit_bytes;
        match cut.policy {
            Policy::Nothing => {}
            Policy::Everything => self.apply_all(&file, pending)?,
            Policy::Prefix => {
                let whole = random.below(pending.len() as u64 + 1) as usize;
                let torn = pending.start + whole;
                self.apply_all(&file, pending.start..torn)?;
                if torn < pending.end {
                    let units = self.units(torn, unit);
                    let kept = random.below(units.len() as u64 + 1) as usize;
                    units.into_iter().take(kept).try_for_each(|piece| self.apply(&file, torn, piece))?;
                }
            }
            Policy::Writes => {
                for event in pending.filter(|_| random.coin()) {
                    self.apply_all(&file, event..event + 1)?;
                }
            }
            Policy::Pages => self.apply_some(&file, pending, unit.max(PAGE_BYTES), &mut random)?,
            Policy::Units => self.apply_some(&file, pending, unit, &mut random)?,
        }
        Ok(file)
    }

    /// What a cut may take or leave.
    pub fn undecided(&self, cut: &Cut) -> Range<usize> {
        match cut.flushes {
            Flushes::Obeyed => self.pending(cut.position),
            Flushes::Ignored { cached } => {
                let writes = (0..cut.position).rev().filter(|at| *self.event(*at) != Recorded::Flush);
                writes.take(cached).last().unwrap_or(cut.position)..cut.position
            }
        }
    }

    fn apply_all(&self, file: &File, events: Range<usize>) -> io::Result<()> {
        for event in events {
            self.apply(file, event, 0..u64::MAX)?;
        }
        Ok(())
    }

    /// Applies a choice of the pieces of so many bytes.
    fn apply_some(&self, file: &File, events: Range<usize>, unit: u64, random: &mut Random) -> io::Result<()> {
        for event in events {
            for piece in self.units(event, unit) {
                if random.coin() {
                    self.apply(file, event, piece)?;
                }
            }
        }
        Ok(())
    }

    /// The pieces of a write that a disk with such a unit writes as a whole, relative to the write. Zeros are made at once.
    fn units(&self, event: usize, unit: u64) -> Vec<Range<u64>> {
        let (offset, bytes) = match self.event(event) {
            Recorded::Write { offset, data } => (*offset, data.len() as u64),
            Recorded::Zero { bytes, .. } => return std::iter::once(0..*bytes).collect(),
            Recorded::Flush => return Vec::new(),
        };
        let (mut pieces, mut at) = (Vec::new(), 0);
        while at < bytes {
            let end = ((offset + at) / unit * unit + unit - offset).min(bytes);
            pieces.push(at..end);
            at = end;
        }
        pieces
    }

    /// Applies a piece of a write.
    fn apply(&self, file: &File, event: usize, piece: Range<u64>) -> io::Result<()> {
        match self.event(event) {
            Recorded::Write { offset, data } => {
                let end = piece.end.min(data.len() as u64);
                file.write_all_at(&self.data(data)[piece.start as usize..end as usize], offset + piece.start)
            }
            Recorded::Zero { offset, bytes } => zero(file, *offset, *bytes),
            Recorded::Flush => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::Base;
    use crate::log::{Kind, LOG_BYTES_MAX, Log};

    const DISK: u64 = 1 << 16;
    const SECTOR: u64 = 512;

    /// What is done to a disk: a write of sectors with a byte, zeros, or a flush.
    #[derive(Clone, Debug)]
    enum Step {
        Write(u64, u64, u8),
        Zero(u64, u64),
        Flush,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let place = || (0..DISK / SECTOR).prop_flat_map(|at| (Just(at), 1..=(DISK / SECTOR - at).min(40)));
        let step = prop_oneof![
            6 => (place(), 1_u8..).prop_map(|((at, sectors), byte)| Step::Write(at, sectors, byte)),
            1 => place().prop_map(|(at, sectors)| Step::Zero(at / 8 * 8, sectors)),
            2 => Just(Step::Flush),
        ];
        prop::collection::vec(step, 1..40)
    }

    fn recorded(steps: &[Step]) -> Recording {
        let file = crate::memory_file(0).unwrap();
        let (_, acknowledged) = crate::acknowledgements(1).unwrap();
        let mut log = Log::new(file.try_clone().unwrap(), LOG_BYTES_MAX);
        for step in steps {
            let (kind, at, sectors, byte) = match *step {
                Step::Write(at, sectors, byte) => (Kind::Write, at, sectors, byte),
                Step::Zero(at, sectors) => (Kind::Zero, at, sectors, 0),
                Step::Flush => (Kind::Flush, 0, 0, 0),
            };
            let bytes = sectors * SECTOR;
            let data = vec![byte; if kind == Kind::Write { bytes as usize } else { 0 }];
            log.add((kind, at * SECTOR, bytes), &data, &acknowledged).unwrap();
        }
        let base = Base::read(&crate::memory_file(DISK).unwrap()).unwrap();
        Recording::read(base, &file, vec![1, 0]).unwrap()
    }

    /// A disk as a vector, with all of these steps applied.
    fn applied(steps: &[Step]) -> Vec<u8> {
        let mut disk = vec![0; DISK as usize];
        for step in steps {
            let (at, sectors, byte) = match *step {
                Step::Write(at, sectors, byte) => (at, sectors, byte),
                Step::Zero(at, sectors) => (at, sectors, 0),
                Step::Flush => continue,
            };
            let begin = (at * SECTOR) as usize;
            let end = (begin + (sectors * SECTOR) as usize).min(disk.len());
            disk[begin..end].fill(byte);
        }
        disk
    }

    fn read(file: &File) -> Vec<u8> {
        let mut disk = vec![0; DISK as usize];
        file.read_exact_at(&mut disk, 0).unwrap();
        disk
    }

    proptest! {
        /// Every sector is as the last flush left it, or as some later write of it made it. Outside of units, nothing is torn.
        #[test]
        fn an_image_has_what_was_durable_and_some_of_what_was_pending(
            steps in steps(), position in any::<prop::sample::Index>(), policy in prop::sample::select(Policy::ALL.to_vec()),
            pages in any::<bool>(), seed in any::<u64>(),
        ) {
            let recording = recorded(&steps);
            let position = position.index(steps.len() + 1);
            let unit_bytes = if pages { PAGE_BYTES } else { SECTOR };
            let cut = Cut { position, policy, unit_bytes, flushes: Flushes::Obeyed, seed };
            let image = read(&recording.image(&cut).unwrap());
            prop_assert_eq!(&image, &read(&recording.image(&cut).unwrap()));
            let pending = recording.pending(position);
            let durable = applied(&steps[..pending.start]);
            for (index, sector) in image.chunks(SECTOR as usize).enumerate() {
                let index = index as u64;
                let mut allowed = vec![durable[(index * SECTOR) as usize]];
                for step in &steps[pending.clone()] {
                    match *step {
                        Step::Write(at, sectors, byte) if (at..at + sectors).contains(&index) => allowed.push(byte),
                        Step::Zero(at, sectors) if (at..at + sectors).contains(&index) => allowed.push(0),
                        _ => {}
                    }
                }
                prop_assert!(allowed.contains(&sector[0]) && sector.iter().all(|byte| *byte == sector[0]));
            }
            match policy {
                Policy::Nothing => prop_assert_eq!(image, durable),
                Policy::Everything => prop_assert_eq!(image, applied(&steps[..position])),
                Policy::Prefix => {
                    let whole = |end| applied(&steps[..end]);
                    let prefix = (pending.start..=position).any(|end| {
                        let differs = |next: &Vec<u8>| image.iter().zip(next).any(|(a, b)| a != b);
                        !differs(&whole(end)) || (end < position && is_between(&image, &whole(end), &whole(end + 1)))
                    });
                    prop_assert!(prefix);
                }
                _ => {}
            }
        }

        /// A disk that ignores flushes has more to lose, and never less than everything else.
        #[test]
        fn a_disk_that_ignores_flushes_may_lose_what_was_flushed(steps in steps(), cached in 1_usize..20) {
            let recording = recorded(&steps);
            let flushes = Flushes::Ignored { cached };
            let cut = Cut { position: steps.len(), policy: Policy::Nothing, unit_bytes: SECTOR, flushes, seed: 1 };
            let writes: Vec<_> = steps.iter().filter(|step| !matches!(step, Step::Flush)).cloned().collect();
            let kept = &writes[..writes.len().saturating_sub(cached)];
            prop_assert_eq!(read(&recording.image(&cut).unwrap()), applied(kept));
        }
    }

    /// Whether each byte is as before or as after, and the bytes as after come first.
    fn is_between(image: &[u8], before: &[u8], after: &[u8]) -> bool {
        let changed: Vec<_> = (0..image.len()).filter(|at| before[*at] != after[*at]).collect();
        let kept = changed.iter().take_while(|at| image[**at] == after[**at]).count();
        let rest_is_old = changed[kept..].iter().all(|at| image[*at] == before[*at]);
        let others = (0..image.len()).all(|at| before[at] != after[at] || image[at] == before[at]);
        rest_is_old && others
    }
}
