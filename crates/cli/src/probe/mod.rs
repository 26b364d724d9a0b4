//! Real files and devices as a disk to probe.

mod real_disk;

pub(crate) use real_disk::RealDisk;
