//! No fio job file is a panic, whatever it includes and whatever its variables hold.
#![no_main]

use libfuzzer_sys::fuzz_target;

use iobound_formats::fio::{self, Context};

/// Every file is the job file itself, every variable its own name.
struct Mirror<'a>(&'a str);

impl Context for Mirror<'_> {
    fn file(&self, _name: &str) -> Option<String> {
        Some(self.0.to_string())
    }
    fn variable(&self, name: &str) -> Option<String> {
        Some(name.to_string())
    }
    fn cpus(&self) -> Option<u32> {
        Some(8)
    }
}

fuzz_target!(|text: &str| {
    let _ = fio::parse_job_file(text, "x.fio", &Mirror(text)).map_err(|error| error.to_string());
});
