//! This machine: its clock, block devices, what must never be written over, processors, memory, pressure and counters;
//! and what its cloud says of it, where there is one. `sys` has all calls to the operating system.
//!
//! All reads of `/proc`, `/sys` and `/dev` go through a [`World`], so that a tree of files can stand for a machine. A
//! fact that they do not state is `None`, never a guess.
//
// The one crate besides the program that reads clocks, files and folders: pure crates get them as arguments.
#![allow(clippy::disallowed_methods)]

mod authority;
pub mod block;
pub mod busy;
mod clock;
pub mod cloud;
pub mod counters;
pub mod cpu;
pub mod files;
#[cfg(all(test, target_os = "linux"))]
mod fixture;
pub mod guard;
pub mod kernel;
pub mod loopback;
pub mod memory;
mod mounts;
mod node;
pub mod nvme;
pub mod open;
mod performance;
pub mod pressure;
pub mod process;
pub mod siblings;
pub mod space;
mod sys;
pub mod trace;
mod world;

pub use authority::Authority;
pub use clock::SystemClock;
pub use mounts::{EMULATED, Mount, Mounts};
pub use node::{DeviceNumber, Node, NodeKind};
pub use sys::device::WorldSystem;
pub use sys::error::NotOnThisPlatform;
pub use world::World;
