//! No text of DiskSpd's is a panic, whatever its tables hold.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = iobound_formats::diskspd::result::read(text).map_err(|error| error.to_string());
});
