//! No bytes are a panic, read as an iobound trace behind its first bytes.
#![no_main]

use iobound_formats::trace::TraceFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = [iobound_trace::MAGIC.as_slice(), bytes].concat();
    iobound_fuzz::trace(TraceFormat::Own, &whole);
});
