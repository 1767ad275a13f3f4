//! The medium of a directory: file system, mount, device, space.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;
use serde::{Deserialize, Serialize};

use crate::disk::free_bytes;
use crate::mount::mount_of;
use crate::{DeviceId, sys};

/// The medium of a directory. A part that could not be read is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Medium {
    /// The directory, or its nearest existing parent, without symbolic links.
    pub directory: PathBuf,
    /// The whole block device, as `major:minor`; absent for file systems without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceId>,
    /// The device's name, e.g. `nvme0n1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_name: Option<String>,
    /// The device's model, as the device reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_model: Option<String>,
    /// Whether the device reports a spinning disk. Virtual disks often report it wrongly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// The I/O scheduler in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// The capacity of the device's queue, requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_requests: Option<u64>,
    /// The device's write cache according to the kernel: `write back` (flushes matter) or `write through`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<String>,
    /// The file system's type, e.g. `ext4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// The mount point of the file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mount_point: Option<PathBuf>,
    /// Options of the mount and of the file system, in alphabetical order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mount_options: Vec<String>,
    /// Size of the file system, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Free space for unprivileged processes, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// For a file system in an image file: the medium of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_on: Option<Box<Self>>,
}

impl Medium {
    /// Reads everything about the file system that holds `directory`, or will hold it once it is created.
    pub fn read(directory: &Path) -> Self {
        let directory = nearest_existing(directory);
        let mount = mount_of(&directory);
        let space = statvfs(&directory).ok();
        let medium = Self {
            file_system: mount.as_ref().map(|mount| mount.file_system.clone()),
            mount_point: mount.as_ref().map(|mount| mount.point.clone()),
            mount_options: mount.map(|mount| mount.options).unwrap_or_default(),
            total_bytes: space.as_ref().map(|space| space.f_blocks.saturating_mul(space.f_frsize)),
            free_bytes: space.as_ref().map(free_bytes),
            ..Self::default()
        };
        let device = DeviceId::of(&directory);
        Self { directory, ..medium }.with_device(device)
    }

    fn with_device(self, device: Option<DeviceId>) -> Self {
        let Some(device) = device else { return self };
        let path = device.sys_path();
        Self {
            device: Some(device),
            device_name: device.name(),
            device_model: sys::text(path.join("device/model")),
            rotational: sys::number(path.join("queue/rotational")).map(|flag| flag != 0),
            scheduler: sys::choice(path.join("queue/scheduler")),
            queue_requests: sys::number(path.join("queue/nr_requests")),
            write_cache: sys::text(path.join("queue/write_cache")),
            ..self
        }
    }

    /// Whether the file system is in memory, so that results show nothing about a disk.
    pub fn is_memory(&self) -> bool {
        matches!(self.file_system.as_deref(), Some("tmpfs" | "ramfs"))
    }
}

/// The directory, or its nearest existing parent, without symbolic links.
fn nearest_existing(directory: &Path) -> PathBuf {
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    absolute.ancestors().find_map(|ancestor| fs::canonicalize(ancestor).ok()).unwrap_or(absolute)
}
