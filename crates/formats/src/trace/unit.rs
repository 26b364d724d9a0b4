/// Unit of a file's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Windows' own: 100 ns.
    Ticks,
    /// Nanoseconds.
    Nanoseconds,
}

impl TimeUnit {
    /// All of them, the longest first.
    pub const ALL: [TimeUnit; 5] = [
        TimeUnit::Seconds,
        TimeUnit::Milliseconds,
        TimeUnit::Microseconds,
        TimeUnit::Ticks,
        TimeUnit::Nanoseconds,
    ];

    /// `s`, `ms`, `us`, `100ns`, `ns`.
    pub const fn name(self) -> &'static str {
        match self {
            TimeUnit::Seconds => "s",
            TimeUnit::Milliseconds => "ms",
            TimeUnit::Microseconds => "us",
            TimeUnit::Ticks => "100ns",
            TimeUnit::Nanoseconds => "ns",
        }
    }

    /// The unit in ns.
    pub const fn ns(self) -> u64 {
        match self {
            TimeUnit::Seconds => 1_000_000_000,
            TimeUnit::Milliseconds => 1_000_000,
            TimeUnit::Microseconds => 1_000,
            TimeUnit::Ticks => 100,
            TimeUnit::Nanoseconds => 1,
        }
    }

    /// Reads a unit.
    ///
    /// # Errors
    /// Returns an error if the word is not a known unit.
    pub fn parse(text: &str) -> Result<TimeUnit, String> {
        let text = if text == "µs" { "us" } else { text };
        let found = TimeUnit::ALL.into_iter().find(|unit| unit.name() == text);
        found.ok_or_else(|| format!("`{text}` is not a unit of time: write s, ms, us, 100ns or ns"))
    }
}
