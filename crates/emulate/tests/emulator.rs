//! The stack and its data together, in virtual time.

use std::sync::{Arc, Mutex};

use iobound_emulate::store::{Backing, Memory, Pool};
use iobound_emulate::{Action, Batch, Emulator, Errno, ExportId, FrontId, Owner, Request};
use iobound_model::{Blueprint, Latency, Start, StartCredits};
use iobound_units::{Bytes, Instant, Span};

/// Two disks of 1 MiB and 1 ms, striped at 64 KiB.
fn striped() -> Blueprint {
    Blueprint::striped("data", 2, Bytes::mib(1), Latency::constant(Span::from_ms(1)))
}

fn emulator(limit: Bytes) -> Emulator {
    let backings = Pool::new(limit).expect("so much").disks(2);
    let start = Start { seed: 1, credits: StartCredits::Full };
    Emulator::new(&striped(), &start, 8, backings).expect("a valid blueprint")
}

fn request(export: ExportId, action: Action, offset: u64, len: u32) -> Request {
    let owner = Owner { front: FrontId(0), connection: 0, cookie: offset };
    Request { owner, export, action, offset, len }
}

const WRITE: Action = Action::Write { fua: false };

#[test]
fn what_is_written_to_a_volume_is_on_its_disks_a_millisecond_later() {
    let mut emulator = emulator(Bytes::mib(1));
    let names: Vec<_> = emulator.exports().iter().map(|export| export.name.as_str()).collect();
    assert_eq!(names, ["data", "data.0", "data.1"]);
    let data: Vec<u8> = (0..128 * 1024).map(|n| (n / 512) as u8).collect();
    let volume = emulator.export("data").expect("it is there");
    emulator.submit(Instant::ZERO, request(volume, WRITE, 0, data.len() as u32), &data).expect("it fits");
    let mut batch = Batch::default();
    emulator.poll(Instant::ZERO + Span::from_us(999), &mut batch);
    assert_eq!(batch.completed, []);
    let due = emulator.next_event().expect("it is under way");
    assert_eq!(due, Instant::ZERO + Span::from_ms(1));
    emulator.poll(due, &mut batch);
    assert_eq!((batch.completed.len(), batch.completed[0].due), (1, due));
    // The second stripe unit is the first of the second disk.
    let second = emulator.export("data.1").expect("it is there");
    emulator.submit(due, request(second, Action::Read, 0, 64 * 1024), &[]).expect("it fits");
    batch.clear();
    emulator.poll(due + Span::from_ms(1), &mut batch);
    assert_eq!(batch.bytes(&batch.completed[0]), &data[64 * 1024..]);
}

#[test]
fn what_has_no_room_fails_and_what_makes_no_sense_is_refused() {
    let mut emulator = emulator(Bytes(4096));
    let volume = emulator.export("data").expect("it is there");
    let mut batch = Batch::default();
    emulator.submit(Instant::ZERO, request(volume, WRITE, 0, 8192), &[1; 8192]).expect("it is taken");
    assert_eq!(emulator.next_event(), Some(Instant::ZERO));
    emulator.poll(Instant::ZERO, &mut batch);
    assert_eq!(batch.completed[0].result, Err(Errno::NoSpace));
    let nowhere = ExportId(9);
    for (export, offset, len) in
        [(volume, 2 << 20, 512), (volume, u64::MAX, 512), (volume, 0, 0), (nowhere, 0, 512)]
    {
        let refused = emulator.submit(Instant::ZERO, request(export, Action::Read, offset, len), &[]);
        assert_eq!(refused, Err(Errno::Invalid), "{export:?} {offset} {len}");
    }
}

/// Offsets and lengths.
type Ranges = Arc<Mutex<Vec<(u64, u64)>>>;

/// Memory that keeps in mind which ranges it was asked to discard.
struct Discards(Memory, Ranges);

