//! Cost of a configuration a month: list prices, on demand, of a date. An unknown price is said to be unknown.

use std::collections::BTreeMap;

use iobound_units::Grouped;

use crate::bounds::Bounds;
use crate::catalog::Catalog;
use crate::clouds::disk_kind::{Meters, Sold};
use crate::clouds::names::{Cloud, DiskType, Redundancy};
use crate::data;
use crate::era::Era;
use crate::error::CatalogError;
use crate::nearest::nearest;
use crate::price_row::{
    DiskPrice, HOURS, Os, Usd, VmPrice, disk_price_from_row, plain_region, vm_price_from_row,
};
use crate::resolved::{Resolved, ResolvedDisk};
use crate::source::Source;
use crate::table::{Csv, Row};

/// Cost of a configuration a month.
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
    /// Parts of it.
    pub parts: Vec<PricePart>,
    /// The parts whose price is not known.
    pub unknown: Vec<String>,
    /// Items billed by use, which are not in the sum.
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
    /// Quality of the price: `checked`, `single`, or the values of two sources that disagree.
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
    /// The counters, in the seller's words.
    pub meter: String,
    /// The unit, as the seller has it: `1/Month`, `GB-month`.
    pub unit: String,
    /// One unit for a month; of what is billed by use, one unit.
    pub price: Usd,
    /// The key of the source.
    pub source: String,
}

/// Monthly prices of the units of a disk without tiers.
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
    /// The number of IOPS up to which their price is known.
    pub priced_ios: u64,
}

/// The prices of one region and operating system: loaded once, asked often.
#[derive(Clone, Debug)]
pub struct PriceList {
    region: String,
    os: Os,
    vms: BTreeMap<String, VmPrice>,
    disks: Vec<DiskPrice>,
    /// IOPS and megabytes a second that come with a kind of disk.
    free: BTreeMap<DiskType, (u64, u64)>,
}

impl Catalog {
    /// The regions that have prices.
    pub fn regions(&self) -> Vec<String> {
        let mut regions: Vec<String> = Vec::new();
        for table in
            Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().tables.disk_prices).map(Csv::table)
        {
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
    /// Returns an error if the region is unknown, or a row of the user's catalogue cannot be read.
    pub fn price_list(&self, region: &str, os: Os) -> Result<PriceList, CatalogError> {
        let region = plain_region(region);
        let regions = self.regions();
        if !regions.contains(&region) && !self.is_region(&region) {
            let table = data::REGIONS.table();
            let names: Vec<String> =
                table.rows().filter_map(|row| row.owned("name")).chain(regions.iter().cloned()).collect();
            let nearest = nearest(&region, names.iter().map(String::as_str), 3);
            return Err(CatalogError::Unknown { what: "region", name: region, nearest });
        }
        let of_region = |row: &Row| row.text("region").is_some_and(|of| plain_region(of) == region);
        let prefix = format!("{region},");
        let mut vms = BTreeMap::new();
        for table in Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().tables.vm_prices).map(Csv::table)
        {
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
        for table in
            Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().tables.disk_prices).map(Csv::table)
        {
            for row in table.rows_where(|line| line.starts_with(&prefix)) {
                disks.push(disk_price_from_row(&row)?);
            }
        }
        let mut free = BTreeMap::new();
        for disk in DiskType::ALL {
            if let Some(bounds) = Bounds::of(&self.rules, disk, Era::current())? {
                let (ios, bytes) = bounds.included();
                free.insert(disk, (ios, bytes / bounds.megabyte));
            }
        }
        Ok(PriceList { region, os, vms, disks, free })
    }

    /// True if there is a region of that name, with prices or without.
    fn is_region(&self, region: &str) -> bool {
        let listed = |row: &Row| {
            row.text("listed_in").is_some_and(|regions| regions.split_whitespace().any(|of| of == region))
        };
        known_region(region).is_some() || self.vms.values().flatten().any(listed)
    }

    /// True if a region has availability zones; of a region that nothing is known of, yes.
    pub fn has_zones(&self, region: &str) -> bool {
        known_region(&plain_region(region)).is_none_or(|row| row.text("zones") != Some("false"))
    }

    /// Cost of a configuration a month in a region.
    pub fn price_of(&self, resolved: &Resolved, region: &str, os: Os) -> Result<Price, CatalogError> {
        Ok(self.price_list(region, os)?.price_of(resolved))
    }
}

