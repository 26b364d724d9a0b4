//! `read_iolog` of fio: the logs that jobs replay, read once for their files, operations and lengths.

use std::path::Path;
use std::sync::Arc;

use iobound_drive::ReplayMode;
use iobound_formats::fio::{ReadLog, Reporting};
use iobound_formats::{Foreign, ForeignFile};
use iobound_load::run::{TracePlace, TraceReplay};
use iobound_trace::{Analysis, MergeClock, Record, Source, TraceError, TraceFacts};
use iobound_units::{Bytes, Op, Ppm, Span};
use iobound_workload::{Job, Targets};

use crate::run::{RunOptions, opener, scaled, trace_job};
use crate::trace::{Kept, OpenTrace, analyse, open_trace};
use crate::{Env, Failure};

/// A source without some operations.
struct Skipping {
    inner: Box<dyn Source>,
    skip: Vec<Op>,
}

impl Source for Skipping {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        // An empty batch would be the end.
        while batch.len() == before {
            self.inner.read(batch)?;
            if batch.len() == before {
                break;
            }
            let mut fresh = batch.split_off(before);
            fresh.retain(|record| !self.skip.contains(&record.op));
            batch.append(&mut fresh);
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}

fn open(env: &Env, log: &ReadLog) -> Result<OpenTrace, Failure> {
    let mut opened = open_trace(env, std::slice::from_ref(&log.file), None, &[], MergeClock::Same)?;
    if !log.skip.is_empty() {
        opened.source = Box::new(Skipping { inner: opened.source, skip: log.skip.clone() });
    }
    Ok(opened)
}

/// The file of a device of a log.
fn path_of(device: &str, log: &ReadLog) -> String {
    log.redirect.clone().unwrap_or_else(|| device.to_string())
}

/// Gives each job that replays a log its targets, its mix and its files.
///
/// # Errors
/// A log that can't be read.
pub(super) fn fill(
    reporting: &Reporting,
    foreign: &mut Foreign,
    how: &mut RunOptions,
) -> Result<(), Failure> {
    for (job, reporting) in foreign.workload.jobs.iter_mut().zip(&reporting.jobs) {
        let Some(log) = &reporting.read_log else { continue };
        let mut trace = open(&how.env, log)?;
        let kept = Kept::behind(&mut trace);
        let (analysis, devices) = analyse(&how.env, &mut trace)?.whole(&trace.files)?;
        let speed = Ppm(log.time_scale * 10_000);
        let lasts = Span::from_ns(scaled(analysis.last_ns, speed));
        let paths: Vec<String> = devices.iter().map(|device| path_of(device, log)).collect();
        let Job { mix, stop_after, .. } = trace_job(&job.name, &analysis, lasts);
        (job.mix, job.stop_after) = (mix, stop_after);
        let mut names = paths.clone();
        names.sort();
        names.dedup();
        for name in &names {
            add_file(name, end_of(name, &paths, &analysis, log), &mut foreign.files);
        }
        job.targets = Targets::Named(names);
        let again = {
            let (env, log) = (how.env.clone(), log.clone());
            kept.finish(&trace, move || open(&env, &log))?
        };
        how.traces.push(Arc::new(TraceReplay {
            job: job.name.clone(),
            lowers_depth: false,
            open: opener(again),
            mode: if log.no_stall { ReplayMode::Eager } else { ReplayMode::Timed },
            speed,
            places: devices
                .iter()
                .zip(&paths)
                .map(|(device, path)| TracePlace {
                    device: device.clone(),
                    target: path.clone(),
                    scaled_from: None,
                    divisor: u64::from(log.scale.max(1)),
                })
                .collect(),
            align: log.align.max(1),
            lasts,
        }));
    }
    Ok(())
}

/// First byte behind all I/Os that go to a file.
fn end_of(name: &str, paths: &[String], analysis: &Analysis, log: &ReadLog) -> u64 {
    let own = analysis.devices.iter().zip(paths).filter(|(_, path)| *path == name);
    let end = |device: &iobound_trace::DeviceFigures| {
        let longest = device.ops.iter().map(|op| op.sizes.longest()).max().unwrap_or(0);
        let begin = device.highest.saturating_sub(longest) / u64::from(log.scale.max(1));
        if log.scale > 1 { begin.saturating_add(longest) } else { device.highest }
    };
    own.map(|(device, _)| end(device)).max().unwrap_or(0)
}

/// A file that exists is used as it is; another is created as large as the log needs.
fn add_file(name: &str, end: u64, files: &mut Vec<ForeignFile>) {
    let exists = Path::new(name).exists();
    let size = (!exists).then(|| Bytes(end.max(1).next_multiple_of(4_096)));
    match files.iter_mut().find(|file| file.name == name) {
        Some(file) => file.size = file.size.max(size),
        None => files.push(ForeignFile {
            name: name.into(),
            target: name.into(),
            offset: Bytes::ZERO,
            size,
            create: !exists,
            unlink: false,
        }),
    }
}
