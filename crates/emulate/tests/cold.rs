//! Reads that the page cache does not have: they wait for the machine's own disk, and nobody waits for them.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "disks in files are what is tested")]

use std::fs::File;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use iobound_drive::Engine;
use iobound_emulate::nbd::client::Client;
use iobound_emulate::nbd::{Door, Listen};
use iobound_emulate::store::{Backing, Cold, Memory, Pool, SparseFile};
use iobound_emulate::{
    Action, Batch, Emulator, Errno, ExportId, FrontId, Owner, Pacer, Request, Shared, Spin,
};
use iobound_machine::open::Directory;
use iobound_model::{Blueprint, Latency, Start, StartCredits};
use iobound_units::{Bytes, Instant, Io, Span, Tag, TargetId};
use rustix::fs::Advice;

/// What is to be waited for, as long as the test wants: everything before this offset.
const COLD: u64 = 64 << 10;

/// Memory, of which a part is fetched when the test lets it come.
struct Distant {
    memory: Memory,
    /// Number of times that it is still absent after a fetch.
    missing: Arc<AtomicU32>,
    /// One message lets one fetch come, with this result.
    comes: Arc<Mutex<Receiver<Result<(), Errno>>>>,
}

impl Backing for Distant {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        self.memory.read(offset, into)
    }

    fn read_cached(&mut self, offset: u64, into: &mut [u8], cold: &mut Cold) -> Result<(), Errno> {
        let is_there = |left: u32| left.checked_sub(1);
        if offset >= COLD
            || self.missing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_there).is_err()
        {
            return self.read(offset, into);
        }
        let comes = Arc::clone(&self.comes);
        cold.leave(move || comes.lock().expect("no fetch panics").recv().unwrap_or(Err(Errno::Io)));
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.memory.write(offset, data)
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.memory.discard(offset, len)
    }

    fn held(&self) -> Bytes {
        self.memory.held()
    }

    fn volatile(&self) -> Memory {
        self.memory.volatile()
    }
}

const MEDIA: Span = Span::from_us(100);

/// One disk of 1 MiB, whose first part is missing so often, and who lets it come.
fn distant(missing: u32, places: usize) -> (Emulator, Sender<Result<(), Errno>>) {
    let pool = Pool::new(Bytes::mib(2)).expect("memory");
    let mut memory = pool.disk();
    memory.write(0, &[7; 1 << 20]).expect("there is room");
    let (lets, comes) = channel();
    let missing = Arc::new(AtomicU32::new(missing));
    let disk = Distant { memory, missing, comes: Arc::new(Mutex::new(comes)) };
    let blueprint = Blueprint::striped("data", 1, Bytes::mib(1), Latency::constant(MEDIA));
    let start = Start { seed: 1, credits: StartCredits::Full };
    let emulator = Emulator::new(&blueprint, &start, places, vec![Box::new(disk)]).expect("a blueprint");
    (emulator, lets)
}

fn submit(emulator: &mut Emulator, at: Instant, action: Action, offset: u64) {
    let owner = Owner { front: FrontId(0), connection: 0, cookie: offset };
    let data: &[u8] = if matches!(action, Action::Write { .. }) { &[9; 4096] } else { &[] };
    let request = Request { owner, export: ExportId(0), action, offset, len: 4096 };
    emulator.submit(at, request, data).expect("there is room");
}

/// Completions by offset: due time and answer.
fn poll(emulator: &mut Emulator, at: Instant) -> Vec<(u64, Instant, Result<u8, Errno>)> {
    let mut batch = Batch::default();
    emulator.poll(at, &mut batch);
    let said = |one: &iobound_emulate::Completed| {
        let result = one.result.clone().map(|_| batch.bytes(one).first().copied().unwrap_or(0));
        (one.request.offset, one.due, result)
    };
    batch.completed.iter().map(said).collect()
}

/// An emulator whose reads wait elsewhere, and word of what came.
fn elsewhere(missing: u32) -> (Emulator, Sender<Result<(), Errno>>, Receiver<()>) {
    let (mut emulator, lets) = distant(missing, 8);
    let (wake, woken) = channel();
    let wake = Mutex::new(wake);
    emulator.wait_elsewhere(move || wake.lock().expect("nobody panics").send(()).expect("the test goes on"));
    (emulator, lets, woken)
}

