use iobound_units::Span;

use crate::{device, near, says, seen, tried};

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
