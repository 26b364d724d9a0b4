//! From DiskSpd's options to a workload.

use iobound_units::{Bytes, Percent, Rate, Span};
use iobound_workload::{
    Access, Content, Distribution, HotZone, Job, Load, Region, Spread, Targets, Think, Workload, ZoneRange,
};

use super::options::{
    CacheMode, OffsetRange, RandomZones, RangeUnit, ReadProfile, Target, Throttle, TimeSpan, WriteBuffers,
};
use super::remark::{note_profile, note_span, note_target};
use super::switch::Knob;
use crate::error::Trouble;
use crate::notes::Notes;
use crate::{Foreign, ForeignFile, Tool};

/// The workloads of a profile, one a time span; `None` with at least one problem.
pub(super) fn convert(read: &ReadProfile, trouble: &mut Trouble, notes: &mut Notes) -> Option<Foreign> {
    note_profile(read, trouble, notes);
    let mut workloads = Vec::new();
    let mut files = Vec::new();
    for (index, span) in read.profile.time_spans.iter().enumerate() {
        note_span(read, index, span, notes);
        let mut jobs = Vec::new();
        for group in groups(read, index, span, trouble) {
            let first = group.targets[0];
            let target = &span.targets[first];
            note_target(read, index, first, target, trouble, notes);
            if let Some(job) = job(read, index, &group, span, trouble, notes) {
                jobs.push(job);
            }
        }
        for target in span.targets.iter().filter(|target| !target.path.is_empty()) {
            add_file(&mut files, target);
        }
        workloads.push(Workload {
            jobs,
            duration: Span::from_secs(u64::from(span.duration_s)),
            warmup: Span::from_secs(u64::from(span.warmup_s)),
            cooldown: Span::from_secs(u64::from(span.cooldown_s)),
            seed: span.seed.unwrap_or(0),
        });
    }
    if !trouble.is_empty() || workloads.is_empty() {
        return None;
    }
    let workload = workloads.remove(0);
    Some(Foreign { tool: Tool::DiskSpd, workload, then: workloads, notes: Vec::new(), files })
}

/// The targets of one job: alike in all but their paths.
struct JobTargets {
    targets: Vec<usize>,
    threads: u32,
}

/// The jobs of a time span: targets that are alike together, in the order of the first of each.
fn groups(read: &ReadProfile, index: usize, span: &TimeSpan, trouble: &mut Trouble) -> Vec<JobTargets> {
    if span.thread_count > 0 && span.request_count > 0 {
        return dealt_groups(read, index, span, trouble);
    }
    let mut groups: Vec<JobTargets> = Vec::new();
    for (number, target) in span.targets.iter().enumerate() {
        let alike = groups.iter_mut().find(|group| alike(&span.targets[group.targets[0]], target));
        match alike {
            Some(group) => group.targets.push(number),
            None => {
                let threads = if span.thread_count > 0 { span.thread_count } else { target.threads() };
                groups.push(JobTargets { targets: vec![number], threads });
            }
        }
    }
    groups
}

/// With `-O`, one queue of a thread goes over its targets: they must be alike, and dealt alike.
fn dealt_groups(read: &ReadProfile, index: usize, span: &TimeSpan, trouble: &mut Trouble) -> Vec<JobTargets> {
    let uneven = span.targets.iter().position(|target| {
        target.weight != span.targets[0].weight
            || target.thread_targets.iter().any(|t| t.weight.is_some_and(|w| w != target.weight))
    });
    if let Some(target) = uneven {
        trouble.add(
            read.place(index, target, Knob::Weight),
            "targets with different weights are not supported: a queue alternates between its targets",
            "give every target the same weight, or its own time span",
        );
        return Vec::new();
    }
    if let Some(other) = span.targets.iter().position(|target| !alike(&span.targets[0], target)) {
        trouble.add(
            read.place(index, other, Knob::Path),
            "targets with different options in one queue (ThreadCount with RequestCount) are not supported",
            "give every target the same options, or leave RequestCount out of the time span",
        );
        return Vec::new();
    }
    if span.targets.iter().all(|target| target.thread_targets.is_empty()) {
        return vec![JobTargets { targets: (0..span.targets.len()).collect(), threads: span.thread_count }];
    }
    // Threads are told apart only as far as some target names them.
    let named = span.targets.iter().flat_map(|target| &target.thread_targets).map(|t| t.thread);
    let told = named.max().unwrap_or(0).saturating_add(1).min(span.thread_count);
    let mut groups: Vec<JobTargets> = Vec::new();
    let mut add = |targets: Vec<usize>, threads: u32| {
        if targets.is_empty() || threads == 0 {
            return;
        }
        match groups.iter_mut().find(|group| group.targets == targets) {
            Some(group) => group.threads += threads,
            None => groups.push(JobTargets { targets, threads }),
        }
    };
    if told > 4096 {
        trouble.add(
            read.place(index, 0, Knob::ThreadTargets),
            "more than 4,096 threads with their own targets are not supported",
            "use fewer threads",
        );
        return Vec::new();
    }
    for thread in 0..told {
        let uses = |target: &Target| {
            target.thread_targets.is_empty() || target.thread_targets.iter().any(|t| t.thread == thread)
        };
        add((0..span.targets.len()).filter(|n| uses(&span.targets[*n])).collect(), 1);
    }
    let open = (0..span.targets.len()).filter(|n| span.targets[*n].thread_targets.is_empty()).collect();
    add(open, span.thread_count - told);
    groups
}

