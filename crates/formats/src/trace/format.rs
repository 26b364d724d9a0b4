use super::unit::TimeUnit;

/// Format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceFormat {
    /// The project's own.
    Own,
    /// fio's `write_iolog`, version 2.
    FioV2,
    /// The same, version 3.
    FioV3,
    /// The text of `blkparse`.
    Blkparse,
    /// A binary file of `blktrace`.
    Blktrace,
    /// Microsoft Research Cambridge.
    Msr,
    /// Alibaba.
    Alibaba,
    /// Tencent.
    Tencent,
    /// VMware's SCSI commands as text.
    Vscsi,
    /// VMware's SCSI commands in binary records.
    VscsiBinary,
    /// Windows' `xperf`.
    Xperf,
    /// `biosnoop`.
    Biosnoop,
}

impl TraceFormat {
    /// All of them.
    pub const ALL: [TraceFormat; 12] = [
        TraceFormat::Own,
        TraceFormat::FioV2,
        TraceFormat::FioV3,
        TraceFormat::Blkparse,
        TraceFormat::Blktrace,
        TraceFormat::Msr,
        TraceFormat::Alibaba,
        TraceFormat::Tencent,
        TraceFormat::Vscsi,
        TraceFormat::VscsiBinary,
        TraceFormat::Xperf,
        TraceFormat::Biosnoop,
    ];

    /// The name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            TraceFormat::Own => "iobound trace v1",
            TraceFormat::FioV2 => "fio iolog v2",
            TraceFormat::FioV3 => "fio iolog v3",
            TraceFormat::Blkparse => "blkparse text",
            TraceFormat::Blktrace => "blktrace binary",
            TraceFormat::Msr => "MSR Cambridge CSV",
            TraceFormat::Alibaba => "Alibaba CSV",
            TraceFormat::Tencent => "Tencent CSV",
            TraceFormat::Vscsi => "VMware vscsi text",
            TraceFormat::VscsiBinary => "VMware vscsi binary",
            TraceFormat::Xperf => "xperf diskio text",
            TraceFormat::Biosnoop => "biosnoop text",
        }
    }

    /// The unit of its times, where they are integers whose unit the file does not say.
    pub const fn unit(self) -> Option<TimeUnit> {
        match self {
            TraceFormat::FioV3
            | TraceFormat::Alibaba
            | TraceFormat::Vscsi
            | TraceFormat::VscsiBinary
            | TraceFormat::Xperf => Some(TimeUnit::Microseconds),
            TraceFormat::Msr => Some(TimeUnit::Ticks),
            TraceFormat::Tencent => Some(TimeUnit::Seconds),
            _ => None,
        }
    }

    /// True if its times are dates.
    pub(super) const fn has_dates(self) -> bool {
        matches!(self, TraceFormat::Msr | TraceFormat::Alibaba | TraceFormat::Tencent)
    }

    /// True if other programs write it as well, so that its unit may be another one.
    pub(super) const fn is_often_converted(self) -> bool {
        matches!(
            self,
            TraceFormat::FioV3
                | TraceFormat::Alibaba
                | TraceFormat::Msr
                | TraceFormat::Vscsi
                | TraceFormat::VscsiBinary
        )
    }
}
