//! The limits of Google Cloud's machines on each kind of disk, as published: by series and vCPUs, or by name.

use std::sync::OnceLock;

use iobound_units::MIB;

use super::custom::steps;
use crate::clouds::machine_limit::MachineLimit;
use crate::error::CatalogError;
use crate::table::{Csv, Row, csv};
use crate::vm::Limits;

const TABLE: Csv = csv!("gcp_machine_limits.csv");

/// The words between a family and its vCPUs in the names of machines whose limits go by vCPUs.
const CLASSES: [&str; 4] = ["standard", "highmem", "highcpu", "custom"];

/// Limits of some sizes of a machine family with one type of disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GcpLimit {
    /// `N2`, `A2 Standard`.
    pub(super) family: String,
    /// The one of its machines: a name, a number of vCPUs, `8-15`, `64 or more`.
    pub(super) machines: String,
    /// `N2 8-15`, `a2-highgpu-1g`: what is limited, as the vendor's table has it.
    pub(super) machine: String,
    /// `pd-balanced`.
    pub(super) disk: String,
    /// Of reads.
    pub(super) read: Limits,
    /// Of writes.
    pub(super) write: Limits,
    /// The source's key.
    pub(super) source: String,
}

/// Published limits of the machines whose name has this part: by their row, or as one of the machines that the row is of.
///
/// # Errors
/// Returns an error only if a shipped row cannot be read.
pub(super) fn listed(part: &str) -> Result<Vec<MachineLimit>, CatalogError> {
    let part = part.to_ascii_lowercase();
    let mut limits = GcpLimit::all()?;
    limits.retain(|limit| limit.machine.to_ascii_lowercase().contains(&part) || limit.is_of(&part));
    let of = |limit: GcpLimit| MachineLimit {
        machine: limit.machine,
        disk: limit.disk,
        read: limit.read,
        write: limit.write,
        source: limit.source,
    };
    Ok(limits.into_iter().map(of).collect())
}

impl GcpLimit {
    /// Published figures of all machines, by family, size and type of disk.
    pub(super) fn all() -> Result<Vec<GcpLimit>, CatalogError> {
        TABLE.table().rows().map(|row| GcpLimit::from_row(&row)).collect()
    }

    /// The limits of a machine with a type of disk: those of its name, else those of its series and vCPUs.
    pub(super) fn find(name: &str, disk: &str) -> Option<&'static GcpLimit> {
        static LIMITS: OnceLock<Vec<GcpLimit>> = OnceLock::new();
        let limits = LIMITS.get_or_init(|| GcpLimit::all().expect("the shipped limits can be read: tested"));
        let (family, size) = class_of(name);
        let of_disk = || limits.iter().filter(|limit| limit.disk == disk);
        let named = of_disk().find(|limit| limit.machine.eq_ignore_ascii_case(name));
        named.or_else(|| {
            let mut of_family = of_disk().filter(|limit| limit.family.eq_ignore_ascii_case(&family));
            match size {
                Size::Metal(vcpus) => {
                    let mut sized = of_family.clone().filter(|limit| limit.holds_for(vcpus));
                    of_family.find(|limit| limit.machines == METAL).or_else(|| sized.next())
                }
                Size::Vcpus(vcpus) => of_family.find(|limit| limit.holds_for(vcpus)),
                Size::Unnamed => None,
            }
        })
    }

    fn from_row(row: &Row) -> Result<GcpLimit, CatalogError> {
        let unit = match row.text("throughput_unit") {
            Some("MiB/s") => MIB,
            Some("MB/s") => 1_000_000,
            _ => return Err(row.error("`throughput_unit` is MB/s or MiB/s")),
        };
        let bytes = |column: &str| -> Result<Option<u64>, CatalogError> {
            Ok(row.count(column)?.map(|amount| amount.saturating_mul(unit)))
        };
        let (family, machines) = (row.required("machine_family")?, row.required("vcpus_or_type")?);
        let is_name = machines.contains(|c: char| c.is_ascii_alphabetic()) && machines.contains('-');
        Ok(GcpLimit {
            machine: match is_name {
                true => machines.trim_end_matches('*').to_string(),
                false => format!("{family} {machines}"),
            },
            family,
            machines,
            disk: row.required("disk_type")?,
            read: Limits { ios: row.count("max_read_iops")?, bytes: bytes("max_read_throughput")? },
            write: Limits { ios: row.count("max_write_iops")?, bytes: bytes("max_write_throughput")? },
            source: row.required("source")?,
        })
    }

    /// True if it holds for the machine of that name: `n2-standard-8`, `a2-highgpu-1g`, `N2 8-15`.
    pub(super) fn is_of(&self, name: &str) -> bool {
        let machine = &self.machine;
        machine.eq_ignore_ascii_case(name)
            || format!("{machine} {}", self.disk).eq_ignore_ascii_case(name)
            || GcpLimit::find(name, &self.disk) == Some(self)
    }

    fn holds_for(&self, vcpus: u64) -> bool {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        if let Some(least) = self.machines.strip_suffix(" or more") {
            return number(least).is_some_and(|least| vcpus >= least);
        }
        match self.machines.split_once('-') {
            Some((least, most)) => {
                number(least).zip(number(most)).is_some_and(|(least, most)| (least..=most).contains(&vcpus))
            }
            None => number(&self.machines) == Some(vcpus),
        }
    }
}

