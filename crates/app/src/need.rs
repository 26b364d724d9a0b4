//! The need: flags, and what a workload says of itself.

use iobound_catalog::Catalog;
use iobound_plan::{LatencyTarget, Need, Shape, Statistic, VolumeNeed};
use iobound_units::{
    Bandwidth, Bytes, Iops, Percent, parse_bandwidth, parse_bytes, parse_iops, parse_percent, parse_span,
};
use iobound_workload::{Job, Load, Targets, Workload};

use crate::failure::Failure;
use crate::like::ProbedNeed;
use crate::options::NeedOptions;
use crate::settings::Settings;

/// Note of each answer with data on local disks.
pub(crate) const LOCAL_DISKS_LOSE_DATA: &str = "the VM's local disks lose their data when the VM is stopped, moved or resized, or its host fails: use them only for data that can be recreated";

/// A need, and the assumptions in it.
#[derive(Debug)]
pub struct AskedNeed {
    /// The need.
    pub need: Need,
    /// Of its IOPS, where they are known as a range only; the need has the upper end.
    pub range: Option<[u64; 2]>,
    /// The assumptions.
    pub assumed: Vec<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Default headroom: the share of every limit that stays free, because I/Os queue at a full limit.
const HEADROOM: &str = "10%";
const DEFAULT_HEADROOM: Percent = match Percent::whole(10) {
    Some(percent) => percent,
    None => Percent::ZERO,
};

/// The jobs of a volume, as far as they are known.
struct OfJobs {
    iops: Option<u64>,
    shape: Shape,
    used: Option<Bytes>,
    mixed: bool,
}

/// A volume beside the data's, where its flag says nothing else.
struct Part {
    flag: &'static str,
    what: &'static str,
    block: u32,
    /// Percentage of its I/Os that are reads.
    read: u32,
    /// True if the flag takes `read`.
    has_reads: bool,
    example: &'static str,
}

const LOG: Part = Part {
    flag: "--log",
    what: "the log",
    block: 32 << 10,
    read: 0,
    has_reads: false,
    example: "iops=2000 block=32KiB capacity=256GiB",
};

const TEMP: Part = Part {
    flag: "--temp",
    what: "the temporary data",
    block: 64 << 10,
    read: 50,
    has_reads: true,
    example: "iops=20000 block=64KiB read=50% capacity=200GiB",
};

/// Reads flags, environment and file, and what is missing from the workload.
pub fn need_of(
    args: &NeedOptions,
    workloads: &[Workload],
    catalog: &Catalog,
    settings: &mut Settings,
) -> Result<AskedNeed, Failure> {
    let like = settings.switch("like", args.like.then_some("true"))?;
    let like = like.then(|| ProbedNeed::of(catalog.probed_disks())).transpose()?;
    let iops = settings.parse("iops", args.iops.as_deref(), None, parse_range)?;
    let range = iops.filter(|[low, high]| low < high).map(|range| range.map(Iops::get));
    let iops = iops.map(|[_, high]| high);
    let throughput = settings.parse(
        "throughput",
        args.throughput.as_deref(),
        None,
        positive(parse_bandwidth, Bandwidth::get),
    )?;
    let capacity =
        settings.parse("capacity", args.capacity.as_deref(), None, positive(parse_bytes, Bytes::get))?;
    let working_set = settings.parse(
        "working-set",
        args.working_set.as_deref(),
        None,
        positive(parse_bytes, Bytes::get),
    )?;
    let latency = settings.parse("latency", args.latency.as_deref(), None, parse_latency)?;
    let log = settings.parse("log", args.log.as_deref(), None, |text| parse_part(text, &LOG))?;
    let temp = settings.parse("temp", args.temp.as_deref(), None, |text| parse_part(text, &TEMP))?;
    let headroom = settings.parse("headroom", args.headroom.as_deref(), Some(HEADROOM), |text| {
        let share = parse_percent(text).map_err(|error| error.to_string())?;
        let all = share >= Percent::HUNDRED;
        if all {
            Err("100 % headroom leaves nothing of the limits: write less than 100%".to_string())
        } else {
            Ok(share)
        }
    })?;
    let mut assumed = Vec::new();
    let mut notes = Vec::new();
    let jobs: Vec<&Job> = workloads.iter().flat_map(|workload| &workload.jobs).collect();
    let (logs, data): (Vec<&Job>, Vec<&Job>) = jobs.into_iter().partition(|job| is_log(job));
    let data = if data.is_empty() { &logs } else { &data };
    let said = of_jobs(data).ok_or_else(|| {
        Failure::input("the workload has no reads and no writes").help("give it reads or writes")
    })?;
    if said.mixed {
        notes.push(format!(
            "the workload's I/Os differ: planned as I/Os of {} with {} reads, the mean",
            Bytes(u64::from(said.shape.block)),
            said.shape.read
        ));
    }
    let throughput = throughput.or(like.and_then(|like| like.bytes).map(Bandwidth));
    // The throughput limit may hold I/Os of this size below the limit in IOPS.
    let by_throughput = |iops: u64| {
        throughput.map_or(iops, |bytes| iops.min(bytes.get() / u64::from(said.shape.block)).max(1))
    };
    let of_like = like.and_then(|like| like.iops).map(by_throughput).map(Iops);
    let iops = match (iops.or(said.iops.map(Iops)).or(of_like), throughput) {
        (Some(iops), _) => iops,
        (None, Some(throughput)) => Iops(throughput.get().div_ceil(u64::from(said.shape.block))),
        (None, None) => {
            return Err(Failure::input("no required rate is given").help(
                "add --iops 50000, --throughput 400MB/s, or a workload with a rate (--rate 5000iops)",
            ));
        }
    };
    if let Some(like) = like {
        notes.push(format!("the probed disks deliver {}", like.text()));
    }
    let capacity = capacity.or(said.used).or(like.map(|like| Bytes(like.capacity))).unwrap_or_else(|| {
        assumed.push("capacity: 1 GiB, assumed because --capacity is not given".into());
        Bytes::gib(1)
    });
    let working_set = working_set.or(said.used).unwrap_or(capacity);
    if working_set > capacity {
        return Err(Failure::input(format!(
            "the working set of {working_set} is larger than the capacity of {capacity}"
        ))
        .help("make the working set at most the capacity"));
    }
    let data = VolumeNeed {
        iops,
        throughput: throughput.unwrap_or_default(),
        shape: said.shape,
        capacity,
        working_set,
    };
    let log = match (log, of_jobs(&logs).filter(|_| !logs.is_empty() && data_is_apart(&logs, workloads))) {
        (None, None) => None,
        (flag, jobs) => Some(LOG.of(flag.unwrap_or_default(), jobs, &mut assumed)?),
    };
    let temp = temp.map(|flag| TEMP.of(flag, None, &mut assumed)).transpose()?;
    if temp.is_some() {
        notes.push(LOCAL_DISKS_LOSE_DATA.into());
    }
    let need = Need { data, log, temp, latency, headroom: headroom.unwrap_or(DEFAULT_HEADROOM) };
    Ok(AskedNeed { need, range, assumed, notes })
}

fn positive<T: Copy, E: std::fmt::Display>(
    parse: impl Fn(&str) -> Result<T, E>,
    get: impl Fn(T) -> u64,
) -> impl Fn(&str) -> Result<T, String> {
    move |text| {
        let value = parse(text).map_err(|error| error.to_string())?;
        if get(value) == 0 { Err(format!("`{text}` is zero: write more than 0")) } else { Ok(value) }
    }
}

/// `50000`, `20000..60000`.
fn parse_range(text: &str) -> Result<[Iops; 2], String> {
    let read = positive(parse_iops, Iops::get);
    match text.split_once("..") {
        None => read(text).map(|iops| [iops; 2]),
        Some((low, high)) => {
            let (low, high) = (read(low.trim())?, read(high.trim())?);
            if low > high {
                return Err(format!("`{text}` is an empty range: write the lower bound first"));
            }
            Ok([low, high])
        }
    }
}

fn is_log(job: &Job) -> bool {
    let named = match &job.targets {
        Targets::Named(names) => names.iter().any(|name| name == "log"),
        Targets::All => false,
    };
    named || job.name == "log"
}

fn data_is_apart(logs: &[&Job], workloads: &[Workload]) -> bool {
    workloads.iter().map(|workload| workload.jobs.len()).sum::<usize>() > logs.len()
}

/// The rate of a job, where it has one: its own, or the cap of all its threads.
fn rate_of(job: &Job) -> Option<u64> {
    let per_second = |rate: iobound_units::Rate| rate.iops_f64(job.mean_block());
    let rate = match job.load {
        Load::Open { rate, .. } => per_second(rate),
        Load::Closed { cap, .. } => per_second(cap?) * f64::from(job.threads),
    };
    Some((rate + 0.999_999) as u64).filter(|rate| *rate > 0)
}

/// Combined demand of the jobs of one volume.
fn of_jobs(jobs: &[&Job]) -> Option<OfJobs> {
    let rates: Vec<Option<u64>> = jobs.iter().map(|job| rate_of(job)).collect();
    let iops: Option<u64> = rates.iter().copied().sum();
    let (mut weights, mut reads, mut bytes) = (0.0, 0.0, 0.0);
    let mut kinds: Vec<(u32, bool)> = Vec::new();
    for (job, rate) in jobs.iter().zip(&rates) {
        let depth = match job.load {
            Load::Closed { depth, .. } | Load::Open { depth, .. } => {
                f64::from(depth) * f64::from(job.threads)
            }
        };
        let weight = rate.filter(|_| iops.is_some()).map_or(depth, |rate| rate as f64);
        let data: Vec<_> = job.mix.iter().filter(|share| share.op.moves_data()).collect();
        let total: f64 = data.iter().map(|share| f64::from(share.weight)).sum();
        for share in data {
            let part = weight * f64::from(share.weight) / total;
            let is_read = share.op == iobound_units::Op::Read;
            weights += part;
            bytes += part * f64::from(share.block);
            reads += if is_read { part } else { 0.0 };
            kinds.push((share.block, is_read));
        }
    }
    if weights <= 0.0 {
        return None;
    }
    let sectors = (bytes / weights / 512.0 - 1e-6).max(0.0) as u32 + 1;
    let read = Percent::from_ppm((reads / weights * 1e6 + 0.5) as u32)?;
    kinds.dedup_by_key(|(block, _)| *block);
    let used = jobs.iter().filter_map(|job| job.region.size).max();
    Some(OfJobs { iops, shape: Shape { block: sectors * 512, read }, used, mixed: kinds.len() > 1 })
}

#[derive(Clone, Copy, Debug, Default)]
struct PartFlag {
    iops: Option<Iops>,
    throughput: Option<Bandwidth>,
    block: Option<Bytes>,
    read: Option<Percent>,
    capacity: Option<Bytes>,
}

fn parse_part(text: &str, part: &Part) -> Result<PartFlag, String> {
    let expected = format!("write '{}', and add throughput=100MB/s if it is known", part.example);
    let mut flag = PartFlag::default();
    for word in text.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`: {expected}"))?;
        let failed = |error: String| format!("`{word}`: {error}");
        let again = match key {
            "iops" => flag.iops.replace(positive(parse_iops, Iops::get)(value).map_err(failed)?).is_some(),
            "throughput" => {
                let rate = positive(parse_bandwidth, Bandwidth::get)(value).map_err(failed)?;
                flag.throughput.replace(rate).is_some()
            }
            "block" => {
                flag.block.replace(positive(parse_bytes, Bytes::get)(value).map_err(failed)?).is_some()
            }
            "read" if part.has_reads => {
                let read = parse_percent(value).map_err(|error| failed(error.to_string()))?;
                flag.read.replace(read).is_some()
            }
            "capacity" => {
                flag.capacity.replace(positive(parse_bytes, Bytes::get)(value).map_err(failed)?).is_some()
            }
            _ => return Err(format!("unknown key `{key}`: {expected}")),
        };
        if again {
            return Err(format!("`{key}` is given twice: {expected}"));
        }
    }
    Ok(flag)
}

impl Part {
    fn of(
        &self,
        flag: PartFlag,
        jobs: Option<OfJobs>,
        assumed: &mut Vec<String>,
    ) -> Result<VolumeNeed, Failure> {
        let Part { flag: name, what, example, .. } = self;
        let of_jobs = jobs.as_ref().map(|jobs| jobs.shape);
        let block = match flag.block {
            Some(block) => u32::try_from(block.get()).map_err(|_| {
                Failure::input(format!("{name}: block={block} is too large")).help("write block=32KiB")
            })?,
            None => of_jobs.map_or(self.block, |shape| shape.block),
        };
        let otherwise = Percent::whole(self.read).expect("a default is a share");
        let read = flag.read.unwrap_or(of_jobs.map_or(otherwise, |shape| shape.read));
        if self.has_reads && flag.read.is_none() && of_jobs.is_none() {
            assumed.push(format!(
                "assumed: half of the I/Os of {what} are reads ({name} 'read=…' sets the share)"
            ));
        }
        let iops = flag.iops.or(jobs.as_ref().and_then(|jobs| jobs.iops).map(Iops));
        let iops = match (iops, flag.throughput) {
            (Some(iops), _) => iops,
            (None, Some(throughput)) => Iops(throughput.get().div_ceil(u64::from(block))),
            (None, None) => {
                return Err(Failure::input(format!("no rate is given for {what}"))
                    .help(format!("write {name} '{example}'")));
            }
        };
        let capacity = flag.capacity.or(jobs.and_then(|jobs| jobs.used)).unwrap_or_else(|| {
            assumed.push(format!("capacity of {what}: 1 GiB, assumed ({name} 'capacity=…' sets it)"));
            Bytes::gib(1)
        });
        let throughput = flag.throughput.unwrap_or_default();
        Ok(VolumeNeed { iops, throughput, shape: Shape { block, read }, capacity, working_set: capacity })
    }
}

/// `p99:5ms`.
fn parse_latency(text: &str) -> Result<LatencyTarget, String> {
    let words: Vec<&str> = Statistic::ALL.iter().map(|of| of.name()).collect();
    let expected = || format!("write a figure and a time, such as p99:5ms; figures are {}", words.join(", "));
    let (word, time) = text
        .split_once([':', '='])
        .ok_or_else(|| format!("`{text}` is not a latency goal: {}", expected()))?;
    let of = Statistic::ALL.into_iter().find(|of| of.name() == word.trim().to_ascii_lowercase());
    let of = of.ok_or_else(|| format!("unknown figure `{word}`: {}", expected()))?;
    let most = parse_span(time.trim()).map_err(|error| error.to_string())?;
    if most.is_zero() {
        return Err(format!("`{text}`: the time must be above zero; {}", expected()));
    }
    Ok(LatencyTarget { of, most })
}
