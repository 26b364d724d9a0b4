use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::look::Probe;
use crate::mounts::{Mount, Mounts};
use crate::{DeviceNumber, Node, World};

/// A mount namespace: what some processes see mounted.
pub(super) struct Namespace {
    /// Its root directory as this process sees it: `/`, or `/proc/812/root`.
    root: PathBuf,
    /// A process in it; `None` for this process's own namespace.
    process: Option<u32>,
    mounts: Mounts,
}

impl Namespace {
    /// Its mounts.
    pub(super) fn mounts(&self) -> impl Iterator<Item = &Mount> {
        self.mounts.iter()
    }

    /// Target of a path of that namespace.
    pub(super) fn node(&self, world: &World, look: &dyn Probe, path: &Path) -> Option<Node> {
        look.node(&world.path(self.root.join(path.strip_prefix("/").unwrap_or(path)))).ok()
    }

    /// A mount point for the person: `/data`, or `/data (as process 812 sees it)`.
    pub(super) fn point(&self, mount: &Mount) -> String {
        let point = mount.point.display();
        self.process
            .map_or_else(|| point.to_string(), |process| format!("{point} (as process {process} sees it)"))
    }

    /// True if it is this process's own.
    pub(super) fn is_own(&self) -> bool {
        self.process.is_none()
    }
}

/// All mount namespaces that can be seen: this process's own first, then those of other processes, each once.
pub(super) struct Spaces(Vec<Namespace>);

impl Spaces {
    /// Reads the mounts of each namespace.
    pub(super) fn of(world: &World) -> Spaces {
        let namespace = |process: &str| fs::read_link(world.path(format!("/proc/{process}/ns/mnt"))).ok();
        let mut seen: BTreeSet<PathBuf> = namespace("self").into_iter().collect();
        let mut spaces =
            vec![Namespace { root: PathBuf::from("/"), process: None, mounts: Mounts::of(world) }];
        for process in world.processes() {
            // Only root may see the namespaces of other users' processes.
            if namespace(&process.to_string()).is_some_and(|other| seen.insert(other)) {
                let mounts = Mounts::of_process(world, process);
                let root = PathBuf::from(format!("/proc/{process}/root"));
                spaces.push(Namespace { root, process: Some(process), mounts });
            }
        }
        Spaces(spaces)
    }

    /// Each of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Namespace> {
        self.0.iter()
    }

    fn own(&self) -> &Namespace {
        &self.0[0]
    }

    /// The device number that the kernel itself knows a file's file system by. `stat` tells another one for btrfs.
    pub(super) fn superblock(&self, node: &Node) -> DeviceNumber {
        let mounts = self.0.iter().flat_map(Namespace::mounts);
        let mount = mounts.into_iter().find(|mount| node.mount == Some(mount.id));
        mount.map_or(node.filesystem, |mount| mount.number)
    }

    /// A file and all other faces that it has through overlay file systems: the file in a layer below it, and the files
    /// that overlays show of it. Their device numbers differ, and a write to one may be a write to all.
    ///
    /// The second list has the paths of layers that this process does not see, as in a container.
    pub(super) fn faces(
        &self,
        world: &World,
        look: &dyn Probe,
        path: &Path,
        node: &Node,
    ) -> (Vec<Node>, Vec<PathBuf>) {
        let (mut nodes, mut unseen) = (vec![*node], Vec::new());
        let true_path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let mut open = vec![(world.inside(&true_path), *node)];
        while let Some((path, node)) = open.pop() {
            let below =
                self.own().mounts.holding(&path, &node).into_iter().flat_map(|mount| in_layers(mount, &path));
            // The first layer that has the file is the one that is shown.
            for layer in below {
                match self.own().node(world, look, &layer) {
                    Some(found) => {
                        if !nodes.iter().any(|known| known.is_same(&found)) {
                            nodes.push(found);
                            open.push((layer, found));
                        }
                        break;
                    }
                    None => unseen.push(layer),
                }
            }
            for space in &self.0 {
                for mount in space.mounts() {
                    for shown in shown_by(mount, &path) {
                        // A layer above may hide it: then the overlay shows another file.
                        let first = in_layers(mount, &shown)
                            .into_iter()
                            .find_map(|it| self.own().node(world, look, &it));
                        if first.is_some_and(|first| !first.is_same(&node)) {
                            continue;
                        }
                        if let Some(found) = space.node(world, look, &shown)
                            && !nodes.iter().any(|known| known.is_same(&found))
                        {
                            nodes.push(found);
                            if space.is_own() {
                                open.push((shown, found));
                            }
                        }
                    }
                }
            }
        }
        (nodes, unseen)
    }
}

/// Paths of a file of an overlay in each of its layers, from the upper one down; empty for other mounts.
fn in_layers(mount: &Mount, path: &Path) -> Vec<PathBuf> {
    let Ok(inside) = path.strip_prefix(&mount.point) else { return Vec::new() };
    // A folder of the overlay may be mounted alone.
    let folder = mount.root.strip_prefix("/").unwrap_or(&mount.root);
    mount.layers().iter().map(|layer| layer.join(folder).join(inside)).collect()
}

/// Paths at which an overlay shows a file of one of its layers.
fn shown_by(mount: &Mount, path: &Path) -> Vec<PathBuf> {
    let layers = mount.layers();
    let inside = layers.iter().filter_map(|layer| {
        let inside = Path::new("/").join(path.strip_prefix(layer).ok()?);
        Some(mount.point.join(inside.strip_prefix(&mount.root).ok()?))
    });
    inside.collect()
}
