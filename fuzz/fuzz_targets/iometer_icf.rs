//! No configuration file and no access specification is a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = iobound_formats::iometer::parse_icf(text).map_err(|error| error.to_string());
    let _ = iobound_formats::iometer::parse_access_spec(text).map_err(|error| error.to_string());
});
