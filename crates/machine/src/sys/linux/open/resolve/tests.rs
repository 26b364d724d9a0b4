use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;
use std::io::{Read, Write};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

fn write(path: &Path, text: &str) {
    File::create(path).and_then(|mut file| file.write_all(text.as_bytes())).expect("it can be written");
}

fn text(mut file: File) -> String {
    let mut text = String::new();
    file.read_to_string(&mut text).expect("it can be read");
    text
}

fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
}

#[test]
fn a_path_leads_to_the_same_file_as_the_kernel_finds() {
    let folder = folder();
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).expect("directories");
    write(&inner.join("file"), "here");
    symlink("../a/b", folder.path().join("a/link")).expect("a link");
    symlink(inner.join("file"), folder.path().join("absolute")).expect("a link");
    for path in ["a/b/file", "a/./b/../b/file", "a/link/file", "absolute", "a/link/../b/file"] {
        let path = folder.path().join(path);
        let resolved = resolve(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(resolved.identity(), Identity::at(&path), "{}", path.display());
        assert_eq!(text(resolved.open(Access::READ).expect("it opens")), "here");
        assert_eq!(resolved.is_link, path.ends_with("absolute"));
    }
    for path in ["/", ".", "..", "/proc/self/cwd"] {
        let resolved = resolve(Path::new(path)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(resolved.identity(), Identity::at(Path::new(path)), "{path}");
        assert!(Directory::open(Path::new(path)).is_ok(), "{path}");
    }
}

#[test]
fn the_last_component_may_be_missing_and_no_other() {
    let folder = folder();
    let resolved = resolve(&folder.path().join("new")).expect("its directory is there");
    assert!(!resolved.exists() && resolved.name == "new");
    let created = resolved.directory.create_new(&resolved.name, 0o600).expect("it is created");
    assert_eq!(Identity::of_open(&created).ok(), Identity::at(&folder.path().join("new")));
    let error = resolved.directory.create_new(&resolved.name, 0o600).expect_err("it exists");
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    let kind = |path: &str| resolve(&folder.path().join(path)).expect_err("it fails").kind();
    assert_eq!(kind("none/new"), Some(io::ErrorKind::NotFound));
    assert_eq!(kind("new/file"), Some(io::ErrorKind::NotADirectory));
    symlink("loop", folder.path().join("loop")).expect("a link");
    assert!(kind("loop").is_some());
}

#[test]
fn a_link_in_a_directory_that_others_can_write_to_is_not_followed() {
    let folder = folder();
    let open = folder.path().join("open");
    std::fs::create_dir(&open).expect("a directory");
    write(&folder.path().join("victim"), "precious");
    symlink("../victim", open.join("file")).expect("a link");
    symlink("..", open.join("directory")).expect("a link");
    assert!(resolve(&open.join("file")).is_ok(), "nobody else can write there yet");
    open_to_all(&open);
    for path in ["file", "directory/victim"] {
        let error = resolve(&open.join(path)).expect_err("others can redirect it");
        assert!(matches!(error, PathError::Untrusted { .. }), "{error}");
        assert!(error.to_string().contains("symbolic link that another user can redirect"), "{error}");
    }
    // The file by its own name, through the same directory, is all right.
    assert!(resolve(&open.join("../victim")).is_ok());
}

#[test]
fn a_file_that_was_resolved_is_opened_whatever_takes_its_name() {
    let folder = folder();
    let path = folder.path().join("file");
    write(&path, "first");
    let resolved = resolve(&path).expect("it is there");
    std::fs::rename(&path, folder.path().join("moved")).expect("it can be renamed");
    symlink("/etc/passwd", &path).expect("a link");
    assert_eq!(text(resolved.open(Access::READ).expect("it opens")), "first");
    // Where there is no /proc, the name is tried, and a link or another file is refused.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW;
    assert!(rustix::fs::openat(&*resolved.directory, "file", flags, Mode::empty()).is_err());
}

#[test]
fn only_the_same_file_is_removed() {
    let folder = folder();
    let directory = Directory::open(folder.path()).expect("it is there");
    let file = directory.create_new(OsStr::new("a"), 0o600).expect("a new file");
    let identity = Identity::of_open(&file).expect("it is open");
    write(&folder.path().join("b"), "another");
    std::fs::rename(folder.path().join("b"), folder.path().join("a")).expect("it takes its place");
    assert!(!directory.remove_same(OsStr::new("a"), identity).expect("it can be looked at"));
    let identity = Identity::at(&folder.path().join("a")).expect("it is there");
    assert!(directory.remove_same(OsStr::new("a"), identity).expect("it can be removed"));
    assert!(!directory.remove_same(OsStr::new("a"), identity).expect("it is gone"));
}

#[test]
fn an_own_file_is_replaced_at_once_and_nothing_else_is() {
    let folder = folder();
    let directory = Directory::open(folder.path()).expect("it is there");
    let (own, path) = (OsStr::new("own"), folder.path().join("own"));
    directory.replace_own(own, 0o644, b"one").expect("it is new");
    let open = File::open(&path).expect("it is there");
    directory.replace_own(own, 0o644, b"two").expect("it is ours");
    assert_eq!(text(open), "one", "the old file is not touched");
    assert_eq!(text(File::open(&path).expect("it is there")), "two");
    // A link, a file of two names, a directory, a pipe.
    write(&folder.path().join("victim"), "precious");
    symlink("victim", folder.path().join("link")).expect("a link");
    std::fs::hard_link(folder.path().join("victim"), folder.path().join("hard")).expect("a link");
    std::fs::create_dir(folder.path().join("directory")).expect("a directory");
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(&directory, "pipe", pipe, Mode::from_raw_mode(0o600), 0).expect("a pipe");
    for name in ["link", "hard", "directory", "pipe"] {
        let error = directory.replace_own(OsStr::new(name), 0o644, b"no").expect_err("it is not ours");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{name}: {error}");
    }
    assert_eq!(text(File::open(folder.path().join("victim")).expect("it is there")), "precious");
    assert!(directory.open_existing(OsStr::new("link"), Access::READ).is_err());
    assert!(directory.open_existing(OsStr::new("pipe"), Access::READ).is_err());
    let left = std::fs::read_dir(folder.path()).expect("it can be listed");
    assert_eq!(
        left.filter(|entry| entry
            .as_ref()
            .is_ok_and(|e| e.file_name().to_string_lossy().starts_with(".iobound")))
            .count(),
        0
    );
}

#[test]
fn a_file_that_took_the_name_meanwhile_is_left_alone() {
    let folder = folder();
    let directory = Directory::open(folder.path()).expect("it is there");
    let name = OsStr::new("out");
    directory.replace_own(name, 0o644, b"old").expect("it is new");
    let old = directory.replaceable(name).expect("it is ours");
    let mut new = directory.temporary(0o644).expect("a new file");
    new.file().write_all(b"new").expect("it can be written");
    write(&folder.path().join("other"), "somebody's");
    std::fs::rename(folder.path().join("other"), folder.path().join("out")).expect("it takes its place");
    let error = new.commit(name, old).expect_err("another file has the name");
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(text(File::open(folder.path().join("out")).expect("it is there")), "somebody's");
    let mut new = directory.temporary(0o644).expect("a new file");
    new.file().write_all(b"new").expect("it can be written");
    assert!(new.commit(name, None).is_err(), "the name is not free");
}

#[test]
fn a_directory_of_another_user_or_open_to_others_is_told() {
    let folder = folder();
    let directory = Directory::open(folder.path()).expect("it is there");
    assert_eq!(directory.others_can_write().expect("it is open"), None);
    for mode in [0o775, 0o757, 0o1777] {
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).expect("it is ours");
        let who = directory.others_can_write().expect("it is open");
        assert!(who.is_some_and(|who| who.contains(&format!("{mode:04o}"))), "{mode:o}");
    }
}
