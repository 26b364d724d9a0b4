//! The disks that are the host's own: fast, free, and empty after the VM was stopped.

use iobound_catalog::{LocalDisk, VmSize};

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
    /// Known facts about a VM size's local disks: NVMe first, which share nothing. What has neither figures nor a limit that it
    /// shares is not known.
    pub(crate) fn of(vm: &VmSize) -> Vec<Local> {
        let mut kinds = Vec::new();
        let mut add = |disk: LocalDisk, is_nvme: bool, shares_cache: bool| {
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
                });
            }
        };
        add(vm.nvme, true, false);
        add(vm.temp, false, vm.cached.known());
        kinds
    }

    /// `nvme`, `temp`: as `--disk` takes it.
    pub const fn word(&self) -> &'static str {
        if self.is_nvme { "nvme" } else { "temp" }
    }

    /// The fewest of them that hold and deliver a demand.
    fn fewest(&self, demand: &Demand) -> Option<u64> {
        (1..=self.count).find(|count| self.gib * count >= demand.gib && self.lets_through(demand, *count))
    }
}

impl Local {
    /// Both directions share what is the same figure for both, as in the model: of a size whose writes are not told, all of it.
    fn lets_through(&self, demand: &Demand, count: u64) -> bool {
        let (Some(read), Some(write)) = (self.read, self.write) else { return true };
        let share = |limit: Pair| Pair {
            ios: limit.ios / self.count * count,
            bytes: limit.bytes / self.count * count,
        };
        let (read, write) = (share(read), share(write));
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

/// The first kind of local disks that is enough by itself, and how many of them.
pub(crate) fn fit(kinds: &[Local], demand: &Demand) -> Option<LocalFit> {
    let found = kinds.iter().enumerate().find_map(|(kind, local)| Some((kind, local.fewest(demand)?)));
    found.map(|(kind, count)| LocalFit { kind, count })
}
