//! `catalog`, its lists, and `catalog show`: `iobound.catalog/1`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::{Contract, Version};
use crate::quantity::Usd;

/// The catalogue: an overview, a list, or one entry. `kind` tells which.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CatalogDocument {
    /// `iobound catalog`.
    Overview(Box<CatalogOverview>),
    /// A list: `iobound catalog vms`, `disks` and `prices`.
    Listing(CatalogListing),
    /// `iobound catalog presets`.
    Presets(CatalogPresets),
    /// `iobound catalog show` of a VM size, a disk or a type of disk.
    Entry(Box<CatalogEntry>),
    /// `iobound catalog show` of a preset.
    Preset(Box<CatalogPreset>),
}

impl Contract for CatalogDocument {
    const ID: &'static str = "iobound.catalog/1";
}

/// The size and the age of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogOverview {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<CatalogDocument>,
    /// Kind of the document or its entries.
    pub kind: String,
    /// VM sizes of Azure.
    pub azure: SizesCount,
    /// VM sizes of AWS.
    pub aws: SizesCount,
    /// Machine types of Google Cloud.
    pub gcp: SizesCount,
    /// Tiers of disks, of all eras.
    #[schemars(extend("x-unit" = "rows"))]
    pub disk_tiers: u64,
    /// Types of disk.
    pub disk_types: Vec<DiskTypePart>,
    /// Eras of the catalogue. Figures that changed are kept with the era in which they were published.
    pub eras: Vec<EraPart>,
    /// Regions with prices.
    pub regions: Vec<String>,
    /// Newest date of a source; `null` if no source has one.
    pub as_of: Option<String>,
    /// Sources that state no date.
    #[schemars(extend("x-unit" = "sources"))]
    pub sources_without_date: u64,
    /// Sources of the figures.
    pub sources: Vec<SourcePart>,
}

/// VM sizes of a cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SizesCount {
    /// VM sizes in the catalogue.
    #[schemars(extend("x-unit" = "sizes"))]
    pub vm_sizes: u64,
    /// VM sizes whose disk limits are known.
    #[schemars(extend("x-unit" = "sizes"))]
    pub limits_known: u64,
}

/// A type of disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiskTypePart {
    /// Name of the type, as `--disk` takes it.
    pub name: String,
    /// The vendor's name for it.
    pub title: String,
    /// Cloud that sells it.
    pub cloud: String,
    /// A disk of the type, as `--disk` takes it; `null` for a type with tiers.
    pub example: Option<String>,
}

/// An era of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EraPart {
    /// Name of the era, as `--era` takes it.
    pub name: String,
    /// Description of the era.
    pub what: String,
    /// Key of the source.
    pub source: String,
}

/// A source of figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourcePart {
    /// Key of the source, as the rows have it.
    pub key: String,
    /// Date for which the source holds; `null` if it states none.
    pub as_of: Option<String>,
    /// Title of the source.
    pub title: String,
}

/// A list of rows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CatalogListing {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<CatalogDocument>,
    /// Kind of the document or its entries.
    pub kind: String,
    /// Rows in the list.
    #[schemars(extend("x-unit" = "rows"))]
    pub count: u64,
    /// The rows. Their keys are the columns of the CSV form.
    pub rows: CatalogRows,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// VM sizes with a doubtful figure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditPart {
    /// `unknown`: no source states the figure. `old`: the source is from before `--before`, or has no date. `contradictory`: two sources
    /// differ.
    pub doubt: String,
    /// The cloud.
    pub cloud: String,
    /// The figure; of old ones, the date of the source.
    pub figure: String,
    /// Family of the sizes, key of the source, or region of a price.
    pub of: String,
    /// Number of VM sizes.
    #[schemars(extend("x-unit" = "sizes"))]
    pub sizes: u64,
    /// The first of them.
    pub example: String,
}

