//! `watch --trace`: every request of the devices that are named, in the project's own format.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::Path;

use iobound_machine::block::Device;
use iobound_machine::trace::{BlockEvent, BlockEvents, BlockTrace};
use iobound_machine::{DeviceNumber, World, WorldSystem};
use iobound_trace::{NO_LATENCY, OwnWriter, Record};
use iobound_units::{Counted, Op, Span};

use crate::Failure;

/// Compression: zstd's fastest level, since it runs beside the application.
const LEVEL: i32 = 1;
/// An I/O that has not completed within this time is written without its latency.
const PATIENCE_NS: u64 = 30_000_000_000;

/// A device that is recorded.
struct RecordedDevice {
    number: DeviceNumber,
    name: String,
}

/// Requests that wait for their completion, in the order of their issue.
#[derive(Default)]
struct OpenRequests {
    /// Each with the bytes that have not completed.
    held: VecDeque<(Record, u64)>,
    /// Number of the first that is held.
    gone: u64,
    /// By device and operation and the first byte that has not completed: the numbers of the requests.
    waiting: BTreeMap<(u16, Op, u64), VecDeque<u64>>,
}

impl OpenRequests {
    fn issued(&mut self, device: u16, event: &BlockEvent) {
        let number = self.gone + self.held.len() as u64;
        self.waiting.entry((device, event.op, event.offset)).or_default().push_back(number);
        let BlockEvent { at_ns, op, offset, bytes: length, .. } = *event;
        self.held.push_back((Record { at_ns, offset, length, latency_ns: NO_LATENCY, device, op }, length));
    }

    /// A request has completed, or a part of it: the rest waits from where the part ends. False if its issue was not seen.
    fn completed(&mut self, device: u16, event: &BlockEvent) -> bool {
        let key = (device, event.op, event.offset);
        let Some(numbers) = self.waiting.get_mut(&key) else { return false };
        let number = numbers.pop_front();
        if numbers.is_empty() {
            self.waiting.remove(&key);
        }
        let at = number.and_then(|number| usize::try_from(number.checked_sub(self.gone)?).ok());
        let Some((record, left)) = at.and_then(|at| self.held.get_mut(at)) else { return true };
        record.latency_ns = event.at_ns.saturating_sub(record.at_ns);
        *left = left.saturating_sub(event.bytes);
        if *left > 0 && event.bytes > 0 {
            let rest = (device, event.op, event.offset.saturating_add(event.bytes));
            self.waiting.entry(rest).or_default().extend(number);
        }
        true
    }

    /// The requests that need not wait at this time; all of them at the end.
    fn ready(&mut self, now_ns: Option<u64>, out: &mut Vec<Record>) {
        while let Some((record, left)) = self.held.front() {
            let is_done = *left == 0 && record.latency_ns != NO_LATENCY;
            let has_waited = now_ns.is_none_or(|now| now.saturating_sub(record.at_ns) > PATIENCE_NS);
            if !is_done && !has_waited {
                return;
            }
            out.push(*record);
            self.held.pop_front();
            self.gone += 1;
        }
    }
}

/// A recording that is being written.
pub(super) struct TraceRecording {
    trace: BlockTrace,
    path: String,
    devices: Vec<RecordedDevice>,
    writer: OwnWriter<zstd::stream::write::Encoder<'static, BufWriter<File>>>,
    open: OpenRequests,
    lost: u64,
    unseen: u64,
    /// Processor time at the start, in ns.
    used: Option<u64>,
}

