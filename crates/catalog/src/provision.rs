//! Disks whose figures are provisioned, or follow from the size: Premium SSD v2, Ultra, and EBS.

use iobound_model::Credit;
use iobound_units::{Bandwidth, Bytes, Grouped, Iops, format_throughput};

use crate::disk::DiskType;
use crate::era::Era;
use crate::error::CatalogError;
use crate::rules::Rules;

/// The figures of one disk, as published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Provisioned {
    /// I/O units a second.
    pub(crate) ios: u64,
    /// Bytes a second.
    pub(crate) bytes: u64,
    pub(crate) ios_credit: Option<Credit>,
    pub(crate) bytes_credit: Option<Credit>,
    /// The source's key.
    pub(crate) source: String,
}

/// Reads the rules of one type in one era.
struct Reader<'a> {
    rules: &'a Rules,
    disk: DiskType,
    era: Era,
}

impl Reader<'_> {
    fn micro(&self, parameter: &str) -> Result<u64, CatalogError> {
        self.rules.require(self.disk.word(), parameter, self.era)?.micro()
    }

    fn count(&self, parameter: &str) -> Result<u64, CatalogError> {
        self.rules.require(self.disk.word(), parameter, self.era)?.count()
    }

    /// A throughput in the rule's own megabytes: Azure's are 10^6 bytes, EBS's 2^20.
    fn throughput(&self, parameter: &str) -> Result<u64, CatalogError> {
        Ok(scale(self.micro(parameter)?, self.mega()))
    }

    fn mega(&self) -> u64 {
        match self.disk {
            DiskType::PremiumV2 | DiskType::Ultra => 1_000_000,
            _ => 1 << 20,
        }
    }

    fn source(&self, parameter: &str) -> Result<String, CatalogError> {
        Ok(self.rules.require(self.disk.word(), parameter, self.era)?.source.clone())
    }
}

/// `micro` millionths × `factor`.
fn scale(micro: u64, factor: u64) -> u64 {
    u64::try_from(u128::from(micro) * u128::from(factor) / 1_000_000).unwrap_or(u64::MAX)
}

/// The figures of a provisioned disk; what lies outside its type's range is refused with the range.
pub(crate) fn provision(
    rules: &Rules,
    disk: DiskType,
    size: Bytes,
    iops: Option<Iops>,
    throughput: Option<Bandwidth>,
    era: Era,
) -> Result<Provisioned, CatalogError> {
    let reader = Reader { rules, disk, era };
    let gib = whole_gib(disk, size)?;
    let (least, most) = (reader.count("size_min")?, reader.count("size_max")?);
    if gib < least || gib > most {
        return Err(CatalogError::refused(
            format!("{} of {size}", disk.title()),
            format!("it is sold from {least} GiB to {most} GiB"),
            "take a size within, or several disks",
        ));
    }
    match disk {
        DiskType::PremiumV2 => {
            let free = reader.count("baseline_iops")?;
            let most = if gib <= 6 {
                free
            } else {
                gib.saturating_mul(reader.count("iops_per_gib_max")?).min(reader.count("iops_max")?).max(free)
            };
            let ios = within(disk, iops, free, free, most, gib)?;
            bounded(&reader, ios, throughput, Some("baseline_throughput"), "baseline_throughput", "iops_max")
        }
        DiskType::Ultra => {
            let least = reader.count("iops_min")?;
            let most = gib
                .saturating_mul(reader.count("iops_per_gib_max")?)
                .min(reader.count("iops_max")?)
                .max(least);
            let Some(asked) = iops else {
                return Err(missing_figures(disk, size, "IOPS and throughput"));
            };
            let ios = within(disk, Some(asked), least, least, most, gib)?;
            if throughput.is_none() {
                return Err(missing_figures(disk, size, "a throughput"));
            }
            bounded(&reader, ios, throughput, None, "throughput_min", "iops_max")
        }
        DiskType::Gp3 => {
            let free = reader.count("iops_baseline")?;
            let most = gib
                .saturating_mul(reader.count("iops_per_gib_max")?)
                .min(reader.count("iops_max")?)
                .max(free);
            let ios = within(disk, iops, free, free, most, gib)?;
            bounded(
                &reader,
                ios,
                throughput,
                Some("throughput_baseline"),
                "throughput_baseline",
                "iops_baseline",
            )
        }
        DiskType::Io1 | DiskType::Io2 => io_provisioned(&reader, gib, size, iops, throughput),
        DiskType::Gp2 => gp2(&reader, gib, iops, throughput),
        DiskType::St1 | DiskType::Sc1 => hdd(&reader, gib, iops, throughput),
        DiskType::Premium | DiskType::StandardSsd | DiskType::StandardHdd => {
            unreachable!("a type with tiers is looked up, not provisioned")
        }
    }
}

