//! The names that Azure Monitor has for these figures, where it has one. Its figures are averages of a minute, a limiter's
//! slice is 50 ms: what binds for less than a minute shows here and not there.

use iobound_model::Dimension;

use super::LimitState;

/// One of Azure's metrics.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AzureMetric {
    /// Its name in Azure Monitor.
    pub(super) name: String,
    /// The disk; `None` for the VM.
    pub(super) disk: Option<String>,
    /// In percent.
    pub(super) value: f64,
}

/// The metrics that Azure would show of a limit: of what is published, not of what is let through.
pub(super) fn azure_metrics(limit: &LimitState) -> Vec<AzureMetric> {
    let subject = match (limit.group.as_str(), limit.instance.as_deref()) {
        ("disk", Some("os")) => "OS Disk",
        ("disk", _) => "Data Disk",
        ("vm.uncached", _) => "VM Uncached",
        ("vm.cached", _) => "VM Cached",
        _ => return Vec::new(),
    };
    let (consumed, credits) = match limit.dimension {
        Dimension::Ios => ("IOPS", "IO"),
        Dimension::Bytes => ("Bandwidth", "BPS"),
    };
    let metric =
        |name: String, share: f64| AzureMetric { name, disk: limit.instance.clone(), value: share * 100.0 };
    let mut metrics = vec![metric(
        format!("{subject} {consumed} Consumed Percentage"),
        limit.used / limit.published.max(1.0),
    )];
    if let Some((left, capacity)) = limit.credits {
        let used = 1.0 - left as f64 / capacity.max(1) as f64;
        metrics.push(metric(format!("{subject} Used Burst {credits} Credits Percentage"), used));
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulate::tests::state;

    #[test]
    fn limits_have_the_names_that_azure_monitor_has() {
        let names: Vec<(String, f64)> =
            state().limits.iter().flat_map(azure_metrics).map(|metric| (metric.name, metric.value)).collect();
        for (name, value) in [
            ("Data Disk IOPS Consumed Percentage", 50.0),
            // 25 of 100 are left.
            ("Data Disk Used Burst IO Credits Percentage", 75.0),
            ("Data Disk Bandwidth Consumed Percentage", 50.0),
            ("VM Uncached IOPS Consumed Percentage", 50.0),
            ("VM Cached Bandwidth Consumed Percentage", 50.0),
        ] {
            assert!(names.contains(&(name.to_string(), value)), "{name} {names:?}");
        }
    }
}
