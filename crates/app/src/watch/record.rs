//! An application's I/O as a workload: rates, sizes, mix, access and depth of each disk.

use std::collections::{BTreeMap, VecDeque};

use iobound_machine::World;
use iobound_machine::trace::Traced;
use iobound_report::number::count_text;
use iobound_units::{Op, Percent, Rate, Span};
use iobound_workload::{Access, Arrivals, Job, Load, Share, Targets, Workload};

use super::disk_of;
use super::seconds::{OfDisk, Seconds, at};

/// The rate that is recorded, of those of all intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordedRate {
    Mean,
    P50,
    P95,
    P99,
    Max,
}

impl RecordedRate {
    pub(super) fn parse(text: &str) -> Option<RecordedRate> {
        Some(match text {
            "mean" => RecordedRate::Mean,
            "p50" => RecordedRate::P50,
            "p95" => RecordedRate::P95,
            "p99" => RecordedRate::P99,
            "max" => RecordedRate::Max,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            RecordedRate::Mean => "the mean",
            RecordedRate::P50 => "the median",
            RecordedRate::P95 => "the 95th percentile",
            RecordedRate::P99 => "the 99th percentile",
            RecordedRate::Max => "the most",
        }
    }

    fn of(self, disk: &OfDisk) -> f64 {
        let share = match self {
            RecordedRate::Mean => return (disk.sums.reads + disk.sums.writes) as f64 / disk.seconds,
            RecordedRate::P50 => 0.5,
            RecordedRate::P95 => 0.95,
            RecordedRate::P99 => 0.99,
            RecordedRate::Max => 1.0,
        };
        at(&disk.iops, share)
    }
}

/// Number of sizes of each direction are kept apart in a workload: the commonest.
const SIZES: usize = 6;
/// Number of streams that are tracked on a disk: as many as a kernel reads ahead for at once.
const STREAMS: usize = 32;

/// The requests of each disk, where they could be traced.
#[derive(Debug, Default)]
pub(super) struct Recording {
    disks: BTreeMap<String, Requests>,
    lost: u64,
}

#[derive(Debug, Default)]
struct Requests {
    /// Number of I/Os of each operation and size, and of those that continue where another ended.
    by_size: BTreeMap<(Op, u64), (u64, u64)>,
    ends: VecDeque<u64>,
}

impl Requests {
    fn take(&mut self, op: Op, offset: u64, bytes: u64) {
        let (count, follow) = self.by_size.entry((op, bytes)).or_default();
        *count += 1;
        if let Some(at) = self.ends.iter().position(|end| *end == offset) {
            *follow += 1;
            self.ends.remove(at);
        }
        self.ends.push_back(offset + bytes);
        if self.ends.len() > STREAMS {
            self.ends.pop_front();
        }
    }
}

impl Recording {
    pub(super) fn take(&mut self, world: &World, traced: &Traced) {
        self.lost += traced.lost;
        let mut names: BTreeMap<_, Option<String>> = BTreeMap::new();
        for request in &traced.requests {
            let name = names.entry(request.device).or_insert_with(|| disk_of(world, request.device));
            if let Some(name) = name {
                let requests = self.disks.entry(name.clone()).or_default();
                requests.take(request.op, request.offset, request.bytes);
            }
        }
    }

    /// The workload, with what it was made of as comments; `None` where no disk did anything.
    pub(super) fn as_toml(
        &self,
        seconds: &Seconds,
        rate: RecordedRate,
        notes: &mut Vec<String>,
    ) -> Option<String> {
        let busy: Vec<&OfDisk> =
            seconds.of_disks().iter().filter(|of| of.sums.reads + of.sums.writes > 0).collect();
        if busy.is_empty() {
            return None;
        }
        if self.lost > 0 {
            notes.push(format!(
                "requests that were not traced in time: {}; sizes cover the others",
                count_text(self.lost as f64)
            ));
        }
        let mut text = format!(
            "# Written by iobound watch: the I/O of a machine's disks during {}. Rates are {} of the intervals.\n\
             # Latency and queueing belong to the machine, not to the application: the open loop keeps the recorded rate.\n",
            seconds.watched(),
            rate.name()
        );
        for of in &busy {
            let line = |what: &str, values: &[f32], unit: f64| {
                let [p50, p95, p99, max] =
                    [0.5, 0.95, 0.99, 1.0].map(|share| count_text(at(values, share) / unit));
                format!("#   {what}: p50 {p50}, p95 {p95}, p99 {p99}, most {max}\n")
            };
            text.push_str(&format!(
                "# {}{}\n",
                of.device,
                of.disk.as_ref().map_or(String::new(), |own| format!(" = {own}"))
            ));
            text.push_str(&line("IOPS", &of.iops, 1.0));
            text.push_str(&line("MB/s", &of.bytes, 1e6));
            text.push_str(&line("outstanding", &of.depth, 1.0));
            text.push_str(match self.disks.contains_key(&of.device) {
                true => "#   the size and offset of each request were traced\n",
                false => "#   sizes are means; offsets are assumed random if few requests were merged\n",
            });
        }
        let alone = busy.len() == 1;
        let jobs: Vec<Job> = busy.iter().filter_map(|of| self.job(of, rate, alone)).collect();
        if jobs.is_empty() {
            return None;
        }
        if !alone {
            text.push_str(
                "# Each job names its disk: give volumes the same names, --disk NAME=..., or remove `targets`.\n",
            );
        }
        let duration = Span::from_secs(60);
        let workload = Workload { jobs, duration, warmup: Span::ZERO, cooldown: Span::ZERO, seed: 0 };
        text.push('\n');
        text.push_str(&workload.to_toml());
        Some(text)
    }

