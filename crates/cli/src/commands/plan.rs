use clap::Args;
use iobound_catalog::{DiskType, Os, Redundancy, parse_spec};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_plan::{Asked, Billing, Law, Market, Plan, Rank, Stock, Terms, Volume, plan};
use iobound_report::{Planned, plan_json, plan_text};
use iobound_units::parse_count;

use crate::arguments::{CommonArgs, JobArgs, SplitArgs, WorkloadArgs};
use crate::calendar::Day;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::hosts::split_of;
use crate::need::{AskedNeed, NeedArgs, need_of};
use crate::page::{AskedPage, PageArgs};
use crate::settings::{Settings, catalog_of};
use crate::terms::{TermsArgs, accepted};
use crate::workload::workload_of;
use crate::{interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB --region westeurope
  iobound plan --throughput 1000MB/s --block 32KiB --capacity 2TiB --cloud azure,aws
  iobound plan --iops 20000 --block 8KiB --read 70% --capacity 1TiB --latency p99:5ms
  iobound plan --preset sqlserver-oltp --capacity 1TiB --log 'capacity=256GiB'
  iobound plan --iops 10000 --capacity 2TiB --vcpus 8-16 --memory 64GiB- --max-price 900
  iobound plan --iops 30000 --block 8KiB --capacity 2TiB --keep-vm E16bs_v5
  iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB --build 1
  iobound plan --preset sqlserver-oltp --capacity 1TiB --temp 'iops=5000 read=50% capacity=100GiB'
  iobound plan --iops 5000 --block 8KiB --capacity 1TiB --region westeurope --redundancy zrs
  iobound plan --iops 20000 --block 8KiB --capacity 1TiB --region japaneast --catalog mine.toml
  iobound plan --iops 50000 --capacity 4TiB --html page.html      price against IOPS, drawn
  iobound plan --iops 20000..60000 --capacity 2TiB      the build that is regretted least
  iobound plan --throughput 16GB/s --block 1MiB --capacity 100TiB --hosts 8..32 --slow-host 50%";

/// What should I buy: the cheapest VM and disks that meet a need, and why each cheaper one does not.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    need: NeedArgs,
    #[command(flatten)]
    split: SplitArgs,
    #[command(flatten)]
    terms: TermsArgs,
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
    #[command(flatten)]
    page: PageArgs,
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
        let jobs = JobArgs {
            block: it.block,
            read: it.read,
            rate: it.rate,
            diskspd: it.diskspd,
            diskspd_xml: it.diskspd_xml,
            fio: it.fio,
            iometer: it.iometer,
            preset: it.preset,
            workload: it.workload,
            ..JobArgs::default()
        };
        WorkloadArgs { jobs, ..WorkloadArgs::default() }
    }
}

/// The most candidates that are simulated.
const SIMULATED: usize = 10;
const CANDIDATES: &str = "10";

/// Reads the need, searches, proves, shows.
pub(crate) fn run(args: &PlanArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let catalog = catalog_of(args.catalog.as_deref(), &mut settings)?;
    let accepted = accepted(&args.terms, &catalog, &mut settings)?;
    let candidates =
        settings.parse("candidates", args.candidates.as_deref(), Some(CANDIDATES), parse_candidates)?;
    let asked = workload_of(&args.shape.workload(), common, &mut settings)?;
    let build = settings.parse("build", args.build.as_deref(), None, parse_candidates)?;
    let kept = settings.parse("keep-disks", args.terms.keep_disks.as_deref(), None, parse_spec)?;
    let AskedNeed { need, range, assumed, notes } = need_of(&args.need, &asked.workloads, &mut settings)?;
    let (split, alone) = split_of(&args.split, &mut settings)?;
    if let (Some([low, high]), [least, most]) = (range, split.hosts)
        && least < most
    {
        return Err(Failure::input(format!(
            "--iops {low}..{high} and --hosts {least}..{most}: one of them can be a range"
        ))
        .mend(format!("write --hosts {most}, or --iops {high}")));
    }
    let page = AskedPage::of(&args.page, &mut settings)?;
    let seed = asked.workloads.first().map_or(0, |workload| workload.seed);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    page.can_be_written()?;
    let market = Market::of(&catalog, &accepted.lists, accepted.look)?;
    let mut terms = accepted.terms;
    if market.rank == Rank::Size && terms.most.is_some() {
        return Err(Failure::input("--max-price: without prices nothing is dearer or cheaper")
            .mend("leave it out, or import prices (`iobound catalog import --help`)"));
    }
    if let (Some(vm), Some(_)) = (&terms.vm, terms.most)
        && market.vms.iter().any(|row| row.name == *vm && row.price.is_none())
    {
        return Err(Failure::input(format!("--max-price: the price of {vm} is not known there"))
            .mend("leave it out, or import prices (`iobound catalog import --help`)"));
    }
    terms.per_disk = market.per_disk(terms.per_disk);
    let priced_by_hand = accepted.look.rank == Some(Rank::Price) && !market.unpriced_regions.is_empty();
    if priced_by_hand {
        let regions = market.unpriced_regions.join(", ");
        return Err(Failure::input(format!("--rank price: no prices are known of {regions}"))
            .mend("leave it out, or import prices (`iobound catalog import --help`)"));
    }
    if let Some(request) = kept {
        let volume = market.kept(&request).map_err(|why| {
            Failure::input(format!("--keep-disks: {why}"))
                .mend("a disk is COUNTxWHAT[:CACHE], such as 10xP30:readonly")
        })?;
        terms.kept = Some(volume);
    }
    let stock = Stock { catalog: &catalog, market: &market, lists: &accepted.lists };
    let candidates = candidates.unwrap_or(SIMULATED);
    let simulated = SIMULATED.min(candidates);
    let question = Asked { need, terms, split, range, candidates, simulated, seed };
    let mut watch = |_: &Interval| if interrupt::asked() { Flow::Stop } else { Flow::Continue };
    let answer = plan(&stock, &question, &mut watch)?;
    if let Some(number) = build.filter(|number| *number > answer.candidates.len()) {
        let there = answer.candidates.len();
        return Err(Failure::input(format!("--build {number}: there are {there} candidates"))
            .mend("choose one that the plan shows, or --candidates more of them"));
    }
    let assumed = [taken(&market, &question.terms, answer.hosts), assumed].concat();
    let mut notes = [unpriced(&market, &question), accepted.notes, notes, alone].concat();
    notes.extend(about(&answer, &market, accepted.os));
    let places: Vec<(String, Option<String>)> =
        accepted.lists.iter().map(|(_, list)| (list.region().to_string(), list.as_of())).collect();
    // Beside the answer, which is the same on every day.
    let today = Day::today();
    let is_old = |date: &String| today.is_a_year_after(date);
    for (region, as_of) in places.iter().filter(|(_, as_of)| as_of.as_ref().is_some_and(is_old)) {
        let date = as_of.as_deref().unwrap_or_default();
        output::note(&format!(
            "prices of {region} are of {date} and later, more than a year ago: `iobound catalog import --help` has how to bring newer ones"
        ));
    }
    let planned = Planned {
        plan: &answer,
        slow_host: question.split.slow,
        market: &market,
        places: &places,
        terms: &accepted.text,
        os: accepted.os,
        has_zones: &|region| catalog.has_zones(region),
        build,
        assumed: &assumed,
        notes: &notes,
    };
    let exit = output::page(common, |style| plan_text(&planned, style), || plan_json(&planned))?;
    page.write(|| plan_json(&planned))?;
    Ok(exit)
}

