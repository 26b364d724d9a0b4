//! What host caches hold when a run begins: built, not simulated by the hour.

use iobound_model::{Blueprint, CacheId, Stack};
use iobound_units::{Bytes, Span};
use iobound_workload::{Extent, Lane, Popularity, Workload};

use crate::question::CacheState;

/// Caches larger than this are scaled down together with the working set, where that changes no hit rate.
const SCALED_TO: u64 = 8 << 30;
/// The most I/Os of a first run that are drawn one by one.
const MOST_DRAWN: u64 = 1 << 20;

/// The bytes of each cache's disks that these lanes use.
fn used_bytes(blueprint: &Blueprint, lanes: &[Lane]) -> Vec<u64> {
    let mut seen = Vec::new();
    let mut used = vec![0; blueprint.caches.len()];
    for extent in lanes.iter().flat_map(|lane| &lane.extents) {
        if seen.contains(extent) {
            continue;
        }
        seen.push(*extent);
        let volume = &blueprint.volumes[usize::from(extent.target.0)];
        let mut caches: Vec<CacheId> = Vec::new();
        for disk in &volume.disks {
            if let Some(cache) = blueprint.disks[usize::from(disk.0)].cache
                && !caches.contains(&cache.cache)
            {
                caches.push(cache.cache);
            }
        }
        for cache in caches {
            used[usize::from(cache.0)] += extent.len;
        }
    }
    used
}

/// Whether each cache holds all that the lanes use.
pub(crate) fn fits(blueprint: &Blueprint, lanes: &[Lane]) -> Vec<bool> {
    let used = used_bytes(blueprint, lanes);
    blueprint.caches.iter().zip(used).map(|(cache, used)| used <= cache.capacity.get()).collect()
}

/// By how much caches and working sets may shrink together. Uniform, zoned and sequential access hit by shares
/// alone; under Zipf's law the share of the I/Os that a share of the blocks gets hardly depends on their number
/// (0.97 against 0.96 at theta 1 for 575 of 1,000, of sixteen million lines and of a quarter million).
pub(crate) fn scale(blueprint: &Blueprint, lanes: &[Lane], cache: CacheState) -> Option<u64> {
    let largest = blueprint.caches.iter().map(|cache| cache.capacity.get()).max()?;
    let all_fit = fits(blueprint, lanes).into_iter().all(|fits| fits);
    (cache == CacheState::Warm && !all_fit && largest > SCALED_TO).then(|| largest.div_ceil(SCALED_TO))
}

/// The workload with working sets smaller by `by`, in whole blocks of 4 MiB.
pub(crate) fn scaled_workload(workload: &Workload, lanes: &[Lane], by: u64) -> Workload {
    let mut workload = workload.clone();
    for (index, job) in workload.jobs.iter_mut().enumerate() {
        let len = lanes.iter().filter(|lane| usize::from(lane.job) == index).flat_map(|lane| &lane.extents);
        let smallest = len.map(|extent| extent.len).min().unwrap_or(0);
        let unit = 4 << 20;
        job.region.size = Some(Bytes((smallest / by / unit * unit).max(unit)));
    }
    workload
}

/// A run in small: everything that is long is shorter by the same factor, so that the same share of it hits.
#[derive(Clone, Debug)]
pub(crate) struct Small {
    pub(crate) workload: Workload,
    pub(crate) by: u64,
}

/// A run of about `most_ios`, where the first one did `first_run`.
pub(crate) fn in_small(workload: &Workload, lanes: &[Lane], first_run: u64, most_ios: u64) -> Small {
    const SMALLEST: u64 = 256 << 20;
    let smallest = lanes.iter().flat_map(|lane| &lane.extents).map(|extent| extent.len).min().unwrap_or(0);
    let by = first_run.div_ceil(most_ios).min(smallest / SMALLEST).max(1);
    if by == 1 {
        return Small { workload: workload.clone(), by };
    }
    let mut small = scaled_workload(workload, lanes, by);
    for time in [&mut small.duration, &mut small.warmup, &mut small.cooldown] {
        *time = Span::from_ns(time.ns() / by);
    }
    Small { workload: small, by }
}

