//! Limits of machines on all disks of one type, for clouds that publish them by type.

use crate::vm::Limits;

/// Limits of a machine, or of all machines of a series and size, with one type of disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineLimit {
    /// Name of the limited machines in the vendor's table: a series with its vCPUs, or a name.
    pub machine: String,
    /// The type of disk, by its word.
    pub disk: String,
    /// Of reads.
    pub read: Limits,
    /// Of writes.
    pub write: Limits,
    /// The source's key.
    pub source: String,
}