const START: Instant = Instant::ZERO;

#[test]
fn a_read_that_has_to_be_waited_for_holds_nobody_and_completes_with_its_own_time() {
    let (mut emulator, lets, woken) = elsewhere(1);
    submit(&mut emulator, START, Action::Read, 0);
    submit(&mut emulator, START, Action::Read, COLD);
    let due = START + MEDIA;
    assert_eq!(poll(&mut emulator, due), [(COLD, due, Ok(7))]);
    // Its place is taken until it is replied to, and nothing happens until it is there.
    assert_eq!((emulator.room(), emulator.next_event()), (7, None));
    assert_eq!(poll(&mut emulator, due + MEDIA), []);
    lets.send(Ok(())).expect("it is waited for");
    woken.recv().expect("it comes");
    let late = due + Span::from_ms(5);
    assert_eq!(poll(&mut emulator, late), [(0, due, Ok(7))]);
    assert_eq!((emulator.room(), emulator.next_event()), (8, None));
    let look = emulator.look(late);
    assert_eq!((look.exports[0].reads.ios, look.exports[0].reads.latency_ns), (2, 2 * MEDIA.ns()));
}

#[test]
fn what_is_written_meanwhile_is_what_is_read() {
    let (mut emulator, lets, woken) = elsewhere(1);
    submit(&mut emulator, START, Action::Read, 0);
    let due = START + MEDIA;
    assert_eq!(poll(&mut emulator, due), []);
    submit(&mut emulator, due, Action::Write { fua: false }, 0);
    lets.send(Ok(())).expect("it is waited for");
    woken.recv().expect("it comes");
    assert_eq!(poll(&mut emulator, due + MEDIA), [(0, due, Ok(9)), (0, due + MEDIA, Ok(0))]);
}

#[test]
fn what_fails_to_come_is_an_error_of_that_read() {
    let (mut emulator, lets, woken) = elsewhere(1);
    submit(&mut emulator, START, Action::Read, 0);
    assert_eq!(poll(&mut emulator, START + MEDIA), []);
    lets.send(Err(Errno::Io)).expect("it is waited for");
    woken.recv().expect("it comes");
    assert_eq!(poll(&mut emulator, START + MEDIA), [(0, START + MEDIA, Err(Errno::Io))]);
}

/// Memory so short that what came is gone again: after three times it is waited for where it is.
#[test]
fn what_is_never_there_is_read_in_the_end() {
    let (mut emulator, lets, woken) = elsewhere(u32::MAX);
    submit(&mut emulator, START, Action::Read, 0);
    for _ in 0..3 {
        assert_eq!(poll(&mut emulator, START + MEDIA), []);
        lets.send(Ok(())).expect("it is waited for");
        woken.recv().expect("it comes");
    }
    assert_eq!(poll(&mut emulator, START + MEDIA), [(0, START + MEDIA, Ok(7))]);
}

#[test]
fn what_comes_after_a_crash_is_of_nobody() {
    let (mut emulator, lets, woken) = elsewhere(1);
    submit(&mut emulator, START, Action::Read, 0);
    let due = START + MEDIA;
    assert_eq!(poll(&mut emulator, due), []);
    let mut batch = Batch::default();
    emulator.crash(due, &mut batch);
    assert_eq!(batch.completed.len(), 1);
    assert_eq!((&batch.completed[0].result, emulator.room()), (&Err(Errno::Io), 8));
    // Another one has its place when it comes.
    submit(&mut emulator, due, Action::Read, COLD);
    lets.send(Ok(())).expect("it is waited for");
    woken.recv().expect("it comes");
    assert_eq!(poll(&mut emulator, due + MEDIA), [(COLD, due + MEDIA, Ok(7))]);
}

#[test]
fn without_threads_to_wait_a_read_waits_where_it_is() {
    let (mut emulator, _lets) = distant(u32::MAX, 8);
    submit(&mut emulator, START, Action::Read, 0);
    assert_eq!(poll(&mut emulator, START + MEDIA), [(0, START + MEDIA, Ok(7))]);
}

