//! The names of metrics.

use iobound_formats::observation::{DeviceKind, Measure, Scope};

/// Subject of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Data(Option<u32>),
    System,
    Temporary,
    /// All disks of the VM.
    Vm,
    Cached,
    Uncached,
}

impl Subject {
    /// The name of the device.
    pub(super) fn name(self) -> String {
        match self {
            Subject::Data(Some(lun)) => format!("LUN {lun}"),
            Subject::Data(None) => "data disks".into(),
            Subject::System => "OS disk".into(),
            Subject::Temporary => "temporary disk".into(),
            Subject::Vm => "VM".into(),
            Subject::Cached => "VM cached".into(),
            Subject::Uncached => "VM uncached".into(),
        }
    }

    /// The device.
    pub(super) fn kind(self) -> DeviceKind {
        match self {
            Subject::Data(Some(lun)) => DeviceKind::Lun(lun),
            Subject::Data(None) => DeviceKind::DataDisks,
            Subject::System => DeviceKind::SystemDisk,
            Subject::Temporary => DeviceKind::TemporaryDisk,
            Subject::Vm | Subject::Cached | Subject::Uncached => DeviceKind::Total,
        }
    }

    /// Owner of the limit that the share refers to.
    pub(super) fn scope(self) -> Option<Scope> {
        match self {
            Subject::Data(lun) => Some(Scope::DataDisk(lun)),
            Subject::System => Some(Scope::SystemDisk),
            Subject::Cached => Some(Scope::VmCached),
            Subject::Uncached => Some(Scope::VmUncached),
            Subject::Temporary | Subject::Vm => None,
        }
    }
}

/// Quantity of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MetricFigure {
    Reads,
    Writes,
    ReadBytes,
    WriteBytes,
    ReadBytesTotal,
    WriteBytesTotal,
    Queue,
    LatencyMs,
    Used(Measure),
}

/// A metric of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Metric {
    pub subject: Subject,
    pub figure: MetricFigure,
}

/// The ends of names, after whose they are: the longer ones first where one ends in another.
const FIGURES: [(&str, MetricFigure); 12] = [
    ("read operations/sec", MetricFigure::Reads),
    ("write operations/sec", MetricFigure::Writes),
    ("read bytes/sec", MetricFigure::ReadBytes),
    ("write bytes/sec", MetricFigure::WriteBytes),
    ("queue depth", MetricFigure::Queue),
    ("latency", MetricFigure::LatencyMs),
    ("iops consumed percentage", MetricFigure::Used(Measure::Ios)),
    ("bandwidth consumed percentage", MetricFigure::Used(Measure::Bytes)),
    ("used burst io credits percentage", MetricFigure::Used(Measure::IosCredits)),
    ("used burst bps credits percentage", MetricFigure::Used(Measure::BytesCredits)),
    ("read bytes", MetricFigure::ReadBytesTotal),
    ("write bytes", MetricFigure::WriteBytesTotal),
];

const SUBJECTS: [(&str, Subject); 6] = [
    ("data disk ", Subject::Data(None)),
    ("os disk ", Subject::System),
    ("temp disk ", Subject::Temporary),
    ("vm cached ", Subject::Cached),
    ("vm uncached ", Subject::Uncached),
    ("disk ", Subject::Vm),
];

impl Metric {
    /// The metric that a text names, with anything around it: the aggregation, the VM, the LUN. `None`: none of a disk.
    pub(super) fn find(text: &str) -> Option<Metric> {
        let lower = text.to_lowercase();
        for (prefix, subject) in SUBJECTS {
            let found = FIGURES.iter().find_map(|(end, figure)| {
                let name = format!("{prefix}{end}");
                lower.find(&name).map(|at| (at + name.len(), *figure))
            });
            let Some((end, figure)) = found else { continue };
            let known = match (subject, figure) {
                // Of the VM as a whole there are the four rates and their old sums.
                (Subject::Vm, MetricFigure::Queue | MetricFigure::LatencyMs | MetricFigure::Used(_)) => false,
                (Subject::Cached | Subject::Uncached, figure) => matches!(figure, MetricFigure::Used(_)),
                (Subject::Data(_) | Subject::System | Subject::Temporary, figure) => {
                    !matches!(figure, MetricFigure::ReadBytesTotal | MetricFigure::WriteBytesTotal)
                }
                _ => true,
            };
            if !known {
                return None;
            }
            let subject = match subject {
                Subject::Data(_) => Subject::Data(lun_in(&lower[end..]).or_else(|| lun_in(&lower))),
                subject => subject,
            };
            return Some(Metric { subject, figure });
        }
        None
    }

    /// True if it is a sum over the interval, and no average.
    pub(super) fn is_sum(self) -> bool {
        matches!(self.figure, MetricFigure::ReadBytesTotal | MetricFigure::WriteBytesTotal)
    }

    /// The same of a LUN, where it is of data disks.
    pub(super) fn of_lun(self, lun: Option<u32>) -> Metric {
        match self.subject {
            Subject::Data(None) => Metric { subject: Subject::Data(lun), ..self },
            _ => self,
        }
    }
}

/// The number after the last `lun`: a VM's name may have one as well, and stands before it.
pub(super) fn lun_in(lower: &str) -> Option<u32> {
    lower.rmatch_indices("lun").find_map(|(at, _)| {
        let rest = lower[at + 3..].trim_start_matches([' ', ':', '=', '_', '-', '#', '(', '"', '\'']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse().ok().filter(|lun| *lun < 1_024)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_found_with_anything_around_its_name() {
        let metric = |subject, figure| Some(Metric { subject, figure });
        for (text, expected) in [
            ("Data Disk Read Operations/Sec", metric(Subject::Data(None), MetricFigure::Reads)),
            (
                "Data Disk Read Operations/Sec (Avg), db1, LUN 3",
                metric(Subject::Data(Some(3)), MetricFigure::Reads),
            ),
            (
                "Avg Data Disk Write Bytes/sec for vm-lun2 by LUN: 0",
                metric(Subject::Data(Some(0)), MetricFigure::WriteBytes),
            ),
            ("OS Disk Queue Depth", metric(Subject::System, MetricFigure::Queue)),
            ("VM Cached IOPS Consumed Percentage", metric(Subject::Cached, MetricFigure::Used(Measure::Ios))),
            (
                "VM Uncached Used Burst BPS Credits Percentage",
                metric(Subject::Uncached, MetricFigure::Used(Measure::BytesCredits)),
            ),
            ("Disk Read Bytes", metric(Subject::Vm, MetricFigure::ReadBytesTotal)),
            ("Disk Read Bytes/sec", metric(Subject::Vm, MetricFigure::ReadBytes)),
            ("Data Disk Latency", metric(Subject::Data(None), MetricFigure::LatencyMs)),
            ("Percentage CPU", None),
            ("Data Disk Target IOPS", None),
            ("", None),
        ] {
            assert_eq!(Metric::find(text), expected, "{text}");
        }
    }
}
