//! No bytes are a panic, read as a trace of any format, and what is read can be analysed. The first byte chooses the format;
//! beyond all of them, the bytes choose it themselves.
#![no_main]

use std::io::Cursor;

use iobound_formats::trace::{TimeUnit, TraceFormat, read_trace, recognise};
use iobound_trace::Analysis;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let chosen = TraceFormat::ALL.get(usize::from(*choice)).copied();
    let Some(format) = chosen.or_else(|| recognise(bytes).ok()) else { return };
    for unit in [None, format.unit().map(|_| TimeUnit::Nanoseconds)] {
        let Ok(mut source) = read_trace(format, Box::new(Cursor::new(bytes.to_vec())), unit) else { continue };
        let (mut analysis, mut batch) = (Analysis::default(), Vec::new());
        loop {
            batch.clear();
            if source.read(&mut batch).is_err() || batch.is_empty() {
                break;
            }
            assert!(batch.iter().all(|record| usize::from(record.device) < source.devices().len()));
            analysis.add(&batch);
        }
        let _ = (source.facts(), analysis.rates.per_second(), analysis.reuse.curve());
    }
});
