//! Each request that the kernel sends to a block device, from its tracepoint: sizes and offsets, which counters do not
//! have. It needs the right to use tracefs, which root has.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;

use iobound_units::Op;

use crate::{DeviceNumber, World, sys};

/// A request as it goes to its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its device: a whole disk.
    pub device: DeviceNumber,
    /// A read or a write; others are not told.
    pub op: Op,
    /// Start in bytes.
    pub offset: u64,
    /// Time that it is, in bytes.
    pub bytes: u64,
}

/// An event of a request, with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEvent {
    /// Time on the kernel's monotonic clock, in ns; the text has whole microseconds.
    pub at_ns: u64,
    /// True if the request completed, or a part of it; false if it was sent to its device.
    pub is_completion: bool,
    /// A whole disk.
    pub device: DeviceNumber,
    /// Operation.
    pub op: Op,
    /// First byte; of a completed part, the first byte of the part. Zero of a flush.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// Events since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockEvents {
    /// In order of time.
    pub events: Vec<BlockEvent>,
    /// Number of events that the kernel had no room for.
    pub lost: u64,
}

/// The kernel's unit in this event.
const SECTOR: u64 = 512;
/// Size of the kernel's buffer of each processor between two looks, in KiB: some fifty thousand requests.
const BUFFER_KIB: &str = "8192";
/// The most that is read in one look: what comes faster than it is read would be read for ever.
const MOST: usize = 64 << 20;

/// A trace of our own, beside whatever else is traced; gone when this is dropped.
#[derive(Debug)]
pub struct BlockTrace {
    instance: PathBuf,
    pipe: File,
    /// A line that has not come whole.
    rest: Vec<u8>,
}

/// Requests since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// In the order in which they went.
    pub requests: Vec<Request>,
    /// Number of events the kernel that had no room for.
    pub lost: u64,
}

impl BlockTrace {
    /// Starts to trace.
    ///
    /// # Errors
    /// Returns an error if there is no tracefs or no permission to use it.
    pub fn start(world: &World) -> io::Result<BlockTrace> {
        BlockTrace::of_events(world, &["block_rq_issue"])
    }

    /// Starts to trace requests and their completions, for [`BlockTrace::events`].
    ///
    /// # Errors
    /// As [`BlockTrace::start`].
    pub fn with_completions(world: &World) -> io::Result<BlockTrace> {
        BlockTrace::of_events(world, &["block_rq_issue", "block_rq_complete"])
    }

