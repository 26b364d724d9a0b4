//! The figures of a disk without tiers: provisioned within the bounds of its kind, or following from its size.

use iobound_model::Credit;
use iobound_units::{Bandwidth, Bytes, Grouped, Iops, format_throughput};

use crate::bounds::Bounds;
use crate::clouds::disk_kind::Sold;
use crate::clouds::names::DiskType;
use crate::error::CatalogError;
use crate::performance::{ByIos, BySize, Chosen, Performance, Streaming};

/// The figures of one disk, as published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Provisioned {
    /// I/O units a second.
    pub(crate) ios: u64,
    /// Bytes a second.
    pub(crate) bytes: u64,
    pub(crate) ios_credit: Option<Credit>,
    pub(crate) bytes_credit: Option<Credit>,
}

fn plain([ios, bytes]: [u64; 2]) -> Provisioned {
    Provisioned { ios, bytes, ..Provisioned::default() }
}

/// The request.
struct ProvisionRequest {
    disk: DiskType,
    gib: u64,
    iops: Option<u64>,
    throughput: Option<u64>,
}

/// The figures of a provisioned disk; what lies outside the bounds is refused with them.
pub(crate) fn provision(
    bounds: &Bounds,
    disk: DiskType,
    size: Bytes,
    iops: Option<Iops>,
    throughput: Option<Bandwidth>,
) -> Result<Provisioned, CatalogError> {
    let gib = whole_gib(disk, size)?;
    let [least, most] = bounds.gib;
    if gib < least || gib > most {
        return Err(CatalogError::refused(
            format!("{} of {size}", disk.title()),
            format!("its size must be {least} GiB to {most} GiB"),
            "use a size in this range, or several disks",
        ));
    }
    let asked =
        ProvisionRequest { disk, gib, iops: iops.map(Iops::get), throughput: throughput.map(Bandwidth::get) };
    match &bounds.performance {
        Performance::Chosen(chosen) => asked.chosen(chosen),
        Performance::ByIos(by) => asked.by_ios(by),
        Performance::BySize(by) => asked.by_size(by),
        Performance::Streaming(streaming) => asked.streaming(streaming),
        Performance::Tied(of) => of.provision(disk, gib, asked.iops, asked.throughput).map(plain),
        Performance::Pooled(of) => {
            of.provision(disk, gib, asked.iops.is_some() || asked.throughput.is_some()).map(plain)
        }
    }
}

impl Bounds {
    /// I/O units and bytes a second of a disk for which none are given; `None`: they must be given, or nothing can be provisioned.
    pub fn default_figures(&self, disk: DiskType, size: Bytes) -> Option<[u64; 2]> {
        let of = provision(self, disk, size, None, None).ok()?;
        (self.has_own_ios() || self.has_own_bytes()).then_some([of.ios, of.bytes])
    }
}

fn whole_gib(disk: DiskType, size: Bytes) -> Result<u64, CatalogError> {
    if !size.get().is_multiple_of(1 << 30) {
        return Err(CatalogError::refused(
            format!("{} of {size}", disk.title()),
            "disk sizes are whole GiB",
            format!("write {}GiB", size.get().div_ceil(1 << 30)),
        ));
    }
    Ok(size.get() >> 30)
}

impl ProvisionRequest {
    fn chosen(&self, of: &Chosen) -> Result<Provisioned, CatalogError> {
        let [least, most] = of.ios;
        let allowed = if self.gib <= of.least_up_to_gib {
            least
        } else {
            self.gib.saturating_mul(of.ios_per_gib).min(most).max(least)
        };
        let ios = match self.iops {
            None if !of.included => return Err(self.missing_figures("IOPS and throughput")),
            asked => self.within(asked.unwrap_or(least), least, allowed)?,
        };
        let [least, most] = of.bytes;
        let bytes = match self.throughput {
            None if !of.included => return Err(self.missing_figures("a throughput")),
            asked => asked.unwrap_or(least),
        };
        let most = ios.saturating_mul(of.bytes_per_io).min(most).max(least);
        if !(least..=most).contains(&bytes) {
            return Err(CatalogError::refused(
                format!("{} with {}", self.disk.title(), format_throughput(bytes as f64)),
                format!(
                    "with {} IOPS, the throughput must be {} to {}",
                    Grouped(ios),
                    format_throughput(least as f64),
                    format_throughput(most as f64)
                ),
                "provision a throughput in this range, or more IOPS",
            ));
        }
        Ok(Provisioned { ios, bytes, ..Provisioned::default() })
    }

