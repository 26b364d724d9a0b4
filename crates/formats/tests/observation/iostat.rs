use iobound_formats::observation::{DeviceKind, Observer};
use iobound_units::Span;

use crate::{device, near, says, seen, tried, tried_as};

const V10: &str = include_str!("fixtures/iostat-10.txt");
const SECTORS: &str = include_str!("fixtures/iostat-sectors.txt");
const V11: &str = include_str!("fixtures/iostat-11.txt");
const COMMA: &str = include_str!("fixtures/iostat-12-comma.txt");
const JSON: &str = include_str!("fixtures/iostat-12.json");
const HUMAN: &str = include_str!("fixtures/iostat-12-h.txt");
const SHORT: &str = include_str!("fixtures/iostat-12-short.txt");

#[test]
fn every_layout_tells_the_same_rates_latency_and_queue() {
    // 5,100 I/Os of 8 KiB a second at 12.55 ms are 64 outstanding; what the layout rounds is apart.
    for (text, name, bytes) in [
        (V10, "sdc", 5_100.0 * 8_192.0),
        (SECTORS, "sdc", 5_100.0 * 8_192.0),
        (V11, "sdc", 39.84 * 1_048_576.0),
        (JSON, "nvme0n1", 40_800.0 * 1_024.0),
        (HUMAN, "sdc", 39.8 * 1_048_576.0),
        (SHORT, "sdc", 40_800.0 * 1_024.0),
    ] {
        let observation = seen(&[text], None);
        assert_eq!(observation.observer, Observer::Iostat);
        let disk = device(&observation, name);
        near(disk.ios_per_s(), 5_100.0);
        near(disk.bytes_per_s(), bytes);
        near(disk.latency_us(), 12_550.0);
        near(disk.outstanding(), 64.0);
        assert_eq!(disk.off_littles_law(), None);
        says(&observation, "the first report is left out");
    }
}

#[test]
fn reports_are_a_mean_over_time_and_an_idle_device_counts() {
    let observation = seen(&[V10], None);
    let disk = device(&observation, "sdc");
    assert_eq!((disk.series.as_slice(), disk.read_share()), ([5_090.0, 5_110.0].as_slice(), Some(1.0)));
    // 2 reports of user 4 % and system 3 %, iowait 70 %
    near(observation.cpu, 0.07);
    near(observation.iowait, 0.7);
    // With -z, sda is missing from the second of two reports.
    let observation = seen(&[COMMA], None);
    near(device(&observation, "sda").write.ios_per_s, 1.5);
    assert_eq!(observation.duration, Some(Span::from_secs(20)));
}

#[test]
fn decimal_commas_are_read_and_discards_and_flushes_are_not_ios() {
    let observation = seen(&[COMMA], None);
    let disk = device(&observation, "sdc");
    near(disk.read.ios_per_s, 1_020.0);
    near(disk.write.ios_per_s, 4_080.0);
    // (1,020 x 12.5 + 4,080 x 12.55) / 5,100
    near(disk.latency_us(), 12_540.0);
    // 2 discards a second of 5 ms and 10 flushes of 1 ms
    near(Some(disk.others_queue), 0.02);
    near(disk.flushes_per_s, 10.0);
    assert_eq!(disk.off_littles_law(), None);
    let kinds: Vec<DeviceKind> = observation.devices.iter().map(|device| device.kind).collect();
    assert_eq!(kinds, [DeviceKind::Disk, DeviceKind::Disk], "a report that is left out names nothing");
}

#[test]
fn the_report_since_the_start_is_used_only_where_it_is_the_only_one() {
    let first: String = V10.lines().take(9).map(|line| format!("{line}\n")).collect();
    let observation = seen(&[&first], None);
    near(device(&observation, "sdc").ios_per_s(), 80.0);
    says(&observation, "since the machine started");
    assert_eq!(observation.duration, None);
    // Whoever says how long it was has left the first one out with -y.
    let observation = seen(&[&first], Some(Span::from_secs(10)));
    assert_eq!(observation.duration, Some(Span::from_secs(10)));
    // Two runs of it in one file have two.
    let twice = seen(&[&format!("{V10}{V10}")], None);
    assert_eq!(device(&twice, "sdc").series.len(), 4);
}

#[test]
fn an_interval_that_the_times_contradict_is_refused() {
    let error = tried(&[COMMA], Some(Span::from_secs(60))).unwrap_err().to_string();
    assert!(error.contains("10.0 s apart") && error.contains("--interval"), "{error}");
    assert!(tried(&[COMMA], Some(Span::from_secs(10))).is_ok());
    assert_eq!(seen(&[V10], Some(Span::from_secs(5))).duration, Some(Span::from_secs(10)));
}

#[test]
fn a_queue_that_is_none_of_rate_and_latency_is_told() {
    let text = V11.replace("12.55    0.00  64.00", "12.55    0.00  80.00");
    let observation = seen(&[&text], None);
    // 64 of 80
    let said = device(&observation, "sdc").off_littles_law().unwrap();
    assert!(said.contains("differ by 20 %"), "{said}");
}

#[test]
fn what_is_no_extended_report_says_how_to_get_one() {
    let plain = "Linux 6.1.0 (db1) \t06/22/26 \t_x86_64_\t(2 CPU)\n\nDevice             tps    kB_read/s    kB_wrtn/s\nsda 5.0 1.0 2.0\n";
    for (text, help) in [
        (plain.to_string(), "iostat with -x"),
        (V11.replace("5100.00", "many"), "`many` is not a figure"),
        (V11.replace(" 100.00\n", "\n"), "the line has 15 words, and its header 16"),
        (JSON.replace("\"r/s\": 5100.00", "\"r/s\": null"), "not a number"),
        (JSON[..JSON.len() / 2].to_string(), "the file is not JSON"),
        (JSON.replace("\"hosts\"", "\"host\""), "must have exactly one host"),
    ] {
        let error = tried_as(Observer::Iostat, &[&text], None).expect_err(help).to_string();
        assert!(error.contains(help), "{help}: {error}");
    }
    assert!(
        tried_as(Observer::Iostat, &["hello\n"], None).unwrap_err().to_string().contains("iostat -x 10 3")
    );
    assert!(tried(&[V10, V11], None).unwrap_err().to_string().contains("give one of them"));
}
