//! No host file or inventory is a panic, and no more hosts come of it than a cluster may have.
#![no_main]

use libfuzzer_sys::fuzz_target;

use iobound_formats::hosts::{self, Hosts};

fuzz_target!(|text: &str| {
    match hosts::read(Some("hosts"), text, None) {
        Ok(read) => assert!(read.hosts.len() <= Hosts::MOST),
        Err(error) => drop(error.to_string()),
    }
    let _ = hosts::read(None, text, Some("a"));
    let _ = hosts::host(text);
});
