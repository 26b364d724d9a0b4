//! What both oracles share: the market, the needs, and when a machine's limits let a demand through.

use iobound_catalog::{Catalog, Cloud, DiskType, Os};
use iobound_plan::{Build, Look, Market, Need, Rank, Shape, Terms, Vm, VolumeNeed, search};
use iobound_units::{Bandwidth, Bytes, Iops, Percent};
use proptest::prelude::ProptestConfig;

pub(crate) const MIB: u64 = 1 << 20;

pub(crate) fn market(clouds: &[Cloud], rank: Rank) -> Market {
    let catalog = Catalog::shipped();
    let list = |cloud: &Cloud| {
        let region = match cloud {
            Cloud::Azure => "westeurope",
            Cloud::Aws => "us-east-1",
            _ => "us-central1",
        };
        (*cloud, catalog.price_list(region, Os::Linux).unwrap())
    };
    let lists: Vec<_> = clouds.iter().map(list).collect();
    Market::of(&catalog, &lists, Look { rank: Some(rank), ..Look::default() }).unwrap()
}

pub(crate) fn volume(iops: u64, mib: u64, gib: u64, read: u32) -> VolumeNeed {
    VolumeNeed {
        iops: Iops(iops),
        throughput: Bandwidth(mib * MIB),
        shape: Shape { block: 8 << 10, read: Percent::whole(read).unwrap() },
        capacity: Bytes::gib(gib),
        working_set: Bytes::gib(gib),
    }
}

pub(crate) fn need(data: VolumeNeed, log: Option<VolumeNeed>, temp: Option<VolumeNeed>) -> Need {
    Need { data, log, temp, latency: None, headroom: Percent::ZERO }
}

/// The terms under which every machine and each of these disks is offered.
pub(crate) fn terms(disks: Vec<DiskType>) -> Terms {
    Terms {
        disks,
        log_on_hdd: true,
        arch: None,
        previous: true,
        cpu_burstable: true,
        special: true,
        per_disk: 0,
        ..Terms::default()
    }
}

pub(crate) fn cheapest(market: &Market, need: &Need, terms: &Terms) -> Option<Build> {
    search(market, need, terms).builds.first().copied()
}

pub(crate) fn cases() -> ProptestConfig {
    let all = ProptestConfig::default();
    ProptestConfig { cases: (all.cases / 8).max(1), failure_persistence: None, ..all }
}

/// Limits of IOPS and of bytes a second, each of reads and of writes.
#[derive(Clone, Copy)]
pub(crate) struct Ways {
    pub(crate) ios: [u64; 2],
    pub(crate) bytes: [u64; 2],
}

impl Ways {
    /// The limits of a machine on a kind of disk.
    pub(crate) fn of(vm: &Vm, disk: DiskType) -> Option<Ways> {
        let of = vm.kinds.iter().find(|of| of.disk == disk)?;
        Some(Ways { ios: [of.read.ios?, of.write.ios?], bytes: [of.read.bytes?, of.write.bytes?] })
    }

    pub(crate) fn larger(self, other: Ways) -> Ways {
        let larger = |one: [u64; 2], two: [u64; 2]| [one[0].max(two[0]), one[1].max(two[1])];
        Ways { ios: larger(self.ios, other.ios), bytes: larger(self.bytes, other.bytes) }
    }
}

/// What a volume asks for: reads and writes a second, bytes both ways, GiB.
#[derive(Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) ios: [u64; 2],
    pub(crate) bytes: [u64; 2],
    pub(crate) gib: u64,
}

impl Ask {
    pub(crate) fn of(of: &VolumeNeed) -> Ask {
        let share = u64::from(of.shape.read.ppm());
        let parts = |all: u64| {
            let read = (all * share).div_ceil(1_000_000);
            [read, all - read]
        };
        let bytes = of.throughput.get().max(of.iops.get() * 8_192);
        // Throughput beyond the I/Os' own moves in units of 256 KiB.
        let ios = of.iops.get().max(bytes.div_ceil(256 << 10));
        Ask { ios: parts(ios), bytes: parts(bytes), gib: of.capacity.get() >> 30 }
    }

    pub(crate) fn plus(self, other: Ask) -> Ask {
        let sum = |one: [u64; 2], other: [u64; 2]| [one[0] + other[0], one[1] + other[1]];
        Ask { ios: sum(self.ios, other.ios), bytes: sum(self.bytes, other.bytes), gib: self.gib + other.gib }
    }

    /// True if limits of reads and writes let it through; both share the larger IOPS, and on a half-duplex limit the bytes.
    pub(crate) fn passes(&self, limits: Ways, half: bool) -> bool {
        let Ways { ios, bytes } = limits;
        let sum = |of: [u64; 2]| of[0] + of[1];
        sum(self.ios) <= ios[0].max(ios[1])
            && (0..2).all(|way| self.ios[way] <= ios[way] && self.bytes[way] <= bytes[way])
            && (!half || sum(self.bytes) <= bytes[0].max(bytes[1]))
    }
}
