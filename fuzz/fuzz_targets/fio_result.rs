//! No output of fio's is a panic, and what is read of it can be written.
#![no_main]

use libfuzzer_sys::fuzz_target;

use iobound_formats::fio::result::read;

fuzz_target!(|text: &str| {
    match read(text) {
        Ok(result) => assert!(!format!("{result:?}").contains("NaN")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
