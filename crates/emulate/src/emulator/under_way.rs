//! Part of a request that the model has.

use iobound_units::Instant;

use crate::request::{Action, Request};

/// The most zeroes that the model sees as one I/O, in bytes: as many as other data. More are several, one
/// after the other, as a system cuts what is longer than its device takes.
const MOST_ZEROES: u32 = 32 << 20;

#[derive(Clone, Copy)]
pub(super) struct UnderWay {
    pub(super) request: Request,
    pub(super) since: Instant,
    /// Bytes of it that the model has received.
    pub(super) given: u32,
}

impl UnderWay {
    /// Next part for the model: its start and length.
    pub(super) fn next_fragment(&self) -> Request {
        let Request { action, offset, len, .. } = self.request;
        let left = len - self.given;
        let most = if matches!(action, Action::Zero { .. }) { MOST_ZEROES } else { left };
        Request { offset: offset + u64::from(self.given), len: left.min(most), ..self.request }
    }
}
