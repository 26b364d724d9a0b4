//! Disks in files, and disks over an image.

#![allow(clippy::disallowed_methods, reason = "disks in files are what is tested")]

mod common;

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use common::{cases, compare, compare_allocation, pattern, play, play_from, steps};
use iobound_emulate::store::{
    Allocation, Backing, Contents, Durability, Image, Memory, Overlay, Pool, SparseFile,
};
use iobound_emulate::{Errno, ExportId, with_single_disks};
use iobound_machine::open::{Directory, Identity};
use iobound_model::{Blueprint, CacheId, CacheMode, CacheUse, DiskId, Event, Latency};
use iobound_units::{Bytes, Instant, Problem, Span};
use proptest::prelude::*;

const SIZE: u64 = 5 << 20;

fn pool() -> Pool {
    Pool::new(Bytes::mib(64)).expect("so much")
}

/// A problem and its fix, as the program shows them.
fn shown(problem: &Problem) -> String {
    format!("{problem}: {}", problem.help)
}

fn open(folder: &Path, size: u64) -> Result<SparseFile, String> {
    SparseFile::open(
        &Directory::open(folder).map_err(|error| error.to_string())?,
        "data.0",
        Bytes(size),
        &[],
        &pool(),
    )
    .map_err(|unusable| shown(&unusable))
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn a_file_has_what_was_written_last_also_when_it_is_opened_again(steps in steps(SIZE, 60)) {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = play(&mut open(folder.path(), SIZE).expect("a new file"), SIZE, &steps);
        compare(&mut open(folder.path(), SIZE).expect("our own file"), &kept);
    }
}

#[test]
fn a_file_takes_what_was_written_and_a_discard_gives_it_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut disk = open(folder.path(), 64 << 20).expect("a new file");
    assert_eq!(disk.held(), Bytes::ZERO);
    disk.write(8 << 20, &vec![1; 1 << 20]).expect("there is room");
    let held = disk.held();
    assert!(held >= Bytes::mib(1) && held < Bytes::mib(2), "{held:?}");
    disk.discard(8 << 20, 1 << 20).expect("it can be");
    assert_eq!(disk.held(), Bytes::ZERO);
    let length = folder.path().join("data.0.img").metadata().expect("it is there").size();
    assert_eq!(length, 64 << 20);
}

/// ext4, XFS, btrfs and tmpfs say where a file has data, in blocks of 4 KiB at most here.
#[test]
fn a_file_says_where_it_has_data_and_reserved_place_is_kept_by_zeroes_and_not_by_a_discard() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut disk = open(folder.path(), 64 << 20).expect("a new file");
    let mib = 1u64 << 20;
    assert_eq!(disk.allocation(0, 64 * mib), Ok((Allocation::Hole, 64 * mib)));
    disk.write(8 * mib, &vec![1; 1 << 20]).expect("there is room");
    assert_eq!(disk.allocation(0, 64 * mib), Ok((Allocation::Hole, 8 * mib)));
    assert_eq!(disk.allocation(8 * mib + 512, 64 * mib), Ok((Allocation::Data, 9 * mib)));
    assert_eq!(disk.allocation(9 * mib, 64 * mib), Ok((Allocation::Hole, 64 * mib)));
    disk.reserve(6 * mib, 4 * mib).expect("there is room");
    let held = disk.held();
    assert!(held >= Bytes::mib(4) && held < Bytes::mib(5), "{held:?}");
    let mut read = vec![0; 1 << 20];
    disk.read(8 * mib, &mut read).expect("it can be read");
    assert!(read.iter().all(|byte| *byte == 1), "what is there stays");
    disk.zero(7 * mib, 3 * mib).expect("there is room");
    disk.read(8 * mib, &mut read).expect("it can be read");
    assert!(read.iter().all(|byte| *byte == 0));
    assert!(disk.held() >= Bytes::mib(4), "{:?}", disk.held());
    disk.discard(6 * mib, 4 * mib).expect("it can be");
    assert_eq!(disk.held(), Bytes::ZERO);
}

