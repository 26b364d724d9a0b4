use clap::{Args, ValueEnum};
use iobound_catalog::{Arch, Catalog, Cloud, DiskType, Os, PriceList, parse_spec};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_plan::{Asked, Credits, Market, Plan, Stock, Terms, plan};
use iobound_report::{Planned, plan_json, plan_text};
use iobound_units::{parse_bytes, parse_count};

use crate::arguments::{CommonArgs, WorkloadArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::need::{AskedNeed, NeedArgs, need_of};
use crate::settings::{Settings, catalog_of};
use crate::workload::workload_of;
use crate::{interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB --region westeurope
  iobound plan --throughput 1000MB/s --block 32KiB --capacity 2TiB --cloud azure,aws
  iobound plan --iops 20000 --block 8KiB --read 70% --capacity 1TiB --latency p99:5ms
  iobound plan --preset sqlserver-oltp --capacity 1TiB --log 'capacity=256GiB'
  iobound plan --iops 10000 --block 8KiB --capacity 2TiB --vcpus 8-16 --memory 64GiB- --max-price 900
  iobound plan --iops 30000 --block 8KiB --capacity 2TiB --keep-vm E16bs_v5
  iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB --build 1
  iobound plan --iops 20000..60000 --block 8KiB --capacity 2TiB      the build that is regretted least";

/// What should I buy: the cheapest VM and disks that meet a need, and why each cheaper one does not.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    need: NeedArgs,
    /// Where: the region of the prices, one for each cloud [default: westeurope, us-east-1]
    #[arg(long, value_name = "REGION,...", help_heading = "Terms")]
    region: Option<String>,
    /// Whose: azure, aws, or both [default: azure, or the region's]
    #[arg(long, value_name = "CLOUD,...", help_heading = "Terms")]
    cloud: Option<String>,
    /// Whose licence the price includes [default: linux]
    #[arg(long, value_name = "linux|windows", help_heading = "Terms")]
    os: Option<String>,
    /// Which processor [default: x64]
    #[arg(long, value_name = "x64|arm64|any", help_heading = "Terms")]
    arch: Option<String>,
    /// Also sizes that have a later generation
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Terms")]
    include_old: Option<String>,
    /// Also sizes whose processors run on credits
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Terms")]
    include_burstable: Option<String>,
    /// Count on disk and VM bursts, which last minutes
    #[arg(long, help_heading = "Terms")]
    burst: bool,
    /// Usable vCPUs: 8, 8-16, 8-, -16
    #[arg(long, value_name = "MIN-MAX", help_heading = "Terms")]
    vcpus: Option<String>,
    /// Memory: 64GiB-, 64GiB-128GiB
    #[arg(long, value_name = "MIN-MAX", help_heading = "Terms")]
    memory: Option<String>,
    /// US dollars a month, at most
    #[arg(long, value_name = "USD", help_heading = "Terms")]
    max_price: Option<String>,
    /// Only these types of disk: premium,premiumv2,ultra,gp3
    #[arg(long, value_name = "TYPE,...", help_heading = "Terms")]
    disk_types: Option<String>,
    /// The VM size that is there: what disks it needs
    #[arg(long, value_name = "NAME", help_heading = "Terms")]
    keep_vm: Option<String>,
    /// The data disks that are there: which VM they need
    #[arg(long, value_name = "SPEC", help_heading = "Terms")]
    keep_disks: Option<String>,
    /// No host cache
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", help_heading = "Terms")]
    no_host_cache: Option<String>,
    /// So many candidates
    #[arg(long, value_name = "N", help_heading = "Answer")]
    candidates: Option<String>,
    /// How to build candidate N, and to prove it: az, aws, Terraform, mdadm, LVM, Storage Spaces, fio, DiskSpd
    #[arg(long, value_name = "N", help_heading = "Answer")]
    build: Option<String>,
    /// Your own catalogue file, TOML or CSV: its figures win
    #[arg(long, value_name = "FILE", help_heading = "Terms")]
    catalog: Option<String>,
    #[command(flatten)]
    shape: ShapeArgs,
}

/// What the I/Os are, as the other verbs take it; how deep and how skewed is nothing that a plan asks.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Workload (default: random 4KiB reads)")]
struct ShapeArgs {
    /// Size of an I/O, or a split: 8KiB, 4KiB:60,64KiB:40
    #[arg(long, value_name = "SIZE|SPLIT")]
    block: Option<String>,
    /// So many of the I/Os read, the others write
    #[arg(long, value_name = "PERCENT")]
    read: Option<String>,
    /// The same as --iops or --throughput: 5000iops, 200MB/s
    #[arg(long, value_name = "IOPS|MB/s")]
    rate: Option<String>,
    /// A DiskSpd command line, as pasted
    #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
    diskspd: Option<String>,
    /// A DiskSpd XML profile
    #[arg(long, value_name = "FILE")]
    diskspd_xml: Option<String>,
    /// An fio command line, or the name of a job file
    #[arg(long, value_name = "LINE|FILE", allow_hyphen_values = true)]
    fio: Option<String>,
    /// An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    #[arg(long, value_name = "FILE|SPEC")]
    iometer: Option<String>,
    /// The workload of a real system: `iobound catalog presets` lists them
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Jobs in TOML
    #[arg(long, value_name = "FILE")]
    workload: Option<String>,
}

impl ShapeArgs {
    fn workload(&self) -> WorkloadArgs {
        let it = self.clone();
        WorkloadArgs {
            block: it.block,
            read: it.read,
            rate: it.rate,
            diskspd: it.diskspd,
            diskspd_xml: it.diskspd_xml,
            fio: it.fio,
            iometer: it.iometer,
            preset: it.preset,
            workload: it.workload,
            ..WorkloadArgs::default()
        }
    }
}

/// The most candidates that are simulated.
const SIMULATED: usize = 10;
const CANDIDATES: &str = "10";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ArchWord {
    X64,
    Arm64,
    Any,
}

/// What is accepted, as said.
struct Accepted {
    terms: Terms,
    os: Os,
    credits: Credits,
    lists: Vec<(Cloud, PriceList)>,
    text: String,
    notes: Vec<String>,
}

/// Reads the need, searches, proves, shows.
pub(crate) fn run(args: &PlanArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let catalog = catalog_of(args.catalog.as_deref(), &mut settings)?;
    let accepted = accepted(args, &catalog, &mut settings)?;
    let candidates =
        settings.parse("candidates", args.candidates.as_deref(), Some(CANDIDATES), parse_candidates)?;
    let asked = workload_of(&args.shape.workload(), common, &mut settings)?;
    let build = settings.parse("build", args.build.as_deref(), None, parse_candidates)?;
    let kept = settings.parse("keep-disks", args.keep_disks.as_deref(), None, parse_spec)?;
    let AskedNeed { need, range, assumed, notes } = need_of(&args.need, &asked.workloads, &mut settings)?;
    let seed = asked.workloads.first().map_or(0, |workload| workload.seed);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    let market = Market::of(&catalog, &accepted.lists, accepted.credits)?;
    let mut terms = accepted.terms;
    if let Some(request) = kept {
        let volume = market.kept(&request).map_err(|why| {
            Failure::input(format!("--keep-disks: {why}"))
                .mend("a disk is COUNTxWHAT[:CACHE], such as 10xP30:readonly")
        })?;
        terms.kept = Some(volume);
    }
    let stock = Stock { catalog: &catalog, market: &market, lists: &accepted.lists };
    let candidates = candidates.unwrap_or(SIMULATED);
    let question = Asked { need, terms, range, candidates, simulated: SIMULATED.min(candidates), seed };
    let mut watch = |_: &Interval| if interrupt::asked() { Flow::Stop } else { Flow::Continue };
    let answer = plan(&stock, &question, &mut watch)?;
    if let Some(number) = build.filter(|number| *number > answer.candidates.len()) {
        let there = answer.candidates.len();
        return Err(Failure::input(format!("--build {number}: there are {there} candidates"))
            .mend("choose one that the plan shows, or --candidates more of them"));
    }
    let mut notes = [accepted.notes, notes].concat();
    notes.extend(about(&answer, &market, accepted.os));
    let places: Vec<(String, Option<String>)> =
        accepted.lists.iter().map(|(_, list)| (list.region().to_string(), list.as_of())).collect();
    let planned = Planned {
        plan: &answer,
        need: &answer.need,
        market: &market,
        places: &places,
        terms: &accepted.text,
        build,
        assumed: &assumed,
        notes: &notes,
    };
    output::page(common, |style| plan_text(&planned, style), || plan_json(&planned))
}

/// What the person should know of an answer.
fn about(answer: &Plan, market: &Market, os: Os) -> Vec<String> {
    let mut notes = Vec::new();
    let uses = |disk: DiskType| answer.candidates.iter().any(|candidate| candidate.build.data.disk == disk);
    if answer.candidates.iter().any(|candidate| candidate.build.data.cached) {
        notes.push(
            "a read cache is warm here, and holds the whole working set; after a restart it is cold, and reads go to the disks"
                .into(),
        );
    }
    if uses(DiskType::StandardSsd) || uses(DiskType::StandardHdd) {
        notes.push("I/Os on Standard disks are billed: the price has the asked rate, all month".into());
    }
    if market.unpriced_disks > 0 {
        notes.push(format!(
            "{} kinds of disks have no known price there, and are left out",
            market.unpriced_disks
        ));
    }
    if os == Os::Windows {
        notes.push("a Windows volume is a Storage Spaces simple space with as many columns as disks".into());
    }
    notes
}

fn accepted(args: &PlanArgs, catalog: &Catalog, settings: &mut Settings) -> Result<Accepted, Failure> {
    let os = settings.parse("os", args.os.as_deref(), Some("linux"), |text| match text {
        "linux" => Ok(Os::Linux),
        "windows" => Ok(Os::Windows),
        other => Err(format!("`{other}` is not known: write linux or windows")),
    })?;
    let os = os.unwrap_or_default();
    let arch = settings.parse("arch", args.arch.as_deref(), Some("x64"), |text| {
        ArchWord::from_str(text, true).map_err(|_| format!("`{text}` is not known: write x64, arm64 or any"))
    })?;
    let arch = match arch.unwrap_or(ArchWord::X64) {
        ArchWord::X64 => Some(Arch::X64),
        ArchWord::Arm64 => Some(Arch::Arm64),
        ArchWord::Any => None,
    };
    let previous = settings.switch("include-old", args.include_old.as_deref())?;
    let cpu_burstable = settings.switch("include-burstable", args.include_burstable.as_deref())?;
    // No setting: a workload's IOBOUND_BURST is another thing.
    let burst = args.burst;
    let vcpus = settings.parse("vcpus", args.vcpus.as_deref(), None, |text| {
        bounds(text, |text| parse_count(text).map_err(|error| error.to_string()))
    })?;
    let memory = settings.parse("memory", args.memory.as_deref(), None, |text| {
        bounds(text, |text| parse_bytes(text).map(|bytes| bytes.get()).map_err(|error| error.to_string()))
    })?;
    let most = settings.parse("max-price", args.max_price.as_deref(), None, parse_dollars)?;
    let disks = settings.parse("disk-types", args.disk_types.as_deref(), None, parse_types)?;
    let no_host_cache = settings.switch("no-host-cache", args.no_host_cache.as_deref())?;
    let keep = settings.text("keep-vm", args.keep_vm.as_deref(), None);
    let vm = match &keep {
        Some(given) => Some(catalog.vm(&given.text, iobound_catalog::Era::current())?.entry),
        None => None,
    };
    let (lists, notes) = lists(args, catalog, os, vm.as_ref().map(|vm| vm.cloud), settings)?;
    let mut words = vec![if os == Os::Linux { "Linux" } else { "Windows" }.to_string()];
    match (&vm, arch) {
        (Some(vm), _) => words.push(vm.full_name()),
        (None, Some(Arch::X64)) => words.push("x64".into()),
        (None, Some(Arch::Arm64)) => words.push("Arm".into()),
        (None, None) => words.push("any processor".into()),
    }
    words.push("on demand".into());
    words.push(if burst { "bursts counted on" } else { "sustained" }.into());
    let terms = Terms {
        arch,
        previous,
        cpu_burstable,
        vcpus: vcpus.unwrap_or_default(),
        memory: memory.unwrap_or_default(),
        most,
        disks: disks.unwrap_or_default(),
        vm: vm.map(|vm| vm.full_name()),
        host_cache: !no_host_cache,
        ..Terms::default()
    };
    let credits = if burst { Credits::Full } else { Credits::Spent };
    Ok(Accepted { terms, os, credits, lists, text: words.join(", "), notes })
}

/// Price lists, and what is to be said of how they were chosen.
type Lists = (Vec<(Cloud, PriceList)>, Vec<String>);

/// The price lists of the clouds and regions asked for.
fn lists(
    args: &PlanArgs,
    catalog: &Catalog,
    os: Os,
    kept: Option<Cloud>,
    settings: &mut Settings,
) -> Result<Lists, Failure> {
    let regions = settings.text("region", args.region.as_deref(), None);
    let clouds = settings.parse("cloud", args.cloud.as_deref(), None, |text| {
        text.split(',').map(parse_cloud).collect::<Result<Vec<Cloud>, String>>()
    })?;
    let mut chosen: Vec<(Cloud, String)> = Vec::new();
    if let Some(given) = &regions {
        for region in given.text.split(',').map(str::trim).filter(|region| !region.is_empty()) {
            let cloud = cloud_of(region);
            if chosen.iter().any(|(of, _)| *of == cloud) {
                return Err(given
                    .refuse(format!("two regions of {} are given", cloud.name()))
                    .mend("one for each cloud: --region westeurope,us-east-1"));
            }
            chosen.push((cloud, region.to_string()));
        }
    }
    let wanted = match (clouds, kept) {
        (Some(clouds), _) => clouds,
        (None, Some(kept)) => vec![kept],
        (None, None) if chosen.is_empty() => vec![Cloud::Azure],
        (None, None) => chosen.iter().map(|(cloud, _)| *cloud).collect(),
    };
    if let Some((cloud, region)) = chosen.iter().find(|(cloud, _)| !wanted.contains(cloud)) {
        return Err(Failure::input(format!(
            "--region {region} is of {}, which is not asked for",
            cloud.name()
        ))
        .mend(format!("leave it out, or add --cloud {}", cloud.name())));
    }
    let mut lists = Vec::new();
    let mut notes = Vec::new();
    for cloud in wanted {
        let region = chosen.iter().find(|(of, _)| *of == cloud).map(|(_, region)| region.clone());
        let region = region.unwrap_or_else(|| {
            let default = if cloud == Cloud::Aws { "us-east-1" } else { "westeurope" };
            notes.push(format!("prices of {default}: no region of {} is given", cloud.name()));
            default.to_string()
        });
        lists.push((cloud, catalog.price_list(&region, os)?));
    }
    Ok((lists, notes))
}

fn parse_candidates(text: &str) -> Result<usize, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    let shown = usize::try_from(count).ok().filter(|count| (1..=1_000).contains(count));
    shown.ok_or_else(|| format!("`{text}` candidates: 1 to 1,000 can be shown"))
}