fn known_region(region: &str) -> Option<Row> {
    let table = data::REGIONS.table();
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
            unit: price.unit_of_month(),
            price: price.per_month(),
            source: price.source.clone(),
        })
    }

    /// The region.
    pub fn region(&self) -> &str {
        &self.region
    }

    /// The operating system whose licence the prices of VM sizes include.
    pub fn os(&self) -> Os {
        self.os
    }

    /// The oldest date of the sources of this list.
    pub fn as_of(&self) -> Option<String> {
        let vms = self.vms.values().map(|price| price.source.as_str());
        let mut keys: Vec<&str> = vms.chain(self.disks.iter().map(|price| price.source.as_str())).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().filter_map(|key| Source::of(key).as_of).min()
    }

    /// True if the price of any VM size is known.
    pub fn has_vms(&self) -> bool {
        !self.vms.is_empty()
    }

    /// True if the price of any disk is known.
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

    /// Monthly prices of the units of a disk without tiers; `None` if its capacity's price is not known.
    pub fn rates(&self, disk: DiskType, redundancy: Redundancy) -> Option<DiskRates> {
        let find = |word: &str| {
            let of_word = |p: &&DiskPrice| {
                let is_it = p.disk == disk && p.is_sold_in(redundancy) && p.meter.contains(word);
                is_it && !p.meter.starts_with("Confidential")
            };
            self.disks.iter().find(of_word).map(DiskPrice::per_month)
        };
        let Sold::Apart { meters, .. } = disk.kind().sold else { return None };
        let (free_ios, free_megabytes) = self.free_of(disk);
        Some(DiskRates {
            gib: find(meters.gib)?,
            ios: meters.ios.and_then(find),
            megabyte: meters.throughput.and_then(find),
            free_ios,
            free_megabytes,
            priced_ios: meters.priced_ios,
        })
    }

    fn free_of(&self, disk: DiskType) -> (u64, u64) {
        self.free.get(&disk).copied().unwrap_or_default()
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
        if let Some((count, name)) = &resolved.ordered_local {
            let what = format!("{count} local disks");
            match name.as_deref().and_then(|name| self.vm(name)) {
                Some(each) => {
                    sum.parts.push(PricePart { per_month: each.per_month.times(*count), what, ..each })
                }
                None => sum.unknown.push(format!("{what} of {} in {}", resolved.vm.name, self.region)),
            }
        }
        for disk in &resolved.disks {
            if let Some(of) = disk.disk {
                self.disk(disk, of, &mut sum);
            }
        }
        if resolved.era != Era::current() {
            sum.by_use.push("prices are current: the catalogue has none for an earlier era".into());
        }
        sum.finish()
    }

    fn disk(&self, disk: &ResolvedDisk, of: DiskType, sum: &mut Sum) {
        match (&disk.tier, of.kind().sold) {
            (Some(tier), _) => self.tier_of(disk, of, tier, sum),
            (None, Sold::Apart { meters, .. }) => self.apart(disk, of, meters, sum),
            (None, Sold::InTiers { .. }) => {}
        }
    }

    fn tier_of(&self, disk: &ResolvedDisk, of: DiskType, tier: &String, sum: &mut Sum) {
        let name = &disk.name;
        let what = format!("{name}: {}", disk.described);
        self.add(sum, what, 1, |p| {
            p.disk == of
                && p.meter == "Disk"
                && p.tier.as_ref() == Some(tier)
                && p.is_sold_in(disk.redundancy)
        });
        let operations = self.disks.iter().find(|p| {
            p.tier.as_ref() == Some(tier) && p.meter == "Disk Operations" && p.is_sold_in(disk.redundancy)
        });
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
    }

    fn apart(&self, disk: &ResolvedDisk, of: DiskType, meters: Meters, sum: &mut Sum) {
        let (name, gib) = (&disk.name, disk.size.get() >> 30);
        let (ios, bytes) = (disk.ios.unwrap_or(0), disk.bytes.unwrap_or(0));
        let (free_ios, free_megabytes) = self.free_of(of);
        let meter = |word: &'static str| {
            move |p: &DiskPrice| {
                let is_it = p.disk == of && p.is_sold_in(disk.redundancy) && p.meter.contains(word);
                is_it && !p.meter.starts_with("Confidential")
            }
        };
        self.add(sum, format!("{name}: {gib} GiB {}", of.title()), gib, meter(meters.gib));
        if let Some(word) = meters.ios {
            let priced = meters.priced_ios;
            self.add_above(sum, name, "IOPS", ios.min(priced), free_ios, meter(word));
            if ios > priced {
                sum.unknown.push(format!("{name}: {} IOPS above {}", ios - priced, Grouped(priced)));
            }
        }
        if let Some(word) = meters.throughput {
            let megabyte = of.kind().megabyte;
            let unit = if megabyte == 1_000_000 { "MB/s" } else { "MiB/s" };
            self.add_above(sum, name, unit, bytes.div_ceil(megabyte), free_megabytes, meter(word));
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
