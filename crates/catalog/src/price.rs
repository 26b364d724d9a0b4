//! What a configuration costs a month: list prices, on demand, of a date. An unknown price is said to be unknown.

use std::collections::BTreeMap;
use std::fmt;

use crate::catalog::Catalog;
use crate::data;
use crate::disk::{DiskType, Redundancy};
use crate::era::Era;
use crate::error::CatalogError;
use crate::nearest::nearest;
use crate::price_row::{DiskPrice, VmPrice, disk_price_from_row, plain_region, vm_price_from_row};
use crate::resolved::{Resolved, ResolvedDisk};
use crate::source::Source;
use crate::table::{Row, Table};

/// Hours of a month, as the clouds' own calculators count them.
pub(crate) const HOURS: u64 = 730;

/// US dollars in billionths, so that a price by the hour and GiB is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(pub u64);

impl Usd {
    /// The amount as a float, for printing.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    pub(crate) fn times(self, count: u64) -> Usd {
        Usd(self.0.saturating_mul(count))
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} USD", self.as_f64())
    }
}

/// The operating system whose licence the VM's price includes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Os {
    /// No licence.
    #[default]
    Linux,
    /// Windows Server.
    Windows,
}

impl Os {
    /// `linux`, `windows`.
    pub const fn name(self) -> &'static str {
        match self {
            Os::Linux => "linux",
            Os::Windows => "windows",
        }
    }
}

/// What a configuration costs a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// The sum; `None` where a part of it is unknown.
    pub per_month: Option<Usd>,
    /// The sum of the known parts.
    pub known_per_month: Usd,
    /// `USD`.
    pub currency: &'static str,
    /// The oldest date of its parts.
    pub as_of: Option<String>,
    /// What it is made of.
    pub parts: Vec<PricePart>,
    /// The parts whose price is not known.
    pub unknown: Vec<String>,
    /// What is billed by use, and therefore not in the sum.
    pub by_use: Vec<String>,
}

/// A part of a price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricePart {
    /// `Standard_DS14`, `data.0: P30`, `data: 17,000 IOPS above 3,000`.
    pub what: String,
    /// A month.
    pub per_month: Usd,
    /// The key of the source.
    pub source: String,
    /// How well it is known: `checked`, `single`, or what two sources disagree on.
    pub check: Option<String>,
}

/// A price of disks as it is billed: for one disk of a tier, or for each unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// The type of disk.
    pub disk: DiskType,
    /// The tier, where its type has tiers.
    pub tier: Option<String>,
    /// `LRS`, `ZRS`.
    pub redundancy: Option<String>,
    /// What is counted, in the seller's words.
    pub meter: String,
    /// The unit, as the seller has it: `1/Month`, `GB-month`.
    pub unit: String,
    /// One unit for a month; of what is billed by use, one unit.
    pub price: Usd,
    /// The key of the source.
    pub source: String,
}

/// What a unit of a disk without tiers costs a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskRates {
    /// A GiB.
    pub gib: Usd,
    /// An IOPS above those that are free.
    pub ios: Option<Usd>,
    /// A MB/s (Azure), a MiB/s (AWS) above those that are free.
    pub megabyte: Option<Usd>,
    /// IOPS that come with the disk.
    pub free_ios: u64,
    /// MB/s or MiB/s that come with the disk.
    pub free_megabytes: u64,
}

/// The prices of one region and operating system: loaded once, asked often.
#[derive(Clone, Debug)]
pub struct PriceList {
    region: String,
    os: Os,
    vms: BTreeMap<String, VmPrice>,
    disks: Vec<DiskPrice>,
    premium_v2_free: (u64, u64),
    gp3_free: (u64, u64),
}

impl Catalog {
    /// The regions that have prices.
    pub fn regions(&self) -> Vec<String> {
        let mut regions: Vec<String> = Vec::new();
        for table in [
            Table::of("azure_disk_prices.csv", data::AZURE_DISK_PRICES),
            Table::of("aws_volume_prices.csv", data::AWS_VOLUME_PRICES),
        ] {
            regions.extend(table.rows().filter_map(|row| row.owned("region")));
        }
        let own = self.vm_prices.iter().chain(&self.disk_prices);
        regions.extend(own.filter_map(|row| row.text("region").map(plain_region)));
        regions.sort();
        regions.dedup();
        regions
    }

