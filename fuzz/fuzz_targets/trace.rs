//! No bytes are a panic, read as a trace of the format that is recognised.
#![no_main]

use iobound_formats::trace::recognise;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(format) = recognise(bytes) {
        iobound_fuzz::trace(format, bytes);
    }
});
