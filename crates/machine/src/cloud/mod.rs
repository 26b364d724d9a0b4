//! Facts of the cloud about this machine: the cloud from the firmware, the VM and its disks from the metadata service.
//! The texts of a cloud's firmware and service are in its folder of the catalogue ([`iobound_catalog::GuestRules`]).

mod answer;
mod attach;
mod ec2;
mod endpoint;
mod firmware;

use iobound_catalog::Cloud;

pub use answer::{Answer, NoAnswer, parse_answer};
pub use attach::{Attached, Role, attached};
pub use endpoint::{Endpoint, Unanswered};
pub use firmware::{Firmware, firmware};
pub use iobound_catalog::{CloudDisk, Instance, Slot, parse_azure};

/// Asks a metadata service of a cloud that is known.
///
/// # Errors
/// Returns an error if nothing answers, or the answer is not of such a service.
pub fn ask(endpoint: &Endpoint, provider: Cloud) -> Result<Instance, Unanswered> {
    let Some(service) = &provider.rules().guest.metadata else { return ec2::ask(endpoint, provider) };
    let texts: Result<Vec<String>, Unanswered> =
        service.paths.iter().map(|path| endpoint.text(path, &[service.header])).collect();
    (service.read)(&texts?).map_err(Unanswered::Unexpected)
}

/// Asks a metadata service whose cloud is not known: each protocol in turn, until one is answered.
///
/// # Errors
/// Returns the first protocol's error if nothing answers; otherwise an error that no known protocol is spoken there.
pub fn ask_any(endpoint: &Endpoint) -> Result<Instance, Unanswered> {
    let mut first = None;
    for provider in Cloud::ALL {
        match ask(endpoint, provider) {
            Ok(instance) => return Ok(instance),
            Err(error @ (Unanswered::Unreachable(_) | Unanswered::Late)) => return Err(error),
            Err(error) => drop(first.get_or_insert(error)),
        }
    }
    Err(first.unwrap_or(Unanswered::Late))
}