    /// The prices of a region, for many questions: none of a region that is known and has none.
    ///
    /// # Errors
    /// A name that is no region's; a row of the user's own that can't be read.
    pub fn price_list(&self, region: &str, os: Os) -> Result<PriceList, CatalogError> {
        let region = plain_region(region);
        let regions = self.regions();
        if !regions.contains(&region) && !self.is_region(&region) {
            let table = Table::of("regions.csv", data::REGIONS);
            let names: Vec<String> =
                table.rows().filter_map(|row| row.owned("name")).chain(regions.iter().cloned()).collect();
            let like = nearest(&region, names.iter().map(String::as_str), 3);
            let nearest = if like.is_empty() { regions } else { like };
            return Err(CatalogError::Unknown { what: "region", name: region, nearest });
        }
        let of_region = |row: &Row| row.text("region").is_some_and(|of| plain_region(of) == region);
        let prefix = format!("{region},");
        let mut vms = BTreeMap::new();
        for table in [
            Table::of("azure_vm_prices.csv", data::AZURE_VM_PRICES),
            Table::of("aws_instance_prices.csv", data::AWS_INSTANCE_PRICES),
        ] {
            let wanted = format!(",{},", os.name());
            for row in table.rows_where(|line| line.starts_with(&prefix) && line.contains(&wanted)) {
                let price = vm_price_from_row(&row)?;
                vms.insert(price.name.to_ascii_lowercase(), price);
            }
        }
        for row in self.vm_prices.iter().filter(|row| of_region(row)) {
            let price = vm_price_from_row(row)?;
            if price.os == os {
                vms.insert(price.name.to_ascii_lowercase(), price);
            }
        }
        // The user's own rows stand first, the last of them before the others, and the first that matches wins.
        let mut disks = Vec::new();
        for row in self.disk_prices.iter().rev().filter(|row| of_region(row)) {
            disks.push(disk_price_from_row(row)?);
        }
        for table in [
            Table::of("azure_disk_prices.csv", data::AZURE_DISK_PRICES),
            Table::of("aws_volume_prices.csv", data::AWS_VOLUME_PRICES),
        ] {
            for row in table.rows_where(|line| line.starts_with(&prefix)) {
                disks.push(disk_price_from_row(&row)?);
            }
        }
        let free = |scope: &str, parameter: &str| -> Result<u64, CatalogError> {
            self.rules.require(scope, parameter, Era::current())?.count()
        };
        Ok(PriceList {
            region,
            os,
            vms,
            disks,
            premium_v2_free: (free("premiumv2", "baseline_iops")?, free("premiumv2", "baseline_throughput")?),
            gp3_free: (free("gp3", "iops_baseline")?, free("gp3", "throughput_baseline")?),
        })
    }

    /// Whether there is a region of that name, with prices or without.
    fn is_region(&self, region: &str) -> bool {
        let listed = |row: &Row| {
            row.text("listed_in").is_some_and(|regions| regions.split_whitespace().any(|of| of == region))
        };
        let rows = || self.azure_vms.iter().chain(&self.aws_vms);
        known_region(region).is_some() || rows().any(listed)
    }

    /// Whether a region has availability zones; of a region that nothing is known of, yes.
    pub fn has_zones(&self, region: &str) -> bool {
        known_region(&plain_region(region)).is_none_or(|row| row.text("zones") != Some("false"))
    }

    /// What a configuration costs a month in a region.
    pub fn price_of(&self, resolved: &Resolved, region: &str, os: Os) -> Result<Price, CatalogError> {
        Ok(self.price_list(region, os)?.price_of(resolved))
    }
}

fn known_region(region: &str) -> Option<Row> {
    let table = Table::of("regions.csv", data::REGIONS);
    table.rows().find(|row| row.text("name") == Some(region))
}

impl PriceList {
    /// The VM size alone, a month; `None` where no price is known.
    pub fn vm(&self, name: &str) -> Option<PricePart> {
        self.vms.get(&name.to_ascii_lowercase()).map(|price| PricePart {
            what: price.name.clone(),
            per_month: price.per_hour.times(HOURS),
            source: price.source.clone(),
            check: price.check.clone(),
        })
    }

