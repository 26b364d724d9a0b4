//! Writing, reading and clearing.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

use io_uring::{IoUring, opcode, types};
use iobound_units::{Bytes, Span};
use rustix::fs::{FallocateFlags, OFlags, fallocate};
use rustix::io::Errno;

use crate::bench::{CAPACITY, Hand, Page, Served, is_here, striped, wait_until};

fn small() -> Served {
    Served::new(&striped(Bytes::mib(1), Span::ZERO))
}

fn code<T>(result: std::io::Result<T>) -> Option<i32> {
    result.err().and_then(|error| error.raw_os_error())
}

#[test]
fn a_directory_has_a_file_of_its_size_for_each_volume_and_disk() {
    if !is_here() {
        return;
    }
    let served = small();
    let entries = std::fs::read_dir(served.mounted.directory()).expect("a directory");
    let mut found: Vec<(String, u64)> = entries
        .map(|entry| entry.expect("an entry"))
        .map(|entry| {
            (entry.file_name().into_string().expect("text"), entry.metadata().expect("a file").len())
        })
        .collect();
    found.sort();
    assert_eq!(found, [("data".into(), 2 << 20), ("data.0".into(), 1 << 20), ("data.1".into(), 1 << 20)]);
    let metadata = served.path("data").metadata().expect("a file");
    let own = rustix::process::geteuid().as_raw();
    // A regular file (0o100000) that its owner reads and writes.
    assert_eq!((metadata.mode(), metadata.uid(), metadata.blksize()), (0o100_600, own, 4096));
    assert_eq!(metadata.blocks(), (2 << 20) / 512);
}

#[test]
fn what_is_written_to_the_volume_is_read_from_its_disks() {
    if !is_here() {
        return;
    }
    let served = small();
    // Two stripe units of 64 KiB: the first of each disk.
    let mut page = Page::new(128 << 10);
    page.bytes()[..64 << 10].fill(1);
    page.bytes()[64 << 10..].fill(2);
    let direct = served.open("data", OFlags::DIRECT);
    direct.write_all_at(page.bytes(), 0).expect("whole sectors");
    for (name, byte) in [("data.0", 1), ("data.1", 2)] {
        let mut read = vec![0; 64 << 10];
        served.buffered(name).read_exact_at(&mut read, 0).expect("it is there");
        assert!(read.iter().all(|found| *found == byte), "{name}");
    }
    let mut back = Page::new(128 << 10);
    direct.read_exact_at(back.bytes(), 0).expect("it is there");
    assert!(back.bytes() == page.bytes());
}

#[test]
fn direct_io_takes_whole_sectors_only() {
    if !is_here() {
        return;
    }
    let served = small();
    let direct = served.open("data", OFlags::DIRECT);
    let mut page = Page::filled(4096, 7);
    for (offset, len) in [(0, 100), (100, 512), (512, 513)] {
        let invalid = Some(Errno::INVAL.raw_os_error());
        assert_eq!(code(direct.write_at(&page.bytes()[..len], offset)), invalid, "write {offset} {len}");
        assert_eq!(code(direct.read_at(&mut page.bytes()[..len], offset)), invalid, "read {offset} {len}");
    }
    assert_eq!(direct.write_at(&page.bytes()[..512], 1536).expect("a sector"), 512);
}

