//! Limits of what is read.

/// The most devices, files or disks of one observation: a machine has fewer, and memory is bounded by it.
pub const DEVICES: usize = 4_096;
/// The most intervals: a day of seconds.
pub const INTERVALS: usize = 86_400;
/// The most figures that are kept of all devices and intervals together.
pub const KEPT: usize = 16 << 20;
