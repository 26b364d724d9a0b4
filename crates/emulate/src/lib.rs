//! The modelled disks as real block devices: the same stack as the simulator's, driven by the machine's clock.
//!
//! [`Emulator`] is the core, and reads no clock: requests go in at a time, completions come out at theirs, and the data
//! is where it was written. [`Shared`] puts it on a clock, under one lock, for the fronts. A front speaks one protocol
//! to the clients of the devices. On other systems than Linux and Windows the crate is empty.
#![cfg(any(target_os = "linux", windows))]
// An edge of the program, as `machine` is: sockets have deadlines of the machine's clock, and disks may be files.
#![allow(clippy::disallowed_methods)]

mod batch;
mod coalescer;
pub mod control;
mod emulator;
mod exchange;
mod export;
mod fetch;
mod front;
#[cfg_attr(windows, path = "fuse/unsupported/mod.rs")]
pub mod fuse;
mod lateness;
pub mod metrics;
pub mod nbd;
mod not_built;
mod pacer;
mod request;
mod shared;
pub mod state;
pub mod store;
mod sys;
pub mod transport;
mod wake_lead;

pub use batch::{Batch, Completed};
pub use emulator::Emulator;
pub use export::{Export, ExportId, ExportKind, with_single_disks};
pub use front::Front;
pub use lateness::Lateness;
pub use not_built::NotBuilt;
pub use pacer::{Pacer, Spin};
pub use request::{Action, Errno, FrontId, Owner, Request};
pub use shared::{Shared, Time};
