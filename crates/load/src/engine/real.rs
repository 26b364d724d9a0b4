use iobound_drive::Engine;
use iobound_machine::SystemClock;
use iobound_units::{Span, Tag};

use super::common::{Left, SoFar};
use super::contents::Contents;

/// An engine on real targets: it is set up before the run's clock starts, and tells at the end what it counted.
pub trait RealEngine: Engine + Sized {
    /// Content of its blocks.
    type Contents: Contents;

    /// Time that the submission of a completed I/O took; zero where submission and completion are not timed apart.
    fn submission(&self, _tag: Tag) -> Span {
        Span::ZERO
    }

    /// The run's clock: its zero is when I/O begins.
    fn start(&mut self, clock: SystemClock);

    /// A copy of what it has counted up to now.
    fn so_far(&self) -> SoFar;

    /// The end: what it counted, and whatever failed. I/Os that are outstanding are waited for as long as the device
    /// answers; the buffers of what it does not answer are never given back.
    fn leave(self) -> Left<Self::Contents>;
}