#[test]
fn an_image_says_where_it_has_data_through_the_stripe_over_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut image = vec![0; SIZE as usize];
    image[1 << 20..(1 << 20) + 8192].fill(7);
    let mut volume = over(folder.path(), &[], &pool());
    // A sparse image: the file system's holes are the volume's.
    let file = File::options().write(true).open(folder.path().join("golden")).expect("the image");
    file.write_all_at(&image[1 << 20..][..8192], 1 << 20).expect("there is room");
    file.set_len(3 << 20).expect("it can be longer");
    assert_eq!(compare_allocation(&mut volume, &image), 8192);
    // Written and discarded since: no data of the image's any more.
    volume.discard(1 << 20, 4096).expect("it can be");
    volume.write(4 << 20, &[9; 4096]).expect("there is room");
    image[1 << 20..(1 << 20) + 4096].fill(0);
    image[4 << 20..(4 << 20) + 4096].fill(9);
    // A written page may be two of its disk: a unit begins where a page does not.
    let data = compare_allocation(&mut volume, &image);
    assert!((4096 + 4096..=4096 + 8192).contains(&data), "{data}");
}

#[test]
fn what_is_not_ours_or_does_not_fit_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data.0.img");
    std::fs::create_dir(&path).expect("a folder of that name");
    assert!(open(folder.path(), SIZE).is_err());
    std::fs::remove_dir(&path).expect("it can be removed");
    File::create(&path).and_then(|file| file.write_all_at(b"mine", 0)).expect("somebody's file");
    let refused = open(folder.path(), SIZE).expect_err("it is somebody's");
    assert!(
        refused.contains("data.0.img: it exists, and this program did not make it for a disk"),
        "{refused}"
    );
    let mut text = [0; 4];
    File::open(&path).and_then(|file| file.read_exact_at(&mut text, 0)).expect("it is there");
    assert_eq!(&text, b"mine");
    std::fs::remove_file(&path).expect("it can be removed");

    let first = open(folder.path(), SIZE).expect("a new file");
    let refused = open(folder.path(), SIZE).expect_err("it is in use");
    assert!(refused.contains("in use"), "{refused}");
    drop(first);
    let refused = open(folder.path(), 2 * SIZE).expect_err("another size");
    assert!(
        refused.contains("it is a disk of 5242880 bytes, and the configuration needs 10485760"),
        "{refused}"
    );
    for name in ["", "../data", "a/b"] {
        assert!(
            SparseFile::open(
                &Directory::open(folder.path()).expect("it is there"),
                name,
                Bytes(SIZE),
                &[],
                &pool()
            )
            .is_err(),
            "{name:?}"
        );
    }
    assert!(open(&folder.path().join("nowhere"), SIZE).is_err());
}

/// A mark is an attribute or a file that anybody can write: it does not make a file a disk.
#[test]
fn a_link_a_second_name_and_an_open_folder_are_refused_whatever_mark_there_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let (path, victim) = (folder.path().join("data.0.img"), folder.path().join("victim"));
    let content = vec![7; SIZE as usize];
    std::fs::write(&victim, &content).expect("somebody's file");
    drop(open(folder.path(), SIZE).expect("a new file"));
    std::fs::rename(&path, folder.path().join("disk")).expect("it can be renamed");
    symlink(&victim, &path).expect("a link");
    assert!(open(folder.path(), SIZE).expect_err("it is a link").contains("not a regular file"));
    std::fs::remove_file(&path).expect("a link");
    std::fs::hard_link(folder.path().join("disk"), &path).expect("a second name");
    assert!(
        open(folder.path(), SIZE).expect_err("two names").contains("2 names (hard links): add --overwrite")
    );
    std::fs::remove_file(folder.path().join("disk")).expect("it is there");
    drop(open(folder.path(), SIZE).expect("it is our own disk"));
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).expect("it is ours");
    assert!(open(folder.path(), SIZE).expect_err("anybody").contains("other users can write to it"));
    assert_eq!(std::fs::read(&victim).expect("it is there"), content);
}

#[test]
fn somebodys_file_is_used_only_when_it_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let directory = Directory::open(folder.path()).expect("it is there");
    let path = folder.path().join("data.0.img");
    std::fs::write(&path, vec![7; SIZE as usize]).expect("somebody's file");
    assert!(open(folder.path(), SIZE).is_err());
    let named = [Identity::at(&path).expect("it is there")];
    let mut disk = SparseFile::open(&directory, "data.0", Bytes(SIZE), &named, &pool()).expect("it is named");
    let mut read = [0; 512];
    disk.read(SIZE - 512, &mut read).expect("it can be read");
    assert_eq!(read, [7; 512], "what it holds is the disk's");
    drop(disk);
    let other = std::fs::write(folder.path().join("other"), [1]).map(|()| folder.path().join("other"));
    let named = [Identity::at(&other.expect("another file")).expect("it is there")];
    assert!(SparseFile::open(&directory, "data.0", Bytes(SIZE), &named, &pool()).is_err());
    assert!(SparseFile::open(&directory, "data.0", Bytes(2 * SIZE), &named, &pool()).is_err());
}

