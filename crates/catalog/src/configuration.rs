use std::collections::BTreeMap;

use iobound_units::{Bandwidth, Bytes, Iops, Span};

use crate::clouds::names::{DiskType, Redundancy};

/// A VM size, its disks with their host-cache setting, and the volumes built on them: as asked for, before it is
/// known whether it can be bought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The VM size as the person wrote it: `DS14`, `standard_d8s_v3`, `m5.large`; `E16bds_v5:nvme` names the disk
    /// interface where a size has two.
    pub vm: String,
    /// One entry for each `--disk`.
    pub volumes: Vec<VolumeRequest>,
    /// The operating system's disk, a volume named `os`; it takes no data disk's place.
    pub os_disk: Option<VolumeRequest>,
    /// Bytes on one column before the next (`--stripe`).
    pub interleave: Bytes,
    /// Disks that one stripe spans (`--columns`); all of a volume's disks if nothing is said.
    pub columns: Option<u16>,
    /// Each disk is a volume of its own (`--separate`).
    pub separate: bool,
    /// Start of the file system on the volume (`--partition-offset`).
    pub partition_offset: Bytes,
    /// Era of figures, disk counts and rules: an era's name, by default today's.
    pub era: Option<String>,
    /// Media latencies that replace the catalogue's (`--media`).
    pub media: MediaOverride,
    /// Storage accounts of the unmanaged disks of 2016.
    pub accounts: Accounts,
    /// True if Premium SSDs above 512 GiB burst on demand, which is billed.
    pub on_demand_burst: bool,
    /// Limits as they are enforced, or exactly as they are published.
    pub enforcement: Enforcement,
    /// Treatment of a VM limit that no source gives.
    pub unknown_limits: UnknownLimits,
}

impl Configuration {
    /// A VM of that size with nothing attached and every setting at its default.
    pub fn of(vm: &str) -> Configuration {
        Configuration {
            vm: vm.to_string(),
            volumes: Vec::new(),
            os_disk: None,
            interleave: Bytes::kib(64),
            columns: None,
            separate: false,
            partition_offset: Bytes::ZERO,
            era: None,
            media: MediaOverride::default(),
            accounts: Accounts::OneEach,
            on_demand_burst: false,
            enforcement: Enforcement::Measured,
            unknown_limits: UnknownLimits::Refused,
        }
    }
}

/// One `--disk`: a volume of `count` equal disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeRequest {
    /// The text it was read from, for messages.
    pub text: String,
    /// Its name; `data`, `data2`, ... if nothing is said.
    pub name: Option<String>,
    /// Number of disks.
    pub count: u16,
    /// The disk.
    pub what: What,
    /// Number of datacentres that hold it.
    pub redundancy: Redundancy,
    /// The performance setting.
    pub setting: PerformanceSetting,
    /// The host-cache setting.
    pub cache: CacheSetting,
    /// The disks, by their number, that have a tier or a cache setting of their own.
    pub own: BTreeMap<u16, OwnSettings>,
}

impl VolumeRequest {
    /// Request for one disk of the volume alone.
    pub fn alone(&self, disk: u16) -> VolumeRequest {
        let mut alone = VolumeRequest { count: 1, own: BTreeMap::new(), ..self.clone() };
        let Some(own) = self.own.get(&disk) else { return alone };
        if let Some(tier) = &own.tier {
            (alone.text, alone.what, alone.redundancy) =
                (tier.text.clone(), tier.what.clone(), tier.redundancy);
            alone.setting = tier.setting.clone();
        }
        alone.cache = own.cache.unwrap_or(alone.cache);
        alone
    }

    /// Gives every disk this cache setting.
    pub fn set_cache(&mut self, cache: CacheSetting) {
        self.cache = cache;
        self.own.retain(|_, own| {
            own.cache = None;
            own.tier.is_some()
        });
    }
}

/// Settings of one disk of a volume that differ from the others: on Azure the host-cache setting and the performance tier are
/// each disk's own, whatever is striped over them. Its size is the others'.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnSettings {
    /// Its tier.
    pub tier: Option<OwnTier>,
    /// Its host-cache setting.
    pub cache: Option<CacheSetting>,
}

