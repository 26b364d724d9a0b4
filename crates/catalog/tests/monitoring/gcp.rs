use iobound_formats::observation::Measure;
use iobound_units::Span;

use crate::{device, named, near, says, seen, tried};

/// A page of `timeSeries.list`: counts of a minute, newest first, as the API prints them.
fn series(metric: &str, disk: &str, instance: &str, values: [&str; 2]) -> String {
    let point = |minute: u32, value: &str| {
        format!(
            r#"{{"interval": {{"startTime": "2026-11-25T10:0{}:00Z", "endTime": "2026-11-25T10:0{}:00Z"}}, "value": {value}}}"#,
            minute - 1,
            minute
        )
    };
    format!(
        r#"{{"metric": {{"type": "compute.googleapis.com/instance/disk/{metric}", "labels": {{"device_name": "{disk}"}}}},
            "resource": {{"type": "gce_instance", "labels": {{"instance_id": "{instance}"}}}},
            "metricKind": "DELTA", "valueType": "INT64", "points": [{}, {}]}}"#,
        point(2, values[1]),
        point(1, values[0])
    )
}

#[test]
fn counts_of_an_interval_become_rates() {
    // 60,000 and 66,000 in a minute are 1,000 and 1,100 a second.
    let reads =
        series("read_ops_count", "data", "1", [r#"{"int64Value": "60000"}"#, r#"{"int64Value": "66000"}"#]);
    let bytes = series(
        "read_bytes_count",
        "data",
        "1",
        [r#"{"int64Value": "491520000"}"#, r#"{"int64Value": "540672000"}"#],
    );
    let other =
        series("write_ops_count", "log", "1", [r#"{"int64Value": "6000"}"#, r#"{"int64Value": "6000"}"#]);
    let cpu = r#"{"metric": {"type": "compute.googleapis.com/instance/cpu/utilization"}, "points": []}"#;
    let throttled =
        series("throttled_read_ops_count", "data", "1", [r#"{"int64Value": "5"}"#, r#"{"int64Value": "5"}"#]);
    let page = format!(r#"{{"timeSeries": [{reads}, {bytes}, {other}, {cpu}, {throttled}]}}"#);
    for text in [page, format!("[{reads}, {bytes}, {other}]")] {
        let observation = seen(&[&text], None);
        assert_eq!(observation.observer.word(), "cloud-monitoring");
        assert_eq!(observation.duration, Some(Span::from_secs(120)));
        near(device(&observation, "data").read.ios_per_s, 1_050.0);
        near(device(&observation, "data").read.bytes_per_s, 8_601_600.0);
        near(device(&observation, "log").write.ios_per_s, 100.0);
        says(&observation, "2 averages of 60 s each");
    }
}

#[test]
fn rates_stay_as_they_are() {
    let reads =
        series("read_ops_count", "data", "1", [r#"{"doubleValue": 1000.5}"#, r#"{"doubleValue": 999.5}"#]);
    let text = format!(r#"{{"timeSeries": [{}]}}"#, reads.replace("DELTA", "GAUGE"));
    near(device(&seen(&[&text], None), "data").read.ios_per_s, 1_000.0);
}

#[test]
fn a_csv_has_a_column_for_each_metric_and_disk() {
    let text = "Time,\"read_ops_count, device_name: data\",\"write_ops_count, device_name: data\",\"read_ops_count, device_name: log\"\n\
        2026-11-25 10:00:00,1000,10,5\n2026-11-25 10:01:00,1200,20,\n";
    let observation = seen(&[text], None);
    assert_eq!(observation.observer.word(), "cloud-monitoring");
    near(device(&observation, "data").read.ios_per_s, 1_100.0);
    near(device(&observation, "data").write.ios_per_s, 15.0);
    says(&observation, "taken as rates");
}

#[test]
fn what_is_no_rate_of_one_vm_is_refused() {
    let value = [r#"{"int64Value": "60"}"#; 2];
    let [one, other] = ["1", "2"].map(|instance| series("read_ops_count", "data", instance, value));
    let error = |text: &str| tried(&[text], None).unwrap_err().to_string();
    assert!(error(&format!(r#"{{"timeSeries": [{one}, {other}]}}"#)).contains("one VM"));
    let cumulative = one.replace("DELTA", "CUMULATIVE");
    assert!(error(&format!(r#"{{"timeSeries": [{cumulative}]}}"#)).contains("cumulative"));
    assert!(error(r#"{"timeSeries": []}"#).contains("ALIGN_RATE"));
    assert!(error("Time,read_ops_count\n2026-11-25 10:00:00,many\n").contains("not a figure"));
}

/// A chart as Metrics Explorer exports it: a row for each label, then one for each time, across the end of a month.
fn chart(labels: &str, values: [&str; 3]) -> String {
    let row = |time: &str, value: &str| format!("{time} GMT+0200 (Central European Summer Time),{value}\n");
    format!(
        "TimeSeries ID,gce_instance 1 data,gce_instance 1 log\n{labels}{}{}{}",
        row("Tue Mar 31 2026 23:58:00", values[0]),
        row("Tue Mar 31 2026 23:59:00", values[1]),
        row("Wed Apr 01 2026 00:00:00", values[2])
    )
}

const DISKS: &str = "device_name,data,log\nproject_id,p,p\n";

#[test]
fn charts_of_metrics_explorer_are_read_with_the_metric_of_their_name() {
    let files = [
        ("read_ops_count.csv", chart(DISKS, ["1000,1", "1200,1", "1400,"])),
        ("my-vm_read_bytes_count_[RATE].csv", chart(DISKS, ["8192000,1", "9830400,1", "11468800,"])),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let observation = named(&files).unwrap();
    assert_eq!(observation.observer.word(), "cloud-monitoring");
    assert_eq!(observation.duration, Some(Span::from_secs(180)));
    near(device(&observation, "data").read.ios_per_s, 1_200.0);
    assert_eq!(device(&observation, "data").series, [1_000.0, 1_200.0, 1_400.0]);
    near(device(&observation, "data").read.bytes_per_s, 9_830_400.0);
    near(device(&observation, "log").read.ios_per_s, 1.0);
    // A label can have the metric too.
    let labelled =
        chart("device_name,data,log\nmetric,write_ops_count,write_ops_count\n", ["5,6", "5,6", "5,6"]);
    near(device(&seen(&[&labelled], None), "log").write.ios_per_s, 6.0);
}

#[test]
fn a_chart_without_metric_disks_or_one_vm_is_refused() {
    let error = |name: &str, text: &str| named(&[(name, text)]).unwrap_err().to_string();
    let values = ["1,2", "1,2", "1,2"];
    assert!(error("chart.csv", &chart(DISKS, values)).contains("read_ops_count.csv"));
    assert!(
        error("read_ops_count.csv", &chart("project_id,p,p\n", values))
            .contains("group the chart by device_name")
    );
    let two = chart("device_name,a,b\ninstance_id,1,2\n", values);
    assert!(error("read_ops_count.csv", &two).contains("one VM"));
    assert!(
        error("read_ops_count.csv", &chart(DISKS, ["1,2", "1,x", "1,2"])).contains("`x` is not a figure")
    );
    let broken = chart(DISKS, values).replace("Wed Apr 01 2026 00:00:00", "later");
    assert!(error("read_ops_count.csv", &broken).contains("is not a time"));
}

#[test]
fn throttled_ios_are_evidence_with_their_reason() {
    let reads = series("read_ops_count", "data", "1", [r#"{"int64Value": "60000"}"#; 2]);
    let held = |metric: &str, values: [&str; 2]| {
        series(metric, "data", "1", values)
            .replace(r#""device_name": "data""#, r#""device_name": "data", "throttle_reason": "PER_VM""#)
    };
    let some = held("throttled_read_ops_count", [r#"{"int64Value": "0"}"#, r#"{"int64Value": "6000"}"#]);
    let none = held("throttled_write_bytes_count", [r#"{"int64Value": "0"}"#; 2]);
    let observation = seen(&[&format!(r#"{{"timeSeries": [{reads}, {some}, {none}]}}"#)], None);
    near(device(&observation, "data").read.ios_per_s, 1_000.0);
    let [held] = observation.held.as_slice() else { panic!("{:?}", observation.held) };
    assert_eq!((held.device.as_str(), held.by_vm, held.measure), ("data", Some(true), Measure::Ios));
    assert_eq!(held.intervals, [1, 2]);
    assert_eq!(held.told, "up to 100 reads a second (throttled_read_ops_count, PER_VM)");
    says(&observation, "data: nothing was throttled in 2 intervals (throttled_write_bytes_count, PER_VM)");
    // Whose limit it was is known by the reason alone.
    for (reason, by_vm) in [("PER_GB", Some(false)), ("PER_DISK", Some(false)), ("", None), ("OTHER", None)] {
        let some = some.replace("PER_VM", reason);
        let observation = seen(&[&format!(r#"{{"timeSeries": [{reads}, {some}]}}"#)], None);
        assert_eq!(observation.held[0].by_vm, by_vm, "{reason}");
    }
}

#[test]
fn an_answer_that_is_an_error_is_refused_with_its_message() {
    let text = r#"{"error": {"code": 403, "message": "Permission monitoring.timeSeries.list denied", "status": "PERMISSION_DENIED"}}"#;
    for text in [text.to_string(), format!("[{text}]")] {
        let error = tried(&[&text], None).unwrap_err().to_string();
        assert!(
            error.contains("403 PERMISSION_DENIED: Permission monitoring.timeSeries.list denied"),
            "{error}"
        );
    }
}

#[test]
fn a_missing_page_and_a_failed_part_are_noted() {
    let of = |metric: &str| series(metric, "data", "1", [r#"{"int64Value": "60"}"#; 2]);
    let page = |series: &str, rest: &str| format!(r#"{{"timeSeries": [{series}]{rest}}}"#);
    let next = r#", "nextPageToken": "abc""#;
    let (reads, writes) = (of("read_ops_count"), of("write_ops_count"));
    let is_noted = |texts: &[&str]| {
        let notes = seen(texts, None).notes;
        notes.iter().any(|note| note.contains("the next page is not given"))
    };
    assert!(is_noted(&[&page(&reads, next)]));
    // The page of another query is not the next one.
    assert!(is_noted(&[&page(&reads, next), &page(&writes, "")]));
    assert!(!is_noted(&[&page(&reads, next), &page(&reads, "")]));
    assert!(!is_noted(&[&format!("[{}, {}]", page(&reads, next), page(&reads, ""))]));
    assert!(!is_noted(&[&page(&reads, r#", "nextPageToken": """#)]));
    let failed = r#", "executionErrors": [{"code": 14, "message": "zone unreachable"}]"#;
    says(&seen(&[&page(&reads, failed)], None), "the answer is not complete: 14: zone unreachable");
}
