//! A tree of files that stands for a machine, as the kernel lays out `/proc` and `/sys`.

use std::fs;
pub(crate) use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::block::Device;
use crate::{DeviceNumber, World};

pub(crate) struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        let tree = Tree { folder: tempfile::tempdir().expect("a temporary folder") };
        for folder in ["sys/block", "sys/class/block", "sys/dev/block", "proc/self", "dev"] {
            fs::create_dir_all(tree.folder.path().join(folder)).expect("a folder");
        }
        tree
    }

    pub(crate) fn world(&self) -> World {
        World::at(self.folder.path())
    }

    pub(crate) fn path(&self, absolute: &str) -> PathBuf {
        self.world().path(absolute)
    }

    pub(crate) fn file(&self, absolute: &str, text: &str) -> PathBuf {
        let path = self.path(absolute);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    pub(crate) fn link(&self, absolute: &str, to: impl AsRef<Path>) {
        let path = self.path(absolute);
        fs::create_dir_all(path.parent().expect("a link lies in a folder")).expect("a folder");
        symlink(to, path).expect("a link");
    }

    /// A disk, or a device of the kernel's own, of 64 MiB.
    pub(crate) fn disk(&self, name: &str, number: &str) -> Device {
        self.device(&format!("/sys/devices/bus/block/{name}"), name, number);
        self.link(&format!("/sys/block/{name}"), self.path(&format!("/sys/devices/bus/block/{name}")));
        Device::named(&self.world(), name).expect("the device is there")
    }

    pub(crate) fn partition(&self, disk: &str, name: &str, number: &str) -> Device {
        let folder = format!("/sys/devices/bus/block/{disk}/{name}");
        self.device(&folder, name, number);
        let index = name.trim_start_matches(disk).trim_start_matches('p');
        self.file(&format!("{folder}/partition"), &format!("{index}\n"));
        Device::named(&self.world(), name).expect("the device is there")
    }

    fn device(&self, folder: &str, name: &str, number: &str) {
        self.file(&format!("{folder}/dev"), &format!("{number}\n"));
        self.file(&format!("{folder}/size"), "131072\n");
        self.file(&format!("{folder}/ro"), "0\n");
        self.file(&format!("{folder}/uevent"), &format!("DEVNAME={name}\nDEVTYPE=disk\n"));
        for linked in ["holders", "slaves"] {
            fs::create_dir_all(self.path(&format!("{folder}/{linked}"))).expect("a folder");
        }
        self.link(&format!("/sys/class/block/{name}"), self.path(folder));
        self.link(&format!("/sys/dev/block/{number}"), self.path(folder));
    }

    /// Writes a file of a device's folder: `queue/scheduler`.
    pub(crate) fn value(&self, device: &Device, name: &str, text: &str) {
        let path = device.folder().join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, format!("{text}\n")).expect("a file");
    }

    /// Builds one device on another.
    pub(crate) fn build_on(&self, upper: &Device, lower: &Device) {
        symlink(lower.folder(), upper.folder().join("slaves").join(lower.name())).expect("a link");
        symlink(upper.folder(), lower.folder().join("holders").join(upper.name())).expect("a link");
    }
}

pub(crate) fn number(text: &str) -> DeviceNumber {
    text.parse().expect("major:minor")
}