    fn of_events(world: &World, events: &[&str]) -> io::Result<BlockTrace> {
        let roots = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"].map(|root| world.path(root));
        let root = roots.iter().find(|root| root.join("instances").is_dir());
        let root = root.ok_or_else(|| io::Error::new(ErrorKind::NotFound, "tracefs is not visible"))?;
        let instance = root.join("instances").join(format!("iobound-{}", std::process::id()));
        match std::fs::create_dir(&instance) {
            // A killed process of the same number left it.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let opened = open(&instance, events);
        if opened.is_err() {
            let _ = std::fs::remove_dir(&instance);
        }
        Ok(BlockTrace { pipe: opened?, instance, rest: Vec::new() })
    }

    /// Requests since the last look.
    ///
    /// # Errors
    /// Returns an error if the trace can no longer be read.
    pub fn look(&mut self) -> io::Result<Traced> {
        let mut traced = Traced::default();
        self.read(|text| take(text, &mut traced))?;
        Ok(traced)
    }

    /// Events since the last look.
    ///
    /// # Errors
    /// The trace can't be read any more.
    pub fn events(&mut self) -> io::Result<BlockEvents> {
        let mut events = BlockEvents::default();
        self.read(|text| take_events(text, &mut events))?;
        Ok(events)
    }

    /// Hands out the whole lines that have come.
    fn read(&mut self, mut take: impl FnMut(&str)) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        let mut taken = 0;
        while taken < MOST {
            match self.pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    taken += count;
                    self.rest.extend_from_slice(&buffer[..count]);
                    let end = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                    let whole: Vec<u8> = self.rest.drain(..end).collect();
                    take(&String::from_utf8_lossy(&whole));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn open(instance: &std::path::Path, events: &[&str]) -> io::Result<File> {
    let write = |file: &str, text: &str| {
        OpenOptions::new().write(true).open(instance.join(file))?.write_all(text.as_bytes())
    };
    write("buffer_size_kb", BUFFER_KIB)?;
    // The default clock differs from processor to processor.
    write("trace_clock", "mono")?;
    for event in events {
        write(&format!("events/block/{event}/enable"), "1")?;
    }
    sys::open_to_look(&instance.join("trace_pipe"), false)
}

impl Drop for BlockTrace {
    fn drop(&mut self) {
        let off = self.instance.join("events/block/enable");
        let _ = OpenOptions::new().write(true).open(off).and_then(|mut file| file.write_all(b"0"));
        // The pipe is still open, and keeps the folder in use.
        if let Ok(null) = File::open("/dev/null") {
            self.pipe = null;
        }
        let _ = std::fs::remove_dir(&self.instance);
    }
}

/// Takes in lines of a trace; lines without a request are skipped.
pub fn take(text: &str, into: &mut Traced) {
    for line in text.lines() {
        if let Some((_, event)) = line.split_once(" block_rq_issue: ") {
            into.requests.extend(request(event));
        } else if let Some((_, lost)) = line.split_once("[LOST ") {
            let count = lost.split(' ').next().and_then(|count| count.parse::<u64>().ok());
            into.lost = into.lost.saturating_add(count.unwrap_or(0));
        }
    }
}

/// `8,0 WS 4096 () 12345 + 8 none,0,0 [fio]` (include/trace/events/block.h): device, flags, bytes, command, first
/// sector, sectors. The first letter of the flags after the prefix is the operation: R, W, D, F. An F before a W is a
/// flush before the write.
fn request(event: &str) -> Option<Request> {
    let mut words = event.split_ascii_whitespace();
    let (major, minor) = words.next()?.split_once(',')?;
    let device = DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? };
    let op = match words.next()?.trim_start_matches('F').chars().next()? {
        'R' => Op::Read,
        'W' => Op::Write,
        _ => return None,
    };
    let plus = words.by_ref().skip_while(|word| !word.ends_with(')')).nth(1)?;
    let sector: u64 = plus.parse().ok()?;
    if words.next()? != "+" {
        return None;
    }
    let sectors: u64 = words.next()?.parse().ok()?;
    let (offset, bytes) = (sector.checked_mul(SECTOR)?, sectors.checked_mul(SECTOR)?);
    (bytes > 0).then_some(Request { device, op, offset, bytes })
}

/// Takes in lines of requests and completions; other lines are left out.
pub fn take_events(text: &str, into: &mut BlockEvents) {
    for line in text.lines() {
        let issue = line.split_once(" block_rq_issue: ").map(|parts| (parts, false));
        let found = issue.or_else(|| Some((line.split_once(" block_rq_complete: ")?, true)));
        if let Some(((before, event), is_completion)) = found {
            into.events.extend(event_of(before, event, is_completion));
        } else if let Some((_, lost)) = line.split_once("[LOST ") {
            let count = lost.split(' ').next().and_then(|count| count.parse::<u64>().ok());
            into.lost = into.lost.saturating_add(count.unwrap_or(0));
        }
    }
}

/// `8,0 WS 4096 () 12345 + 8 none,0,0 [fio]` of an issue, `8,0 WS () 12345 + 8 none,0,0 [0]` of a completion; before them the
/// time in seconds and a colon.
fn event_of(before: &str, event: &str, is_completion: bool) -> Option<BlockEvent> {
    let (seconds, micros) =
        before.split_ascii_whitespace().next_back()?.strip_suffix(':')?.split_once('.')?;
    let micros = (micros.len() == 6).then(|| micros.parse::<u64>().ok())??;
    let at_ns =
        seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micros)?.checked_mul(1_000)?;
    let mut words = event.split_ascii_whitespace();
    let (major, minor) = words.next()?.split_once(',')?;
    let device = DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? };
    let flags = words.next()?;
    let place = words.by_ref().skip_while(|word| !word.ends_with(')')).nth(1)?;
    let sector: u64 = place.parse().ok()?;
    if words.next()? != "+" {
        return None;
    }
    let sectors: u64 = words.next()?.parse().ok()?;
    let (offset, bytes) = (sector.checked_mul(SECTOR)?, sectors.checked_mul(SECTOR)?);
    let op = match (flags.trim_start_matches('F').chars().next(), bytes) {
        (Some('R'), 1..) => Op::Read,
        (Some('W'), 1..) => Op::Write,
        (Some('D'), 1..) => Op::Discard,
        (None, _) | (Some('W'), 0) if flags.starts_with('F') => Op::Flush,
        _ => return None,
    };
    // A flush has no place; the kernel prints that of the write that asked for it.
    let (offset, bytes) = if op == Op::Flush { (0, 0) } else { (offset, bytes) };
    Some(BlockEvent { at_ns, is_completion, device, op, offset, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Traced {
        let mut traced = Traced::default();
        take(text, &mut traced);
        traced
    }

    #[test]
    fn a_line_of_the_tracepoint_is_a_request() {
        let text = "             fio-1234    [001] d..1.   123.456789: block_rq_issue: 259,1 R 8192 () 2048 + 16 none,0,0 [fio]\n\
                    \x20  kworker/1:1H-99   [001] d..1.   123.5: block_rq_issue: 8,16 FWFS 4096 () 8 + 8 [kworker/1:1H]\n";
        let disk = |major, minor| DeviceNumber { major, minor };
        let read = Request { device: disk(259, 1), op: Op::Read, offset: 1 << 20, bytes: 8192 };
        let write = Request { device: disk(8, 16), op: Op::Write, offset: 4096, bytes: 4096 };
        assert_eq!(of(text), Traced { requests: vec![read, write], lost: 0 });
    }

    #[test]
    fn flushes_discards_and_what_is_no_request_are_left_out_and_what_was_lost_is_counted() {
        let text = "a-1 [0] 1.0: block_rq_issue: 8,0 FF 0 () 0 + 0 [a]\n\
                    a-1 [0] 1.0: block_rq_issue: 8,0 D 4096 () 8 + 8 [a]\n\
                    CPU:3 [LOST 117 EVENTS]\n\
                    a-1 [0] 1.0: block_rq_issue: 8,0 R\n\
                    a-1 [0] 1.0: block_rq_issue: 8,0 R 1 () 18446744073709551615 + 8 [a]\n\
                    nonsense\n";
        assert_eq!(of(text), Traced { requests: Vec::new(), lost: 117 });
    }

    /// As Linux 6.18 prints them.
    #[test]
    fn an_event_has_its_time_and_a_completion_its_request() {
        let text = "              dd-2161    [001] ..... 16792.528283: block_rq_issue: 254,0 WS 65536 () 190401000 + 128 be,0,4 [dd]\n\
                    opt 46ym62vh715-2141    [001] ..s.. 16792.528619: block_rq_complete: 254,0 WS () 190401000 + 128 be,0,4 [0]\n\
                    a-1 [0] ..... 1.000001: block_rq_issue: 8,0 FF 0 () 18446744073709551615 + 0 none,0,0 [a]\n\
                    CPU:1 [LOST 12 EVENTS]\n\
                    a-1 [0] ..... 1.000002: block_rq_issue: 8,0 FF 0 () 0 + 0 none,0,0 [a]\n\
                    a-1 [0] ..... 1.000003: block_rq_issue: 8,0 DS 4096 () 8 + 8 none,0,0 [a]\n\
                    a-1 [0] ..... 1.03: block_rq_issue: 8,0 R 4096 () 8 + 8 none,0,0 [a]\n\
                    a-1 [0] ..... 1.000004: block_rq_issue: 8,0 N 0 () 0 + 0 none,0,0 [a]\n";
        let mut events = BlockEvents::default();
        take_events(text, &mut events);
        assert_eq!(events.lost, 12);
        let seen: Vec<(u64, bool, Op, u64, u64)> = events
            .events
            .iter()
            .map(|event| (event.at_ns / 1_000, event.is_completion, event.op, event.offset, event.bytes))
            .collect();
        let write = (Op::Write, 190_401_000 * 512, 65_536);
        assert_eq!(
            seen,
            [
                (16_792_528_283, false, write.0, write.1, write.2),
                (16_792_528_619, true, write.0, write.1, write.2),
                (1_000_002, false, Op::Flush, 0, 0),
                (1_000_003, false, Op::Discard, 4_096, 4_096),
            ]
        );
    }

    #[test]
    fn without_a_tracefs_there_is_no_trace() {
        assert!(BlockTrace::start(&World::at("/nowhere/at/all")).is_err());
    }
}
