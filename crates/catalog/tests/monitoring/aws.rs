use iobound_formats::observation::{Measure, Scope};
use iobound_units::Span;

use crate::{device, near, says, seen, tried};

/// A result of `get-metric-data`: values of two minutes, newest first, as the service prints them.
fn series(id: &str, label: &str, values: [f64; 2]) -> String {
    format!(
        r#"{{"Id": "{id}", "Label": "{label}", "StatusCode": "Complete", "Timestamps": ["2026-11-25T10:01:00+00:00",
            "2026-11-25T10:00:00+00:00"], "Values": [{:?}, {:?}]}}"#,
        values[1], values[0]
    )
}

fn document(series: &[String]) -> String {
    format!(r#"{{"MetricDataResults": [{}], "Messages": []}}"#, series.join(", "))
}

/// The output of `get-metric-statistics` for one metric.
fn statistics(label: &str, statistic: &str, values: [f64; 2]) -> String {
    let point = |minute: u32, value: f64| {
        format!(
            r#"{{"Timestamp": "2026-11-25T10:0{minute}:00+00:00", "{statistic}": {value:?}, "Unit": "Count"}}"#
        )
    };
    format!(r#"{{"Label": "{label}", "Datapoints": [{}, {}]}}"#, point(1, values[1]), point(0, values[0]))
}

const VOLUME: &str = "vol-0123456789abcdef0";

#[test]
fn sums_of_a_period_become_rates_and_seconds_become_latencies() {
    // 60,000 and 66,000 reads in a minute are 1,000 and 1,100 a second; 63 s of 63,000 reads a minute are 1 ms each.
    let of = |metric: &str| format!("{VOLUME} {metric}");
    let text = document(&[
        series("m1", &of("VolumeReadOps"), [60_000.0, 66_000.0]),
        series("m2", &of("VolumeReadBytes"), [491_520_000.0, 540_672_000.0]),
        series("m3", &of("VolumeTotalReadTime"), [60.0, 66.0]),
        series("m4", &of("VolumeQueueLength"), [1.0, 1.1]),
        series("volume_write_ops", "vol-00000000000000002", [6_000.0, 6_000.0]),
        series("m6", &of("VolumeIdleTime"), [3.0, 3.0]),
    ]);
    let observation = seen(&[&text], None);
    assert_eq!(observation.observer.word(), "cloudwatch");
    assert_eq!(observation.duration, Some(Span::from_secs(120)));
    let volume = device(&observation, VOLUME);
    near(volume.read.ios_per_s, 1_050.0);
    near(volume.read.bytes_per_s, 8_601_600.0);
    near(volume.read.latency_us, 1_000.0);
    near(volume.queue, 1.05);
    assert_eq!(volume.series, [1_000.0, 1_100.0]);
    near(device(&observation, "vol-00000000000000002").write.ios_per_s, 100.0);
    says(&observation, "2 averages of 60 s each");
    says(&observation, "sums of a period");
}

#[test]
fn statistics_of_one_metric_a_file_are_put_together() {
    let reads = statistics("VolumeReadOps", "Sum", [60_000.0, 66_000.0]);
    let queue = statistics("VolumeQueueLength", "Average", [2.0, 4.0]);
    let observation = seen(&[&reads, &queue], None);
    near(device(&observation, "EBS volume").read.ios_per_s, 1_050.0);
    near(device(&observation, "EBS volume").queue, 3.0);
    let latency = statistics("VolumeAvgWriteLatency", "Average", [0.5, 1.5]);
    near(device(&seen(&[&reads, &latency], None), "EBS volume").write.latency_us, 1_000.0);
}

#[test]
fn what_is_left_of_credits_is_told_as_their_used_share() {
    let text = document(&[
        series("reads", "EBSReadOps", [60_000.0, 60_000.0]),
        series("ios", "EBSIOBalance%", [90.0, 40.0]),
        series("bytes", "EBSByteBalance%", [100.0, 100.0]),
        series("burst", &format!("{VOLUME} BurstBalance"), [50.0, 0.0]),
    ]);
    let observation = seen(&[&text], None);
    near(device(&observation, "VM").read.ios_per_s, 1_000.0);
    let used = |scope, measure| {
        let found = observation.consumed.iter().find(|used| (used.scope, used.measure) == (scope, measure));
        found.map(|used| (used.mean, used.most))
    };
    let (mean, most) = used(Scope::VmUncached, Measure::IosCredits).unwrap();
    near(Some(mean), 0.35);
    near(Some(most), 0.6);
    assert_eq!(used(Scope::VmUncached, Measure::BytesCredits), Some((0.0, 0.0)));
    assert_eq!(used(Scope::Disk, Measure::IosCredits), Some((0.75, 1.0)));
    says(&observation, &format!("{VOLUME}: BurstBalance is 25 % on average, 0 % at least"));
}

#[test]
fn what_cannot_be_a_rate_of_a_volume_is_refused() {
    let error = |texts: &[&str]| tried(texts, None).unwrap_err().to_string();
    let average = statistics("VolumeReadOps", "Average", [1.0, 1.0]);
    assert!(error(&[&average]).contains("--statistics Sum"));
    let one = statistics("VolumeReadOps", "Sum", [60_000.0, 66_000.0]);
    let other = statistics("VolumeReadOps", "Sum", [50.0, 60.0]);
    assert!(error(&[&one, &other]).contains("two values at"));
    assert!(error(&[r#"{"MetricDataResults": []}"#]).contains("Stat Sum"));
    let uneven = r#"{"MetricDataResults": [{"Label": "VolumeReadOps", "Timestamps": [], "Values": [1]}]}"#;
    assert!(error(&[uneven]).contains("a value for each time"));
    let single =
        r#"{"Label": "VolumeReadOps", "Datapoints": [{"Timestamp": "2026-11-25T10:00:00Z", "Sum": 6000}]}"#;
    assert!(error(&[single]).contains("--interval 60s"));
    near(device(&seen(&[single], Some(Span::from_secs(60))), "EBS volume").read.ios_per_s, 100.0);
}

#[test]
fn other_outputs_than_json_are_refused_with_the_way_to_export_it() {
    for text in [
        "Id,m1\nLabel,vol-0123456789abcdef0 VolumeReadOps\n2026/11/25 10:00:00,60000\n",
        "VolumeWriteOps\nDATAPOINTS\t60000.0\t2026-11-25T10:00:00Z\tCount\n",
    ] {
        let error = tried(&[text], None).unwrap_err().to_string();
        assert!(error.contains("not JSON") && error.contains("--output json"), "{error}");
    }
}
