//! `az vm list-skus`: what its capabilities are called here.

use iobound_formats::clouds::{AzureSize, Restriction};
use iobound_units::Counted;

use crate::clouds::names::Cloud;
use crate::error::CatalogError;
use crate::import::before::Before;
use crate::import::entry::{ImportRow, ImportRows, Section, is_figure, is_limit};
use crate::import::outcome::{Import, ImportFile, RestrictedSize};
use crate::table::decimal;

/// Adds the sizes of a file.
pub(super) fn rows(
    file: &ImportFile,
    before: &Before,
    rows: &mut ImportRows,
    import: &mut Import,
) -> Result<(), CatalogError> {
    for (kind, count) in &file.listing.others {
        *import.left_out.entry(format!("resources of type {kind}")).or_default() += count;
    }
    let source = format!("az vm list-skus, {} [{}]", file.name, file.as_of);
    let mut differing = 0;
    let mut by_interface = 0;
    for size in &file.listing.azure_sizes {
        let mut entry = figures(file, size)?;
        entry.set("limits_source", source.clone());
        entry.set("basics_source", source.clone());
        if before.is_by_interface(&size.name) {
            let limits: Vec<String> = entry
                .cells()
                .map(|(column, _)| column)
                .filter(|column| is_limit(column))
                .map(str::to_string)
                .collect();
            limits.iter().for_each(|column| entry.set(column, ""));
            by_interface += u64::from(!limits.is_empty());
        }
        // What is known to the printed digit is not replaced by the same in another unit.
        if before.get(&entry).is_some_and(|old| old.text("nvme_disk_gb").is_some()) {
            entry.set("nvme_disk_gb", "");
            entry.set("nvme_disks", "");
        }
        let known = match rows.get_mut(&entry) {
            Some(known) => {
                let figures = |entry: &ImportRow| -> Vec<(String, String)> {
                    let cells = entry.cells().filter(|(column, _)| is_figure(column));
                    let mut cells: Vec<_> = cells.map(|(c, v)| (c.to_string(), v.to_string())).collect();
                    cells.sort();
                    cells
                };
                differing += u64::from(figures(known) != figures(&entry));
                known
            }
            None => {
                import.sizes += 1;
                rows.put(entry.clone());
                rows.get_mut(&entry).expect("it was put there")
            }
        };
        availability(size, known, import);
    }
    if differing > 0 {
        import.notes.push(format!(
            "{} with other figures of a size in another region: those of the first region are used",
            Counted(differing, "listing")
        ));
    }
    if by_interface > 0 {
        import.notes.push(format!(
            "{} with limits for each disk interface, which the list does not separate: the figures are kept",
            Counted(by_interface, "size")
        ));
    }
    Ok(())
}

/// Regions that sell a size: the last entry about a region replaces earlier ones.
fn availability(size: &AzureSize, entry: &mut ImportRow, import: &mut Import) {
    for region in &size.regions {
        entry.list_in(region);
        let of_region = |restriction: &&Restriction| restriction.regions.contains(region);
        let whole =
            size.restrictions.iter().filter(of_region).find(|restriction| restriction.zones.is_none());
        let reason = whole.map(|restriction| restriction.reason.replace([' ', '='], ""));
        entry.say_of("restricted_in", region, reason.as_deref());
        if let Some(reason) = reason {
            import.restricted.push(RestrictedSize {
                name: size.name.clone(),
                region: region.clone(),
                reason,
            });
        }
        let Some(zones) = size.zones.get(region) else {
            entry.say_of("zones_in", region, None);
            continue;
        };
        let closed = |zone: &&String| {
            let of_zone = |restriction: &Restriction| {
                restriction.zones.as_ref().is_some_and(|zones| zones.contains(zone))
            };
            size.restrictions.iter().filter(of_region).any(of_zone)
        };
        let open: Vec<&str> = zones.iter().filter(|zone| !closed(zone)).map(String::as_str).collect();
        let said = if open.is_empty() { "none".to_string() } else { open.join("/") };
        entry.say_of("zones_in", region, Some(&said));
    }
}

