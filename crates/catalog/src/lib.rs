//! The offers: VM sizes, disks and prices, each figure with its source; and what is built of them, as a
//! [`iobound_model::Blueprint`].
//!
//! A figure that nobody published is unknown: it is never taken for zero or for unlimited, and a configuration that
//! needs it is refused with the name of what is missing. Everything that is assumed beside the figures is listed
//! with the result.

mod assumption;
mod audit;
mod bounds;
mod catalog;
mod clouds;
mod configuration;
mod data;
mod discrepancy;
mod disk;
mod entry;
mod era;
mod error;
mod import;
mod measured;
mod nearest;
mod performance;
mod price;
mod price_row;
mod probed;
mod provision;
mod query;
mod resolve;
mod resolved;
mod rules;
mod series;
mod source;
mod spec;
mod storage_class;
mod table;
mod user;
mod vm;

pub use assumption::{Assumption, Property, PropertyKind};
pub use audit::{AuditRow, Doubt};
pub use bounds::Bounds;
pub use catalog::{Catalog, Found};
pub use clouds::build::{BuildPlan, LocalDisks, Script, VolumeDisks};
pub use clouds::guest::{CloudDisk, DeviceNaming, FirmwareMark, GuestRules, Instance, MetadataRules, Slot};
pub use clouds::{
    Cloud, CloudRules, DiskKind, DiskType, HostCache, MachineLimit, Meters, Operations, Redundancy, Sold,
    VmLimit, parse_azure,
};
pub use configuration::{
    Accounts, CacheSetting, Configuration, Enforcement, MediaOverride, OwnSettings, OwnTier,
    PerformanceSetting, UnknownLimits, VolumeRequest, What,
};
pub use discrepancy::{
    BandCell, BandFigure, CALIBRATED, COVERAGE, Discrepancy, DiskLayout, discrepancies, discrepancy_of,
    write_discrepancies,
};
pub use disk::DiskTier;
pub use entry::{Disagreement, Entry, Figure};
pub use era::{Era, EraFacts};
pub use error::{CatalogError, instead_of};
pub use import::outcome::{FigureChange, Gone, Import, ImportFile, Listed, RestrictedSize};
pub use import::{merge, read_listing};
pub use measured::{MeasuredFigure, MeasuredKind, MeasuredRun, Regime, SlowVms, measured_runs, slow_vms};
pub use performance::{ByIos, BySize, Chosen, Performance, Pooled, Step, Streaming, Tie, Tied};
pub use price::{DiskRates, Meter, Price, PriceList, PricePart};
pub use price_row::{Os, Usd};
pub use probed::{PROBED, ProbedAssumption, ProbedCache, ProbedDisk, ProbedLatency, ProbedLimit};
pub use query::{Arch, Filter};
pub use resolve::resolve;
pub use resolved::{Band, CacheBand, LimiterBand, MediaBand, NamedVolumes, Resolved, ResolvedDisk};
pub use rules::Rule;
pub use series::SeriesKind;
pub use source::Source;
pub use spec::{megabyte_of, parse_spec, throughput_spec, type_spec};
pub use storage_class::{ClassDisk, class_disk};
pub use vm::{KindLimits, Limits, LocalDisk, OrderedLocal, RemoteLimit, VmSize};
