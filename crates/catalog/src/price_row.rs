//! Rows of the tables of prices.

use crate::disk::DiskType;
use crate::error::CatalogError;
use crate::price::{HOURS, Os, Usd};
use crate::resolved::ResolvedDisk;
use crate::table::Row;

#[derive(Clone, Debug)]
pub(crate) struct VmPrice {
    pub(crate) name: String,
    pub(crate) os: Os,
    pub(crate) per_hour: Usd,
    pub(crate) source: String,
    pub(crate) check: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct DiskPrice {
    pub(crate) disk: DiskType,
    pub(crate) tier: Option<String>,
    pub(crate) redundancy: Option<String>,
    pub(crate) meter: String,
    pub(crate) unit: String,
    pub(crate) per_unit: Usd,
    pub(crate) source: String,
}

fn usd(row: &Row, column: &str) -> Result<Usd, CatalogError> {
    row.scaled(column, 9)?.map(Usd).ok_or_else(|| row.error(format!("`{column}` is missing")))
}

pub(crate) fn plain_region(region: &str) -> String {
    region.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

pub(crate) fn vm_price_from_row(row: &Row) -> Result<VmPrice, CatalogError> {
    let os = row.required("os")?;
    let os = [Os::Linux, Os::Windows]
        .into_iter()
        .find(|known| known.name() == os)
        .ok_or_else(|| row.error(format!("`os` is `{os}`: linux or windows was expected")))?;
    row.required("region")?;
    Ok(VmPrice {
        name: row.required("name")?,
        os,
        per_hour: usd(row, "usd_per_hour")?,
        source: row.owned("source").unwrap_or_else(|| row.file.to_string()),
        check: row.owned("check"),
    })
}

pub(crate) fn disk_price_from_row(row: &Row) -> Result<DiskPrice, CatalogError> {
    let word = row.required("disk_type")?;
    let disk = DiskType::from_word(&word).ok_or_else(|| {
        row.error(format!("`disk_type` is `{word}`: premium, gp3 or the like was expected"))
    })?;
    row.required("region")?;
    Ok(DiskPrice {
        disk,
        tier: row.owned("tier"),
        redundancy: row.owned("redundancy"),
        meter: row.required("meter")?,
        unit: row.required("unit")?,
        per_unit: usd(row, "usd")?,
        source: row.owned("source").unwrap_or_else(|| row.file.to_string()),
    })
}

impl DiskPrice {
    /// The price of one unit for a month, whichever time its unit names.
    pub(crate) fn per_month(&self) -> Usd {
        if self.unit.to_ascii_lowercase().contains("hour") {
            self.per_unit.times(HOURS)
        } else {
            self.per_unit
        }
    }

    pub(crate) fn is_of(&self, disk: &ResolvedDisk) -> bool {
        self.redundancy.as_deref().is_none_or(|redundancy| redundancy == disk.redundancy.name())
    }
}
