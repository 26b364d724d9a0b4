//! VM sizes and disks with their limits, and the sources of the figures.

use std::sync::LazyLock;

use iobound_catalog::{Arch, Catalog, CatalogError, Cloud, DiskType, Entry, Era, Filter, Os, Redundancy};
use iobound_report::{
    Document, Listing, Overview, Setting, Style, audit_listing, disk_prices_listing, disks_listing,
    entry_document, entry_text, machine_limits_listing, preset_document, preset_text, presets_document,
    presets_text, regions_listing, vm_prices_listing, vms_listing,
};
use iobound_units::{parse_bandwidth, parse_bytes, parse_count, parse_iops};
use iobound_workload::{Preset, preset, preset_names, presets};

use crate::options::options;
use crate::settings::{ConfigFile, Settings, catalog_of};
use crate::{Common, Env, Failure};

/// The clouds by name.
static CLOUDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| Cloud::ALL.into_iter().map(Cloud::name).collect());

options! {
    /// Catalogue to read.
    pub struct CatalogOptions {
        /// Your own catalogue file (TOML or CSV); its figures override the shipped ones
        catalog: Option<String> = Form::One, "FILE";
    }
}

options! {
    /// Asks for what there is in all.
    pub struct OverviewRequest {
    }
}

options! {
    /// Asks for VM sizes and their limits.
    pub struct VmsRequest {
        /// Cloud
        cloud: Option<String> = Form::Choice(CLOUDS.as_slice(), None), "CLOUD";
        /// Text that the name contains
        name: Option<String> = Form::One, "TEXT";
        /// Text that the family contains
        family: Option<String> = Form::One, "TEXT";
        /// Minimum IOPS without host cache
        min_iops: Option<String> = Form::One, "IOPS";
        /// Minimum throughput without host cache
        min_throughput: Option<String> = Form::One, "MB/s";
        /// Minimum IOPS from the host cache
        min_cached_iops: Option<String> = Form::One, "IOPS";
        /// Only sizes with premium storage (=false: without)
        premium: Option<String> = Form::Truth, "true|false";
        /// Minimum number of data disks
        min_disks: Option<String> = Form::One, "N";
        /// Number of usable vCPUs, or a range: 8, 8-32
        vcpus: Option<String> = Form::One, "N|N-N";
        /// Minimum memory
        min_memory: Option<String> = Form::One, "SIZE";
        /// Processor architecture
        arch: Option<String> = Form::Choice(&["x64", "arm64"], None), "ARCH";
        /// Only sizes whose limits are known
        known: bool = Form::Switch;
        /// Print comma-separated values
        csv: bool = Form::Switch, "", not with "json";
    }
}

options! {
    /// Asks for disks and their limits.
    pub struct DisksRequest {
        /// Disk type: {disk types}
        r#type: Option<String> = Form::One, "TYPE";
        /// Text that the name contains
        name: Option<String> = Form::One, "TEXT";
        /// Minimum IOPS
        min_iops: Option<String> = Form::One, "IOPS";
        /// Date of the figures: 2016, 2018-06, 2020-08, current, all, or a day such as 2026-07-01 [default: current]
        era: Option<String> = Form::One, "ERA";
        /// Print comma-separated values
        csv: bool = Form::Switch, "", not with "json";
    }
}

options! {
    /// Asks what VM sizes and disks cost.
    pub struct PricesRequest {
        /// Region; without it, list the regions that have prices
        region: Option<String> = Form::One, "REGION";
        /// List disks instead of VM sizes
        disks: bool = Form::Switch, "", with "region";
        /// Operating system whose licence the VM's price includes
        os: Option<String> = Form::Choice(&["linux", "windows"], Some("linux")), "OS", not with "disks", with "region";
        /// Text that the name contains
        name: Option<String> = Form::One, "TEXT", with "region";
        /// Print comma-separated values
        csv: bool = Form::Switch, "", not with "json";
    }
}

options! {
    /// Asks which figures are doubtful.
    pub struct AuditRequest {
        /// Only of this cloud
        cloud: Option<String> = Form::Choice(CLOUDS.as_slice(), None), "CLOUD";
        /// Only this kind of doubt
        only: Option<String> = Form::Choice(&["unknown", "old", "contradictory"], None), "DOUBT";
        /// Year before which a source is old [default: two years before the newest source]
        before: Option<String> = Form::One, "YEAR";
        /// Print comma-separated values
        csv: bool = Form::Switch, "", not with "json";
    }
}

