//! Mounting and unmounting of directories.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use iobound_emulate::fuse::{MountOptions, Mounted, Unmounted, take_away_dead};
use iobound_emulate::{FrontId, Pacer, Shared, Spin};
use iobound_units::{Bytes, Span};
use rustix::io::Errno;

use crate::bench::{Served, is_here, shared, striped};

fn blueprint() -> iobound_model::Blueprint {
    striped(Bytes::mib(1), Span::ZERO)
}

fn emulator() -> Arc<Shared> {
    shared(&blueprint())
}

fn refused(directory: &Path) -> String {
    let error = Mounted::start(&emulator(), FrontId(0), &MountOptions::of(directory)).expect_err("refused");
    error.to_string()
}

#[test]
fn the_directory_is_as_it_was_when_nobody_uses_it_any_more() {
    if !is_here() {
        return;
    }
    let place = tempfile::tempdir().expect("a directory");
    let new = place.path().join("new");
    for (directory, stays) in [(place.path(), true), (&new, false)] {
        let mounted =
            Mounted::start(&emulator(), FrontId(0), &MountOptions::of(directory)).expect("it is empty");
        assert!(directory.join("data").is_file());
        assert_eq!(mounted.help_text(), None);
        assert_eq!(mounted.unmount().expect("it goes"), Unmounted::Clean);
        assert_eq!(directory.is_dir(), stays);
        if stays {
            assert_eq!(std::fs::read_dir(directory).expect("a directory").count(), 0);
        }
    }
}

#[test]
fn a_directory_in_use_goes_out_of_sight_and_open_files_work_on() {
    if !is_here() {
        return;
    }
    let place = tempfile::tempdir().expect("a directory");
    let shared = emulator();
    let _pacer = Pacer::start(&shared, Spin::Never).expect("a thread");
    let mounted = Mounted::start(&shared, FrontId(0), &MountOptions::of(place.path())).expect("it is empty");
    let open = OpenOptions::new().read(true).write(true).open(place.path().join("data")).expect("a file");
    assert_eq!(mounted.unmount().expect("it goes"), Unmounted::InUse);
    assert!(!place.path().join("data").exists());
    open.write_all_at(&[3; 512], 0).expect("it is served");
    let mut read = [0; 512];
    open.read_exact_at(&mut read, 0).expect("it is served");
    assert_eq!(read, [3; 512]);
}

#[test]
fn what_is_no_empty_directory_of_nobody_else_is_refused_in_words() {
    if !is_here() {
        return;
    }
    let place = tempfile::tempdir().expect("a directory");
    let served = Served::new(&blueprint());
    std::fs::write(place.path().join("file"), "text").expect("it is written");
    for (directory, why) in [
        (place.path().to_path_buf(), "contains \"file\""),
        (place.path().join("file"), "not a directory"),
        (place.path().join("a/b"), "neither the directory nor its parent exists"),
        (served.mounted.directory().to_path_buf(), "already serves disks here"),
    ] {
        let said = refused(&directory);
        assert!(said.starts_with(&directory.display().to_string()) && said.contains(why), "{said}");
    }
    assert!(served.path("data").is_file(), "its program still runs");
}

#[test]
fn what_cannot_be_done_to_a_disk_is_refused_and_an_open_that_truncates_leaves_it_as_it_is() {
    if !is_here() {
        return;
    }
    let served = Served::new(&blueprint());
    let file = served.buffered("data");
    file.write_all_at(b"kept", 0).expect("it is inside");
    let refused = |result: std::io::Result<()>| result.expect_err("refused").raw_os_error();
    let denied = Some(Errno::PERM.raw_os_error());
    let new = served.path("new");
    let directory = served.mounted.directory().to_path_buf();
    // The directory's mode refuses it first to who is not root.
    let expected =
        if rustix::process::geteuid().is_root() { denied } else { Some(Errno::ACCESS.raw_os_error()) };
    assert_eq!(refused(std::fs::write(&new, "")), expected);
    assert_eq!(refused(std::fs::create_dir(&new)), expected);
    assert_eq!(refused(std::fs::remove_file(served.path("data"))), expected);
    assert_eq!(refused(std::fs::rename(served.path("data"), directory.join("new"))), expected);
    assert_eq!(refused(file.set_len(4096)), Some(Errno::INVAL.raw_os_error()));
    file.set_len(2 << 20).expect("the size that it has");
    let truncating =
        OpenOptions::new().write(true).truncate(true).open(served.path("data")).expect("as a disk");
    assert_eq!(truncating.metadata().expect("a file").len(), 2 << 20);
    let mut read = [0; 4];
    file.read_exact_at(&mut read, 0).expect("it is inside");
    assert_eq!(&read, b"kept");
}

/// The example, which serves until its input ends or it is killed.
fn server(directory: &Path) -> (Child, PathBuf) {
    let own = std::env::current_exe().expect("a path");
    let target = own.ancestors().nth(2).expect("target/debug/deps");
    let path = target.join("examples/fuse_server");
    let mut child = Command::new(&path)
        .arg(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}: cargo build --examples makes it", path.display()));
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    (child, PathBuf::from(line.trim_end()))
}

#[test]
fn the_mount_of_a_killed_program_is_mended_by_the_next_start() {
    if !is_here() {
        return;
    }
    let place = tempfile::tempdir().expect("a directory");
    // A name that the kernel escapes in its list.
    let wanted = place.path().join("my disks");
    let (mut child, directory) = server(&wanted);
    assert!(directory.join("data").is_file());
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let dead = std::fs::metadata(&directory).expect_err("nobody answers");
    assert_eq!(dead.kind(), ErrorKind::NotConnected, "{dead}");
    let mounted =
        Mounted::start(&emulator(), FrontId(0), &MountOptions::of(&wanted)).expect("it is repaired");
    assert!(mounted.help_text().is_some_and(|said| said.contains("killed")));
    assert!(directory.join("data").is_file());
    assert_eq!(mounted.unmount().expect("it goes"), Unmounted::Clean);
    // It was made by who was killed, and is nobody's now.
    assert_eq!(std::fs::read_dir(&directory).expect("a directory").count(), 0);
}

#[test]
fn dead_mounts_in_a_folder_are_taken_away_and_one_that_is_served_is_not() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    assert_eq!(take_away_dead(folder.path()), Ok(0));
    let (mut child, dead) = server(&folder.path().join("dead"));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert_eq!(take_away_dead(folder.path()), Ok(1));
    assert_eq!(std::fs::read_dir(&dead).expect("a directory").count(), 0);
    let served = Mounted::start(&emulator(), FrontId(0), &MountOptions::of(folder.path().join("served")));
    let served = served.expect("it is new");
    let refused = take_away_dead(folder.path()).expect_err("it is served").to_string();
    assert!(refused.contains("its program still runs"), "{refused}");
    assert!(served.directory().join("data").is_file());
}
