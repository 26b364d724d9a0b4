//! The names of metrics.

use iobound_formats::observation::{Consumed, Measure, Scope};

/// A metric of a volume, or of all volumes of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EbsMetric {
    Reads,
    Writes,
    ReadBytes,
    WriteBytes,
    /// Seconds that all reads of a period took together.
    ReadSeconds,
    WriteSeconds,
    /// Milliseconds of a read on average.
    ReadLatency,
    WriteLatency,
    Queue,
    /// Percent of a volume's burst credits that are left: of IOPS on gp2, of throughput on st1 and sc1.
    VolumeBalance,
    /// Percent of an instance's credits for IOPS that are left.
    IosBalance,
    /// The same for throughput.
    BytesBalance,
}

/// Names of the metrics, and true for those of a whole instance.
const METRICS: [(&str, EbsMetric, bool); 16] = [
    ("VolumeReadOps", EbsMetric::Reads, false),
    ("VolumeWriteOps", EbsMetric::Writes, false),
    ("VolumeReadBytes", EbsMetric::ReadBytes, false),
    ("VolumeWriteBytes", EbsMetric::WriteBytes, false),
    ("VolumeTotalReadTime", EbsMetric::ReadSeconds, false),
    ("VolumeTotalWriteTime", EbsMetric::WriteSeconds, false),
    ("VolumeAvgReadLatency", EbsMetric::ReadLatency, false),
    ("VolumeAvgWriteLatency", EbsMetric::WriteLatency, false),
    ("VolumeQueueLength", EbsMetric::Queue, false),
    ("BurstBalance", EbsMetric::VolumeBalance, false),
    ("EBSReadOps", EbsMetric::Reads, true),
    ("EBSWriteOps", EbsMetric::Writes, true),
    ("EBSReadBytes", EbsMetric::ReadBytes, true),
    ("EBSWriteBytes", EbsMetric::WriteBytes, true),
    ("EBSIOBalance%", EbsMetric::IosBalance, true),
    ("EBSByteBalance%", EbsMetric::BytesBalance, true),
];

/// Names of metrics of I/Os, in lower case, by which a file that is not JSON is recognised.
pub(super) const NAMES_OF_IOS: [&str; 4] = ["volumereadops", "volumewriteops", "ebsreadops", "ebswriteops"];

impl EbsMetric {
    /// The metric that a label or an identifier names, with anything around it, and true if it is of a whole instance.
    pub(super) fn find(text: &str) -> Option<(EbsMetric, bool)> {
        // An identifier has letters, digits and underscores: the percent sign is not in it.
        let lower = text.to_ascii_lowercase().replace('_', "");
        let is_in = |name: &str| lower.contains(name.trim_end_matches('%').to_ascii_lowercase().as_str());
        METRICS.iter().find(|(name, ..)| is_in(name)).map(|(_, metric, of_instance)| (*metric, *of_instance))
    }

    /// True if its values are sums of a period, not averages.
    pub(super) fn is_sum(self) -> bool {
        use EbsMetric::{ReadBytes, ReadSeconds, Reads, WriteBytes, WriteSeconds, Writes};
        matches!(self, Reads | Writes | ReadBytes | WriteBytes | ReadSeconds | WriteSeconds)
    }

    /// True if it tells what is left of burst credits.
    pub(super) fn is_balance(self) -> bool {
        matches!(self, EbsMetric::VolumeBalance | EbsMetric::IosBalance | EbsMetric::BytesBalance)
    }
}

/// The remaining burst credits, in percent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balance {
    metric: EbsMetric,
    sum: f64,
    count: f64,
    least: f64,
}

impl Balance {
    /// Nothing read yet.
    pub(super) fn new(metric: EbsMetric) -> Balance {
        Balance { metric, sum: 0.0, count: 0.0, least: 100.0 }
    }

    /// Adds the value of a period.
    pub(super) fn add(&mut self, percent: f64) {
        self.sum += percent;
        self.count += 1.0;
        self.least = self.least.min(percent);
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    /// The used share of the credits.
    pub(super) fn consumed(&self) -> Consumed {
        let (scope, measure) = match self.metric {
            EbsMetric::BytesBalance => (Scope::VmUncached, Measure::BytesCredits),
            EbsMetric::IosBalance => (Scope::VmUncached, Measure::IosCredits),
            _ => (Scope::Disk, Measure::IosCredits),
        };
        Consumed { scope, measure, mean: 1.0 - self.mean() / 100.0, most: 1.0 - self.least / 100.0 }
    }

    /// A sentence about it.
    pub(super) fn note(&self, disk: &str) -> String {
        let name = METRICS.iter().find(|(_, metric, _)| *metric == self.metric).map_or("", |(name, ..)| name);
        format!("{disk}: {name} is {:.0} % on average, {:.0} % at least", self.mean(), self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_found_in_labels_and_identifiers() {
        for (text, expected) in [
            ("VolumeReadOps", Some((EbsMetric::Reads, false))),
            ("vol-0123456789abcdef0 VolumeTotalWriteTime", Some((EbsMetric::WriteSeconds, false))),
            ("volume_write_bytes_1", Some((EbsMetric::WriteBytes, false))),
            ("EBSIOBalance%", Some((EbsMetric::IosBalance, true))),
            ("ebs_byte_balance", Some((EbsMetric::BytesBalance, true))),
            ("VolumeIdleTime", None),
            ("CPUUtilization", None),
        ] {
            assert_eq!(EbsMetric::find(text), expected, "{text}");
        }
    }
}
