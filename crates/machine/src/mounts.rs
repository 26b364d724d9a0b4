use std::path::{Path, PathBuf};

use crate::world::unescaped;
use crate::{DeviceNumber, Node, World, sys};

/// The file system that the emulator serves its disks as: a FUSE of that subtype.
pub const EMULATED: &str = "fuse.iobound";

/// A line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Its number.
    pub id: u64,
    /// The file system's device; btrfs, overlay and the like have an anonymous one.
    pub number: DeviceNumber,
    /// Mounted folder of the file system.
    pub root: PathBuf,
    /// Mount point.
    pub point: PathBuf,
    /// The file system: `ext4`, `tmpfs`.
    pub filesystem: String,
    /// The mounts: a device's path, or any word.
    pub source: PathBuf,
    /// Its options, of the file system itself.
    pub options: Vec<String>,
}

impl Mount {
    /// The value of an option such as `upperdir`.
    pub fn option(&self, name: &str) -> Option<PathBuf> {
        let value = self.options.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('='))?;
        Some(unescaped(value.as_bytes()))
    }

    /// The folders whose files an overlay shows, the upper one first; none for other file systems. Relative ones are
    /// left out: nothing tells relative to what.
    pub(crate) fn layers(&self) -> Vec<PathBuf> {
        if self.filesystem != "overlay" {
            return Vec::new();
        }
        let mut layers: Vec<PathBuf> = self.option("upperdir").into_iter().collect();
        for option in &self.options {
            let Some((name, value)) = option.split_once('=') else { continue };
            let value = unescaped(value.as_bytes());
            match name {
                "lowerdir" => layers.extend(separated(&value)),
                // One option a layer, of the newer mount API.
                "lowerdir+" | "datadir+" => layers.push(value),
                _ => {}
            }
        }
        layers.retain(|layer| layer.is_absolute());
        layers
    }

    fn parse(line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|byte| *byte == b' ');
        let mut next = || fields.next();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let id = text(next()?).parse().ok()?;
        next()?;
        let number = text(next()?).parse().ok()?;
        let (root, point) = (unescaped(next()?), unescaped(next()?));
        // The mount's own options, then any number of tags, then a dash.
        while next()? != b"-" {}
        let filesystem = text(next()?);
        let source = unescaped(next()?);
        let options = text(next().unwrap_or_default());
        let options = options.split(',').map(str::to_string).collect();
        Some(Mount { id, number, root, point, filesystem, source, options })
    }
}

/// The parts of a `lowerdir`: colons separate them, and a backslash makes the next character an ordinary one.
fn separated(value: &Path) -> Vec<PathBuf> {
    let mut parts = vec![Vec::new()];
    let mut bytes = value.as_os_str().as_encoded_bytes().iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b':' => parts.push(Vec::new()),
            b'\\' => parts.last_mut().expect("it has one part at least").extend(bytes.next()),
            byte => parts.last_mut().expect("it has one part at least").push(*byte),
        }
    }
    parts.into_iter().map(sys::path_of_bytes).collect()
}

/// The mounts, as this process sees it, in the order of mounting.
#[derive(Clone, Debug, Default)]
pub struct Mounts(Vec<Mount>);

impl Mounts {
    /// Reads the table; a line that can't be understood is left out.
    pub fn of(world: &World) -> Mounts {
        Mounts::read(world, "self")
    }

    /// The table of another process, whose mount namespace may be another.
    pub(crate) fn of_process(world: &World, process: u32) -> Mounts {
        Mounts::read(world, &process.to_string())
    }

