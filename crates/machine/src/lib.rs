//! This machine: its clock.

mod clock;

pub use clock::SystemClock;
