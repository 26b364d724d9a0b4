use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use iobound_machine::files::{write_all_at, write_at};
use iobound_units::{Bytes, MIB};
use memmap2::MmapMut;

use super::carry_out::Cause;
use super::filling::Filling;

/// One write: large enough for every disk's throughput, small enough to stop after.
const CHUNK: u64 = MIB;

/// Writes in flight: a network disk of 5 ms needs four of 1 MiB for its 800 MB/s.
const WRITERS: usize = 4;

/// Bytes written before a flush and an update of the mark: at most this much is written again after a crash.
pub(super) const MARKED_EVERY: u64 = 256 * MIB;

/// Through the page cache so much of a writer's may be dirty, so that a stop needs not wait for the rest.
const DIRTY: u64 = 16 * MIB;

/// Number of progress reports.
const TOLD_EVERY: Duration = Duration::from_millis(100);

/// Progress of preparation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The target.
    pub path: PathBuf,
    /// Bytes written of it.
    pub done: Bytes,
    /// Bytes to write of it.
    pub of: Bytes,
    /// Bytes written of all targets.
    pub done_in_all: Bytes,
    /// Bytes to write of all targets.
    pub of_all: Bytes,
}

/// One file, opened twice.
pub(super) struct Handles<'a> {
    pub(super) buffered: &'a File,
    /// Past the page cache, where the file system can.
    pub(super) direct: Option<File>,
    /// After how many bytes the mark moves on.
    pub(super) marked_every: u64,
}

/// All was written.
pub(super) struct Done {
    pub(super) written: u64,
    /// The data bypassed the page cache, except a tail below one sector.
    pub(super) direct: bool,
}

/// Not all was written.
pub(super) struct WriteEnded {
    pub(super) written: u64,
    pub(super) cause: Cause,
}

impl WriteEnded {
    pub(super) fn failed(written: u64, doing: &'static str, offset: u64, error: io::Error) -> WriteEnded {
        WriteEnded { written, cause: Cause::Io { doing, offset, error } }
    }
}

/// The ranges in order, in chunks that end at multiples of 1 MiB.
fn chunks(ranges: &[Range<u64>]) -> impl Iterator<Item = Range<u64>> + '_ {
    ranges.iter().flat_map(|range| {
        let mut at = range.start;
        std::iter::from_fn(move || {
            let end = ((at / CHUNK + 1) * CHUNK).min(range.end);
            let chunk = at..end;
            at = end;
            (!chunk.is_empty()).then_some(chunk)
        })
    })
}

enum WriterReport {
    Written(usize, Range<u64>, bool),
    Failed(u64, io::Error),
}

/// Writes all of `ranges`. `filled` is told up to where everything is on the disk, now and then.
pub(super) fn write(
    handles: &Handles<'_>,
    filling: &Filling,
    ranges: &[Range<u64>],
    filled: &mut dyn FnMut(u64) -> io::Result<()>,
    tell: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Result<Done, WriteEnded> {
    let queue = Mutex::new(chunks(ranges).enumerate());
    let halt = AtomicBool::new(false);
    // Bounded: while nobody listens, nobody writes.
    let (say, told) = mpsc::sync_channel(WRITERS);
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            let (say, queue, halt) = (say.clone(), &queue, &halt);
            scope.spawn(move || {
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                write_chunks(handles, filling, next, &say, || {
                    halt.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed)
                });
            });
        }
        drop(say);
        let watched = watch(handles, ranges, filled, tell, told, stop);
        halt.store(watched.is_err(), Ordering::Relaxed);
        watched
    })
}

/// One writer: takes chunks until none is left.
fn write_chunks(
    handles: &Handles<'_>,
    filling: &Filling,
    next: impl Fn() -> Option<(usize, Range<u64>)>,
    say: &mpsc::SyncSender<WriterReport>,
    halted: impl Fn() -> bool,
) {
    // Mapped, so that it begins at a page, as direct writes need it.
    let mut buffer = match MmapMut::map_anon(CHUNK as usize) {
        Ok(buffer) => buffer,
        Err(error) => {
            let _ = say.send(WriterReport::Failed(0, error));
            return;
        }
    };
    let mut dirty = 0;
    while !halted() {
        let Some((number, chunk)) = next() else { return };
        let data = &mut buffer[..(chunk.end - chunk.start) as usize];
        filling.fill(chunk.start, data);
        let written = put(handles, data, chunk.start).and_then(|direct| {
            dirty += if direct { 0 } else { data.len() as u64 };
            if dirty >= DIRTY {
                dirty = 0;
                handles.buffered.sync_data()?;
            }
            Ok(direct)
        });
        let sent = match written {
            Ok(direct) => say.send(WriterReport::Written(number, chunk, direct)),
            Err(error) => say.send(WriterReport::Failed(chunk.start, error)),
        };
        // Nobody listens any more: something else went wrong.
        if sent.is_err() {
            return;
        }
    }
}

/// Writes all of `data`, directly where that is possible; whether it was.
fn put(handles: &Handles<'_>, data: &[u8], offset: u64) -> io::Result<bool> {
    let mut at = 0;
    if let Some(direct) = &handles.direct {
        while at < data.len() {
            match write_at(direct, &data[at..], offset + at as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => at += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Not whole sectors: a file's tail, or what a short write left.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => break,
                Err(error) => return Err(error),
            }
        }
        if at == data.len() {
            return Ok(true);
        }
    }
    write_all_at(handles.buffered, &data[at..], offset + at as u64)?;
    Ok(false)
}