impl Backing for Discards {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        self.0.read(offset, into)
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.0.write(offset, data)
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.1.lock().expect("one thread").push((offset, len));
        self.0.discard(offset, len)
    }

    fn held(&self) -> Bytes {
        self.0.held()
    }

    fn volatile(&self) -> Memory {
        self.0.volatile()
    }
}

/// A file's hole costs a system call under the lock that everybody waits for: `mkfs` trims a volume of terabytes.
#[test]
fn a_trim_is_one_range_of_each_disk_whatever_it_is_striped_at() {
    let discarded: [Ranges; 2] = Default::default();
    let pool = Pool::new(Bytes::mib(4)).expect("so much");
    let disks = discarded.iter();
    let disks = disks.map(|seen| Box::new(Discards(pool.disk(), Arc::clone(seen))) as Box<dyn Backing>);
    let start = Start { seed: 1, credits: StartCredits::Full };
    let mut emulator = Emulator::new(&striped(), &start, 8, disks.collect()).expect("a valid blueprint");
    let volume = emulator.export("data").expect("it is there");
    let now = Instant::ZERO;
    let mut len = 2 << 20;
    emulator.submit(now, request(volume, WRITE, 0, len), &vec![1; len as usize]).expect("it fits");
    // From the middle of the third stripe unit, the second of the first disk, to the end of the twentieth.
    let unit = 64 * 1024;
    let offset = 2 * u64::from(unit) + 4096;
    len = 18 * unit - 4096;
    emulator.submit(now, request(volume, Action::Trim, offset, len), &[]).expect("it fits");
    let ranges = discarded.map(|seen| seen.lock().expect("one thread").clone());
    let unit = u64::from(unit);
    assert_eq!(ranges, [vec![(unit + 4096, 9 * unit - 4096)], vec![(unit, 9 * unit)]]);
    let mut now = Vec::new();
    emulator.peek(volume, 0, 2 << 20, &mut now, None).expect("it can be read");
    let trimmed = offset as usize..(offset + u64::from(len)) as usize;
    assert!(now.iter().enumerate().all(|(at, byte)| *byte == u8::from(!trimmed.contains(&at))));
}

/// A client that allows a hole asks for no trim: the disk is given zeroes to write, and what keeps them here has its place back.
#[test]
fn zeroes_take_a_writes_time_whether_or_not_they_keep_their_place() {
    for (action, counted, held) in [
        (WRITE, (1, 0), true),
        (Action::Zero { fua: false, allocate: true }, (1, 0), true),
        (Action::Zero { fua: false, allocate: false }, (1, 0), false),
        (Action::Trim, (0, 1), false),
    ] {
        let mut emulator = emulator(Bytes::mib(1));
        let volume = emulator.export("data").expect("it is there");
        let (start, mut batch) = (Instant::ZERO, Batch::default());
        emulator.submit(start, request(volume, WRITE, 0, 8192), &[1; 8192]).expect("it fits");
        emulator.poll(start + Span::from_ms(1), &mut batch);
        let before = emulator.look(start + Span::from_ms(1));
        let now = start + Span::from_ms(2);
        let payload = if action == WRITE { vec![2; 8192] } else { Vec::new() };
        emulator.submit(now, request(volume, action, 0, 8192), &payload).expect("it fits");
        batch.clear();
        // The media's writes take a millisecond each.
        emulator.poll(now + Span::from_ms(1), &mut batch);
        assert_eq!(batch.completed.len(), 1, "{action:?}");
        if action != Action::Trim {
            assert_eq!(batch.completed[0].due, now + Span::from_ms(1), "{action:?}");
        }
        let after = emulator.look(now + Span::from_ms(1));
        let passed =
            |look: &iobound_emulate::state::Look| (look.exports[0].writes.ios, look.exports[0].others.ios);
        let (before_ios, after_ios) = (passed(&before), passed(&after));
        assert_eq!((after_ios.0 - before_ios.0, after_ios.1 - before_ios.1), counted, "{action:?}");
        assert_eq!(after.held.get() > 0, held, "{action:?}");
    }
}
