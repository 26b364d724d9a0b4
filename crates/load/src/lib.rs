//! Engines on real files and devices, their preparation, and the checks of what they say. `sys` has all calls to the
//! operating system; without one for a platform, every call says so.

pub mod checks;
pub mod engine;
pub mod prepare;
pub mod run;
pub mod saturate;
mod sys;
mod usage;
pub mod verify;
