//! The clouds, a folder each: kinds of disk, VM sizes, import, build scripts. Nothing outside this folder names a cloud or a kind of
//! disk; callers ask [`CloudRules`] and [`DiskKind`] for a property.

mod aws;
mod azure;
pub(crate) mod build;
pub(crate) mod cloud_rules;
pub(crate) mod disk_kind;
pub(crate) mod disk_points;
pub(crate) mod gcp;
pub(crate) mod guest;
pub(crate) mod machine_limit;
pub(crate) mod names;
mod own;
pub(crate) mod remote;
pub(crate) mod storage_class;

use iobound_formats::observation::reader::CloudMetrics;

pub use azure::guest::parse as parse_azure;
pub use cloud_rules::CloudRules;
pub use disk_kind::{DiskKind, HostCache, Meters, Operations, Sold, VmLimit};
pub use machine_limit::MachineLimit;
pub use names::{Cloud, DiskType, Redundancy};

/// Gives each name what it stands for; a name that is left out does not compile. What follows a semicolon is in no list.
macro_rules! known {
    ($name:ident, $of:ident -> $what:ty: $($variant:ident = $value:path),+ $(,)? $(; $hidden:ident = $other:path)?) => {
        impl $name {
            /// All of them, in the order of every list.
            pub const ALL: [$name; [$(stringify!($variant)),+].len()] = [$($name::$variant),+];

            /// Its properties.
            pub const fn $of(self) -> &'static $what {
                match self {
                    $($name::$variant => &$value,)+
                    $($name::$hidden => &$other,)?
                }
            }
        }
    };
}

known!(Cloud, rules -> CloudRules: Azure = azure::RULES, Aws = aws::RULES, Gcp = gcp::RULES; Own = own::RULES);

known!(DiskType, kind -> DiskKind:
    Premium = azure::disks::PREMIUM,
    PremiumV2 = azure::disks::PREMIUM_V2,
    Ultra = azure::disks::ULTRA,
    StandardSsd = azure::disks::STANDARD_SSD,
    StandardHdd = azure::disks::STANDARD_HDD,
    Gp2 = aws::disks::GP2,
    Gp3 = aws::disks::GP3,
    Io1 = aws::disks::IO1,
    Io2 = aws::disks::IO2,
    St1 = aws::disks::ST1,
    Sc1 = aws::disks::SC1,
    PdStandard = gcp::disks::PD_STANDARD,
    PdBalanced = gcp::disks::PD_BALANCED,
    PdSsd = gcp::disks::PD_SSD,
    PdExtreme = gcp::disks::PD_EXTREME,
    HyperdiskBalanced = gcp::disks::HYPERDISK_BALANCED,
    HyperdiskBalancedHa = gcp::disks::HYPERDISK_BALANCED_HA,
    HyperdiskExtreme = gcp::disks::HYPERDISK_EXTREME,
    HyperdiskThroughput = gcp::disks::HYPERDISK_THROUGHPUT,
    HyperdiskMl = gcp::disks::HYPERDISK_ML,
);

/// The seller of what is only measured.
pub(crate) const MEASURED: Cloud = Cloud::Own;

impl Cloud {
    /// `azure`, `aws`, `gcp`.
    pub const fn name(self) -> &'static str {
        self.rules().name
    }

    /// The cloud of that name, whatever the case.
    pub fn from_name(name: &str) -> Option<Cloud> {
        Cloud::ALL.into_iter().find(|cloud| cloud.name().eq_ignore_ascii_case(name))
    }

    /// The cloud that names its regions so.
    pub fn of_region(region: &str) -> Cloud {
        let named = |cloud: &Cloud| (cloud.rules().names_region)(region);
        Cloud::ALL.into_iter().find(named).unwrap_or(Cloud::ALL[0])
    }

    /// The readers of the clouds' metrics.
    pub fn metrics() -> Vec<&'static CloudMetrics> {
        Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().metrics).collect()
    }

    /// Clouds whose limits are in the model.
    pub fn modelled() -> impl Iterator<Item = Cloud> {
        Cloud::ALL.into_iter().filter(|cloud| cloud.rules().not_modelled.is_none())
    }
}

impl DiskType {
    /// The word of the grammar and the scope of its rules.
    pub const fn word(self) -> &'static str {
        self.kind().word
    }

    /// The vendor's name for it.
    pub const fn title(self) -> &'static str {
        self.kind().title
    }

    /// The cloud that sells it.
    pub const fn cloud(self) -> Cloud {
        self.kind().cloud
    }

    /// True if it is sold in tiers, not by provisioned figures or by the GiB.
    pub const fn has_tiers(self) -> bool {
        matches!(self.kind().sold, Sold::InTiers { .. })
    }

    /// Words of the types of its cloud whose IOPS and throughput are both provisioned: `premiumv2 or ultra`.
    pub(crate) fn provisioned_beside(self) -> String {
        let is_provisioned = |disk: &DiskType| match disk.kind().sold {
            Sold::Apart { meters, .. } => meters.ios.is_some() && meters.throughput.is_some(),
            Sold::InTiers { .. } => false,
        };
        let beside = DiskType::ALL.into_iter().filter(|disk| disk.cloud() == self.cloud());
        beside.filter(is_provisioned).map(DiskType::word).collect::<Vec<_>>().join(" or ")
    }

    /// The type of a word, or of one of the vendor's names, whatever the case: `premiumv2`, `UltraSSD_LRS`, `Premium SSD`.
    pub fn from_word(word: &str) -> Option<DiskType> {
        let plain = |text: &str| -> String {
            text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
        };
        let wanted = plain(word);
        let wanted = wanted.strip_suffix("lrs").unwrap_or(&wanted);
        DiskType::ALL.into_iter().find(|disk| {
            let kind = disk.kind();
            [kind.word, kind.sku, kind.title].into_iter().any(|name| plain(name) == wanted)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known_by_word_sku_and_vendor_name() {
        for (word, disk) in [
            ("premium", DiskType::Premium),
            ("Premium_LRS", DiskType::Premium),
            ("Premium SSD v2", DiskType::PremiumV2),
            ("PremiumV2_LRS", DiskType::PremiumV2),
            ("UltraSSD_LRS", DiskType::Ultra),
            ("StandardSSD_LRS", DiskType::StandardSsd),
            ("standard", DiskType::StandardHdd),
            ("Standard_LRS", DiskType::StandardHdd),
            ("GP3", DiskType::Gp3),
        ] {
            assert_eq!(DiskType::from_word(word), Some(disk), "{word}");
        }
        assert_eq!(DiskType::from_word("P30"), None);
        for disk in DiskType::ALL {
            assert_eq!(DiskType::from_word(disk.word()), Some(disk));
            assert_eq!(DiskType::from_word(disk.title()), Some(disk));
        }
    }

    #[test]
    fn types_with_provisioned_figures_are_named_by_cloud() {
        for (disk, words) in [(DiskType::StandardSsd, "premiumv2 or ultra"), (DiskType::Gp2, "gp3")] {
            assert_eq!(disk.provisioned_beside(), words);
        }
    }

    #[test]
    fn a_region_belongs_to_the_cloud_that_names_its_regions_so() {
        for (region, cloud) in
            [("westeurope", Cloud::Azure), ("us-gov-east-1", Cloud::Aws), ("", Cloud::Azure)]
        {
            assert_eq!(Cloud::of_region(region), cloud, "{region}");
        }
        assert!(Cloud::modelled().all(|cloud| Cloud::of_region(cloud.rules().default_region) == cloud));
    }
}
