//! A cloud as data: what callers ask about it, its tables, and the functions that read and write its own words.

use iobound_formats::clouds::{Listing, ListingError};
use iobound_formats::observation::reader::CloudMetrics;

use crate::clouds::build::{BuildPlan, LocalDisks, Script, VolumeDisks};
use crate::clouds::guest::GuestRules;
use crate::clouds::machine_limit::MachineLimit;
use crate::clouds::names::{DiskType, Redundancy};
use crate::clouds::remote::RemoteLimiters;
use crate::clouds::storage_class::StorageClassRules;
use crate::entry::{Entry, Figure};
use crate::era::Era;
use crate::error::CatalogError;
use crate::import::before::Before;
use crate::import::entry::ImportRows;
use crate::import::outcome::{Import, ImportFile, Listed};
use crate::rules::Rules;
use crate::table::{Csv, Row};
use crate::vm::{KindLimits, LocalDisk, VmSize};

/// A cloud.
#[derive(Debug)]
pub struct CloudRules {
    /// `azure`: the word of `--cloud`, and the scope of rules that are of the whole cloud.
    pub name: &'static str,
    /// `Azure`.
    pub title: &'static str,
    /// Reason why there is no prediction for it, and why none for its disks; `None`: it is in the model.
    pub not_modelled: Option<NotModelled>,
    /// The region of prices where none is asked for.
    pub default_region: &'static str,
    /// True if a region may be one of its own, by the form of its name.
    pub names_region: fn(&str) -> bool,
    /// Reason why no disk is kept in several zones; `None`: some are.
    pub one_zone: Option<&'static str>,
    /// Disks to take, for messages: `P30, premiumv2@1TiB or another of Azure's disks`.
    pub disk_examples: &'static str,
    /// True if the operating system's disk counts among the data disks.
    pub os_disk_takes_a_slot: bool,
    /// True if a VM may have a cache in front of remote disks.
    pub has_host_cache: bool,
    /// True if VMs burst in every era, not only in those that the catalogue says so of.
    pub bursts_in_every_era: bool,
    /// True if the size of a VM's credit buckets is derived, not published.
    pub derives_credits: bool,
    /// The vendor's rule for how long a VM holds its burst, where VMs and disks are sold by it: one that is seen at the base has no
    /// credits left. `None`: they are sold by the base.
    pub sold_by_burst: Option<&'static str>,
    /// True if disks made of a snapshot fetch their blocks when they are first read.
    pub fetches_snapshots: bool,
    /// The disk that is assumed where a VM can't see what it has; `None`: the metadata service tells.
    pub assumed_disk: Option<DiskType>,
    /// Disks that its Kubernetes driver makes; `None` if it has no driver.
    pub(crate) storage_class: Option<StorageClassRules>,
    /// The facts by which a VM recognises this cloud and its disks.
    pub guest: GuestRules,
    /// The command that shows what is provisioned.
    pub shows_figures: &'static str,
    /// Group of the limiter that all remote disks of a VM share.
    pub remote_limiter: &'static str,
    /// The limiters in front of a remote disk; `None`: one of the VM, and one of the disk.
    pub(crate) remote_limiters: Option<RemoteLimiters>,
    /// The kinds of disk that a VM size takes, with its limits on each: those of its network too.
    pub(crate) kind_limits: KindLimitsOf,
    /// The scope of the rules by which the limits of VMs are enforced.
    pub vm_scope: &'static str,
    /// The same of the limits on what the host itself serves: its cache and its temporary disk.
    pub local_scope: &'static str,
    /// The same of its local NVMe disks.
    pub nvme_scope: &'static str,
    /// True if a limiter holds the VM's local disks; false if only their devices limit them.
    pub limits_local_disks: bool,
    /// The columns of VM sizes.
    pub vm_columns: VmColumns,
    /// The shipped tables.
    pub(crate) tables: Tables,
    /// Names to look a VM size up by: `Standard_D8s_v3` for `D8s_v3`.
    pub(crate) full_names: fn(&str) -> Vec<String>,
    /// The row of a size of one's own making, such as `n2-custom-8-32768`, which no table lists; `None`: it is no such name.
    pub(crate) made_row: fn(&str) -> Result<Option<Row>, CatalogError>,
    /// The local disks of a size that is ordered with as many as wanted; `None`: the size has none to choose.
    pub(crate) chosen_local: fn(&str, u64) -> Result<Option<ChosenLocal>, CatalogError>,
    /// Numbers of local disks that a machine can be ordered with, the least first; none where it comes with its own, or takes none.
    pub(crate) local_counts: fn(&str) -> Result<Vec<u64>, CatalogError>,
    /// Reads a row of its VM sizes.
    pub(crate) vm_of_row: fn(&Row) -> Result<VmSize, CatalogError>,
    /// Figures of a VM size that are in no cell of its row.
    pub(crate) more_figures: fn(&VmSize) -> Vec<Figure>,
    /// Entry published under a name that is no VM size's: a range of them, a size of one's own making.
    pub(crate) published: fn(&str) -> Option<Entry>,
    /// The series of a VM size, and its version where series have versions.
    pub(crate) series: fn(&str) -> (String, Option<u64>),
    /// Published limits of its machines by type of disk, of those whose name has this part; none where they do not go by type.
    pub machine_limits: fn(&str) -> Result<Vec<MachineLimit>, CatalogError>,
    /// Reads a listing that only this cloud's tools print; `None`: it is none.
    pub(crate) reads: fn(&str) -> Option<Result<Listing, ListingError>>,
    /// True if its listings of VM sizes name their regions.
    pub listing_names_region: bool,
    /// Number of its entries in a listing.
    pub(crate) listed: fn(&Listing) -> Listed,
    /// Adds the VM sizes and prices of a file that its own tools wrote.
    pub(crate) import: fn(&ImportFile, &Before, &mut ImportRows, &mut Import) -> Result<(), CatalogError>,
    /// The reader of the metrics that it keeps of a VM's disks; `None`: none is known.
    pub metrics: Option<&'static CloudMetrics>,
    /// Scripts that make the VM and its disks.
    pub scripts: fn(&BuildPlan<'_>) -> Vec<Script>,
    /// The disks of a volume in a Linux guest, as a shell array `disks`.
    pub linux_disks: fn(&VolumeDisks) -> String,
    /// The disks of a volume in a Windows guest, as `$d` of PowerShell.
    pub windows_disks: fn(&VolumeDisks) -> String,
    /// The VM's local disks in a Linux guest, as a shell array `disks`.
    pub local_disks: fn(LocalDisks) -> String,
    /// The VM's local disks in a Windows guest, as `$d` of PowerShell; `None`: Windows formats the disk as D:.
    pub windows_local_disks: fn(LocalDisks) -> Option<String>,
}

impl CloudRules {
    /// True if a VM has a limit for each kind of disk.
    pub fn has_limits_by_kind(&self) -> bool {
        self.remote_limiters.is_some()
    }
}

/// Limits of a VM size on each kind of disk; none where it has one limit for all kinds.
pub(crate) type KindLimitsOf = fn(&VmSize, &Rules, Era, Redundancy) -> Result<Vec<KindLimits>, CatalogError>;

/// Local disks that were chosen with the VM.
pub(crate) struct ChosenLocal {
    /// Their number, size and figures, all together.
    pub(crate) disks: LocalDisk,
    /// The source's key.
    pub(crate) source: String,
    /// Assumption about them: name, value and reason.
    pub(crate) assumed: Option<[String; 3]>,
    /// Name of their price in the table of VM prices, for each; `None`: it is not known.
    pub(crate) priced_as: Option<String>,
}

/// A cloud whose machines are listed and not modelled.
#[derive(Clone, Copy, Debug)]
pub struct NotModelled {
    /// The reason, for a machine.
    pub machines: &'static str,
    /// The reason, for a disk.
    pub disks: &'static str,
    /// Published figures of a machine; `None`: it is not this cloud's.
    pub machine: fn(&str) -> Option<Entry>,
    /// True if a word is one of its kinds of disk.
    pub is_disk: fn(&str) -> bool,
}

/// The columns of a table of VM sizes.
#[derive(Clone, Copy, Debug)]
pub struct VmColumns {
    /// The size's name.
    pub name: &'static str,
    /// IOPS and bytes of disks without host cache.
    pub uncached: [&'static str; 2],
    /// IOPS and bytes of disks with a host cache.
    pub cached: [&'static str; 2],
    /// Figures that a prediction needs.
    pub needed: &'static [&'static str],
    /// Columns that name a source, each with the beginning of the columns that it is of.
    pub(crate) sources: &'static [(&'static str, &'static str)],
    /// Columns that only an import fills.
    pub(crate) imported: &'static [&'static str],
}

/// The shipped tables of a cloud.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tables {
    pub(crate) vms: Option<Csv>,
    /// Rows to be laid over VM sizes in earlier eras.
    pub(crate) vm_eras: Option<Csv>,
    /// Figures of VM sizes that another source gives differently.
    pub(crate) crosscheck: Option<Csv>,
    pub(crate) tiers: Option<Csv>,
    pub(crate) vm_prices: Option<Csv>,
    pub(crate) disk_prices: Option<Csv>,
}
