//! Local SSDs: the limits of so many of a series, and the numbers of them that a machine can be ordered with.

use iobound_units::{Bytes, MIB};

use super::custom::{MACHINES, steps};
use super::machines::{class_of, sized_row, vcpus_of};
use crate::clouds::cloud_rules::ChosenLocal;
use crate::error::CatalogError;
use crate::table::{Csv, Row, csv};
use crate::vm::{Limits, LocalDisk};

/// Limits of so many local SSDs of a size, all together, by series.
const LIMITS: Csv = csv!("gcp_local_ssd.csv");

/// Numbers of local SSDs that machines can be ordered with, where they come with none.
const COUNTS: Csv = csv!("gcp_local_ssd_counts.csv");

/// GiB of a local SSD of the machines that are ordered with them.
const GIB: u64 = 375;

/// A number of local SSDs of a machine, with their published limits and the source; `None` if no page states them.
pub(super) fn published(
    machine: &str,
    count: u64,
    gib: u64,
) -> Result<Option<(LocalDisk, String)>, CatalogError> {
    let (series, _) = class_of(machine);
    let start = format!("{count},");
    for row in LIMITS.table().rows_where(|line| line.starts_with(&start)) {
        let is_of = row.required("series")?.split(' ').any(|of| of == series);
        if !is_of || row.count("gib")? != Some(gib) {
            continue;
        }
        let limits = |ios: &str, mib: &str| -> Result<Limits, CatalogError> {
            Ok(Limits { ios: row.count(ios)?, bytes: row.count(mib)?.map(|mib| mib.saturating_mul(MIB)) })
        };
        let disks = LocalDisk {
            count: Some(count),
            size: Some(Bytes::gib(gib)),
            read: limits("read_iops", "read_mibps")?,
            write: limits("write_iops", "write_mibps")?,
        };
        return Ok(Some((disks, row.required("source")?)));
    }
    Ok(None)
}

/// The figures of so many local SSDs that a machine is ordered with; `None`: it comes with its own, or takes none.
///
/// # Errors
/// A number of them that can't be ordered.
pub(super) fn chosen(machine: &str, count: u64) -> Result<Option<ChosenLocal>, CatalogError> {
    let Some(row) = counts_of(machine)? else { return Ok(None) };
    let counts = counts_in(&row)?;
    if !counts.contains(&count) {
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        return Err(CatalogError::refused(
            format!("{count} local SSDs on {machine}"),
            "the machine type can be ordered with certain numbers of them only",
            format!("use {}", counts.join(", ")),
        ));
    }
    let sized = LocalDisk { count: Some(count), size: Some(Bytes::gib(GIB)), ..LocalDisk::default() };
    let (disks, source) = match published(machine, count, GIB)? {
        Some(found) => found,
        None => (sized, row.required("source")?),
    };
    let full_from = row.count("full_from_vcpus")?;
    let listed = MACHINES.table().rows_named(machine).first().map(|row| row.count("vcpus")).transpose()?;
    let vcpus = vcpus_of(machine).or(listed.flatten());
    let is_small = full_from.zip(vcpus).filter(|(least, vcpus)| vcpus < least);
    let assumed = is_small.map(|(least, vcpus)| {
        [
            format!("limits of the local SSDs of {machine}"),
            format!("those of {count} on a larger machine"),
            format!("machines with fewer than {least} vCPUs do not reach them; {vcpus} vCPUs reach a part that is published nowhere"),
        ]
    });
    Ok(Some(ChosenLocal { disks, source, assumed, priced_as: row.owned("priced_as") }))
}

/// Numbers of local SSDs that a machine can be ordered with; none where it comes with its own, or takes none.
pub(super) fn counts(machine: &str) -> Result<Vec<u64>, CatalogError> {
    counts_of(machine)?.map_or(Ok(Vec::new()), |row| counts_in(&row))
}

fn counts_in(row: &Row) -> Result<Vec<u64>, CatalogError> {
    steps(&row.required("counts")?).ok_or_else(|| row.error("`counts` is no list of numbers"))
}

/// The row of a machine's numbers of local SSDs.
fn counts_of(machine: &str) -> Result<Option<Row>, CatalogError> {
    sized_row(COUNTS, machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_counts_can_be_read() {
        for row in COUNTS.table().rows() {
            let counts = steps(&row.required("counts").unwrap()).unwrap();
            assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
            assert!(!row.required("machines").unwrap().is_empty());
        }
    }

    #[test]
    fn numbers_go_by_series_and_vcpus_or_by_name() {
        let counts = |machine: &str| counts_of(machine).unwrap().map(|row| row.required("counts").unwrap());
        for (machine, expected) in [
            ("n2-standard-8", Some("1 2 4 8 16 24")),
            ("n2-custom-20-40960", Some("2 4 8 16 24")),
            ("n2-standard-128", Some("16 24")),
            ("custom-4-16384", Some("1-8 16 24")),
            ("N2D-standard-48", Some("2 4 8 16 24")),
            ("c2-standard-60", Some("8")),
            ("c2d-highmem-112", Some("8")),
            ("a2-highgpu-2g", Some("2 4 8")),
            ("m3-megamem-128", Some("8")),
            ("m1-ultramem-40", Some("1-5")),
            ("m1-ultramem-160", None),
            ("e2-standard-8", None),
            ("c3-standard-8-lssd", None),
        ] {
            assert_eq!(counts(machine).as_deref(), expected, "{machine}");
        }
    }
}
