//! Status of a run for other processes, so that a page can show it: a file of this user's, written over with each
//! interval, gone at the end. A run that can't tell runs all the same.

use std::fs;
use std::io;
use std::path::PathBuf;

use iobound_documents::{
    BytesPerSecond, Iops, Microseconds, RunStatusDevice, RunStatusDocument, RunStatusLatency, RunStatusOp,
    Seconds, Version,
};
use iobound_measure::result::PhaseLabel;
use iobound_measure::{Interval, IntervalTally};
use iobound_units::Span;

use crate::Env;
use crate::emulate::registry::{self, ProcessKey};

/// The file, until this is dropped.
#[derive(Debug)]
pub(crate) struct StatusFile {
    path: Option<PathBuf>,
    what: String,
}

impl StatusFile {
    /// Of a run that is called so: its targets.
    pub(crate) fn new(what: String, env: &Env) -> StatusFile {
        let folder = registry::folder(env).ok();
        let name = ProcessKey::own().name(registry::STATUS);
        let path = folder.map(|folder| {
            registry::prune(&folder);
            folder.join(name)
        });
        StatusFile { path, what }
    }

    /// Tells of an interval that has ended.
    pub(crate) fn take(&mut self, interval: &Interval) {
        let Some(path) = &self.path else { return };
        // Written at once, so that a reader sees this interval or the previous one.
        let beside = path.with_extension(&registry::PART[1..]);
        let told = serde_json::to_string(&status(&self.what, interval))
            .map_err(io::Error::from)
            .and_then(|status| fs::write(&beside, status))
            .and_then(|()| fs::rename(&beside, path));
        if told.is_err() {
            self.path = None;
        }
    }
}

impl Drop for StatusFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
            let _ = fs::remove_file(path.with_extension(&registry::PART[1..]));
        }
    }
}

/// An interval as a document.
fn status(what: &str, interval: &Interval) -> RunStatusDocument {
    let seconds = interval.length().secs_f64();
    let rate = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    let us = |span: Option<Span>| span.map(|span| Microseconds::of(span.us_f64()));
    let of = |tally: &IntervalTally| RunStatusOp {
        iops: Iops::of(rate(tally.count as f64)),
        throughput_bytes_per_s: BytesPerSecond::of(rate(tally.bytes as f64)),
        p50_us: us(tally.p50),
        p99_us: us(tally.p99),
    };
    let count = interval.count();
    let sum_ns = interval.read.sum_ns + interval.write.sum_ns;
    let most = if interval.read.count >= interval.write.count { &interval.read } else { &interval.write };
    let latency_us = (count > 0).then(|| RunStatusLatency {
        mean: Microseconds::of(sum_ns as f64 / 1e3 / count as f64),
        p50: us(most.p50),
        p99: us(most.p99),
    });
    RunStatusDocument {
        schema: Version::default(),
        event: "state".to_string(),
        at_s: Seconds::of(interval.end.ns() as f64 / 1e9),
        interval_s: Seconds::of(seconds),
        phase: PhaseLabel::from(interval.phase),
        devices: [RunStatusDevice {
            name: what.to_string(),
            kind: "target".to_string(),
            iops: Iops::of(rate(count as f64)),
            throughput_bytes_per_s: BytesPerSecond::of(rate(interval.bytes() as f64)),
            latency_us,
            read: of(&interval.read),
            write: of(&interval.write),
        }],
        limits: [],
    }
}
