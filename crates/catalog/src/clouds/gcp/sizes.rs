//! Machine types: a row becomes a VM size, with the limits of each kind of disk.

use iobound_units::{Bytes, MIB};

use super::counts::{DiskCounts, is_hyperdisk};
use super::local_ssd;
use super::machines::GcpLimit;
use super::series::takes;
use crate::clouds::names::{Cloud, DiskType};
use crate::entry::{Entry, Figure};
use crate::era::Era;
use crate::error::CatalogError;
use crate::source::Source;
use crate::table::Row;
use crate::vm::{KindLimits, Limits, LocalDisk, VmSize};

/// The columns of limits that a file of one's own may have: those of all I/Os, and of writes where they are other ones.
pub(super) const LIMITS: &[&str] = &[
    "pd_standard_iops",
    "pd_standard_mibps",
    "pd_standard_write_iops",
    "pd_standard_write_mibps",
    "pd_balanced_iops",
    "pd_balanced_mibps",
    "pd_balanced_write_iops",
    "pd_balanced_write_mibps",
    "pd_ssd_iops",
    "pd_ssd_mibps",
    "pd_ssd_write_iops",
    "pd_ssd_write_mibps",
    "pd_extreme_iops",
    "pd_extreme_mibps",
    "pd_extreme_write_iops",
    "pd_extreme_write_mibps",
    "hyperdisk_balanced_iops",
    "hyperdisk_balanced_mibps",
    "hyperdisk_balanced_ha_iops",
    "hyperdisk_balanced_ha_mibps",
    "hyperdisk_extreme_iops",
    "hyperdisk_extreme_mibps",
    "hyperdisk_throughput_iops",
    "hyperdisk_throughput_mibps",
    "hyperdisk_ml_iops",
    "hyperdisk_ml_mibps",
    "nvme_read_iops",
    "nvme_read_mbps",
    "nvme_write_iops",
    "nvme_write_mbps",
    "nvme_source",
    "limits_source",
    "listed_in",
    "zones_in",
];

/// A row of the table.
pub(super) fn of_row(row: &Row) -> Result<VmSize, CatalogError> {
    let name = row.required("machine_type")?;
    let source = row.owned("source").unwrap_or_else(|| row.file.to_string());
    let counts = DiskCounts::find(&name)?;
    let mut kinds = Vec::new();
    let mut limits_source = row.owned("limits_source");
    for disk in DiskType::ALL.into_iter().filter(|disk| disk.cloud() == Cloud::Gcp) {
        let table = GcpLimit::find(&name, disk.word());
        let together_max = counts.hyperdisks.filter(|_| is_hyperdisk(disk));
        let limits =
            KindLimits { disks_max: counts.of(disk), together_max, ..kind_limits(row, disk, table)? };
        // Limits without figures are those of a kind that the series does not take; unknown ones are left out.
        if limits.read == Limits::default() && takes(&name, disk) != Some(false) {
            continue;
        }
        limits_source = limits_source.or_else(|| table.map(|limit| limit.source.clone()));
        kinds.push(limits);
    }
    let most = |figure: fn(&Limits) -> Option<u64>| kinds.iter().filter_map(|of| figure(&of.read)).max();
    let uncached = Limits { ios: most(|limits| limits.ios), bytes: most(|limits| limits.bytes) };
    let (nvme, nvme_source) = local_disks(row, &name)?;
    // A series without Persistent Disk takes no other disks than Hyperdisk.
    let hyperdisks = counts.hyperdisks.filter(|_| takes(&name, DiskType::PdBalanced) == Some(false));
    let disks = [row.count("max_disks")?, counts.all, hyperdisks].into_iter().flatten().min();
    Ok(VmSize {
        cloud: Cloud::Gcp,
        family: name.split('-').next().map(str::to_string),
        name,
        interface: None,
        vcpus: row.count("vcpus")?,
        vcpus_available: row.count("vcpus")?,
        memory: row.count("memory_mib")?.map(|mib| Bytes(mib.saturating_mul(MIB))),
        max_data_disks: disks,
        max_disks_size: row.count("max_disks_gib")?.map(Bytes::gib),
        premium: None,
        arch: row.owned("arch"),
        current_generation: None,
        uncached,
        uncached_is: None,
        uncached_burst: Limits::default(),
        uncached_v2: Limits::default(),
        uncached_v2_burst: Limits::default(),
        kinds,
        host_cache: Some(false),
        cached: Limits::default(),
        cached_write_bytes: None,
        cached_burst: Limits::default(),
        cache_size: None,
        temp: LocalDisk::default(),
        nvme,
        raw_uncached_bytes: None,
        raw_cached_read_bytes: None,
        raw_cached_write_bytes: None,
        limits_source,
        nvme_source,
        basics_source: source,
        notes: row.owned("notes"),
        era: row.text("era").map(Era::parse).transpose()?,
        restricted: Vec::new(),
        zones: zones_of(row),
        cpu_burstable: row.flag("burstable")?,
    })
}

