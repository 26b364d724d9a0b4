//! Raw values of the performance object `PhysicalDisk` of Windows.

/// Names of the counters, in English on every Windows (`PdhAddEnglishCounter`).
pub(crate) const COUNTERS: [&str; 7] = [
    "Disk Reads/sec",
    "Disk Writes/sec",
    "Disk Read Bytes/sec",
    "Disk Write Bytes/sec",
    "Avg. Disk Read Queue Length",
    "Avg. Disk Write Queue Length",
    "% Idle Time",
];

/// Raw value of one counter (`PDH_RAW_COUNTER`): a sum since the start of Windows, and its base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RawValue {
    /// The sum.
    pub(crate) first: i64,
    /// The time, or what else the counter is divided by.
    pub(crate) second: i64,
}

/// Raw values of one disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawDisk {
    /// The number of the disk and its drive letters: `0 C: D:`.
    pub(crate) instance: String,
    /// Values in the order of [`COUNTERS`].
    pub(crate) values: [RawValue; COUNTERS.len()],
}
