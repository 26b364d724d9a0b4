use std::path::{Path, PathBuf};

use iobound_workload::{shell_path, shell_word};

use super::kin::{Kin, Relation};
use super::look::Probe;
use super::refusal::{Because, Reason};
use super::spaces::{Namespace, Spaces};
use crate::block::{self, Device};
use crate::mounts::Mount;
use crate::world::unescaped;
use crate::{DeviceNumber, Node, NodeKind, World};

/// Current uses of the machine, to compare with devices and files.
pub(super) struct Uses {
    mounts: Vec<Mounted>,
    swaps: Vec<(PathBuf, Option<Node>)>,
    btrfs: Vec<Vec<Device>>,
}

/// A mount, and what was mounted.
struct Mounted {
    number: DeviceNumber,
    filesystem: String,
    source: PathBuf,
    /// Its mount point, for the person.
    point: String,
    /// Source of the mount: devices, or the file that an EROFS is in.
    sources: Vec<Node>,
}

impl Mounted {
    fn of(world: &World, look: &dyn Probe, space: &Namespace, mount: &Mount) -> Mounted {
        let node = |path: &Path| space.node(world, look, path);
        let whole = Some(mount.source.as_path()).filter(|source| source.is_absolute()).and_then(node);
        // A file system on several devices names them with colons between (bcachefs).
        let text = mount.source.to_string_lossy();
        let several = text.split(':').filter(|source| text.contains(':') && source.starts_with("/dev/"));
        let sources = whole.into_iter().chain(several.filter_map(|source| node(Path::new(source)))).collect();
        Mounted {
            number: mount.number,
            filesystem: mount.filesystem.clone(),
            source: mount.source.clone(),
            point: space.point(mount),
            sources,
        }
    }

    fn barred(&self, what: &str) -> Reason {
        let point = &self.point;
        let place = point.split(" (as process").next().unwrap_or(point);
        Reason::new(
            Because::Mounted,
            format!("{what} is mounted at {point}"),
            format!("unmount it first (umount {}), or name a file in it", shell_word(place)),
        )
    }
}

impl Uses {
    pub(super) fn of(world: &World, look: &dyn Probe, spaces: &Spaces) -> Uses {
        let node = |path: &Path| look.node(&world.path(path)).ok();
        let mounts = spaces.iter().flat_map(|space| space.mounts().map(move |mount| (space, mount)));
        Uses {
            mounts: mounts.map(|(space, mount)| Mounted::of(world, look, space, mount)).collect(),
            swaps: swaps(world).into_iter().map(|path| (path.clone(), node(&path))).collect(),
            btrfs: block::btrfs_members(world),
        }
    }

    /// The use that a device is in, by number: names may be anything.
    pub(super) fn of_device(&self, world: &World, kin: &Kin) -> Option<Reason> {
        self.mounted(kin)
            .or_else(|| self.in_btrfs(kin))
            .or_else(|| self.swapped_to(kin))
            .or_else(|| built_on(world, kin))
    }

    fn mounted(&self, kin: &Kin) -> Option<Reason> {
        let number = kin.device.number();
        let mount = self.mounts.iter().find(|mount| {
            mount.number == number || mount.sources.iter().any(|source| source.block() == Some(number))
        })?;
        Some(mount.barred(&kin.name()))
    }

    fn in_btrfs(&self, kin: &Kin) -> Option<Reason> {
        let members = |members: &&Vec<Device>| members.iter().any(|m| m.number() == kin.device.number());
        self.btrfs.iter().find(members)?;
        Some(Reason::new(
            Because::Mounted,
            format!("{} belongs to a btrfs file system that is in use", kin.name()),
            "unmount it first (btrfs filesystem show), or name a file in it",
        ))
    }

    fn swapped_to(&self, kin: &Kin) -> Option<Reason> {
        let number = kin.device.number();
        let (path, _) = self
            .swaps
            .iter()
            .find(|(_, node)| node.is_some_and(|node| node.block() == Some(number)))
            .or_else(|| {
                // Its node may be out of sight here; the kernel's name is not.
                self.swaps.iter().find(|(path, node)| {
                    node.is_none()
                        && path.strip_prefix("/dev").is_ok_and(|n| n == Path::new(kin.device.name()))
                })
            })?;
        Some(Reason::new(
            Because::Swap,
            format!("the machine swaps to {}", kin.name().trim_end_matches(',')),
            format!("turn the swap off first (swapoff {}), or name another target", shell_path(path)),
        ))
    }

