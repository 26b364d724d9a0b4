//! The flush at the end of a thread that writes: what it wrote is on the device when it has come back.

use iobound_drive::{EndReason, EngineError, Part};
use iobound_machine::SystemClock;
use iobound_measure::CellId;
use iobound_units::{Op, Span};
use iobound_workload::Queue;

use super::thread::Shared;

/// True if a thread flushes at its end.
pub(super) fn is_asked(shared: &Shared, thread: u16) -> bool {
    shared
        .queues
        .iter()
        .filter(|queue| queue.thread == thread)
        .map(|queue| &shared.workload.jobs[usize::from(queue.job)])
        .any(|job| job.flush_at_end && job.writes())
}

/// Flushes the files of a thread whose I/Os are back, and says how long that took. Where the run is over because its work
/// is done, the flush is a part of the work: it counts as one, and the time is that of the run. A run of a given time has
/// its figures without it.
pub(super) fn flush(shared: &Shared, thread: u16, clock: &mut SystemClock, part: &mut Part) -> Span {
    let begin = clock.now_of_run();
    let mut failed = None;
    for queue in shared.queues.iter().filter(|queue| queue.thread == thread) {
        failed = failed.or(flush_files(shared, queue));
    }
    let end = clock.now_of_run();
    if part.reason == EndReason::WorkDone {
        part.recorder.record(CellId(0), Op::Flush, 0, begin, begin, end, failed.is_none());
        part.at = end;
    }
    if let Some(why) = failed {
        (part.reason, part.error) = (EndReason::Failed, Some(EngineError { why }));
    }
    end.since(begin)
}

/// Files of a queue that could not be flushed.
fn flush_files(shared: &Shared, queue: &Queue) -> Option<String> {
    let files = queue.targets().flat_map(|target| shared.opened.files_of(target));
    let mut failed = None;
    for file in files {
        if let Err(error) = file.file().sync_data() {
            failed = failed.or(Some(format!(
                "the flush at the end failed: {}: {error}; written data may be lost at a power failure",
                file.path.display()
            )));
        }
    }
    failed
}
