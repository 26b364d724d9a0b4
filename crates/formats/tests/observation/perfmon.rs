use iobound_formats::observation::{DeviceKind, Observer};
use iobound_units::Span;

use crate::{device, near, says, seen, tried, tried_as};

const TYPEPERF: &str = include_str!("fixtures/typeperf.csv");
const UTF16: &[u8] = include_bytes!("fixtures/perfmon-utf16.csv");

fn decoded() -> String {
    let units = UTF16[2..].chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    String::from_utf16(&units.collect::<Vec<u16>>()).unwrap()
}

#[test]
fn counters_are_the_mean_of_samples_that_have_them() {
    for text in [TYPEPERF.to_string(), decoded(), TYPEPERF.to_lowercase().replace("(pdh-csv", "(PDH-CSV")] {
        let observation = seen(&[&text], None);
        assert_eq!(observation.observer, Observer::Perfmon);
        // 3 samples, 10 s apart; the first row is empty.
        assert!((observation.duration.unwrap().secs_f64() - 30.0).abs() < 0.02, "{:?}", observation.duration);
        says(&observation, "rows skipped, because they have no figure: 1");
        let names: Vec<String> = observation.devices.iter().map(|one| one.name.to_uppercase()).collect();
        assert_eq!(names, ["0 C:", "1 D:", "2 E:"], "their sum is no disk");
        let disk = &observation.devices[2];
        near(disk.ios_per_s(), 1_000.0);
        near(disk.bytes_per_s(), 140e6);
        // (300 x 8 ms + 700 x 12 ms) / 1,000
        near(disk.latency_us(), 10_800.0);
        near(disk.read_share(), 0.3);
        assert_eq!((disk.kind, disk.off_littles_law()), (DeviceKind::Disk, None));
        assert_eq!(observation.devices[0].kind, DeviceKind::SystemDisk);
        // The busier of two processors.
        near(observation.cpu, 0.55);
    }
}

#[test]
fn where_only_the_sum_is_counted_it_is_told_as_such() {
    let text = "\"(PDH-CSV 4.0)\",\"\\\\H\\LogicalDisk(_Total)\\Disk Transfers/sec\",\"\\\\H\\LogicalDisk(_Total)\\Avg. Disk sec/Transfer\"\r\n\
        \"06/22/2026 22:16:35.000\",\"200.5\",\"4.5e-03\"\r\n";
    let observation = seen(&[text], Some(Span::from_secs(15)));
    assert_eq!(device(&observation, "_Total").kind, DeviceKind::Total);
    near(device(&observation, "_Total").latency_us(), 4_500.0);
    near(device(&observation, "_Total").ios_per_s(), 200.5);
}

#[test]
fn what_is_no_file_of_it_says_what_was_expected() {
    let german = "\"(PDH-CSV 4.0)\",\"\\\\H\\Physikalischer Datenträger(0 C:)\\Lesevorgänge/s\"\r\n\"06/22/2026 22:16:35.000\",\"1,0\"\r\n";
    for (text, part) in [
        (german.to_string(), "with an English name"),
        (TYPEPERF.replace("\"300.000000\"", "\"lots\""), "`lots` is not a figure"),
        (
            TYPEPERF.replacen("\\\\SQL01\\PhysicalDisk(1 D:)", "\\\\SQL02\\PhysicalDisk(1 D:)", 1),
            "another machine",
        ),
        (TYPEPERF.replace("300.000000\"", "300,000000"), "fields, and the header 32"),
        (TYPEPERF.lines().take(3).map(|line| format!("{line}\r\n")).collect(), "no row has a figure"),
    ] {
        let error = tried(&[&text], None).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(tried_as(Observer::Perfmon, &["a,b\n1,2\n"], None).unwrap_err().to_string().contains("PDH-CSV"));
}