/// The machine's own row among those of a series.
const METAL: &str = "metal";

/// The size of a machine, as far as its name has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// A number of vCPUs: 8 of `n2-standard-8` and `c3-standard-8-lssd`.
    Vcpus(u64),
    /// The same of a bare metal machine: `c4d-standard-384-metal`.
    Metal(u64),
    /// The name has no vCPUs, or limits do not go by them: `e2-medium`, `a2-highgpu-1g`.
    Unnamed,
}

/// The series of a machine, and its size.
pub(super) fn class_of(name: &str) -> (String, Size) {
    let lower = name.to_ascii_lowercase();
    // `custom-4-16384` is the older name of `n1-custom-4-16384`.
    let lower = if lower.starts_with("custom-") { format!("n1-{lower}") } else { lower };
    let mut parts = lower.split('-');
    let family = parts.next().unwrap_or_default().to_string();
    let has_class = parts.next().is_some_and(|class| CLASSES.contains(&class));
    let size = match parts.next().and_then(|vcpus| vcpus.parse().ok()) {
        Some(vcpus) if has_class && lower.ends_with("-metal") => Size::Metal(vcpus),
        Some(vcpus) if has_class => Size::Vcpus(vcpus),
        _ => Size::Unnamed,
    };
    (family, size)
}

/// The vCPUs in a machine's name.
pub(super) fn vcpus_of(name: &str) -> Option<u64> {
    match class_of(name).1 {
        Size::Vcpus(vcpus) | Size::Metal(vcpus) => Some(vcpus),
        Size::Unnamed => None,
    }
}

/// The first row of a table of series and `machines` that holds for a machine: vCPUs such as `2-8`, or names.
///
/// # Errors
/// Returns an error if a row names no machines.
pub(super) fn sized_row(table: Csv, machine: &str) -> Result<Option<Row>, CatalogError> {
    let (series, _) = class_of(machine);
    let lower = machine.to_ascii_lowercase();
    for row in table.table().rows_named(&series) {
        let machines = row.required("machines")?;
        let is_of = match steps(&machines) {
            Some(vcpus) => vcpus_of(machine).is_some_and(|has| vcpus.contains(&has)),
            None => machines.split(' ').any(|name| name == lower),
        };
        if is_of {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_names_a_machine() {
        let limits = GcpLimit::all().unwrap();
        assert_eq!(limits.len(), 319);
        assert!(limits.iter().all(|limit| limit.read.known() && limit.write.known()));
    }

    #[test]
    fn a_machine_has_the_limits_of_its_name_or_of_its_vcpus() {
        let read = |name: &str, disk: &str| GcpLimit::find(name, disk).and_then(|limit| limit.read.ios);
        for (name, disk, iops) in [
            ("n2-standard-8", "pd-ssd", Some(15_000)),
            ("N2-highcpu-32", "pd-ssd", Some(60_000)),
            ("n2-custom-16-65536", "pd-ssd", Some(25_000)),
            ("custom-8-16384", "pd-ssd", Some(15_000)),
            ("n2-standard-128", "pd-ssd", Some(100_000)),
            ("c3-standard-22-lssd", "pd-ssd", Some(25_000)),
            ("e2-medium", "pd-ssd", Some(12_000)),
            // By its own name and by its vCPUs.
            ("n2-standard-64", "pd-extreme", Some(120_000)),
            ("n2-standard-64", "pd-ssd", Some(100_000)),
            // Bare metal has a row of its own on C4D, and the row of its vCPUs on C3.
            ("c3-standard-192-metal", "hyperdisk-balanced-ha", Some(160_000)),
            ("c4d-standard-384-metal", "hyperdisk-balanced", Some(320_000)),
            ("c3-standard-8", "hyperdisk-balanced", None),
            ("n2-standard", "pd-ssd", None),
            ("n2-banana-8", "pd-ssd", None),
            ("x9-standard-8", "pd-ssd", None),
            ("n2-standard-0", "pd-ssd", None),
            ("", "pd-ssd", None),
        ] {
            assert_eq!(read(name, disk), iops, "{name} {disk}");
        }
        let metal = GcpLimit::find("c4d-highmem-384-metal", "hyperdisk-balanced").unwrap();
        assert_eq!(metal.read.bytes, Some(10_000 * MIB));
    }

    #[test]
    fn the_typing_error_of_the_source_is_corrected() {
        let limit = GcpLimit::find("a2-ultragpu-8g", "pd-standard").unwrap();
        assert_eq!((limit.read.bytes, limit.write.bytes), (Some(1_200 * MIB), Some(400 * MIB)));
    }
}