options! {
    /// Asks for one VM size, disk, disk type or preset.
    pub struct EntryRequest {
        /// Name of a VM size, disk, disk type or preset: DS14, P30, m5.large, gp3, sqlserver-oltp
        name: Option<String> = Form::Word, "NAME";
        /// Date of the figures: 2016, 2018-06, 2020-08, current, or a day such as 2026-07-01 [default: current]
        era: Option<String> = Form::One, "ERA";
    }
}

options! {
    /// Asks for what the clouds' own tools print to be merged into a catalogue file.
    pub struct ImportRequest {
        /// JSON of `az vm list-skus`, of the Azure Retail Prices API (all pages) or of `aws ec2 describe-instance-types`
        files: Vec<String> = Form::Words, "FILE";
        /// Catalogue file to create or merge into; without it, show the changes and write nothing
        into: Option<String> = Form::One, "FILE";
        /// Date on which the files were printed [default: the modification date of each file]
        as_of: Option<String> = Form::One, "YYYY-MM-DD";
        /// Region of files that name none, such as those of `aws`
        region: Option<String> = Form::One, "REGION";
        /// The lists are complete: sizes that a list lacks are marked as not offered in its region
        complete: bool = Form::Switch;
    }
}

/// A catalogue that has been read, with the seed that was given.
pub struct PreparedCatalog {
    catalog: Catalog,
    seed: Option<String>,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// Answer of the catalogue.
pub enum CatalogAnswer {
    /// Overview.
    Overview(Overview),
    /// A table.
    Listing(Listing),
    /// Comma-separated values.
    Csv(String),
    /// Workloads of real systems.
    Presets(Vec<Preset>),
    /// One of them.
    Preset(Box<Preset>),
    /// A VM size, a disk or a disk type.
    Entry(Box<Entry>),
}

impl PreparedCatalog {
    /// Reads the catalogue, with a person's own figures.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(options: &CatalogOptions, common: &Common, env: &Env) -> Result<PreparedCatalog, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let catalog = catalog_of(options.catalog.as_deref(), &mut settings)?;
        let idle = settings.file().filter(|file| file.all("catalog").is_empty());
        if let Some(path) = idle.map(ConfigFile::path) {
            env.note(&format!("{path} names no catalogue file, and this verb uses nothing else from it"));
        }
        Ok(PreparedCatalog { catalog, seed: common.seed.clone(), settings: settings.used() })
    }

    /// Checks what can be checked before the work.
    ///
    /// # Errors
    /// Returns an error if a seed is given: it has no effect here.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.seed {
            Some(seed) => Err(Failure::input(format!(
                "--seed {seed} has no effect: the catalogue uses no random numbers"
            ))
            .help("leave it out")),
            None => Ok(()),
        }
    }

    /// Overview of all tables.
    ///
    /// # Errors
    /// Returns an error if a row cannot be read.
    pub fn overview(&self, _: &OverviewRequest) -> Result<CatalogAnswer, Failure> {
        Ok(CatalogAnswer::Overview(Overview::of(&self.catalog)?))
    }

    /// VM sizes.
    ///
    /// # Errors
    /// Returns an error if a value or a row cannot be read.
    pub fn vms(&self, request: &VmsRequest) -> Result<CatalogAnswer, Failure> {
        Ok(listed(vms(request, &self.catalog)?, request.csv))
    }

    /// Disks.
    ///
    /// # Errors
    /// Returns an error if a value or a row cannot be read.
    pub fn disks(&self, request: &DisksRequest) -> Result<CatalogAnswer, Failure> {
        Ok(listed(disks(request, &self.catalog)?, request.csv))
    }

    /// Prices.
    ///
    /// # Errors
    /// Returns an error if the region has no prices or a row cannot be read.
    pub fn prices(&self, request: &PricesRequest) -> Result<CatalogAnswer, Failure> {
        Ok(listed(prices(request, &self.catalog)?, request.csv))
    }

    /// Figures that are unknown, old or contradictory.
    ///
    /// # Errors
    /// Returns an error if a value or a row cannot be read.
    pub fn audit(&self, request: &AuditRequest) -> Result<CatalogAnswer, Failure> {
        let newest = self.catalog.newest_year()?;
        let before = read("before", &request.before, parse_count)?.unwrap_or(newest.saturating_sub(2));
        let mut rows = self.catalog.audit(before)?;
        let cloud = request.cloud.as_deref().and_then(Cloud::from_name);
        rows.retain(|row| {
            cloud.is_none_or(|cloud| cloud == row.cloud)
                && request.only.as_deref().is_none_or(|only| only == row.doubt.name())
        });
        Ok(listed(audit_listing(&rows, before), request.csv))
    }

    /// Workloads of real systems.
    ///
    /// # Errors
    /// Never fails.
    pub fn presets(&self, _: &OverviewRequest) -> Result<CatalogAnswer, Failure> {
        Ok(CatalogAnswer::Presets(presets()))
    }

    /// One of them.
    ///
    /// # Errors
    /// Returns an error if no row has that name.
    pub fn show(&self, request: &EntryRequest) -> Result<CatalogAnswer, Failure> {
        entry(request, &self.catalog)
    }
}