/// On the machine's clock, by a socket: sixteen reads wait, more than there are threads, and others are served all the while.
#[test]
fn clients_are_served_while_others_reads_are_waited_for_and_the_waiting_is_lateness() {
    let (emulator, lets) = distant(16, 64);
    let shared = Shared::new(emulator).expect("a descriptor");
    let folder = tempfile::tempdir().expect("a folder");
    let place = Listen::Unix(folder.path().join("socket"));
    let door = Door::listen(FrontId(0), std::slice::from_ref(&place)).expect("a free place");
    let lateness = door.lateness();
    let pacer = Pacer::serve(&shared, door, Spin::Never).expect("a thread");
    let mut waits = Client::new(&place, &["data"], 1, true).expect("it is let in");
    (0..16).for_each(|tag| waits.submit(Tag(tag), Io::read(TargetId(0), u64::from(tag) * 4096, 4096)));
    let mut done = Vec::new();
    waits.wait(Instant::ZERO, &mut done).expect("it is sent");
    let mut other = Client::new(&place, &["data"], 1, true).expect("it is let in");
    for n in 0..100 {
        other.submit(Tag(n), Io::read(TargetId(0), COLD, 4096));
        let mut done = Vec::new();
        while done.is_empty() {
            other.wait(Instant::MAX, &mut done).expect("the server is there");
        }
        assert!(done.len() == 1 && done[0].ok);
    }
    let let_at = shared.now();
    (0..16).for_each(|_| lets.send(Ok(())).expect("it is waited for"));
    while done.len() < 16 {
        waits.wait(Instant::MAX, &mut done).expect("the server is there");
    }
    assert!(done.iter().all(|one| one.ok));
    drop(pacer);
    let total = lateness.total();
    assert_eq!(total.count(), 116);
    // They were due before the others were served, each of which took 100 µs.
    let others = 100 * MEDIA.ns();
    let latest = total.moments().max_ns().expect("there are replies");
    assert!(let_at.ns() > others && latest >= others - MEDIA.ns(), "{latest} ns");
}

/// Nothing is told of where the kernel keeps a file, only that what is read is right, whether it was there or had to be waited for.
#[test]
fn a_file_that_was_put_out_of_memory_is_read_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let pool = Pool::new(Bytes::mib(1)).expect("memory");
    let size = 4u64 << 20;
    let mut disk = SparseFile::open(
        &Directory::open(folder.path()).expect("it is there"),
        "data.0",
        Bytes(size),
        &[],
        &pool,
    )
    .expect("a new file");
    // A MiB of data, a MiB of nothing, and so on.
    for at in [0, 2 << 20] {
        disk.write(at, &[3; 1 << 20]).expect("there is room");
    }
    let file = File::open(folder.path().join("data.0.img")).expect("it is there");
    file.sync_all().expect("it can be written");
    rustix::fs::fadvise(&file, 0, None, Advice::DontNeed).expect("it can be advised");
    let (mut read, mut cold) = (vec![1; size as usize], Cold::default());
    let mut rounds = 0;
    loop {
        disk.read_cached(0, &mut read, &mut cold).expect("it can be read");
        if cold.is_empty() {
            break;
        }
        cold.fetch().expect("it can be read");
        rounds += 1;
        assert!(rounds < 1_000, "what was fetched is never there");
    }
    let expected = |at: usize| if at >> 20 & 1 == 0 { 3 } else { 0 };
    assert!(read.iter().enumerate().all(|(at, byte)| *byte == expected(at)));
    // Holes alone are never waited for.
    rustix::fs::fadvise(&file, 0, None, Advice::DontNeed).expect("it can be advised");
    let mut hole = vec![1; 1 << 20];
    disk.read_cached(1 << 20, &mut hole, &mut cold).expect("it can be read");
    assert!(cold.is_empty() && hole.iter().all(|byte| *byte == 0));
    // What somebody cut off is an error, and not zeroes.
    let cut = File::options().write(true).open(folder.path().join("data.0.img")).expect("it is there");
    cut.set_len(1 << 20).expect("it can be cut");
    assert_eq!(disk.read_cached(2 << 20, &mut hole, &mut cold), Err(Errno::Io));
}
