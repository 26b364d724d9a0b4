use clap::{Args, Subcommand, ValueEnum};
use iobound_catalog::{Arch, Catalog, CatalogError, Cloud, DiskType, Era, Filter, Os, Redundancy};
use iobound_report::{
    Listing, Overview, disk_prices_listing, disks_listing, entry_json, entry_text, gcp_listing, preset_json,
    preset_text, presets_json, presets_text, regions_listing, vm_prices_listing, vms_listing,
};
use iobound_units::{parse_bandwidth, parse_bytes, parse_count, parse_iops};
use iobound_workload::{preset, preset_names, presets};

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::settings::{ConfigFile, Settings, catalog_of};

const EXAMPLES: &str = "\
Examples:
  iobound catalog                                            what there is, and how old it is
  iobound catalog vms --premium --min-iops 50000 --vcpus 8-32
  iobound catalog disks --type premium --era 2016
  iobound catalog prices --region westeurope --name D8
  iobound catalog show DS14 --era 2016                       every figure, its source and its date
  iobound catalog show gp3 --json
  iobound catalog presets                                    workloads of real systems";

/// What can be bought, what its limits are, and who says so.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CatalogArgs {
    /// Your own catalogue file, TOML or CSV: its figures win
    #[arg(long, global = true, value_name = "FILE")]
    catalog: Option<String>,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// VM sizes and their limits
    Vms(VmsArgs),
    /// Disks and their limits
    Disks(DisksArgs),
    /// What VM sizes and disks cost
    Prices(PricesArgs),
    /// Workloads of real systems, for --preset
    Presets,
    /// One VM size, disk, disk type or preset: every figure with its source and date
    Show(ShowArgs),
}

