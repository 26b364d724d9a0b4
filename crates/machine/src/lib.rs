//! This machine: its clock, and on Linux its block devices, what must never be written over, processors, memory,
//! pressure and counters; and what its cloud says of it, where there is one.
//!
//! What is read of `/proc`, `/sys` and `/dev` is read through a [`World`], so that a tree of files can stand for a
//! machine; what they leave unsaid is `None`, never a guess.
//
// The one crate besides the program that reads clocks, files and folders: pure crates get them as arguments.
#![allow(clippy::disallowed_methods)]

#[cfg(target_os = "linux")]
pub mod block;
#[cfg(target_os = "linux")]
pub mod busy;
mod clock;
#[cfg(target_os = "linux")]
pub mod cloud;
#[cfg(target_os = "linux")]
pub mod counters;
#[cfg(target_os = "linux")]
pub mod cpu;
#[cfg(all(test, target_os = "linux"))]
mod fixture;
#[cfg(target_os = "linux")]
pub mod guard;
#[cfg(target_os = "linux")]
pub mod kernel;
#[cfg(target_os = "linux")]
pub mod memory;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod node;
#[cfg(target_os = "linux")]
pub mod nvme;
#[cfg(target_os = "linux")]
pub mod pressure;
#[cfg(target_os = "linux")]
pub mod siblings;
#[cfg(target_os = "linux")]
pub mod space;
#[cfg(target_os = "linux")]
pub mod trace;
#[cfg(target_os = "linux")]
mod world;

pub use clock::SystemClock;
#[cfg(target_os = "linux")]
pub use mounts::{EMULATED, Mount, Mounts};
#[cfg(target_os = "linux")]
pub use node::{DeviceNumber, Node, NodeKind};
#[cfg(target_os = "linux")]
pub use world::World;
