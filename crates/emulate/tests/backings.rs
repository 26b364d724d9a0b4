//! Wherever a disk's bytes are kept, what is read is what was written last, whatever the order.

mod common;

use common::{Step, apply, compare_allocation, play, steps};
use iobound_emulate::Errno;
use iobound_emulate::store::{Allocation, Backing, Pool};
use iobound_units::Bytes;
use proptest::prelude::*;

/// Two tables and a part.
const SIZE: u64 = 9 << 20;

proptest! {
    #![proptest_config(common::cases(24))]

    #[test]
    fn memory_has_what_was_written_last(steps in steps(SIZE, 100)) {
        let pool = Pool::new(Bytes::mib(64)).expect("so much");
        let mut disk = pool.disk();
        play(&mut disk, SIZE, &steps);
        disk.discard(0, SIZE).expect("it can be");
        prop_assert_eq!((disk.held(), pool.held()), (Bytes::ZERO, Bytes::ZERO), "nothing is lost on the way");
    }

    /// Two disks share a limit that is often too small: what fails is one disk's write and nothing else, what did not fail is
    /// there, and never is more held than the limit.
    #[test]
    fn a_full_pool_fails_writes_and_nothing_else(
        steps in prop::collection::vec((any::<bool>(), common::step(SIZE)), 1..200), pages in 2u64..600,
    ) {
        let pool = Pool::new(Bytes(pages * 4096)).expect("so much");
        let mut disks = [pool.disk(), pool.disk()];
        let mut model = [vec![0u8; SIZE as usize], vec![0u8; SIZE as usize]];
        for (n, (which, step)) in steps.iter().enumerate() {
            let (disk, kept) = (&mut disks[usize::from(*which)], &mut model[usize::from(*which)]);
            if let Err(errno) = apply(disk, kept, n, *step) {
                prop_assert_eq!(errno, Errno::NoSpace);
                if matches!(step, Step::Reserve(..)) {
                    continue;
                }
                let Step::Write(offset, len) = *step else { panic!("only writes need room: {step:?}") };
                // Partly overwritten: each sector is the old one or the new one.
                let range = offset as usize..(offset + len) as usize;
                let mut now = vec![0; len as usize];
                disk.read(offset, &mut now).expect("it can be read");
                let new = common::pattern(n, offset, len);
                let mut sectors = now.chunks(512).zip(new.chunks(512)).zip(kept[range.clone()].chunks(512));
                let is_whole = sectors.all(|((now, new), old)| now == new || now == old);
                prop_assert!(is_whole, "a sector is torn");
                kept[range].copy_from_slice(&now);
            }
            prop_assert!(pool.held() <= pool.limit(), "{} of {}", pool.held(), pool.limit());
            prop_assert_eq!(disks[0].held() + disks[1].held(), pool.held());
        }
        for (disk, kept) in disks.iter_mut().zip(&model) {
            common::compare(disk, kept);
            disk.discard(0, SIZE).expect("it can be");
        }
        prop_assert_eq!(pool.held(), Bytes::ZERO);
    }
}

#[test]
fn memory_says_which_pages_have_data() {
    let pool = Pool::new(Bytes::mib(64)).expect("so much");
    let mut disk = pool.disk();
    let mut kept = vec![0; SIZE as usize];
    // The last sector of a page, all of a table's region and a page of the next, a page that is reserved.
    let (region, page) = (4 << 20, 4096);
    for (offset, len) in [(3 * page - 512, 512), (region, region + page)] {
        disk.write(offset, &vec![7; len as usize]).expect("there is room");
        kept[offset as usize..(offset + len) as usize].fill(7);
    }
    disk.reserve(SIZE - page, 512).expect("there is room");
    assert_eq!(compare_allocation(&mut disk, &kept), 3 * page + region);
    assert_eq!(disk.allocation(0, SIZE), Ok((Allocation::Hole, 2 * page)));
    assert_eq!(disk.allocation(region + 512, SIZE), Ok((Allocation::Data, 2 * region + page)));
    assert_eq!(disk.allocation(region + 512, region + 1024), Ok((Allocation::Data, region + 1024)));
    assert_eq!(disk.allocation(SIZE, 1 << 40), Ok((Allocation::Hole, 1 << 40)), "nothing is there");
}

#[test]
fn a_byte_at_the_end_of_a_large_disk_takes_two_pages() {
    let pool = Pool::new(Bytes::mib(1)).expect("so much");
    let mut disk = pool.disk();
    disk.write((32 << 40) - 512, &[7; 512]).expect("there is room");
    // The page, and the table that finds it.
    assert_eq!(pool.held(), Bytes(8192));
    let mut read = [0; 1024];
    disk.read((32 << 40) - 1024, &mut read).expect("it can be read");
    assert_eq!((read[511], read[512], read[1023]), (0, 7, 7));
    disk.discard(0, 32 << 40).expect("it can be");
    assert_eq!(pool.held(), Bytes::ZERO);
}

#[expect(clippy::disallowed_methods, reason = "the kernel's word on this process")]
/// What of this process is in memory, in bytes: the second figure of `/proc/self/statm`, in pages.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("the kernel says");
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a figure") * 4096
}

#[test]
fn a_pool_takes_no_memory_before_it_is_written_and_none_after_a_discard() {
    const MIB: u64 = 1 << 20;
    let before = resident();
    let pool = Pool::new(Bytes::gib(64)).expect("nothing is reserved");
    let mut disk = pool.disk();
    let data = vec![1; MIB as usize];
    (0..128).for_each(|n| disk.write(n * MIB, &data).expect("there is room"));
    // Other tests run beside this one: they take and give back less than these margins.
    assert!(resident() - before >= 96 * MIB, "what is written is in memory");
    disk.discard(0, 128 * MIB).expect("it can be");
    assert!(resident() < before + 64 * MIB, "{} MiB are left", (resident() - before) / MIB);
}

#[test]
fn zeroes_that_are_written_take_no_place() {
    let pool = Pool::new(Bytes(4096)).expect("so much");
    let mut disk = pool.disk();
    disk.write(0, &[0; 1 << 20]).expect("there is nothing to keep");
    assert_eq!(pool.held(), Bytes::ZERO);
    let written = disk.write(0, &[1; 512]);
    // The table that finds a page has a page of its own.
    assert_eq!(written, Err(Errno::NoSpace));
    let pool = Pool::new(Bytes::kib(16)).expect("so much");
    let mut disk = pool.disk();
    disk.write(4096, &[1; 4096]).expect("a table and a page");
    disk.write(4096, &[0; 4096]).expect("over what is there");
    let mut now = [2; 8192];
    disk.read(0, &mut now).expect("it can be read");
    assert!(now.iter().all(|byte| *byte == 0));
}

#[test]
fn more_than_can_be_addressed_is_refused() {
    assert!(Pool::new(Bytes(u64::MAX)).is_err());
    assert_eq!(
        Pool::sensible_limit(Bytes::gib(16)),
        Bytes::gib(8),
        "the other half is for who uses the disks"
    );
}
