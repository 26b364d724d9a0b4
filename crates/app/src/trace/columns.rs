//! The I/Os of a trace as columns, for callers that have tables.

use iobound_trace::{InMemory, Record, Source};
use iobound_units::Op;

use super::edit::{EditAnswer, edit};
use super::info::unread;
use super::open::OpenTrace;
use super::request::{Edit, FileOptions, ReadOptions, WriteOptions};
use crate::{Env, Failure};

/// I/Os, a value in each column for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceColumns {
    /// Names of the devices.
    pub devices: Vec<String>,
    /// Time of issue in ns, on the trace's own clock.
    pub time_ns: Vec<u64>,
    /// Index into `devices`.
    pub device: Vec<u16>,
    /// Operation: 0 read, 1 write, 2 flush, 3 discard.
    pub op: Vec<u8>,
    /// Offset in bytes.
    pub offset: Vec<u64>,
    /// Length in bytes.
    pub length: Vec<u64>,
    /// Recorded latency in ns; the largest value if it is unknown.
    pub latency_ns: Vec<u64>,
}

impl TraceColumns {
    fn push(&mut self, record: &Record) {
        self.time_ns.push(record.at_ns);
        self.device.push(record.device);
        self.op.push(record.op as u8);
        self.offset.push(record.offset);
        self.length.push(record.length);
        self.latency_ns.push(record.latency_ns);
    }

    /// The records in order of time.
    fn records(&self) -> Result<Vec<Record>, Failure> {
        let lengths =
            [self.device.len(), self.op.len(), self.offset.len(), self.length.len(), self.latency_ns.len()];
        if lengths.iter().any(|length| *length != self.time_ns.len()) {
            return Err(
                Failure::input("the columns have different lengths").help("give all columns of one table")
            );
        }
        let mut records = Vec::with_capacity(self.time_ns.len());
        for (row, at_ns) in self.time_ns.iter().enumerate() {
            let (offset, length) = (self.offset[row], self.length[row]);
            let bad = |what: String| Failure::input(format!("row {row}: {what}"));
            if usize::from(self.device[row]) >= self.devices.len() {
                return Err(bad(format!("device {} has no name", self.device[row])));
            }
            let op = Op::ALL.get(usize::from(self.op[row])).copied();
            let op = op.ok_or_else(|| bad(format!("operation {} is unknown", self.op[row])))?;
            if offset.checked_add(length).is_none_or(|end| end > iobound_trace::LARGEST) {
                return Err(bad("the I/O ends beyond 8 EiB".into()));
            }
            let (latency_ns, device) = (self.latency_ns[row], self.device[row]);
            records.push(Record { at_ns: *at_ns, offset, length, latency_ns, device, op });
        }
        records.sort_by_key(|record| record.at_ns);
        Ok(records)
    }
}

/// Reads all I/Os of a trace.
///
/// # Errors
/// Returns an error if the trace cannot be read to its end.
pub fn read_columns(read: &ReadOptions, files: &FileOptions, env: &Env) -> Result<TraceColumns, Failure> {
    let mut trace = read.open(env, files)?;
    let (mut columns, mut batch) = (TraceColumns::default(), Vec::new());
    loop {
        batch.clear();
        trace.source.read(&mut batch).map_err(|error| unread(&trace.files, &error))?;
        if batch.is_empty() {
            break;
        }
        batch.iter().for_each(|record| columns.push(record));
        if env.is_stopped() {
            return Err(Failure::interrupted("interrupted before the whole trace was read"));
        }
    }
    columns.devices = trace.source.devices().to_vec();
    Ok(columns)
}

/// Writes I/Os to a new file, in order of time.
///
/// # Errors
/// Returns an error if a row is no I/O, or the file exists or cannot be written.
pub fn write_columns(columns: &TraceColumns, write: &WriteOptions, env: &Env) -> Result<EditAnswer, Failure> {
    let source: Box<dyn Source> = Box::new(InMemory::new(columns.records()?, columns.devices.clone()));
    let trace = OpenTrace::of_source(source, "table");
    edit(trace, &Edit::default(), write, env)
}
