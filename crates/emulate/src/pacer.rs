//! Who moves the emulator on when no request comes: a thread that sleeps until the next completion is due.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use iobound_units::Instant;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::batch::Batch;
use crate::shared::Shared;

/// Wakes the pacer before its time.
#[derive(Debug)]
pub(crate) struct Wake(OwnedFd);

impl Wake {
    pub(crate) fn new() -> io::Result<Wake> {
        Ok(Wake(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?))
    }

    pub(crate) fn up(&self) {
        // Full means that it is awake.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    fn heard(&self) {
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

/// The thread; it ends when this is dropped.
#[derive(Debug)]
pub struct Pacer {
    stop: Arc<AtomicBool>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Pacer {
    /// Starts it.
    ///
    /// # Errors
    /// No thread to be had.
    pub fn start(shared: &Arc<Shared>) -> io::Result<Pacer> {
        let stop = Arc::new(AtomicBool::new(false));
        let (of_thread, stopped) = (Arc::clone(shared), Arc::clone(&stop));
        let thread = std::thread::Builder::new().name("pacer".into()).spawn(move || {
            let mut batch = Batch::default();
            while !stopped.load(Ordering::Acquire) {
                let next = of_thread.move_on(&mut batch);
                sleep(&of_thread, next);
            }
        })?;
        Ok(Pacer { stop, shared: Arc::clone(shared), thread: Some(thread) })
    }
}

/// Until something is due, or somebody wakes it.
fn sleep(shared: &Shared, until: Option<Instant>) {
    let left = until.map(|at| {
        let ns = at.ns().saturating_sub(shared.now().ns());
        Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 }
    });
    let mut descriptors = [PollFd::from_borrowed_fd(shared.wake.0.as_fd(), PollFlags::IN)];
    if poll(&mut descriptors, left.as_ref()).is_ok_and(|ready| ready > 0) {
        shared.wake.heard();
    }
}

impl Drop for Pacer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.shared.wake.up();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
