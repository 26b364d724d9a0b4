//! No fio command line is a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

use iobound_formats::fio::{self, NoContext};

fuzz_target!(|text: &str| {
    let _ = fio::parse_line(text, &NoContext).map_err(|error| error.to_string());
    let _ = fio::parse_command(text, &NoContext).map(|command| fio::show_command(&command.jobs));
    let _ = fio::job_files(text);
});