    fn by_ios(&self, of: &ByIos) -> Result<Provisioned, CatalogError> {
        let Some(asked) = self.iops else { return Err(self.missing_figures("IOPS")) };
        if self.throughput.is_some() {
            return Err(self.not_provisioned("throughput"));
        }
        let [least, most] = of.ios;
        let allowed = self.gib.saturating_mul(of.ios_per_gib).min(most).max(least);
        let ios = self.within(asked, least, allowed)?;
        Ok(Provisioned { ios, bytes: of.bytes(ios), ..Provisioned::default() })
    }

    fn by_size(&self, of: &BySize) -> Result<Provisioned, CatalogError> {
        self.nothing_provisioned()?;
        let [least, most] = of.ios;
        let ios = self.gib.saturating_mul(of.ios_per_gib).min(most).max(least);
        Ok(Provisioned {
            ios,
            bytes: of.bytes[usize::from(self.gib > of.small_up_to_gib)],
            ios_credit: Some(of.burst).filter(|credit| ios < credit.burst),
            ..Provisioned::default()
        })
    }

    fn streaming(&self, of: &Streaming) -> Result<Provisioned, CatalogError> {
        self.nothing_provisioned()?;
        let [base, burst] = of.per_tib.map(|each| (each.saturating_mul(self.gib) / 1024).min(of.most));
        let capacity = (self.gib << 30).saturating_mul(of.credits);
        Ok(Provisioned {
            ios: of.ios,
            bytes: base,
            bytes_credit: (burst > base).then_some(Credit { burst, capacity }),
            ..Provisioned::default()
        })
    }

    fn within(&self, ios: u64, least: u64, most: u64) -> Result<u64, CatalogError> {
        if (least..=most).contains(&ios) {
            return Ok(ios);
        }
        Err(CatalogError::refused(
            format!("{} of {} GiB with {} IOPS", self.disk.title(), self.gib, Grouped(ios)),
            format!("a disk of that size supports {} to {} IOPS", Grouped(least), Grouped(most)),
            "provision IOPS in this range, or use a larger disk",
        ))
    }

    fn missing_figures(&self, what: &str) -> CatalogError {
        let sized = format!("{}@{}GiB", self.disk.word(), self.gib);
        let example = match self.disk.kind().sold {
            Sold::Apart { example, .. } => example,
            Sold::InTiers { .. } => "",
        };
        CatalogError::refused(
            sized.clone(),
            format!("{} has no figures of its own: {what} must be provisioned", self.disk.title()),
            format!("write {sized}{example}"),
        )
    }

    fn nothing_provisioned(&self) -> Result<(), CatalogError> {
        match (self.iops, self.throughput) {
            (None, None) => Ok(()),
            (Some(_), _) => Err(self.not_provisioned("IOPS")),
            (None, Some(_)) => Err(self.not_provisioned("throughput")),
        }
    }

