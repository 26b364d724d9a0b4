//! Lines of the kernel's block tracepoint: requests, or nothing, and never one without bytes.
#![no_main]

use iobound_machine::trace::{Traced, take};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut traced = Traced::default();
    take(&String::from_utf8_lossy(data), &mut traced);
    assert!(traced.requests.iter().all(|request| request.bytes > 0));
});
