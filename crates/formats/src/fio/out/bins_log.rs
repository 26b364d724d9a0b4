//! `write_hist_log`: a line of fio's bins of completion latency (clat) for each interval and direction.
//!
//! A line is `time, direction, block size` and the counts of all bins, 2^`log_hist_coarseness` of them to a column:
//! HOWTO of fio, "log_hist_coarseness", and what 3.33 writes. The block size is that of the direction's I/Os, 0 where
//! they have several (fio has that of the last one). Every whole interval has its line; fio has none for an interval
//! after which no I/O completes.

use std::fmt::Write;

use iobound_measure::{LatencyCount, Phase};
use iobound_units::{Op, Span};

use super::entry::Numbered;
use super::spread::{LAST, bin};
use crate::fio::{BinsLog, Unified};

/// Number of bins fio that has.
const BINS: usize = LAST + 1;

/// A line that is being added up.
struct BinLine {
    counts: Vec<u64>,
    length: Span,
}

/// The lines of a thread in order of time; times are ms from `epoch_ms`.
///
/// # Errors
/// Returns the number of intervals that had no room for their latencies.
pub(super) fn lines(
    numbered: &Numbered<'_>,
    asked: &BinsLog,
    unified: Unified,
    epoch_ms: u64,
) -> Result<String, usize> {
    let Numbered { ran, thread, .. } = numbered;
    let job = thread.own_job();
    // Where submission was not timed apart, completion is timed from issue.
    let measured = thread.apart.as_ref().map_or(&thread.measured, |apart| &apart.completion);
    let mix = &ran.workload.jobs[usize::from(thread.job)].mix;
    let directions: &[(u8, &[Op])] = match unified {
        Unified::Mixed => &[(0, &[Op::Read, Op::Write])],
        _ => &[(0, &[Op::Read]), (1, &[Op::Write])],
    };
    let (mut lines, mut lost) = (Vec::new(), 0);
    for (direction, ops) in directions {
        if ops.iter().all(|op| job.op(*op).count() == 0) {
            continue;
        }
        let mut blocks = mix.iter().filter(|share| ops.contains(&share.op)).map(|share| share.block);
        let first = blocks.next().unwrap_or(0);
        let block = if blocks.all(|block| block == first) { first } else { 0 };
        let mut open = BinLine { counts: vec![0; BINS], length: Span::ZERO };
        for (index, interval) in measured.series.iter().enumerate() {
            if interval.phase != Phase::Counted || !interval.whole {
                continue;
            }
            for op in *ops {
                match measured.latencies.of(index, *op) {
                    Some(latencies) => open.take(latencies),
                    None => lost += 1,
                }
            }
            open.length += interval.length();
            if open.length >= asked.every {
                let at_ms = interval.end.since(measured.layout.begin).ns() / 1_000_000 + epoch_ms;
                lines.push((at_ms, *direction, open.end(block, asked.coarseness)));
            }
        }
    }
    if lost > 0 {
        return Err(lost);
    }
    lines.sort_by_key(|(at_ms, direction, _)| (*at_ms, *direction));
    let mut text = String::new();
    for (at_ms, direction, rest) in lines {
        writeln!(text, "{at_ms}, {direction}, {rest}").expect("memory takes all of it");
    }
    Ok(text)
}

impl BinLine {
    /// Takes in latencies to two digits: two bins of theirs are one of fio's, so that none is counted elsewhere.
    fn take(&mut self, latencies: &[LatencyCount]) {
        for latency in latencies {
            self.counts[bin(latency.highest().ns())] += latency.count();
        }
    }

    /// Block size and counts as text; what comes next is another line's.
    fn end(&mut self, block: u32, coarseness: u32) -> String {
        let mut text = block.to_string();
        for bins in self.counts.chunks(1 << coarseness) {
            write!(text, ", {}", bins.iter().sum::<u64>()).expect("memory takes all of it");
        }
        self.counts.fill(0);
        self.length = Span::ZERO;
        text
    }
}
