//! Ways to issue I/O to real files and devices.

mod aio;
mod alignment;
mod call;
mod choose;
mod common;
mod contents;
mod drain;
mod entrance;
mod entry;
mod fault;
mod manner;
mod slots;
mod sync;
mod target;
mod uring;

use iobound_drive::Engine;
use iobound_machine::SystemClock;

pub use aio::Aio;
pub use alignment::{Misaligned, check_alignment};
pub use choose::{Because, Choice, Kind, Needs, choose};
pub(crate) use common::{LONGEST_END, PATIENCE};
pub use common::{Left, Setup};
pub use contents::{Contents, Refreshed, Verified};
pub use fault::{Failure, Fault, Faults, OnError};
pub use slots::Slots;
pub use sync::Sync;
pub use target::{FileToOpen, Open, OpenError, OpenFile, Targets, ToOpen};
pub use uring::{Granted, Uring};

impl Kind {
    /// The most I/Os that one thread can have outstanding; `None` where the system alone has a bound.
    pub const fn most_outstanding(self) -> Option<u64> {
        match self {
            Kind::IoUring => Some(uring::MOST_OUTSTANDING),
            Kind::Libaio => None,
            Kind::Sync => Some(sync::MOST_OUTSTANDING as u64),
        }
    }
}

/// An engine on real targets: it is set up before the run's clock starts, and tells at the end what it counted.
pub trait RealEngine: Engine + Sized {
    /// What its blocks hold.
    type Contents: Contents;

    /// The run's clock: its zero is when I/O begins.
    fn start(&mut self, clock: SystemClock);

    /// The end: what it counted, and whatever failed. I/Os that are outstanding are waited for as long as the device
    /// answers; the buffers of what it does not answer are never given back.
    fn leave(self) -> Left<Self::Contents>;
}
