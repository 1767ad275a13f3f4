//! Directories as FlatBuffers: written by code that flatc generated, read by [`Table`].
//!
//! The crate has two readers. The safe one verifies a whole value before the first access, which Java's reader does not do. So a walk in
//! Rust would do more work than the same walk in Java, and the difference would grow with the value. The other one trusts the bytes, but a
//! store's answer must be checked. So [`Table`] works like Java's reader: it follows only the offsets it needs, and checks that each step
//! stays inside the value.

use flatbuffers::{FlatBufferBuilder, VOffsetT};

use super::directory::{Directory, fold, fold_acl, fold_text};
use super::directory_info_generated::bakeoff::directory::flat::{
    Acl, AclArgs, AclScope, AclType, DirectoryInfo, DirectoryInfoArgs,
};

/// A table of a FlatBuffer: its position, and the position of its list of fields. An offset that leads outside the bytes gives [`None`].
#[derive(Clone, Copy)]
struct Table<'a> {
    bytes: &'a [u8],
    position: usize,
    slots_position: usize,
    slots_bytes: u16,
}

impl<'a> Table<'a> {
    /// The outermost table of a FlatBuffer.
    fn root(bytes: &'a [u8]) -> Option<Self> {
        Self::at(bytes, follow(bytes, 0)?)
    }

    fn at(bytes: &'a [u8], position: usize) -> Option<Self> {
        let back = i32::from_le_bytes(number(bytes, position)?);
        let slots_position = usize::try_from(i64::try_from(position).ok()? - i64::from(back)).ok()?;
        let slots_bytes = u16::from_le_bytes(number(bytes, slots_position)?);
        Some(Self { bytes, position, slots_position, slots_bytes })
    }

    /// The position of a field; `Some(None)` if the table omits it.
    #[inline]
    fn field(&self, slot: VOffsetT) -> Option<Option<usize>> {
        if slot >= self.slots_bytes {
            return Some(None);
        }
        let offset = u16::from_le_bytes(number(self.bytes, self.slots_position.checked_add(usize::from(slot))?)?);
        match offset {
            0 => Some(None),
            _ => self.position.checked_add(usize::from(offset)).map(Some),
        }
    }

    /// The bytes of a number; zeros if it is omitted, since all defaults of this schema are 0.
    #[inline]
    fn number<const BYTES: usize>(&self, slot: VOffsetT) -> Option<[u8; BYTES]> {
        self.field(slot)?.map_or(Some([0; BYTES]), |position| number(self.bytes, position))
    }

    fn i64(&self, slot: VOffsetT) -> Option<i64> {
        self.number(slot).map(i64::from_le_bytes)
    }

    fn i16(&self, slot: VOffsetT) -> Option<i16> {
        self.number(slot).map(i16::from_le_bytes)
    }

    fn i8(&self, slot: VOffsetT) -> Option<i8> {
        self.number(slot).map(i8::from_le_bytes)
    }

    /// A string, which must be present and UTF-8.
    fn text(&self, slot: VOffsetT) -> Option<&'a str> {
        let (begin, length) = self.vector(slot)?;
        std::str::from_utf8(self.bytes.get(begin..begin.checked_add(length)?)?).ok()
    }

    /// The tables of a vector, which must be present, and their declared number.
    fn tables(&self, slot: VOffsetT) -> Option<(usize, impl Iterator<Item = Option<Self>> + use<'a>)> {
        let ((begin, length), bytes) = (self.vector(slot)?, self.bytes);
        let table = move |index: usize| Self::at(bytes, follow(bytes, begin.checked_add(index.checked_mul(4)?)?)?);
        Some((length, (0..length).map(table)))
    }

    /// The position of a vector's first element, and the declared number of elements.
    fn vector(&self, slot: VOffsetT) -> Option<(usize, usize)> {
        let position = follow(self.bytes, self.field(slot)??)?;
        let length = u32::from_le_bytes(number(self.bytes, position)?);
        Some((position.checked_add(4)?, usize::try_from(length).ok()?))
    }
}

