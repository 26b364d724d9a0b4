//! The limits in front of a remote disk of a cloud whose VMs have more than one limit for all of them.

use crate::bounds::Bounds;
use crate::clouds::names::{DiskType, Redundancy};
use crate::configuration::UnknownLimits;
use crate::error::CatalogError;
use crate::rules::Rules;
use crate::vm::{Limits, VmSize};

/// Names the limits that an I/O to a disk passes, in order.
pub(crate) type RemoteLimiters = fn(&RemoteAsk<'_>) -> Result<Vec<RemoteLimiter>, CatalogError>;

/// A disk of a configuration, and what else is on its VM.
pub(crate) struct RemoteAsk<'a> {
    pub(crate) vm: &'a VmSize,
    pub(crate) disk: DiskType,
    /// The disk's name.
    pub(crate) name: &'a str,
    /// The disk's own published figures.
    pub(crate) own: Limits,
    pub(crate) bounds: &'a Bounds,
    /// All disks of the configuration.
    pub(crate) attached: &'a [Attached],
    pub(crate) rules: &'a Rules,
    pub(crate) era: crate::era::Era,
    /// Treatment of VM limits that no source gives. A limit without figures is left out.
    pub(crate) unknown_limits: UnknownLimits,
}

/// Equal disks on a VM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached {
    pub(crate) disk: DiskType,
    pub(crate) redundancy: Redundancy,
    pub(crate) count: u64,
    /// GiB of each.
    pub(crate) gib: u64,
}

/// A limit: of both directions together, and of each. Limits of one name are one limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteLimiter {
    pub(crate) group: &'static str,
    pub(crate) instance: String,
    /// Scope of the rules by which it is enforced.
    pub(crate) scope: &'static str,
    pub(crate) shared: Limits,
    pub(crate) read: Limits,
    pub(crate) write: Limits,
    /// Assumption about it, with its reason.
    pub(crate) assumed: Option<[String; 3]>,
}
