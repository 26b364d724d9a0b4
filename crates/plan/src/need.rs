//! The need, in whole numbers.

use iobound_units::{Bandwidth, Bytes, Iops, Percent, Span};

/// I/Os are split at this, whatever the interleave (the largest transfer of the catalogue's rules).
pub(crate) const UNIT: u64 = 256 << 10;

/// Pattern of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The size of one, in bytes; offsets are multiples of it.
    pub block: u32,
    /// Number of them that read.
    pub read: Percent,
}

impl Shape {
    /// The interleave of a stripe for it: 64 KiB for small I/Os, and for larger ones the power of two that holds one, up to
    /// 256 KiB, so that an I/O is split no more often than it has to be.
    pub fn interleave(self) -> Bytes {
        Bytes(u64::from(self.block).next_power_of_two().clamp(64 << 10, UNIT))
    }

    /// Units that `ios` of them are charged, on one disk and on a stripe: on average over all offsets, rounded up.
    pub(crate) fn units(self, ios: u64, interleave: Bytes) -> [u64; 2] {
        let (block, interleave) = (u64::from(self.block), interleave.get());
        // Starts are multiples of the block: every gcd-th byte of the interleave is one equally often.
        let fragments = u128::from(block + interleave - gcd(block, interleave));
        let striped = (u128::from(ios) * fragments).div_ceil(u128::from(interleave));
        [ios.saturating_mul(block.div_ceil(UNIT)), u64::try_from(striped).unwrap_or(u64::MAX)]
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Need of one volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeNeed {
    /// I/Os a second.
    pub iops: Iops,
    /// Bytes a second. More than the I/Os move is asked for apart, in larger I/Os.
    pub throughput: Bandwidth,
    /// Pattern of the I/Os.
    pub shape: Shape,
    /// Capacity.
    pub capacity: Bytes,
    /// The part of it that is in use at a time: what a host cache would have to hold.
    pub working_set: Bytes,
}

/// A figure of a distribution of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Statistic {
    /// The mean.
    Mean,
    /// The median.
    P50,
    /// The 90th percentile.
    P90,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
}

impl Statistic {
    /// All of them.
    pub const ALL: [Statistic; 5] =
        [Statistic::Mean, Statistic::P50, Statistic::P90, Statistic::P95, Statistic::P99];

    /// `mean`, `p99`.
    pub const fn name(self) -> &'static str {
        match self {
            Statistic::Mean => "mean",
            Statistic::P50 => "p50",
            Statistic::P90 => "p90",
            Statistic::P95 => "p95",
            Statistic::P99 => "p99",
        }
    }
}

/// A latency that reads and writes together have to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyTarget {
    /// The figure.
    pub of: Statistic,
    /// No longer than this.
    pub most: Span,
}

/// The need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The data.
    pub data: VolumeNeed,
    /// The log, on disks of its own.
    pub log: Option<VolumeNeed>,
    /// Temporary data that may be lost with the VM, on its local disks.
    pub temp: Option<VolumeNeed>,
    /// Latency goal at the requested rate.
    pub latency: Option<LatencyTarget>,
    /// The share of every limit that stays free.
    pub headroom: Percent,
}

impl Need {
    /// A share of the rates in millionths, rounded down.
    pub(crate) fn at_share(&self, ppm: u64) -> Need {
        let of = |rate: u64| (u128::from(rate) * u128::from(ppm) / 1_000_000) as u64;
        let part = |need: VolumeNeed| VolumeNeed {
            iops: Iops(of(need.iops.get()).max(1)),
            throughput: Bandwidth(of(need.throughput.get())),
            ..need
        };
        Need { data: part(self.data), log: self.log.map(part), temp: self.temp.map(part), ..*self }
    }

    /// I/Os a second of all volumes.
    pub fn iops(&self) -> u64 {
        let of = |need: Option<VolumeNeed>| need.map_or(0, |need| need.iops.get());
        self.data.iops.get().saturating_add(of(self.log)).saturating_add(of(self.temp))
    }

    /// Need of each of several equal VMs.
    pub fn shared_by(&self, vms: u64) -> Need {
        let part = |need: VolumeNeed| VolumeNeed {
            iops: Iops(need.iops.get().div_ceil(vms)),
            throughput: Bandwidth(need.throughput.get().div_ceil(vms)),
            capacity: Bytes(need.capacity.get().div_ceil(vms)),
            working_set: Bytes(need.working_set.get().div_ceil(vms)),
            ..need
        };
        Need { data: part(self.data), log: self.log.map(part), temp: self.temp.map(part), ..*self }
    }

    /// The interleave of all volumes: a configuration has one.
    pub fn interleave(&self) -> Bytes {
        let of = |need: Option<VolumeNeed>| need.map_or(Bytes::ZERO, |need| need.shape.interleave());
        self.data.shape.interleave().max(of(self.log)).max(of(self.temp))
    }
}

