//! Dealing the operations of a tape with one lane to the lanes of another, where it is known only at the end which lanes there are.
//!
//! The tape is read twice: how long each lane becomes says where in the file the next one begins, so that each block is written once,
//! to its place.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use xxhash_rust::xxh64::Xxh64;

use crate::format::BLOCK_HEADER_BYTES;
use crate::part_file::PartFile;
use crate::writer::OpenBlock;
use crate::{LaneFacts, Record, TapeError, TapeHeader, TapeReader, TapeShape};

/// A tape with its lanes written and its header missing. Dropped without [`DealtTape::finish`], it leaves nothing
/// behind.
pub struct DealtTape {
    // Closed before it is removed.
    file: File,
    place: PartFile,
    lanes: Vec<LaneFacts>,
    content_checksum: u64,
}

impl DealtTape {
    /// Deals the operations of the tape `from`, in its order, to the lanes of a tape that will be at `path`. `routes`
    /// is called twice. Each route gets one operation after another, and gives its lane, if it has one.
    ///
    /// # Errors
    /// The tape has several lanes or is damaged, there are too many, a route fails, or the disk is full.
    pub fn create<Route>(
        from: &TapeReader,
        path: &Path,
        shape: TapeShape,
        mut routes: impl FnMut() -> Result<Route, TapeError>,
    ) -> Result<Self, TapeError>
    where
        Route: FnMut(&Record<'_>) -> Result<Option<u32>, TapeError>,
    {
        let (place, file) = PartFile::create(path, shape)?;
        let mut lanes = vec![LaneFacts::default(); shape.lanes as usize];
        each_block(from, lanes.len(), routes()?, |lane, block| {
            block.count(&mut lanes[lane]);
            Ok(())
        })?;
        let mut offset = place.header_bytes as u64;
        for lane in &mut lanes {
            lane.offset = offset;
            offset += lane.bytes;
        }
        let mut tape = Self { file, place, lanes, content_checksum: 0 };
        tape.write(from, routes()?)?;
        Ok(tape)
    }

    fn write(
        &mut self,
        from: &TapeReader,
        route: impl FnMut(&Record<'_>) -> Result<Option<u32>, TapeError>,
    ) -> Result<(), TapeError> {
        let mut places: Vec<u64> = self.lanes.iter().map(|lane| lane.offset).collect();
        let mut checksums = vec![Vec::new(); self.lanes.len()];
        each_block(from, self.lanes.len(), route, |lane, block| {
            let (header, records) = block.parts();
            self.file
                .write_all_at(&header.encode(), places[lane])
                .and_then(|()| self.file.write_all_at(records, places[lane] + BLOCK_HEADER_BYTES as u64))
                .map_err(TapeError::io("write to", &self.place.temporary))?;
            places[lane] += (BLOCK_HEADER_BYTES + records.len()) as u64;
            checksums[lane].extend_from_slice(&header.checksum.to_le_bytes());
            Ok(())
        })?;
        let mut content = Xxh64::new(0);
        checksums.iter().for_each(|lane| content.update(lane));
        self.content_checksum = content.digest();
        Ok(())
    }

    /// Ends the tape: writes the header, with this pool and metadata, and gives the file its name.
    ///
    /// # Errors
    /// The metadata is longer than the room kept for it, or the disk is full.
    pub fn finish(self, (pool_bytes, pool_checksum): (u64, u64), metadata: &str) -> Result<TapeHeader, TapeError> {
        let header = TapeHeader {
            operations: self.lanes.iter().map(|lane| lane.operations).sum(),
            pool_bytes,
            pool_checksum,
            file_bytes: self.lanes.iter().fold(self.place.header_bytes as u64, |sum, lane| sum + lane.bytes),
            content_checksum: self.content_checksum,
            tape_checksum: 0,
            metadata: metadata.to_owned(),
            lanes: self.lanes,
        };
        self.place.complete(&self.file, header)
    }
}

/// Puts the operations of a tape's lane into blocks of several lanes, and hands over each when it is full.
fn each_block(
    from: &TapeReader,
    lanes: usize,
    mut route: impl FnMut(&Record<'_>) -> Result<Option<u32>, TapeError>,
    mut ended: impl FnMut(usize, &OpenBlock) -> Result<(), TapeError>,
) -> Result<(), TapeError> {
    let mut open: Vec<OpenBlock> = (0..lanes).map(|_| OpenBlock::default()).collect();
    let mut lane = from.lane(0)?;
    while let Some(block) = lane.next_block()? {
        for record in block.records() {
            let Some(to) = route(&record)? else { continue };
            let to = (to as usize).min(lanes - 1);
            if open[to].is_full_for(&record) {
                ended(to, &open[to])?;
                open[to].clear();
            }
            open[to].add(&record);
        }
    }
    from.check_unchanged()?;
    for (to, block) in open.iter().enumerate().filter(|(_, block)| !block.is_empty()) {
        ended(to, block)?;
    }
    Ok(())
}