    /// The prices of disks, the user's own first.
    pub fn meters(&self) -> impl Iterator<Item = Meter> {
        self.disks.iter().map(|price| Meter {
            disk: price.disk,
            tier: price.tier.clone(),
            redundancy: price.redundancy.clone(),
            meter: price.meter.clone(),
            unit: price.unit.clone(),
            price: price.per_month(),
            source: price.source.clone(),
        })
    }

    /// The region.
    pub fn region(&self) -> &str {
        &self.region
    }

    /// The oldest date of the sources of this list.
    pub fn as_of(&self) -> Option<String> {
        let vms = self.vms.values().map(|price| price.source.as_str());
        let mut keys: Vec<&str> = vms.chain(self.disks.iter().map(|price| price.source.as_str())).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().filter_map(|key| Source::of(key).as_of).min()
    }

    /// Whether the price of any VM size is known.
    pub fn has_vms(&self) -> bool {
        !self.vms.is_empty()
    }

    /// Whether the price of any disk is known.
    pub fn has_disks(&self) -> bool {
        !self.disks.is_empty()
    }

    /// A disk of a tier for a month, and what a million of its I/Os cost where they are billed.
    pub fn tier(&self, disk: DiskType, tier: &str, redundancy: Redundancy) -> Option<(Usd, Option<Usd>)> {
        let of_tier = |meter: &str| {
            self.disks.iter().find(|p| {
                p.disk == disk
                    && p.meter == meter
                    && p.tier.as_deref() == Some(tier)
                    && p.redundancy
                        .as_deref()
                        .map_or(redundancy == Redundancy::Lrs, |of| of == redundancy.name())
            })
        };
        // Operations are sold by the ten thousand.
        let operations = of_tier("Disk Operations").map(|price| price.per_unit.times(100));
        of_tier("Disk").map(|price| (price.per_month(), operations))
    }

    /// What a unit of a disk without tiers costs a month; `None` where its capacity's price is not known.
    pub fn rates(&self, disk: DiskType) -> Option<DiskRates> {
        let find = |word: &str| {
            let of_word = |p: &&DiskPrice| {
                p.disk == disk && p.meter.contains(word) && !p.meter.starts_with("Confidential")
            };
            self.disks.iter().find(of_word).map(DiskPrice::per_month)
        };
        let (free_ios, free_megabytes) = match disk {
            DiskType::PremiumV2 => self.premium_v2_free,
            DiskType::Gp3 => self.gp3_free,
            _ => (0, 0),
        };
        let [gib, ios, megabyte] = match disk {
            DiskType::PremiumV2 | DiskType::Ultra => {
                ["Provisioned Capacity", "Provisioned IOPS", "Provisioned Throughput"].map(find)
            }
            _ => ["storage", "provisioned IOPS", "provisioned throughput"].map(find),
        };
        Some(DiskRates { gib: gib?, ios, megabyte, free_ios, free_megabytes })
    }

    /// The VM and all its disks.
    pub fn price_of(&self, resolved: &Resolved) -> Price {
        let mut sum = Sum::default();
        match self.vm(&resolved.vm.name) {
            Some(part) => sum.parts.push(part),
            None => {
                sum.unknown.push(format!("{} with {} in {}", resolved.vm.name, self.os.name(), self.region))
            }
        }
        for disk in &resolved.disks {
            if let Some(of) = disk.disk {
                self.disk(disk, of, &mut sum);
            }
        }
        if resolved.era != Era::current() {
            sum.by_use.push("prices are today's: none of an earlier era are kept".into());
        }
        sum.finish()
    }

