//! Questions about the disks: the information that an answer gives, and the time that it takes.

use iobound_units::Bytes;

use crate::answer::Counts;

/// A figure whose interval may be wider than the required precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    /// A target's own limit on reads.
    Limit(Counts),
    /// The latency of reads of this size.
    Latency(u32),
    /// The rate of a burst of small reads.
    BurstRate,
    /// The credits of a full burst of reads.
    Credits(Counts),
}

/// A question about the disks. The number is that of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// The limit on small reads and its enforcement; whether there is a cache.
    Ios(usize),
    /// Limits in I/Os that the targets share.
    SharedIos,
    /// The throughput limit and its enforcement.
    Throughput(usize),
    /// Throughput limits that the targets share.
    SharedBytes,
    /// The charge of large reads.
    Charge(usize),
    /// The latency of reads of a size.
    Latency(usize, u32),
    /// The limit on hits, and the size of the cache.
    Cache(usize),
    /// Limits and latencies of writes.
    Writes(usize),
    /// Drift since the first experiment.
    Noise,
    /// Question about a limit: is it a burst that ends?
    Burst(usize, Counts),
    /// The same question, with a longer load than before.
    LongerBurst(usize, Counts),
    /// The charge of sequential reads.
    Merging(usize),
    /// A figure that is not precise enough.
    Repeat(usize, Figure),
}

impl Question {
    /// Information that the answer gives, in bits: the logarithm of what may be true beforehand over the required precision.
    pub(crate) fn bits(self) -> f64 {
        match self {
            // Six decades of rates at 2 %, and three decades of a slice's or a bucket's length at 5 to 10 %.
            Question::Ios(_) | Question::Throughput(_) => 14.0,
            // Which targets, and a rate at 2 %.
            Question::SharedIos | Question::SharedBytes => 9.0,
            // Nine units, or none.
            Question::Charge(_) => 3.3,
            // The depth ramp knows a latency within about a quarter; 3 % are required.
            Question::Latency(..) => 3.0,
            Question::Cache(_) => 13.0,
            // What is asked about reads, and whether they share it.
            Question::Writes(_) => 28.0,
            // Yes or no.
            Question::Noise | Question::Merging(_) | Question::Repeat(..) => 1.0,
            // Most limits are no burst.
            Question::Burst(..) | Question::LongerBurst(..) => 0.5,
        }
    }

    /// True if the other question comes first: its answer is needed, or this experiment would disturb it.
    pub(crate) fn needs(self, other: Question) -> bool {
        match (self, other) {
            (Question::Ios(_), _) => false,
            (_, Question::Ios(_)) => true,
            (Question::SharedIos, _) => false,
            (Question::Throughput(_), other) => other == Question::SharedIos,
            (Question::SharedBytes, Question::Throughput(_)) => true,
            (
                Question::Charge(_) | Question::Latency(..) | Question::Cache(_) | Question::Writes(_),
                Question::Throughput(_) | Question::SharedBytes,
            ) => true,
            // It reads as much as the budget holds; without the charge, a throughput limit may be that of units.
            (Question::Cache(_), Question::Charge(_)) => true,
            (Question::Noise, Question::Throughput(_) | Question::SharedBytes) => true,
            // A burst is spent by everything before it; its end changes what the charge is measured with.
            (Question::Burst(..), Question::Charge(_) | Question::Latency(..) | Question::Throughput(_)) => {
                true
            }
            (Question::Burst(_, Counts::Bytes), Question::Burst(_, Counts::Ios)) => true,
            // Sequential reads use less of a burst than their number.
            (Question::Merging(_), Question::Burst(..) | Question::Charge(_) | Question::Throughput(_)) => {
                true
            }
            (Question::Merging(_), Question::Repeat(_, Figure::BurstRate)) => true,
            (Question::Repeat(..), Question::Burst(..) | Question::Charge(_)) => true,
            _ => false,
        }
    }

    /// The question as a part of a sentence.
    pub(crate) fn text(self) -> String {
        match self {
            Question::Ios(_) => "the limit in IOPS and its enforcement".into(),
            Question::SharedIos => "limits in IOPS that the targets share".into(),
            Question::Throughput(_) => "the throughput limit and its enforcement".into(),
            Question::SharedBytes => "throughput limits that the targets share".into(),
            Question::Charge(_) => "the charge of large I/Os".into(),
            Question::Latency(_, block) => format!("the latency of {}", Bytes(block.into())),
            Question::Cache(_) => "the size and the limit of the cache".into(),
            Question::Writes(_) => "limits and latencies of writes".into(),
            Question::Noise => "the drift of the latency".into(),
            Question::Burst(_, counts) | Question::LongerBurst(_, counts) => match counts {
                Counts::Ios => "whether the limit in IOPS is a burst that ends".into(),
                Counts::Bytes => "whether the throughput limit is a burst that ends".into(),
            },
            Question::Merging(_) => "the charge of sequential I/Os".into(),
            Question::Repeat(_, Figure::Limit(Counts::Ios)) => "the limit in IOPS within 2 %".into(),
            Question::Repeat(_, Figure::Limit(Counts::Bytes)) => "the throughput limit within 2 %".into(),
            Question::Repeat(_, Figure::Latency(block)) => {
                format!("the latency of {} within 3 %", Bytes(block.into()))
            }
            Question::Repeat(_, Figure::BurstRate) => "the rate of the burst of IOPS".into(),
            Question::Repeat(_, Figure::Credits(Counts::Ios)) => "the credits of a full burst of IOPS".into(),
            Question::Repeat(_, Figure::Credits(Counts::Bytes)) => {
                "the credits of a full burst of throughput".into()
            }
        }
    }

    /// The target that it is about; `None`: all.
    pub(crate) fn target(self) -> Option<usize> {
        match self {
            Question::Ios(target)
            | Question::Throughput(target)
            | Question::Charge(target)
            | Question::Latency(target, _)
            | Question::Cache(target)
            | Question::Writes(target)
            | Question::Burst(target, _)
            | Question::LongerBurst(target, _)
            | Question::Merging(target)
            | Question::Repeat(target, _) => Some(target),
            Question::SharedIos | Question::SharedBytes | Question::Noise => None,
        }
    }
}
