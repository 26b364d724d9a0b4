//! A state in Prometheus' text format, 0.0.4: counters since the start, gauges of the last interval.

use std::fmt::Display;

use super::azure::azure_metrics;
use super::{EmulatorState, LimitState};

/// The page of a state.
pub fn emulate_metrics(state: &EmulatorState) -> String {
    let mut page = Metrics::default();
    devices(state, &mut page);
    limits(state, &mut page);
    for (kind, name, help, of) in DISKS {
        page.family(name, kind, help);
        for disk in &state.disks {
            page.sample(name, &[("disk", &disk.name)], of(disk));
        }
    }
    for (kind, name, help, of) in CACHES {
        page.family(name, kind, help);
        for (n, cache) in state.caches.iter().enumerate() {
            page.sample(name, &[("cache", &n.to_string())], of(cache));
        }
    }
    let late = "iobound_reply_lateness_seconds";
    page.family(late, "summary", "Late replies: the emulator's own error");
    for front in &state.fronts {
        for (quantile, at) in [("0.5", 0), ("0.99", 1), ("1", 2)] {
            if let Some(times) = front.late_total_us {
                page.sample(late, &[("front", &front.name), ("quantile", quantile)], times[at] / 1e6);
            }
        }
        page.sample(&format!("{late}_sum"), &[("front", &front.name)], front.late_s);
        page.sample(&format!("{late}_count"), &[("front", &front.name)], front.replies);
    }
    page.family("iobound_kept_bytes", "gauge", "Space of the data");
    page.sample("iobound_kept_bytes", &[], state.held_bytes);
    page.family("iobound_requests_under_way", "gauge", "Requests that are not complete");
    page.sample("iobound_requests_under_way", &[], state.under_way);
    page.text
}

type OfDisk = fn(&super::DiskState) -> f64;
type OfCache = fn(&super::HostCacheState) -> f64;

/// Notes about each disk.
const DISKS: [(&str, &str, &str, OfDisk); 2] = [
    ("counter", "iobound_media_ios_total", "I/Os that reached the media", |disk| disk.ios as f64),
    ("counter", "iobound_media_bytes_total", "Bytes that reached the media", |disk| disk.bytes as f64),
];

/// Notes about each cache.
const CACHES: [(&str, &str, &str, OfCache); 4] = [
    ("counter", "iobound_cache_hits_total", "Reads that the host cache held", |cache| cache.hits as f64),
    ("counter", "iobound_cache_misses_total", "Reads that missed the cache", |cache| cache.misses as f64),
    ("gauge", "iobound_cache_dirty_bytes", "Acknowledged, not yet on the media", |cache| {
        cache.dirty_bytes as f64
    }),
    ("counter", "iobound_cache_written_back_bytes_total", "Written to the media later", |cache| {
        cache.written_back_bytes as f64
    }),
];

fn devices(state: &EmulatorState, page: &mut Metrics) {
    type Of = fn(&super::OpState) -> f64;
    let families: [(&str, &str, Of); 3] = [
        ("iobound_device_ios_total", "I/Os completed", |op| op.ios as f64),
        ("iobound_device_bytes_total", "Bytes moved", |op| op.bytes as f64),
        ("iobound_device_latency_seconds_total", "Sum of modelled latencies", |op| op.latency_s),
    ];
    for (name, help, of) in families {
        page.family(name, "counter", help);
        for device in &state.devices {
            for (op, figures) in [("read", &device.read), ("write", &device.write)] {
                page.sample(name, &[("device", &device.name), ("op", op)], of(figures));
            }
        }
    }
    let errors = "iobound_device_errors_total";
    page.family(errors, "counter", "I/Os that failed");
    for device in &state.devices {
        page.sample(errors, &[("device", &device.name)], device.errors);
    }
}

