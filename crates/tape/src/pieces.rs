//! Bytes that are made piece by piece, and taken in parts of any length.

/// Makes bytes piece by piece.
pub(crate) trait Pieces {
    /// The piece that was made last, and how many of its bytes were taken.
    fn piece(&mut self) -> (&[u8], &mut usize);

    /// Makes the next piece. None of its bytes are taken.
    fn next_piece(&mut self);

    /// Fills the buffer from the pieces.
    fn fill(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let (piece, taken) = self.piece();
            if *taken == piece.len() {
                self.next_piece();
                continue;
            }
            let rest = &piece[*taken..];
            let length = rest.len().min(bytes.len());
            let (now, later) = bytes.split_at_mut(length);
            now.copy_from_slice(&rest[..length]);
            *taken += length;
            bytes = later;
        }
    }
}