/// Larger than any file can be: the kernel counts their bytes in 63 bits.
#[test]
fn a_disk_that_no_file_can_be_as_large_as_is_refused_and_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = open(folder.path(), u64::MAX - 511).expect_err("it is too large");
    assert!(refused.contains("cannot extend it to 18446744073709551104 bytes"), "{refused}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn a_scratch_file_has_no_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut disks = [0, 1].map(|_| {
        SparseFile::scratch(&Directory::open(folder.path()).expect("it is there"), Bytes(SIZE), &pool())
            .expect("made")
    });
    for (n, disk) in disks.iter_mut().enumerate() {
        disk.write(0, &pattern(n, 0, 4096)).expect("there is room");
    }
    for (n, disk) in disks.iter_mut().enumerate() {
        let mut read = vec![0; 4096];
        disk.read(0, &mut read).expect("it can be read");
        assert!(read == pattern(n, 0, 4096));
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// Three disks in stripes of 32 KiB; the volume begins nowhere near a page.
fn striped() -> Blueprint {
    let mut blueprint = Blueprint::striped("data", 3, Bytes::mib(2), Latency::constant(Span::from_ms(1)));
    let volume = &mut blueprint.volumes[0];
    volume.disks.rotate_right(1);
    (volume.size, volume.interleave, volume.partition_offset) = (Bytes(SIZE), Bytes::kib(32), Bytes(OFFSET));
    with_single_disks(&blueprint)
}

const OFFSET: u64 = 33 * 512;

/// An export as a disk.
struct Whole(Contents, ExportId);

impl Backing for Whole {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        self.0.read(self.1, offset, into, None)
    }
    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.0.write(self.1, offset, data, Durability::AsCached)
    }
    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.0.discard(self.1, offset, len)
    }
    fn zero(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.0.zero(self.1, offset, len, Durability::AsCached)
    }
    fn allocation(&mut self, offset: u64, end: u64) -> Result<(Allocation, u64), Errno> {
        let mut runs = Vec::new();
        self.0.allocation(self.1, offset, end - offset, 1, &mut runs)?;
        Ok((runs[0].allocation, offset + runs[0].len))
    }
    fn held(&self) -> Bytes {
        self.0.held()
    }
    fn volatile(&self) -> Memory {
        pool().disk()
    }
}

/// A volume over an image with these bytes.
fn over(folder: &Path, image: &[u8], pool: &Pool) -> Whole {
    let (path, blueprint) = (folder.join("golden"), striped());
    std::fs::write(&path, image).expect("an image");
    let image = Image::open(&path, "data", blueprint.volumes[0].size).expect("it fits");
    let disks = (0..3).map(|_| Box::new(pool.disk()) as Box<dyn Backing>).collect();
    let disks = Overlay::over_image(&blueprint, 0, image, disks);
    Whole(Contents::new(&blueprint, disks), ExportId(0))
}

proptest! {
    #![proptest_config(cases(16))]

    /// The image ends within a sector; what is discarded is zeroes and not the image again.
    #[test]
    fn a_volume_is_its_image_with_what_was_written_since(steps in steps(SIZE, 60), length in 0..SIZE) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut kept = pattern(1_000_000, 0, SIZE);
        kept[length as usize..].fill(0);
        let pool = pool();
        let mut volume = over(folder.path(), &kept[..length as usize], &pool);
        play_from(&mut volume, &mut kept, &steps);
        let image = std::fs::read(folder.path().join("golden")).expect("it is there");
        prop_assert!(image == pattern(1_000_000, 0, SIZE)[..length as usize], "the image is as it was");
        drop(volume);
        prop_assert_eq!(pool.held(), Bytes::ZERO);
    }
}

