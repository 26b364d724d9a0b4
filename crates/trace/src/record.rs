use iobound_units::Op;

/// The value of [`Record::latency_ns`] if the trace has no latency of this I/O.
pub const NO_LATENCY: u64 = u64::MAX;

/// The largest file and device that Linux and Windows can address, in bytes. No I/O of a trace ends beyond.
pub const LARGEST: u64 = i64::MAX as u64;

/// One recorded I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Issue time in ns, on the trace's own clock.
    pub at_ns: u64,
    /// Offset on the device in bytes.
    pub offset: u64,
    /// Length in bytes; zero for a flush.
    pub length: u64,
    /// Recorded latency in ns, [`NO_LATENCY`] if unknown.
    pub latency_ns: u64,
    /// Index into the source's list of devices.
    pub device: u16,
    /// Operation.
    pub op: Op,
}

impl Record {
    /// The recorded latency in ns, if known.
    #[inline]
    pub fn latency(&self) -> Option<u64> {
        (self.latency_ns != NO_LATENCY).then_some(self.latency_ns)
    }

    /// The recorded completion time in ns, if known.
    #[inline]
    pub fn completed_ns(&self) -> Option<u64> {
        self.latency().map(|latency| self.at_ns.saturating_add(latency))
    }

    /// The first byte behind the I/O.
    #[inline]
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}