    fn read(world: &World, process: &str) -> Mounts {
        let text = world.bytes(&format!("/proc/{process}/mountinfo")).unwrap_or_default();
        Mounts(text.split(|byte| *byte == b'\n').filter_map(Mount::parse).collect())
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Mount> {
        self.0.iter()
    }

    /// The mount that a path was reached by: by its number where the kernel tells it, else by the longest mount
    /// point above it. Of several on one point the last hides the others.
    pub fn holding(&self, path: &Path, node: &Node) -> Option<&Mount> {
        if let Some(id) = node.mount
            && let Some(mount) = self.0.iter().find(|mount| mount.id == id)
        {
            return Some(mount);
        }
        let mut best: Option<&Mount> = None;
        for mount in self.0.iter().filter(|mount| path.starts_with(&mount.point)) {
            let longer = |best: &Mount| mount.point.components().count() >= best.point.components().count();
            if best.is_none_or(longer) {
                best = Some(mount);
            }
        }
        best
    }

    /// True if a path lies on an emulated disk. Only an emulator mounts a file system of that name.
    pub fn is_emulated(&self, path: &Path, node: &Node) -> bool {
        self.holding(path, node).is_some_and(|mount| mount.filesystem == EMULATED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeKind;

    fn mounts(text: &[u8]) -> Mounts {
        Mounts(text.split(|byte| *byte == b'\n').filter_map(Mount::parse).collect())
    }

    // The line with tags is proc_pid_mountinfo(5)'s own example.
    const TABLE: &[u8] = b"\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
40 27 0:50 / /mnt/my\\040data rw shared:7 propagate_from:3 - btrfs /dev/sdb rw
41 27 0:51 / /over rw - overlay overlay rw,lowerdir=/l,upperdir=/up\\054a,workdir=/w
";

    #[test]
    fn a_line_is_read_whatever_tags_it_has() {
        let table = mounts(TABLE);
        let points: Vec<_> = table.iter().map(|mount| mount.point.to_str().unwrap()).collect();
        assert_eq!(points, ["/", "/mnt2", "/mnt/my data", "/over"]);
        let second = table.iter().nth(1).unwrap();
        assert_eq!(second.number, DeviceNumber { major: 98, minor: 0 });
        assert_eq!((second.root.to_str(), second.filesystem.as_str()), (Some("/mnt1"), "ext3"));
        let overlay = table.iter().nth(3).unwrap();
        assert_eq!(overlay.option("upperdir"), Some(PathBuf::from("/up,a")));
        assert_eq!(overlay.option("upper"), None);
    }

    #[test]
    fn the_layers_of_an_overlay_are_its_folders_from_the_upper_one_down() {
        let table = mounts(
            b"1 1 0:1 / /a rw - overlay o rw,lowerdir=/x\\134:y:l/rel:/z,upperdir=/u,workdir=/w\n\
2 1 0:2 / /b rw - overlay o rw,lowerdir+=/one,lowerdir+=/two,datadir+=/three\n\
3 1 0:3 / /c rw - ext4 /dev/sda rw,lowerdir=/x\n",
        );
        let layers: Vec<Vec<PathBuf>> = table.iter().map(Mount::layers).collect();
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(layers, [paths(&["/u", "/x:y", "/z"]), paths(&["/one", "/two", "/three"]), paths(&[])]);
    }

    #[test]
    fn odd_lines_are_left_out() {
        for odd in [
            &b""[..],
            b"27",
            b"a b c d e f - g h i",
            b"27 1 254:0 / /",
            b"27 1 254:0 / / rw",
            b"27 1 x:0 / / rw - a b c",
        ] {
            assert_eq!(mounts(odd).iter().count(), 0, "{}", String::from_utf8_lossy(odd));
        }
    }

    #[test]
    fn a_path_is_held_by_its_mounts_number_or_by_the_longest_point_above_it() {
        let table = mounts(TABLE);
        let node = |mount| Node {
            kind: NodeKind::File,
            filesystem: DeviceNumber { major: 0, minor: 50 },
            inode: 1,
            mount,
            bytes: 0,
            allocated_bytes: 0,
            read_only: false,
        };
        let held = |path: &str, mount| table.holding(Path::new(path), &node(mount)).unwrap().id;
        assert_eq!(held("/mnt/my data/file", None), 40);
        assert_eq!(held("/mnt/my database", None), 27);
        assert_eq!(held("/anything", Some(36)), 36);
        assert_eq!(held("/anything", Some(999)), 27);
    }

    #[test]
    fn this_machine_has_a_root() {
        let mounts = Mounts::of(&World::real());
        assert!(mounts.iter().any(|mount| mount.point == Path::new("/")));
    }
}