/// The target of the offset at `position`.
#[inline]
fn follow(bytes: &[u8], position: usize) -> Option<usize> {
    let offset = u32::from_le_bytes(number(bytes, position)?);
    position.checked_add(usize::try_from(offset).ok()?)
}

#[inline]
fn number<const BYTES: usize>(bytes: &[u8], position: usize) -> Option<[u8; BYTES]> {
    bytes.get(position..)?.first_chunk().copied()
}

pub(crate) fn object_id(value: &[u8]) -> Option<u64> {
    Some(Table::root(value)?.i64(DirectoryInfo::VT_OBJECT_ID)? as u64)
}

pub(crate) fn fields(value: &[u8], state: &mut u64) -> Option<u64> {
    let info = Table::root(value)?;
    let object_id = info.i64(DirectoryInfo::VT_OBJECT_ID)? as u64;
    let mut all = fold(*state, object_id);
    for slot in [
        DirectoryInfo::VT_UPDATE_ID,
        DirectoryInfo::VT_PARENT_ID,
        DirectoryInfo::VT_CREATION_TIME,
        DirectoryInfo::VT_MODIFICATION_TIME,
    ] {
        all = fold(all, info.i64(slot)? as u64);
    }
    for slot in [DirectoryInfo::VT_NAME, DirectoryInfo::VT_OWNER, DirectoryInfo::VT_GROUP] {
        all = fold_text(all, info.text(slot)?);
    }
    let (acls_length, acls) = info.tables(DirectoryInfo::VT_ACLS)?;
    all = fold(fold(all, i64::from(info.i16(DirectoryInfo::VT_PERMISSIONS)?) as u64), acls_length as u64);
    for acl in acls {
        let acl = acl?;
        let numbers = [
            i32::from(acl.i8(Acl::VT_TYPE_)?),
            i32::from(acl.i8(Acl::VT_SCOPE)?),
            i32::from(acl.i16(Acl::VT_PERMISSIONS)?),
        ];
        all = fold_acl(all, acl.text(Acl::VT_NAME)?, numbers);
    }
    *state = all;
    Some(object_id)
}

pub(crate) fn encode(builder: &mut FlatBufferBuilder<'static>, directory: &Directory, out: &mut Vec<u8>) {
    builder.reset();
    let time_ms = directory.time_ms() as i64;
    let name = Some(builder.create_string(directory.name()));
    let owner = Some(builder.create_string(directory.owner()));
    let group = Some(builder.create_string(directory.group()));
    // Both share one string, as in the original benchmark.
    let [first, _] = directory.acls();
    let acl_name = Some(builder.create_string(first.name));
    let acls = directory.acls().map(|acl| {
        let (type_, scope) = (AclType(acl.kind as i8), AclScope(acl.scope as i8));
        Acl::create(builder, &AclArgs { name: acl_name, type_, scope, permissions: acl.permissions as i16 })
    });
    let acls = Some(builder.create_vector(&acls));
    let info = DirectoryInfo::create(
        builder,
        &DirectoryInfoArgs {
            object_id: directory.object_id as i64,
            update_id: time_ms,
            parent_id: directory.parent_id as i64,
            creation_time: time_ms,
            modification_time: time_ms,
            name,
            owner,
            group,
            permissions: directory.permissions(),
            acls,
        },
    );
    builder.finish_minimal(info);
    out.extend_from_slice(builder.finished_data());
}

#[cfg(test)]
mod tests {
    use super::super::directory_info_generated::bakeoff::directory::flat::root_as_directory_info;
    use super::*;
    use proptest::prelude::*;

    /// The same as [`fields`], with the crate's reader.
    fn fields_of_crate(value: &[u8], state: &mut u64) -> Option<u64> {
        let info = root_as_directory_info(value).ok()?;
        let numbers =
            [info.object_id(), info.update_id(), info.parent_id(), info.creation_time(), info.modification_time()];
        let mut all = numbers.into_iter().fold(*state, |state, number| fold(state, number as u64));
        for text in [info.name(), info.owner(), info.group()] {
            all = fold_text(all, text?);
        }
        let acls = info.acls()?;
        all = fold(fold(all, i64::from(info.permissions()) as u64), acls.len() as u64);
        for acl in acls {
            let numbers = [i32::from(acl.type_().0), i32::from(acl.scope().0), i32::from(acl.permissions())];
            all = fold_acl(all, acl.name()?, numbers);
        }
        *state = all;
        Some(info.object_id() as u64)
    }

