//! Directories as Protocol Buffers messages.
//!
//! A test checks that these messages match `schema/directory_info.proto`.

use prost::Message;

use super::directory::{Directory, fold, fold_acl, fold_text};

#[derive(Clone, PartialEq, Message)]
struct Acl {
    #[prost(string, required, tag = "1")]
    name: String,
    #[prost(int32, required, tag = "2")]
    kind: i32,
    #[prost(int32, required, tag = "3")]
    scope: i32,
    #[prost(int32, required, tag = "4")]
    permissions: i32,
}

#[derive(Clone, PartialEq, Message)]
struct DirectoryInfo {
    #[prost(uint64, required, tag = "1")]
    object_id: u64,
    #[prost(uint64, required, tag = "2")]
    update_id: u64,
    #[prost(uint64, required, tag = "3")]
    parent_id: u64,
    #[prost(uint64, required, tag = "4")]
    creation_time: u64,
    #[prost(uint64, required, tag = "5")]
    modification_time: u64,
    #[prost(string, required, tag = "6")]
    name: String,
    #[prost(string, required, tag = "7")]
    owner: String,
    #[prost(string, required, tag = "8")]
    group: String,
    #[prost(int32, required, tag = "9")]
    permission: i32,
    #[prost(message, repeated, tag = "10")]
    acls: Vec<Acl>,
}

pub(crate) fn object_id(value: &[u8]) -> Option<u64> {
    Some(DirectoryInfo::decode(value).ok()?.object_id)
}

pub(crate) fn fields(value: &[u8], state: &mut u64) -> Option<u64> {
    let info = DirectoryInfo::decode(value).ok()?;
    let numbers = [info.object_id, info.update_id, info.parent_id, info.creation_time, info.modification_time];
    let all = numbers.into_iter().fold(*state, fold);
    let all = [&info.name, &info.owner, &info.group].into_iter().fold(all, |state, text| fold_text(state, text));
    let all = fold(fold(all, i64::from(info.permission) as u64), info.acls.len() as u64);
    *state =
        info.acls.iter().fold(all, |state, acl| fold_acl(state, &acl.name, [acl.kind, acl.scope, acl.permissions]));
    Some(info.object_id)
}

pub(crate) fn encode(directory: &Directory, out: &mut Vec<u8>) {
    let time_ms = directory.time_ms();
    let acls = directory.acls().iter().map(|acl| Acl {
        name: acl.name.to_owned(),
        kind: acl.kind,
        scope: acl.scope,
        permissions: acl.permissions,
    });
    let info = DirectoryInfo {
        object_id: directory.object_id,
        update_id: time_ms,
        parent_id: directory.parent_id,
        creation_time: time_ms,
        modification_time: time_ms,
        name: directory.name().to_owned(),
        owner: directory.owner().to_owned(),
        group: directory.group().to_owned(),
        permission: i32::from(directory.permissions()),
        acls: acls.collect(),
    };
    out.extend_from_slice(&info.encode_to_vec());
}
