//! Hyperdisk and extreme Persistent Disk: figures that bound one another.

use iobound_units::{Grouped, MIB};

use crate::clouds::names::DiskType;
use crate::error::CatalogError;

/// Figures of a disk within bounds by its size, one of them bounding the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tied {
    /// I/O units a second, the least and the most.
    pub ios: [u64; 2],
    /// I/O units a second of a GiB, the least and the most.
    pub ios_per_gib: [u64; 2],
    /// Bytes a second, the least and the most.
    pub bytes: [u64; 2],
    /// Bytes a second of a TiB, the least and the most.
    pub bytes_per_tib: [u64; 2],
    /// Disks of this many GiB and more have no most by the TiB.
    pub bounded_below_gib: u64,
    /// Relation between the two.
    pub tie: Tie,
    /// I/O units and bytes a second of a disk for which none are given, within the bounds.
    pub default: [u64; 2],
    /// Bytes a second of a GiB of such a disk, if more.
    pub default_bytes_per_gib: u64,
    /// I/O units and bytes a second that come with the disk, free of charge.
    pub included: (u64, u64),
}

/// Relation between I/O units and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Both are provisioned. Bytes of an I/O unit, the least and the most.
    Both([u64; 2]),
    /// I/O units are provisioned. Bytes of each.
    BytesFollow(u64),
    /// Bytes are provisioned. Bytes of an I/O unit.
    IosFollow(u64),
}

/// The whole MiB a second between two figures: throughput is provisioned so.
fn whole_between([least, most]: [u64; 2]) -> [u64; 2] {
    let most = most / MIB * MIB;
    [least.div_ceil(MIB).saturating_mul(MIB).min(most), most]
}

/// A throughput as the vendor writes it: `2,400 MiB/s`.
fn mib(bytes: u64) -> String {
    let (whole, rest) = (bytes / MIB, bytes % MIB);
    if rest == 0 {
        format!("{} MiB/s", Grouped(whole))
    } else {
        format!("{:.1} MiB/s", bytes as f64 / MIB as f64)
    }
}

impl Tied {
    /// True if I/O units are provisioned.
    pub fn provisions_ios(&self) -> bool {
        !matches!(self.tie, Tie::IosFollow(_))
    }

    /// True if bytes are.
    pub fn provisions_bytes(&self) -> bool {
        !matches!(self.tie, Tie::BytesFollow(_))
    }

    /// I/O units that may be provisioned of a size, the least and the most.
    pub fn ios_range(&self, gib: u64) -> [u64; 2] {
        let [least_each, most_each] = self.ios_per_gib.map(|each| each.saturating_mul(gib));
        let most = self.ios[1].min(most_each);
        [self.ios[0].max(least_each).min(most), most]
    }

    /// Bytes that may be provisioned of a size and so many I/O units, the least and the most.
    pub fn bytes_range(&self, gib: u64, ios: u64) -> [u64; 2] {
        let of_size = |per_tib: u64| u128::from(per_tib) * u128::from(gib) / 1_024;
        let of_size = self.bytes_per_tib.map(|each| u64::try_from(of_size(each)).unwrap_or(u64::MAX));
        let [mut least, mut most] = [self.bytes[0].max(of_size[0]), self.bytes[1]];
        if gib < self.bounded_below_gib {
            most = most.min(of_size[1]);
        }
        if let Tie::Both([least_each, most_each]) = self.tie {
            least = least.max(least_each.saturating_mul(ios));
            most = most.min(most_each.saturating_mul(ios));
        }
        [least.min(most), most]
    }

