//! Google Cloud's machines: what is published of them.

use iobound_units::MIB;

use super::NO_MACHINES;
use crate::clouds::names::Cloud;
use crate::entry::{Entry, Figure, figures_of};
use crate::era::Era;
use crate::error::CatalogError;
use crate::table::{Csv, Row, csv};
use crate::vm::Limits;

const TABLE: Csv = csv!("gcp_machine_limits.csv");

/// True if a word is a type of disk of Google Cloud: `pd-ssd`, `hyperdisk-balanced`.
pub(super) fn is_disk(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["pd", "hyperdisk"].iter().any(|kind| word.strip_prefix(kind).is_some_and(|rest| rest.starts_with('-')))
}

/// The words between a family and its vCPUs in the names of machines whose limits go by vCPUs.
const CLASSES: [&str; 4] = ["standard", "highmem", "highcpu", "custom"];

/// The columns that say which row it is.
const KEYS: [&str; 4] = ["machine_family", "vcpus_or_type", "disk_type", "throughput_unit"];

/// Limits of some sizes of a machine family with one type of disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcpLimit {
    /// `N2`, `A2 Standard`.
    pub family: String,
    /// The one of its machines: a name, a number of vCPUs, `8-15`, `64 or more`.
    pub machines: String,
    /// `pd-balanced`.
    pub disk: String,
    /// Of reads.
    pub read: Limits,
    /// Of writes.
    pub write: Limits,
    /// The source's key.
    pub source: String,
}

impl GcpLimit {
    /// Published figures of all machines, by family, size and type of disk.
    ///
    /// # Errors
    /// None of what is shipped.
    pub fn all() -> Result<Vec<GcpLimit>, CatalogError> {
        TABLE.table().rows().map(|row| GcpLimit::from_row(&row)).collect()
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
        Ok(GcpLimit {
            family: row.required("machine_family")?,
            machines: row.required("vcpus_or_type")?,
            disk: row.required("disk_type")?,
            read: Limits { ios: row.count("max_read_iops")?, bytes: bytes("max_read_throughput")? },
            write: Limits { ios: row.count("max_write_iops")?, bytes: bytes("max_write_throughput")? },
            source: row.required("source")?,
        })
    }

    /// `N2 8-15`, `a2-highgpu-1g`: what is limited, as the vendor's table has it.
    pub fn machine(&self) -> String {
        if self.machines.contains(|c: char| c.is_ascii_alphabetic()) && self.machines.contains('-') {
            return self.machines.trim_end_matches('*').to_string();
        }
        format!("{} {}", self.family, self.machines)
    }

    /// True if it holds for the machine of that name: `n2-standard-8`, `a2-highgpu-1g`, `N2 8-15`.
    pub fn is_of(&self, name: &str) -> bool {
        let machine = self.machine();
        machine.eq_ignore_ascii_case(name)
            || format!("{machine} {}", self.disk).eq_ignore_ascii_case(name)
            || vcpus_of(name, &self.family).is_some_and(|vcpus| self.holds_for(vcpus))
    }

    fn holds_for(&self, vcpus: u32) -> bool {
        let number = |text: &str| text.trim().parse::<u32>().ok();
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

/// The vCPUs of a machine of the family, as its name says: 8 of `n2-standard-8`, `c3-standard-8-lssd`.
fn vcpus_of(name: &str, family: &str) -> Option<u32> {
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.split('-');
    let is_family = parts.next()? == family.to_ascii_lowercase();
    let is_class = CLASSES.contains(&parts.next()?);
    let vcpus = parts.next()?.parse().ok()?;
    (is_family && is_class).then_some(vcpus)
}

/// Published figures of one machine with each type of disk it takes; `None` where it is not Google Cloud's.
pub(super) fn entry(name: &str) -> Option<Entry> {
    let table = TABLE.table();
    let rows: Vec<(Row, GcpLimit)> = table
        .rows()
        .filter_map(|row| GcpLimit::from_row(&row).ok().map(|limit| (row, limit)))
        .filter(|(_, limit)| limit.is_of(name))
        .collect();
    let (_, first) = rows.first()?;
    let by_vcpus = vcpus_of(name, &first.family).filter(|vcpus| first.holds_for(*vcpus));
    let mut notes = vec![NO_MACHINES.to_string()];
    if by_vcpus.is_some() {
        notes.push(format!(
            "the limits of {} go by vCPUs: these are those of {}",
            first.family, first.machines
        ));
    }
    let figures = rows.iter().flat_map(|(row, limit)| {
        let figures = figures_of(row).into_iter().filter(|figure| !KEYS.contains(&figure.name.as_str()));
        figures.map(|figure| Figure { name: format!("{} {}", limit.disk, figure.name), ..figure })
    });
    Some(Entry {
        kind: "machine",
        cloud: Cloud::Gcp,
        name: if by_vcpus.is_some() { name.to_ascii_lowercase() } else { first.machine() },
        era: Era::current(),
        figures: figures.collect(),
        notes,
        disagreements: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_name() {
        let limits = GcpLimit::all().unwrap();
        assert_eq!(limits.len(), 273);
        for limit in limits {
            let entry = super::entry(&limit.machine()).unwrap();
            let figure = |name: &str| {
                entry.figures.iter().find(|figure| figure.name == format!("{} {name}", limit.disk)).unwrap()
            };
            assert_eq!(figure("max_read_iops").value.parse().ok(), limit.read.ios, "{limit:?}");
            assert!(super::entry(&format!("{} {}", limit.machine(), limit.disk)).is_some(), "{limit:?}");
        }
    }

    #[test]
    fn a_machine_is_found_by_the_vcpus_of_its_name() {
        let read = |name: &str, figure: &str| {
            let entry = super::entry(name)?;
            let found = entry.figures.iter().find(|have| have.name == figure)?;
            Some((found.value.clone(), found.unit.clone()))
        };
        let iops = |value: &str| Some((value.to_string(), "IOPS".to_string()));
        for (name, of) in [
            ("n2-standard-8", "15000"),
            ("N2-highcpu-32", "60000"),
            ("n2-custom-16-65536", "25000"),
            ("n2-standard-128", "100000"),
            ("c3-standard-22-lssd", "25000"),
            ("e2-medium", "12000"),
        ] {
            assert_eq!(read(name, "pd-ssd max_read_iops"), iops(of), "{name}");
        }
        assert_eq!(
            read("n2-standard-8", "pd-ssd max_read_throughput"),
            Some(("800".to_string(), "MiB/s".to_string()))
        );
        // By its own name and by its vCPUs.
        assert_eq!(read("n2-standard-64", "pd-extreme max_read_iops"), iops("120000"));
        assert_eq!(read("n2-standard-64", "pd-ssd max_read_iops"), iops("100000"));
        for name in ["n2-standard", "n2-banana-8", "x9-standard-8", "c3-standard-9", "n2-standard-0", ""] {
            assert!(super::entry(name).is_none(), "{name}");
        }
    }
}
