//! What can be bought: VM sizes, disks and prices, each figure with its source; and what is built of them, as a
//! [`iobound_model::Blueprint`].
//!
//! A figure that nobody published is unknown: it is never taken for zero or for unlimited, and a configuration that
//! needs it is refused with the name of what is missing. Everything that is assumed beside the figures is listed
//! with the result.

mod catalog;
mod configuration;
mod data;
mod disk;
mod era;
mod error;
mod gcp;
mod nearest;
mod price;
mod price_row;
mod provision;
mod query;
mod resolve;
mod resolved;
mod rules;
mod series;
mod source;
mod spec;
mod table;
mod user;
mod vm;

pub use catalog::{Catalog, Found};
pub use configuration::{
    Accounts, CacheSetting, Configuration, Enforcement, MediaOverride, OwnSettings, OwnTier, VolumeRequest,
    What,
};
pub use disk::{Cloud, DiskTier, DiskType, Redundancy};
pub use era::{Era, EraFacts};
pub use error::CatalogError;
pub use gcp::GcpLimit;
pub use price::{DiskRates, Meter, Os, Price, PriceList, PricePart, Usd};
pub use query::{Arch, Disagreement, Entry, Figure, Filter};
pub use resolve::resolve;
pub use resolved::{Assumption, Band, CacheBand, GateBand, MediaBand, NamedVolumes, Resolved, ResolvedDisk};
pub use rules::Rule;
pub use series::SeriesKind;
pub use source::Source;
pub use spec::parse_spec;
pub use vm::{Limits, LocalDisk, VmSize};
