use std::fmt;

use iobound_units::{Bytes, Instant, Op, Percent, Rate, Span, TargetId};
use iobound_workload::{Arrivals, Distribution, Job, Load, Region, Share, Target, Targets, Workload};

use crate::analysis::{Analysis, DeviceFigures};
use crate::record::{NO_LATENCY, Record};

/// Kinds of I/O in a fitted job: the most frequent pairs of operation and length.
const KINDS: usize = 16;
/// Direct I/O has whole sectors.
const SECTOR: u64 = 512;
/// The size and the place of a region are multiples of this.
const PAGE: u64 = 4_096;
/// I/Os that are drawn from the fitted workload to measure its error.
const DRAWN: u64 = 1_000_000;
/// Exponents of Zipf's law that are tried, in millionths.
const THETAS: [u32; 7] = [0, 400_000, 600_000, 800_000, 900_000, 1_000_000, 1_200_000];
/// I/Os that are drawn for each exponent.
const TRIED: u64 = 200_000;

/// A figure of the trace beside that of the fitted workload.
#[derive(Clone, Debug, PartialEq)]
pub struct FitError {
    /// Name of the figure.
    pub figure: &'static str,
    /// Its unit; empty of a share.
    pub unit: &'static str,
    /// In the trace.
    pub trace: f64,
    /// In I/Os that were drawn from the workload.
    pub workload: f64,
}

/// The closest statistical workload of a trace.
#[derive(Clone, Debug)]
pub struct FittedWorkload {
    /// The workload: an open loop of each device that has reads or writes.
    pub workload: Workload,
    /// The trace beside it.
    pub errors: Vec<FitError>,
    /// The share of reads and writes of lengths that the workload has.
    pub covered: f64,
}

/// A trace that has no statistical workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFitted {
    /// No reads and no writes.
    NoData,
    /// All I/Os are at one time, so there is no rate.
    NoTime,
}

impl fmt::Display for NotFitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotFitted::NoData => "the trace has no reads and no writes",
            NotFitted::NoTime => "all I/Os of the trace have the same time, so it has no rate",
        })
    }
}

impl std::error::Error for NotFitted {}

/// Fits a workload to an analysed trace: mix, sizes, rate, sequential share, region and skew of each device. Arrivals are a
/// Poisson process.
///
/// # Errors
/// Returns an error if the trace has no reads and writes or no rate.
pub fn fit(analysis: &Analysis, names: &[String], seed: u64) -> Result<FittedWorkload, NotFitted> {
    let has_data = |device: &DeviceFigures| device.of(Op::Read).ios + device.of(Op::Write).ios > 0;
    if !analysis.devices.iter().any(has_data) {
        return Err(NotFitted::NoData);
    }
    if analysis.last_ns == 0 {
        return Err(NotFitted::NoTime);
    }
    let span = Span::from_ns(analysis.last_ns);
    let (mut jobs, mut targets) = (Vec::new(), Vec::new());
    let (mut covered, mut data) = (0u64, 0u64);
    for (index, device) in analysis.devices.iter().enumerate().filter(|(_, device)| has_data(device)) {
        let name = names.get(index).map_or_else(|| index.to_string(), |name| target_name(name));
        let (job, in_mix, all) = job_of(&name, device, span);
        let size = job.region.size.map_or(0, Bytes::get) + job.region.offset.get();
        targets.push(Target {
            name,
            id: TargetId(targets.len() as u16),
            size: Bytes(size),
            members_of: None,
        });
        covered += in_mix;
        data += all;
        jobs.push(job);
    }
    if let [only] = jobs.as_mut_slice() {
        // It is for any configuration with one volume, whatever its name.
        only.targets = Targets::All;
    }
    let mut workload = Workload::new(jobs, span);
    workload.seed = seed;
    set_skew(&mut workload, &targets, analysis);
    let drawn = draw(&workload, &targets, DRAWN);
    let errors = errors_of(analysis, &drawn);
    Ok(FittedWorkload { workload, errors, covered: covered as f64 / data as f64 })
}

/// A device's name as a target's: without characters that a job's list of targets has a meaning for.
fn target_name(device: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "._-/".contains(c) { c } else { '-' };
    device.chars().map(kept).collect()
}

