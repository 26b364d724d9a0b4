//! Facts of the cloud about this machine: the cloud from the firmware, the VM and its disks from the metadata service.

mod answer;
mod attach;
mod azure;
mod ec2;
mod endpoint;
mod firmware;
mod gcp;

pub use answer::{Answer, NoAnswer, parse_answer};
pub use attach::{Attached, Role, attached};
pub use azure::parse as parse_azure;
pub use endpoint::{Endpoint, Unanswered};
pub use firmware::{Firmware, firmware};
pub use gcp::parse_disks as parse_gcp_disks;

/// The cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Microsoft Azure.
    Azure,
    /// Amazon EC2.
    Ec2,
    /// Google Compute Engine.
    Gcp,
}

impl Provider {
    /// All of them, in the order in which an unknown metadata service is asked.
    pub const ALL: [Provider; 3] = [Provider::Azure, Provider::Ec2, Provider::Gcp];

    /// `azure`, `aws`, `gcp`: the catalogue's words.
    pub const fn name(self) -> &'static str {
        match self {
            Provider::Azure => "azure",
            Provider::Ec2 => "aws",
            Provider::Gcp => "gcp",
        }
    }
}

/// Facts of a metadata service about the VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Cloud of the service.
    pub provider: Provider,
    /// The VM size: `Standard_D8s_v3`, `m5.large`, `n2-standard-8`.
    pub size: Option<String>,
    /// Its region.
    pub region: Option<String>,
    /// The zone in it.
    pub zone: Option<String>,
    /// The disks that are attached, as far as the service knows them.
    pub disks: Vec<CloudDisk>,
    /// Contradictions in the answer.
    pub notes: Vec<String>,
}

impl Instance {
    fn of(provider: Provider) -> Instance {
        Instance { provider, size: None, region: None, zone: None, disks: Vec::new(), notes: Vec::new() }
    }
}

/// A disk as the cloud knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudDisk {
    /// Slot that it is attached to.
    pub slot: Slot,
    /// Its name there.
    pub name: Option<String>,
    /// Its type in the cloud's words: `Premium_LRS`, `PERSISTENT`.
    pub kind: Option<String>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    /// Its host cache in the cloud's words: `None`, `ReadOnly`, `ReadWrite`.
    pub cache: Option<String>,
    /// I/Os a second that are provisioned.
    pub iops: Option<u64>,
    /// Bytes a second that are provisioned.
    pub bytes_per_s: Option<u64>,
    /// True if the Write Accelerator is on.
    pub write_accelerator: bool,
    /// True if it lies on the host itself, and is gone with the VM.
    pub is_ephemeral: bool,
}

impl CloudDisk {
    fn at(slot: Slot) -> CloudDisk {
        CloudDisk {
            slot,
            name: None,
            kind: None,
            bytes: None,
            cache: None,
            iops: None,
            bytes_per_s: None,
            write_accelerator: false,
            is_ephemeral: false,
        }
    }
}

/// Slot that a disk is attached to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The operating system's disk.
    Os,
    /// A data disk of that number, on Azure.
    Lun(u32),
    /// The name that was asked for when it was attached, on EC2: `sdf`.
    Named(String),
    /// A link in `/dev/disk/by-id`, by its name there.
    Link(String),
}

/// Asks a metadata service of a cloud that is known.
///
/// # Errors
/// Returns an error if nothing answers, or the answer is not of such a service.
pub fn ask(endpoint: &Endpoint, provider: Provider) -> Result<Instance, Unanswered> {
    match provider {
        Provider::Azure => azure::ask(endpoint),
        Provider::Ec2 => ec2::ask(endpoint),
        Provider::Gcp => gcp::ask(endpoint),
    }
}

/// Asks a metadata service whose cloud is not known: each protocol in turn, until one is answered.
///
/// # Errors
/// Returns the first protocol's error if nothing answers; otherwise an error that no known protocol is spoken there.
pub fn ask_any(endpoint: &Endpoint) -> Result<Instance, Unanswered> {
    let mut first = None;
    for provider in Provider::ALL {
        match ask(endpoint, provider) {
            Ok(instance) => return Ok(instance),
            Err(error @ (Unanswered::Unreachable(_) | Unanswered::Late)) => return Err(error),
            Err(error) => drop(first.get_or_insert(error)),
        }
    }
    Err(first.unwrap_or(Unanswered::Late))
}