fn listed(listing: Listing, csv: bool) -> CatalogAnswer {
    if csv { CatalogAnswer::Csv(listing.csv()) } else { CatalogAnswer::Listing(listing) }
}

impl CatalogAnswer {
    /// The document; `None` of comma-separated values.
    pub fn document(&self) -> Option<Document> {
        match self {
            CatalogAnswer::Overview(overview) => Some(overview.document().into()),
            CatalogAnswer::Listing(listing) => Some(listing.json()),
            CatalogAnswer::Csv(_) => None,
            CatalogAnswer::Presets(presets) => Some(presets_document(presets).into()),
            CatalogAnswer::Preset(preset) => Some(preset_document(preset).into()),
            CatalogAnswer::Entry(entry) => Some(entry_document(entry).into()),
        }
    }

    /// The text for a terminal: the values, if there is no document.
    pub fn text(&self, style: Style) -> String {
        match self {
            CatalogAnswer::Overview(overview) => overview.text(style),
            CatalogAnswer::Listing(listing) => listing.text(style),
            CatalogAnswer::Csv(values) => values.clone(),
            CatalogAnswer::Presets(presets) => presets_text(presets, style),
            CatalogAnswer::Preset(preset) => preset_text(preset, style),
            CatalogAnswer::Entry(entry) => entry_text(entry, style),
        }
    }
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

/// Limits of machines by type of disk and direction, for clouds that publish them so: a table of its own.
fn machines(args: &VmsRequest, cloud: Cloud) -> Result<Listing, Failure> {
    let VmsRequest { cloud: _, name, csv: _, known: _, family, min_iops, min_throughput, .. } = args;
    let VmsRequest { min_cached_iops, premium, min_disks, vcpus, min_memory, arch, .. } = args;
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
            "--{flag}: {}'s machine limits are listed by disk type and direction, and this filter does not apply",
            cloud.rules().title
        ))
        .help("leave it out; use --name with the beginning of a family's name to choose it"));
    }
    let limits = (cloud.rules().machine_limits)(name.as_deref().unwrap_or_default())?;
    let mut listing = machine_limits_listing(&limits);
    if listing.is_empty() {
        listing.remark("no machine has this name");
    }
    Ok(listing)
}

