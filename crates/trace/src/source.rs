use crate::error::TraceError;
use crate::record::Record;

/// Number of records that a source hands out at a time, at most.
pub const BATCH: usize = 8_192;

/// Lines of a trace that can't be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Malformed {
    /// Number of lines.
    pub count: u64,
    /// Number of the first line, from 1, its text and the problem.
    pub first: Option<(u64, String, String)>,
}

/// Facts of a source about its trace, beside the records. The counts are of what was read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFacts {
    /// Name of the format, such as `fio iolog v3`.
    pub format: String,
    /// Unit of the file's times; empty if the format states it, or if files differ.
    pub time_unit: String,
    /// Lines, or events of a binary format, that were read.
    pub lines: u64,
    /// Lines that are no I/O and were passed over: headers, summaries, file events.
    pub passed: u64,
    /// Lines that can't be read.
    pub malformed: Malformed,
    /// I/Os of operations that have no record, such as zone resets.
    pub other_ops: u64,
    /// Reads, writes and discards of length zero. They are in the records.
    pub zero_length: u64,
    /// I/Os that stood before an earlier one that had already been handed out. They are in the records, at their place.
    pub unsorted: u64,
    /// Remarks on how the file was read.
    pub notes: Vec<String>,
}

impl TraceFacts {
    /// Adds the counts of another file of the same trace.
    pub fn add(&mut self, other: &TraceFacts) {
        self.lines += other.lines;
        self.passed += other.passed;
        self.malformed.count += other.malformed.count;
        if self.malformed.first.is_none() {
            self.malformed.first.clone_from(&other.malformed.first);
        }
        self.other_ops += other.other_ops;
        self.zero_length += other.zero_length;
        self.unsorted += other.unsorted;
        for note in &other.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }
}

/// A stream of records, in the order of their times.
pub trait Source {
    /// Appends at most [`BATCH`] records to `batch`. Appends nothing at the end of the trace.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be read further. Records that were returned before stay valid.
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError>;

    /// Names of the devices so far; [`Record::device`] is an index.
    fn devices(&self) -> &[String];

    /// Format, counts and remarks so far.
    fn facts(&self) -> TraceFacts;
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        (**self).read(batch)
    }

    fn devices(&self) -> &[String] {
        (**self).devices()
    }

    fn facts(&self) -> TraceFacts {
        (**self).facts()
    }
}

/// Records in memory. The first read gives all of them, the next one the error, if there is one.
#[derive(Debug, Default)]
pub struct InMemory {
    records: Vec<Record>,
    devices: Vec<String>,
    failed: Option<TraceError>,
}

impl InMemory {
    /// These records of these devices.
    pub fn new(records: Vec<Record>, devices: Vec<String>) -> InMemory {
        InMemory { records, devices, failed: None }
    }

    /// No record: the first read is the error.
    pub fn failing(error: TraceError) -> InMemory {
        InMemory { failed: Some(error), ..InMemory::default() }
    }
}

impl Source for InMemory {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        if self.records.is_empty() {
            return self.failed.take().map_or(Ok(()), Err);
        }
        batch.append(&mut self.records);
        Ok(())
    }

    fn devices(&self) -> &[String] {
        &self.devices
    }

    fn facts(&self) -> TraceFacts {
        TraceFacts::default()
    }
}
