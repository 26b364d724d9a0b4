//! The protocol by hand-made bytes, as its specification has them, and clients that misbehave.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "sockets are files, and tests make some")]

#[path = "nbd/allocation.rs"]
mod allocation;
#[path = "nbd/bench.rs"]
mod bench;
#[path = "nbd/crowds.rs"]
mod crowds;
#[path = "nbd/handshake.rs"]
mod handshake;
#[path = "nbd/misbehaviour.rs"]
mod misbehaviour;
#[path = "nbd/sockets.rs"]
mod sockets;
#[path = "nbd/transmission.rs"]
mod transmission;
