//! Display of the catalogue.

mod audit;
mod disks;
mod entry;
mod import;
mod machines;
mod overview;
mod prices;
mod vms;

pub use audit::audit_listing;
pub use disks::disks_listing;
pub use entry::{entry_document, entry_text};
pub use import::import_text;
pub use machines::machine_limits_listing;
#[cfg(test)]
pub(crate) use machines::machines_listing;
pub use overview::Overview;
pub use prices::{disk_prices_listing, regions_listing, vm_prices_listing};
pub use vms::vms_listing;
