//! A trace that is read whole, in the format that its content shows.

use std::io::Cursor;

use iobound_formats::trace::{TimeUnit, TraceFormat, read_trace, recognise};
use iobound_trace::{Record, Source, TraceError, TraceFacts};

pub(crate) struct Read {
    pub(crate) format: TraceFormat,
    pub(crate) records: Vec<Record>,
    pub(crate) devices: Vec<String>,
    pub(crate) facts: TraceFacts,
}

pub(crate) fn read_as(bytes: impl AsRef<[u8]>, unit: Option<TimeUnit>) -> Result<Read, TraceError> {
    let bytes = bytes.as_ref();
    let format = recognise(bytes)?;
    let mut source = read_trace(format, Box::new(Cursor::new(bytes.to_vec())), unit)?;
    let mut records = Vec::new();
    loop {
        let before = records.len();
        source.read(&mut records)?;
        if records.len() == before {
            break;
        }
    }
    Ok(Read { format, records, devices: source.devices().to_vec(), facts: source.facts() })
}
