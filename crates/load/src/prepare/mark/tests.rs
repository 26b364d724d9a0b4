use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::XattrFlags;

use super::*;

fn mark() -> Mark {
    let content = Content::Compressible(Percent::from_ppm(123_456).expect("a share"));
    let filling = Filling { content, ..Filling::incompressible(u64::MAX) };
    Mark {
        size: 10 << 30,
        resized_from: Some(5),
        filled: 3 << 20,
        filling,
        refilled: None,
        created: 1_700_000_000,
        seal: Some(Seal { modified_ns: -5, samples: u64::MAX }),
        opened_by_others: false,
    }
}

fn made(path: &Path) -> Handle {
    File::create(path).expect("a file");
    Handle::open(path).expect("it is there")
}

/// Puts the mark into a sidecar, as on a file system without attributes.
fn put_beside(handle: &Handle) -> Vec<u8> {
    let mut text = [0; LONGEST];
    let length = rustix::fs::fgetxattr(handle.file(), ATTRIBUTE, &mut text[..]).expect("it is there");
    rustix::fs::fremovexattr(handle.file(), ATTRIBUTE).expect("it can be removed");
    sidecar::write(handle, &text[..length]).expect("it can be written beside");
    text[..length].to_vec()
}

#[test]
fn a_mark_reads_as_it_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let handle = made(&folder.path().join("a"));
    assert_eq!(Mark::read(&handle), None);
    assert!(mark().write(&handle).expect("it can be marked"));
    assert_eq!(Mark::read(&handle), Some(mark()));
    let content = Content::Repeated(Repeated::new(&[7; Repeated::MOST]).expect("that many"));
    let filling = Filling { content, ..mark().filling };
    let repeated = Mark { filling, refilled: Some(filling), seal: None, ..mark() };
    repeated.write(&handle).expect("it can be marked");
    assert_eq!(Mark::read(&handle), Some(repeated));
}

#[test]
fn a_mark_beside_the_file_is_that_of_this_file_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    let handle = made(&path);
    mark().write(&handle).expect("it can be marked");
    let text = put_beside(&handle);
    assert_eq!(Mark::read(&handle), Some(mark()), "as on a file system without attributes");
    // Somebody puts a file of their own in its place.
    std::fs::rename(&path, folder.path().join("b")).expect("it can be renamed");
    let other = made(&path);
    assert_eq!(Mark::read(&other), None);
    // A copy has the attribute, and is another file.
    rustix::fs::fsetxattr(other.file(), ATTRIBUTE, &text, XattrFlags::empty()).expect("it can be set");
    assert_eq!(Mark::read(&other), None);
}

#[test]
fn a_sidecar_that_is_a_link_is_neither_read_nor_written_through() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, elsewhere) = (folder.path().join("a"), folder.path().join("elsewhere"));
    let handle = made(&path);
    mark().write(&handle).expect("it can be marked");
    let text = put_beside(&handle);
    let beside = folder.path().join("a.iobound");
    std::fs::rename(&beside, &elsewhere).expect("it can be renamed");
    symlink(&elsewhere, &beside).expect("a link");
    assert_eq!(Mark::read(&handle), None);
    let error = sidecar::write(&handle, &text).expect_err("it is a link");
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    std::fs::remove_file(&beside).expect("it can be removed");
    std::fs::hard_link(&elsewhere, &beside).expect("a second name");
    assert_eq!(Mark::read(&handle), None);
}

#[test]
fn somebodys_file_of_the_sidecars_name_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let handle = made(&folder.path().join("a"));
    let beside = folder.path().join("a.iobound");
    for content in ["notes", "{\"version\":1}", ""] {
        File::create(&beside)
            .and_then(|mut file| io::Write::write_all(&mut file, content.as_bytes()))
            .expect("notes");
        let error = sidecar::write(&handle, b"{}").expect_err("it is somebody's");
        assert!(error.to_string().contains("a.iobound exists and is not a mark"), "{error}");
        sidecar::remove(&handle);
        let mut kept = String::new();
        File::open(&beside)
            .and_then(|mut file| io::Read::read_to_string(&mut file, &mut kept))
            .expect("notes");
        assert_eq!(kept, content);
    }
}

#[test]
fn what_is_no_mark_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let handle = made(&folder.path().join("a"));
    for text in [&b""[..], b"{}", b"\xff\xfe", b"[1]", b"{\"version\":2}", &[b'{'; 3000]] {
        rustix::fs::fsetxattr(handle.file(), ATTRIBUTE, text, XattrFlags::empty()).expect("it can be set");
        assert_eq!(Mark::read(&handle), None);
    }
}
