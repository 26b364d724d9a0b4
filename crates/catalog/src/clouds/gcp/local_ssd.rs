//! Local SSDs of series that are ordered with as many as wanted. Limits go by their number, as published.

use iobound_units::{Bytes, MIB};

use super::machines::class_of;
use crate::clouds::cloud_rules::ChosenLocal;
use crate::error::CatalogError;
use crate::table::{Csv, csv};
use crate::vm::{Limits, LocalDisk};

const TABLE: Csv = csv!("gcp_local_ssd.csv");

/// The figures of so many local SSDs of a machine; `None`: its series comes with its own, or with none.
///
/// # Errors
/// A number of them that can't be ordered.
pub(super) fn chosen(machine: &str, count: u64) -> Result<Option<ChosenLocal>, CatalogError> {
    let (series, _) = class_of(machine);
    let mut counts = Vec::new();
    for row in TABLE.table().rows() {
        if !row.required("series")?.split(' ').any(|of| of == series) {
            continue;
        }
        let disks = row.count("disks")?.unwrap_or_default();
        counts.push(disks.to_string());
        if disks != count {
            continue;
        }
        let limits = |ios: &str, mib: &str| -> Result<Limits, CatalogError> {
            Ok(Limits { ios: row.count(ios)?, bytes: row.count(mib)?.map(|mib| mib.saturating_mul(MIB)) })
        };
        return Ok(Some(ChosenLocal {
            disks: LocalDisk {
                count: Some(count),
                size: row.count("gib")?.map(Bytes::gib),
                read: limits("read_iops", "read_mibps")?,
                write: limits("write_iops", "write_mibps")?,
            },
            source: row.required("source")?,
            assumed: [
                format!("local SSDs of {machine}"),
                format!("{count}, with the limits of that number on any machine"),
                "the numbers that each machine can have, and what machines with few vCPUs reach, are not in the table".into(),
            ],
        }));
    }
    if counts.is_empty() {
        return Ok(None);
    }
    Err(CatalogError::refused(
        format!("{count} local SSDs on {machine}"),
        "they are sold in certain numbers only",
        format!("use {}", counts.join(", ")),
    ))
}