/// A step of a generator of Knuth's (MMIX): the upper bits are good enough here.
fn next(seed: &mut u64, below: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

#[test]
fn any_range_of_a_file_that_is_not_direct_reads_and_writes_as_memory_does() {
    if !is_here() {
        return;
    }
    let served = small();
    let file = served.buffered("data");
    let (mut memory, mut seed) = (vec![0u8; 2 << 20], 1);
    for turn in 0..400u64 {
        // A quarter are large: several requests of the kernel, several stripe units.
        let longest = if turn.is_multiple_of(4) { 2 << 20 } else { 3000 };
        let offset = next(&mut seed, 2 << 20);
        let len = (1 + next(&mut seed, longest)).min((2 << 20) - offset);
        let range = offset as usize..(offset + len) as usize;
        if next(&mut seed, 2) == 0 {
            let data: Vec<u8> = (0..len).map(|n| (n + turn) as u8).collect();
            file.write_all_at(&data, offset).expect("it is inside");
            memory[range].copy_from_slice(&data);
        } else {
            let mut read = vec![0; len as usize];
            file.read_exact_at(&mut read, offset).expect("it is inside");
            assert!(read == memory[range], "turn {turn}: {len} at {offset}");
        }
    }
}

#[test]
fn parts_of_one_sector_written_at_the_same_time_are_all_kept() {
    if !is_here() {
        return;
    }
    let served = small();
    // Eight threads write a byte each of the same sector, over and over, and find it again after each write.
    std::thread::scope(|scope| {
        for n in 0..8u64 {
            let file = served.buffered("data");
            scope.spawn(move || {
                for turn in 0..200u8 {
                    file.write_all_at(&[turn], 64 * n).expect("it is inside");
                    let mut found = [0];
                    file.read_exact_at(&mut found, 64 * n).expect("it is inside");
                    assert_eq!(found, [turn], "byte {}", 64 * n);
                }
            });
        }
    });
}

#[test]
fn the_end_is_the_end_of_a_disk() {
    if !is_here() {
        return;
    }
    let served = small();
    let (file, end) = (served.buffered("data.0"), 1u64 << 20);
    let full = Some(Errno::NOSPC.raw_os_error());
    assert_eq!(file.read_at(&mut [0; 4096], end).expect("nothing"), 0);
    assert_eq!(file.read_at(&mut [0; 4096], end - 512).expect("the last sector"), 512);
    assert_eq!(file.read_at(&mut [0; 4096], end - 10).expect("the last bytes"), 10);
    assert_eq!(code(file.write_at(&[1; 4096], end)), full);
    assert_eq!(file.write_at(&[1; 4096], end - 512).expect("the last sector"), 512);
    assert_eq!(file.write_at(&[1; 100], end - 10).expect("the last bytes"), 10);
    // The whole of it at once, and more: the kernel's requests of 1 MiB.
    assert_eq!(file.read_at(&mut vec![0; 3 << 20], 0).expect("all of it"), 1 << 20);
}

#[test]
fn a_hole_and_zeroes_read_as_zeroes_and_the_size_stays() {
    if !is_here() {
        return;
    }
    let served = small();
    let file = served.buffered("data");
    for mode in [FallocateFlags::PUNCH_HOLE, FallocateFlags::ZERO_RANGE] {
        file.write_all_at(&[9; 64 << 10], 0).expect("it is inside");
        fallocate(&file, mode | FallocateFlags::KEEP_SIZE, 4096, 8192).expect("whole sectors");
        let mut read = [1; 16 << 10];
        file.read_exact_at(&mut read, 0).expect("it is inside");
        let (before, rest) = read.split_at(4096);
        let (cleared, after) = rest.split_at(8192);
        assert!(before.iter().chain(after).all(|byte| *byte == 9), "{mode:?}");
        assert!(cleared.iter().all(|byte| *byte == 0), "{mode:?}");
        for (offset, len) in [(100, 4096), (0, 100), (1 << 20, 2 << 20)] {
            let refused = fallocate(&file, mode | FallocateFlags::KEEP_SIZE, offset, len);
            assert_eq!(refused, Err(Errno::INVAL), "{mode:?} {offset} {len}");
        }
    }
    assert_eq!(fallocate(&file, FallocateFlags::empty(), 0, 4096), Err(Errno::OPNOTSUPP));
}

#[test]
fn a_hole_of_more_than_a_request_holds_is_several() {
    if !is_here() {
        return;
    }
    // 10 GiB; lengths of requests have 32 bits.
    let size = Bytes::gib(5);
    let served = Served::new(&striped(size, Span::ZERO));
    let file = served.buffered("data");
    let places = [0, 4 << 30, (4 << 30) + (1 << 20), 2 * size.get() - 512];
    for place in places {
        file.write_all_at(&[1; 512], place).expect("it is inside");
    }
    fallocate(&file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, 0, 2 * size.get())
        .expect("all of it");
    for place in places {
        let mut read = [1; 512];
        file.read_exact_at(&mut read, place).expect("it is inside");
        assert_eq!(read, [0; 512], "at {place}");
    }
}

#[test]
fn more_requests_than_a_queue_of_the_kernel_are_under_way_at_the_same_time() {
    if !is_here() {
        return;
    }
    // A clock that stands: however slow this machine is, nothing completes before all are there.
    let (hand, media) = (Hand::default(), Span::from_ms(50));
    let served = Served::by_hand(&striped(Bytes::mib(1), media), &hand);
    let under_way = || CAPACITY - served.shared.lock().room();
    std::thread::scope(|scope| {
        for n in 0..200 {
            let file = served.open("data", OFlags::DIRECT);
            scope.spawn(move || {
                let mut page = Page::filled(4096, 1);
                file.read_exact_at(page.bytes(), 4096 * n).expect("it is inside");
                assert!(page.bytes().iter().all(|byte| *byte == 0));
            });
        }
        wait_until("200 reads under way", || under_way() == 200);
        hand.put(media);
    });
    // 200 reads at once take as long as one: each was due when the clock came to 50 ms, and not later.
    counted(&served, 200);
    let lateness = served.mounted.lateness().total();
    assert_eq!((under_way(), lateness.moments().sum_ns()), (0, 0));
}

/// As many reads of a sector at once from one thread, that does not wait for any of them.
fn submitted(ring: &mut IoUring, file: &File, pages: &mut [Page]) {
    for (n, page) in pages.iter_mut().enumerate() {
        let bytes = page.bytes();
        let read = opcode::Read::new(types::Fd(file.as_raw_fd()), bytes.as_mut_ptr(), bytes.len() as u32);
        let entry = read.offset(512 * n as u64).build();
        // SAFETY: the caller keeps the pages and the file until every read is complete.
        unsafe { ring.submission().push(&entry) }.expect("a ring of that size");
    }
    ring.submit().expect("they are taken");
}

#[test]
fn a_thousand_asynchronous_requests_of_one_thread_are_under_way_at_the_same_time() {
    if !is_here() {
        return;
    }
    // The kernel's own limit is 12, above which it would keep them back. A power of two, as rings have.
    const READS: usize = 1024;
    let Ok(mut ring) = IoUring::new(READS as u32) else {
        eprintln!("no io_uring here: nothing is checked");
        return;
    };
    let (hand, media) = (Hand::default(), Span::from_ms(50));
    let served = Served::by_hand(&striped(Bytes::mib(1), media), &hand);
    let file = served.open("data", OFlags::DIRECT);
    let mut pages: Vec<Page> = (0..READS).map(|_| Page::filled(512, 1)).collect();
    submitted(&mut ring, &file, &mut pages);
    wait_until("all reads under way", || CAPACITY - served.shared.lock().room() == READS);
    hand.put(media);
    ring.submit_and_wait(READS).expect("they complete");
    let results: Vec<i32> = ring.completion().map(|entry| entry.result()).collect();
    assert_eq!(results, [512; READS]);
    assert!(pages.iter_mut().all(|page| page.bytes().iter().all(|byte| *byte == 0)));
    counted(&served, READS as u64);
    assert_eq!(served.mounted.lateness().total().moments().sum_ns(), 0);
}

#[test]
fn requests_for_which_there_is_no_room_wait() {
    if !is_here() {
        return;
    }
    let (room, readers) = (64, 160);
    let served = Served::with_room(&striped(Bytes::mib(1), Span::from_ms(20)), room);
    std::thread::scope(|scope| {
        for n in 0..readers {
            let file = served.buffered("data");
            scope.spawn(move || file.read_exact_at(&mut [0; 512], 512 * n).expect("it is inside"));
        }
    });
    counted(&served, readers);
}

/// Waits until the lateness of so many replies is known: of a reply that a client has seen already, it may not be.
fn counted(served: &Served, replies: u64) {
    wait_until("all replies", || served.mounted.lateness().total().count() == replies);
}