#[derive(Debug, Args)]
struct VmsArgs {
    /// Of this cloud
    #[arg(long)]
    cloud: Option<CloudWord>,
    /// Names that contain this
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Families that contain this
    #[arg(long, value_name = "TEXT")]
    family: Option<String>,
    /// At least so many IOPS without host cache
    #[arg(long, value_name = "IOPS")]
    min_iops: Option<String>,
    /// At least so much throughput without host cache
    #[arg(long, value_name = "MB/s")]
    min_throughput: Option<String>,
    /// At least so many IOPS from the host cache
    #[arg(long, value_name = "IOPS")]
    min_cached_iops: Option<String>,
    /// With premium storage (=false: without)
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    premium: Option<bool>,
    /// At least so many data disks
    #[arg(long, value_name = "N")]
    min_disks: Option<String>,
    /// So many usable vCPUs, or a range: 8, 8-32
    #[arg(long, value_name = "N|N-N")]
    vcpus: Option<String>,
    /// At least so much memory
    #[arg(long, value_name = "SIZE")]
    min_memory: Option<String>,
    /// Of this architecture
    #[arg(long)]
    arch: Option<ArchWord>,
    /// Only sizes whose limits are known
    #[arg(long)]
    known: bool,
    /// Comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Debug, Args)]
struct DisksArgs {
    /// Of this type: premium, premiumv2, ultra, standardssd, standardhdd
    #[arg(long = "type", value_name = "TYPE")]
    disk: Option<String>,
    /// Names that contain this
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// At least so many IOPS
    #[arg(long, value_name = "IOPS")]
    min_iops: Option<String>,
    /// Whose figures: 2016, 2018-06, 2020-08, current, all [default: current]
    #[arg(long, value_name = "ERA")]
    era: Option<String>,
    /// Comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Debug, Args)]
struct PricesArgs {
    /// Where: without it, the regions that have prices
    #[arg(long)]
    region: Option<String>,
    /// Disks, not VM sizes
    #[arg(long, requires = "region")]
    disks: bool,
    /// Whose licence the VM's price includes
    #[arg(long, default_value = "linux", requires = "region", conflicts_with = "disks")]
    os: OsWord,
    /// Names that contain this
    #[arg(long, value_name = "TEXT", requires = "region")]
    name: Option<String>,
    /// Comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// DS14, P30, m5.large, gp3, sqlserver-oltp
    name: String,
    /// Whose figures: 2016, 2018-06, 2020-08, current [default: current]
    #[arg(long)]
    era: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CloudWord {
    Azure,
    Aws,
    Gcp,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArchWord {
    X64,
    Arm64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OsWord {
    Linux,
    Windows,
}

/// Looks up, and shows.
pub(crate) fn run(args: &CatalogArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let catalog = catalog_of(args.catalog.as_deref(), &mut settings)?;
    if let Some(path) = settings.file().filter(|file| file.all("catalog").is_empty()).map(ConfigFile::path) {
        output::note(&format!("{path} names no catalogue file: nothing of it is used here"));
    }
    if common.show_config {
        let (won, _) = settings.finish();
        return output::settings(&won, &[], common);
    }
    if let Some(seed) = &common.seed {
        return Err(Failure::input(format!("--seed {seed}: nothing in the catalogue is drawn at random"))
            .mend("leave it out"));
    }
    match &args.what {
        None => {
            let overview = Overview::of(&catalog)?;
            output::page(common, |style| overview.text(style), || overview.json())
        }
        Some(What::Vms(args)) => list(&vms(args, &catalog)?, args.csv, common),
        Some(What::Disks(args)) => list(&disks(args, &catalog)?, args.csv, common),
        Some(What::Prices(args)) => list(&prices(args, &catalog)?, args.csv, common),
        Some(What::Presets) => {
            let all = presets();
            output::page(common, |style| presets_text(&all, style), || presets_json(&all))
        }
        Some(What::Show(args)) => show(args, &catalog, common),
    }
}

fn list(listing: &Listing, csv: bool, common: &CommonArgs) -> Result<Exit, Failure> {
    if csv {
        return output::data(&listing.csv());
    }
    output::page(common, |style| listing.text(style), || listing.json())
}

/// The value of a flag, told by its name where it can't be read.
fn read<T, E: std::fmt::Display>(
    flag: &str,
    text: &Option<String>,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, Failure> {
    let failed = |error| Failure::input(format!("--{flag}: {error}"));
    text.as_deref().map(|text| parse(text).map_err(failed)).transpose()
}

/// What is published of Google Cloud's machines goes by disk and direction: its own table.
fn machines(args: &VmsArgs, catalog: &Catalog) -> Result<Listing, Failure> {
    let VmsArgs { cloud: _, name, csv: _, known: _, family, min_iops, min_throughput, .. } = args;
    let VmsArgs { min_cached_iops, premium, min_disks, vcpus, min_memory, arch, .. } = args;
    let conditions = [
        ("family", family.is_some()),
        ("min-iops", min_iops.is_some()),
        ("min-throughput", min_throughput.is_some()),
        ("min-cached-iops", min_cached_iops.is_some()),
        ("premium", premium.is_some()),
        ("min-disks", min_disks.is_some()),
        ("vcpus", vcpus.is_some()),
        ("min-memory", min_memory.is_some()),
        ("arch", arch.is_some()),
    ];
    if let Some((flag, _)) = conditions.iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!(
            "--{flag}: Google's machines are listed by disk and direction, without it"
        ))
        .mend("leave it out; --name n2 chooses a family"));
    }
    let mut limits = catalog.gcp_limits()?;
    let part = name.as_deref().unwrap_or_default().to_ascii_lowercase();
    limits.retain(|limit| limit.machine().to_ascii_lowercase().contains(&part) || limit.is_of(&part));
    let mut listing = gcp_listing(&limits);
    if listing.is_empty() {
        listing.remark("no machine is called so");
    }
    Ok(listing)
}

fn vms(args: &VmsArgs, catalog: &Catalog) -> Result<Listing, Failure> {
    if let Some(CloudWord::Gcp) = args.cloud {
        return machines(args, catalog);
    }
    let vcpus = read("vcpus", &args.vcpus, parse_range)?;
    let filter = Filter {
        cloud: args.cloud.map(|cloud| match cloud {
            CloudWord::Azure => Cloud::Azure,
            CloudWord::Aws => Cloud::Aws,
            CloudWord::Gcp => Cloud::Gcp,
        }),
        name: args.name.clone(),
        family: args.family.clone(),
        min_ios: read("min-iops", &args.min_iops, parse_iops)?.map(|iops| iops.get()),
        min_bytes: read("min-throughput", &args.min_throughput, parse_bandwidth)?.map(|rate| rate.get()),
        min_cached_ios: read("min-cached-iops", &args.min_cached_iops, parse_iops)?.map(|iops| iops.get()),
        premium: args.premium,
        min_data_disks: read("min-disks", &args.min_disks, parse_count)?,
        min_vcpus: vcpus.map(|(least, _)| least),
        max_vcpus: vcpus.map(|(_, most)| most),
        min_memory: read("min-memory", &args.min_memory, parse_bytes)?,
        arch: args.arch.map(|arch| match arch {
            ArchWord::X64 => Arch::X64,
            ArchWord::Arm64 => Arch::Arm64,
        }),
        limits_known: args.known,
    };
    let mut listing = vms_listing(&catalog.select(&filter)?);
    if listing.is_empty() {
        listing.remark("no VM size passes; a size whose figure is unknown passes no condition on it");
    }
    Ok(listing)
}

fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let count = |text: &str| parse_count(text).map_err(|error| error.to_string());
    let (least, most) = match text.split_once('-') {
        Some((least, most)) => (count(least)?, count(most)?),
        None => (count(text)?, count(text)?),
    };
    if least > most {
        return Err(format!("`{text}` has no number in it: write {most}-{least}"));
    }
    Ok((least, most))
}

fn disk_type(text: &str) -> Result<DiskType, String> {
    DiskType::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = DiskType::ALL.iter().map(|disk| disk.word()).collect();
        format!("there is no disk type `{text}`: write {}", words.join(", "))
    })
}

