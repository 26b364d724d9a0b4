//! No quantity is a panic, and what is read prints as something that is read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

use iobound_units::{
    Bytes, parse_bandwidth, parse_bytes, parse_count, parse_iops, parse_percent, parse_rate, parse_span,
};

fuzz_target!(|text: &str| {
    if let Ok(Bytes(bytes)) = parse_bytes(text) {
        assert_eq!(parse_bytes(&format!("{bytes}B")), Ok(Bytes(bytes)));
    }
    let _ = parse_bandwidth(text).map(|rate| rate.to_string());
    let _ = parse_iops(text).map(|rate| rate.to_string());
    let _ = parse_span(text).map(|span| span.to_string());
    let _ = parse_rate(text);
    let _ = parse_count(text);
    let _ = parse_percent(text).map(|percent| percent.to_string());
});
