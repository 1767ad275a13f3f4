//! A directory as the tree of a tape has it, and what reading all its fields comes to.

/// Milliseconds from 1970 to the time at which the first directory was made: September 2020.
const BEGIN_MS: u64 = 1_600_000_000_000;
/// Directories made in a millisecond.
const PER_MS: u64 = 100;
const NAME: &str = "/abcdefghifklmno";
const OWNER: &str = "sodonnell";
const GROUP: &str = "hadoop-read-write";
const ACL_NAME: &str = "otheruser";
const PERMISSIONS: i16 = 755;
/// Both of a directory: the first in its own scope (1, DEFAULT), the second for access (0).
const ACLS: [Acl<'static>; 2] = [
    Acl { name: ACL_NAME, kind: 0, scope: 1, permissions: 7 },
    Acl { name: ACL_NAME, kind: 0, scope: 0, permissions: 7 },
];

/// An entry of a directory's list of rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acl<'a> {
    /// Whose rights.
    pub name: &'a str,
    /// USER 0, GROUP 1, MASK 2, OTHER 3.
    pub kind: i32,
    /// ACCESS 0, DEFAULT 1.
    pub scope: i32,
    /// Three bits.
    pub permissions: i32,
}

/// What is known of a directory. Everything but its ids is the same in all, or nearly so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Its own id.
    pub object_id: u64,
    /// The id of the directory that it lies in; the root is 0.
    pub parent_id: u64,
}

impl Directory {
    /// When it was made, and changed: milliseconds from 1970; its update id too.
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

    /// Rights of others.
    pub fn acls(&self) -> &'static [Acl<'static>; 2] {
        &ACLS
    }

    /// What reading all fields makes of the state: reading the serialised directory with [`crate::read`] does the same.
    pub fn fold_fields(&self, state: u64) -> u64 {
        let time_ms = self.time_ms();
        let ids = [self.object_id, time_ms, self.parent_id, time_ms, time_ms];
        let state = ids.into_iter().fold(state, fold);
        let state = [NAME, OWNER, GROUP].into_iter().fold(state, fold_text);
        let state = fold(fold(state, PERMISSIONS as u64), ACLS.len() as u64);
        ACLS.iter().fold(state, |state, acl| fold_acl(state, acl.name, [acl.kind, acl.scope, acl.permissions]))
    }
}

/// The next state after a number was read.
#[inline]
pub(crate) fn fold(state: u64, number: u64) -> u64 {
    (state.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The next state after a text was read: of its length, its first byte and its last.
#[inline]
pub(crate) fn fold_text(state: u64, text: &str) -> u64 {
    let ends = match text.as_bytes() {
        [] => 0,
        [only] => u64::from(*only) * 0x101,
        [first, .., last] => u64::from(*first) | u64::from(*last) << 8,
    };
    fold(state, text.len() as u64 | ends << 48)
}

/// The next state after an entry of rights was read: its name, and its kind, scope and permissions as signed numbers.
#[inline]
pub(crate) fn fold_acl(state: u64, name: &str, numbers: [i32; 3]) -> u64 {
    numbers.into_iter().fold(fold_text(state, name), |state, number| fold(state, i64::from(number) as u64))
}