fn job_of(name: &str, device: &DeviceFigures, span: Span) -> (Job, u64, u64) {
    let mut job = Job::new(name);
    job.targets = Targets::Named(vec![name.to_string()]);
    let mut kinds: Vec<(Op, u64, u64)> = Vec::new();
    for op in [Op::Read, Op::Write] {
        let sizes = device.of(op).sizes.most_frequent(KINDS);
        kinds.extend(sizes.into_iter().map(|(length, count)| (op, length, count)));
    }
    let all: u64 = [Op::Read, Op::Write].iter().map(|op| device.of(*op).ios).sum();
    kinds.retain(|(_, length, _)| (1..=u64::from(u32::MAX) - 4_095).contains(length));
    kinds.sort_by_key(|(op, length, count)| (std::cmp::Reverse(*count), *op, *length));
    kinds.truncate(KINDS);
    let covered: u64 = kinds.iter().map(|(_, _, count)| count).sum();
    let random_of = |op: Op| {
        let figures = device.of(op);
        let jumps = (figures.ios - figures.sequential) as u128 * 1_000_000 / u128::from(figures.ios.max(1));
        Percent::from_ppm(jumps as u32).unwrap_or(Percent::HUNDRED)
    };
    // Weights are 32 bits: a part in a billion of a mix is none.
    let scale = |count: u64| (u128::from(count) * 1_000_000_000 / u128::from(covered.max(1))).max(1) as u32;
    job.mix = kinds
        .iter()
        .map(|(op, length, count)| Share {
            weight: scale(*count),
            op: *op,
            block: length.next_multiple_of(SECTOR) as u32,
            random: Some(random_of(*op)),
            align: Some(Bytes(device.of(*op).sizes.alignment(*length).max(SECTOR))),
        })
        .collect();
    if job.mix.is_empty() {
        job.set_mix(4_096, Percent::HUNDRED);
    }
    let flushes = device.of(Op::Flush).ios;
    if flushes > 0 && device.of(Op::Write).ios > 0 {
        job.flush_every = Some((device.of(Op::Write).ios / flushes).max(1));
    }
    job.access.random = random_of(Op::Read).max(random_of(Op::Write));
    let largest = job.mix.iter().map(|share| u64::from(share.block)).max().unwrap_or(SECTOR);
    // A job's alignments count from the start of its region.
    let coarsest =
        job.mix.iter().filter_map(|share| share.align).map(Bytes::get).max().unwrap_or(0).max(PAGE);
    let offset = device.lowest / coarsest * coarsest;
    let size = (device.highest - offset).max(largest).next_multiple_of(PAGE);
    job.region = Region { offset: Bytes(offset), size: Some(Bytes(size)) };
    job.load = Load::Open {
        rate: Rate::Ios { count: all.max(1), per: span },
        arrivals: Arrivals::Poisson,
        depth: 1_024,
    };
    (job, covered, all)
}

/// Chooses the exponent of Zipf's law whose I/Os a cache of a tenth of the working set holds as often as the trace's.
fn set_skew(workload: &mut Workload, targets: &[Target], analysis: &Analysis) {
    let cache = (analysis.reuse.distinct_bytes() / 10.0) as u64;
    let wanted = analysis.reuse.hits(cache).all;
    let mut best: Option<(f64, Workload)> = None;
    for theta in THETAS {
        let mut tried = workload.clone();
        for job in &mut tried.jobs {
            job.access.distribution = match theta {
                0 => Distribution::Uniform,
                theta => Distribution::Zipf { theta: iobound_units::Ppm(theta) },
            };
        }
        let reached = draw(&tried, targets, TRIED.min(analysis.ios())).reuse.hits(cache).all;
        let off = (reached - wanted).abs();
        if best.as_ref().is_none_or(|(least, _)| off < *least) {
            best = Some((off, tried));
        }
    }
    if let Some((_, found)) = best {
        *workload = found;
    }
}

/// The analysis of I/Os that are drawn from a workload, for as long as it lasts and at most so many.
fn draw(workload: &Workload, targets: &[Target], most: u64) -> Analysis {
    let mut analysis = Analysis::default();
    let Ok(queues) = workload.queues(targets) else { return analysis };
    let mut parts: Vec<_> = workload
        .generators_on(&queues, &iobound_workload::Cursors::new(&queues))
        .into_iter()
        .zip(queues.iter().map(|queue| workload.pacer(queue, Instant::ZERO)))
        .collect();
    for _ in 0..most {
        let next = (0..parts.len()).min_by_key(|at| parts[*at].1.next_allowed());
        let Some((generator, pacer)) = next.and_then(|at| parts.get_mut(at)) else { break };
        let at = pacer.next_allowed();
        if at.ns() > workload.duration.ns() {
            break;
        }
        let io = generator.next();
        pacer.issued(at, &io);
        analysis.add(&[Record {
            at_ns: at.ns(),
            offset: io.offset,
            length: u64::from(io.len),
            latency_ns: NO_LATENCY,
            device: io.target.0,
            op: io.op,
        }]);
    }
    analysis
}

fn errors_of(trace: &Analysis, drawn: &Analysis) -> Vec<FitError> {
    let data = |analysis: &Analysis| (analysis.ios_of(Op::Read) + analysis.ios_of(Op::Write)).max(1) as f64;
    let bytes = |analysis: &Analysis| (analysis.bytes_of(Op::Read) + analysis.bytes_of(Op::Write)) as f64;
    let cache = (trace.reuse.distinct_bytes() / 10.0) as u64;
    let figure = |figure, unit, of: &dyn Fn(&Analysis) -> f64| FitError {
        figure,
        unit,
        trace: of(trace),
        workload: of(drawn),
    };
    vec![
        figure("rate", "IOPS", &|of| of.mean_iops().unwrap_or(0.0)),
        figure("throughput", "bytes/s", &|of| of.mean_bytes_per_s().unwrap_or(0.0)),
        figure("reads", "", &|of| of.ios_of(Op::Read) as f64 / data(of)),
        figure("mean size", "bytes", &|of| bytes(of) / data(of)),
        figure("sequential", "", &Analysis::sequential),
        figure("hits of a cache of a tenth of the working set", "", &|of| of.reuse.hits(cache).all),
        figure("peak of 1 s", "IOPS", &|of| of.rates.per_second().most as f64),
        figure("peak of 10 ms", "IOPS", &|of| of.rates.per_10_ms().most as f64 * 100.0),
        figure("dispersion of 1 s", "", &|of| of.rates.per_second().dispersion),
    ]
}