/// A tier without a size: a disk that has another keeps its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTier {
    /// The text it was read from, for messages.
    pub text: String,
    /// Number of the disk.
    pub what: What,
    /// Number of datacentres that hold it.
    pub redundancy: Redundancy,
    /// The performance setting.
    pub setting: PerformanceSetting,
}

/// Performance setting of a disk that is sold in tiers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum PerformanceSetting {
    /// The figures of its own size.
    #[default]
    OfSize,
    /// Performance plus, chosen when the disk is made: `P40+performance-plus`.
    Plus,
    /// The figures, and the price, of a higher tier: `P10+P50`.
    Tier(String),
}

impl PerformanceSetting {
    /// The words of performance plus in a `--disk`; the first is printed.
    pub(crate) const PLUS: [&'static str; 3] = ["performance-plus", "performanceplus", "perfplus"];

    /// Suffix of the disk in a `--disk`: nothing, `+performance-plus`, `+P50`.
    pub fn suffix(&self) -> String {
        match self {
            PerformanceSetting::OfSize => String::new(),
            PerformanceSetting::Plus => format!("+{}", PerformanceSetting::PLUS[0]),
            PerformanceSetting::Tier(name) => format!("+{}", name.to_ascii_uppercase()),
        }
    }
}

/// Disk that a `--disk` requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A tier by its name: `P30`, `P30@2018-06`.
    Tier {
        /// `P30`, as written.
        name: String,
        /// The era whose figures it shall have, if not the configuration's.
        era: Option<String>,
    },
    /// The tier of a type that holds a size: `premium@600GiB`.
    TierFor {
        /// The type, which has tiers.
        disk: DiskType,
        /// The size.
        size: Bytes,
        /// The era whose figures it shall have, if not the configuration's.
        era: Option<String>,
    },
    /// A type without tiers with a size, and what is provisioned on top: `premiumv2@1TiB+20000iops+600MB/s`.
    Sized {
        /// The type.
        disk: DiskType,
        /// The size asked for; `None`: the vendor's default for the type.
        size: Option<Bytes>,
        /// Provisioned IOPS.
        iops: Option<Iops>,
        /// Provisioned throughput.
        throughput: Option<Bandwidth>,
        /// The era whose figures it shall have, if not the configuration's.
        era: Option<String>,
    },
    /// The VM's temporary disk: `temp`, `local`.
    Temp,
    /// A local NVMe disk beside the temporary one, on sizes that have them: `nvme`.
    Nvme,
}

/// The host-cache setting of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CacheSetting {
    /// No host cache.
    #[default]
    None,
    /// Reads are kept by the host; writes go through.
    ReadOnly,
    /// Writes are acknowledged by the host as well.
    ReadWrite,
}

impl CacheSetting {
    /// All settings.
    pub const ALL: [CacheSetting; 3] = [CacheSetting::None, CacheSetting::ReadOnly, CacheSetting::ReadWrite];

    /// The word of the grammar: `none`, `readonly`, `readwrite`.
    pub const fn name(self) -> &'static str {
        match self {
            CacheSetting::None => "none",
            CacheSetting::ReadOnly => "readonly",
            CacheSetting::ReadWrite => "readwrite",
        }
    }
}

/// Mean latencies of the remote media that replace the catalogue's, by direction. They leave no band: what is
/// given is taken as measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MediaOverride {
    /// The mean of a 4 KiB read.
    pub read: Option<Span>,
    /// The mean of a 4 KiB write.
    pub write: Option<Span>,
}

/// Storage accounts of unmanaged disks; managed disks have no such limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Accounts {
    /// Each disk in an account of its own, as the published experiments had them.
    #[default]
    OneEach,
    /// All of them in one account, which limits their sum.
    Shared,
}

/// Rule that turns published limits into enforced ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Enforcement {
    /// Published × the factor that was measured.
    #[default]
    Measured,
    /// Exactly what is published: factor 1, as in the documentation's own arithmetic.
    Published,
}

/// Treatment of a VM limit that no source gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownLimits {
    /// The configuration is refused: a prediction would be too high.
    #[default]
    Refused,
    /// It is left out, and [`Resolved::left_out`](crate::Resolved::left_out) names it: the disks' own limits explain many figures without it.
    LeftOut,
}
