//! What was recorded of a disk: every write and flush in order, with the acknowledgements at that moment.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::base::{Base, put, take, take_bytes};
use crate::log::{Kind, LOG_BYTES_MAX};
use crate::random::Random;

/// What a saved recording begins with.
const MAGIC: &[u8; 8] = b"BAKECUT1";

/// Counters of a recording, at most.
const SLOTS_MAX: u64 = 1 << 13;

/// What reached the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Data at an offset.
    Write {
        /// Where on the disk it begins.
        offset: u64,
        /// Where in the log the data is.
        data: Range<usize>,
    },
    /// A range became zeros.
    Zero {
        /// Where on the disk it begins.
        offset: u64,
        /// Its length.
        bytes: u64,
    },
    /// Everything before is durable.
    Flush,
}

/// What was recorded of a disk.
#[derive(Clone, Debug)]
pub struct Recording {
    base: Base,
    bytes: Vec<u8>,
    slots: usize,
    events: Vec<(Recorded, usize)>,
    /// The counters when nothing more was written.
    end: Vec<u64>,
}

impl Recording {
    /// Reads the log of a disk that had this content at first, and whose counters were `end` at last.
    pub(crate) fn read(base: Base, log: &File, end: Vec<u64>) -> io::Result<Self> {
        let mut bytes = vec![0; usize::try_from(log.metadata()?.len()).map_err(io::Error::other)?];
        log.read_exact_at(&mut bytes, 0)?;
        Self::parse(base, bytes, end)
    }

    fn parse(base: Base, bytes: Vec<u8>, end: Vec<u64>) -> io::Result<Self> {
        let slots = end.len();
        let mut recording = Self { base, bytes, slots, events: Vec::new(), end };
        let mut at = 0;
        while at < recording.bytes.len() {
            at = recording.parse_entry(at)?;
        }
        Ok(recording)
    }

