//! The emulator as a program: its devices, its changes while it runs, its display, and its end.

mod backing;
mod before;
mod configured;
mod ctl;
mod faults;
mod fronts;
pub mod guardian;
mod how;
mod measure;
mod opening;
mod options;
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
