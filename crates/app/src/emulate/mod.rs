//! The emulator as a program: its devices, its changes while it runs, its display, and its end.

mod backing;
mod before;
mod configured;
mod ctl;
mod entries;
mod faults;
#[cfg_attr(windows, path = "unsupported/file_trip.rs")]
mod file_trip;
mod fronts;
#[cfg_attr(windows, path = "unsupported/guardian.rs")]
pub mod guardian;
mod how;
mod measure;
mod opening;
mod options;
#[cfg_attr(windows, path = "windows/registry.rs")]
pub mod registry;
mod request;
mod server;
mod states;

pub use iobound_emulate::control::COMMANDS;

pub use ctl::{ask, ask_running};
pub use opening::{EmulatorEvent, EndedEmulator, TakeEvent};
pub use options::{BeforeOptions, EmulateFlags};
pub use request::{EmulateRequest, PreparedEmulator};
pub(crate) use states::Watched;