impl TraceRecording {
    /// Starts to record requests of these devices to a new file.
    ///
    /// # Errors
    /// A device that is none, a file that exists or can't be written, no access to the kernel's tracepoints.
    pub(super) fn start(world: &World, path: &str, named: &[String]) -> Result<TraceRecording, Failure> {
        if world.system() == WorldSystem::Windows {
            return Err(Failure::input("--trace: requests are not traced on Windows")
                .help("use --record FILE, which records rates and mean sizes, or leave --trace out"));
        }
        if named.is_empty() {
            return Err(Failure::input("--trace without a device")
                .help("name the disk: iobound watch --trace app.trace sdc"));
        }
        let devices: Vec<RecordedDevice> =
            named.iter().map(|name| device_of(world, name)).collect::<Result<_, Failure>>()?;
        let trace = BlockTrace::with_completions(world).map_err(|error| {
            Failure::io(format!("cannot trace requests: {error}")).help(
                "run as root, with tracefs mounted (mount -t tracefs tracefs /sys/kernel/tracing) and a kernel that has \
                 block tracepoints",
            )
        })?;
        let made = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error
            .kind()
        {
            std::io::ErrorKind::AlreadyExists => Failure::refused(format!("{path} exists already"))
                .help("name a file that does not exist, or delete this one first"),
            _ => Failure::io(format!("cannot write {path}: {error}")),
        })?;
        let failed = |error: std::io::Error| Failure::io(format!("cannot write {path}: {error}"));
        let encoder = zstd::stream::write::Encoder::new(BufWriter::new(made), LEVEL).map_err(failed)?;
        let mut writer = OwnWriter::new(encoder).map_err(failed)?;
        let names: Vec<String> = devices.iter().map(|device| device.name.clone()).collect();
        writer.devices(&names).map_err(failed)?;
        Ok(TraceRecording {
            trace,
            path: path.into(),
            devices,
            writer,
            open: OpenRequests::default(),
            lost: 0,
            unseen: 0,
            used: processor_ns(),
        })
    }

    /// Writes what has completed since the last look.
    ///
    /// # Errors
    /// The trace can't be read, or the file not written, any more.
    pub(super) fn look(&mut self) -> Result<(), Failure> {
        let events = self.trace.events();
        let BlockEvents { events, lost } =
            events.map_err(|error| Failure::io(format!("the trace of requests ended: {error}")))?;
        self.lost += lost;
        for event in &events {
            let Some(device) = self.devices.iter().position(|device| device.number == event.device) else {
                continue;
            };
            let device = device as u16;
            if event.is_completion {
                self.unseen += u64::from(!self.open.completed(device, event));
            } else {
                self.open.issued(device, event);
            }
        }
        self.write(events.last().map(|last| last.at_ns).or(Some(0)))
    }

    fn write(&mut self, now_ns: Option<u64>) -> Result<(), Failure> {
        let mut ready = Vec::new();
        self.open.ready(now_ns, &mut ready);
        self.writer.write(&ready).map_err(|error| Failure::io(format!("cannot write {}: {error}", self.path)))
    }

    /// Ends the file. Returns what was recorded, in sentences.
    ///
    /// # Errors
    /// The file can't be written.
    pub(super) fn finish(mut self, watched: Span) -> Result<Vec<String>, Failure> {
        self.look()?;
        self.write(None)?;
        let TraceRecording { writer, path, devices, lost, unseen, used, .. } = self;
        let failed = |error: std::io::Error| Failure::io(format!("cannot write {path}: {error}"));
        let (encoder, ios) = writer.finish().map_err(failed)?;
        let mut out = encoder.finish().map_err(failed)?;
        std::io::Write::flush(&mut out).map_err(failed)?;
        let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
        let mut notes = vec![format!("recorded {} of {} in {path}", Counted(ios, "I/O"), names.join(", "))];
        let spent = processor_ns().zip(used).map(|(now, before)| now.saturating_sub(before));
        if let Some(spent) = spent {
            let share = spent as f64 / watched.ns().max(1) as f64 * 100.0;
            notes.push(format!("watching and recording used {share:.1} % of a processor"));
        }
        if lost > 0 {
            notes.push(format!(
                "the kernel had no room for {}: the trace lacks I/Os and latencies",
                Counted(lost, "event")
            ));
        }
        if unseen > 0 {
            notes.push(format!(
                "left out: {} of I/Os that had begun before the recording",
                Counted(unseen, "completion")
            ));
        }
        Ok(notes)
    }
}

/// Time in ns that this thread was on a processor; `None` where the kernel does not count it.
fn processor_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// A whole disk by its name or path.
fn device_of(world: &World, name: &str) -> Result<RecordedDevice, Failure> {
    let real = std::fs::canonicalize(name).ok();
    let file = real.as_deref().unwrap_or(Path::new(name)).file_name();
    let short = file.and_then(|name| name.to_str()).unwrap_or(name);
    let Some(device) = Device::named(world, short) else {
        return Err(Failure::input(format!("{name}: there is no such block device"))
            .help("name a disk as lsblk lists it, such as sdc or /dev/sdc"));
    };
    if device.is_partition() {
        let disk = device.whole();
        return Err(Failure::input(format!("{name} is a partition, and requests are those of whole disks"))
            .help(format!("name its disk: {}", disk.name())));
    }
    Ok(RecordedDevice { number: device.number(), name: device.name().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at_ns: u64, is_completion: bool, offset: u64, bytes: u64) -> BlockEvent {
        let device = DeviceNumber { major: 8, minor: 0 };
        BlockEvent { at_ns, is_completion, device, op: Op::Write, offset, bytes }
    }

    #[test]
    fn requests_wait_for_all_of_their_parts_and_keep_the_order_of_their_issue() {
        let mut open = OpenRequests::default();
        open.issued(0, &event(100, false, 0, 8_192));
        open.issued(0, &event(200, false, 65_536, 4_096));
        assert!(open.completed(0, &event(300, true, 65_536, 4_096)));
        let mut ready = Vec::new();
        open.ready(Some(400), &mut ready);
        assert!(ready.is_empty(), "the first is outstanding");
        assert!(open.completed(0, &event(500, true, 0, 4_096)));
        open.ready(Some(500), &mut ready);
        assert!(ready.is_empty(), "a half of the first is outstanding");
        assert!(open.completed(0, &event(700, true, 4_096, 4_096)));
        assert!(!open.completed(0, &event(800, true, 0, 4_096)));
        open.ready(Some(800), &mut ready);
        let latencies: Vec<u64> = ready.iter().map(|record| record.latency_ns).collect();
        assert_eq!(latencies, [600, 100]);
    }

    #[test]
    fn a_request_that_does_not_complete_is_written_without_a_latency() {
        let mut open = OpenRequests::default();
        open.issued(0, &event(100, false, 0, 4_096));
        let mut ready = Vec::new();
        open.ready(Some(PATIENCE_NS), &mut ready);
        assert!(ready.is_empty());
        open.ready(Some(PATIENCE_NS + 101), &mut ready);
        assert_eq!(ready[0].latency_ns, NO_LATENCY);
    }
}