fn limits(state: &EmulatorState, page: &mut Metrics) {
    type Of = fn(&LimitState) -> Option<f64>;
    let families: [(&str, &str, &str, Of); 8] = [
        ("iobound_limit_published", "gauge", "Published limit, a second", |limit| Some(limit.published)),
        ("iobound_limit_enforced", "gauge", "Enforced limit, a second", |limit| Some(limit.enforced)),
        ("iobound_limit_used_ratio", "gauge", "Share of the enforced limit", |limit| Some(limit.share())),
        ("iobound_limit_passed_total", "counter", "I/O units or bytes that passed", |limit| {
            Some(limit.used_total as f64)
        }),
        ("iobound_limit_held_seconds_total", "counter", "Time that I/Os were held back, summed", |limit| {
            Some(limit.held_total_s)
        }),
        ("iobound_limit_waiting", "gauge", "I/Os that wait at the limiter", |limit| {
            Some(f64::from(limit.waiting))
        }),
        ("iobound_limit_credits", "gauge", "Burst credits left", |limit| {
            limit.credits.map(|(left, _)| left as f64)
        }),
        ("iobound_limit_credits_most", "gauge", "Burst credits that can be held", |limit| {
            limit.credits.map(|(_, most)| most as f64)
        }),
    ];
    for (name, kind, help, of) in families {
        page.family(name, kind, help);
        for limit in &state.limits {
            let labels = [
                ("limit", limit.group.as_str()),
                ("disk", limit.instance.as_deref().unwrap_or_default()),
                ("dimension", limit.dimension.name()),
            ];
            if let Some(value) = of(limit) {
                page.sample(name, &labels, value);
            }
        }
    }
    let azure: Vec<_> = state.limits.iter().flat_map(azure_metrics).collect();
    let mut names: Vec<&str> = Vec::new();
    for metric in &azure {
        if !names.contains(&metric.name.as_str()) {
            names.push(&metric.name);
        }
    }
    for name in names {
        let own = format!("azure_{}", name.to_ascii_lowercase().replace(' ', "_"));
        page.family(&own, "gauge", name);
        for metric in azure.iter().filter(|metric| metric.name == name) {
            match &metric.disk {
                Some(disk) => page.sample(&own, &[("disk", disk)], metric.value),
                None => page.sample(&own, &[], metric.value),
            }
        }
    }
}

/// A page in the making.
#[derive(Default)]
struct Metrics {
    text: String,
}

impl Metrics {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| format!("{key}=\"{}\"", escaped(value)))
            .collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        self.text.push_str(&format!("{name}{labels} {value}\n"));
    }
}

/// A label's value, as the format has it.
fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulate::tests::state;

    /// The name, labels and value of a sample, by the format's own grammar.
    fn sample(line: &str) -> (&str, &str, f64) {
        let (name, rest) = line.split_at(line.find(['{', ' ']).expect("a sample has a value"));
        let (labels, value) = match rest.strip_prefix('{') {
            Some(rest) => rest.split_once("} ").expect("labels end"),
            None => ("", rest.trim_start()),
        };
        (name, labels, value.parse().expect("a value is a number"))
    }

    #[test]
    fn every_sample_belongs_to_the_family_announced_before_it() {
        let page = emulate_metrics(&state());
        let (mut family, mut seen) = ("", Vec::new());
        for line in page.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect("a family has a type");
                assert!(["counter", "gauge", "summary"].contains(&kind), "{line}");
                assert!(!seen.contains(&name), "{name} is announced twice");
                assert!(kind != "counter" || name.ends_with("_total"), "{name}");
                seen.push(name);
                family = name;
            } else if !line.starts_with("# HELP ") {
                let (name, labels, value) = sample(line);
                let of_family =
                    name.strip_prefix(family).is_some_and(|rest| ["", "_sum", "_count"].contains(&rest));
                assert!(of_family, "{name} under {family}");
                assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{name}");
                assert!(labels.is_empty() || labels.ends_with('"'), "{line}");
                assert!(value.is_finite());
            }
        }
        for line in [
            "iobound_device_ios_total{device=\"data\",op=\"read\"} 30000",
            "iobound_limit_credits{limit=\"disk\",disk=\"data.0\",dimension=\"iops\"} 25",
            "azure_data_disk_iops_consumed_percentage{disk=\"data.0\"} 50",
            "azure_vm_uncached_iops_consumed_percentage 50",
            "iobound_reply_lateness_seconds_count{front=\"nbd\"} 60000",
        ] {
            assert!(page.lines().any(|other| other == line), "{line}\n{page}");
        }
    }

    #[test]
    fn a_label_holds_any_name() {
        assert_eq!(escaped("a\"b\\c\n"), "a\\\"b\\\\c\\n");
    }
}
