//! A disk in memory that errs in a known way, and what the checker calls it.
#![cfg(target_os = "linux")]

use std::sync::{Arc, Mutex};

use iobound_load::verify::{Checker, Layout, Ledger, Mismatch, Stamper, Verdict};
use iobound_units::{Bytes, Io, Tag, TargetId};
use iobound_workload::Random;
use proptest::prelude::*;

const UNIT: u32 = 4096;
const RUN: u64 = 0x1234_5678_9abc_def0;
const HERE: TargetId = TargetId(0);

/// A target of a few units and a checker for it; content beneath the stamps is of no matter here.
struct Bench {
    disk: Vec<u8>,
    checker: Checker,
}

impl Bench {
    fn of(units: u64) -> Bench {
        let layout = Layout { size: Bytes(units * u64::from(UNIT)), unit: UNIT };
        let ledger = Arc::new(Ledger::new(&[layout], Bytes::mib(1)).expect("it is small"));
        let checker = Checker::new(ledger, Stamper::new(RUN), 64, 4 * UNIT);
        Bench { disk: vec![0xee; (units * u64::from(UNIT)) as usize], checker }
    }

    fn write_at(&mut self, unit: u64) -> (Io, Vec<u8>) {
        let io = Io::write(HERE, unit * u64::from(UNIT), UNIT);
        let mut buffer = vec![0x11; UNIT as usize];
        self.checker.on_write_submit(Tag(0), io, &mut buffer);
        (io, buffer)
    }

    fn put(&mut self, io: Io, data: &[u8]) {
        self.disk[io.offset as usize..][..data.len()].copy_from_slice(data);
    }

    /// A write that does what it says.
    fn write(&mut self, unit: u64) {
        let (io, buffer) = self.write_at(unit);
        self.put(io, &buffer);
        self.checker.on_write_done(Tag(0), io, UNIT);
    }

    /// A write of which the disk keeps what `keep` leaves of it, and acknowledges all.
    fn write_badly(&mut self, unit: u64, keep: impl FnOnce(&mut Vec<u8>, Io, Vec<u8>)) {
        let (io, buffer) = self.write_at(unit);
        keep(&mut self.disk, io, buffer);
        self.checker.on_write_done(Tag(0), io, UNIT);
    }

    fn read(&mut self, unit: u64) -> Result<(), Box<Mismatch>> {
        let io = Io::read(HERE, unit * u64::from(UNIT), UNIT);
        self.checker.on_read_submit(Tag(1), io);
        let data = self.disk[io.offset as usize..][..UNIT as usize].to_vec();
        self.checker.on_read_done(Tag(1), io, &data)
    }

    fn verdict(&mut self, unit: u64) -> Verdict {
        self.read(unit).expect_err("the disk erred").verdict
    }
}

#[test]
fn what_was_written_is_found_and_what_was_not_is_not_judged() {
    let mut bench = Bench::of(4);
    bench.write(2);
    for unit in 0..4 {
        bench.read(unit).expect("nothing is wrong");
    }
    assert_eq!(bench.checker.checked(), 4);
    assert_eq!(bench.checker.wrong().count(), 0);
}

#[test]
fn a_first_write_that_was_dropped_is_never_written() {
    let mut bench = Bench::of(4);
    bench.write_badly(1, |_, _, _| ());
    let mismatch = bench.read(1).expect_err("nothing was written");
    assert_eq!(mismatch.verdict, Verdict::NeverWritten);
    assert_eq!((mismatch.wrong, mismatch.sectors), (8, 8));
    assert!(mismatch.to_string().contains("no stamp of this run"), "{mismatch}");
}

#[test]
fn a_later_write_that_was_dropped_is_lost() {
    let mut bench = Bench::of(4);
    bench.write(1);
    bench.read(1).expect("the first is there");
    bench.write_badly(1, |_, _, _| ());
    let mismatch = bench.read(1).expect_err("the second is not");
    assert_eq!(mismatch.verdict, Verdict::Lost);
    assert_eq!((mismatch.expected.low, mismatch.expected.high), (2, 2));
    let text = mismatch.to_string();
    assert!(text.contains("generation 2\n") && text.contains("generation 1, of target 0"), "{text}");
    // The generation is at byte 16 of the stamp: 2 was expected, 1 found.
    assert_eq!(mismatch.differs(), [16]);
}

#[test]
fn an_old_version_after_the_new_one_was_read_is_stale() {
    let mut bench = Bench::of(4);
    bench.write(1);
    let old = bench.disk.clone();
    bench.write(1);
    bench.read(1).expect("the new one is there");
    bench.disk = old;
    assert_eq!(bench.verdict(1), Verdict::Stale);
}

