//! Entries of `gcloud compute machine-types list` and `disk-types list`.

use serde::Deserialize;

use super::entry::{EntryKeys, needed};
use super::{GcpDisk, GcpMachine};

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

/// What follows the last slash of a resource's address: `us-central1-a`.
fn last(address: &str) -> String {
    address.rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
}

/// `10GB-65536GB`.
fn sizes(text: &str) -> Option<[u64; 2]> {
    let gib = |text: &str| text.trim().strip_suffix("GB")?.parse().ok();
    let (least, most) = text.split_once('-')?;
    Some([gib(least)?, gib(most)?])
}
