//! Engines on real files and devices, and their preparation. Linux only: on other systems the crate is empty.
#![cfg(target_os = "linux")]

pub mod engine;
pub mod prepare;
pub mod verify;
