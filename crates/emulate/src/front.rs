use crate::batch::{Batch, Completed};

/// Server of a client protocol: NBD, FUSE. A front gives requests to [`crate::Shared::enter`], and is told here
/// of what completes when another front, or the pacer, was first to see it.
pub trait Front: Send + Sync {
    /// Replies to these, which are this front's; called without the emulator's lock, from any thread, in order of time.
    fn deliver(&self, batch: &Batch, completed: &[&Completed]);
}
