//! The emulator as a program: what is served and how, its changes while it runs, what is seen of it, its end.

mod backing;
mod before;
mod configured;
mod ctl;
mod faults;
mod fronts;
pub(crate) mod guardian;
mod how;
mod measure;
mod opening;
pub(crate) mod registry;
mod server;
mod states;
mod view;

pub(crate) use before::Before;
pub(crate) use ctl::ask_running;
pub(crate) use how::EmulateOptions;
pub(crate) use opening::{model, serve};
pub(crate) use states::Watched;