    fn job(&self, of: &OfDisk, rate: RecordedRate, alone: bool) -> Option<Job> {
        let per_second = rate.of(of).round().max(1.0) as u64;
        let (mix, random) = match self.disks.get(&of.device).and_then(traced_mix) {
            Some(traced) => traced,
            None => counted_mix(of)?,
        };
        let name = of.disk.clone().unwrap_or_else(|| of.device.clone());
        // As many as were ever outstanding, and room for half as many more where arrivals cluster.
        let depth = (at(&of.depth, 0.99) * 1.5).ceil().clamp(1.0, 4096.0) as u32;
        let writes_per_flush = of.sums.writes.checked_div(of.sums.flushes).filter(|every| *every > 0);
        Some(Job {
            targets: if alone { Targets::All } else { Targets::Named(vec![name.clone()]) },
            load: Load::Open {
                rate: Rate::Ios { count: per_second, per: Span::from_secs(1) },
                arrivals: Arrivals::Poisson,
                depth: depth.max(32),
            },
            access: Access { random, ..Access::random() },
            flush_every: writes_per_flush.filter(|_| mix.iter().any(|share| share.op == Op::Write)),
            mix,
            ..Job::new(&name)
        })
    }
}

fn share_of(op: Op, bytes: f64, weight: f64) -> Option<Share> {
    // Whole sectors, as they go to a device.
    let block = ((bytes / 512.0).round().max(1.0) * 512.0).min(f64::from(u32::MAX / 2)) as u32;
    let weight = (weight * 1000.0).round() as u32;
    (weight > 0).then_some(Share { weight, op, block, random: None, align: None })
}

/// By counters: a mean size for each direction; merged requests were contiguous.
fn counted_mix(of: &OfDisk) -> Option<(Vec<Share>, Percent)> {
    let sums = &of.sums;
    let all = (sums.reads + sums.writes) as f64;
    let mean = |bytes: u64, count: u64| bytes as f64 / count.max(1) as f64;
    let mix: Vec<Share> = [
        share_of(Op::Read, mean(sums.read_bytes, sums.reads), sums.reads as f64 / all),
        share_of(Op::Write, mean(sums.written_bytes, sums.writes), sums.writes as f64 / all),
    ]
    .into_iter()
    .flatten()
    .collect();
    let merged = (sums.reads_merged + sums.writes_merged) as f64;
    let random = if merged > all { Percent::ZERO } else { Percent::HUNDRED };
    (!mix.is_empty()).then_some((mix, random))
}

/// By requests: the commonest sizes of each direction, the others as one of their mean; what went on where another ended.
fn traced_mix(requests: &Requests) -> Option<(Vec<Share>, Percent)> {
    let all: u64 = requests.by_size.values().map(|(count, _)| count).sum();
    let follow: u64 = requests.by_size.values().map(|(_, follow)| follow).sum();
    if all == 0 {
        return None;
    }
    let mut mix = Vec::new();
    for op in [Op::Read, Op::Write] {
        let mut sizes: Vec<(u64, u64)> = requests
            .by_size
            .iter()
            .filter(|((of, _), _)| *of == op)
            .map(|((_, bytes), (count, _))| (*count, *bytes))
            .collect();
        sizes.sort_by_key(|(count, bytes)| (std::cmp::Reverse(*count), *bytes));
        let rare = sizes.split_off(sizes.len().min(SIZES));
        let (count, bytes) =
            rare.iter().fold((0, 0), |(all, sum), (count, bytes)| (all + count, sum + count * bytes));
        mix.extend(sizes.iter().filter_map(|(n, bytes)| share_of(op, *bytes as f64, *n as f64 / all as f64)));
        if count > 0 {
            mix.extend(share_of(op, bytes as f64 / count as f64, count as f64 / all as f64));
        }
    }
    let random = Percent::from_ppm(((1.0 - follow as f64 / all as f64) * 1e6).round() as u32)
        .unwrap_or(Percent::HUNDRED);
    (!mix.is_empty()).then_some((mix, random))
}