    /// Reads the entry at a place, and returns where it ends.
    fn parse_entry(&mut self, at: usize) -> io::Result<usize> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the log of the recorded disk is damaged");
        let number = |index: usize| self.number(at + 8 * index).ok_or_else(damaged);
        let (kind, offset, bytes) = (Kind::of(number(0)?).ok_or_else(damaged)?, number(1)?, number(2)?);
        let data = at + 8 * (3 + self.slots);
        let (event, end) = match kind {
            Kind::Flush => (Recorded::Flush, data),
            Kind::Zero => (Recorded::Zero { offset, bytes }, data),
            Kind::Write => {
                let end = data + bytes as usize;
                (Recorded::Write { offset, data: data..end }, end.next_multiple_of(8))
            }
            Kind::Full => {
                let most = LOG_BYTES_MAX >> 20;
                let what =
                    format!("more than {most} MiB were written, the most that is recorded: use fewer operations");
                return Err(io::Error::new(io::ErrorKind::StorageFull, what));
            }
        };
        if end > self.bytes.len() || data > self.bytes.len() {
            return Err(damaged());
        }
        self.events.push((event, at + 24));
        Ok(end)
    }

    fn number(&self, at: usize) -> Option<u64> {
        Some(u64::from_ne_bytes(self.bytes.get(at..at + 8)?.try_into().ok()?))
    }

    /// Writes it, to be read again by [`Self::load`].
    ///
    /// # Errors
    /// `out` takes no more.
    pub fn save(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(MAGIC)?;
        self.base.save(out)?;
        put(out, self.slots as u64)?;
        self.end.iter().try_for_each(|count| put(out, *count))?;
        put(out, self.bytes.len() as u64)?;
        out.write_all(&self.bytes)
    }

    /// Reads what [`Self::save`] wrote on a machine with the same order of bytes.
    ///
    /// # Errors
    /// It is something else, or damaged.
    pub fn load(input: &mut impl Read) -> io::Result<Self> {
        let mut magic = [0; MAGIC.len()];
        input.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "this is not a recording of a disk"));
        }
        let base = Base::load(input)?;
        let slots = take(input)?;
        let end = (0..slots.min(SLOTS_MAX)).map(|_| take(input)).collect::<io::Result<Vec<_>>>()?;
        let length = take(input)?;
        Self::parse(base, take_bytes(input, length)?, end)
    }

    /// The disk at first.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// The number of writes and flushes. A cut is before one of them or after the last.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Bytes of the recording.
    pub fn log_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// One of the writes and flushes.
    pub fn event(&self, at: usize) -> &Recorded {
        &self.events[at].0
    }

    /// The data of a write.
    pub(crate) fn data(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// The counters at a cut: what was acknowledged before it.
    pub fn acknowledged(&self, position: usize) -> Vec<u64> {
        match self.events.get(position) {
            Some((_, counters)) => (0..self.slots).filter_map(|slot| self.number(counters + 8 * slot)).collect(),
            None => self.end.clone(),
        }
    }

    /// What is pending at a cut: the writes since the last flush.
    pub fn pending(&self, position: usize) -> Range<usize> {
        let flush = self.events[..position].iter().rposition(|(event, _)| *event == Recorded::Flush);
        flush.map_or(0, |flush| flush + 1)..position
    }

    /// The first cut with the store created, its first counter set. `None` if it never was.
    pub fn created(&self) -> Option<usize> {
        (0..=self.len()).find(|position| self.acknowledged(*position).first().is_some_and(|count| *count > 0))
    }

    /// The cuts directly after acknowledgements, each with what was acknowledged. No later write has reached the disk.
    pub fn moments(&self) -> Vec<(usize, Vec<u64>)> {
        let mut before = vec![0; self.slots];
        let mut moments = Vec::new();
        for position in 0..=self.len() {
            let now = self.acknowledged(position);
            if now[1..] != before[1..] {
                moments.push((position, now.clone()));
                before = now;
            }
        }
        moments
    }

    /// Draws a cut in a range, weighted by the square of what is pending there, plus one.
    pub fn draw(&self, range: Range<usize>, random: &mut Random) -> Option<usize> {
        let (mut pending, mut sum, mut sums) = (self.pending(range.start).len() as u64, 0_u64, Vec::new());
        for position in range.clone() {
            sum += pending * pending + 1;
            sums.push(sum);
            let is_flush = self.events.get(position).is_none_or(|(event, _)| *event == Recorded::Flush);
            pending = if is_flush { 0 } else { pending + 1 };
        }
        let drawn = random.below(sum.max(1));
        (sum > 0).then(|| range.start + sums.partition_point(|sum| *sum <= drawn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Log;

    /// A recording of writes of one page each and flushes, with an acknowledgement after each flush.
    fn recording(writes_between_flushes: &[u64]) -> Recording {
        let file = crate::memory_file(0).unwrap();
        let (_, acknowledged) = crate::acknowledgements(1).unwrap();
        let mut log = Log::new(file.try_clone().unwrap(), LOG_BYTES_MAX);
        for (flush, writes) in writes_between_flushes.iter().enumerate() {
            for page in 0..*writes {
                log.add((Kind::Write, page * 4096, 4096), &[flush as u8; 4096], &acknowledged).unwrap();
            }
            log.add((Kind::Flush, 0, 0), &[], &acknowledged).unwrap();
            acknowledged.set_open();
            acknowledged.set_count(0, flush as u64 + 1);
        }
        let base = Base::read(&crate::memory_file(1 << 20).unwrap()).unwrap();
        Recording::read(base, &file, acknowledged.numbers().collect()).unwrap()
    }

    #[test]
    fn moments_are_the_last_before_the_next_write() {
        let recording = recording(&[2, 1, 3]);
        let moments: Vec<_> = recording.moments().into_iter().map(|(at, counts)| (at, counts[1])).collect();
        assert_eq!(moments, [(3, 1), (5, 2), (9, 3)]);
        assert_eq!(recording.created(), Some(3));
        assert_eq!((recording.pending(2), recording.pending(3), recording.pending(8)), (0..2, 3..3, 5..8));
    }

    #[test]
    fn what_is_saved_is_read_back() {
        let recording = recording(&[2, 1, 3]);
        let mut saved = Vec::new();
        recording.save(&mut saved).unwrap();
        let read = Recording::load(&mut &saved[..]).unwrap();
        assert_eq!((read.len(), read.moments()), (recording.len(), recording.moments()));
        assert!((0..read.len()).all(|at| read.event(at) == recording.event(at)));
        assert!(Recording::load(&mut &saved[..saved.len() - 1]).is_err());
        assert!(Recording::load(&mut &b"BAKECUT0"[..]).is_err());
    }

    #[test]
    fn cuts_are_drawn_where_much_is_pending() {
        let recording = recording(&[1, 30, 1]);
        let mut random = Random::new(1);
        let drawn: Vec<_> = (0..1_000).map(|_| recording.draw(0..recording.len() + 1, &mut random).unwrap()).collect();
        let in_the_middle = drawn.iter().filter(|at| (12..=32).contains(*at)).count();
        assert!(in_the_middle > 900, "{in_the_middle}");
        assert!(drawn.iter().all(|at| *at <= recording.len()));
        assert_eq!(recording.draw(5..5, &mut random), None);
    }

    #[test]
    fn a_full_log_is_an_error_that_says_what_to_do() {
        let file = crate::memory_file(0).unwrap();
        let (_, acknowledged) = crate::acknowledgements(1).unwrap();
        let mut log = Log::new(file.try_clone().unwrap(), 10_000);
        let mut add = || log.add((Kind::Write, 0, 4096), &[1; 4096], &acknowledged);
        assert!(add().is_ok() && add().is_ok());
        assert_eq!(add().unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(add().unwrap_err().kind(), io::ErrorKind::StorageFull);
        let base = Base::read(&crate::memory_file(1 << 20).unwrap()).unwrap();
        let why = Recording::read(base, &file, vec![0, 0]).unwrap_err().to_string();
        assert!(why.ends_with("use fewer operations"), "{why}");
    }
}
