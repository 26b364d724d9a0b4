//! Entries of `gcloud compute machine-types list` and `disk-types list`, as JSON and as the table that they print without a
//! format.

use serde::Deserialize;

use super::entry::{EntryKeys, needed};
use super::{GcpDisk, GcpMachine, Listing, ListingError};

/// Local SSDs that come with a machine type.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BundledSsds {
    partition_count: Option<u64>,
}

impl EntryKeys {
    /// True if it is of that kind of Google Cloud's resources; a machine type is known by its vCPUs as well.
    pub(super) fn is_gcp(&self, kind: &str) -> bool {
        match self.resource.as_deref() {
            Some(resource) => resource.strip_prefix("compute#") == Some(kind),
            None => kind == "machineType" && self.guest_cpus.is_some(),
        }
    }

    pub(super) fn gcp_machine(self) -> Result<GcpMachine, String> {
        Ok(GcpMachine {
            name: needed(self.name, "name")?,
            zone: self.zone.map(|zone| last(&zone)),
            vcpus: self.guest_cpus,
            memory_mib: self.memory_mb,
            disks: self.maximum_persistent_disks,
            // The API writes it as a text.
            disks_gib: self
                .maximum_persistent_disks_size_gb
                .and_then(|gib| gib.as_u64().or_else(|| gib.as_str()?.parse().ok())),
            architecture: self.architecture,
            shared: self.is_shared_cpu,
            local: self.bundled_local_ssds.and_then(|local| local.partition_count),
        })
    }

    pub(super) fn gcp_disk(self) -> Result<GcpDisk, String> {
        let name = needed(self.name, "name")?;
        let gib = match self.valid_disk_size.as_deref() {
            None => None,
            Some(text) => Some(sizes(text).ok_or_else(|| {
                format!("{name}: `validDiskSize` is `{text}`: a range such as 10GB-65536GB was expected")
            })?),
        };
        Ok(GcpDisk { name, zone: self.zone.map(|zone| last(&zone)), gib })
    }
}

/// Part after the last slash of a resource's address: `us-central1-a`.
fn last(address: &str) -> String {
    address.rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
}

/// `10GB-65536GB`.
fn sizes(text: &str) -> Option<[u64; 2]> {
    let gib = |text: &str| text.trim().strip_suffix("GB")?.parse().ok();
    let (least, most) = text.split_once('-')?;
    Some([gib(least)?, gib(most)?])
}

/// Reads the table that `gcloud` prints without `--format=json`; `None`: the text is no such table. It has no number of
/// disks and no architecture.
pub(super) fn table(text: &str) -> Option<Result<Listing, ListingError>> {
    let (at, header) = text.lines().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let titles: Vec<&str> = header.split_whitespace().collect();
    let column = |title: &str| titles.iter().position(|of| *of == title);
    let (name, zone) = (column("NAME")?, column("ZONE")?);
    let is_table = column("CPUS").is_some() || column("VALID_DISK_SIZES").is_some();
    // Cells are aligned below their titles: one that is empty is found by its place.
    let starts: Vec<usize> = titles.iter().filter_map(|title| header.find(title)).collect();
    is_table.then(|| {
        let mut listing = Listing::default();
        for (line, row) in text.lines().enumerate().skip(at + 1).filter(|(_, row)| !row.trim().is_empty()) {
            let cell = |column: Option<usize>| {
                let start = *starts.get(column?)?;
                let end = starts.get(column? + 1).copied().unwrap_or(row.len());
                let text = row.get(start.min(row.len())..end.min(row.len()))?.trim();
                (!text.is_empty()).then_some(text)
            };
            let wrong = |title: &str, text: &str, expected: &str| ListingError {
                place: format!("line {}", line + 1),
                what: format!("{title} is `{text}`: {expected} was expected"),
            };
            let name = cell(Some(name)).ok_or_else(|| wrong("NAME", row.trim(), "a name"))?.to_string();
            let zone = cell(Some(zone)).map(last);
            match (cell(column("CPUS")), cell(column("VALID_DISK_SIZES"))) {
                (Some(vcpus), _) => {
                    let memory = cell(column("MEMORY_GB"));
                    listing.gcp_machines.push(GcpMachine {
                        name,
                        zone,
                        vcpus: Some(vcpus.parse().map_err(|_| wrong("CPUS", vcpus, "a number such as 8"))?),
                        memory_mib: memory
                            .map(|gb| mib(gb).ok_or_else(|| wrong("MEMORY_GB", gb, "a number such as 32.00")))
                            .transpose()?,
                        ..GcpMachine::default()
                    });
                }
                (None, Some(gib)) => {
                    let range = sizes(gib)
                        .ok_or_else(|| wrong("VALID_DISK_SIZES", gib, "a range such as 10GB-65536GB"))?;
                    listing.gcp_disks.push(GcpDisk { name, zone, gib: Some(range) });
                }
                (None, None) => return Err(wrong("the line", row.trim(), "a machine or disk type")),
            }
        }
        Ok(listing)
    })
}

/// GiB with two decimals, as the table prints MiB: `32.00`, `0.60`.
fn mib(gb: &str) -> Option<u64> {
    let (whole, part) = gb.split_once('.').unwrap_or((gb, "0"));
    let part_of = u64::from(10u32.checked_pow(u32::try_from(part.len()).ok()?)?);
    let part = part.parse::<u64>().ok()?.checked_mul(1_024)? / part_of;
    whole.parse::<u64>().ok()?.checked_mul(1_024)?.checked_add(part)
}