    type AclFields = (Option<String>, i8, i8, i16);

    /// Directories of any content, with fields omitted at random; a number of 0 is omitted too.
    fn written() -> impl Strategy<Value = Vec<u8>> {
        // Mostly present, so that complete directories are frequent.
        let text = || proptest::option::weighted(0.9, "[a-zé/]{0,12}");
        let number = || prop_oneof![Just(0), any::<i64>()];
        let acl = (text(), -1_i8..5, 0_i8..3, any::<i16>());
        let acls = proptest::option::weighted(0.9, proptest::collection::vec(acl, 0..4));
        (proptest::array::uniform5(number()), proptest::array::uniform3(text()), any::<i16>(), acls)
            .prop_map(|(numbers, texts, permissions, acls)| write(numbers, texts, permissions, acls))
    }

    fn write(
        [object_id, update_id, parent_id, creation_time, modification_time]: [i64; 5],
        texts: [Option<String>; 3],
        permissions: i16,
        acls: Option<Vec<AclFields>>,
    ) -> Vec<u8> {
        let mut builder = FlatBufferBuilder::new();
        let [name, owner, group] = texts.map(|text| text.map(|text| builder.create_string(&text)));
        let acls = acls.map(|acls| {
            let written = acls.into_iter().map(|(name, type_, scope, permissions)| {
                let name = name.map(|name| builder.create_string(&name));
                let (type_, scope) = (AclType(type_), AclScope(scope));
                Acl::create(&mut builder, &AclArgs { name, type_, scope, permissions })
            });
            let written = written.collect::<Vec<_>>();
            builder.create_vector(&written)
        });
        let info = DirectoryInfo::create(
            &mut builder,
            &DirectoryInfoArgs {
                object_id,
                update_id,
                parent_id,
                creation_time,
                modification_time,
                name,
                owner,
                group,
                permissions,
                acls,
            },
        );
        builder.finish_minimal(info);
        builder.finished_data().to_vec()
    }

    #[test]
    fn a_single_field_is_read_without_looking_at_the_rest() {
        let (mut builder, mut value) = (FlatBufferBuilder::new(), Vec::new());
        encode(&mut builder, &Directory { object_id: 300, parent_id: 59 }, &mut value);
        // The end of the name, which was written first. The crate's reader refuses the value; Java's reads the id.
        let end = value.len();
        value[end - 8..].fill(0xFF);
        assert!(root_as_directory_info(&value).is_err());
        assert_eq!((object_id(&value), fields(&value, &mut 0)), (Some(300), None));
    }

    proptest! {
        #[test]
        fn what_the_reader_of_the_crate_reads_is_read(value in written()) {
            let (mut ours, mut theirs) = (7, 7);
            prop_assert_eq!(fields(&value, &mut ours), fields_of_crate(&value, &mut theirs));
            prop_assert_eq!(ours, theirs);
            let id = root_as_directory_info(&value).unwrap().object_id();
            prop_assert_eq!(object_id(&value), Some(id as u64));
        }

        #[test]
        fn damage_never_panics_and_what_the_crate_still_takes_is_the_same(
            mut value in written(),
            damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
            length in any::<proptest::sample::Index>(),
            cut in any::<bool>(),
        ) {
            for (at, to) in damage {
                let at = at.index(value.len());
                value[at] = to;
            }
            if cut {
                value.truncate(length.index(value.len() + 1));
            }
            let (mut ours, mut theirs) = (7, 7);
            let (read, read_by_crate) = (fields(&value, &mut ours), fields_of_crate(&value, &mut theirs));
            object_id(&value);
            if read_by_crate.is_some() {
                prop_assert_eq!((read, ours), (read_by_crate, theirs));
            }
        }
    }
}
