/// Exit codes, which scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A condition of `--fail-if` holds, or nothing meets the need of `plan`.
    Asserted = 1,
    /// Bad input.
    BadInput = 2,
    /// Refused, so that no data is lost and nobody is disturbed.
    Refused = 3,
    /// An I/O error on what the answer is written to or read from.
    Io = 4,
    /// Interrupted; what was done is printed.
    Interrupted = 5,
}
