//! Ways to issue I/O to real files and devices.

mod alignment;
pub(crate) mod choose;
pub(crate) mod common;
pub(crate) mod contents;
pub(crate) mod drain;
pub(crate) mod fault;
pub(crate) mod granted;
mod null;
pub(crate) mod range;
pub(crate) mod real;
pub(crate) mod slots;
mod submit_mode;
mod sync;
pub(crate) mod target;

pub use crate::sys::{Aio, Iocp, Uring};
pub use alignment::{Misaligned, check_alignment};
pub use choose::{Choice, ChoiceReason, Kind, Needs, choose};
pub(crate) use common::{LONGEST_END, PATIENCE};
pub use common::{Left, PartTimes, Setup, SoFar, TimedApart, WrongBlock};
pub use contents::{Checked, Contents, Patterned, Refreshed, Verified};
pub use fault::{Failure, Fault, Faults, OnError};
pub use granted::Granted;
pub use null::Null;
pub use real::RealEngine;
pub use slots::Slots;
pub use sync::Sync;
pub use target::{FileToOpen, Open, OpenError, OpenFile, Targets, ToOpen};

impl Kind {
    /// The most I/Os that one thread can have outstanding; `None` where the system alone has a bound.
    pub const fn most_outstanding(self) -> Option<u64> {
        match self {
            Kind::IoUring => Some(crate::sys::MOST_OUTSTANDING),
            Kind::Libaio | Kind::Iocp | Kind::Null => None,
            Kind::Sync => Some(sync::MOST_OUTSTANDING as u64),
        }
    }
}
