//! The disks that are the host's own: fast, and empty after the VM was stopped. Some come with the VM, others are ordered with it.

use std::cmp::Reverse;

use iobound_catalog::{LocalDisk, OrderedLocal, VmSize};

use crate::need::Demand;
use crate::offer::units;
use crate::pair::Pair;

/// The local disks of a VM size, of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// True if they are NVMe disks beside the temporary disk.
    pub is_nvme: bool,
    /// Their number.
    pub count: u64,
    /// GiB of each, rounded down.
    pub gib: u64,
    /// Limit of reads over all of them; `None`: reads have no figures of their own.
    pub read: Option<Pair>,
    /// Limit of writes.
    pub write: Option<Pair>,
    /// True if their I/Os pass the limit of cached disks.
    pub shares_cache: bool,
    /// True if their bytes do as well: not those of a temporary disk with figures of its own.
    pub shares_bytes: bool,
    /// Price of all of them a month, where they are ordered with the VM: all or none. `None`: they come with it.
    pub ordered: Option<u64>,
}

/// Some of a VM's local disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalFit {
    /// Kind of disk, by its index in [`Vm::local`](crate::Vm::local).
    pub kind: usize,
    /// Their number.
    pub count: u64,
}

impl Local {
    /// Known facts about a VM size's local disks: first the NVMe disks that come with it, which share nothing, last those that are ordered
    /// with it, the fewest first. What has neither figures nor a limit that it shares is not known. `price` is that of all of so many
    /// ordered ones; `None`: it is not known, and they are not for sale.
    pub(crate) fn of(
        vm: &VmSize,
        ordered: &[OrderedLocal],
        price: impl Fn(&OrderedLocal) -> Option<u64>,
    ) -> Vec<Local> {
        let mut kinds = Vec::new();
        let mut add = |disk: LocalDisk, is_nvme: bool, shares_cache: bool, ordered: Option<u64>| {
            let count = disk.count.unwrap_or(u64::from(!is_nvme));
            let Some(size) = disk.size.filter(|size| size.get() > 0 && count > 0) else { return };
            // NVMe disks are told each, the temporary disk as a whole.
            let each = if is_nvme { size.get() } else { size.get() / count };
            let pair =
                |ios: Option<u64>, bytes: Option<u64>| ios.zip(bytes).map(|(ios, bytes)| Pair { ios, bytes });
            let read = pair(disk.read.ios, disk.read.bytes);
            let write = pair(disk.write.ios.or(disk.read.ios), disk.write.bytes.or(disk.read.bytes));
            if read.is_some() || shares_cache {
                kinds.push(Local {
                    is_nvme,
                    count,
                    gib: each >> 30,
                    read,
                    write: read.and(write),
                    shares_cache,
                    shares_bytes: shares_cache && (!disk.read.known() || disk.read == vm.cached),
                    ordered,
                });
            }
        };
        add(vm.nvme, true, false, None);
        add(vm.temp, false, vm.cached.known(), None);
        for choice in ordered {
            if let Some(price) = price(choice) {
                add(choice.disks, true, false, Some(price));
            }
        }
        kinds
    }

    /// `nvme`, `temp`: as `--disk` takes it.
    pub const fn word(&self) -> &'static str {
        if self.is_nvme { "nvme" } else { "temp" }
    }

    /// Numbers of them that hold and deliver a demand, the fewest first.
    fn enough<'a>(&'a self, demand: &'a Demand) -> impl Iterator<Item = u64> + 'a {
        (1..=self.count).filter(|count| self.is_enough(demand, *count))
    }

    fn is_enough(&self, demand: &Demand, count: u64) -> bool {
        self.gib * count >= demand.gib && self.lets_through(demand, count)
    }

    /// Limits of so many of them; `None`: they have no figures of their own.
    pub(crate) fn limits(&self, count: u64) -> Option<[Pair; 2]> {
        let share = |limit: Pair| Pair {
            ios: limit.ios / self.count * count,
            bytes: limit.bytes / self.count * count,
        };
        self.read.zip(self.write).map(|(read, write)| [read, write].map(share))
    }

    /// Both directions share what is the same figure for both, as in the model: of a size whose writes are not told, all of it.
    fn lets_through(&self, demand: &Demand, count: u64) -> bool {
        let Some([read, write]) = self.limits(count) else { return true };
        let [reads, writes] = directed(demand, count);
        let [bytes_read, bytes_written] = demand.directions;
        let ios = if read.ios == write.ios {
            units(demand, count) <= read.ios
        } else {
            reads <= read.ios && writes <= write.ios
        };
        let bytes = if read == write {
            demand.bytes <= read.bytes
        } else {
            bytes_read <= read.bytes && bytes_written <= write.bytes
        };
        ios && bytes
    }
}

