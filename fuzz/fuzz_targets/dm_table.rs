//! No table of device-mapper is a panic.
#![no_main]

use iobound_machine::block::{Target, parse_table};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for target in parse_table(text) {
        let _ = Target::stripe(&target);
    }
});