#[test]
fn half_a_write_over_an_older_one_is_torn_and_so_it_is_over_what_was_never_written() {
    for before in [0, 1] {
        let mut bench = Bench::of(4);
        for _ in 0..before {
            bench.write(1);
        }
        bench.write_badly(1, |disk, io, data| {
            disk[io.offset as usize..][..2048].copy_from_slice(&data[..2048]);
        });
        let mismatch = bench.read(1).expect_err("half of it is missing");
        assert_eq!(mismatch.verdict, Verdict::Torn, "over {before} writes");
        assert_eq!((mismatch.wrong, mismatch.sector), (4, u64::from(UNIT) + 2048));
    }
}

#[test]
fn a_write_that_went_elsewhere_is_misplaced_there_and_never_written_here() {
    let mut bench = Bench::of(4);
    bench.write_badly(1, |disk, _, data| disk[3 * UNIT as usize..][..UNIT as usize].copy_from_slice(&data));
    assert_eq!(bench.verdict(1), Verdict::NeverWritten);
    assert_eq!(bench.verdict(3), Verdict::Misplaced, "though nothing was ever written there");
    bench.write(3);
    bench.read(3).expect("it is written over");
}

#[test]
fn any_bit_that_turns_is_corrupt() {
    for bit in [0, 35, 70, 130, 170, 200, 511 * 8, 4095 * 8 + 7] {
        let mut bench = Bench::of(4);
        bench.write(1);
        bench.disk[UNIT as usize + bit / 8] ^= 1 << (bit % 8);
        let mismatch = bench.read(1).expect_err("a bit turned");
        assert_eq!(mismatch.verdict, Verdict::Corrupt, "bit {bit}");
        assert_eq!(mismatch.wrong, 1);
    }
}

#[test]
fn a_corrupt_sector_is_named_though_others_are_lost() {
    let mut bench = Bench::of(4);
    bench.write(1);
    bench.write_badly(1, |_, _, _| ());
    bench.disk[UNIT as usize + 3000] ^= 1;
    let mismatch = bench.read(1).expect_err("much is wrong");
    assert_eq!(mismatch.verdict, Verdict::Corrupt);
    assert_eq!((mismatch.wrong, mismatch.sector), (8, u64::from(UNIT) + 2560));
}

#[test]
fn a_failed_or_short_write_is_no_mismatch_until_it_is_written_again() {
    let mut bench = Bench::of(4);
    let io = Io::write(HERE, 0, 3 * UNIT);
    let mut buffer = vec![0; 3 * UNIT as usize];
    bench.checker.on_write_submit(Tag(5), io, &mut buffer);
    // One unit is whole, of the second half, of the third nothing.
    bench.put(Io::write(HERE, 0, 6144), &buffer[..6144]);
    bench.checker.on_write_done(Tag(5), io, 6144);
    for unit in 0..3 {
        bench.read(unit).expect("the error was reported");
    }
    bench.disk[..UNIT as usize].fill(0);
    assert_eq!(bench.verdict(0), Verdict::NeverWritten, "the unit that was acknowledged is held to it");
    bench.write(1);
    bench.read(1).expect("written again");
    bench.write_badly(1, |_, _, _| ());
    assert_eq!(bench.verdict(1), Verdict::Lost, "and judged again");
}

#[test]
fn what_a_discard_leaves_is_the_devices_to_say() {
    let mut bench = Bench::of(4);
    bench.write(1);
    let io = Io::discard(HERE, u64::from(UNIT), UNIT);
    bench.checker.on_discard_submit(Tag(2), io);
    bench.checker.on_write_done(Tag(2), io, 0);
    bench.read(1).expect("the old version may be left");
    bench.disk.fill(0);
    bench.read(1).expect("and so may zeros");
}

#[test]
fn a_read_that_began_before_a_write_may_find_the_older_version_and_one_that_began_after_may_not() {
    let mut bench = Bench::of(4);
    bench.write(1);
    let old = bench.disk[UNIT as usize..][..UNIT as usize].to_vec();
    let io = Io::read(HERE, u64::from(UNIT), UNIT);
    bench.checker.on_read_submit(Tag(1), io);
    bench.write(1);
    bench.checker.on_read_done(Tag(1), io, &old).expect("it was read before the write");
    bench.checker.on_read_submit(Tag(1), io);
    let late = bench.checker.on_read_done(Tag(1), io, &old).expect_err("the write was acknowledged");
    assert_eq!(late.verdict, Verdict::Lost);
}

