use iobound_formats::observation::{DeviceKind, Measure, Scope};
use iobound_units::Span;

use crate::{device, near, of_word, says, seen, tried, tried_as};

const CHART: &str = include_str!("fixtures/azure-chart-by-lun.csv");
const TABLE: &str = include_str!("fixtures/azure-consumed-table.txt");
const JSON: &str = include_str!("fixtures/azure-metrics.json");

#[test]
fn a_chart_that_is_split_by_lun_tells_each_disk() {
    let observation = seen(&[CHART], None);
    assert_eq!(observation.observer.word(), "azure-monitor");
    assert_eq!(observation.duration, Some(Span::from_secs(300)));
    let disk = device(&observation, "LUN 0");
    assert_eq!(disk.kind, DeviceKind::Lun(0));
    // A German portal's 5000,5
    near(disk.read.ios_per_s, 5_000.5);
    near(disk.ios_per_s(), 5_100.5);
    near(disk.bytes_per_s(), 40_964_096.0 + 819_200.0);
    near(disk.queue, 32.5);
    near(device(&observation, "LUN 1").read.ios_per_s, 4_999.5);
    says(&observation, "5 averages of 60 s each");
}

#[test]
fn charts_that_are_exported_one_by_one_are_read_together() {
    let column = |from: usize, to: usize| -> String {
        CHART
            .lines()
            .map(|line| {
                let mut cells: Vec<&str> = line.split("\",\"").collect();
                let time = cells[0];
                cells = cells[from..to].to_vec();
                format!("{time}\",\"{}\"\n", cells.join("\",\"").trim_end_matches('"'))
            })
            .collect()
    };
    let apart = seen(&[&column(1, 5), &column(5, 9), &column(9, 11)], None);
    assert_eq!(apart.devices, seen(&[CHART], None).devices);
    // A chart may begin with its last minute.
    let backwards: Vec<&str> =
        CHART.lines().take(1).chain(CHART.lines().skip(1).collect::<Vec<_>>().into_iter().rev()).collect();
    assert_eq!(seen(&[&backwards.join("\n")], None).duration, Some(Span::from_secs(300)));
}

#[test]
fn a_title_may_name_the_metric_and_the_columns_the_disks() {
    let chart = "Avg Data Disk Read Operations/Sec for db1 by LUN\n\nTime,LUN: 0,LUN: 1\n\
        2026-06-22 20:10,100,300\n2026-06-22 20:11,300,\n";
    let observation = seen(&[chart], None);
    near(device(&observation, "LUN 0").ios_per_s(), 200.0);
    near(device(&observation, "LUN 1").ios_per_s(), 300.0);
    let error = tried(&[&chart.replace("Avg", "Max")], None).unwrap_err().to_string();
    assert!(error.contains("a maximum"), "{error}");
}

#[test]
fn shares_of_limits_are_told_where_there_are_no_rates() {
    let observation = seen(&[TABLE], None);
    assert!(observation.devices.is_empty());
    let used = |measure| observation.consumed.iter().find(|used| used.measure == measure).copied().unwrap();
    let ios = used(Measure::Ios);
    assert_eq!(ios.scope, Scope::DataDisk(None));
    near(Some(ios.mean), 0.995);
    // One of five minutes has no value.
    near(Some(used(Measure::Bytes).mean), 0.199);
    says(&observation, "data disks IOPS: 100 % used on average");
}

#[test]
fn what_az_prints_is_read_by_lun() {
    let observation = seen(&[JSON], None);
    let disk = device(&observation, "LUN 0");
    near(disk.ios_per_s(), 2_300.0);
    near(disk.bytes_per_s(), 2_300.0 * 8_192.0);
    // Latency is of reads and writes together, in ms.
    near(disk.latency_us(), 14_000.0);
    near(device(&observation, "LUN 1").read_share(), 0.8);
    let credits = observation.consumed.iter().find(|used| used.measure == Measure::IosCredits).unwrap();
    assert_eq!((credits.scope, credits.most), (Scope::DataDisk(Some(0)), 1.0));
    // The last of five minutes has no values yet.
    assert_eq!(observation.duration, Some(Span::from_secs(240)));
}

#[test]
fn what_is_no_average_is_refused_with_how_to_get_one() {
    for (text, part) in [
        (CHART.replace("(Avg)", "(Max)"), "a maximum: export averages"),
        (CHART.replace("(Avg)", "(Sum)"), "a sum: export averages"),
        (CHART.replace("2026-06-22T20:11:00Z", "noon"), "`noon` is not a time"),
        (CHART.replace("\"5000,5\"", "\"5k\""), "`5k` is not a figure"),
        (
            JSON.replace("\"average\": 2300.0", "\"mean\": 2300.0")
                .replace("\"total\": null", "\"total\": 5.0"),
            "has no average",
        ),
        (JSON[..JSON.len() / 3].to_string(), "the file is not JSON"),
        ("{\"timeseries\": 1}".to_string(), "no `value`"),
    ] {
        let error = tried(&[&text], None).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
    let cpu = "TimeStamp,Name,Average\n2026-06-22 20:10,Percentage CPU,7\n";
    let error = tried_as(of_word("azure-monitor"), &[cpu], None).unwrap_err().to_string();
    assert!(
        error.contains("no value of a disk metric") && error.contains("az monitor metrics list"),
        "{error}"
    );
}
