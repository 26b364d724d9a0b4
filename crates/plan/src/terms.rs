//! Conditions on candidates beyond sufficiency.

use iobound_catalog::{Arch, DiskType};

use crate::build::Volume;
use crate::market::Vm;
use crate::offer::Offer;
use crate::refusal::Because;

/// Acceptable offers. The default is the choice of a database administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Processors; `None`: any.
    pub arch: Option<Arch>,
    /// True if previous generations are taken.
    pub previous: bool,
    /// True if sizes whose processors run on credits are taken.
    pub cpu_burstable: bool,
    /// True if sizes for GPUs, high performance computing and confidential computing are taken.
    pub special: bool,
    /// Usable vCPUs: the least and the most.
    pub vcpus: [Option<u64>; 2],
    /// Bytes of memory: the least and the most.
    pub memory: [Option<u64>; 2],
    /// Billionths of a dollar a month, at most.
    pub most: Option<u64>,
    /// Disks of the data and of the log together, at most.
    pub most_disks: Option<u64>,
    /// Types of disks; empty: all.
    pub disks: Vec<DiskType>,
    /// Types of which only disks with performance plus are taken.
    pub plus_only: Vec<DiskType>,
    /// True if the log may be on hard disks, whose writes take milliseconds.
    pub log_on_hdd: bool,
    /// Only this VM size, by its full name.
    pub vm: Option<String>,
    /// True if disks may have a host cache.
    pub host_cache: bool,
    /// The data's disks, where they are there already.
    pub kept: Option<Volume>,
    /// Cost of one disk less, in billionths of a dollar a month: nobody looks after twice the disks for a cent. It
    /// chooses among disks, and is in no price.
    pub per_disk: u64,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            arch: Some(Arch::X64),
            previous: false,
            cpu_burstable: false,
            special: false,
            vcpus: [None; 2],
            memory: [None; 2],
            most: None,
            most_disks: None,
            disks: Vec::new(),
            plus_only: Vec::new(),
            log_on_hdd: false,
            vm: None,
            host_cache: true,
            kept: None,
            per_disk: 1_000_000_000,
        }
    }
}

impl Terms {
    /// Reason why a VM size is not taken, whatever it delivers. A named one is taken as it is.
    pub(crate) fn refuse(&self, vm: &Vm) -> Option<Because> {
        if self.vm.is_some() {
            return None;
        }
        if let Some(wanted) = self.arch {
            match vm.arch {
                Some(arch) if arch == wanted => {}
                Some(arch) => return Some(Because::Arch(arch)),
                None => return Some(Because::Unknown("processor")),
            }
        }
        if let Some(reason) = &vm.restricted {
            return Some(Because::Restricted(reason.clone()));
        }
        if vm.previous && !self.previous {
            return Some(Because::Previous);
        }
        if vm.cpu_burstable && !self.cpu_burstable {
            return Some(Because::CpuBurstable);
        }
        if vm.special && !self.special {
            return Some(Because::Special);
        }
        bounded(vm.vcpus, self.vcpus, "vCPUs").or_else(|| bounded(vm.memory, self.memory, "memory"))
    }

    pub(crate) fn takes(&self, offer: &Offer) -> bool {
        let is_wanted = self.disks.is_empty() || self.disks.contains(&offer.disk);
        is_wanted && (!self.plus_only.contains(&offer.disk) || offer.has_performance_plus())
    }

    /// True if the log may be on disks of this kind.
    pub(crate) fn takes_log(&self, offer: &Offer) -> bool {
        self.takes(offer) && (self.log_on_hdd || !offer.disk.kind().is_hdd)
    }
}

fn bounded(have: Option<u64>, [least, most]: [Option<u64>; 2], what: &'static str) -> Option<Because> {
    if least.is_none() && most.is_none() {
        return None;
    }
    let Some(have) = have else { return Some(Because::Unknown(what)) };
    let below = least.filter(|least| have < *least).map(|wanted| Because::TooFew { what, have, wanted });
    let above = most.filter(|most| have > *most).map(|wanted| Because::TooMany { what, have, wanted });
    below.or(above)
}
