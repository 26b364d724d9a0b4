use iobound_units::Counted;

/// A latency as a line says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParsedLatency {
    /// The line has none.
    Unknown,
    /// Latency in the unit of the file.
    Known(u64),
    /// Below zero: by the recorded times, the I/O ended before it began.
    Negative,
}

impl From<Option<u64>> for ParsedLatency {
    fn from(latency: Option<u64>) -> ParsedLatency {
        latency.map_or(ParsedLatency::Unknown, ParsedLatency::Known)
    }
}

/// A latency that may have a sign; `None` if the rest is no number.
pub(super) fn signed(field: &[u8], read: impl Fn(&[u8]) -> Option<u64>) -> Option<ParsedLatency> {
    match field.strip_prefix(b"-") {
        None => read(field).map(ParsedLatency::Known),
        Some(rest) => read(rest).map(|latency| match latency {
            0 => ParsedLatency::Known(0),
            _ => ParsedLatency::Negative,
        }),
    }
}

/// A remark on I/Os that ended before they began.
pub(super) fn negative_note(count: u64) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "negative latencies are taken as unknown: the I/O ends before it begins ({})",
            Counted(count, "I/O")
        )
    })
}
