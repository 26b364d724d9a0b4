//! Content of host caches when a run begins: built, not simulated by the hour.

use std::collections::BTreeSet;

use iobound_model::{Blueprint, CacheId, CacheSpec, DiskSpec, Stack};
use iobound_units::{Bytes, Span};
use iobound_workload::{Extent, Popularity, Queue, Workload};

use crate::scene::Contents;

/// A warm cache of more lines than this is scaled down together with the working set.
pub(crate) const MOST_LINES: u64 = 1 << 15;
/// Lines that are put into a cache, as a multiple of those it holds.
const OVERFULL: f64 = 1.4;
/// Number of ages that are told apart when a cache is filled.
const AGES: usize = 256;
/// The most lines of a cache that starts empty: a table of 64 MB.
const MOST_COLD_LINES: u64 = 1 << 24;

/// The bytes of each cache's disks that these queues use.
fn used_bytes(blueprint: &Blueprint, queues: &[Queue]) -> Vec<u64> {
    let mut seen = Vec::new();
    let mut used = vec![0; blueprint.caches.len()];
    for extent in queues.iter().flat_map(|queue| &queue.extents) {
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

/// True if each cache holds all that the queues use.
pub(crate) fn fits(blueprint: &Blueprint, queues: &[Queue]) -> Vec<bool> {
    let used = used_bytes(blueprint, queues);
    blueprint.caches.iter().zip(used).map(|(cache, used)| used <= cache.capacity.get()).collect()
}

/// True if the caches keep all that so many I/Os of a workload touch.
pub(crate) fn keeps(blueprint: &Blueprint, workload: &Workload, queues: &[Queue], ios: u64) -> bool {
    let depth: u64 = queues.iter().map(|queue| u64::from(queue.depth)).sum();
    let bytes_of =
        |queue: &Queue| workload.jobs[usize::from(queue.job)].mean_block() * f64::from(queue.depth);
    let bytes = ios as f64 * queues.iter().map(bytes_of).sum::<f64>() / depth.max(1) as f64;
    let kept = |(cache, used): (&CacheSpec, u64)| (used as f64).min(bytes) <= cache.capacity.get() as f64;
    blueprint.caches.iter().zip(used_bytes(blueprint, queues)).all(kept)
}

/// By how much working sets shrink, and caches with them so that they hit as often: see [`equivalent_capacity`].
pub(crate) fn scale(blueprint: &Blueprint, queues: &[Queue]) -> Option<u64> {
    let most = blueprint.caches.iter().map(|cache| cache.capacity.get() / cache.line.get()).max()?;
    let all_fit = fits(blueprint, queues).into_iter().all(|fits| fits);
    (!all_fit && most > MOST_LINES).then(|| most.div_ceil(MOST_LINES))
}

/// Lines as small as the workload's blocks where lines are given up: a line of 64 KiB of which one block was read
/// takes the place of sixteen, and a cache in such lines would hold a sixteenth of what it can. Where none is (all
/// fits, or a run is `short` and begins with empty caches) a line has sixteen blocks, which presence tells apart: a
/// sixteenth of the memory to touch.
pub(crate) fn set_lines(
    blueprint: &mut Blueprint,
    workload: &Workload,
    queues: &[Queue],
    contents: Contents,
    short: bool,
) {
    const SMALLEST: u64 = 512;
    const SECTORS: u64 = 16;
    let blocks = workload.jobs.iter().flat_map(|job| &job.mix).filter(|share| share.op.moves_data());
    let block = blocks.map(|share| u64::from(share.block)).min().unwrap_or(SMALLEST);
    let whole = 1 << block.max(SMALLEST).ilog2();
    let used = used_bytes(blueprint, queues);
    for (cache, used) in blueprint.caches.iter_mut().zip(used) {
        // A warm cache that does not hold its working set is scaled to few lines whatever their size.
        let table = used.min(cache.capacity.get()).div_ceil(MOST_COLD_LINES).max(1).next_power_of_two();
        let keeps_all = used <= cache.capacity.get() || (short && contents == Contents::Cold);
        let least = if keeps_all { table.max(whole * SECTORS) } else { whole };
        cache.line = Bytes(least.min(cache.line.get()));
    }
}

/// The workload with working sets smaller by `by`, in whole blocks of 4 MiB.
pub(crate) fn scaled_workload(workload: &Workload, queues: &[Queue], by: u64) -> Workload {
    let mut workload = workload.clone();
    for (index, job) in workload.jobs.iter_mut().enumerate() {
        let extents =
            || queues.iter().filter(|queue| usize::from(queue.job) == index).flat_map(|queue| &queue.extents);
        let mut smallest = extents().map(|extent| extent.len).min().unwrap_or(0);
        if job.access.thread_size.take().is_some() {
            // Parts of single threads become one region: in small, the same share of it hits.
            let start = extents().map(|extent| extent.start).min().unwrap_or(0);
            smallest = extents().map(|extent| extent.start + extent.len).max().unwrap_or(0) - start;
            job.access.thread_stride = None;
        }
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
pub(crate) fn in_small(workload: &Workload, queues: &[Queue], first_run: u64, most_ios: u64) -> Small {
    const SMALLEST: u64 = 256 << 20;
    let smallest = queues.iter().flat_map(|queue| &queue.extents).map(|extent| extent.len).min().unwrap_or(0);
    let by = first_run.div_ceil(most_ios).min(smallest / SMALLEST).max(1);
    if by == 1 {
        return Small { workload: workload.clone(), by };
    }
    let mut small = scaled_workload(workload, queues, by);
    for time in [&mut small.duration, &mut small.warmup, &mut small.cooldown] {
        *time = Span::from_ns(time.ns() / by);
    }
    Small { workload: small, by }
}

/// Fills caches that hold all that is used: with all there is of their disks where that fits, else with what is used.
fn fill_whole(stack: &mut Stack, blueprint: &Blueprint, queues: &[Queue]) {
    let of_cache =
        |id: usize, disk: &DiskSpec| disk.cache.is_some_and(|used| usize::from(used.cache.0) == id);
    let complete: Vec<bool> = blueprint
        .caches
        .iter()
        .enumerate()
        .map(|(id, cache)| {
            let disks = blueprint.disks.iter().filter(|disk| of_cache(id, disk));
            disks.map(|disk| disk.size.get()).sum::<u64>() <= cache.capacity.get()
        })
        .collect();
    for id in (0..complete.len()).filter(|id| complete[*id]) {
        stack.complete_cache(CacheId(id as u16));
    }
    // Threads mostly use the same part of a volume.
    let parts: BTreeSet<(usize, u64, u64)> = queues
        .iter()
        .flat_map(|queue| &queue.extents)
        .map(|extent| (usize::from(extent.target.0), extent.start, extent.len))
        .collect();
    for (volume, start, len) in parts {
        let disks = blueprint.volumes[volume].disks.iter().map(|disk| &blueprint.disks[usize::from(disk.0)]);
        let is_open = |disk: &DiskSpec| (0..complete.len()).any(|id| !complete[id] && of_cache(id, disk));
        if disks.into_iter().any(is_open) {
            stack.prefill(volume, start, len);
        }
    }
}

/// Fills the caches of a fresh stack with what they hold after a long time of the workload.
pub(crate) fn fill_warm(stack: &mut Stack, blueprint: &Blueprint, workload: &Workload, queues: &[Queue]) {
    let fits = fits(blueprint, queues);
    if fits.iter().all(|fits| *fits) {
        fill_whole(stack, blueprint, queues);
        return;
    }
    for (id, cache) in blueprint.caches.iter().enumerate() {
        let parts = parts_of(blueprint, workload, queues, CacheId(id as u16));
        let line = cache.line.get();
        // Jobs that share a cache hold what their last I/Os touched, all over the same time.
        // More than it holds, since not every set fills alike: each keeps the youngest of its own.
        let lines = (cache.capacity.get() / line) as f64 * OVERFULL;
        let most = held_after(&parts, line, 1e30);
        let draws = smallest(lines.max(1.0), |draws| held_after(&parts, line, draws) >= lines.min(most));
        // By age, so that the cache gives up first what was touched longest ago.
        let mut by_age: Vec<Vec<(usize, u64, u64)>> = vec![Vec::new(); AGES];
        for part in &parts {
            let end = part.extent.start + part.extent.len;
            part.popularity.lines_after(line, draws * part.share, |offset, age| {
                let age = ((age * AGES as f64) as usize).min(AGES - 1);
                let len = line.min(end.saturating_sub(offset));
                by_age[age].push((usize::from(part.extent.target.0), offset, len));
            });
        }
        for (target, offset, len) in by_age.into_iter().rev().flatten() {
            stack.prefill(target, offset, len);
        }
    }
}

/// Number of lines that the last `draws` I/Os of all parts have touched.
fn held_after(parts: &[Part], line: u64, draws: f64) -> f64 {
    parts.iter().map(|part| part.popularity.distinct_lines(line, draws * part.share)).sum()
}

/// Rate at which lines are added: the next I/O touches a line that the last `draws` have not.
fn misses_after(parts: &[Part], line: u64, draws: f64) -> f64 {
    const STEP: f64 = 1e-3;
    (held_after(parts, line, draws * (1.0 + STEP)) - held_after(parts, line, draws)) / (draws * STEP)
}

/// The smallest value of which `enough` holds, to a millionth; `from` is where the search begins.
fn smallest(from: f64, enough: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, from);
    while !enough(high) && high < 1e30 {
        (low, high) = (high, high * 4.0);
    }
    for _ in 0..24 {
        let middle = f64::midpoint(low, high);
        if enough(middle) { high = middle } else { low = middle }
    }
    high
}

/// The capacity of a cache under a smaller workload that misses as often as under the whole one (Che's
/// approximation on both sides). Under uniform access it is the same share of the working set; under Zipf's law
/// it is not, since a share of fewer blocks gets fewer of the I/Os.
pub(crate) fn equivalent_capacity(
    blueprint: &Blueprint,
    id: usize,
    (workload, queues): (&Workload, &[Queue]),
    (small, small_queues): (&Workload, &[Queue]),
) -> Bytes {
    let cache = CacheId(id as u16);
    let (line, capacity) = (blueprint.caches[id].line.get(), blueprint.caches[id].capacity.get());
    let parts = parts_of(blueprint, workload, queues, cache);
    let small_parts = parts_of(blueprint, small, small_queues, cache);
    let lines = (capacity / line) as f64;
    let draws = smallest(lines.max(1.0), |draws| held_after(&parts, line, draws) >= lines);
    let misses = misses_after(&parts, line, draws);
    let small_draws = smallest(1.0, |draws| misses_after(&small_parts, line, draws) <= misses);
    Bytes(held_after(&small_parts, line, small_draws) as u64 * line)
}

/// A job's part of a cache: where its I/Os go on one target, and its share of all I/Os.
struct Part {
    extent: Extent,
    popularity: Popularity,
    share: f64,
}

fn parts_of(blueprint: &Blueprint, workload: &Workload, queues: &[Queue], cache: CacheId) -> Vec<Part> {
    let mut keys: Vec<(u16, Extent)> = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for queue in queues {
        for extent in &queue.extents {
            let volume = &blueprint.volumes[usize::from(extent.target.0)];
            let cached = |id: &iobound_model::DiskId| {
                blueprint.disks[usize::from(id.0)].cache.is_some_and(|used| used.cache == cache)
            };
            if !volume.disks.iter().any(cached) {
                continue;
            }
            let share = f64::from(queue.depth) / queue.extents.len() as f64;
            match keys.iter().position(|key| *key == (queue.job, *extent)) {
                Some(at) => parts[at].share += share,
                None => {
                    keys.push((queue.job, *extent));
                    let job = &workload.jobs[usize::from(queue.job)];
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

/// Fills them with what the first so many I/Os have left, as long as it is `wanted`.
pub(crate) fn fill_by_first_run(
    stack: &mut Stack,
    workload: &Workload,
    queues: &[Queue],
    first_run: u64,
    wanted: &mut dyn FnMut() -> bool,
) {
    let mut generators = workload.generators(queues);
    let mut left = ios_by_queue(queues, first_run);
    // In turns, so that what was touched last is what all queues touched last.
    while left.iter().any(|left| *left > 0) && wanted() {
        for ((queue, generator), left) in queues.iter().zip(&mut generators).zip(&mut left) {
            let turn = u64::from(queue.depth).min(*left);
            *left -= turn;
            for _ in 0..turn {
                let io = generator.next();
                if io.op.moves_data() && io.len > 0 {
                    stack.prefill(usize::from(io.target.0), io.offset, u64::from(io.len));
                }
            }
        }
    }
}

/// The given number of I/Os of a workload, by queue: in proportion to what each has outstanding.
pub(crate) fn ios_by_queue(queues: &[Queue], ios: u64) -> Vec<u64> {
    let depth: u64 = queues.iter().map(|queue| u64::from(queue.depth)).sum();
    let part = |queue: &Queue| u128::from(ios) * u128::from(queue.depth) / u128::from(depth.max(1));
    queues.iter().map(|queue| part(queue) as u64).collect()
}