/// What is taken whatever the need is.
fn taken(market: &Market, terms: &Terms, hosts: u64) -> Vec<String> {
    let disks = match market.rank {
        Rank::Price => {
            format!("a disk more has to save {} USD a month (--per-disk)", terms.per_disk as f64 / 1e9)
        }
        Rank::Size => "fewer disks come before disks that provide less".into(),
    };
    let mut taken = vec![
        disks,
        "the operating system's disk and its I/Os are in no figure and no price".into(),
        "I/Os at random offsets that are multiples of their size, evenly over the volume".into(),
    ];
    if hosts > 1 {
        taken.push("each host has an equal part of the I/Os and of the data, rounded up".into());
    }
    if market.redundancy == Redundancy::Zrs {
        taken.push(
            "writes to zone-redundant disks take as long as to others: nobody has published what they take"
                .into(),
        );
    }
    taken
}

/// What is to be said first where prices are not known.
fn unpriced(market: &Market, asked: &Asked) -> Vec<String> {
    let mut notes = Vec::new();
    if market.rank == Rank::Size {
        let why = match market.unpriced_regions.as_slice() {
            [] => "as asked (--rank size)".to_string(),
            regions => format!("since no prices are known of {}", regions.join(", ")),
        };
        notes.push(format!(
            "prices are unknown or not asked for: ranked by fewest vCPUs, least memory, then what disks provide, {why}"
        ));
        if asked.range.is_some() {
            notes.push("a range is decided by prices: planned for its upper end".into());
        }
    } else if let Some(vm) = &asked.terms.vm
        && market.vms.iter().any(|row| row.name == *vm && row.price.is_none())
    {
        notes.push(format!("the price of {vm} is not known there: ranked by its disks' alone"));
    }
    notes
}

/// What the person should know of an answer.
fn about(answer: &Plan, market: &Market, os: Os) -> Vec<String> {
    let mut notes = Vec::new();
    let uses = |disk: DiskType| {
        let of = |volume: &Volume| volume.disk == disk;
        answer
            .candidates
            .iter()
            .any(|candidate| of(&candidate.build.data) || candidate.build.log.as_ref().is_some_and(of))
    };
    if answer.candidates.iter().any(|candidate| candidate.build.data.cached) {
        notes.push(
            "a read cache is warm here, and holds the whole working set; after a restart it is cold, and reads go to the disks"
                .into(),
        );
    }
    let is_billed = market.rank == Rank::Price;
    if is_billed && (uses(DiskType::StandardSsd) || uses(DiskType::StandardHdd)) {
        notes.push("I/Os on Standard disks are billed: the price has the asked rate, all month".into());
    }
    let uncapped = |volume: &Volume| {
        let law = &market.offers[volume.offer].law;
        volume.disk == DiskType::StandardSsd
            && matches!(law, Law::Tier { billing: Some(Billing { most_an_hour: None, .. }), .. })
    };
    let builds = || answer.candidates.iter().map(|candidate| &candidate.build);
    if builds().any(|build| uncapped(&build.data) || build.log.as_ref().is_some_and(uncapped)) {
        notes.push(
            "of a Standard SSD no more than a number of I/Os an hour is billed, which is known of E30 only: others cost at most what is shown"
                .into(),
        );
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

fn parse_candidates(text: &str) -> Result<usize, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    let shown = usize::try_from(count).ok().filter(|count| (1..=1_000).contains(count));
    shown.ok_or_else(|| format!("`{text}` candidates: 1 to 1,000 can be shown"))
}
