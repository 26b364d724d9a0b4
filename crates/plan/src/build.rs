//! Configurations that can be bought.

use iobound_catalog::DiskType;

use crate::local::LocalFit;
use crate::offer::Fit;

/// Disks that meet a volume's demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    /// The kind of disk, by its place in the market.
    pub offer: usize,
    /// Its type.
    pub disk: DiskType,
    /// Number and kind of the disks.
    pub fit: Fit,
    /// True if it has a read cache. A read-write cache is never chosen: what it acknowledges passes the same limits later,
    /// so that it lasts no longer, and a crash loses it.
    pub cached: bool,
}

/// Bought disks, which keep their data when the VM is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bought {
    /// The data's disks.
    pub data: Volume,
    /// The log's.
    pub log: Option<Volume>,
}

impl Bought {
    /// The volumes: the data's first.
    pub fn volumes(&self) -> impl Iterator<Item = &Volume> {
        std::iter::once(&self.data).chain(&self.log)
    }

    /// Their number.
    pub(crate) fn disk_count(&self) -> u64 {
        self.volumes().map(|volume| volume.fit.count).sum()
    }

    /// Their price a month.
    pub(crate) fn price(&self) -> u64 {
        self.data.fit.price.saturating_add(self.log.map_or(0, |log| log.fit.price))
    }
}

/// Disks of the VM's own for data and log. A disk belongs to one volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnLocal {
    /// The data's disks.
    pub data: LocalFit,
    /// The log's.
    pub log: Option<LocalFit>,
}

/// The disks of data and log: all of them are bought, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disks {
    /// Bought disks.
    Bought(Bought),
    /// The VM's local disks, which lose all of it when the VM is stopped or moved.
    Local(OnLocal),
}

/// A VM size and its disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// The VM size, by its place in the market.
    pub vm: usize,
    /// The disks of data and log.
    pub disks: Disks,
    /// Local disks for what may be lost with the VM.
    pub temp: Option<LocalFit>,
    /// Sort key: monthly price in billionths of a dollar; for a kept VM without a known price, that of the disks alone; in
    /// [`Rank::Size`](crate::Rank) its size.
    pub price: u64,
}

impl Build {
    /// A build of bought disks.
    pub(crate) fn of(vm: usize, bought: Bought, temp: Option<LocalFit>, price: u64) -> Build {
        Build { vm, disks: Disks::Bought(bought), temp, price }
    }

    /// The bought disks; `None`: data and log are on local disks.
    pub fn bought(&self) -> Option<&Bought> {
        match &self.disks {
            Disks::Bought(bought) => Some(bought),
            Disks::Local(_) => None,
        }
    }

    /// Local disks by the volume that they are of: `data`, `log`, `temp`.
    pub fn local(&self) -> impl Iterator<Item = (&'static str, LocalFit)> {
        let on_local = match self.disks {
            Disks::Bought(_) => None,
            Disks::Local(on_local) => Some(on_local),
        };
        let of = |name: &'static str, fit: Option<LocalFit>| fit.map(|fit| (name, fit));
        let data = of("data", on_local.map(|on| on.data));
        let log = of("log", on_local.and_then(|on| on.log));
        [data, log, of("temp", self.temp)].into_iter().flatten()
    }

    /// Number of disks of data and log.
    pub fn disk_count(&self) -> u64 {
        match &self.disks {
            Disks::Bought(bought) => bought.disk_count(),
            Disks::Local(on) => on.data.count + on.log.map_or(0, |log| log.count),
        }
    }
}