    /// I/O units and bytes a second of a disk. Those that are not given are the defaults, within the bounds.
    pub(crate) fn provision(
        &self,
        disk: DiskType,
        gib: u64,
        ios: Option<u64>,
        bytes: Option<u64>,
    ) -> Result<[u64; 2], CatalogError> {
        let follows = |figure: &str, other: &str| {
            CatalogError::refused(
                format!("{} with provisioned {figure}", disk.title()),
                format!("its {figure} follows from its {other}"),
                format!("leave it out, and provision its {other}"),
            )
        };
        match self.tie {
            Tie::BytesFollow(_) if bytes.is_some() => return Err(follows("throughput", "IOPS")),
            Tie::IosFollow(_) if ios.is_some() => return Err(follows("IOPS", "throughput")),
            _ => {}
        }
        let [least, most] = self.ios_range(gib);
        let ios = ios.unwrap_or(self.default[0].clamp(least, most));
        if self.provisions_ios() && !(least..=most).contains(&ios) {
            return Err(CatalogError::refused(
                format!("{} of {gib} GiB with {} IOPS", disk.title(), Grouped(ios)),
                format!("a disk of that size supports {} to {} IOPS", Grouped(least), Grouped(most)),
                "provision IOPS in this range, or use another size",
            ));
        }
        if let Tie::BytesFollow(each) = self.tie {
            let bytes = ios.saturating_mul(each).min(self.bytes[1]);
            return Ok([ios, bytes]);
        }
        let [least, most] = whole_between(self.bytes_range(gib, ios));
        let default = self.default[1].max(self.default_bytes_per_gib.saturating_mul(gib)).clamp(least, most);
        let bytes = bytes.unwrap_or(default);
        if !(least..=most).contains(&bytes) {
            return Err(self.throughput_error(disk, gib, ios, bytes));
        }
        if !bytes.is_multiple_of(MIB) {
            return Err(CatalogError::refused(
                format!("{} of {gib} GiB with {}", disk.title(), mib(bytes)),
                "its throughput is provisioned in whole MiB/s",
                format!("use {} or {}", mib(bytes / MIB * MIB), mib(bytes.next_multiple_of(MIB))),
            ));
        }
        let ios = match self.tie {
            Tie::IosFollow(each) => (bytes / each.max(1)).min(self.ios[1]),
            _ => ios,
        };
        Ok([ios, bytes])
    }

    fn throughput_error(&self, disk: DiskType, gib: u64, ios: u64, bytes: u64) -> CatalogError {
        let [least, most] = whole_between(self.bytes_range(gib, ios));
        let range = format!("{} to {}", mib(least), mib(most));
        let is_sold = bytes <= self.bytes[1];
        let (with, help) = match self.tie {
            Tie::Both([_, each]) if bytes > most && is_sold => {
                let needed = bytes.div_ceil(each.max(1));
                let most_ios = self.ios_range(gib)[1];
                let help = if needed <= most_ios {
                    format!("provision {} IOPS for it", Grouped(needed))
                } else {
                    format!(
                        "it needs {} IOPS, and so a disk of {} GiB",
                        Grouped(needed),
                        Grouped(needed.div_ceil(self.ios_per_gib[1].max(1)))
                    )
                };
                (format!("with {} IOPS", Grouped(ios)), help)
            }
            Tie::Both(_) => (
                format!("with {} IOPS", Grouped(ios)),
                "provision a throughput in this range, or several disks".to_string(),
            ),
            _ => (
                format!("with {gib} GiB"),
                "provision a throughput in this range, or use another size".to_string(),
            ),
        };
        CatalogError::refused(
            format!("{} of {gib} GiB with {}", disk.title(), mib(bytes)),
            format!("{with}, the throughput must be {range}"),
            help,
        )
    }

    /// The least GiB, I/O units and bytes of one disk that has at least these; `None`: it is not sold. Bytes are whole MiB
    /// a second where they are provisioned.
    pub fn at_least(&self, [gib, ios, bytes]: [u64; 3]) -> Option<[u64; 3]> {
        let whole = |bytes: u64| bytes.div_ceil(MIB).saturating_mul(MIB);
        let [gib, ios, bytes] = match self.tie {
            Tie::Both([_, each]) => {
                let bytes = whole(bytes.max(self.bytes[0]));
                let ios = ios.max(bytes.div_ceil(each.max(1)));
                let gib = gib.max(ios.div_ceil(self.ios_per_gib[1].max(1)));
                let ios = ios.max(self.ios_range(gib)[0]);
                [gib, ios, whole(bytes.max(self.bytes_range(gib, ios)[0]))]
            }
            Tie::BytesFollow(each) => {
                let ios = ios.max(bytes.div_ceil(each.max(1)));
                let gib = gib.max(ios.div_ceil(self.ios_per_gib[1].max(1)));
                let ios = ios.max(self.ios_range(gib)[0]);
                [gib, ios, ios.saturating_mul(each).min(self.bytes[1])]
            }
            Tie::IosFollow(each) => {
                let wanted = whole(bytes.max(ios.saturating_mul(each)).max(self.bytes[0]));
                let by_tib = u128::from(wanted) * 1_024;
                let for_bytes = by_tib.div_ceil(u128::from(self.bytes_per_tib[1].max(1)));
                let for_bytes = u64::try_from(for_bytes).unwrap_or(u64::MAX).min(self.bounded_below_gib);
                let gib = gib.max(for_bytes);
                let bytes = whole(wanted.max(self.bytes_range(gib, 0)[0]));
                [gib, (bytes / each.max(1)).min(self.ios[1]), bytes]
            }
        };
        let is_sold = ios <= self.ios_range(gib)[1] && bytes <= self.bytes_range(gib, ios)[1];
        is_sold.then_some([gib, ios, bytes])
    }
}
