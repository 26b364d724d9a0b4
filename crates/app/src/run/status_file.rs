//! Status of a run for other processes, so that a page can show it: a file of this user's, written over with each
//! interval, gone at the end. A run that can't tell runs all the same.

use std::fs;
use std::path::PathBuf;

use iobound_measure::result::PhaseLabel;
use iobound_measure::{Interval, IntervalTally};
use serde_json::{Value, json};

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
        let told = fs::write(&beside, state(&self.what, interval).to_string())
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

/// An interval under the keys that an emulator's states have.
fn state(what: &str, interval: &Interval) -> Value {
    let seconds = interval.length().secs_f64();
    let rate = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    let sum_ns = interval.read.sum_ns + interval.write.sum_ns;
    let count = interval.count();
    let of = |tally: &IntervalTally| {
        json!({
            "iops": rate(tally.count as f64),
            "throughput_bytes_per_s": rate(tally.bytes as f64),
            "p50_us": tally.p50.map(|span| span.us_f64()),
            "p99_us": tally.p99.map(|span| span.us_f64()),
        })
    };
    // Percentiles of both directions can't be put together: the larger part's stands for the run.
    let most = if interval.read.count >= interval.write.count { &interval.read } else { &interval.write };
    let latency = (count > 0).then(|| {
        json!({
            "mean": sum_ns as f64 / 1e3 / count as f64,
            "p50": most.p50.map(|span| span.us_f64()),
            "p99": most.p99.map(|span| span.us_f64()),
        })
    });
    json!({
        "schema": "iobound.running/1",
        "event": "state",
        "at_s": interval.end.ns() as f64 / 1e9,
        "interval_s": seconds,
        "phase": PhaseLabel::from(interval.phase),
        "devices": [{
            "name": what,
            "kind": "target",
            "iops": rate(count as f64),
            "throughput_bytes_per_s": rate(interval.bytes() as f64),
            "latency_us": latency,
            "read": of(&interval.read),
            "write": of(&interval.write),
        }],
        "limits": [],
    })
}
