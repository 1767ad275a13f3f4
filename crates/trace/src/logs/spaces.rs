//! Keys of several databases, column families or buckets, which are keys of one store here.

/// Makes keys that differ where their spaces do. Keys of the first space that comes stay as they are; the others begin with the name of
/// their space and a colon.
#[derive(Default)]
pub(crate) struct Spaces {
    first: Option<Box<[u8]>>,
    key: Vec<u8>,
}

impl Spaces {
    /// An empty key of this space, to be filled.
    pub(crate) fn begin(&mut self, space: &[u8]) -> &mut Vec<u8> {
        self.key.clear();
        if **self.first.get_or_insert_with(|| space.into()) != *space {
            self.key.extend_from_slice(space);
            self.key.push(b':');
        }
        &mut self.key
    }
}
