//! No bytes are a panic, read as binary records of VMware's SCSI commands.
#![no_main]

use iobound_formats::trace::TraceFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| iobound_fuzz::trace(TraceFormat::VscsiBinary, bytes));
