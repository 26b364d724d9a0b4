//! Kubernetes' StorageClass: the parameters from which a cloud's driver makes a disk.

use crate::configuration::CacheSetting;

/// The parameters of a cloud's driver. Their names are compared without the case of letters, as the drivers do.
#[derive(Debug)]
pub(crate) struct StorageClassRules {
    /// Names of the driver: of the CSI driver, and of what Kubernetes had in its own tree before.
    pub(crate) provisioners: &'static [&'static str],
    /// Parameters that name the type of disk; the first that is given counts.
    pub(crate) kind: &'static [&'static str],
    /// The type if none is named.
    pub(crate) default_kind: &'static str,
    /// The parameter for IOPS.
    pub(crate) iops: Option<&'static str>,
    /// The parameter for IOPS of each GiB, and that which raises them to the least of the type.
    pub(crate) iops_per_gib: Option<[&'static str; 2]>,
    /// The parameter for throughput, and the unit of a number without one.
    pub(crate) throughput: Option<(&'static str, &'static str)>,
    /// The parameter for the host cache, and the cache if it is missing.
    pub(crate) cache: Option<(&'static str, CacheSetting)>,
}
