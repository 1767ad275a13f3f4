//! A directory in the tree of a tape, and the number that its fields fold into.

/// When the first directory was made, in milliseconds since 1970: September 2020.
const BEGIN_MS: u64 = 1_600_000_000_000;
/// Directories made per millisecond.
const PER_MS: u64 = 100;
const NAME: &str = "/abcdefghifklmno";
const OWNER: &str = "sodonnell";
const GROUP: &str = "hadoop-read-write";
const ACL_NAME: &str = "otheruser";
const PERMISSIONS: i16 = 755;
/// The two entries of every directory: one in its own scope (1, DEFAULT), one for access (0).
const ACLS: [Acl<'static>; 2] = [
    Acl { name: ACL_NAME, kind: 0, scope: 1, permissions: 7 },
    Acl { name: ACL_NAME, kind: 0, scope: 0, permissions: 7 },
];

/// An entry of a directory's access control list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acl<'a> {
    /// The name that has the rights.
    pub name: &'a str,
    /// USER 0, GROUP 1, MASK 2, OTHER 3.
    pub kind: i32,
    /// ACCESS 0, DEFAULT 1.
    pub scope: i32,
    /// Three bits.
    pub permissions: i32,
}

/// A directory's fields. All but its ids are the same, or nearly so, in every directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Its own id.
    pub object_id: u64,
    /// The id of its parent; the root is 0.
    pub parent_id: u64,
}

impl Directory {
    /// The time of its creation and of its change, in milliseconds since 1970; also its update id.
    pub fn time_ms(&self) -> u64 {
        BEGIN_MS + self.object_id / PER_MS
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        NAME
    }

    /// Its owner.
    pub fn owner(&self) -> &'static str {
        OWNER
    }

    /// Its owner's group.
    pub fn group(&self) -> &'static str {
        GROUP
    }

    /// Its permissions.
    pub fn permissions(&self) -> i16 {
        PERMISSIONS
    }

    /// Its access control list.
    pub fn acls(&self) -> &'static [Acl<'static>; 2] {
        &ACLS
    }

    /// Folds all fields into the state. [`crate::read`] of the serialised directory gives the same.
    pub fn fold_fields(&self, state: u64) -> u64 {
        let time_ms = self.time_ms();
        let ids = [self.object_id, time_ms, self.parent_id, time_ms, time_ms];
        let state = ids.into_iter().fold(state, fold);
        let state = [NAME, OWNER, GROUP].into_iter().fold(state, fold_text);
        let state = fold(fold(state, PERMISSIONS as u64), ACLS.len() as u64);
        ACLS.iter().fold(state, |state, acl| fold_acl(state, acl.name, [acl.kind, acl.scope, acl.permissions]))
    }
}

/// The state after reading a number.
#[inline]
pub(crate) fn fold(state: u64, number: u64) -> u64 {
    (state.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The state after reading a string: its length, its first byte and its last byte count.
#[inline]
pub(crate) fn fold_text(state: u64, text: &str) -> u64 {
    let ends = match text.as_bytes() {
        [] => 0,
        [only] => u64::from(*only) * 0x101,
        [first, .., last] => u64::from(*first) | u64::from(*last) << 8,
    };
    fold(state, text.len() as u64 | ends << 48)
}

/// The state after reading an access control entry: its name, then its kind, scope and permissions as signed numbers.
#[inline]
pub(crate) fn fold_acl(state: u64, name: &str, numbers: [i32; 3]) -> u64 {
    numbers.into_iter().fold(fold_text(state, name), |state, number| fold(state, i64::from(number) as u64))
}