fn figures(file: &ImportFile, size: &AzureSize) -> Result<ImportRow, CatalogError> {
    let mut entry = ImportRow::new(Section::Vm(Cloud::Azure));
    entry.set("name", size.name.clone());
    entry.set_if("family", size.family.clone());
    let capability =
        |name: &str| size.capabilities.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    let wrong = |name: &str, value: &str, expected: &str| CatalogError::File {
        file: file.name.clone(),
        line: 0,
        why: format!("{}: the capability {name} is `{value}`: {expected} was expected", size.name),
    };
    let number = |name: &str| match capability(name) {
        None => Ok(None),
        Some(value) => match decimal(value, 6) {
            Some(micro) => Ok(Some(micro)),
            None => Err(wrong(name, value, "a number")),
        },
    };
    let whole = |name: &str| match number(name)? {
        Some(micro) if micro % 1_000_000 != 0 => {
            Err(wrong(name, capability(name).unwrap_or_default(), "a whole number"))
        }
        micro => Ok(micro.map(|micro| micro / 1_000_000)),
    };
    // A limit of nothing is a limit that is not stated.
    let limit = |name: &str| whole(name).map(|figure| figure.filter(|figure| *figure > 0));
    let flag = |name: &str| match capability(name).map(str::to_ascii_lowercase).as_deref() {
        None => Ok(None),
        Some("true") => Ok(Some("true")),
        Some("false") => Ok(Some("false")),
        Some(_) => Err(wrong(name, capability(name).unwrap_or_default(), "True or False")),
    };
    let vcpus = whole("vCPUs")?;
    entry.set_if("vcpus", vcpus);
    entry.set_if("vcpus_available", whole("vCPUsAvailable")?.or(vcpus));
    entry.set_if("memory_gib", number("MemoryGB")?.map(scaled));
    entry.set_if("max_data_disks", whole("MaxDataDiskCount")?);
    entry.set_if("premium_io", flag("PremiumIO")?);
    entry.set_if("cpu_arch", capability("CpuArchitectureType"));
    entry.set_if("uncached_iops", limit("UncachedDiskIOPS")?);
    let uncached = limit("UncachedDiskBytesPerSecond")?;
    entry.set_if("uncached_mbps", uncached.map(megabytes));
    entry.set_if("raw_uncached_bytes_per_s", uncached);
    entry.set_if("cached_iops", limit("CombinedTempDiskAndCachedIOPS")?);
    let read = limit("CombinedTempDiskAndCachedReadBytesPerSecond")?;
    let write = limit("CombinedTempDiskAndCachedWriteBytesPerSecond")?;
    entry.set_if("cached_mbps", read.map(megabytes));
    entry.set_if("raw_cached_read_bytes_per_s", read);
    entry.set_if("raw_cached_write_bytes_per_s", write);
    entry.set_if("cached_write_mbps", write.filter(|write| Some(*write) != read).map(megabytes));
    entry.set_if("cache_size_gib", limit("CachedDiskBytes")?.map(|bytes| gib(bytes, 1 << 30)));
    entry.set_if("temp_disk_gib", whole("MaxResourceVolumeMB")?.map(|mib| gib(mib, 1 << 10)));
    let all = whole("NvmeDiskSizeInMiB")?;
    if let (Some(all), Some(each @ 1..)) = (all, whole("NvmeSizePerDiskInMiB")?) {
        entry.set("nvme_disks", (all / each).to_string());
        entry.set("nvme_disk_gb", (u128::from(each) * (1 << 20) / 1_000_000_000).to_string());
    }
    entry.set_if("disk_controllers", capability("DiskControllerTypes"));
    entry.set_if("hyperv_generations", capability("HyperVGenerations"));
    entry.set_if("encryption_at_host", flag("EncryptionAtHostSupported")?);
    Ok(entry)
}

/// Bytes a second as the documentation prints megabytes: the records of older sizes count in units of 2^20, which shows where
/// they are whole or half ones, and no whole ones of 10^6.
fn megabytes(bytes: u64) -> String {
    if !bytes.is_multiple_of(1_000_000) && bytes.is_multiple_of(1 << 19) {
        let halves = bytes >> 19;
        return if halves.is_multiple_of(2) { (halves / 2).to_string() } else { format!("{}.5", halves / 2) };
    }
    scaled(bytes)
}

fn gib(amount: u64, one: u64) -> String {
    scaled(u64::try_from(u128::from(amount) * 1_000_000 / u128::from(one)).unwrap_or(u64::MAX))
}

/// Millionths as a decimal.
fn scaled(micro: u64) -> String {
    let text = format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn megabytes_are_those_of_the_documentation() {
        // DS14_v2 768 MBps and B2ms 22.5 MBps: as azure_vm_sizes.csv has them beside the bytes; the rest by the rule.
        for (bytes, text) in [
            (805_306_368, "768"),
            (23_592_960, "22.5"),
            (128_000_000, "128"),
            (24_576_000, "24.576"),
            (16_384_000_000, "16384"),
        ] {
            assert_eq!(megabytes(bytes), text);
        }
    }
}
