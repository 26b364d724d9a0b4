use iobound_units::{Bytes, GIB};

use crate::clouds::names::{DiskType, Redundancy};
use crate::era::Era;
use crate::error::CatalogError;
use crate::table::Row;

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
    /// The enforced limit where that was measured to be another figure, in bytes a second, and its source.
    pub enforced_bytes: Option<(u64, String)>,
    /// The most a second while credits last: I/O units and bytes.
    pub burst: (Option<u64>, Option<u64>),
    /// The most a second with on-demand bursting: I/O units and bytes.
    pub ondemand: (Option<u64>, Option<u64>),
    /// The limits with performance plus: I/O units and bytes; `None`: this tier has none.
    pub plus: (Option<u64>, Option<u64>),
    /// The source's key.
    pub source: String,
}

impl DiskTier {
    pub(crate) fn from_row(row: &Row) -> Result<DiskTier, CatalogError> {
        let word = row.required("disk_type")?;
        let disk = DiskType::from_word(&word).filter(|disk| disk.has_tiers()).ok_or_else(|| {
            let words: Vec<&str> =
                DiskType::ALL.into_iter().filter(|disk| disk.has_tiers()).map(DiskType::word).collect();
            let (last, others) = words.split_last().expect("there are tiers");
            row.error(format!("`disk_type` is `{word}`: {} or {last}", others.join(", ")))
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
            plus: (row.count("perfplus_iops")?, row.micro("perfplus_mbps")?),
            source,
        })
    }
}
