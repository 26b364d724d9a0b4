//! Request of a front on behalf of its clients, whatever protocol they speak.

use crate::export::ExportId;

/// A front's index among those of one emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrontId(pub u8);

/// Client that waits for a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The front.
    pub front: FrontId,
    /// The front's own: which of its connections.
    pub connection: u32,
    /// The front's own: which request of it.
    pub cookie: u64,
}

/// The action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Data from the export.
    Read,
    /// Data to the export; with force unit access it is durable when it completes.
    Write {
        /// Force unit access.
        fua: bool,
    },
    /// Everything completed before is durable when this completes.
    Flush,
    /// The data of the range is no longer needed: it reads as zeroes, and its place is free.
    Trim,
    /// The range reads as zeroes. To the model it is a write of them. A range that keeps its place gets one on the
    /// media if it has none. Otherwise its place is free at once.
    Zero {
        /// Force unit access.
        fua: bool,
        /// True if its place stays taken.
        allocate: bool,
    },
}

/// One request of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Client that asks.
    pub owner: Owner,
    /// Of which export.
    pub export: ExportId,
    /// Operation.
    pub action: Action,
    /// Offset in bytes; zero of a flush.
    pub offset: u64,
    /// The amount, in bytes; zero of a flush.
    pub len: u32,
}

/// Reason why a request failed, in the words that every front's protocol has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errno {
    /// The disk failed it.
    Io,
    /// There is no room for the data.
    NoSpace,
    /// The range or the request makes no sense.
    Invalid,
    /// As many requests are held as can be.
    Busy,
}
