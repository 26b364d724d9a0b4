//! No file of a tool that watches disks is a panic, read as anybody's, alone or as one of two samples; what is read is
//! finite. A file separator (U+001C) stands between two samples.
#![no_main]

use iobound_catalog::Cloud;
use iobound_formats::observation::{ObservedFile, Observer, read, recognise};
use iobound_units::Span;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let texts: Vec<&str> = text.splitn(2, '\u{1c}').collect();
    let _ = recognise(texts[0], &Cloud::metrics());
    let files: Vec<ObservedFile<'_>> = texts.iter().map(|text| ObservedFile { name: "any", text }).collect();
    for observer in Cloud::metrics().into_iter().map(Observer::Cloud).chain(Observer::ALL) {
        for interval in [None, Some(Span::from_secs(10))] {
            let Ok(observation) = read(observer, &files, interval) else { continue };
            for device in &observation.devices {
                let figures =
                    [device.ios_per_s(), device.bytes_per_s(), device.latency_us(), device.outstanding()];
                assert!(
                    figures.iter().flatten().all(|figure| figure.is_finite() && *figure >= 0.0),
                    "{device:?}"
                );
                let _ = device.off_littles_law();
            }
        }
    }
});
