//! `write_hist_log`, `log_hist_msec`, `log_hist_coarseness`: the latencies of every interval, as bins.

use iobound_units::Span;

use super::whole_ms;
use crate::fio::asked::Asked;

/// A log of bins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinsLog {
    /// Prefix of its files' names.
    pub prefix: String,
    /// Time that a line covers; whole milliseconds.
    pub every: Span,
    /// A column is 2^coarseness of fio's bins: 0 to 6.
    pub coarseness: u32,
}

impl BinsLog {
    /// The log that a job asks for; `prefix` is that of its log.
    pub(super) fn read(asked: &mut Asked<'_>, prefix: Option<String>) -> Option<BinsLog> {
        let coarseness = asked.count("log_hist_coarseness", 0, 0, 6);
        let every = whole_ms(asked, "log_hist_msec");
        let prefix = prefix?;
        if every.is_none() {
            // fio itself leaves such a log empty.
            asked.refuse(
                "write_hist_log",
                "write_hist_log without log_hist_msec does not say how long a line covers",
                "add log_hist_msec=1000",
            );
        }
        Some(BinsLog { prefix, every: every?, coarseness })
    }
}