fn whole_gib(disk: DiskType, size: Bytes) -> Result<u64, CatalogError> {
    if !size.get().is_multiple_of(1 << 30) {
        return Err(CatalogError::refused(
            format!("{} of {size}", disk.title()),
            "disks are sold by the whole GiB",
            format!("write {}GiB", size.get().div_ceil(1 << 30)),
        ));
    }
    Ok(size.get() >> 30)
}

fn missing_figures(disk: DiskType, size: Bytes, what: &str) -> CatalogError {
    let word = disk.word();
    let gib = size.get() >> 30;
    CatalogError::refused(
        format!("{word}@{gib}GiB"),
        format!("{} has no figures of its own: {what} must be provisioned", disk.title()),
        match disk {
            DiskType::Ultra => format!("write {word}@{gib}GiB+5000iops+200MB/s"),
            _ => format!("write {word}@{gib}GiB+5000iops"),
        },
    )
}

fn within(
    disk: DiskType,
    asked: Option<Iops>,
    default: u64,
    least: u64,
    most: u64,
    gib: u64,
) -> Result<u64, CatalogError> {
    let ios = asked.map_or(default, Iops::get);
    if (least..=most).contains(&ios) {
        return Ok(ios);
    }
    Err(CatalogError::refused(
        format!("{} of {gib} GiB with {} IOPS", disk.title(), Grouped(ios)),
        format!("a disk of that size takes {} to {} IOPS", Grouped(least), Grouped(most)),
        "provision IOPS within, or take a larger disk",
    ))
}

/// The throughput that may go with `ios`: from the type's least to a share of the IOPS, at most the type's own.
fn bounded(
    reader: &Reader<'_>,
    ios: u64,
    asked: Option<Bandwidth>,
    default: Option<&str>,
    least: &str,
    source: &str,
) -> Result<Provisioned, CatalogError> {
    let least = reader.throughput(least)?;
    let per_iops = scale(reader.micro("throughput_per_iops_max")?, reader.mega());
    let most = ios.saturating_mul(per_iops).min(reader.throughput("throughput_max")?).max(least);
    let bytes = match (asked, default) {
        (Some(asked), _) => asked.get(),
        (None, Some(default)) => reader.throughput(default)?,
        (None, None) => least,
    };
    if !(least..=most).contains(&bytes) {
        return Err(CatalogError::refused(
            format!("{} with {}", reader.disk.title(), format_throughput(bytes as f64)),
            format!(
                "with {} IOPS it takes {} to {}",
                Grouped(ios),
                format_throughput(least as f64),
                format_throughput(most as f64)
            ),
            "provision a throughput within, or more IOPS",
        ));
    }
    Ok(Provisioned { ios, bytes, source: reader.source(source)?, ..Provisioned::default() })
}

