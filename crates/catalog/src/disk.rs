use iobound_units::{Bytes, GIB};

use crate::era::Era;
use crate::error::CatalogError;
use crate::table::Row;

/// A cloud, as a whole: entries of two do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cloud {
    /// Microsoft Azure.
    Azure,
    /// Amazon Web Services.
    Aws,
    /// Google Cloud: listed only.
    Gcp,
}

impl Cloud {
    /// `azure`, `aws`, `gcp`.
    pub const fn name(self) -> &'static str {
        match self {
            Cloud::Azure => "azure",
            Cloud::Aws => "aws",
            Cloud::Gcp => "gcp",
        }
    }
}

/// A type of remote disk.
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
}

impl DiskType {
    /// All types.
    pub const ALL: [DiskType; 11] = [
        DiskType::Premium,
        DiskType::PremiumV2,
        DiskType::Ultra,
        DiskType::StandardSsd,
        DiskType::StandardHdd,
        DiskType::Gp2,
        DiskType::Gp3,
        DiskType::Io1,
        DiskType::Io2,
        DiskType::St1,
        DiskType::Sc1,
    ];

    /// The word of the grammar and the scope of its rules.
    pub const fn word(self) -> &'static str {
        match self {
            DiskType::Premium => "premium",
            DiskType::PremiumV2 => "premiumv2",
            DiskType::Ultra => "ultra",
            DiskType::StandardSsd => "standardssd",
            DiskType::StandardHdd => "standardhdd",
            DiskType::Gp2 => "gp2",
            DiskType::Gp3 => "gp3",
            DiskType::Io1 => "io1",
            DiskType::Io2 => "io2",
            DiskType::St1 => "st1",
            DiskType::Sc1 => "sc1",
        }
    }

    /// The vendor's name for it.
    pub const fn title(self) -> &'static str {
        match self {
            DiskType::Premium => "Premium SSD",
            DiskType::PremiumV2 => "Premium SSD v2",
            DiskType::Ultra => "Ultra Disk",
            DiskType::StandardSsd => "Standard SSD",
            DiskType::StandardHdd => "Standard HDD",
            DiskType::Gp2 => "EBS gp2",
            DiskType::Gp3 => "EBS gp3",
            DiskType::Io1 => "EBS io1",
            DiskType::Io2 => "EBS io2 Block Express",
            DiskType::St1 => "EBS st1",
            DiskType::Sc1 => "EBS sc1",
        }
    }

    /// The type of a word, of an Azure SKU or of the vendor's name; whatever the case.
    pub fn from_word(word: &str) -> Option<DiskType> {
        let plain: String =
            word.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_ascii_lowercase();
        let plain = plain.strip_suffix("lrs").unwrap_or(&plain);
        Some(match plain {
            "premium" | "premiumssd" => DiskType::Premium,
            "premiumv2" | "premiumssdv2" => DiskType::PremiumV2,
            "ultra" | "ultrassd" | "ultradisk" => DiskType::Ultra,
            "standardssd" => DiskType::StandardSsd,
            "standard" | "standardhdd" => DiskType::StandardHdd,
            other => return DiskType::ALL.into_iter().find(|t| t.cloud() == Cloud::Aws && t.word() == other),
        })
    }

    /// Who sells it.
    pub const fn cloud(self) -> Cloud {
        match self {
            DiskType::Premium
            | DiskType::PremiumV2
            | DiskType::Ultra
            | DiskType::StandardSsd
            | DiskType::StandardHdd => Cloud::Azure,
            _ => Cloud::Aws,
        }
    }

    /// Whether it is sold in tiers (Azure's ladders), not by provisioned figures or by the GiB.
    pub const fn has_tiers(self) -> bool {
        matches!(self, DiskType::Premium | DiskType::StandardSsd | DiskType::StandardHdd)
    }

    /// Whether the VM's limits for Premium SSD v2 and Ultra disks hold for it.
    pub const fn uses_v2_limits(self) -> bool {
        matches!(self, DiskType::PremiumV2 | DiskType::Ultra)
    }

    /// Whether the VM size must support premium storage.
    pub const fn needs_premium(self) -> bool {
        matches!(self, DiskType::Premium | DiskType::PremiumV2 | DiskType::Ultra)
    }
}

/// How many datacentres hold the data: prices differ, performance figures do not.
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

/// A tier of a ladder, in one era.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskTier {
    /// `P30`.
    pub name: String,
    /// Its type.
    pub disk: DiskType,
    /// The era of the figures.
    pub era: Era,
    /// The redundancy of the row.
    pub redundancy: Redundancy,
    /// Disks above this size.
    pub min_size_exclusive: Bytes,
    /// Disks up to this size.
    pub max_size: Bytes,
    /// I/O units a second; `None` is unknown.
    pub ios: Option<u64>,
    /// Bytes a second; `None` is unknown.
    pub bytes: Option<u64>,
    /// What is let through where that was measured to be another figure, in bytes a second, and its source.
    pub enforced_bytes: Option<(u64, String)>,
    /// The most a second while credits last: I/O units and bytes.
    pub burst: (Option<u64>, Option<u64>),
    /// The most a second with on-demand bursting: I/O units and bytes.
    pub ondemand: (Option<u64>, Option<u64>),
    /// The source's key.
    pub source: String,
}

impl DiskTier {
    pub(crate) fn from_row(row: &Row) -> Result<DiskTier, CatalogError> {
        let word = row.required("disk_type")?;
        let disk = DiskType::from_word(&word).filter(|disk| disk.has_tiers()).ok_or_else(|| {
            row.error(format!("`disk_type` is `{word}`: premium, standardssd or standardhdd"))
        })?;
        let gib = |column: &str| -> Result<Option<Bytes>, CatalogError> {
            match row.count(column)? {
                Some(count) => count
                    .checked_mul(GIB)
                    .map(|bytes| Some(Bytes(bytes)))
                    .ok_or_else(|| row.error(format!("`{column}` is too large"))),
                None => Ok(None),
            }
        };
        let source = row.owned("source").unwrap_or_else(|| row.file.to_string());
        Ok(DiskTier {
            name: row.required("tier")?,
            disk,
            era: row.text("era").map_or(Ok(Era::current()), Era::parse)?,
            redundancy: match row.text("redundancy") {
                Some("ZRS") => Redundancy::Zrs,
                _ => Redundancy::Lrs,
            },
            min_size_exclusive: gib("min_size_gib_exclusive")?.unwrap_or(Bytes::ZERO),
            max_size: gib("max_size_gib")?.ok_or_else(|| row.error("`max_size_gib` is missing"))?,
            ios: row.count("iops")?,
            bytes: row.micro("mbps")?,
            enforced_bytes: row
                .micro("enforced_mbps")?
                .map(|bytes| (bytes, row.owned("enforced_source").unwrap_or_else(|| source.clone()))),
            burst: (row.count("burst_iops")?, row.micro("burst_mbps")?),
            ondemand: (row.count("ondemand_burst_iops")?, row.micro("ondemand_burst_mbps")?),
            source,
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
        assert!(DiskType::ALL.into_iter().all(|t| DiskType::from_word(t.word()) == Some(t)));
        assert!(
            DiskType::ALL
                .into_iter()
                .filter(|t| t.cloud() == Cloud::Azure)
                .all(|t| DiskType::from_word(t.title()) == Some(t))
        );
    }
}
