//! Memory under one limit, for all disks.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use iobound_units::Bytes;

use super::Backing;
use super::memory::Memory;
use super::slab::{PAGE, Slab};

/// Memory under one limit: what disks hold, the tables that find it, and what host caches have acknowledged. Nothing is taken
/// before it is written. Clones are the same pool.
#[derive(Clone, Debug)]
pub struct Pool {
    slab: Arc<Mutex<Slab>>,
}

impl Pool {
    /// A pool of at most `limit`, rounded down to whole pages of 4 KiB.
    ///
    /// # Errors
    /// Returns an error if this is more than the system can address or a limit on the process allows.
    pub fn new(limit: Bytes) -> io::Result<Pool> {
        let pages = u32::try_from(limit.get() / PAGE as u64).map_err(|_| io::ErrorKind::OutOfMemory)?;
        Ok(Pool { slab: Arc::new(Mutex::new(Slab::new(pages)?)) })
    }

    /// Default limit of a pool: half of the memory that is available without swapping. The programs that use the disks
    /// run on the same machine, and the page cache in front of them needs as much again.
    pub fn sensible_limit(available: Bytes) -> Bytes {
        Bytes(available.get() / 2 / PAGE as u64 * PAGE as u64)
    }

    /// An empty disk in this pool.
    pub fn disk(&self) -> Memory {
        Memory::new(self.clone())
    }

    /// Empty disks in this pool.
    pub fn disks(&self, count: usize) -> Vec<Box<dyn Backing>> {
        (0..count).map(|_| Box::new(self.disk()) as Box<dyn Backing>).collect()
    }

    /// The most that it holds.
    pub fn limit(&self) -> Bytes {
        Bytes(u64::from(self.lock().limit()) * PAGE as u64)
    }

    /// Its content.
    pub fn held(&self) -> Bytes {
        Bytes(self.lock().used() * PAGE as u64)
    }

    /// Never contended: all disks are under the emulator's lock. It makes the pool safe to send, for the price of a few
    /// nanoseconds a call.
    pub(super) fn lock(&self) -> MutexGuard<'_, Slab> {
        self.slab.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