/// Rows of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CatalogRows {
    /// VM sizes, of `iobound catalog vms`.
    Vms(Vec<VmRow>),
    /// Machines of Google Cloud, of `iobound catalog vms --cloud gcp`.
    Machines(Vec<MachineRow>),
    /// Tiers of disks, of `iobound catalog disks`.
    Disks(Vec<DiskRow>),
    /// Regions, of `iobound catalog prices`.
    Regions(Vec<RegionRow>),
    /// Groups of doubtful figures, of `iobound catalog audit`.
    Audit(Vec<AuditPart>),
    /// Prices of VM sizes, of `iobound catalog prices --region`.
    VmPrices(Vec<VmPriceRow>),
    /// Prices of disks, of `iobound catalog prices --region --disks`.
    DiskPrices(Vec<DiskPriceRow>),
}

/// A VM size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VmRow {
    /// Name of the VM size.
    pub name: String,
    /// Usable virtual processors; `null` if unknown.
    #[schemars(extend("x-unit" = "vCPUs"))]
    pub vcpus: Option<u64>,
    /// Memory; `null` if unknown.
    pub memory_bytes: Option<u64>,
    /// Largest number of data disks; `null` if unknown.
    #[schemars(extend("x-unit" = "disks"))]
    pub max_data_disks: Option<u64>,
    /// Published IOPS limit without host cache; `null` if unknown.
    pub uncached_iops: Option<u64>,
    /// Published throughput limit without host cache; `null` if unknown.
    pub uncached_bytes_per_s: Option<u64>,
    /// Published IOPS limit with host cache; `null` if unknown, or without a host cache.
    pub cached_iops: Option<u64>,
    /// Published throughput limit with host cache; `null` if unknown, or without a host cache.
    pub cached_bytes_per_s: Option<u64>,
    /// Size of the host cache; `null` if unknown, or without a host cache.
    pub cache_bytes: Option<u64>,
    /// True if the VM size takes premium disks; `null` if unknown.
    pub premium: Option<bool>,
    /// Cloud that sells it.
    pub cloud: String,
    /// Key of the source of its limits; `null` if they are unknown.
    pub source: Option<String>,
    /// True if the VM size is known to have no host cache: then it has no cached limit, rather than an unknown one.
    #[serde(skip)]
    pub has_no_cache: bool,
}

/// A machine of Google Cloud with a type of disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MachineRow {
    /// Name of the machine type.
    pub name: String,
    /// Type of disk that the limits are for.
    #[serde(rename = "type")]
    pub disk: String,
    /// Published IOPS limit of reads; `null` if unknown.
    pub read_iops: Option<u64>,
    /// Published throughput limit of reads; `null` if unknown.
    pub read_bytes_per_s: Option<u64>,
    /// Published IOPS limit of writes; `null` if unknown.
    pub write_iops: Option<u64>,
    /// Published throughput limit of writes; `null` if unknown.
    pub write_bytes_per_s: Option<u64>,
    /// Date of the source; `null` if it states none.
    pub as_of: Option<String>,
    /// Key of the source.
    pub source: String,
}

/// A tier of disks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiskRow {
    /// Name of the tier.
    pub name: String,
    /// Type of disk.
    #[serde(rename = "type")]
    pub disk: String,
    /// Largest disk of the tier.
    pub max_size_bytes: u64,
    /// Published IOPS limit; `null` if unknown.
    pub iops: Option<u64>,
    /// Published throughput limit; `null` if unknown.
    pub bytes_per_s: Option<u64>,
    /// Published IOPS limit while credits last; `null` without burst.
    pub burst_iops: Option<u64>,
    /// Published throughput limit while credits last; `null` without burst.
    pub burst_bytes_per_s: Option<u64>,
    /// Measured throughput limit, where it differs from the published one; otherwise `null`.
    pub enforced_bytes_per_s: Option<u64>,
    /// Redundancy: `LRS` or `ZRS`.
    pub redundancy: String,
    /// Era of the figures.
    pub era: String,
    /// Cloud that sells it.
    pub cloud: String,
    /// Key of the source.
    pub source: String,
}

/// A region with prices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegionRow {
    /// Name of the region, as `--region` takes it.
    pub region: String,
}