#[test]
fn a_target_that_is_newer_than_its_ledger_is_ahead() {
    let mut bench = Bench::of(4);
    bench.write(1);
    bench.write(1);
    let mut other = Bench::of(4);
    other.write(1);
    other.disk = bench.disk;
    assert_eq!(other.verdict(1), Verdict::Ahead);
}

/// What the disk of the property below moves at a time, in bytes: half a sector, as a target in memory may.
const PIECE: usize = 256;

/// An I/O on its way in the disk of the property below.
struct Outstanding {
    tag: Tag,
    io: Io,
    /// What is still to be written, piece by piece, or what was read so far.
    data: Vec<u8>,
    pieces: Vec<usize>,
    fails: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Submit {
        write: bool,
        unit: u64,
        units: u32,
        fails: bool,
    },
    /// One piece of one outstanding I/O reaches the disk: order among them is anybody's.
    Carry {
        pick: usize,
        piece: usize,
    },
    Complete {
        pick: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (any::<bool>(), 0u64..3, 1u32..=3, prop::bool::weighted(0.2))
            .prop_map(|(write, unit, units, fails)| Step::Submit { write, unit, units, fails }),
        12 => (any::<usize>(), any::<usize>()).prop_map(|(pick, piece)| Step::Carry { pick, piece }),
        3 => any::<usize>().prop_map(|pick| Step::Complete { pick }),
    ]
}

impl Bench {
    fn carry(&mut self, outstanding: &mut Outstanding, piece: usize) {
        if outstanding.pieces.is_empty() {
            return;
        }
        let at = outstanding.pieces.swap_remove(piece % outstanding.pieces.len()) * PIECE;
        let place = outstanding.io.offset as usize + at;
        if outstanding.io.op == iobound_units::Op::Write {
            self.disk[place..place + PIECE].copy_from_slice(&outstanding.data[at..at + PIECE]);
        } else {
            outstanding.data[at..at + PIECE].copy_from_slice(&self.disk[place..place + PIECE]);
        }
    }

    fn complete(&mut self, mut outstanding: Outstanding) -> Result<(), Box<Mismatch>> {
        let Outstanding { tag, io, fails, .. } = outstanding;
        if io.op == iobound_units::Op::Write {
            if fails {
                // The units before the first piece that is missing are whole.
                let reached =
                    outstanding.pieces.iter().min().map_or(io.len, |first| *first as u32 * PIECE as u32);
                self.checker.on_write_done(tag, io, reached.min(io.len - 512));
                return Ok(());
            }
            while !outstanding.pieces.is_empty() {
                self.carry(&mut outstanding, 0);
            }
            self.checker.on_write_done(tag, io, io.len);
            return Ok(());
        }
        while !outstanding.pieces.is_empty() {
            self.carry(&mut outstanding, 0);
        }
        self.checker.on_read_done(tag, io, &outstanding.data)
    }
}

#[test]
fn an_io_that_is_verified_allocates_nothing() {
    let mut bench = Bench::of(4);
    let (write, read) = (Io::write(HERE, 4096, 2 * UNIT), Io::read(HERE, 4096, 2 * UNIT));
    let mut buffer = vec![0; 2 * UNIT as usize];
    let counted = allocation_counter::measure(|| {
        for _ in 0..1000 {
            bench.checker.on_write_submit(Tag(3), write, &mut buffer);
            bench.checker.on_write_done(Tag(3), write, write.len);
            bench.checker.on_read_submit(Tag(4), read);
            assert!(bench.checker.on_read_done(Tag(4), read, &buffer).is_ok());
        }
    });
    assert_eq!(counted.count_total, 0);
    assert_eq!(bench.checker.checked(), 2000);
}