    fn not_provisioned(&self, what: &str) -> CatalogError {
        CatalogError::refused(
            format!("{} with provisioned {what}", self.disk.title()),
            "its size or its IOPS determine that figure",
            format!("leave it out, or use {}", self.disk.provisioned_beside()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::era::Era;
    use crate::rules::Rules;

    fn bounds(disk: DiskType) -> Bounds {
        Bounds::of(&Rules::default(), disk, Era::current()).unwrap().unwrap()
    }

    fn figures(
        disk: DiskType,
        gib: u64,
        iops: Option<u64>,
        throughput: Option<u64>,
    ) -> Result<(u64, u64), String> {
        provision(&bounds(disk), disk, Bytes::gib(gib), iops.map(Iops), throughput.map(Bandwidth))
            .map(|p| (p.ios, p.bytes))
            .map_err(|error| error.to_string())
    }

    const MB: u64 = 1_000_000;
    const MIB: u64 = 1 << 20;

    #[test]
    fn premium_v2_has_its_free_figures_and_its_ranges() {
        use DiskType::PremiumV2;
        assert_eq!(figures(PremiumV2, 1, None, None), Ok((3_000, 125 * MB)));
        assert_eq!(figures(PremiumV2, 1024, Some(20_000), Some(600 * MB)), Ok((20_000, 600 * MB)));
        // 160 GiB x 500 = 80,000; 0.25 MB/s an IOPS, 2,000 at most.
        assert_eq!(figures(PremiumV2, 160, Some(80_000), Some(2_000 * MB)), Ok((80_000, 2_000 * MB)));
        assert!(figures(PremiumV2, 159, Some(80_000), None).unwrap_err().contains("79,500"));
        assert!(figures(PremiumV2, 6, Some(3_001), None).unwrap_err().contains("3,000 to 3,000"));
        assert!(figures(PremiumV2, 1024, Some(3_000), Some(751 * MB)).unwrap_err().contains("750 MB/s"));
        assert!(figures(PremiumV2, 65_537, None, None).unwrap_err().contains("65536 GiB"));
    }

    #[test]
    fn ultra_must_be_provisioned() {
        use DiskType::Ultra;
        assert!(figures(Ultra, 1024, None, None).unwrap_err().contains("+5000iops"));
        assert!(figures(Ultra, 1024, Some(5_000), None).unwrap_err().contains("throughput"));
        assert_eq!(figures(Ultra, 4, Some(4_000), Some(1_000 * MB)), Ok((4_000, 1_000 * MB)));
        assert_eq!(figures(Ultra, 512, Some(400_000), Some(10_000 * MB)), Ok((400_000, 10_000 * MB)));
        assert!(figures(Ultra, 4, Some(4_001), Some(MB)).unwrap_err().contains("4,000"));
    }

    #[test]
    fn gp2_follows_from_its_size_and_bursts_below_a_thousand_gib() {
        let of = |gib| provision(&bounds(DiskType::Gp2), DiskType::Gp2, Bytes::gib(gib), None, None).unwrap();
        assert_eq!((of(33).ios, of(34).ios, of(5_334).ios, of(16_384).ios), (100, 102, 16_000, 16_000));
        assert_eq!(of(100).ios_credit, Some(Credit { burst: 3_000, capacity: 5_400_000 }));
        assert_eq!(of(1_000).ios_credit, None);
        // "If burst credits are available": those of I/O, of which there are no others.
        assert_eq!((of(170).bytes, of(171).bytes, of(334).bytes), (128 * MIB, 250 * MIB, 250 * MIB));
        assert_eq!([170, 171, 334].map(|gib| of(gib).bytes_credit), [None; 3]);
    }

    /// awsdocs/amazon-ec2-user-guide, hdd-vols.md: the tables of base and burst throughput (GiB, MiB/s), and a bucket that
    /// holds one full scan.
    #[test]
    fn hdds_burst_as_in_the_documented_tables() {
        let st1 = [(125, 5, 31), (512, 20, 125), (1_024, 40, 250), (2_048, 80, 500), (12_800, 500, 500)];
        let sc1 = [(512, 6, 40), (1_024, 12, 80), (3_072, 36, 240), (4_096, 48, 250), (16_384, 192, 250)];
        for (disk, table) in [(DiskType::St1, st1), (DiskType::Sc1, sc1)] {
            for (gib, base, burst) in table {
                let of = provision(&bounds(disk), disk, Bytes::gib(gib), None, None).unwrap();
                let credit = of.bytes_credit;
                // The smallest st1 is printed as 0.125 TiB, 128 GiB; 125 GiB are sold.
                let near = |figure: u64, printed: u64| {
                    figure.abs_diff(printed * MIB) <= if gib == 125 { MIB } else { 0 }
                };
                assert!(near(of.bytes, base), "{disk:?} {gib} {}", of.bytes);
                assert!(near(credit.map_or(of.bytes, |c| c.burst), burst), "{disk:?} {gib} {credit:?}");
                assert!(credit.is_none_or(|c| c.capacity == gib << 30), "{disk:?} {gib} {credit:?}");
                assert_eq!(credit.is_none(), base == burst, "{disk:?} {gib}");
            }
        }
    }

    #[test]
    fn ebs_ranges_are_the_documented_ones() {
        assert_eq!(figures(DiskType::Gp3, 500, None, None), Ok((3_000, 125 * MIB)));
        assert_eq!(figures(DiskType::Gp3, 500, Some(6_000), Some(300 * MB)), Ok((6_000, 300 * MB)));
        assert!(figures(DiskType::Gp3, 10, Some(6_000), None).unwrap_err().contains("5,000"));
        assert_eq!(figures(DiskType::Io2, 256, Some(256_000), None), Ok((256_000, 4_000 * MIB)));
        assert_eq!(figures(DiskType::Io1, 1_280, Some(64_000), None), Ok((64_000, 1_000 * MIB)));
        assert_eq!(figures(DiskType::Io1, 1_280, Some(1_000), None), Ok((1_000, 250 * MIB)));
        assert!(figures(DiskType::Io1, 100, None, None).unwrap_err().contains("io1@100GiB+5000iops"));
        // 12.5 TiB x 40 MiB/s = 500 MiB/s.
        assert_eq!(figures(DiskType::St1, 12_800, None, None), Ok((500, 500 * MIB)));
        assert_eq!(figures(DiskType::Sc1, 1_024, None, None), Ok((250, 12 * MIB)));
        assert!(figures(DiskType::Sc1, 1_024, Some(9), None).is_err());
    }
}
