//! Rows of the tables of prices.

use std::fmt;

use crate::clouds::names::{DiskType, Redundancy};
use crate::error::CatalogError;
use crate::table::Row;

/// Hours of a month, as the clouds' own calculators count them.
pub(crate) const HOURS: u64 = 730;

/// US dollars in billionths, so that a price by the hour and GiB is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(pub u64);

impl Usd {
    /// The amount as a float, for printing.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    pub(crate) fn times(self, count: u64) -> Usd {
        Usd(self.0.saturating_mul(count))
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} USD", self.as_f64())
    }
}

/// The operating system whose licence the VM's price includes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Os {
    /// No licence.
    #[default]
    Linux,
    /// Windows Server.
    Windows,
}

impl Os {
    /// `linux`, `windows`.
    pub const fn name(self) -> &'static str {
        match self {
            Os::Linux => "linux",
            Os::Windows => "windows",
        }
    }
}

/// The columns of a VM size's price.
pub(crate) const VM_COLUMNS: [&str; 6] = ["region", "name", "os", "usd_per_hour", "source", "check"];

/// The columns of a disk's price.
pub(crate) const DISK_COLUMNS: [&str; 8] =
    ["region", "disk_type", "tier", "redundancy", "meter", "unit", "usd", "source"];

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

    /// The unit of the price by the month: `1 GiB/Month` of `1 GiB/Hour`.
    pub(crate) fn unit_of_month(&self) -> String {
        self.unit.replace("Hour", "Month").replace("hour", "month")
    }

    /// True if it is the price of a disk that so many datacentres hold.
    pub(crate) fn is_sold_in(&self, redundancy: Redundancy) -> bool {
        self.redundancy.as_deref().is_none_or(|of| of == redundancy.name())
    }
}
