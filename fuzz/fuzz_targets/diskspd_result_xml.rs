//! No XML result of DiskSpd's is a panic, nor does it take the stack or the memory.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = iobound_formats::diskspd::result::read(&format!("<Results>{text}</Results>"))
        .map_err(|error| error.to_string());
});