/// Threads that each have a checker of the same ledger, on a disk that is atomic by the sector and no more.
#[test]
fn threads_that_write_the_same_blocks_raise_no_alarm() {
    const UNITS: u64 = 4;
    let disk: Vec<Mutex<[u8; 512]>> = (0..UNITS * 8).map(|_| Mutex::new([0; 512])).collect();
    let layout = Layout { size: Bytes(UNITS * u64::from(UNIT)), unit: UNIT };
    let ledger = Arc::new(Ledger::new(&[layout], Bytes::mib(1)).expect("it is small"));
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let work = |thread: u64| {
            let (ledger, disk) = (Arc::clone(&ledger), &disk);
            move || {
                let mut checker = Checker::new(ledger, Stamper::new(RUN), 1, 2 * UNIT);
                let mut random = Random::keyed(&[thread]);
                let mut buffer = vec![0; 2 * UNIT as usize];
                for _ in 0..20_000 {
                    let (offset, write) = (random.below(UNITS - 1) * u64::from(UNIT), random.below(2) == 0);
                    let sectors = &disk[offset as usize / 512..];
                    let io = Io::write(HERE, offset, 2 * UNIT);
                    if write {
                        checker.on_write_submit(Tag(0), io, &mut buffer);
                        for (sector, data) in sectors.iter().zip(buffer.chunks_exact(512)) {
                            sector.lock().expect("nobody panics").copy_from_slice(data);
                        }
                        checker.on_write_done(Tag(0), io, io.len);
                    } else {
                        checker.on_read_submit(Tag(0), io);
                        for (sector, data) in sectors.iter().zip(buffer.chunks_exact_mut(512)) {
                            data.copy_from_slice(&*sector.lock().expect("nobody panics"));
                        }
                        if let Err(mismatch) = checker.on_read_done(Tag(0), io, &buffer) {
                            return Some(mismatch.to_string());
                        }
                    }
                }
                None
            }
        };
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(work(thread))).collect();
        threads.into_iter().filter_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong[0]);
    assert!(ledger.settled());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Reads and writes that overlap, carried out piece by piece in any order, completing in any order, some
    /// of them failing: an honest disk is never accused.
    #[test]
    fn an_honest_disk_raises_no_alarm(steps in prop::collection::vec(step(), 1..240)) {
        let mut bench = Bench::of(8);
        let mut flying: Vec<Outstanding> = Vec::new();
        // Few at a time, so that blocks are calm now and then and judged exactly.
        let mut free: Vec<u32> = (0..3).collect();
        for step in steps {
            match step {
                Step::Submit { write, unit, units, fails } => {
                    let Some(tag) = free.pop().map(Tag) else { continue };
                    let (offset, len) = (unit * u64::from(UNIT), units * UNIT);
                    let mut data = vec![0; len as usize];
                    let io = if write { Io::write(HERE, offset, len) } else { Io::read(HERE, offset, len) };
                    if write {
                        bench.checker.on_write_submit(tag, io, &mut data);
                    } else {
                        bench.checker.on_read_submit(tag, io);
                    }
                    let pieces = (0..len as usize / PIECE).collect();
                    flying.push(Outstanding { tag, io, data, pieces, fails });
                }
                Step::Carry { pick, piece } if !flying.is_empty() => {
                    let pick = pick % flying.len();
                    bench.carry(&mut flying[pick], piece);
                }
                Step::Complete { pick } if !flying.is_empty() => {
                    let outstanding = flying.swap_remove(pick % flying.len());
                    free.push(outstanding.tag.0);
                    let judged = bench.complete(outstanding);
                    prop_assert!(judged.is_ok(), "{}", judged.unwrap_err());
                }
                _ => {}
            }
        }
        for outstanding in flying {
            let judged = bench.complete(outstanding);
            prop_assert!(judged.is_ok(), "{}", judged.unwrap_err());
        }
        for unit in 0..8 {
            let judged = bench.read(unit);
            prop_assert!(judged.is_ok(), "{}", judged.unwrap_err());
        }
    }

    /// After any honest past, one fault on a unit that was written alone is named as what it is.
    #[test]
    fn one_fault_is_named_as_what_it_is(
        past in prop::collection::vec((0u64..6, any::<bool>()), 0..40),
        unit in 0u64..6,
        fault in 0usize..5,
        bit in 0usize..4096 * 8,
        cut in 1usize..8,
    ) {
        let mut bench = Bench::of(8);
        for (unit, read) in past {
            bench.write(unit);
            if read {
                bench.read(unit).expect("an honest past");
            }
        }
        bench.write(unit);
        let here = unit as usize * UNIT as usize..(unit as usize + 1) * UNIT as usize;
        let expected = match fault {
            0 => {
                bench.write_badly(unit, |_, _, _| ());
                Verdict::Lost
            }
            1 => {
                bench.write_badly(unit, |disk, io, data| {
                    disk[io.offset as usize..][..cut * 512].copy_from_slice(&data[..cut * 512]);
                });
                Verdict::Torn
            }
            2 => {
                let old = bench.disk[here.clone()].to_vec();
                bench.write(unit);
                bench.read(unit).expect("it is there");
                bench.disk[here].copy_from_slice(&old);
                Verdict::Stale
            }
            3 => {
                bench.write(7);
                let other = bench.disk[7 * UNIT as usize..].to_vec();
                bench.disk[here].copy_from_slice(&other);
                Verdict::Misplaced
            }
            _ => {
                bench.disk[here.start + bit / 8] ^= 1 << (bit % 8);
                Verdict::Corrupt
            }
        };
        prop_assert_eq!(bench.verdict(unit), expected);
    }
}
