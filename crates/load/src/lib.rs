//! Engines on real files and devices, their preparation, and the checks of what they say. Linux only: on other
//! systems the crate is empty.
#![cfg(target_os = "linux")]

pub mod checks;
pub mod engine;
pub mod prepare;
pub mod run;
pub mod saturate;
mod usage;
pub mod verify;