/// Units that are read and written.
fn directed(demand: &Demand, count: u64) -> [u64; 2] {
    let all = u128::from(units(demand, count));
    let read = (all * u128::from(demand.read)).div_ceil(1_000_000);
    let written = (all * u128::from(1_000_000 - demand.read.min(1_000_000))).div_ceil(1_000_000);
    [read, written].map(|units| u64::try_from(units).unwrap_or(u64::MAX))
}

/// The first kind of local disks that is enough by itself, and how many of them: those that come with the VM before those that cost.
pub(crate) fn fit(kinds: &[Local], demand: &Demand) -> Option<LocalFit> {
    kinds.iter().enumerate().find_map(|(kind, local)| {
        let count = match local.ordered {
            None => local.enough(demand).next(),
            Some(_) => Some(local.count).filter(|count| local.is_enough(demand, *count)),
        };
        count.map(|count| LocalFit { kind, count })
    })
}

/// Cost of local disks a month.
pub(crate) fn price_of(kinds: &[Local], fits: &[LocalFit]) -> u64 {
    fits.iter().find_map(|fit| kinds[fit.kind].ordered).unwrap_or(0)
}

/// All ways to give each demand local disks of its own: the cheapest first, then those with the fewest disks, then those with the most for
/// the first demand. Of disks that are ordered all are used, and no others beside them.
pub(crate) fn ways(kinds: &[Local], demands: &[Demand]) -> Vec<Vec<LocalFit>> {
    let is_complete = |way: &Vec<LocalFit>| {
        way.iter()
            .all(|fit| kinds[fit.kind].ordered.is_none() || used(way, fit.kind) == kinds[fit.kind].count)
    };
    let mut ways = vec![Vec::new()];
    for demand in demands {
        let longer = ways.iter().flat_map(|way| {
            let more = kinds.iter().enumerate().flat_map(move |(kind, local)| {
                local.enough(demand).map(move |count| LocalFit { kind, count })
            });
            more.filter(|fit| goes_beside(kinds, way, fit)).map(|fit| [way.as_slice(), &[fit]].concat())
        });
        ways = longer.collect();
    }
    ways.retain(is_complete);
    ways.sort_by_key(|way: &Vec<LocalFit>| {
        let disks: u64 = way.iter().map(|fit| fit.count).sum();
        (price_of(kinds, way), disks, Reverse(way.first().map(|fit| fit.count)))
    });
    ways
}

/// Number of disks of a kind that are in use.
fn used(way: &[LocalFit], kind: usize) -> u64 {
    way.iter().filter(|fit| fit.kind == kind).map(|fit| fit.count).sum()
}

/// True if a VM has so many more disks of a kind beside those in use: it is ordered with one number of them.
fn goes_beside(kinds: &[Local], way: &[LocalFit], fit: &LocalFit) -> bool {
    let is_ordered = |fit: &LocalFit| kinds[fit.kind].ordered.is_some();
    let is_one_order = |other: &LocalFit| other.kind == fit.kind || !(is_ordered(other) || is_ordered(fit));
    used(way, fit.kind) + fit.count <= kinds[fit.kind].count && way.iter().all(is_one_order)
}
