//! A rank's report.

use prost::Message;

use super::{WireError, line, measured, messages, undecoded};
use crate::report::RankReport;

/// The most bytes of a report: 30 hours of seconds with all their latencies are a fifth of that.
pub(crate) const MOST_OF_A_REPORT: usize = 256 << 20;

/// A report, as bytes.
pub fn report_bytes(report: &RankReport) -> Vec<u8> {
    messages::Report {
        measured: report.measured.as_ref().map(measured::wire),
        document: report.document.clone(),
        failed: report.failed.clone(),
    }
    .encode_to_vec()
}

/// A report of these bytes.
///
/// # Errors
/// Returns an error if the bytes are not a report or its figures contradict each other.
pub fn report_of(bytes: &[u8]) -> Result<RankReport, WireError> {
    let messages::Report { measured, document, failed } =
        messages::Report::decode(bytes).map_err(undecoded)?;
    Ok(RankReport {
        measured: measured.map(measured::read).transpose()?,
        document,
        failed: failed.map(|why| line(why, "what failed")).transpose()?,
    })
}
