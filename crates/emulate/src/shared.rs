//! The emulator on the machine's clock, for several threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use iobound_machine::SystemClock;
use iobound_units::Instant;

use crate::batch::{Batch, Completed};
use crate::emulator::Emulator;
use crate::front::Front;
use crate::request::{Errno, FrontId, Request};
use crate::sys::Wake;

const NEVER: u64 = u64::MAX;

/// Source of the emulator's time: the machine's clock, or one that a test moves.
pub trait Time: Send + Sync {
    /// The time; it never goes back.
    fn now(&self) -> Instant;
}

impl Time for SystemClock {
    fn now(&self) -> Instant {
        let mut clock = *self;
        clock.now_of_run()
    }
}

/// The emulator on the machine's clock. A request moves it on and delivers the replies that are complete by then;
/// without requests the [`crate::Pacer`] does.
pub struct Shared {
    emulator: Mutex<Emulator>,
    /// By [`FrontId`].
    fronts: [OnceLock<Arc<dyn Front>>; Shared::MOST_FRONTS],
    time: Box<dyn Time>,
    /// Time at which the event loop wakes by itself, in nanoseconds; zero while it is awake.
    armed: AtomicU64,
    pub(crate) wake: Arc<Wake>,
    /// Told when there is room again, if threads wait for it.
    room: Condvar,
    /// Number of do; changed under the emulator's lock only.
    waiting: AtomicUsize,
}

impl Shared {
    /// Number of fronts there that can be.
    pub const MOST_FRONTS: usize = 4;

    /// The emulator, with the clock's zero now.
    ///
    /// # Errors
    /// Returns an error if no descriptor is available.
    pub fn new(emulator: Emulator) -> std::io::Result<Arc<Shared>> {
        Shared::on(Box::new(SystemClock::starting_in(iobound_units::Span::ZERO)), emulator)
    }

    /// The emulator on this clock, which shows zero or more.
    ///
    /// # Errors
    /// Returns an error if no descriptor is available.
    pub fn on(time: Box<dyn Time>, mut emulator: Emulator) -> std::io::Result<Arc<Shared>> {
        let wake = Arc::new(Wake::new()?);
        let of_fetches = Arc::clone(&wake);
        emulator.wait_elsewhere(move || of_fetches.up());
        Ok(Arc::new(Shared {
            emulator: Mutex::new(emulator),
            fronts: [const { OnceLock::new() }; Shared::MOST_FRONTS],
            time,
            armed: AtomicU64::new(NEVER),
            wake,
            room: Condvar::new(),
            waiting: AtomicUsize::new(0),
        }))
    }

    /// Registers the receiver of the completions of `id`. Once, before the front's first request.
    pub fn set_front(&self, id: FrontId, front: Arc<dyn Front>) {
        let place = self.fronts.get(usize::from(id.0)).expect("no more fronts than there can be");
        assert!(place.set(front).is_ok(), "a front is set once");
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.time.now()
    }

    /// The emulator, alone.
    pub fn lock(&self) -> MutexGuard<'_, Emulator> {
        self.emulator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes requests now, with the data of writes, and delivers all complete replies. Those of `own` are left in the
    /// batch for the caller, those of other fronts are delivered. Refused requests are appended to `refused`.
    pub fn enter<'a>(
        &self,
        own: FrontId,
        requests: impl IntoIterator<Item = (Request, &'a [u8])>,
        refused: &mut Vec<(Request, Errno)>,
        batch: &mut Batch,
    ) {
        batch.clear();
        let next = {
            let mut emulator = self.lock();
            let now = self.now();
            for (request, payload) in requests {
                if let Err(errno) = emulator.submit(now, request, payload) {
                    refused.push((request, errno));
                }
            }
            emulator.poll(now, batch);
            self.tell_of_room(&emulator);
            emulator.next_event()
        };
        if next.is_some_and(|next| next.ns() < self.armed.load(Ordering::Acquire)) {
            self.wake.up();
        }
        self.deliver(Some(own), batch);
    }

    /// Changes the emulator at the time that it is then, and delivers what is complete by that.
    pub fn alter<T>(&self, change: impl FnOnce(&mut Emulator, Instant, &mut Batch) -> T) -> T {
        let mut batch = Batch::default();
        let changed = {
            let mut emulator = self.lock();
            let now = self.now();
            let changed = change(&mut emulator, now, &mut batch);
            emulator.poll(now, &mut batch);
            self.tell_of_room(&emulator);
            changed
        };
        // The next event may be due earlier than before.
        self.wake.up();
        self.deliver(None, &batch);
        changed
    }

    /// The event loop's turn: gives the emulator to `submit`, moves it on, delivers replies of other fronts than `own`,
    /// and returns the time of the next completion. A submitter whose I/O is due before that wakes the event loop.
    pub(crate) fn pace(
        &self,
        own: Option<FrontId>,
        batch: &mut Batch,
        submit: impl FnOnce(&mut Emulator, Instant),
    ) -> Option<Instant> {
        batch.clear();
        let next = {
            let mut emulator = self.lock();
            let now = self.now();
            submit(&mut emulator, now);
            emulator.poll(now, batch);
            self.tell_of_room(&emulator);
            let next = emulator.next_event();
            // Under the lock: later submitters see when the event loop wakes, and wake it for an earlier completion.
            self.armed.store(next.map_or(NEVER, Instant::ns), Ordering::Release);
            next
        };
        self.deliver(own, batch);
        next
    }

    /// The VM loses its host now, as [`Emulator::crash`] describes; waiting clients get an error.
    pub fn crash(&self) {
        let mut batch = Batch::default();
        {
            let mut emulator = self.lock();
            emulator.crash(self.now(), &mut batch);
            self.tell_of_room(&emulator);
        }
        self.deliver(None, &batch);
    }

    /// Waits until a request more can be taken: for threads that may block, never in [`Front::deliver`], without which there
    /// will be no room.
    pub fn wait_for_room(&self) {
        let mut emulator = self.lock();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        while emulator.room() == 0 {
            emulator = self.room.wait(emulator).unwrap_or_else(PoisonError::into_inner);
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    fn tell_of_room(&self, emulator: &Emulator) {
        if self.waiting.load(Ordering::Relaxed) > 0 && emulator.room() > 0 {
            self.room.notify_all();
        }
    }

    /// The pacer is awake, and will have its turn: nobody needs to wake it.
    pub(crate) fn awake(&self) {
        self.armed.store(0, Ordering::Release);
    }

    fn deliver(&self, own: Option<FrontId>, batch: &Batch) {
        for (n, front) in self.fronts.iter().enumerate() {
            let id = FrontId(n as u8);
            let Some(front) = front.get().filter(|_| own != Some(id)) else { continue };
            let of_front = |completed: &&Completed| completed.request.owner.front == id;
            let completed: Vec<&Completed> = batch.completed.iter().filter(of_front).collect();
            if !completed.is_empty() {
                front.deliver(batch, &completed);
            }
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
