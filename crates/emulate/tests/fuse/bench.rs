//! Two striped disks, served.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use iobound_emulate::fuse::{MountOptions, Mounted};
use iobound_emulate::store::Pool;
use iobound_emulate::{Emulator, FrontId, Pacer, Shared, Spin, Time};
use iobound_model::{Blueprint, Latency, Start, StartCredits};
use iobound_units::{Bytes, Instant, Span};
use rustix::fs::OFlags;
use tempfile::TempDir;

/// Number of requests that the emulator takes at a time.
pub(crate) const CAPACITY: usize = 2048;

/// True if this machine lets us mount: the device is there, and we are root or have the helper.
pub(crate) fn is_here() -> bool {
    let opens = OpenOptions::new().read(true).write(true).open("/dev/fuse").is_ok();
    let has = |helper: &str| Command::new(helper).arg("-V").output().is_ok();
    let mounts = rustix::process::geteuid().is_root() || has("fusermount3") || has("fusermount");
    if !(opens && mounts) {
        eprintln!("no FUSE here: nothing is checked");
    }
    opens && mounts
}

/// Two disks of `size`, striped, whose media take `media`.
pub(crate) fn striped(size: Bytes, media: Span) -> Blueprint {
    Blueprint::striped("data", 2, size, Latency::constant(media))
}

/// A clock that stands where it was put, in nanoseconds.
#[derive(Clone, Default)]
pub(crate) struct Hand(Arc<AtomicU64>);

impl Hand {
    pub(crate) fn put(&self, at: Span) {
        self.0.store(at.ns(), Ordering::Release);
    }
}

impl Time for Hand {
    fn now(&self) -> Instant {
        Instant::from_ns(self.0.load(Ordering::Acquire))
    }
}

/// An emulator that keeps up to 64 MiB, on the machine's clock.
pub(crate) fn shared(blueprint: &Blueprint) -> Arc<Shared> {
    Shared::new(emulator(blueprint, CAPACITY)).expect("a descriptor")
}

fn emulator(blueprint: &Blueprint, capacity: usize) -> Emulator {
    let backings = Pool::new(Bytes::mib(64)).expect("address space").disks(blueprint.disks.len());
    let start = Start { seed: 1, credits: StartCredits::Full };
    Emulator::new(blueprint, &start, capacity, backings).expect("a valid blueprint")
}

/// A directory in which the volume `data` and its disks are files, until this is dropped.
pub(crate) struct Served {
    pub(crate) mounted: Mounted,
    pub(crate) shared: Arc<Shared>,
    _pacer: Pacer,
    _place: TempDir,
}

impl Served {
    pub(crate) fn new(blueprint: &Blueprint) -> Served {
        Served::of(shared(blueprint))
    }

    /// On a clock that the test moves.
    pub(crate) fn by_hand(blueprint: &Blueprint, hand: &Hand) -> Served {
        Served::of(Shared::on(Box::new(hand.clone()), emulator(blueprint, CAPACITY)).expect("a descriptor"))
    }

    /// With room for so many requests at a time.
    pub(crate) fn with_room(blueprint: &Blueprint, capacity: usize) -> Served {
        Served::of(Shared::new(emulator(blueprint, capacity)).expect("a descriptor"))
    }

    fn of(shared: Arc<Shared>) -> Served {
        let place = tempfile::tempdir().expect("a directory");
        let pacer = Pacer::start(&shared, Spin::Never).expect("a thread");
        let options = MountOptions { threads: 2, ..MountOptions::of(place.path().join("disks")) };
        let mounted = Mounted::start(&shared, FrontId(0), &options).expect("a new directory");
        Served { mounted, shared, _pacer: pacer, _place: place }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.mounted.directory().join(name)
    }

    /// To read and write, with more flags.
    pub(crate) fn open(&self, name: &str, flags: OFlags) -> File {
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).custom_flags(flags.bits() as i32).open(self.path(name));
        opened.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn buffered(&self, name: &str) -> File {
        self.open(name, OFlags::empty())
    }
}

/// Memory at a page, as direct I/O wants it.
pub(crate) struct Page {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl Page {
    pub(crate) fn new(len: usize) -> Page {
        let memory = vec![0; len + 4096];
        let start = memory.as_ptr().align_offset(4096);
        Page { memory, start, len }
    }

    pub(crate) fn filled(len: usize, byte: u8) -> Page {
        let mut page = Page::new(len);
        page.bytes().fill(byte);
        page
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

/// Waits for what has to come; a minute is for a machine that does nothing else first, and ends a test that fails.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = std::time::Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(std::time::Instant::now() < end, "in a minute it did not come to {what}");
        std::thread::yield_now();
    }
}