/// The price of a VM size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct VmPriceRow {
    /// Name of the VM size.
    pub name: String,
    /// Usable virtual processors; `null` if unknown.
    #[schemars(extend("x-unit" = "vCPUs"))]
    pub vcpus: Option<u64>,
    /// Published IOPS limit without host cache; `null` if unknown.
    pub uncached_iops: Option<u64>,
    /// List price for 730 hours, on demand; `null` if unknown.
    pub usd_per_month: Option<Usd>,
    /// `checked`: two sources agree. `single`: there is one source. Otherwise, what two sources disagree on. `null` if the price is unknown.
    pub check: Option<String>,
    /// Date of the price; `null` if unknown.
    pub as_of: Option<String>,
    /// Key of the source; `null` if the price is unknown.
    pub source: Option<String>,
}

/// A meter of a disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DiskPriceRow {
    /// Name of the tier, otherwise the type of disk.
    pub name: String,
    /// Type of disk.
    #[serde(rename = "type")]
    pub disk: String,
    /// Redundancy: `LRS` or `ZRS`; `-` if the cloud offers no choice.
    pub redundancy: String,
    /// Meter, with the seller's own name: `Disk`, `provisioned IOPS`.
    pub meter: String,
    /// Billed unit, with the seller's own name: `1/Month`, `GB-month`. A unit by the hour is given as one of a month of 730 hours.
    pub unit: String,
    /// List price of one unit.
    pub usd: Usd,
    /// Date of the price; `null` if the source states none.
    pub as_of: Option<String>,
    /// Key of the source.
    pub source: String,
}

/// All presets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogPresets {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<CatalogDocument>,
    /// Kind of the document or its entries.
    pub kind: String,
    /// Rows in the list.
    #[schemars(extend("x-unit" = "rows"))]
    pub count: u64,
    /// The presets.
    pub rows: Vec<PresetPart>,
}

/// One preset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogPreset {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<CatalogDocument>,
    /// Kind of the document or its entries.
    pub kind: String,
    /// The preset: its keys stand beside `kind`.
    #[serde(flatten)]
    pub preset: PresetPart,
}

/// A workload of a real system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PresetPart {
    /// Name, as `--preset` takes it.
    pub name: String,
    /// The system and its workload, in a sentence.
    pub about: String,
    /// Publication that the figures come from.
    pub source: String,
    /// Share of the figures that the source carries: `published` (all), `partly`, `memory` (few).
    pub confidence: String,
    /// Other facts to know.
    pub note: String,
    /// The jobs of the workload.
    pub jobs: Vec<PresetJob>,
    /// The workload, as `--workload` reads it.
    pub toml: String,
}

/// A job of a preset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PresetJob {
    /// Name of the job.
    pub name: String,
    /// Description of the job.
    pub description: String,
}

/// One VM size, disk or type of disk, with every figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CatalogEntry {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<CatalogDocument>,
    /// Kind of the document or its entries.
    pub kind: String,
    /// Cloud that sells it.
    pub cloud: String,
    /// Full name.
    pub name: String,
    /// Era of the figures.
    pub era: String,
    /// All figures.
    pub figures: Vec<FigurePart>,
    /// Figures whose source states no date.
    #[schemars(extend("x-unit" = "figures"))]
    pub figures_without_date: u64,
    /// Figures that a prediction needs and that are not recorded.
    pub unknown: Vec<String>,
    /// Figures on which sources differ.
    pub disagreements: Vec<DisagreementPart>,
    /// Other facts to know.
    pub notes: Vec<String>,
}

/// A figure of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FigurePart {
    /// Name of the figure.
    pub name: String,
    /// Value, as the table of the catalogue has it.
    pub value: String,
    /// Unit of the value; empty for words.
    pub unit: String,
    /// Source of the figure.
    pub source: SourcePart,
}

/// A figure on which sources differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DisagreementPart {
    /// Name of the figure.
    pub field: String,
    /// Value of the other source.
    pub value: String,
    /// Value that is kept.
    pub kept: String,
    /// Kind of disagreement.
    pub kind: String,
    /// The other source.
    pub source: SourcePart,
}