    /// The use that a file is in.
    pub(super) fn of_file(&self, node: &Node) -> Option<Reason> {
        self.file_swapped_to(node).or_else(|| {
            let mount = self.mounts.iter().find(|mount| {
                mount.sources.iter().any(|source| source.kind == NodeKind::File && source.is_same(node))
            })?;
            Some(mount.barred("the file system in this file"))
        })
    }

    /// An EROFS that is mounted from a file which has another name by now: the target may be that file.
    pub(super) fn of_renamed_image(&self) -> Option<Reason> {
        let mount = self.mounts.iter().find(|mount| {
            let is_file = |node: &Node| node.kind == NodeKind::File;
            mount.filesystem == "erofs"
                && mount.number.is_anonymous()
                && mount.sources.iter().all(|source| !is_file(source) && source.block().is_none())
        })?;
        let source = mount.source.display();
        Some(mount.barred(&format!(
            "this file has an EROFS file system, and the file {source} of a mounted one has moved"
        )))
    }

    fn file_swapped_to(&self, node: &Node) -> Option<Reason> {
        let (path, _) =
            self.swaps.iter().find(|(_, swap)| swap.as_ref().is_some_and(|swap| swap.is_same(node)))?;
        Some(Reason::new(
            Because::Swap,
            "the machine swaps to this file",
            format!("turn the swap off first (swapoff {}), or name another file", shell_path(path)),
        ))
    }
}

/// A file behind a loop device is in use as a disk. `unseen` are other paths of the file that this process does not
/// see.
pub(super) fn shown_by_loop(
    world: &World,
    look: &dyn Probe,
    nodes: &[Node],
    unseen: &[PathBuf],
) -> Option<Reason> {
    let shows = |device: &Device| {
        look.backing(world, device).is_some_and(|backing| {
            nodes.iter().any(|node| backing.is(node)) || unseen.contains(&backing.path)
        })
    };
    let device = Device::all(world).into_iter().find(|device| device.family() == "loop" && shows(device))?;
    let name = device.name();
    Some(Reason::new(
        Because::Loop,
        format!("the loop device {name} shows this file as a disk"),
        format!("detach it first (losetup -d /dev/{name}), or name another file"),
    ))
}

fn swaps(world: &World) -> Vec<PathBuf> {
    let text = world.bytes("/proc/swaps").unwrap_or_default();
    // A title, then a line for each: `/swap\040file  file  1048572  0  -2`.
    let lines = text.split(|byte| *byte == b'\n').skip(1);
    let names = lines.filter_map(|line| line.split(|byte| matches!(byte, b' ' | b'\t')).next());
    names.filter(|name| !name.is_empty()).map(unescaped).collect()
}

fn built_on(world: &World, kin: &Kin) -> Option<Reason> {
    let name = kin.device.name();
    match kin.relation {
        Relation::Itself | Relation::Partition | Relation::Disk | Relation::Overlap | Relation::Below => None,
        Relation::Loop => Some(Reason::new(
            Because::Loop,
            format!("{} is a loop device in use", kin.name()),
            format!("detach it first (losetup -d /dev/{name})"),
        )),
        Relation::BuiltOn => {
            let (what, help) = built(world, &kin.device);
            Some(Reason::new(Because::BuiltOn, format!("{} is {what}", kin.name()), help))
        }
    }
}

/// Kind of a device that is built on others, and the way to take it apart. Device mapper's names are prefixed with
/// whose they are (`dm/uuid`).
fn built(world: &World, device: &Device) -> (String, String) {
    let node = device.node(world);
    let node = node.display();
    let name = device.value("dm/name").unwrap_or_else(|| device.name().to_string());
    let owner = device.value("dm/uuid").unwrap_or_default();
    let owner = owner.split('-').next().unwrap_or_default().to_string();
    match (device.family(), owner.as_str()) {
        ("md", _) => (
            "an active md array".into(),
            format!("name {node} to write to the array, or stop it (mdadm --stop {node})"),
        ),
        ("bcache", _) => (
            "an active cache".into(),
            format!("name {node}, or stop it (echo 1 > /sys/block/{}/bcache/stop)", device.name()),
        ),
        (_, "LVM") => (
            format!("the active LVM volume {name}"),
            format!(
                "name /dev/mapper/{name} to write to the volume, or deactivate it (lvchange -an /dev/mapper/{name})"
            ),
        ),
        (_, "CRYPT") => {
            (format!("the open encrypted volume {name}"), format!("close it first (cryptsetup close {name})"))
        }
        (_, "mpath") => {
            (format!("the multipath device {name}, which owns it"), format!("name /dev/mapper/{name}"))
        }
        ("dm-", _) => (
            format!("the active device-mapper volume {name}"),
            format!("remove it first (dmsetup remove {name})"),
        ),
        _ => ("in use".to_string(), format!("stop {node} first")),
    }
}
