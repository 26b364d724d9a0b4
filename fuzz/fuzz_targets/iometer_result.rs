//! No CSV of Iometer's is a panic, whatever its rows hold.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = iobound_formats::iometer::result::read(text).map_err(|error| error.to_string());
});
