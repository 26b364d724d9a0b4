//! `run --trace-out`: every I/O of a run as a trace with latencies.

use iobound_trace::{OwnWriter, Record};
use iobound_units::{Grouped, Op};
use iobound_workload::Target;

use super::stage::Stage;
use crate::Failure;
use crate::outfile::OutFile;

/// Compression of the trace: zstd's default.
const LEVEL: i32 = 3;

/// I/Os of stages that ran one after another.
#[derive(Debug, Default)]
struct RecordedRun {
    /// In order of their issue, from the start of the first stage.
    records: Vec<Record>,
    /// I/Os that threads had no memory to record.
    missing: u64,
}

impl RecordedRun {
    fn of(stages: &[Stage]) -> RecordedRun {
        let mut run = RecordedRun::default();
        let Some(first) = stages.first().map(|stage| stage.outcome.began) else { return run };
        for stage in stages {
            let begin = stage.outcome.began.duration_since(first).unwrap_or_default();
            let begin_ns = u64::try_from(begin.as_nanos()).unwrap_or(u64::MAX);
            let ios = stage.outcome.ios.iter().flatten();
            run.records.extend(ios.map(|io| Record {
                at_ns: begin_ns.saturating_add(io.end.ns() - io.lat.ns()),
                offset: if io.op == Op::Flush { 0 } else { io.offset },
                length: u64::from(io.len),
                latency_ns: io.lat.ns(),
                device: io.target.0,
                op: io.op,
            }));
            run.missing += stage.outcome.unlogged;
        }
        run.records.sort_by_key(|record| record.at_ns);
        run
    }

    /// The trace in the project's own format.
    fn bytes(&self, devices: &[String]) -> std::io::Result<Vec<u8>> {
        let mut writer = OwnWriter::new(zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?)?;
        writer.devices(devices)?;
        writer.write(&self.records)?;
        writer.finish()?.0.finish()
    }
}

/// Writes the I/Os of these stages as a trace, whose devices are the targets by id. Returns what was written, in a sentence.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(crate) fn write_trace(file: &OutFile, stages: &[Stage], targets: &[Target]) -> Result<String, Failure> {
    let run = RecordedRun::of(stages);
    let devices: Vec<String> = targets.iter().map(|target| target.name.clone()).collect();
    let bytes = run.bytes(&devices);
    file.write_bytes(
        &bytes.map_err(|error| Failure::io(format!("cannot write {}: {error}", file.shown())))?,
    )?;
    let ios = Grouped(run.records.len() as u64);
    let missing = match run.missing {
        0 => String::new(),
        missing => format!("; it lacks the last {}, for which there was no memory", Grouped(missing)),
    };
    Ok(format!("the trace {} has {ios} I/Os with their latencies, warm-up included{missing}", file.shown()))
}
