//! The clouds and their kinds of disk, by name alone. [`super::CloudRules`] and [`super::DiskKind`] say what each is.

/// A cloud. A configuration has the parts of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cloud {
    /// Microsoft Azure.
    Azure,
    /// Amazon Web Services.
    Aws,
    /// Google Cloud.
    Gcp,
    /// No cloud: machines and disks whose limits are measured.
    Own,
}

/// A kind of remote disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DiskType {
    /// Azure Premium SSD: P1 to P80.
    Premium,
    /// Azure Premium SSD v2: provisioned.
    PremiumV2,
    /// Azure Ultra Disk: provisioned.
    Ultra,
    /// Azure Standard SSD: E1 to E80.
    StandardSsd,
    /// Azure Standard HDD: S4 to S80, and the unmanaged Standard disks of 2016.
    StandardHdd,
    /// EBS General Purpose SSD gp2.
    Gp2,
    /// EBS General Purpose SSD gp3: provisioned.
    Gp3,
    /// EBS Provisioned IOPS SSD io1.
    Io1,
    /// EBS Provisioned IOPS SSD io2 Block Express.
    Io2,
    /// EBS Throughput Optimized HDD.
    St1,
    /// EBS Cold HDD.
    Sc1,
    /// Google's standard Persistent Disk: HDD.
    PdStandard,
    /// Google's balanced Persistent Disk.
    PdBalanced,
    /// Google's SSD Persistent Disk.
    PdSsd,
    /// Google's extreme Persistent Disk: IOPS are provisioned.
    PdExtreme,
    /// Google's Hyperdisk Balanced: provisioned.
    HyperdiskBalanced,
    /// Google's Hyperdisk Balanced High Availability: provisioned, in two zones.
    HyperdiskBalancedHa,
    /// Google's Hyperdisk Extreme: IOPS are provisioned.
    HyperdiskExtreme,
    /// Google's Hyperdisk Throughput: throughput is provisioned.
    HyperdiskThroughput,
    /// Google's Hyperdisk ML: throughput is provisioned.
    HyperdiskMl,
}

/// Number of datacentres that hold the data: prices differ, performance figures do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Redundancy {
    /// Locally redundant.
    #[default]
    Lrs,
    /// Zone redundant.
    Zrs,
}

impl Redundancy {
    /// `LRS`, `ZRS`.
    pub const fn name(self) -> &'static str {
        match self {
            Redundancy::Lrs => "LRS",
            Redundancy::Zrs => "ZRS",
        }
    }
}