    fn disk(&self, disk: &ResolvedDisk, of: DiskType, sum: &mut Sum) {
        let gib = disk.size.get() >> 30;
        let (ios, bytes) = (disk.ios.unwrap_or(0), disk.bytes.unwrap_or(0));
        let name = &disk.name;
        if let Some(tier) = &disk.tier {
            let what = format!("{name}: {}", disk.described);
            self.add(sum, what, 1, |p| {
                p.disk == of && p.meter == "Disk" && p.tier.as_ref() == Some(tier) && p.is_of(disk)
            });
            let operations = self
                .disks
                .iter()
                .find(|p| p.tier.as_ref() == Some(tier) && p.meter == "Disk Operations" && p.is_of(disk));
            if let Some(price) = operations {
                sum.by_use.push(format!(
                    "{} on {name}: {:.6} USD a {} I/Os",
                    of.title(),
                    price.per_unit.as_f64(),
                    price.unit
                ));
            }
            if disk.on_demand_burst {
                let meter = format!("{} Burst Enablement", disk.redundancy.name());
                self.add(sum, format!("{name}: on-demand bursting"), 1, |p| p.disk == of && p.meter == meter);
                sum.by_use.push(format!("burst transactions of {name}"));
            }
            return;
        }
        let meter = |word: &'static str| {
            move |p: &DiskPrice| {
                p.disk == of && p.meter.contains(word) && !p.meter.starts_with("Confidential")
            }
        };
        let megabytes = bytes.div_ceil(1_000_000);
        let mebibytes = bytes.div_ceil(1 << 20);
        match of {
            DiskType::PremiumV2 | DiskType::Ultra => {
                let (free_ios, free_mb) =
                    if of == DiskType::PremiumV2 { self.premium_v2_free } else { (0, 0) };
                self.add(
                    sum,
                    format!("{name}: {gib} GiB {}", of.title()),
                    gib,
                    meter("Provisioned Capacity"),
                );
                self.add_above(sum, name, "IOPS", ios, free_ios, meter("Provisioned IOPS"));
                self.add_above(sum, name, "MB/s", megabytes, free_mb, meter("Provisioned Throughput"));
            }
            _ => {
                self.add(sum, format!("{name}: {gib} GiB {}", of.title()), gib, meter("storage"));
                match of {
                    DiskType::Gp3 => {
                        let (free_ios, free_mib) = self.gp3_free;
                        self.add_above(sum, name, "IOPS", ios, free_ios, meter("provisioned IOPS"));
                        self.add_above(
                            sum,
                            name,
                            "MiB/s",
                            mebibytes,
                            free_mib,
                            meter("provisioned throughput"),
                        );
                    }
                    DiskType::Io1 => self.add_above(sum, name, "IOPS", ios, 0, meter("provisioned IOPS")),
                    // io2 has cheaper tiers above 32,000 IOPS; only the first one's price is known.
                    DiskType::Io2 => {
                        self.add_above(sum, name, "IOPS", ios.min(32_000), 0, meter("provisioned IOPS"));
                        if ios > 32_000 {
                            sum.unknown.push(format!("{name}: {} IOPS above 32,000", ios - 32_000));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn add_above(
        &self,
        sum: &mut Sum,
        name: &str,
        unit: &str,
        amount: u64,
        free: u64,
        matches: impl Fn(&DiskPrice) -> bool,
    ) {
        let above = amount.saturating_sub(free);
        if above > 0 {
            let what = if free > 0 {
                format!("{name}: {above} {unit} above {free}")
            } else {
                format!("{name}: {above} {unit}")
            };
            self.add(sum, what, above, matches);
        }
    }

    fn add(&self, sum: &mut Sum, what: String, count: u64, matches: impl Fn(&DiskPrice) -> bool) {
        match self.disks.iter().find(|price| matches(price)) {
            Some(price) => sum.parts.push(PricePart {
                what,
                per_month: price.per_month().times(count),
                source: price.source.clone(),
                check: None,
            }),
            None => sum.unknown.push(format!("{what} in {}", self.region)),
        }
    }
}

#[derive(Default)]
struct Sum {
    parts: Vec<PricePart>,
    unknown: Vec<String>,
    by_use: Vec<String>,
}

impl Sum {
    fn finish(mut self) -> Price {
        self.by_use.dedup();
        let known = self.parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.per_month.0));
        let mut keys: Vec<&str> = self.parts.iter().map(|part| part.source.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        let as_of = keys.into_iter().filter_map(|key| Source::of(key).as_of).min();
        Price {
            per_month: self.unknown.is_empty().then_some(Usd(known)),
            known_per_month: Usd(known),
            currency: "USD",
            as_of,
            parts: self.parts,
            unknown: self.unknown,
            by_use: self.by_use,
        }
    }
}
