//! A loop device on a served file, with a file system on it.

use std::path::Path;
use std::process::Command;

use iobound_units::{Bytes, Span};

use crate::bench::{Served, is_here, striped};

/// Runs a program to its end, and gives what it said.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).trim().to_string();
    assert!(output.status.success(), "{program} {arguments:?}: {}: {said}", output.status);
    said
}

fn has_all() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    let tools = ["losetup", "mkfs.ext4", "fsck.ext4", "mount", "umount"];
    let has = |tool: &&str| Command::new(tool).arg("-V").output().is_ok();
    let all = is_root && Path::new("/dev/loop-control").exists() && tools.iter().all(has);
    if !all {
        eprintln!("no loop devices or no ext4 tools here, or not root: nothing is checked");
    }
    all
}

/// A loop device, detached when it is dropped, also by a failing test.
struct Loop(String);

impl Loop {
    fn of(path: &Path, direct: &str) -> Loop {
        Loop(run("losetup", &["--find", "--show", direct, path.to_str().expect("text")]))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).output();
    }
}

/// A mounted file system, unmounted when it is dropped.
struct FileSystem<'a>(&'a Path);

impl<'a> FileSystem<'a> {
    fn of(device: &Loop, on: &'a Path) -> FileSystem<'a> {
        run("mount", &["-t", "ext4", &device.0, on.to_str().expect("text")]);
        FileSystem(on)
    }
}

impl Drop for FileSystem<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).output();
    }
}

#[test]
fn a_file_system_on_a_loop_device_keeps_its_files() {
    if !is_here() || !has_all() {
        return;
    }
    let served = Served::new(&striped(Bytes::mib(32), Span::from_us(100)));
    let place = tempfile::tempdir().expect("a directory");
    for direct in ["--direct-io=on", "--direct-io=off"] {
        let device = Loop::of(&served.path("data"), direct);
        run("mkfs.ext4", &["-q", "-F", &device.0]);
        let content = |n: usize| vec![n as u8; 10_000 * n];
        {
            let system = FileSystem::of(&device, place.path());
            for n in 0..40 {
                std::fs::write(system.0.join(format!("file{n}")), content(n)).expect("there is room");
            }
        }
        // Mounted again, the files come from the disks.
        {
            let system = FileSystem::of(&device, place.path());
            for n in 0..40 {
                let found = std::fs::read(system.0.join(format!("file{n}"))).expect("it is there");
                assert!(found == content(n), "{direct}: file{n}");
            }
        }
        run("fsck.ext4", &["-f", "-n", &device.0]);
    }
}
