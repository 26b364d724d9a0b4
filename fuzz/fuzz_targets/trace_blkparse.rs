//! No bytes are a panic, read as the text of blkparse.
#![no_main]

use iobound_formats::trace::TraceFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| iobound_fuzz::trace(TraceFormat::Blkparse, bytes));