fn vms(args: &VmsRequest, catalog: &Catalog) -> Result<Listing, Failure> {
    let cloud = args.cloud.as_deref().and_then(Cloud::from_name);
    if let Some(cloud) = cloud.filter(|cloud| cloud.rules().has_limits_by_kind()) {
        return machines(args, cloud);
    }
    let vcpus = read("vcpus", &args.vcpus, parse_range)?;
    let filter = Filter {
        cloud,
        name: args.name.clone(),
        family: args.family.clone(),
        min_ios: read("min-iops", &args.min_iops, parse_iops)?.map(|iops| iops.get()),
        min_bytes: read("min-throughput", &args.min_throughput, parse_bandwidth)?.map(|rate| rate.get()),
        min_cached_ios: read("min-cached-iops", &args.min_cached_iops, parse_iops)?.map(|iops| iops.get()),
        premium: args.premium.as_deref().map(|premium| premium == "true"),
        min_data_disks: read("min-disks", &args.min_disks, parse_count)?,
        min_vcpus: vcpus.map(|(least, _)| least),
        max_vcpus: vcpus.map(|(_, most)| most),
        min_memory: read("min-memory", &args.min_memory, parse_bytes)?,
        arch: args.arch.as_deref().map(|arch| if arch == "arm64" { Arch::Arm64 } else { Arch::X64 }),
        limits_known: args.known,
    };
    let mut listing = vms_listing(&catalog.select(&filter)?);
    if listing.is_empty() {
        listing.remark(
            "no VM size matches. Sizes with an unknown figure never match a condition on that figure",
        );
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
        return Err(format!("`{text}` is an empty range: write {most}-{least}"));
    }
    Ok((least, most))
}

fn disk_type(text: &str) -> Result<DiskType, String> {
    DiskType::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = DiskType::ALL.iter().map(|disk| disk.word()).collect();
        format!("there is no disk type `{text}`: write {}", words.join(", "))
    })
}

fn disks(args: &DisksRequest, catalog: &Catalog) -> Result<Listing, Failure> {
    let disk = read("type", &args.r#type, disk_type)?;
    if let Some(disk) = disk.filter(|disk| !disk.has_tiers()) {
        let given = [
            ("era", args.era.is_some()),
            ("min-iops", args.min_iops.is_some()),
            ("name", args.name.is_some()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given) {
            let word = disk.word();
            return Err(Failure::input(format!("--{flag} selects tiers, and {word} has no tiers"))
                .help(format!("leave it out; `iobound catalog show {word}` shows its rules")));
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
        listing.remark("no disk matches");
    }
    Ok(listing)
}

fn prices(args: &PricesRequest, catalog: &Catalog) -> Result<Listing, Failure> {
    let Some(region) = &args.region else { return Ok(regions_listing(&catalog.regions())) };
    let os = if args.os.as_deref() == Some("windows") { Os::Windows } else { Os::Linux };
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
        none_known(args, catalog, os)?.into_iter().for_each(|remark| listing.remark(remark));
    } else {
        listing.remark(
            "list prices on demand, USD, 730 hours a month; sizes without a known price are left out",
        );
    }
    Ok(listing)
}

/// Why a list of prices is empty, and what to ask for instead.
fn none_known(args: &PricesRequest, catalog: &Catalog, os: Os) -> Result<Vec<String>, Failure> {
    let region = args.region.as_deref().unwrap_or_default();
    let list = catalog.price_list(region, os)?;
    let what = if args.disks { "disks" } else { "VM sizes" };
    let mut remarks = Vec::new();
    match (&args.name, if args.disks { list.has_disks() } else { list.has_vms() }) {
        (Some(name), true) => {
            remarks.push(format!("no price of {what} whose name contains `{name}` is known in {region}"))
        }
        _ if !args.disks && os == Os::Windows && catalog.price_list(region, Os::Linux)?.has_vms() => {
            remarks.push(format!(
                "no Windows prices of VM sizes are known in {region}, only Linux prices (--os linux)"
            ));
        }
        _ => remarks.push(format!("no prices of {what} are known in {region}")),
    }
    if !args.disks && list.has_disks() {
        remarks.push("--disks lists the prices of disks".into());
    }
    Ok(remarks)
}

fn entry(args: &EntryRequest, catalog: &Catalog) -> Result<CatalogAnswer, Failure> {
    let name = args.name.as_deref().unwrap_or_default();
    if preset_names().any(|known| known == name) {
        if let Some(era) = &args.era {
            return Err(Failure::input(format!(
                "--era {era} has no effect: a preset is a workload and has no era"
            ))
            .help("leave it out"));
        }
        return Ok(CatalogAnswer::Preset(Box::new(preset(name)?)));
    }
    let era = args.era.as_deref().map_or(Ok(Era::current()), Era::parse)?;
    let entry = catalog.entry(name, era).map_err(|error| match error {
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
    Ok(CatalogAnswer::Entry(Box::new(entry)))
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