/// Fills the caches of a fresh stack as `state` says; `first_run` is how many I/Os a first run would have done.
pub(crate) fn fill(
    stack: &mut Stack,
    blueprint: &Blueprint,
    workload: &Workload,
    lanes: &[Lane],
    state: CacheState,
    first_run: u64,
) {
    match state {
        CacheState::Cold => {}
        CacheState::Warm => fill_warm(stack, blueprint, workload, lanes),
        CacheState::SecondRun => fill_by_first_run(stack, workload, lanes, first_run),
    }
}

fn fill_warm(stack: &mut Stack, blueprint: &Blueprint, workload: &Workload, lanes: &[Lane]) {
    let fits = fits(blueprint, lanes);
    if fits.iter().all(|fits| *fits) {
        for id in 0..blueprint.caches.len() {
            stack.complete_cache(CacheId(id as u16));
        }
        return;
    }
    for (id, cache) in blueprint.caches.iter().enumerate() {
        let parts = parts_of(blueprint, workload, lanes, CacheId(id as u16));
        let line = cache.line.get();
        let capacity = (cache.capacity.get() / line) as f64;
        let held_after = |draws: f64| -> f64 {
            parts.iter().map(|part| part.popularity.distinct_lines(line, draws * part.share)).sum()
        };
        // Jobs that share a cache hold what their last I/Os touched, all over the same time.
        let (mut low, mut high) = (0.0, capacity.max(1.0));
        while held_after(high) < capacity && high < 1e30 {
            (low, high) = (high, high * 4.0);
        }
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if held_after(middle) < capacity { low = middle } else { high = middle }
        }
        for part in &parts {
            let end = part.extent.start + part.extent.len;
            part.popularity.lines_after(line, high * part.share, |offset| {
                let len = line.min(end.saturating_sub(offset));
                stack.prefill(usize::from(part.extent.target.0), offset, len);
            });
        }
    }
}

/// A job's part of a cache: where its I/Os go on one target, and its share of all I/Os.
struct Part {
    extent: Extent,
    popularity: Popularity,
    share: f64,
}

fn parts_of(blueprint: &Blueprint, workload: &Workload, lanes: &[Lane], cache: CacheId) -> Vec<Part> {
    let mut keys: Vec<(u16, Extent)> = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for lane in lanes {
        for extent in &lane.extents {
            let volume = &blueprint.volumes[usize::from(extent.target.0)];
            let cached = |id: &iobound_model::DiskId| {
                blueprint.disks[usize::from(id.0)].cache.is_some_and(|used| used.cache == cache)
            };
            if !volume.disks.iter().any(cached) {
                continue;
            }
            let share = f64::from(lane.depth) / lane.extents.len() as f64;
            match keys.iter().position(|key| *key == (lane.job, *extent)) {
                Some(at) => parts[at].share += share,
                None => {
                    keys.push((lane.job, *extent));
                    let job = &workload.jobs[usize::from(lane.job)];
                    let popularity = Popularity::new(job, *extent, workload.seed);
                    parts.push(Part { extent: *extent, popularity, share });
                }
            }
        }
    }
    let total: f64 = parts.iter().map(|part| part.share).sum();
    for part in &mut parts {
        part.share /= total.max(1.0);
    }
    parts
}

fn fill_by_first_run(stack: &mut Stack, workload: &Workload, lanes: &[Lane], first_run: u64) {
    let depth: u64 = lanes.iter().map(|lane| u64::from(lane.depth)).sum();
    let mut generators = workload.generators(lanes);
    for (lane, generator) in lanes.iter().zip(&mut generators) {
        let ios = (u128::from(first_run) * u128::from(lane.depth) / u128::from(depth.max(1))) as u64;
        let job = &workload.jobs[usize::from(lane.job)];
        let sequential = job.access.random.ppm() == 0 && job.access.stride.is_none();
        if sequential {
            // One pass from the start, as far as the run came.
            let streams = if job.access.shared { first_run } else { ios };
            let bytes = (streams as f64 * job.mean_block() / lane.extents.len() as f64) as u64;
            for extent in &lane.extents {
                stack.prefill(usize::from(extent.target.0), extent.start, bytes.min(extent.len));
            }
            continue;
        }
        for _ in 0..ios.min(MOST_DRAWN / lanes.len() as u64) {
            let io = generator.next();
            if io.len > 0 {
                stack.prefill(usize::from(io.target.0), io.offset, u64::from(io.len));
            }
        }
    }
}