/// Hears what the writers say, moves the mark on, and tells how far it is.
fn watch(
    handles: &Handles<'_>,
    ranges: &[Range<u64>],
    filled: &mut dyn FnMut(u64) -> io::Result<()>,
    tell: &mut dyn FnMut(u64),
    told: mpsc::Receiver<WriterReport>,
    stop: &AtomicBool,
) -> Result<Done, WriteEnded> {
    let total: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    let last = ranges.last().map_or(0, |range| range.end);
    let mut order = chunks(ranges).peekable();
    let (mut first, mut done) = (0, BTreeSet::new());
    let (mut written, mut direct, mut unmarked, mut told_of) = (0, true, 0, None);
    tell(0);
    let failure = loop {
        match told.recv_timeout(TOLD_EVERY) {
            Ok(WriterReport::Written(number, chunk, directly)) => {
                let bytes = chunk.end - chunk.start;
                written += bytes;
                unmarked += bytes;
                direct &= directly || !bytes.is_multiple_of(4096);
                done.insert(number);
                while done.remove(&first) {
                    first += 1;
                    order.next();
                }
                if unmarked >= handles.marked_every {
                    unmarked = 0;
                    // Of what is durable now, everything before the first chunk that is missing.
                    let up_to = order.peek().map_or(last, |chunk| chunk.start);
                    if let Err(error) = handles.buffered.sync_data().and_then(|()| filled(up_to)) {
                        break Some((up_to, error));
                    }
                }
                if told_of.is_none_or(|of| written - of >= total / 100) {
                    told_of = Some(written);
                    tell(written);
                }
            }
            Ok(WriterReport::Failed(offset, error)) => break Some((offset, error)),
            Err(RecvTimeoutError::Timeout) => tell(written),
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    tell(written);
    if let Some((offset, error)) = failure {
        return Err(WriteEnded::failed(written, "writing", offset, error));
    }
    if written < total {
        debug_assert!(stop.load(Ordering::Relaxed), "writers end early only when stopped");
        // Data in the page cache may take long to become durable, so it is written again instead.
        if direct && handles.buffered.sync_data().is_ok() {
            let _ = filled(order.peek().map_or(last, |chunk| chunk.start));
        }
        return Err(WriteEnded { written, cause: Cause::Stopped });
    }
    Ok(Done { written, direct })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn a_write_that_fails_ends_all_writers_and_says_where() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::File::create(&path).expect("a file").set_len(64 * MIB).expect("it is sparse");
        // Open for reading: every write fails.
        let file = File::open(&path).expect("it is there");
        let handles = Handles { buffered: &file, direct: None, marked_every: MARKED_EVERY };
        let filling = Filling::incompressible(1);
        let range = 5 * MIB..64 * MIB;
        let ranges = std::slice::from_ref(&range);
        let ended = write(
            &handles,
            &filling,
            ranges,
            &mut |_| unreachable!("nothing is filled"),
            &mut |_| (),
            &AtomicBool::new(false),
        );
        let Err(WriteEnded { written: 0, cause: Cause::Io { doing: "writing", offset, error } }) = ended
        else {
            panic!("it fails")
        };
        assert!((5 * MIB..9 * MIB).contains(&offset), "one of the first four chunks: {offset}");
        assert!(error.raw_os_error().is_some(), "{error}");
    }

    #[test]
    fn what_is_marked_as_filled_is_there() {
        let file = tempfile::tempfile().expect("a file");
        let handles = Handles { buffered: &file, direct: None, marked_every: 4 * MIB };
        let filling = Filling::incompressible(1);
        let (mut marks, mut before) = (Vec::new(), Vec::new());
        let mut filled = |up_to: u64| {
            let mut there = vec![0; up_to as usize];
            file.read_exact_at(&mut there, 0)?;
            before.resize(there.len(), 0);
            filling.fill(0, &mut before);
            assert!(there == before, "everything before {up_to} is written");
            marks.push(up_to);
            Ok(())
        };
        let range = 0..32 * MIB;
        let ranges = std::slice::from_ref(&range);
        let done = write(&handles, &filling, ranges, &mut filled, &mut |_| (), &AtomicBool::new(false));
        assert!(done.is_ok_and(|done| done.written == 32 * MIB));
        // Every fourth of 32 chunks; no more are missing before it than writers are at.
        assert_eq!(marks.len(), 8);
        assert!(marks.is_sorted() && marks[7] == 32 * MIB, "{marks:?}");
    }

    #[test]
    fn chunks_end_at_whole_mebibytes_and_cover_the_ranges() {
        let ranges = [100..200, MIB - 1..3 * MIB + 5, 8 * MIB..8 * MIB];
        let all: Vec<Range<u64>> = chunks(&ranges).collect();
        assert_eq!(all, [100..200, MIB - 1..MIB, MIB..2 * MIB, 2 * MIB..3 * MIB, 3 * MIB..3 * MIB + 5]);
    }
}
