//! The Azure Retail Prices API: which of its items are list prices on demand, and what its meters are called here.

use std::collections::BTreeMap;

use iobound_formats::clouds::AzurePrice;

use crate::clouds::names::DiskType;
use crate::error::CatalogError;
use crate::import::entry::{ImportRow, ImportRows, Section};
use crate::import::outcome::{Import, ImportFile};

/// Adds the prices of a file.
pub(super) fn rows(
    file: &ImportFile,
    rows: &mut ImportRows,
    import: &mut Import,
) -> Result<(), CatalogError> {
    let prices = &file.listing.azure_prices;
    if let Some(foreign) = prices.iter().find(|price| price.currency != "USD") {
        return Err(CatalogError::File {
            file: file.name.clone(),
            line: 0,
            why: format!(
                "{} is in {}: the catalogue's prices are in US dollars; request the prices with currencyCode='USD'",
                foreign.meter, foreign.currency
            ),
        });
    }
    if file.listing.more_pages {
        import.notes.push(format!(
            "{} names a next page (NextPageLink): import all of them for all prices",
            file.name
        ));
    }
    let source = format!("Azure Retail Prices, {} [{}]", file.name, file.as_of);
    let mut best: BTreeMap<(Section, String), (&AzurePrice, ImportRow)> = BTreeMap::new();
    for price in prices {
        match entry_of(price) {
            Ok(mut entry) => {
                entry.set("source", source.clone());
                let place = (entry.table, entry.key());
                let rank = |price: &AzurePrice| (price.is_primary, price.since.clone());
                // The same meter twice: the primary one, then the one that holds since later.
                if best.get(&place).is_none_or(|(other, _)| rank(price) > rank(other)) {
                    best.insert(place, (price, entry));
                }
            }
            Err(why) => *import.left_out.entry(why.to_string()).or_default() += 1,
        }
    }
    import.prices += best.len() as u64;
    best.into_values().for_each(|(_, entry)| rows.put(entry));
    Ok(())
}

/// The row of an item, or why it is none.
fn entry_of(price: &AzurePrice) -> Result<ImportRow, &'static str> {
    let contains = |text: &str, part: &str| text.to_ascii_lowercase().contains(part);
    match price.kind.as_str() {
        "Consumption" => {}
        "Reservation" => return Err("prices of reservations"),
        "DevTestConsumption" => return Err("prices of dev/test subscriptions"),
        _ => return Err("prices of other types than Consumption"),
    }
    if price.region.is_empty() {
        return Err("prices of no region");
    }
    if price.from_units > 0.0 {
        return Err("volume prices above a number of units");
    }
    if price.retail == 0.0 {
        return Err("prices of zero");
    }
    match price.service.as_str() {
        "Virtual Machines" => {
            let of = |part: &str| contains(&price.sku, part) || contains(&price.meter, part);
            if of("spot") {
                return Err("spot prices");
            }
            if of("low priority") {
                return Err("low-priority prices");
            }
            // These carry the price with a Windows licence, without saying so.
            if contains(&price.product, "cloud services") || contains(&price.product, "cloudservices") {
                return Err("prices of cloud services");
            }
            let is_size = ["standard_", "basic_"]
                .iter()
                .any(|part| price.arm_sku.to_ascii_lowercase().starts_with(part));
            if !is_size || contains(&price.product, "dedicated host") || price.unit != "1 Hour" {
                return Err("prices of virtual machines that are not for a size by the hour");
            }
            let mut entry = ImportRow::new(Section::VmPrice);
            entry.set("region", price.region.clone());
            entry.set("name", price.arm_sku.clone());
            entry.set("os", if contains(&price.product, "windows") { "windows" } else { "linux" });
            entry.set("usd_per_hour", dollars(price.retail));
            Ok(entry)
        }
        "Storage" => disk(price).ok_or("storage meters that the catalogue does not use"),
        _ => Err("prices of other services"),
    }
}

fn disk(price: &AzurePrice) -> Option<ImportRow> {
    let product = price.product.to_ascii_lowercase();
    let disk = if product.contains("premium ssd v2") {
        DiskType::PremiumV2
    } else if product.contains("ultra disk") {
        DiskType::Ultra
    } else if product.contains("premium ssd managed disk") {
        DiskType::Premium
    } else if product.contains("standard ssd managed disk") {
        DiskType::StandardSsd
    } else if product.contains("standard hdd managed disk") {
        DiskType::StandardHdd
    } else {
        return None;
    };
    let mut entry = ImportRow::new(Section::DiskPrice);
    entry.set("region", price.region.clone());
    entry.set("disk_type", disk.word());
    let redundancy =
        if contains_word(&price.sku, "ZRS") || contains_word(&price.meter, "ZRS") { "ZRS" } else { "LRS" };
    let tier = price.sku.split_whitespace().next().filter(|word| disk.has_tiers() && is_tier(word));
    let meter = match tier {
        Some(tier) => {
            let rest = price.meter.strip_prefix(tier).unwrap_or(&price.meter).trim();
            let rest = rest.strip_prefix(redundancy).unwrap_or(rest).trim();
            match rest {
                "Disk" | "Disks" => "Disk",
                "Disk Operations" => "Disk Operations",
                _ => return None,
            }
        }
        None => {
            let parts =
                ["Provisioned Capacity", "Provisioned IOPS", "Provisioned Throughput", "Burst Enablement"];
            let is_used = parts.iter().any(|part| price.meter.contains(part));
            if !is_used || price.meter.starts_with("Confidential") {
                return None;
            }
            &price.meter
        }
    };
    entry.set_if("tier", tier);
    entry.set("redundancy", redundancy);
    entry.set("meter", meter);
    entry.set("unit", price.unit.clone());
    entry.set("usd", dollars(price.retail));
    Some(entry)
}

fn contains_word(text: &str, word: &str) -> bool {
    text.split_whitespace().any(|have| have == word)
}

/// `P30`, `E4`, `S80`.
fn is_tier(word: &str) -> bool {
    let mut letters = word.chars();
    matches!(letters.next(), Some('P' | 'E' | 'S')) && word.len() > 1 && letters.all(|c| c.is_ascii_digit())
}

/// To the billionth: what a price is kept to.
fn dollars(price: f64) -> String {
    let text = format!("{price:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