/// Local SSDs that come with the machine, and the source of their figures: the row's own, else the published ones of their number.
fn local_disks(row: &Row, name: &str) -> Result<(LocalDisk, Option<String>), CatalogError> {
    let mut disks = LocalDisk {
        count: row.count("local_ssds")?,
        size: row.count("local_ssd_gib")?.map(Bytes::gib),
        read: Limits::of(row, "nvme_read_iops", "nvme_read_mbps")?,
        write: Limits::of(row, "nvme_write_iops", "nvme_write_mbps")?,
    };
    let mut source = row.owned("nvme_source").or_else(|| row.owned("local_ssd_source"));
    if let (false, Some(count), Some(gib)) = (disks.read.known(), disks.count, row.count("local_ssd_gib")?)
        && let Some((published, from)) = local_ssd::published(name, count, gib)?
    {
        disks = published;
        source = Some(from);
    }
    Ok((disks, source))
}

/// `us-central1=a/b europe-west4=a` as zones of regions.
fn zones_of(row: &Row) -> Vec<(String, Vec<String>)> {
    let regions = crate::table::by_region(row.text("zones_in").unwrap_or_default());
    let zones = |zones: String| zones.split('/').map(str::to_string).collect();
    regions.into_iter().map(|(region, of)| (region, zones(of))).collect()
}

/// The limits of a kind: the row's own figures, else those of the table of limits.
fn kind_limits(row: &Row, disk: DiskType, table: Option<&GcpLimit>) -> Result<KindLimits, CatalogError> {
    let column = disk.word().replace('-', "_");
    let mib = |name: String| -> Result<Option<u64>, CatalogError> {
        Ok(row.count(&name)?.map(|mib| mib.saturating_mul(MIB)))
    };
    let own = Limits { ios: row.count(&format!("{column}_iops"))?, bytes: mib(format!("{column}_mibps"))? };
    let own_write = Limits {
        ios: row.count(&format!("{column}_write_iops"))?.or(own.ios),
        bytes: mib(format!("{column}_write_mibps"))?.or(own.bytes),
    };
    let over = |own: Limits, table: Option<Limits>| {
        let table = table.unwrap_or_default();
        Limits { ios: own.ios.or(table.ios), bytes: own.bytes.or(table.bytes) }
    };
    Ok(KindLimits {
        disk,
        read: over(own, table.map(|limit| limit.read)),
        write: over(own_write, table.map(|limit| limit.write)),
        disks_max: None,
        together_max: None,
    })
}

/// The limits of a size on each kind of disk, for a listing of its figures.
pub(super) fn figures(vm: &VmSize) -> Vec<Figure> {
    let source_of = |word: &str| {
        let table = GcpLimit::find(&vm.name, word).map(|limit| limit.source.clone());
        table.or(vm.limits_source.clone()).unwrap_or(vm.basics_source.clone())
    };
    let of =
        |limits: &KindLimits| (limits.disk.word(), limits.read, limits.write, source_of(limits.disk.word()));
    limit_figures(vm.kinds.iter().map(of))
}

/// The limits of a custom machine type, or of a row of the table of limits: `n2-custom-16-65536`, `N2 8-15`.
pub(super) fn published(name: &str) -> Option<Entry> {
    let is_row = name.contains(' ');
    if !is_row && !name.contains("-custom-") {
        return None;
    }
    let limits = GcpLimit::all().ok()?;
    let rows: Vec<&GcpLimit> = limits.iter().filter(|limit| limit.is_of(name)).collect();
    let first = rows.first()?;
    let of = |limit: &&GcpLimit| (limit.disk.clone(), limit.read, limit.write, limit.source.clone());
    Some(Entry {
        kind: "machine",
        cloud: Cloud::Gcp,
        name: if is_row { first.machine.clone() } else { name.to_ascii_lowercase() },
        era: Era::current(),
        figures: limit_figures(rows.iter().map(of)),
        notes: vec![format!(
            "the limits of {} go by vCPUs: these are those of {}",
            first.family, first.machines
        )],
        disagreements: Vec::new(),
    })
}

/// The figures of limits: the type of disk, reads, writes, and the source.
fn limit_figures<'a, W: AsRef<str> + 'a>(
    limits: impl Iterator<Item = (W, Limits, Limits, String)>,
) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (word, read, write, source) in limits {
        let (word, source) = (word.as_ref(), Source::of(&source));
        let mut add = |name: &str, figure: Option<u64>, unit: &str, of: u64| {
            figures.extend(figure.map(|figure| Figure {
                name: format!("{word} {name}"),
                value: (figure / of).to_string(),
                unit: unit.to_string(),
                source: source.clone(),
            }));
        };
        add("max_read_iops", read.ios, "IOPS", 1);
        add("max_write_iops", write.ios, "IOPS", 1);
        add("max_read_throughput", read.bytes, "MiB/s", MIB);
        add("max_write_throughput", write.bytes, "MiB/s", MIB);
    }
    figures
}
