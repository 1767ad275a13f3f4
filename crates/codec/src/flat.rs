//! Directories as FlatBuffers.
//!
//! The safe reader of the `flatbuffers` crate checks a whole value before anything of it is read, which that of Java does not: a
//! damaged value could otherwise lead outside of it.

use flatbuffers::FlatBufferBuilder;

use crate::Directory;
use crate::directory::{fold, fold_acl, fold_text};
use crate::directory_info_generated::bakeoff::directory::flat::{
    Acl, AclArgs, AclScope, AclType, DirectoryInfo, DirectoryInfoArgs, root_as_directory_info,
};

pub(crate) fn object_id(value: &[u8]) -> Option<u64> {
    Some(root_as_directory_info(value).ok()?.object_id() as u64)
}

pub(crate) fn fields(value: &[u8], state: &mut u64) -> Option<u64> {
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

pub(crate) fn encode(builder: &mut FlatBufferBuilder<'static>, directory: &Directory, out: &mut Vec<u8>) {
    builder.reset();
    let time_ms = directory.time_ms() as i64;
    let name = Some(builder.create_string(directory.name()));
    let owner = Some(builder.create_string(directory.owner()));
    let group = Some(builder.create_string(directory.group()));
    // One text that both share, as in the benchmark.
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
