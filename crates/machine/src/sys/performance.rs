//! Raw values of performance objects of Windows.

/// Object of disks.
pub(crate) const PHYSICAL_DISK: &str = "PhysicalDisk";
/// Object of volumes, which has the counters of the object of disks.
pub(crate) const LOGICAL_DISK: &str = "LogicalDisk";

/// Counters of both objects, in English on every Windows (`PdhAddEnglishCounter`).
pub(crate) const DISK_COUNTERS: [&str; 7] = [
    "Disk Reads/sec",
    "Disk Writes/sec",
    "Disk Read Bytes/sec",
    "Disk Write Bytes/sec",
    "Avg. Disk Read Queue Length",
    "Avg. Disk Write Queue Length",
    "% Idle Time",
];

/// Counters of the object `Processor Information`: sums in units of 100 ns.
pub(crate) const PROCESSOR_COUNTERS: [&str; 3] = ["% User Time", "% Privileged Time", "% Idle Time"];

/// Raw value of one counter (`PDH_RAW_COUNTER`): a sum since the start of Windows, and its base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawValue {
    /// The sum.
    pub(crate) first: i64,
    /// The time, or what else the counter is divided by.
    pub(crate) second: i64,
}

/// Raw values of one instance of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawInstance<const N: usize> {
    /// The number of a disk and its drive letters (`0 C: D:`), a volume (`C:`, `HarddiskVolume1`), or the node and the number of
    /// a processor (`0,3`).
    pub(crate) instance: String,
    /// Values in the order of the counters.
    pub(crate) values: [RawValue; N],
}

/// Raw values of a disk or a volume.
pub(crate) type RawDisk = RawInstance<{ DISK_COUNTERS.len() }>;

/// Raw values of a processor.
pub(crate) type RawProcessor = RawInstance<{ PROCESSOR_COUNTERS.len() }>;
