//! Demand of one I/O of a flow on every limiter, on average: exact over a stripe's rows, not sampled.

use iobound_model::{Blueprint, CacheMode, Charge, Dimension, DiskId, LimiterId, Stripe};
use iobound_units::{Op, Rate};
use iobound_workload::{Extent, Job, Queue, QueueLoad, Workload};

use crate::merging::{Following, mean_units};

/// The most places of a stripe that are looked at: enough for 64 disks at 64 KiB in steps of 512 bytes.
const MOST_PLACES: u64 = 1 << 14;

/// Queues of one job on the same targets: they all do the same.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// The job's index.
    pub(crate) job: usize,
    /// Its outstanding I/Os.
    pub(crate) depth: u64,
    /// Its weight where flows share a limiter: its outstanding I/Os, or its rate where one is known.
    pub(crate) weight: f64,
    /// The most I/Os a second it asks for.
    pub(crate) asked: Option<f64>,
    /// Bytes of an I/O.
    pub(crate) bytes: f64,
    /// Demand of an I/O: units of this limiter and dimension.
    pub(crate) demands: Vec<Demand>,
    /// The targets, by index.
    pub(crate) targets: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demand {
    pub(crate) limiter: LimiterId,
    pub(crate) dimension: Dimension,
    pub(crate) amount: f64,
}

/// The flows of a workload; `hits` is the share of reads that each disk's cache holds.
pub(crate) fn flows(workload: &Workload, queues: &[Queue], blueprint: &Blueprint, hits: &[f64]) -> Vec<Flow> {
    let mut flows: Vec<(Vec<Extent>, Flow)> = Vec::new();
    for queue in queues {
        let job_index = usize::from(queue.job);
        let job = &workload.jobs[job_index];
        let asked = asked_by(queue, job);
        if let Some((_, flow)) =
            flows.iter_mut().find(|(extents, flow)| flow.job == job_index && *extents == queue.extents)
        {
            flow.depth += u64::from(queue.depth);
            flow.weight = flow.depth as f64;
            flow.asked = flow.asked.zip(asked).map(|(one, other)| one + other);
            continue;
        }
        let alike = |other: &&Queue| other.job == queue.job && other.extents == queue.extents;
        let threads = queues.iter().filter(alike).count() as u32;
        let flow = Flow {
            job: job_index,
            depth: u64::from(queue.depth),
            weight: f64::from(queue.depth),
            asked,
            bytes: data_bytes(job),
            demands: demands_of(job, &queue.extents, threads, blueprint, hits),
            targets: queue.targets().map(|target| usize::from(target.0)).collect(),
        };
        flows.push((queue.extents.clone(), flow));
    }
    flows.into_iter().map(|(_, flow)| flow).collect()
}

/// Bytes moved by an I/O of the job, flushes and discards not counted as I/Os.
fn data_bytes(job: &Job) -> f64 {
    let data = || job.mix.iter().filter(|share| share.op.moves_data());
    let weight: f64 = data().map(|share| f64::from(share.weight)).sum();
    if weight == 0.0 {
        return 0.0;
    }
    data().map(|share| f64::from(share.weight) * f64::from(share.block)).sum::<f64>() / weight
}

