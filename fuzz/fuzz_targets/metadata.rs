//! No answer of a metadata service is a panic, and one that is whole does not change with what follows it.
#![no_main]

use iobound_machine::cloud::{parse_answer, parse_azure, parse_gcp_disks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = parse_answer(bytes, false);
    if let Ok(answer) = &whole {
        assert_eq!(parse_answer(bytes, true).as_ref(), Ok(answer));
        let _ = parse_azure(&answer.text());
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = parse_azure(&text);
    let _ = parse_gcp_disks(&text);
});