fn io_provisioned(
    reader: &Reader<'_>,
    gib: u64,
    size: Bytes,
    iops: Option<Iops>,
    throughput: Option<Bandwidth>,
) -> Result<Provisioned, CatalogError> {
    let disk = reader.disk;
    if iops.is_none() {
        return Err(missing_figures(disk, size, "IOPS"));
    }
    not_provisioned(disk, None, throughput)?;
    let least = reader.count("iops_min")?;
    let most =
        gib.saturating_mul(reader.count("iops_per_gib_max")?).min(reader.count("iops_max")?).max(least);
    let ios = within(disk, iops, least, least, most, gib)?;
    let max = reader.throughput("throughput_max")?;
    let bytes = if disk == DiskType::Io2 {
        ios.saturating_mul(scale(reader.micro("throughput_per_iops_max")?, reader.mega())).min(max)
    } else if ios <= 32_000 {
        // Up to 32,000 IOPS each I/O may count 256 KiB, to half the type's most (500 MiB/s).
        ios.saturating_mul(reader.count("io_size_at_or_below_32000_iops")?).saturating_mul(1024).min(max / 2)
    } else {
        ios.saturating_mul(reader.count("throughput_per_iops_above_32000")?).saturating_mul(1024).min(max)
    };
    Ok(Provisioned { ios, bytes, source: reader.source("iops_max")?, ..Provisioned::default() })
}

/// gp2: 3 IOPS a GiB, and below 1,000 GiB a burst from a bucket of I/O credits that the base refills.
fn gp2(
    reader: &Reader<'_>,
    gib: u64,
    iops: Option<Iops>,
    throughput: Option<Bandwidth>,
) -> Result<Provisioned, CatalogError> {
    not_provisioned(reader.disk, iops, throughput)?;
    let ios = gib
        .saturating_mul(reader.count("iops_per_gib")?)
        .min(reader.count("iops_max")?)
        .max(reader.count("iops_min")?);
    let burst = reader.count("burst_iops")?;
    let ios_credit = (ios < burst).then_some(Credit { burst, capacity: reader.count("credit_bucket")? });
    // Above 170 GiB 250 MiB/s flow while I/O credits last. Without them the base moves as much as its IOPS do in units of
    // 256 KiB, 128 MiB/s at 171 GiB and 250 at 334: the I/O gate says so, no limit of its own is needed.
    let bytes = reader.throughput(if gib <= 170 { "throughput_small" } else { "throughput_burst" })?;
    Ok(Provisioned { ios, bytes, ios_credit, bytes_credit: None, source: reader.source("iops_per_gib")? })
}

/// st1 and sc1: throughput by the TiB, bursting from a bucket of bytes as large as the disk.
fn hdd(
    reader: &Reader<'_>,
    gib: u64,
    iops: Option<Iops>,
    throughput: Option<Bandwidth>,
) -> Result<Provisioned, CatalogError> {
    not_provisioned(reader.disk, iops, throughput)?;
    let max = reader.throughput("throughput_max")?;
    let per_tib = |parameter: &str| -> Result<u64, CatalogError> {
        Ok(reader.throughput(parameter)?.saturating_mul(gib) / 1024)
    };
    let base = per_tib("throughput_baseline_per_tib")?.min(max);
    let burst = per_tib("throughput_burst_per_tib")?.min(max);
    let capacity = (gib << 30).saturating_mul(reader.count("credit_bucket_per_tib")?);
    Ok(Provisioned {
        ios: reader.count("iops_max")?,
        bytes: base,
        ios_credit: None,
        bytes_credit: (burst > base).then_some(Credit { burst, capacity }),
        source: reader.source("throughput_baseline_per_tib")?,
    })
}

fn not_provisioned(
    disk: DiskType,
    iops: Option<Iops>,
    throughput: Option<Bandwidth>,
) -> Result<(), CatalogError> {
    if iops.is_none() && throughput.is_none() {
        return Ok(());
    }
    let what = if iops.is_some() { "IOPS" } else { "throughput" };
    Err(CatalogError::refused(
        format!("{} with provisioned {what}", disk.title()),
        "that figure follows from its size or its IOPS",
        "leave it out, or take gp3",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(
        disk: DiskType,
        gib: u64,
        iops: Option<u64>,
        throughput: Option<u64>,
    ) -> Result<(u64, u64), String> {
        provision(
            &Rules::default(),
            disk,
            Bytes::gib(gib),
            iops.map(Iops),
            throughput.map(Bandwidth),
            Era::current(),
        )
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
        let of = |gib| {
            provision(&Rules::default(), DiskType::Gp2, Bytes::gib(gib), None, None, Era::current()).unwrap()
        };
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
                let of =
                    provision(&Rules::default(), disk, Bytes::gib(gib), None, None, Era::current()).unwrap();
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