/// The most I/Os a second that a queue issues, whatever completes.
fn asked_by(queue: &Queue, job: &Job) -> Option<f64> {
    let mean = job.mean_block();
    let per_second = |rate: Rate| rate.iops_f64(mean);
    let paced = match queue.load {
        QueueLoad::Closed { cap } => cap.map(per_second),
        QueueLoad::Open { rate, of, .. } => Some(per_second(rate) / f64::from(of)),
    };
    let pauses = queue.think.filter(|think| !think.time.is_zero());
    let thinking = pauses.map(|think| think.burst as f64 / think.time.secs_f64());
    match (paced, thinking) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The parts of an extent in the groups of columns that a volume is made of, one after the other.
fn parts_by_group(extent: &Extent, groups: u64, group_bytes: u64) -> Vec<(u64, u64)> {
    let end = extent.start + extent.len;
    (0..groups)
        .filter_map(|group| {
            let start = group * group_bytes;
            let stop = if group + 1 == groups { end } else { end.min(start + group_bytes) };
            let start = extent.start.max(start);
            (start < stop).then(|| (start, stop - start))
        })
        .collect()
}

/// Parts in groups that lie on the same disks, as one: a volume may have thousands of groups that go round its disks.
fn alike(parts: Vec<(u64, u64)>, group_bytes: u64, repeats: u64) -> Vec<(u64, u64)> {
    let mut sums: Vec<(u64, u64, u64)> = Vec::new();
    for (start, len) in parts {
        let class = start / group_bytes % repeats;
        match sums.iter_mut().find(|(other, ..)| *other == class) {
            Some((_, _, sum)) => *sum += len,
            None => sums.push((class, start, len)),
        }
    }
    sums.into_iter().map(|(_, start, len)| (start, len)).collect()
}

/// The demands of one I/O of a job that so many threads do on these extents.
fn demands_of(
    job: &Job,
    extents: &[Extent],
    threads: u32,
    blueprint: &Blueprint,
    hits: &[f64],
) -> Vec<Demand> {
    let mut sums = Sums { blueprint, hits, amounts: vec![[0.0; 2]; blueprint.limiters.len()] };
    let mut runs = Runs::default();
    let data: f64 =
        job.mix.iter().filter(|share| share.op.moves_data()).map(|share| f64::from(share.weight)).sum();
    for extent in extents {
        let volume = &blueprint.volumes[usize::from(extent.target.0)];
        let stripe = Stripe::new(volume, blueprint);
        for share in job.mix.iter().filter(|share| share.op.moves_data()) {
            let block = u64::from(share.block);
            let random = share.random.unwrap_or(job.access.random).ppm() > 0;
            let step = match (random, job.access.stride) {
                (true, _) => share.align.map_or(block, |align| align.get()).max(1),
                (false, stride) => stride.map_or(block, |stride| stride.get()).max(1),
            };
            let following = Following::of(job, share, volume.columns, threads);
            let asked = Asked { op: share.op, durable: job.durable, random, following };
            // A volume of groups has as many rows as groups, a group apart.
            let (groups, group_bytes, repeats) = stripe.groups();
            let row = u64::from(volume.columns) * volume.interleave.get();
            let mut parts = parts_by_group(extent, groups, if groups > 1 { group_bytes } else { u64::MAX });
            if !random {
                // A stream is in one group at a time, and begins in the first.
                parts.truncate(1);
            }
            let parts = alike(parts, group_bytes, repeats);
            let used: u64 = parts.iter().map(|(_, len)| len).sum();
            for (start, len) in parts {
                let all = (row / gcd(row, step)).min((len.min(group_bytes) / step).max(1));
                let places = all.min(MOST_PLACES);
                // Random I/O meets every column of a row, so the places are spread over the row; a stream has only a
                // few outstanding I/Os, which lie together.
                let apart = if random { all / places * step } else { step };
                let of_extents = f64::from(share.weight) / data / extents.len() as f64;
                let weight = of_extents * len as f64 / used as f64 / places as f64;
                for place in 0..places {
                    let offset = start + place * apart;
                    if offset + block > volume.size.get() {
                        continue;
                    }
                    runs.clear();
                    stripe.split(offset, share.block, |fragment| {
                        runs.add(fragment.disk, fragment.offset, u64::from(fragment.len));
                    });
                    for index in 0..runs.runs.len() {
                        sums.add(asked, &runs, index, weight);
                    }
                }
            }
        }
    }
    sums.demands()
}

/// Fragments of one I/O that lie one after the other on one disk.
struct FragmentRun {
    disk: DiskId,
    /// End of the last fragment on the disk, in bytes.
    end: u64,
    /// The length of all of them, in bytes.
    len: u64,
    /// The length of the shortest, in bytes.
    shortest: u64,
}

/// The fragments of one I/O. One value serves all I/Os of a job, so that nothing is allocated for each.
#[derive(Default)]
struct Runs {
    runs: Vec<FragmentRun>,
    /// Each fragment: the index of its run, and its length in bytes.
    fragments: Vec<(usize, u64)>,
}

impl Runs {
    fn clear(&mut self) {
        self.runs.clear();
        self.fragments.clear();
    }

    fn add(&mut self, disk: DiskId, offset: u64, len: u64) {
        let index = match self.runs.iter().position(|run| run.disk == disk && run.end == offset) {
            Some(index) => index,
            None => {
                self.runs.push(FragmentRun { disk, end: offset, len: 0, shortest: u64::MAX });
                self.runs.len() - 1
            }
        };
        let run = &mut self.runs[index];
        run.end += len;
        run.len += len;
        run.shortest = run.shortest.min(len);
        self.fragments.push((index, len));
    }

    /// Calls `each` with the lengths that a limiter charges apart: a limiter that merges takes a run as one.
    fn charged_apart(&self, index: usize, charge: Charge, mut each: impl FnMut(u64)) {
        let run = &self.runs[index];
        match charge {
            Charge::Merged(merge) if run.shortest >= merge.least.get() => each(run.len),
            _ => self.fragments.iter().filter(|(of, _)| *of == index).for_each(|(_, len)| each(*len)),
        }
    }
}

struct Sums<'a> {
    blueprint: &'a Blueprint,
    hits: &'a [f64],
    amounts: Vec<[f64; 2]>,
}