fn disks(args: &DisksArgs, catalog: &Catalog) -> Result<Listing, Failure> {
    let disk = read("type", &args.disk, disk_type)?;
    if let Some(disk) = disk.filter(|disk| !disk.has_tiers()) {
        let given = [
            ("era", args.era.is_some()),
            ("min-iops", args.min_iops.is_some()),
            ("name", args.name.is_some()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
            let word = disk.word();
            return Err(Failure::input(format!("--{flag} chooses among tiers, and {word} has none"))
                .mend(format!("leave it out; `iobound catalog show {word}` has its rules")));
        }
    }
    let least = read("min-iops", &args.min_iops, parse_iops)?.map(|iops| iops.get());
    let era = match args.era.as_deref() {
        None => Some(Era::current()),
        Some("all") => None,
        Some(name) => Some(Era::parse(name)?),
    };
    let name = args.name.as_deref().map(str::to_ascii_lowercase);
    let mut tiers = catalog.tiers()?;
    tiers.retain(|tier| {
        era.is_none_or(|era| era == tier.era)
            && disk.is_none_or(|disk| disk == tier.disk)
            && least.is_none_or(|least| tier.ios.is_some_and(|ios| ios >= least))
            && name.as_deref().is_none_or(|name| tier.name.to_ascii_lowercase().contains(name))
            // The same figures at another price.
            && (tier.redundancy == Redundancy::Lrs || args.csv || era.is_none())
    });
    let wanted = |other: &DiskType| !other.has_tiers() && disk.is_none_or(|disk| disk == *other);
    let provisioned: Vec<DiskType> = DiskType::ALL.into_iter().filter(wanted).collect();
    let mut listing = disks_listing(&tiers, if name.is_none() { &provisioned } else { &[] });
    if listing.is_empty() && (provisioned.is_empty() || name.is_some()) {
        listing.remark("no disk passes");
    }
    Ok(listing)
}

fn prices(args: &PricesArgs, catalog: &Catalog) -> Result<Listing, Failure> {
    let Some(region) = &args.region else { return Ok(regions_listing(&catalog.regions())) };
    let os = match args.os {
        OsWord::Linux => Os::Linux,
        OsWord::Windows => Os::Windows,
    };
    let list = catalog.price_list(region, os)?;
    let name = args.name.as_deref().unwrap_or_default().to_ascii_lowercase();
    let mut listing = if args.disks {
        let mut meters: Vec<_> = list.meters().collect();
        meters.retain(|meter| {
            let of = meter.tier.as_deref().unwrap_or(meter.disk.word());
            of.to_ascii_lowercase().contains(&name)
        });
        disk_prices_listing(&meters)
    } else {
        let mut sizes = catalog.vms()?;
        sizes.retain(|vm| vm.name.to_ascii_lowercase().contains(&name));
        let priced = sizes.into_iter().map(|vm| (list.vm(&vm.name), vm));
        let known: Vec<_> =
            priced.filter(|(price, _)| price.is_some()).map(|(price, vm)| (vm, price)).collect();
        vm_prices_listing(&known)
    };
    if listing.is_empty() {
        listing.remark(format!("no price of that name is known in {region}"));
    } else {
        listing.remark(
            "list prices on demand, USD, 730 hours a month; sizes without a known price are left out",
        );
    }
    Ok(listing)
}

fn show(args: &ShowArgs, catalog: &Catalog, common: &CommonArgs) -> Result<Exit, Failure> {
    if preset_names().any(|name| name == args.name) {
        if let Some(era) = &args.era {
            return Err(Failure::input(format!("--era {era}: a preset is a workload, which has no era"))
                .mend("leave it out"));
        }
        let preset = preset(&args.name)?;
        return output::page(common, |style| preset_text(&preset, style), || preset_json(&preset));
    }
    let era = args.era.as_deref().map_or(Ok(Era::current()), Era::parse)?;
    let entry = catalog.entry(&args.name, era).map_err(|error| match error {
        CatalogError::Unknown { nearest: sizes, name, .. } => {
            let mut nearest = match catalog.tier(&name, Redundancy::Lrs, era) {
                Err(CatalogError::Unknown { nearest, .. }) => nearest,
                _ => Vec::new(),
            };
            nearest.extend(sizes);
            CatalogError::Unknown { what: "VM size, disk or preset", name, nearest }
        }
        other => other,
    })?;
    output::page(common, |style| entry_text(&entry, style), || entry_json(&entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_vcpus_is_a_number_or_two() {
        assert_eq!(parse_range("8"), Ok((8, 8)));
        assert_eq!(parse_range("8-32"), Ok((8, 32)));
        assert!(parse_range("32-8").unwrap_err().contains("8-32"));
        assert!(parse_range("many").is_err());
    }
}
