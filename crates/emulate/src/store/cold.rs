use std::fmt;

use crate::request::Errno;

/// Waits for a part of a read that is not in memory; afterwards it is. Called without any lock, by a thread that may
/// wait.
pub type Fetch = Box<dyn FnOnce() -> Result<(), Errno> + Send>;

/// Data that a read would have had to wait for. While it is empty, the read is complete.
#[derive(Default)]
pub struct Cold {
    fetches: Vec<Fetch>,
}

impl Cold {
    /// Leaves a part to a thread that may wait.
    pub fn leave(&mut self, fetch: impl FnOnce() -> Result<(), Errno> + Send + 'static) {
        self.fetches.push(Box::new(fetch));
    }

    /// True if nothing was left.
    pub fn is_empty(&self) -> bool {
        self.fetches.is_empty()
    }

    /// Waits for what was left.
    ///
    /// # Errors
    /// Returns the error of the store below.
    pub fn fetch(&mut self) -> Result<(), Errno> {
        self.take().into_iter().try_for_each(|fetch| fetch())
    }

    /// Remaining work.
    pub fn take(&mut self) -> Vec<Fetch> {
        std::mem::take(&mut self.fetches)
    }
}

impl fmt::Debug for Cold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cold").field("fetches", &self.fetches.len()).finish()
    }
}