/// True if two targets differ in nothing but what belongs to each alone.
fn alike(a: &Target, b: &Target) -> bool {
    let plain = |t: &Target| Target { path: String::new(), thread_targets: Vec::new(), ..t.clone() };
    plain(a) == plain(b)
}

fn job(
    read: &ReadProfile,
    index: usize,
    group: &JobTargets,
    span: &TimeSpan,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> Option<Job> {
    let number = group.targets[0];
    let target = &span.targets[number];
    let names: Vec<String> = group.targets.iter().map(|n| span.targets[*n].path.clone()).collect();
    let dealt = span.thread_count > 0 && span.request_count > 0;
    let mut job = Job::new(&name(target, read, names.len()));
    job.targets = match names.iter().all(String::is_empty) {
        true => Targets::All,
        false => Targets::Named(names),
    };
    job.threads = group.threads;
    job.spread = match (span.thread_count > 0, dealt) {
        (_, true) => Spread::Dealt,
        (true, false) => Spread::Every,
        (false, false) => Spread::PerTarget,
    };
    let depth = if dealt { span.request_count } else { target.requests };
    job.load = Load::Closed { depth, cap: target.throttle.map(cap) };
    job.set_mix(target.block_bytes, percent(100 - target.write_percent));
    job.region = region(read, index, number, target, trouble)?;
    job.access = access(read, index, number, target, &mut job, span, trouble)?;
    job.think = (target.think_ms > 0).then(|| Think {
        burst: u64::from(target.burst),
        time: Span::from_ms(u64::from(target.think_ms)),
        after_completion: false,
    });
    job.durable = target.write_through;
    job.buffered = target.cache != CacheMode::Unbuffered;
    job.content = match (&target.buffers, span.random_write_data) {
        (_, true) | (WriteBuffers::Source(_), _) => Content::Incompressible,
        (WriteBuffers::Zeros, _) => Content::Zeros,
        (WriteBuffers::Counting, _) => Content::Counting,
    };
    if target.parallel && depth > 1 {
        each_slot_a_stream(read, index, number, &mut job, depth, trouble, notes);
    }
    Some(job)
}

/// The job's name: what a person would call it.
fn name(target: &Target, read: &ReadProfile, targets: usize) -> String {
    if read.switches {
        return "diskspd".to_string();
    }
    if targets > 1 { format!("{} and {} more", target.path, targets - 1) } else { target.path.clone() }
}

fn percent(n: u32) -> Percent {
    Percent::whole(n).expect("checked to be at most 100")
}

fn cap(throttle: Throttle) -> Rate {
    match throttle {
        Throttle::BytesPerMs(bytes) => Rate::Bytes { count: u64::from(bytes), per: Span::from_ms(1) },
        Throttle::Iops(iops) => Rate::Ios { count: u64::from(iops), per: Span::from_secs(1) },
    }
}

/// `-B`, `-f`, `-c`: where I/Os may go.
fn region(
    read: &ReadProfile,
    index: usize,
    number: usize,
    target: &Target,
    trouble: &mut Trouble,
) -> Option<Region> {
    let end = match (target.end_bytes, target.create_bytes) {
        (Some(end), Some(size)) => Some(end.min(size)),
        (end, size) => end.or(size),
    };
    let base = target.base_bytes;
    if let Some(end) = end {
        let room = end.saturating_sub(base);
        if room < u64::from(target.block_bytes) {
            let knob = if base > 0 { Knob::Base } else { Knob::Create };
            trouble.add(
                read.place(index, number, knob),
                format!("{room} bytes are used, less than a block of {}", target.block_bytes),
                "make the target larger or the block smaller",
            );
            return None;
        }
        return Some(Region { offset: Bytes(base), size: Some(Bytes(room)) });
    }
    Some(Region { offset: Bytes(base), size: None })
}

fn access(
    read: &ReadProfile,
    index: usize,
    number: usize,
    target: &Target,
    job: &mut Job,
    span: &TimeSpan,
    trouble: &mut Trouble,
) -> Option<Access> {
    let block = u64::from(target.block_bytes);
    let align = Some(target.align()).filter(|align| *align != block);
    if target.random_percent > 0 {
        job.set_align(align.map(Bytes));
        let distribution = target.zones.as_ref().map_or(Distribution::Uniform, distribution);
        return Some(Access { random: percent(target.random_percent), distribution, ..Access::random() });
    }
    let many = span.thread_count > 1 || target.threads() > 1;
    let mut access = Access { shared: target.interlocked && many, ..Access::sequential() };
    if target.thread_stride_bytes > 0 {
        access.thread_stride = Some(Bytes(target.thread_stride_bytes));
    }
    match align {
        // Every I/O at the same place: a window of one block.
        Some(0) if target.thread_stride_bytes > 0 => {
            trouble.add(
                read.place(index, number, Knob::Stride),
                "a stride of zero with different thread starts is not supported",
                "leave one of them out",
            );
            return None;
        }
        Some(0) => job.region.size = Some(Bytes(block)),
        stride => access.stride = stride.map(Bytes),
    }
    Some(access)
}

/// `-rd`: zones in order; what is left of the I/Os goes to what is left of the target.
fn distribution(zones: &RandomZones) -> Distribution {
    let left = 100 - zones.ranges.iter().map(|range| range.io_percent).sum::<u32>();
    let size = |range: &OffsetRange| match zones.unit {
        RangeUnit::Bytes if range.size == 0 => ZoneRange::Rest,
        RangeUnit::Bytes => ZoneRange::Bytes(Bytes(range.size)),
        RangeUnit::Percent => ZoneRange::Share(percent(range.size as u32)),
    };
    let mut hot: Vec<HotZone> = zones
        .ranges
        .iter()
        .map(|range| HotZone { ios: percent(range.io_percent), range: size(range) })
        .collect();
    if left > 0 {
        hot.push(HotZone { ios: percent(left), range: ZoneRange::Rest });
    }
    Distribution::Zones(hot)
}

/// `-p`: every outstanding I/O is a sequential stream of its own, all from the same offset. So many threads at
/// depth one do the same.
fn each_slot_a_stream(
    read: &ReadProfile,
    index: usize,
    number: usize,
    job: &mut Job,
    depth: u32,
    trouble: &mut Trouble,
    notes: &mut Notes,
) {
    let place = read.place(index, number, Knob::Parallel);
    let threads = job.threads.checked_mul(depth);
    let (Some(threads), None, None) = (threads, job.think, job.access.thread_stride) else {
        trouble.add(
            place,
            "-p with pauses, with different thread starts, or with so many threads is not supported",
            "leave -p out: the outstanding I/Os of a thread then follow each other",
        );
        return;
    };
    let slower = |rate: Rate| match rate {
        Rate::Ios { count, per } => Rate::Ios { count, per: Span::from_ns(per.ns() * u64::from(depth)) },
        Rate::Bytes { count, per } => Rate::Bytes { count, per: Span::from_ns(per.ns() * u64::from(depth)) },
    };
    if let Load::Closed { cap, .. } = job.load {
        job.load = Load::Closed { depth: 1, cap: cap.map(slower) };
    }
    job.threads = threads;
    notes.add(
        read.name(Knob::Parallel),
        format!("each outstanding I/O is a stream of its own: {threads} threads at depth 1 do the same"),
    );
}

fn add_file(files: &mut Vec<ForeignFile>, target: &Target) {
    if files.iter().any(|file| file.name == target.path) {
        return;
    }
    files.push(ForeignFile {
        name: target.path.clone(),
        target: target.path.clone(),
        offset: Bytes::ZERO,
        size: target.create_bytes.map(Bytes),
        unlink: false,
        create: target.create_bytes.is_some(),
    });
}
