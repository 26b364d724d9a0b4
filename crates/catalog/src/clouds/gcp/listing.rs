//! Entries of `gcloud compute machine-types list` and `disk-types list`, as JSON and as the tables that they print without a
//! format. A table has no number of disks and no architecture.

use iobound_formats::clouds::ListingError;

use super::resource::{Resource, ResourceKind};

/// Machine types: one for each zone.
pub(super) const MACHINES: ResourceKind =
    ResourceKind { kind: "compute#machineType", key: "guestCpus", titles: ["NAME", "ZONE", "CPUS"] };

/// Disk types: one for each zone.
pub(super) const DISKS: ResourceKind = ResourceKind {
    kind: "compute#diskType",
    key: "validDiskSize",
    titles: ["NAME", "ZONE", "VALID_DISK_SIZES"],
};

/// A machine type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GcpMachine {
    /// `n2-standard-8`.
    pub(super) name: String,
    /// `us-central1-a`.
    pub(super) zone: Option<String>,
    /// Virtual CPUs.
    pub(super) vcpus: Option<u64>,
    /// Memory, in MiB.
    pub(super) memory_mib: Option<u64>,
    /// Disks that can be attached, the boot disk among them.
    pub(super) disks: Option<u64>,
    /// GiB of all disks together, at most.
    pub(super) disks_gib: Option<u64>,
    /// `X86_64`, `ARM64`; none on older series.
    pub(super) architecture: Option<String>,
    /// True if its vCPUs share a core.
    pub(super) shared: Option<bool>,
    /// Local SSDs that come with it.
    pub(super) local: Option<u64>,
}

/// A disk type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GcpDisk {
    /// `pd-ssd`, `hyperdisk-balanced`.
    pub(super) name: String,
    /// GiB, the least and the most.
    pub(super) gib: Option<[u64; 2]>,
}

const NUMBER: &str = "a number such as 8";

impl GcpMachine {
    pub(super) fn of(entry: Resource<'_>) -> Result<GcpMachine, ListingError> {
        let count = |name: &'static str| entry.figure(&[name], NUMBER, |text| text.parse().ok());
        let memory = entry.figure(&["MEMORY_GB"], "a number such as 32.00", mib)?;
        Ok(GcpMachine {
            name: entry.required(&["name", "NAME"])?,
            zone: zone(entry),
            vcpus: entry.figure(&["guestCpus", "CPUS"], NUMBER, |text| text.parse().ok())?,
            memory_mib: memory.or(count("memoryMb")?),
            disks: count("maximumPersistentDisks")?,
            disks_gib: count("maximumPersistentDisksSizeGb")?,
            architecture: entry.cell(&["architecture"]).map(|(_, text)| text.to_string()),
            shared: entry.figure(&["isSharedCpu"], "true or false", |text| text.parse().ok())?,
            local: count("bundledLocalSsds.partitionCount")?,
        })
    }
}

impl GcpDisk {
    pub(super) fn of(entry: Resource<'_>) -> Result<GcpDisk, ListingError> {
        let names = ["validDiskSize", "VALID_DISK_SIZES"];
        let gib = entry.figure(&names, "a range such as 10GB-65536GB", sizes)?;
        Ok(GcpDisk { name: entry.required(&["name", "NAME"])?, gib })
    }
}

/// Part of the zone's address after the last slash: `us-central1-a`.
fn zone(entry: Resource<'_>) -> Option<String> {
    let (_, address) = entry.cell(&["zone", "ZONE"])?;
    Some(address.rsplit('/').next().unwrap_or_default().to_ascii_lowercase())
}

/// `10GB-65536GB`.
fn sizes(text: &str) -> Option<[u64; 2]> {
    let gib = |text: &str| text.trim().strip_suffix("GB")?.parse().ok();
    let (least, most) = text.split_once('-')?;
    Some([gib(least)?, gib(most)?])
}

/// GiB with two decimals, as the table prints MiB: `32.00`, `0.60`.
fn mib(gb: &str) -> Option<u64> {
    let (whole, part) = gb.split_once('.').unwrap_or((gb, "0"));
    let part_of = u64::from(10u32.checked_pow(u32::try_from(part.len()).ok()?)?);
    let part = part.parse::<u64>().ok()?.checked_mul(1_024)? / part_of;
    whole.parse::<u64>().ok()?.checked_mul(1_024)?.checked_add(part)
}
