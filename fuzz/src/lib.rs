//! Bodies that several fuzz targets share.

use std::io::{Cursor, Read};

use iobound_formats::trace::{BlktraceReader, TimeUnit, TraceFormat, read_trace};
use iobound_trace::{Analysis, Source};

/// Reads bytes as a trace of a format, in its own unit and in nanoseconds. What is read can be analysed.
pub fn trace(format: TraceFormat, bytes: &[u8]) {
    for unit in [None, format.unit().map(|_| TimeUnit::Nanoseconds)] {
        if let Ok(mut source) = read_trace(format, Box::new(Cursor::new(bytes.to_vec())), unit) {
            read_all(&mut *source);
        }
    }
}

/// Reads bytes as the files that blktrace writes on two processors. The first byte is the share of the first file.
pub fn blktrace(bytes: &[u8]) {
    let Some((share, bytes)) = bytes.split_first() else { return };
    let (first, second) = bytes.split_at(bytes.len() * usize::from(*share) / 256);
    let files = [first, second].map(|file| Box::new(Cursor::new(file.to_vec())) as Box<dyn Read>);
    read_all(&mut BlktraceReader::new(files.into()));
}

fn read_all(source: &mut dyn Source) {
    let (mut analysis, mut batch) = (Analysis::default(), Vec::new());
    loop {
        batch.clear();
        if source.read(&mut batch).is_err() || batch.is_empty() {
            break;
        }
        assert!(batch.iter().all(|record| usize::from(record.device) < source.devices().len()));
        assert!(batch.iter().all(|record| record.offset.checked_add(record.length).is_some()));
        analysis.add(&batch);
    }
    let _ = (source.facts(), analysis.rates.per_second(), analysis.reuse.curve());
}
