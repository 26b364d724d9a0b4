//! What other tools saw of disks, from files as they print them; the figures in them are made.

mod any;
mod databases;
mod diskstats;
mod iostat;
mod perfmon;

use iobound_formats::FormatError;
use iobound_formats::observation::{Device, Observation, ObservedFile, Observer, read, recognise};
use iobound_units::Span;

pub(crate) fn tried(texts: &[&str], interval: Option<Span>) -> Result<Observation, FormatError> {
    let observer = recognise(texts[0], &[]).expect("it is known by what is in it");
    tried_as(observer, texts, interval)
}

pub(crate) fn tried_as(
    observer: Observer,
    texts: &[&str],
    interval: Option<Span>,
) -> Result<Observation, FormatError> {
    let files: Vec<ObservedFile<'_>> = texts.iter().map(|text| ObservedFile { name: "seen", text }).collect();
    read(observer, &files, interval)
}

#[track_caller]
pub(crate) fn seen(texts: &[&str], interval: Option<Span>) -> Observation {
    tried(texts, interval).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
pub(crate) fn device<'a>(observation: &'a Observation, name: &str) -> &'a Device {
    let found = observation.devices.iter().find(|device| device.name == name);
    found.unwrap_or_else(|| panic!("{name} in {:?}", observation.devices))
}

#[track_caller]
pub(crate) fn near(read: Option<f64>, value: f64) {
    let read = read.expect("a figure");
    assert!((read - value).abs() <= 1e-6 * value.abs(), "{read} and {value}");
}

#[track_caller]
pub(crate) fn says(observation: &Observation, part: &str) {
    assert!(observation.notes.iter().any(|note| note.contains(part)), "{part}: {:?}", observation.notes);
}
