//! The clouds' own metrics of a VM's disks, from files as their tools print them; the figures in them are made.

mod aws;
mod azure;
mod gcp;

use iobound_catalog::Cloud;
use iobound_formats::FormatError;
use iobound_formats::observation::{Device, Observation, ObservedFile, Observer, read, recognise};
use iobound_units::Span;
use proptest::prelude::*;

pub(crate) fn of_word(word: &str) -> Observer {
    let mut all = Cloud::metrics().into_iter();
    Observer::Cloud(all.find(|metrics| metrics.word == word).expect("a cloud has these metrics"))
}

pub(crate) fn tried(texts: &[&str], interval: Option<Span>) -> Result<Observation, FormatError> {
    let observer = recognise(texts[0], &Cloud::metrics()).expect("it is known by what is in it");
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

/// The observation of files with names.
pub(crate) fn named(files: &[(&str, &str)]) -> Result<Observation, FormatError> {
    let observer = recognise(files[0].1, &Cloud::metrics()).expect("it is known by what is in it");
    let files: Vec<ObservedFile<'_>> = files.iter().map(|(name, text)| ObservedFile { name, text }).collect();
    read(observer, &files, None)
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

#[test]
fn the_tools_of_a_machine_are_recognised_before_the_clouds_metrics() {
    let known = |text: &str| recognise(text, &Cloud::metrics()).map(Observer::word);
    assert_eq!(known("backend_type,object,context,reads,read_bytes,writes\n"), Some("postgres"));
    assert_eq!(known("Time,Data Disk Read Operations/Sec (Avg)\n"), Some("azure-monitor"));
    assert_eq!(known("Time,read_ops_count\n"), Some("cloud-monitoring"));
    assert_eq!(known("{\"Label\": \"VolumeReadOps\", \"Datapoints\": []}"), Some("cloudwatch"));
    assert_eq!(known("{\"sysstat\": {}}"), Some("iostat"));
    // Without the clouds' readers their files are unknown.
    assert_eq!(recognise("Time,read_ops_count\n", &[]), None);
}

const RIGHT: [&str; 7] = [
    include_str!("fixtures/azure-chart-by-lun.csv"),
    include_str!("fixtures/azure-metrics.json"),
    "Time,\"read_ops_count, device_name: data\"\n2026-11-25 10:00:00,1000\n2026-11-25 10:01:00,1200\n",
    "TimeSeries ID,read_ops_count a,throttled_read_ops_count a\ndevice_name,a,a\n\
        Mon Mar 30 2026 15:05:00 GMT+0200 (Central European Summer Time),5,1\n\
        Mon Mar 30 2026 15:06:00 GMT+0200 (Central European Summer Time),7,0\n",
    r#"{"timeSeries": [{"metric": {"type": "compute.googleapis.com/instance/disk/read_ops_count", "labels":
        {"device_name": "data"}}, "metricKind": "DELTA", "points": [{"interval": {"startTime": "2026-11-25T10:00:00Z",
        "endTime": "2026-11-25T10:01:00Z"}, "value": {"int64Value": "60"}}]}]}"#,
    r#"{"MetricDataResults": [{"Id": "m1", "Label": "vol-0123456789abcdef0 VolumeReadOps", "Timestamps":
        ["2026-11-25T10:01:00Z", "2026-11-25T10:00:00Z"], "Values": [60.0, 120.0]}]}"#,
    r#"{"Label": "EBSReadBytes", "Datapoints": [{"Timestamp": "2026-11-25T10:01:00Z", "Sum": 4096.0},
        {"Timestamp": "2026-11-25T10:00:00Z", "Sum": 8192.0}]}"#,
];

/// A text that is right, with parts taken out or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let part = prop_oneof![Just(String::new()), Just("1e300".to_string()), "[0-9.,:;|\t\"{}a-z -]{0,12}"];
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0usize..40, part), 1..6);
    (0..RIGHT.len(), edits).prop_map(|(which, edits)| {
        let mut text: Vec<char> = RIGHT[which].chars().collect();
        for (index, length, part) in edits {
            let from = index.index(text.len().max(1)).min(text.len());
            let to = (from + length).min(text.len());
            text.splice(from..to, part.chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_is_a_panic_and_what_is_read_is_finite(text in mutated(), other in 0..RIGHT.len(), seconds in 0u64..100) {
        let interval = (seconds > 0).then(|| Span::from_secs(seconds));
        for metrics in Cloud::metrics() {
            for texts in [&[text.as_str()][..], &[RIGHT[other], text.as_str()]] {
                match tried_as(Observer::Cloud(metrics), texts, interval) {
                    Ok(observation) => {
                        prop_assert!(!observation.devices.is_empty() || !observation.consumed.is_empty());
                        for device in &observation.devices {
                            let figures = [device.ios_per_s(), device.bytes_per_s(), device.latency_us(), device.queue];
                            let mut all = figures.into_iter().flatten().chain(device.series.iter().copied());
                            prop_assert!(all.all(|figure| figure.is_finite() && figure >= 0.0), "{:?}", device);
                        }
                    }
                    Err(error) => prop_assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}