fn parse_cloud(text: &str) -> Result<Cloud, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "azure" => Ok(Cloud::Azure),
        "aws" => Ok(Cloud::Aws),
        "gcp" => Err("gcp is listed only, not modelled: write azure, aws or azure,aws".into()),
        other => Err(format!("`{other}` is no cloud: write azure, aws or azure,aws")),
    }
}

/// AWS's regions have dashes: `us-east-1`.
fn cloud_of(region: &str) -> Cloud {
    if region.contains('-') { Cloud::Aws } else { Cloud::Azure }
}

fn parse_types(text: &str) -> Result<Vec<DiskType>, String> {
    let read = |word: &str| {
        DiskType::from_word(word.trim()).ok_or_else(|| {
            let words: Vec<&str> = DiskType::ALL.iter().map(|disk| disk.word()).collect();
            format!("there is no disk type `{}`: write {}", word.trim(), words.join(", "))
        })
    };
    text.split(',').map(read).collect()
}

/// Dollars in billionths.
fn parse_dollars(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}` is no price: write US dollars a month, such as 900");
    let number = text.trim().trim_start_matches('$').replace(',', "");
    let (whole, cents) = number.split_once('.').unwrap_or((number.as_str(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(cents) || cents.len() > 2 {
        return Err(expected());
    }
    let cents: u64 = format!("{cents:0<2}").parse().map_err(|_| expected())?;
    let whole: u64 = whole.parse().map_err(|_| expected())?;
    whole
        .checked_mul(100)
        .and_then(|sum| sum.checked_add(cents)?.checked_mul(10_000_000))
        .ok_or_else(expected)
}

/// `8`, `8-16`, `8-`, `-16`.
fn bounds(text: &str, read: impl Fn(&str) -> Result<u64, String>) -> Result<[Option<u64>; 2], String> {
    let end = |part: &str| Some(part.trim()).filter(|part| !part.is_empty()).map(&read).transpose();
    let [least, most] = match text.split_once('-') {
        Some((least, most)) => [end(least)?, end(most)?],
        None => [end(text)?, end(text)?],
    };
    match (least, most) {
        (None, None) => Err("bounds are missing: write 8-16, 8- or -16".into()),
        (Some(least), Some(most)) if least > most => {
            Err(format!("`{text}` has nothing in it: the least comes first"))
        }
        _ => Ok([least, most]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_may_be_open() {
        let read = |text: &str| bounds(text, |text| text.parse::<u64>().map_err(|error| error.to_string()));
        assert_eq!(read("8-16"), Ok([Some(8), Some(16)]));
        assert_eq!(read("8-"), Ok([Some(8), None]));
        assert_eq!(read("-16"), Ok([None, Some(16)]));
        assert_eq!(read("8"), Ok([Some(8), Some(8)]));
        assert!(read("16-8").is_err() && read("-").is_err() && read("x").is_err());
    }

    #[test]
    fn dollars_are_exact() {
        assert_eq!(parse_dollars("900"), Ok(900_000_000_000));
        assert_eq!(parse_dollars("$1,234.5"), Ok(1_234_500_000_000));
        for wrong in ["", "-1", "1.234", "nine", "99999999999999999999"] {
            assert!(parse_dollars(wrong).is_err(), "{wrong}");
        }
    }
}
