//! No DiskSpd command line is a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = iobound_formats::diskspd::parse_line(text).map_err(|error| error.to_string());
});
