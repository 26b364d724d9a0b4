//! Control of an emulator that runs: a language of words, and a socket to say them on.

mod changes;
mod command;
#[cfg_attr(windows, path = "windows/endpoint.rs")]
mod endpoint;
mod socket;

pub use command::{COMMANDS, Command, Selection, Trouble};
pub use socket::{ControlSocket, ask};