/// Properties of the I/Os of one share.
#[derive(Clone, Copy)]
struct Asked<'a> {
    op: Op,
    durable: bool,
    random: bool,
    following: Following<'a>,
}

impl Sums<'_> {
    fn add(&mut self, asked: Asked<'_>, runs: &Runs, index: usize, weight: f64) {
        let following = asked.following;
        let blueprint = self.blueprint;
        let disk = usize::from(runs.runs[index].disk.0);
        let spec = &blueprint.disks[disk];
        let hit = self.hits[disk];
        let mut pass = |route: &[LimiterId], merged_to: Option<u64>, weight: f64| {
            if weight == 0.0 {
                return;
            }
            for limiter in route {
                let charge = blueprint.limiters[usize::from(limiter.0)].charge;
                let amounts = &mut self.amounts[usize::from(limiter.0)];
                runs.charged_apart(index, charge, |len| {
                    let merged = merged_to.map_or(1.0, |to| (to as f64 / len as f64).max(1.0));
                    let units = mean_units(charge, (len as f64 * merged) as u64, following) / merged;
                    amounts[Dimension::Ios as usize] += weight * units;
                    amounts[Dimension::Bytes as usize] += weight * charge.bytes(len as f64, units);
                });
            }
        };
        match (spec.cache.map(|cache| cache.mode), asked.op) {
            (Some(_), Op::Read) => {
                pass(&spec.routes.read_hit, None, weight * hit);
                pass(&spec.routes.read, None, weight * (1.0 - hit));
            }
            (Some(CacheMode::ReadWrite), Op::Write) if !asked.durable => {
                pass(&spec.routes.write_ack, None, weight);
                // What is acknowledged has to be written later; a sequential stream is merged on the way.
                pass(&spec.routes.write_back, (!asked.random).then(|| spec.max_transfer.get()), weight);
            }
            _ => pass(spec.media_route(asked.op), None, weight),
        }
    }

    fn demands(&self) -> Vec<Demand> {
        let limiters = self.amounts.iter().enumerate();
        limiters
            .flat_map(|(index, amounts)| {
                Dimension::ALL.map(|dimension| Demand {
                    limiter: LimiterId(index as u16),
                    dimension,
                    amount: amounts[dimension as usize],
                })
            })
            .filter(|demand| demand.amount > 0.0)
            .collect()
    }
}
