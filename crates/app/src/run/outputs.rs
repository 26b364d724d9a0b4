//! Outputs of a run's intervals beside the screen: lines of JSON, an interval log.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iobound_measure::{Measured, Together};
use iobound_report::{hlog_header, hlog_interval, hlog_total, interval_line};
use iobound_units::Instant;

use crate::Failure;
use crate::outfile::{OpenOutFile, OutFile, Unwritten};

/// Files that are written during a run. If one can no longer be written, it stays as it is and the run goes on.
#[derive(Default)]
pub(crate) struct Outputs {
    ndjson: Option<OpenOutFile>,
    hlog: Option<OpenOutFile>,
    /// The stages, from 1, of which the interval log has the head.
    headed: usize,
    unwritten: Unwritten,
}

impl Outputs {
    /// Opens what was asked for.
    pub(crate) fn open(ndjson: Option<&OutFile>, hlog: Option<&OutFile>) -> Result<Outputs, Failure> {
        Ok(Outputs {
            ndjson: ndjson.map(OutFile::open).transpose()?,
            hlog: hlog.map(OutFile::open).transpose()?,
            ..Outputs::default()
        })
    }

    /// An interval has ended; stages count from 1.
    pub(crate) fn take(&mut self, stage: usize, interval: &Together) {
        let begin = Instant::ZERO;
        if let Some(out) = &mut self.ndjson {
            self.unwritten.take(out.write(&interval_line(stage, interval.interval(), begin)));
        }
        self.head(stage, interval.interval().end);
        if let Some(out) = &mut self.hlog {
            self.unwritten.take(out.write(&hlog_interval(interval, begin)));
        }
    }

    /// The head of a stage's part of the interval log, once: its I/O began so long before now, and times count from there.
    fn head(&mut self, stage: usize, since_beginning: Instant) {
        let Some(out) = self.hlog.as_mut().filter(|_| self.headed < stage) else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let now = Instant::from_ns(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
        let began = now.since(since_beginning);
        self.unwritten.take(out.write(&hlog_header(began)));
        self.headed = stage;
    }

    /// A stage is over; stages count from 1.
    pub(crate) fn total(&mut self, stage: usize, measured: &Measured) {
        self.head(stage, measured.end);
        if let Some(out) = &mut self.hlog {
            self.unwritten.take(out.write(&hlog_total(measured)));
        }
    }

    /// The end: gives what could not be written.
    pub(crate) fn finish(self) -> Unwritten {
        self.unwritten
    }
}