/// What was acknowledged, what the flusher took, what lies over the image, and the bits that say so, share a limit. Whatever of them
/// finds no room: the request that asked for it is told so, and what was acknowledged before is read, from wherever it stuck.
#[test]
fn a_pool_that_is_full_under_an_image_behind_a_host_cache_loses_nothing() {
    const PAGE: u64 = 4096;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("golden");
    let size = Bytes::mib(64);
    std::fs::write(&path, pattern(9, 0, PAGE)).expect("an image");
    let mut blueprint = Blueprint::striped("data", 1, size, Latency::constant(Span::from_ms(1)));
    blueprint.disks[0].cache = Some(CacheUse { cache: CacheId(0), mode: CacheMode::ReadWrite });
    let (mut full, mut stuck) = (0, 0);
    for pages in 2..40 {
        let pool = Pool::new(Bytes(pages * PAGE)).expect("so much");
        let image = Image::open(&path, "data", size).expect("it fits");
        let disks = Overlay::over_image(&blueprint, 0, image, pool.disks(1));
        let mut volume = Whole(Contents::new(&blueprint, disks), ExportId(0));
        let mut kept = std::collections::BTreeMap::new();
        for n in 0..120usize {
            // Pages that lie in all four parts of the disk that have bits of their own.
            let at = (n as u64 * 7919) % (size.get() / PAGE) * PAGE;
            let (disk, offset, len) = (DiskId(0), at, PAGE as u32);
            let data = pattern(n, at, PAGE);
            match volume.write(at, &data) {
                Ok(()) => drop(kept.insert(at, data)),
                Err(errno) => {
                    assert_eq!(errno, Errno::NoSpace);
                    full += 1;
                }
            }
            let taken = Instant::from_ns(0);
            if n % 3 > 0 {
                volume.0.hear(&Event::WritingBack { disk, offset, len, at: taken });
            }
            if n % 3 > 1 {
                volume.0.hear(&Event::Cleaned { disk, offset, len, at: taken });
            }
            for (at, data) in &kept {
                let mut now = vec![0; PAGE as usize];
                volume.read(*at, &mut now).expect("it can be read");
                assert!(now == *data, "{pages} pages, {n}: what was acknowledged at {at} is lost");
            }
        }
        stuck += u32::from(volume.0.flush(ExportId(0)).is_err());
    }
    assert!(full > 0 && stuck > 0, "{full} writes and {stuck} flushes found no room");
}

#[test]
fn a_disk_has_its_part_of_the_image_and_zeroes_around_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let image = pattern(0, 0, SIZE);
    let mut volume = over(folder.path(), &image, &pool());
    // The volume's first disk is data.2: its first unit begins 33 sectors late, with the volume's first byte.
    volume.1 = ExportId(3);
    let mut unit = vec![1; 32 << 10];
    volume.read(0, &mut unit).expect("it can be read");
    assert!(unit[..OFFSET as usize].iter().all(|byte| *byte == 0));
    assert!(unit[OFFSET as usize..] == image[..(32 << 10) - OFFSET as usize]);
}

#[test]
fn an_image_that_does_not_fit_or_is_none_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("golden");
    let refusal =
        |path: &Path| shown(&Image::open(path, "data", Bytes(4096)).map(drop).expect_err("it can't be"));
    File::create(&path).and_then(|file| file.set_len(4097)).expect("an image");
    let refused = refusal(&path);
    assert!(refused.contains("it has 4097 bytes, and the volume data has only 4096"), "{refused}");
    assert!(refusal(folder.path()).contains("neither a file nor a block device"));
    assert!(refusal(&folder.path().join("nowhere")).contains("name an image"));
}

#[test]
fn a_disk_with_new_content_is_asked_about_and_one_of_a_killed_emulator_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data.0.img");
    let overwrite = || {
        let file = File::options().write(true).open(&path).expect("it is there");
        file.write_all_at(b"database", 1 << 20).expect("it takes data");
    };
    let mut disk = open(folder.path(), SIZE).expect("a new file");
    disk.write(0, &[1; 4096]).expect("there is room");
    drop(disk);
    // Served again and again, it is ours.
    drop(open(folder.path(), SIZE).expect("our own file"));
    overwrite();
    let refused = open(folder.path(), SIZE).expect_err("somebody wrote to it");
    assert!(
        refused.contains("was modified after it was last served") && refused.contains("--overwrite"),
        "{refused}"
    );
    let directory = Directory::open(folder.path()).expect("it is there");
    let named = [Identity::of_open(&File::open(&path).expect("it is there")).expect("it is open")];
    let disk = SparseFile::open(&directory, "data.0", Bytes(SIZE), &named, &pool());
    drop(disk.expect("with consent"));
    // With consent it was served, so that it is ours again.
    let disk = open(folder.path(), SIZE).expect("our own file");
    // As a kill leaves it: without a seal.
    let mut mark = [0; 256];
    let length = rustix::fs::getxattr(&path, "user.iobound.disk", &mut mark[..]).expect("it has a mark");
    assert_eq!(&mark[..length], b"iobound disk, version 1", "no seal while it is served");
    drop(disk);
    let set = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(&path, "user.iobound.disk", &mark[..length], set).expect("it can be set");
    overwrite();
    drop(open(folder.path(), SIZE).expect("nothing is known of its content"));
}