/// Demand of a volume on the limiters, a second: rounded up, so that rounding exceeds no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    /// I/Os.
    pub(crate) ios: u64,
    /// Units, on one disk and on a stripe.
    pub(crate) units: [u64; 2],
    /// Bytes.
    pub(crate) bytes: u64,
    /// Bytes that are read, and that are written.
    pub(crate) directions: [u64; 2],
    /// Reads in millionths.
    pub(crate) read: u32,
    /// GiB.
    pub(crate) gib: u64,
    /// Bytes that a cache would have to hold.
    pub(crate) working_set: u64,
    /// Bytes of an I/O.
    pub(crate) block: u32,
    /// Units at the requested rate, without what stays free: what is done is billed, on one disk and on a stripe.
    pub(crate) billed: [u64; 2],
}

impl VolumeNeed {
    /// The demand that leaves `headroom` of each limit free.
    pub(crate) fn demand(&self, headroom: Percent, interleave: Bytes) -> Demand {
        let free = u128::from(headroom.complement().ppm().max(1));
        let above =
            |rate: u64| u64::try_from((u128::from(rate) * 1_000_000).div_ceil(free)).unwrap_or(u64::MAX);
        let ios = above(self.iops.get());
        let moved = above(self.iops.get().saturating_mul(u64::from(self.shape.block)));
        let bytes = above(self.throughput.get()).max(moved);
        // Throughput beyond the I/Os' own moves in the largest that are charged one unit.
        let least = bytes.div_ceil(UNIT);
        let asked = self.throughput.get().max(self.iops.get().saturating_mul(u64::from(self.shape.block)));
        let billed = self.shape.units(self.iops.get(), interleave);
        let read = self.shape.read;
        let part = |share: Percent| (u128::from(bytes) * u128::from(share.ppm())).div_ceil(1_000_000) as u64;
        Demand {
            ios,
            units: self.shape.units(ios, interleave).map(|units| units.max(least)),
            bytes,
            directions: [part(read), part(read.complement())],
            read: read.ppm(),
            gib: self.capacity.get().div_ceil(1 << 30).max(1),
            working_set: self.working_set.get().max(1),
            block: self.shape.block,
            billed: billed.map(|units| units.max(asked.div_ceil(UNIT))),
        }
    }
}

impl Demand {
    /// Reads and writes among so many I/Os or bytes, which they add up to.
    pub(crate) fn parts(&self, all: u64) -> [u64; 2] {
        let read = (u128::from(all) * u128::from(self.read)).div_ceil(1_000_000) as u64;
        [read, all - read]
    }

    /// I/Os that pass a warm cache of a given size: all but the reads that it holds. A uniformly used working
    /// set is held to the share that fits.
    pub(crate) fn beyond(&self, cache: u64) -> Demand {
        let held = u128::from(cache.min(self.working_set)) * 1_000_000 / u128::from(self.working_set);
        let hits = u128::from(self.read) * held;
        let rest = 1_000_000_000_000 - hits;
        let of = |rate: u64| (u128::from(rate) * rest).div_ceil(1_000_000_000_000) as u64;
        let (units, billed) = (self.units.map(of), self.billed.map(of));
        Demand { ios: of(self.ios), units, bytes: of(self.bytes), billed, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(block: u32) -> Shape {
        Shape { block, read: Percent::whole(70).unwrap() }
    }

    #[test]
    fn an_io_is_charged_by_the_fragments_that_a_stripe_makes_of_it() {
        for (block, single, striped) in [
            (4 << 10, 1_000, 1_000),
            (64 << 10, 1_000, 1_000),
            (128 << 10, 1_000, 1_000),
            (256 << 10, 1_000, 1_000),
            (1 << 20, 4_000, 4_000),
            // 257 KiB: two units alone; on a stripe it starts at any KiB of 256, and touches two places, three if it starts
            // in the last one: (257 + 256 - 1) / 256.
            (257 << 10, 2_000, 2_000),
            // 96 KiB on 128: starts at 0, 96, 64, 32: two of the four cross.
            (96 << 10, 1_000, 1_500),
        ] {
            let shape = shape(block);
            assert_eq!(shape.units(1_000, shape.interleave()), [single, striped], "{block}");
        }
    }

    #[test]
    fn headroom_is_left_of_every_limit() {
        let need = VolumeNeed {
            iops: Iops(8_000),
            throughput: Bandwidth(0),
            shape: shape(8_192),
            capacity: Bytes::gib(1),
            working_set: Bytes::gib(1),
        };
        // 8,000 are 80 % of 10,000.
        let demand = need.demand(Percent::whole(20).unwrap(), need.shape.interleave());
        assert_eq!((demand.units, demand.bytes), ([10_000; 2], 81_920_000));
    }

    #[test]
    fn a_cache_takes_the_reads_that_it_holds() {
        let need = VolumeNeed {
            iops: Iops(10_000),
            throughput: Bandwidth(0),
            shape: shape(8_192),
            capacity: Bytes::gib(1_000),
            working_set: Bytes::gib(400),
        };
        // Half of the working set is held: 35 % of the I/Os are hits.
        let beyond = need.demand(Percent::ZERO, need.shape.interleave()).beyond(200 << 30);
        assert_eq!(beyond.units, [6_500; 2]);
    }
}
